"""Further files that a roll-up writes when asked: the whole covariance, and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.outputs import same_file
from massprops_cli.findings import UsageError

if TYPE_CHECKING:
    from massprops_cli.bom.result import Result


@dataclass(frozen=True, slots=True)
class Beside:
    """The names of the files written beside the table, empty for none; ``item`` is drawn, empty for the root."""

    covariance: str = ""
    plot: str = ""
    item: str = ""

    @property
    def names(self) -> list[str]:
        """Those that are written."""
        return [name for name in (self.covariance, self.plot) if name]

    def check(self, result: Result, source: str, target: str, *, force: bool) -> None:
        """Refuse names that cannot be written, before anything is; ``target`` is where the table goes."""
        if self.names and result.rollup.sigmas is None:
            raise UsageError(f"{self.names[0]} would hold uncertainties, and the table states none")
        if self.covariance:
            from massprops_cli.cli.covariance_file import check_covariance

            check_covariance(self.covariance, source, target, force=force)
        if self.plot:
            from massprops_cli.cli.pictures import check_picture

            check_picture(self.plot, source, target, force=force)
        if self.covariance and self.plot and same_file(Path(self.covariance), Path(self.plot)):
            raise UsageError("--covariance and --plot name one file")

    def write(self, result: Result) -> None:
        """Write them: the samples of an item as histograms, or both methods of first order side by side."""
        if self.covariance:
            from massprops_cli.cli.covariance_file import write_covariance

            write_covariance(result, self.covariance)
        if not self.plot:
            return
        from massprops_cli.report.plots import histogram_plot, methods_plot

        if result.rollup.sampled is not None:
            histogram_plot(result, self.plot, self.item or None)
            return
        from massprops_cli.bom.rolling import rollup

        methods_plot(result, rollup(result.bom, "massprops", keep_going=True), self.plot)
