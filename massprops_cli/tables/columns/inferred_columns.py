"""Columns whose cells and place decide what they are: item numbers, groups, units, parents, replacements.

Units of mass to the right of the masses are units of the masses, as they are in a table without quantities. A quantity
of 3 kg has a mass of 1 per kg, so units of mass next to other masses are units of those masses. If both readings
remain, the table is rejected. Columns that name other items are the parents only where nothing else is possible.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, MutableMapping, Sequence
from functools import lru_cache
from math import inf, isclose, isnan, log10, nan

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, Findings, rule_finding
from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, is_number, is_piece_unit, read_number, words
from massprops_cli.tables.cells.numbers import half_unit_of_cell, is_filled_text, parse_column
from massprops_cli.tables.cells.units import (
    FORCE,
    KILOGRAM,
    MASS,
    MASS_UNITS,
    STANDARD_GRAVITY,
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
    map_option,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.columns.implied_columns import names_other_number
from massprops_cli.tables.columns.mass_roles import is_heading_of_kind, is_possible_mass_heading
from massprops_cli.tables.equations import is_labelled_row
from massprops_cli.tables.options import ROW_TOTAL_QUANTITIES, UNIT_COLUMNS

_SAMPLE_ROWS = 200  # number of rows searched for the first coordinates
_DOTTED_NUMBER = re.compile(r"\d+(?:[.,]\d+)*\.?")  # 1.2.10
_MIN_NUMBERED_CELLS = 6  # cells of a numbering of which one may be wrong


def infer_numbering_column(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read a column of dotted numbers as the item numbers, and a column ``Item`` of words next to it as the names."""
    # its header names item numbers, or no other number above cells that are complete: 1, 1.1, 1.2, 2
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    named = [j for j, heading in headings.items() if heading.quantity == "item"]
    if {"parent", "child", "level"} & known or "item" in chosen or not known & {"mass", "line_mass"}:
        return dict(headings)
    free = [
        j
        for j, heading in headings.items()
        if heading.quantity in ("", *_ITEM_NAMES) and _may_be_numbering(table.text(row, j))
    ]
    dotted = [j for j in named if _is_dotted_numbering(table, row, j)]
    dotted += [] if dotted else [j for j in free if _is_complete_numbering(table, row, j)]
    if not dotted or (named and named[0] in dotted and len(named) == 1):
        return dict(headings)
    others = {j: Heading("" if "name" in known else "name", rank=SYNONYM_MATCH) for j in named if j not in dotted}
    return {**headings, **others, dotted[0]: Heading("item", rank=SYNONYM_MATCH)}


def _is_dotted_numbering(table: Table, row: int, j: int) -> bool:
    """Return whether a column holds item numbers of several levels, most of them below another."""
    # From six cells on, one of them and one in ten may be another text, or a number that is repeated: slips, which the
    # layout reports.
    rows = range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))
    cells = [text for i in rows if (text := table.text(i, j).strip())]
    numbers = {tuple(re.split(r"[.,]", cell.rstrip("."))) for cell in cells if _DOTTED_NUMBER.fullmatch(cell)}
    slips = 0 if len(cells) < _MIN_NUMBERED_CELLS else max(1, len(cells) // 10)
    if len(cells) < 3 or len(cells) - len(numbers) > slips:
        return False
    return 2 * sum(len(number) > 1 and number[:-1] in numbers for number in numbers) >= len(cells)


def _may_be_numbering(header: str) -> bool:
    """Return whether a header names neither a mass nor another number: no tree is made of ``Power (W)``."""
    return not (is_possible_mass_heading(header) or names_other_number(header) or is_heading_of_kind("growth", header))


def _is_complete_numbering(table: Table, row: int, j: int) -> bool:
    """Return whether a column holds item numbers in the order of a tree, each below one that is there."""
    cells = [text.strip() for text in table.texts(j, row + 1) if text.strip()]
    if len(cells) < _MIN_COMPLETE_CELLS or not all(map(_DOTTED_NUMBER.fullmatch, cells)):
        return False
    numbers = [tuple(map(int, re.split(r"[.,]", cell.rstrip(".")))) for cell in cells]
    known = set(numbers)
    is_whole = all(number[:-1] in known for number in numbers if len(number) > 1)
    return is_whole and len(known) == len(numbers) and numbers == sorted(numbers) and max(map(len, numbers)) > 1


_MIN_COMPLETE_CELLS = 3
_EQUIPMENT_HEADERS = frozenset(("unit", "units"))
"""Headers that name a box of equipment where their cells are not units of measure."""


def infer_group_name_column(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Read the rightmost column of groups as the names where a table with masses has no other."""
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    names = [j for j, heading in headings.items() if _is_possible_name_column(table, row, j, heading)]
    if known & IDENTIFYING_QUANTITIES or not known & {"mass", "line_mass"} or not names:
        return dict(headings)
    return {**headings, max(names): Heading("name", rank=SYNONYM_MATCH)}


def _is_possible_name_column(table: Table, row: int, j: int, heading: Heading) -> bool:
    """Return whether a column may name items: its header names a group or a unit, and its cells are words."""
    header = squeeze_text(table.text(row, j))
    if heading.quantity not in ("", "uom", "category") or not (
        header in group_header_words() or header in _EQUIPMENT_HEADERS
    ):
        return False
    cells = {text.strip(BLANK_CHARACTERS) for text in table.texts(j, row + 1) if is_filled_text(text)}
    texts = {text for text in cells if not is_number(text)}
    if header in _EQUIPMENT_HEADERS:
        return bool(texts) and not any(is_piece_unit(text) or read_unit(text) is not None for text in texts)
    return bool(cells)


_TREE_QUANTITIES = frozenset(("parent", "child", "level", "item"))
"""Quantities that give the position of a row in the tree."""
_ITEM_NAMES = ("id", "part", "name")  # quantities that parents are named by, the first that there is


def infer_parent_column(
    table: Table, row: int, chosen: MutableMapping[str, int], units: MutableMapping[str, str], read: Container[int]
) -> list[Finding]:
    """Read the only unread column that makes one tree of the items, named once each, as the parents; report it."""
    key = next((chosen[name] for name in _ITEM_NAMES if name in chosen), None)
    if key is None or "mass" not in chosen or _TREE_QUANTITIES & set(chosen):
        return []
    free = [j for j in range(table.n_columns) if j not in read and _has_words(table, row, j)]
    items = [text.strip() for text in table.texts(key, row + 1)] if free else []
    if len(set(items) - {""}) != len(items) - items.count(""):
        return []
    free = [j for j in free if _names_items(table, row, j, set(items))]
    if not free:
        return []
    items = ["" if is_labelled_row(table.row(row + 1 + k)) else item for k, item in enumerate(items)]
    masses = _ItemMasses(table, row, chosen, items)
    if len(trees := [j for j in free if _is_one_tree(items, table.texts(j, row + 1), masses)]) != 1:
        return []
    chosen["parent"], units["parent"] = trees[0], ""
    header, over = table.text(row, trees[0]).strip(), table.text(row, key).strip()
    message = f"column {header or 'without a name'} is read as the parent of {over}: it names items of other rows"
    remedy = f"confirm it with {map_option(table, row, trees[0], 'parent')}"
    return [rule_finding("MP324", message, table.place(row, trees[0], header), value=header, remedy=remedy)]


def _has_words(table: Table, row: int, j: int) -> bool:
    """Return whether a column without numbers has something in it at the top of the table."""
    top = [table.text(i, j).strip() for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))]
    return any(top) and not any(is_number(text) and "." in text for text in top)


def _names_items(table: Table, row: int, j: int, items: Container[str]) -> bool:
    """Return whether the first filled cells of a column name items of the table."""
    top = (table.text(i, j).strip() for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS)))
    named = [text for text in top if text]
    return bool(named) and all(text in items for text in named)


class _ItemMasses:
    """The masses of items as stated, of one piece and of the row, with half of their last digits."""

    def __init__(self, table: Table, row: int, chosen: Mapping[str, int], items: Sequence[str]) -> None:
        def numbers(name: str) -> list[float]:
            texts = table.texts(chosen[name], row + 1) if name in chosen else [""] * len(items)
            return [nan if (value := read_number(text)) is None else value for text in texts]

        self.mass = dict(zip(items, numbers("mass"), strict=True))
        texts = table.texts(chosen["mass"], row + 1)
        self.half = {item: half_unit_of_cell(text) for item, text in zip(items, texts, strict=True)}
        self.count = {item: 1.0 if isnan(n) else n for item, n in zip(items, numbers("qty"), strict=True)}

    def has(self, item: str) -> bool:
        """Return whether an item states a mass."""
        return not isnan(self.mass[item])

    def sum_evidence(self, item: str, children: Sequence[str]) -> float:
        """Compute the evidence, in decades, that an item states the sum of others, one or all pieces; −inf if not."""
        stated, half = self.mass[item], self.half[item]
        for counts in (self.count, dict.fromkeys(children, 1.0)):
            total = sum(self.mass[child] * counts[child] for child in children)
            rounding = sum((self.half[child] * counts[child]) ** 2 for child in children) ** 0.5
            if abs(total - stated) <= half + rounding + 1e-12 * abs(total):
                return -log10(min(1.0, 2 * (half or 1e-12 * abs(stated)) / abs(stated))) if stated else 0.0
        return -inf


_CERTAIN_SUMS = 2.0  # decades of the stated sums from which a column that names other items is that of their parents


def _is_one_tree(items: Sequence[str], texts: Sequence[str], masses: _ItemMasses) -> bool:
    """Return whether a column names one parent of every item but the tops: each without a mass, or with their sum."""
    parents = {item: text.strip() for item, text in zip(items, texts, strict=True) if item}
    roots = [item for item, over in parents.items() if not over]
    children: dict[str, list[str]] = {}
    for item, over in parents.items():
        children.setdefault(over, []).append(item)
    if not roots or not all(over in parents for over in children if over):
        return False
    if len(roots) > 1 and not all(root in children for root in roots):
        return False
    del children[""]
    stated = [masses.sum_evidence(over, below) for over, below in children.items() if masses.has(over)]
    if stated and sum(stated) < _CERTAIN_SUMS:
        return False
    return all(item in children or masses.has(item) for item in parents) and _is_rooted(parents, roots)


def _is_rooted(parents: Mapping[str, str], roots: Sequence[str]) -> bool:
    """Return whether every item is below a root, without a cycle of parents."""
    known = set(roots)
    for item in parents:
        chain, above = set[str](), item
        while above not in known:
            if above in chain:
                return False
            chain.add(above)
            above = parents[above]
        known |= chain
    return True


def assign_fallback_columns(
    table: Table,
    row: int,
    chosen: MutableMapping[str, int],
    units: MutableMapping[str, str],
    mapping: Mapping[str, str],
) -> list[Finding]:
    """Assign columns to ``mass`` and ``qty`` where others replace them."""
    # Inventor counts instances in Item QTY, states how much one instance is in Unit QTY, and their product in QTY
    # (Inventor Help, bill of materials): the mass is of one instance, so Item QTY is used. Without it, and if Unit QTY
    # states sizes, QTY is rejected.
    texts, findings = table.row(row), Findings()
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
            findings += _piece_size_findings(table, row, texts, chosen)
    return findings


def _piece_size_findings(table: Table, row: int, texts: Sequence[str], chosen: Mapping[str, int]) -> list[Finding]:
    """Reject quantities if another column states the size of one piece, where that is not 1."""
    column, counted = chosen["unit_qty"], chosen["qty"]
    if texts[counted].strip().casefold().startswith("item"):
        return []
    size = next((text for text in dict.fromkeys(table.texts(column, row + 1)) if not _is_single_piece(text)), None)
    if size is None:
        return []
    names = texts[counted].strip(), texts[column].strip()
    message = f"{names[0]} is a size, not a count: the number of pieces × {names[1]} ({size.strip()} for one piece)"
    remedy = f'export the column Item QTY, or read {names[0]} as the quantity with --map qty="{names[0]}"'
    return [rule_finding("MP254", message, table.place(row, column, texts[column]), value=size, remedy=remedy)]


def _is_single_piece(text: str) -> bool:
    """Return whether a size is that of a piece: blank, 1, or a word for a piece."""
    bare = text.strip()
    return not bare or is_piece_unit(bare) or read_number(bare) == 1


SIZE_TOLERANCE = 1e-3
"""How far a mass per unit of mass may be rounded: 0.4536 kg per pound."""
MASS_UNIT_SIZES = tuple({unit.over(KILOGRAM) for unit in MASS_UNITS.values()})


@lru_cache(maxsize=1)
def _ambiguous_unit_headers() -> frozenset[str]:
    """Load the headers that do not state whose unit it is; a unit of measure is that of a quantity."""
    return frozenset(words("measures")["headings"]["words"])


def infer_unit_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int], findings: Findings
) -> dict[int, Heading]:
    """Decide whose units the columns named ``Unit`` contain."""
    result = dict(headings)
    quantities = {j: heading.quantity for j, heading in headings.items()} | {j: q for q, j in chosen.items()}
    for j, heading in headings.items():
        if not heading.quantity and (name := _adjacent_unit_column_role(table, row, j, quantities)):
            result[j] = Heading(name, rank=SYNONYM_MATCH)
            continue
        if heading.quantity == "mass_unit" and _holds_numbers(table, row, j):  # "Unit" below the group "Weight"
            result[j] = heading._replace(quantity="mass")
        is_named = heading.quantity == "uom" and table.text(row, j).strip() != "uom"
        if not is_named and (heading.quantity or not _holds_units_of(table, row, j, "mass")):
            continue
        name = _unit_column_role(table, row, j, quantities)
        if name == "?":
            findings.append(_ambiguous_unit_column_finding(table, row, j))
        result[j] = heading._replace(quantity="" if name == "?" else name)
    return result


def _holds_numbers(table: Table, row: int, j: int) -> bool:
    """Return whether most filled cells at the top of a column are numbers."""
    texts = [table.text(i, j).strip() for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))]
    filled = [text for text in texts if is_filled_text(text)]
    return 2 * sum(map(is_number, filled)) > len(filled)


def _unit_column_role(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Return the quantity of a column of units: ``uom``, one of UNIT_COLUMNS, or ``?`` if ambiguous."""
    head = {table.text(i, j).strip(BLANK_CHARACTERS) for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))}
    left = quantity_dimension(quantities.get(j - 1, ""))
    counted = "qty" in quantities.values()
    for name, sample in UNIT_COLUMNS.items():
        dimension = quantity_dimension(sample)
        several = dimension == MASS and not counted and not _has_mass_unit(table, row, quantities)
        known = dimension in map(quantity_dimension, quantities.values())
        if not known or not any(_is_unit_of_quantity(text, sample, several) for text in head):
            continue
        cells = {text.strip(BLANK_CHARACTERS) for text in table.texts(j, row + 1) if is_filled_text(text)}
        whole = all(_is_unit_of_quantity(text, sample, several) for text in cells)
        if left == dimension:
            return name if whole or not counted else "?"
        if not counted:
            return (
                "uom"
                if any(is_piece_unit(text) and not _is_unit_of_quantity(text, sample, several) for text in cells)
                else name
            )
        if not whole or dimension != MASS or _has_mass_unit(table, row, quantities):
            return "uom"
        return _mass_unit_role(table, row, j, quantities)
    return "uom"


def _adjacent_unit_column_role(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Find the entry of UNIT_COLUMNS for a column of whatever name: its cells are units of the quantity to its left."""
    left = quantity_dimension(quantities.get(j - 1, ""))
    name = next((name for name, sample in UNIT_COLUMNS.items() if left == quantity_dimension(sample)), "")
    if left is None or not name or name in quantities.values():
        return ""
    return name if _holds_units_of(table, row, j, UNIT_COLUMNS[name]) else ""


def _holds_units_of(table: Table, row: int, j: int, sample: str) -> bool:
    """Return whether all filled cells of a column are units of a quantity; a long column is read where its top is."""
    top = {table.text(i, j).strip(BLANK_CHARACTERS) for i in range(row + 1, min(table.n_rows, row + 1 + _SAMPLE_ROWS))}
    if not all(_is_unit_of_quantity(text, sample) for text in top if is_filled_text(text)):
        return False
    cells = {text.strip(BLANK_CHARACTERS) for text in table.texts(j, row + 1) if is_filled_text(text)}
    return bool(cells) and all(_is_unit_of_quantity(text, sample) for text in cells)


def _has_mass_unit(table: Table, row: int, quantities: Mapping[int, str]) -> bool:
    """Return whether the header of the masses states their unit."""
    return any(
        read_heading(table.text(row, j)).unit for j, name in quantities.items() if quantity_dimension(name) == MASS
    )


def _mass_unit_role(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Decide from the numbers whether units of mass are units of the masses: the mass of a gram is known."""
    column = next(k for k, name in quantities.items() if quantity_dimension(name) == MASS)
    masses = parse_column(table, column, table.numbers([column], row + 1)[0], row + 1).values.tolist()
    per_unit = {
        (text.strip(BLANK_CHARACTERS), mass)
        for text, mass in zip(table.texts(j, row + 1), masses, strict=True)
        if is_filled_text(text) and not isnan(mass)
    }
    if {mass for _, mass in per_unit} == {1.0} and len({text for text, _ in per_unit}) == 1:
        return "uom"  # n kilograms and n pieces of 1 kg weigh the same
    in_units = {mass / _unit_size_in_kg(text) for text, mass in per_unit}
    low, high = min(in_units, default=1.0), max(in_units, default=1.0)
    if any(
        isclose(c * size, 1, rel_tol=SIZE_TOLERANCE) for c in (low, high) for size in MASS_UNIT_SIZES
    ) and high <= low * (1 + SIZE_TOLERANCE):
        return "?"
    return "mass_unit" if squeeze_text(table.text(row, j)) in _ambiguous_unit_headers() else "?"


def _unit_size_in_kg(text: str) -> float:
    """Return a unit of mass in kilograms, one of weight as what weighs so much."""
    unit = unit_of_dimension(text, MASS, common_only=True) or unit_of_dimension(text, FORCE, common_only=True)
    assert unit is not None
    return unit.over(KILOGRAM) if unit.dimension == MASS else unit.times(STANDARD_GRAVITY, -1).over(KILOGRAM)


def _is_unit_of_quantity(text: str, sample: str, several: bool = False) -> bool:
    """Return whether a cell is a unit of a quantity, or for a mass one of weight."""
    # with ``several`` a name of more than one unit of mass is one too; ``St`` with a capital counts pieces in German
    if several and ambiguous_unit(text) is not None and not text.startswith("St"):
        return True
    dimension = quantity_dimension(sample)
    assert dimension is not None
    known = unit_of_dimension(text, dimension, common_only=True) is not None
    return known or (dimension == MASS and unit_of_dimension(text, FORCE, common_only=True) is not None)


def _ambiguous_unit_column_finding(table: Table, row: int, j: int) -> Finding:
    """Reject a column of units that may apply to the masses or to the quantities."""
    name = table.text(row, j).strip()
    message = f"column {name} is ambiguous: units of the masses or of the quantities"
    masses, quantities = (map_option(table, row, j, quantity) for quantity in ("mass_unit", "uom"))
    remedy = f"state it with {masses} or {quantities}"
    return rule_finding("MP235", message, table.place(row, j, name), value=name, remedy=remedy)
