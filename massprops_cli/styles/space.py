"""Spacecraft: basic, growth and predicted mass, dry and wet, system margin, limit and margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.findings.finding import count_with_noun, name_list
from massprops_cli.rollups.inputs import NO_LABEL
from massprops_cli.styles.style import MASS, RATIO, Axes, Floats, StyleRequest, StyleRows, StyleTable, inherited_texts

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result

_KEYS = ("propellant", "system-margin", "residual", "limit", "limit-of", "margin-over")
_AXES = Axes([0, 1, 2], [1.0] * 3, [0.0] * 3, ["x", "y", "z"], [True] * 3)
_GROUPS = (NO_LABEL, "propellant")


def space_tables(request: StyleRequest) -> list[StyleTable]:
    """Lay out the mass budget of each state, from basic dry to wet (docs/formulas.md, section 15)."""
    keys, mass = request.keys, request.units[0]
    keys.check(_KEYS, keys.values)
    system, residual = (keys.number(key, RATIO, 0.0) / 100 for key in ("system-margin", "residual"))
    limit, of = keys.positive("limit", MASS), str(keys.values.get("limit-of", "wet"))
    over = str(keys.values.get("margin-over", "predicted"))
    keys.check(("wet", "dry"), [of], "limit-of")
    keys.check(("predicted", "basic", "limit"), [over], "margin-over")
    states = [_dry_and_propellant(request, name, one) for name, one in request.results.items()]
    masses, covariance, growth = (np.array(column) for column in zip(*states, strict=True))
    rows = StyleRows([*request.results], masses, covariance)
    basic_dry, basic_propellant = rows.number(0), rows.number(1)
    dry, propellant = (basic + np.nan_to_num(growth[:, k]) for k, basic in enumerate((basic_dry, basic_propellant)))
    table, name = StyleTable("budget", request.head, rows, is_tall=True), "basic dry"
    table.add(name, mass, basic_dry)
    if np.isfinite(growth).any():
        table.add("growth (MGA)", mass, growth[:, 0])
        table.add("growth share", "%", np.asarray(100 * growth[:, 0] / masses[:, 0]))
        table.add(name := "predicted dry", mass, dry)
        table.notes.append("predicted = basic + growth, growth = Σ mass × percentage of each part")
    if system:
        table.add(f"system margin {100 * system:g} %", mass, dry * system)
        table.notes.append(f"system margin = {100 * system:g} % of {name}, without propellant and its residual")
        dry = dry * (1 + system)
        table.add(name := "dry with margin", mass, dry)
    table.add("propellant", mass, propellant)
    if residual:
        table.add(f"residual {100 * residual:g} %", mass, propellant * residual)
    wet = dry + propellant * (1 + residual)
    table.add("wet", mass, wet)
    if np.isfinite(limit):
        name, held, basic = ("wet", wet, basic_dry + basic_propellant) if of == "wet" else (name, dry, basic_dry)
        table.add(f"limit of {of}", mass, np.full(len(states), limit))
        table.add("margin", mass, limit - held)
        left = np.real(np.asarray(limit - held)).reshape(len(states), -1)[:, 0]
        if over_limit := [one for one, mass_left in zip(request.results, left, strict=True) if mass_left < 0]:
            message = f"{name} is above the limit of {of}: {name_list(over_limit)}"
            keys.report("MP654", "limit", message, "reduce the mass")
        table.add("margin share", "%", 100 * (limit - held) / {"basic": basic, "limit": limit}.get(over, held))
        words = {"basic": f"basic {of}", "limit": "limit"}.get(over, name)
        table.notes.append(f"margin share = 100 (limit − {name}) / {words}")
    liquids = {tank.name for state in request.results for tank, _ in request.liquids(state)}
    words = f"liquids of tanks are propellant: {', '.join(sorted(liquids))}" if liquids else "wet is dry"
    table.notes += ["σ are those of basic masses", *([words] if liquids or "propellant" not in keys.values else [])]
    return [table]


def _dry_and_propellant(request: StyleRequest, name: str, result: Result) -> tuple[list[float], Floats, list[float]]:
    """Return masses (4,) dry and of propellant, two 0, their covariance (4, 4), and their growth in mass, NaN: none."""
    bom, tanks = result.bom, request.liquids(name)
    items = {*request.keys.items("propellant", bom), *(bom.item(tank.item) for tank, _ in tanks if tank.replaces)}
    texts = ["propellant" if i in items else "" for i in range(len(bom))]
    groups = request.groups(result, texts, _AXES)
    zero = StyleRows([""], np.zeros((1, 4)), np.zeros((1, 4, 4)))
    (m, v), (p, w) = ((one.values[0, 0], one.covariance[0, 0, 0]) for one in (groups.get(g, zero) for g in _GROUPS))
    added = sum(tank.count * liquid.mass for tank, liquid in tanks if not tank.replaces)
    covariance = np.zeros((4, 4))
    whole = _AXES.moments([""], [(result, result.root_item)]).covariance[0, 0, 0]
    covariance[:2, :2] = [[v, (whole - v - w) / 2], [(whole - v - w) / 2, w]]  # 0 between independent parts
    is_propellant = np.array(inherited_texts(bom, texts)) == "propellant"
    return [m - added, p + added, 0.0, 0.0], covariance, _growths(request, result, is_propellant)


def _growths(request: StyleRequest, result: Result, is_propellant: Any) -> list[float]:
    """Return the growth of dry mass and of propellant, NaN without growth; that of some parts may not be known."""
    bom, grown, share = result.bom, result.predicted, result.bom.growth
    if grown is None or share is None:
        return [np.nan, np.nan]
    count, mass = bom.tree.path_quantities(bom.quantity).count, result.rollup.bodies.mass
    is_end = bom.tree.end_items(bom.stated) & (count != 0)
    if len(unknown := np.flatnonzero(is_end & ~is_propellant & np.isnan(share) & (mass != 0))):
        words = f"{count_with_noun(len(unknown), 'part')} without growth, such as {bom.ids[unknown[0]]}"
        request.keys.report("MP655", "", f"{words}; predicted masses are lower bounds", "state growth or maturity")
    more = np.where(is_end & np.isfinite(share), count * (grown.bodies.mass - mass), 0.0)
    return [float(more[~is_propellant].sum()), float(more[is_propellant].sum())]
