"""Bytes to UTF-8: marks, encodings, gzip, what cannot be decoded; texts that would run as spreadsheet formulas."""

from __future__ import annotations

import codecs
import csv
import io
import re
from contextlib import suppress
from dataclasses import replace

from massprops_cli.files.delimited_records import FileBytes
from massprops_cli.files.options import FileOptions, cap_finding
from massprops_cli.files.table import Table, TableSource
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    OutputError,
    Place,
    Severity,
    TableError,
    UsageError,
    rule_finding,
)

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_STEP = 2**24  # bytes checked in one go
_COMMON_ENCODINGS = ("cp1252", "cp1250", "cp1251", "shift_jis", "gb18030", "cp949")
"""What programs write that do not write UTF-8: Western, Central European and Cyrillic, Japanese, Chinese, Korean."""
_SEPARATOR = rb'[\n\r\t,;|"]'  # what ends a cell of delimited text
_LOOK = 4096  # bytes that are searched first; almost every part of a table has a separator in them
_WORD_SEPARATORS = (b",", b";", b"\t", b"\n", b'"')
_LONGEST_WORD = 20  # characters of a word that are shown
_WESTERN_LABEL = rb"[A-Za-z\x80-\xff][^\[(]*?(?:[\[(][\x00-\x7f]*)?"
"""A cell that is not a number or a unit, whatever its letters are; a unit in brackets is ASCII."""
_NON_ASCII_CELL = rb'[^\n\r\t,;|"]*[\x80-\xff][^\n\r\t,;|"]*'
# a sign is harmless before a word or a number, not before a call, a pipe or a cell reference
_FORMULA_START = r"(?s)[=@\t\r]|[+-](?=.*(?:\w\(|\||(?<![A-Za-z0-9_])\$?[A-Za-z]{1,3}\$?[0-9]+(?![A-Za-z0-9_])))"
_NUMBER = r"[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"  # -1.5e3: a number with a sign is not a formula


def read_text(name: str, data: bytes, format: str, options: FileOptions, compressed: bool) -> tuple[str, TableSource]:
    """Return the text of a file, and its origin."""
    body, encoding, mark = decode_text(name, data, options.encoding)
    return bytes(body).decode(), TableSource(name, format, encoding=encoding, compressed=compressed, bom=mark)


def decode_text(
    name: str, data: bytes | memoryview, encoding: str = "", findings: Findings | None = None
) -> tuple[bytes | memoryview, str, bool]:
    """Convert a file to UTF-8 without a byte order mark: the bytes, its encoding, and whether it has a mark."""
    # Western labels are read with a note
    named = _encoding_name(encoding) if encoding else ""
    head = bytes(data[:4])
    for mark, marked in BYTE_ORDER_MARKS:
        if head.startswith(mark) and named in ("", marked, marked[:6], "utf-8-sig"):
            text = _utf8_bytes(name, data[len(mark) :], marked, len(mark))
            _reject_nul_bytes(name, text)
            return text, marked, True
    try:
        text = _utf8_bytes(name, data, named or "utf-8", 0)
    except TableError as error:
        if named or findings is None or not _has_western_labels(bytes(data)):
            raise
        named, text = "cp1252", bytes(data).decode("cp1252").encode()
        (found,) = error.findings
        message = f"{found.message}; text is read as cp1252, in which only labels have such bytes"
        findings.append(replace(found, severity=Severity.NOTE, message=message))
    _reject_nul_bytes(name, text)
    return text, named or "utf-8", False


def _has_western_labels(data: bytes) -> bool:
    """Return whether all bytes that are not ASCII are single letters of labels, which no number depends on."""
    if not re.search(_NON_ASCII_CELL, data) or set(data) & set(b"\x81\x8d\x8f\x90\x9d"):
        return False
    cells = {match[0].strip() for match in re.finditer(_NON_ASCII_CELL, data)}
    return all(
        re.fullmatch(_WESTERN_LABEL, cell)
        and re.search(rb"[A-Za-z][^A-Za-z]*[A-Za-z]", cell)
        and not re.search(rb"[\x80-\xff]{3}", cell)
        for cell in cells
    )


def _encoding_name(encoding: str) -> str:
    """Return the name of an encoding in Python; raises UsageError if it is unknown."""
    try:
        b"text".decode(encoding, "ignore")  # rejects codecs that are not of text
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise UsageError(f"encoding is unknown: {encoding!r}") from None


def _utf8_bytes(name: str, data: bytes | memoryview, encoding: str, skipped: int) -> bytes | memoryview:
    """Check or convert the bytes; UTF-8 is checked in blocks and not copied."""
    try:
        if encoding != "utf-8":
            return bytes(data).decode(encoding).encode()
        _check_utf8(data)
    except UnicodeDecodeError as error:
        raise TableError([_undecodable_byte_finding(name, data, encoding, error.start, skipped)]) from None
    except UnicodeError:  # a codec without a position, or text with half a character
        raise TableError([rule_finding("MP106", f"bytes are not {encoding} text", Place(name))]) from None
    return data


def _check_utf8(data: bytes | memoryview) -> None:
    """Raise UnicodeDecodeError, with the position in the file, unless the bytes are UTF-8."""
    begin = 0
    while begin < len(data):
        block = bytes(data[begin : begin + _STEP])
        last = begin + len(block) >= len(data)
        try:
            used = len(block) if block.isascii() else codecs.utf_8_decode(block, "strict", last)[1]
        except UnicodeDecodeError as error:
            raise UnicodeDecodeError("utf-8", b"\xff", begin + error.start, begin + error.end, error.reason) from None
        begin += used


def _undecodable_byte_finding(name: str, data: bytes | memoryview, encoding: str, at: int, skipped: int) -> Finding:
    """Make the error for the first byte that is not text, with encodings to try."""
    line = bytes(data[:at]).count(b"\n") + 1
    value = f"0x{data[at]:02x}"
    remedy = "state the encoding with --config encoding=…"
    if readings := _word_readings(bytes(data[: at + _STEP]), at):
        remedy = "pass the encoding that shows the text correctly: "
        remedy += ", ".join(f"--config encoding={name} ({word})" for name, word in readings.items())
    message = f"byte {value} at offset {at + skipped} is not valid {encoding}"
    return rule_finding("MP106", message, Place(name, line=line), value=value, remedy=remedy)


def _word_readings(data: bytes, at: int) -> dict[str, str]:
    """Return the word around a byte in each of the common encodings that can decode the bytes."""
    begin = max(data.rfind(separator, 0, at) for separator in _WORD_SEPARATORS) + 1
    ends = [end for separator in _WORD_SEPARATORS if (end := data.find(separator, at)) >= 0]
    readings = {}
    for encoding in _COMMON_ENCODINGS:
        with suppress(UnicodeDecodeError):
            data.decode(encoding)
            word = data[begin : min(ends, default=len(data))].decode(encoding).strip()
            if word.isprintable():
                readings[encoding] = word[:_LONGEST_WORD]
    return readings


def _reject_nul_bytes(name: str, body: bytes | memoryview) -> None:
    """Raise TableError if the text contains a NUL byte."""
    begin, line = 0, 1
    while begin < len(body):
        block = bytes(body[begin : begin + _STEP])
        if (at := block.find(b"\0")) >= 0:
            line += block.count(b"\n", 0, at)
            count = block.count(b"\0")
            message = f"text contains NUL bytes, the first at offset {begin + at}"
            if count * 3 > len(block):
                message += " (possibly UTF-16 without a byte order mark)"
            raise TableError([rule_finding("MP107", message, Place(name, line=line))])
        line += block.count(b"\n") if len(body) <= 8 * _STEP else 0
        begin += len(block)


def check_field_lengths(name: str, data: bytes | memoryview | FileBytes, cap: int) -> None:
    """Reject a text with a cell beyond the cap: only long stretches without a separator are examined."""
    step = max(cap // 2, 1)
    for at in range(0, len(data) - step + 1, step):
        if re.search(_SEPARATOR, bytes(data[at : at + min(_LOOK, step)])) or re.search(
            _SEPARATOR, bytes(data[at : at + step])
        ):
            continue
        before = bytes(data[max(at - step, 0) : at])
        begin = at - len(before) + max((match.end() for match in re.finditer(_SEPARATOR, before)), default=0)
        # a character has up to four bytes, so that more than this is too long for certain
        stretch = bytes(data[begin : begin + 4 * cap + 4])
        ended = re.search(_SEPARATOR, stretch)
        length = len(stretch[: ended.start()] if ended else stretch)
        if length > cap and len(stretch[:length].decode("utf-8", "ignore")) > cap:
            line = 1 + sum(bytes(data[k : min(k + step, begin)]).count(b"\n") for k in range(0, begin, step))
            message = f"cell has more than {cap:,} characters"
            raise TableError([cap_finding(message, Place(name, line=line), "text-cell-characters", 2 * length)])


def _is_formula_text(text: str) -> bool:
    """Return whether a spreadsheet would execute a text as a formula."""
    is_formula = text[:1] in {*"=@\t\r+-"} and re.match(_FORMULA_START, text) is not None
    return is_formula and not re.fullmatch(_NUMBER, text)


def escape_formula(text: str) -> str:
    """Write an apostrophe before a text that a spreadsheet would execute as a formula."""
    return f"'{text}" if _is_formula_text(text) else text


def unescape_formula(text: str) -> str:
    """Remove the apostrophe that `escape_formula` writes."""
    return text[1:] if text[:1] == "'" and _is_formula_text(text[1:]) else text


def surrogate_error(table: Table) -> OutputError:
    """Return the error of a text that UTF-8 cannot represent, with the place of its record."""
    for row in range(table.n_rows):
        for column in range(table.n_columns):
            text = table.text(row, column)
            if any("\ud800" <= character <= "\udfff" for character in text):
                shown = text[:80].encode("ascii", "backslashreplace").decode()
                what = f"utf-8 cannot represent a lone surrogate: {shown}; correct the text"
                return OutputError(f"{table.place(row, column)}: {what}")
    return OutputError(f"utf-8 cannot represent a lone surrogate, which is in {table.source.name}")


def added_header_line(source: TableSource) -> bytes:
    """Make the header of a text that has none, of the column names that the user gave."""
    line = io.StringIO(newline="")
    csv.writer(line, delimiter=source.delimiter, lineterminator=source.newline).writerow(source.columns)
    try:
        return line.getvalue().encode()
    except UnicodeEncodeError:
        names = ascii(", ".join(source.columns))
        raise UsageError(f"columns contains characters that no text can have: {names}; correct the names") from None
