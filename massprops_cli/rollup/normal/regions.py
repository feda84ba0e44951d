"""What results may be asked to lie in: a range, a box, an ellipsoid. Each can be counted in samples and integrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from massprops_cli.rollup.normal.box import in_box
from massprops_cli.rollup.normal.ellipsoid import in_ellipsoid
from massprops_cli.rollup.normal.line import between, outside

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]

CENTER = slice(1, 4)
"""Where the centre stands among ``RESULTS``."""


INTEGRATED = 1e-12
"""The accuracy of a probability that was integrated."""


class Normal(NamedTuple):
    """One item's results as normal variables.

    ``mean`` and ``sigma (13,)`` belong to ``RESULTS``, NaN where not known; ``center (3, 3)`` is the covariance of the
    centre.
    """

    mean: Floats
    sigma: Floats
    center: Floats


class Chance(NamedTuple):
    """A probability and that of the opposite, which keeps its digits where the first is nearly 1.

    ``accuracy`` is how much both may err, where they were integrated.
    """

    inside: float
    outside: float
    accuracy: float = 0.0


class Region(Protocol):
    """A set of results; frozen, so that it can be sent to other processes."""

    @property
    def results(self) -> Sequence[int]:
        """Numbers of the results that decide."""

    def __call__(self, samples: Floats) -> NDArray[np.bool_]:
        """Tell which of the samples ``(B, 13)`` lie inside ``(B,)``; one that is not known does not."""

    def chance(self, normal: Normal) -> Chance:
        """Give the probability under the normal approximation."""


@dataclass(frozen=True, slots=True)
class Range:
    """Result number ``result`` from ``low`` to ``high``, which may be infinite.

    >>> heavy = Range(0, 10.0, inf)
    >>> heavy(np.array([[9.0] * 13, [11.0] * 13])).tolist()
    [False, True]
    """

    result: int
    low: float = -inf
    high: float = inf

    @property
    def results(self) -> Sequence[int]:
        """The one result."""
        return (self.result,)

    def __call__(self, samples: Floats) -> NDArray[np.bool_]:
        """Tell which samples lie in the range."""
        chosen = samples[:, self.result]
        return (chosen >= self.low) & (chosen <= self.high)

    def chance(self, normal: Normal) -> Chance:
        """Give the probability of the range, each tail in full accuracy."""
        value, sigma = float(normal.mean[self.result]), float(normal.sigma[self.result])
        sides = value, sigma, self.low, self.high
        return Chance(between(*sides), outside(*sides))


@dataclass(frozen=True, slots=True)
class Box:
    """The centre between ``low`` and ``high`` on every axis; infinite ends leave a side out."""

    low: Triple
    high: Triple

    @property
    def results(self) -> Sequence[int]:
        """The coordinates that are bounded."""
        sides = zip(self.low, self.high, strict=True)
        return [k for k, side in enumerate(sides, CENTER.start) if any(map(isfinite, side))]

    def __call__(self, samples: Floats) -> NDArray[np.bool_]:
        """Tell which samples have their centre in the box."""
        asked = self.results
        chosen, axes = samples[:, asked], [k - CENTER.start for k in asked]
        inside = (chosen >= np.array(self.low)[axes]) & (chosen <= np.array(self.high)[axes])
        return np.asarray(inside.all(axis=1))

    def chance(self, normal: Normal) -> Chance:
        """Integrate over the box."""
        inside = in_box(normal.mean[CENTER], normal.center, np.array(self.low), np.array(self.high))
        return Chance(inside, 1 - inside, INTEGRATED)


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """The centre within ``half_axes`` of ``middle``, along the frame's axes; an infinite one leaves its axis out."""

    middle: Triple
    half_axes: Triple

    @property
    def results(self) -> Sequence[int]:
        """The coordinates that are bounded."""
        return [k for k, half in enumerate(self.half_axes, CENTER.start) if isfinite(half)]

    def __call__(self, samples: Floats) -> NDArray[np.bool_]:
        """Tell which samples have their centre in the ellipsoid."""
        asked = self.results
        axes = [k - CENTER.start for k in asked]
        scaled = (samples[:, asked] - np.array(self.middle)[axes]) / np.array(self.half_axes)[axes]
        return np.asarray(np.sum(scaled * scaled, axis=1) <= 1)

    def chance(self, normal: Normal) -> Chance:
        """Integrate over the ellipsoid."""
        inside = in_ellipsoid(normal.mean[CENTER], normal.center, np.array(self.middle), np.array(self.half_axes))
        return Chance(inside, 1 - inside, INTEGRATED)
