"""Stated and computed assembly values, tensors with removed pieces, and output signs of products of inertia."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import tensor_faults
from massprops_cli.bom.items.item_flags import Point, component_about_point, value_about_point
from massprops_cli.bom.items.item_rows import (
    ItemFault,
    ItemRows,
    item_cell_place,
    occurrence_counts,
    report_item_faults,
    table_row_values,
)
from massprops_cli.bom.items.result_columns import INERTIA, QUANTITY_SETS, body_column
from massprops_cli.findings.finding import Findings, Severity, UsageError
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.numbers import half_unit_of_cell
from massprops_cli.trees.tree import Tree

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
_Rows = NDArray[np.intp]


def output_product_signs(bom: Bom) -> NDArray[np.int8]:
    """Choose the sign (n,), +1, −1 or 0, in which products of inertia are written (docs/formulas.md, section 1)."""
    # 0 is not stated; UsageError if assemblies and leaves would differ and the table has no column of signs
    of_rows, own = "POIconv" in bom.columns.by_quantity, bom.sign
    if bom.options.write_poi not in ("+", "-"):  # keep, none: the sign of the row
        signs, differ = _inherited_product_signs(bom.tree, own)
        # where no part below states a sign, the convention of the output is that of tensor entries
        return np.where((signs == 0) & ~differ & ~bom.tree.is_leaf(), -1, signs).astype(np.int8) if of_rows else signs
    if not of_rows and bom.options.write_poi != bom.options.poi and bom.bodies.inertia is not None:
        why = "because assemblies and leaves would have different signs"
        raise UsageError(f"write-poi {bom.options.write_poi} needs a column POIconv, {why}")
    signs = np.full(len(bom), 1 if bom.options.write_poi == "+" else -1, np.int8)
    # a leaf's cell stays as it is in the file
    return np.where(bom.tree.is_leaf(), own, signs) if of_rows else signs


def _inherited_product_signs(tree: Tree, sign: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Complete the signs by those that all children of an assembly share; also return where they differ (n,)."""
    differ = np.zeros(len(tree), bool)
    blank = (sign == 0) & ~tree.is_leaf()
    if not (used := {s for s in (-1, 1) if (sign == s).any()}) or not blank.any():
        return sign, differ
    signs = sign.copy()
    if len(used) == 1:
        signs[blank] = used.pop()
        return signs, differ
    for items, over in reversed([*tree.levels_below_root()]):
        plus, minus = (np.unique(over[signs[items] == value]) for value in (1, -1))
        signs[plus[blank[plus]]] += 1
        signs[minus[blank[minus]]] -= 1
        both = np.intersect1d(plus, minus)
        differ[both[blank[both]]] = True
    return signs, differ


_EPSILON = float(np.finfo(float).eps)
_CONVERSION_ROUNDING = 16 * _EPSILON  # relative rounding of unit conversion and of the order of summation
_REMEDIES = {"line_mass": "correct the number, or pass --config assembly-values=ignore"}
_CONFLICTING_SIGMA_REMEDY = "delete the sigma, or pass the --uncertainty and --correlate used for it"


MOST_ROUNDED = 20_000
"""Maximum number of rows whose rounding is added; a sum of more rows must agree to its own last digit."""


class _StatedValue(NamedTuple):
    """A quantity that k assemblies state, in the unit of the column, products in the sign convention of the row."""

    name: str
    items: _Rows  # (k,)
    values: _Floats  # (k,) as written
    computed: _Floats  # (k,) from the children
    scale: _Floats  # (k,) reference of rounding


def check_assembly_values(bom: Bom, rollup: Rollup, findings: Findings) -> None:
    """Report stated assembly values that differ from those of the children by more than half the last digit."""
    # --config assembly-values=check and stated check all assemblies; own and ignore weighed ones only
    differing: dict[int, dict[str, str]] = {}
    for stated in (*stated_assembly_values(bom, rollup), *_stated_row_totals(bom, rollup)):
        for k in differing_positions(bom, stated):
            computed = float(stated.computed[k])
            text = f"{computed:.{difference_digits(computed, float(stated.values[k]))}g}"
            differing.setdefault(int(stated.items[k]), {})[stated.name] = text
    of_items, by_column = ItemRows(bom.table, bom.columns, bom.rows, bom.ids), dict[str, list[int]]()
    for i in sorted(differing, key=lambda item: int(bom.rows[item])):
        by_column.setdefault(next(iter(differing[i])), []).append(i)
    for name, items in by_column.items():
        # columns are in order, so that a group under a sigma differs in sigmas only
        remedy = _CONFLICTING_SIGMA_REMEDY if name.startswith("sigma_") else _REMEDIES.get(name)
        messages = {i: _difference_message(bom, i, differing[i]) for i in items}
        report_item_faults(of_items, ItemFault("MP411", bom.columns.by_quantity[name], remedy), messages, findings)


def stated_assembly_values(bom: Bom, rollup: Rollup) -> Iterator[_StatedValue]:
    """Yield the stated and computed assembly values of every quantity that is rolled up."""
    if (only_weighed := bom.options.assembly_values in ("own", "ignore")) and bom.stated is None:
        return
    if not bom.written:
        return
    rollup = bom.in_row_frames(rollup)
    for name, (items, values) in bom.written.items():
        if (computed := _values_from_children(bom, rollup, name)) is None:
            continue
        chosen = np.ones(len(items), bool) if not only_weighed or bom.stated is None else bom.stated[items]
        cell, convention = np.ones(len(items)), -np.ones(len(items), np.int8)
        if name in INERTIA.columns[3:]:
            # −1 restores the sign of a product of inertia in its cell
            cell = np.where(bom.sign[items] > 0, -1.0, 1.0)
            convention = _inherited_product_signs(bom.tree, bom.sign)[0][items]
            chosen &= convention != 0
        size, computed_size = _cell_factors(bom, rollup, name, items)
        yield _StatedValue(
            name,
            items[chosen],
            (values * cell / size)[chosen],
            (computed[items] * -convention / computed_size + 0.0)[chosen],
            _rounding_scales(rollup, name, items[chosen], bom.options.inertia_about) / size[chosen],
        )


def _stated_row_totals(bom: Bom, rollup: Rollup) -> Iterator[_StatedValue]:
    """Yield the masses of all pieces that rows of assemblies state, in their parent, or in the product."""
    column = bom.columns.by_quantity.get("line_mass")
    if column is None or bom.options.mass_is == "line" or bom.options.assembly_values in ("own", "ignore"):
        return
    items = np.flatnonzero(~bom.tree.is_leaf() & (bom.rows >= 0) & rollup.coverage.mass_is_whole)
    stated = table_row_values(bom, "line_mass")[bom.rows[items]]
    items, stated = items[stated > 0], stated[stated > 0]  # a product with a blank mass is 0
    below = body_column(rollup.bodies if rollup.below is None else rollup.below, "mass")
    if below is None or not len(items):
        return
    computed = np.array([below[items] * times[items] for times in (bom.quantity.count, occurrence_counts(bom))])
    computed = computed[np.abs(computed - stated).sum(axis=1).argmin()]
    size = np.ones(len(items)) * column.sizes(bom.rows[items])
    yield _StatedValue("line_mass", items, stated / size, computed / size, np.abs(computed) / size)


def _cell_factors(bom: Bom, rollup: Rollup, name: str, items: _Rows) -> tuple[_Floats, _Floats]:
    """Look up the size of a cell of 1, for stated and for computed values, ``(k,)`` each."""
    # they differ for sigmas in percent, which refer to the respective value
    column = bom.columns.by_quantity[name]
    size = np.ones(len(items)) * column.sizes(bom.rows[items])
    base = name.removeprefix("sigma_")
    if name == "mass" and bom.pieces is not None:
        return size, size / bom.pieces[items]
    if not column.percent or base not in bom.written:
        return size, size
    owners, stated = bom.written[base]
    computed = _values_from_children(bom, rollup, base)
    values = stated[np.searchsorted(owners, items)]
    below = values if computed is None else computed[items]
    one, other = (np.where(of != 0, size * np.abs(of) / 100, np.nan) for of in (values, below))  # 1 % of a value
    return one, other


def _values_from_children(bom: Bom, rollup: Rollup, name: str) -> _Floats | None:
    """Return the values from the children of every item, in coherent units; NaN for sigmas of weighed items."""
    point = bom.options.inertia_about if name in INERTIA.columns else None
    if (values := value_about_point(rollup, name, point)) is None or bom.stated is None or rollup.below is None:
        return values
    below = None
    if not name.startswith("sigma_"):
        below = body_column(rollup.below, name) if point is None else component_about_point(rollup.below, name, point)
    return np.where(bom.stated, np.nan if below is None else below, values)


def differing_positions(bom: Bom, stated: _StatedValue) -> list[int]:
    """Find the stated values that differ by more than their last digit and rounding (docs/formulas.md, section 9)."""
    off = np.abs(stated.computed - stated.values)
    rounding = _CONVERSION_ROUNDING * stated.scale
    if not len(suspects := np.flatnonzero(off > rounding)):
        return []
    column, first = bom.columns.by_quantity[stated.name], bom.columns.first_row
    texts = bom.table.texts(column.index, first)
    rows = bom.rows[stated.items[suspects]] - first
    written = (half_unit_of_cell(texts[row].rstrip("% "), column.rules) for row in rows.tolist())
    half = np.fromiter(written, float, len(rows))
    if stated.name in ("mass", "line_mass"):
        items = stated.items[suspects]
        pieces = np.abs(bom.quantity.count[items]) if stated.name == "line_mass" else 1.0
        half = half + pieces * _children_rounding(bom)[items] / column.sizes(bom.rows[items])
    # a half unit is a rounded number too
    beyond: list[int] = suspects[off[suspects] > half * (1 + _CONVERSION_ROUNDING) + rounding[suspects]].tolist()
    return beyond


def _children_rounding(bom: Bom) -> _Floats:
    """Return the root of the sum of squares of half a unit of the last digit of the leaves' masses in items (n,)."""
    line, info, pieces = bom.columns.by_quantity.get("line_mass"), bom.table.sheet_info, bom.quantity.count
    column, squares = line or bom.columns.by_quantity["mass"], np.zeros(len(bom))
    leaves = np.flatnonzero(bom.tree.is_leaf() & (bom.rows >= 0))
    for i in leaves.tolist() if len(leaves) <= MOST_ROUNDED else ():
        row = int(bom.rows[i])
        if info is None or (row, column.index) not in info.formulas:  # a computed value is exact
            squares[i] = (column.half_digit(bom.table, row) / (pieces[i] if line else 1)) ** 2
    for start, end in zip(bom.tree.levels[-2:0:-1].tolist(), bom.tree.levels[:1:-1].tolist(), strict=True):
        items = bom.tree.order[start:end]
        np.add.at(squares, bom.tree.parent[items], squares[items] * pieces[items] ** 2)
    return np.sqrt(squares)


def _rounding_scales(rollup: Rollup, name: str, items: _Rows, point: Point | None) -> _Floats:
    """Return the reference of rounding of one item's quantity: the largest entry of its kind."""
    kind = next(s for s in QUANTITY_SETS if name in s.columns)
    arrays = [
        values[items] for column in kind.columns if (values := value_about_point(rollup, column, point)) is not None
    ]
    return np.max(np.abs(np.nan_to_num(np.array(arrays))), axis=0)  # type: ignore[no-any-return] # typed as Any by NumPy


def difference_digits(computed: float, stated: float) -> int:
    """Count the significant digits that show the difference from a stated number."""
    enough = (n for n in range(6, 17) if abs(float(f"{computed:.{n}g}") - computed) <= abs(computed - stated) / 20)
    return next(enough, 17)


def _difference_message(bom: Bom, i: int, computed: dict[str, str]) -> str:
    """Write the message of a stated value that differs, in the unit and sign convention of the row."""
    parts = []
    for name, value in computed.items():
        text = bom.table.text(int(bom.rows[i]), bom.columns.by_quantity[name].index).strip()
        parts.append(f"{name} {text} (children: {value})")
    return f"stated values of {bom.ids[i]} differ from those of its children: {', '.join(parts)}"


_DIGITS = 1e-3  # rounding of three to four written digits, as a share of the moments of all pieces
_REMOVAL_REMEDY = "check the mass, centre and tensor of the removed pieces, and the signs of the quantities"


def check_removed_pieces(bom: Bom, rollup: Rollup, findings: Findings) -> None:
    """Report computed tensors that no body has, where pieces are removed; docs/formulas.md, section 8."""
    bodies, tree = rollup.bodies, bom.tree
    own = bom.ends
    removed = (bom.quantity.count < 0) | (own & (bom.bodies.mass < 0))
    if bodies.inertia is None or bodies.center is None or not removed.any():
        return
    assert bom.bodies.center is not None
    assert bom.bodies.inertia is not None
    weight = np.where(own[np.maximum(tree.parent, 0)], 0.0, np.abs(bom.quantity.count))
    mass = np.where(own, np.abs(bom.bodies.mass), 0.0)
    gross = tree.subtree_sums(mass, weight)
    chosen = ~own & (tree.subtree_sums(removed.astype(float)) > removed) & (bodies.mass > 0) & ~rollup.cancelled
    if bom.options.allow_negative_mass:  # a list of changes is not a body: most of the mass must be left
        chosen &= 3 * bodies.mass >= gross
    if bodies.has_inertia is not None:
        chosen &= bodies.has_inertia
    items = np.flatnonzero(chosen)
    # Σ|I| + Σ|m| d² of the pieces about the centres
    c, about = np.nan_to_num(bom.bodies.center), np.nan_to_num(bodies.center)
    sizes = np.where(own, np.abs(np.nan_to_num(bom.bodies.inertia)).max(axis=1), 0.0) + mass * (c * c).sum(axis=1)
    moved = sum(2 * about[:, a] * tree.subtree_sums(mass * c[:, a], weight) for a in range(3))
    noise = _DIGITS * np.abs(tree.subtree_sums(sizes, weight) - moved + gross * (about * about).sum(axis=1))
    for row, rule, fault, _ in tensor_faults(bodies.inertia[items], lambda k: np.full(6, noise[items[k]])):
        if rule == "MP405":
            continue
        i = int(items[row])
        message = f"computed inertia tensor of {bom.ids[i]}, with removed pieces: {fault.partition(';')[0]}"
        place = item_cell_place(bom.table, int(bom.rows[i]), None)
        findings.report(rule, message, place, item=bom.ids[i], remedy=_REMOVAL_REMEDY, severity=Severity.WARNING)
