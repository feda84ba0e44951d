"""XML that simulators read and strict parsers reject: its faults are blanked, so that no byte changes its position."""

from __future__ import annotations

import re
from typing import NamedTuple

from massprops_cli.findings.finding import count_with_noun

_MARKUP = re.compile(rb"<!--(.*?)-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
"""A comment with its text, character data, and an instruction such as ``<?xml … ?>``."""
_DECLARATION = re.compile(rb"<\?xml\s.*?\?>", re.DOTALL)
_VERSION = re.compile(rb"""\sversion\s*=\s*["']([^"']*)["']""")
_ENCODING = re.compile(rb"""\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']""")
_ROOT = re.compile(rb"<([A-Za-z_][\w:.-]*)")  # the first start tag
_NOT_LINE_END = re.compile(rb"[^\r\n]")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ToleratedXml(NamedTuple):
    """A source of the same length without the faults that are tolerated, and what they were."""

    data: bytes
    encoding: str | None  # of a declaration that was blanked
    faults: list[str]


def tolerated_xml(data: bytes) -> ToleratedXml:
    """Blank ``--`` in comments, text around the root element, and a declaration that is misplaced or not of 1.0."""
    comments = [one.span(1) for one in _MARKUP.finditer(data) if one[1] is not None and b"--" in one[1] + b"-"]
    data, faults = _blanked(data, comments), [f"-- in {count_with_noun(len(comments), 'comment')}"] * bool(comments)
    elements = _MARKUP.sub(lambda one: b" " * len(one[0]), data)
    if (root := _ROOT.search(elements)) is None:
        return ToleratedXml(data, None, faults)
    start, last = root.start(), elements.rfind(b"</" + root[1])
    end = elements.find(b">", last) + 1 if last >= 0 else len(data)
    mark = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    before = ["text before the root element"] * bool(elements[mark:start].strip())
    encoding = None
    if declaration := _DECLARATION.search(data, 0, start):
        version, encoding = (_stated(one, declaration[0]) for one in (_VERSION, _ENCODING))
        before += ["declaration not at the beginning"] * (declaration.start() != mark)
        before += [f"version {version} of XML (expected 1.0)"] * (version not in ("1.0", None))
    if before:
        data = _blanked(data, [(0, start)])
    if b"<" not in (tail := elements[end:]) and tail.strip():
        data, faults = _blanked(data, [(end, len(data))]), [*faults, "text after the root element"]
    return ToleratedXml(data, encoding if before else None, [*before, *faults])


def _stated(attribute: re.Pattern[bytes], declaration: bytes) -> str | None:
    """Return the value of an attribute of a declaration."""
    found = attribute.search(declaration)
    return found[1].decode("ascii", "replace") if found else None


def _blanked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    """Return data with blanks in parts of it; line ends remain."""
    made = bytearray(data)
    for start, end in spans:
        made[start:end] = _NOT_LINE_END.sub(b" ", data[start:end])
    return bytes(made)
