"""How much a total may change before it is an error: ``mass 1 kg``, ``PLD: mass 0.5 %``, ``Cx 2 mm``.

The item is the root's without one, and a number without a unit is in the unit of the new file. Per cent are of the
value before; a centre or a product of inertia, whose zero is a matter of the frame, has none.

Two revisions of a bill of materials compared: the library's call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from massprops_cli.bom.probability import Reader, item_of, unit_named
from massprops_cli.bom.read import Bom
from massprops_cli.bom.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings import Finding, UsageError, found
from massprops_cli.revisions.attribution import RESULTS, Breakdown
from massprops_cli.revisions.changes import (
    ROUNDING,
    both_predicted,
    changes_of,
    factors_between,
    numbers_of,
    side_of,
    snapped,
)
from massprops_cli.revisions.diff import Diff, place_of
from massprops_cli.revisions.matching import Matching, matching_of
from massprops_cli.revisions.reasons import read_reasons, reasons_by_line, reasons_in_column, say_matching, say_reasons
from massprops_cli.revisions.waterfall import check_result
from massprops_cli.rollups.leaf_sums import magnitudes_of
from massprops_cli.tables.quantities import dimension_of

EXAMPLE = "mass 1 kg"
_ABSOLUTE = ("mass", "predicted_mass", "Ixx", "Iyy", "Izz")
"""Results that per cent can be told of."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The most that a result may change, either way: ``most`` in the unit of the new file, or a share of the old value.

    ``words`` say how much, as it was asked, with its unit.
    """

    item: int
    of: str
    most: float
    is_share: bool
    words: str


def read_threshold(text: str, answer: Diff) -> Threshold:
    """Read a threshold. Raises UsageError, with an example, for what cannot be understood.

    >>> from massprops_cli.bom.read import Bom
    >>> from massprops_cli.revisions.compare import diff
    >>> bom = Bom.from_records([{"id": "SAT", "parent": "", "mass [kg]": 800.0}])
    >>> read_threshold("SAT: mass 1000 g", diff(bom, bom)).most
    1.0
    """
    asked = " ".join(text.split())
    try:
        item, rest = item_of(asked, answer.new.bom)
    except UsageError:
        gone, _ = item_of(asked, answer.old.bom)  # what neither file has is another matter
        raise UsageError(f"{answer.old.bom.ids[gone]} is not in {answer.names[1]}, so it has no change") from None
    reader = Reader(text, answer.units)
    matched = re.fullmatch(r"(\w+)\s+(.*)", rest)
    if matched is None:
        raise reader.refused("is no threshold", EXAMPLE)
    of = matched[1]
    check_result(of)
    dimension = dimension_of_result(of)
    measure = reader.measure(matched[2], EXAMPLE)
    if measure.number is None or measure.number < 0:
        raise reader.refused("does not say how much", EXAMPLE)
    if measure.unit == "%":
        if of not in _ABSOLUTE and not of.startswith("sigma_"):
            raise reader.refused(f"is a share of {of}, whose zero is a matter of the frame", "Cx 2 mm")
        return Threshold(item, of, measure.number / 100, True, matched[2])
    words = f"{matched[2]} {'' if measure.unit else unit_named(answer.units, dimension)}".strip()
    return Threshold(item, of, reader.value(measure, "", dimension, 0.0), False, words)


def crossed(answer: Diff, thresholds: Sequence[str]) -> list[Finding]:
    """Hold the changes against thresholds; gives a finding for each that is crossed, or whose change is not known."""
    findings = (finding_of(answer, read_threshold(text, answer)) for text in thresholds)
    return [finding for finding in findings if finding is not None]


def finding_of(answer: Diff, threshold: Threshold) -> Finding | None:
    """Say that a threshold is crossed; None where it is kept."""
    bom = answer.new.bom
    name, place = bom.ids[threshold.item], place_of(bom, threshold.item)
    breakdown = answer.whole if threshold.item == answer.new.root_item else answer.at(name)
    before, after, *_ = breakdown.column(threshold.of)
    if not (isfinite(before) and isfinite(after)):
        message = f"{name}: {threshold.of} is not known in both files, and its threshold is {threshold.words}"
        return found("MP640", message, place, item=name)
    most = threshold.most * abs(before) if threshold.is_share else threshold.most
    change = after - before
    if abs(change) <= most + ROUNDING * max(abs(before), abs(after)) + rounding_of(breakdown, threshold.of):
        return None
    dimension = dimension_of_result(threshold.of)
    told = f"{change:+.6g} {unit_named(answer.units, dimension)}".strip()
    share = f", {100 * change / abs(before):+.3g} %" if threshold.is_share and before else ""
    message = f"{name}: {threshold.of} changed by {told}{share}, and the threshold is {threshold.words}"
    return found("MP640", message, place, value=told, item=name)


def rounding_of(breakdown: Breakdown, of: str) -> float:
    """Give by how much rounding may change a result before and after: that of the terms, not of their sum."""
    found = 0.0
    for side in (breakdown.old, breakdown.new):
        bom, rolled = side.result.bom, side.result.rollup
        sizes = magnitudes_of(replace(bom.rollup_inputs(), bodies=rolled.bodies), side.top, rolled.bodies)
        ten = np.array([sizes.mass, *sizes.center, *sizes.inertia])
        of_mass, of_length = side.numbers.factors
        ten *= np.repeat([of_mass, of_length, of_mass * of_length**2], [1, 3, 6])
        found += ROUNDING * float(ten[RESULTS.index(of)] if of in RESULTS[:10] else ten[0] if "mass" in of else 0.0)
    return found


def dimension_of_result(of: str) -> tuple[int, int, int]:
    """Give the powers of mass, length and time of a result that is compared."""
    dimension = dimension_of(of.removeprefix("predicted_"))
    assert dimension is not None
    return dimension


def diff(
    old: Bom,
    new: Bom,
    *,
    match: str = "id",
    uncertainty: str = "auto",
    thresholds: Sequence[str] = (),
    reasons: Mapping[str, str] | str = "",
    reason_column: str = "",
    keep_going: bool = False,
) -> Diff:
    """Compare two revisions: which items changed, how, and what each change did to the totals.

    Items are matched by ``id`` or by ``part`` number, the roots always with each other; numbers are in the new file's
    units. ``uncertainty`` is covariance, massprops, none or auto, as in ``rollup``. Contributions follow
    ``contributing``: they add up to the change of the whole at every level. Each of ``thresholds`` (``mass 1 kg``,
    ``PLD: mass 0.5 %``) that a change crosses is an error among ``said``. ``reasons`` are texts by item, or the name of
    a file that has them (see ``read_reasons``); ``reason_column`` is a column of the new table, and of the old one for
    what was removed. Raises UsageError for a way of matching or a threshold that is none, and where one file states
    units and the other does not; FindingsError when a table has errors, as ``rollup``.

    >>> def revision(mass):
    ...     return Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": mass}])
    >>> answer = diff(revision(2.0), revision(3.5))
    >>> [(row.id, row.changes, row.contributions["mass"]) for row in answer.rows()]
    [('a', ('mass',), 1.5)]
    """
    if uncertainty == "montecarlo":
        raise UsageError("diff compares numbers, not samples; use uncertainty covariance, massprops or none")
    results = rollup(old, uncertainty, keep_going=keep_going), rollup(new, uncertainty, keep_going=keep_going)
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
