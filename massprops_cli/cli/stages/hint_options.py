"""Options that the hint of a finding names, and command lines to which they are added.

A hint names options as they are typed: ``pass --poi + if Ixy is +∫xy dm, --poi - if it is the tensor entry``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from massprops_cli.options import OPTIONS, Option

OPTIONS_BY_SPELLING = {spelling: option for option in reversed(OPTIONS) for spelling in option.spellings}
"""The options by their spelling on the command line."""
_VALUE = re.compile(r"""\s+((?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+)""")
_Phrase = tuple[str, ...]
"""Options as words of a command line, which belong together."""


def hint_options(remedy: str, command: str, words: Sequence[str] = ()) -> list[_Phrase]:
    """Return the options that a hint names with their values, alternatives one after the other.

    Options that follow each other directly belong together. Options without a value, and those of a command line that
    is typed already, are none.

    >>> hint_options("pass --poi + if Ixy is +∫xy dm, --poi - if it is −∫xy dm", "rollup")
    [('--poi', '+'), ('--poi', '-')]
    >>> hint_options("state them with --unit mass=kg --unit length=mm", "rollup")
    [('--unit', 'mass=kg', '--unit', 'length=mm')]
    >>> hint_options("select one with --map, or omit --where", "rollup")
    []
    """
    known = {f"--{option.name}": option for option in OPTIONS if command in option.commands}
    phrases: list[_Phrase] = []
    end = -1
    for match in re.finditer(r"(?<![\w-])--[a-z][a-z-]*", remedy):
        if match.start() < end:
            continue
        phrase, stop = _option_at(remedy, match, known.get(match[0]))
        if phrase is None or remedy[: match.start()].rstrip().endswith(("omit", "without")):
            end = -1
            continue
        if end >= 0 and not remedy[end : match.start()].strip():
            phrases[-1] = (*phrases[-1], *phrase)
        else:
            phrases.append(phrase)
        end = stop
    given = set(option_pairs(words))
    fresh = (tuple(word for pair in option_pairs(phrase) if pair not in given for word in pair) for phrase in phrases)
    return list(dict.fromkeys(phrase for phrase in fresh if phrase))


def _option_at(text: str, match: re.Match[str], option: Option | None) -> tuple[_Phrase | None, int]:
    """Read an option of a hint with its value, and return where it ends; None if it has none that is accepted."""
    if option is not None and option.kind == "flag":
        return (match[0],), match.end()
    found = _VALUE.match(text, match.end())
    if option is None or found is None:
        return None, match.end()
    bare = found[1].rstrip(",;.)") or found[1][:1]
    try:
        value = bare if len(bare) == 1 else "".join(shlex.split(bare))
    except ValueError:
        return None, match.end()
    return ((match[0], value) if _is_accepted(option, value) else None), found.start(1) + len(bare)


def _is_accepted(option: Option, value: str) -> bool:
    """Return whether an option takes a value; the other words of a hint are none."""
    if option.name in ("map", "unit"):
        return "=" in value
    if option.kind == "whole":
        return value.isdigit()
    return (
        not option.words
        or value in option.words
        or (option.kind == "list" and set(value.split(",")) <= set(option.words))
    )


def option_pairs(words: Sequence[str]) -> Iterator[_Phrase]:
    """Split words of a command line into options with their values; other words are skipped."""
    k = 0
    while k < len(words):
        name, sign, value = words[k].partition("=")
        option = OPTIONS_BY_SPELLING.get(name)
        if option is None:
            k += 1
        elif option.kind == "flag":
            yield (name,)
            k += 1
        elif sign:
            yield (name, value)
            k += 1
        else:
            yield tuple(words[k : k + 2])
            k += 2


def extended_words(words: tuple[str, ...], phrase: _Phrase) -> tuple[str, ...]:
    """Add options to a command line; one that is not repeated replaces its value, ``--allow-missing`` adds to it.

    >>> extended_words(("rollup", "a.csv", "--mass-is=each"), ("--mass-is", "line"))
    ('rollup', 'a.csv', '--mass-is', 'line')
    >>> extended_words(("rollup", "a.csv", "--allow-missing", "mass"), ("--allow-missing", "center"))
    ('rollup', 'a.csv', '--allow-missing', 'mass,center')
    """
    for pair in option_pairs(phrase):
        option = OPTIONS_BY_SPELLING.get(pair[0])
        assert option is not None
        same = [given for given in option_pairs(words) if given[0] == pair[0]]
        if pair in same:
            continue
        value = pair[1:]
        if option.kind != "list" or option.name == "allow-missing":
            words = without_option(words, option)
        if option.name == "allow-missing" and same:
            known = [word for given in same for word in given[1].split(",")]
            value = (",".join(dict.fromkeys([*known, *pair[1].split(",")])),)
        elif option.name in ("map", "unit"):
            words = without_option(words, option, pair[1].partition("=")[0] + "=")
        words = (*words, pair[0], *value)
    return words


def without_option(words: tuple[str, ...], option: Option, start: str = "") -> tuple[str, ...]:
    """Remove an option with its value, if the value begins with ``start``."""
    kept: list[str] = []
    k = 0
    while k < len(words):
        name, sign, value = words[k].partition("=")
        size = 1 if sign or option.kind == "flag" else 2
        text = value if sign else "".join(words[k + 1 : k + 2])
        if name in option.spellings and text.startswith(start):
            k += size
        else:
            kept.append(words[k])
            k += 1
    return tuple(kept)


def option_values(words: Sequence[str]) -> dict[str, Any]:
    """Return the values of the options of a command line, by name.

    >>> option_values(("rollup", "a.csv", "--map", "id=A", "--map", "mass=B", "--poi", "-", "--frozen"))
    {'map': ['id=A', 'mass=B'], 'poi': '-', 'frozen': True}
    """
    given: dict[str, Any] = {}
    for pair in option_pairs(words):
        option = OPTIONS_BY_SPELLING.get(pair[0])
        assert option is not None
        if option.kind == "flag":
            given[option.name] = True
        elif option.kind == "list":
            given.setdefault(option.name, []).append(pair[1])
        else:
            given[option.name] = int(pair[1]) if option.kind == "whole" else pair[1]
    return given
