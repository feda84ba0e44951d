"""Write the messy files anew: ``python -m tests.messy_set.make_messy`` from the root of the repository."""

from __future__ import annotations

from pathlib import Path

from tests.messy_set import (
    books_budget,
    books_finding,
    books_pairs,
    books_quantity,
    books_reading,
    books_suppliers,
    texts,
)

FILES = Path(__file__).parent / "files"


def main() -> None:
    """Write every workbook and text that a script can write."""
    FILES.mkdir(exist_ok=True)
    modules = (books_budget, books_finding, books_reading, books_quantity, books_pairs, books_suppliers)
    sources = [books.BOOKS for books in modules]
    for source in (*sources, texts.TEXTS):
        for name, table in source.items():
            table.write(FILES / name)


if __name__ == "__main__":
    main()
