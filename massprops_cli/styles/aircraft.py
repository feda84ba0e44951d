"""Aircraft: weight, arm, moment, % MAC and index of conditions, and the group weight statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from massprops_cli.bom.configuration_file import toml_tables
from massprops_cli.findings.finding import count_with_noun, name_list
from massprops_cli.rollups.inputs import NO_LABEL
from massprops_cli.styles.style import (
    AXIS_KEYS,
    LENGTH,
    MOMENT,
    RATIO,
    Axes,
    StyleRequest,
    StyleRows,
    StyleTable,
    inherited_texts,
)

_DATA = files("massprops_cli.styles").joinpath("weight_groups.toml")
_SECTIONS: dict[str, list[str]] = toml_tables(_DATA.read_text("utf-8"))
_SECTION_OF = {group: section for section, groups in _SECTIONS.items() for group in groups}
_ROLES = {
    "empty": r"empty|oew|bew|oem|dow|dom|operating",
    "zero-fuel": r"zero fuel|zfw|zfm",
    "landing": r"landing|ldw|mlw|law",
    "take-off": r"take ?off|tow|tom|togw|mtow|gross",
}
"""Words in the names of conditions, the lightest first."""
_INDEX = ("index-c", "index-datum", "index-k")
_KEYS = (*AXIS_KEYS, "datum", "mac", "lemac", *_INDEX, "conditions", "groups", "group-column")


class _Scales(NamedTuple):
    """The chord and the constants of the index, NaN where not stated."""

    mac: float
    lemac: float
    C: float
    datum: float
    K: float

    def add_columns(self, table: StyleTable, request: StyleRequest, *, K: Any, has_chord: bool = True) -> None:
        """Add weight, arm, moment, % MAC and index; K (k,) is 0 for rows that are added items."""
        (mass, length, moment), rows = request.units, table.rows
        weight, arm = rows.number(0), rows.number(1)
        table.add("weight", mass, weight)
        table.add("arm", length, arm)
        table.add("moment", moment, weight * arm)
        if has_chord and np.isfinite([self.mac, self.lemac]).all():
            table.add("%MAC", "%", 100 * (arm - self.lemac) / self.mac)
        if np.isfinite(self[2:]).all():
            table.add("index", "", weight * (arm - self.datum) / self.C + K)


def aircraft_tables(request: StyleRequest) -> list[StyleTable]:
    """Lay out the conditions, and of a roll-up with groups the weight statement (docs/formulas.md, section 15)."""
    keys = request.keys
    keys.check(_KEYS, keys.values)
    axes = keys.axes(("aft", "right", "up"), ("datum", "", ""), ("aft", "right", "up"))
    numbers = keys.number("index-c", MOMENT), keys.number("index-datum", LENGTH), keys.number("index-k", RATIO, 0.0)
    scales = _Scales(keys.positive("mac", LENGTH), keys.number("lemac", LENGTH), *numbers)
    if scales.C == 0:
        keys.report("MP651", "index-c", "index-c is 0", "write the divisor of the index, such as index-c = 65000")
    examples = {"mac": '"134.5 in"', "lemac": '"625.6 in"', "index-datum": '"648.5 in"', "index-c": "65000"}
    for key, having in (("mac", "lemac"), ("lemac", "mac"), _INDEX[1::-1], _INDEX[:2], _INDEX[::2]):
        keys.require(key, examples[key], having)
    roles, (names, values, covariance) = _roles(request), request.totals(axes)
    order = sorted(range(len(roles)), key=lambda k: [*_ROLES, ""].index(roles[k]))
    rows = StyleRows([names[k] for k in order], values[order], covariance[order])
    table = StyleTable("conditions", request.head, rows)
    table.texts |= {"role": [roles[k] for k in order]} if any(roles) else {}
    scales.add_columns(table, request, K=scales.K)
    _check_values(request, table)
    length, unit = request.units[1], f" {request.units[1]}".rstrip()
    table.notes += [axes.note(length), "arm: of the CG, aft of the datum; moment = weight × arm"]
    table.notes.append(f"%MAC = 100 (arm − LEMAC) / MAC, LEMAC {scales.lemac:g}{unit}, MAC {scales.mac:g}{unit}")
    if not np.isfinite([scales.mac, scales.lemac]).all():
        table.notes[-1] = "without %MAC: state mac and lemac"
    if np.isfinite(scales[2:]).all():
        table.notes.append(f"index = weight (arm − {scales.datum:g}{unit}) / {scales.C:g} + {scales.K:g}")
    has_groups = request.conditions is None and not {"groups", "group-column"}.isdisjoint(keys.values)
    return [table, *(_group_statements(request, axes, scales) if has_groups else [])]


def _roles(request: StyleRequest) -> list[str]:
    """Return the role of each condition, by the key or by words of its name; empty for others."""
    keys, stated = request.keys, request.keys.table("conditions")
    keys.check(_ROLES, stated, "conditions")
    if request.conditions is None:
        return [""]
    keys.check([one.name for one in request.conditions.conditions], map(str, stated.values()), "conditions")
    roles = {str(name): role for role, name in stated.items() if role in _ROLES}
    for name in request.results:
        bare = re.sub(r"[\W_]+", " ", name.lower())
        words = (role for role, word in _ROLES.items() if role not in stated and re.search(rf"\b({word})\b", bare))
        roles.setdefault(name, next(words, ""))
    return [roles[name] for name in request.results]


def _check_values(request: StyleRequest, table: StyleTable) -> None:
    """Report centres outside the chord, and weights in another order than their roles."""
    percents = table.columns["%MAC"][1] if "%MAC" in table.columns else np.zeros(1)
    for k in np.flatnonzero((percents < 0) | (percents > 100)).tolist():
        message = f"{table.rows.labels[k]}: CG is at {percents[k]:.1f} % MAC, outside the chord"
        request.keys.report("MP654", "lemac", message)
    weights = dict(zip(table.texts.get("role", ()), table.rows.values[:, 0].tolist(), strict=False))
    for light, heavy in pairwise(role for role in _ROLES if role in weights):
        if weights[light] > weights[heavy] * (1 + 1e-12):  # rounding of sums
            message = f"{light} weighs more than {heavy}: {weights[light]:g} and {weights[heavy]:g}"
            request.keys.report("MP654", "conditions", message, "state the conditions of the roles")


def _groups_of_items(request: StyleRequest) -> list[str]:
    """Return the group (n,) of every item: by the key, by a column, or that of the item above it."""
    keys, bom = request.keys, request.first.bom
    texts = [""] * len(bom)
    for name, value in keys.table("groups").items():
        for item in keys.items("groups", bom, value):
            if texts[item]:
                keys.report("MP652", "groups", f"{bom.ids[item]} is in two groups: {texts[item]} and {name}")
            texts[item] = name
    column = keys.column("group-column", bom)
    bare = [re.sub(r"[-_\s]+", " ", own or text).strip().lower() for own, text in zip(texts, column, strict=True)]
    keys.check(_SECTION_OF, dict.fromkeys(filter(None, bare)), "groups" if "groups" in keys.values else "group-column")
    whole = inherited_texts(bom, bare)
    leaves = np.flatnonzero(bom.tree.end_items(bom.stated) & (bom.tree.path_quantities(bom.quantity).count != 0))
    if rest := [bom.ids[i] for i in leaves.tolist() if whole[i] == NO_LABEL]:
        keys.report("MP655", "groups", f"{count_with_noun(len(rest), 'item')} without a group: {name_list(rest, 5)}")
    return whole


def _group_statements(request: StyleRequest, axes: Axes, scales: _Scales) -> list[StyleTable]:
    """Return the group weight statement: groups, sections, weight empty, useful load, take-off gross weight."""
    texts = _groups_of_items(request)
    sections = [_SECTION_OF.get(text, text) for text in texts]
    empty = ["useful load" if text in ("useful load", NO_LABEL) else "weight empty" for text in sections]
    found: list[Mapping[str, StyleRows]] = [
        request.groups(request.first, one, axes) for one in (texts, sections, empty)
    ]
    rows: list[tuple[int, str, Mapping[str, StyleRows]]] = []
    for section, groups in _SECTIONS.items():
        rows += [(2, one, found[0]) for one in groups if len(groups) > 1]
        rows.append((1, section, found[1]))
        rows += [(0, "weight empty", found[2])] if section == "empty weight allowance" else []
    rows = [(level, label, own) for level, label, own in (*rows, (1, NO_LABEL, found[0])) if label in own]
    gross = "take-off gross weight", request.totals(axes)
    joined = StyleRows.joined([*((label, own[label]) for _, label, own in rows), gross])
    levels = [*(level for level, _, _ in rows), 0]
    table = StyleTable("groups", "group", joined, levels)
    scales.add_columns(table, request, K=np.where(np.array(levels) == 0, scales.K, 0.0), has_chord=False)
    table.notes.append("groups in the order of MIL-STD-1374A, part I")
    table.notes += ["index of groups and sections without K"] * bool(np.isfinite(scales[2:]).all())
    return [table]
