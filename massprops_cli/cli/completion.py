"""Completion of the command line in bash, zsh, fish and PowerShell, with the scripts of Typer.

A shell runs ``massprops`` with ``_MASSPROPS_COMPLETE=complete_SHELL``. Commands, options and their words are those of
the table of options; headers and ids are read from the table on the command line (``completion_table``). Without
candidates the shell completes file names.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

from massprops_cli.cli.command import COMMAND_NAMES, command_record, command_records
from massprops_cli.options import Option

COMPLETION_VARIABLE = "_MASSPROPS_COMPLETE"
"""Environment variable of a shell that requests candidates."""
_ROOT_OPTIONS = {
    "--version": "Print the version.",
    "--help": "Print the help.",
    "--install-completion": "Install completion for a shell.",
    "--show-completion": "Print the completion script of a shell.",
}
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")
"""Shells with completion."""
_HEADER_OPTIONS = ("sum", "max", "min", "rss", "by", "where", "ignore-column", "qty-column", "reason-column")
_ID_OPTIONS = ("root", "item", "drop")
_ASSIGNED = ("report", "cap")
"""Options whose values are ``WORD=…``."""
_UNIT_SYSTEMS = ("SI", "kg", "kg,m", "kg,mm", "lb,in")


class _Candidate(NamedTuple):
    """A completed word, and its help."""

    value: str
    help: str = ""


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


def _completion_candidates(words: Sequence[str], start: str) -> list[_Candidate]:
    """List the candidates for the incomplete word ``start`` after other words; empty where file names are completed."""
    if not words or words[0] not in COMMAND_NAMES:
        summaries = {name: one.summary for name, one in command_records().items()}
        known = _ROOT_OPTIONS if start.startswith("-") else summaries
        return [_Candidate(name, text) for name, text in known.items() if not words and name.startswith(start)]
    command = words[0]
    options = command_record(command).options
    spellings = {spelling: one for one in options if one.metavar and one.panel for spelling in one.spellings}
    name, is_joined, value = start.partition("=")
    if is_joined and name in spellings:
        values = _value_candidates(spellings[name], words, value)
        return [_Candidate(f"{name}={one.value}", one.help) for one in values]
    if len(words) > 1 and words[-1] in spellings:
        return list(_value_candidates(spellings[words[-1]], words, start))
    if start.startswith("-"):
        found = [_Candidate(f"--{one.name}", one.help) for one in options if one.panel]
        return [one for one in [*found, _Candidate("--help", "Print the help.")] if one.value.startswith(start)]
    return list(_rule_candidates(start)) if command == "rules" else []


def _value_candidates(option: Option, words: Sequence[str], start: str) -> Iterator[_Candidate]:
    """Yield the values of an option that begin with a text."""
    given, sign, _ = start.rpartition("=") if option.name == "map" else start.rpartition(",")
    is_listed = option.kind == "list" and bool(option.words) and option.name not in _ASSIGNED
    before = given + sign if is_listed or (option.name == "map" and sign) else ""
    values = (before + value for value in _option_values(option, words, given if sign else ""))
    # no key types a control character
    yield from (_Candidate(value) for value in values if value.startswith(start) and value.isprintable())


def _option_values(option: Option, words: Sequence[str], quantity: str) -> Iterator[str]:
    """Yield all values of an option; headers and ids from the table on the command line."""
    if option.words:
        yield from (f"{word}=" if option.name in _ASSIGNED else word for word in option.words)
    elif option.least is not None and option.most is not None:
        yield from map(str, range(option.least, option.most + 1))
    elif option.name in ("select", "ignore"):
        yield from (one.value for one in _rule_candidates(""))
    elif option.name == "units":
        yield from _UNIT_SYSTEMS
    elif option.name in ("map", "unit") and not quantity:
        from massprops_cli.cli.completion_table import quantity_names

        yield from (f"{name}=" for name in quantity_names())
    else:
        yield from _table_values(option, words)


def _table_values(option: Option, words: Sequence[str]) -> Iterator[str]:
    """Yield headers or ids of the table, in the form of an option."""
    forms: dict[str, Callable[[str], str]] = {
        **dict.fromkeys(_ID_OPTIONS, str),
        "scale": lambda name: f"{name}.mass=",
        "set": lambda name: f"{name}.",
        "about": lambda name: f"item:{name}",
    }
    is_header = option.name in (*_HEADER_OPTIONS, "map") or (option.name == "mean" and option.metavar)
    if not is_header and option.name not in forms:
        return
    from massprops_cli.cli.completion_table import read_in_time

    headers, ids = read_in_time(*_table_of_command_line(words))
    yield from headers if is_header else (forms[option.name](name) for name in ids)
    if option.name == "about":
        yield from ("cg", "0,0,0")


def _table_of_command_line(words: Sequence[str]) -> tuple[str, Mapping[str, str]]:
    """Return the last file on a command line, and the values of its options."""
    flags = {f"--{one.name}" for one in command_record(words[0]).options if one.kind == "flag"}
    files, given, rest = [""], {}, iter(words[1:])
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


def _rule_candidates(start: str) -> Iterator[_Candidate]:
    """Yield codes of rules."""
    from massprops_cli.findings.catalogue import RULES

    for code, rule in RULES.items():
        if code.startswith(start.upper()):
            yield _Candidate(code, rule.name)


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
    is_complete = not words or text.endswith(" ")
    return (words, "") if is_complete else (words[:-1], words[-1])


def _zsh_text() -> str:
    """Return the candidates as a call of zsh's ``_arguments``."""

    def escaped(text: str) -> str:
        marks = (("\\", "\\\\"), ('"', '""'), ("'", "''"), ("$", "\\$"), ("`", "\\`"), (":", "\\\\:"))
        for mark, written in marks:
            text = text.replace(mark, written)
        return text

    found = _completion_candidates(*_typed_words())
    rows = [f'"{escaped(one.value)}"' + (f':"{escaped(one.help)}"' if one.help else "") for one in found]
    return "_arguments '*: :((" + "\n".join(rows) + "))'" if rows else "_files"


def _fish_text() -> str:
    """Return one candidate a line; with the action ``is-args`` the exit code states whether there are any."""
    found = _completion_candidates(*_typed_words())
    if os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        sys.exit(0 if found else 1)
    return "\n".join(f"{one.value}\t{one.help}" if one.help else one.value for one in found)


def _powershell_text() -> str:
    """Return one candidate a line; values with blanks are quoted."""
    start = os.environ.get("_TYPER_COMPLETE_WORD_TO_COMPLETE", "")
    words = _split_words(os.environ.get("_TYPER_COMPLETE_ARGS", ""))[1:]
    found = _completion_candidates(words[:-1] if start and words else words, start.strip("'\""))
    quoted = [
        (one.value if re.fullmatch(r"[\w.,=:/+-]+", one.value) else _quoted(one.value, "'", "''"), one.help)
        for one in found
    ]
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
    values = [one.value for one in _completion_candidates(plain, start)]
    if raw[:1] in ("'", '"'):
        escape = "'\\''" if raw[0] == "'" else "\\\\\\g<0>"
        return "\n".join(_quoted(value, raw[0], escape).removesuffix(raw[0]) for value in values)
    kept = max(start.rfind("="), start.rfind(":")) + 1
    return "\n".join(re.sub(r"([^\w@%+=:,./-])", r"\\\1", value[kept:]) for value in values)
