"""Two revisions of a bill of materials compared: the library's call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from massprops_cli.bom.answers.result import Result
from massprops_cli.bom.answers.rolling import rollup
from massprops_cli.bom.bom import Bom
from massprops_cli.budget.diff.changes import both_predicted, changes_of, snapped
from massprops_cli.budget.diff.diff import Diff
from massprops_cli.budget.diff.matching import Matching, matching_of
from massprops_cli.budget.diff.reasons import read_reasons, reasons_by_line, reasons_in_column, say_reasons
from massprops_cli.budget.diff.saying import say_matching
from massprops_cli.budget.diff.side import factors_between, numbers_of, side_of
from massprops_cli.budget.diff.threshold import crossed
from massprops_cli.findings import Finding, UsageError


def diff(
    old: Bom,
    new: Bom,
    *,
    match: str = "id",
    uncertainty: str = "auto",
    thresholds: Sequence[str] = (),
    reasons: Mapping[str, str] | str = "",
    reason_column: str = "",
) -> Diff:
    """Compare two revisions: which items changed, how, and what each change did to the totals.

    Items are matched by ``id`` or by ``part`` number, the roots always with each other; numbers are in the new file's
    units. ``uncertainty`` is covariance, massprops, none or auto, as in ``rollup``. Contributions follow
    ``contributing``: they add up to the change of the whole at every level. Each of ``thresholds`` (``mass 1 kg``,
    ``PLD: mass 0.5 %``) that a change crosses is an error among ``said``. ``reasons`` are texts by item, or the name of
    a file that has them (see ``read_reasons``); ``reason_column`` is a column of the new table, and of the old one for
    what was removed. Raises UsageError for a way of matching or a threshold that is none, and where one file states
    units and the other does not; FindingsError when a table has errors.

    >>> def revision(mass):
    ...     return Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": mass}])
    >>> answer = diff(revision(2.0), revision(3.5))
    >>> [(row.id, row.changes, row.contributions["mass"]) for row in answer.rows()]
    [('a', ('mass',), 1.5)]
    """
    if uncertainty == "montecarlo":
        raise UsageError("diff compares numbers, not samples; use uncertainty covariance, massprops or none")
    results = rollup(old, uncertainty), rollup(new, uncertainty)
    answer = compared(results, matching_of(old, new, match), match)
    said = [*crossed(answer, thresholds), *say_matching(answer)]
    if reasons or reason_column:
        answer, more = with_reasons(answer, reasons, reason_column)
        said += more
    return replace(answer, said=tuple(said))


def compared(results: tuple[Result, Result], matching: Matching, by: str) -> Diff:
    """Compare two roll-ups item by item, in the units of the second."""
    old, new = (result.bom for result in results)
    has_lengths = old.bodies.center is not None and new.bodies.center is not None
    factors = factors_between(old.units, new.units, lengths=has_lengths)
    before, after = both_predicted(numbers_of(results[0], factors), numbers_of(results[1], (1.0, 1.0)))
    if factors != (1.0, 1.0):
        before = snapped(before, after, matching)
    sides = (
        side_of(results[0], before, results[0].root_item),
        side_of(results[1], after, results[1].root_item),
    )
    return Diff(*results, matching, by, (before, after), changes_of(matching, (old, new), sides))


def with_reasons(answer: Diff, reasons: Mapping[str, str] | str, column: str) -> tuple[Diff, list[Finding]]:
    """Give the changes their reasons, and say what is to be said of those."""
    if reasons and column:
        raise UsageError("reasons are read from a file or from a column, not from both")
    if column:
        of_new = reasons_in_column(answer.new.bom, column)
        has_old = any(text.strip().casefold() == column.casefold() for text in answer.old.bom.columns.header)
        of_old = reasons_in_column(answer.old.bom, column) if has_old else {}
        given: dict[str, str] = {}
        source = ""
    else:
        given, source = (read_reasons(reasons), reasons) if isinstance(reasons, str) else (dict(reasons), "")
        of_old = of_new = given
    answer = replace(answer, reasons=reasons_by_line(answer, of_old, of_new))
    return answer, say_reasons(answer, given, source)
