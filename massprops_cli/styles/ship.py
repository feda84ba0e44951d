"""Ships: displacement, moments, free surfaces, lightship and deadweight, stability, draughts, trim and list."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from massprops_cli.bom.configuration_file import toml_tables
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import Findings, MasspropsError
from massprops_cli.rollups.inputs import NO_LABEL
from massprops_cli.styles.style import (
    AXIS_KEYS,
    LENGTH,
    MASS,
    MOMENT,
    Axes,
    StyleRequest,
    StyleRows,
    StyleTable,
    inherited_texts,
)

_ORIGINS, _PARTS = ("datum", "centreline", "baseline"), ("lightship", "additions", "deductions")
_KEYS = (*AXIS_KEYS, *_ORIGINS, *_PARTS, "by", "hydrostatics", "lpp", "ap", "fsm-column")
_CURVES = {
    "displacement": (r"displacement|disp\.?", MASS),
    "draught": (r"draught|draft|t", LENGTH),
    "KM": (r"kmt?", LENGTH),
    "LCB": (r"lcb", LENGTH),
    "LCF": (r"lcf", LENGTH),
    "MCT": (r"mctc?|mtc|mti", MASS),  # a moment for a length of trim
}
"""Columns of hydrostatics: their headings, and the dimensions of their units."""
_HEADING = re.compile(r"(?P<name>.*?)\s*(?:[\[(](?P<unit>[^\])]*)[\])])?\s*")  # ``KM [m]``
_LIGHT, _DEAD, _ALL = "lightship, corrected", "deadweight", "displacement"


def ship_tables(request: StyleRequest) -> list[StyleTable]:
    """Lay out the summary of conditions, and the weights of each (docs/formulas.md, section 15)."""
    keys, (mass, length, moment) = request.keys, request.units
    keys.check(_KEYS, keys.values)
    axes = keys.axes(("forward", "port", "up"), _ORIGINS, ("up",))
    lpp, ap = keys.positive("lpp", LENGTH), keys.number("ap", LENGTH, 0.0)
    curves = _read_hydrostatics(request) if "hydrostatics" in keys.values else {}
    surfaces = [_free_surfaces(request, name, axes) for name in request.results]
    surface = np.array([sum(one.values()) for one in surfaces], float)
    rows = request.totals(axes)
    table, rise = StyleTable("summary", request.head, rows, is_tall=True), surface / rows.number(0)
    table.notes.append(axes.note(length))
    table.add(_ALL, mass, rows.number(0))
    table.add(f"LCG {axes.words[0]}", length, rows.number(1))
    table.add(f"TCG {axes.words[1]}", length, rows.number(2))
    table.add("KG", length, rows.number(3))
    if surface.any():
        table.add("FSM", moment, surface)
        table.add("KG corrected", length, rows.number(3) + rise)
        table.notes.append("KG corrected = KG + Σ FSM / displacement")
    table.notes += ["tanks count in conditions only"] * bool(request.first.bom.options.tanks and not request.conditions)
    if curves:
        _add_stability(table, request, axes, {**curves, "rise": rise}, (lpp, ap))
    return [table, *(_weights(request, name, axes, one) for name, one in zip(rows.labels, surfaces, strict=True))]


def _free_surfaces(request: StyleRequest, name: str, axes: Axes) -> dict[str, float]:
    """Return free-surface moments, mass × length, of the items of a state: of tanks, and of a column."""
    keys, bom, found = request.keys, request.results[name].bom, dict[str, float]()
    for tank, liquid in request.liquids(name):
        moment = liquid.free_surface_moment(np.eye(3)[axes.axes[0]])
        if moment is None:
            text = f"{name}: free surface of tank {tank.name} is not known, because a table states the tank"
            keys.report("MP654", "", text, "state its moment in the column fsm-column")
        found[tank.item] = found.get(tank.item, 0.0) + (moment or 0.0) * tank.count
    found = {item: moment for item, moment in found.items() if moment}
    heading, column = str(keys.values.get("fsm-column", "")), keys.column("fsm-column", bom)
    match, count = _HEADING.fullmatch(heading), bom.tree.path_quantities(bom.quantity).count
    unit = "" if match is None else match["unit"] or ""
    for i in (i for i in np.flatnonzero(bom.tree.is_leaf() & (count != 0)).tolist() if column[i].strip()):
        value = keys.number("fsm-column", MOMENT, value=f"{column[i]} {unit}".strip())
        if value < 0 or (value and bom.ids[i] in found):
            words = "is negative" if value < 0 else "is stated, and its tank has one"
            keys.report("MP651", "fsm-column", f"free-surface moment of {bom.ids[i]} {words}", "correct the cell")
        elif value:
            found[bom.ids[i]] = value * float(count[i])
    return found


def _interpolated(x: Any, at: Any, values: Any) -> Any:
    """Return a table at x, linearly interpolated: values (t,) at ascending places (t,)."""
    k = np.clip(np.searchsorted(at, x.real, "right") - 1, 0, len(at) - 2)
    return values[k] + (values[k + 1] - values[k]) / (at[k + 1] - at[k]) * (x - at[k])


def _add_stability(
    table: StyleTable, request: StyleRequest, axes: Axes, curves: Mapping[str, Any], perpendiculars: tuple[float, float]
) -> None:
    """Add KM, GM, draughts, trim and list; a displacement outside the hydrostatics is reported."""
    keys, length, rows, at = request.keys, request.units[1], table.rows, curves[_ALL]
    for name, value in zip(rows.labels, rows.values[:, 0].tolist(), strict=True):
        if not at[0] <= value <= at[-1]:
            message = f"{name}: displacement {value:.6g} is outside the hydrostatics, {at[0]:.6g} to {at[-1]:.6g}"
            keys.report("MP653", "hydrostatics", f"{message} {request.units[0]}".rstrip())
    found = {name: _interpolated(rows.number(0), at, values) for name, values in curves.items() if name in _CURVES}
    gm = found["KM"] - rows.number(3) - curves["rise"]
    table.add("KM", length, found["KM"])
    table.add("GM", length, gm)
    heel = np.where(gm.real > 0, np.arctan(rows.number(2) / gm), np.nan)
    table.add(f"list to {axes.words[1]}", "deg", 180 / np.pi * heel)
    table.notes += ["GM = KM − KG corrected, tan list = TCG / GM; curves are interpolated linearly by displacement"]
    for k in np.flatnonzero(gm[0].real <= 0).tolist():
        message = f"{rows.labels[k]}: GM is not positive: {gm[0].real[k]:.4g} {length}"
        keys.report("MP654", "hydrostatics", message.rstrip())
    if "draught" in found:
        table.add("draught", length, found["draught"])
    if "LCB" not in found or "MCT" not in found:
        return
    (lpp, ap), aft = perpendiculars, 1.0 if axes.words[0] == "aft" else -1.0
    trim = rows.number(0) * (rows.number(1) - found["LCB"]) * aft / found["MCT"]
    table.add("trim by stern", length, trim)
    table.notes += ["trim = displacement (LCG − LCB) / MCT; LCB and LCF in the axis of LCG"]
    if np.isfinite(lpp) and "LCF" in found and "draught" in found:
        share = (ap - found["LCF"]) * aft / lpp  # of the trim that is aft of the centre of flotation
        table.add("draught aft", length, found["draught"] + trim * share)
        table.add("draught forward", length, found["draught"] + trim * (share - 1))
        table.notes += [f"draughts at perpendiculars, Lpp {lpp:g}, the aft one at {ap:g} {length}".rstrip()]


def _read_hydrostatics(request: StyleRequest) -> dict[str, Any]:
    """Read the curves, each with its unit, from a csv or toml file or from the key; empty after a finding."""
    keys = request.keys
    given = keys.values["hydrostatics"]
    path = Path(keys.stated.path).parent / str(given)
    try:
        if isinstance(given, dict) or path.suffix == ".toml":
            read = given if isinstance(given, dict) else toml_tables(path.read_text("utf-8-sig"))
            columns = {str(name): list(values) for name, values in read.items() if isinstance(values, list)}
        else:
            rows = read_file_table(str(path), FileOptions(), None, Findings())
            cells = [[*rows.row(i)] for i in range(rows.n_rows) if any(map(str.strip, rows.row(i)))]
            columns = {name: [row[j] for row in cells[1:]] for j, name in enumerate(cells[0])}
    except (MasspropsError, OSError, ValueError, IndexError) as error:
        keys.report("MP651", "hydrostatics", f"hydrostatics cannot be read: {given}: {error}", "correct the file")
        return {}
    found = dict[str, Any]()
    for heading, values in columns.items():
        match = _HEADING.fullmatch(heading.strip())
        bare, unit = ("", "") if match is None else (match["name"].lower(), match["unit"] or "")
        for name, (pattern, dimension) in _CURVES.items():
            if re.fullmatch(pattern, bare):
                numbers = [keys.number("hydrostatics", dimension, value=f"{one} {unit}".strip()) for one in values]
                found[name] = np.array(numbers)
    weights = found.get(_ALL, np.zeros(1))
    if {*map(len, found.values())} != {len(weights)} or "KM" not in found or not (np.diff(weights) > 0).all():
        message = f"hydrostatics lack KM, or displacements that increase: columns {', '.join(columns) or 'none'}"
        keys.report("MP650", "hydrostatics", message, 'write the columns "displacement [t]" and "KM [m]"')
        return {}
    return found


def _weights(request: StyleRequest, name: str, axes: Axes, surface: Mapping[str, float]) -> StyleTable:
    """Return lightship, additions and deductions, every deadweight item, and the displacement of a state."""
    keys, result, (mass, length, moment) = request.keys, request.results[name], request.units
    bom, kinds = result.bom, dict[str, str]()
    texts = keys.column("by", bom, "level:1")
    light = [_DEAD] + [""] * (len(bom) - 1) if result.root_item == 0 else [""] * len(bom)
    for key, sign in zip(_PARTS, ("", "+ ", "− "), strict=True):
        for item in keys.items(key, bom):
            label = f"{sign}{bom.ids[item]}" if sign else key
            kinds[label] = key
            for k in bom.tree.descendants(item).tolist():
                texts[k], light[k] = label, _LIGHT
    each, halves = request.groups(result, texts, axes), request.groups(result, light, axes)
    for label, key in kinds.items():
        value = float(each[label].values[0, 0]) if label in each else 0.0
        if (key == "additions" and value < 0) or (key == "deductions" and value > 0):
            message = f"{label[2:]} is in {key} and {'removes' if value < 0 else 'adds'} {abs(value):g} {mass}".rstrip()
            keys.report("MP651", key, message, "name it in the other key, or give a deduction the quantity -1")
    first = [label for label in kinds if label in each]
    rows = [(label, each[label]) for label in first]
    rows += [(_LIGHT, halves[_LIGHT])] if len(first) > 1 else []
    rows += [(label, one) for label, one in each.items() if label not in kinds]
    rows += [(_DEAD, halves[label]) for label in (_DEAD, NO_LABEL) if first and label in halves]
    total = axes.moments([_ALL], [(result, result.root_item)])
    joined = StyleRows.joined([*rows, (_ALL, total)])
    sums, own = dict.fromkeys(joined.labels, 0.0), inherited_texts(bom, texts)
    for name_of_item, value in surface.items():
        label = own[bom.item(name_of_item)]
        for one in {label, _ALL, _LIGHT if label in kinds else _DEAD} & {*sums}:
            sums[one] += value
    levels = [0 if label in (_LIGHT, _DEAD, _ALL) else 1 for label in joined.labels]
    table = StyleTable(f"weights {name}", "weight", joined, levels, is_detail=request.conditions is not None)
    table.add("mass", mass, joined.number(0))
    for k, letter in enumerate("LTV"):
        table.add(f"{letter}CG {axes.words[k]}", length, joined.number(k + 1))
        table.add(f"{letter} moment", moment, joined.number(0) * joined.number(k + 1))
    if surface:
        table.add("FSM", moment, np.array([*sums.values()]))
    return table
