"""A result as plain JSON values, its review table, and the results in addition to the ten quantities."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import VERSION, room_function
from massprops_cli.bom.items import result_columns
from massprops_cli.bom.items.item_rows import group_texts, is_level
from massprops_cli.rollups.inputs import NO_LABEL, SAMPLED_RESULTS as SAMPLED
from massprops_cli.tables.account import limit_of_heading

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result

_Floats = NDArray[np.float64]
PRINCIPAL_NAMES = ("principal_1", "principal_2", "principal_3")
SIGMA_PRINCIPAL_NAMES = ("sigma_principal_1", "sigma_principal_2", "sigma_principal_3")
ABOUT_NAMES = tuple(f"{prefix}about_{name}" for prefix in ("", "sigma_") for name in result_columns.INERTIA.columns)
"""Tensor about the point of ``--about``, and its sigmas."""
_POINT_NAMES = ("about_x", "about_y", "about_z")
AXIS_NAMES = tuple(f"axis_{k}{a}" for k in (1, 2, 3) for a in "xyz")
COVERAGE_NAMES = ("coverage_leaves", "coverage_mass", "coverage_center", "coverage_inertia")
_SIGMA_NAMES = tuple(
    name for quantity_set in result_columns.QUANTITY_SETS if quantity_set.is_sigma for name in quantity_set.columns
)
PREDICTED_PREFIX = "predicted_"  # before the name of a quantity that includes growth: ``predicted_mass``
ALLOWANCE_NAMES = ("allowance_percent", "allowance_mass")
_PREDICTED_NAMES = tuple(PREDICTED_PREFIX + name for name in ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz"))
"""What ``--add growth`` adds to the allowance; products, whose sign is each row's own, are in reports."""
SHARE_PREFIX = "share_"  # prefix of the method of a mass: ``share_estimated``
_GROUP_HEADING = (
    r"((sub|main|work)[ -]?)?(system|group|category|discipline|department|module|element|segment|package|trade)s?"
    r"|(sub)?categories|(bau|haupt|unter)?gruppe|teilsystem|(sous-)?syst[eè]me|groupe|(sub)?sistema|grupo"
)
_SUMMED = ("mass", *ALLOWANCE_NAMES[1:], "predicted_mass", "share", "change")  # columns of a review that add up
LIMIT_NAMES = ("limit", "margin", "margin_percent")
_Rows = tuple[list[tuple[str, ...]], dict[str, _Floats]]  # labels (k) and columns (k + 1,)
_MEAN_NAMES = tuple(f"mean_{name}" for name in SAMPLED)


def derived_names(result: Result) -> list[tuple[str, tuple[str, ...]]]:
    """List the results of each group of ``--add``, in the order of their columns."""
    return [
        ("radii", result_columns.RADII),
        ("sigma", (*_SIGMA_NAMES, *result_columns.SIGMA_RADII)),
        ("principal", (*PRINCIPAL_NAMES, *SIGMA_PRINCIPAL_NAMES, *AXIS_NAMES)),
        ("coverage", (*COVERAGE_NAMES, *(SHARE_PREFIX + word for word in result.shares_of_mass))),
        ("rho", tuple(result_columns.CORRELATIONS)),
        ("about", (*_POINT_NAMES, *ABOUT_NAMES)),
        ("growth", (*ALLOWANCE_NAMES, *_PREDICTED_NAMES)),
    ]


def derived_column(result: Result, name: str) -> _Floats | None:
    """Compute one result (n,) of every item (docs/formulas.md, sections 2 to 6 and 10); None if not computed."""
    if name in (*COVERAGE_NAMES, *_POINT_NAMES, *ABOUT_NAMES):
        return result.coverage_column(name) if name in COVERAGE_NAMES else _about_column(result, name)
    if name.startswith(SHARE_PREFIX):
        return result.shares_of_mass.get(name.removeprefix(SHARE_PREFIX))
    if name in (*PRINCIPAL_NAMES, *SIGMA_PRINCIPAL_NAMES, *AXIS_NAMES):
        return _principal_column(result, name)
    if name in ALLOWANCE_NAMES:
        return _allowance_column(result, name)
    if name.startswith(PREDICTED_PREFIX):
        return _predicted_column(result, name.removeprefix(PREDICTED_PREFIX))
    return result_columns.item_quantity_values(result.rollup, name)


def _principal_column(result: Result, name: str) -> _Floats | None:
    """Return principal moments, their sigmas, or parts of their axes; None without tensors, or without sigmas."""
    if result.rollup.bodies.inertia is None:
        return None
    if name in PRINCIPAL_NAMES:
        return result.principal.moments[:, PRINCIPAL_NAMES.index(name)]
    if name in AXIS_NAMES:
        return result.principal.axes.reshape(-1, 9)[:, AXIS_NAMES.index(name)]
    sigmas = result.principal_sigmas
    return None if sigmas is None else sigmas[:, SIGMA_PRINCIPAL_NAMES.index(name)]


def _about_column(result: Result, name: str) -> _Floats | None:
    """Return the point, the tensors about it, or their sigmas; blank in columns of an earlier run without a point."""
    if result.about is None:
        return np.full(len(result.bom), np.nan)
    if name in _POINT_NAMES:
        return np.full(len(result.bom), result.about[_POINT_NAMES.index(name)])
    values = result.tensors_about[:, ABOUT_NAMES.index(name)]
    return None if is_sigma_name(name) and result.rollup.sigmas is None else values


def _predicted_column(result: Result, quantity: str) -> _Floats | None:
    """Return the predicted values of every item; None without growth."""
    # over the parts whose mass is known; NaN where the growth of such a part is not known
    if result.predicted is None:
        return None
    values = result_columns.item_quantity_values(result.predicted, quantity)
    known = result.predicted.coverage.known_mass == result.rollup.coverage.known_mass
    return None if values is None else np.where(known & (result.rollup.coverage.known_mass > 0), values, np.nan)


def _allowance_column(result: Result, name: str) -> _Floats | None:
    """Return the growth of every item, as a mass or in percent of its basic mass; None without growth."""
    predicted, basic = _predicted_column(result, "mass"), result_columns.item_quantity_values(result.rollup, "mass")
    if predicted is None or basic is None:
        return None
    share = result.bom.growth
    assert share is not None
    mass = np.where(np.isnan(share), predicted - basic, basic * share)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return mass if name == "allowance_mass" else np.where(np.isnan(share), 100 * mass / basic, 100 * share)


def is_sigma_name(name: str) -> bool:
    """Return whether a result is a standard deviation, which a sigma level multiplies."""
    return name.startswith("sigma_")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewTable:
    """Masses of k groups, the heaviest first, and of the root, the last row."""

    by: tuple[str, ...]  # headings of the labels: columns of the table, or level:N
    labels: list[tuple[str, ...]]  # of k groups; ids of items where ``by`` is a level
    names: list[str]  # of the items of a level; otherwise empty texts
    columns: Mapping[str, _Floats]  # (k + 1,), unit of the table's masses, percent, or share of 1
    is_bound: NDArray[np.bool_]  # (k + 1,) whether the mass is a lower bound
    group: NDArray[np.intp]  # (n,) number of the group of each item that goes up with its own values; −1 for others
    root: str
    is_of_basic: NDArray[np.bool_]  # (k + 1,) whether the limit is of the basic mass, next to a predicted one
    absent: tuple[str, ...] = ()  # why entries of a budget that was named limit no item

    def folded(self, shown: int) -> ReviewTable:
        """Return the table with one row for all groups after ``shown`` ones."""
        folded = {name: v[shown:-1] for name, v in self.columns.items()}
        rest = {name: v.sum() if name in _SUMMED else np.nan for name, v in folded.items()}
        for name in ("mass", "share"):  # a lower bound where some are known
            rest |= {name: np.nansum(folded[name])} if np.isfinite(folded.get(name, np.nan)).any() else {}
        columns = {name: np.array([*v[:shown], rest[name], v[-1]]) for name, v in self.columns.items()}
        labels = [*self.labels[:shown], (f"{len(self.labels) - shown:,} more", *[""] * (len(self.by) - 1))]
        is_least = np.isfinite(rest.get("mass", 0.0)) and not np.isfinite(folded.get("mass", np.zeros(1))).all()
        is_least |= self.is_bound[shown:-1].any()
        bound = np.array([*self.is_bound[:shown], is_least, self.is_bound[-1]])
        basic = np.array([*self.is_of_basic[:shown], False, self.is_of_basic[-1]])
        names = [*self.names[:shown], ""]
        return replace(self, labels=labels, names=names, columns=columns, is_bound=bound, is_of_basic=basic)

    def label_columns(self) -> list[tuple[str, list[str]]]:
        """Return the headings and texts (k + 1) of the labels, with the names of items."""
        texts = [list(column) for column in zip(*self.labels, strict=True)]
        texts[0] = [f"{text}  {name}" if name else text for text, name in zip(texts[0], self.names, strict=True)]
        return [(head, [*texts[j], "" if j else "total"]) for j, head in enumerate(self.by)]

    def rows(self, sigma_level: int = 1) -> list[dict[str, Any]]:
        """Return the rows as JSON values, unknown numbers as None; the last one is the root."""
        found, levels = list[dict[str, Any]](), {"sigma_mass": sigma_level}
        for k, (texts, name) in enumerate(zip([*self.labels, (self.root,)], [*self.names, ""], strict=True)):
            row: dict[str, Any] = {"total": self.root}
            if k < len(self.labels):
                row = {"labels": dict(zip(self.by, texts, strict=True))} | ({"name": name} if name else {})
            values = {key: levels.get(key, 1) * float(column[k]) for key, column in self.columns.items()}
            row |= {key: result_columns.finite_or_none(value) for key, value in values.items()}
            row |= {"limit_of": "basic mass"} if self.is_of_basic[k] else {}
            found.append(row | ({"lower_bound": True} if self.is_bound[k] else {}))
        return found

    def frame(self, unit: str) -> pd.DataFrame:
        """Return the rows as a DataFrame; ``attrs["units"]`` has the unit of each column."""
        import pandas as pd

        frame = pd.DataFrame([*self.labels, (self.root, *[""] * (len(self.by) - 1))], columns=list(self.by))
        frame = frame.assign(**({"name": [*self.names, ""]} if any(self.names) else {}), **self.columns)
        units = {key: "%" if key.endswith("percent") else unit for key in self.columns if "share" not in key}
        frame.attrs["units"] = {key: text for key, text in units.items() if text}
        frame.attrs["lower_bounds"] = frame[self.by[0]][self.is_bound].tolist()
        frame.attrs["limits_of_basic"] = frame[self.by[0]][self.is_of_basic].tolist()
        frame.attrs["entries_without_item"] = list(self.absent)
        return frame


def review_table(
    result: Result, by: Sequence[str] = (), limits: object = None, previous: Result | None = None
) -> ReviewTable | None:
    """Make the review table by columns or ``level:N``; None where nothing is given, and nothing groups masses."""
    bom, root = result.bom, result.root_item
    has_masses = "mass" in bom.columns.by_quantity
    may_have_limits = limits or bom.options.configuration or any(limit_of_heading(one)[0] for one in bom.columns.header)
    chosen = tuple(by) or (_default_grouping(bom) if has_masses else ())
    if not (by := chosen or (("level:1",) if has_masses and may_have_limits else ())):
        return None
    count, texts = bom.tree.path_quantities(bom.quantity).count, [group_texts(bom, name) for name in by]
    ends, group = np.flatnonzero(bom.tree.end_items(bom.stated) & (count != 0)), np.full(len(bom), -1)
    inherited = [bom.tree.inherited_labels(column, NO_LABEL) for column in texts]
    number, numbers = bom.tree.label_numbers(inherited, ends)
    group[ends] = numbers[ends]
    found, bound = dict[str, _Floats](), np.zeros(len(number) + 1, bool)
    if has_masses:
        found, bound = _review_columns(result, ends, group[ends], count[ends])
    if has_masses and (sigma := _group_sigmas(result, texts, number, group)) is not None:
        whole = derived_column(result, "sigma_mass")
        spread = np.append(sigma, np.nan if whole is None else whole[root])
        found["sigma_mass"] = np.where(np.isnan(found["mass"]), np.nan, spread)
    size = np.nan_to_num(found.get("share", np.zeros(len(bound))))
    order = sorted(range(len(number)), key=lambda g: (NO_LABEL in number[g], -size[g]))
    places = [*order, len(number)]
    group[ends] = np.argsort(places)[group[ends]]
    first = [name for name in ("mass", "sigma_mass", *ALLOWANCE_NAMES, "predicted_mass") if name in found]
    columns = {name: found[name][places] for name in dict.fromkeys([*first, *found])}
    labels, is_bound = [number[g] for g in order], bound[places]
    if previous is not None and has_masses:
        labels, columns = _with_changes(result, by, (labels, columns), previous)
        is_bound = np.insert(is_bound, len(order), np.zeros(len(labels) - len(order), bool))
    ids = [bom.find(texts[0]) if len(by) == 1 and is_level(by[0]) else None for texts in labels]
    names = ["" if i is None or bom.names is None or bom.names[i] == bom.ids[i] else bom.names[i] for i in ids]
    made = ReviewTable(by, labels, names, columns, is_bound, group, bom.ids[root], np.zeros(len(labels) + 1, bool))
    if not has_masses or not may_have_limits:
        return made
    more, absent = room_function("massprops_cli.budgets.check", "review_limits")(result, limits, made)
    made = replace(made, absent=absent)
    if not more:
        return made if chosen or absent else None
    masses, is_of_basic = {name: columns[name] for name in first}, (more[3] == 1) & ("predicted_mass" in columns)
    limited = {**masses, **dict(zip(LIMIT_NAMES, more[:3], strict=True)), **columns}
    return replace(made, columns=limited, is_of_basic=is_of_basic)


def _default_grouping(bom: Bom) -> tuple[str, ...]:
    """Return the level of the first branching, if assemblies are on it, or else the first column of groups."""
    tree, levels = bom.tree, bom.tree.levels.tolist()
    is_end = tree.n_children == 0 if bom.stated is None else bom.ends[tree.order]
    cuts = ((stop - start + is_end[:start].sum(), n) for n, (start, stop) in enumerate(pairwise(levels)) if n)
    level = next((n for rows, n in cuts if rows > 1), 0)
    if level and not is_end[levels[level] : levels[level + 1]].all():
        return (f"level:{level}",)
    for j, heading in enumerate(bom.columns.header):
        if re.fullmatch(_GROUP_HEADING, heading.strip(), re.IGNORECASE):
            texts = [text.strip() for text in bom.item_rows.texts(j)]
            if 1 < len({*texts} - {""}) < len(texts) - texts.count(""):
                return (heading.strip(),)
    return ()


def _review_columns(
    result: Result, ends: NDArray[np.intp], owner: NDArray[np.intp], count: _Floats
) -> tuple[dict[str, _Floats], NDArray[np.bool_]]:
    """Return mass, growth and shares (k + 1,) of groups of items and of the root, and which masses are lower bounds."""
    mass, grown = derived_column(result, "mass"), derived_column(result, "predicted_mass")
    assert mass is not None
    i = result.root_item

    def sums(values: _Floats) -> _Floats:
        return np.bincount(owner, np.nan_to_num(values)).astype(float)

    def known(values: _Floats) -> _Floats:
        return sums(np.isfinite(values[ends]).astype(float))

    total = np.where(known(mass) > 0, sums(mass[ends] * count), np.nan)
    found, size = {"mass": np.append(total, mass[i])}, np.abs(mass[ends] * count)
    is_negative = sums(((np.nan_to_num(mass[ends]) < 0) | (count < 0)).astype(float)) > 0
    bound = np.append((known(mass) < sums(np.ones(len(ends)))) & (known(mass) > 0) & ~is_negative, False)
    bound[-1] = result.rollup.coverage.mass_is_bound[i]
    with np.errstate(divide="ignore", invalid="ignore"):
        if grown is not None:
            is_whole = (known(grown) == known(mass)) & (known(mass) > 0)
            predicted = np.append(np.where(is_whole, sums(grown[ends] * count), np.nan), grown[i])
            found["allowance_percent"] = 100 * (predicted - found["mass"]) / found["mass"]
            found |= {"allowance_mass": predicted - found["mass"], "predicted_mass": predicted}
        found["share"] = np.append(total, mass[i]) / (mass[i] if mass[i] > 0 else np.nan)
        for word, shares in result.shares_of_mass.items():
            found[SHARE_PREFIX + word] = np.append(sums(size * shares[ends]) / sums(size), shares[i])
    return found, bound


def _group_sigmas(
    result: Result, texts: Sequence[Any], labels: Sequence[tuple[str, ...]], group: NDArray[np.intp]
) -> _Floats | None:
    """Return the sigmas of the masses of groups (k,); only correlated parts need a roll-up of the groups."""
    if (sigma := result_columns.first_order_sigma(result.rollup, "sigma_mass")) is None:
        return None
    if result.correlation is None or result.correlation.is_none:
        ends, weight = group >= 0, result.bom.tree.path_quantities(result.bom.quantity).variance_weight()
        return np.sqrt(np.bincount(group[ends], (weight * sigma**2)[ends]))
    from massprops_cli.rollups.subtotals import label_subtotals

    method = "covariance" if result.rollup.sampled is not None else result.rollup.method
    groups = label_subtotals(result.bom.rollup_inputs(result.correlation), texts, method=method)
    found = result_columns.first_order_sigma(groups.rollup, "sigma_mass")
    return None if found is None else found[[groups.labels.index(texts) for texts in labels]]


def _with_changes(result: Result, by: Sequence[str], rows: _Rows, previous: Result) -> _Rows:
    """Add the change to the masses of an earlier revision, and rows for its groups that are gone."""
    labels, columns = rows
    if (before := review_table(previous, by)) is None or not before.columns:
        return rows
    old = dict(zip([*before.labels, ()], before.columns["mass"].tolist(), strict=True))
    gone = [texts for texts in before.labels if texts not in labels]
    columns = {name: np.insert(values, len(labels), np.zeros(len(gone))) for name, values in columns.items()}
    was = [old.get(texts, 0.0) for texts in (*labels, *gone, ())]
    return [*labels, *gone], {**columns, "change": columns["mass"] - np.array(was)}


def result_dictionary(result: Result, sigma_level: int = 1) -> dict[str, Any]:
    """Build the report: source, units, summary, items, samples, findings; unknown is null, not computed is absent."""
    from massprops_cli.bom.results.probability import query_answers_dict
    from massprops_cli.bom.results.uncertainty import dictionary_of_samples

    bom, rollup = result.bom, result.rollup
    units = bom.units
    severities = [finding.severity.value for finding in result.findings]
    one_frame = "one frame" if bom.poses is None else "the frame of the root"
    return {
        "massprops": VERSION,
        "source": {"file": bom.table.source.name, "sheet": bom.table.source.sheet, "format": bom.table.source.format},
        **({"configuration": list(bom.options.configuration)} if bom.options.configuration else {}),
        "layout": bom.layout,
        "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
        "frame": f"{one_frame} for all items; inertia about each item's own centre of mass",
        "sign": result_columns.SIGN_CONVENTION_TEXT,
        **({} if result.about is None else {"about": list(result.about)}),
        **_uncertainty_dict(result, sigma_level),
        "summary": {
            "items": len(bom),
            "leaves": int(rollup.coverage.rows[result.root_item]),
            "errors": severities.count("error"),
            "warnings": severities.count("warning"),
            "notes": severities.count("note"),
        },
        "root": bom.ids[result.root_item],
        "items": _item_dicts(result, sigma_level),
        **({} if rollup.sampled is None else {"sampled": dictionary_of_samples(result, sigma_level)}),
        **query_answers_dict(result),
        **({} if (review := review_table(result)) is None else {"review": review.rows(sigma_level)}),
        **({"reconciliation": reconciliation} if (reconciliation := _reconciliation_dicts(result)) else {}),
        "findings": [finding.to_dict() for finding in result.findings],
    }


def _reconciliation_dicts(result: Result) -> list[dict[str, Any]]:
    """Return every total of the sheet, and every mass that an assembly states, with the computed value."""
    return [
        {
            "label": one.label,
            "kind": one.kind,
            "quantity": one.quantity,
            "place": str(one.place),
            "stated": one.stated,
            "computed": one.computed,
            "unit": one.unit,
            "agrees": one.agrees,
            "of": one.of,
        }
        for one in (*result.totals, *result.stated_masses)
    ]


def _uncertainty_dict(result: Result, level: int) -> dict[str, Any]:
    """Return the method, the sigma level, the correlation, and the root's sigmas by assumption on correlation."""
    if result.rollup.sigmas is None:
        return {"uncertainty": result.rollup.method}
    request, correlation = result.uncertainty_request, result.correlation
    groups = 0 if correlation is None else len(set(correlation.group[correlation.group >= 0].tolist()))
    worth = {word: {k: level * sigma for k, sigma in found.items()} for word, found in result.assumptions.items()}
    return {
        "uncertainty": result.rollup.method,
        "sigma_level": level,
        "shared_errors": {"correlate": request.correlate, "centers": request.correlate_centers, "groups": groups},
        **({"root_sigma_if_shared": worth} if worth else {}),
    }


def _item_dicts(result: Result, level: int = 1) -> list[dict[str, Any]]:
    """Return every item in file order; sigmas at a level."""
    items = _item_identity_dicts(result)
    if "mass" in result.bom.columns.by_quantity:
        _add_number(result, items, "mass", "mass")
    _add_number(result, items, "sigma_mass", "sigma_mass", level)
    _add_number_list(result, items, "center", result_columns.CENTER.columns)
    _add_number_list(result, items, "sigma_center", result_columns.SIGMA_CENTER.columns, level)
    _add_number_object(result, items, "inertia", result_columns.INERTIA.columns)
    _add_number_object(result, items, "sigma_inertia", result_columns.SIGMA_INERTIA.columns, level)
    if result.about is not None:
        _add_number_object(result, items, "inertia_about", ABOUT_NAMES[:6])
        _add_number_object(result, items, "sigma_inertia_about", ABOUT_NAMES[6:], level)
    _add_number_list(result, items, "radii", result_columns.RADII)
    _add_number_list(result, items, "sigma_radii", result_columns.SIGMA_RADII, level)
    _add_number_list(result, items, "principal", PRINCIPAL_NAMES)
    _add_number_list(result, items, "sigma_principal", SIGMA_PRINCIPAL_NAMES, level)
    for key, names in (
        ("sampled_mean", tuple(name for name in _MEAN_NAMES if derived_column(result, name) is not None)),
        ("mass_share", tuple(SHARE_PREFIX + word for word in result.shares_of_mass)),
    ):
        if names:
            _add_number_object(result, items, key, names)
    if result.predicted is not None:
        for name in (*ALLOWANCE_NAMES, "predicted_mass"):
            _add_number(result, items, name, name)
        center, inertia = (
            tuple(PREDICTED_PREFIX + name for name in one.columns)
            for one in (result_columns.CENTER, result_columns.INERTIA)
        )
        _add_number_list(result, items, "predicted_center", center)
        _add_number_object(result, items, "predicted_inertia", inertia)
    _add_coverage(result, items)
    return items


def _item_identity_dicts(result: Result) -> list[dict[str, Any]]:
    """Return every item's place in the tree, its name, how often its parent counts it, and whether it is a point."""
    bom = result.bom
    parents, depth = bom.tree.parent.tolist(), bom.tree.depth().tolist()
    items: list[dict[str, Any]] = [
        {"id": bom.ids[i], "parent": bom.ids[parents[i]] if parents[i] >= 0 else None, "level": depth[i]}
        for i in range(len(bom))
    ]
    if bom.names is not None:
        for item, name in zip(items, bom.names, strict=True):
            item["name"] = name
    points = result.rollup.bodies.is_point.tolist()
    for item, count, is_point in zip(items, bom.quantity.count.tolist(), points, strict=True):
        item["quantity"] = count
        item["is_point"] = is_point
    return items


def _add_coverage(result: Result, items: list[dict[str, Any]]) -> None:
    """Add to every item the number of its leaves, and of those with a known mass, centre and tensor."""
    coverage = result.rollup.coverage
    columns = {"leaves": coverage.rows}
    if "mass" in result.bom.columns.by_quantity:
        columns |= {"mass": coverage.known_mass, "center": coverage.known_center, "inertia": coverage.known_inertia}
    for item, known in zip(items, zip(*(column.tolist() for column in columns.values()), strict=True), strict=True):
        item["coverage"] = dict(zip(columns, known, strict=True))
    if not result.is_partial:
        return
    for key, shares in (("center", coverage.mass_share_center), ("inertia", coverage.mass_share_inertia)):
        for item, share in zip(items, shares.tolist(), strict=True):
            item["coverage"][f"{key}_share_of_mass"] = share if np.isfinite(share) else None
    for key, bounds in (("mass", coverage.mass_is_bound), ("moments", coverage.moments_are_bounds)):
        for item, is_bound in zip(items, bounds.tolist(), strict=True):
            item["coverage"][f"{key}_lower_bound"] = is_bound


def _json_column(result: Result, quantity: str, times: int = 1) -> list[float | None] | None:
    """Return one quantity of every item as JSON numbers."""
    values = derived_column(result, quantity)
    if values is None:
        return None
    values = values if times == 1 else times * values
    if np.isfinite(values).all():
        return values.tolist()  # type: ignore[no-any-return] # typed as Any by NumPy
    return [value if good else None for value, good in zip(values.tolist(), np.isfinite(values).tolist(), strict=True)]


def _add_number(result: Result, items: list[dict[str, Any]], key: str, quantity: str, times: int = 1) -> None:
    """Add one number to every item, where it was computed."""
    if (values := _json_column(result, quantity, times)) is not None:
        for item, value in zip(items, values, strict=True):
            item[key] = value


def _add_number_list(
    result: Result, items: list[dict[str, Any]], key: str, quantities: tuple[str, ...], times: int = 1
) -> None:
    """Add a list of numbers to every item, or null where none of them is known."""
    columns = [column for quantity in quantities if (column := _json_column(result, quantity, times)) is not None]
    if len(columns) < len(quantities):
        return
    for item, values in zip(items, zip(*columns, strict=True), strict=True):
        item[key] = None if all(value is None for value in values) else list(values)


def _add_number_object(
    result: Result, items: list[dict[str, Any]], key: str, quantities: tuple[str, ...], times: int = 1
) -> None:
    """Add numbers to every item by the names of tensor entries or shares, or null where none is known."""
    names = [quantity.removeprefix("sigma_").removeprefix("mean_") for quantity in quantities]
    names = [name.removeprefix("about_").removeprefix(SHARE_PREFIX).removeprefix(PREDICTED_PREFIX) for name in names]
    _add_number_list(result, items, key, quantities, times)
    for item in items:
        if item.get(key) is not None:
            item[key] = dict(zip(names, item[key], strict=True))
