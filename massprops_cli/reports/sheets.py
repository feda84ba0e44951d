"""Contents of the worksheets Review, Rollup, Findings and About, and of a table as a worksheet."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import CORRELATIONS, SIGN_CONVENTION_TEXT
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
from massprops_cli.files.table import TableEdit, edit_with_file_names, file_table
from massprops_cli.files.workbook.cells import SAMPLES_HEAD, SAMPLES_SHEET, cell_position
from massprops_cli.files.workbook.sheet_xml import LONGEST_TEXT, CellLook, CellValue, OutputSheet, SheetsFor
from massprops_cli.findings.finding import Finding, UsageError, count_with_noun, finding_counts_text
from massprops_cli.reports.page import conventions
from massprops_cli.reports.page.conventions import ResultWriteOptions
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.tables.options import CENTER_COLUMNS, NUMERIC_TEXT_QUANTITIES, TEXT_QUANTITIES

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.files.table import Table, TableSource
    from massprops_cli.tables.columns.columns import TableColumns


_TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_RADII = ("kx", "ky", "kz")
_MAIN = {*_TEN[:7], "sigma_mass", "allowance_percent", "predicted_mass", "coverage_mass"}
"""Results in sight; the columns of all others are grouped and closed."""
_MOST_DECIMALS = 9  # of a number format
_SIGMA_DIGITS = 2  # significant digits of a sigma
_Floats = NDArray[np.float64]
_Items = NDArray[np.int32 | np.int64]
_MOST_ITEMS = 20_000  # of a sheet Rollup with parts; those of larger trees are in the table only
_DEEPEST_OUTLINE = 7  # limit of workbooks
_LONGEST_TEXT_WIDTH, _LONGEST_LINE = 36, 13
_RECORD_ROWS = ("input", "SHA-256", "date", "command", "configuration")
"""Rows of the sheet About that state the origin of the result."""


_Columns = list[tuple[str, str, _Floats]]  # columns of numbers: name, header, values by row


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
        every = [*findings, *more]
        return [*rolled, _findings_sheet(every), _about_sheet(result, every, options.sigma_level, record)]

    return made


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
    depth = np.minimum(bom.tree.depth()[order], _DEEPEST_OUTLINE)
    outline = np.concatenate([[0], depth, np.zeros(len(below))]).astype(np.uint8)
    digits = {places[name]: decimals for name, decimals in _decimals(numbers).items()}
    formats = {places[name]: _column_format(name, values) for name, values in numbers.items()}
    return OutputSheet(
        "Rollup",
        [*rows, *below],
        widths=_column_widths(heads, cells, outline, formats, digits),
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
    heads = [name.removesuffix("_percent").replace("_", " ") for name in columns]
    cells: list[Sequence[CellValue]] = [[head.replace("level:", "level "), None, *texts] for head, texts in labels]
    for head, of, values in zip(heads, units, columns.values(), strict=True):
        cells.append([head, of, *(None if np.isnan(value) else value for value in values.tolist())])
    places, n, decimals = dict(zip(columns, range(len(labels), len(cells)), strict=True)), len(made.labels), 0
    decimals = max(conventions.tying_decimals(made.columns, level) or 0, 0)
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
        widths=[float(max(len(text or "") for text in column) + 3) for _, column in labels] + [12.0] * len(columns),
        number_formats=formats,
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
        header = result_header(name, coherent_unit(result, name), level if is_sigma_name(name) else 1)
        (main if name in _MAIN else closed).append((name, header, values[order]))
    for name, rolled in options.other.columns:
        values = np.asarray(rolled.values, float)[order]
        main.append((f"{rolled.aggregation} of {name}", f"{rolled.aggregation} {name}", values))
    return [*main, *closed], len(main)


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


def _column_format(name: str, values: _Floats) -> str:
    """Return the number format of a column without sigmas: shares as percentages, else six digits of the largest."""
    if name.startswith((SHARE_PREFIX, "coverage_")) and name != "coverage_leaves":
        return "0%" if bool(np.isin(values[np.isfinite(values)], (0.0, 1.0)).all()) else "0.0%"
    fixed = {"qty": "", "allowance_percent": "0.0"}
    return fixed[name] if name in fixed else conventions.value_number_format(values)


def _decimals(columns: Mapping[str, _Floats]) -> dict[str, NDArray[np.int8]]:
    """Return the decimals of quantities with a sigma, and of the sigmas: two digits of the sigma, row by row."""
    found: dict[str, NDArray[np.int8]] = {}
    for name, values in columns.items():
        if (sigma := columns.get(f"sigma_{name}")) is None or "E" in conventions.value_number_format(values):
            continue
        known = np.isfinite(sigma) & (sigma > 0)
        if not known.any():
            continue
        exponent = np.zeros(len(sigma))
        exponent[known] = np.floor(np.log10(sigma[known] * (1 + 0.5 * 10.0**-_SIGMA_DIGITS)))
        digits = np.clip(_SIGMA_DIGITS - 1 - exponent, 0, _MOST_DECIMALS)
        # an exact number has the decimals of the others
        digits[~known] = min(np.median(digits[known]), _MOST_DECIMALS)
        names = (name, f"sigma_{name}", PREDICTED_PREFIX + name)
        found |= {one: digits.astype(np.int8) for one in names if one in columns}
    return found


def _column_widths(
    heads: Sequence[CellValue],
    cells: Sequence[Sequence[CellValue]],
    outline: NDArray[np.uint8],
    formats: Mapping[int, str],
    digits: Mapping[int, NDArray[np.int8]],
) -> list[float]:
    """Return the widths of columns in characters: the longest text, or the longest number in its format."""
    widths: list[float] = []
    for k, (head, column) in enumerate(zip(heads, cells, strict=True)):
        word = len(str(head))
        if word > _LONGEST_LINE:  # wrapped
            word = max(map(len, str(head).split()), default=0)
        if k in formats:
            values = np.abs(np.array(column, float))
            largest = float(values[np.isfinite(values)].max(initial=0.0))
            decimals = int(digits[k].max(initial=0)) if k in digits else len(formats[k].partition(".")[2])
            needed = len(f"{largest:.0f}") + decimals + 2 if "E" not in formats[k] else 12
        else:
            texts = zip(column, outline[1:].tolist() if k == 0 else [0] * len(column), strict=False)
            needed = max((len(str(text or "")) + 2 * step for text, step in texts), default=0)
        widths.append(float(min(max(word + 4, needed + 2, 9), _LONGEST_TEXT_WIDTH)))
    return widths


def _findings_sheet(findings: Sequence[Finding]) -> OutputSheet:
    """Write the findings to a sheet, highest severity first."""
    rows: list[list[CellValue]] = [["severity", "rule", "name", "place", "item", "value", "message", "remedy", "count"]]
    looks = {}
    for finding in sorted(findings, key=lambda one: (-one.severity.rank, one.rule)):
        looks[len(rows), 0] = CellLook[finding.severity.name]
        # without the file's name, so that a roll-up of this very file gives the same sheet
        cells = (replace(finding.place, file=""), finding.item, finding.value, finding.message, finding.remedy)
        texts = [str(cell)[:LONGEST_TEXT] or None for cell in cells]
        rows.append([finding.severity.value, finding.rule, finding.name, *texts, float(finding.count)])
    if len(rows) == 1:
        rows.append(["none", *[None] * 8])
    wrapped = dict.fromkeys(range(1, len(rows)), CellLook.WRAPPED)
    widths = [10, 9, 20, 16, 14, 12, 50, 40, 7]
    return OutputSheet("Findings", rows, widths=widths, looks=looks, row_looks=wrapped, own=True)


def _about_sheet(result: Result, findings: Sequence[Finding], level: int, record: Mapping[str, str]) -> OutputSheet:
    """Write the conventions of the results to a sheet."""
    from massprops_cli._front import VERSION

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
        ["sheet", bom.table.source.sheet or None],
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


_MOST_ACCOUNT_ROWS = 200


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
    source: TableSource, command: Sequence[str], configuration: Sequence[str], date: str = ""
) -> dict[str, str]:
    """Record the origin of the result of this run for the sheet About."""
    texts = (
        "standard input" if source.name == "-" else Path(source.name).name,
        _content_hash(source),
        date or run_date(),
        shlex.join(["massprops", *command]) if command else "",
        ", ".join(configuration) or "none",
    )
    return dict(zip(_RECORD_ROWS, texts, strict=True))


_FORMATS_WITHOUT_FILE = ("dataframe", "records")


def _content_hash(source: TableSource) -> str:
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
    findings = write(same, {name: stated.get(name, "") for name in _RECORD_ROWS})
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


def bom_sheet(bom: Bom, filling: TableEdit) -> OutputSheet:
    """Write the completed table to a worksheet; depth-first rows have outline levels."""
    outline = np.zeros(bom.table.n_rows, dtype=np.uint8)
    order = bom.tree.preorder_items()
    order = order[bom.rows[order] >= 0]
    if (np.diff(bom.rows[order]) > 0).all():
        outline[bom.rows[order]] = np.minimum(bom.tree.depth()[order], _DEEPEST_OUTLINE)
    return plain_sheet(file_table(bom.table), bom.columns, edit_with_file_names(bom.table, filling), outline)


def plain_sheet(
    table: Table, columns: TableColumns, filling: TableEdit, outline: NDArray[np.uint8] | None = None
) -> OutputSheet:
    """Write a table to a worksheet named like its source, else ``BOM``; levels (n_rows,); numbers stay numbers."""
    from massprops_cli.files.workbook.writer import table_sheet

    # columns written as numbers: those of quantities, and those whose texts survive a round trip
    places = {quantity: column.index for quantity, column in columns.by_quantity.items()}
    texts = {j for name, j in places.items() if name in TEXT_QUANTITIES and name not in NUMERIC_TEXT_QUANTITIES}
    certain = {j for name, j in places.items() if name not in TEXT_QUANTITIES or name == "qty"}
    # parts of a tuple's cell have columns of their own that the file does not have
    of_file = set(range(table.n_columns))
    others = of_file - texts - certain
    plain = {j for j in others if all(map(_is_round_trip_text, table.texts(j, columns.first_row)))}
    name, numeric = table.source.sheet or "BOM", certain & of_file | plain
    counted = {columns.by_quantity["qty"].index} if "qty" in columns.by_quantity else set()
    sheet = table_sheet(table, filling, name=name, numeric=numeric, outline=outline)
    return replace(
        sheet, number_formats=conventions.number_formats(table, sorted(numeric - counted), columns.first_row)
    )


def result_table_sheet(table: Table, title: str) -> OutputSheet:
    """Write a table that massprops made to a worksheet in the look of its own sheets."""
    from massprops_cli.files.workbook.writer import table_sheet

    numbers = {
        column: values[np.isfinite(values)]
        for column in range(table.n_columns)
        if len(values := table.numbers([column], 1)[0].values) and np.isfinite(values).any()
    }
    sheet = table_sheet(table, name=title, numeric=set(numbers))
    formats = {column: code for column, values in numbers.items() if (code := conventions.value_number_format(values))}
    looks = {(0, column): CellLook.NUMBER_HEADER for column in numbers}
    widths = [
        len(table.text(0, column)) + 3
        if column in numbers
        else min(max(map(len, table.texts(column, 0)), default=0) + 2, _LONGEST_TEXT_WIDTH)
        for column in range(table.n_columns)
    ]
    return replace(sheet, number_formats=formats, looks=looks, widths=[max(float(w), 11) for w in widths], own=True)


def _is_round_trip_text(text: str) -> bool:
    """Whether a text is blank, or a number in its shortest form."""
    if not text:
        return True
    from massprops_cli.tables.cells.number_text import read_number

    number = read_number(text)
    return number is not None and text in (repr(number), repr(number).removesuffix(".0"))
