"""Findings and exceptions.

A finding is a value: the rule, the severity, the place, the value read, the message and one remedy. Invalid calls raise
an exception, a kind of MasspropsError; invalid data results in findings.
"""

from __future__ import annotations

import math
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from operator import index
from typing import Any, TypedDict, TypeVar, Unpack

from massprops_cli.findings.catalogue import RULES, STOPS, WRITTEN

_T = TypeVar("_T")


class MasspropsError(Exception):
    """Base of every exception that this package raises on purpose; ``findings`` are the reasons, if it has any."""

    findings: tuple[Finding, ...] = ()


class UsageError(MasspropsError):
    """Invalid call or option."""


class ConfigError(UsageError):
    """Invalid configuration file."""


class UnknownId(UsageError, KeyError):  # noqa: N818 - as KeyError
    """Id that is not in the table."""

    __str__ = Exception.__str__


class OutputError(MasspropsError):
    """An output could not be written; the existing file, if any, is intact."""


class _WithFindings(MasspropsError):  # noqa: N818  (a base class, never raised)
    """An error that carries findings; its message lists them."""

    def __init__(self, findings: Sequence[Finding], call: str = "") -> None:
        errors = [finding for finding in findings if finding.severity is Severity.ERROR]
        shown = errors[:_ERRORS_LISTED] if errors else findings
        last = {finding.remedy: k for k, finding in enumerate(shown)}
        lines = []
        for k, finding in enumerate(shown):
            hint = finding.remedy if last[finding.remedy] == k else ""
            lines += [str(finding), *([f"  hint: {hint}"] if hint else [])]
        rest = Counter(finding.severity.value for finding in findings) - Counter(one.severity.value for one in shown)
        nouns = {"error": "more error", "warning": "warning", "note": "note"}
        more = ", ".join(count_with_noun(rest[word], noun) for word, noun in nouns.items() if rest[word])
        lines += [f"{more}: findings of this exception"] if more else []
        lines += [f"next: {call}"] if call else []
        super().__init__("\n".join(lines))
        self.findings: tuple[Finding, ...] = tuple(findings)
        self.call = call

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.findings, self.call)


class TableError(_WithFindings):
    """No table could be read; ``findings`` contains the reasons."""


class FindingsError(_WithFindings):
    """The table has errors and the result is not available; ``findings`` contains all of them.

    ``call`` is a call of the library that gives a result, if there is one.
    """


def checked_integer(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """Return an integer of a call, also one of NumPy, or raise UsageError."""
    limits = f"of {least} or more" if most == math.inf else f"from {least} to {most}"
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or not least <= number <= most:
        raise UsageError(f"{name} is not an integer {limits}: {value!r}")
    return number


def checked_array(name: str, value: Any) -> Any:
    """Return an argument of a call as an array of numbers, float32 as such, or raise UsageError."""
    import numpy as np

    try:
        array = np.asarray(value)
        return array if array.dtype == np.float32 else np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise UsageError(f"{name} is not an array of numbers: {value!r}") from None


def checked_vector(name: str, value: Any, count: int | None = None) -> Any:
    """Return a vector (3,) of a call, with a count also vectors (count, 3) or (1, 3), or raise UsageError."""
    import numpy as np

    try:
        vector = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        vector = np.full(3, np.nan)
    shapes = [(3,)] if count is None else [(3,), (1, 3), (count, 3)]
    if vector.shape not in shapes or (vector.ndim == 1 and not np.isfinite(vector).all()):
        raise UsageError(f"{name} is not a vector of three finite numbers: {value!r}")
    return vector


def checked_type(name: str, value: Any, kind: type[_T]) -> _T:
    """Return an argument of a call that is of a type, or raise UsageError."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} is not a {'text' if kind is str else kind.__name__}: {value!r}")
    return value


def error_of_function(error: FindingsError, name: str) -> FindingsError:
    """Return the error of a roll-up as another function raises it, which has ``keep_going`` too."""
    call = error.call.replace("mp.rollup(…, keep", f"mp.{name}(…, keep").replace("mp.rollup(", "mp.read_bom(")
    return FindingsError(error.findings, call)


class Severity(Enum):
    """Severity of a finding; ``rank`` increases with the severity."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return ("note", "warning", "error").index(self.value)


@dataclass(frozen=True, slots=True)
class Place:
    """A location in a file, in the terms of the user.

    ``row`` counts from 1 as a spreadsheet does; ``line`` is the physical line of a text file (a record may span
    several), and ``position`` the field's number in it, from 1; ``cell`` is an address such as ``K17``; ``column`` is
    the header's text.
    """

    file: str = ""
    sheet: str = ""
    row: int | None = None
    column: str = ""
    cell: str = ""
    line: int | None = None
    position: int | None = None

    def __str__(self) -> str:
        """Return the address in the form that terminals and editors turn into a link."""
        if self.line is not None:
            return f"{self.file}:{self.line}" + (f":{self.position}" if self.position else "")
        spot = self.cell or (f"row {self.row}" if self.row is not None else "")
        within = f"{self.sheet}!{spot}" if self.sheet and spot else self.sheet or spot
        return ":".join(part for part in (self.file, within) if part)


NO_PLACE = Place()


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic of a table.

    ``message`` is in lower case, without a full stop: the item, then the value with its unit, then the limit.
    ``count`` is the number of places that one finding covers; ``related`` lists the other places.
    """

    rule: str
    message: str
    place: Place = NO_PLACE
    severity: Severity = Severity.ERROR
    value: str = ""
    remedy: str = ""
    item: str = ""
    count: int = 1
    related: tuple[Place, ...] = field(default=())

    @property
    def name(self) -> str:
        """The rule's name, such as ``duplicate-id``."""
        return RULES[self.rule].name

    @property
    def is_withholding(self) -> bool:
        """Whether it is an error that prevents the output of results."""
        return self.severity is Severity.ERROR and RULES[self.rule].effect != WRITTEN

    @property
    def is_stopping(self) -> bool:
        """Whether it is an error that leaves the interpretation of the table open, so that nothing is computed."""
        return self.severity is Severity.ERROR and RULES[self.rule].effect == STOPS

    def __str__(self) -> str:
        """Return place, severity, message and rule in one line."""
        head = f"{self.place}: " if str(self.place) else ""
        return f"{head}{self.severity.value}: {self.message} [{self.rule} {self.name}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as plain JSON values.

        Returns
        -------
        dict
            rule, name, severity, message, place; item, value, remedy, count and related where they have a value.
        """
        place = {
            key: value
            for key in ("file", "sheet", "row", "column", "cell", "line", "position")
            if (value := getattr(self.place, key)) not in ("", None)
        }
        found: dict[str, Any] = {
            "rule": self.rule, "name": self.name, "severity": self.severity.value, "message": self.message,
            "place": place,
        }  # fmt: skip
        for key in ("item", "value", "remedy"):
            if getattr(self, key):
                found[key] = getattr(self, key)
        if self.count != 1:
            found["count"] = self.count
        if self.related:
            found["related"] = [str(other) for other in self.related]
        return found


class _FindingDetails(TypedDict, total=False):
    """Fields of a finding with defaults; severity and remedy are those of the rule."""

    value: str
    item: str
    remedy: str | None
    severity: Severity | None
    count: int
    related: tuple[Place, ...]


def rule_finding(rule: str, message: str, place: Place = NO_PLACE, **details: Unpack[_FindingDetails]) -> Finding:
    """Return a finding with the severity and the remedy of its rule, unless others are given."""
    given: dict[str, Any] = {name: value for name, value in details.items() if value is not None}
    of_rule: dict[str, Any] = {"severity": Severity(RULES[rule].severity), "remedy": RULES[rule].remedy}
    return Finding(rule, message, place, **(of_rule | given))


class Findings(list[Finding]):
    """The findings of one run, in the order in which they were reported.

    >>> findings = Findings()
    >>> findings.report("MP302", "the id is empty", Place("bom.csv", line=4))
    >>> [finding.rule for finding in findings], findings.has_errors
    (['MP302'], True)
    """

    @property
    def has_errors(self) -> bool:
        """Whether one of them is an error."""
        return any(finding.severity is Severity.ERROR for finding in self)

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        rows = ((f.rule, f.severity.value, str(f.place), f.message, f.remedy) for f in self)
        return html_table(f"Findings: {len(self):,}", ["rule", "severity", "place", "message", "hint"], rows, len(self))

    def report(self, rule: str, message: str, place: Place = NO_PLACE, **details: Unpack[_FindingDetails]) -> None:
        """Add a finding, with the severity and the remedy of its rule unless others are given.

        Parameters
        ----------
        rule : str
            Code of the rule, such as ``MP302``.
        message : str
            What is wrong, in lower case, without a full stop.
        place : Place, optional
            Where; default: no place.
        **details : keywords
            ``value``, ``item``, ``remedy``, ``severity``, ``count`` and ``related`` of the ``Finding``.

        Raises
        ------
        KeyError
            The rule is not in the catalogue.
        """
        self.append(rule_finding(rule, message, place, **details))


def finding_counts_text(findings: Sequence[Finding]) -> str:
    """Count findings by severity."""
    errors, warnings, notes = (
        sum(finding.severity is severity for finding in findings)
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    )
    text = f"{count_with_noun(errors, 'error')}, {count_with_noun(warnings, 'warning')}"
    return text + (f", {count_with_noun(notes, 'note')}" if notes else "")


_ERRORS_LISTED = 20  # in the message of an exception


_PLURALS = {"leaf": "leaves", "assembly": "assemblies", "body": "bodies", "mass": "masses"}  # not ending in -s alone


def count_with_noun(count: int, noun: str) -> str:
    """Write a count with its noun."""
    return f"{count:,} {noun if count == 1 else _PLURALS.get(noun, f'{noun}s')}"


def name_list(names: Sequence[str], most: int = 6, *, count: int | None = None) -> str:
    """Return the first names as text, and the number of the others."""
    more = (len(names) if count is None else count) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def name_series(names: Sequence[str]) -> str:
    """Write one or several names with commas and an and."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


_LEAST_SIMILARITY = 0.6  # least ratio of a similar name, from 0 to 1; ``colour`` and ``qty_column`` have 0.5


def nearest_name_hint(wanted: str, names: Iterable[str]) -> str:
    """Return the nearest name to an unknown one, as the end of a message."""
    near = nearest_name(wanted, names)
    return f"; the nearest is {near}" if near else ""


def nearest_name(wanted: str, names: Iterable[str]) -> str:
    """Return the most similar name."""
    import difflib

    by_fold = {name.casefold(): name for name in names if name.strip()}
    near = difflib.get_close_matches(wanted.casefold(), list(by_fold), 1, cutoff=_LEAST_SIMILARITY)
    return by_fold[near[0]] if near else ""


HTML_ROWS = 40  # rows of a table in the cell of a notebook
_PROGRESS_DELAY = 1.0  # seconds before the progress of a run is shown, and between two updates a tenth of it


def html_table(caption: str, header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """Write a table as HTML."""
    from html import escape  # a run outside a notebook shows no table

    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in header)
    lines = []
    for first, *others in islice(rows, HTML_ROWS):
        cells = "".join(f"<td>{_cell_html(value)}</td>" for value in others)
        lines.append(f'<tr><th scope="row">{_cell_html(first)}</th>{cells}</tr>')
    rest = count - len(lines)
    foot = f'<tfoot><tr><td colspan="{len(header)}">{rest:,} more rows</td></tr></tfoot>' if rest > 0 else ""
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody>{foot}</table>"
    )


def _cell_html(value: object) -> str:
    """Write a cell; a number that is not known is blank."""
    from html import escape

    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return "" if value is None else escape(str(value))


@contextmanager
def notebook_progress(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a run in the output of a notebook cell after one second; nothing elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    runs_cells = any(base.__name__ == "ZMQInteractiveShell" for base in type(shell).__mro__)
    display: Any = sys.modules.get("IPython.display") if runs_cells else None
    if display is None:
        yield lambda done, total: None
        return
    shown: list[Any] = []
    last = time.monotonic() + 0.9 * _PROGRESS_DELAY

    def advance(done: int, total: int) -> None:
        """Update the progress bar, at most ten times a second."""
        nonlocal last
        if time.monotonic() - last < 0.1 * _PROGRESS_DELAY:
            return
        last = time.monotonic()
        from html import escape

        name = escape(doing)
        bar = display.HTML(f'<progress aria-label="{name}" value="{done}" max="{total}"></progress> {name}')
        if shown:
            shown[0].update(bar)
        else:
            shown.append(display.display(bar, display_id=True))

    try:
        yield advance
    finally:
        if shown:
            shown[0].update(display.HTML(""))


_HINT_OPTION = r"(?<![\w-])--([a-z][a-z-]*)(?: ([\w,]+))?"  # --allow-missing mass,center


def call_with_result(findings: Iterable[Finding]) -> str:
    """Return the call that gives a result: with the keyword that every hint names, else in spite of the errors."""
    errors = [finding for finding in findings if finding.is_withholding]
    named = [re.findall(_HINT_OPTION, finding.remedy) for finding in errors]
    if named and all(len(options) == 1 and options[0][0] == "allow-missing" for options in named):
        words = dict.fromkeys(word for ((_, value),) in named for word in value.split(",") if word)
        return f'mp.rollup(…, allow_missing="{",".join(words)}")'
    return "" if any(finding.is_stopping for finding in errors) else "mp.rollup(…, keep_going=True)"
