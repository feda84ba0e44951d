"""Which program's report a file is, by its root element or its first lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from massprops_cli.files.importers.parts_report import ReportTable
    from massprops_cli.files.options import FileOptions
    from massprops_cli.findings import Findings

    Reader = Callable[[str, bytes, FileOptions, bool, Findings], ReportTable]

_COMMENTS = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_ROOT = re.compile(rb"\s*<(?:\w+:)?(\w+)")
_TITLE = re.compile(rb"^[ \t]*Mass properties of[ \t]+\S", re.MULTILINE)
_MASS = re.compile(rb"^[ \t]*Mass[^=\n]{0,40}=[ \t]*[\d.]", re.MULTILINE)
_ROOTS = {b"fdm_config": "jsbsim", b"mass_balance": "jsbsim", b"FASTOAD_model": "fastoad", b"cpacs": "cpacs"}


def report_format(head: bytes) -> str:
    """Recognise the report of another program by the first bytes of its file.

    Parameters
    ----------
    head : bytes
        First bytes of the file.

    Returns
    -------
    str
        Format; empty if the file is not such a report.

    Examples
    --------
    >>> report_format(b"<?xml version='1.0'?><!-- a plane --><fdm_config name='c172'>"), report_format(b"id,parent")
    ('jsbsim', '')
    """
    text = head.removeprefix(b"\xef\xbb\xbf")
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = text[2:].replace(b"\0", b"")
    if text.lstrip()[:1] == b"<":
        root = _ROOT.match(_COMMENTS.sub(b"", text))
        return _ROOTS.get(root.group(1), "") if root else ""
    return "solidworks-report" if _TITLE.search(text) and _MASS.search(text) else ""


def read_report(
    name: str, data: bytes, format: str, options: FileOptions, compressed: bool, findings: Findings
) -> ReportTable:
    """Read the report of another program.

    Parameters
    ----------
    name : str
        Name of the file, for findings.
    data : bytes
        Content of the file.
    format : str
        Format that `report_format` returned.
    options : FileOptions
        Options of reading.
    compressed : bool
        Whether the file was packed with gzip.
    findings : Findings
        Collector of findings.

    Returns
    -------
    ReportTable
        Items in kg, m and kg·m².

    Raises
    ------
    TableError
        No masses in the file, or an invalid value.
    """
    from massprops_cli.files.importers.cpacs import read_cpacs
    from massprops_cli.files.importers.fastoad import read_fastoad
    from massprops_cli.files.importers.jsbsim import read_jsbsim
    from massprops_cli.files.importers.solidworks import read_solidworks

    readers: dict[str, Reader] = {
        "cpacs": read_cpacs,
        "fastoad": read_fastoad,
        "jsbsim": read_jsbsim,
        "solidworks-report": read_solidworks,
    }
    return readers[format](name, data, options, compressed, findings)
