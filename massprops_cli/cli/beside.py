"""Further files that a roll-up writes when asked: the whole covariance, and a picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.outputs import is_special, same_file
from massprops_cli.findings import OutputError, UsageError

if TYPE_CHECKING:
    from massprops_cli.bom.answers.result import Result


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
            from massprops_cli.cli.covariance_file import format_of

            format_of(self.covariance)
            check_free("--covariance", self.covariance, source, target, force=force)
        if self.plot:
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
        from massprops_cli.bom.answers.rolling import rollup

        methods_plot(result, rollup(result.bom, "massprops", keep_going=True), self.plot)


def check_picture(name: str, source: str, target: str, *, force: bool) -> None:
    """Refuse a picture that cannot be drawn; ``source`` is the table that was read, ``target`` where a table goes."""
    from massprops_cli.report.plots import picture_format, require_matplotlib

    picture_format(name)
    require_matplotlib()
    check_free("--plot", name, source, target, force=force)


def check_free(option: str, name: str, source: str, target: str, *, force: bool) -> None:
    """Refuse a name that is the input's or the output's, a folder's, or that of a file which is not to be replaced."""
    path = Path(name)
    for other, what in ((source, "the input"), (target, "the output -o")):
        if other not in ("", "-") and same_file(path, Path(other)):
            raise UsageError(f"{option} {name}: that is {what}; name another file")
    if path.is_dir():
        raise OutputError(f"{name}: is a folder")
    if path.exists() and not force and not is_special(name):
        raise UsageError(f"{option} {name}: exists; pass --force to replace it")
