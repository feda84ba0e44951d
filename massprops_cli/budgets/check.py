"""Check of a bill of materials against a budget: the figures that limits apply to, and a verdict for each limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase, translate
from functools import cache, partial
from itertools import islice, product
from math import inf, isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Never, cast

import numpy as np

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.configuration_file import CONFIGURATION_NAME
from massprops_cli.bom.items.item_rows import ItemFault, report_cells, requested_column
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.settings import read_settings
from massprops_cli.budgets import model
from massprops_cli.budgets.file import join_budgets, limit_dimension, read_budget
from massprops_cli.budgets.limits import LimitCheck, limit_verdicts, products_sign
from massprops_cli.findings.finding import (
    HTML_ROWS,
    ConfigError,
    Finding,
    Findings,
    Place,
    Severity,
    UsageError,
    count_with_noun,
    finding_counts_text,
    html_table,
    nearest_name_hint,
)
from massprops_cli.options import RollupMethod, check_own_keywords, show_keywords
from massprops_cli.tables.columns.headings import heading_unit
from massprops_cli.tables.columns.mass_roles import is_heading_of_kind, is_required_margin
from massprops_cli.trees.tree import ItemQuantity

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Check:
    """A result checked against a budget.

    ``verdicts`` are in the order of the budget file; ``budget_findings`` are about the budget itself: entries that
    select no item, waivers that are unused or have expired. ``of_table`` are the findings of the result; those of
    waived totals are notes with the reason.
    """

    verdicts: Sequence[model.Verdict]
    budget_findings: Sequence[Finding]
    result: Result
    of_table: Sequence[Finding]
    budget: str = ""
    """Names of the budget files, and of the table if its columns state limits."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: of the table, the roll-up and the budget, and each limit that is not kept."""
        broken = (verdict.finding for verdict in self.verdicts if not verdict.kept)
        return (*self.of_table, *self.budget_findings, *broken)

    def __repr__(self) -> str:
        """Return the verdict, and each limit that is not kept."""
        kept = sum(verdict.kept for verdict in self.verdicts)
        waived = sum(not verdict.kept and verdict.waiver is not None for verdict in self.verdicts)
        head = f"Check: {kept} of {count_with_noun(len(self.verdicts), 'limit')} kept"
        head += f", {waived} waived" if waived else ""
        lines = (f"  {finding}" for finding in self.findings if finding.severity is Severity.ERROR)
        return "\n".join([f"{head}; {finding_counts_text(self.findings)}", *islice(lines, HTML_ROWS)])

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        words = ("kept" if one.kept else "undecided" if one.is_undecided else "not kept" for one in self.verdicts)
        rows = ((v.item, v.requirement, word, v.message) for v, word in zip(self.verdicts, words, strict=True))
        caption = f"Check: {'kept' if self.is_kept else 'not kept'}"
        return html_table(caption, ["item", "limit", "verdict", "message"], rows, len(self.verdicts))

    @property
    def is_kept(self) -> bool:
        """Whether every limit is kept or waived, and neither table nor budget has an error."""
        return not any(finding.severity.value == "error" for finding in self.findings)

    def to_dataframe(self) -> pd.DataFrame:
        """Export the verdicts.

        Returns
        -------
        pandas.DataFrame, a row for each verdict
            The columns of ``to_dict``; ``value``, ``limit`` and ``margin`` are in the ``unit`` of the row, NaN if
            unknown.
        """
        import pandas as pd

        rows = [verdict.to_dict() for verdict in self.verdicts]
        frame = pd.DataFrame(rows, columns=list(dict.fromkeys(key for row in rows for key in row)))
        numbers = [name for name in ("value", "limit", "margin", "at_least") if name in frame]
        return frame.astype(dict.fromkeys(numbers, float))

    def to_dict(self) -> dict[str, Any]:
        """Return the verdicts and the findings as plain JSON values.

        Returns
        -------
        dict of str to object
            Verdicts in the units of their limits.
        """
        return {
            "kept": self.is_kept,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def _selected_items(selector: model.Selector, bom: Bom) -> list[int]:
    """Return the selected item numbers in file order; raises UsageError for none. An id has priority over a pattern."""
    if selector.level is not None:
        found = _items_with_rows(bom, np.flatnonzero(bom.tree.depth() == selector.level).tolist())
        reason = f"level {selector.level} (expected 0 to {len(bom.tree.levels) - 2})"
    elif selector.column:
        values = _column_values(selector, bom)
        found = _items_with_rows(bom, [i for i, value in enumerate(values) if value == selector.value.strip()])
        hint = "" if found else nearest_name_hint(selector.value, sorted({*values} - {""}))
        reason = f"{selector.column} = {selector.value}{hint}"
    else:
        try:
            return [bom.item(selector.pattern)]
        except UsageError:
            if not re.search(r"[*?[]", selector.pattern):
                raise
        fits = re.compile(translate(selector.pattern)).fullmatch
        found = _items_with_rows(bom, [i for i, name in enumerate(bom.ids) if fits(name)])
        reason = f"no id matches {selector.pattern}"
    if not found:
        raise UsageError(f"budget entry selects no item: {reason}")
    return found


def _column_values(selector: model.Selector, bom: Bom) -> list[str]:
    """Return the texts (n,) of the items in the column of a selector."""
    column = requested_column(selector.column, bom.table, bom.columns)
    return [text.strip() for text in bom.item_rows.texts(column)]


def _selected_sum(selector: model.Selector, items: Sequence[int], result: Result) -> tuple[Result, list[int]]:
    """Return the sum of the selected items as the root of a roll-up, or the one branch that they are.

    The sum has the leaves whose own value, or else that of the nearest item above with one, is selected.
    """
    bom, tree = result.bom, result.bom.tree
    chosen, values, pieces = set(items), _column_values(selector, bom), np.append(bom.quantity.count, 1.0)
    inside, under = np.zeros((2, len(tree) + 1), bool)
    pieces[tree.order[0]] = 1.0
    for i in tree.order.tolist():  # parents before children; the last place is that of no parent
        above = int(tree.parent[i])
        inside[i] = i in chosen or (not values[i] and inside[above])
        under[i] = i in chosen or under[above]
        pieces[i] *= pieces[above]
    ends = tree.is_leaf() if bom.stated is None else tree.is_leaf() | bom.stated
    kept = (inside if (ends & inside[:-1]).any() else under)[:-1]
    tops = [i for i in items if not under[tree.parent[i]]]
    if len(tops) == 1 and pieces[tops[0]] == 1 and (kept == under[:-1])[ends].all():
        return result, tops
    root, ids, rows = int(tree.order[0]), list(bom.ids), bom.rows.copy()
    ids[root], rows[root] = f"{selector.column} = {selector.value}", rows[items[0]]
    count = np.where(ends & ~kept, 0.0, bom.quantity.count)
    part = replace(bom, ids=ids, names=None, rows=rows, quantity=ItemQuantity(count, bom.quantity.measured))
    request = result.uncertainty_request
    shared = {name: getattr(request, name) for name in ("correlate", "correlate_centers", "correlations")}
    method = cast("RollupMethod", "covariance" if request.method == "montecarlo" else request.method)
    return rollup(part, method, keep_going=True, **shared), [root]


def _items_with_rows(bom: Bom, items: Sequence[int]) -> list[int]:
    """Return the items with a row in the table, without generated leaves."""
    return [i for i in items if bom.extra is None or not bom.extra[i]]


def _apply_waivers(
    verdicts: Sequence[model.Verdict],
    of_table: Sequence[Finding],
    waivers: Sequence[model.Waiver],
    today: date,
    findings: Findings,
) -> tuple[list[model.Verdict], Sequence[Finding]]:
    """Apply valid waivers to broken limits and differing totals; reports expired and unused waivers."""
    valid = [waiver for waiver in waivers if not waiver.has_expired(today)]
    used: set[int] = set()

    def first_for(one: model.Verdict | Finding) -> model.Waiver | None:
        fitting = [waiver for waiver in valid if _is_waiver_for(waiver, one)]
        used.update(map(id, fitting))
        return fitting[0] if fitting else None

    judged = [verdict if verdict.kept else replace(verdict, waiver=first_for(verdict)) for verdict in verdicts]
    of_table = [_waived_finding(finding, first_for(finding)) for finding in of_table]
    for waiver in waivers:
        subject = f"waiver of {waiver.rule} for {waiver.item}"
        if waiver.has_expired(today):
            message = f"{subject} expired on {waiver.expires}: {waiver.reason}"
            findings.report("MP612", message, waiver.place, item=waiver.item, value=str(waiver.expires))
        elif id(waiver) not in used:
            findings.report("MP611", f"{subject} matches no finding", waiver.place, item=waiver.item)
    return judged, of_table


def _waived_finding(finding: Finding, waiver: model.Waiver | None) -> Finding:
    """Return a waived finding as a note with the reason; without a waiver unchanged."""
    if waiver is None:
        return finding
    return replace(finding, severity=Severity.NOTE, message=f"{finding.message}; waived: {waiver.reason}")


def _is_waiver_for(waiver: model.Waiver, one: model.Verdict | Finding) -> bool:
    """Return whether a waiver applies to a broken limit of its own file or of the table, or to a differing total."""
    if isinstance(one, model.Verdict) and one.place.file not in (waiver.place.file, one.item_place.file):
        return False
    return waiver.rule == one.rule and (one.item == waiver.item or fnmatchcase(one.item, waiver.item))


def check(
    table: BomSource | Result,
    budget: model.Budget | str | PathLike[str] | Sequence[model.Budget | str | PathLike[str]] | None = None,
    *,
    today: date | str | None = None,
    **unknown: Never,
) -> Check:
    """Check a table against a mass budget.

    Parameters
    ----------
    table : BomSource or Result
        A bill of materials, a table (path, open file or DataFrame) that is read with the defaults of ``read_bom``, or a
        roll-up.
    budget : Budget, str, path or sequence of these, optional
        Budgets, or their files; default: ``[[budget]]`` in the configuration of the table, as on the command line.
        Limits that columns of the table state are checked too.
    today : datetime.date or str, optional
        Reference day for the expiry of waivers; default: today.

    Returns
    -------
    Check
        A verdict for each limit, in the units of the limit.

    Raises
    ------
    FindingsError
        The table has errors.
    ConfigError
        An invalid budget file, a limit with a unit where the table states none, or no budget in the configuration.
    UsageError
        An unknown keyword; the message names the nearest.

    Notes
    -----
    Predicted mass = basic mass × (1 + growth allowance): AIAA S-120A.

    Examples
    --------
    >>> from massprops_cli.budgets.file import _budget_from_tables
    >>> bom = Bom.from_records([{"id": "SAT", "parent": "", "mass [kg]": 860.0}])
    >>> kept = check(bom, _budget_from_tables("budget.toml", "", {"budget": [{"item": "SAT", "mass-max": "850 kg"}]}))
    >>> kept.is_kept, kept.verdicts[0].message
    (False, 'SAT: predicted mass 860 kg is above 850 kg by 10 kg')
    """
    check_own_keywords(unknown, check)
    result = table if isinstance(table, Result) else rollup(bom_from(table, "table"))
    findings = Findings()
    budget = _resolved_budget(budget, result, findings)
    try:
        day = date.today() if today is None else today if isinstance(today, date) else date.fromisoformat(today)
    except (ValueError, TypeError):
        raise UsageError(f"today is not a date: {today!r} (expected such as 2027-12-31)") from None

    @cache
    def figures(basis: model.Basis, of: Result, allows_missing: bool, poi: str) -> model.BasisFigures:
        return model.BasisFigures(of, basis, allows_missing=allows_missing, poi=poi)

    verdicts: list[model.Verdict] = []
    sign_of_table = products_sign(result.bom)
    for entry in budget.entries:
        try:
            items = _selected_items(entry.selector, result.bom)
        except UsageError as error:
            findings.report("MP610", str(error), entry.place)
            continue
        of = result
        if entry.selector.column and not entry.selector.each:
            of, items = _selected_sum(entry.selector, items, result)
        numbers = partial(figures, of=of, allows_missing=entry.allows_missing, poi=entry.products or sign_of_table)
        cases = [LimitCheck(entry, limit, i, numbers) for i in items for limit in entry.limits]
        verdicts += [verdict for case in cases for verdict in limit_verdicts(case)]
    _check_growth(result, budget, findings)
    judged, of_table = _apply_waivers(verdicts, _of_table(result, findings), budget.waivers, day, findings)
    return Check(judged, tuple(findings), result, of_table, budget.file)


show_keywords(check)


def _resolved_budget(given: object, result: Result, findings: Findings) -> model.Budget:
    """Join the budgets given, or else that of the configuration, with the limits of the table's columns."""
    names = [given] if isinstance(given, str | PathLike | model.Budget) else () if given is None else given
    if not isinstance(names, Sequence):
        raise UsageError(f"budget is not a budget: {type(given).__name__} (expected a Budget or the path of its file)")
    budgets = [one if isinstance(one, model.Budget) else read_budget(one) for one in dict.fromkeys(names)]
    files, name = result.bom.options.configuration, result.bom.table.source.name
    if not budgets and files and (found := read_settings(name, files[-1]).budget) is not None:
        budgets = [read_budget(found[0], within=found[1])]
    of_table = _column_limits(result, findings)
    if not budgets and not of_table:
        raise ConfigError(
            f"{name}: no budget is given; name its file (budget, --budget), or add [[budget]] to {CONFIGURATION_NAME}, "
            "or limits in a column such as Mass limit [kg]"
        )
    return join_budgets([*budgets, *([model.Budget(name, tuple(of_table))] if of_table else [])])


_NO_LIMIT = re.compile(r"target|goal|ziel|soll|objecti|objeti|obietti|目标|目標", re.IGNORECASE)
_MOST = re.compile(r"\bmax(?:im\w+)?\b|höchst", re.IGNORECASE)
_LIMIT_ALONE = re.compile(r"\W*(?:allocat\w+|limit|budget|allowable|not to exceed|nte|n\.t\.e\.)\W*", re.IGNORECASE)


def _is_limit_heading(text: str) -> bool:
    """Return whether a heading names the largest mass of an item: by its words, and a unit of mass or the word mass."""
    if _is_margin_heading(text) or is_heading_of_kind("growth", text) or _NO_LIMIT.search(text):
        return False
    if (unit := heading_unit(text, "mass")) and not model.is_mass_unit(unit):
        return False
    if unit or is_heading_of_kind("mass", text):
        return is_heading_of_kind("limit", text) or _MOST.search(text) is not None
    return _LIMIT_ALONE.fullmatch(text) is not None


def _of_table(result: Result, findings: Findings) -> list[Finding]:
    """Return the findings of a result, without notes on columns that are compared; report limits of combined files."""
    of_unread = [one for one in result.findings if one.rule == "MP271"]
    places = {one: (one.place, *one.related) for one in of_unread}
    header = {text.strip() for text in result.bom.columns.header}
    for place in (place for one in of_unread for place in places[one] if place.column.strip() not in header):
        if _is_limit_heading(place.column):
            message = f"limits in column {place.column.strip()} are not checked: the combined table does not have it"
            findings.report("MP610", message, place, remedy="check the files separately, or use --combine id")
    compared = {text for text in header if _is_limit_heading(text) or _is_margin_heading(text)}
    known = [one for one in of_unread if {place.column.strip() for place in places[one]} <= compared]
    return [one for one in result.findings if one not in known]


def _is_margin_heading(text: str) -> bool:
    """Return whether a heading names what is left to a limit."""
    return is_heading_of_kind("margin", text) or is_heading_of_kind("left", text)


class _Cell(NamedTuple):
    """A number in a column of limits or of margins, and the unit that the column states."""

    i: int  # item
    row: int
    value: float
    unit: str
    place: Place
    text: str


def _column_cells(bom: Bom, j: int, findings: Findings, *, is_limit: bool = False) -> list[_Cell]:
    """Read a column: the numbers of items, and that of the last total, which is of the root; report other limits."""
    table: Any = getattr(bom.table, "base", bom.table)  # with the rows of totals
    items, first, header = replace(bom.item_rows, table=table), bom.columns.first_row, bom.columns.header[j]
    column = items.plain_column(j, bom.options)
    parsed = items.parsed(column)
    bad = np.intersect1d(parsed.bad + first, bom.rows if np.isfinite(parsed.values).any() else ())  # not only texts
    report_cells(ItemFault("MP205", column), table, bad, lambda _: f"{column.header} is not a number", findings)
    above = [table.text(row, j).strip() for row in range(bom.columns.header_row + 1, first)]
    unit = heading_unit(header, "mass") or next(filter(model.is_mass_unit, above), "")

    def cells(rows: Iterable[tuple[int, int]]) -> list[_Cell]:
        numbered = ((i, row, float(parsed.values[row - first])) for i, row in rows if row >= first)
        known = [(i, row, value) for i, row, value in numbered if isfinite(value)]
        return [_Cell(*one, unit, table.place(one[1], j, header), table.text(one[1], j).strip()) for one in known]

    totals = [(int(bom.tree.order[0]), one.row) for one in bom.totals if one.kind == "total"]
    found = [*cells(enumerate(bom.rows.tolist())), *cells(totals)[-1:]]
    if is_limit:
        others = np.setdiff1d(np.flatnonzero(np.isfinite(parsed.values)) + first, [cell.row for cell in found]).tolist()
        for row, text in ((row, table.text(row, j).strip()) for row in others):
            message = f"limit {text} is not checked: its row is not an item, and not the last total"
            findings.report("MP610", message, table.place(row, j, header), value=text, remedy=_OTHER_ROW)
        without = {str(place) for one in bom.findings if one.rule == "MP116" for place in (one.place, *one.related)}
        rows = range(first, table.n_rows * bool(without))
        for place in (place for row in rows if str(place := table.place(row, j, header)) in without):
            findings.report("MP610", "limit is not checked: its formula has no saved value", place, remedy=_NO_VALUE)
    return found


_OTHER_ROW = "state it in a budget file, for the items that the row sums"
_NO_VALUE = "open the workbook in a spreadsheet program, and save it with values"


def _column_limits(result: Result, findings: Findings) -> list[model.BudgetEntry]:
    """Return the limits that columns state, with the margins that columns require of them: an entry for each cell."""
    bom = result.bom
    read = {column.index for column in bom.columns.by_quantity.values()}
    headings = {j: text.strip() for j, text in enumerate(bom.columns.header) if text.strip() and j not in read}
    ignored = bom.options.ignore_columns  # the answer to a question about a margin: it is what is left, and is compared
    columns = [j for j, text in headings.items() if _is_limit_heading(text) and text not in ignored]
    if not columns or "mass" not in bom.columns.by_quantity:
        return []
    margins = {j: is_required_margin(text) for j, text in headings.items() if _is_margin_heading(text)}
    margins = {j: is_required for j, is_required in margins.items() if not is_required or headings[j] not in ignored}
    required: dict[int, Callable[[model.Limit], model.Limit]] = {}
    for needed in (_column_cells(bom, j, findings) for j, is_required in margins.items() if is_required):
        percent = 100 if _largest(needed) <= 1 else 1
        required |= {cell.i: partial(_required_margin, cell, percent) for cell in needed}
    entries, limits = list[model.BudgetEntry](), dict[int, list[model.Limit]]()
    for cell in (cell for j in columns for cell in _column_cells(bom, j, findings, is_limit=True)):
        unit = cell.unit or bom.columns.by_quantity["mass"].unit_at(cell.row)
        limit = model.Limit("mass-max", high=model.LimitMeasure(cell.value, unit), place=cell.place)
        limits.setdefault(cell.i, []).append(limit)
        pieces = _pieces_of_row(bom, cell.i)[-1]
        margin = [required[cell.i](limit)] if cell.i in required else []
        is_mass = bool(margin) and margin[0].subject == "mass-max"  # an entry has one of each kind
        for together in ([limit], margin) if is_mass else ([limit, *margin],):
            of_item = model.Selector(bom.ids[cell.i])
            entries.append(model.BudgetEntry(of_item, tuple(together), place=cell.place, pieces=pieces))
    for stated in (_column_cells(bom, j, Findings()) for j, is_required in margins.items() if not is_required):
        _check_stated_margins(result, stated, limits, findings)
    return entries


def _largest(cells: Sequence[_Cell]) -> float:
    """Return the largest number of a column; 0 without any."""
    return max((abs(cell.value) for cell in cells), default=0.0)


def _required_margin(cell: _Cell, percent: float, limit: model.Limit) -> model.Limit:
    """Return a required margin: a share of the mass, or as a mass the smaller limit."""
    if cell.unit in ("", "%"):
        least = model.LimitMeasure(cell.value * (1 if cell.unit else percent), "%")
        return model.Limit("margin-min", low=least, place=cell.place)
    unit, amount = limit.high.unit, model.LimitMeasure(cell.value, cell.unit)
    less = model.measure_in_unit(amount, unit, limit_dimension(limit.subject)) if unit else cell.value
    return replace(limit, high=model.LimitMeasure(limit.high.number - less, unit), place=cell.place)


def _check_stated_margins(
    result: Result, cells: Sequence[_Cell], limits: Mapping[int, Sequence[model.Limit]], findings: Findings
) -> None:
    """Report the margins of a column that differ from those computed in the way that fits most of its rows."""
    units, power, largest = result.bom.units, limit_dimension("mass-max"), _largest(cells)
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


def _check_growth(result: Result, budget: model.Budget, findings: Findings) -> None:
    """Report that entries limit predicted masses of a table without growth."""
    masses = ("mass-max", "mass-min", "margin-min")
    entries = [
        entry
        for entry in budget.entries
        if entry.basis == "predicted" and any(limit.subject in masses for limit in entry.limits)
    ]
    if entries and result.predicted is None:
        message = "no growth is stated; predicted masses equal basic masses"
        findings.report("MP624", message, entries[0].place, count=len(entries))
