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

from massprops_cli.findings import ConfigError, UsageError, nearest_name_hint
from massprops_cli.options import OPTIONS, Option, option_keys


def _configuration_error(
    path: Path, key: str, what: str, wanted: str, known: Iterable[str], plural: str
) -> ConfigError:
    """Make the error for a key of a file: what is wrong with it, and the nearest of what is known."""
    names = list(known)
    hint = nearest_name_hint(wanted, names) or f"; the {plural} are {', '.join(names)}"
    return ConfigError(f"{path}: {key} {what}{hint}")


def _check_option_words(path: Path, read: Mapping[str, Any]) -> None:
    """Check the words in ``[read]`` against the table of options; those of a list are separated by commas."""
    for option in OPTIONS:
        known = _key_words(option)
        if not known or option.name not in read:
            continue
        text = str(read[option.name])
        for word in text.split(",") if option.kind == "list" else [text]:
            bare = word if option.kind == "word" else word.strip()
            bare = bare.lower() if option.kind == "text" else bare
            if bare and bare not in known:
                raise _configuration_error(path, f"read.{option.name}", f"is {bare}", bare, known, "words")
    if not str(read.get("table", "0")).isdecimal():
        raise ConfigError(f"{path}: read.table is {read['table']}; it takes a number from 1")
    if read.get("encoding"):
        try:
            codecs.lookup(read["encoding"])
        except (LookupError, ValueError):
            raise ConfigError(f"{path}: read.encoding is {read['encoding']}, which is no text encoding") from None
    _check_option_values(path, read)


def _key_words(option: Option) -> tuple[str, ...]:
    """Give the words that a key of ``[read]`` takes; none where any text or number is possible.

    >>> from massprops_cli.options import named_option
    >>> _key_words(named_option("sigmas-are"))
    ('1', '2', '3')
    """
    if not option.key:
        return ()
    if option.least is not None and option.most is not None:
        return tuple(str(number) for number in range(option.least, option.most + 1))
    return option.words


def _check_option_values(path: Path, read: Mapping[str, Any]) -> None:
    """Check points, systems of units and conditions in ``[read]``; raises ConfigError."""
    from massprops_cli.bom import parse_point
    from massprops_cli.tables import parse_unit_system, read_row_condition

    readers: dict[str, Callable[[str], object]] = {
        "inertia-about": parse_point,
        "units": parse_unit_system,
        "where": read_row_condition,
    }
    for key, reader in readers.items():
        texts = read.get(key) or ()
        for text in (texts,) if isinstance(texts, str) else texts:
            try:
                reader(text)
            except UsageError as error:
                raise ConfigError(f"{path}: read.{key}: {error}") from None


def _check_quantities(path: Path, columns: Mapping[str, str]) -> None:
    """Check the quantities in ``[columns]``; raises ConfigError for an unknown one."""
    from massprops_cli.tables import QUANTITIES

    for name in columns:
        if name not in QUANTITIES:
            raise _configuration_error(path, f"columns.{name}", "is not a quantity", name, QUANTITIES, "quantities")


def _check_unit_settings(path: Path, units: Mapping[str, str]) -> None:
    """Check ``[units]``; raises ConfigError for a quantity without unit, and for a text that is not a unit of it."""
    from massprops_cli.tables import (
        QUANTITIES,
        SIMPLE_UNITS,
        UNIT_GROUPS,
        is_percent_unit,
        mass_unit_of_weight,
        quantity_dimension,
        unit_of_dimension,
    )

    numbers = {name: name for name in QUANTITIES if quantity_dimension(name) is not None}
    stand_for = {**{group: members[0] for group, members in UNIT_GROUPS.items()}, **numbers}
    for name, text in units.items():
        if name not in stand_for:
            raise _configuration_error(
                path, f"units.{name}", "is not a quantity with a unit", name, stand_for, "quantities"
            )
        dimension = quantity_dimension(stand_for[name])
        assert dimension is not None
        weighed = name in ("mass", "sigma_mass") and mass_unit_of_weight(text) is not None
        relative = name.startswith("sigma_") and is_percent_unit(text)
        if unit_of_dimension(text, dimension) is None and not weighed and not relative:
            fitting = [
                atom for atom in SIMPLE_UNITS if unit_of_dimension(atom, dimension, common_only=True) is not None
            ]
            what = f"is {text}, which is not a unit of {name}"
            raise _configuration_error(
                path, f"units.{name}", what, text, fitting or ["kg*mm^2", "kg*m^2", "lb*in^2"], "units"
            )


def _check_percentages(path: Path, percent: Mapping[str, Any]) -> None:
    """Refuse a percentage in ``[sigma-percent]`` that is no number, and a word that is all but one of the shipped ones.

    Further words are the user's own.
    """
    from massprops_cli.tables import method_percentages

    shipped = list(method_percentages({}))
    for word, value in percent.items():
        is_new = word in method_percentages({word: 0.0}) and word not in shipped
        if is_new and difflib.get_close_matches(word.casefold(), shipped, 1, cutoff=0.85):
            raise _configuration_error(path, f"sigma-percent.{word}", "is not a key", word, shipped, "words")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ConfigError(f"{path}: sigma-percent.{word} is {value!r}; it takes a percentage, a number from 0 on")


CONFIGURATION_NAME = "massprops.toml"
CONFIGURATION_TABLES = ("columns", "read", "units", "sigma-percent", "growth", "budget", "waive")
BUDGET_TABLES = ("budget", "waive")
TEXT_KEYS, LIST_KEYS, FLAG_KEYS = (option_keys(kind) for kind in ("text", "list", "flag"))


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


def read_settings(table: str, config: str) -> Settings:
    """Read the file beside the table, and over it the one of ``--config``; raises ConfigError."""
    paths = []
    beside = (Path(table).parent if table != "-" else Path()) / CONFIGURATION_NAME
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
        tables = _read_configuration(path)
        idle.append(", ".join(f"{len(tables[name])} [[{name}]]" for name in BUDGET_TABLES if tables.get(name)))
        read |= tables.get("read", {})
        columns |= tables.get("columns", {})
        units |= tables.get("units", {})
        percent |= tables.get("sigma-percent", {})
        growth = _growth_table_name(path, tables.get("growth", {})) or growth
    return Settings(read, columns, units, percent, growth, files=tuple(str(path) for path in paths), idle=tuple(idle))


def _read_configuration(path: Path) -> dict[str, Any]:
    """Read and check one configuration file."""
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    _check_keys(path, "", tables, CONFIGURATION_TABLES)
    for name in ("columns", "read", "units", "sigma-percent", "growth"):
        if not isinstance(tables.get(name, {}), dict):
            raise ConfigError(f"{path}: {name} is not a table; write [{name}]")
    for name in BUDGET_TABLES:
        if not isinstance(tables.get(name, []), list):
            raise ConfigError(f"{path}: {name} is not a list of tables; write [[{name}]]")
    _check_keys(path, "read.", tables.get("read", {}), (*TEXT_KEYS, *LIST_KEYS, *FLAG_KEYS))
    _check_keys(path, "growth.", tables.get("growth", {}), ("table",))
    for name in ("columns", "units"):
        for key, value in tables.get(name, {}).items():
            if not isinstance(value, str):
                raise ConfigError(f"{path}: {name}.{key} is {value!r}; it takes a text in quotes")
    for key, value in tables.get("read", {}).items():
        tables["read"][key] = _parse_option_value(path, key, value)
    _check_option_words(path, tables.get("read", {}))
    _check_quantities(path, tables.get("columns", {}))
    _check_unit_settings(path, tables.get("units", {}))
    _check_percentages(path, tables.get("sigma-percent", {}))
    return tables


def _growth_table_name(path: Path, given: Mapping[str, Any]) -> str:
    """Give the growth table that a file names: an example by its name, or a file beside this one."""
    from massprops_cli.bom import SHIPPED_TABLES

    name = given.get("table", "")
    if not isinstance(name, str):
        raise ConfigError(f"{path}: growth.table is {name!r}; it takes a file name in quotes")
    return name if not name or name in SHIPPED_TABLES else str(path.parent / name)


def _check_keys(path: Path, prefix: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Check keys; raises ConfigError for an unknown one, with the nearest."""
    names = list(known)
    for key in given:
        if key not in names:
            hint = nearest_name_hint(key, names, 0.6) or f"; the keys are {', '.join(names)}"
            raise ConfigError(f"{path}: {prefix}{key} is not a key{hint} [MP902 unknown-key]")


def _parse_option_value(path: Path, key: str, value: Any) -> Any:
    """Refuse a value of the wrong kind.

    A list of texts stands for its texts with commas, a number for its digits; a list of conditions stays a list.
    """
    if key in FLAG_KEYS:
        if isinstance(value, bool):
            return value
        raise ConfigError(f"{path}: read.{key} is {value!r}; it takes true or false")
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value) if key in LIST_KEYS else ",".join(value)
    if key in LIST_KEYS and isinstance(value, str):
        return (value,)
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    takes = "a text, or a list of texts" if key in LIST_KEYS else "a text"
    raise ConfigError(f"{path}: read.{key} is {value!r}; it takes {takes}")
