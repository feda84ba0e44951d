"""The table of a check with two columns more: the smallest headroom of each item, and the verdict of its limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from massprops_cli.budgets.check import Check
from massprops_cli.budgets.model import table_unit_factor
from massprops_cli.files.table import AddedColumn, ColumnEdit, TableEdit, Values, file_table
from massprops_cli.files.workbook.editor import SheetEdit, edit_workbook
from massprops_cli.files.workbook.sheet_xml import CellLook
from massprops_cli.files.workbook.writer import new_workbook
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import Finding
from massprops_cli.reports.sheets import bom_sheet
from massprops_cli.reports.table_files import WORKBOOK_FORMATS, Target, saved_target, write_flat_table
from massprops_cli.tables.cells.units import MASS

_VERDICTS = {"kept": CellLook.KEPT, "waived": CellLook.WARNING, "undecided": CellLook.WARNING, "broken": CellLook.ERROR}
"""Verdicts in ascending order of priority, and their looks in a workbook."""


def _verdicts_by_row(outcome: Check) -> tuple[dict[int, str], dict[int, float]]:
    """Return the verdict of all limits of each row, and the smallest headroom of mass in the unit of the table."""
    bom, words, headroom = outcome.result.bom, dict[int, str](), dict[int, float]()
    rows, root = bom.rows.copy(), outcome.result.root_item
    if rows[root] < 0:
        rows[root] = next((one.row for one in reversed(bom.totals) if one.kind == "total"), -1)
    row_of = dict(zip(bom.ids, rows.tolist(), strict=True))
    for one in (one for one in outcome.verdicts if row_of.get(one.item, -1) >= 0):
        row = row_of[one.item]
        word = "kept" if one.kept else "waived" if one.waiver else "undecided" if one.is_undecided else "broken"
        words[row] = max(word, words.get(row, word), key=list(_VERDICTS).index)
        if one.subject == "mass-max" and one.margin is not None:
            margin = one.margin * table_unit_factor(one.unit, MASS, bom.units)
            headroom[row] = min(margin, headroom.get(row, margin))
    return words, headroom


def _write_checked_table(outcome: Check, out: BinaryIO, target: Target) -> list[Finding]:
    """Write the table of a check with columns of headroom and verdict: those of an earlier run, or to its right."""
    bom = outcome.result.bom
    words, headroom = _verdicts_by_row(outcome)
    table, rows, header = file_table(bom.table), np.array(sorted(words), np.intp), bom.columns.header_row
    columns: dict[str, Values] = {
        f"headroom [{bom.units.mass}]".removesuffix(" []"): np.array([headroom.get(i, np.nan) for i in rows.tolist()]),
        "verdict": [words[i] for i in rows.tolist()],
    }
    known = [text.strip() for text in table.row(header)]
    fills = [ColumnEdit(known.index(name), rows, values) for name, values in columns.items() if name in known]
    added = [AddedColumn(name, rows, values) for name, values in columns.items() if name not in known]
    filling = TableEdit(tuple(fills), tuple(added), header)
    j = known.index("verdict") if "verdict" in known else table.n_columns + len(added) - 1
    looks = {(row, j): _VERDICTS[word] for row, word in words.items()}
    if target.format not in WORKBOOK_FORMATS:
        return write_flat_table(table, bom.columns, filling, out, target)
    source, info = table.source, table.sheet_info
    if source.format != target.format or info is None:
        return new_workbook(out, [replace(bom_sheet(bom, filling), looks=looks)], target.name)
    names = {table.n_columns + k: column.name for k, column in enumerate(added)}
    fills += [ColumnEdit(k, rows, columns[name]) for k, name in names.items()]
    edit = TableEdit(tuple(fills), header_row=header, renames=names)
    changes = SheetEdit(source.sheet, edit, info.first_row, info.first_column, name=source.name, looks=looks)
    return edit_workbook(Path(source.name) if source.content is None else source.content, out, changes)


def save_verdicts(outcome: Check, path: str, *, no_clobber: bool) -> list[Finding]:
    """Write the table of a check to a file, with the smallest headroom and the verdict of each item."""
    target = saved_target(outcome.result.bom, path, "", no_clobber=no_clobber)
    with atomic_file(Path(target.name), replaces=target.replaces) as out:
        return _write_checked_table(outcome, out, target)
