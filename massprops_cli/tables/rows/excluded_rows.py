"""Which rows are not parts: repeated headers, totals, margins, limits; and which rows of parts may not count."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import CodedTexts, Table, TableView
from massprops_cli.findings.finding import Finding, Findings, Severity, name_list, rule_finding
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_kind, read_truth_values
from massprops_cli.tables.cells.number_text import is_measure, is_number, word_set, words
from massprops_cli.tables.cells.numbers import is_filled_text
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.headings import ignore_option, read_heading, squeeze_text
from massprops_cli.tables.options import COMPUTED_COLUMNS, NUMBER_QUANTITIES, TEXT_QUANTITIES, TableOptions
from massprops_cli.tables.rows.total_rows import (
    FULL_SCAN_ROWS,
    ITEM_NAMES,
    TotalRow,
    and_more,
    assembly_total_rows,
    find_total_rows,
    is_stated_total,
    numbering_columns,
    quantity_indices,
    quantity_values,
    read_total_masses,
    row_commands,
    row_label,
    row_masses,
    row_products,
    rows_finding,
    rows_named_by_options,
    total_row_candidates,
    unmatched_row_findings,
    with_masses_of_labels,
)


def _exclude_repeated_headers(table: Table, columns: TableColumns, findings: Findings) -> Table:
    """Leave out repeated headers with their row of units, and report them; the table itself without any."""
    # a header that changes the quantity or unit of a column is an error: the rows below it have another meaning
    if not (rows := list(_repeated_header_rows(table, columns))):
        return table
    of_units = table.row(columns.header_row + 1) if columns.first_row == columns.header_row + 2 else None
    units = [row + 1 for row in rows if row + 1 < table.n_rows and table.row(row + 1) == of_units]
    without = TableView(table, sorted([*rows, *units]))
    changed = ((row, j) for row in rows for j in _changed_columns(table.row(row), columns))
    if (first := next(changed, None)) is not None:  # faults of its own cells are not reported in addition
        row, j = first
        text, of_table = table.text(row, j).strip(), columns.header[j].strip() or "nothing"
        message = f"second header inside the table differs from the first: {text} (first header: {of_table})"
        findings.report("MP256", message, table.place(row, j, of_table), value=text)
    else:
        findings.append(rows_finding("MP255", "repeated header is excluded", table, rows))
    return without


def _repeated_header_rows(table: Table, columns: TableColumns) -> Iterator[int]:
    """Yield the rows of repeated headers: one is under a number column, and another next to it."""
    # in a long table only the exact text of the first header is searched for, in a column that is read as text anyway
    first = columns.first_row
    long = table.n_rows - first > FULL_SCAN_ROWS
    quantities = ITEM_NAMES if long else ("mass", "qty", *NUMBER_QUANTITIES)
    if (column := next(iter(columns.having(quantities)), None)) is None:
        return
    texts = table.texts(column.index, first)
    wanted = {table.text(columns.header_row, column.index)}
    if not long:
        wanted |= {text for text in set(texts) if any(map(str.isalpha, text)) and read_heading(text).quantity}
    for row, text in enumerate(texts, first) if any(text in texts for text in wanted) else ():
        pairs = zip(table.row(row), columns.header, strict=False) if text in wanted else ()
        if sum(bool(cell.strip()) and (cell == own or bool(read_heading(cell).quantity)) for cell, own in pairs) >= 2:
            yield row


def _changed_columns(texts: Sequence[str], columns: TableColumns) -> Iterator[int]:
    """Yield the columns that a second header names otherwise than the first, or in another unit."""
    for j, (text, first) in enumerate(zip(texts, columns.header, strict=False)):
        if text.strip() and squeeze_text(text) != squeeze_text(first):
            one, other = read_heading(text), read_heading(first)
            if (one.quantity, one.unit) != (other.quantity, other.unit):
                yield j


def _has_tree_positions(table: Table, columns: TableColumns) -> bool:
    """Return whether rows have positions in a tree; names in a column ``Item``, and 1, 2, 3, give none."""
    named = columns.by_quantity
    if any(name in named for name in ("parent", "child", "level")):
        return True
    places = {quantity: column.index for quantity, column in named.items()}
    if "item" not in named or named["item"].index not in numbering_columns(table, columns.first_row, places):
        return False
    return any("." in text.strip().rstrip(".") for text in table.texts(named["item"].index, columns.first_row))


_REDUCED_SEVERITIES = {"MP108": Severity.NOTE, "MP116": Severity.NOTE, "MP117": Severity.WARNING}
"""What is wrong with a row's cells, and how bad it is where nothing is read from them."""


def exclude_non_item_rows(
    table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> tuple[Table, list[TotalRow]]:
    """Leave out and report the rows that are not parts; in ``--layout flat`` no row is a total by its number alone."""
    table = _exclude_repeated_headers(table, columns, findings)
    table = table if _has_tree_positions(table, columns) else _without_results(table, columns, options)
    if zeros := _rows_of_zeros(table, columns):
        table = TableView(table, zeros)
    rows = _labelled_rows(table, columns, options, findings)
    rows = rows or assembly_total_rows(table, columns)
    rows += _nameless_sum(table, columns, rows) if options.layout != "flat" else []
    table = with_masses_of_labels(table, columns, rows)
    rows = read_total_masses(table, columns, rows)
    if rows:
        findings.append(_excluded_rows_finding(table, rows))
        table = TableView(table, [total.row for total in rows])
    for digits in (0.0, 1.0):  # to the number, else to the last digit of the total
        is_stated = _gives_total(table, columns, (), rows, digits=digits)
        ends = [one.row + 1 for one in rows if one.kind in ("total", "subtotal")] if is_stated else []
        choice = _find_choice(table, columns, options, all_count=is_stated, end=max(ends, default=0))
        ways = [] if choice is None else choice.ways
        deciding = [left for left in ways if _gives_total(table, columns, left, rows, digits=digits)]
        if is_stated or deciding or not rows:
            break
    if choice is not None and len(deciding) == 1:
        findings.append(choice.excluded_finding(table, deciding[0]))
        table = TableView(table, deciding[0])
    elif choice is not None:
        findings.append(choice.question)
    elif not (is_stated or options.frozen or options.where):
        findings += _marked_row_questions(table, columns, options, rows)
    findings += [] if is_stated else _other_unit_questions(table, columns, options)
    return table, rows


def _gives_total(
    table: Table, columns: TableColumns, left: Sequence[int], totals: Sequence[TotalRow], *, digits: float
) -> bool:
    """Return whether a stated total is the sum of the rows without some."""
    counts = np.ones(table.n_rows - columns.first_row)
    counts[np.array(left, int) - columns.first_row] = 0.0
    sums = (each * counts for each in row_masses(table, columns))
    return bool(totals) and any(is_stated_total(totals, one, columns.first_row, digits=digits) for one in sums)


def _marked_row_questions(
    table: Table, columns: TableColumns, options: TableOptions, totals: Sequence[TotalRow]
) -> Iterator[Finding]:
    """Ask about rows that are hidden or struck out, where a stated total is the sum of the others."""
    info, first = table.sheet_info, columns.first_row
    counted = {one.row for one in rows_named_by_options(table, columns, options.count_rows)}
    heavy = [] if info is None or not totals else [first + k for k in _rows_with_mass(table, columns)]
    for word, marked in () if info is None else (("hidden", info.hidden), ("struck out", info.struck)):
        left = [row for row in heavy if marked is not None and row in marked and row not in counted]
        if left and _gives_total(table, columns, left, totals, digits=1.0):
            yield _rows_question(table, first, left, [left], f" ({word}, and not in the stated total)")


def _without_results(table: Table, columns: TableColumns, options: TableOptions) -> Table:
    """Blank what a roll-up filled in a list: cells with its mark; in a file with its name, sums of the rows below."""
    if (info := table.sheet_info) is not None:
        cells = [*info.computed]
    elif PurePath(table.source.name).stem.endswith(".rollup") and options.layout != "flat":
        from massprops_cli.tables.rows.row_roles import title_rows

        counted = {named.row for named in rows_named_by_options(table, columns, options.count_rows)}
        filled = [column.index for name, column in columns.by_quantity.items() if name in COMPUTED_COLUMNS]
        cells = [(row, j) for row in title_rows(table, columns, options, counted, least=-np.inf) for j in filled]
    else:
        return table
    return TableView(table, cells=dict.fromkeys(cells, "")) if cells else table


def _labelled_rows(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> list[TotalRow]:
    """List the rows that are totals, margins and limits by their labels and numbers, or by ``--skip-row``."""
    skipped = rows_named_by_options(table, columns, options.skip_rows)
    findings += unmatched_row_findings(table, columns, options)
    counted = {row.row for row in rows_named_by_options(table, columns, options.count_rows)}
    decided = counted | {row.row for row in skipped}
    decided |= row_products(table, columns)
    among = [row for row in total_row_candidates(table, columns) if row not in decided]
    certain = find_total_rows(table, columns, label_kind, among)
    known = {row.row for row in certain}
    possible = find_total_rows(table, columns, doubtful_label_kind, [row for row in among if row not in known])
    rows = [*certain, *possible, *skipped]
    if not _has_tree_positions(table, columns):
        from massprops_cli.tables.rows.row_roles import find_row_roles

        skipped_rows = {row.row for row in skipped}
        rows, found = find_row_roles(table, columns, options, certain, possible, counted, skipped_rows)
        rows += skipped
        findings += found
    return sorted(rows, key=lambda total: total.row)


def _nameless_rows(table: Table, columns: TableColumns, among: Sequence[int]) -> Iterator[int]:
    """Yield the rows without words and without a place in the tree or a quantity."""
    placing = quantity_indices(columns, (*ITEM_NAMES, "parent", "level", "qty"))
    for row in among:
        texts = table.row(row)
        if not any(texts[j].strip() for j in placing) and not any(t.strip() and not is_measure(t) for t in texts):
            yield row


def _rows_of_zeros(table: Table, columns: TableColumns) -> list[int]:
    """Find the rows that hold formulas of a form that was not filled in: no word, and zeros alone."""
    first, named = columns.first_row, columns.by_quantity
    column = named.get("line_mass") or named.get("mass")
    if column is None or not any(name in named for name in ITEM_NAMES) or table.n_rows - first > FULL_SCAN_ROWS:
        return []
    texts = table.texts(column.index, first)
    zeros = [row for row, text in enumerate(texts, first) if "0" in text and not text.strip(_ZEROS)]
    return [row for row in _nameless_rows(table, columns, zeros) if not "".join(table.row(row)).strip(_ZEROS)]


_ZEROS = "0., -"  # what a cell of zeros is written with


def _nameless_sum(table: Table, columns: TableColumns, known: Sequence[TotalRow]) -> list[TotalRow]:
    """Find the sum without a name in the last row of a tree or a long list, whose rows are not read in several ways."""
    first, named = columns.first_row, columns.by_quantity
    filled = (row for row in range(table.n_rows - 1, first, -1) if any(map(str.strip, table.row(row))))
    last = next(filled, first)
    is_short_list = table.n_rows - first <= FULL_SCAN_ROWS and not _has_tree_positions(table, columns)
    if "mass" not in named or is_short_list or last in {total.row for total in known}:
        return []
    if not list(_nameless_rows(table, columns, [last])):
        return []
    (total,) = read_total_masses(table, columns, [TotalRow(last, "total", "the last row", None)])
    for masses in (*row_masses(table, columns), quantity_values(table, columns, "line_mass", 0.0)):
        masses[[one.row - first for one in known]] = 0.0
        if np.count_nonzero(masses[: last - first]) > 1 and is_stated_total([total], masses, first):
            return [total]
    return []


def downgrade_excluded_row_findings(findings: Sequence[Finding], table: Table) -> list[Finding]:
    """Lower the severity of findings in rows that were left out: nothing is read from their cells."""
    if not isinstance(table, TableView) or not any(finding.rule in _REDUCED_SEVERITIES for finding in findings):
        return list(findings)
    out = {(place.row, place.line) for i in np.flatnonzero(table.left_out).tolist() for place in [table.place(i)]}
    lowered = []
    for finding in findings:
        places = finding.place, *finding.related
        is_within = len(places) == finding.count and all((place.row, place.line) in out for place in places)
        severity = _REDUCED_SEVERITIES.get(finding.rule, finding.severity) if is_within else finding.severity
        lowered.append(replace(finding, severity=severity))
    return lowered


def _excluded_rows_finding(table: Table, rows: list[TotalRow]) -> Finding:
    """Report the rows that were left out as totals, margins and limits."""
    kinds, first = list(dict.fromkeys(total.noun for total in rows)), rows[0]
    others = and_more(rows)
    message = f"{first.noun} is excluded: {first.label}{others}"
    if len(kinds) > 1:
        message = f"{len(rows):,} rows are excluded ({', '.join(kinds)}): {first.label}{others}"
    return rows_finding("MP250", message, table, [total.row for total in rows], value=first.label)


class _RowChoice(NamedTuple):
    """Rows that may not count: the rows that each way leaves out, apart from none, and the question."""

    ways: list[list[int]]
    question: Finding

    def excluded_finding(self, table: Table, rows: Sequence[int]) -> Finding:
        """Report the rows that are left out because a stated total is the sum of the others."""
        message = f"row may not count and is excluded, as in the stated total: {row_label(table, rows[0])}"
        return rows_finding("MP250", message + and_more(rows), table, rows, value=self.question.value)


_OF_STATUS = partial(word_set, "statuses")  # the words of a kind for rows that may not count
_WITHIN = r"(?<![^\W_])(?:{within})(?![^\W_])"
_BRACKETED = r"[(\[]\s*(?:{status}|{gone})\.?(?:\s+\w)?\s*[)\]]"  # Cell (spare)
_CHOSEN = r"^\s*(?:~~[^~\n]+~~\s*(?:$|[-–—(])|(?:{choice})\s+\S)"  # ~~Cell~~, either
_INSIDE = r"[(\[]\s*(?:{inside})\s+([^()\[\]]+?)\s*[)\]]"  # Output side (in body)


@cache
def _status_pattern(form: str) -> re.Pattern[str]:
    """Compile a pattern in which the name of a kind of statuses means its words, longer ones first."""
    kinds = {kind: sorted(_OF_STATUS(kind), key=len, reverse=True) for kind in words("statuses")}
    return re.compile(form.format_map({k: "|".join(map(re.escape, v)) for k, v in kinds.items()}), re.MULTILINE)


_MARKS = frozenset(("x", "✓", "✔", "☑", "yes", "y", "true", "1", "ja", "oui", "sí", "sì", "sim"))
_BASES = frozenset(("base", "basic", "basis"))
_MOST_STATUSES = 1_000  # different cells of a column of statuses
_MOST_REMARK_WORDS = 6  # in a longer one the words may be about something else
_MOST_ALTERNATIVES = 4  # a column of more names kinds of parts
# a heading that chooses rows, above yes and no
_INCLUSION = (
    r"(?i)inclu[ds]|\bin[ck]l|packed|fitted|installed|enabled|selected|carried|\bused?\b|\bactive\b|dabei|enthalten"
)


def _find_choice(
    table: Table, columns: TableColumns, options: TableOptions, *, all_count: bool, end: int
) -> _RowChoice | None:
    """Find rows with a mass that may not count by a column or, below the last total, by their names and remarks."""
    if options.frozen or options.where or "mass" not in columns.by_quantity:
        return None
    by_marks = () if all_count else _by_marks(table, columns, options)
    found = next(chain(_by_status(table, columns, options, all_count=all_count), by_marks), None)
    return found or _by_names(table, columns, options, end)


def _by_status(table: Table, columns: TableColumns, options: TableOptions, *, all_count: bool) -> Iterator[_RowChoice]:
    """Yield the choices by a column of statuses, or of alternatives unless a total counts them all."""
    others = {*_columns_of_numbers(columns), *quantity_indices(columns, ITEM_NAMES)}
    whole = _OF_STATUS("status") | _OF_STATUS("gone")
    choosing = {word for kind in ("several", "models", "options") for text in _OF_STATUS(kind) for word in text.split()}
    for j, header in enumerate(columns.header):
        name = header.strip()
        if not name or j in others or name in options.ignore_columns:
            continue
        about = set(re.findall(r"\w+", name.casefold()))
        some = range(columns.first_row, table.n_rows)[:: 1 + (table.n_rows - columns.first_row) // (2 * _MOST_STATUSES)]
        is_remark = bool(about & word_set("remarks", "opening"))
        wanted = _OF_STATUS("gone") if is_remark else _MARKS if _plain(name) in whole else whole
        if about & _OF_STATUS("reason") or len({table.text(i, j) for i in some}) > _MOST_STATUSES:
            continue
        texts = table.texts(j, columns.first_row)
        distinct = texts.coded()[0] if isinstance(texts, CodedTexts) else set(texts)
        found = {text for text in distinct if _plain(text) in wanted} or _excluding_flags(name, distinct)
        heavy = _rows_with_mass(table, columns) if found or (about & choosing and not all_count) else []
        cells = [texts[k] for k in heavy]
        groups = {} if found else _alternatives(_plain(name), cells, _names_of_rows(table, columns, heavy))
        found |= {text for texts in groups.values() for text in texts}
        rows = [k for k in heavy if texts[k] in found]
        if rows and (groups or len(rows) < len(heavy)):
            left_out = [rest for one in groups.values() if (rest := found - one)] if groups else [found]
            ways = [[columns.first_row + k for k in rows if texts[k] in one] for one in left_out]
            filters = {text: f"--where {shlex.quote(f'{name} != {text.strip()}')}" for text in sorted(found)}
            wheres = [" ".join(where for text, where in filters.items() if text in one) for one in left_out]
            shown = name_list(list(groups) or sorted(text.strip() for text in found))
            yield _RowChoice(ways, _column_question(table, columns, j, columns.first_row + rows[0], shown, wheres))


def _names_of_rows(table: Table, columns: TableColumns, rows: Sequence[int]) -> list[str]:
    """List what rows are called, without what numbers them; blanks in a long table."""
    own = quantity_indices(columns, ("name", "part", "id", "item")) if table.n_rows <= FULL_SCAN_ROWS else []
    texts = ([table.text(columns.first_row + k, j).strip() for j in own] for k in rows)
    return [next((text for text in one if any(map(str.isalpha, text))), "") for one in texts]


def _by_marks(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[_RowChoice]:
    """Yield the choice by the marks in several columns of alternatives: ``Config A``, ``Config B``."""
    named = {j: head.strip() for j, head in enumerate(columns.header) if head.strip() not in options.ignore_columns}
    named = {j: head for j, head in named.items() if {*_plain(head).split()} & _OF_STATUS("options")}
    heavy = _rows_with_mass(table, columns) if len(named) > 1 else []
    cells = {j: [table.text(columns.first_row + k, j).strip() for k in heavy] for j in named}
    marks = {j: max(texts, default="") for j, texts in cells.items() if {*map(_plain, texts)} <= _MARKS - {"1"} | {""}}
    if len(marks) > 1 and all(marks.values()) and not all(all(cells[j]) for j in marks):
        ways = [[columns.first_row + k for k, text in zip(heavy, cells[j], strict=True) if not text] for j in marks]
        wheres = [f"--where {shlex.quote(f'{named[j]} = {mark}')}" for j, mark in marks.items()]
        shown = name_list([named[j] for j in marks])
        yield _RowChoice(ways, _column_question(table, columns, min(marks), columns.first_row, shown, wheres))


def _alternatives(heading: str, texts: Sequence[str], names: Sequence[str]) -> dict[str, set[str]]:
    """Return the alternatives that cells name, each with its cells; rows of all of them are next to these."""
    words = set(heading.split())
    every = {_plain(text) for text in texts} & (_OF_STATUS("common") - _BASES)
    of_all = every or _OF_STATUS("common")  # Base is an alternative next to All
    of_some = {text for text in texts if is_filled_text(text) and _plain(text) not in of_all}
    if len(of_some) > _MOST_ALTERNATIVES**2:  # so many combinations of them are kinds of parts
        return {}
    members = {text: [part.strip() for part in re.split(r"[,;/&+|]", text)] for text in of_some}
    is_listed = bool(words & _OF_STATUS("several")) and any(len(parts) > 1 for parts in members.values())
    rows = [sorted(n for n, own in zip(names, texts, strict=True) if own == text) for text in of_some]
    is_repeated = bool(words & _OF_STATUS("models")) and all(r[1:] and r[-1] and r == rows[0] for r in rows)
    found = {one: {text for text in of_some if one in members[text]} for one in sorted({*chain(*members.values())})}
    if (heading in _OF_STATUS("options") and not is_listed) or is_repeated:
        found = {text.strip(): {text} for text in sorted(of_some)}
    elif not is_listed:
        return {}
    is_kind = any(_plain(text) == "default" for text in found)  # of a CAD program: the others are kinds of one part
    is_choice = not is_kind and any(cells != of_some for cells in found.values())  # not M1, M2 in every row
    return found if is_choice and 1 < len(found) < min(len(texts), _MOST_ALTERNATIVES + 1) else {}


def _excluding_flags(name: str, texts: Collection[str]) -> set[str]:
    """Return the cells that are false below a heading such as ``Fitted``, where every cell is a truth value."""
    filled = [text for text in texts if is_filled_text(text)] if re.search(_INCLUSION, name) else []
    flags = read_truth_values(filled)
    return set() if len(flags.bad) else {filled[k] for k in np.flatnonzero(~flags.values).tolist()}


def _by_names(table: Table, columns: TableColumns, options: TableOptions, end: int) -> _RowChoice | None:
    """Find rows, from one on, that their names or remarks exclude, or of which one counts."""
    naming, numbers, first = quantity_indices(columns, ITEM_NAMES), _columns_of_numbers(columns), columns.first_row
    suspects, within = set[int](), _status_pattern(_INSIDE)
    for j in (j for j in range(len(columns.header)) if j not in numbers and table.n_rows <= FULL_SCAN_ROWS):
        texts = table.texts(j, first)
        if _has_status("\n".join(texts), is_name=j in naming, is_column=True):
            suspects |= {k for k, text in enumerate(texts) if _has_status(text, is_name=j in naming)}
        names = {text.strip().casefold() for text in texts} if j in naming else set()
        others = ((k, within.search(text.casefold())) for k, text in enumerate(texts) if names and text[-1:] in ")]")
        suspects |= {k for k, match in others if match and match[1] in names}
    heavy = _rows_with_mass(table, columns) if suspects else []
    counted = {one.row for one in rows_named_by_options(table, columns, options.count_rows)}
    listed = [first + k for k in heavy if k in suspects and first + k not in counted and first + k >= end]
    if not listed:
        return None
    ways = [listed, *([row] for row in listed[::-1] if len(listed) == 2)]  # none counts, or one of two
    return _RowChoice(ways, _rows_question(table, first, listed, ways, ""))


def _rows_question(table: Table, first: int, rows: Sequence[int], ways: Sequence[Sequence[int]], why: str) -> Finding:
    """Ask whether rows count: without those of each way, or with all."""
    labels = [row_label(table, row) for row in rows]
    remedy = row_commands(table, first, rows, [*map(set, ways), set()])
    message, place = f"row may not count: {name_list(labels)}{why}", table.place(rows[0])
    return rule_finding("MP257", message, place, value=labels[0], remedy=remedy, count=len(rows))


def _columns_of_numbers(columns: TableColumns) -> set[int]:
    """Return the columns of quantities that are numbers."""
    return {column.index for name, column in columns.by_quantity.items() if name not in TEXT_QUANTITIES}


def _rows_with_mass(table: Table, columns: TableColumns) -> list[int]:
    """List the rows whose mass and quantity are above 0, counted from the first row of data."""
    masses, counts = quantity_values(table, columns, "mass", 0.0), quantity_values(table, columns, "qty", 1.0)
    return np.flatnonzero((masses > 0) & (counts > 0)).tolist()


def _plain(text: str) -> str:
    """Return a text in small letters, without points and marks around it."""
    return " ".join(text.casefold().replace(".", " ").strip("~*()[] ").split())


def _has_status(text: str, *, is_name: bool, is_column: bool = False) -> bool:
    """Return whether a name or a short remark, or one of a column, states that its row may not count."""
    folded = text.casefold()
    if not is_name:
        is_short = is_column or len(folded.split()) <= _MOST_REMARK_WORDS
        return is_short and _status_pattern(_WITHIN).search(folded) is not None
    return any(_status_pattern(form).search(folded) for form in (_WITHIN, _BRACKETED, _CHOSEN))


def _column_question(
    table: Table, columns: TableColumns, j: int, row: int, shown: str, wheres: Sequence[str]
) -> Finding:
    """Ask which rows count by a column: those of a filter, or all."""
    name = columns.header[j].strip()
    remedy = table.source.run_remedy(*wheres, f"{ignore_option(table, columns.header_row, j)} if all rows count")
    message = f"column may choose the rows that count: {name} ({shown})"
    return rule_finding("MP253", message, table.place(row, j, name), value=name, remedy=remedy)


def _other_unit_questions(table: Table, columns: TableColumns, options: TableOptions) -> Iterator[Finding]:
    """Ask for the unit of a mass whose row is named with another unit of mass than that of the column."""
    column, first = columns.by_quantity.get("mass"), columns.first_row
    if column is None or not column.unit or column.by_row or table.n_rows - first > FULL_SCAN_ROWS:
        return
    masses = quantity_values(table, columns, "mass", 0.0)
    counted = {one.row for one in rows_named_by_options(table, columns, options.count_rows)}
    for row in (first + k for k in _rows_with_mass(table, columns) if first + k not in counted):
        label, mass = row_label(table, row), float(masses[row - first])
        converted = mass * column.label_size(label)
        if converted == mass or not is_number(table.text(row, column.index)):
            continue
        is_sum = abs(masses.sum() - mass - converted) <= _ROUGH_CONVERSION * converted
        remedy = row_commands(table, first, [row], [{row}, ()] if is_sum else [()])
        message = f"unit of the mass is ambiguous: {label} ({mass:g} {column.unit}, or {converted:.4g} {column.unit})"
        remedy = f"write the mass in {column.unit} and the name without a unit; or {remedy}"
        yield rule_finding("MP257", message, table.place(row, column.index), value=label, remedy=remedy)


_ROUGH_CONVERSION = 0.01  # the relative difference of a rough conversion
