"""Check of a bill of materials against a budget: the figures that limits apply to, and a verdict for each limit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase, translate
from functools import cache, partial
from itertools import islice
from math import inf
from os import PathLike
from typing import TYPE_CHECKING, Any, Never, cast

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.items.item_rows import requested_column
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.result_dict import ReviewTable, derived_column
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.settings import CONFIGURATION_NAME, read_settings
from massprops_cli.budgets import limits, model
from massprops_cli.budgets.columns import column_limits, findings_of_table, limit_headings
from massprops_cli.budgets.file import join_budgets, read_budget
from massprops_cli.budgets.limits import LimitCheck, limit_verdicts, products_sign
from massprops_cli.findings.finding import (
    HTML_ROWS,
    ConfigError,
    Finding,
    Findings,
    Severity,
    UsageError,
    count_with_noun,
    finding_counts_text,
    html_table,
    name_list,
    nearest_name_hint,
    rule_finding,
)
from massprops_cli.options import RollupMethod, check_own_keywords, show_keywords
from massprops_cli.rollups.leaf_sums import ROUNDING_OF_TERMS

if TYPE_CHECKING:
    import pandas as pd

_BudgetSource = model.Budget | str | PathLike[str] | Sequence[model.Budget | str | PathLike[str]] | None
_VERDICTS = ("kept", "waived", "undecided", "broken")  # in ascending order of priority


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
    budget: str = ""  # names of the budget files, and of the table if its columns state limits

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
    """Return the selected item numbers in file order; raises UsageError for none. An id has priority, then a name."""
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
            if len(named := _items_with_rows(bom, bom.named_items(selector.pattern))) == 1:
                return named
            if named:
                ids = name_list([bom.ids[i] for i in named], 5)
                sums = "for their sum: item = { column = HEADER, value = NAME }"
                raise UsageError(f"name is not unique: {selector.pattern} (ids: {ids}; {sums})") from None
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


def _selected_parts(selector: model.Selector, items: Sequence[int], bom: Bom) -> tuple[NDArray[np.bool_], list[int]]:
    """Return which items (n,) are in the sum of the selected ones, and the one branch that they are, or none."""
    # the sum has the leaves whose own value, or else that of the nearest item above with one, is selected
    tree = bom.tree
    chosen, values, pieces = set(items), _column_values(selector, bom), np.append(bom.quantity.count, 1.0)
    inside, under = np.zeros((2, len(tree) + 1), bool)
    pieces[tree.order[0]] = 1.0
    for i in tree.order.tolist():  # parents before children; the last place is that of no parent
        above = int(tree.parent[i])
        inside[i] = i in chosen or (not values[i] and inside[above])
        under[i] = i in chosen or under[above]
        pieces[i] *= pieces[above]
    ends = bom.ends
    kept = (inside if (ends & inside[:-1]).any() else under)[:-1]
    tops = [i for i in items if not under[tree.parent[i]]]
    is_branch = len(tops) == 1 and pieces[tops[0]] == 1 and (kept == under[:-1])[ends].all()
    return kept, tops if is_branch else []


def _selected_sum(selector: model.Selector, items: Sequence[int], result: Result) -> tuple[Result, list[int]]:
    """Return the sum of the selected items as the root of a roll-up, or the one branch that they are."""
    bom = result.bom
    kept, branch = _selected_parts(selector, items, bom)
    if branch:
        return result, branch
    root, ids, rows = int(bom.tree.order[0]), list(bom.ids), bom.rows.copy()
    ids[root], rows[root] = f"{selector.column} = {selector.value}", rows[items[0]]
    count = np.where(bom.ends & ~kept, 0.0, bom.quantity.count)
    part = replace(bom, ids=ids, names=None, rows=rows, quantity=replace(bom.quantity, count=count, weight=None))
    request = result.uncertainty_request
    shared = {name: getattr(request, name) for name in ("correlate", "correlate_centers", "correlations")}
    method = cast("RollupMethod", "covariance" if request.method == "montecarlo" else request.method)
    return rollup(part, method, keep_going=True, **shared), [root]


def verdicts_by_row(outcome: Check) -> tuple[dict[int, str], dict[int, tuple[float, float, str]]]:
    """Return the verdict of each row, and its least headroom and the limit, unit of the table, and `mass of limit`."""
    bom, words, headroom = outcome.result.bom, dict[int, str](), dict[int, tuple[float, float, str]]()
    rows, root = bom.rows.copy(), outcome.result.root_item
    if rows[root] < 0:
        rows[root] = next((one.row for one in reversed(bom.totals) if one.kind == "total"), -1)
    row_of = dict(zip(bom.ids, rows.tolist(), strict=True))
    for one in (one for one in outcome.verdicts if row_of.get(one.item, -1) >= 0):
        row = row_of[one.item]
        word = "kept" if one.kept else "waived" if one.waiver else "undecided" if one.is_undecided else "broken"
        words[row] = max(word, words.get(row, word), key=_VERDICTS.index)
        if one.subject == "mass-max" and one.margin is not None:
            mass, limit = one.value or 0.0, one.limit or 0.0  # both are known
            unit = model.table_unit_factor(one.unit, model.limit_dimension("mass-max"), bom.units)
            text = f"{model.distinct_number_text(mass, limit)} of {model.number_with_unit(limit, one.unit, mass)}"
            found = one.margin * unit, limit * unit, text
            headroom[row] = min(found, headroom.get(row, found))
    return words, headroom


def review_limits(
    result: Result, given: _BudgetSource, made: ReviewTable
) -> tuple[list[NDArray[np.float64]], tuple[str, ...]]:
    """Return limit, margin, margin in percent and basis (1: basic) of the rows (k + 1,) of a review; empty without one.

    A limit is that of the row with the parts of its item or of its sum. Texts are of named entries without an item.
    """
    absent = list[str]()
    try:
        budget = _resolved_budget(given, result, Findings())
        found = dict[int, tuple[float, float, float, float]]()
        for entry in (one for one in budget.entries if one.basis != "with-pending"):  # the table has no such column
            for limit in (one.high for one in entry.limits if one.subject == "mass-max"):
                number = model.measure_in_table_unit(limit, model.limit_dimension("mass-max"), result.bom.units)
                try:
                    items = _selected_items(entry.selector, result.bom)
                except UsageError as error:
                    absent.append(str(error))
                    continue
                for row, pieces in _limited_rows(entry.selector, items, made, result.bom):
                    one = _review_margin(result, made, row, pieces * number, entry)
                    found[row] = min(found.get(row, one), one, key=lambda each: np.nan_to_num(each[1], nan=inf))
    except (ConfigError, UsageError):  # check reports them
        if given is not None:
            raise
        return [], ()
    columns = np.full((4, len(made.labels) + 1), np.nan)
    for row, numbers in found.items():
        columns[:, row] = numbers
    return list(columns) if found else [], () if given is None else tuple(dict.fromkeys(absent))


def _review_margin(
    result: Result, made: ReviewTable, row: int, ceiling: float, entry: model.BudgetEntry
) -> tuple[float, float, float, float]:
    """Return a limit of a row of a review table, its margin, that in percent, and whether it is of the basic mass."""
    bases = (entry.basis, limits.margin_mass_basis(entry))
    mass, of = (_review_mass(result, made, row, basis, ceiling, is_known=entry.allows_missing) for basis in bases)
    whole = ceiling if entry.margin_basis == "allocation" else of
    percent = 100 * (ceiling - of) / whole if whole > 0 else np.nan
    return ceiling, ceiling - mass, percent, float(entry.basis == "basic")


def _review_mass(result: Result, made: ReviewTable, row: int, basis: str, ceiling: float, *, is_known: bool) -> float:
    """Return the mass that a limit of a row is compared with; a lower bound only if it is above the limit."""
    bom, names = result.bom, ("mass", "mass" if basis == "basic" else "predicted_mass")
    parts = made.group == row if row < len(made.labels) else made.group >= 0
    known = [column for name in names if (column := derived_column(result, name)) is not None]  # unknown is NaN
    mass, stated, count = known[0][parts], known[-1][parts], bom.tree.path_quantities(bom.quantity).count[parts]
    values = np.where(np.isfinite(stated), stated, mass) * count
    total, is_whole = float(np.nansum(values)), bool(np.isfinite(stated).all())
    if basis == "with-margin" and parts.sum() == (made.group >= 0).sum():
        total += model.BasisFigures(result, "with-margin").system_margin
    if abs(total - ceiling) <= ROUNDING_OF_TERMS * float(np.nansum(np.abs(values))):
        total = ceiling
    return total if is_known or is_whole or (total > ceiling and not (values < 0).any()) else np.nan


def _limited_rows(
    selector: model.Selector, items: list[int], made: ReviewTable, bom: Bom
) -> Iterator[tuple[int, float]]:
    """Find the rows of a review table that have the parts of a limit, with the pieces of the limited item."""
    pieces = bom.tree.path_quantities(bom.quantity).count
    limited: list[tuple[NDArray[Any], float]] = [(bom.tree.descendants(i), float(pieces[i])) for i in items]
    if items and selector.column and not selector.each:
        limited = [(np.flatnonzero(_selected_parts(selector, items, bom)[0]), 1.0)]
    for below, count in limited:
        parts = made.group[below]
        parts = parts[parts >= 0]
        if len(parts) == int((made.group >= 0).sum()):
            yield len(made.labels), count
        if len(parts) and (parts == parts[0]).all() and len(parts) == int((made.group == parts[0]).sum()):
            yield int(parts[0]), count


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
    table: BomSource | Result, budget: _BudgetSource = None, *, today: date | str | None = None, **unknown: Never
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
        return model.BasisFigures(of, basis, allows_missing=allows_missing, poi=poi, pending=budget.pending)

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
    of_table: Sequence[Finding] = [*findings_of_table(result, findings), *_limits_without_margin(verdicts, result)]
    judged, of_table = _apply_waivers(verdicts, of_table, budget.waivers, day, findings)
    return Check(judged, tuple(findings), result, of_table, budget.file)


show_keywords(check)


def _resolved_budget(given: object, result: Result, findings: Findings) -> model.Budget:
    """Join the budgets given, or else that of the configuration, with the limits of the table's columns."""
    names = [given] if isinstance(given, str | PathLike | model.Budget) else () if given is None else given
    if not isinstance(names, Sequence):
        raise UsageError(f"budget is not a budget: {type(given).__name__} (expected a Budget or the path of its file)")
    budgets = [one if isinstance(one, model.Budget) else read_budget(one) for one in dict.fromkeys(names)]
    name, budgets = result.bom.table.source.name, budgets or configured_budgets(result.bom)
    n_before, of_table = len(findings), column_limits(result, findings)
    if not budgets and not of_table and len(findings) == n_before:
        headings = limit_headings(result.bom)
        blank = f" (no limit is in {', '.join(headings)})" if headings else " such as Mass limit [kg]"
        raise ConfigError(
            f"{name}: no budget is given; name its file (budget, --budget), or add [[budget]] to {CONFIGURATION_NAME}, "
            f"or limits in a column{blank}"
        )
    of_table = _not_in_files(of_table, budgets, result.bom, findings)
    return join_budgets([*budgets, *([model.Budget(name, tuple(of_table))] if of_table or not budgets else [])])


def configured_budgets(bom: Bom, *, all_tables: bool = False) -> list[model.Budget]:
    """Read the budget of the configuration of a table; one without limits only with ``all_tables``."""
    files = bom.options.configuration
    found = read_settings(bom.table.source.name, files[-1]).budget if files else None
    budgets = [] if found is None else [read_budget(found[0], within=found[1])]
    return [one for one in budgets if one.entries or all_tables]


def _not_in_files(
    of_table: Sequence[model.BudgetEntry], budgets: Sequence[model.Budget], bom: Bom, findings: Findings
) -> list[model.BudgetEntry]:
    """Return the limits of columns without those that a budget file states too, which are reported."""
    stated = dict[tuple[str, str], model.BudgetEntry]()
    for entry in (entry for budget in budgets for entry in budget.entries if of_table):
        with suppress(UsageError):  # reported where the entry is checked
            if not entry.selector.column or entry.selector.each:
                items = _selected_items(entry.selector, bom)
                stated |= {(bom.ids[i], limit.subject): entry for i in items for limit in entry.limits}
    kept = list[model.BudgetEntry]()
    for entry in of_table:
        (limit, *margin), item = entry.limits, entry.selector.pattern
        if (of_file := stated.get((item, limit.subject))) is None or margin:  # a required margin is not in the file
            kept.append(entry)
            continue
        words = model.limit_inequality(limit, model.limit_quantity(limit.subject))
        message = f"limit of {item} in the table is not used, because the budget file states another: {words}"
        findings.report("MP626", message, limit.place, item=item, related=(of_file.place,))
    return kept


def _limits_without_margin(verdicts: Sequence[model.Verdict], result: Result) -> Iterator[Finding]:
    """Report kept limits of the mass of the root that the system margin of the table breaks."""
    bom, margin = result.bom, model.BasisFigures(result, "with-margin").system_margin
    for one in (one for one in verdicts if margin and one.subject == "mass-max" and one.kept):
        more = margin / model.table_unit_factor(one.unit, model.limit_dimension("mass-max"), bom.units)
        if one.item != bom.ids[bom.tree.order[0]] or "with-margin" in one.requirement or one.value is None:
            continue
        if one.limit is not None and (over := one.value + more - one.limit) > ROUNDING_OF_TERMS * one.limit:
            texts = (model.number_with_unit(x, one.unit, one.limit) for x in (more, one.value + more, over))
            message = "limit is kept only without the system margin of the table, {}: with it, {} is above by {}"
            yield rule_finding("MP628", message.format(*texts), one.place, item=one.item, related=(one.item_place,))


def _check_growth(result: Result, budget: model.Budget, findings: Findings) -> None:
    """Report that entries limit predicted masses of a table without growth."""
    masses = ("mass-max", "mass-min", "margin-min")
    entries = [
        entry
        for entry in budget.entries
        if entry.basis != "basic" and any(limit.subject in masses for limit in entry.limits)
    ]
    if entries and result.predicted is None:
        message = "no growth is stated; predicted masses equal basic masses"
        has_maturity = {"category", "maturity"} <= result.bom.columns.by_quantity.keys()
        remedy = "pass --config growth-table=…, which gives growth by category and maturity" if has_maturity else None
        findings.report("MP624", message, entries[0].place, count=len(entries), remedy=remedy)
