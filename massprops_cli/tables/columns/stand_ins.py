"""Columns that stand in for a mass or a quantity: totals where no other is, and instances where lengths are counted."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.measures import counts_pieces
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.units.quantities import PRODUCTS


def place_stand_ins(
    table: Table,
    row: int,
    chosen: MutableMapping[str, int],
    units: MutableMapping[str, str],
    mapping: Mapping[str, str],
) -> list[Finding]:
    """Give ``mass`` and ``qty`` their columns where others stand in for them; ``chosen`` and ``units`` are changed.

    Inventor counts instances in ``Item QTY``, states how much one instance is in ``Unit QTY`` and their product in
    ``QTY`` (Inventor Help, bill of materials): the mass is of one instance, so ``Item QTY`` is taken. Where that is not
    there and ``Unit QTY`` states sizes, ``QTY`` is refused.
    """
    texts, findings = table.row(row), list[Finding]()
    if "item_qty" in chosen and "qty" not in mapping:
        instances = chosen.pop("item_qty")
        other = chosen.pop("qty", None)
        chosen["qty"], units["qty"] = instances, units.pop("item_qty", "")
        if other is not None:
            message = f"{texts[other].strip()} is not read, {texts[instances].strip()} counts the pieces"
            findings.append(found("MP225", message, table.place(row, other, texts[other]), value=texts[other]))
    for product, quantity in (*PRODUCTS.items(), ("unit_qty", "qty")):
        if product in chosen and quantity not in chosen:
            chosen[quantity], units[quantity] = chosen.pop(product), units.pop(product)
        elif product == "unit_qty" and product in chosen and "qty" not in mapping and "item_qty" not in chosen:
            findings += sizes(table, row, texts, chosen)
    return findings


def sizes(table: Table, row: int, texts: Sequence[str], chosen: Mapping[str, int]) -> list[Finding]:
    """Refuse quantities beside a column that states the size of one piece, where that is not 1."""
    column, counted = chosen["unit_qty"], chosen["qty"]
    if texts[counted].strip().casefold().startswith("item"):
        return []
    size = next((text for text in dict.fromkeys(table.texts(column, row + 1)) if not is_one(text)), None)
    if size is None:
        return []
    names = texts[counted].strip(), texts[column].strip()
    message = f"{names[0]} is the number of pieces × {names[1]}, which is {size.strip()} for one of them"
    remedy = f'export the column Item QTY, or take {names[0]} as it stands with --map qty="{names[0]}"'
    return [found("MP254", message, table.place(row, column, texts[column]), value=size, remedy=remedy)]


def is_one(text: str) -> bool:
    """Tell whether a size is that of a piece: blank, 1, or a word for a piece.

    >>> is_one("Each"), is_one("1.000"), is_one("150 mm")
    (True, True, False)
    """
    bare = text.strip()
    return not bare or counts_pieces(bare) or read_number(bare) == 1
