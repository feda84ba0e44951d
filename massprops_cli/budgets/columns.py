"""Limits that columns of the table state: masses, required margins and boxes of centres of mass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import replace
from functools import partial
from itertools import product
from math import inf, isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_cells
from massprops_cli.bom.items.numbers import agrees_with_format, number_format_unit
from massprops_cli.bom.results.result import Result
from massprops_cli.budgets import model
from massprops_cli.findings.finding import Finding, Findings, Place, Severity
from massprops_cli.tables.account import limit_of_heading
from massprops_cli.tables.cells.number_text import is_unknown_number, read_number, split_cell_text
from massprops_cli.tables.columns.headings import heading_unit
from massprops_cli.tables.columns.mass_headings import (
    is_margin_heading,
    is_per_piece,
    is_required_margin,
    is_target,
    limit_subject,
)
from massprops_cli.tables.rows.total_rows import TotalRow


def findings_of_table(result: Result, findings: Findings) -> list[Finding]:
    """Return the findings of a result, without notes on columns that are compared; report limits of combined files."""
    of_unread = [one for one in result.findings if one.rule == "MP271"]
    places = {one: (one.place, *one.related) for one in of_unread}
    header = {text.strip() for text in result.bom.columns.header}
    for place in (place for one in of_unread for place in places[one] if place.column.strip() not in header):
        if limit_of_heading(place.column)[0]:
            message = f"limits in column {place.column.strip()} are not checked: the combined table does not have it"
            findings.report("MP610", message, place, remedy="check the files separately, or use --combine id")
    compared = {*limit_headings(result.bom), *(text for text in header if is_margin_heading(text))}
    known = [one for one in of_unread if {place.column.strip() for place in places[one]} <= compared]
    return [one for one in result.findings if one not in known]


def limit_headings(bom: Bom) -> list[str]:
    """Return the headings of a table that name a limit."""
    return [text.strip() for text in bom.columns.header if limit_of_heading(text)[0]]


class _Cell(NamedTuple):
    """A number in a column of limits or of margins, and the unit that the column states."""

    i: int  # item
    row: int
    value: float
    unit: str
    place: Place
    text: str


def _column_cells(bom: Bom, j: int, findings: Findings, subject: str = "") -> list[_Cell]:
    """Read a column: the numbers of items, and that of the last total, which is of the root; report other limits."""
    table = _whole_table(bom)
    items, first, header = replace(bom.item_rows, table=table), bom.columns.first_row, bom.columns.header[j]
    column = items.plain_column(j, bom.options)
    parsed = items.parsed(column)
    values, units = parsed.values.copy(), dict[int, str]()
    for k in parsed.bad.tolist():  # 5 %, 12 kg
        number, unit = _number_and_unit(table.text(first + k, j), subject)
        values[k] = number
        if unit:
            units[first + k] = unit
    unread = (first + k for k in parsed.bad.tolist() if not isfinite(values[k]))
    named = [row for row in unread if not _NO_LIMIT.fullmatch(table.text(row, j).strip())]
    is_column = np.isfinite(values).any() or any(re.match(r"\W*\d", table.text(row, j)) for row in named)  # not texts
    bad = np.intersect1d(named, bom.rows if is_column else ()).astype(np.intp)
    report_cells(ItemFault("MP205", column), table, bad, lambda _: f"{column.header} is not a number", findings)
    above = [table.text(row, j).strip() for row in range(bom.columns.header_row + 1, first)]
    known_units = (text for text in above if model.is_limit_unit(text, subject or "mass-max"))
    unit = heading_unit(header, model.limit_quantity(subject or "mass-max")) or next(known_units, "")
    units |= _units_of_formats(items, ItemFault("MP239", column), subject, unit, values, findings)

    def cells(rows: Iterable[tuple[int, int]]) -> list[_Cell]:
        numbered = ((i, row, float(values[row - first])) for i, row in rows if row >= first)
        return [
            _Cell(i, row, value, units.get(row, unit), table.place(row, j, header), table.text(row, j).strip())
            for i, row, value in numbered
            if isfinite(value)
        ]

    totals = [(int(bom.tree.order[0]), one.row) for one in bom.totals if one.kind == "total"]
    found = [*cells(enumerate(bom.rows.tolist())), *cells(totals)[-1:]]
    unknown = enumerate(bom.rows.tolist() if subject and is_column else ())
    for i, text, place in ((i, table.text(row, j), table.place(row, j, header)) for i, row in unknown if row >= first):
        if _is_open(text):  # TBD, #N/A
            message = f"limit of {bom.ids[i]} is not checked: {text.strip()}"
            findings.report("MP610", message, place, value=text, severity=Severity.WARNING, remedy=_ENTER)
    if subject:
        others = np.setdiff1d(np.flatnonzero(np.isfinite(values)) + first, [cell.row for cell in found]).tolist()
        for row, text in ((row, table.text(row, j).strip()) for row in others):
            message = f"limit {text} is not checked: its row is not an item, and not the last total"
            findings.report("MP610", message, table.place(row, j, header), value=text, remedy=_OTHER_ROW)
        without = {str(place) for one in bom.findings if one.rule == "MP116" for place in (one.place, *one.related)}
        rows = range(first, table.n_rows * bool(without))
        for place in (place for row in rows if str(place := table.place(row, j, header)) in without):
            findings.report("MP610", "limit is not checked: its formula has no saved value", place, remedy=_NO_VALUE)
    return found


def _units_of_formats(
    items: ItemRows, fault: ItemFault, subject: str, unit: str, values: NDArray[np.float64], findings: Findings
) -> dict[int, str]:
    """Return the units that number formats show, by row, with percentages in percent; report and drop other units."""
    table, first, units, column = items.table, items.columns.first_row, dict[int, str](), fault.column
    formats = {} if table.sheet_info is None else table.sheet_info.number_formats
    dimension, wrong = model.limit_dimension(subject or "mass-max"), dict[int, str]()
    for row in (row for row, j in formats if j == column.index and row >= first and isfinite(values[row - first])):
        name, factor = number_format_unit(formats[row, column.index]) or ("", 1.0)
        if name == "%" and not subject:
            values[row - first] *= factor
            units[row] = name
        elif name and not agrees_with_format((name, factor), unit or name, dimension, False):
            wrong[row] = name
            values[row - first] = nan
        elif name and not unit:
            units[row] = name
    shown, stated = list(wrong.values()), f"the column is in {unit}" if unit else "the column is not"
    words = f"number format of {column.header} shows"
    report_cells(fault, table, np.array(list(wrong), np.intp), lambda k: f"{words} {shown[k]} ({stated})", findings)
    return units


def _whole_table(bom: Bom) -> Any:
    """Return the table with its rows of totals."""
    return getattr(bom.table, "base", bom.table)


def _number_and_unit(text: str, subject: str) -> tuple[float, str]:
    """Read a cell with a unit of the limit, or a margin with a sign of percent; NaN for any other text."""
    bare = re.sub(_LIMIT_WORDS.get(subject, r"(?!)"), "", text.strip()).strip()
    if not subject and bare.endswith("%"):
        number, unit = bare[:-1].strip(), "%"
    else:
        number, unit, *_ = split_cell_text(bare)
    value = read_number(number) if number else None
    is_known = unit in ("", "%") or model.is_limit_unit(unit, subject or "mass-max")
    return (value, unit) if value is not None and is_known else (nan, "")


_NO_LIMIT = re.compile(r"no limit|unlimited|not limited|without limit|ohne|sans limite|sin límite", re.IGNORECASE)
_LIMIT_WORDS = {
    "mass-max": r"(?i)^(?:≤|<=?|max(?:imum)?\b\.?|nte\b|not to exceed|up to)|\bmax(?:imum)?\.?$",
    "mass-min": r"(?i)^(?:≥|>=?|min(?:imum)?\b\.?|at least)|\bmin(?:imum)?\.?$",
}
"""What a cell of a limit may state next to its number: ``≤ 12 kg``, ``12 kg max``."""
_ENTER = "enter the limit, or delete the text"
_MASS_COLUMN = "write the limit in the column of masses"
_LIMIT_ROW = "state the limit in a row below the total, with its number in the column of masses"
_OTHER_ROW = "state it in a budget file, for the items that the row sums"
_NO_VALUE = "open the workbook in a spreadsheet program, and save it with values"


def column_limits(result: Result, findings: Findings) -> list[model.BudgetEntry]:
    """Return the limits that columns state, with the margins that columns require of them: an entry for each cell."""
    bom = result.bom
    read = {column.index for column in bom.columns.by_quantity.values()}
    headings = {j: text.strip() for j, text in enumerate(bom.columns.header) if text.strip() and j not in read}
    ignored = bom.options.ignore_columns  # the answer to a question about a margin: it is what is left, and is compared
    named = {j: limit_of_heading(text) for j, text in headings.items() if text not in ignored}
    named = {j: limit for j, limit in named.items() if limit[0]} | _bounds_of_assemblies(bom)
    if "mass" not in bom.columns.by_quantity:
        return []
    of_rows = _limit_rows(bom, named.keys(), findings)
    if not named:
        return of_rows
    margins = {j: is_required_margin(text) for j, text in headings.items() if is_margin_heading(text)}
    margins = {j: is_required for j, is_required in margins.items() if not is_required or headings[j] not in ignored}
    required, places = dict[int, Callable[[model.Limit], model.Limit]](), dict[int, Place]()
    for needed in (_column_cells(bom, j, findings) for j, is_required in margins.items() if is_required):
        percent = 100 if _largest(needed) <= 1 else 1
        _report_mixed_margins(needed, findings)
        required |= {cell.i: partial(_required_margin, cell, percent) for cell in needed}
        places |= {cell.i: cell.place for cell in needed}
    entries, limits = of_rows, dict[int, list[model.Limit]]()
    stated_limits = _stated_limits(bom, named, findings)
    for i in required.keys() - {cell.i for cell, limit in stated_limits if limit.subject == "mass-max"}:
        message = f"required margin of {bom.ids[i]} is not checked: its row states no limit of the mass"
        findings.report(
            "MP610", message, places[i], severity=Severity.WARNING, remedy="enter the limit, or clear the cell"
        )
    for cell, limit in stated_limits:
        margin = []
        if limit.subject == "mass-max":
            limits.setdefault(cell.i, []).append(limit)
            margin = [required[cell.i](limit)] if cell.i in required else []
        is_mass = bool(margin) and margin[0].subject == "mass-max"  # an entry has one of each kind
        pieces = 1.0 if is_per_piece(cell.place.column) else _pieces_of_row(bom, cell.i)[-1]
        for together in ([limit], margin) if is_mass else ([limit, *margin],):
            of_item = model.Selector(bom.ids[cell.i])
            entries.append(model.BudgetEntry(of_item, tuple(together), place=cell.place, pieces=pieces))
    for stated in (_column_cells(bom, j, Findings()) for j, is_required in margins.items() if not is_required):
        _check_stated_margins(result, stated, limits, findings)
    return entries


def _stated_limits(
    bom: Bom, named: Mapping[int, tuple[str, str]], findings: Findings
) -> list[tuple[_Cell, model.Limit]]:
    """Return the limit that each cell states; the forward and the aft limit of a row are one, in ascending order."""
    found, pairs = list[tuple[_Cell, model.Limit]](), dict[tuple[int, str], list[tuple[_Cell, model.LimitMeasure]]]()
    of_assemblies, is_end = _bounds_of_assemblies(bom), bom.ends
    for j, (subject, end) in named.items():
        column = bom.columns.by_quantity.get(model.limit_quantity(subject))
        for cell in _column_cells(bom, j, findings, subject):
            if j in of_assemblies and is_end[cell.i]:
                continue
            unit = cell.unit or ("" if column is None else column.unit_at(cell.row))
            measure = model.LimitMeasure(cell.value, unit)
            if end == "either":
                pairs.setdefault((cell.i, subject), []).append((cell, measure))
                continue
            known: dict[str, Any] = {end: measure}
            found.append((cell, model.Limit(subject, place=cell.place, **known)))
    for (_, subject), ends in pairs.items():
        cell, (low, *high) = ends[0][0], sorted((one for _, one in ends), key=lambda one: one.number)
        if len(high) != 1 or low.unit != high[0].unit:
            message = "limit is not checked: one end, forward or aft, does not show its direction"
            findings.report("MP610", message, cell.place, value=cell.text, remedy="state the other end in a column")
        else:
            found.append((cell, model.Limit(subject, low, high[0], cell.place)))
    return sorted(found, key=lambda one: one[0].row)


def _bounds_of_assemblies(bom: Bom) -> dict[int, tuple[str, str]]:
    """Return the columns of bounds of masses, in which the numbers of assemblies are limits, and those of parts σ."""
    ends = {"mass_min": ("mass-min", "low"), "mass_max": ("mass-max", "high")}
    return {column.index: ends[name] for name, column in bom.columns.by_quantity.items() if name in ends}


def _report_mixed_margins(cells: Sequence[_Cell], findings: Findings) -> None:
    """Report required margins that may be shares, next to those that are percentages."""
    for cell in cells if _largest(cells) > 1 else ():
        if not cell.unit and 0 < cell.value < 1:
            message = f"required margin is ambiguous: {cell.text} ({cell.text} % or {100 * cell.value:g} %)"
            remedy = "write % in the header or in the cells"
            findings.report("MP610", message, cell.place, value=cell.text, remedy=remedy)


def _limit_rows(bom: Bom, read_elsewhere: AbstractSet[int], findings: Findings) -> list[model.BudgetEntry]:
    """Return the limits of the root, and the margins required of them, that rows without items state; report others."""
    root, table = model.Selector(bom.ids[int(bom.tree.order[0])]), _whole_table(bom)
    limits, margins = list[model.Limit](), list[_Cell]()
    _report_limits_above(bom, findings)
    for one, subject in ((one, _subject_of_row(bom, one)) for one in bom.totals):
        texts = [text.strip() for j, text in enumerate(table.row(one.row)) if j not in read_elsewhere]
        unread = next((text for text in texts if _is_open(text) or re.match(r"\W*\d", text)), "")
        unread = unread or next((text for text in texts if re.search(r"\d", text)), "")  # NTE 190 kg
        if not subject or not unread:  # a target, or a row that states nothing
            continue
        if subject == "margin-min":  # in percent by a sign in its name or cell, else a mass
            column, (value, unit) = bom.columns.by_quantity["mass"], _number_and_unit(unread, "")
            unit = "%" if "%" in (unit or one.label) else unit or column.unit
            place = table.place(one.row, column.index, column.header)
            margins.append(_Cell(0, one.row, value, unit, place, unread))
        elif (limit := _limit_of_row(bom, one, subject, unread, findings)) is not None:
            limits.append(limit)
    entries = [model.BudgetEntry(root, (limit,), place=limit.place) for limit in limits]
    most = [limit for limit in limits if limit.subject == "mass-max"]
    for margin in margins:
        if not most or not isfinite(margin.value):
            message = f"required margin is not checked: {margin.text}"
            findings.report("MP610", message, margin.place, value=margin.text, remedy=_LIMIT_ROW)
            continue
        for limit in most:
            least = _required_margin(margin, 100, limit)
            together = (least,) if least.subject == "mass-max" else (limit, least)
            entries.append(model.BudgetEntry(root, together, place=margin.place))
    return entries


def _limit_of_row(bom: Bom, one: TotalRow, subject: str, unread: str, findings: Findings) -> model.Limit | None:
    """Read the limit of the root's mass in a row below the last total, or report why it is not checked."""
    table, named = _whole_table(bom), bom.columns.by_quantity
    column, last = named["mass"], max((other.row for other in bom.totals if other.kind == "total"), default=0)
    place = table.place(one.row, column.index, column.header)
    for other in (named[name] for name in ("Cx", "Cy", "Cz") if name in named):
        if re.search(r"\d", text := table.text(one.row, other.index)):
            where, message = table.place(one.row, other.index, other.header), f"limit is not checked: {text.strip()}"
            findings.report("MP610", message, where, value=text, remedy=_OTHER_ROW)
    if one.mass and one.row > last:
        if _has_other_format(bom, one, findings):
            return None
        measure = model.LimitMeasure(one.mass * column.label_size(one.label), column.unit)
        end: dict[str, Any] = {"low" if subject == "mass-min" else "high": measure}
        return model.Limit(subject, place=place, **end)
    why = "its row is not below the last total" if one.mass else f"{unread} is in no column of masses"
    is_open = _is_open(unread)
    message = f"limit is not checked: {unread}" if is_open else f"limit is not checked: {why}: {one.label}"
    severity, remedy = (Severity.WARNING, _ENTER) if is_open else (None, _OTHER_ROW if one.mass else _MASS_COLUMN)
    findings.report("MP610", message, place, value=unread, severity=severity, remedy=remedy)
    return None


def _subject_of_row(bom: Bom, one: TotalRow) -> str:
    """Return which limit a row below the items states; empty for none, and for the largest or smallest of a column."""
    if one.kind == "limit" and is_required_margin(one.label):
        return "margin-min"
    subject = "" if is_target(one.label) else limit_subject(f"{one.label} (kg)")
    if one.kind == "limit" and not is_target(one.label):
        return subject or "mass-max"
    factor = bom.columns.by_quantity["mass"].factor
    is_limit = one.kind == "figure" and one.mass and not np.isclose(bom.bodies.mass, one.mass * factor).any()
    return subject if is_limit else ""


def _has_other_format(bom: Bom, one: TotalRow, findings: Findings) -> bool:
    """Report a limit in a row whose number format shows another unit than that of the masses."""
    table, column = _whole_table(bom), bom.columns.by_quantity["mass"]
    formats = {} if table.sheet_info is None else table.sheet_info.number_formats
    shown = number_format_unit(formats.get((one.row, column.index), ""))
    if shown is None or agrees_with_format(shown, column.unit, model.limit_dimension("mass-max"), True):
        return False
    message = f"number format of {one.label} shows {shown[0]} (the column is in {column.unit})"
    findings.report("MP239", message, table.place(one.row, column.index, column.header), value=shown[0])
    return True


def _report_limits_above(bom: Bom, findings: Findings) -> None:
    """Report limits that rows above the header state: a name, and next to it a mass with its unit."""
    table = _whole_table(bom)
    for row in range(bom.columns.header_row):
        texts = [text.strip() for text in table.row(row) if text.strip()]
        for k, label in enumerate(text.rstrip(": ") for text in texts):
            stated = " ".join(texts[k + 1 : k + 3])
            number, unit, *_ = split_cell_text(stated)
            unit = unit or heading_unit(label, "mass")
            if number and model.is_limit_unit(unit, "mass-max") and limit_subject(f"{label} (kg)"):
                message = f"limit is not checked: {label} {stated} is above the table"
                findings.report("MP610", message, table.place(row), value=stated, remedy=_LIMIT_ROW)


def _is_open(text: str) -> bool:
    """Return whether a text is that of a limit that is not known yet, or whose formula failed."""
    return is_unknown_number(text) or text.strip().startswith("#")


def _largest(cells: Sequence[_Cell]) -> float:
    """Return the largest number of a column without a sign of percent; 0 without any."""
    return max((abs(cell.value) for cell in cells if cell.unit != "%"), default=0.0)


def _required_margin(cell: _Cell, percent: float, limit: model.Limit) -> model.Limit:
    """Return a required margin: a share of the mass, or as a mass the smaller limit."""
    if cell.unit in ("", "%"):
        least = model.LimitMeasure(cell.value * (1 if cell.unit else percent), "%")
        return model.Limit("margin-min", low=least, place=cell.place)
    unit, amount = limit.high.unit, model.LimitMeasure(cell.value, cell.unit)
    less = model.measure_in_unit(amount, unit, model.limit_dimension(limit.subject)) if unit else cell.value
    return replace(limit, high=model.LimitMeasure(limit.high.number - less, unit), place=cell.place)


def _check_stated_margins(
    result: Result, cells: Sequence[_Cell], limits: Mapping[int, Sequence[model.Limit]], findings: Findings
) -> None:
    """Report the margins of a column that differ from those computed in the way that fits most of its rows."""
    units, power, largest = result.bom.units, model.limit_dimension("mass-max"), _largest(cells)
    ways: dict[str, dict[_Cell, list[float]]] = {}
    for basis, rolled in (("predicted", result.predicted or result.rollup), ("basic", result.rollup)):
        for cell in (one for one in cells if one.i in limits and rolled.coverage.mass_is_whole[one.i]):
            tops = [model.measure_in_table_unit(one.high, power, units) for one in limits[cell.i]]
            masses = [n * float(rolled.bodies.mass[cell.i]) for n in _pieces_of_row(result.bom, cell.i)]
            size = 1.0 if cell.unit == "%" else model.table_unit_factor(cell.unit, power, units)
            share = 100 if cell.unit == "%" or largest > 1 else 1
            for top, mass in product(tops, masses):
                parts = {f"/ {basis}": mass / share, "/ limit": top / share} if cell.unit in ("", "%") else {}
                for words, part in (parts | ({} if cell.unit == "%" else {"": size})).items():
                    rows = ways.setdefault(f"(limit − {basis}) {words}".strip(), {})
                    rows.setdefault(cell, []).append((top - mass) / part if part else inf)

    def differing(way: str) -> list[tuple[_Cell, list[float]]]:
        fits = model.is_within_rounding
        return [(c, found) for c, found in ways[way].items() if not any(fits(c.text, c.value, x) for x in found)]

    best = min(ways, key=lambda way: len(differing(way)), default="")
    for cell, computed in differing(best) if best else ():
        name = result.bom.ids[cell.i]
        message = f"{cell.place.column} of {name} differs from {best}: {cell.text} (computed: {computed[0]:.6g})"
        findings.report("MP625", message, cell.place, item=name, value=cell.text)


def _pieces_of_row(bom: Bom, i: int) -> list[float]:
    """Return how many pieces a number of a row may be of: of one, or of all."""
    n = abs(float(bom.quantity.count[i])) if i != bom.tree.order[0] else 1.0
    return [1.0, n] if n not in (0, 1) else [1.0]
