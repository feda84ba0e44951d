"""Markdown: the pipe tables of a text, cells without the marks of emphasis; the escapes of texts that are written.

A pipe table is a header, a rule such as ``|---|---:|`` with as many cells, and the rows below it up to a blank line
[GitHub Flavored Markdown Spec, 4.10]. Of several tables those that look like a bill of materials are read, one below
another with a blank row between them; where none does, all of them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from massprops_cli.files.encoding import decode_text
from massprops_cli.files.options import FileOptions, cap_finding
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

_HEADER_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")  # |---|:-:|, the line below a header
_BAR = re.compile(r"(?<!\\)\|")  # a bar that is not escaped
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")  # a backslash before punctuation
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)  # <br>, <br />
_WRAPPED = re.compile(r"(\*\*\*|\*\*|\*|___|__|_|~~|`+)(?=\S)(?P<text>.*?\S)\1", re.DOTALL)
"""A whole cell in marks: **bold**."""
_STRONG = re.compile(r"(?<!\\)\*\*(?=\S)(?P<text>.*?\S)(?<!\\)\*\*")  # **bold** within a cell
_CODE = re.compile(r"(?<![\\`])`(?P<text>[^`]+)`(?!`)")  # `code`
_IMAGE = re.compile(r"(?<!\\)!\[[^\]]*\]\([^()]*(?:\([^()]*\)[^()]*)*\)")  # ![text](address)
_LINK = re.compile(r"(?<!\\)\[(?P<text>[^\[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
"""[text](address), [text][label]."""
_FOOTNOTE = re.compile(r"(?<!\\)\[\^[^\]]+\]")  # [^1]
_TAG = re.compile(
    r"</?(?:a|abbr|b|big|center|code|del|em|font|i|img|ins|kbd|small|span|strong|sub|sup|u)\b[^<>]*>", re.IGNORECASE
)  # <b>, </span>


_NO_WIDTH = "&#8203;"
"""A blank without width: hosts of code look for mentions and numbers of issues after the entities are replaced."""
_ESCAPES = {
    "&": "&amp;",
    "\\": "\\\\",
    "|": "\\|",
    "`": "\\`",
    "<": "&lt;",
    "@": "&#64;",
    "#": "&#35;",
    "](": "]&#40;",
    "][": "]&#91;",
    "[^": "[&#94;",
    "://": ":&#47;/",
}
_MARK = re.compile(
    r"&(?=#?\w+;)|[\\|`<]|[@#](?P<mention>(?=\w))?|\][(\[]|\[\^|://|(?P<host>www)\.|(?P<issue>\bGH-)(?=\d)",
    re.IGNORECASE,
)  # &amp; | @name #1 ]( [^ :// www. GH-1


def escape_markdown(text: str) -> str:
    """Escape a text so that it has no mentions, links, images, HTML, code and bars, on a page or in a table."""
    return _MARK.sub(_escaped_mark, text)


def _escaped_mark(found: re.Match[str]) -> str:
    """Escape what begins a construct of Markdown."""
    if found["host"] is not None:
        return f"{found['host']}&#46;"
    if found["issue"] is not None:
        return found["issue"] + _NO_WIDTH
    return _ESCAPES[found.group()] + (_NO_WIDTH if found["mention"] is not None else "")


_PipeTable = tuple[list[list[str]], list[int]]
"""A table in a text: rows of cells, the header first, and the line of each row, from 1."""


class _MarkdownTable(GridTable):
    """A table of texts with the line of each row in the file."""

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the line of a row, and a cell's number in it."""
        assert self.lines is not None
        position = None if j is None else j + 1
        return Place(self.source.name, row=i + 1, column=column, line=int(self.lines[i]), position=position)


def read_markdown(
    name: str,
    data: bytes,
    options: FileOptions,
    compressed: bool,
    looks_like_table: Callable[[Sequence[str]], bool] | None,
    findings: Findings,
) -> _MarkdownTable:
    """Read the pipe tables of a text as one table (GitHub Flavored Markdown Spec, 4.10)."""
    text = decode_text(name, data, options.encoding)
    lines = bytes(text.body).decode().splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > options.caps.text_cell_characters:
            message = f"line has more than {options.caps.text_cell_characters:,} characters"
            place = Place(name, line=number)
            raise TableError([cap_finding(message, place, "text-cell-characters", len(line))])
    tables = _pipe_tables(lines)
    if not tables:
        message = "text has no pipe table (a header with a rule such as |---|---| below it)"
        remedy = "write the table with pipes, or pass another file"
        raise TableError([rule_finding("MP111", message, Place(name), remedy=remedy)])
    fitting = [one for one in tables if looks_like_table is None or looks_like_table(one[0][0])] or tables
    for table in tables:
        if table not in fitting:
            findings.report("MP243", "another table in the text is not read", Place(name, line=table[1][0]))
    rows: list[list[str]] = []
    numbers: list[int] = []
    for cells, at in fitting:
        if rows:
            rows.append([])
            numbers.append(at[0] - 1)
        rows += cells
        numbers += at
    source = TableSource(name, "md", encoding=text.encoding, compressed=compressed, bom=text.mark)
    return _MarkdownTable(source, rows, lines=numbers)


def _pipe_tables(lines: Sequence[str]) -> list[_PipeTable]:
    """Find the pipe tables of a text."""
    tables: list[_PipeTable] = []
    i = 1
    while i < len(lines):
        header = _line_cells(lines[i - 1])
        if "|" not in lines[i - 1] or not _HEADER_RULE.fullmatch(lines[i]) or len(_line_cells(lines[i])) != len(header):
            i += 1
            continue
        rows, numbers = [header], [i]
        i += 1
        while i < len(lines) and "|" in lines[i]:
            row = _line_cells(lines[i])
            rows.append((row + [""] * len(header))[: max(len(header), len(row))])
            numbers.append(i + 1)
            i += 1
        tables.append((rows, numbers))
        i += 1
    return tables


def _line_cells(line: str) -> list[str]:
    """Split a line at its bars, without those at its ends, and read each cell."""
    bare = line.strip().removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [_plain_cell_text(part) for part in _BAR.split(bare)]


def _plain_cell_text(text: str) -> str:
    """Return a cell without the marks of emphasis, links, pictures, footnotes, tags and escapes."""
    bare = _FOOTNOTE.sub("", _IMAGE.sub("", text.replace(_NO_WIDTH, "")))
    # a picture within a link leaves the link without a text
    bare = _LINK.sub(lambda match: match["text"], bare.replace("[](", "[ ]("))
    bare = _STRONG.sub(lambda match: match["text"], _TAG.sub("", bare).strip())
    while (match := _WRAPPED.fullmatch(bare)) is not None:
        bare = match["text"]
    bare = _CODE.sub(lambda match: match["text"], bare)
    return html.unescape(_ESCAPED.sub(r"\1", _BREAK.sub("\n", bare))).strip(" ")
