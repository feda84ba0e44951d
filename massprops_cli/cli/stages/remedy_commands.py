"""Commands that give a result: the command line as typed, with the options that the hints of its errors name.

The command is tried before it is printed: the table is read and rolled up with its options, and the options that the
remaining errors name are added. One more run is therefore enough, whichever errors follow each other. Where hints
offer alternatives, there is one command for each, with the total that it gives.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from massprops_cli.cli.option_groups import InputOptions, MeaningOptions
from massprops_cli.cli.stages.hint_options import (
    OPTIONS_BY_SPELLING,
    extended_words,
    hint_options,
    option_pairs,
    option_values,
    without_option,
)
from massprops_cli.cli.stages.table_input import read_input_bom
from massprops_cli.cli.streams import command_line_words, record_command_line
from massprops_cli.findings import Finding, MasspropsError, TableError
from massprops_cli.reports import UNICODE, Line, TextSpan, text_line, total_mass_text

_MAX_TRIED_SIZE = 2_000_000
"""Bytes of the largest file that is read again to try a command; larger ones get the options of the hints only."""
_MAX_TRIALS = 12
_MAX_COMMANDS = 4
_CONTRADICTION = "MP415"

_Phrase = tuple[str, ...]
"""Options as words of a command line, which belong together."""
_Choice = dict[tuple[str, ...], _Phrase]
"""Options added to a command line, by what they decide."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """Findings of a command, and the total that it gives."""

    findings: Sequence[Finding]
    total: str = ""

    @property
    def contradicts_total(self) -> bool:
        return any(finding.rule == _CONTRADICTION for finding in self.findings)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Words of a command, and what it gives; ``is_complete`` unless errors remain that no option resolves."""

    words: tuple[str, ...]
    trial: _Trial

    @property
    def is_complete(self) -> bool:
        return not any(finding.is_withholding for finding in self.trial.findings)


def remedy_command_lines(
    findings: Sequence[Finding], groups: Mapping[str, Any], stdin: bytes | None = None
) -> list[Line]:
    """Print the commands that give a result, below the findings; none where no option helps."""
    words = command_line_words()
    if not words or words[0] == "diff" or not any(finding.is_withholding for finding in findings):
        return []
    findings = [finding for finding in findings if finding.is_withholding]
    search = _Search(groups, stdin)
    found = search.candidates(words, _Trial(findings), {})
    complete = _without_equal_encodings([one for one in found if one.is_complete])
    if complete:
        return _command_lines(complete[:_MAX_COMMANDS])
    return _partial_command_lines(found[:1], findings)


def _without_equal_encodings(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Keep the first of the commands that differ in the text encoding only; encodings are offered likeliest first."""
    option = OPTIONS_BY_SPELLING["--encoding"]
    return list({without_option(one.words, option): one for one in reversed(candidates)}.values())[::-1]


def _command_lines(candidates: Sequence[_Candidate]) -> list[Line]:
    """Write each command on its own line, after the total that it gives."""
    if len(candidates) == 1:
        return [Line(), text_line(TextSpan("next: ", "strong"), _command_text(candidates[0].words))]
    lines = [Line(), text_line(TextSpan("next: ", "strong"), "one of")]
    for one in candidates:
        total = f"total {one.trial.total}" if one.trial.total else ""
        total += ", contradicts the stated total" if one.trial.contradicts_total else ""
        lines.append(text_line("  ", TextSpan(f"{total}: " if total else "", "dim"), _command_text(one.words)))
    return lines


def _partial_command_lines(candidates: Sequence[_Candidate], findings: Sequence[Finding]) -> list[Line]:
    """Write the command that writes what can be computed in spite of errors that only the table can resolve."""
    words = candidates[0].words if candidates else command_line_words()
    left = candidates[0].trial.findings if candidates else findings
    if words[0] != "rollup" or any(finding.is_stopping for finding in left):
        return []
    start = TextSpan("next: ", "strong")
    reason = "correct the table, or write what can be computed: "
    return [Line(), text_line(start, reason, _command_text((*words, "--keep-going")))]


def _command_text(words: Sequence[str]) -> str:
    return shlex.join(("massprops", *words))


class _Search:
    """Commands found by adding the options of hints to a command line until no error is left."""

    def __init__(self, groups: Mapping[str, Any], stdin: bytes | None) -> None:
        """Take the groups of options of the command that was typed."""
        self.groups = groups
        self.stdin = stdin
        self.trials = 0

    def candidates(self, words: tuple[str, ...], trial: _Trial, chosen: _Choice) -> list[_Candidate]:
        """Return the commands that the hints lead to, from the words of a command and its findings.

        ``chosen`` are the options added so far; they are not chosen again.
        """
        questions = _questions(trial.findings, words, chosen)
        if not questions:
            return [_Candidate(words, trial)] if chosen else []
        choices = (choice for phrases in itertools.product(*questions) if (choice := _joined_choice(chosen, phrases)))
        found = []
        for choice in itertools.islice(choices, _MAX_COMMANDS):
            extended = words
            for pair in choice.values():
                extended = extended_words(extended, pair)
            tried = self._trial(extended)
            if tried is not None:
                found += self.candidates(extended, tried, choice)
        return list({one.words: one for one in found}.values())

    def _trial(self, words: tuple[str, ...]) -> _Trial | None:
        """Read and roll up the table with the options of a command; None if they are not accepted."""
        reading: InputOptions = self.groups["reading"]
        if not self._is_small(reading.file):
            return _Trial(())
        if self.trials == _MAX_TRIALS:
            return None
        self.trials += 1
        from massprops_cli.bom.rollup import rollup

        with record_command_line(words):
            try:
                given = option_values(words)
                uncertainty = given.get("uncertainty", "")
                bom = read_input_bom(
                    _with_values(reading, given),
                    _with_values(self.groups.get("meaning") or MeaningOptions(), given),
                    self.stdin,
                    use_sigmas=uncertainty != "none",
                )
                result = rollup(bom, keep_going=True, uncertainty="none")
            except TableError as error:
                return _Trial(error.findings)
            except MasspropsError:
                return None
        return _Trial(result.findings, total_mass_text(result, UNICODE))

    def _is_small(self, name: str) -> bool:
        if name == "-":
            return self.stdin is not None and len(self.stdin) <= _MAX_TRIED_SIZE
        try:
            return Path(name).stat().st_size <= _MAX_TRIED_SIZE
        except OSError:
            return False


def _questions(findings: Sequence[Finding], words: Sequence[str], chosen: _Choice) -> list[list[_Phrase]]:
    """Return the options that errors name, alternatives together, without those that the command has."""
    questions: list[list[_Phrase]] = []
    for finding in findings:
        if not finding.is_withholding:
            continue
        named = hint_options(finding.remedy, words[0], words)
        phrases = [one for one in named if _adds(words, one) and _joined_choice(chosen, [one], is_new=True)]
        if phrases and phrases not in questions:
            questions.append(phrases)
    return questions


def _joined_choice(chosen: _Choice, phrases: Sequence[_Phrase], *, is_new: bool = False) -> _Choice:
    """Join options with those chosen; empty if two of them exclude each other, or if ``is_new`` and one was chosen.

    >>> sorted(_joined_choice({}, [("--map", "mass=A"), ("--map", "id=B")]))
    [('--map', 'id'), ('--map', 'mass')]
    >>> _joined_choice({}, [("--map", "mass=A"), ("--map", "mass=B")])
    {}
    """
    joined = dict(chosen)
    for phrase in phrases:
        for pair in option_pairs(phrase):
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
    if name in ("--map", "--unit"):
        return (name, value[0].partition("=")[0])
    return (name, *value) if OPTIONS_BY_SPELLING[name].kind == "list" else (name,)


def _adds(words: Sequence[str], phrase: _Phrase) -> bool:
    return extended_words(tuple(words), phrase) != tuple(words)


def _with_values(group: Any, given: Mapping[str, Any]) -> Any:
    """Replace the fields of a group of options that are given."""
    named = {one.metadata["option"].name: one.name for one in fields(group)}
    return replace(group, **{named[name]: value for name, value in given.items() if name in named})
