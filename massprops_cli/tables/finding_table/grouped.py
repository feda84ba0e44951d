"""Headers in two rows: a row of groups (``CG``) over a row of columns (``X``, ``Y``, ``Z``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.cells.number_text import is_number
from massprops_cli.tables.columns.headers import TITLE_ROWS
from massprops_cli.tables.columns.headings import read_heading
from massprops_cli.tables.columns.looks import looks_like_header
from massprops_cli.tables.columns.point_words import names_point
from massprops_cli.tables.finding_table.named import named_in
from massprops_cli.tables.units.quantities import TEXT_QUANTITIES

_UNIT = re.compile(r"(?P<name>.*\S)\s*(?P<unit>\[[^\[\]]*\]|\([^()]*\))")


@dataclass(frozen=True, slots=True)
class Joined:
    """Two rows of a header read as one: the row of groups, the row of columns below it, the columns' joined texts."""

    groups: int
    row: int
    texts: Sequence[str]


def joined_header(table: Table, row: int, mapping: Mapping[str, str]) -> Joined | None:
    """Join the header at ``row`` with the row below it, or above it; None where one row says as much as two.

    Where ``row`` is no header by itself, titles may stand above two rows that are one only together. A group holds for
    its own column and those at its right until the next one, as merged cells do.
    """
    pairs = [row, row - 1]
    if not looks_like_header(table.row(row)):
        pairs += range(row + 1, row + TITLE_ROWS)
    for groups in pairs:
        if not 0 <= groups < table.n_rows - 1:
            continue
        over, under = without_side(table.row(groups), table.row(groups + 1))
        if groups == row and (wrapped := wrapped_names(over, under, mapping)):
            return Joined(groups, groups + 1, with_side(wrapped, over, table.row(groups)))
        if not _may_be_groups(over, under):
            continue
        texts = join(over, under, mapping)
        alone = max(len(_distinct(over, mapping)), len(_distinct(under, mapping)))
        more = len(_distinct(texts, mapping)) > alone or _groups_variants(over, under)
        if more and (groups <= row or looks_like_header(texts)):
            return Joined(groups, groups + 1, with_side(texts, over, table.row(groups)))
    return None


def without_side(over: Sequence[str], under: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Clear what stands beside the table in two rows of a header: parts behind a blank column that hold a number.

    What is left must be a header; where it is none, both rows are given as they are.

    >>> without_side(["Part", "Mass", "", "Budget"], ["", "[kg]", "", "85"])
    (['Part', 'Mass', '', ''], ['', '[kg]', '', ''])
    """
    pairs = [(above.strip(), own.strip()) for above, own in zip(over, under, strict=True)]
    parts = [list(part) for _, part in groupby(range(len(pairs)), lambda j: pairs[j] != ("", ""))]
    kept = {j for part in parts if not any(is_number(text) for j in part for text in pairs[j]) for j in part}
    texts = [(above, own) if j in kept else ("", "") for j, (above, own) in enumerate(pairs)]
    if len(kept) == len(pairs) or not looks_like_header([above or own for above, own in texts]):
        return over, under
    return [above for above, _ in texts], [own for _, own in texts]


def with_side(texts: Sequence[str], over: Sequence[str], whole: Sequence[str]) -> list[str]:
    """Put what was cleared from the upper row, ``over`` and not ``whole``, back beside joined texts."""
    return [text if above or not side else side for text, above, side in zip(texts, over, whole, strict=True)]


def join(over: Sequence[str], under: Sequence[str], mapping: Mapping[str, str]) -> list[str]:
    """Join the texts of two header rows, column by column.

    A column without a text of its own has its group's, where that stands right above it; one whose own text is
    understood and the joined text not keeps its own, unless the group names a point that its numbers are about.

    >>> join(["Part", "CG [mm]", "", "Identity"], ["", "X", "Y", "Mass"], {})
    ['Part', 'CG X [mm]', 'CG Y [mm]', 'Mass']
    """
    texts, group = [], ""
    for above, own in zip(map(str.strip, over), map(str.strip, under), strict=True):
        group = above or (group if own else "")
        both = joined_name(group, own)
        keeps = own and named_in([own], mapping) and not named_in([both], mapping) and not names_point(group)
        texts.append(own if keeps else both)
        # a text with nothing under it names one column, and no group
        group = group if own else ""
    return texts


def joined_name(group: str, own: str) -> str:
    """Write a group's name before a column's own, its unit last.

    >>> joined_name("CG (in)", "X"), joined_name("Mass", ""), joined_name("", "Mass")
    ('CG X (in)', 'Mass', 'Mass')
    """
    unit = _UNIT.fullmatch(group) if own else None
    return f"{unit['name']} {own} {unit['unit']}" if unit else f"{group} {own}".strip()


def wrapped_names(over: Sequence[str], under: Sequence[str], mapping: Mapping[str, str]) -> list[str]:
    """Join names that go on in the row below: ``Part`` over ``Number``, ``Mass`` over ``(kg)``; else nothing.

    Every text below stands under another, two at least; with one of them the two are a name of items.

    >>> wrapped_names(["Part", "Mass"], ["Number", "(kg)"], {}), wrapped_names(["Part", "Mass"], ["", "(kg)"], {})
    (['Part Number', 'Mass (kg)'], [])
    """
    pairs = [(above.strip(), own.strip()) for above, own in zip(over, under, strict=True)]
    filled = [(above, own) for above, own in pairs if own]
    if len(filled) < 2 or not all(above for above, _ in filled) or any(is_number(own) for _, own in filled):
        return []
    both = [joined_name(above, own) for above, own in pairs]
    known = named_in(both, mapping)
    items = [j for j, quantity in known.items() if quantity in TEXT_QUANTITIES and any(map(str.isalpha, pairs[j][1]))]
    return [text if j in known else pairs[j][0] for j, text in enumerate(both)] if items else []


def _may_be_groups(over: Sequence[str], under: Sequence[str]) -> bool:
    """Tell whether two rows hold texts only, and the upper one a group with several columns under it."""
    if any(map(is_number, (*over, *under))):
        return False
    beside = zip(over[1:], under[1:], under, strict=False)
    return any(not above.strip() and own.strip() and left.strip() for above, own, left in beside)


def _groups_variants(over: Sequence[str], under: Sequence[str]) -> bool:
    """Tell whether a group of quantities stands over several columns, one a variant: ``Quantity`` over ``A``, ``B``."""
    return any(
        read_heading(above).quantity == "qty" and own.strip() and not beside.strip() and next_own.strip()
        for above, beside, own, next_own in zip(over, over[1:], under, under[1:], strict=False)
    )


def _distinct(texts: Sequence[str], mapping: Mapping[str, str]) -> set[str]:
    return set(named_in(texts, mapping).values())


def said_joined(table: Table, joined: Joined) -> Finding:
    """Say which two rows are the header, with a name that was joined."""
    over = table.row(joined.groups)
    named = [(text, own.strip()) for text, own in zip(joined.texts, table.row(joined.row), strict=True)]
    named = [(text, own) for text, own in named if read_heading(text).quantity]
    shown = [text for text, own in named if own not in ("", text)] or [text for text, _ in named]
    place, below = table.place(joined.groups), table.place(joined.row)
    value = next(text.strip() for text in over if text.strip())
    message = f"the header is two rows, groups over columns: {', '.join(shown[:6])}"
    return found("MP241", message, place, value=value, count=len(shown), related=(below,))
