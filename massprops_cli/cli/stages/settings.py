"""``massprops.toml``: options of a table, in its folder. Priority: command line, ``--config``, this file.

    [columns]            # quantity = "header", as --map
    id = "Part Number"
    [units]              # quantity = "unit", as --unit
    mass = "kg"
    [read]               # options of reading, by their names without the dashes
    layout = "level"
    allow-missing = "sigma"
    [sigma-percent]      # word under the column method = one sigma in percent
    estimated = 15
    [growth]             # a csv file in this folder, or the name of a supplied table
    table = "growth.csv"

``check`` reads ``[[budget]]`` and ``[[waive]]``. An error names the nearest valid key, quantity, word or unit.
"""

from __future__ import annotations

import codecs
import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from massprops_cli.cli.streams import is_stream_name
from massprops_cli.findings import ConfigError, UsageError, nearest_name_hint
from massprops_cli.options import OPTIONS, Option, option_keys


def _configuration_error(path: Path, problem: str, given: str, known: Iterable[str]) -> ConfigError:
    """Return the error for a key or a value of a file, with the nearest known name."""
    names = list(known)
    hint = nearest_name_hint(given, names) or f" (expected one of {', '.join(names)})"
    return ConfigError(f"{path}: {problem}{hint}")


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
                raise _configuration_error(path, f"invalid read.{option.name}: {bare}", bare, known)
    if not str(read.get("table", "0")).isdecimal():
        raise ConfigError(f"{path}: invalid read.table: {read['table']} (expected an integer from 1)")
    if read.get("encoding"):
        try:
            codecs.lookup(read["encoding"])
        except (LookupError, ValueError):
            raise ConfigError(
                f"{path}: unknown read.encoding: {read['encoding']} (expected a text encoding such as utf-8)"
            ) from None
    _check_option_values(path, read)


def _key_words(option: Option) -> tuple[str, ...]:
    """List the words that a key of ``[read]`` accepts; none where it accepts any text or number."""
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
            raise _configuration_error(path, f"unknown quantity: columns.{name}", name, QUANTITIES)


def _check_unit_settings(path: Path, units: Mapping[str, str]) -> None:
    """Check ``[units]``; raises ConfigError for a quantity without units, and for a text that is not a unit."""
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
    members = {**{group: names[0] for group, names in UNIT_GROUPS.items()}, **numbers}
    for name, text in units.items():
        if name not in members:
            raise _configuration_error(path, f"unknown quantity with a unit: units.{name}", name, members)
        dimension = quantity_dimension(members[name])
        assert dimension is not None
        weighed = name in ("mass", "sigma_mass") and mass_unit_of_weight(text) is not None
        relative = name.startswith("sigma_") and is_percent_unit(text)
        if unit_of_dimension(text, dimension) is None and not weighed and not relative:
            fitting = [
                atom for atom in SIMPLE_UNITS if unit_of_dimension(atom, dimension, common_only=True) is not None
            ]
            problem = f"units.{name} is not a unit of {name}: {text}"
            raise _configuration_error(path, problem, text, fitting or ["kg*mm^2", "kg*m^2", "lb*in^2"])


def _check_percentages(path: Path, percent: Mapping[str, Any]) -> None:
    """Reject an invalid percentage in ``[sigma-percent]``, and a word that differs slightly from a supplied one."""
    from massprops_cli.tables import method_percentages

    supplied = list(method_percentages({}))
    for word, value in percent.items():
        is_new = word in method_percentages({word: 0.0}) and word not in supplied
        if is_new and difflib.get_close_matches(word.casefold(), supplied, 1, cutoff=0.85):
            raise _configuration_error(path, f"unknown method: sigma-percent.{word}", word, supplied)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ConfigError(f"{path}: sigma-percent.{word} is not a percentage: {value!r} (expected 0 or more)")


CONFIGURATION_NAME = "massprops.toml"
CONFIGURATION_TABLES = ("columns", "read", "units", "sigma-percent", "growth", "budget", "waive")
BUDGET_TABLES = ("budget", "waive")
TEXT_KEYS, LIST_KEYS, FLAG_KEYS = (option_keys(kind) for kind in ("text", "list", "flag"))


@dataclass(frozen=True, slots=True)
class Settings:
    """Content of the configuration files: ``read`` by option name, ``columns`` and ``units`` by quantity.

    ``files`` are the names of the files read; ``sigma_percent`` is one standard deviation in percent by method.
    """

    read: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    sigma_percent: Mapping[str, float] = field(default_factory=dict)
    growth_table: str = ""
    files: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    """Budget entries of each file, which only ``check`` uses."""

    @property
    def words(self) -> list[str]:
        """Files with their budget entries, for ``-v``.

        >>> Settings(files=("massprops.toml",), idle=("2 [[budget]]",)).words
        ['massprops.toml (2 [[budget]], used by massprops check)']
        """
        return [
            name + (f" ({idle}, used by massprops check)" if idle else "")
            for name, idle in zip(self.files, self.idle, strict=True)
        ]


def read_settings(table: str, config: str) -> Settings:
    """Read the file in the folder of the table, then that of ``--config`` with priority.

    Parameters
    ----------
    table : str
        Path of the table, or ``-``.
    config : str
        Path of a configuration file, or empty.

    Returns
    -------
    Settings
        Content of both files.

    Raises
    ------
    ConfigError
        A file does not exist or is invalid.
    """
    paths = []
    default = (Path() if is_stream_name(table) else Path(table).parent) / CONFIGURATION_NAME
    if default.is_file():
        paths.append(default)
    if config:
        if not Path(config).is_file():
            raise ConfigError(f"{config}: configuration file does not exist")
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
        raise ConfigError(f"{path}: file is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: file cannot be read: {error.strerror}") from None
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
                raise ConfigError(f"{path}: {name}.{key} is not a text: {value!r} (expected a text in quotes)")
    for key, value in tables.get("read", {}).items():
        tables["read"][key] = _parse_option_value(path, key, value)
    _check_option_words(path, tables.get("read", {}))
    _check_quantities(path, tables.get("columns", {}))
    _check_unit_settings(path, tables.get("units", {}))
    _check_percentages(path, tables.get("sigma-percent", {}))
    return tables


def _growth_table_name(path: Path, given: Mapping[str, Any]) -> str:
    """Find the growth table that a file names: a supplied table, or a file in the same folder."""
    from massprops_cli.bom import SHIPPED_TABLES

    name = given.get("table", "")
    if not isinstance(name, str):
        raise ConfigError(f"{path}: growth.table is not a text: {name!r} (expected a file name in quotes)")
    return name if not name or name in SHIPPED_TABLES else str(path.parent / name)


def _check_keys(path: Path, prefix: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Check keys; raises ConfigError for an unknown one, with the nearest."""
    names = list(known)
    for key in given:
        if key not in names:
            hint = nearest_name_hint(key, names) or f" (expected one of {', '.join(names)})"
            raise ConfigError(f"{path}: unknown key: {prefix}{key}{hint} [MP902 unknown-key]")


def _parse_option_value(path: Path, key: str, value: Any) -> Any:
    """Convert a value to the text, tuple or flag of its option; raises ConfigError for a wrong type."""
    if key in FLAG_KEYS:
        if isinstance(value, bool):
            return value
        raise ConfigError(f"{path}: read.{key} is not a truth value: {value!r} (expected true or false)")
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value) if key in LIST_KEYS else ",".join(value)
    if key in LIST_KEYS and isinstance(value, str):
        return (value,)
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    expected = "a text or a list of texts" if key in LIST_KEYS else "a text"
    raise ConfigError(f"{path}: invalid read.{key}: {value!r} (expected {expected})")
