"""Words of command lines that have others now; they work for one version, with a note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from massprops_cli.cli.command import COMMAND_NAMES, command_name, command_record
from massprops_cli.options import Option

_COMMANDS = {
    "inspect": ("validate",),
    "transform": ("convert",),
    **{words[1]: words for name in COMMAND_NAMES if len(words := tuple(name.split())) > 1},
}
_OPTIONS = {
    "whatif": {"add": "new"},
    "contributions": {"mean": "value"},
    "diff": {"level": "depth", "reason-column": "reasons column:"},
    "convert": {"into": "into-robot", "about": "pivot", "principal": "to-frame principal"},
    "parts aggregate": {"closure": "extend"},
    "parts assemble": {"covariance": "branches"},
    "robot base-params": {"closure": "residual"},
    "robot inertials": {"from": "geometry"},
}
"""Options with another name, and the start of the value that they have now."""
_FLAGS = ("mean", "principal", "closure")  # those of them without a value, but in base-params
_WORDS_OF_SHAPE = {"mesh": "", "parameter": "", "list": None}
"""Options of ``shape`` that are words without a name now, or nothing."""


def current_words(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a command line in the words of this version, and a note for each word that was another."""
    if not args:
        return [], []
    words = [*_COMMANDS.get(args[0], args[:1]), *args[1:]]
    notes = [f"massprops {args[0]} is massprops {' '.join(_COMMANDS[args[0]])} now"] if args[0] in _COMMANDS else []
    if not (name := command_name(words)):
        return words, notes
    k = len(name.split())
    current, rest = words[:k], iter(words[k:])
    renamed = _OPTIONS.get(name, {})
    settings = {one.name: one for one in command_record(name).options if one.is_setting}
    for word in rest:
        if word == "--":
            return [*current, word, *rest], notes
        option, sign, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not (option in renamed or option in settings or _is_of_shape(name, option)):
            current.append(word)
            continue
        typed = [word]
        if not sign and not _is_flag(name, option, settings):
            value = next(rest, "")
            typed.append(value)
        new = [*_new_words(name, option, value, settings)]
        notes += [f"{' '.join(typed)} is {' '.join(new)} now"] if new else [f"{word} is not needed"]
        current += new
    return current, list(dict.fromkeys(notes))


def _is_of_shape(name: str, option: str) -> bool:
    """Return whether an option of ``shape`` is a word now."""
    return name == "shape" and option in _WORDS_OF_SHAPE


def _is_flag(name: str, option: str, settings: dict[str, Option]) -> bool:
    """Return whether an earlier option has no value."""
    if option in settings:
        return settings[option].kind == "flag"
    return option == "list" if name == "shape" else option in _FLAGS and name != "robot base-params"


def _new_words(name: str, option: str, value: str, settings: dict[str, Option]) -> Iterator[str]:
    """Yield the words that an earlier option with its value is now."""
    if name == "shape":
        if option in settings:
            yield f"{option}={value}"
        elif _WORDS_OF_SHAPE[option] is not None:
            yield value
    elif option in settings:
        yield from ("--config", f"{option}={'true' if settings[option].kind == 'flag' else value}")
    else:
        new, _, start = _OPTIONS[name][option].partition(" ")
        yield f"--{new}"
        if not _is_flag(name, option, settings):
            yield start + value
        elif start:
            yield start
