"""``massprops trend``: a table over its revisions, with the steps between them, plan and forecast."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli._front import VERSION
from massprops_cli.cli.command import Command, RepeatedOption, WritingRun, command_option
from massprops_cli.cli.commands.contributions import write_frame
from massprops_cli.cli.several_files import expand_file_names
from massprops_cli.cli.stages import report_output
from massprops_cli.cli.stages.output_files import check_output_file, named_files, output_target
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import Screen, report_screen
from massprops_cli.findings.finding import Finding, UsageError
from massprops_cli.options import MACHINE_STYLES, MatchKey
from massprops_cli.reports.table_files import WORKBOOK_FORMATS, SheetTitle, Target

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.trends.outlook import ForecastModel
    from massprops_cli.trends.sources import EveryRevision, RevisionOrder
    from massprops_cli.trends.trend import Trend

COMMAND = Command(
    "trend",
    panel="Compare",
    summary="Show mass, margin and maturity over revisions, each step explained.",
    examples=(
        "spacecraft.csv spacecraft.xlsx",
        "spacecraft.csv spacecraft.xlsx -o curve.svg",
        "spacecraft.csv spacecraft.xlsx --record history.jsonl",
    ),
    usual="git since every forecast budget record reasons item output format",
    sets="sigmas table-output findings-report",
    more="""
Revisions are files, commits (--git bom.csv) or a history. A revision whose table is rejected is a gap with its reason.
Contributions of each step add up to its change. [plan] and [[pending]] of the budget are the planned margins and the
threats and opportunities; the exit code is 1 if the last revision is below plan. -o writes a row for each revision, or
draws the curve (svg). --format openmetrics has time stamps.
""",
)
_NO_INPUT = (
    "file", "more", "output", "to_format", "format", "record", "forecast", "since", "every", "branch", "order",
    "budget", "fail_on", "select", "ignore", "verbose", "quiet", "watch", "no_clobber", "remove_leftovers", "no_cache",
    "dates",
)  # fmt: skip
"""Options that change no point of a trend."""


class _TrendRun(WritingRun):
    """The options of ``trend``: the revisions, the commits that are read, forecast, history and steps."""

    git: bool = command_option("git", COMMAND)
    since: str = command_option("since", COMMAND)
    every: EveryRevision = command_option("every", COMMAND)
    branch: str = command_option("branch", COMMAND)
    order: RevisionOrder | None = command_option("order", COMMAND)
    dates: str = command_option("dates", COMMAND)
    forecast: ForecastModel | None = command_option("forecast", COMMAND)
    record: str = command_option("record", COMMAND)
    budget: RepeatedOption = command_option("budget", COMMAND)
    reasons: str = command_option("reasons", COMMAND)
    match: MatchKey | None = command_option("match", COMMAND)
    item: str = command_option("item", COMMAND)
    top: int = command_option("top", COMMAND)
    no_cache: bool = command_option("no-cache", COMMAND)


def command(run: _TrendRun) -> int:
    """Read the revisions, and report or write their trend."""
    if run.uncertainty == "montecarlo":
        raise UsageError("trend compares numbers, not samples; use --uncertainty covariance, massprops or none")
    names = expand_file_names([run.file, *(run.more or ())])
    if "-" in names:
        raise UsageError("trend reads revisions from files or git, not from standard input; name them")
    is_picture, target = run.output.lower().endswith(".svg"), None
    if (run.output or run.to_format) and not is_picture:
        target = output_target(run, "csv", to_stdout=True)
    if run.record:
        check_output_file(run.record)
    from massprops_cli.trends.sources import record_points

    made = _made_trend(run, names)
    if run.record:
        record_points(run.record, made.points)
    if is_picture:
        from massprops_cli.files.writer import atomic_file
        from massprops_cli.trends.picture import trend_picture

        with atomic_file(run.output, replaces=not run.no_clobber) as file:
            file.write(trend_picture(made).svg(is_file=True).encode())
    findings = [*made.findings, *([] if target is None else _write_trend(made, target))]
    if not report_output.is_silent(run, has_output=target is not None or is_picture):
        screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
        _report_trend(screen, made, run, report_output.selected_findings(findings, run))
    failed = bool(report_output.exit_code(findings, run))
    if run.format in MACHINE_STYLES:
        return int(failed)
    return report_output.report_on_stderr(names[0], findings, run, f"{names[0]}: the trend", failed=failed)


def _made_trend(run: _TrendRun, names: list[str]) -> Trend:
    """Read the revisions with the options of the command line, and the configuration of their folders."""
    from massprops_cli.trends.points import TrendRequest
    from massprops_cli.trends.sources import TrendInputs
    from massprops_cli.trends.trend import made_trend

    def read(name: str) -> Bom:
        """Read one revision."""
        return read_input_bom(replace(run, file=name, more=[]), write_poi="none")

    request = TrendRequest(run.item, run.top, run.match, run.reasons, run.method)
    choice: dict[str, Any] = {one: getattr(run, one) for one in ("git", "since", "every", "branch", "order", "dates")}
    cache = None if run.no_cache else _TrendCache()
    key = _options_key(run, names)
    return made_trend(
        TrendInputs(names, read, request, run.budget or (), cache=cache, options_key=key, **choice), run.forecast
    )


def _report_trend(screen: Screen, made: Trend, run: _TrendRun, shown: list[Finding]) -> None:
    """Report the trend in the requested style."""
    from massprops_cli.trends import view

    if run.format == "openmetrics":
        screen.write(view.trend_metrics(made))
    elif run.format in MACHINE_STYLES:
        data = report_output.report_data(made.points[0].source, shown, run, None)
        report_output.write_ci_report(screen, data, run.format, view.trend_markdown(made))
    else:
        in_full, failed = run.verbose or run.format == "full", bool(report_output.exit_code(made.findings, run))
        report_output.write_view(
            screen,
            run.format,
            lambda symbols: view.trend_blocks(made, symbols, failed=failed, in_full=in_full),
            json=made.to_dict,
            jsonl=lambda: [one.to_dict() for one in made.points],
            md=lambda: view.trend_markdown(made),
        )


def _write_trend(made: Trend, target: Target) -> list[Any]:
    """Write a row for each revision; a workbook has a sheet of steps too."""
    from massprops_cli.files.table import short_numbers
    from massprops_cli.trends.view import steps_sheet

    frame = made.to_dataframe()
    for name in ("change", "change_predicted", "growth", "margin"):  # with the rounding of the masses
        frame[name] = short_numbers(frame[name].to_numpy(), frame["basic"].abs().to_numpy())
    is_workbook = target.format in WORKBOOK_FORMATS
    frame = frame.assign(date=frame["date"].str[:10]).drop(columns=["source", "items"]) if is_workbook else frame
    before = [steps_sheet(made)] if is_workbook else []
    title = SheetTitle("Trend", f"Trend of {made.item}", before)
    return write_frame(frame, target, title)


def _options_key(run: _TrendRun, names: list[str]) -> str:
    """Return the digest of the options that a point depends on, and of the files that they and the settings name.

    It is empty, so that nothing is kept, for files in several folders, which may have settings of their own.
    """
    if len({Path(name).resolve().parent for name in names}) > 1:
        return ""
    named = {one.name: getattr(run, one.name) for one in fields(run) if one.metadata and one.name not in _NO_INPUT}
    digest = sha256(f"{VERSION} 1 {sorted(named.items(), key=str)}".encode("utf-8", "surrogateescape"))
    files = [name for option, name in named_files(run, "input") if option.kind != "argument"]
    settings = run.settings
    of_settings = [settings.growth_table, *(str(settings.read.get(one, "")) for one in ("materials", "link-sigmas"))]
    for name in [*files, *settings.files, *filter(None, of_settings)]:
        with suppress(OSError):
            digest.update(Path(name).read_bytes())
    return digest.hexdigest()


class _TrendCache:
    """Points of trends in the cache folder of the user, a file for each; the oldest go when they are too large."""

    most_bytes = 64 * 2**20

    def __init__(self) -> None:
        home = {"win32": "~/AppData/Local", "darwin": "~/Library/Caches"}.get(sys.platform, "~/.cache")
        base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path(home).expanduser()
        self.folder = Path(base) / "massprops" / "trend"
        self._written = 0

    def _path(self, key: str) -> Path:
        """Return the file of a key."""
        return self.folder / f"{sha256(key.encode()).hexdigest()}.json"

    def read(self, key: str) -> Any:
        """Return what was written with a key; None without it, or where it cannot be read."""
        path = self._path(key)
        try:
            found = json.loads(path.read_bytes())
            os.utime(path)
        except (OSError, ValueError):
            return None
        return found

    def write(self, key: str, value: Any) -> None:
        """Write a value with one rename, so that no process reads a part of it; nothing is written on a full disk."""
        path = self._path(key)
        partial = path.with_suffix(f".{os.getpid()}.part")
        with suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                partial.write_text(json.dumps(value), encoding="utf-8")
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)
            self._written += 1
            if self._written % 100 == 1:
                self._prune()

    def _prune(self) -> None:
        """Delete the points that were used least recently."""
        found = sorted(((path.stat(), path) for path in self.folder.iterdir()), key=lambda pair: -pair[0].st_mtime)
        total = 0
        for state, path in found:
            total += state.st_size
            if total > self.most_bytes:
                path.unlink(missing_ok=True)
