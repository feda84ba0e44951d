"""Planned margins of milestones, and pending changes: threats and opportunities with bounds and a probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import Place, UsageError

_SAMPLES, _BAND = 100_000, (0.05, 0.95)  # of the band; its ends are quantiles


@dataclass(frozen=True, slots=True)
class PlannedMilestone:
    """A milestone on a day, or at a revision, with a required margin in percent or an allocation in kilogram."""

    name: str
    day: date | None
    revision: str  # label of the revision that it was; empty with a day
    margin: float | None
    allocation: float | None
    place: Place


@dataclass(frozen=True, slots=True)
class MarginPlan:
    """``[plan]`` of a budget file; ``limit`` is in kilogram, None for that of each revision's own budget."""

    limit: float | None
    basis: str  # predicted or basic
    of_limit: bool  # whether a margin is a share of the limit (``margin-basis = "allocation"``), not of the mass
    milestones: tuple[PlannedMilestone, ...]
    place: Place

    def allowed_mass(self, milestone: PlannedMilestone, limit: float) -> float:
        """Return the greatest mass that a milestone allows, kilogram; NaN without a limit."""
        if milestone.margin is None:
            return float(milestone.allocation or 0.0)
        share = milestone.margin / 100
        return limit * (1 - share) if self.of_limit else limit / (1 + share)

    def margin_percent(self, mass: float, limit: float) -> float:
        """Return the margin of a mass in percent, of the mass or of the limit."""
        whole = limit if self.of_limit else mass
        return 100 * (limit - mass) / whole if whole > 0 else np.nan

    def required_mass(self, places: Sequence[tuple[float, PlannedMilestone]], x: float, limit: float) -> float:
        """Return the greatest mass at ``x``: on the straight line between milestones, beyond them as at the nearest."""
        if not places:
            return np.nan
        at = [one for one, _ in places]
        if all(milestone.margin is not None for _, milestone in places):
            share = float(np.interp(x, at, [milestone.margin or 0.0 for _, milestone in places])) / 100
            return limit * (1 - share) if self.of_limit else limit / (1 + share)
        return float(np.interp(x, at, [self.allowed_mass(milestone, limit) for _, milestone in places]))


@dataclass(frozen=True, slots=True)
class PendingChange:
    """``[[pending]]``: a change of the mass of one piece of an item, kilogram, that comes with a probability."""

    item: str  # id; empty for the root
    low: float
    likely: float
    high: float
    probability: float
    reason: str
    due: date | None
    place: Place

    @property
    def mean(self) -> float:
        """The expected change: the mean of the triangle times the probability."""
        return self.probability * (self.low + self.likely + self.high) / 3

    @property
    def variance(self) -> float:
        """The variance of the change: p E[x²] − p² E[x]²."""
        a, b, c = self.low, self.likely, self.high
        square = (a * a + b * b + c * c + a * b + a * c + b * c) / 6
        return self.probability * square - self.mean**2

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON values, kilogram."""
        due = None if self.due is None else self.due.isoformat()
        bounds = {"low": self.low, "likely": self.likely, "high": self.high, "probability": self.probability}
        return {"item": self.item, **bounds, "expected": self.mean, "reason": self.reason, "due": due}


def pending_band(pending: Sequence[PendingChange], pieces: Sequence[float], seed: int = 0) -> tuple[float, float]:
    """Return the 5 % and 95 % quantiles of the sum of pending changes, each of some ``pieces``, kilogram."""
    draw, total = np.random.default_rng(seed), np.zeros(_SAMPLES)
    for one, count in zip(pending, pieces, strict=True):
        comes = draw.random(_SAMPLES) < one.probability
        wide = one.low < one.high
        size = draw.triangular(one.low, one.likely, one.high, _SAMPLES) if wide else np.full(_SAMPLES, one.low)
        total += count * comes * size
    low, high = np.quantile(total, _BAND)
    return float(low), float(high)


def pending_items(pending: Sequence[PendingChange], bom: Bom) -> list[int | None]:
    """Return the item of each pending change; None for one that is not in the table."""
    found: list[int | None] = []
    for one in pending:
        try:
            found.append(bom.item(one.item) if one.item else int(bom.tree.order[0]))
        except UsageError:
            found.append(None)
    return found


def pending_masses(pending: Sequence[PendingChange], bom: Bom) -> NDArray[np.float64]:
    """Return the expected change of the mass of one piece of every item ``(n,)``, kilogram."""
    own = np.zeros(len(bom))
    for one, item in zip(pending, pending_items(pending, bom), strict=True):
        if item is not None:
            own[item] += one.mean
    return bom.tree.subtree_sums(own, bom.quantity.count)
