"""Ballast of a table: least masses at places that keep limits of centre and inertia, or a balance in two planes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any, Never

import numpy as np

from massprops_cli.ballasts import inputs
from massprops_cli.ballasts.problem import BallastCondition, BallastProblem, PlaneBalance, balance_planes
from massprops_cli.ballasts.solver import BallastAnswer, BallastHelp, solve_ballast
from massprops_cli.bom.bom import BomSource, bom_from
from massprops_cli.bom.changed_table import ChangedTable, table_with_cells
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.whatif import whatif
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    FindingsError,
    MasspropsError,
    Place,
    UsageError,
    name_series,
)
from massprops_cli.options import check_own_keywords, show_keywords

_AXES = ("Cx", "Cy", "Cz")
_TABLE_CONDITION = "as in the table"
_AGREEMENT = 1e-9  # of the roll-up of the table with ballast and the answer, as a share of the values


@dataclass(frozen=True, slots=True)
class BallastMass:
    """Ballast at one place, or what is removed of an item: masses below 0; coherent units of the table.

    ``pieces`` is None where a place takes any mass, and where all pieces of an item are removed.

    >>> BallastMass("P1", 1.5, 3, (0.0, 1.0, 0.0)).mass
    1.5
    """

    id: str
    mass: float  # of all pieces
    pieces: int | None
    center: tuple[float, float, float]
    parent: str = ""  # item that it is added to; empty for the root


@dataclass(frozen=True, slots=True)
class BallastEffect:
    """One limited quantity in one condition, in the unit of the limit; products in the sign convention of the table.

    ``miss`` is the distance beyond the limit, with the sigmas that must stay inside; 0 where the limit is kept.

    >>> BallastEffect("empty", "Cx", "Cx <= 5 mm", "mm", 9.0, 4.0, None, float("-inf"), 5.0, 0.0).margin
    1.0
    """

    condition: str
    quantity: str
    limit: str
    unit: str
    before: float
    after: float
    sigma: float | None
    low: float
    high: float
    miss: float

    @property
    def margin(self) -> float:
        """Distance of the value to the nearer end of the limit; below 0 beyond it."""
        return min(self.high - self.after, self.after - self.low)


@dataclass(frozen=True, eq=False, repr=False)
class Ballast:
    """Ballast that keeps limits with the least mass, the best attempt where that is impossible, or a balance.

    ``status`` is ``least``, ``least found in 20 s``, ``local optimum``, ``impossible``, ``not found`` or ``balance``;
    ``masses`` are those of each condition before and after, and ``basis`` states whether growth is included.

    >>> import massprops_cli as mp
    >>> mp.Ballast.__name__
    'Ballast'
    """

    result: Result
    basis: str
    status: str
    masses: Mapping[str, tuple[float, float]]
    placed: tuple[BallastMass, ...] = ()
    removed: tuple[BallastMass, ...] = ()
    effects: tuple[BallastEffect, ...] = ()
    center: tuple[float, ...] = ()  # of the first condition with ballast, coherent units
    clash: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    planes: PlaneBalance | None = None

    @property
    def is_possible(self) -> bool:
        """Whether all limits are kept."""
        return self.status not in ("impossible", "not found")

    @property
    def mass(self) -> float:
        """Mass that is added less the mass that is removed."""
        return sum((one.mass for one in (*self.placed, *self.removed)), 0.0)

    def __repr__(self) -> str:
        """Return the status and the masses."""
        unit = self.result.bom.units.mass
        places = [f"{one.id} {one.mass:.6g} {unit}".rstrip() for one in (*self.placed, *self.removed)]
        return f"<Ballast {self.status}: {'; '.join([f'{self.mass:.6g} {unit}'.rstrip(), *places])}>"

    def changed_table(self) -> ChangedTable:
        """Make the table with the ballast as items, to be written.

        Returns
        -------
        ChangedTable
            Table with a row for each place with ballast, and without removed items; its roll-up was compared with the
            answer.

        Raises
        ------
        UsageError
            The limits are not kept, or the table has no column of parents.
        """
        if not self.is_possible or self.planes is not None:
            raise UsageError("no table with ballast: the limits are not kept, or masses are not at given places")
        bom = self.result.bom
        counts = {one.id: float(bom.quantity.count[bom.item(one.id)]) - (one.pieces or np.inf) for one in self.removed}
        kept = {f"{name}.qty": count for name, count in counts.items() if count > 0}
        drop = [name for name, count in counts.items() if count <= 0]
        new = [self._added_item(one) for one in self.placed]
        if not (new or drop or kept):
            return table_with_cells(bom, {})  # none is needed
        made = whatif(bom, new=new, drop=drop, set=kept, uncertainty="none").changed_table()
        again = rollup(made.read_again(bom), "none", keep_going=True)
        found, root = (again.predicted or again.rollup).bodies, again.root_item
        before = (self.result.predicted or self.result.rollup).bodies.mass[self.result.root_item]
        values = [(float(found.mass[root]), float(before) + self.mass)]
        if found.center is not None and _TABLE_CONDITION in self.masses:
            values += zip(np.nan_to_num(found.center[root]).tolist(), self.center, strict=True)
        size = max(map(abs, self.center), default=0.0)
        if any(not abs(a - b) <= _AGREEMENT * max(abs(a), abs(b), size) for a, b in values):
            raise MasspropsError(
                f"{bom.table.source.name}: not written: with ballast it does not roll up to the answer"
            )
        return made

    def _added_item(self, one: BallastMass) -> dict[str, object]:
        """Return the row of ballast as an item to add."""
        bom, units, columns = self.result.bom, self.result.bom.units, self.result.bom.columns.by_quantity
        name = one.id
        while name in bom.ids:
            name = f"ballast {name}"
        pieces = one.pieces if one.pieces and "qty" in columns else 1
        values = {"mass": (one.mass / pieces, units.mass)}
        values |= {axis: (x, units.length) for axis, x in zip(_AXES, one.center, strict=True) if axis in columns}
        fields: dict[str, object] = {"id": name, "parent": one.parent or bom.ids[self.result.root_item]}
        fields |= {key: f"{value!r} {unit}" if unit else value for key, (value, unit) in values.items()}
        others = {"qty": float(pieces), "name": "ballast", "Ipoint": "true", "mga": 0.0, "frame": "root"}
        others |= dict.fromkeys(("sigma_mass", "sigma_Cx", "sigma_Cy", "sigma_Cz"), 0.0)
        others |= (
            {} if "Ipoint" in columns else dict.fromkeys(("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), 0.0)
        )  # of a point
        return fields | {key: value for key, value in others.items() if key in columns}

    def to_dict(self) -> dict[str, Any]:
        """Export the answer as JSON values.

        Returns
        -------
        dict
            Masses and places in coherent units, effects in the units of their limits; open ends and unknown sigmas are
            None.
        """
        units = self.result.bom.units
        made: dict[str, Any] = {
            "status": self.status,
            "possible": self.is_possible,
            "basis": self.basis,
            "units": {"mass": units.mass, "length": units.length, "stated": units.stated},
            "mass": self.mass,
            "placed": [asdict(one) for one in self.placed],
            "removed": [asdict(one) for one in self.removed],
            "conditions": [{"name": name, "before": a, "after": b} for name, (a, b) in self.masses.items()],
            "limits": [
                {k: None if isinstance(x, float) and not isfinite(x) else x for k, x in row.items()}
                for row in ({**asdict(one), "margin": one.margin} for one in self.effects)
            ],
            "clash": [*self.clash],
            "help": [*self.help],
        }
        if (balance := self.planes) is None:
            return made
        ends = [dict(zip(("amount", "angle_deg"), balance.polar(k), strict=True)) for k in range(2)]
        sigmas = balance.sigmas or (None, None)
        planes = zip(balance.planes, balance.unbalances, sigmas, ends, strict=True)
        rows = [
            {"plane": place, "axes": balance.axes, "unbalance": u, "sigma": s, **polar} for place, u, s, polar in planes
        ]
        residual = {"static_sigma": balance.static_sigma, "couple_sigma": balance.couple_sigma}
        return {**made, "planes": rows, "residual": residual}


def _condition(result: Result, name: str) -> BallastCondition:
    """Return the root of a roll-up as a condition; raises UsageError where its mass or its centre is not known."""
    rolled, root, covariance = result.predicted or result.rollup, result.root_item, None
    bodies = rolled.with_place.bodies
    if not float(bodies.mass[root]) > 0:
        raise UsageError(f"ballast needs a mass above 0 of {result.ids[root]}")
    if bodies.center is None or (bodies.has_center is not None and not bodies.has_center[root]):
        raise UsageError(f"ballast needs the centre of mass of {result.ids[root]}, which is not known")
    inertia = None
    if bodies.inertia is not None and (bodies.has_inertia is None or bool(bodies.has_inertia[root])):
        inertia = np.where(bodies.is_point[root], 0.0, bodies.inertia[root])
    if result.rollup.covariances is not None:
        covariance = np.nan_to_num(result.rollup.covariance_of(root))
    return BallastCondition(name, float(bodies.mass[root]), np.nan_to_num(bodies.center[root]), inertia, covariance)


def _require_scipy() -> None:
    """Check that SciPy is installed; it is loaded when a programme is solved."""
    from importlib.util import find_spec

    if find_spec("scipy") is None:
        raise UsageError("ballast needs SciPy; install the extra: pip install 'massprops[ballast]'")


def ballast(
    table: BomSource | Result,
    to: str | Sequence[str] = (),
    at: Any = None,
    *,
    sigma: float = 0.0,
    remove: str | Sequence[str] = (),
    planes: str = "",
    conditions: Mapping[str, Result] | None = None,
    **unknown: Never,
) -> Ballast:
    """Find the least ballast at given places that keeps limits of centre and inertia, or balance in two planes.

    Parameters
    ----------
    table : BomSource or Result
        A table, or its roll-up. Where growth is stated, its predicted masses count.
    to : str or sequence of str, optional
        Limits: ``"Cx in -5..5 mm"``, ``"Cy = 0 mm"``, ``"Cz <= 1.2 m"``, ``"Ixy in -0.1..0.1 kg*m^2"``, or
        ``"tilt xz <= 1 deg"``, the angle between the axes and the nearest principal axes in a plane.
    at : object, optional
        Places: a file, a DataFrame or a list of mappings with ``id``, ``x``, ``y``, ``z``, and optionally ``max mass``,
        ``piece mass``, ``stock`` (pieces) and ``parent``. Units are in the headings; without, those of the table.
    sigma : float, optional
        How many sigmas of each limited quantity stay inside its limit. Ballast has no sigma, removed items keep theirs.
    remove : str or sequence of str, optional
        Ids of items that may be removed, or ``column:HEADER`` of a column that marks them.
    planes : str, optional
        In place of limits: two planes across the spin axis through the origin, ``"-0.6,1.1 m"``, or ``"x=0,2 m"``.
    conditions : mapping of str to Result, optional
        Roll-ups of the loading conditions that keep the limits with the same ballast; default: the table alone.

    Returns
    -------
    Ballast
        The answer, whose limits were checked in exact fractions, and its sums by a roll-up of every condition; where
        limits are impossible the best attempt, the limits that clash, and what would help.

    Raises
    ------
    FindingsError
        The table has errors, or limits, places or removable items have faults: all of them are listed.
    UsageError
        An unknown keyword, no mass or centre of the table, or SciPy (extra ``ballast``) is not installed.

    Notes
    -----
    Centres are a linear or integer programme, whose answer is the least; with limits of inertia the answer is a local
    optimum of successive programmes: docs/internals/numerical_methods.md.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> inertia = {"Ixx": 40.0, "Iyy": 50.0, "Izz": 60.0, "Ixy": 0.0, "Ixz": -1.3, "Iyz": 0.8, "POIconv": "-"}
    >>> rotor = {"id": "rotor", "mass": 500.0, "Cx": 0.004, "Cy": -0.007, "Cz": 0.0, **inertia}
    >>> answer = ballast(Bom.from_records([rotor]), planes="-0.6,1.1")
    >>> [round(x, 6) for x in answer.planes.unbalances[0]]
    [-0.529412, 1.794118]
    """
    check_own_keywords(unknown, ballast)
    result = table if isinstance(table, Result) else rollup(bom_from(table, "table"))
    if isinstance(sigma, bool) or not isinstance(sigma, int | float) or not isfinite(sigma) or sigma < 0:
        raise UsageError(f"sigma is not a number of 0 or more: {sigma}")
    findings = Findings()
    if planes:
        if to or at is not None or remove:
            raise UsageError("planes are balanced without limits, places and removable items: omit to, at and remove")
        return _balanced(result, planes, findings)
    results = conditions or {_TABLE_CONDITION: result}
    rolled = [_condition(one, name) for name, one in results.items()]
    limits = inputs.read_ballast_limits([to] if isinstance(to, str) else [*to], result.bom, findings)
    if at is None:
        findings.report("MP671", "no places are given (a table of points)", Place("--at"))
    points = [] if at is None else inputs.read_ballast_points(at, result.bom, findings)
    names, bodies = (
        [remove] if isinstance(remove, str) and remove else [*remove],
        (result.predicted or result.rollup).bodies,
    )
    removable = inputs.read_removable_items(names, result.bom, bodies, findings)
    for limit in limits if sigma else ():
        for name, one in results.items():
            center, tensor = one.root.sigma_center, one.root.sigma_inertia
            a, b = ("xyz".index(axis) for axis in ("x" + limit.quantity)[-2:].replace("C", "x"))
            known = center[b] if limit.quantity[0] == "C" and center is not None else np.nan
            if limit.quantity[0] != "C" and tensor is not None:
                known = tensor[a, b] + (tensor[a, a] + tensor[b, b] if limit.quantity[0] == "t" else 0.0)
            if one.rollup.covariances is None or not isfinite(known):
                message, remedy = f"sigma of {limit.quantity} is not known: {name}", "state sigmas in the table"
                findings.report("MP670", message, Place("--sigma"), remedy=remedy)
    if findings.has_errors:
        raise FindingsError(findings)
    _require_scipy()
    problem = BallastProblem(rolled, limits, points, removable, float(sigma))
    return _ballast_of(problem, solve_ballast(problem), result, findings)


show_keywords(ballast)


def _ballast_of(problem: BallastProblem, answer: BallastAnswer, result: Result, findings: Findings) -> Ballast:
    """Return the answer in the terms of the table, checked by a roll-up of every condition."""
    amounts = answer.attempt if answer.amounts is None else answer.amounts
    amounts = np.zeros(len(problem.most)) if amounts is None else amounts
    problem.check_by_rollup(amounts)
    placed = [
        BallastMass(p.name, x * (p.piece or 1.0), round(x) if p.piece else None, p.center, p.parent)
        for p, x in zip(problem.points, amounts.tolist(), strict=False)
        if x > 0
    ]
    removed = [
        BallastMass(one.name, -x * one.mass, None if one.takes_all else round(x), one.center)
        for one, x in zip(problem.removable, amounts[len(problem.points) :].tolist(), strict=True)
        if x > 0
    ]
    effects = []
    for found in problem.outcomes(amounts):
        limit, one = problem.limits[found.limit], problem.conditions[found.condition]
        size = limit.size
        low, high = sorted((limit.low / size, limit.high / size))
        low = -high if limit.quantity.startswith("tilt") else low
        sigma = None if found.sigma is None else found.sigma / abs(size)
        numbers = (found.before / size, found.after / size, sigma, low, high, found.miss / abs(size))
        effects.append(BallastEffect(one.name, limit.quantity, limit.text, limit.unit, *numbers))
    several = len(problem.conditions) > 1
    clash = {(row.limit, row.condition if several else -1) for row in answer.clash}
    names = [
        f"{problem.limits[j].text} in {problem.conditions[k].name}" if several else problem.limits[j].text
        for j, k in sorted(clash)
    ]
    first = problem.conditions[0]
    center = first.center + problem.first_moment(0, amounts) / problem.mass(0, amounts)
    made = Ballast(
        result,
        "basic" if result.predicted is None else "predicted",
        answer.status,
        {one.name: (one.mass, problem.mass(k, amounts)) for k, one in enumerate(problem.conditions)},
        tuple(placed),
        tuple(removed),
        tuple(effects),
        tuple(center.tolist()),
        tuple(names),
        _help_texts(answer.help, result),
    )
    if not made.is_possible:
        findings.report("MP673", _miss_message(made, several), Place("--to"), remedy="; ".join(made.help) or None)
    return replace(made, findings=(*result.findings, *findings))


def _miss_message(made: Ballast, several: bool) -> str:
    """Return what is impossible, and by how much the best attempt misses."""
    missed = [(one, f"{one.quantity} by {one.miss:.6g} {one.unit}".rstrip()) for one in made.effects if one.miss]
    words = [f"{text} in {one.condition}" if several else text for one, text in missed]
    attempt = f"the best attempt misses {name_series(words)}" if words else "the best attempt is not exact"
    if made.status == "not found":
        return f"no ballast was found that keeps the limits; a local search proves nothing; {attempt}"
    together = " together" if len(made.clash) > 1 else ""
    return f"limits cannot be kept{together}: {name_series(made.clash)}; {attempt}"


def _help_texts(helps: Sequence[BallastHelp], result: Result) -> tuple[str, ...]:
    """Return what would help, in the units of the table."""
    units, found, places = result.bom.units, list[str](), list[str]()
    for one in helps:
        value, limit = (f"{x:.6g} {units.length if one.kind == 'place' else units.mass}".rstrip() for x in one[2:])
        if one.kind == "mass":
            found.append(f"more mass at {one.name}: {value} in place of {limit}")
        elif one.kind == "pieces":
            found.append(f"smaller pieces: {value} in pieces of any size is enough")
        else:
            places.append(f"{one.name} {'below' if one.limit > 0 else 'above'} {value}")
    return (*found, *([f"a place with {' and '.join(places)}"] if places else []))


def _balanced(result: Result, text: str, findings: Findings) -> Ballast:
    """Return the balance of a spinning body in two planes."""
    one = _condition(result, _TABLE_CONDITION)
    try:
        axis, ends = inputs.read_balance_planes(text, result.bom)
        if one.inertia is None:
            raise UsageError("balancing needs the tensor of inertia, which is not known")
    except UsageError as error:
        findings.report("MP670", str(error), Place("--planes"), value=text)
        raise FindingsError(findings) from None
    basis, masses = "basic" if result.predicted is None else "predicted", {one.name: (one.mass, one.mass)}
    planes = balance_planes(one, axis, ends)
    return Ballast(result, basis, "balance", masses, findings=result.findings, planes=planes)
