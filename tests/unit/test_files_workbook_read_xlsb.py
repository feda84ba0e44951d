from __future__ import annotations

import struct

from massprops_cli.files.options import FileOptions
from massprops_cli.files.workbook.xlsx import read_workbook
from massprops_cli.findings.finding import Findings
from tests.unit.workbook_parts import PACKAGE, RELATIONS, TEXTS, packed


def record(kind: int, content: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return head + bytes([len(content)]) + content


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def text_cell(column: int, value: str) -> bytes:
    return record(6, struct.pack("<II", column, 0) + wide(value))


def number_cell(column: int, value: float) -> bytes:
    return record(5, struct.pack("<IId", column, 0, value))


def row(number: int, flags: int = 0) -> bytes:
    return record(0, struct.pack("<IIHBBB", number, 0, 300, 0, flags, 0) + struct.pack("<I", 0))


def xlsb(cells: bytes, columns: int = 3) -> bytes:
    sheet = record(129) + record(148, struct.pack("<4I", 0, 3, 0, columns - 1)) + record(145) + cells + record(146)
    bundle = struct.pack("<II", 0, 1) + wide("rId1") + wide("Parts")
    main = record(131) + record(143) + record(156, bundle) + record(144) + record(132)
    root = f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.bin"/>'
    link = f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.bin"/>'
    members: dict[str, str | bytes] = {
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}">{root}</Relationships>',
        "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{PACKAGE}">{link}</Relationships>',
        "xl/workbook.bin": main,
        "xl/worksheets/sheet1.bin": sheet + record(130),
    }
    return packed(members)


HEAD = row(0) + text_cell(0, "id") + text_cell(1, "parent") + text_cell(2, "mass") + row(1) + text_cell(0, "A")


def test_values() -> None:
    rows = row(2) + text_cell(0, "001") + text_cell(1, "A") + number_cell(2, 1.25)
    rows += row(3) + text_cell(0, "NA") + text_cell(1, "A") + number_cell(2, 2.5)
    findings = Findings()
    table = read_workbook("bom.xlsb", xlsb(HEAD + rows), "xlsb", FileOptions(), None, findings)
    assert [table.row(i) for i in range(table.n_rows)] == TEXTS
    assert findings == []


def test_errors_and_hidden_rows() -> None:
    rows = row(2) + text_cell(0, "001") + text_cell(1, "A") + record(3, struct.pack("<IIB", 2, 0, 7))
    rows += row(3, flags=0x12) + text_cell(0, "NA") + text_cell(1, "A") + number_cell(2, 2.5)
    findings = Findings()
    table = read_workbook("bom.xlsb", xlsb(HEAD + rows), "xlsb", FileOptions(), None, findings)
    assert [(f.rule, f.place.cell or f.place.row) for f in findings] == [("MP117", "C3"), ("MP119", 4)]
    assert table.text(2, 2) == "#DIV/0!"
    assert table.sheet_info is not None
    assert table.sheet_info.outline is not None
    assert table.sheet_info.outline.tolist() == [0, 0, 0, 2]
