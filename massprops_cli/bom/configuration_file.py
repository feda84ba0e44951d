"""The configuration of a table: ``massprops.toml``, or ``[tool.massprops]`` of ``pyproject.toml``, found and checked.

The nearest file is used, from the folder of the table up to one with ``.git`` or a file with ``root = true``, if any.
"""

from __future__ import annotations

import codecs
import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from massprops_cli.bom.items.item_flags import parse_point
from massprops_cli.files.options import delimiter_character, resolve_caps
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import ConfigError, UsageError, nearest_name_hint
from massprops_cli.options import OPTIONS, Option, Style, option_keys
from massprops_cli.tables.cells import units
from massprops_cli.tables.columns.column_units import UNIT_GROUPS
from massprops_cli.tables.columns.headings import angle_unit, is_percent_unit
from massprops_cli.tables.columns.sigma_columns import method_percentages
from massprops_cli.tables.options import (
    ANGLE_QUANTITIES,
    POSE_QUANTITIES,
    QUANTITIES,
    SOLID_QUANTITIES,
    StatedCondition,
    StatedKeys,
)

_MOST_PARTS = 1_000  # parts of a dotted key; the time to parse one grows with the square of them
_LARGEST_INTEGER = 2**63  # TOML integers have 64 bits
# the parts before the last of a dotted key, at least two: ``a."b".`` of ``a."b".c``
_KEY_PARTS = r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){2,}+"""
_PROJECT_NAME = "pyproject.toml"
_PROJECT_TABLE = ("tool", "massprops")
_KEY_PART = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z0-9_-]+)"  # ``"a b"``, ``'a'``, ``sigma-percent``
_DOTTED_KEY = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"  # ``tool . massprops``
_HEAD_LINE = rf"[ \t]*(\[\[?)[ \t]*({_DOTTED_KEY})[ \t]*\]\]?[ \t]*(?:#.*)?"  # ``[[a.b]]  # text``
_KEY_LINE = rf"[ \t]*({_DOTTED_KEY})[ \t]*="  # ``a.b =``


class ConfigurationFile(NamedTuple):
    """One configuration file: its ``path``, its ``text``, and its ``tables``, which are ``within`` these keys."""

    path: str
    text: str
    tables: Mapping[str, Any]
    within: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return Path(self.path).parent

    def fault(self, keys: tuple[str, ...], message: str) -> ConfigError:
        """Make the error for a key, with the line where it is found."""
        line = _line_of_key(self.text, (*self.within, *keys))
        return ConfigError(f"{self.path}{f':{line}' if line else ''}: {message}")


def _line_of_key(text: str, keys: tuple[str, ...]) -> int:
    """Return the line of a key, or that of the table that has it; 0 where neither is found."""
    nearest, length = 0, 0
    for line in toml_lines(text):
        found = (*line.table, *line.key)
        if found == keys:
            return line.number
        if length < len(found) and keys[: len(found)] == found:
            nearest, length = line.number, len(found)
    return nearest


class _TomlLine(NamedTuple):
    """A line of TOML with a head or a key: the keys of its table, and its own, none for a head."""

    number: int
    table: tuple[str, ...]
    key: tuple[str, ...] = ()
    is_entry: bool = False  # whether it is a head ``[[…]]``, which begins an entry of a list


def toml_lines(text: str) -> Iterator[_TomlLine]:
    """List the heads and keys of a TOML file with their lines, without parsing values."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if head := re.fullmatch(_HEAD_LINE, line):
            table = _key_parts(head[2])
            yield _TomlLine(number, table, is_entry=head[1] == "[[")
        elif key := re.match(_KEY_LINE, line):
            yield _TomlLine(number, table, _key_parts(key[1]))


def _key_parts(text: str) -> tuple[str, ...]:
    """Split a dotted key."""
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in re.findall(_KEY_PART, text))


def read_configuration_file(path: str, within: tuple[str, ...] = ()) -> ConfigurationFile:
    """Read a configuration file without checking its keys."""
    if not Path(path).is_file():
        raise ConfigError(f"{path}: configuration file does not exist")
    if not within and Path(path).name == _PROJECT_NAME:
        within = _PROJECT_TABLE
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        tables: Any = toml_tables(text)
    except ValueError as error:
        raise ConfigError(f"{path}: file is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path}: file cannot be read: {error.strerror}") from None
    for key in within:
        tables = tables.get(key, {}) if isinstance(tables, dict) else {}
    return ConfigurationFile(path, text, tables if isinstance(tables, dict) else {}, within)


def toml_tables(text: str) -> dict[str, Any]:
    """Parse a TOML document; ValueError if a key is too long, nesting too deep or an integer not of 64 bits."""
    import tomllib

    if max((key.group().count(".") for key in re.finditer(_KEY_PARTS, text)), default=0) >= _MOST_PARTS:
        raise ValueError(f"a dotted key has more than {_MOST_PARTS:,} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int(), which converts no more than 4,300 digits
        raise ValueError("an integer does not fit in 64 bits") from None
    # raise ValueError for an integer that TOML does not provide for
    inner: list[Any] = [tables]
    while inner:
        if isinstance((value := inner.pop()), dict):
            inner += value.values()
        elif isinstance(value, list):
            inner += value
        elif isinstance(value, int) and not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
            raise ValueError("an integer does not fit in 64 bits")
    return tables


BUDGET_TABLES = ("budget", "waive", "pending", "plan")
_LISTED_TABLES = (*BUDGET_TABLES[:3], "mission", "envelope")
_KEYED_TABLES = (
    "columns", "read", "units", "growth", "sigma-percent", "report", "condition", "pose", "robot", "tank", "style",
    "plan", "identify",
)  # fmt: skip
_CONFIGURATION_TABLES = (*_KEYED_TABLES, *_LISTED_TABLES)
TEXT_KEYS, LIST_KEYS, FLAG_KEYS = (option_keys(kind) for kind in ("text", "list", "flag"))
_OPTION_TABLES = ("report", "robot")  # those whose keys are options of commands
_CONDITION_LISTS = ("off", "on", "set", "scale", "burn", "q", "drop", "add", "new", "move")
_CONDITION_TABLES = ("pose", "deploy", "fill")
_Keys = str | tuple[str, ...]  # a table of a part, or the keys to a table within another


class ConfigurationPart(NamedTuple):
    """The tables of a file that apply to all its tables, or, below the keys ``at``, to those with one name."""

    file: ConfigurationFile
    at: tuple[str, ...]
    tables: Mapping[str, Any]

    def fault(self, table: _Keys, key: str, problem: str) -> ConfigError:
        """Make the error for a key."""
        keys = (*self.at, *(word for word in (*((table,) if isinstance(table, str) else table), key) if word))
        name = ".".join(key if key.replace("-", "").replace("_", "").isalnum() else f'"{key}"' for key in keys)
        return self.file.fault(keys, problem.replace("{}", name, 1))

    def require(self, is_met: bool, table: _Keys, key: str, problem: str) -> None:
        """Raise the error for a key unless a condition is met."""
        if not is_met:
            raise self.fault(table, key, problem)

    def unknown(
        self, table: _Keys, key: str, problem: str, given: str, known: Iterable[str], code: str = ""
    ) -> ConfigError:
        """Make the error for an unknown name, with the nearest known one."""
        names = list(known)
        hint = nearest_name_hint(given, names) or f" (expected one of {', '.join(names)})"
        return self.fault(table, key, f"{problem}{hint}{code}")

    def check_keys(self, table: _Keys, given: Iterable[str], known: Iterable[str]) -> None:
        """Check the keys of a table."""
        names = list(known)
        for key in given:
            if key not in names:
                raise self.unknown(table, key, "unknown key: {}", key, names, " [MP902 unknown-key]")


def configuration_parts(file: ConfigurationFile) -> list[ConfigurationPart]:
    """Check a configuration file and return its parts."""
    general = dict(file.tables)
    whole = ConfigurationPart(file, (), general)
    whole.check_keys("", general, (*_CONFIGURATION_TABLES, "file", "root"))
    is_flag = isinstance(general.pop("root", False), bool)
    whole.require(is_flag, "root", "", "{} is not a truth value (expected true or false)")
    named = general.pop("file", {})
    has_tables = isinstance(named, dict) and all(isinstance(tables, dict) for tables in named.values())
    whole.require(has_tables, "file", "", '{} is not a table of tables; write [file."bom.xlsx".read]')
    parts = [whole, *(ConfigurationPart(file, ("file", name), dict(tables)) for name, tables in named.items())]
    return [_checked_part(part) for part in parts]


def _checked_part(part: ConfigurationPart) -> ConfigurationPart:
    """Check the tables of one part, and convert its values."""
    part.check_keys("", part.tables, _CONFIGURATION_TABLES)
    tables = dict(part.tables)
    for name in _KEYED_TABLES:
        part.require(isinstance(tables.get(name, {}), dict), name, "", f"{{}} is not a table; write [{name}]")
    for name in _LISTED_TABLES:
        part.require(
            isinstance(tables.get(name, []), list), name, "", f"{{}} is not a list of tables; write [[{name}]]"
        )
    fixed = {"growth": ("table",), **{name: option_keys("", name) for name in ("read", *_OPTION_TABLES)}}
    fixed["report"] += ("remarks",)
    for name, known in fixed.items():
        part.check_keys(name, tables.get(name, {}), known)
    for name in ("columns", "units"):
        for key, value in tables.get(name, {}).items():
            part.require(
                isinstance(value, str), name, key, f"{{}} is not a text: {value!r} (expected a text in quotes)"
            )
    for name in ("read", *_OPTION_TABLES):
        values = tables.get(name, {}).items()
        tables |= {name: {key: _parse_option_value(part, name, key, value) for key, value in values}}
    tables["condition"] = _parse_conditions(part, tables.get("condition", {}))
    tables["condition"] |= _parse_mission(part, tables.pop("mission", []))
    tables["pose"] = _parse_poses(part, tables.get("pose", {}))
    for table in ("tank", "style"):
        tables[table] = {name: _stated_keys(part, table, name, keys) for name, keys in tables.get(table, {}).items()}
    part.check_keys("style", tables["style"], get_args(Style))
    tables["envelope"] = _stated_envelopes(part, tables.get("envelope", []))
    checked = ConfigurationPart(part.file, part.at, tables)
    _check_option_words(checked)
    for quantity in checked.tables.get("columns", {}):
        if quantity not in (*QUANTITIES, *SOLID_QUANTITIES, *POSE_QUANTITIES):
            raise checked.unknown("columns", quantity, "unknown quantity: {}", quantity, QUANTITIES)
    _check_unit_settings(checked)
    _check_percentages(checked)
    for name in _OPTION_TABLES:
        _check_option_table(checked, name)
    return checked


def _parse_option_value(part: ConfigurationPart, table: str, key: str, value: Any) -> Any:
    """Convert a value to the text, tuple or flag of its option; raises ConfigError for a wrong type."""
    if (table, key) == ("report", "remarks"):
        is_texts = isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
        part.require(is_texts, table, key, "{} is not a table of texts; write [report.remarks] with ITEM = TEXT")
        return value
    if key in option_keys("flag", table):
        problem = f"{{}} is not a truth value: {value!r} (expected true or false)"
        part.require(isinstance(value, bool), table, key, problem)
        return value
    is_list = key in option_keys("list", table)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value) if is_list else ",".join(value)
    if is_list and isinstance(value, str):
        return (value,)
    numbers = (int, float) if table == "robot" else int
    if isinstance(value, str) or (isinstance(value, numbers) and not isinstance(value, bool)):
        return str(value)
    expected = "a text or a list of texts" if is_list else "a text"
    raise part.fault(table, key, f"invalid {{}}: {value!r} (expected {expected})")


def _parse_conditions(part: ConfigurationPart, given: Mapping[str, Any]) -> dict[str, StatedCondition]:
    """Check the keys of ``[condition.NAME]`` and the types of their values; raises ConfigError."""
    conditions = {}
    for name, changes in given.items():
        part.require(isinstance(changes, dict), "condition", name, f"{{}} is not a table; write [condition.{name}]")
        conditions[name] = _stated_condition(part, ("condition", name), changes)
    return conditions


def _stated_condition(part: ConfigurationPart, keys: tuple[str, ...], given: Mapping[str, Any]) -> StatedCondition:
    """Check the changes of a condition, or of a step of a mission."""
    part.check_keys(keys, given, ("base", *_CONDITION_LISTS, *_CONDITION_TABLES))
    changes: dict[str, Any] = {key: [value] if isinstance(value, str) else value for key, value in given.items()}
    for key, value in changes.items():
        if key in _CONDITION_TABLES:
            part.require(isinstance(value, dict), keys, key, f"{{}} is not a table: {given[key]!r} (item = change)")
        elif not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise part.fault(keys, key, f"{{}} is not a list of texts: {given[key]!r}")
        elif key == "base" and len(value) != 1:
            raise part.fault(keys, key, "{} is not the name of one condition")
    texts = {key: tuple(value) for key, value in changes.items() if key not in ("base", *_CONDITION_TABLES)}
    tables = {key: value for key, value in changes.items() if key in _CONDITION_TABLES}
    at = (*part.file.within, *part.at, *keys)
    return StatedCondition(texts, tables, changes.get("base", [""])[0], part.file.path, at)


def _parse_mission(part: ConfigurationPart, steps: Sequence[Any]) -> dict[str, StatedCondition]:
    """Read ``[[mission]]``: each step is a condition whose base is the step before it; raises ConfigError."""
    conditions: dict[str, StatedCondition] = {}
    before = ""
    for k, step in enumerate(steps):
        problem = f"step {k + 1} of {{}} is not a table with the name of a step"
        is_step = isinstance(step, dict) and isinstance(step.get("step"), str) and step["step"].strip()
        part.require(bool(is_step), "mission", "", problem)
        name = step["step"].strip()
        is_new = name not in conditions and name not in part.tables.get("condition", {})
        part.require(is_new, "mission", "", f"name of a step of {{}} is that of another condition: {name}")
        changes = {key: value for key, value in step.items() if key != "step"}
        stated = _stated_condition(part, ("mission",), {"base": before, **changes} if before else changes)
        conditions[name], before = stated._replace(step=k + 1), name
    return conditions


def conditions_of_mapping(given: Mapping[str, Any]) -> dict[str, StatedCondition]:
    """Check conditions of a call, by name, as ``[condition.NAME]`` has them; raises ConfigError."""
    return _parse_conditions(ConfigurationPart(ConfigurationFile("conditions", "", {}), (), {}), given)


def _parse_poses(part: ConfigurationPart, given: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Convert the positions of ``[pose.NAME]`` to texts ``JOINT=POSITION``; raises ConfigError."""
    poses = {}
    for name, positions in given.items():
        part.require(isinstance(positions, dict), "pose", name, f"{{}} is not a table; write [pose.{name}]")
        for joint, position in positions.items():
            is_position = isinstance(position, int | float | str) and not isinstance(position, bool)
            problem = f"{{}} is not a position: {position!r} (expected a number or a text)"
            part.require(is_position, ("pose", name), joint, problem)
        poses[name] = tuple(f"{joint}={position}" for joint, position in positions.items())
    return poses


def _stated_keys(part: ConfigurationPart, table: str, name: str, keys: Any) -> StatedKeys:
    """Return ``[tank.NAME]`` with the lines of its keys, checked when tanks are read; ConfigError: not a table."""
    part.require(isinstance(keys, dict), table, name, f"{{}} is not a table; write [{table}.{name}]")
    lines = {
        key: _line_of_key(part.file.text, (*part.file.within, *part.at, table, name, *([key] if key else [])))
        for key in ("", *keys)
    }
    return StatedKeys(part.file.path, lines, dict(keys))


def _stated_envelopes(part: ConfigurationPart, entries: Sequence[Any]) -> tuple[StatedKeys, ...]:
    """Return each ``[[envelope]]`` with the lines of its keys, checked where conditions are; ConfigError for a key."""
    head = (*part.file.within, *part.at, "envelope")
    lines = list[dict[str, int]]()
    for line in toml_lines(part.file.text):
        if line.is_entry and line.table == head:
            lines.append({"": line.number})
        elif lines and line.key and line.table == head:
            lines[-1].setdefault(line.key[0], line.number)
    lines = lines if len(lines) == len(entries) else [{}] * len(entries)
    for entry in entries:
        part.require(isinstance(entry, dict), "envelope", "", "{} is not a list of tables; write [[envelope]]")
        part.check_keys("envelope", entry, ("name", "axis", "points", "box", "rule"))
    return tuple(StatedKeys(part.file.path, at, entry) for at, entry in zip(lines, entries, strict=True))


def envelopes_of_mappings(given: Sequence[Mapping[str, Any]]) -> tuple[StatedKeys, ...]:
    """Check envelopes of a call, as ``[[envelope]]`` has them; raises ConfigError."""
    return _stated_envelopes(ConfigurationPart(ConfigurationFile("envelopes", "", {}), (), {}), [*map(dict, given)])


def _check_option_words(part: ConfigurationPart) -> None:
    """Check the words in ``[read]`` against the table of options; those of a list are separated by commas."""
    read = part.tables["read"]
    for option in OPTIONS:
        known = _key_words(option) if option.section == "read" else ()
        if not known or option.name not in read:
            continue
        text = str(read[option.name])
        for word in text.split(",") if option.kind == "list" else [text]:
            bare = word if option.kind == "word" else word.strip()
            bare = bare.lower() if option.kind == "text" else bare
            if bare and bare not in known:
                raise part.unknown("read", option.name, f"invalid {{}}: {bare}", bare, known)
    if not str(read.get("table", "0")).isdecimal():
        raise part.fault("read", "table", f"invalid {{}}: {read['table']} (expected an integer from 1)")
    if read.get("encoding"):
        try:
            codecs.lookup(read["encoding"])
        except (LookupError, ValueError):
            raise part.fault(
                "read", "encoding", f"unknown {{}}: {read['encoding']} (expected a text encoding such as utf-8)"
            ) from None
    _check_option_values(part, read)


def _key_words(option: Option) -> tuple[str, ...]:
    """List the words that a key of a table accepts; none where it accepts any text or number."""
    if not option.key or option.name == "cap":
        return ()
    if option.least is not None and option.most is not None:
        return tuple(str(number) for number in range(option.least, option.most + 1))
    return option.words


def _check_option_values(part: ConfigurationPart, read: Mapping[str, Any]) -> None:
    """Check points, systems of units, delimiters and conditions in ``[read]``; raises ConfigError."""
    from massprops_cli.tables.rows.row_filter import read_row_condition

    readers: dict[str, Callable[[str], object]] = {
        "cap": lambda text: resolve_caps([text]),
        "delimiter": delimiter_character,
        "inertia-about": parse_point,
        "units": units.parse_unit_system,
        "where": read_row_condition,
    }
    for key, reader in readers.items():
        texts = read.get(key) or ()
        for text in (texts,) if isinstance(texts, str) else texts:
            try:
                reader(text)
            except UsageError as error:
                raise part.fault("read", key, f"{{}}: {error}") from None


def _check_unit_settings(part: ConfigurationPart) -> None:
    """Check ``[units]``; raises ConfigError for a quantity without units, and for a text that is not a unit."""
    numbers = {name: name for name in (*QUANTITIES, *POSE_QUANTITIES) if units.quantity_dimension(name) is not None}
    members = {**{group: names[0] for group, names in UNIT_GROUPS.items()}, **numbers}
    for name, text in part.tables.get("units", {}).items():
        if name in ("angle", *ANGLE_QUANTITIES):
            if angle_unit(text) is None:
                raise part.unknown("units", name, f"{{}} is not a unit of angles: {text}", text, ["deg", "rad"])
            continue
        if name not in members:
            raise part.unknown("units", name, "unknown quantity with a unit: {}", name, members)
        dimension = units.quantity_dimension(members[name])
        assert dimension is not None
        weighed = name in ("mass", "sigma_mass") and units.mass_unit_of_weight(text) is not None
        relative = name.startswith("sigma_") and is_percent_unit(text)
        if units.unit_of_dimension(text, dimension) is None and not weighed and not relative:
            fitting = [
                atom
                for atom in units.SIMPLE_UNITS
                if units.unit_of_dimension(atom, dimension, common_only=True) is not None
            ]
            problem = f"{{}} is not a unit of {name}: {text}"
            raise part.unknown("units", name, problem, text, fitting or ["kg*mm^2", "kg*m^2", "lb*in^2"])


def _check_percentages(part: ConfigurationPart) -> None:
    """Reject an invalid percentage in ``[sigma-percent]``, and a word that differs slightly from a supplied one."""
    supplied = list(method_percentages({}))
    for word, value in part.tables.get("sigma-percent", {}).items():
        is_new = word in method_percentages({word: 0.0}) and word not in supplied
        if is_new and difflib.get_close_matches(word.casefold(), supplied, 1, cutoff=0.85):
            raise part.unknown("sigma-percent", word, "unknown method: {}", word, supplied)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise part.fault("sigma-percent", word, f"{{}} is not a percentage: {value!r} (expected 0 or more)")


def _check_option_table(part: ConfigurationPart, table: str) -> None:
    """Check the words, numbers and rules in ``[report]`` or ``[robot]``; raises ConfigError."""
    report = part.tables[table]
    for key in (key for key in report if key != "remarks"):
        rows = [one for one in OPTIONS if one.name == key and one.section == table]
        words = tuple(dict.fromkeys(word for one in rows for word in one.words))
        given = report[key] if rows[0].kind == "list" else [report[key]]
        for text in (word.strip() for one in given for word in str(one).split(",") if words):
            if text not in words:
                raise part.unknown(table, key, f"invalid {{}}: {text}", text, words)
        text, least, most = str(report[key]), rows[0].least, rows[0].most
        if rows[0].kind == "whole" and not (text.isdecimal() and (least or 0) <= int(text) <= (most or math.inf)):
            expected = f"expected an integer from {least}{'' if most is None else f' to {most}'}"
            raise part.fault(table, key, f"invalid {{}}: {report[key]} ({expected})")
    for key in ("select", "ignore"):
        for name in (word.strip() for text in report.get(key, ()) for word in text.split(",")):
            block = name.upper().startswith("MP") and any(code.startswith(name.upper()) for code in RULES)
            if not block and all(rule.name != name for rule in RULES.values()):
                problem, known = f"unknown rule in {{}}: {name}", [rule.name for rule in RULES.values()]
                raise part.unknown("report", key, problem, name, known, " [MP901 unknown-rule]")
