"""``massprops base-params``: the base inertial parameters of a mechanism, on the screen or as a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.command import Command
from massprops_cli.cli.option_groups import (
    MechanismOptions,
    RepeatedOption,
    ReportOptions,
    command_option,
    split_option_values,
)
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_on_stderr, write_view
from massprops_cli.cli.streams import EXIT_FAILURE, report_screen, screen_for
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.options import BaseMethod, wrong_word_text
from massprops_cli.reports.mechanisms import (
    base_parameter_blocks,
    base_parameter_csv,
    base_parameter_latex,
    base_parameter_lines,
    base_parameter_markdown,
    base_parameter_rows,
)
from massprops_cli.reports.page.findings import json_text

if TYPE_CHECKING:
    from massprops_cli.mechanisms.base_inertia import BaseParameters
    from massprops_cli.mechanisms.observation.observed_parameters import Observation, ObservationSettings

COMMAND = Command(
    "base-params",
    panel="Mechanisms",
    summary="Find the base inertial parameters of a mechanism, exactly.",
    examples=("suspension.json", "suspension.json --symbols", "suspension.json --method svd --digits 50"),
    usual="joints gravity snap method eliminate reduce digits trajectory output format",
    sets="mechanism findings file-output view",
    more="""
A base parameter is a mass, first moment or moment of inertia with the multiples of others that the motion adds to it:
only base parameters can be identified from motion and forces. The method exact computes fractions from power series
over a prime field and checks them with a second prime; the result is certified if structural rules give the same
number. Loops and redundant constraints are included. The method svd uses the observation matrix of a trajectory, in
double precision or in --digits, and rejects a rank without a gap of the singular values. Parameters refer to the frame
of each body: m, mx, my, mz, Ixx … Izz with products as tensor entries. -o or --to writes the coefficients.
""",
)


@dataclass(frozen=True)
class _BaseOptions:
    """Pose and angles of the mechanism, method, and the parameters to eliminate."""

    assemble: bool = command_option("assemble", COMMAND)
    snap: bool = command_option("snap", COMMAND)
    no_snap: bool = command_option("no-snap", COMMAND)
    method: BaseMethod = command_option("method", COMMAND)
    eliminate: RepeatedOption = command_option("eliminate", COMMAND)
    symbols: bool = command_option("symbols", COMMAND)


@dataclass(frozen=True)
class _ObservationOptions:
    """Trajectory and precision of the observation matrix."""

    digits: int | None = command_option("digits", COMMAND)
    trajectory: str = command_option("trajectory", COMMAND)
    amplitude: str = command_option("amplitude", COMMAND)
    closure: str = command_option("closure", COMMAND)
    samples: int | None = command_option("samples", COMMAND)


@dataclass(frozen=True)
class _BaseOutput:
    """Where the coefficients, the matrices and the reduced mechanism are written."""

    reduce: bool = command_option("reduce", COMMAND)
    output: str = command_option("output", COMMAND)
    to_format: str | None = command_option("to", COMMAND)
    no_clobber: bool = command_option("no-clobber", COMMAND)
    plot: str = command_option("plot", COMMAND)
    regressor: str = command_option("regressor", COMMAND)
    observation: str = command_option("observation", COMMAND)


def command(
    source: MechanismOptions,
    question: _BaseOptions,
    motion: _ObservationOptions,
    reporting: ReportOptions,
    output: _BaseOutput,
) -> int:
    """Read the mechanism, find its base parameters, and report or write them."""
    from massprops_cli.mechanisms.base_inertia import base_parameters
    from massprops_cli.mechanisms.mechanism_file import read_mechanism
    from massprops_cli.mechanisms.observation.observed_parameters import observation_matrix

    to_format = _output_format(output)
    if output.reduce:
        _check_reduction(source, question, to_format, output)
    if question.snap and question.no_snap:
        raise UsageError("--snap and --no-snap exclude each other")
    snap = True if question.snap else False if question.no_snap else None
    findings, reading = Findings(), source.robot_reading(assemble=question.assemble, snap=snap)
    settings = _observation_settings(question, motion, output)
    data = source.read_data()
    try:
        mechanism = read_mechanism(data, source.joints, findings, reading)
        found = base_parameters(
            mechanism,
            question.method,
            split_option_values(question.eliminate),
            symbols=question.symbols,
            findings=findings,
            observation=settings,
        )
        _write_matrices(found, settings, output)
        if output.reduce:
            _write_reduced(found, data, output)
    except TableError as error:
        screen = report_screen(data_on_stdout=bool(to_format))
        report_failure(screen, source.file, error.findings, reporting, "not computed")
        if output.plot and any(finding.rule == "MP846" for finding in error.findings):
            _plot_singular_values(mechanism.name, observation_matrix(mechanism, settings), output)
        return EXIT_FAILURE
    if to_format and not output.reduce:
        texts = {
            "csv": base_parameter_csv,
            "json": lambda one: json_text(one.to_dict()),
            "md": base_parameter_markdown,
            "tex": base_parameter_latex,
        }
        _write_bytes(texts[to_format](found).encode(), output)
    if not to_format or (output.output not in ("", "-") and not reporting.quiet):
        write_view(
            report_screen(data_on_stdout=False),
            reporting.format,
            lambda symbols: base_parameter_blocks(found, symbols),
            json=found.to_dict,
            jsonl=lambda: base_parameter_rows(found),
            md=lambda: base_parameter_markdown(found),
            concise=lambda: base_parameter_lines(found),
        )
    if reporting.format == "json":
        return exit_code(found.findings, reporting)
    return report_on_stderr(source.file, found.findings, reporting, f"{source.file}: base parameters")


def _check_reduction(source: MechanismOptions, question: _BaseOptions, to_format: str, output: _BaseOutput) -> None:
    """Reject a reduction that cannot be written."""
    if question.method not in ("exact", "structural"):
        raise UsageError(f"--reduce needs exact coefficients; leave out --method {question.method}")
    if question.assemble:
        raise UsageError("--reduce needs an exact pose; leave out --assemble")
    if to_format not in ("json", "urdf"):
        raise UsageError("--reduce writes a mechanism; name it with -o reduced.json, or -o reduced.urdf for a robot")
    if to_format == "urdf" and source.file != "-" and Path(source.file).suffix.lower() != ".urdf":
        raise UsageError(f"{output.output}: the mechanism is not a URDF file; write -o reduced.json")


def _write_reduced(found: BaseParameters, data: str | bytes, output: _BaseOutput) -> None:
    """Write the mechanism with fewer parameters."""
    from massprops_cli.mechanisms.mechanism_document import mechanism_document, reduced_mechanism
    from massprops_cli.robots.inertial_resolution import urdf_with_inertials

    mechanism = reduced_mechanism(found)
    if _output_format(output) == "urdf":
        source = data if isinstance(data, bytes) else Path(data).read_bytes()
        text = urdf_with_inertials("-" if isinstance(data, bytes) else data, source, mechanism)
    else:
        text = json_text(mechanism_document(mechanism)).encode()
    _write_bytes(text, output)


def _observation_settings(
    question: _BaseOptions, motion: _ObservationOptions, output: _BaseOutput
) -> ObservationSettings:
    """Return the settings of the observation matrix; options without a use are rejected."""
    from massprops_cli.mechanisms.observation.observed_parameters import ObservationSettings
    from massprops_cli.reports.mechanisms import matrix_format

    given = {name: value for name, value in vars(motion).items() if value not in (None, "")}
    has_matrix = question.method == "svd" or output.regressor or output.observation
    for name in (*given, *(["plot"] if output.plot else [])):
        if not has_matrix or (name == "plot" and question.method != "svd"):
            raise UsageError(f"--{name} belongs to --method svd")
    if question.symbols and question.method == "svd":
        raise UsageError("--symbols does not apply to --method svd; use --method exact or structural")
    if motion.trajectory and (motion.amplitude or motion.samples):
        unused = "amplitude" if motion.amplitude else "samples"
        raise UsageError(f"--{unused} applies to the harmonics; leave out --trajectory or --{unused}")
    for option, name in (("--regressor", output.regressor), ("--observation", output.observation)):
        if name:
            matrix_format(option, name)
    return ObservationSettings(
        motion.digits or 0,
        motion.trajectory,
        _number_option("amplitude", motion.amplitude, 1.0),
        _number_option("closure", motion.closure, 0.0),
        motion.samples or 0,
    )


def _number_option(name: str, text: str, default: float) -> float:
    """Read a number."""
    try:
        return float(text) if text else default
    except ValueError:
        raise UsageError(f"--{name} is not a number: {text!r}") from None


def _write_matrices(found: BaseParameters, settings: ObservationSettings, output: _BaseOutput) -> None:
    """Write the columns of the base parameters, the observation matrix, and the plot of its singular values."""
    if not (output.plot or output.regressor or output.observation):
        return
    from massprops_cli.mechanisms.observation.observed_parameters import observation_matrix
    from massprops_cli.reports.mechanisms import write_matrix

    observation, replaces = found.observation, not output.no_clobber
    if output.plot and observation is not None:
        _plot_singular_values(found.mechanism.name, observation, output)
    if observation is None:
        observation = observation_matrix(found.mechanism, settings)
    if output.regressor:
        kept = [found.names[index] for index in found.grouping.base]
        write_matrix("--regressor", observation.table(kept), output.regressor, replaces=replaces)
    if output.observation:
        write_matrix("--observation", observation.table(), output.observation, replaces=replaces)


def _plot_singular_values(name: str, observation: Observation, output: _BaseOutput) -> None:
    """Plot the singular values, also those without a gap."""
    from massprops_cli.reports.mechanisms import singular_value_plot

    singular_value_plot([(name or "mechanism", observation)], output.plot, replaces=not output.no_clobber)


def _output_format(output: _BaseOutput) -> str:
    """Return the file format of the output; empty without -o and --to."""
    words = COMMAND.option("to").words
    if output.to_format:
        return output.to_format
    if output.output in ("", "-"):
        if output.output:
            raise UsageError(f"-o - needs a file format; use --to {' | '.join(words)}")
        return ""
    suffix = Path(output.output).suffix.lower().lstrip(".")
    if output.reduce and suffix == "urdf":
        return suffix
    if suffix not in words:
        raise UsageError(f"{output.output}: {wrong_word_text('suffix', suffix, words)}; or state --to")
    return suffix


def _write_bytes(text: bytes, output: _BaseOutput) -> None:
    """Write a text in UTF-8 to the output file, or to standard output."""
    from massprops_cli.files.writer import atomic_file

    if output.output in ("", "-"):
        screen_for(sys.stdout).write(text.decode())
        return
    with atomic_file(output.output, replaces=not output.no_clobber) as file:
        file.write(text)
