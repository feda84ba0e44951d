"""Matching of the items of two revisions.

The roots are always matched, whatever their ids. All other items are matched by id or by part number: by position under
the same parent part, and the remaining ones in the order of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Never

import numpy as np

from massprops_cli.bom.bom import BomSource, bom_from
from massprops_cli.bom.results.probability import QueryParser, dimension_unit, split_query_item
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import Findings, FindingsError, UsageError, error_of_function, nearest_name_hint
from massprops_cli.options import MatchKey, RollupMethod, check_keywords, check_own_keywords, check_types, show_keywords
from massprops_cli.revisions import changes
from massprops_cli.revisions.attribution import COMPARED_RESULTS, COMPARED_SIGMAS, ChangeBreakdown
from massprops_cli.revisions.diff import Diff, item_place, json_values
from massprops_cli.revisions.matching import Matching, item_matching
from massprops_cli.revisions.reasons import (
    check_matching,
    check_reasons,
    read_column_reasons,
    read_reasons,
    reasons_by_line,
)
from massprops_cli.rollups.leaf_sums import item_magnitudes
from massprops_cli.tables.cells.units import Units, quantity_dimension

_QUANTITY_ABOVE = "quantity above"
"""Why an item contributes of which nothing changed: an assembly above it counts more or fewer times."""
_POSE_ABOVE = "pose above"
"""Why an item contributes of which nothing changed: the frame of an item above it moved."""
_SHARED_UNCERTAINTY = "shared uncertainty"
"""Why an item contributes to a sigma of which nothing changed: other members of its group or lot changed."""
_CHANGE_BELOW = "below"
"""Why an assembly contributes of which nothing changed."""


@dataclass(frozen=True, slots=True)
class _WaterfallStep:
    """One step: an item, its changes, its contribution to the result, and its reason."""

    id: str
    name: str
    words: tuple[str, ...]
    value: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Change of a result of an item: steps, rest, unchanged (NaN if no part is known) and rounding add up to it."""

    of: str
    item: str
    unit: str
    before: float
    after: float
    steps: tuple[_WaterfallStep, ...]  # the largest
    n_rest: int  # items that change it less, ``rest`` in sum
    rest: float
    unchanged: float  # of the others, to the sigma of a centre or tensor, because the centre moved
    rounding: float
    before_known: str = "whole"  # or lower bound, partial
    after_known: str = "whole"

    @property
    def change(self) -> float:
        """How the result changed."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """Return the steps as plain JSON values."""
        return dict(json_values(asdict(self)))


def result_waterfall(
    answer: Diff, of: str = "mass", item: str | None = None, level: int | None = None, top: int | None = None
) -> Waterfall:
    """Split the change of a result of an item into its largest steps."""
    _check_result_name(of)
    breakdown = answer.whole if item is None else answer.at(item)
    column = breakdown.column(of, level)
    before, after, values = column.before, column.after, column.contributions
    if not isfinite(after - before):
        raise UsageError(f"{of} is not known in both files; run massprops validate on each file")
    is_known = bool(np.isfinite((*values, column.unchanged)).all())
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[values[order] != 0] if is_known else order[:0]
    shown = order if top is None else order[:top]
    rest = order[len(shown) :]
    name = answer.new.bom.ids[breakdown.new.top]
    return Waterfall(
        of,
        name,
        result_unit(of, answer.units),
        before,
        after,
        tuple(_waterfall_steps(answer, breakdown, shown.tolist(), values)),
        len(rest),
        float(values[rest].sum()),
        column.unchanged if is_known else np.nan,
        column.rounding,
        breakdown.old.known(of),
        breakdown.new.known(of),
    )


def result_unit(of: str, units: Units) -> str:
    """Return the unit of a result."""
    kind = of.removeprefix("sigma_")
    return units.length if kind.startswith("C") else units.inertia if kind.startswith("I") else units.mass


def _check_result_name(of: str) -> None:
    """Raise UsageError, with the nearest name, for a result that is not compared."""
    known = (*COMPARED_RESULTS, *COMPARED_SIGMAS)
    if of not in known:
        raise UsageError(f"unknown result: {of}{nearest_name_hint(of, known)} (expected one of {', '.join(known)})")


def _waterfall_steps(
    answer: Diff, breakdown: ChangeBreakdown, lines: list[int], values: np.ndarray
) -> Iterator[_WaterfallStep]:
    """Yield the steps of some lines: item, changes, contribution and reason."""
    same = breakdown.same()
    for line in lines:
        items = int(answer.matching.old[line]), int(answer.matching.new[line])
        bom, item = (answer.new.bom, items[1]) if items[1] >= 0 else (answer.old.bom, items[0])
        name = "" if bom.names is None else bom.names[item]
        words = changes.ChangeKind(int(answer.changes[line])).words
        if not words:  # so it is in both files
            above = answer.changes[answer.matching.line_of_new[bom.tree.ancestors(item)]]
            is_moved, is_end = bool((above & changes.ChangeKind.POSE).any()), breakdown.new.ends[items[1]]
            of_item = _POSE_ABOVE if is_moved else _QUANTITY_ABOVE if is_end else _CHANGE_BELOW
            words = (_SHARED_UNCERTAINTY if same[line] and is_end else of_item,)
        yield _WaterfallStep(bom.ids[item], name, words, float(values[line]), answer.reasons.get(line, ""))


_THRESHOLD_EXAMPLE = "mass 1 kg"
_ABSOLUTE = ("mass", "predicted_mass", "Ixx", "Iyy", "Izz")
"""Results whose threshold may be a percentage."""


def _read_threshold(text: str, answer: Diff) -> tuple[int, str, float, bool, str]:
    """Parse a threshold: item, result, limit, whether it is a share of the old value, and the number as given."""
    query = " ".join(text.split())
    try:
        item, rest = split_query_item(query, answer.new.bom)
    except UsageError:
        gone, _ = split_query_item(query, answer.old.bom)  # raises for an item that is in neither file
        item_id = answer.old.bom.ids[gone]
        raise UsageError(f"item is not in {answer.names[1]}: {item_id} (a change requires it in both files)") from None
    reader = QueryParser(text, answer.units)
    matched = re.fullmatch(r"(\w+)\s+(.*)", rest)
    if matched is None:
        raise reader.error("is not a threshold", _THRESHOLD_EXAMPLE)
    of = matched[1]
    _check_result_name(of)
    dimension = _result_dimension(of)
    number, unit = reader.measure(matched[2], _THRESHOLD_EXAMPLE)
    if number is None or number < 0:
        raise reader.error("has no limit of the change", _THRESHOLD_EXAMPLE)
    if unit == "%":
        if of not in _ABSOLUTE and not of.startswith("sigma_"):
            raise reader.error(f"is a percentage of {of}, whose zero depends on the frame", "Cx 2 mm")
        return item, of, number / 100, True, matched[2]
    words = f"{matched[2]} {'' if unit else dimension_unit(answer.units, dimension)}".strip()
    return item, of, reader.value((number, unit), "", dimension, 0.0), False, words


def _check_threshold(answer: Diff, text: str, findings: Findings) -> None:
    """Report a threshold that is crossed by a change, or whose change is not known."""
    item, of, most, is_share, words = _read_threshold(text, answer)
    name, place = answer.new.bom.ids[item], item_place(answer.new.bom, item)
    breakdown = answer.whole if item == answer.new.root_item else answer.at(name)
    before, after, *_ = breakdown.column(of)
    ends = zip(answer.names, (breakdown.old, breakdown.new), (before, after), strict=True)
    if files := [file for file, side, value in ends if not isfinite(value) or side.known(of) != "whole"]:
        state = "known for some parts only" if isfinite(after - before) else "not known"
        message = f"{name}: {of} is {state} in {' and '.join(files)}, threshold {words} is undecided"
        findings.report("MP640", message, place, item=name, remedy="enter the missing values in both files")
        return
    most = most * abs(before) if is_share else most
    change = after - before
    if abs(change) <= most + changes.SAME_VALUE * max(abs(before), abs(after)) + _result_rounding(breakdown, of):
        return
    change_text = f"{change:+.6g} {dimension_unit(answer.units, _result_dimension(of))}".strip()
    share = f", {100 * change / abs(before):+.3g} %" if is_share and before else ""
    message = f"{name}: {of} changed by {change_text}{share} (threshold {words})"
    findings.report("MP640", message, place, value=change_text, item=name)


def _result_rounding(breakdown: ChangeBreakdown, of: str) -> float:
    """Return the rounding error of a result before and after: that of the terms, not of their sum."""
    found = 0.0
    for side in (breakdown.old, breakdown.new):
        bom, rolled = side.result.bom, side.result.rollup
        sizes = item_magnitudes(replace(bom.rollup_inputs(), bodies=rolled.bodies), side.top, rolled.bodies)
        ten = np.array([sizes.mass, *sizes.center, *sizes.inertia])
        of_mass, of_length = side.numbers.factors
        ten *= np.repeat([of_mass, of_length, of_mass * of_length**2], [1, 3, 6])
        found += changes.SAME_VALUE * float(
            ten[COMPARED_RESULTS.index(of)] if of in COMPARED_RESULTS[:10] else ten[0] if "mass" in of else 0.0
        )
    return found


def _result_dimension(of: str) -> tuple[int, int, int]:
    """Return the powers of mass, length and time of a result that is compared."""
    dimension = quantity_dimension(of.removeprefix("predicted_"))
    assert dimension is not None
    return dimension


def diff(
    old: BomSource,
    new: BomSource,
    *,
    match: MatchKey = "id",
    uncertainty: RollupMethod = "auto",
    thresholds: Sequence[str] = (),
    reasons: Mapping[str, str] | str = "",
    reason_column: str = "",
    keep_going: bool = False,
    **unknown: Never,
) -> Diff:
    """Compare two revisions: the items that changed, and the effect of each change on the totals.

    Parameters
    ----------
    old, new : BomSource
        The revisions before and after; a path, an open file or a DataFrame is read with the defaults of ``read_bom``.
    match : {"id", "part"}, optional
        Match items by id or by part number; the roots are always matched.
    uncertainty : {"auto", "covariance", "massprops", "none"}, optional
        As in ``rollup``, which also has ``montecarlo``.
    thresholds : sequence of str, optional
        Largest changes (``mass 1 kg``, ``PLD: mass 0.5 %``); a larger one is an error among ``comparison_findings``.
    reasons : mapping of str to str, or str, optional
        Reasons of changes by item, or the name of a file of them.
    reason_column : str, optional
        Reasons of changes: a column of the new table, and of the old one for removed items.
    keep_going : bool, optional
        Compare what can be computed in spite of errors.

    Returns
    -------
    Diff
        Numbers in the units of ``new``; contributions add up to the change of the total at every level.

    Raises
    ------
    UsageError
        An unknown keyword, a wrong way of matching or threshold, or units stated by one of the tables only.
    FindingsError
        A table has errors.

    Notes
    -----
    Contributions: docs/diff.md.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> def revision(mass):
    ...     return Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": mass}])
    >>> answer = diff(revision(2.0), revision(3.5))
    >>> [(row.id, row.changes, row.contributions["mass"]) for row in answer.rows()]
    [('a', ('mass',), 1.5)]
    """
    check_own_keywords(unknown, diff)
    given = {"thresholds": thresholds, "reasons": reasons, "reason_column": reason_column}
    check_types(given, diff.__annotations__)
    check_keywords({"match": match}, ("match",))
    if uncertainty == "montecarlo":
        raise UsageError("diff compares numbers, not samples; use uncertainty covariance, massprops or none")
    before, after = bom_from(old, "old"), bom_from(new, "new")
    try:
        results = rollup(before, uncertainty, keep_going=keep_going), rollup(after, uncertainty, keep_going=keep_going)
    except FindingsError as error:
        raise error_of_function(error, "diff") from None
    answer = _rollup_diff(results, item_matching(before, after, match), match)
    findings = Findings()
    for text in thresholds:
        _check_threshold(answer, text, findings)
    check_matching(answer, findings)
    if reasons or reason_column:
        answer = _diff_with_reasons(answer, reasons, reason_column, findings)
    return replace(answer, comparison_findings=tuple(findings))


show_keywords(diff)


def _rollup_diff(results: tuple[Result, Result], matching: Matching, by: str) -> Diff:
    """Compare two roll-ups item by item, in the units of the second."""
    old, new = (result.bom for result in results)
    has_lengths = old.bodies.center is not None and new.bodies.center is not None
    factors = changes.revision_unit_factors(old.units, new.units, lengths=has_lengths)
    before, after = changes.predicted_numbers(
        changes.rolled_up_numbers(results[0], factors), changes.rolled_up_numbers(results[1], (1.0, 1.0))
    )
    if factors != (1.0, 1.0):
        before = changes.snapped_numbers(before, after, matching)
    sides = (
        changes.revision_from_item(results[0], before, results[0].root_item),
        changes.revision_from_item(results[1], after, results[1].root_item),
    )
    return Diff(*results, matching, by, (before, after), changes.line_changes(matching, (old, new), sides))


def _diff_with_reasons(answer: Diff, reasons: Mapping[str, str] | str, column: str, findings: Findings) -> Diff:
    """Add the reasons to the changes, and report missing or unused reasons."""
    if reasons and column:
        raise UsageError("reasons are given in a file and in a column (expected one of them)")
    if column:
        of_new = read_column_reasons(answer.new.bom, column)
        has_old = any(text.strip().casefold() == column.casefold() for text in answer.old.bom.columns.header)
        of_old = read_column_reasons(answer.old.bom, column) if has_old else {}
        given: dict[str, str] = {}
        source = ""
    else:
        given, source = (read_reasons(reasons), reasons) if isinstance(reasons, str) else (dict(reasons), "")
        of_old = of_new = given
    answer = replace(answer, reasons=reasons_by_line(answer, of_old, of_new))
    check_reasons(answer, given, source, findings)
    return answer
