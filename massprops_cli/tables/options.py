"""The quantities that a table may have: their names, and which belong together; options for their interpretation."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from massprops_cli.files.options import FileOptions, ReadCaps, resolve_caps
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import named_option

if TYPE_CHECKING:
    from massprops_cli.files.table import TableSource

CENTER_COLUMNS = ("Cx", "Cy", "Cz")
INERTIA_COLUMNS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
RADII_COLUMNS = ("kx", "ky", "kz")
TEXT_QUANTITIES = (
    "id", "parent", "child", "level", "item", "name", "part", "qty", "item_qty", "unit_qty", "uom", "mass_unit",
    "length_unit", "inertia_unit", "POIconv", "Ipoint", "weighed", "dist", "corr_group", "method", "mga",
    "category", "maturity",
)  # fmt: skip
SHAPE_QUANTITIES = ("shape", "dims", "axis", "wall", "density", "material", "lot")
"""Columns that describe solids by shapes; they are read where both ``shape`` and ``dims`` are present."""
MESH_QUANTITIES = (
    "mesh", "mesh_units", "mesh_scale", "surface_offset", "voxel_size", "wall", "density", "material", "lot", "robot",
)  # fmt: skip
"""Columns that describe solids by meshes; they are read where ``mesh`` and one of ``MESH_MARKS`` are present."""
MESH_MARKS = ("mesh_units", "density", "material")
SOLID_QUANTITIES = tuple(dict.fromkeys((*SHAPE_QUANTITIES, *MESH_QUANTITIES)))  # columns that describe solids
POSE_LENGTHS = ("tx", "ty", "tz")
POSE_ANGLES = ("roll", "pitch", "yaw")
POSE_QUATERNION = ("qw", "qx", "qy", "qz")
POSE_AXIS_ANGLE = ("ax", "ay", "az", "angle")
POSE_COSINES = tuple(f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
POSE_SIGMAS = ("sigma_tx", "sigma_ty", "sigma_tz", "sigma_rx", "sigma_ry", "sigma_rz")
PATTERN_QUANTITIES = ("pattern", "pattern_pitch", "pattern_axis", "pattern_angle", "pattern_point")
POSE_QUANTITIES = (
    *POSE_LENGTHS, *POSE_ANGLES, *POSE_QUATERNION, *POSE_AXIS_ANGLE, *POSE_COSINES, *POSE_SIGMAS, "pose_covariance",
    "frame", *PATTERN_QUANTITIES,
)  # fmt: skip
"""Columns of poses and patterns; without ``--map`` they are read where a table has an origin or a frame."""
ANGLE_QUANTITIES = (*POSE_ANGLES, "angle", *POSE_SIGMAS[3:], "pattern_angle", "pose_covariance")
"""Columns whose unit is one of angles."""
NUMERIC_TEXT_QUANTITIES = ("qty", "mga")
"""Of the texts, those whose cells are numbers as a rule, though not of a physical quantity."""
UNIT_COLUMNS = {"mass_unit": "mass", "length_unit": "Cx", "inertia_unit": "Ixx"}
"""The columns that hold units row by row, each with a quantity that has such a unit."""
NUMBER_QUANTITIES = ("mass", *CENTER_COLUMNS, *INERTIA_COLUMNS, *RADII_COLUMNS)
SIGMA_QUANTITIES = tuple(f"sigma_{name}" for name in NUMBER_QUANTITIES)
BOUNDS = ("min", "likely", "max")
BOUND_QUANTITIES = tuple(f"{name}_{end}" for name in NUMBER_QUANTITIES[:10] for end in BOUNDS)
ROW_TOTAL_QUANTITIES = {"line_mass": "mass", "total_qty": "qty"}
"""Columns of row totals, and the quantity that they replace where it has no column."""
GROWTH_MASSES = ("growth_mass", "line_growth_mass", "mass_with_growth", "line_mass_with_growth")
"""Growth as a mass, and masses with their growth; of one piece, and of all pieces in a row."""
COMPUTED_COLUMNS = (*NUMBER_QUANTITIES, *SIGMA_QUANTITIES, *GROWTH_MASSES, "line_mass", "mga")
"""Quantities of which an assembly's own are what the roll-up gives."""
MASS_QUANTITIES = ("mass", "line_mass", *GROWTH_MASSES)  # every column of masses
QUANTITIES = (
    *TEXT_QUANTITIES, *NUMBER_QUANTITIES, *SIGMA_QUANTITIES, *BOUND_QUANTITIES, *ROW_TOTAL_QUANTITIES,
    *GROWTH_MASSES,
)  # fmt: skip
"""Every canonical column name."""

_PREFIXES = r"total|coverage|principal|sigma_principal|axis|rho|share|predicted|allowance|reconciled"
_OUTPUT_HEADING = re.compile(
    rf"(?:{_PREFIXES})_(?!(?:\w*weight|(?:\w*mass\w*_)?(?:[km]?g|lbs?|oz|t)\b))"
)  # no total_mass_kg


def is_output_heading(text: str) -> bool:
    """Return whether a heading is that of a column that a roll-up adds."""
    return _OUTPUT_HEADING.match(text.strip()) is not None


def base_quantity(quantity: str) -> str:
    """Find the quantity to which a column of sigmas or bounds belongs."""
    head, _, end = quantity.rpartition("_")
    return head if end in BOUNDS else quantity.removeprefix("sigma_")


OPTIONAL_SETS = tuple(word for word in named_option("allow-missing").words if word not in ("all", "none"))
"""What may be missing, where it is allowed."""
DEFAULT_ALLOWED_MISSING = frozenset(("inertia", "sigma"))  # what may be missing unless it is forbidden: a warning
MADE_ROOT = "(all)"  # name of a created root where neither a sheet nor a file has one
LAYOUTS = named_option("layout").words  # the layouts; ``columns`` is one column per level


class StatedKeys(NamedTuple):
    """A tank, a style or an envelope of a configuration file: path, lines of its keys, values; "" is the head."""

    path: str
    lines: Mapping[str, int]
    values: Mapping[str, object]


class StatedCondition(NamedTuple):
    """A loading condition as a configuration file states it; its values are read where it is applied."""

    texts: Mapping[str, tuple[str, ...]] = {}  # of off, on, set, scale, burn …
    tables: Mapping[str, Mapping[str, Any]] = {}  # of pose and fill: item → value
    base: str = ""
    path: str = ""  # the file, and the keys of the table in it
    keys: tuple[str, ...] = ()
    step: int = 0  # number of a step of a mission, from 1; 0 for other conditions


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options for the interpretation of a table; empty means: identify automatically, or the default."""

    layout: str = ""
    table: int = 0  # number, from 1, of a table on a sheet that holds several
    map: Mapping[str, str] = field(default_factory=dict)  # quantity → header text (--map id="Part Number")
    unit: Mapping[str, str] = field(default_factory=dict)
    """Quantity or group (center, inertia, length) → unit (--unit mass=kg)."""
    units: str = ""  # SI or kg,mm: rewrite everything
    as_weight: bool = False
    poi: str = ""  # +, - or empty
    write_poi: str = "keep"  # +, -, keep, or none where none is to be written
    positive: tuple[str, ...] = ()  # positive sides, where cells state sides (1.85A)
    blank_coordinate: str = ""  # 0 where a blank coordinate is 0; empty: the centre is then missing
    inertia_about: tuple[float, float, float] | None = None  # in the table's unit of length; None: own centres
    inertia_own: bool = False  # own centres were requested explicitly
    frame: str = ""  # own, parent or root: of the numbers of rows that state none, in a table with poses
    root: str = ""
    make_root: str = ""
    where: tuple[str, ...] = ()  # conditions that leaves must meet (--where "subsystem = Power")
    ignore_columns: tuple[str, ...] = ()  # headers of columns that are not read
    count_rows: tuple[str, ...] = ()  # labels, or row:N, of rows that are parts whatever their labels and numbers
    skip_rows: tuple[str, ...] = ()  # labels, or row:N, of rows that are not parts
    qty_column: str = ""  # header of a variant's quantities; of_variant maps it too
    blank_qty: str = ""  # a blank there is 0 or 1; empty: identified from the column
    decimal: str = ""  # decimal mark of numbers that are texts
    accept_approximate: bool = False  # ~3 is 3
    allow_missing: frozenset[str] = DEFAULT_ALLOWED_MISSING
    """What is missing with a warning, of mass center inertia sigma; none of them: strict."""
    allow_negative_mass: bool = False
    assembly_values: str = ""
    """Check, own, stated or ignore; empty: check, unless most assemblies have masses of their own."""
    mass_is: str = ""  # each or line: of one piece or of all pieces of the row
    qty_is: str = ""  # per-parent or total
    use_sigmas: bool = True  # False for --uncertainty none: sigma columns are neither read nor checked
    sigma_level: float = 1  # standard deviations in sigma columns whose header states none (--sigmas-are 2)
    sigma_percent: Mapping[str, float] = field(default_factory=dict)
    """Method word → percent, over the shipped ones ([sigma-percent])."""
    materials: str = ""  # toml file of materials in addition to the supplied ones
    link_sigmas: str = ""  # table of the sigmas of the links of robots
    growth_table: str = ""  # csv file, or name of a shipped one, of growth by category and maturity
    mesh_units: str = ""  # of mesh files that state none, where a row states none
    tolerances_are: str = ""  # level of tolerances of shapes that state none: uniform, or a number of sigmas
    mesh_roots: tuple[str, ...] = ()  # further folders of mesh files
    robots: FileOptions = field(default_factory=FileOptions)  # reading of the robots that rows name
    use_auto_inertials: bool = True  # False: automatic inertials of robots are not computed
    frozen: bool = False  # only columns in map are read; others that have a quantity are rejected
    caps: ReadCaps = field(default_factory=resolve_caps)
    used: tuple[str, ...] = ()  # headers that other options roll up (--sum power): not listed as not read
    configuration: tuple[str, ...] = field(default=(), compare=False)  # files from which these options come
    conditions: Mapping[str, StatedCondition] = field(default_factory=dict, compare=False)
    """Changes that the configuration names."""
    tanks: Mapping[str, StatedKeys] = field(default_factory=dict, compare=False)
    """Tanks that the configuration names."""
    envelopes: tuple[StatedKeys, ...] = field(default=(), compare=False)  # of the centre against mass, in conditions
    styles: Mapping[str, StatedKeys] = field(default_factory=dict, compare=False)
    """Numbers of trades that the configuration states."""
    typed: tuple[str, ...] = field(default=(), compare=False)
    """Words of the command line so far, for remedies that print a whole command."""

    def command_with(self, name: str, option: str, *, replaced_by: str = "") -> Callable[[str], str]:
        """Make a function that writes the command line with one option added or changed."""
        typed = _without_options(self.typed or ("rollup", name), {option})
        return lambda value: shlex.join(("massprops", *typed, *_typed_option(replaced_by or option, value)))

    def command_line(self, source: TableSource, *words: str) -> str:
        """Write the command line with words added; in a call of the library, a roll-up with the options given."""
        typed = self.typed or ("rollup", str(source.name), *(word for pair in self._given(source) for word in pair))
        return shlex.join(("massprops", *typed, *words))

    def completed_hint(self, hint: str, source: TableSource) -> str:
        """Add the options given to the commands of a hint that name the file only."""
        plain, complete = f"massprops rollup {shlex.quote(str(source.name))} ", f"{self.command_line(source)} "
        if plain not in hint or plain == complete:
            return hint
        given = tuple(shlex.split(complete))
        whole = []
        for kept in hint.split(complete):
            first, *commands = kept.split(plain)
            for command in commands:
                first += f"{shlex.join(_without_replaced(given, command))} {command}"
            whole.append(first)
        return complete.join(whole)

    @staticmethod
    def root_name(source: TableSource) -> str:
        """Return the name of a created root: that of the sheet or the file."""
        return source.sheet or PurePath(source.name).name.partition(".")[0].strip("-") or MADE_ROOT

    def _given(self, source: TableSource) -> Iterator[tuple[str, ...]]:
        """Return the options that change the meaning of a table, with their values."""
        if source.name == "-":
            yield ("--from", source.format)
        if source.sheet:
            yield ("--sheet", source.sheet)
        if self.table:
            yield ("--table", str(self.table))
        for name, values in (("--map", self.map), ("--unit", self.unit)):
            for quantity, text in values.items():
                yield (name, f"{quantity}={text}")
        for name, value in (
            ("layout", self.layout),
            ("frame", self.frame),
            ("root", self.root),
            ("make-root", self.make_root),
            ("decimal", self.decimal),
            ("poi", self.poi),
            ("blank-coordinate", self.blank_coordinate),
            ("mass-is", self.mass_is),
            ("qty-is", self.qty_is),
            ("units", self.units),
            ("blank-qty", self.blank_qty),
            ("assembly-values", self.assembly_values),
            ("mesh-units", self.mesh_units),
            ("tolerances-are", self.tolerances_are),
            ("allow-missing", ",".join(sorted(self.allow_missing - DEFAULT_ALLOWED_MISSING))),
        ):
            if value:
                yield _typed_option(name, value)
        for flag, is_given in (
            ("as-weight", self.as_weight),
            ("accept-approximate", self.accept_approximate),
            ("allow-negative-mass", self.allow_negative_mass),
            ("frozen", self.frozen),
        ):
            if is_given:
                yield ("config", f"{flag}=true")
        for name, texts in (
            ("where", self.where),
            ("ignore-column", self.ignore_columns),
            ("count-row", self.count_rows),
            ("skip-row", self.skip_rows),
            ("positive", self.positive),
            ("mesh-root", self.mesh_roots),
        ):
            for text in texts:
                yield _typed_option(name, text)

    @property
    def is_strict(self) -> bool:
        """Whether nothing may be missing, and leaves are checked as the R package massProps checks them."""
        return not self.allow_missing

    def of_variant(self, column: str) -> TableOptions:
        """Copy the options with the quantities read from this column."""
        if self.map.get("qty", column) != column:
            raise UsageError(f"--qty-column and --map name different quantity columns: {column} and {self.map['qty']}")
        return replace(self, map={**self.map, "qty": column}, qty_column=column)


def _typed_option(name: str, value: str) -> tuple[str, str]:
    """Write an option with its value as on a command line."""
    return ("--config", f"{name}={value}") if named_option(name).is_setting else (f"--{name}", value)


def _without_replaced(words: Sequence[str], command: str) -> list[str]:
    """Remove the options of a command line that the options at the start of a text replace."""
    named = re.findall(r"--(?:config )?([a-z-]+)", re.split(r", | or | if | for ", command)[0])
    replaced = {name for name in named if named_option(name).kind != "list"}
    return _without_options(words, replaced | ({"root"} if "make-root" in replaced else set()))


def _without_options(words: Sequence[str], names: AbstractSet[str]) -> list[str]:
    """Remove options with their values from a command line."""
    kept, k = list[str](), 0
    while k < len(words):
        is_setting = words[k] == "--config" and k + 1 < len(words)
        name, sign, _ = words[k + is_setting].removeprefix("--").partition("=")
        is_named = name in names and (is_setting or words[k].startswith("--"))
        size = 2 if is_setting or (is_named and not sign and named_option(name).kind != "flag") else 1
        kept += [] if is_named else words[k : k + size]
        k += size
    return kept


def parse_allowed_missing(text: str, option: str = "--allow-missing") -> frozenset[str]:
    """Parse the quantities that may be missing, in addition to ``DEFAULT_ALLOWED_MISSING``."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := sorted(set(words) - {*OPTIONAL_SETS, "all", "none"}):
        raise UsageError(f"{option} has an unknown word: {unknown[0]} ({', '.join(OPTIONAL_SETS)}, all or none)")
    if "none" in words:
        if len(set(words)) > 1:
            raise UsageError(f"{option} combines none with other words: {text}")
        return frozenset()
    return frozenset(OPTIONAL_SETS) if "all" in words else DEFAULT_ALLOWED_MISSING | frozenset(words)


def combine_allowed_missing(texts: Sequence[str]) -> frozenset[str]:
    """Combine the words of a repeated option; ``none`` clears the earlier ones and the default."""
    found = DEFAULT_ALLOWED_MISSING
    for text in texts:
        found = found | _named_sets(text) if parse_allowed_missing(text) else frozenset()
    return found


def _named_sets(text: str) -> frozenset[str]:
    """Parse the words of one text that name a quantity; ``all`` names all of them."""
    words = {word.strip() for word in text.split(",")}
    return frozenset(OPTIONAL_SETS) if "all" in words else frozenset(words & {*OPTIONAL_SETS})
