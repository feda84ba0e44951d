"""Columns that hold the quantities of variants: found by their headers, asked about where no other quantity is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.numbers import settle
from massprops_cli.tables.columns.columns import Columns
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.words import words

NAMED = re.compile(
    r"\b(variant|version|konfiguration|configuration|config|cfg|option|model|mod[eè]le|qty|quantity|menge|anzahl)"
    r"(?:e|en|n|s|l)?\b",
    re.IGNORECASE,
)
"""Words in the header of a column that holds the quantities of a variant."""

DASH_NUMBER = re.compile(r"-\d{1,3}")
"""The header of quantities in one configuration of a drawing, ``-1`` or ``-501`` (ASME Y14.34, parts lists)."""

COUNT = "count"
COUNTING = frozenset({"qty", "quantity", "menge", "anzahl", COUNT})
"""Those of them that say by themselves that a column counts pieces: ``Qty Req'd``."""

BETWEEN = re.compile(r"[\W_]+")


def variant_columns(table: Table, columns: Columns) -> list[int]:
    """Find the columns that hold quantities of variants: named so, not read as anything else, and whole numbers."""
    read = {column.index for name, column in columns.by_quantity.items() if name != "qty"}
    named = [j for j, text in enumerate(columns.header) if j not in read and word_of(text)]
    return [j for j in named if holds_counts(table, j, columns.first_row)]


def word_of(header: str) -> str:
    """Give the word that makes a header one of a variant, or nothing.

    >>> word_of("Variant B"), word_of("Qty_Heavy"), word_of("Supplier"), word_of("-501"), word_of("No. of assys")
    ('variant', 'qty', '', 'dash number', 'count')
    """
    if DASH_NUMBER.fullmatch(header.strip()):
        return "dash number"
    match = NAMED.search(header.replace("_", " "))
    if match is None:
        return COUNT if BETWEEN.sub(" ", header.casefold()).strip().startswith(counting()) else ""
    return match[1].casefold()


@lru_cache(maxsize=1)
def counting() -> tuple[str, ...]:
    """Load how headers begin that count pieces, beside those of quantities."""
    return tuple(text for entry in words("counting").values() for text in entry["begins"])


def holds_counts(table: Table, column: int, first: int) -> bool:
    """Tell whether the cells of a column are whole numbers from 0, or blank."""
    (numbers,) = table.numbers([column], first)
    settled = settle(table, column, numbers, first)
    values = settled.values[~np.isnan(settled.values)]
    return not len(settled.bad) and bool(len(values)) and bool(((values >= 0) & (values == np.floor(values))).all())


def ask_for_variant(table: Table, columns: Columns, options: TableOptions) -> list[Finding]:
    """Ask which variant is meant, where columns count pieces and none of them is known as the quantity.

    Their headers share the word that tells: ``Variant A`` and ``Variant B``, but not ``Model`` and ``Version``. One
    column alone is asked about where its header speaks of a quantity: ``Qty per assy``.
    """
    if "qty" in columns.by_quantity or options.frozen or not telling_words(columns.header):
        return []
    columns_found = variant_columns(table, columns)
    telling = telling_words(columns.header[j] for j in columns_found)
    alike = [j for j in columns_found if word_of(columns.header[j]) in telling]
    if not alike:
        return []
    headers = [columns.header[j].strip() for j in alike]
    command = f"massprops rollup {shlex.quote(table.source.name)}"
    commands = [f'{command} --qty-column "{header}"' for header in headers[:4]]
    place = table.place(columns.header_row, alike[0], columns.header[alike[0]])
    if len(alike) == 1:
        message = f"{headers[0]} counts pieces by its name, is not known as the quantity, and there is no other"
        remedy = f"type {commands[0]}; or name what is to be read with --map, and pass --frozen"
    else:
        message = f"{', '.join(headers)} count pieces, each of one variant, and there is no other quantity"
        remedy = f"type {', or '.join(commands)}, or {command} --all-variants"
    return [found("MP253", message, place, count=len(alike), remedy=remedy)]


def telling_words(headers: Iterable[str]) -> set[str]:
    """Give the words of variants that stand in several headers, and those that count by themselves."""
    said = [word for word in map(word_of, headers) if word]
    return {word for word in said if said.count(word) > 1 or word in COUNTING}
