"""A command: its record, which help and completion read from the source of its module, and groups of shared options."""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, dataclass_transform

from massprops_cli import options as option_table
from massprops_cli.findings.finding import UsageError

if TYPE_CHECKING:
    from massprops_cli.bom.settings import Settings
    from massprops_cli.mechanisms.model import RobotReading

COMMAND_NAMES = (
    "rollup", "contributions", "whatif", "conditions", "ballast", "reconcile", "validate", "tree", "plot", "rules",
    "help", "check", "diff", "trend", "verify", "plan", "convert", "report", "init", "parts shape", "parts partition",
    "parts assemble", "parts aggregate", "robot inertials", "robot base-params", "robot massmatrix",
    "identify",
)  # fmt: skip
"""The commands, in the order of the help; each has a module of its last word in ``cli/commands``."""
COMMAND_GROUPS = {
    "parts": "Write the row of a part from a shape or a mesh; divide a tree into parts, join or aggregate them.",
    "robot": "Compute the inertials of a robot, the mass matrix and the base parameters of a mechanism.",
}
"""First words of commands with two, and what they do together."""
COMMAND_PANELS = ("Compute", "Look", "Compare", "Write", "Parts and robots")


def command_name(words: Sequence[str]) -> str:
    """Return the command that a command line begins with; empty without one."""
    return next((name for k in (2, 1) if (name := " ".join(words[:k])) in COMMAND_NAMES), "")


class Command(NamedTuple):
    """A command: its panel and its line of the help page, three calls, and the rest of its help."""

    name: str
    panel: str
    summary: str
    examples: tuple[str, str, str]
    usual: str = ""  # options that -h lists
    sets: str = ""  # sets of options that it has in addition to its own, as the table of options states them
    more: str = ""

    @property
    def options(self) -> list[option_table.Option]:
        """The options of the command, in the order of the help."""
        names = {self.name.split()[-1], *self.sets.split()}
        return [one for one in option_table.OPTIONS if not names.isdisjoint(one.users.split())]

    def option(self, name: str) -> option_table.Option:
        """Return an option of the command by its name."""
        return next(one for one in self.options if one.name == name)


@cache
def command_record(name: str) -> Command:
    """Read the record of a command from the source of its module."""
    source = (Path(__file__).parent / "commands" / f"{_module_name(name)}.py").read_text("utf-8")
    record = source.partition("\nCOMMAND = ")[2]
    line = record.partition("\n")[0]
    text = line if line.endswith(")") else record.partition("\n)\n")[0] + "\n)"
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call), name
    return Command(
        *map(ast.literal_eval, call.args), **{str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    )


def command_records() -> dict[str, Command]:
    """Read the records of all commands, by name."""
    return {name: command_record(name) for name in COMMAND_NAMES}


_EARLIER_COMMANDS = {
    "inspect": ("validate",),
    "transform": ("convert",),
    "fix": ("convert", "--fix"),
    **{words[1]: words for name in COMMAND_NAMES if len(words := tuple(name.split())) > 1},
}
_EARLIER_OPTIONS = {
    "": {"explain": "-v", "pose": "--q {}"},
    "whatif": {"add": "--new {}"},
    "contributions": {"mean": "--value"},
    "diff": {"level": "--depth {}", "reason-column": "--reasons column:{}"},
    "convert": {"into": "--into-robot {}", "about": "--pivot {}", "principal": "--to-frame principal"},
    "parts shape": {"mesh": "{}", "parameter": "{}", "list": ""},
    "parts aggregate": {"closure": "--extend"},
    "parts assemble": {"covariance": "--branches {}"},
    "robot base-params": {
        "closure": "--config residual={}", "snap": "--config angles=multiples", "no-snap": "--config angles=written",
    },
    "robot inertials": {"from": "--geometry {}"},
}  # fmt: skip
"""What options of earlier versions are now, for all commands and for one; they work for one version, with a note."""


def current_words(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a command line in the words of this version, and a note for each word that was another."""
    topic = " ".join(args[1:]) if args[:1] == ["help"] else ""
    if topic in (*COMMAND_NAMES, *COMMAND_GROUPS):
        return [*args[1:], "--help"], []
    if re.fullmatch(r"MP\d+", topic, re.IGNORECASE):
        return ["rules", topic], []
    earlier = _EARLIER_COMMANDS.get(args[0], ()) if args else ()
    words = [*(earlier or args[:1]), *args[1:]]
    notes = [f"massprops {args[0]} is massprops {' '.join(earlier)} now"] if earlier else []
    name = command_name(words)
    own = command_record(name).options if name else []
    forms = _EARLIER_OPTIONS.get(name, {}) | (_EARLIER_OPTIONS[""] if any(one.name == "config" for one in own) else {})
    for one in own:
        if one.is_setting:
            value = "true" if one.kind == "flag" else "{}"
            forms[one.name] = f"{one.name}={value}" if name == "parts shape" else f"--config {one.name}={value}"
        else:
            forms.pop(one.name, None)
    current, rest = words[: len(name.split())], iter(words[len(name.split()) :])
    for word in rest:
        option, is_joined, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or (form := forms.get(option)) is None:
            current.append(word)
            continue
        typed = [word] if is_joined or "{}" not in form else [word, *([given] if (given := next(rest, "")) else [])]
        if "{}" in form and not is_joined and len(typed) == 1:
            raise UsageError(f"{word} requires a value; it is {form.replace('{}', 'VALUE')} now")
        new = [part.replace("{}", value if is_joined else typed[-1]) for part in form.split()]
        notes.append(f"{' '.join(typed)} is {' '.join(new)} now" if new else f"{word} is not needed")
        current += new
    return current, list(dict.fromkeys(notes))


def command_module(name: str) -> Any:
    """Import the module of a command."""
    return import_module(f"massprops_cli.cli.commands.{_module_name(name)}")


def _module_name(command: str) -> str:
    """Return the name of the module of a command."""
    return command.rsplit(maxsplit=1)[-1].replace("-", "_")


def command_option(name: str, of: Command | str = "") -> Any:
    """Make the field of a group from a row of the table of options: that of a command, or of a user of the table."""
    option = option_table.named_option(name, of) if isinstance(of, str) else of.option(name)
    if option.kind == "argument" and option.default is None:
        return field(metadata={"option": option})
    return field(default=option.value, metadata={"option": option})


def with_options(run: Any, **values: Any) -> Any:
    """Replace options of a run, which keeps the settings that were read for it."""
    made = copy(run)
    vars(made).update(values)
    return made


def changed_options(options: object, group: type[Any]) -> list[str]:
    """List the fields that a group of options adds to those of other groups, and that differ from their defaults."""
    own = [one for one in fields(group) if one.name in vars(group)["__annotations__"]]
    return [one.name for one in own if getattr(options, one.name) != one.default]


def parse_number_option(option: str, text: str) -> float:
    """Read the number of an option."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option} is not a number: {text}") from None


def split_option_values(given: RepeatedOption) -> tuple[str, ...]:
    """Split repeated and comma-separated values into one list."""
    return tuple(word.strip() for text in given or () for word in text.split(",") if word.strip())


def split_option_ids(given: RepeatedOption) -> tuple[str, ...]:
    """Split repeated and comma-separated ids or headers; one with a comma is in double quotes, as in csv."""
    rows = csv.reader(given or (), skipinitialspace=True)
    return tuple(word.strip() for row in rows for word in row if word.strip())


@dataclass(init=False, eq=False, repr=False)
@dataclass_transform(kw_only_default=True, eq_default=False)
class _Options:
    """Options of a run; those that are not given have their defaults. Nothing assigns to them: a run is replaced."""

    config: str | None = command_option("config")
    assigned: frozenset[str] = frozenset()  # keys of [read] that --config KEY=VALUE replaces

    @cached_property
    def settings(self) -> Settings:
        """The settings of the configuration files, read once a run."""
        from massprops_cli.bom.settings import read_settings

        settings = read_settings(getattr(self, "file", ""), self.config or None)
        kept = {key: value for key, value in settings.read.items() if key not in self.assigned}
        return replace(settings, read=kept)

    def __init_subclass__(cls) -> None:
        dataclass(init=False, eq=False, repr=False, kw_only=True)(cls)

    def __init__(self, **values: Any) -> None:
        vars(self).update({one.name: one.default for one in fields(self)} | values)


class ArgumentOptions(_Options):
    """The argument of a command that reads no file: where ``init`` writes, what ``rules`` and ``help`` print."""

    folder: str = command_option("folder")
    code: str = command_option("code")
    topic: str = command_option("topic")


class InputOptions(_Options):
    """The input table, which may be in several files, how it is read, and what it means."""

    file: str = command_option("file")
    from_format: str = command_option("from")
    sheet: str = command_option("sheet")
    encoding: str = command_option("encoding")
    delimiter: str = command_option("delimiter")
    columns: str = command_option("columns")
    cap: RepeatedOption = command_option("cap")
    more: RepeatedOption = command_option("more")
    combine: option_table.Combination | None = command_option("combine")
    tree: str = command_option("tree")
    tree_direction: option_table.TreeDirection | None = command_option("tree-direction")
    layout: option_table.Layout | None = command_option("layout")
    table: int = command_option("table")
    map: RepeatedOption = command_option("map")
    frozen: bool = command_option("frozen")
    unit: RepeatedOption = command_option("unit")
    units: str = command_option("units")
    as_weight: bool = command_option("as-weight")
    poi: option_table.ProductSign | None = command_option("poi")
    positive: RepeatedOption = command_option("positive")
    blank_coordinate: option_table.BlankCoordinate | None = command_option("blank-coordinate")
    mass_is: option_table.MassMeaning | None = command_option("mass-is")
    qty_is: option_table.QuantityMeaning | None = command_option("qty-is")
    inertia_about: str = command_option("inertia-about")
    frame: option_table.NumbersFrame | None = command_option("frame")
    root: str = command_option("root")
    make_root: str = command_option("make-root")
    where: RepeatedOption = command_option("where")
    ignore_column: RepeatedOption = command_option("ignore-column")
    count_row: RepeatedOption = command_option("count-row")
    skip_row: RepeatedOption = command_option("skip-row")
    decimal: option_table.DecimalMark | None = command_option("decimal")
    accept_approximate: bool = command_option("accept-approximate")
    qty_column: RepeatedOption = command_option("qty-column")
    blank_qty: option_table.BlankQuantity | None = command_option("blank-qty")
    allow_missing: RepeatedOption = command_option("allow-missing")
    strict: bool = command_option("strict")
    allow_negative_mass: bool = command_option("allow-negative-mass")
    assembly_values: option_table.AssemblyValues | None = command_option("assembly-values")
    materials: str = command_option("materials")
    link_sigmas: str = command_option("link-sigmas")
    growth_table: str = command_option("growth-table")
    mesh_units: str = command_option("mesh-units")
    tolerances_are: str = command_option("tolerances-are")
    mesh_root: RepeatedOption = command_option("mesh-root")
    default_inertial: option_table.DefaultInertial = command_option("default-inertial")
    q: RepeatedOption = command_option("q", "single-file")
    condition: str = command_option("condition")
    conditions: str = command_option("conditions")


class ReportOptions(_Options):
    """Form of the report, the findings that count, and the output."""

    format: str | None = command_option("format")
    fail_on: option_table.FailSeverity = command_option("fail-on")
    select: RepeatedOption = command_option("select")
    ignore: RepeatedOption = command_option("ignore")
    verbose: bool = command_option("verbose")
    quiet: bool = command_option("quiet")
    watch: bool = command_option("watch")
    output: str = command_option("output")
    no_clobber: bool = command_option("no-clobber")
    remove_leftovers: bool = command_option("remove-leftovers")
    is_summary: bool = False  # one line for each of several files
    accounts: list[Any] | None = None
    """Contents of reports on several files, which are written at the end; None for one file."""


class TableRun(InputOptions, ReportOptions):
    """The options of every command that reads a table; those that it has not keep their defaults."""

    uncertainty: option_table.UncertaintyMethod | None = command_option("uncertainty")
    sigmas_are: int | None = command_option("sigmas-are")
    correlate: option_table.CorrelationScope = command_option("correlate")
    correlate_centers: bool = command_option("correlate-centers")
    correlations: str = command_option("correlations")
    depth: int | None = command_option("depth", "tree")
    all_rows: bool = command_option("all-rows")
    save_map: str = command_option("save-map")
    force: bool = command_option("force")
    workers: int = command_option("workers")

    @property
    def method(self) -> option_table.RollupMethod:
        """The method of the roll-up of uncertainties."""
        return self.uncertainty or "auto"

    @property
    def correlation(self) -> dict[str, Any]:
        """The options on shared uncertainties as keywords of the library."""
        return {name: getattr(self, name) for name in ("correlate", "correlate_centers", "correlations")}


class WritingRun(TableRun):
    """The options of every command that reads a table and writes its results."""

    to_format: str = command_option("to")
    to_layout: option_table.OutputLayout | None = command_option("to-layout")
    folder: str = ""  # folder of the outputs of several files
    style: option_table.Style | None = command_option("style")


class RollupRun(WritingRun):
    """The options of ``rollup``: samples, cluster, reports on uncertainty, what is written, other columns, view."""

    all_variants: bool = command_option("all-variants", "rollup")
    samples: int = command_option("samples")
    seed: int = command_option("seed")
    distribution: option_table.Distribution = command_option("distribution")
    partition: int | None = command_option("partition")
    scheduler: str = command_option("scheduler")
    tables: Any = None  # answers of the cluster for several files, while a command runs for each of them
    item: RepeatedOption = command_option("item", "rollup")
    sigma_level: int = command_option("sigma-level")
    probability: RepeatedOption = command_option("probability")
    interval: RepeatedOption = command_option("interval")
    covariance: str = command_option("covariance")
    plot: str = command_option("plot", "rollup")
    report: RepeatedOption = command_option("report", "rollup")
    in_place: bool = command_option("in-place")
    keep_going: bool = command_option("keep-going")
    add: RepeatedOption = command_option("add")
    write_poi: option_table.OutputSign | None = command_option("write-poi")
    revision: str = command_option("revision")
    overwrite_formulas: bool = command_option("overwrite-formulas")
    fill_summed: bool = command_option("fill-summed")
    formulas: bool = command_option("formulas")
    sum: RepeatedOption = command_option("sum")
    max: RepeatedOption = command_option("max")
    min: RepeatedOption = command_option("min")
    mean: RepeatedOption = command_option("mean")
    rss: RepeatedOption = command_option("rss")
    previous: str = command_option("previous")
    by: RepeatedOption = command_option("by")
    budget: RepeatedOption = command_option("budget", "rollup")
    datum: str = command_option("datum")
    about: str = command_option("about")
    principal: bool = command_option("principal")


class MechanismOptions(_Options):
    """The mechanism, and how a robot is one."""

    file: str = command_option("file", "mechanism")
    joints: str = command_option("joints", "mechanism")
    gravity: str = command_option("gravity", "mechanism")
    base: option_table.RobotBase = command_option("base", "mechanism")

    def read_data(self) -> str | bytes:
        """Return the name of the file, or the content of standard input."""
        return sys.stdin.buffer.read() if self.file == "-" else self.file

    def robot_reading(self, *, assemble: bool = False, snap: bool | None = None) -> RobotReading:
        """Return how a robot is read."""
        from massprops_cli.mechanisms.model import RobotReading

        return RobotReading(_parse_gravity(self.gravity), self.base, assemble, snap)


def _parse_gravity(text: str) -> tuple[str, str, str] | None:
    """Split the components of gravity, which remain texts because they are read exactly."""
    if not text:
        return None
    if len(cells := [cell.strip() for cell in text.split(",")]) != 3:
        raise UsageError(f"--gravity is not three numbers: {text!r}; write --gravity=0,0,-9.81")
    return cells[0], cells[1], cells[2]


RepeatedOption = list[str] | None  # the values of an option that may be repeated; None without it
