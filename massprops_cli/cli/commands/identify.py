"""``massprops identify``: parameters of a machine from measured motions, with the mass table as prior."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from massprops_cli.cli.command import Command, MechanismOptions, RepeatedOption, ReportOptions, command_option
from massprops_cli.cli.several_files import expand_file_names
from massprops_cli.cli.stages.report_output import report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import parse_quantity_pairs
from massprops_cli.cli.stages.table_output import write_content
from massprops_cli.cli.streams import EXIT_FAILURE, report_screen
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.identifications.excitation import design_excitation
from massprops_cli.identifications.identification import Identification, identify
from massprops_cli.reports.identifications import report as reports
from massprops_cli.reports.page.findings import csv_text, json_text

COMMAND = Command(
    "identify",
    panel="Parts and robots",
    summary="Identify the parameters of a machine from measured motions, with a mass table as prior.",
    examples=(
        "arm.json --data identify/run*.csv --prior links.csv",
        "arm.json --data identify/run1.csv --plot report.png -o identified.csv",
        "arm.json --design motion.csv",
    ),
    usual="data prior map unit design base plot output format joints fail-on select ignore quiet",
    sets="mechanism findings file-output",
    more="""
A run is a csv or parquet file with t, q_JOINT and tau_JOINT for each joint, or i_JOINT with [identify.gains]; units are
in the headings, such as q_elbow [deg]. The cut-off of the filter follows from the data. -o writes the robot with the
identified inertials (urdf, sdf, xml), a table of its links (csv), or the result (json, md). With --base free columns
base.x base.y base.z base.qw base.qx base.qy base.qz are the pose of the root, and tau_base.wx … tau_base.vz its wrench.
Rare settings are keys of [identify] in massprops.toml. Needs SciPy (extra identify).
""",
)
_ROBOTS = (".urdf", ".sdf", ".world", ".xml", ".mjcf")
_SUFFIXES = (*_ROBOTS, ".csv", ".json", ".md")


class _IdentifyRun(MechanismOptions, ReportOptions):
    """The options of ``identify``: runs, the table of the prior, and the file of an exciting motion."""

    more: RepeatedOption = command_option("more", COMMAND)
    data: RepeatedOption = command_option("data", COMMAND)
    prior: str = command_option("prior", COMMAND)
    design: str = command_option("design", COMMAND)
    plot: str = command_option("plot", COMMAND)
    map: RepeatedOption = command_option("map", COMMAND)
    unit: RepeatedOption = command_option("unit", COMMAND)
    format: str | None = command_option("format", COMMAND)


def command(run: _IdentifyRun) -> int:
    """Read machine and runs, identify the parameters, and report or write them; or design a motion."""
    suffix = Path(run.output).suffix.lower()
    if run.output and suffix not in _SUFFIXES:
        raise UsageError(f"unknown suffix of -o: {run.output} (expected one of {', '.join(_SUFFIXES)})")
    if suffix in _ROBOTS and suffix != (own := Path(run.file).suffix.lower()):
        own = own if own in _ROBOTS else ".json"
        raise UsageError(f"-o {run.output} needs a robot of this format; write -o identified{own}")
    if run.design and (run.data or run.more or run.output or run.prior):
        raise UsageError("--design needs no runs: omit --data, --prior and -o")
    settings = {**run.settings.identify}
    for key, given, name, what in (("columns", run.map, "map", "HEADER"), ("units", run.unit, "unit", "UNIT")):
        if pairs := parse_quantity_pairs(given, f"--{name}", what):
            settings[key] = {**settings.get(key, {}), **pairs}
    findings = Findings()
    call: dict[str, Any] = {"joints": run.joints, "reading": run.robot_reading(), "settings": settings}
    call["findings"] = findings
    try:
        return _design(run, call) if run.design else _identify(run, call)
    except TableError as error:
        screen = report_screen(data_on_stdout=run.format is not None)
        every = list(dict.fromkeys([*findings, *error.findings]))
        return report_failure(screen, run.file, every, run, "not identified", EXIT_FAILURE)


def _design(run: _IdentifyRun, call: dict[str, Any]) -> int:
    """Find an exciting motion, and write it."""
    found = design_excitation(run.read_data(), **call)
    write_content(csv_text(found.rows()).encode(), run.design, replaces=not run.no_clobber)
    if run.plot:
        reports.save_plot(found, run.plot, replaces=not run.no_clobber)
    if not run.quiet and run.design != "-":
        screen = report_screen(data_on_stdout=False)
        write_view(screen, run.format, lambda symbols: reports.excitation_blocks(found, symbols), json=found.to_dict)
    return report_on_stderr(run.file, call["findings"], run, f"{run.file}: motion designed")


def _identify(run: _IdentifyRun, call: dict[str, Any]) -> int:
    """Identify, and report or write."""
    runs = expand_file_names([*(run.data or ()), *(run.more or ())])
    found = identify(run.read_data(), runs, run.prior or None, **call)
    if run.output:
        write_content(_content(found, run), run.output, replaces=not run.no_clobber)
    if run.plot:
        reports.save_plot(found, run.plot, replaces=not run.no_clobber)
    if not (run.output and run.quiet):
        write_view(
            report_screen(data_on_stdout=False),
            run.format,
            lambda symbols: reports.identification_blocks(
                found, symbols, shows_all=run.format == "full" or run.verbose
            ),
            json=found.to_dict,
            jsonl=found.parameters,
            md=lambda: reports.identification_markdown(found),
            csv=lambda: reports.identification_csv(found),
        )
    return report_on_stderr(run.file, found.findings, run, f"{run.file}: identified")


def _content(found: Identification, run: _IdentifyRun) -> bytes:
    """Return the content of the output, by its suffix."""
    suffix = Path(run.output).suffix.lower()
    if suffix in _ROBOTS:
        return found.robot(run.file)
    if suffix == ".csv":
        return csv_text(found.table_rows()).encode()
    return (json_text(found.to_dict()) if suffix == ".json" else reports.identification_markdown(found)).encode()
