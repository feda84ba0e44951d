"""Bad tables that the R package massProps was run on, stored in ``tests/data/massprops_r/error_cases.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "data" / "massprops_r" / "error_cases.json"
PEER: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))

NOT_A_TABLE = {
    "assembly mass text": "the text is not in the rows as stored; test_text_on_an_assembly writes one",
    "table lacks a tree id": "the tree comes from the table, so it cannot name an id that has no row",
    "undirected tree": "a parent column has a direction",
    "multiple edge": "a row names one parent, once",
    "mutual edge": "a row names one parent; a loop of two is test_tree_cases' business",
    "tibble instead of data.frame": "a class of R",
}
"""Cases that no table can express, with the reason."""


def rows_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of a table case: its own, or the base table with the changes of the case."""
    if "rows" in case:
        return list(case["rows"])
    changes = {int(row): changed for row, changed in case["changes"]}
    return [row | changes.get(k, {}) for k, row in enumerate(PEER["base"])]
