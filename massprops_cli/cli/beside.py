"""Further files that a roll-up writes when asked: the whole covariance, and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result


@dataclass(frozen=True, slots=True)
class Beside:
    """The names of the files that are written beside the table; empty for none."""

    covariance: str = ""
    plot: str = ""

    @property
    def names(self) -> list[str]:
        """Those that are written."""
        return [name for name in (self.covariance, self.plot) if name]

    def check(self, result: Result, source: str, target: str, *, force: bool) -> None:
        """Refuse names that cannot be written, before anything is; ``target`` is where the table goes."""
        if self.covariance:
            from massprops_cli.cli.covariance_file import check_covariance

            check_covariance(self.covariance, source, target, force=force)

    def write(self, result: Result) -> None:
        """Write them."""
        if self.covariance:
            from massprops_cli.cli.covariance_file import write_covariance

            write_covariance(result, self.covariance)
