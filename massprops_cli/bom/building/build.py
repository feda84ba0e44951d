"""A table → a bill of materials: what its columns mean, its tree, its numbers, and everything wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.building.finding_items import find_items
from massprops_cli.bom.building.quantities import as_stated
from massprops_cli.bom.building.stories import one_story_a_cell
from massprops_cli.bom.building.wanted import Growth, picked_shapes
from massprops_cli.bom.cells.cells import SetCells, read_sets, require
from massprops_cli.bom.cells.checks import Checked, check_masses, check_pieces, check_sigmas, check_tensors
from massprops_cli.bom.cells.inertia_point import refuse_spreads, to_own_centers
from massprops_cli.bom.cells.marks import Marks, read_marks
from massprops_cli.bom.cells.parts import check_part_numbers, check_uses
from massprops_cli.bom.cells.variants import read_blanks
from massprops_cli.bom.cells.weighed_out import weigh_out
from massprops_cli.bom.growth.allowances import read_growth
from massprops_cli.bom.items.content import Content
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.planting import Planting
from massprops_cli.bom.items.sets import INERTIA, MASS, SETS, SIGMA_INERTIA, SIGMA_SETS
from massprops_cli.bom.stating.methods import known_by
from massprops_cli.bom.stating.sharing import Sharing, read_sharing
from massprops_cli.bom.stating.stating import Statements, state_sigmas
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.rollup.groups import picked_bodies, picked_sigmas
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.tables.layouts.hierarchy import Hierarchy
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.leaving_out import without_errors_left_out
from massprops_cli.tables.rows.totals import TotalRow
from massprops_cli.tables.units.quantities import PRODUCTS

Mask = NDArray[np.bool_]


def build(table: Table, options: TableOptions, findings: Sequence[Finding]) -> Content:
    """Make sense of a table; ``findings`` are those of reading it.

    Raises TableError when there is no tree at all: no header, no row, no hierarchy.
    """
    (table, columns, options, totals, hierarchy, planting), said = find_items(table, options, findings)
    findings = without_errors_left_out(findings, table)
    items = ItemRows(
        table,
        columns,
        np.asarray(hierarchy.rows, dtype=np.intp)[planting.items],
        picked(hierarchy.ids, planting.items),
    )
    edge_rows = None if hierarchy.edge_rows is None else hierarchy.edge_rows[planting.items]
    uses = items if edge_rows is None else replace(items, rows=edge_rows)
    blanks, found_here = read_blanks(uses, planting, options) if options.qty_column else (None, [])
    said += found_here
    marks, found_here = read_marks(items, planting.is_leaf, options, root=planting.root, uses=uses, blanks=blanks)
    said += found_here
    cells, stated, as_written, found_here = read_cells(items, marks, options)
    said += found_here
    part = None if hierarchy.part is None else hierarchy.part[planting.items]
    sharing, found_here = read_sharing(items, marks, part)
    said += found_here
    said += check_uses(items, part, cells)
    said += check_part_numbers(items, planting.is_leaf, cells)
    growth, found_here = read_growth(items, marks, options)
    said += found_here
    said = one_story_a_cell(findings, said, columns, table.sheet_info, filled_rows(items, marks, options))
    content = assemble(
        Read(options, hierarchy, planting, items, marks, cells, as_written, stated, sharing, growth), said
    )
    return held_against_totals(content, totals)


def held_against_totals(content: Content, totals: list[TotalRow]) -> Content:
    """Say what masses and quantities mean, and hold them against the totals and products that the sheet states.

    What reads totals is loaded for a table that has some.
    """
    findings: list[Finding] = []
    if totals or content.columns.doubtful:
        from massprops_cli.bom.building.settling import settled

        content = settled(content, totals)
    else:
        content = as_stated(content)
    if content.columns.by_quantity.keys() & PRODUCTS.keys():
        from massprops_cli.bom.building.products import differing_products

        findings += differing_products(content)
    if content.totals:
        from massprops_cli.bom.building.reconciliation import differing_centers

        findings += differing_centers(content)
    return content.saying(findings)


def filled_rows(items: ItemRows, marks: Marks, options: TableOptions) -> set[int]:
    """Give the rows of a worksheet whose numbers are computed: no leaf, and none whose own numbers may go up."""
    if items.table.sheet_info is None or options.assembly_values in ("own", "stated"):
        return set()
    # a part used in several places has one row: it is computed only where no use of it needs its numbers
    return set(items.rows.tolist()) - set(items.rows[marks.goes_up].tolist())


def picked(texts: Sequence[str], chosen: NDArray[np.intp]) -> Sequence[str]:
    """Pick some texts; all of them costs nothing."""
    if len(chosen) == len(texts):
        return texts
    return [texts[i] for i in chosen.tolist()]


def read_cells(
    items: ItemRows, marks: Marks, options: TableOptions
) -> tuple[dict[str, SetCells], Statements, dict[str, SetCells], list[Finding]]:
    """Read and check the columns of the ten quantities and their sigmas, and what else is stated of their errors.

    The third is what the cells say before tensors are moved to the items' own centres.
    """
    sets = [s for s in SETS if options.use_sigmas or not s.is_sigma]
    cells, findings = read_sets(items, sets)
    if MASS.name not in cells and not any(f.rule == "MP203" for f in findings):
        findings.append(
            found("MP203", "the table has no column of masses", items.table.place(items.columns.header_row))
        )
    elif MASS.name in cells and options.mass_is != "line":
        findings += weigh_out(items, marks.unit_masses, marks.quantity.count, cells[MASS.name], marks.counts)
    turned = written_positive(len(items.rows), marks.sign, options)
    if INERTIA.name in cells:
        apply_signs(cells[INERTIA.name], turned)
    as_written = moved_tensors(items, cells, options)
    stated, said = state_sigmas(items, marks, cells, turned, options)
    findings += said
    for quantity_set in sets:
        if quantity_set.name not in cells:
            continue
        needed = marks.counts & ~marks.is_point if quantity_set in (INERTIA, SIGMA_INERTIA) else marks.counts
        allowed = quantity_set.allow in options.allow_missing
        findings += require(items, quantity_set, cells[quantity_set.name], needed, allowed=allowed)
    return cells, stated, cells | as_written, findings + check_cells(items, marks, cells, options)


def moved_tensors(items: ItemRows, cells: dict[str, SetCells], options: TableOptions) -> dict[str, SetCells]:
    """Move tensors that are not about the items' own centres there (``--inertia-about``); gives them as written."""
    point = options.inertia_about
    if point is None or INERTIA.name not in cells:
        return {}
    if options.use_sigmas:
        refuse_spreads(items.columns, point)
    written = cells[INERTIA.name]
    cells[INERTIA.name] = to_own_centers(cells, point)
    return {INERTIA.name: written}


def check_cells(items: ItemRows, marks: Marks, cells: dict[str, SetCells], options: TableOptions) -> list[Finding]:
    """Check what was read for what cannot be."""
    findings: list[Finding] = []
    on = Checked(items, marks.counts, marks.is_point, options.inertia_about)
    if MASS.name in cells:
        findings += check_masses(on, cells[MASS.name], allow_negative=options.allow_negative_mass)
    if INERTIA.name in cells:
        findings += check_tensors(on, cells)
        findings += check_pieces(on, cells, marks.quantity, ~marks.goes_up)
    for quantity_set in SIGMA_SETS:
        if quantity_set.name in cells:
            findings += check_sigmas(on, quantity_set, cells)
    return findings


def written_positive(n: int, sign: NDArray[np.int8] | None, options: TableOptions) -> Mask:
    """Tell whose products of inertia are written as +∫xy dm ``(n,)``, the negative of tensor entries."""
    return np.full(n, options.poi == "+") if sign is None else sign > 0


def apply_signs(inertia: SetCells, turned: Mask) -> None:
    """Turn products of inertia into tensor entries: a cell under ``+`` is their negative."""
    if turned.any():
        products = inertia.values[:, 3:]
        # 0 − x, not −x: what is written 0 stays a plain 0
        np.subtract(0.0, products, out=products, where=turned[:, None])


class Read(NamedTuple):
    """Everything that was read of a table, in the order of its wanted items."""

    options: TableOptions
    hierarchy: Hierarchy
    planting: Planting
    items: ItemRows
    marks: Marks
    cells: dict[str, SetCells]
    as_written: dict[str, SetCells]
    stated: Statements
    sharing: Sharing
    growth: NDArray[np.float64] | None


def assemble(read: Read, said: list[Finding]) -> Content:
    """Bring everything into the order of the tree's items: those kept, and the made root."""
    options, hierarchy, planting, items, marks, cells, as_written, stated, sharing, growth = read
    assert planting.tree is not None
    grown = Growth(planting)
    bom = Content(
        table=items.table,
        columns=items.columns,
        options=options,
        layout=hierarchy.layout,
        how=hierarchy.how,
        tree=planting.tree,
        ids=grown.texts(items.ids, planting.made),
        names=None if hierarchy.names is None else grown.texts(picked(hierarchy.names, planting.items), ""),
        rows=grown.take(items.rows, -1),
        bodies=grown.bodies(cells, marks),
        sigmas=grown.sigmas(cells, marks),
        quantity=Quantity(grown.take(marks.quantity.count, 1.0), grown.take(marks.quantity.measured, False)),
        stated=grown.take(marks.stated, False) if marks.stated.any() else None,
        extra=None,
        sign=None if marks.sign is None else grown.take(marks.sign, 0),
        point_blank=None if marks.point_blank is None else grown.take(marks.point_blank, False),
        written=grown.written(as_written, items.columns),
        findings=tuple(said),
        shapes=None if stated.shapes is None else grown.shapes(stated.shapes),
        groups=None if sharing.groups is None else grown.texts(sharing.groups, ""),
        part_numbers=None if sharing.parts is None else grown.texts(sharing.parts, ""),
        maturity=None if (words := known_by(items, stated.methods)) is None else grown.texts(words, ""),
        growth=None if growth is None else grown.take(growth, np.nan),
    )
    return with_own_bodies(bom, np.flatnonzero(grown.take(marks.own, False)))


def with_own_bodies(bom: Content, owners: NDArray[np.intp]) -> Content:
    """Give each of some assemblies ``owners (k,)`` a leaf that holds its row's numbers, beside its children."""
    if not len(owners):
        return bom
    n, k = len(bom), len(owners)
    at = np.append(np.arange(n), owners)
    is_owner = np.isin(np.arange(n), owners)
    return replace(
        bom,
        tree=type(bom.tree).from_parents(np.append(bom.tree.parent, owners).astype(np.int32)),
        ids=[*bom.ids, *(f"{bom.ids[i]} (own)" for i in owners.tolist())],
        names=repeated(bom.names, owners),
        rows=bom.rows[at],
        bodies=picked_bodies(bom.bodies, at),
        sigmas=None if bom.sigmas is None else picked_sigmas(bom.sigmas, at),
        quantity=Quantity(
            np.append(bom.quantity.count, np.ones(k)), np.append(bom.quantity.measured, np.zeros(k, bool))
        ),
        stated=None if bom.stated is None else np.append(bom.stated, np.zeros(k, bool)),
        extra=np.arange(n + k) >= n,
        sign=None if bom.sign is None else bom.sign[at],
        point_blank=None if bom.point_blank is None else bom.point_blank[at],
        shapes=None if bom.shapes is None else picked_shapes(bom.shapes, at),
        groups=repeated(bom.groups, owners),
        part_numbers=repeated(bom.part_numbers, owners),
        maturity=repeated(bom.maturity, owners),
        growth=None if bom.growth is None else np.append(np.where(is_owner, np.nan, bom.growth), bom.growth[owners]),
    )


def repeated(texts: Sequence[str] | None, owners: NDArray[np.intp]) -> Sequence[str] | None:
    """Give the texts of n items, and those of some of them again."""
    return None if texts is None else [*texts, *(texts[i] for i in owners.tolist())]
