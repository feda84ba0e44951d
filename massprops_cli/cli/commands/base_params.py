"""``massprops robot base-params``: the base inertial parameters of a mechanism, on the screen or as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.cli.command import (
    Command,
    MechanismOptions,
    RepeatedOption,
    ReportOptions,
    command_option,
    split_option_values,
)
from massprops_cli.cli.stages.report_output import exit_code, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_output import write_content
from massprops_cli.cli.streams import EXIT_FAILURE, report_screen
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.options import AngleReading, BaseMethod, wrong_word_text
from massprops_cli.reports import mechanisms
from massprops_cli.reports.page.findings import json_text

if TYPE_CHECKING:
    from massprops_cli.mechanisms.base_inertia import BaseParameters
    from massprops_cli.mechanisms.observation.observed_parameters import Observation, ObservationSettings

COMMAND = Command(
    "robot base-params",
    panel="Parts and robots",
    summary="Find the base inertial parameters of a mechanism, exactly.",
    examples=("suspension.json", "suspension.json --symbols", "suspension.json --method svd --config digits=50"),
    usual="joints gravity method reduce trajectory config output format",
    sets="mechanism findings file-output view",
    more="""
A base parameter is a mass, first moment or moment of inertia with the multiples of others that the motion adds to it:
only base parameters can be identified from motion and forces. The method exact computes fractions from power series
over a prime field and checks them with a second prime; the result is certified if structural rules give the same
number. Loops and redundant constraints are included. The method svd uses the observation matrix of a trajectory, in
double precision or with the setting digits, and rejects a rank without a gap of the singular values. Parameters refer
to the frame of each body: m, mx, my, mz, Ixx … Izz with products as tensor entries. -o or --to writes the coefficients.
""",
)
_OBSERVED = ("digits", "trajectory", "amplitude", "residual", "samples")  # options of the observation matrix


class _BaseRun(MechanismOptions, ReportOptions):
    """The options of ``base-params``: pose, method, observation matrix, and where results are written."""

    assemble: bool = command_option("assemble", COMMAND)
    angles: AngleReading | None = command_option("angles", COMMAND)
    method: BaseMethod = command_option("method", COMMAND)
    eliminate: RepeatedOption = command_option("eliminate", COMMAND)
    symbols: bool = command_option("symbols", COMMAND)
    transfers: bool = command_option("transfers", COMMAND)
    digits: int | None = command_option("digits", COMMAND)
    trajectory: str = command_option("trajectory", COMMAND)
    amplitude: str = command_option("amplitude", COMMAND)
    residual: str = command_option("residual", COMMAND)
    samples: int | None = command_option("samples", COMMAND)
    reduce: bool = command_option("reduce", COMMAND)
    to_format: str | None = command_option("to", COMMAND)
    plot: str = command_option("plot", COMMAND)
    regressor: str = command_option("regressor", COMMAND)
    observation: str = command_option("observation", COMMAND)

    @property
    def has_matrix(self) -> bool:
        """Whether an observation matrix is computed, to which some settings apply."""
        return bool(self.method == "svd" or self.regressor or self.observation)


def command(run: _BaseRun) -> int:
    """Read the mechanism, find its base parameters, and report or write them."""
    from massprops_cli.mechanisms.base_inertia import base_parameters
    from massprops_cli.mechanisms.mechanism_file import read_mechanism
    from massprops_cli.mechanisms.observation.observed_parameters import observation_matrix

    to_format = _output_format(run)
    if run.reduce:
        _check_reduction(run, to_format)
    snap = run.angles == "multiples" if run.angles else None
    findings, reading = Findings(), run.robot_reading(assemble=run.assemble, snap=snap)
    settings = _observation_settings(run)
    data = run.read_data()
    try:
        mechanism = read_mechanism(data, run.joints, findings, reading)
        found = base_parameters(
            mechanism,
            run.method,
            split_option_values(run.eliminate),
            symbols=run.symbols,
            findings=findings,
            observation=settings,
        )
        _write_matrices(found, settings, run)
        if run.reduce:
            _write_reduced(found, data, run)
    except TableError as error:
        report_failure(report_screen(data_on_stdout=bool(to_format)), run.file, error.findings, run, "not computed")
        if run.plot and any(finding.rule == "MP846" for finding in error.findings):
            _plot_singular_values(mechanism.name, observation_matrix(mechanism, settings), run)
        return EXIT_FAILURE
    if to_format and not run.reduce:
        texts = {
            "csv": mechanisms.base_parameter_csv,
            "json": lambda one: json_text(one.to_dict()),
            "md": mechanisms.base_parameter_markdown,
            "tex": mechanisms.base_parameter_latex,
        }
        write_content(texts[to_format](found).encode(), run.output, replaces=not run.no_clobber)
    if not to_format or (run.output not in ("", "-") and not run.quiet):
        write_view(
            report_screen(data_on_stdout=False),
            run.format,
            lambda symbols: mechanisms.base_parameter_blocks(found, symbols, shows_transfers=run.transfers),
            json=lambda: found.to_dict() | (mechanisms.transfer_dict(found) if run.transfers else {}),
            jsonl=lambda: mechanisms.base_parameter_rows(found),
            md=lambda: mechanisms.base_parameter_markdown(found),
            concise=lambda: mechanisms.base_parameter_lines(found),
        )
    if run.format == "json":
        return exit_code(found.findings, run)
    return report_on_stderr(run.file, found.findings, run, f"{run.file}: base parameters")


def _check_reduction(run: _BaseRun, to_format: str) -> None:
    """Reject a reduction that cannot be written."""
    if run.method not in ("exact", "structural"):
        raise UsageError(f"--reduce needs exact coefficients; leave out --method {run.method}")
    if run.assemble:
        raise UsageError("--reduce needs an exact pose; leave out --assemble")
    if to_format not in ("json", "urdf"):
        raise UsageError("--reduce writes a mechanism; name it with -o reduced.json, or -o reduced.urdf for a robot")
    if to_format == "urdf" and run.file != "-" and Path(run.file).suffix.lower() != ".urdf":
        raise UsageError(f"{run.output}: the mechanism is not a URDF file; write -o reduced.json")


def _write_reduced(found: BaseParameters, data: str | bytes, run: _BaseRun) -> None:
    """Write the mechanism with fewer parameters."""
    from massprops_cli.mechanisms.mechanism_document import mechanism_document, reduced_mechanism
    from massprops_cli.robots.inertial_resolution import urdf_with_inertials

    mechanism = reduced_mechanism(found)
    if _output_format(run) == "urdf":
        source = data if isinstance(data, bytes) else Path(data).read_bytes()
        text = urdf_with_inertials("-" if isinstance(data, bytes) else data, source, mechanism)
    else:
        text = json_text(mechanism_document(mechanism)).encode()
    write_content(text, run.output, replaces=not run.no_clobber)


def _observation_settings(run: _BaseRun) -> ObservationSettings:
    """Return the settings of the observation matrix; options without a use are rejected."""
    from massprops_cli.mechanisms.observation.observed_parameters import ObservationSettings

    given = [name for name in (*_OBSERVED, "plot") if getattr(run, name) not in (None, "")]
    for name in given:
        if not run.has_matrix or (name == "plot" and run.method != "svd"):
            option = f"--{name}" if name in ("plot", "trajectory") else name
            raise UsageError(f"{option} belongs to --method svd")
    if run.symbols and run.method == "svd":
        raise UsageError("--symbols does not apply to --method svd; use --method exact or structural")
    if run.trajectory and (run.amplitude or run.samples):
        unused = "amplitude" if run.amplitude else "samples"
        raise UsageError(f"{unused} applies to the harmonics; leave out --trajectory or {unused}")
    for option, name in (("--regressor", run.regressor), ("--observation", run.observation)):
        if name:
            mechanisms.matrix_format(option, name)
    return ObservationSettings(
        run.digits or 0,
        run.trajectory,
        _number_option("amplitude", run.amplitude, 1.0),
        _number_option("residual", run.residual, 0.0),
        run.samples or 0,
    )


def _number_option(name: str, text: str, default: float) -> float:
    """Read a number."""
    try:
        return float(text) if text else default
    except ValueError:
        raise UsageError(f"{name} is not a number: {text!r}") from None


def _write_matrices(found: BaseParameters, settings: ObservationSettings, run: _BaseRun) -> None:
    """Write the columns of the base parameters, the observation matrix, and the plot of its singular values."""
    if not (run.plot or run.regressor or run.observation):
        return
    from massprops_cli.mechanisms.observation.observed_parameters import observation_matrix

    observation, replaces = found.observation, not run.no_clobber
    if run.plot and observation is not None:
        _plot_singular_values(found.mechanism.name, observation, run)
    if observation is None:
        observation = observation_matrix(found.mechanism, settings)
    if run.regressor:
        kept = [found.names[index] for index in found.grouping.base]
        mechanisms.write_matrix("--regressor", observation.table(kept), run.regressor, replaces=replaces)
    if run.observation:
        mechanisms.write_matrix("--observation", observation.table(), run.observation, replaces=replaces)


def _plot_singular_values(name: str, observation: Observation, run: _BaseRun) -> None:
    """Plot the singular values, also those without a gap."""
    mechanisms.singular_value_plot([(name or "mechanism", observation)], run.plot, replaces=not run.no_clobber)


def _output_format(run: _BaseRun) -> str:
    """Return the file format of the output; empty without -o and --to."""
    words = COMMAND.option("to").words
    if run.to_format:
        return run.to_format
    if run.output in ("", "-"):
        if run.output:
            raise UsageError(f"-o - needs a file format; use --to {' | '.join(words)}")
        return ""
    suffix = Path(run.output).suffix.lower().lstrip(".")
    if run.reduce and suffix == "urdf":
        return suffix
    if suffix not in words:
        raise UsageError(f"{run.output}: {wrong_word_text('suffix', suffix, words)}; or state --to")
    return suffix
