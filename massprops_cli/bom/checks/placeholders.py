"""Inertia tensors that were not determined: defaults of programs, and one tensor on parts of different masses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import PlausibilityFault, placeholder_faults
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.bom.items.result_columns import INERTIA
from massprops_cli.findings.finding import Findings, name_list

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_RULES = {"identity-tensor": "MP713", "round-diagonal": "MP713", "equal-entries": "MP713", "repeated-tensor": "MP714"}


def check_placeholder_tensors(bom: Bom, findings: Findings) -> None:
    """Warn of the tensors of leaves that look like defaults of a program; point masses are not compared."""
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
    items, rows = items[valid], rows[valid]
    found = placeholder_faults(BodyArray(mass[valid], np.zeros((len(items), 3)), written[valid]))
    default = [fault for fault in found if fault.kind != "repeated-tensor"]
    repeated = [fault for fault in found if fault.kind == "repeated-tensor"]
    rows_of_defaults = {fault.row for fault in default}
    for fault in [*default, *(one for one in repeated if one.row not in rows_of_defaults)]:
        _report_fault(bom, fault, items.tolist(), findings)


def _report_fault(bom: Bom, fault: PlausibilityFault, items: list[int], findings: Findings) -> None:
    """Report one tensor."""
    column = bom.columns.by_quantity[INERTIA.columns[0]]
    ids = [bom.ids[items[k]] for k in (fault.row, *fault.related)]
    name = name_list(ids[:6], count=len(ids))
    findings.report(
        _RULES[fault.kind],
        f"inertia of {name} was probably not determined: {fault.message}",
        item_cell_place(bom.table, int(bom.rows[items[fault.row]]), column.index, column.header),
        value=bom.table.text(int(bom.rows[items[fault.row]]), column.index).strip(),
        item=ids[0],
    )
