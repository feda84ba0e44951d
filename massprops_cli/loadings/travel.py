"""Conditions and the travel of missions against envelopes of the centre of mass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Finding, Findings
from massprops_cli.loadings.envelope import Envelope

_Floats = NDArray[np.float64]
_Spread = tuple[_Floats, _Floats]  # means (4,) and covariance (4, 4) of m, x, y, z


class EnvelopeVerdict(NamedTuple):
    """A condition, or the travel to a step of a mission, against an envelope; coherent units, NaN where not known.

    Attributes
    ----------
    envelope, condition, start : str
        Names; ``start`` is the step before, of a travel, whose numbers are those nearest to or furthest outside.
    inside : bool or None
        None: mass or centre is not known.
    mass : float, mass
    center : array, shape (3,), length
    margin : float, length
        Distance of the centre from the border at this mass, negative outside.
    mass_margin : float, mass
        Distance of the mass from the border at this centre.
    sigmas : float
        Least number of standard deviations to the border, in any direction, negative outside.
    probability : float
        Of mass and centre, correlated normal variables, to be inside.
    """

    envelope: str
    condition: str
    start: str
    inside: bool | None
    mass: float
    center: _Floats
    margin: float = np.nan
    mass_margin: float = np.nan
    sigmas: float = np.nan
    probability: float = np.nan

    def to_dict(self) -> dict[str, Any]:
        """Export the verdict as JSON values.

        Returns
        -------
        dict
            Numbers by name, coherent units, None where not known.
        """
        values = [self.mass, *self.center.tolist(), self.margin, self.mass_margin, self.sigmas, self.probability]
        names = ("mass", "Cx", "Cy", "Cz", "margin", "mass_margin", "sigmas", "probability")
        numbers = {name: float(x) if np.isfinite(x) else None for name, x in zip(names, values, strict=True)}
        return {**{name: getattr(self, name) for name in ("envelope", "condition", "start", "inside")}, **numbers}


class EnvelopeCheck(NamedTuple):
    """Verdicts of all conditions, and of the travel of missions.

    Attributes
    ----------
    verdicts : tuple of EnvelopeVerdict
    paths : mapping of (str, str) to array, shape (n, 4)
        Mass and centre from one step to the next, straight between the points.
    findings : tuple of Finding
        What is outside.
    length : tuple of (str, float)
        Unit of distances from a border in messages, and its factor.
    """

    verdicts: tuple[EnvelopeVerdict, ...]
    paths: Mapping[tuple[str, str], _Floats]
    findings: tuple[Finding, ...]
    length: tuple[str, float]


def check_envelopes(
    envelopes: Sequence[Envelope], points: Mapping[str, _Floats], spreads: Mapping[str, _Spread | None],
    paths: Mapping[tuple[str, str], _Floats], units: tuple[str, tuple[str, float]], *, is_all: bool,
) -> EnvelopeCheck:  # fmt: skip
    """Check points (4,) of conditions, and paths (n, 4) between two; units of mass, and of lengths with a factor."""
    verdicts, findings = list[EnvelopeVerdict](), Findings()
    for one in envelopes:
        low, high = one.masses
        known = [float(point[0]) for point in points.values() if np.isfinite(point[0])]
        own = [_verdict(one, name, point, spreads[name]) for name, point in points.items()]
        own += [_travel_verdict(one, start, name, path) for (start, name), path in paths.items()]
        verdicts += own
        if is_all and known and not any(low <= mass <= high for mass in known):
            ends = (f"{x:.6g} {units[0]}".rstrip() for x in (min(known), max(known), low, high))
            message = "no condition has a mass of envelope {}: {} … {}, and the envelope is of {} … {}"
            findings.report("MP658", message.format(one.name, *ends), one.place, value=one.name)
            continue
        outside = {verdict.condition for verdict in own if not verdict.inside and not verdict.start}
        for verdict in own:
            if not verdict.inside and not (verdict.start and {verdict.start, verdict.condition} & outside):
                findings.report("MP657", _words(verdict, one, *units), one.place, value=verdict.condition)
    return EnvelopeCheck(tuple(verdicts), paths, tuple(findings), units[1])


def _words(one: EnvelopeVerdict, envelope: Envelope, heavy: str, length: tuple[str, float]) -> str:
    """State where a condition or a travel is outside an envelope."""
    what = f"from {one.start} to {one.condition}" if one.start else f"condition {one.condition}"
    if one.inside is None:
        return f"{what}: undecided, because mass or centre is not known (envelope {envelope.name})"
    unit, factor = length
    at = ", ".join(f"C{axis} {one.center['xyz'.index(axis)] * factor:.6g}" for axis in envelope.axes)
    far = f"{abs(one.margin) * factor:.3g} {unit}" if np.isfinite(one.margin) else f"{abs(one.mass_margin):.4g} {heavy}"
    by = "" if np.isnan([one.margin, one.mass_margin]).all() else f", {far.rstrip()} from its border"
    where = f"{at} {unit}".rstrip() + f" at {one.mass:.6g} {heavy}".rstrip()
    return f"{what}: {where} is outside envelope {envelope.name}{by}"


def _verdict(envelope: Envelope, name: str, point: _Floats, spread: _Spread | None) -> EnvelopeVerdict:
    """Check one condition."""
    needed = envelope.needed
    if not np.isfinite(point[needed]).all():
        return EnvelopeVerdict(envelope.name, name, "", None, float(point[0]), point[1:])
    share, sigmas = np.nan, np.nan
    if spread is not None and np.isfinite(spread[1][np.ix_(needed, needed)]).all() and spread[1][needed].any():
        share, sigmas = envelope.chances(spread[0], np.nan_to_num(spread[1]))
    inside, across, up = envelope.measure(point)
    return EnvelopeVerdict(envelope.name, name, "", inside, float(point[0]), point[1:], across, up, sigmas, share)


def _travel_verdict(envelope: Envelope, start: str, name: str, path: _Floats) -> EnvelopeVerdict:
    """Check a path of straight pieces: the point that is nearest to the border, or furthest outside."""
    if not np.isfinite(path[:, envelope.needed]).all():
        return EnvelopeVerdict(envelope.name, name, start, None, np.nan, np.full(3, np.nan))
    found = []
    for a, b in pairwise(path):
        stops = sorted({share for face in envelope.faces for share in face.stops(a, b)})
        for share in [*stops, *((one + other) / 2 for one, other in pairwise(stops))]:
            point = a + share * (b - a)
            inside, across, up = envelope.measure(point)
            order = (inside, bool(np.isfinite(across)), across if np.isfinite(across) else up)
            found.append((order, point, across, up))
    (inside, *_), point, across, up = min(found, key=lambda one: one[0])
    return EnvelopeVerdict(envelope.name, name, start, inside, float(point[0]), point[1:], across, up)
