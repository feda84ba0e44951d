"""Checks of items: masses, tensors, pieces, sigmas, row totals, and parts used in several places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import bodies as rigid
from massprops_cli.bodies.bodies import NEGLIGIBLE_VIOLATION, OTHER_SIGN_REMEDY, full_tensors, phi, tensor_faults
from massprops_cli.bom.items.item_flags import Point
from massprops_cli.bom.items.item_rows import (
    Indices,
    ItemFault,
    ItemRows,
    item_list_text,
    occurrence_counts,
    report_cells,
    report_item_faults,
    report_items,
    table_row_values,
)
from massprops_cli.bom.items.numbers import SetCells
from massprops_cli.bom.items.result_columns import CENTER, ENTRIES, INERTIA, MASS, QuantitySet
from massprops_cli.files.table import Floats, Mask
from massprops_cli.findings.finding import Findings, Severity
from massprops_cli.tables.columns.headings import map_option
from massprops_cli.tables.options import ROW_TOTAL_QUANTITIES

if TYPE_CHECKING:
    from massprops_cli.bodies.plausibility import PlausibilityFault
    from massprops_cli.bom.bom import Bom


class CheckedItems(NamedTuple):
    """The checked items: ``counts (n,)`` are rolled up, ``is_point (n,)`` are point masses."""

    items: ItemRows
    counts: Mask
    is_point: Mask
    inertia_about: Point | None = None  # reference point of the written tensors; None: each item's own centre
    is_strict: bool = False
    """Whether masses and principal moments must be positive, and plates are rejected, as in massProps."""
    poi: str = ""  # sign convention of the products without a column of it
    allows_negative_mass: bool = False  # of removed bodies
    sign: NDArray[np.int8] = np.zeros(0, np.int8)  # (n,) of products: 1 for +, −1 for −, 0 without one
    shapes: Floats | None = None  # (n, 6) tensors of shapes and meshes, NaN without one
    tank_items: Collection[object] = ()  # ids of the rows of liquids

    @property
    def severity_of_zero(self) -> Severity | None:
        """The severity of a mass or a tensor of 0; None: that of its rule."""
        return Severity.ERROR if self.is_strict else None

    def report(
        self,
        rule: str,
        quantity: str,
        which: Indices | Mask,
        message: Callable[[int], str],
        findings: Findings,
        **fault: Any,
    ) -> None:
        """Report a fault of the cells of a quantity in some items (k,), or those that a mask (n,) marks."""
        column = self.items.columns.by_quantity[quantity]
        report_items(self.items, ItemFault(rule, column, **fault), which, message, findings)


def check_masses(on: CheckedItems, mass: SetCells, findings: Findings) -> None:
    """Report leaves whose mass (n, 1) is negative, unless that is allowed, or 0."""
    values, ids = mass.values[:, 0], on.items.ids
    candidates = on.counts & mass.has
    if not on.allows_negative_mass:
        on.report("MP401", "mass", candidates & (values < 0), lambda i: f"mass of {ids[i]} is negative", findings)
    zero, severity = candidates & (values == 0), on.severity_of_zero
    if on.tank_items:
        liquid = np.array([i for i in np.flatnonzero(zero).tolist() if ids[i] in on.tank_items], np.intp)
        advice = "run massprops conditions, or add --condition with the name of one: both fill its tank"
        words = "mass of {} is 0: the liquid of its tank is not in this roll-up"
        on.report("MP402", "mass", liquid, lambda i: words.format(ids[i]), findings, remedy=advice)
        zero[liquid] = False
    on.report("MP402", "mass", zero, lambda i: f"mass of {ids[i]} is 0", findings, severity=severity)


def check_tensors(on: CheckedItems, cells: Mapping[str, SetCells], findings: Findings) -> None:
    """Check the principal moments of tensors with the rounding of their digits (docs/formulas.md, section 8)."""
    inertia, mass = cells[INERTIA.name], cells.get(MASS.name)
    ids = on.items.ids
    if not len(candidates := np.flatnonzero(on.counts & inertia.has & ~on.is_point)):
        return
    tensors = inertia.values if len(candidates) == len(inertia.values) else inertia.values[candidates]
    if inertia.products is not None and not inertia.products[candidates].all():  # only the moments are checked
        tensors = np.where(inertia.products[candidates, None] | (np.arange(6) < 3), tensors, 0.0)
    no_tensor = ~tensors.any(axis=1)
    if mass is not None:  # a mass of 0 is reported, and its tensor is the same fault
        no_tensor &= ~(mass.has[candidates] & (mass.values[candidates, 0] == 0))
    message, severity = "inertia tensor of {} is 0 (not a point mass)", on.severity_of_zero
    on.report("MP406", "Ixx", candidates[no_tensor], lambda i: message.format(ids[i]), findings, severity=severity)
    if on.is_strict:
        _report_limit_tensors(on, tensors, candidates, findings)
    # a body of negative mass is removed: its tensor is the negative of that of a body
    removed = (
        np.zeros(len(candidates), bool) if mass is None else mass.has[candidates] & (mass.values[candidates, 0] < 0)
    )
    if removed.any():
        tensors = np.where(removed[:, None], -tensors, tensors)
    center = cells.get(CENTER.name)

    def known(k: int) -> rigid.TensorContext:
        """Return what is known of the tensor of a candidate: m Φ(d) of its body, its cells and its shape."""
        i, origin = int(candidates[k]), on.inertia_about
        has = on.shapes is not None and (on.shapes[i, :3] > 0).all()
        of = rigid.TensorEvidence(on.shapes[i], "the shape or mesh") if has and on.shapes is not None else None
        signs = np.where((on.sign[i] > 0) & (np.arange(6) > 2), -1.0, 1.0)
        if mass is None or center is None or not (mass.has[i] and center.has[i]):
            return rigid.TensorContext(signs=signs, geometry=of)
        points = [np.zeros(3)] if origin is None else [np.zeros(3), np.array(origin, dtype=float)]
        spreads = [abs(mass.values[i, 0]) * phi(center.values[i] - point) for point in points]
        return rigid.TensorContext(spreads, signs, np.zeros(6) if origin is None else spreads[1], of)

    named = on.items.columns.by_quantity
    places = [named[name].index if name in named else -1 for name in INERTIA.columns]
    faults = tensor_faults(tensors, lambda k: _tensor_half_digits(on, cells, int(candidates[k])), known)
    for row, rule, what, advice in faults:
        i = int(candidates[row])
        negated = " (negated, because its mass is negative)" if removed[row] else ""
        written = (on.items.table.text(int(on.items.rows[i]), j).strip() if j >= 0 else "" for j in places)
        message, value = f"inertia tensor of {ids[i]}: {what}{negated}", ", ".join(written)
        place, remedy = on.items.place(i, named["Ixx"]), _tensor_remedy(on, advice)
        findings.report(rule, message, place, value=value, item=ids[i], remedy=remedy)


def _tensor_remedy(on: CheckedItems, remedy: str | None) -> str | None:
    """Return the hint of an invalid tensor, with the option that reads it otherwise; None: that of the rule."""
    if on.inertia_about is not None:
        first = remedy or "check the six components"
        return f"{first}; pass --config inertia-about=own if the tensor is about the centre of mass of the part"
    if remedy == OTHER_SIGN_REMEDY and "POIconv" not in on.items.columns.by_quantity:
        return f"pass --poi {'-' if on.poi == '+' else '+'}"
    return remedy


def _report_limit_tensors(
    on: CheckedItems, tensors: NDArray[np.float64], candidates: Indices, findings: Findings
) -> None:
    """Report tensors ``(k, 6)`` on the limit, as of plates and rods: λ1 = 0 or λ1 + λ2 = λ3."""
    moments = np.linalg.eigvalsh(full_tensors(tensors))
    size = NEGLIGIBLE_VIOLATION * np.abs(moments).max(axis=1)
    slack = moments[:, 0] + moments[:, 1] - moments[:, 2]
    has_zero, is_flat = np.abs(moments[:, 0]) <= size, (np.abs(slack) <= size) & (moments[:, 0] > size)
    for rule, edge, words in (
        ("MP403", has_zero, "a principal moment of inertia is 0"),
        ("MP404", is_flat, "a principal moment of inertia equals the sum of the other two"),
    ):
        flat, remedy = candidates[edge & tensors.any(axis=1)], "omit --config strict=true to accept plates and rods"
        messages = {i: f"{words}: {on.items.ids[i]} (rejected by --config strict=true)" for i in flat.tolist()}
        on.report(rule, "Ixx", flat, messages.__getitem__, findings, remedy=remedy)


def _tensor_half_digits(on: CheckedItems, cells: Mapping[str, SetCells], i: int) -> NDArray[np.float64]:
    """Compute half a unit of the last digit written ``(6,)`` of an item's tensor, in coherent units."""
    # a tensor transferred to the item's own centre also has the rounding of mass and centre
    halves = _cell_half_digits(on.items, i, INERTIA.columns)
    # programs write 0 with one decimal; among numbers with more decimals it is exact
    values = cells[INERTIA.name].values[i]
    finest = halves[(values != 0) & (halves > 0)].min(initial=np.inf)
    halves[(values == 0) & (halves > finest)] = 0.0
    if on.inertia_about is None:
        return halves
    of_mass, of_center = _cell_half_digits(on.items, i, MASS.columns), _cell_half_digits(on.items, i, CENTER.columns)
    away = cells[CENTER.name].values[i] - np.array(on.inertia_about)
    further = np.abs(away) + of_center
    grown = np.abs(phi(further)) - np.abs(phi(away))
    moved: NDArray[np.float64] = halves + of_mass * np.abs(phi(further)) + abs(cells[MASS.name].values[i, 0]) * grown
    return moved


def _cell_half_digits(items: ItemRows, i: int, names: Sequence[str]) -> NDArray[np.float64]:
    """Compute half a unit of the last digit written of an item's cells ``(k,)``, in coherent units."""
    # an integer of one or two digits is read as exact: a product of 0 is 0, not less than a half; so is a product
    # without a column
    row = int(items.rows[i])
    halves = np.zeros(len(names))
    for k, name in enumerate(names):
        column = items.columns.by_quantity.get(name)
        text = "" if column is None else items.table.text(row, column.index).strip()
        if column is not None and not (text.lstrip("+-").isdigit() and len(text.lstrip("+-0")) < 3):
            halves[k] = column.half_digit(items.table, row)
    return halves


def has_suspect_tensors(bom: Bom) -> bool:
    """Return whether some tensors may be placeholders."""
    bodies = bom.bodies if bom.own_numbers is None else bom.own_numbers[0]  # along the axes of the rows
    if bodies.inertia is None:
        return False
    known = bom.tree.is_leaf() & ~bodies.is_point & (bodies.inertia != 0).any(axis=1)
    six, mass = bodies.inertia[known], bodies.mass[known]
    if (six == six[:, :1]).all(axis=1).any():
        return True
    equal = (six[:, 0] == six[:, 1]) & (six[:, 1] == six[:, 2]) & (six[:, 3:] == 0).all(axis=1) & (six[:, 0] > 0)
    if (column := bom.columns.by_quantity.get(INERTIA.columns[0])) is not None and equal.any():
        power = np.log10(six[equal, 0] / column.sizes(bom.rows[known][equal]))
        if (np.abs(power - np.round(power)) < 1e-9).any():
            return True
    key = six @ np.array([1.0, 1.7, 2.9, 4.3, 7.1, 11.3])
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    often = counts[inverse] >= 3
    masses = Counter(number for number, _ in set(zip(inverse[often].tolist(), mass[often].tolist(), strict=True)))
    return max(masses.values(), default=0) >= 3


def check_pieces(
    on: CheckedItems, cells: Mapping[str, SetCells], pieces: Floats, computed: Mask, findings: Findings
) -> None:
    """Report several pieces (n,) with one centre (n, 3) and an inertia: the centres of the pieces are unknown."""
    inertia, center = cells[INERTIA.name], cells.get(CENTER.name)
    if center is None:
        return
    if not (several := np.abs(pieces) > 1).any():
        return
    written = on.counts & ~on.is_point & inertia.has & center.has & inertia.values.any(axis=1)
    several &= written | computed
    message = "pieces of {} with an inertia have one centre of mass: {:g} pieces".format
    known = on.items.columns.by_quantity  # a changed quantity may have no column
    quantity = next(name for name in ("qty", *INERTIA.columns, *known) if name in known)
    on.report("MP412", quantity, several, lambda i: message(on.items.ids[i], pieces[i]), findings)


def check_item_sigmas(
    on: CheckedItems, quantity_set: QuantitySet, cells: Mapping[str, SetCells], findings: Findings
) -> None:
    """Report negative sigmas, and by column those larger than the value (masses and moments only)."""
    sigma = cells[quantity_set.name]
    base = cells.get(quantity_set.name.removeprefix("sigma_"))
    candidates = on.counts & sigma.has
    if quantity_set.name == "sigma_inertia":
        candidates &= ~on.is_point
    ids = on.items.ids
    for axis, name in enumerate(quantity_set.columns):
        if name not in on.items.columns.by_quantity:
            continue  # sigmas from bounds and methods need no check
        values = sigma.values[:, axis]
        negative = candidates & (values < 0)
        messages = {i: f"{name} of {ids[i]} is negative" for i in np.flatnonzero(negative).tolist()}
        on.report("MP501", name, negative, messages.__getitem__, findings)
        sigma.has &= ~negative
        sigma.given[:, axis] &= ~negative
        if base is None or name.removeprefix("sigma_") not in (*MASS.columns, *(f"I{e}" for e in ENTRIES[:3])):
            continue
        if len(larger := np.flatnonzero(candidates & base.has & (values > np.abs(base.values[:, axis])))):
            _report_large_sigmas(on, name, larger, findings)


def _report_large_sigmas(on: CheckedItems, name: str, items: NDArray[np.intp], findings: Findings) -> None:
    """Report, in one finding for a column, sigmas larger than their values."""
    column, of = (on.items.columns.by_quantity[one] for one in (name, name.removeprefix("sigma_")))
    first = int(items[np.argmin(on.items.rows[items])])
    row, item, place = int(on.items.rows[first]), on.items.ids[first], on.items.place(first, column)
    value, against = (on.items.table.text(row, one.index).strip() for one in (column, of))
    number = f"{len(items):,} of {int(on.counts.sum()):,} items"
    message = f"{name} exceeds {of.quantity} in {number}, first {item}: {value} ({of.quantity} {against})"
    findings.report("MP503", message, place, value=value, item=item, count=len(items))


def check_uses(
    items: ItemRows, part: NDArray[np.intp] | None, cells: Mapping[str, SetCells], findings: Findings
) -> None:
    """Report parts (n,) used in several places with the single centre of their row (layout ``edges``)."""
    center = cells.get(CENTER.name)
    if part is None or center is None or not len(part):
        return
    uses = np.bincount(part)
    several = np.flatnonzero((uses[part] > 1) & center.has)
    _, first = np.unique(part[several], return_index=True)
    for i in several[np.sort(first)].tolist():
        place = items.place(i, items.columns.by_quantity[CENTER.columns[0]])
        name = items.ids[i].rpartition("/")[2]
        message = f"part used in {int(uses[part[i]]):,} places has one centre of mass: {name}"
        findings.report("MP318", message, place, item=name)


def check_part_numbers(
    items: ItemRows, is_leaf: NDArray[np.bool_], cells: Mapping[str, SetCells], findings: Findings
) -> None:
    """Report leaves (n,) with one part number and different masses or tensors."""
    column = items.columns.by_quantity.get("part")
    mass = cells.get(MASS.name)
    if column is None or mass is None or list(items.texts(column.index)) == list(items.ids):
        return
    texts, groups = items.texts(column.index), dict[str, list[int]]()
    for i in np.flatnonzero(is_leaf & mass.has).tolist():
        groups.setdefault(texts[i].strip(), []).append(i)
    values = np.hstack([cells[name].values for name in (MASS.name, INERTIA.name) if name in cells])
    for name, (first, *rest) in groups.items():
        others = np.array(rest if name else [], np.intp)
        if len(others) and (differs := (values[others] != values[first]).any(axis=1)).any():
            other = others[differs]
            of_other, *related = (items.place(i, column) for i in (int(other[0]), first, *other[1:100].tolist()))
            both = f"{items.ids[first]} and {item_list_text(items.ids, other)}"
            message, item = f"rows of part {name} have different values: {both}", items.ids[int(other[0])]
            places = tuple(related)
            findings.report("MP319", message, of_other, value=name, item=item, count=len(other), related=places)


_PRODUCT_ROUNDING = 1e-9  # relative rounding of unit conversion and of the order of multiplication


def check_product_columns(bom: Bom, findings: Findings) -> None:
    """Report cells of columns such as ``Total mass`` or ``Total Qty`` that differ from the product."""
    named = bom.columns.by_quantity
    if bom.options.where or bom.options.root or not named.keys() & ROW_TOTAL_QUANTITIES.keys():
        return
    times = occurrence_counts(bom)
    has_row = (bom.rows >= 0) & ~(np.zeros(len(bom), bool) if bom.extra is None else bom.extra)
    if "line_mass" in named and "mass" in named:
        leaves = np.flatnonzero(has_row & bom.tree.is_leaf())
        # in one parent or in the product, whichever fits more rows
        readings = [bom.bodies.mass * bom.quantity.count, bom.bodies.mass * times]
        wrong = [differing_cells(bom, "line_mass", leaves, computed) for computed in readings]
        best = min((0, 1), key=lambda k: len(wrong[k]))
        if _report_uncounted_row_totals(bom, wrong[best], leaves, findings):
            return
        _report_differing_cells(bom, "line_mass", wrong[best], (readings[best], "mass × quantity"), findings)
    if "total_qty" in named and "qty" in named:
        wrong_counts = differing_cells(bom, "total_qty", np.flatnonzero(has_row & (bom.tree.parent >= 0)), times)
        computed = times, "the product of the quantities above"
        _report_differing_cells(bom, "total_qty", wrong_counts, computed, findings)


def _report_uncounted_row_totals(bom: Bom, wrong: Indices, leaves: Indices, findings: Findings) -> bool:
    """Ask which masses count where row totals, right in most rows, differ from those of rows without a quantity."""
    qty, line = bom.columns.by_quantity.get("qty"), bom.columns.by_quantity["line_mass"]
    if qty is None or bom.options.blank_qty or not 0 < 2 * len(wrong) < len(leaves):
        return False
    counts, mass = table_row_values(bom, "qty"), bom.bodies.mass
    if not (uncounted := [i for i in wrong.tolist() if np.isnan(counts[bom.rows[i]]) and mass[i] > 0]):
        return False
    table, row = bom.table, int(bom.rows[uncounted[0]])
    by_line = map_option(table, bom.columns.header_row, line.index, "mass")
    message = f"quantity of {bom.ids[uncounted[0]]} is not stated, and {line.header} is not the mass of one piece"
    remedy = table.source.run_remedy(f"{by_line} --mass-is line", "--config blank-qty=1")
    findings.report("MP252", message, table.place(row, line.index, line.header), remedy=remedy, count=len(uncounted))
    return True


def differing_cells(bom: Bom, name: str, items: Indices, computed: Floats) -> Indices:
    """Return the items, in table order, whose cell differs from the ``computed (n,)`` value."""
    items = items[np.unique(bom.rows[items], return_index=True)[1]]  # the uses of one part share a row
    stated = table_row_values(bom, name)[bom.rows[items]]
    known = ~np.isnan(stated) & ~np.isnan(computed[items])
    off = np.abs(stated - computed[items])
    suspects = np.flatnonzero(known & (off > _PRODUCT_ROUNDING * np.abs(stated)))
    rounding = np.array([_product_rounding(bom, name, int(items[k]), computed) for k in suspects])
    return items[suspects[off[suspects] > rounding]] if len(suspects) else items[:0]


def _product_rounding(bom: Bom, name: str, item: int, computed: Floats) -> float:
    """Return the rounding of the digits of a cell and of the mass in its product."""
    row, named = int(bom.rows[item]), bom.columns.by_quantity
    half, mass = named[name].half_digit(bom.table, row), float(bom.bodies.mass[item])
    if name == "line_mass" and mass:
        half += abs(float(computed[item]) / mass) * named["mass"].half_digit(bom.table, row)
    return half * (1 + _PRODUCT_ROUNDING)


def _report_differing_cells(
    bom: Bom, name: str, items: Indices, product: tuple[Floats, str], findings: Findings
) -> None:
    """Report cells that differ from the ``product``: its values ``(n,)`` and its text."""
    computed, of = product
    column, rows = bom.columns.by_quantity[name], bom.rows[items]

    def message(k: int) -> str:
        item = int(items[k])
        gives = computed[item] / column.size(int(rows[k]))
        text = bom.table.text(int(rows[k]), column.index).strip()
        return f"{column.header} of {bom.ids[item]} differs from {of}: {text} (computed: {gives:.6g})"

    report_cells(ItemFault("MP414", column), bom.table, rows, message, findings)


def check_placeholder_tensors(bom: Bom, findings: Findings) -> None:
    """Warn of the tensors of leaves that look like defaults of a program; point masses are not compared."""
    from massprops_cli.bodies.plausibility import default_tensors

    bodies = bom.bodies if bom.own_numbers is None else bom.own_numbers[0]  # along the axes of the rows
    columns = [bom.columns.by_quantity.get(name) for name in INERTIA.columns]
    if bodies.inertia is None or bodies.center is None or columns[0] is None:
        return
    known = bom.tree.is_leaf() & ~bodies.is_point & (bom.rows >= 0) & np.isfinite(bodies.inertia).all(axis=1)
    if bodies.has_inertia is not None:
        known &= bodies.has_inertia
    if bom.extra is not None:
        known &= ~bom.extra
    if "shape" in bom.columns.by_quantity:
        known &= np.array([bool(bom.table.text(max(row, 0), columns[0].index).strip()) for row in bom.rows.tolist()])
    items = np.flatnonzero(known)
    items = items[np.unique(bom.rows[items], return_index=True)[1]]  # rows of one part are not compared
    if not len(items):
        return
    rows = bom.rows[items]
    written = bodies.inertia[items].copy()  # in the unit of their cells
    for k, column in enumerate(columns):
        if column is not None:
            written[:, k] /= column.sizes(rows)
    written = np.array([float(f"{value:.14g}") for value in written.ravel().tolist()]).reshape(-1, 6) + 0.0
    mass = np.where(np.isfinite(bodies.mass[items]), bodies.mass[items], 0.0)
    valid = np.isfinite(written).all(axis=1)
    items = items[valid]
    found = default_tensors(mass[valid], written[valid])
    default: dict[int, PlausibilityFault] = {fault.row: fault for fault in found if fault.kind != "repeated-tensor"}
    repeated = [fault for fault in found if fault.kind == "repeated-tensor" and fault.row not in default]
    of_items = ItemRows(bom.table, bom.columns, bom.rows, bom.ids)
    for rule, faults in (("MP713", [*default.values()]), ("MP714", repeated)):
        messages: dict[int, str] = {}
        for fault in faults:
            which = items[[fault.row, *fault.related]]
            names = item_list_text(of_items.ids, which)
            messages[int(which[0])] = f"inertia of {names} was probably not determined: {fault.message}"
        report_item_faults(of_items, ItemFault(rule, columns[0]), messages, findings)
