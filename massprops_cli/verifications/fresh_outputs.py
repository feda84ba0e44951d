"""A written result read again, and a fresh one of the same format, units and point to compare it with."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import Table, file_table
from massprops_cli.files.workbook.cells import FORMULA_SHEET
from massprops_cli.findings.finding import Findings, MasspropsError, TableError
from massprops_cli.verifications.cells import read_typed_table, read_workbook_names
from massprops_cli.verifications.digits import HEADER, typed_numbers, unit_size
from massprops_cli.verifications.recomputation import Recomputation

ABOUT = "About"  # sheet that states the run
HEADS = 50  # rows below that of the header of the table in which a written file may have its own
_ADDED = ("radii", "sigma", "principal", "coverage", "rho", "growth")
UNIT = re.compile(r"\s*[\[(]([^\])]*)[\])]")


def read_sheets(name: str, findings: Findings) -> dict[str, Table]:
    """Read the sheets of a workbook, or the one table of another file, without interpreting them."""
    tables = {}
    for sheet in read_workbook_names(name) or [""]:
        try:
            tables[sheet] = file_table(read_file_table(name, FileOptions(sheet=sheet), None, Findings()))
        except TableError as error:
            if not any(one.rule == "MP107" for one in error.findings):  # an empty sheet
                findings.extend(error.findings)
    return tables


def fresh_tables(
    recomputed: Recomputation, tables: Mapping[str, Table], first: Table
) -> tuple[Recomputation, dict[str, Table]]:
    """Write the result with all further columns as a file of the same format, and read it again."""
    bom, tops = recomputed.result.bom, [one.row(i) for one in tables.values() for i in range(min(one.n_rows, HEADS))]
    heads = {text.strip() for row in tops for text in row}
    levels = [
        one[3] for head in heads - {text.strip() for text in bom.columns.header} if (one := HEADER.fullmatch(head))
    ]
    level = max((int(one) for one in levels if one), default=1)
    own = {text.strip() for i in range(min(first.n_rows, HEADS)) for text in first.row(i)}
    if bom.columns.rewrite is None and (units := _stated_units(bom, own)):
        run = tables.get(ABOUT)
        rows = [] if run is None else [run.row(i) for i in range(run.n_rows)]
        of_run = [",".join(row[1].split(", ")[:2]) for row in rows if len(row) > 1 and row[0] == "units"]
        recomputed = _in_units(recomputed, of_run[0] if of_run else units)
    if about := _stated_point(first):
        recomputed.set_point(about)
    source = first.source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("fresh" + "".join(Path(source.name).suffixes[-2:]))
        more = {"formulas": True} if FORMULA_SHEET in tables else {}
        added = [one for one in _ADDED if one != "rho" or recomputed.result.rollup.method != "massprops"]
        try:
            recomputed.result.save(path, source.format, add=added, sigma_level=level, **more)
            return recomputed, read_sheets(str(path), Findings())
        except MasspropsError:
            return recomputed, {}


def _stated_point(first: Table) -> tuple[float, float, float] | None:
    """Return the point of ``--about`` that a written result states; None for one without it."""
    for i in range(min(first.n_rows, HEADS)):
        heads = {UNIT.sub("", text.strip()): j for j, text in enumerate(first.row(i))}
        at = [heads[f"about_{axis}"] for axis in "xyz" if f"about_{axis}" in heads]
        texts = [next((text for k in range(i + 1, first.n_rows) if (text := first.text(k, j).strip())), "") for j in at]
        numbers = [found for text in texts for found in typed_numbers(text)[:1]]
        if len(numbers) == len("xyz"):
            x, y, z = map(float, numbers)
            return x, y, z
    return None


def _stated_units(bom: Bom, heads: set[str]) -> str:
    """Return the units that headers of a written result have in place of those of the table; empty if the same."""
    columns = [bom.columns.by_quantity[q] for q in ("mass", "Cx", "Ixx") if q in bom.columns.by_quantity]
    bare = {UNIT.sub("", head): head for head in heads}
    found = [UNIT.search(bare.get(UNIT.sub("", one.header.strip()), "")) for one in columns]
    units = [one[1] for one in found if one is not None and unit_size(one[1]) is not None]
    changed = [
        one for one, is_there in zip(columns, found, strict=True) if is_there and one.header.strip() not in heads
    ]
    return ",".join(units) if changed else ""


def _in_units(recomputed: Recomputation, units: str) -> Recomputation:
    """Return the recomputation of the table in other units; the same where the table cannot be read so."""
    result = recomputed.result
    request = result.uncertainty_request
    try:
        bom = Bom.from_table(file_table(result.bom.table), replace(result.bom.options, units=units))
        method = {"correlate": request.correlate, "correlate_centers": request.correlate_centers}
        made = rollup(bom, request.method, correlations=request.correlations, **method)  # type: ignore[arg-type] # keywords of a dictionary
    except MasspropsError:
        return recomputed
    other = Recomputation(made, read_typed_table(bom, Findings(), request.correlate))
    other.not_verified = recomputed.not_verified
    return other
