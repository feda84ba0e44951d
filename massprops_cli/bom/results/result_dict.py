"""A result as plain JSON values, with the results in addition to the ten quantities and their sigmas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import six_entries
from massprops_cli.bom.items import result_columns
from massprops_cli.rollups.inputs import SAMPLED_RESULTS as SAMPLED

if TYPE_CHECKING:
    from massprops_cli.bodies.body import Body
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


_MEAN_NAMES = tuple(f"mean_{name}" for name in SAMPLED)


def result_dictionary(result: Result, sigma_level: int = 1) -> dict[str, Any]:
    """Build the report: source, units, summary, items, samples, findings; unknown is null, not computed is absent."""
    from massprops_cli._front import VERSION
    from massprops_cli.bom.results.probability import query_answers_dict
    from massprops_cli.bom.results.review import review_table
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


def body_numbers(body: Body) -> dict[str, float | None]:
    """List the numbers of a body by their canonical names."""
    numbers: dict[str, float | None] = {"mass": body.mass}
    for name, array in (("C", body.center), ("sigma_C", body.sigma_center)):
        numbers |= {f"{name}{a}": None if array is None else float(array[i]) for i, a in enumerate(result_columns.AXES)}
    for name, tensor in (("I", body.inertia), ("sigma_I", body.sigma_inertia)):
        flat = None if tensor is None else six_entries(tensor).tolist()
        numbers |= {f"{name}{e}": None if flat is None else flat[i] for i, e in enumerate(result_columns.ENTRIES)}
    numbers["sigma_mass"] = body.sigma_mass
    return {name: result_columns.finite_or_none(value) for name, value in numbers.items()}
