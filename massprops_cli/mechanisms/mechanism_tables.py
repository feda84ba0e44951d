"""Mechanism files as tables: bodies and joints, in two sheets of a workbook or in two text files.

The table of bodies has the columns id, px py pz (position), qw qx qy qz (quaternion), and for dynamics mass, cx cy cz
(centre of mass) and Ixx Iyy Izz Ixy Ixz Iyz (about it, products as tensor entries), in the frame of the body; the row
of the ground, with id 0, has gravity under gx gy gz. The table of joints has the columns name, type, i, j, pix … piz,
pjx … pjz, aix … aiz, ajx … ajz, pitch, terms.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import Findings, Place, nearest_name_hint

if TYPE_CHECKING:
    pass

_VECTORS = {
    "bodies": {
        "p": "px py pz",
        "q": "qw qx qy qz",
        "gravity": "gx gy gz",
        "c": "cx cy cz",
        "I": "Ixx Iyy Izz Ixy Ixz Iyz",
    },
    "joints": {"pi": "pix piy piz", "pj": "pjx pjy pjz", "ai": "aix aiy aiz", "aj": "ajx ajy ajz"},
}
_TEXTS = {"bodies": ("id", "mass"), "joints": ("name", "type", "i", "j", "pitch", "terms")}
_REQUIRED = {"bodies": ("id",), "joints": ("name", "type", "i", "j")}
_GROUND_IDS = ("0", "ground")
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
TABLE_SUFFIXES = (*_TEXT_SUFFIXES, ".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")


def table_document(bodies: str, joints: str, findings: Findings) -> dict[str, Any] | None:
    """Read both tables as the document of a JSON file."""
    if Path(bodies).suffix.lower() in _TEXT_SUFFIXES and not joints:
        findings.report(
            "MP801", "table of bodies has no table of joints", Place(bodies), remedy="name it with --joints"
        )
        return None
    names = {"bodies": bodies, "joints": joints or bodies}
    records = {
        kind: _records(kind, name, "" if Path(name).suffix.lower() in _TEXT_SUFFIXES else kind, findings)
        for kind, name in names.items()
    }
    if findings.has_errors:
        return None
    document: dict[str, Any] = {"name": Path(bodies).stem, "joints": records["joints"]}
    document["bodies"] = [one for one in records["bodies"] if one.get("id") not in _GROUND_IDS]
    for one in records["bodies"]:
        gravity = one.pop("gravity", None)
        if one.get("id") in _GROUND_IDS:
            document["gravity"] = gravity
        elif gravity is not None:
            findings.report(
                "MP802", f"gravity is on the row of body {one.get('id')} (expected on the row 0)", Place(bodies)
            )
    if document.get("gravity") is None:
        findings.report("MP802", "gravity is missing: row with the id 0 and gx, gy, gz", Place(bodies), item="gravity")
    for kind in ("bodies", "joints"):
        if not document[kind]:
            findings.report("MP801", f"table of {kind} has no rows", Place(names[kind]))
    return None if findings.has_errors else document


def _records(kind: str, name: str, sheet: str, findings: Findings) -> list[dict[str, Any]]:
    """Read the rows of a table; a vector is a list of cells, absent if they are blank."""
    table = read_file_table(name, FileOptions(sheet=sheet), None, findings)
    rows = [[cell.strip() for cell in table.row(index)] for index in range(table.n_rows)]
    place = Place(name, sheet=sheet)
    header = rows[0] if rows else []
    known = [*_TEXTS[kind], *(one for names in _VECTORS[kind].values() for one in names.split())]
    for column in header:
        if column and column not in known:
            hint = nearest_name_hint(column, known)
            findings.report("MP801", f"table of {kind} has an unknown column: {column}{hint}", place, value=column)
    for column in _REQUIRED[kind]:
        if column not in header:
            findings.report("MP801", f"table of {kind} has no column {column}", place, value=column)
    found = []
    for row in rows[1:]:
        cells = {column: cell for column, cell in zip(header, row, strict=False) if column and cell}
        if not cells:
            continue
        record: dict[str, Any] = {column: cells[column] for column in _TEXTS[kind] if column in cells}
        for key, names in _VECTORS[kind].items():
            if any(column in cells for column in names.split()):
                record[key] = [cells.get(column, "") for column in names.split()]
        found.append(record)
    return found
