"""One header cell → the quantity it names and the unit it states."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from massprops_cli.tables.cells.cell_text import visible
from massprops_cli.tables.columns.point_words import split_point
from massprops_cli.tables.columns.sigma_words import PERCENT, is_expanded, is_percent, split_level
from massprops_cli.tables.units.quantities import (
    BOUNDS,
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    OWN_OUTPUT,
    QUANTITIES,
    SIGMA_QUANTITIES,
    base_of,
    dimension_of,
)
from massprops_cli.tables.units.unit_text import unit_for
from massprops_cli.tables.words import words

EXACT, SYNONYM, REMARKED = 0, 1, 2
"""How near a heading is to the canonical name: the name, a synonym, a name with a remark in brackets."""


class Heading(NamedTuple):
    """What a header cell says: ``quantity``, empty when none that is read; ``unit``, empty when not stated.

    ``rank`` is EXACT, SYNONYM or REMARKED; ``order`` the synonym's place in its list. ``levels`` are what it says of
    how many sigmas its numbers are, 0 for an expanded uncertainty whose k is left open.
    """

    quantity: str
    unit: str = ""
    rank: int = EXACT
    order: int = 0
    levels: tuple[float, ...] = ()


UNREAD = Heading("")
KEPT = "#%\"'′°±+<>≤≥=~"
"""Marks that change what a header means: a count, a share, a unit, a tolerance, a limit."""
_AXES = {"x": ("x", "y", "z"), "xy": ("xx", "yy", "zz", "xy", "xz", "yz"), "yx": ("yx", "zx", "zy")}
_BRACKETED = r"(?P<base>.*?)\s*(?P<bracket>\[[^\[\]]*\]|\((?:[^()]|\([^()]*\))*\)|\{[^{}]*\})\s*"
_WIDE_BRACKETS = str.maketrans("（）［］｛｝", "()[]{}")  # those of Chinese and Japanese keyboards
_SIGMA_WORDS = r"(?:sigma|σ|1σ|1sigma|std|stdev|std\.?\s*dev\.?|standard deviation|sd)"
_SIGMA_FORMS = (
    r"(?:u|σ|sigma|std|stdev|sd)\s*\((?P<rest>[^()]+)\)",
    rf"{_SIGMA_WORDS}(?:\s+of)?[\s_.:-]+(?P<rest>.+)",
    rf"(?P<rest>.+?)[\s_.:-]+{_SIGMA_WORDS}",
    r"σ(?P<rest>[A-Za-z]+)",
)
_BOUND_FORM = r"(?P<rest>.+?)[\s_.:-]+(?P<end>min|likely|max)(?:imum)?"
_CUTS = r"[\s_/,:;|-]+"
STATIONS = ("fs", "bl", "wl")
"""Fuselage station, butt line and waterline, squeezed: read together or not at all."""
LONGEST = 200
"""A longer header names nothing."""
NEEDS_UNIT = " [unit]"
"""How a synonym ends that is one with a unit only: a Total is of anything, a Total (kg) of masses."""


def squeeze(text: str) -> str:
    """Bring a header to the form in which synonyms are compared: no case, blanks or mere punctuation.

    >>> squeeze("Part-No."), squeeze("Nº DO ITEM"), squeeze("# of Parts")
    ('partno', 'nodoitem', '#ofparts')
    """
    if text.isascii():
        plain = text.lower()
        return plain if plain.isalnum() else "".join([c for c in plain if c.isalnum() or c in KEPT])
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in folded if c.isalnum() or c in KEPT)


@lru_cache(maxsize=1)
def synonyms() -> dict[str, tuple[str, int]]:
    """Load what headers mean: squeezed text → (quantity or nothing, place in its list)."""
    known: dict[str, tuple[str, int]] = {}
    for quantity, headers in words("synonyms").items():
        for order, header in enumerate(headers, 1):
            for quantity_here, header_here in each_axis(quantity, header):
                bare = header_here.removesuffix(NEEDS_UNIT)
                known.setdefault(squeeze(bare) + NEEDS_UNIT * (bare != header_here), (quantity_here, order))
    for quantity in QUANTITIES:
        known[squeeze(quantity)] = (quantity, 0)
    return known


def each_axis(quantity: str, header: str) -> list[tuple[str, str]]:
    """Write a synonym out for every axis its quantity has."""
    if quantity == "not_read":
        return [("", header)]
    mark = re.search(r"\{(\w+)\}", quantity)
    if mark is None:
        return [(quantity, header)]
    return [
        (quantity.replace(mark[0], "".join(sorted(axis))), header.replace(mark[0], axis)) for axis in _AXES[mark[1]]
    ]


def read_heading(text: str) -> Heading:
    """Read a header cell.

    >>> read_heading("Weight (lb)")
    Heading(quantity='mass', unit='lb', rank=1, order=2, levels=())
    >>> read_heading("CG X [in]")[:2], read_heading("Ixx, kg·m²")[:2], read_heading("Total (kg)")[:2]
    (('Cx', 'in'), ('Ixx', 'kg·m²'), ('line_mass', 'kg'))
    >>> read_heading("Ixx about origin [kg·m²]")[:2]
    ('Ixx', 'kg·m²')
    >>> read_heading("2σ mass [kg]")[:2], read_heading("2σ mass [kg]").levels, read_heading("sigma_Cx (%)").unit
    (('sigma_mass', 'kg'), (2.0,), '%')
    """
    bare = visible(text).strip()
    if bare in QUANTITIES:
        return Heading(bare)
    if not bare or len(bare) > LONGEST or bare.startswith(OWN_OUTPUT):
        return UNREAD
    point = split_point(bare)
    if point.about and base_of((heading := read_heading(point.text)).quantity) in INERTIA_COLUMNS:
        return heading._replace(rank=REMARKED)
    said = split_level(bare)
    heading = _without_level(said.text)
    if heading.quantity in SIGMA_QUANTITIES:
        return heading._replace(levels=stated_levels(bare, heading.quantity))
    return _without_level(bare) if said.levels else heading


def read_headings(texts: Sequence[str]) -> list[Heading]:
    """Read a row of header cells; FS, BL and WL are coordinates only where all three stand together.

    Each of them alone may be something else: a factor of safety, a bill of lading, a work list.

    >>> [heading.quantity for heading in read_headings(["Part Number", "FS [in]", "BL [in]", "WL [in]"])]
    ['part', 'Cx', 'Cy', 'Cz']
    >>> [heading.quantity for heading in read_headings(["Part Number", "FS"])]
    ['part', '']
    """
    headings = [read_heading(text) for text in texts]
    stations = [is_station(text, heading) for text, heading in zip(texts, headings, strict=True)]
    if {heading.quantity for heading, is_one in zip(headings, stations, strict=True) if is_one} == set(CENTER_COLUMNS):
        return headings
    return [UNREAD if is_one else heading for heading, is_one in zip(headings, stations, strict=True)]


def is_station(text: str, heading: Heading) -> bool:
    """Tell whether a header is FS, BL or WL, a unit apart; ``heading`` is what it is read as."""
    name = re.split(_CUTS + r"|[\[({]", text.strip())[0]
    return heading.quantity in CENTER_COLUMNS and squeeze(name) in STATIONS


def _without_level(bare: str) -> Heading:
    """Read a header that says nothing of levels."""
    whole = _named(bare)
    if whole is not None:
        return whole
    return _with_bracket(bare) or _with_unit_after(bare) or UNREAD


def _named(bare: str) -> Heading | None:
    """Read a header without a unit: a name, a synonym, or the sigma of one; None when it is not known."""
    if bare in QUANTITIES:
        return Heading(bare)
    known = synonyms().get(squeeze(bare))
    if known is not None:
        quantity, order = known
        return Heading(quantity, rank=SYNONYM if order else EXACT, order=order) if quantity else UNREAD
    for form in _SIGMA_FORMS:
        match = re.fullmatch(form, bare, re.IGNORECASE)
        of = synonyms().get(squeeze(match["rest"])) if match else None
        if of is not None and of[0] in NUMBER_QUANTITIES:
            return Heading(f"sigma_{of[0]}", rank=SYNONYM, order=of[1] + 1)
    return _bound(bare)


def _bound(bare: str) -> Heading | None:
    """Read the least, likeliest or greatest value of a quantity: its name and min, likely or max after it."""
    match = re.fullmatch(_BOUND_FORM, bare, re.IGNORECASE)
    of = synonyms().get(squeeze(match["rest"])) if match else None
    if match is None or of is None or of[0] not in NUMBER_QUANTITIES[:10]:
        return None
    end = match["end"].lower()
    assert end in BOUNDS
    return Heading(f"{of[0]}_{end}", rank=SYNONYM, order=of[1] + 1)


def _with_bracket(bare: str) -> Heading | None:
    """Read ``name [unit]`` or ``name (remark)``; a number column's brackets hold a unit, known or not."""
    match = re.fullmatch(_BRACKETED, bare.translate(_WIDE_BRACKETS), re.DOTALL)
    if match is None or not match["base"]:
        return None
    heading = _named(match["base"])
    content = match["bracket"][1:-1].strip()
    if heading is None or not heading.quantity:
        return _by_unit(match["base"], content) or heading
    if dimension_of(heading.quantity) is None:
        return heading._replace(rank=REMARKED)
    percent = heading.quantity in SIGMA_QUANTITIES and is_percent(content)
    return heading._replace(unit=PERCENT if percent else content)


def _with_unit_after(bare: str) -> Heading | None:
    """Read ``name/unit``, ``name, unit``, ``name_unit``, ``name in unit``; the longest name counts."""
    for cut in reversed(list(re.finditer(_CUTS, bare))):
        heading = _named(bare[: cut.start()])
        if heading is None or not heading.quantity:
            if by_unit := _by_unit(bare[: cut.start()], bare[cut.end() :]):
                return by_unit
            continue
        dimension = dimension_of(heading.quantity)
        if dimension is None:
            continue
        rest = bare[cut.end() :]
        if heading.quantity in SIGMA_QUANTITIES and is_percent(rest):
            return heading._replace(unit=PERCENT)
        for unit in (rest, re.sub(r"^in\s+", "", rest)):
            if unit_for(unit, dimension, common_only=True) is not None:
                return heading._replace(unit=unit)
    return None


def _by_unit(bare: str, unit: str) -> Heading | None:
    """Read a word that names a quantity only together with a unit of it."""
    quantity, order = synonyms().get(squeeze(bare) + NEEDS_UNIT, ("", 0))
    dimension = dimension_of(quantity)
    if dimension is None or unit_for(unit, dimension, common_only=True) is None:
        return None
    return Heading(quantity, unit, SYNONYM, order)


def stated_unit(text: str, quantity: str) -> str:
    """Give the unit in the header of a column chosen by ``--map``, whatever its name, or nothing.

    >>> stated_unit("Total / kg", "mass"), stated_unit("Total (g)", "mass"), stated_unit("Total", "mass")
    ('kg', 'g', '')
    """
    dimension = dimension_of(quantity)
    if dimension is None:
        return ""
    bare = visible(text).strip()[-LONGEST:]
    if quantity in SIGMA_QUANTITIES:
        bare = split_level(bare).text
    elif quantity in INERTIA_COLUMNS:
        bare = split_point(bare).text
    match = re.fullmatch(_BRACKETED, bare.translate(_WIDE_BRACKETS), re.DOTALL)
    if match is not None:
        return match["bracket"][1:-1].strip()
    for cut in re.finditer(_CUTS, bare):
        rest = bare[cut.end() :]
        if unit_for(rest, dimension, common_only=True) is not None:
            return rest
    return ""


def stated_levels(text: str, quantity: str) -> tuple[float, ...]:
    """Give how many sigmas a column's header says its numbers are, 0 for an expanded uncertainty without its k.

    >>> stated_levels("2σ mass", "sigma_mass"), stated_levels("U(mass)", "sigma_mass"), stated_levels("mass", "mass")
    ((2.0,), (0.0,), ())
    """
    if quantity not in SIGMA_QUANTITIES:
        return ()
    return split_level(text[:LONGEST]).levels or ((0.0,) if is_expanded(text) else ())
