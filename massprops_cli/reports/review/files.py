"""A design review as Markdown with its pictures, as a workbook with native charts, and printed to PDF."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from massprops_cli.findings.finding import OutputError, UsageError
from massprops_cli.reports.page.findings import escape_markdown_cell, markdown_table
from massprops_cli.reports.pictures.svg import PALETTE
from massprops_cli.reports.review import content
from massprops_cli.reports.review.content import Review

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_LONGEST_PRINT = 120  # seconds
_HELPERS = 27  # column AA, right of what is printed
_SHEET_ROWS = 400  # of a table in the workbook; the others are in the html file
_WIDTHS = 26, 14  # characters of the first column of the workbook, and of each other one
_NUMBER = re.compile(r'([+-]?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)( [^\s"0-9(±][^\s"]*)?')  # 0.29 kg


def review_markdown(review: Review, sections: Sequence[content.Section], name: str) -> tuple[str, dict[str, str]]:
    """Return a review as Markdown, and the svg files next to it by name."""
    lines, pictures, stem = [f"# {escape_markdown_cell(review.title)}", ""], dict[str, str](), Path(name).stem
    for section in sections:
        lines += [f"## {escape_markdown_cell(section.title)}", ""]
        for block in _flat(section.blocks):
            if isinstance(block, content.Pictures):
                for one in block.pictures:
                    file = f"{re.sub('[^A-Za-z0-9_-]', '_', stem)}.{section.name}.{len(pictures) + 1}.svg"
                    pictures[file] = one.svg(is_file=True)
                    lines += [f"![{escape_markdown_cell(one.title)}]({file})", ""]
            elif isinstance(block, content.DataTable):
                align = block.align.replace("d", "r")
                rows = [[cell.replace("\u2003", "… ") for cell in row] for row in block.rows]
                lines += [f"{escape_markdown_cell(block.caption)}:", "", *markdown_table(block.heads, align, rows), ""]
            elif isinstance(block, content.Facts):
                lines += [*markdown_table(("", "value", ""), "lrl", block.rows), ""]
            elif isinstance(block, content.Remark):
                lines += [f"> {line}".rstrip() for line in block.text.replace("<", "&lt;").splitlines()] + [""]
            elif isinstance(block, content.Words):
                lines += [escape_markdown_cell(block.text), ""]
    return "\n".join(lines), pictures


def _flat(
    blocks: Sequence[content.ReviewBlock],
) -> Iterator[content.Words | content.Remark | content.DataTable | content.Facts | content.Pictures]:
    """Yield blocks with those that are folded, and the rows of the items."""
    for block in blocks:
        if isinstance(block, content.Fold):
            yield from _flat(block.blocks)
        else:
            yield block.rows if isinstance(block, content.ItemTable) else block


def review_workbook(review: Review, sections: Sequence[content.Section]) -> bytes:
    """Return one printable sheet with the tables of a review and native charts."""
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet: Any = book.active
    sheet.title, row = "Review", 1
    settings = review.settings
    for text in (review.title, " · ".join(filter(None, (settings.project, settings.revision, settings.author)))):
        _put(sheet.cell(row, 1), text)
        sheet.cell(row, 1).font = Font("Calibri", bold=True, size=15 if row == 1 else 11)
        row += 1
    for section in sections:
        row += 1
        sheet.cell(row, 1, section.title).font = Font("Calibri", bold=True, size=13)
        row += 1
        for block in _flat(section.blocks):
            if isinstance(block, content.Words | content.Remark):
                _put(sheet.cell(row, 1), block.text)
                row += 1
            elif isinstance(block, content.Facts):
                row = _put_table(sheet, row, "", content.DataTable("", ("quantity", "value", ""), "lrl", block.rows))
            elif isinstance(block, content.DataTable):
                row = _put_table(sheet, row, section.name, block)
    for j in range(1, 17):
        sheet.column_dimensions[get_column_letter(j)].width = _WIDTHS[j > 1]
    sheet.page_setup.orientation, sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = "landscape", 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_area = f"A1:P{row}"
    head = re.sub("[^\\w ._-]", " ", " ".join(filter(None, (settings.project, settings.revision))))
    sheet.oddHeader.left.text, sheet.oddFooter.right.text = head[:120].strip() or None, "&P / &N"
    out = io.BytesIO()
    book.save(out)
    packed = io.BytesIO()  # without the times of this run
    with zipfile.ZipFile(out) as made, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name in made.namelist():
            timed = rb"[0-9-]{10}T[0-9:]{8}Z" if name == "docProps/core.xml" else rb"(?!)"
            file.writestr(zipfile.ZipInfo(name), re.sub(timed, b"2000-01-01T00:00:00Z", made.read(name)))
    return packed.getvalue()


def _put_table(sheet: Any, row: int, section: str, table: content.DataTable) -> int:
    """Write a table from a row on, below its caption and above its chart, and return the row after them."""
    from openpyxl.styles import Alignment, Font, PatternFill

    if table.caption:
        _put(sheet.cell(row, 1), table.caption)
        sheet.cell(row, 1).font = Font("Calibri", italic=True, color="57606A")
        row += 1
    first = row + 1
    for cells in (table.heads, *table.rows[:_SHEET_ROWS]):
        lines = 1
        for j, (text, kind) in enumerate(zip(cells, table.align, strict=True), 1):
            cell, is_head, wraps = sheet.cell(row, j), row < first, j < len(cells) or row < first
            _put(cell, text, is_number=kind != "l" and not is_head)
            side, indent = ("right", 0) if kind in "rd" else ("left", int(j > 1))
            cell.alignment = Alignment(side, "top", wrap_text=wraps or None, indent=indent)
            lines = max(lines, -(-len(text) // _WIDTHS[j > 1]) if wraps else 1)
            if is_head:
                cell.font, cell.fill = Font("Calibri", bold=True), PatternFill("solid", fgColor="E8EDF2")
        sheet.row_dimensions[row].height = 15 * lines
        row += 1
    row += 1
    if (chart := _chart(section, table, sheet, first)) is not None:
        sheet.add_chart(chart, f"A{row}")
        row += 16
    return row


def _put(cell: Any, text: str, *, is_number: bool = False) -> None:
    """Write a text, or the number that it is with its unit as format, into a cell; a text is never a formula."""
    bare = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", " ", text)
    found = _NUMBER.fullmatch(bare.replace("−", "-").strip()) if is_number else None
    if found is not None:
        number, unit = found[1], found[2] or ""
        is_share = unit.strip() == "%"
        cell.value = float(number) / (100 if is_share else 1)
        decimals = len(number.partition(".")[2]) if "e" not in number else 2
        digits = (f"0.{'0' * decimals}" if decimals else "0") + ("E+00" if "e" in number else "")
        cell.number_format = f"{digits}%" if is_share else f'{digits}"{unit}"' if unit else digits
    else:
        cell.value = bare[:32_000]
        cell.data_type = "s"


def _chart(section: str, table: content.DataTable, sheet: Any, first: int) -> Any:
    """Return the native chart of a table: masses, contributors, changes, limits or centre; None for others."""
    from openpyxl.chart import BarChart, Reference, ScatterChart, Series

    heads = [head.partition(" [")[0] for head in table.heads]
    column = {"status": "basic", "uncertainty": "share of variance", "limits": "used"}.get(section)
    last = first + min(len(table.rows), _SHEET_ROWS) - 1 - (table.looks[-1:] == ["total"])
    if section == "centre" and "value" in heads and len(table.rows) == 3:
        chart: Any = ScatterChart()
        values = [Reference(sheet, min_col=2, min_row=first + k) for k in (0, 1)]
        series = Series(values[1], values[0], title="centre of mass, Cy over Cx")
        series.marker.symbol, series.marker.size, series.graphicalProperties.line.noFill = "circle", 9, True
        chart.series.append(series)
        ends = [[row[heads.index(word)] for word in heads if word.endswith("allowed")] for row in table.rows[:2]]
        if all(len(pair) == 2 and all(pair) for pair in ends):
            for k, (a, b) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))):
                sheet.cell(first + k, _HELPERS, float(ends[0][a]))
                sheet.cell(first + k, _HELPERS + 1, float(ends[1][b]))
            y, x = (Reference(sheet, min_col=_HELPERS + j, min_row=first, max_row=first + 4) for j in (1, 0))
            chart.series.append(Series(y, x, title="limits"))
        for series in chart.series:
            series.smooth = False
    elif section == "changes" and "kind of change" in heads:
        chart = _waterfall(table, sheet, first)
    elif section != "changes" and column in heads and last >= first:
        chart = BarChart()
        chart.type, chart.legend = "bar", None
        chart.add_data(Reference(sheet, min_col=heads.index(column) + 1, min_row=first, max_row=last))
        names = heads.index("item") + 1 if section == "limits" else 1
        chart.set_categories(Reference(sheet, min_col=names, min_row=first, max_row=last))
        chart.x_axis.scaling.orientation = "maxMin"
        chart.x_axis.delete = chart.y_axis.delete = False
    else:
        return None
    chart.title, chart.height, chart.width = table.caption[:80] or section, 7.5, 22
    return chart


def _waterfall(table: content.DataTable, sheet: Any, first: int) -> Any:
    """Return the steps of a change as stacked columns; their numbers are right of what is printed."""
    from openpyxl.chart import BarChart, Reference

    at, last = 0.0, first + len(table.rows) - 1
    for k, row in enumerate(table.rows):
        step = float(row[2])
        start = 0.0 if k == len(table.rows) - 1 else at
        at = start + step
        low, high = sorted((start, at))
        for j, (near, far) in enumerate(((max(low, 0.0), max(high, 0.0)), (min(high, 0.0), min(low, 0.0)))):
            parts = near, (far - near) * (step > 0), (far - near) * (step <= 0)  # hidden, heavier, lighter
            for i, value in enumerate(parts):
                sheet.cell(first + k, _HELPERS + 3 * j + i, value)
    chart = BarChart()
    chart.type, chart.grouping, chart.overlap, chart.legend = "col", "stacked", 100, None
    chart.add_data(Reference(sheet, min_col=_HELPERS, max_col=_HELPERS + 5, min_row=first, max_row=last))
    chart.set_categories(Reference(sheet, min_col=1, min_row=first, max_row=last))
    for series, colour in zip(chart.series, 2 * ["", "orange", "teal"], strict=True):
        shape = series.graphicalProperties
        shape.noFill, shape.solidFill = (None, PALETTE[colour][0].lstrip("#")) if colour else (True, None)
    chart.x_axis.tickLblPos = "low"
    chart.x_axis.delete = chart.y_axis.delete = False
    return chart


def print_to_pdf(page: str, program: str = "") -> bytes:
    """Return a page as PDF by Chromium, or by WeasyPrint; OutputError if neither is installed, or if it fails."""
    found = shutil.which(program) if program else next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program and not found:
        raise UsageError(f"chromium is not a program: {program}")
    if found is None:
        return _weasyprint_pdf(page)
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "review.html", Path(folder) / "review.pdf"
        source.write_text(page, "utf-8")
        words = [
            found, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", "--disable-extensions",
            "--generate-pdf-document-outline", f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}",
            source.as_uri(),
        ]  # fmt: skip
        try:
            done = subprocess.run(words, capture_output=True, timeout=_LONGEST_PRINT, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise OutputError(f"{found} did not print the report: {error}") from None
        if not made.exists():
            text = f"{found} did not print the report (exit code {done.returncode})"
            raise OutputError(f"{text}; write .html and print it")
        return made.read_bytes()


def _weasyprint_pdf(page: str) -> bytes:
    """Return a page as PDF by WeasyPrint, which runs no script."""
    try:
        from weasyprint import HTML
    except (ImportError, OSError):
        raise UsageError(
            "pdf needs Chromium or Google Chrome on PATH (or --config chromium=FILE), or WeasyPrint: "
            "pip install 'massprops[pdf]'; -o review.html can be printed by any browser"
        ) from None
    content: bytes = HTML(string=page).write_pdf(pdf_tags=True)
    return content
