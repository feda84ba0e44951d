"""A sheet → the table in it: the only one, or that of ``--table``; cells around it are left out and reported."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import PrefetchTable, Table, TableView, file_table
from massprops_cli.findings.finding import Finding, Findings, TableError, UsageError, rule_finding
from massprops_cli.tables.cells.number_text import is_number, split_cell_text
from massprops_cli.tables.cells.units import read_unit
from massprops_cli.tables.columns.header import (
    MAX_TITLE_ROWS,
    columns_of_mass_units,
    columns_of_words,
    find_header_row,
    heads_masses,
    names_items_and_unit_of_mass,
)
from massprops_cli.tables.columns.headings import (
    has_reference_point,
    is_header_like,
    is_unit_of,
    read_heading,
    squeeze_text,
)
from massprops_cli.tables.columns.implied_columns import HeaderCells
from massprops_cli.tables.options import (
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    SIGMA_QUANTITIES,
    TEXT_QUANTITIES,
    TableOptions,
)


def named_quantities(texts: Sequence[str], mapping: Mapping[str, str]) -> dict[int, str]:
    """Find the quantity of each header text that names one, by column."""
    mapped = {squeeze_text(text): quantity for quantity, text in mapping.items()}
    named = {
        j: mapped.get(squeeze_text(text)) or read_heading(text).quantity for j, text in enumerate(texts) if text.strip()
    }
    return {j: quantity for j, quantity in named.items() if quantity}


_MASSES = ("mass", "line_mass")
_MAX_TITLES = 3  # how many rows of titles may be between a blank row and the header of a further table


class _TableBlock(NamedTuple):
    """A table on a sheet: its ``header`` row, its rows from ``first`` up to ``end``, and columns that are others'."""

    header: int
    first: int
    end: int
    other_columns: frozenset[int] = frozenset()


def _table_blocks(table: Table, row: int, mapping: Mapping[str, str]) -> list[_TableBlock]:
    """List the tables of a sheet, from the top and from the left; ``row`` is the header of the first."""
    # a large plain text is one table: further tables occur in sheets, and in texts made from sheets
    if isinstance(file_table(table), PrefetchTable):
        return [_TableBlock(row, 0, table.n_rows)]
    headers = [(0, row), *_further_headers(table, row, named_quantities(table.row(row), mapping))]
    ends = [*(first for first, _ in headers[1:]), table.n_rows]
    blocks = [
        block
        for (first, header), end in zip(headers, ends, strict=True)
        if header >= 0
        for block in _split_side_by_side(table, _TableBlock(header, first, end), mapping)
    ]
    filled = [one for one in blocks if not all(_is_blank_row(table, i) for i in range(one.header + 1, one.end))]
    return filled or blocks  # a header that is repeated below its titles has no rows


def _further_headers(table: Table, row: int, named: Mapping[int, str]) -> list[tuple[int, int]]:
    """Find further headers: (first row of their titles, row), each soon after a blank row; row -1: of no masses."""
    numbers = [j for j, name in named.items() if name in NUMBER_QUANTITIES or name in SIGMA_QUANTITIES]
    key = min(named, key=lambda j: (j in numbers, j), default=0)
    blank = [i for i, text in enumerate(table.texts(key, row + 1), row + 1) if not text.strip()]
    begins = [i + 1 for i in blank if _is_blank_row(table, i)]
    lines = getattr(table, "lines", None)  # of a text, without its blank lines
    is_sheet = table.source.format != "md"  # in which each table has a header
    begins += (np.flatnonzero(np.diff(lines) > 1) + 1).tolist() if is_sheet and lines is not None else []
    begins += _same_items_again(table, row, key)
    of_masses = [j for j, name in named.items() if name in _MASSES]
    of_masses = of_masses or columns_of_mass_units(table.row(row))
    masses = {table.text(row, j).strip().casefold() for j in of_masses}
    begins = sorted(i for i in begins if row < i < table.n_rows and not _is_blank_row(table, i))
    found: dict[int, int] = {}
    for first in begins:
        # groups between blank rows go on below the same header, without an item that is above it too
        is_grouped = any(row < i < first and table.row(i) != table.row(row) for i in begins)
        is_again = table.row(first) == table.row(row)
        above = next(i for i in range(first - 1, row - 1, -1) if not _is_blank_row(table, i))
        if is_again and above > row and table.row(above) == table.row(min(first + 1, table.n_rows - 1)):
            continue  # a page begins with the sum that is carried forward
        if is_again and is_grouped and is_sheet:
            names = [text.strip() for text in table.texts(key, row)]
            if {*names[: first - row]} & {*names[first - row + 1 :]} <= {"", names[0]}:
                continue
        if heads_masses(table, first):
            found.setdefault(first, first)
            continue
        if is_sheet and _is_header_of_others(table, first, of_masses):
            found[-1 - first] = first
            continue
        for i in range(first, min(first + _MAX_TITLES, table.n_rows)):
            texts = table.row(i)
            is_header = is_header_like(texts) or not masses.isdisjoint(text.strip().casefold() for text in texts)
            if is_header and not any(is_number(text.strip()) for text in texts):
                found.setdefault(i, first)
                break
            if sum(bool(text.strip()) for text in texts) > 1:  # no row of titles
                if not is_sheet and lines is not None and [*np.diff(lines[first : first + 2])] == [2]:  # with a rule
                    found[first if _has_column_of_masses(table, first) else -1 - first] = first
                break
    return [(first, max(header, -1)) for header, first in found.items()]


def _same_items_again(table: Table, row: int, key: int) -> list[int]:
    """Find where the header is repeated above rows that name most of the items above it again: another table."""
    names = [text.strip() for text in table.texts(key, row)]
    again = [k for k, name in enumerate(names) if name == names[0] and table.row(row + k) == table.row(row)]
    blocks = [{*names[k + 1 : end]} - {""} for k, end in pairwise([*again, len(names)])]
    pairs = zip(again[1:], pairwise(blocks), strict=True)
    return [row + k for k, (one, other) in pairs if 2 * len(one & other) > min(len(one), len(other)) > 1]


def _has_column_of_masses(table: Table, row: int) -> bool:
    """Return whether all cells of a column are numbers with a unit of mass, two at least, down to a blank row."""
    rows = takewhile(lambda texts: any(map(str.strip, texts)), map(table.row, range(row + 1, table.n_rows)))
    columns = ([split_cell_text(text) for text in column if text.strip()] for column in zip(*rows, strict=True))
    of_masses = (cells for cells in columns if all(is_unit_of(one.unit, "mass") for one in cells))
    return any(len(cells) > 1 and not any(one.number[:1] in {*"+-−"} for one in cells) for cells in of_masses)


def _is_header_of_others(table: Table, row: int, masses: Sequence[int]) -> bool:
    """Return whether a row of words only, one of them in a column of ``masses``, names numbers in the row below it."""
    texts, below = table.row(row), table.row(min(row + 1, table.n_rows - 1))
    filled = [j for j, text in enumerate(texts) if text.strip()]
    is_words = len(filled) > 2 and not any(is_number(texts[j].strip()) for j in filled)
    has_word = any(j in filled for j in masses) and not is_header_like(texts)
    return is_words and has_word and sum(is_number(below[j].strip()) for j in filled) > 1


def _is_blank_row(table: Table, row: int) -> bool:
    """Return whether all cells of a row are blank."""
    return not any(text.strip() for text in table.row(row))


def _split_side_by_side(table: Table, block: _TableBlock, mapping: Mapping[str, str]) -> list[_TableBlock]:
    """Split a block at its blank columns, where a complete table remains."""
    texts = table.row(block.header)
    runs = _column_runs(table, block, texts)
    whole = [run for run in runs if is_header_like([texts[j] for j in run])]
    whole = [run for run in runs if run in whole or (whole and heads_masses(table, block.header, run))]
    whole = whole or [run for run in runs if names_items_and_unit_of_mass([texts[j] for j in run])]
    if len(runs) < 2 or not whole:
        return [block]
    if len(whole) > 1:
        everywhere = frozenset(j for run in runs for j in run)
        return [block._replace(other_columns=everywhere - set(run)) for run in whole]
    named, words = named_quantities(texts, mapping), set(columns_of_words(texts))
    own = {named.get(j) for j in whole[0]}
    own_masses = own | ({*_MASSES} if own & {*_MASSES} else set())
    other_columns: set[int] = set()
    for run in runs:
        named_by_run = {named[j] for j in run if j in named}
        # one column alone is not a table; no row of a header contains numbers
        is_table = bool(named_by_run) and len(run) > 1
        is_other = is_table and named_by_run <= own
        if not is_other and (not is_table or named_by_run <= own_masses):
            is_other = words.isdisjoint(run) or _has_cells_beyond(table, block, whole[0], run)
        if run is not whole[0] and is_other:
            other_columns |= set(run)
    return [block._replace(other_columns=frozenset(other_columns))]


def _column_runs(table: Table, block: _TableBlock, texts: Sequence[str]) -> list[list[int]]:
    """Return the columns between blank ones; ``texts`` are the header's."""
    runs: list[list[int]] = [[]]
    for j, text in enumerate(texts):
        if text.strip() or any(map(str.strip, table.texts(j, block.header + 1)[: block.end - block.header - 1])):
            runs[-1].append(j)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _has_cells_beyond(table: Table, block: _TableBlock, own: Sequence[int], run: Sequence[int]) -> bool:
    """Return whether a run of columns has cells in rows where the own columns have none, apart from remarks."""
    # remarks are one sentence, and below most rows of the table what follows a blank row
    rows = [table.row(i) for i in range(block.header + 1, block.end)]
    has_own, has_run = ([any(texts[j].strip() for j in columns) for texts in rows] for columns in (own, run))
    n_both = sum(one and other for one, other in zip(has_own, has_run, strict=True))
    if 2 * n_both > sum(has_own):
        last = max(i for i, filled in enumerate(has_own) if filled)
        rows = rows[: next((i for i in range(last, len(rows)) if not has_own[i] and not has_run[i]), len(rows))]
    beyond = ([texts[j].strip() for j in run] for texts in rows if not any(texts[j].strip() for j in own))
    return any(any(texts) and not (len(run) == 1 and texts[0].count(" ") > 1) for texts in beyond)


_NAME_AND_UNIT = re.compile(r"(?P<name>.*\S)\s*(?P<unit>\[[^\[\]]*\]|\([^()]*\))")  # CG [mm]


def _find_two_row_header(table: Table, row: int, mapping: Mapping[str, str]) -> tuple[int, Sequence[str]] | None:
    """Join the header at ``row`` with the row below or above it: the upper row, and the texts; None if one suffices."""
    # Where ``row`` is not a header, titles may be above two rows that form one only together. A group applies to
    # its own column and those to the right of it until the next one, or as far as its merged cells reach in a workbook.
    pairs = [row, row - 1]
    if not is_header_like(table.row(row)):
        pairs += range(row + 1, row + MAX_TITLE_ROWS)
    for groups in (one for one in pairs if 0 <= one < table.n_rows - 1):
        over, under = _clear_side_cells(table.row(groups), table.row(groups + 1))
        if groups == row and (wrapped := _wrapped_column_names(over, under, mapping)):
            return groups, _restore_side_cells(wrapped, over, table.row(groups))
        if not _is_group_row(over, under):
            continue
        texts = _join_header_texts(over, under, mapping, _merged_column_ends(table, groups))
        joined, *alone = (set(named_quantities(one, mapping).values()) for one in (texts, over, under))
        more = len(joined) > max(map(len, alone)) or any(
            read_heading(above).quantity == "qty" and own.strip() and not other_columns.strip() and next_own.strip()
            for above, other_columns, own, next_own in zip(over, over[1:], under, under[1:], strict=False)
        )
        more = more or (groups == row and _is_row_of_column_names(table, groups, over, under))
        if more and (groups <= row or is_header_like(texts)):
            return groups, _restore_side_cells(texts, over, table.row(groups))
    return None


def _clear_side_cells(over: Sequence[str], under: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Clear the cells next to the table in two rows of a header: parts after a blank column that contain a number."""
    # the rest must be a header; if it is not, both rows are returned unchanged
    kept = set(columns_of_words(over, under))
    pairs = enumerate(zip(over, under, strict=True))
    texts = [(above.strip(), own.strip()) if j in kept else ("", "") for j, (above, own) in pairs]
    if len(kept) == len(over) or not is_header_like([above or own for above, own in texts]):
        return over, under
    return [above for above, _ in texts], [own for _, own in texts]


def _restore_side_cells(texts: Sequence[str], over: Sequence[str], whole: Sequence[str]) -> list[str]:
    """Restore cleared cells of the upper row, ``over`` and not ``whole``, next to joined texts."""
    return [text if above or not side else side for text, above, side in zip(texts, over, whole, strict=True)]


def _merged_column_ends(table: Table, row: int) -> dict[int, int] | None:
    """Find the last column of each text of a row in a worksheet that merges cells of the row; None elsewhere."""
    info = table.sheet_info
    ranges = () if info is None else info.merges
    ends = {left: right for top, left, _, right in ranges if top == row and right > left}
    return {j: ends.get(j, j) for j, text in enumerate(table.row(row)) if text.strip()} if ends else None


def _join_header_texts(
    over: Sequence[str], under: Sequence[str], mapping: Mapping[str, str], ends: Mapping[int, int] | None = None
) -> list[str]:
    """Join the texts of two header rows, column by column."""
    # A column without a text of its own has its group's, if that is directly above it; one whose own text is
    # understood and the joined text not keeps its own, unless the group names a point that its numbers are about.
    # ``ends`` gives the last column of each group; without it a group ends before the first column that makes no name
    # with it, once one has.
    texts: list[str] = []
    group, last, made = "", 0, False
    for j, (above, own) in enumerate(zip(map(str.strip, over), map(str.strip, under), strict=True)):
        if above:
            group, last, made = above, len(over) if ends is None else ends.get(j, j), False
        elif j > last or not own:
            group = ""
        both = _grouped_column_name(group, own)
        alone = named_quantities([own], mapping)
        is_other = bool(alone) and not set(alone.values()) & set(INERTIA_COLUMNS)
        joins = bool(named_quantities([both], mapping)) or (has_reference_point(group) and not is_other)
        if made and not joins and ends is None:
            group, both = "", own
        keeps = own and alone and not joins
        texts.append(own if keeps else both)
        made = made or (joins and bool(group and own))
        # a text with nothing under it names one column, and no group
        group = group if own else ""
    return texts


def _grouped_column_name(group: str, own: str) -> str:
    """Write a group's name before a column's own, its unit last."""
    unit = _NAME_AND_UNIT.fullmatch(group) if own else None
    return f"{unit['name']} {own} {unit['unit']}" if unit else f"{group} {own}".strip()


def _wrapped_column_names(over: Sequence[str], under: Sequence[str], mapping: Mapping[str, str]) -> list[str]:
    """Join names that go on in the row below: ``Part`` over ``Number``, ``Mass`` over ``(kg)``; else nothing."""
    # every text below is under another, two at least; with one of them the two are a name of items
    pairs = [(above.strip(), own.strip()) for above, own in zip(over, under, strict=True)]
    filled = [(above, own) for above, own in pairs if own]
    if len(filled) < 2 or not all(above for above, _ in filled) or any(is_number(own) for _, own in filled):
        return []
    both = [_grouped_column_name(above, own) for above, own in pairs]
    known = named_quantities(both, mapping)
    items = [j for j, quantity in known.items() if quantity in TEXT_QUANTITIES and any(map(str.isalpha, pairs[j][1]))]
    names = [
        j for j, (above, own) in enumerate(pairs) if own and read_heading(above).quantity in ("id", "part", "name")
    ]
    is_header = items and all(j in known for j in names)  # id over SAT is the first row
    return [text if j in known else pairs[j][0] for j, text in enumerate(both)] if is_header else []


def _is_group_row(over: Sequence[str], under: Sequence[str]) -> bool:
    """Return whether two rows contain texts only, and the upper one a group with several columns under it."""
    if any(map(is_number, (*over, *under))):
        return False
    other_columns = zip(over[1:], under[1:], under, strict=False)
    return any(not above.strip() and own.strip() and left.strip() for above, own, left in other_columns)


def _is_row_of_column_names(table: Table, row: int, over: Sequence[str], under: Sequence[str]) -> bool:
    """Return whether the row below a header names columns of its groups, two at least, that hold numbers."""
    # each of its texts is alone under a group, or a unit; the columns of the names of items are blank in it
    cells = HeaderCells(table, row + 1)
    bare = [text.strip().strip("[](){}").strip() for text in under]  # units in brackets or not, and marks of none
    own = [j for j, text in enumerate(bare) if text not in ("", "-", "–", "%", "1") and read_unit(text) is None]
    tops = {j: [text for text in cells.top(j) if text] for j in own}
    is_whole = all(top and 2 * sum(map(is_number, top)) > len(top) for top in tops.values())
    in_group = [j for j in own if not over[j].strip() or not (over[j + 1 : j + 2] or [""])[0].strip()]
    return is_whole and len(in_group) >= 2 and len({under[j].strip() for j in in_group}) >= 2


def _two_row_header_finding(table: Table, groups: int, texts: Sequence[str]) -> Finding:
    """Report the two rows of the header, with a name that was joined."""
    named = [(text, own.strip()) for text, own in zip(texts, table.row(groups + 1), strict=True)]
    named = [(text, own) for text, own in named if read_heading(text).quantity] or named
    shown = [text for text, own in named if own not in ("", text)] or [text for text, _ in named]
    place, below = table.place(groups), table.place(groups + 1)
    message = f"two header rows (groups above columns) are combined: {', '.join(shown[:6])}"
    return rule_finding("MP241", message, place, value=shown[0], count=len(shown), related=(below,))


_MAX_SHOWN_NAMES = 6  # how many names of a header are shown


def _choose_table_block(table: Table, blocks: list[_TableBlock], number: int) -> _TableBlock:
    """Choose the table of this number, from 1; 0 is the only one."""
    if not isinstance(number, int) or not 0 <= number <= len(blocks):
        tables = "1 table" if len(blocks) == 1 else f"{len(blocks)} tables"
        raise UsageError(f"--table {number}: {table.source.name} has {tables}")
    if number:
        return blocks[number - 1]
    if len(blocks) > 1:
        raise TableError([_several_tables_finding(table, blocks)])
    return blocks[0]


def _extract_table_block(table: Table, block: _TableBlock, findings: Findings) -> Table:
    """Return one table of a sheet, and report the cells around it."""
    rows = [*range(block.first), *range(block.end, table.n_rows)]
    if filled := [i for i in rows if not _is_blank_row(table, i)]:
        message = "rows of another table on the sheet are not read"
        findings.report("MP243", message, table.place(filled[0]), count=len(filled))
    names = {j: table.text(block.header, j).strip() for j in sorted(block.other_columns)}
    if others := {j: name for j, name in names.items() if name} or names:
        shown = ", ".join([name or f"column {j + 1}" for j, name in others.items()][:_MAX_SHOWN_NAMES])
        first = next(iter(others))
        place = table.place(block.header, first, others[first])
        findings.report("MP243", f"columns next to the table are not read: {shown}", place, count=len(others))
    return TableView(table, rows, block.other_columns) if filled or others else table


def _several_tables_finding(table: Table, blocks: list[_TableBlock]) -> Finding:
    """List the tables of a sheet, each with the option that takes it."""
    places = [table.place(block.header) for block in blocks]
    listed = [
        f"--table {k} for {_block_headers(table, block)} in row {place.line or place.row}"
        for k, (block, place) in enumerate(zip(blocks, places, strict=True), 1)
    ]
    message = f"sheet contains {len(blocks)} tables"
    remedy = "pass " + ", or ".join(listed) + "; --combine branch reads all as one tree"
    if len({tuple(map(str.strip, table.row(block.header))) for block in blocks}) == 1 and not blocks[0].other_columns:
        remedy += "; if they are pages of one table, delete the second header"
    return rule_finding("MP242", message, places[0], remedy=remedy, count=len(blocks), related=tuple(places[1:]))


def _block_headers(table: Table, block: _TableBlock) -> str:
    """List the first headers of a table on a sheet."""
    texts = enumerate(map(str.strip, table.row(block.header)))
    names = [text for j, text in texts if text and j not in block.other_columns]
    return ", ".join(names[:_MAX_SHOWN_NAMES]) + ("" if len(names) <= _MAX_SHOWN_NAMES else " …")


def find_table(table: Table, options: TableOptions, findings: Findings) -> Table:
    """Find the table in a sheet, and leave out the cells around it."""
    row = find_header_row(table, options.map)
    block = _choose_table_block(table, _table_blocks(table, row, options.map), options.table)
    if (inside := _extract_table_block(table, block, findings)) is not table:
        table, row = inside, block.header
    if (joined := _find_two_row_header(table, row, options.map)) is not None:
        row, texts = joined
        findings.append(_two_row_header_finding(table, row, texts))
        cells = {(row + 1, j): text for j, text in enumerate(texts) if text != table.text(row + 1, j)}
        table = TableView(table, [row], cells=cells)
    below = [text.strip() for text in table.row(min(row + 1, table.n_rows - 1))]
    if not table.text(row, 0).strip() and below[0] and not any(below[1:]) and is_header_like([below[0], "mass"]):
        return TableView(table, [row + 1], cells={(row, 0): below[0]})  # the name of an index, as pandas writes it
    return table
