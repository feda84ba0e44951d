"""How uncertainties are rolled up: the method, whose errors are shared, and what a simulation is to draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from massprops_cli.findings import UsageError
from massprops_cli.rollup.montecarlo.request import Sampling
from massprops_cli.rollup.montecarlo.shapes import KINDS

METHODS = ("auto", "covariance", "massprops", "montecarlo", "none")
CORRELATE = ("none", "part", "all")


@dataclass(frozen=True, slots=True)
class Uncertainties:
    """What is asked of a roll-up beside the sums.

    ``method`` is ``covariance`` (exact to first order), ``massprops`` (level by level, SAWE 3360), ``montecarlo``,
    ``none``, or ``auto``: ``covariance`` when the table states sigmas. ``correlate`` says whose errors are shared:
    ``none``, ``part`` (pieces and uses of one part number) or ``all``; ``correlate_centers``, whether those of centres
    are too; ``correlations`` names a file of correlations between groups. ``items`` are ids whose distributions are
    wanted beside the root's, ``probability`` questions about results (see ``bom.asked``), and ``intervals`` how much an
    interval is to hold: ``95%``.
    """

    method: str = "auto"
    correlate: str = "none"
    correlate_centers: bool = False
    correlations: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    items: tuple[str, ...] = ()
    probability: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()

    @property
    def is_correlated(self) -> bool:
        """Whether errors are asked to be shared, beyond what the table's own column says."""
        return self.correlate != "none" or self.correlate_centers or bool(self.correlations)


def uncertainties_of(method: str, options: Mapping[str, Any]) -> Uncertainties:
    """Make what is asked of keyword arguments; raises UsageError for a name, a word or a number that is none.

    >>> uncertainties_of("montecarlo", {"samples": 500}).sampling.samples
    500
    """
    own = {f.name for f in fields(Uncertainties)} - {"method", "sampling"}
    drawn = {f.name for f in fields(Sampling)}
    unknown = sorted(set(options) - own - drawn)
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}; the options are {', '.join(sorted(own | drawn))}")
    given = {name: value for name, value in options.items() if name in own}
    for name in ("items", "probability", "intervals"):
        value = given.get(name, ())
        given[name] = (value,) if isinstance(value, str) else tuple(value)
    asked = Uncertainties(
        method=method, sampling=Sampling(**{name: value for name, value in options.items() if name in drawn}), **given
    )
    one_of("uncertainty", asked.method, METHODS)
    one_of("correlate", asked.correlate, CORRELATE)
    check_sampling(asked.sampling)
    return asked


def check_sampling(sampling: Sampling) -> None:
    """Refuse numbers and words with which nothing can be drawn."""
    one_of("distribution", sampling.distribution, KINDS)
    for name, least in (("samples", 2), ("seed", 0), ("workers", 1)):
        value = getattr(sampling, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise UsageError(f"{name} is {value}; it takes a whole number of at least {least}")


def one_of(name: str, value: str, words: tuple[str, ...]) -> None:
    """Refuse a word that is none of a few."""
    if value not in words:
        raise UsageError(f"{name} is {value}; it can be {', '.join(words)}")
