"""Columns that their cells, their units or their place make a quantity, whatever they are called.

Counts of pieces: whole numbers under a plural (``Units``) or a lone letter (``n``).

Masses: a column whose header is a unit of mass, ``g`` or ``kg/pc``.

Names: words in every row with a mass, where no column is known to name the items.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from massprops_cli._patterns import lazy_pattern
from massprops_cli.files import Table
from massprops_cli.findings import Finding, Findings, rule_finding
from massprops_cli.tables.cells import (
    BLANK_CHARACTERS,
    FORCE,
    MASS,
    OUTPUT_PREFIXES,
    is_filled_text,
    is_number,
    is_piece_unit,
    read_number,
    read_unit,
    unit_of_dimension,
)
from massprops_cli.tables.columns.headings import (
    IDENTIFYING_QUANTITIES,
    REMARK_MATCH,
    SYNONYM_MATCH,
    Heading,
    column_command_name,
    heading_unit,
    is_quantity_like,
    map_option,
    squeeze_text,
)
from massprops_cli.tables.words import words

_SAMPLE_ROWS = 200
"""Number of rows examined to identify a column."""
_MIN_NUMBERED_ROWS = 4
"""Number of consecutive numbers that identify row numbers."""
_MIN_NUMBERED_ROWS_BY_KIND = {
    "name": _MIN_NUMBERED_ROWS,
    "count": _MIN_NUMBERED_ROWS,
    "number": _MIN_NUMBERED_ROWS,
    "letter": 2,
}
"""The same for each kind of header that counts pieces: a lone letter may number rows."""
_NUMBERS_HEADER = "numbers"
"""The reason for a column that may hold masses for its cells alone."""
_MASS_WORD = lazy_pattern(
    r"mass|weight|gewicht|poids|peso|вес|масс|質量|重量|무게|중량|(?:^|[^a-z])wt(?:$|[^a-z])", re.IGNORECASE
)
"""Words for a mass in a header."""
_CURRENCY = lazy_pattern(r"[$€£¥₹₩₽]|(?<![^\W\d_])(?:USD|EUR|GBP|CHF|JPY|CNY|RMB)(?![^\W\d_])")
"""Signs and codes of currencies in a header."""
_COUNT_QUANTITIES = frozenset(("qty", "item_qty", "total_qty"))
_MASS_COLUMN_QUANTITIES = frozenset(("mass", "line_mass"))
_PER_PIECE = r"(?:per|each|ea|je|pro|par|por|al|na)\b\.?"
_UNIT_PER_PIECE = lazy_pattern(rf"(?P<unit>[^\s/]+)\s*(?:/|\s{_PER_PIECE})\s*(?P<piece>\S*)", re.IGNORECASE)
_DATE = lazy_pattern(r"\d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?(?:[ T][\d:.]+)?")


def infer_count_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read a column called by a plural or by a letter as the quantity where it holds whole numbers: ``Units`` 4, 1.

    The items need a name in another column, and no other quantity.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    headings : mapping of int to Heading
        Column → its heading.
    chosen : mapping of str to int
        Quantity → column, as named by ``--map``.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    dict of int to Heading
        Headings, with the quantity added.
    """
    result = dict(headings)
    if _COUNT_QUANTITIES & ({heading.quantity for heading in headings.values()} | set(chosen)):
        return result
    for j, heading in headings.items():
        header = table.text(row, j).strip()
        kind = _count_headers().get(squeeze_text(header), "")
        if not kind or heading.quantity not in ("", "uom", "name"):
            continue
        if not IDENTIFYING_QUANTITIES & ({other.quantity for k, other in headings.items() if k != j} | set(chosen)):
            continue
        if not _is_count_column(table, row, j):
            continue
        if _is_running_numbers(table, row, j, _MIN_NUMBERED_ROWS_BY_KIND[kind]):
            findings += _ambiguous_count_findings(table, row, j, headings)
            continue
        result[j] = heading._replace(quantity="qty", unit="", rank=SYNONYM_MATCH)
        findings.append(_implied_column_finding(table, row, j, "whole numbers", "the quantity"))
        return result
    return result


def _ambiguous_count_findings(table: Table, row: int, j: int, headings: Mapping[int, Heading]) -> list[Finding]:
    """Report 1, 2, 3 after the names as possible quantities; before them, or from four rows on, they number rows."""
    names = [k for k, heading in headings.items() if heading.quantity in IDENTIFYING_QUANTITIES and k != j]
    if j < min(names, default=0) or len(_leading_cells(table, row, j)) >= _MIN_NUMBERED_ROWS:
        return []
    header = table.text(row, j).strip()
    command = f"massprops rollup {shlex.quote(table.source.name)}"
    remedy = f"run {command} {map_option(table, row, j, 'qty')} if it counts pieces, "
    remedy += f"or {command} {map_option(table, row, j, 'item')} if it numbers the rows"
    message = f"{header} is ambiguous: number of pieces or row number"
    return [rule_finding("MP253", message, table.place(row, j, header), value=header, remedy=remedy)]


@lru_cache(maxsize=1)
def _count_headers() -> dict[str, str]:
    """Load the headers of columns that count pieces where they hold whole numbers: squeezed text → kind."""
    kinds = words("plurals")
    listed = ((kind, text) for kind in _MIN_NUMBERED_ROWS_BY_KIND for texts in kinds[kind].values() for text in texts)
    return {squeeze_text(text): kind for kind, text in listed}


def _leading_cells(table: Table, row: int, j: int) -> list[str]:
    """Return the filled cells below a header, among the rows examined."""
    texts = (
        table.text(i, j).strip(BLANK_CHARACTERS) for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))
    )
    return [text for text in texts if is_filled_text(text)]


def _is_count_column(table: Table, row: int, j: int) -> bool:
    numbers = [read_number(text) for text in _leading_cells(table, row, j)]
    if not numbers or any(number is None or number < 0 or number != int(number) for number in numbers):
        return False
    return all(read_number(text) is not None for text in set(table.texts(j, row + 1)) if is_filled_text(text))


def _is_running_numbers(table: Table, row: int, j: int, least: int = _MIN_NUMBERED_ROWS) -> bool:
    numbers = [read_number(text) or 0.0 for text in _leading_cells(table, row, j)]
    return len(numbers) >= least and numbers[0] in (0, 1) and all(b - a == 1 for a, b in pairwise(numbers))


def infer_mass_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read columns of numbers as masses where no other column holds masses.

    The header is a unit of mass alone: ``g/pc`` is of one piece and is preferred to ``g``. Another column is read as
    the mass where it is the only one that has a unit of mass or a word for it in its header: ``As weighed (kg)``.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    headings : mapping of int to Heading
        Column → its heading.
    chosen : mapping of str to int
        Quantity → column, as named by ``--map``.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    dict of int to Heading
        Headings, with the masses added.
    """
    result = dict(headings)
    if _MASS_COLUMN_QUANTITIES & ({heading.quantity for heading in headings.values()} | set(chosen)):
        return result
    for j, heading in headings.items():
        unit, of_piece = _mass_unit_header(table.text(row, j))
        if heading.quantity or not unit or not _is_mostly_numbers(table, row, j):
            continue
        result[j] = Heading("mass", unit, SYNONYM_MATCH if of_piece else REMARK_MATCH)
        findings.append(_implied_column_finding(table, row, j, "numbers under a unit of mass", "the mass"))
    read = {j for j in range(table.n_columns) if j not in headings or headings[j].quantity}
    likely = [] if result != headings else likely_mass_columns(table, row, read)
    sole = [(j, why) for j, why in likely if why != _NUMBERS_HEADER]
    if len(sole) == 1 and not _is_non_mass_header(table.text(row, sole[0][0])):
        j, why = sole[0]
        result[j] = Heading("mass", heading_unit(table.text(row, j), "mass"), REMARK_MATCH)
        findings.append(_implied_column_finding(table, row, j, why, "the mass"))
    return result


def _is_non_mass_header(header: str) -> bool:
    """Return whether a header names a number that is not a mass: a margin, a limit, a tolerance, a share."""
    header_words = set(re.findall(r"[^\W\d_]+", header.casefold()))
    return bool(header_words & _non_mass_words()) or any(mark in header for mark in ("±", "+/-", "%"))


def _has_other_unit(header: str) -> bool:
    """Return whether a header states a unit that is not of mass, or a currency: ``Cost [€]``, ``Voc (V)``."""
    unit = heading_unit(header, "mass").strip().casefold()
    if unit_of_dimension(unit, MASS, common_only=True) is not None:
        return False
    if _CURRENCY.search(header) or unit.partition("/")[0].strip() in _other_units():
        return True
    read = read_unit(unit) if unit else None
    return read is not None and (read.mass, read.length, read.time) not in (MASS, FORCE)


@lru_cache(maxsize=1)
def _other_units() -> frozenset[str]:
    return frozenset(text.casefold() for text in words("mass_headers")["other_units"]["texts"])


@lru_cache(maxsize=1)
def _non_mass_words() -> frozenset[str]:
    listed = [text for entry in words("mass_headers")["not_mass"].values() for text in entry["texts"]]
    totals = words("totals")
    for entry in (*totals["label"], *totals["doubtful"]):
        listed += entry["texts"] if entry["kind"] in ("margin", "limit", "figure") else []
    return frozenset(text.casefold() for text in listed if " " not in text)


def _mass_unit_header(text: str) -> tuple[str, bool]:
    """Split a header that is a unit of mass: the unit, and whether it is that of one piece."""
    bare = text.strip().strip("[](){}").strip()
    if unit_of_dimension(bare, MASS, common_only=True) is not None:
        return bare, False
    match = _UNIT_PER_PIECE.fullmatch(bare)
    if match is None or (match["piece"] and not is_piece_unit(match["piece"])):
        return "", False
    return (
        (match["unit"], True) if unit_of_dimension(match["unit"], MASS, common_only=True) is not None else ("", False)
    )


def _is_mostly_numbers(table: Table, row: int, j: int) -> bool:
    """Return whether most filled cells below a header are numbers."""
    cells = _leading_cells(table, row, j)
    return bool(cells) and 2 * sum(is_number(text) or is_number(text.replace(",", ".")) for text in cells) > len(cells)


def infer_name_column(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read the first column of words as the names of the items, where no column is known to name them.

    It has a word in every row with a mass; its header is blank or unknown. A table without masses is not changed.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    headings : mapping of int to Heading
        Column → its heading.
    chosen : mapping of str to int
        Quantity → column, as named by ``--map``.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    dict of int to Heading
        Headings, with the names added.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    masses = [j for j, heading in headings.items() if heading.quantity in _MASS_COLUMN_QUANTITIES]
    masses += [j for quantity, j in chosen.items() if quantity in _MASS_COLUMN_QUANTITIES]
    if known & IDENTIFYING_QUANTITIES or not masses:
        return dict(headings)
    last = min(table.n_rows, row + 1 + _SAMPLE_ROWS)
    rows = [i for i in range(row + 1, last) if any(is_filled_text(table.text(i, j)) for j in masses)]
    free = [j for j, heading in headings.items() if not heading.quantity]
    free = [j for j in free if not table.text(row, j).strip().startswith(OUTPUT_PREFIXES)]
    first = next((j for j in free if any(any(map(str.isalpha, text)) for text in _leading_cells(table, row, j))), None)
    if first is None or not _is_name_column(table, first, rows):
        return dict(headings)
    why = "a text in every row with a mass"
    findings.append(_implied_column_finding(table, row, first, why, "the name of the items"))
    return {**headings, first: Heading("name", rank=SYNONYM_MATCH)}


def _is_name_column(table: Table, j: int, rows: Sequence[int]) -> bool:
    texts = [table.text(i, j).strip(BLANK_CHARACTERS) for i in rows]
    are_words = all(any(map(str.isalpha, text)) and not is_number(text) and not _DATE.match(text) for text in texts)
    return bool(texts) and are_words and len(set(texts)) > 1


def _implied_column_finding(table: Table, row: int, j: int, holds: str, quantity: str) -> Finding:
    header = table.text(row, j).strip()
    name = header or f"column {j + 1} without a header"
    message = f"{name} read as {quantity}: it contains {holds}"
    remedy = f"pass --ignore-column {shlex.quote(column_command_name(table, row, j, header))} if it is another one"
    return rule_finding("MP270", message, table.place(row, j, header), value=header, remedy=remedy)


def likely_mass_columns(table: Table, row: int, read: set[int]) -> list[tuple[int, str]]:
    """List the columns that are not read and may hold masses.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    read : set of int
        Columns that are read, from 0.

    Returns
    -------
    list of tuple of (int, str)
        Columns, the likeliest first, each with the reason.
    """
    ranked: list[tuple[int, int, str]] = []
    for j, text in enumerate(table.row(row)):
        header = text.strip()
        if j in read or not header or header.startswith(OUTPUT_PREFIXES) or not _is_mostly_numbers(table, row, j):
            continue
        if _has_other_unit(header):
            continue
        if (
            unit_of_dimension(heading_unit(header, "mass"), MASS, common_only=True) is not None
            or _mass_unit_header(header)[0]
        ):
            ranked.append((0, j, "numbers with a unit of mass"))
        elif _MASS_WORD.search(header):
            ranked.append((1, j, "numbers, and a header that names a mass"))
        elif (
            not is_quantity_like(header) and not _is_non_mass_header(header) and not _is_running_numbers(table, row, j)
        ):
            ranked.append((2, j, _NUMBERS_HEADER))
    return [(j, why) for _, j, why in sorted(ranked)]


def likely_name_columns(table: Table, row: int, read: set[int]) -> list[int]:
    """List the columns that are not read and hold words.

    Parameters
    ----------
    table : Table
        Table as the file has it.
    row : int
        Row of the header, from 0.
    read : set of int
        Columns that are read, from 0.

    Returns
    -------
    list of int
        Columns, from the left.
    """
    texts = enumerate(table.row(row))
    free = [j for j, text in texts if j not in read and text.strip() and not text.strip().startswith(OUTPUT_PREFIXES)]
    return [j for j in free if (cells := _leading_cells(table, row, j)) and not any(map(is_number, cells))]
