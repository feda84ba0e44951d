"""Workbooks put together part by part, so that each trap is visible in the test that sets it."""

from __future__ import annotations

import io
import zipfile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STRICT_MAIN = "http://purl.oclc.org/ooxml/spreadsheetml/main"
STRICT_RELATIONS = "http://purl.oclc.org/ooxml/officeDocument/relationships"


def cell(address: str, value: object) -> str:
    """One cell: a number, or an inline text."""
    if isinstance(value, str):
        return f'<c r="{address}" t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'
    return f'<c r="{address}"><v>{value!r}</v></c>'


def rows_xml(rows: list[list[object]]) -> str:
    """Rows from A1 on."""
    lines = []
    for i, row in enumerate(rows, 1):
        cells = "".join(cell(f"{chr(65 + j)}{i}", v) for j, v in enumerate(row) if v is not None)
        lines.append(f'<row r="{i}">{cells}</row>')
    return "".join(lines)


TABLE: list[list[object]] = [["id", "parent", "mass"], ["A", None, None], ["001", "A", 1.25], ["NA", "A", 2.5]]
TEXTS = [["id", "parent", "mass"], ["A", "", ""], ["001", "A", "1.25"], ["NA", "A", "2.5"]]


def sheet_xml(data: str = "", before: str = "", after: str = "", namespace: str = MAIN) -> str:
    """A worksheet part around its rows."""
    return f'<worksheet xmlns="{namespace}">{before}<sheetData>{data}</sheetData>{after}</worksheet>'


def parts(sheets: dict[str, str], strings: str = "", styles: str = "", strict: bool = False) -> dict[str, str]:
    """The parts of a workbook with worksheets of the given XML."""
    main, relations = (STRICT_MAIN, STRICT_RELATIONS) if strict else (MAIN, RELATIONS)
    listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="rId{i}"/>' for i, n in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{relations}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    links += f'<Relationship Id="s" Type="{relations}/sharedStrings" Target="sharedStrings.xml"/>'
    links += f'<Relationship Id="y" Type="{relations}/styles" Target="styles.xml"/>'
    root = f'<Relationship Id="rId1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/>'
    made = {
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>',
        "xl/sharedStrings.xml": f'<sst xmlns="{main}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{main}">{styles}</styleSheet>',
    }
    for i, xml in enumerate(sheets.values(), 1):
        made[f"xl/worksheets/sheet{i}.xml"] = xml
    return made


def packed(members: dict[str, str]) -> bytes:
    """The archive of some parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def workbook(data: str = "", before: str = "", after: str = "", strings: str = "", styles: str = "") -> bytes:
    """A workbook of one sheet named Parts."""
    return packed(parts({"Parts": sheet_xml(data, before, after)}, strings, styles))
