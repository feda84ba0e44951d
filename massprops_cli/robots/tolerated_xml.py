"""XML that simulators read and strict parsers reject: its faults are blanked, so that no byte changes its position."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPENING = re.compile(rb"<!--|<!\[CDATA\[|<\?")
_CLOSING = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_ROOT = re.compile(rb"<([A-Za-z_][\w:.-]*)")  # the first start tag
_VERSION = re.compile(rb"""\sversion\s*=\s*["']([^"']*)["']""")
_ENCODING = re.compile(rb"""\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']""")
_LINE = re.compile(rb"[^\r\n]+")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_Span = tuple[int, int]


def tolerated_xml(data: bytes) -> tuple[bytes, str | None, list[str]]:
    """Blank the faults that simulators tolerate; return also the encoding of a blanked declaration, and the faults."""
    # -- in comments, text around the root element, and a declaration that is misplaced or not of version 1.0
    markup = list(_markup(data))
    texts = [(start + 4, end - 3) for kind, (start, end) in markup if kind == b"<!--"]
    comments = [(start, end) for start, end in texts if b"--" in data[start:end] + b"-"]
    faults = [f"-- in {len(comments)} comment{'s' * (len(comments) > 1)}"] * bool(comments)
    elements, blanks = _blanked(data, [span for _, span in markup]), comments
    if (root := _ROOT.search(elements)) is None:
        return _blanked(data, blanks), None, faults
    first, last = root.start(), elements.rfind(b"</" + root[1])
    end = elements.find(b">", last) + 1 if last >= 0 else len(data)
    mark = len(_BYTE_ORDER_MARK) if data.startswith(_BYTE_ORDER_MARK) else 0
    before = ["text before the root element"] * bool(elements[mark:first].strip())
    encoding = None
    for start, stop in (span for kind, span in markup if kind == b"<?" and span[1] <= first):
        if data[start + 2 : start + 5] == b"xml":
            version, encoding = (_stated(one, data[start:stop]) for one in (_VERSION, _ENCODING))
            before += ["declaration not at the beginning"] * (start != mark)
            before += [f"version {version} of XML (expected 1.0)"] * (version not in ("1.0", None))
    if b"<" not in (tail := elements[end:]) and tail.strip():
        faults, blanks = [*faults, "text after the root element"], [*blanks, (end, len(data))]
    if before:
        blanks = [*blanks, (0, first)]
    return _blanked(data, blanks), encoding if before else None, [*before, *faults]


def _markup(data: bytes) -> Iterator[tuple[bytes, _Span]]:
    """Yield what opens each comment, part of character data and instruction, and its span, in one pass."""
    found = _OPENING.search(data)
    while found and (end := data.find(closing := _CLOSING[found[0]], found.end())) >= 0:
        yield found[0], (found.start(), end + len(closing))
        found = _OPENING.search(data, end + len(closing))


def _stated(attribute: re.Pattern[bytes], declaration: bytes) -> str | None:
    """Return the value of an attribute of a declaration."""
    found = attribute.search(declaration)
    return found[1].decode("ascii", "replace") if found else None


def _blanked(data: bytes, spans: list[_Span]) -> bytes:
    """Return data with blanks in parts of it; line ends remain."""
    made = bytearray(data)
    for start, end in spans:
        made[start:end] = _LINE.sub(lambda line: b" " * len(line[0]), data[start:end])
    return bytes(made)
