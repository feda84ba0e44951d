"""From before to after in steps: the contributions of one result in order of size, the rest, and rounding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

from massprops_cli.findings import UsageError
from massprops_cli.findings.finding import nearest
from massprops_cli.revisions.attribution import RESULTS, SIGMAS, Breakdown
from massprops_cli.revisions.changes import Change
from massprops_cli.revisions.diff import Diff
from massprops_cli.tables.units import Units

ABOVE = "quantity above"
"""Why an item contributes of which nothing changed: an assembly above it counts more or fewer times."""
BELOW = "below"
"""Why an assembly contributes of which nothing changed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: an item, what changed about it, what it does to the result, and the reason given."""

    id: str
    name: str
    words: tuple[str, ...]
    value: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """How a result of an item changed.

    ``steps`` are the largest, ``n_rest`` items that change it less add up to ``rest``. ``unchanged`` is what the others
    do to the sigma of a centre or a tensor, because the centre moved. With ``rounding`` all of them add up to
    ``after − before``.
    """

    of: str
    item: str
    unit: str
    before: float
    after: float
    steps: tuple[Step, ...]
    n_rest: int
    rest: float
    unchanged: float
    rounding: float

    @property
    def change(self) -> float:
        """How the result changed."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """Give plain JSON values."""
        return asdict(self)


def waterfall(
    answer: Diff, of: str = "mass", item: str | None = None, level: int | None = None, top: int | None = None
) -> Waterfall:
    """Take the change of a result of an item apart, the root's without one; the ``top`` largest steps, or all.

    ``level`` counts the steps below the item at which contributions are told; without it they are those of everything
    that goes up with its own numbers. Raises UsageError for a result or an item that is not there, and for a result
    that is not known in both files.

    >>> from massprops_cli.bom.read import Bom
    >>> from massprops_cli.revisions.compare import diff
    >>> def revision(a, b):
    ...     leaves = [{"id": "a", "parent": "top", "mass": a}, {"id": "b", "parent": "top", "mass": b}]
    ...     return Bom.from_records([{"id": "top", "parent": ""}, *leaves])
    >>> [(step.id, step.value) for step in waterfall(diff(revision(1.0, 2.0), revision(1.5, 1.0))).steps]
    [('b', -1.0), ('a', 0.5)]
    """
    check_result(of)
    breakdown = answer.whole if item is None else answer.at(item)
    column = breakdown.column(of, level)
    before, after, values = column.before, column.after, column.contributions
    if not isfinite(after - before):
        raise UsageError(f"{of} is not known in both files, so its change is not; see massprops validate of either")
    if not np.isfinite(values).all():
        raise UsageError(f"contributions to {of} are not known; see massprops validate of both files")
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[values[order] != 0]
    shown = order if top is None else order[:top]
    rest = order[len(shown) :]
    name = answer.new.bom.ids[breakdown.new.top]
    return Waterfall(
        of,
        name,
        unit_of(of, answer.units),
        before,
        after,
        tuple(steps_of(answer, breakdown, shown.tolist(), values)),
        len(rest),
        float(values[rest].sum()),
        column.unchanged,
        column.rounding,
    )


def unit_of(of: str, units: Units) -> str:
    """Name the unit of a result; empty where none is stated.

    >>> unit_of("sigma_Cx", Units("kg", "mm", "kg*mm^2", True))
    'mm'
    """
    kind = of.removeprefix("sigma_")
    return units.length if kind.startswith("C") else units.inertia if kind.startswith("I") else units.mass


def check_result(of: str) -> None:
    """Raise UsageError, with the nearest name, for a result that is not compared.

    >>> check_result("sigma_Cx")
    """
    known = (*RESULTS, *SIGMAS)
    if of not in known:
        raise UsageError(f"{of} is no result that is compared{nearest(of, known)}; it can be {', '.join(known)}")


def steps_of(answer: Diff, breakdown: Breakdown, lines: list[int], values: np.ndarray) -> Iterator[Step]:
    """Say of some lines who they are, what changed, and what that does."""
    for line in lines:
        items = int(answer.matching.old[line]), int(answer.matching.new[line])
        bom, item = (answer.new.bom, items[1]) if items[1] >= 0 else (answer.old.bom, items[0])
        name = "" if bom.names is None else bom.names[item]
        words = Change(int(answer.changes[line])).words
        if not words:  # so it is in both files
            words = (ABOVE if breakdown.new.ends[items[1]] else BELOW,)
        yield Step(bom.ids[item], name, words, float(values[line]), answer.reasons.get(line, ""))
