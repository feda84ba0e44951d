"""Where the configuration of a table is: ``massprops.toml``, or ``[tool.massprops]`` of ``pyproject.toml``.

The folders from that of the table up to the first one with ``.git`` or with ``root = true`` in its file are searched;
the nearest file is used. Without such a folder, only the folder of the table is searched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from massprops_cli.findings.finding import ConfigError

_MOST_PARTS = 1_000
"""Parts of a dotted key; the time to parse one grows with the square of them."""
_LARGEST_INTEGER = 2**63  # TOML integers have 64 bits
# the parts before the last of a dotted key, at least two: ``a."b".`` of ``a."b".c``
_KEY_PARTS = re.compile(r"""(?:(?:(?<![\w-])[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){2,}+""")

CONFIGURATION_NAME = "massprops.toml"
_PROJECT_NAME = "pyproject.toml"
_PROJECT_TABLE = ("tool", "massprops")
# ``[tool.massprops`` at the start of a line
_PROJECT_HEAD = re.compile(r"^[ \t]*\[\[?[ \t]*tool[ \t]*\.[ \t]*massprops\b", re.MULTILINE)
_KEY_PART = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z0-9_-]+)"  # ``"a b"``, ``'a'``, ``sigma-percent``
_DOTTED_KEY = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"  # ``tool . massprops``
_HEAD_LINE = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_DOTTED_KEY})[ \t]*\]\]?[ \t]*(?:#.*)?")  # ``[[a.b]]  # text``
_KEY_LINE = re.compile(rf"[ \t]*({_DOTTED_KEY})[ \t]*=")  # ``a.b =``


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


class TomlLine(NamedTuple):
    """A line of TOML with a head or a key: the keys of its table, and its own, none for a head."""

    number: int
    table: tuple[str, ...]
    key: tuple[str, ...] = ()
    is_entry: bool = False
    """Whether it is a head ``[[…]]``, which begins an entry of a list."""


def toml_lines(text: str) -> Iterator[TomlLine]:
    """List the heads and keys of a TOML file with their lines, without parsing values."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD_LINE.fullmatch(line):
            table = _key_parts(head[2])
            yield TomlLine(number, table, is_entry=head[1] == "[[")
        elif key := _KEY_LINE.match(line):
            yield TomlLine(number, table, _key_parts(key[1]))


def _key_parts(text: str) -> tuple[str, ...]:
    """Split a dotted key."""
    parts = re.findall(_KEY_PART, text)
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in parts)


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


def find_configuration_file(table: str) -> ConfigurationFile | None:
    """Find and read the configuration file of a table."""
    own = Path(table).parent
    whole = Path(os.path.abspath(own))  # noqa: PTH100  (a link to a folder belongs where the link is)
    found: Path | None = None
    for folder in (whole, *whole.parents):
        path = _configuration_path_in(folder)
        found = found or path
        if found is not None and folder == whole:
            return read_configuration_file(str(own / found.name))
        if os.path.exists(folder / ".git") or (path is not None and _is_root_file(path)):  # noqa: PTH110  (Path raises, as below)
            return None if found is None else read_configuration_file(_printed_path(found, own))
    return None


def _configuration_path_in(folder: Path) -> Path | None:
    """Return the configuration file in a folder; folders that may not be read have none."""
    path = folder / CONFIGURATION_NAME
    if os.path.isfile(path):  # noqa: PTH113  (Path raises where a folder may not be entered)
        return path
    project = folder / _PROJECT_NAME
    try:
        return project if _PROJECT_HEAD.search(project.read_text(encoding="utf-8-sig")) else None
    except (OSError, UnicodeDecodeError):
        return None


def _is_root_file(path: Path) -> bool:
    """Return whether a file ends the search; one that is not valid does not."""
    try:
        return read_configuration_file(str(path)).tables.get("root") is True
    except ConfigError:
        return False


def _printed_path(path: Path, folder: Path) -> str:
    """Return the path of a file above a table, relative where the path of the table is."""
    return str(path) if folder.is_absolute() else os.path.relpath(path)


def toml_tables(text: str) -> dict[str, Any]:
    """Parse a TOML document; ValueError if a key is too long, nesting too deep or an integer not of 64 bits."""
    import tomllib

    longest = max((key.group().count(".") for key in _KEY_PARTS.finditer(text)), default=0)
    if longest >= _MOST_PARTS:
        raise ValueError(f"a dotted key has more than {_MOST_PARTS:,} parts")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("values are nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # of int(), which converts no more than 4,300 digits
        raise ValueError("an integer does not fit in 64 bits") from None
    _check_integers(tables)
    return tables


def _check_integers(tables: dict[str, Any]) -> None:
    """Raise ValueError for an integer that TOML does not provide for."""
    inner: list[Any] = [tables]
    while inner:
        value = inner.pop()
        if isinstance(value, dict):
            inner += value.values()
        elif isinstance(value, list):
            inner += value
        elif isinstance(value, int) and not -_LARGEST_INTEGER <= value < _LARGEST_INTEGER:
            raise ValueError("an integer does not fit in 64 bits")
