"""Tensors that no body can have, replaced by the nearest valid ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import phi, principal_axes
from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bom.changed_table import ChangedTable, table_with_cells
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.bom.items.result_columns import INERTIA
from massprops_cli.bom.motion import enter_set_cells, row_items, written_numbers
from massprops_cli.findings.finding import Findings

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]


class _TensorRepair(NamedTuple):
    """The table with valid tensors, and the changes of k items in the coherent unit of inertia."""

    table: ChangedTable
    items: NDArray[np.intp]
    before: _Floats  # (k, 6) tensor entries about own centres, axes of the row's frame
    after: _Floats  # (k, 6)
    distance: _Floats  # (k,) Frobenius norm of the change
    share: _Floats  # (k,) distance ÷ Frobenius norm of the stated tensor


_TENSOR_RULES = ("MP403", "MP404")
"""Tensors that no body can have, beyond the rounding of their digits."""


def repair_tensors(bom: Bom, findings: Findings) -> _TensorRepair:
    """Replace tensors that no body can have by the valid ones of least distance (docs/formulas.md, section 12)."""
    faulty = {finding.item for finding in bom.findings if finding.rule in _TENSOR_RULES}
    before, has = written_numbers(bom)
    items = np.array([i for i in row_items(bom).tolist() if bom.ids[i] in faulty and has[i, 4]], np.intp)
    nearest = BodyArray.of(np.ones(len(items)), np.zeros((len(items), 3)), before[items, 4:]).nearest_valid()
    after = before.copy()
    after[items, 4:] = nearest.inertia
    old, new = before[:, 4:].copy(), after[:, 4:].copy()
    if bom.options.inertia_about is not None:
        moved = before[:, :1] * phi(before[:, 1:4] - np.asarray(bom.options.inertia_about, dtype=float))
        old += moved
        new += moved
    cells: dict[tuple[int, int], float | str] = {}
    enter_set_cells(bom, cells, INERTIA, (old, new), items)
    norms = np.sqrt((before[items, 4:] ** 2 * [1, 1, 1, 2, 2, 2]).sum(axis=1))
    share = np.divide(nearest.distance, norms, out=np.zeros(len(items)), where=norms > 0)
    repair = _TensorRepair(
        table_with_cells(bom, cells), items, before[items, 4:], nearest.inertia, nearest.distance, share
    )
    _report_repairs(bom, repair, findings)
    return repair


def _report_repairs(bom: Bom, repair: _TensorRepair, findings: Findings) -> None:
    """Report each replaced tensor with its distance and its principal moments before and after."""
    unit = f" {bom.units.inertia}" if bom.units.inertia else ""
    column = bom.columns.by_quantity[INERTIA.columns[0]] if len(repair.items) else None
    for k, item in enumerate(repair.items.tolist()):
        assert column is not None
        moments = [
            ", ".join(f"{x:.6g}" for x in principal_axes(six[k][None]).moments[0].tolist())
            for six in (repair.before, repair.after)
        ]
        findings.report(
            "MP716",
            f"tensor of {bom.ids[item]} replaced by the nearest valid one: distance {repair.distance[k]:.6g}{unit}, "
            f"{100 * repair.share[k]:.3g} % of the tensor; principal moments {moments[0]} before, {moments[1]} after",
            item_cell_place(bom.table, int(bom.rows[item]), column.index, column.header),
            item=bom.ids[item],
        )
