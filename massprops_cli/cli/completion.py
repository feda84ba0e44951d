"""Completion of options, files, headers and ids: the protocol of the shells, and a quick reader of tables."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from massprops_cli.cli.command import COMMAND_GROUPS, COMMAND_NAMES, command_name, command_record, command_records
from massprops_cli.options import Option

_LARGEST_BYTES = 20_000_000  # of a file that is read for candidates
_SECONDS = 0.3  # time from the start of the process after which no candidates are printed
_HEADER_ROWS = 50  # searched for the header
_MOST_IDS = 50_000  # candidates
_WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_TEXTS = (".csv", ".tsv", ".tab", ".txt")


def _read_in_time(name: str, given: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Read headers and ids of a table, or nothing if that takes too long."""
    path = Path(name)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return [], []
    except OSError:
        return [], []
    found: list[tuple[list[str], list[str]]] = []

    def read() -> None:
        try:
            found.append(_headers_and_ids(_table_rows(path, given.get("sheet", "")), given.get("id", "")))
        except Exception:  # a file that cannot be read has no candidates
            return

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(max(_SECONDS - time.process_time(), 0.05))
    return found[0] if found else ([], [])


def _table_rows(path: Path, sheet: str) -> Iterable[Sequence[Any]]:
    """Return the rows of a file of a common format."""
    if (suffix := path.suffix.lower()) in _WORKBOOKS:
        import python_calamine

        with python_calamine.CalamineWorkbook.from_path(path) as book:
            names = [sheet] if sheet in book.sheet_names else book.sheet_names
            sheets = [book.get_sheet_by_name(one).to_python(nrows=None) for one in names]
        return max(sheets, key=len, default=[])
    data = path.read_bytes()
    if suffix in (".json", ".jsonl", ".ndjson"):
        import json

        records = json.loads(data) if suffix == ".json" else [json.loads(line) for line in data.splitlines() if line]
        header = list(dict.fromkeys(key for record in records for key in record))
        return [header, *([record.get(key, "") for key in header] for record in records)]
    if suffix not in _TEXTS:
        return []
    text = _decoded_text(data)
    return csv.reader(io.StringIO(text), delimiter=max(",;\t|", key=text[:4096].count))


def _decoded_text(data: bytes) -> str:
    """Decode a text by its byte order mark, as UTF-8, or as cp1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _headers_and_ids(rows: Iterable[Sequence[Any]], mapped: str) -> tuple[list[str], list[str]]:
    """Return the texts of the header row, and those below the heading of the ids."""
    lines = iter(rows)
    if not (first := list(islice(lines, _HEADER_ROWS))):
        return [], []
    counts = [sum(_is_heading(cell) for cell in row) for row in first]
    at = counts.index(max(counts))
    header = [str(cell).strip() for cell in first[at]]
    column = header.index(mapped) if mapped in header else _id_column(header)
    below = (str(row[column]).strip() for part in (first[at + 1 :], lines) for row in part if len(row) > column)
    ids = list(islice(dict.fromkeys(text for text in below if text), _MOST_IDS))
    return [text for text in dict.fromkeys(header) if text], ids


def _is_heading(cell: Any) -> bool:
    """Return whether a cell is a text that is not a number."""
    if not (text := str(cell).strip()):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def _id_column(header: Sequence[str]) -> int:
    """Return the column of the ids: the first synonym of an id, else of a part number, else the first column."""
    words = _synonyms()
    for quantity in ("id", "part", "item"):
        known = {_bare_heading(text) for text in (quantity, *words.get(quantity, ()))}
        if fitting := [k for k, text in enumerate(header) if _bare_heading(text) in known]:
            return fitting[0]
    return 0


def _bare_heading(text: str) -> str:
    """Return a heading without case, blanks, punctuation and a unit in brackets."""
    return re.sub(r"[\W_]+", "", re.sub(r"[\[(].*?[\])]", "", text)).casefold()


@cache
def _synonyms() -> Mapping[str, Mapping[str, str]]:
    """Read the synonyms of the quantities."""
    import tomllib

    path = Path(__file__).parents[1] / "tables" / "words" / "synonyms.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _quantity_names() -> list[str]:
    """List the quantities that ``--map`` accepts and that have synonyms, and the ten numbers."""
    ten = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    plain = [name for name in _synonyms() if name.isidentifier()]
    return list(dict.fromkeys(("id", "parent", "name", "qty", *ten, *(f"sigma_{name}" for name in ten), *plain)))


COMPLETION_VARIABLE = "_MASSPROPS_COMPLETE"  # environment variable of a shell that requests candidates
_ROOT_OPTIONS = {
    "--version": "Print the version.",
    "--help": "Print the help.",
    "--install-completion": "Install completion for a shell.",
    "--show-completion": "Print the completion script of a shell.",
}
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
_HEADER_OPTIONS = ("sum", "by", "where", "ignore-column", "qty-column")
_ID_OPTIONS = ("root", "item", "drop")
_ASSIGNED = ("report",)  # options whose values are ``WORD=…``
_UNIT_SYSTEMS = ("SI", "kg", "kg,m", "kg,mm", "lb,in")


def print_candidates(instruction: str) -> None:
    """Print the candidates, or the script, that a shell requests."""
    action, _, shell = instruction.partition("_")
    if action == "source":
        scripts = import_module("typer.completion")
        text = scripts.get_completion_script(prog_name="massprops", complete_var=COMPLETION_VARIABLE, shell=shell)
    else:
        text = {"bash": _bash_text, "zsh": _zsh_text, "fish": _fish_text}.get(shell, _powershell_text)()
    sys.stdout.buffer.write(f"{text}\n".encode() if text else b"")
    sys.stdout.flush()


def _completion_candidates(words: Sequence[str], start: str) -> list[tuple[str, str]]:
    """List the words with their help that complete ``start`` after others; empty where file names are completed."""
    if not (command := command_name(words)):
        before = f"{words[0]} " if len(words) == 1 and words[0] in COMMAND_GROUPS else ""
        texts = {name: one.summary for name, one in command_records().items()} | COMMAND_GROUPS
        firsts = dict.fromkeys(
            name.removeprefix(before).split()[0] for name in COMMAND_NAMES if name.startswith(before)
        )
        known = _ROOT_OPTIONS if start.startswith("-") else {name: texts[before + name] for name in firsts}
        return [(name, text) for name, text in known.items() if (before or not words) and name.startswith(start)]
    options = [one for one in command_record(command).options if not one.is_setting]
    spellings = {spelling: one for one in options if one.metavar and one.panel for spelling in one.spellings}
    name, is_joined, value = start.partition("=")
    if is_joined and name in spellings:
        return [(f"{name}={word}", text) for word, text in _value_candidates(spellings[name], words, value)]
    if len(words) > 1 and words[-1] in spellings:
        return list(_value_candidates(spellings[words[-1]], words, start))
    if start.startswith("-"):
        found = [(f"--{one.name}", one.help) for one in options if one.panel]
        return [one for one in [*found, ("--help", "Print the help.")] if one[0].startswith(start)]
    if command == "help":
        from massprops_cli.cli.commands.help import help_pages

        return [(name, "") for name in help_pages() if name.startswith(start)]
    return list(_rule_candidates(start)) if command == "rules" else []


def _value_candidates(option: Option, words: Sequence[str], start: str) -> Iterator[tuple[str, str]]:
    """Yield the values of an option that begin with a text."""
    given, sign, _ = start.rpartition("=") if option.name == "map" else start.rpartition(",")
    is_listed = option.kind == "list" and bool(option.words) and option.name not in _ASSIGNED
    before = given + sign if is_listed or (option.name == "map" and sign) else ""
    values = (before + value for value in _option_values(option, words, given if sign else ""))
    # no key types a control character
    yield from ((value, "") for value in values if value.startswith(start) and value.isprintable())


def _option_values(option: Option, words: Sequence[str], quantity: str) -> Iterator[str]:
    """Yield all values of an option; headers and ids from the table on the command line."""
    if option.words:
        yield from (f"{word}=" if option.name in _ASSIGNED else word for word in option.words)
    elif option.least is not None and option.most is not None:
        yield from map(str, range(option.least, option.most + 1))
    elif option.name in ("select", "ignore"):
        yield from (code for code, _ in _rule_candidates(""))
    elif option.name == "units":
        yield from _UNIT_SYSTEMS
    elif option.name == "config":
        yield from (f"{one.name}=" for one in command_record(command_name(words)).options if one.is_setting)
    elif option.name in ("map", "unit") and not quantity:
        yield from (f"{name}=" for name in _quantity_names())
    else:
        yield from _table_values(option, words)


def _table_values(option: Option, words: Sequence[str]) -> Iterator[str]:
    """Yield headers or ids of the table, in the form of an option."""
    forms: dict[str, Callable[[str], str]] = {
        **dict.fromkeys(_ID_OPTIONS, str),
        "scale": lambda name: f"{name}.mass=",
        "set": lambda name: f"{name}.",
        **dict.fromkeys(("about", "pivot"), lambda name: f"item:{name}"),
    }
    is_header = option.name in (*_HEADER_OPTIONS, "map")
    if not is_header and option.name not in forms:
        return

    headers, ids = _read_in_time(*_table_of_command_line(words))
    yield from headers if is_header else (forms[option.name](name) for name in ids)
    if option.name in ("about", "pivot"):
        yield from ("cg", "0,0,0")


def _table_of_command_line(words: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """Return the last file on a command line, and the values of its options."""
    name = command_name(words)
    flags = {f"--{one.name}" for one in command_record(name).options if one.kind == "flag"}
    files, given, rest = [""], {}, iter(words[len(name.split()) :])
    for word in rest:
        if not word.startswith("-"):
            files.append(word)
        elif word in ("-o", "-d"):
            next(rest, "")
        elif word.startswith("--") and word not in flags:
            name, joined, value = word.removeprefix("--").partition("=")
            value = value if joined else next(rest, "")
            if name == "map" and value.startswith("id="):
                name, value = "id", value.removeprefix("id=")
            given[name] = value
    return os.path.expanduser(files[-1]), given  # noqa: PTH111 - pathlib fails without a home


def _rule_candidates(start: str) -> Iterator[tuple[str, str]]:
    """Yield codes of rules."""
    from massprops_cli.findings.catalogue import RULES

    for code, rule in RULES.items():
        if code.startswith(start.upper()):
            yield code, rule.name


def _split_words(text: str) -> list[str]:
    """Split a command line as a shell; an open quote or a last backslash is part of the last word."""
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        words += lexer
    except ValueError:
        words.append(lexer.token)
    return words


def _typed_words() -> tuple[list[str], str]:
    """Return the words and the incomplete word from the variable of Typer's scripts for zsh, fish and PowerShell."""
    text = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = _split_words(text)[1:]
    return (words, "") if not words or text.endswith(" ") else (words[:-1], words[-1])


def _zsh_text() -> str:
    """Return the candidates as a call of zsh's ``_arguments``."""

    def escaped(text: str) -> str:
        for mark, written in (("\\", "\\\\"), ('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", "\\\\:")):
            text = text.replace(mark, written)
        return text

    found = _completion_candidates(*_typed_words())
    rows = [f'"{escaped(word)}"' + (f':"{escaped(text)}"' if text else "") for word, text in found]
    return "_arguments '*: :((" + "\n".join(rows) + "))'" if rows else "_files"


def _fish_text() -> str:
    """Return one candidate a line; with the action ``is-args`` the exit code states whether there are any."""
    found = _completion_candidates(*_typed_words())
    if os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        sys.exit(0 if found else 1)
    return "\n".join(f"{word}\t{text}" if text else word for word, text in found)


def _powershell_text() -> str:
    """Return one candidate a line; values with blanks are quoted."""
    start = os.environ.get("_TYPER_COMPLETE_WORD_TO_COMPLETE", "")
    words = _split_words(os.environ.get("_TYPER_COMPLETE_ARGS", ""))[1:]
    found = _completion_candidates(words[:-1] if start and words else words, start.strip("'\""))
    quoted = [(word if re.fullmatch(r"[\w.,=:/+-]+", word) else _quoted(word, "'", "''"), text) for word, text in found]
    return "\n".join(f"{value}:::{text or ' '}" for value, text in quoted)


def _quoted(value: str, mark: str, escape: str) -> str:
    """Quote a value for a shell; what ends the quotes, or is replaced within double quotes, is escaped."""
    return mark + re.sub(mark if mark == "'" else '["$`\\\\]', escape, value) + mark


def _bash_text() -> str:
    """Return one candidate a line, quoted; bash splits words at ``=`` and ``:``, and replaces the last part only."""
    parts = os.environ.get("COMP_WORDS", "").split("\n")
    at = int(os.environ.get("COMP_CWORD", "0"))
    parts = parts[: at + 1] + [""] * (at + 1 - len(parts))
    words: list[str] = []
    is_open = False
    for part in parts[1:]:
        is_break = part in ("=", ":")
        if words and (is_break or is_open):
            words[-1] += part
        else:
            words.append(part)
        is_open = is_break
    raw = words[-1] if words else ""
    start = (_split_words(raw) or [""])[0] if raw else ""
    plain = [(_split_words(word) or [""])[0] for word in words[:-1]]
    values = [word for word, _ in _completion_candidates(plain, start)]
    if raw[:1] in ("'", '"'):
        escape = "'\\''" if raw[0] == "'" else "\\\\\\g<0>"
        return "\n".join(_quoted(value, raw[0], escape).removesuffix(raw[0]) for value in values)
    kept = max(start.rfind("="), start.rfind(":")) + 1
    return "\n".join(re.sub(r"([^\w@%+=:,./-])", r"\\\1", value[kept:]) for value in values)
