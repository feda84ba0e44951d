"""Which program's report a file is, by its root element or its first lines."""

from __future__ import annotations

import re
from collections.abc import Callable

from massprops_cli.files.importers.items import ReportTable
from massprops_cli.findings import Finding

_ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_ROOT = re.compile(rb"\s*<(?:\w+:)?(\w+)")
_ROOTS = {b"fdm_config": "jsbsim", b"mass_balance": "jsbsim"}


def report_of(head: bytes) -> str:
    """Give the format of a report by the first bytes of its file; empty when it is none.

    >>> report_of(b"<?xml version='1.0'?><!-- a plane --><fdm_config name='c172'>"), report_of(b"id,parent")
    ('jsbsim', '')
    """
    text = head.removeprefix(b"\xef\xbb\xbf")
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = text[2:].replace(b"\0", b"")
    root = _ROOT.match(_ASIDE.sub(b"", text)) if text.lstrip()[:1] == b"<" else None
    return _ROOTS.get(root.group(1), "") if root else ""


def read_report(name: str, data: bytes, format: str, compressed: bool) -> tuple[ReportTable, list[Finding]]:
    """Read a report of a format that `report_of` knows."""
    from massprops_cli.files.importers.jsbsim import read_jsbsim

    readers: dict[str, Callable[[str, bytes, bool], tuple[ReportTable, list[Finding]]]] = {"jsbsim": read_jsbsim}
    return readers[format](name, data, compressed)
