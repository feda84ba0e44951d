"""Columns whose cells and place decide what they are: item numbers, groups, units, replacements."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from functools import partial

from massprops_cli.findings.finding import Finding, Findings, rule_finding
from massprops_cli.tables.cells.number_text import is_number, is_piece_unit, read_number, split_cell_text, word_set
from massprops_cli.tables.cells.numbers import is_filled_text
from massprops_cli.tables.cells.units import (
    FORCE,
    MASS,
    ambiguous_unit,
    quantity_dimension,
    read_unit,
    unit_of_dimension,
)
from massprops_cli.tables.columns.headings import (
    IDENTIFYING_QUANTITIES,
    SYNONYM_MATCH,
    Heading,
    group_header_words,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.columns.implied_columns import MASS_COLUMNS, HeaderCells, Headings
from massprops_cli.tables.columns.mass_headings import (
    has_other_unit,
    header_words,
    is_heading_of_kind,
    is_possible_mass_heading,
    names_other_number,
)
from massprops_cli.tables.equations import is_labelled_row
from massprops_cli.tables.options import ROW_TOTAL_QUANTITIES, UNIT_COLUMNS, is_output_heading

_DOTTED_NUMBER = re.compile(r"\d+(?:[.,]\d+)*\.?")  # 1.2.10
_NO_NUMBER = re.compile(r"\d+(?:\.\d+){2,}\.?|(?:\d+\.)+")  # 1.1.1, 1.
_MIN_NUMBERED_CELLS = 6  # cells of a numbering of which one may be wrong
_MIN_COMPLETE_CELLS = 3
_ITEM_NAMES = ("id", "part", "name")
_EQUIPMENT_HEADERS = frozenset(("unit", "units"))
"""Headers that name a box of equipment where their cells are not units of measure."""


def infer_numbering_column(cells: HeaderCells, findings: Findings) -> Headings:
    """Read a column of dotted numbers as the item numbers, and a column ``Item`` of words next to it as the names."""
    # its header names item numbers, or no other number above cells that are complete: 1, 1.1, 1.2, 2
    known = cells.known
    named = cells.read_as("item")
    if {"parent", "child", "level"} & known or "item" in cells.chosen or not known & {"mass", "line_mass"}:
        return {}
    # no tree is made of Power (W), and no power is 1.1.1 or 1.
    tests = (is_possible_mass_heading, names_other_number, partial(is_heading_of_kind, "growth"))
    free = [
        j
        for j in cells.read_as("", *_ITEM_NAMES)
        if not any(test(cells.names[j]) for test in tests) or any(map(_NO_NUMBER.fullmatch, cells.top(j)))
    ]
    dotted = [j for j in named if _is_dotted_numbering(cells, j)]
    dotted = dotted or [j for j in free if _is_complete_numbering(cells, j)]
    if not dotted or (len(named) == 1 and named[0] in dotted):
        return {}
    others = {j: Heading("" if "name" in known else "name", rank=SYNONYM_MATCH) for j in named if j not in dotted}
    return {**others, dotted[0]: Heading("item", rank=SYNONYM_MATCH)}


def _is_dotted_numbering(cells: HeaderCells, j: int) -> bool:
    """Return whether a column holds item numbers of several levels, most of them below another."""
    # From six cells on, one of them and one in ten may be another text, or a number that is repeated: slips, which the
    # layout reports.
    texts = [text for text in cells.top(j) if text]
    numbers = {_split_numbers(text) for text in texts if _DOTTED_NUMBER.fullmatch(text)}
    slips = 0 if len(texts) < _MIN_NUMBERED_CELLS else max(1, len(texts) // 10)
    if len(texts) < _MIN_COMPLETE_CELLS or len(texts) - len(numbers) > slips:
        return False
    return 2 * sum(len(number) > 1 and number[:-1] in numbers for number in numbers) >= len(texts)


def _split_numbers(text: str) -> tuple[str, ...]:
    """Split an item number at its points."""
    return tuple(re.split(r"[.,]", text.rstrip(".")))


def _is_complete_numbering(cells: HeaderCells, j: int) -> bool:
    """Return whether a column holds item numbers in the order of a tree, each below one that is there."""
    texts = [text.strip() for text in cells.table.texts(j, cells.row + 1) if text.strip()]
    if len(texts) < _MIN_COMPLETE_CELLS or not all(map(_DOTTED_NUMBER.fullmatch, texts)):
        return False
    numbers = [tuple(map(int, _split_numbers(text))) for text in texts]
    known = set(numbers)
    is_whole = all(number[:-1] in known for number in numbers if len(number) > 1)
    return is_whole and len(known) == len(numbers) and numbers == sorted(numbers) and max(map(len, numbers)) > 1


def infer_name_column(cells: HeaderCells, findings: Findings) -> Headings:
    """Read a column as the names of items that have masses and no names: the last one of groups, or the first of words.

    The words must be in every row with a mass.
    """
    masses = [*cells.read_as(*MASS_COLUMNS), *(j for name, j in cells.chosen.items() if name in MASS_COLUMNS)]
    known = cells.known & IDENTIFYING_QUANTITIES
    codes = "".join(text for j in cells.read_as("item") for text in cells.leading(j))  # 1, 2, 3 name nothing
    if not masses or (known and (known != {"item"} or any(map(str.isalpha, codes)))):
        return {}
    if groups := [j for j in cells.read_as("", "uom", "category") if _names_groups(cells, j)]:
        return {groups[-1]: Heading("name", rank=SYNONYM_MATCH)}
    free = sorted(
        (j for j in cells.read_as("") if _names_no_item(cells, j) < 2), key=lambda j: _names_no_item(cells, j)
    )
    of_words = (j for j in free if any(any(map(str.isalpha, text)) for text in cells.leading(j)))
    if (first := next(of_words, None)) is None:  # 1, 2, 3 above a sum are parts, and measurements without one
        numbers = [read_number(text) or 0.0 for text in cells.top(masses[0])]
        has_sum = any(abs(one - sum(numbers[:k])) < one / 1000 for k, one in enumerate(numbers) if k > 1)
        numbered = [j for j in cells.read_as("") if j < min(masses) and has_sum and cells.is_running(j, 2)]
        return {numbered[0]: Heading("name", rank=SYNONYM_MATCH)} if numbered else {}
    weighed = (any(map(is_filled_text, texts)) for texts in zip(*map(cells.top, masses), strict=True))
    rows = zip(cells.rows, cells.top(first), weighed, strict=True)
    texts = {text for row, text, has in rows if has and (text or not is_labelled_row(cells.table.row(row)))}
    if len(texts) < 2 or not all(_ORDINAL.fullmatch(text) or _is_name(text) for text in texts):
        return {}
    findings.append(cells.implied(first, "a text in every row with a mass", "the name of the items"))
    return {first: Heading("name", rank=SYNONYM_MATCH)}


def likely_name_columns(cells: HeaderCells, read: set[int]) -> list[int]:
    """List the columns that are not read and hold words."""
    free = [j for j, name in enumerate(cells.names) if j not in read and name and not is_output_heading(name)]
    named = {j: texts for j in free if (texts := cells.leading(j)) and not any(map(is_number, texts))}
    return sorted(named, key=lambda j: (_names_no_item(cells, j), -len(set(named[j]))))


def _names_no_item(cells: HeaderCells, j: int) -> int:
    """Rank a column as names: 1 for numbers with units, 2 for remarks, prices and truth values, which name nothing."""
    remarks = word_set("remarks", "opening")
    header, texts = cells.names[j], cells.leading(j)
    is_remark = not remarks.isdisjoint({header.casefold(), *header_words(header)})
    if is_remark or has_other_unit(header) or {text.casefold() for text in texts} <= {"true", "false", "yes", "no"}:
        return 2
    return int(all(read_unit(split_cell_text(text).unit) is not None for text in texts))


_ORDINAL = re.compile(r"\d{1,3}[.)]")  # 2. below 1. Top


def _is_name(text: str) -> bool:
    """Return whether a text has letters, other than a number, ``1.2e5``, or a time, ``2024-05-01T12:30``."""
    is_time = re.fullmatch(r"\d{1,4}[-./]\d{1,2}(?:[-./]\d{1,4})?(?:[ T][\d:.]+)?\s?(?:Z|[AP]M)?", text) is not None
    return any(map(str.isalpha, text)) and not is_number(text) and not is_time


def _names_groups(cells: HeaderCells, j: int) -> bool:
    """Return whether a column may name items: its header names a group or a unit, and its cells are words."""
    header, filled = squeeze_text(cells.names[j]), cells.all_filled(j)
    if header not in _EQUIPMENT_HEADERS:
        return header in group_header_words() and bool(filled)
    texts = {text for text in filled if not is_number(text)}
    return bool(texts) and not any(is_piece_unit(text) or read_unit(text) is not None for text in texts)


def assign_fallback_columns(
    cells: HeaderCells, chosen: MutableMapping[str, int], units: MutableMapping[str, str], mapping: Mapping[str, str]
) -> list[Finding]:
    """Assign columns to ``mass`` and ``qty`` where others replace them."""
    # Inventor counts instances in Item QTY, states how much one instance is in Unit QTY, and their product in QTY
    # (Inventor Help, bill of materials): the mass is of one instance, so Item QTY is used. Without it, and if Unit QTY
    # states sizes, QTY is rejected.
    table, row, findings = cells.table, cells.row, Findings()
    texts = table.row(row)
    if "item_qty" in chosen and "qty" not in mapping:
        instances = chosen.pop("item_qty")
        other = chosen.pop("qty", None)
        chosen["qty"], units["qty"] = instances, units.pop("item_qty", "")
        if other is not None:
            message = f"column {texts[other].strip()} is not read: column {texts[instances].strip()} counts the pieces"
            findings.report("MP225", message, table.place(row, other, texts[other]), value=texts[other])
    for product, quantity in (*ROW_TOTAL_QUANTITIES.items(), ("unit_qty", "qty")):
        if product in chosen and quantity not in chosen:
            chosen[quantity], units[quantity] = chosen.pop(product), units.pop(product)
        elif product == "unit_qty" and product in chosen and "qty" not in mapping and "item_qty" not in chosen:
            findings += _piece_size_findings(cells, chosen)
    return findings


def _piece_size_findings(cells: HeaderCells, chosen: Mapping[str, int]) -> list[Finding]:
    """Reject quantities if another column states the size of one piece, where that is not 1."""
    column, counted, table = chosen["unit_qty"], chosen["qty"], cells.table
    texts, below = table.row(cells.row), dict.fromkeys(table.texts(column, cells.row + 1))
    size = next((text for text in below if not _is_single_piece(text)), None)
    if size is None or texts[counted].strip().casefold().startswith("item"):
        return []
    names = texts[counted].strip(), texts[column].strip()
    message = f"{names[0]} is a size, not a count: the number of pieces × {names[1]} ({size.strip()} for one piece)"
    remedy = f'export the column Item QTY, or read {names[0]} as the quantity with --map qty="{names[0]}"'
    return [rule_finding("MP254", message, table.place(cells.row, column, texts[column]), value=size, remedy=remedy)]


def _is_single_piece(text: str) -> bool:
    """Return whether a size is that of a piece: blank, 1, or a word for a piece."""
    bare = text.strip()
    return not bare or is_piece_unit(bare) or read_number(bare) == 1


def infer_unit_columns(cells: HeaderCells, findings: Findings) -> Headings:
    """Decide whose units the columns named ``Unit`` contain."""
    found: dict[int, Heading] = {}
    quantities = {j: heading.quantity for j, heading in cells.headings.items()}
    quantities |= {j: q for q, j in cells.chosen.items()}
    taken = set(quantities.values())
    for j, heading in cells.headings.items():
        is_named = heading.quantity == "uom" and cells.names[j] != "uom"
        left = quantity_dimension(quantities.get(j - 1, ""))
        samples = [
            "mass",
            *(q for name, q in UNIT_COLUMNS.items() if quantity_dimension(q) == left and name not in taken),
        ]
        if not is_named and (heading.quantity or not any(_holds_units_of(cells, j, one) for one in samples)):
            continue
        name = _unit_column_role(cells, j, quantities)
        if name == "?":
            message = f"column {cells.names[j]} is ambiguous: units of the masses or of the quantities"
            remedy = f"state it with {cells.option(j, 'mass_unit')} or {cells.option(j, 'uom')}"
            findings.report("MP235", message, cells.place(j), value=cells.names[j], remedy=remedy)
        found[j] = heading._replace(quantity="" if name == "?" else name)
    return found


def _unit_column_role(cells: HeaderCells, j: int, quantities: Mapping[int, str]) -> str:
    """Return the quantity of a column of units: ``uom``, one of UNIT_COLUMNS, or ``?`` if ambiguous."""
    left = quantity_dimension(quantities.get(j - 1, ""))
    counted = "qty" in quantities.values()
    masses = [k for k, name in quantities.items() if quantity_dimension(name) == MASS]
    has_mass_unit = any(read_heading(cells.table.text(cells.row, k)).unit for k in masses)
    for name, sample in UNIT_COLUMNS.items():
        dimension = quantity_dimension(sample)
        several = dimension == MASS and not has_mass_unit and (left == MASS or not counted)
        known = dimension in map(quantity_dimension, quantities.values())
        pieces = {text for text in cells.all_filled(j) if counted and is_piece_unit(text)}  # st is not a stone there
        of_pieces = pieces | {text for text in cells.all_filled(j) if not _is_unit_of_quantity(text, sample, several)}
        if not known or not any(text and text not in of_pieces for text in cells.top(j)):
            continue
        if left == dimension:
            return "?" if of_pieces and counted else name
        if not counted:
            return "uom" if any(map(is_piece_unit, of_pieces)) else name
        if of_pieces or dimension != MASS or has_mass_unit:
            return "uom"
        return "?"  # a kilogram of nails, or so many pieces of a mass in kilograms
    return "uom"


def _holds_units_of(cells: HeaderCells, j: int, sample: str) -> bool:
    """Return whether all filled cells of a column are units of a quantity; a long column is read where its top is."""
    if not all(_is_unit_of_quantity(text, sample) for text in cells.filled(j)):
        return False
    filled = cells.all_filled(j)
    return bool(filled) and all(_is_unit_of_quantity(text, sample) for text in filled)


def _is_unit_of_quantity(text: str, sample: str, several: bool = False) -> bool:
    """Return whether a cell is a unit of a quantity, or for a mass one of weight."""
    # with ``several`` a name of more than one unit of mass is one too; ``St`` with a capital counts pieces in German
    if several and ambiguous_unit(text) is not None and not text.startswith("St"):
        return True
    dimension = quantity_dimension(sample)
    assert dimension is not None
    dimensions = (dimension, FORCE) if dimension == MASS else (dimension,)
    return any(unit_of_dimension(text, one, common_only=True) is not None for one in dimensions)
