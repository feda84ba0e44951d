"""How much a total may change before it is an error: ``mass 1 kg``, ``PLD: mass 0.5 %``, ``Cx 2 mm``.

The item is the root's without one, and a number without a unit is in the unit of the new file. Per cent are of the
value before; a centre or a product of inertia, whose zero is a matter of the frame, has none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from massprops_cli.bom.outcome.asked import Reader, item_of, unit_named
from massprops_cli.budget.diff.changes import ROUNDING
from massprops_cli.budget.diff.diff import Diff, place_of
from massprops_cli.budget.diff.waterfall import check_result
from massprops_cli.findings import Finding, UsageError, found
from massprops_cli.tables.units.quantities import dimension_of

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

    >>> from massprops_cli.bom.bom import Bom
    >>> from massprops_cli.budget.diff.comparing import diff
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
    if abs(change) <= most + ROUNDING * max(abs(before), abs(after)):
        return None
    dimension = dimension_of_result(threshold.of)
    told = f"{change:+.6g} {unit_named(answer.units, dimension)}".strip()
    share = f", {100 * change / abs(before):+.3g} %" if threshold.is_share and before else ""
    message = f"{name}: {threshold.of} changed by {told}{share}, and the threshold is {threshold.words}"
    return found("MP640", message, place, value=told, item=name)


def dimension_of_result(of: str) -> tuple[int, int, int]:
    """Give the powers of mass, length and time of a result that is compared."""
    dimension = dimension_of(of.removeprefix("predicted_"))
    assert dimension is not None
    return dimension
