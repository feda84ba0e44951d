"""Which program's report a file is, by its root element or its first lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from massprops_cli._front import room_function

if TYPE_CHECKING:
    from massprops_cli.files.options import FileOptions
    from massprops_cli.files.parts_report import ReportTable
    from massprops_cli.findings.finding import Findings

    Reader = Callable[[str, bytes, FileOptions, bool, Findings], ReportTable]

_COMMENTS = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)  # "<!-- … -->" and "<?xml … ?>"
_DOCUMENT_TYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)  # "<!DOCTYPE … [ … ]>"
_ROOT = re.compile(rb"\s*<(?:\w+:)?(\w+)")  # "<robot", "<ns:cpacs": the name without prefix
_TITLE = re.compile(rb"^[ \t]*Mass properties of[ \t]+\S", re.MULTILINE)
"""Title of SolidWorks: "Mass properties of bracket"."""
_MASS = re.compile(rb"^[ \t]*Mass[^=\n]{0,40}=[ \t]*[\d.]", re.MULTILINE)
"""Its mass: "Mass = 1.5", "Mass (user-overridden) = 1.5"."""
_ROOTS = {
    b"fdm_config": "jsbsim",
    b"mass_balance": "jsbsim",
    b"FASTOAD_model": "fastoad",
    b"cpacs": "cpacs",
    b"openrocket": "openrocket",
    b"robot": "urdf",
    b"sdf": "sdf",
}
_AVL_UNIT = re.compile(rb"^[ \t]*[LM]unit[ \t]*=[ \t]*[\d.]", re.MULTILINE)  # "Lunit = 0.0254"
_OPENVSP_TITLE = re.compile(rb"^\.\.\.Mass Properties\.\.\.", re.MULTILINE)  # "...Mass Properties..."


def report_format(head: bytes, expected: str = "") -> str:
    """Recognise the report of another program by the first bytes of its file.

    Numbers alone are an AVL mass file, and an archive an OpenRocket design, only if that is expected.
    """
    text = _plain_head(head)
    if text.lstrip()[:1] == b"<":
        # a file with a document type is rejected by its reader
        root = _ROOT.match(_DOCUMENT_TYPE.sub(b"", _COMMENTS.sub(b"", text)))
        return _ROOTS.get(root.group(1), "") if root else ""
    if expected == "openrocket" and text.startswith(b"PK"):
        return expected
    if _OPENVSP_TITLE.search(text):
        return "openvsp"
    if _AVL_UNIT.search(text) or (expected == "avl" and b"\0" not in text):
        return "avl"
    return "solidworks-report" if _TITLE.search(text) and _MASS.search(text) else ""


def unread_xml_reason(head: bytes) -> str:
    """Return why XML is not read."""
    text = _plain_head(head)
    if text.lstrip()[:1] != b"<" or report_format(head):
        return ""
    root = _ROOT.match(_COMMENTS.sub(b"", text))
    if root is None:
        return ""
    return f"XML of an unknown kind: its root element is {root.group(1).decode('utf-8', 'replace')}"


def _plain_head(head: bytes) -> bytes:
    """Return the first bytes of a text without byte order mark, and without the zeros of UTF-16."""
    text = head.removeprefix(b"\xef\xbb\xbf")
    return text[2:].replace(b"\0", b"") if text[:2] in (b"\xff\xfe", b"\xfe\xff") else text


_READERS = {
    "avl": ("massprops_cli.files.importers.avl", "read_avl"),
    "cpacs": ("massprops_cli.files.importers.cpacs", "read_cpacs"),
    "fastoad": ("massprops_cli.files.importers.fastoad", "read_fastoad"),
    "jsbsim": ("massprops_cli.files.importers.jsbsim", "read_jsbsim"),
    "openrocket": ("massprops_cli.files.importers.openrocket", "read_openrocket"),
    "openvsp": ("massprops_cli.files.importers.openvsp", "read_openvsp"),
    "sdf": ("massprops_cli.robots.sdf.sdf_table", "read_sdf"),
    "solidworks-report": ("massprops_cli.files.importers.solidworks", "read_solidworks"),
    "urdf": ("massprops_cli.robots.urdf", "read_urdf"),
}
"""Format → module and function of its reader; robots are a room above this one."""


def read_report(
    name: str, data: bytes, format: str, options: FileOptions, compressed: bool, findings: Findings
) -> ReportTable:
    """Read the report of another program."""
    read: Reader = room_function(*_READERS[format])
    return read(name, data, options, compressed, findings)
