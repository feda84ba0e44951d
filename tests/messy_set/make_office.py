"""Let LibreOffice write workbooks: each drawing becomes a flat ODS, which ``soffice --convert-to`` opens and saves.

Run ``python -m tests.messy_set.make_office`` from the root of the repository, where LibreOffice is installed.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from openpyxl.utils.cell import get_column_letter, range_boundaries

from tests.messy_set.books import Sheet
from tests.messy_set.books_office import SHEETS
from tests.messy_set.make_messy import FILES
from tests.messy_set.sheet_text import cells_of

NAMES = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "table", "text"))
NAMES += ' xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<office:document {NAMES} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">'
)


def flat_ods(sheets: tuple[Sheet, ...]) -> str:
    """Give the flat ODS of some sheets; a cell that begins with ``of:=`` is a formula."""
    tables = "".join(_table(sheet) for sheet in sheets)
    return f"{HEAD}<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document>"


def _table(sheet: Sheet) -> str:
    rows = cells_of(sheet.drawing)
    width = max(map(len, rows))
    columns = "".join(
        f"<table:table-column{_hidden(get_column_letter(j) in sheet.hidden_columns)}/>" for j in range(1, width + 1)
    )
    spans = {}
    for area in sheet.merged:
        left, top, right, bottom = range_boundaries(area)
        spans[top, left] = (
            f' table:number-columns-spanned="{right - left + 1}" table:number-rows-spanned="{bottom - top + 1}"'
        )
    body = "".join(
        f"<table:table-row{_hidden(i in sheet.hidden_rows)}>"
        + "".join(_cell(value, spans.get((i, j), "")) for j, value in enumerate(cells, 1))
        + "</table:table-row>"
        for i, cells in enumerate(rows, 1)
    )
    return f"<table:table table:name={quoteattr(sheet.name)}>{columns}{body}</table:table>"


def _hidden(is_hidden: bool) -> str:
    return ' table:visibility="collapse"' if is_hidden else ""


def _cell(value: str | float | None, span: str) -> str:
    if value is None:
        return f"<table:table-cell{span}/>"
    if isinstance(value, str) and value.startswith("of:="):
        return f"<table:table-cell{span} table:formula={quoteattr(value)}/>"
    if isinstance(value, str):
        return f'<table:table-cell{span} office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    return f'<table:table-cell{span} office:value-type="float" office:value="{value}"/>'


def main() -> None:
    """Write every workbook that LibreOffice must write."""
    with tempfile.TemporaryDirectory() as folder:
        for name, sheets in SHEETS.items():
            source = Path(folder, name).with_suffix(".fods")
            source.write_text(flat_ods(sheets), encoding="utf-8")
            profile = f"-env:UserInstallation=file://{folder}/profile"
            target = ["--convert-to", name.rpartition(".")[2], "--outdir", str(FILES), str(source)]
            subprocess.run(["soffice", "--headless", profile, *target], check=True, timeout=120)


if __name__ == "__main__":
    main()
