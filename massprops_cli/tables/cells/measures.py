"""What a quantity is a number of: pieces (``4 pcs``, ``EA``, ``x4``), or a length, area or volume (``3 m``)."""

from __future__ import annotations

import re
from functools import lru_cache

from massprops_cli.tables.cells.cell_text import visible
from massprops_cli.tables.units.unit_table import Unit
from massprops_cli.tables.units.unit_text import LONGEST, read_unit
from massprops_cli.tables.words import words

_PER = re.compile(r"(?P<what>[^/]+?)\s*(?:/|\bper\b)\s*(?P<per>[^/]+)", re.IGNORECASE)


@lru_cache(maxsize=1)
def piece_words() -> frozenset[str]:
    """Load the words that count pieces, in small letters."""
    return frozenset(word.casefold() for entry in words("measures")["pieces"].values() for word in entry["words"])


@lru_cache(maxsize=1)
def _measure_words() -> dict[str, str]:
    return {word.casefold(): entry["unit"] for entry in words("measures")["measure"] for word in entry["words"]}


def counts_pieces(name: str) -> bool:
    """Tell whether a unit of measure counts pieces.

    >>> counts_pieces("EA"), counts_pieces("Stk."), counts_pieces("m"), counts_pieces("pair")
    (True, True, False, False)
    """
    return _bare(name) in piece_words()


@lru_cache(maxsize=512)
def measure_for(name: str) -> Unit | None:
    """Read a unit of length, area or volume; None for any other.

    >>> measure_for("MTR") == measure_for("m"), measure_for("sq ft").dimension, measure_for("kg")
    (True, (0, 2, 0), None)
    """
    known = _measure_words().get(_bare(name))
    unit = read_unit(visible(name) if known is None else known)
    return unit if unit is not None and unit.mass == unit.time == 0 < unit.length < 4 else None


def split_per(name: str) -> tuple[str, str]:
    """Part a unit such as ``kg/m`` into what there is, and of what it is one; the second is empty without a stroke.

    >>> split_per("kg/m"), split_per("lb per ft"), split_per("kg")
    (('kg', 'm'), ('lb', 'ft'), ('kg', ''))
    """
    match = _PER.fullmatch(name) if len(name) <= LONGEST else None
    if match is None or not (counts_pieces(match["per"]) or measure_for(match["per"])):
        return name, ""
    return match["what"], match["per"]


def factor_between(quantity: str, mass: str) -> float | None:
    """Give what a mass per unit ``mass`` is multiplied with where quantities are in ``quantity``; None if they differ.

    Pieces fit pieces and no unit at all; a length fits a length only.

    >>> factor_between("mm", "m"), factor_between("EA", "pc"), factor_between("", "pc"), factor_between("", "m")
    (0.001, 1.0, 1.0, None)
    """
    if counts_pieces(mass):
        return 1.0 if not quantity or counts_pieces(quantity) else None
    of_quantity, of_mass = measure_for(quantity), measure_for(mass)
    if of_quantity is None or of_mass is None or of_quantity.dimension != of_mass.dimension:
        return None
    return of_quantity.over(of_mass)


def _bare(name: str) -> str:
    return visible(name).rstrip(".").casefold()
