"""``massprops.toml``: options kept beside the table. The command line comes first, then ``--config``, then
this file.

    [columns]            # quantity = "header", as --map
    id = "Part Number"
    [units]              # quantity = "unit", as --unit
    mass = "kg"
    [read]               # options of reading, by their names without the dashes
    layout = "level"
    allow-missing = "sigma"
    [sigma-percent]      # word under the column method = one sigma in percent
    estimated = 15
    [growth]             # a csv file beside this one, or the name of an example that comes along
    table = "growth.csv"

``[[budget]]`` and ``[[waive]]`` are read by ``check`` and left alone here.

What ``massprops.toml`` may say: its keys, quantities, words and units; each fault names the nearest that fits.
"""

from __future__ import annotations

import codecs
import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from massprops_cli.findings import ConfigError, UsageError

WORDS: dict[str, tuple[str, ...]] = {
    "layout": ("parent", "level", "dotted", "indented", "columns", "outline", "edges", "flat"),
    "poi": ("+", "-"),
    "decimal": (",", "."),
    "assembly-values": ("check", "own", "stated", "ignore"),
    "mass-is": ("each", "line"),
    "qty-is": ("per-parent", "total"),
    "blank-qty": ("0", "1"),
    "allow-missing": ("mass", "center", "inertia", "sigma", "all", "none"),
    "sigmas-are": ("1", "2", "3"),
}
"""The options of reading that take one of a few words; ``allow-missing`` takes several, with commas."""


def refuse(path: Path, key: str, what: str, wanted: str, known: Iterable[str], plural: str) -> ConfigError:
    """Make the error for a key of a file: what is wrong with it, and the nearest of what is known."""
    from massprops_cli.findings.finding import nearest

    names = list(known)
    hint = nearest(wanted, names) or f"; the {plural} are {', '.join(names)}"
    return ConfigError(f"{path}: {key} {what}{hint}")


def check_words(path: Path, read: Mapping[str, Any]) -> None:
    """Refuse a word in ``[read]`` that its option does not take."""
    from massprops_cli.files.options import FORMATS

    words = {**WORDS, "from": FORMATS}
    for key, known in words.items():
        text = str(read.get(key, ""))
        for word in text.split(",") if key == "allow-missing" else [text]:
            bare = word.strip().lower() if key == "from" else word.strip() if key == "allow-missing" else word
            if bare and bare not in known:
                raise refuse(path, f"read.{key}", f"is {bare}", bare, known, "words")
    if not str(read.get("table", "0")).isdecimal():
        raise ConfigError(f"{path}: read.table is {read['table']}; it takes a number from 1")
    if read.get("encoding"):
        try:
            codecs.lookup(read["encoding"])
        except (LookupError, ValueError):
            raise ConfigError(f"{path}: read.encoding is {read['encoding']}, which is no text encoding") from None
    check_forms(path, read)


def check_forms(path: Path, read: Mapping[str, Any]) -> None:
    """Refuse a point, a system of units or a condition in ``[read]`` that is none."""
    from massprops_cli.bom.inertia_point import point_named
    from massprops_cli.tables.row_filter import read_condition
    from massprops_cli.tables.units import system_named

    readers: dict[str, Callable[[str], object]] = {
        "inertia-about": point_named,
        "units": system_named,
        "where": read_condition,
    }
    for key, reader in readers.items():
        texts = read.get(key) or ()
        for text in (texts,) if isinstance(texts, str) else texts:
            try:
                reader(text)
            except UsageError as error:
                raise ConfigError(f"{path}: read.{key}: {error}") from None


def check_quantities(path: Path, columns: Mapping[str, str]) -> None:
    """Refuse a quantity in ``[columns]`` that does not exist."""
    from massprops_cli.tables.quantities import QUANTITIES

    for name in columns:
        if name not in QUANTITIES:
            raise refuse(path, f"columns.{name}", "is not a quantity", name, QUANTITIES, "quantities")


def check_units(path: Path, units: Mapping[str, str]) -> None:
    """Refuse a quantity in ``[units]`` that has no unit, and a text that is no unit of it."""
    from massprops_cli.tables.column_units import GROUPS
    from massprops_cli.tables.headings import is_percent
    from massprops_cli.tables.quantities import QUANTITIES, dimension_of
    from massprops_cli.tables.unit_text import ATOMS, unit_for
    from massprops_cli.tables.units import as_weight

    numbers = {name: name for name in QUANTITIES if dimension_of(name) is not None}
    stand_for = {**{group: members[0] for group, members in GROUPS.items()}, **numbers}
    for name, text in units.items():
        if name not in stand_for:
            raise refuse(path, f"units.{name}", "is not a quantity with a unit", name, stand_for, "quantities")
        dimension = dimension_of(stand_for[name])
        assert dimension is not None
        weighed = name in ("mass", "sigma_mass") and as_weight(text) is not None
        relative = name.startswith("sigma_") and is_percent(text)
        if unit_for(text, dimension) is None and not weighed and not relative:
            fitting = [atom for atom in ATOMS if unit_for(atom, dimension, common_only=True) is not None]
            what = f"is {text}, which is not a unit of {name}"
            raise refuse(path, f"units.{name}", what, text, fitting or ["kg*mm^2", "kg*m^2", "lb*in^2"], "units")


def check_percentages(path: Path, percent: Mapping[str, Any]) -> None:
    """Refuse a percentage in ``[sigma-percent]`` that is no number, and a word that is all but one of the shipped ones.

    Further words are the user's own.
    """
    import difflib

    from massprops_cli.tables.sigma_columns import percentages

    shipped = list(percentages({}))
    for word, value in percent.items():
        is_new = word in percentages({word: 0.0}) and word not in shipped
        if is_new and difflib.get_close_matches(word.casefold(), shipped, 1, cutoff=0.85):
            raise refuse(path, f"sigma-percent.{word}", "is not a key", word, shipped, "words")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ConfigError(f"{path}: sigma-percent.{word} is {value!r}; it takes a percentage, a number from 0 on")


NAME = "massprops.toml"
TABLES = ("columns", "read", "units", "sigma-percent", "growth", "budget", "waive")
IDLE = ("budget", "waive")
TEXTS = (
    "from", "sheet", "table", "encoding", "delimiter", "layout", "units", "poi", "root", "make-root", "allow-missing",
    "assembly-values", "decimal", "sigmas-are", "inertia-about", "mass-is", "qty-is", "qty-column", "blank-qty",
)  # fmt: skip
LISTS = ("where", "ignore-column", "count-row", "skip-row")
FLAGS = ("as-weight", "accept-approximate", "allow-negative-mass", "frozen")


@dataclass(frozen=True, slots=True)
class Settings:
    """What configuration files say: ``read`` by option name, ``columns`` and ``units`` by quantity, ``files`` read.

    ``sigma_percent`` is one standard deviation in percent by the word under ``method``.
    """

    read: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    sigma_percent: Mapping[str, float] = field(default_factory=dict)
    growth_table: str = ""
    files: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    """What each file says of budgets, which only ``check`` uses."""

    @property
    def words(self) -> list[str]:
        """Name the files, and what in them is for ``check``, for ``-v``.

        >>> Settings(files=("massprops.toml",), idle=("2 [[budget]]",)).words
        ['massprops.toml (2 [[budget]] in it, for massprops check)']
        """
        return [
            name + (f" ({idle} in it, for massprops check)" if idle else "")
            for name, idle in zip(self.files, self.idle, strict=True)
        ]


def settings_for(table: str, config: str) -> Settings:
    """Read the file beside the table, and over it the one of ``--config``; raises ConfigError."""
    paths = []
    beside = (Path(table).parent if table != "-" else Path()) / NAME
    if beside.is_file():
        paths.append(beside)
    if config:
        if not Path(config).is_file():
            raise ConfigError(f"{config}: there is no such configuration file")
        paths.append(Path(config))
    read: dict[str, Any] = {}
    columns: dict[str, str] = {}
    units: dict[str, str] = {}
    percent: dict[str, float] = {}
    growth = ""
    idle = []
    for path in paths:
        tables = parsed(path)
        idle.append(", ".join(f"{len(tables[name])} [[{name}]]" for name in IDLE if tables.get(name)))
        read |= tables.get("read", {})
        columns |= tables.get("columns", {})
        units |= tables.get("units", {})
        percent |= tables.get("sigma-percent", {})
        growth = growth_table_of(path, tables.get("growth", {})) or growth
    return Settings(read, columns, units, percent, growth, files=tuple(str(path) for path in paths), idle=tuple(idle))


def parsed(path: Path) -> dict[str, Any]:
    """Read and check one configuration file."""
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    check_keys(path, "", tables, TABLES)
    for name in ("columns", "read", "units", "sigma-percent", "growth"):
        if not isinstance(tables.get(name, {}), dict):
            raise ConfigError(f"{path}: {name} is not a table; write [{name}]")
    for name in IDLE:
        if not isinstance(tables.get(name, []), list):
            raise ConfigError(f"{path}: {name} is not a list of tables; write [[{name}]]")
    check_keys(path, "read.", tables.get("read", {}), (*TEXTS, *LISTS, *FLAGS))
    check_keys(path, "growth.", tables.get("growth", {}), ("table",))
    for name in ("columns", "units"):
        for key, value in tables.get(name, {}).items():
            if not isinstance(value, str):
                raise ConfigError(f"{path}: {name}.{key} is {value!r}; it takes a text in quotes")
    for key, value in tables.get("read", {}).items():
        tables["read"][key] = checked_value(path, key, value)
    check_words(path, tables.get("read", {}))
    check_quantities(path, tables.get("columns", {}))
    check_units(path, tables.get("units", {}))
    check_percentages(path, tables.get("sigma-percent", {}))
    return tables


def growth_table_of(path: Path, given: Mapping[str, Any]) -> str:
    """Give the growth table that a file names: an example by its name, or a file beside this one."""
    from massprops_cli.bom.growth import SHIPPED

    name = given.get("table", "")
    if not isinstance(name, str):
        raise ConfigError(f"{path}: growth.table is {name!r}; it takes a file name in quotes")
    return name if not name or name in SHIPPED else str(path.parent / name)


def check_keys(path: Path, prefix: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a key that is not known, with the nearest one that is."""
    names = list(known)
    for key in given:
        if key not in names:
            near = difflib.get_close_matches(key, names, 1)
            hint = f"the nearest is {near[0]}" if near else f"the keys are {', '.join(names)}"
            raise ConfigError(f"{path}: {prefix}{key} is not a key; {hint} [MP902 unknown-key]")


def checked_value(path: Path, key: str, value: Any) -> Any:
    """Refuse a value of the wrong kind.

    A list of texts stands for its texts with commas, a number for its digits; a list of conditions stays a list.
    """
    if key in FLAGS:
        if isinstance(value, bool):
            return value
        raise ConfigError(f"{path}: read.{key} is {value!r}; it takes true or false")
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value) if key in LISTS else ",".join(value)
    if key in LISTS and isinstance(value, str):
        return (value,)
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    takes = "a text, or a list of texts" if key in LISTS else "a text"
    raise ConfigError(f"{path}: read.{key} is {value!r}; it takes {takes}")
