"""Records in texts: JSON records, one object a line or a list, and the pipe tables of Markdown (GFM Spec, 4.10)."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files import table as file_table
from massprops_cli.files.encoding import read_text, surrogate_error
from massprops_cli.files.options import FileOptions, ReadCaps, cap_error, cap_finding
from massprops_cli.findings.finding import Finding, Findings, Place, Severity, TableError, rule_finding

_HEADER_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")  # |---|:-:|, the line below a header
_QUOTE = re.compile(r" {0,3}(?:> ?)+")  # > or > >, the mark of a block quote
_MASS_UNIT = re.compile(r"(?i)[\[(](?:[km]?g|grams?|lbs?|oz|t)[\])]\s*$")  # at the end of a heading
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
    "*": "\\*",
    "_": "\\_",
    "~~": "\\~~",
}
_MARK = re.compile(
    r"&(?=#?\w+;)|[\\|`<]|[@#](?P<mention>(?=\w))?|\][(\[]|\[\^|://|(?P<host>www)\.|(?P<issue>\bGH-)(?=\d)"
    r"|\*(?=\S)|(?<![^\W_])_(?=\S)|~~(?=\S)",
    re.IGNORECASE,
)  # &amp; | @name #1 ]( [^ :// www. GH-1 **bold _slanted ~~struck
_PipeTable = tuple[list[list[str]], list[int]]
"""A table in a text: rows of cells, the header first, and the line of each row, from 1."""
_MOST_FINDINGS = 1_000  # number of invalid lines reported one by one; the rest are one finding
_CHILD_KEYS = ("children", "parts", "components", "items", "bom", "subassemblies", "assemblies", "subcomponents")
"""Keys of an object's parts, in small letters."""
_JSON_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$"  # -1.5e3, but not +1, 01 or .5
PLAIN_NUMBER = r"^(?:-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?)?$"  # below 1e200, or blank
_JSON_ESCAPED = r'["\\\x00-\x1f]'  # a quote, a backslash, a control character


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


def read_markdown(
    name: str,
    data: bytes,
    options: FileOptions,
    compressed: bool,
    looks_like_table: Callable[[Sequence[str]], bool] | None,
    findings: Findings,
) -> file_table.GridTable:
    """Read the pipe tables of a text as one table (GitHub Flavored Markdown Spec, 4.10)."""
    whole, source = read_text(name, data, "md", options, compressed)
    lines = [line[match.end() :] if (match := _QUOTE.match(line)) else line for line in whole.splitlines()]
    for number, line in enumerate(lines, 1):
        if len(line) > options.caps.text_cell_characters:
            message = f"line has more than {options.caps.text_cell_characters:,} characters"
            raise TableError([cap_finding(message, Place(name, line=number), "text-cell-characters", len(line))])
    if not (tables := _pipe_tables(lines)):
        message = "text has no pipe table (a header with a rule such as |---|---| below it)"
        remedy = "write the table with pipes, or pass another file"
        raise TableError([rule_finding("MP111", message, Place(name), remedy=remedy)])
    like = looks_like_table or bool  # or has masses and their unit, whatever its names are called
    fits = (like(head) or any(_MASS_UNIT.search(h) and like(["Part", h]) for h in head) for (head, *_), _ in tables)
    first = next((k for k, holds in enumerate(fits) if holds), 0)
    for _, at in tables[:first]:
        findings.report("MP243", "another table in the text is not read", Place(name, line=at[0]))
    rows, numbers = list[list[str]](), list[int]()
    for cells, at in tables[first:]:
        findings += _short_row_findings(name, cells, at)
        if rows:
            rows.append([])
            numbers.append(at[0] - 1)
        rows += cells
        numbers += at
        if stated := _stated_total(lines, at[-1]):
            rows += [[]] * (stated[0] - at[-1] > 1) + [[stated[1]]]
            numbers += [stated[0] - 1] * (stated[0] - at[-1] > 1) + [stated[0]]
    return file_table.GridTable(source, rows, lines=numbers)


_SUM_LINE = re.compile(
    r"(?:[^\W\d_.]+\.?\s+){0,2}(?:total|sum|summe|gesamt\w*|totale|somme|suma|razem|итого|всего|合[計计]|[总總総]\w{0,3}|총\w{0,3}|합계)"
    r"(?:\s+[^\W\d_.]+\.?){0,2}\s*[:：=≈~](?:.*=)?[:：=≈~\s]*\d[\d.,\s]*(?:[km]?g|grams?|lbs?|oz|t|кг|г|克|千克|公斤)\b.*",
    re.IGNORECASE,
)
"""A line of text that states a total: **Total mass:** ~1.2 kg (ready to fly)."""
_LONGEST_MASS = 20  # characters of a line that is a mass only: ~ 2,545 kg
_NEAR, _MOST_READ = 6, 200  # lines of text below a table that may state its total, and characters of each


def _stated_total(lines: Sequence[str], last: int) -> tuple[int, str] | None:
    """Find the line, from 1, and the text of a total below a table: in one line, or a heading with a mass below it."""
    filled = (i for i in range(last, len(lines)) if lines[i].strip())
    heading = ""
    for i in islice(filled, _NEAR):
        text = _plain_cell_text(re.sub(r"^\W+|[*`]", "", lines[i]))
        for stated in (text, f"{heading}: {text}") if len(text) <= _LONGEST_MASS else (text,):
            if len(lines[i]) <= _MOST_READ and _SUM_LINE.fullmatch(stated):
                return i + 1, stated
        if "|" in lines[i]:
            break
        heading = text if lines[i].lstrip().startswith("#") else heading
    return None


def _short_row_findings(name: str, cells: Sequence[Sequence[str]], at: Sequence[int]) -> Iterator[Finding]:
    """Report rows with fewer cells than the header, whose last number is in a column of words."""
    last = len(cells[0]) - 1
    ends = [max((j for j, text in enumerate(row) if text.strip()), default=last) for row in cells]
    is_number = [row[end][:1].isdigit() for row, end in zip(cells, ends, strict=True)]
    whole = [row for row, end, holds in zip(cells, ends, is_number, strict=True) if holds and end == last]
    of_words = {j for j in range(last) if whole and not any(row[j][:1].isdigit() for row in whole)}
    short = [i for i, end in enumerate(ends) if is_number[i] and end in of_words]
    if short:
        first, *more = (Place(name, line=at[i]) for i in short)
        one, heading = (cells[i][ends[short[0]]] for i in (short[0], 0))
        message = f"row has fewer cells than the header: {one} is below {heading}"
        severity, remedy = Severity.WARNING, "add the missing cell"
        yield rule_finding(
            "MP133", message, first, count=len(short), related=tuple(more), remedy=remedy, severity=severity
        )


def _pipe_tables(lines: Sequence[str]) -> list[_PipeTable]:
    """Find the pipe tables of a text."""
    tables: list[_PipeTable] = []
    i = 1
    while i < len(lines):
        if len(header := _header_cells(lines[i - 1 : i + 2])) < 2:  # not of one
            i += 1
            continue
        rows, numbers = [header], [i]
        i += 1
        while (i := _next_row(lines, i, len(header))) < len(lines) and "|" in lines[i]:
            row = _line_cells(lines[i])
            rows.append((row + [""] * len(header))[: max(len(header), len(row))])
            numbers.append(i + 1)
            i += 1
        tables += [(rows, numbers)] if len(rows) > 1 or not tables else []
        i += 1
    return tables


def _header_cells(lines: Sequence[str]) -> list[str]:
    """Read a header with its rule and a row below it: as many cells as one of these has, blank ones left out or not."""
    if not _HEADER_RULE.fullmatch(lines[1]) or "|" not in lines[1]:
        return []
    cells, widths = _line_cells(lines[0]), [len(_line_cells(line)) for line in lines[1:]]
    filled = [cell for cell in cells if cell]
    return cells if len(cells) in widths else filled if len(filled) in widths else []


def _next_row(lines: Sequence[str], i: int, width: int) -> int:
    """Return the next line with a row of a table: below blank lines, one with as many cells and no rule below it."""
    below = next((k for k in range(i, len(lines)) if lines[k].strip()), i)
    row, is_piped = "".join(lines[below : below + 1]).lstrip(), lines[i - 1].lstrip().startswith("|")
    is_row = "|" in row and row.startswith("|") == is_piped and len(_line_cells(row)) == width
    return below if is_row and not any(map(_HEADER_RULE.fullmatch, lines[below + 1 : below + 2])) else i


def _line_cells(line: str) -> list[str]:
    """Split a line at its bars, without those at its ends, and read each cell."""
    if (bare := line.strip().removeprefix("|")).endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [_plain_cell_text(part) for part in _BAR.split(bare)]


def _plain_cell_text(text: str) -> str:
    """Return a cell without the marks of emphasis, links, pictures, footnotes, tags and escapes."""
    bare = _FOOTNOTE.sub("", _IMAGE.sub("", text.replace(_NO_WIDTH, "")))
    # a picture within a link leaves the link without a text
    bare = _LINK.sub(lambda match: match["text"], bare.replace("[](", "[ ]("))
    bare = _STRONG.sub(lambda match: match["text"], _TAG.sub("", bare).strip())
    while (match := _WRAPPED.fullmatch(bare)) is not None:
        if match[1] == "~~" and match["text"][:1].isalpha():  # a struck-out name, not a number
            break
        bare = match["text"]
    bare = _CODE.sub(lambda match: match["text"], bare)
    return html.unescape(_ESCAPED.sub(r"\1", _BREAK.sub("\n", bare))).strip(" ")


class _JsonNumber(str):
    """The characters of a JSON number."""

    __slots__ = ()


class _JsonRecord(list[tuple[str, Any]]):
    """An object's pairs in the order of the file, doubles included."""


_DECODER = json.JSONDecoder(
    object_pairs_hook=_JsonRecord, parse_float=_JsonNumber, parse_int=_JsonNumber, parse_constant=str
)


class _RecordsTable(file_table.GridTable):
    """Table of records: keys in row 0, record ``i`` in row ``i``."""

    def is_typed(self, j: int, start: int = 0) -> NDArray[np.bool_]:
        """Return which cells are JSON numbers: (n_rows - start,)."""
        return np.array([isinstance(self.value(i, j), _JsonNumber) for i in range(start, self.n_rows)], bool)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the record's number; for one object a line also its line."""
        line = None if self.lines is None or i == 0 else self.lines[i - 1]
        return Place(self.source.name, row=max(i, 1), column=column, line=line)


def read_records(
    name: str, data: bytes, format: str, options: FileOptions, compressed: bool, findings: Findings
) -> _RecordsTable:
    """Read records of JSON or JSON Lines."""
    characters, source = read_text(name, data, format, options, compressed)
    start = len(findings)
    lines: list[int] | None = None
    if format == "jsonl":
        broken = Findings()
        records, lines = _parse_json_lines(name, characters, broken)
        if broken:
            _record_rows(name, records, lines, options.caps, findings)
            raise TableError(sorted([*findings[start:], *broken], key=lambda finding: finding.place.line or 0))
    else:
        records = _record_list(name, characters, options.sheet, findings)
    records, lines = _flat_records(name, records, lines, findings)
    if len(rows := _record_rows(name, records, lines, options.caps, findings)) < 2 or not rows[0]:
        raise TableError([*findings[start:], rule_finding("MP111", "file contains no records", Place(name))])
    return _RecordsTable(source, rows, lines=lines)


def _parse_json_text(name: str, text: str, line: int | None = None) -> Any:
    """Parse one JSON text; raises TableError with the place of the first fault."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = Place(name, line=line or error.lineno, position=error.colno)
        raise TableError([rule_finding("MP104", f"JSON is not valid: {error.msg.lower()}", place)]) from None
    except RecursionError:
        message = "JSON is nested too deeply for records"
        raise TableError([rule_finding("MP127", message, Place(name, line=line))]) from None


def _parse_json_lines(name: str, text: str, findings: Findings) -> tuple[list[Any], list[int]]:
    """Parse one object a line: ``(records, lines)``; blank lines are skipped."""
    # every invalid line is a finding and an empty record, so that the records below keep their numbers
    records: list[Any] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            lines.append(number)
            try:
                records.append(_parse_json_text(name, line, number))
            except TableError as error:
                records.append(_JsonRecord())
                findings += error.findings
    if len(findings) > _MOST_FINDINGS:
        more, last = len(findings) - _MOST_FINDINGS, findings[_MOST_FINDINGS]
        message = f"{last.message}; {more - 1:,} more lines are not valid" if more > 1 else last.message
        findings[_MOST_FINDINGS:] = [replace(last, message=message, count=more)]
    return records, lines


def _record_list(name: str, text: str, sheet: str, findings: Findings) -> list[Any]:
    """Return the list of records, or in an object the only one or that of a key, with a finding."""
    if isinstance((value := _parse_json_text(name, text)), _JsonRecord):
        within = [
            record for record in _child_records(value)[1] if {key for key, _ in record} & {key for key, _ in value}
        ]
        if within:  # the top of a tree, which has values of the kinds that its parts have
            return [value]
        lists = [(k, v) for k, v in value if type(v) is list and v and all(isinstance(r, _JsonRecord) for r in v)]
        chosen = [one for k, one in enumerate(lists, 1) if sheet in ("", one[0], str(k))]
        if len(chosen) == 1:
            message = f"records were read from the key {chosen[0][0]!r}"
            findings.report("MP126", message, Place(name), severity=Severity.NOTE, remedy="")
            return chosen[0][1]
        named = f" of the name {sheet}" if sheet else ""
        message = f"JSON has {'several lists' if chosen else 'no list'} of records{named}"
        keys = " or ".join(f"--sheet {shlex.quote(k)}" for k, _ in lists)
        raise TableError([rule_finding("MP126", message, Place(name), remedy=f"pass {keys}" if keys else None)])
    if sheet:
        raise TableError([rule_finding("MP126", "JSON has no lists with names", Place(name), remedy="omit --sheet")])
    if type(value) is not list:
        raise TableError([rule_finding("MP126", "JSON is a single value, not a list of records", Place(name))])
    return value


def _child_records(record: _JsonRecord) -> tuple[_JsonRecord, list[_JsonRecord]]:
    """Separate an object into its values and the objects within it that are its parts."""
    values, within = _JsonRecord(), list[_JsonRecord]()
    if list not in [type(value) for _, value in record]:
        return record, within
    for key, value in record:
        is_list = key.casefold() in _CHILD_KEYS and type(value) is list
        if is_list and all(isinstance(one, _JsonRecord) for one in value):
            within += value
        else:
            values.append((key, value))
    return values, within


def _flat_records(
    name: str, records: list[Any], lines: list[int] | None, findings: Findings
) -> tuple[list[Any], list[int] | None]:
    """Arrange objects within objects one below another, with their depth in a column ``level``; others unchanged."""
    if not any(isinstance(record, _JsonRecord) and _child_records(record)[1] for record in records):
        return records, lines
    flat: list[Any] = []
    flat_lines: list[int] = []
    open_records = [(0, record, i) for i, record in enumerate(records)][::-1]
    while open_records:
        depth, record, i = open_records.pop()
        values, within = _child_records(record) if isinstance(record, _JsonRecord) else (record, [])
        flat.append(
            _JsonRecord([("level", _JsonNumber(depth)), *values]) if isinstance(record, _JsonRecord) else record
        )
        flat_lines.append(lines[i] if lines else 0)
        open_records += [(depth + 1, one, i) for one in reversed(within)]
    message = "objects within objects are read as items, with their depth as column level"
    findings.report("MP126", message, Place(name), severity=Severity.NOTE, remedy="")
    return flat, flat_lines if lines else None


def _record_rows(
    name: str, records: list[Any], lines: list[int] | None, caps: ReadCaps, findings: Findings
) -> list[list[file_table.Value]]:
    """Arrange records in columns: the keys in the order of their first occurrence."""
    keys: dict[str, file_table.Value] = {}
    for record in records:
        keys.update(record if isinstance(record, _JsonRecord) else ())
    if len(keys) * len(records) > caps.cells:
        what = f"table of {len(records):,} records with {len(keys):,} keys has too many cells"
        raise cap_error(name, what, "cells", caps.cells, needed=len(keys) * len(records))
    rows: list[list[file_table.Value]] = [list(keys)]
    for i, given in enumerate(records):
        record = given if isinstance(given, _JsonRecord) else _JsonRecord()
        values = dict(record)
        is_plain = {list, _JsonRecord}.isdisjoint(map(type, values.values()))
        if is_plain and record is given and len(values) == len(record):
            rows.append(list(map(values.get, keys)))
            continue
        row: dict[str, file_table.Value] = dict.fromkeys(keys)
        line = lines[i] if lines else None
        if record is not given:
            findings.report("MP126", "record is not an object", Place(name, row=i + 1, line=line))
        if len(record) != len({key for key, _ in record}):
            seen: set[str] = set()
            double = next(key for key, _ in record if key in seen or seen.add(key))  # type: ignore[func-returns-value] # None
            place = Place(name, row=i + 1, column=double, line=line)
            findings.report("MP202", f"record has the key {double!r} twice", place, value=double)
        for key, value in record:
            if isinstance(value, list):
                kind = "an object" if isinstance(value, _JsonRecord) else "a list"
                place = Place(name, row=i + 1, column=key, line=line)
                findings.report("MP127", f"{key} is {kind} (expected a value)", place)
            else:
                row[key] = value
        rows.append(list(row.values()))
    return rows


def json_number_mask(texts: Any, pattern: str = _JSON_NUMBER) -> NDArray[np.bool_]:
    """Return which Arrow texts (n,) are JSON numbers."""
    import pyarrow.compute as pc

    from massprops_cli.files.arrow import numpy_values

    return numpy_values(pc.match_substring_regex(texts, pattern), bool)


def is_json_number_column(texts: Any, filled: bool, same: bool = False) -> bool:
    """Return whether Arrow texts can be written as JSON numbers: shortest, or with 5.0 unless ``same``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from massprops_cli.files.arrow import arrow_number_texts, arrow_text, joined_texts, numpy_values

    known = texts.filter(pc.not_equal(texts, arrow_text("")))
    if not len(known) or not json_number_mask(known).all():
        return False
    if filled:
        return True
    shortest = arrow_number_texts(numpy_values(known.cast(pa.float64()), np.float64))
    is_same = pc.equal(known, shortest)
    if not same:
        is_same = pc.or_(is_same, pc.equal(known, joined_texts(shortest, ".0")))
    return bool(pc.all(is_same).as_py())


def write_records(
    table: file_table.Table,
    filling: file_table.TableEdit,
    out: BinaryIO,
    format: str,
    numeric: Set[int] | None,
    texts: Set[int],
) -> list[Finding]:
    """Write a list of objects (json) or one object on each line (jsonl); a blank cell is null."""
    from massprops_cli.files.arrow import edited_columns, write_text_rows

    header = file_table.unique_header(table, filling, "one JSON object")
    before, between, after = ("[\n", ",\n", "\n]\n") if format == "json" else ("", "\n", "\n")
    pieces: list[Any] = []
    try:
        for j, (name, cells) in enumerate(zip(header, edited_columns(table, filling), strict=True)):
            key = json.dumps(name, ensure_ascii=False)
            pieces += [f"{', ' if j else '{'}{key}: ", _json_values(table, filling, j, cells, numeric, texts)]
        out.write(before.encode())
        write_text_rows(out, [*pieces, "}"], between)
        out.write(after.encode())
    except UnicodeEncodeError:
        raise surrogate_error(table) from None
    return []


def _json_values(
    table: file_table.Table,
    filling: file_table.TableEdit,
    j: int,
    cells: Any,
    numeric: Set[int] | None,
    texts: Set[int],
) -> Any:
    """Return the values of a column as JSON: numbers if cells are typed or filled, or all are plain numbers."""
    import pyarrow.compute as pc

    from massprops_cli.files.arrow import arrow_mask_array, arrow_text, converted_texts, joined_texts

    filled = file_table.has_filled_numbers(filling, j, table.n_columns)
    all_numbers = j not in texts and (is_json_number_column(cells, filled) if numeric is None else j in numeric)
    is_blank, null = pc.equal(cells, arrow_text("")), arrow_text("null")
    if all_numbers and table.source.format not in ("json", "jsonl"):
        return pc.if_else(is_blank, null, cells) if pc.any(is_blank).as_py() else cells
    escaped = converted_texts(cells, _JSON_ESCAPED, lambda text: json.dumps(text, ensure_ascii=False)[1:-1])
    values = pc.if_else(is_blank, null, joined_texts('"', escaped, '"'))
    if j in texts:
        return values
    start = filling.header_row + 1
    may_be_number = table.is_typed(j, start).copy() if j < table.n_columns else np.ones(len(cells), bool)
    for fill in filling.fills:
        if fill.column == j:
            may_be_number[fill.rows[fill.rows >= start] - start] = True
    return pc.if_else(arrow_mask_array(may_be_number & json_number_mask(cells)), cells, values)
