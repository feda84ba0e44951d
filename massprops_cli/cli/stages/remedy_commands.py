"""Commands that give a result: the command line as typed, with the options that the hints of its errors name.

Each is tried before it is printed, so that one more run is enough, whichever errors follow each other.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from massprops_cli.cli.command import InputOptions, TableRun, command_name, command_record
from massprops_cli.cli.stages.table_input import read_input_bom, recorded_stdin
from massprops_cli.cli.streams import command_line_words, command_seconds, record_command_line
from massprops_cli.findings.finding import Finding, FindingsError, MasspropsError, TableError
from massprops_cli.options import OPTIONS, Option, setting_value
from massprops_cli.reports.page.page import UNICODE, Line, TextSpan, text_line
from massprops_cli.reports.summary import total_mass_text
from massprops_cli.tables.cells.cell_words import begins_with_total

_MAX_TRIALS = 12  # commands tried
_MAX_TRIAL_SECONDS = 5.0
"""Time in which commands are tried; none that would probably end later, as long as the run itself, is begun."""
_MAX_COMMANDS = 4  # commands shown
_CONTRADICTION = "MP415"
_ANSWERABLE_RULES = ("MP214",)
"""Errors that do not withhold the results, and that an option resolves without another number."""
_OPTIONS_BY_SPELLING = {spelling: option for option in reversed(OPTIONS) for spelling in option.spellings}
_VALUE = re.compile(r"""\s+((?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+)""")  # value of an option, bare or quoted: kg, "a b"
_TABLE_OPTIONS = {one.metadata["option"].name: one.name for one in fields(InputOptions) if one.metadata}
"""Options on the table, with their fields."""
_Phrase = tuple[str, ...]  # options as words of a command line, which belong together
_Choice = dict[tuple[str, ...], _Phrase]  # options added to a command line, by what they decide


@dataclass(frozen=True, slots=True)
class RemedyCommand:
    """A command that gives a result: its words, its findings, and the total that it gives."""

    words: tuple[str, ...]
    findings: Sequence[Finding] = ()
    total: str = ""
    is_tried: bool = True  # False: reading again takes too long, and the options are those of the hints
    is_partial: bool = False  # writes what is computed in spite of errors that only the table can resolve

    @property
    def computes(self) -> bool:
        """Whether the command gives a mass, as far as it was tried."""
        return bool(self.total) or not self.is_tried

    @property
    def contradicts_total(self) -> bool:
        """Whether a total that the table states contradicts the sum of its parts."""
        return any(finding.rule == _CONTRADICTION for finding in self.findings)

    @property
    def counts_total(self) -> bool:
        """Whether a row whose name begins with a word of totals counts as a part."""
        return any(name == "--count-row" and begins_with_total(row) for name, row in pairwise(self.words))

    def to_dict(self) -> dict[str, Any]:
        """Export the command as JSON values."""
        texts = {"command": shlex.join(("massprops", *self.words))} | ({"total": self.total} if self.total else {})
        marks = {
            "contradicts_total": self.contradicts_total,
            "is_partial": self.is_partial,
            "is_untried": not self.is_tried,
        }
        return texts | {name: True for name, holds in marks.items() if holds}


def find_remedy_commands(findings: Sequence[Finding], run: TableRun) -> list[RemedyCommand]:
    """Find the commands that give a result."""
    words = command_line_words()
    if not words or words[0] == "diff" or not any(finding.is_withholding for finding in findings):
        return []
    findings = [finding for finding in findings if finding.is_withholding]
    search = _Search(run)
    found = search.candidates(RemedyCommand(words, findings), {})
    if complete := [one for one in found if not any(finding.is_withholding for finding in one.findings)]:
        # those with the text encoding that needs fewest other options; of several, that offered first
        encodings = [_option_values(one.words).get("encoding") for one in complete]
        likeliest = encodings[complete.index(min(complete, key=lambda one: len(one.words)))]
        kept = [one for one, encoding in zip(complete, encodings, strict=True) if encoding == likeliest]
        return sorted(kept, key=lambda one: (one.counts_total, one.contradicts_total))[:_MAX_COMMANDS]
    lacks_masses = any(finding.rule == "MP203" and "masses" in finding.message for finding in findings)
    if lacks_masses or any(finding.is_stopping for finding in findings):
        stopped = [any(finding.is_stopping for finding in one.findings) for one in found]
        computed = [one for one, is_stopped in zip(found, stopped, strict=True) if one.computes and not is_stopped]
        return _partial_commands(computed[:_MAX_COMMANDS])
    certain = words  # with the options of errors that one option resolves: alternatives give different numbers
    for phrases in _questions(findings, words, {}):
        certain = _extended_words(certain, phrases[0]) if len(phrases) == 1 else certain
    tried = next((one for one in found if one.words == certain), None) or search.trial(certain)
    return _partial_commands([tried] if tried is not None and tried.computes else [])


def remedy_command_lines(commands: Sequence[RemedyCommand]) -> list[Line]:
    """Lay out commands that give a result, each on its own line after the total that it gives."""
    first = TextSpan("next: ", "strong")
    if not all(one.is_tried for one in commands):
        first = TextSpan("next (not tried, because that takes too long): ", "strong")
    if any(one.is_partial for one in commands):
        reason = TextSpan("correct the table, or write what can be computed: ")
        return [Line(), *(_command_line(one.words, first, reason) for one in commands)]
    if len(commands) < 2:
        return [line for one in commands for line in (Line(), _command_line(one.words, first))]
    lines = [Line(), text_line(first, "one of")]
    for one in commands:
        total = f"total {one.total}" if one.total else ""
        total += ", contradicts the stated total" if one.contradicts_total else ""
        lines.append(_command_line(one.words, TextSpan(f"  {total}: " if total else "  ", "dim")))
    return lines


def _partial_commands(commands: Sequence[RemedyCommand]) -> list[RemedyCommand]:
    """Return the commands that write what can be computed in spite of errors that only the table can resolve."""
    rollups = [one for one in commands if one.words[0] == "rollup"]
    return [RemedyCommand((*one.words, "--keep-going"), is_partial=True, is_tried=one.is_tried) for one in rollups]


def _command_line(words: Sequence[str], *before: TextSpan) -> Line:
    """Write a command behind other texts."""
    quoted = (TextSpan(f"{shlex.quote(word)} ") for word in ("massprops", *words))
    return Line((*before, *quoted), hang=4, is_command=True)


class _Search:
    """Commands found by adding the options of hints to a command line until no error is left."""

    def __init__(self, run: TableRun) -> None:
        """Take the options of the command that was typed."""
        self.run = run
        self.stdin = recorded_stdin()
        self.trials = 0

    def candidates(self, tried: RemedyCommand, chosen: _Choice) -> list[RemedyCommand]:
        """Return the commands that the hints of a command lead to."""
        # ``chosen`` are the options added so far; they are not chosen again.
        if not (questions := _questions(tried.findings, tried.words, chosen)):
            return [tried] if chosen else []
        choices = (choice for phrases in itertools.product(*questions) if (choice := _joined_choice(chosen, phrases)))
        found = []
        for choice in itertools.islice(choices, _MAX_COMMANDS):
            extended = tried.words
            for pair in choice.values():
                extended = _extended_words(extended, pair)
            if (again := self.trial(extended)) is not None:
                found += self.candidates(again, choice)
        return list({one.words: one for one in found}.values())

    def trial(self, words: tuple[str, ...]) -> RemedyCommand | None:
        """Read and roll up the table with the options of a command; None if they are not accepted."""
        if not (self.run.file != "-" or self.stdin is not None) or command_seconds() > _MAX_TRIAL_SECONDS:
            return RemedyCommand(words, is_tried=False)
        if self.trials == _MAX_TRIALS:
            return None
        self.trials += 1
        from massprops_cli.bom.rollup import rollup

        with record_command_line(words):
            try:
                given = _option_values(words)
                texts = {name: given[key] for key, name in _TABLE_OPTIONS.items() if key in given}
                run = replace(self.run, **texts, assigned=frozenset(given))
                bom = read_input_bom(run, self.stdin, use_sigmas=given.get("uncertainty") != "none")
                result = rollup(bom, keep_going=True, uncertainty="none")
            except (TableError, FindingsError) as error:
                return RemedyCommand(words, error.findings)
            except MasspropsError:
                return None
        return RemedyCommand(words, result.findings, total_mass_text(result, UNICODE))


def _questions(findings: Sequence[Finding], words: Sequence[str], chosen: _Choice) -> list[list[_Phrase]]:
    """Return the options that errors name, alternatives together, without those that the command has."""
    questions: list[list[_Phrase]] = []
    is_open = any(finding.rule == "MP252" for finding in findings)  # which column is the mass: names follow from it
    for finding in findings:
        if (is_open and finding.rule == "MP244") or not (finding.is_withholding or finding.rule in _ANSWERABLE_RULES):
            continue
        named = _hint_options(finding.remedy, command_name(words), words)
        of_table = {*_TABLE_OPTIONS, "uncertainty"}  # options that change how the table is read; no other is tried
        named = [one for one in named if {_decided_option(pair).name for pair in _option_pairs(one)} <= of_table]
        adding = [one for one in named if _extended_words(tuple(words), one) != tuple(words)]
        phrases = [one for one in adding if _joined_choice(chosen, [one], is_new=True)]
        if phrases and phrases not in questions:
            questions.append(phrases)
    return questions


def _joined_choice(chosen: _Choice, phrases: Sequence[_Phrase], *, is_new: bool = False) -> _Choice:
    """Join options with those chosen; empty if two of them exclude each other, or if ``is_new`` and one was chosen."""
    joined = dict(chosen)
    for phrase in phrases:
        for pair in _option_pairs(phrase):
            key = _choice_key(pair)
            if joined.get(key, pair) != pair or (is_new and key in chosen):
                return {}
            joined[key] = pair
    return joined


def _choice_key(pair: _Phrase) -> tuple[str, ...]:
    """Return what an option decides: two different options with one key exclude each other."""
    name, *value = pair
    if name in ("--count-row", "--skip-row"):
        return ("row", *value)
    if name in ("--map", "--unit") or (name == "--config" and _decided_option(pair).kind != "list"):
        return (name, value[0].partition("=")[0])
    return (name, *value) if _OPTIONS_BY_SPELLING[name].kind == "list" else (name,)


def _decided_option(pair: _Phrase) -> Option:
    """Return the option whose value a pair states: with ``--config KEY=VALUE`` that of the key."""
    key, is_assigned, _ = "".join(pair[1:]).partition("=")
    spelling = f"--{key}" if pair[0] == "--config" and is_assigned else pair[0]
    decided: Option = _OPTIONS_BY_SPELLING.get(spelling, _OPTIONS_BY_SPELLING[pair[0]])
    return decided


def _hint_options(remedy: str, command: str, words: Sequence[str] = ()) -> list[_Phrase]:
    """Return the options that a hint names with their values, alternatives one after the other."""
    # Options that follow each other directly belong together. Options without a value, and those of a command line that
    # is typed already, are none.
    known = {f"--{option.name}": option for option in command_record(command).options}
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
    given = set(_option_pairs(words))
    fresh = (tuple(word for pair in _option_pairs(phrase) if pair not in given for word in pair) for phrase in phrases)
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
    if option.name == "config":
        decided, text = _decided_option((f"--{option.name}", value)), value.partition("=")[2]
        return decided is not option and text != "…" and _is_accepted(decided, text)
    if option.name in ("map", "unit"):
        return "=" in value
    if option.kind == "whole":
        return value.isdigit()
    is_list = option.kind == "list" and {*value.split(",")} <= {*option.words}
    return not option.words or value in option.words or is_list


def _typed_options(words: Sequence[str]) -> Iterator[tuple[tuple[str, ...], _Phrase]]:
    """Split a command line into words that belong together, each with the option and its value; empty if none."""
    k = 0
    while k < len(words):
        name, sign, value = words[k].partition("=")
        option = _OPTIONS_BY_SPELLING.get(name)
        typed = tuple(words[k : k + (1 if option is None or option.kind == "flag" or sign else 2)])
        yield typed, () if option is None else (name,) if option.kind == "flag" else (name, value) if sign else typed
        k += len(typed)


def _option_pairs(words: Sequence[str]) -> Iterator[_Phrase]:
    """Return the options of a command line with their values."""
    return (pair for _, pair in _typed_options(words) if pair)


def _extended_words(words: tuple[str, ...], phrase: _Phrase) -> tuple[str, ...]:
    """Add options to a command line; one that is not repeated replaces its value, ``--allow-missing`` adds to it."""
    for pair in _option_pairs(phrase):
        option = _OPTIONS_BY_SPELLING[pair[0]]
        same = [given for given in _option_pairs(words) if given[0] == pair[0]]
        if pair in same:
            continue
        value = pair[1:]
        if option.kind != "list" or option.name == "allow-missing":
            words = _without_option(words, option)
        if option.name == "allow-missing" and same:
            known = [word for given in same for word in given[1].split(",")]
            value = (",".join(dict.fromkeys([*known, *pair[1].split(",")])),)
        elif len(_choice_key(pair)) > 1 and _choice_key(pair) != pair:
            words = _without_option(words, option, pair[1].partition("=")[0] + "=")
        words = (*words, pair[0], *value)
    return words


def _without_option(words: tuple[str, ...], option: Option, start: str = "") -> tuple[str, ...]:
    """Remove an option with its value, if the value begins with ``start``."""
    kept: list[str] = []
    for typed, pair in _typed_options(words):
        if not pair or pair[0] not in option.spellings or not "".join(pair[1:]).startswith(start):
            kept += typed
    return tuple(kept)


def _option_values(words: Sequence[str]) -> dict[str, Any]:
    """Return the values of the options of a command line, by name."""
    given: dict[str, Any] = {}
    for pair in _option_pairs(words):
        option = _decided_option(pair)
        if pair[0] == "--config":
            is_file = option.name == "config"
            value = pair[1] if is_file else setting_value(option, pair[1].partition("=")[2])
            is_added = option.kind == "list" and not is_file
            given[option.name] = [*given.get(option.name, ()), *value] if is_added else value
        elif option.kind == "flag":
            given[option.name] = True
        elif option.kind == "list":
            given.setdefault(option.name, []).append(pair[1])
        else:
            given[option.name] = int(pair[1]) if option.kind == "whole" else pair[1]
    return given
