"""``massprops parts assemble``: tables of parts as one tree again, rolled up."""

from __future__ import annotations

from pathlib import Path

from massprops_cli.cli.command import Command, ReportOptions, command_option
from massprops_cli.cli.stages.report_output import ReportView, exit_code, report_failure, report_result
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_FINDINGS, EXIT_OK, report_screen
from massprops_cli.findings.finding import FindingsError, TableError, UsageError, count_with_noun, name_list
from massprops_cli.options import CorrelationScope
from massprops_cli.reports.page.conventions import AggregatedColumns, RootView
from massprops_cli.reports.page.page import verdict_line

COMMAND = Command(
    "parts assemble",
    panel="Parts and robots",
    summary="Join the tables of parts and roll up the whole.",
    examples=(
        "spacecraft.P.csv spacecraft.S.csv spacecraft.C.csv",
        "spacecraft.P.csv --branches spacecraft.branches.json",
        "spacecraft.P.csv spacecraft.S.csv spacecraft.C.csv -o spacecraft.joined.csv",
    ),
    usual="branches output no-clobber correlate format fail-on select ignore quiet",
    sets="findings file-output view",
    more="""
Parts are tables that massprops parts partition wrote, also after changes or a roll-up, or their folder; a file of
branches among them is that of --branches. A part that is not given is represented by its leaf in the table above it:
with --branches sigmas and the joint effect of groups are those of the whole table; without it, sigmas above this leaf
are level by level, which is reported.
""",
)


class _AssemblyRun(ReportOptions):
    """The options of ``assemble``: the tables, the file of branches, and where the whole is written."""

    part: list[str] = command_option("part", COMMAND)
    branches: str = command_option("branches", COMMAND)
    correlate: CorrelationScope | None = command_option("correlate", COMMAND)


def command(run: _AssemblyRun) -> int:
    """Read the parts, join them, roll up the whole, and report or write it."""
    from massprops_cli.cli.several_files import expand_file_names
    from massprops_cli.partitions.reassembly import assemble

    if "-" in run.part:
        raise UsageError("assemble reads the parts from files, not from standard input; name them")
    names, branches = _part_files(expand_file_names(run.part), run.branches)
    title = count_with_noun(len(names), "part")
    try:
        result = assemble(names, branches, correlate=run.correlate)
    except (FindingsError, TableError) as error:
        code = EXIT_FAILURE if isinstance(error, TableError) else EXIT_FINDINGS
        screen = report_screen(data_on_stdout=False)
        return report_failure(screen, title, error.findings, run, "not joined", code)
    if run.output:
        result.save(run.output, no_clobber=run.no_clobber)
    screen = report_screen(data_on_stdout=False)
    did = f"{title}: joined {count_with_noun(len(result.bom), 'item')}"
    code = exit_code(result.findings, run)
    names = [run.output] if run.output else []
    head = verdict_line(screen.symbols, result.findings, did, names, failed=code != EXIT_OK)
    report_result(screen, result, result.findings, run, ReportView(head, RootView(), AggregatedColumns()))
    return code


def _part_files(names: list[str], branches: str) -> tuple[list[str], str]:
    """Return the tables, those of folders included, and the file of branches, which may be among them."""
    every = []
    for name in names:
        inner = sorted(Path(name).iterdir()) if Path(name).is_dir() else [Path(name)]
        every += [str(path) for path in inner if path.is_file() or path == Path(name)]
    found = [name for name in every if name.endswith(".branches.json")]
    if not branches and len(found) > 1:
        raise UsageError(f"several files of branches: {name_list(found)}; name one with --branches")
    if not (tables := [name for name in every if name not in found]):
        raise UsageError(f"no table of a part in {name_list(names)}")
    return tables, branches or "".join(found)
