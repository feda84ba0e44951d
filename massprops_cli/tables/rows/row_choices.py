"""Which rows may not count by the words of a table: deleted, spare and optional parts, and alternatives."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence, Set as AbstractSet
from functools import cache
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Finding, count_with_noun, name_list, rule_finding
from massprops_cli.tables.cells.cell_words import read_truth_values
from massprops_cli.tables.cells.number_text import words
from massprops_cli.tables.cells.numbers import is_filled_text
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.headings import ignore_option
from massprops_cli.tables.options import TEXT_QUANTITIES, TableOptions
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS,
    ITEM_NAMES,
    quantity_indices,
    quantity_values,
    row_commands,
    row_label,
    rows_finding,
    rows_named_by_options,
)


class RowChoice(NamedTuple):
    """Rows that may not count: the rows that each way leaves out, apart from none, and the question."""

    ways: list[list[int]]
    question: Finding

    def excluded_finding(self, table: Table, rows: Sequence[int]) -> Finding:
        """Report the rows that are left out because a stated total is the sum of the others."""
        message = f"row may not count and is excluded, as in the stated total: {row_label(table, rows[0])}"
        more = f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else ""
        return rows_finding("MP250", message + more, table, rows, value=self.question.value)


class _StatusWords(NamedTuple):
    """Words for rows that may not count."""

    whole: frozenset[str]  # of a cell
    gone: frozenset[str]  # of a cell of a remark
    within: re.Pattern[str]  # a text
    bracketed: re.Pattern[str]  # in a name
    name: re.Pattern[str]
    remarks: frozenset[str]  # of headings whose cells are about anything
    reasons: frozenset[str]  # of headings whose cells are about changes
    options: frozenset[str]  # headings of cells that name the alternative to which a row belongs
    common: frozenset[str]  # cells of rows that belong to every alternative


@cache
def _status_words() -> _StatusWords:
    """Load the words for rows that may not count."""
    known = {kind: [text.casefold() for one in words("statuses")[kind] for text in one["texts"]] for kind in _KINDS}
    known["status"] += known["gone"]
    whole, within, choice = ("|".join(map(re.escape, known[kind])) for kind in _KINDS[:3])
    return _StatusWords(
        frozenset(known["status"]),
        frozenset(known["gone"]),
        re.compile(rf"(?<![^\W_])(?:{within})(?![^\W_])"),
        re.compile(rf"[(\[]\s*(?:{whole})\.?(?:\s+\w)?\s*[)\]]"),
        re.compile(rf"^\s*(?:~~.+~~|(?:{choice})\s+\S.*)\s*$", re.MULTILINE),
        frozenset(text.casefold() for text in words("remarks")["opening"][0]["texts"]),
        *(frozenset(known[kind]) for kind in _KINDS[4:]),
    )


_KINDS = ("status", "within", "choice", "gone", "reason", "options", "common")
_MARKS = frozenset(("x", "✓", "✔", "☑", "yes", "y", "true", "1", "ja", "oui", "sí", "sì", "sim"))
_MOST_STATUSES = 1_000  # different cells of a column of statuses
_MOST_STATUS_ROWS = 12
_MOST_REMARK_WORDS = 6  # in a longer one the words may be about something else
_MOST_ALTERNATIVES = 4  # a column of more names kinds of parts
# a heading that chooses rows, above yes and no
_INCLUSION = (
    r"(?i)inclu[ds]|\bin[ck]l|packed|fitted|installed|enabled|selected|carried|\bused?\b|\bactive\b|dabei|enthalten"
)


def find_row_choice(table: Table, columns: TableColumns, options: TableOptions, *, all_count: bool) -> RowChoice | None:
    """Find rows with a mass that may not count by a column or, if no total counts all, by their names and remarks."""
    if options.frozen or options.where or "mass" not in columns.by_quantity:
        return None
    ways = (_by_statuses(table, columns, options, all_count=all_count), _by_inclusion(table, columns, options))
    found = next((choice for one in ways for choice in one), None)
    return found or (None if all_count else _by_names(table, columns, options))


def _by_statuses(table: Table, columns: TableColumns, options: TableOptions, *, all_count: bool) -> Iterator[RowChoice]:
    """Yield the choices by a column of statuses, or of alternatives unless a total counts them all."""
    known, others = _status_words(), {*_columns_of_numbers(columns), *quantity_indices(columns, ITEM_NAMES)}
    for j, header in enumerate(columns.header):
        name = header.strip()
        if not name or j in others or name in options.ignore_columns:
            continue
        about = set(re.findall(r"\w+", name.casefold()))
        top = range(columns.first_row, table.n_rows)[: 2 * _MOST_STATUSES]
        wanted = known.gone if about & known.remarks else _MARKS if _plain(name) in known.whole else known.whole
        if about & known.reasons or len({table.text(i, j) for i in top}) > _MOST_STATUSES:
            continue
        texts = table.texts(j, columns.first_row)
        found = {text for text in set(texts) if _plain(text) in wanted}
        is_open = _plain(name) in known.options and not found and not all_count
        heavy = rows_with_mass(table, columns) if found or is_open else []
        found |= _alternatives([texts[k] for k in heavy], known.common) if is_open else set()
        rows = [k for k in heavy if texts[k] in found]
        if rows and (is_open or len(rows) < len(heavy)):
            left_out = [found - {text} for text in sorted(found)] if is_open else [found]
            ways = [[columns.first_row + k for k in rows if texts[k] in one] for one in left_out]
            filters = {text: f"--where {shlex.quote(f'{name} != {text.strip()}')}" for text in sorted(found)}
            wheres = [" ".join(where for text, where in filters.items() if text in one) for one in left_out]
            shown = name_list(sorted(text.strip() for text in found))
            yield RowChoice(ways, _column_question(table, columns, j, columns.first_row + rows[0], shown, wheres))


def _alternatives(texts: Sequence[str], common: AbstractSet[str]) -> set[str]:
    """Return the alternatives that cells name, next to rows that belong to all of them or with several rows each."""
    found = {text for text in texts if is_filled_text(text) and _plain(text) not in common}
    if any(_plain(text) == "default" for text in found):  # of a CAD program: the others are kinds of one part
        return set()
    return found if 1 < len(found) < min(len(texts), _MOST_ALTERNATIVES + 1) else set()


def _by_inclusion(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[RowChoice]:
    """Yield the choices by columns of yes and no, where a row with a mass has no."""
    read = {column.index for column in columns.by_quantity.values()}
    named = {j: text.strip() for j, text in enumerate(columns.header) if j not in read and re.search(_INCLUSION, text)}
    for j, name in named.items():
        texts = table.texts(j, columns.first_row)
        flags = read_truth_values(texts)
        filled = np.array([is_filled_text(text) for text in texts])
        left = filled & ~flags.values & (quantity_values(table, columns, "mass", 0.0) != 0)
        if name in options.ignore_columns or len(flags.bad) or not left.any() or not flags.values.any():
            continue
        rows = (np.flatnonzero(left) + columns.first_row).tolist()
        where = f"--where {shlex.quote(f'{name} = {texts[int(np.flatnonzero(flags.values)[0])].strip()}')}"
        no = f"{table.text(rows[0], j).strip()} next to {count_with_noun(len(rows), 'mass')}"
        yield RowChoice([rows], _column_question(table, columns, j, rows[0], no, [where]))


def _by_names(table: Table, columns: TableColumns, options: TableOptions) -> RowChoice | None:
    """Find rows that their names or remarks exclude, or of which one counts."""
    naming, numbers, first = quantity_indices(columns, ITEM_NAMES), _columns_of_numbers(columns), columns.first_row
    suspects: set[int] = set()
    for j in (j for j in range(len(columns.header)) if j not in numbers and table.n_rows <= FULL_SCAN_ROWS):
        texts = table.texts(j, first)
        if _has_status("\n".join(texts), is_name=j in naming, is_column=True):
            suspects |= {k for k, text in enumerate(texts) if _has_status(text, is_name=j in naming)}
    heavy = rows_with_mass(table, columns) if suspects else []
    counted = {one.row for one in rows_named_by_options(table, columns, options.count_rows)}
    listed = [first + k for k in heavy if k in suspects and first + k not in counted]
    if not listed or len(listed) > _MOST_STATUS_ROWS:
        return None
    labels = [row_label(table, row) for row in listed]
    # none counts, or one of two
    ways = [listed, *([row] for row in listed[::-1] if len(listed) == 2)]
    remedy, place = row_commands(table, first, listed, [*map(set, ways), set()]), table.place(listed[0])
    message = f"row may not count: {name_list(labels)}"
    question = rule_finding("MP257", message, place, value=labels[0], remedy=remedy, count=len(listed))
    return RowChoice(ways, question)


def _columns_of_numbers(columns: TableColumns) -> set[int]:
    """Return the columns of quantities that are numbers."""
    return {column.index for name, column in columns.by_quantity.items() if name not in TEXT_QUANTITIES}


def rows_with_mass(table: Table, columns: TableColumns) -> list[int]:
    """List the rows whose mass and quantity are above 0, counted from the first row of data."""
    masses, counts = quantity_values(table, columns, "mass", 0.0), quantity_values(table, columns, "qty", 1.0)
    return np.flatnonzero((masses > 0) & (counts > 0)).tolist()


def _plain(text: str) -> str:
    """Return a text in small letters, without points and marks around it."""
    return " ".join(text.casefold().replace(".", " ").strip("~*()[] ").split())


def _has_status(text: str, *, is_name: bool, is_column: bool = False) -> bool:
    """Return whether a name or a short remark, or one of a column, states that its row may not count."""
    known, folded = _status_words(), text.casefold()
    if not is_name:
        return (is_column or len(folded.split()) <= _MOST_REMARK_WORDS) and known.within.search(folded) is not None
    return any(one.search(folded) for one in (known.within, known.bracketed, known.name))


def _column_question(
    table: Table, columns: TableColumns, j: int, row: int, shown: str, wheres: Sequence[str]
) -> Finding:
    """Ask which rows count by a column: those of a filter, or all."""
    name = columns.header[j].strip()
    remedy = table.source.run_remedy(*wheres, f"{ignore_option(table, columns.header_row, j)} if all rows count")
    message = f"column may choose the rows that count: {name} ({shown})"
    return rule_finding("MP253", message, table.place(row, j, name), value=name, remedy=remedy)
