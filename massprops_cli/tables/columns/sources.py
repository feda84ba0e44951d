"""Where a header's meaning comes from: the canonical name, or a synonym and who writes it."""

from __future__ import annotations

from functools import lru_cache

from massprops_cli.tables.columns.headings import EXACT, NEEDS_UNIT, each_axis, read_heading, squeeze
from massprops_cli.tables.columns.point_words import split_point
from massprops_cli.tables.units.quantities import PRODUCTS, base_of
from massprops_cli.tables.words import words


@lru_cache(maxsize=1)
def sources() -> dict[str, list[tuple[str, str]]]:
    """Load the synonyms of every quantity, ``""`` for headers that are never read: squeezed text and source."""
    known: dict[str, list[tuple[str, str]]] = {}
    for quantity, headers in words("synonyms").items():
        for header, source in headers.items():
            for quantity_here, header_here in each_axis(quantity, header):
                known.setdefault(quantity_here, []).append((squeeze(header_here.removesuffix(NEEDS_UNIT)), source))
    return known


def source_of(text: str, quantity: str) -> str:
    """Say who writes a header for a quantity, ``""`` where it is the canonical name or no synonym.

    The longest synonym in the header counts, for a unit or a remark may stand behind it.

    >>> source_of("Parent Part", "parent"), source_of("mass [kg]", "mass")
    ('public file', '')
    """
    if quantity and read_heading(text).rank == EXACT:
        return ""
    squeezed = squeeze(split_point(text).text)
    products = [product for product, of in PRODUCTS.items() if of == quantity]
    names = dict.fromkeys((quantity, base_of(quantity) if quantity else "", *products))
    fitting = [pair for name in names for pair in sources().get(name, []) if pair[0] and pair[0] in squeezed]
    if not quantity:
        fitting = [pair for pair in fitting if pair[0] == squeezed]
    return max(fitting, key=lambda pair: len(pair[0]), default=("", ""))[1]
