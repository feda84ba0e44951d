"""What is counted while samples go by: it adds up over blocks, so no sample is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.montecarlo.histogram import Histogram
from massprops_cli.rollup.montecarlo.model import Model
from massprops_cli.rollup.montecarlo.readout import principal_moments, results
from massprops_cli.rollup.montecarlo.tally import Tally

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counted:
    """Sums over samples of the results of every row; for the watched ones also of their principal moments ``(w, 3)``.

    ``histograms[w][q]`` and ``events[w][e]`` belong to the watched items, 16 results and the conditions on them.
    """

    tally: Tally
    principal: Tally
    histograms: list[list[Histogram]]
    events: list[list[int]]

    @classmethod
    def nothing(cls, model: Model) -> Counted:
        """No samples of a model yet."""
        return cls(
            Tally.empty(len(model.plan.assemblies), 13),
            Tally.empty(len(model.watched), 3),
            [[Histogram.empty() for _ in range(16)] for _ in model.watched],
            [[0] * len(watch.events) for watch in model.watched],
        )

    def add(self, other: Counted) -> None:
        """Add what others counted."""
        self.tally.add(other.tally)
        self.principal.add(other.principal)
        for place in range(len(self.histograms)):
            self.add_watched(place, other.histograms[place], other.events[place])

    def add_watched(self, place: int, histograms: list[Histogram], events: list[int]) -> None:
        """Add the distribution of one watched item."""
        for ours, more in zip(self.histograms[place], histograms, strict=True):
            ours.add(more)
        self.events[place] = [a + b for a, b in zip(self.events[place], events, strict=True)]

    def count(self, model: Model, row: int, total: Floats, work: Floats) -> None:
        """Count the results of one row, whose sums about its fixed point are ``total (10, b)``; ``work (13, b)``."""
        item = int(model.plan.assemblies[row])
        found = results(total, work)
        # centres are seen from the nominal one already
        found[0] -= model.nominal[0, item]
        found[4:] -= model.nominal[4:, item, None]
        if row in model.watched_rows:
            self.watch(model, model.watched_rows[row], found)
        self.tally.count(row, found)

    def watch(self, model: Model, place: int, deviations: Floats) -> None:
        """Keep the distribution of one watched item's deviations ``(13, b)``."""
        item = model.watched[place].item
        samples = deviations + model.nominal[:, item, None]
        moments = principal_moments(samples[4:10]) - model.principal(item)[:, None]
        events = [int(np.count_nonzero(event(samples.T))) for event in model.watched[place].events]
        self.add_watched(place, [Histogram.of(row) for row in (*deviations, *moments)], events)
        self.principal.count(place, moments)
