"""Archives made of a text, so that a fuzzer changes their parts and not their checksums.

A line ``==> NAME`` begins a part; parts that a text does not have get the smallest content that works.
"""

from __future__ import annotations

import io
import re
import zipfile

_HEAD = b'<?xml version="1.0" encoding="UTF-8"?>'
_MAIN = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = b"application/vnd.openxmlformats-officedocument.spreadsheetml."

_XLSX = {
    "[Content_Types].xml": _HEAD
    + b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    + b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    + b'<Default Extension="xml" ContentType="application/xml"/>'
    + b'<Override PartName="/xl/workbook.xml" ContentType="'
    + _TYPE
    + b'sheet.main+xml"/>'
    + b'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="'
    + _TYPE
    + b'worksheet+xml"/></Types>',
    "_rels/.rels": _HEAD
    + b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    + b'<Relationship Id="r1" Type="'
    + _REL
    + b'/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": _HEAD
    + b'<workbook xmlns="'
    + _MAIN
    + b'" xmlns:r="'
    + _REL
    + b'"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": _HEAD
    + b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    + b'<Relationship Id="r1" Type="'
    + _REL
    + b'/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": _HEAD
    + b'<worksheet xmlns="'
    + _MAIN
    + b'"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c>'
    + b'<c r="B1" t="str"><v>mass</v></c></row><row r="2"><c r="A2" t="str"><v>a</v></c>'
    + b'<c r="B2"><v>1.5</v></c></row></sheetData></worksheet>',
}

_ODS = {
    "mimetype": b"application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": _HEAD
    + b'<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    + b' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    + b' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    + b'<office:body><office:spreadsheet><table:table table:name="S"><table:table-row><table:table-cell>'
    + b"<text:p>id</text:p>"
    + b"</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>"
    + b"</office:document-content>",
}

_DEFAULTS = {"xlsx": _XLSX, "ods": _ODS, "openrocket": {"rocket.ork": b"<openrocket/>"}, "xlsb": {}}

_PART = re.compile(rb"^==> ([\w./\[\] -]{1,80})\n", re.MULTILINE)


def archive_of_text(kind: str, text: bytes) -> bytes:
    """The archive of a kind (``xlsx``, ``xlsb``, ``ods``, ``openrocket``) whose parts a text has."""
    pieces = _PART.split(text)
    given = {
        name.decode("ascii", "replace"): content.removesuffix(b"\n")
        for name, content in zip(pieces[1::2], pieces[2::2], strict=True)
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in {**_DEFAULTS[kind], **given}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()
