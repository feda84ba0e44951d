"""Contents of the worksheets Review, Rollup, Findings and About, and of a table as a worksheet."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import VERSION
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.result_columns import CORRELATIONS, SIGN_CONVENTION_TEXT
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.result_dict import (
    ABOUT_NAMES,
    ALLOWANCE_NAMES,
    AXIS_NAMES,
    COVERAGE_NAMES,
    LIMIT_NAMES,
    PREDICTED_PREFIX,
    PRINCIPAL_NAMES,
    SHARE_PREFIX,
    SIGMA_PRINCIPAL_NAMES,
    derived_column,
    is_sigma_name,
    review_table,
)
from massprops_cli.bom.results.table_edit import coherent_unit, result_header
from massprops_cli.files.table import TableEdit, TableSource
from massprops_cli.files.workbook.cells import FORMULA_SHEET, SAMPLES_HEAD, SAMPLES_SHEET, cell_position
from massprops_cli.files.workbook.sheet_xml import LONGEST_TEXT, CellLook, CellValue, OutputSheet, SheetsFor
from massprops_cli.findings.finding import Finding, Place, UsageError, count_with_noun, finding_counts_text
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.conventions import ResultWriteOptions
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.tables.options import CENTER_COLUMNS

_TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_RADII = ("kx", "ky", "kz")
_MAIN = {*_TEN[:7], "sigma_mass", "allowance_percent", "predicted_mass", "coverage_mass"}
"""Results in sight; the columns of all others are grouped and closed."""
_Floats = NDArray[np.float64]
_Items = NDArray[np.int32 | np.int64]
_MOST_ITEMS = 20_000  # of a sheet Rollup with parts; those of larger trees are in the table only
DEEPEST_OUTLINE = 7  # limit of workbooks
LONGEST_TITLE = 120  # characters of a page header
_RECORD_ROWS = ("input", "revision", "SHA-256", "date", "command", "configuration")
"""Rows of the sheet About that state the origin of the result."""
_Columns = list[tuple[str, str, _Floats]]  # columns of numbers: name, header, values by row
_MOST_ACCOUNT_ROWS = 200
_FORMATS_WITHOUT_FILE = ("dataframe", "records")


def own_sheets(
    result: Result, findings: Sequence[Finding], options: ResultWriteOptions, record: Mapping[str, str]
) -> SheetsFor:
    """Return a function that makes the tool's own sheets from the findings of the writer; ``record``: their origin."""
    rolled: list[OutputSheet] = []

    def made(more: Sequence[Finding]) -> list[OutputSheet]:
        if not rolled:
            rolled.append(_review_sheet(result, options))
            rolled.append(_rollup_sheet(result, options))
            rolled.append(_samples_sheet(result, options.sigma_level))
            if options.formulas:
                rolled.append(_formula_sheet(result))
        every, header = [*findings, *more], page_header(result.bom, record)
        about = _about_sheet(result, every, options.sigma_level, record)
        return [replace(sheet, page_header=header) for sheet in (*rolled, _findings_sheet(every), about)]

    return made


def _formula_sheet(result: Result) -> OutputSheet:
    """Write the ranges that the formulas of the assemblies sum."""
    from massprops_cli.verifications.formulas import live_formulas

    rows = live_formulas(result).rows
    head = next(k for k, row in enumerate(rows) if len(row) > 1)
    looks = dict.fromkeys(range(head), CellLook.TEXT)
    return OutputSheet(
        FORMULA_SHEET, rows, header_rows=head + 1, title_rows=1, row_looks={**looks, head: CellLook.HEADER},
        widths=[14, 14, *[11] * 13], autofilter=False, own=True,
    )  # fmt: skip


def _samples_sheet(result: Result, level: int) -> OutputSheet:
    """Write the samples; without them, a sheet that replaces those of an earlier run."""
    if not result.samples:
        rows = [SAMPLES_HEAD, ["no samples in the last roll-up"]]
        return OutputSheet(SAMPLES_SHEET, rows, autofilter=False, own=True, only_replaces=True)
    from massprops_cli.reports.probability import samples_sheet

    return samples_sheet(result, level)


def _rollup_sheet(result: Result, options: ResultWriteOptions) -> OutputSheet:
    """Write the results of all items to a sheet, depth first, in coherent units, products as tensor entries."""
    bom = result.bom
    order = bom.tree.preorder_items()
    if len(order) > _MOST_ITEMS and not options.all_rows:
        order = order[~bom.tree.is_leaf()[order]]
    columns, main = _number_columns(result, options, order)
    numbers = {name: values for name, _, values in columns}
    parents = bom.tree.parent.tolist()
    ids = [bom.ids[i] for i in order.tolist()]
    above = [bom.ids[parents[i]] if parents[i] >= 0 else None for i in order.tolist()]
    names = None if bom.names is None else [bom.names[i] for i in order.tolist()]
    if names is not None and all(name in ("", one) for name, one in zip(names, ids, strict=True)):
        names = None
    heads: list[CellValue] = ["id", "parent" if names is None else "name", *(header for _, header, _ in columns)]
    cells: list[Sequence[CellValue]] = [ids, above if names is None else names]
    cells += [values.tolist() for _, _, values in columns]
    if names is not None:  # first of the closed columns
        heads.insert(2 + main, "parent")
        cells.insert(2 + main, above)
    rows: list[Sequence[CellValue]] = [heads, *zip(*cells, strict=True)]
    places = {name: k + 2 + (names is not None and k >= main) for k, (name, *_) in enumerate(columns)}
    below = _subtotal_rows(result, options, places, len(heads))
    if count := len(bom) - len(order):
        rest = f"and {count_with_noun(count, 'part')} in the table; to list all here: --config all-rows=true"
        below = [*below, [None] * len(heads), [rest, *[None] * (len(heads) - 1)]]
    depth = np.minimum(bom.tree.depth()[order], DEEPEST_OUTLINE)
    outline = np.concatenate([[0], depth, np.zeros(len(below))]).astype(np.uint8)
    digits = {places[name]: decimals for name, decimals in _decimals(numbers).items()}
    formats = {places[name]: column_format(result, name, values) for name, values in numbers.items()}
    return OutputSheet(
        "Rollup",
        [*rows, *below],
        number_formats={k: code for k, code in formats.items() if code},
        decimals={k: np.concatenate([[-1], one]).astype(np.int8) for k, one in digits.items()},
        outline=outline,
        looks={(0, k): CellLook.NUMBER_HEADER for k in formats},
        indents=outline,
        bold_rows=set((np.flatnonzero(~bom.tree.is_leaf()[order]) + 1).tolist()),
        folded_columns=range(2 + main, len(heads)),
        frozen_columns=2,
        autofilter=not below,  # a filter would sort the subtotals in among the items
        own=True,
    )


def _review_sheet(result: Result, options: ResultWriteOptions) -> OutputSheet:
    """Write the review table to a sheet; without groups, a sheet that replaces that of an earlier run."""
    made = review_table(result, *options.other.of_review)
    if made is None or not made.columns:
        rows: list[Sequence[CellValue]] = [["review"], ["no groups in the last roll-up"]]
        return OutputSheet("Review", rows, autofilter=False, own=True, only_replaces=True)
    level, labels, unit = options.sigma_level, made.label_columns(), result.bom.units.mass
    columns = {name: values * (level if name == "sigma_mass" else 1) for name, values in made.columns.items()}
    units = ["%" if name.endswith("percent") else None if "share" in name else unit or None for name in columns]
    heads = [result_header(_heading(name), "", level if name == "sigma_mass" else 1) for name in columns]
    cells: list[Sequence[CellValue]] = [[head.replace("level:", "level "), None, *texts] for head, texts in labels]
    for head, of, values in zip(heads, units, columns.values(), strict=True):
        cells.append([head, of, *(None if np.isnan(value) else value for value in values.tolist())])
    places, n, decimals = dict(zip(columns, range(len(labels), len(cells)), strict=True)), len(made.labels), 0
    decimals = max(conventions.tying_decimals(made.columns, level) or 0, 0)
    digits = {
        name: conventions.margin_decimals(columns[name], k)
        for name, k in (("margin", decimals), ("margin_percent", 1))
        if name in columns
    }
    if "sigma_mass" in columns:
        digits["sigma_mass"] = conventions.sigma_decimals(columns["sigma_mass"]).tolist()
    if made.is_of_basic.any():
        cells.append(["limit of", None, *("basic mass" if one else None for one in made.is_of_basic.tolist())])
    of_masses = f"0.{'0' * decimals}".rstrip(".")
    formats = {
        j: "0.0%" if "share" in name else "0.0" if "percent" in name else of_masses for name, j in places.items()
    }
    over = np.flatnonzero(made.columns.get("margin", np.zeros(1)) < 0) + 2
    looks = {(row, j): CellLook.NUMBER_HEADER for row in (0, 1) for j in places.values()}
    looks |= {(0, j): CellLook.HEADER for j in range(len(labels))}
    looks |= {(row, places[name]): CellLook.ERROR for row in over.tolist() for name in LIMIT_NAMES[1:]}
    return OutputSheet(
        "Review",
        list(zip(*cells, strict=True)),
        header_rows=2,
        title_rows=2,
        widths=[min(float(max(len(text or "") for text in column) + 3), 40.0) for _, column in labels]
        + [12.0] * (len(cells) - len(labels)),
        number_formats=formats,
        decimals={places[name]: np.array([-1, -1, *counts], np.int8) for name, counts in digits.items()},
        looks=looks,
        bold_rows={n + 2},
        frozen_columns=1,
        autofilter=False,
        own=True,
    )


def _number_columns(result: Result, options: ResultWriteOptions, order: _Items) -> tuple[_Columns, int]:
    """Return the columns of quantity, results and aggregated columns, and how many at the start are in sight."""
    level, bom = options.sigma_level, result.bom
    main: _Columns = []
    closed: _Columns = []
    if "qty" in bom.columns.by_quantity:
        main.append(("qty", "qty", bom.quantity.count[order]))
    for name, values in zip(*_result_columns(result, options), strict=True):
        if name in CENTER_COLUMNS and not np.isfinite(values).any():  # a table with one arm has no other coordinates
            continue
        unit = conventions.unit_text(coherent_unit(result, name), UNICODE)
        header = result_header(_heading(name), unit, level if is_sigma_name(name) else 1)
        (main if name in _MAIN else closed).append((name, header, values[order]))
    for name, rolled in options.other.columns:
        values = np.asarray(rolled.values, float)[order]
        main.append((f"{rolled.aggregation} of {name}", f"{rolled.aggregation} {name}", values))
    return [*main, *closed], len(main)


_HEADINGS = {
    "allowance_percent": "growth",
    "allowance_mass": "growth mass",
    "coverage_leaves": "leaves",
    "coverage_mass": "mass known",
    "coverage_center": "CG known",
    "coverage_inertia": "inertia known",
}


def _heading(name: str) -> str:
    """Return the name of a result as a reader of a review reads it: ``σ mass``."""
    plain = name.removesuffix("_percent").replace("sigma_", "σ ").replace("rho_", "ρ ").replace("_", " ")
    return _HEADINGS.get(name, plain)


def _subtotal_rows(
    result: Result, options: ResultWriteOptions, places: Mapping[str, int], width: int
) -> list[Sequence[CellValue]]:
    """Return a blank row, and a row per group under the columns of the items."""
    other, groups = options.other, options.other.groups
    if groups is None:
        return []
    found = dict(zip(*_result_columns(replace(result, rollup=groups.rollup), options, of_groups=True), strict=True))
    found |= {f"{rolled.aggregation} of {name}": rolled.values for name, rolled in other.group_columns}
    by = "by " + ", ".join(other.labels)
    rows: list[Sequence[CellValue]] = [[None] * width]
    for k, label in enumerate(groups.labels):
        row: list[CellValue] = [", ".join(label), by, *[None] * (width - 2)]
        for name, values in found.items():
            if name in places:
                row[places[name]] = float(values[k])
        rows.append(row)
    return rows


def _result_columns(
    result: Result, options: ResultWriteOptions, *, of_groups: bool = False
) -> tuple[list[str], list[_Floats]]:
    """Return the names and values of all computed quantities, one value per item; sigmas at a level."""
    # ``of_groups`` omits the quantities of items only: growth, and shares by method
    if "mass" not in result.bom.columns.by_quantity:  # only aggregated columns
        return ["coverage_leaves"], [result.coverage_column("coverage_leaves")]
    names = [quantity for name in (*_TEN, *_RADII) for quantity in (name, f"mean_{name}", f"sigma_{name}")]
    names += [quantity for both in zip(PRINCIPAL_NAMES, SIGMA_PRINCIPAL_NAMES, strict=True) for quantity in both]
    names += [*ALLOWANCE_NAMES, *(PREDICTED_PREFIX + name for name in _TEN)]
    names += [*AXIS_NAMES, *COVERAGE_NAMES, *(SHARE_PREFIX + word for word in result.shares_of_mass)]
    names += ABOUT_NAMES if result.about is not None and not of_groups else ()
    names += CORRELATIONS if "rho" in options.add else ()
    if of_groups:
        names = [name for name in names if not name.startswith((SHARE_PREFIX, PREDICTED_PREFIX, *ALLOWANCE_NAMES))]
    level = options.sigma_level
    found = [(name, values) for name in names if (values := derived_column(result, name)) is not None]
    return [name for name, _ in found], [level * values if is_sigma_name(name) else values for name, values in found]


def column_format(result: Result, name: str, values: _Floats) -> str:
    """Return the number format of values (n,) without sigmas: shares in percent, else by the digits of the input."""
    if name.startswith((SHARE_PREFIX, "coverage_")) and name != "coverage_leaves":
        return "0%" if bool(np.isin(values[np.isfinite(values)], (0.0, 1.0)).all()) else "0.0%"
    fixed = {"qty": "", "allowance_percent": "0.0"}
    column = result.bom.columns.by_quantity.get(name.removeprefix(PREDICTED_PREFIX).removeprefix("mean_"))
    if name in fixed or conventions.is_whole(values):
        return fixed.get(name, "")
    if column is None or column.by_row is not None or column.percent:
        return conventions.value_number_format(values)
    typed = conventions.input_decimals(result.bom.table, [column.index], result.bom.columns.first_row)
    if not typed:
        return conventions.value_number_format(values)
    of_input = max(typed[column.index] - round(np.log10(column.factor)), 0)
    return conventions.decimals_format(conventions.shown_decimals(values, of_input))


def _decimals(columns: Mapping[str, _Floats]) -> dict[str, NDArray[np.int8]]:
    """Return the decimals of quantities with a sigma, and of the sigmas: two digits of the sigma, row by row."""
    found: dict[str, NDArray[np.int8]] = {}
    for name, values in columns.items():
        if (sigma := columns.get(f"sigma_{name}")) is None or "E" in conventions.value_number_format(values):
            continue
        digits = conventions.sigma_decimals(sigma)
        if not (known := digits >= 0).any():
            continue
        digits[~known] = np.median(digits[known])  # an exact number has the decimals of the others
        found |= {one: digits for one in (name, f"sigma_{name}", PREDICTED_PREFIX + name) if one in columns}
    return found


def _findings_sheet(findings: Sequence[Finding]) -> OutputSheet:
    """Write the findings to a sheet, highest severity first."""
    rows: list[list[CellValue]] = [["severity", "rule", "name", "place", "item", "value", "message", "remedy", "count"]]
    looks = {}
    for finding in sorted(findings, key=lambda one: (-one.severity.rank, one.rule)):
        looks[len(rows), 0] = CellLook[finding.severity.name]
        # without the file's name, so that a roll-up of this very file gives the same sheet
        cells = (_place_in_file(finding.place), finding.item, finding.value, finding.message, finding.remedy)
        texts = [str(cell)[:LONGEST_TEXT] or None for cell in cells]
        rows.append([finding.severity.value, finding.rule, finding.name, *texts, float(finding.count)])
    if len(rows) == 1:
        rows.append(["none", *[None] * 8])
    wrapped = dict.fromkeys(range(1, len(rows)), CellLook.WRAPPED)
    widths = [10, 9, 20, 16, 14, 12, 50, 40, 7]
    return OutputSheet("Findings", rows, widths=widths, looks=looks, row_looks=wrapped, own=True)


def _place_in_file(place: Place) -> str:
    """Write the address in the file as words."""
    if place.line is None:
        return str(replace(place, file=""))
    return f"line {place.line:,}" + (f", column {place.position}" if place.position else "")


def _about_sheet(result: Result, findings: Sequence[Finding], level: int, record: Mapping[str, str]) -> OutputSheet:
    """Write the conventions of the results to a sheet."""
    bom, stated = result.bom, list[list[str]]()
    if result.totals:
        from massprops_cli.reports.limits import reconciliation_cells

        stated = reconciliation_cells(result)
    axes = "table" if bom.poses is None else "root"
    frames = [] if bom.poses is None else [["", f"in the table, the frame of each row: {bom.poses.frames_text}"]]
    point = "" if result.about is None else ", ".join(f"{one:g}" for one in result.about)
    about = point and f"; about_Ixx … about_Iyz: about the point {point}"
    sign = SIGN_CONVENTION_TEXT.partition(": ")[2]
    rows: list[Sequence[CellValue]] = [
        ["massprops", VERSION],
        *([name, text] for name, text in record.items() if text),
        *([["sheet", bom.table.source.sheet]] if bom.table.source.sheet else []),
        ["layout", bom.layout],
        ["items", str(len(bom))],
        ["findings", finding_counts_text(findings)],
        ["units", conventions.units_words(result, UNICODE)],
        ["frame", f"axes of the {axes}, one frame for all items; CG coordinates from its origin 0,0,0"],
        *frames,
        ["inertia", f"about the CG of each item{about}"],
        ["products", f"{sign} in the sheet Rollup; in the table, the convention of each row"],
        *conventions.uncertainty_rows(result, UNICODE, level),
        *conventions.configuration_rows(result),
        *stated,
        ["marks", "coloured cells of the table are computed; the next run replaces colours and comments"],
        *_account_rows(bom),
    ]
    looks = {(0, 0): CellLook.TITLE, (0, 1): CellLook.TITLE}
    looks |= {(k, 0): CellLook.HEADER for k in range(1, len(rows))}
    looks |= {(k, 1): CellLook.WRAPPED for k in range(1, len(rows))}
    return OutputSheet("About", rows, header_rows=0, widths=[34, 88], looks=looks, autofilter=False, own=True)


def _account_rows(bom: Bom) -> list[Sequence[CellValue]]:
    """Write what every column and every row of the table is."""
    from massprops_cli.bom.account import account_lines

    lines = account_lines(bom)
    rows: list[Sequence[CellValue]] = [
        [line.place if line.what == "row" else f"{line.what} {line.place}".strip(), line.words]
        for line in lines[:_MOST_ACCOUNT_ROWS]
    ]
    rest = len(lines) - len(rows)
    return [*rows, ["", f"and {rest:,} more: massprops validate"]] if rest > 0 else rows


def current_run(
    source: TableSource, command: Sequence[str], configuration: Sequence[str], date: str = "", revision: str = ""
) -> dict[str, str]:
    """Record the origin of the result of this run for the sheet About."""
    texts = (
        "standard input" if source.name == "-" else Path(source.name).name,
        revision,
        content_hash(source),
        date or run_date(),
        shlex.join(["massprops", *command]) if command else "",
        ", ".join(configuration) or "none",
    )
    return dict(zip(_RECORD_ROWS, texts, strict=True))


def content_hash(source: TableSource) -> str:
    """Return the SHA-256 of the input; empty where it is not one file."""
    import hashlib

    if source.content is not None:
        return hashlib.sha256(source.content).hexdigest()
    if source.format in _FORMATS_WITHOUT_FILE or not Path(source.name).is_file():
        return ""
    with Path(source.name).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_date() -> str:
    """Return the date of the run."""
    if not (stated := os.environ.get("SOURCE_DATE_EPOCH", "")):
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(stated), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"SOURCE_DATE_EPOCH is not a number of seconds: {stated}") from None


def write_with_record(
    source: Path | bytes,
    out: BinaryIO,
    run: Mapping[str, str],
    write: Callable[[BinaryIO, Mapping[str, str]], list[Finding]],
    *,
    is_changed: bool = False,
) -> list[Finding]:
    """Write an edited workbook; with the record of the earlier run if it is a roll-up that stays the same."""
    from massprops_cli.files.workbook.editor import own_sheet_texts

    if not (earlier := own_sheet_texts(source, "About")):
        return write(out, run)
    if is_changed:
        changed = io.BytesIO()
        findings = write(changed, run)
        if not any(finding.rule in ("MP121", "MP135") for finding in findings):
            out.write(changed.getvalue())
            return findings
    same, stated = io.BytesIO(), {row[0]: row[1] for row in earlier if len(row) > 1}
    kept = {name: stated.get(name, "") for name in _RECORD_ROWS} | {"revision": run.get("revision", "")}
    findings = write(same, kept)
    if same.getvalue() != (source if isinstance(source, bytes) else source.read_bytes()):
        return write(out, run)
    out.write(same.getvalue())
    return findings


def finding_comments(bom: Bom, findings: Sequence[Finding]) -> list[tuple[int, int, str]]:
    """Convert findings with a cell in the sheet of the table to comments, one per cell."""
    texts: dict[tuple[int, int], list[str]] = {}
    for finding in findings:
        place = finding.place
        if not place.cell or (place.sheet and place.sheet != bom.table.source.sheet):
            continue
        if (position := cell_position(place.cell)) is not None:
            remedy = f"\n{finding.remedy}" if finding.remedy else ""
            texts.setdefault(position, []).append(f"{finding.severity.value} {finding.rule}: {finding.message}{remedy}")
    return [(row, column, "\n\n".join(parts)) for (row, column), parts in sorted(texts.items())]


def page_header(bom: Bom, record: Mapping[str, str]) -> tuple[str, str]:
    """Return what is at the top of printed pages: the rows above the table, its file and revision, and the date."""
    title = next((one.value for one in bom.findings if one.rule == "MP228"), "")
    revision = f"revision {record['revision']}" if record.get("revision") else ""
    return " · ".join(filter(None, (title[:LONGEST_TITLE], record.get("input"), revision))), record.get("date", "")


def filled_formats(result: Result, filling: TableEdit) -> dict[int, str]:
    """Return a number format for each filled column of a workbook that has none: the most decimals of its rows."""
    decimals = filled_decimals(result, filling)
    fills = [one for one in filling.fills if one.column in decimals]
    fractions = (one for one in fills if isinstance(one.values, np.ndarray) and not conventions.is_whole(one.values))
    return {one.column: conventions.decimals_format(int(decimals[one.column][one.rows].max())) for one in fractions}


def filled_decimals(result: Result, filling: TableEdit) -> dict[int, NDArray[np.int8]]:
    """Return the decimals of the rows (n,) of filled columns: two digits of the sigma, else of the input; −1: none."""
    bom, columns, found = result.bom, result.bom.columns, dict[int, NDArray[np.int8]]()
    named = {column.index: column for column in columns.by_quantity.values() if not column.percent}
    typed = conventions.input_decimals(bom.table, named, columns.first_row)
    item_of_row, items = np.full(bom.table.n_rows, -1), np.flatnonzero(bom.rows >= 0)[::-1]  # the first item of a row
    item_of_row[bom.rows[items]] = items
    for fill in filling.fills:
        if not isinstance(fill.values, np.ndarray) or (column := named.get(fill.column)) is None:
            continue
        digits = np.full(len(fill.rows), -1, np.int8)
        sigma = derived_column(result, f"sigma_{column.quantity.removeprefix('sigma_')}")
        if sigma is not None and columns.rewrite is None:
            digits = conventions.sigma_decimals(sigma[item_of_row[fill.rows]] / column.sizes(fill.rows))
        of_input = typed.get(fill.column, -1)
        digits[digits < 0] = conventions.shown_decimals(fill.values, max(of_input, 0))
        found[fill.column] = np.full(bom.table.n_rows, of_input, np.int8)
        found[fill.column][: columns.first_row] = -1
        found[fill.column][fill.rows] = digits
    return found
