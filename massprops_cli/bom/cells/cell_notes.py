"""What is said once for a column of numbers of which some cells are not written as plain numbers."""

from __future__ import annotations

from collections import Counter

from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.many import place_of
from massprops_cli.bom.items.saying import listed_of
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.number_faults import shown
from massprops_cli.tables.cells.number_text import BLANKS
from massprops_cli.tables.cells.numbers import Settled
from massprops_cli.tables.columns.columns import Column

WORDS = {
    "MP229": "read as blank",
    "MP230": "read with the unit written there",
    "MP231": "read with a decimal comma or separators",
    "MP232": "an estimate and taken as a plain number",
    "MP233": "read without characters that nobody sees",
    "MP238": "read as the plain number that stands there in other digits or signs",
}
"""What was done with the cells of each rule."""


def say_read(items: ItemRows, column: Column, settled: Settled) -> list[Finding]:
    """Say once for a column, rule by rule, how many cells were read in a way that is to be told, and what they hold."""
    findings = []
    for rule, positions in settled.said.items():
        which = items.at_rows(positions + items.columns.first_row)
        if not len(which):
            continue
        rows = items.rows[which].tolist()
        texts = Counter(items.table.text(row, column.index).strip(BLANKS) for row in rows)
        cells = "1 cell is" if len(rows) == 1 else f"{len(rows):,} cells are"
        message = f"{column.header}: {cells} {WORDS[rule]} ({told(texts)}): {listed_of(items, which)}"
        place = place_of(items.table, rows[0], column.index, column.header)
        findings.append(found(rule, message, place, item=items.ids[int(which[0])], count=len(rows)))
    return findings


def told(texts: Counter[str], most: int = 3) -> str:
    """Name what cells hold, the most frequent first.

    >>> told(Counter(["TBD", "-", "TBD"]))
    'TBD twice, -'
    """
    times = {1: "", 2: " twice"}
    named = [shown(text) + times.get(n, f" {n:,} times") for text, n in texts.most_common(most)]
    return ", ".join(named) + (", …" if len(texts) > most else "")
