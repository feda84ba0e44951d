"""Check of a bill of materials against a budget: the figures that limits apply to, and a verdict for each limit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase, translate
from functools import cache, partial
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, Never, cast

import numpy as np

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.configuration_file import CONFIGURATION_NAME
from massprops_cli.bom.items.item_rows import requested_column
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.bom.settings import read_settings
from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.limits import LIMIT_CHECKS, LimitCheck, probability_verdicts
from massprops_cli.budgets.model import Basis, BasisFigures, Budget, Selector, Verdict, Waiver
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
    nearest_name_hint,
)
from massprops_cli.options import RollupMethod, check_own_keywords, show_keywords
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

    verdicts: Sequence[Verdict]
    budget_findings: Sequence[Finding]
    result: Result
    of_table: Sequence[Finding]

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
        rows = ((one.item, one.subject, "kept" if one.kept else "not kept", one.message) for one in self.verdicts)
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


def _selected_items(selector: Selector, bom: Bom) -> list[int]:
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


def _column_values(selector: Selector, bom: Bom) -> list[str]:
    """Return the texts (n,) of the items in the column of a selector."""
    column = requested_column(selector.column, bom.table, bom.columns)
    return [text.strip() for text in bom.item_rows.texts(column)]


def _selected_sum(selector: Selector, items: Sequence[int], result: Result) -> tuple[Result, list[int]]:
    """Return the sum of the selected items as the root of a roll-up, or the one branch that they are.

    The sum has the leaves whose own value, or else that of the nearest item above with one, is selected.
    """
    bom, tree = result.bom, result.bom.tree
    chosen, inside, under = set(items), np.zeros(len(tree), bool), np.zeros(len(tree), bool)
    values, pieces = _column_values(selector, bom), bom.quantity.count.copy()
    for i in tree.order.tolist():  # parents before children
        above = int(tree.parent[i])
        inside[i] = i in chosen or (not values[i] and above >= 0 and inside[above])
        under[i] = i in chosen or (above >= 0 and under[above])
        pieces[i] = pieces[i] * pieces[above] if above >= 0 else 1.0
    ends = tree.is_leaf() if bom.stated is None else tree.is_leaf() | bom.stated
    kept = inside if (ends & inside).any() else under
    tops = [i for i in items if not (tree.parent[i] >= 0 and under[tree.parent[i]])]
    if len(tops) == 1 and pieces[tops[0]] == 1 and (kept == under)[ends].all():
        return result, tops
    root, ids, rows = int(tree.order[0]), list(bom.ids), bom.rows.copy()
    ids[root], rows[root] = f"{selector.column} = {selector.value}", rows[items[0]]
    count = np.where(ends & ~kept, 0.0, bom.quantity.count)
    names = None if bom.names is None else ["" if i == root else name for i, name in enumerate(bom.names)]
    part = replace(bom, ids=ids, names=names, rows=rows, quantity=ItemQuantity(count, bom.quantity.measured))
    request = result.uncertainty_request
    shared = {name: getattr(request, name) for name in ("correlate", "correlate_centers", "correlations")}
    method = cast("RollupMethod", "covariance" if request.method == "montecarlo" else request.method)
    return rollup(part, method, keep_going=True, **shared), [root]


def _items_with_rows(bom: Bom, items: Sequence[int]) -> list[int]:
    """Return the items with a row in the table, without generated leaves."""
    return [i for i in items if bom.extra is None or not bom.extra[i]]


def _apply_waivers(
    verdicts: Sequence[Verdict], of_table: Sequence[Finding], waivers: Sequence[Waiver], today: date, findings: Findings
) -> tuple[list[Verdict], Sequence[Finding]]:
    """Apply valid waivers to broken limits and differing totals; reports expired and unused waivers."""
    valid = [waiver for waiver in waivers if not waiver.has_expired(today)]
    used: set[int] = set()

    def first_for(one: Verdict | Finding) -> Waiver | None:
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


def _waived_finding(finding: Finding, waiver: Waiver | None) -> Finding:
    """Return a waived finding as a note with the reason; without a waiver unchanged."""
    if waiver is None:
        return finding
    return replace(finding, severity=Severity.NOTE, message=f"{finding.message}; waived: {waiver.reason}")


def _is_waiver_for(waiver: Waiver, one: Verdict | Finding) -> bool:
    """Return whether a waiver applies to a broken limit of its own file or of the table, or to a differing total."""
    if isinstance(one, Verdict) and one.place.file not in (waiver.place.file, one.item_place.file):
        return False
    return waiver.rule == one.rule and (one.item == waiver.item or fnmatchcase(one.item, waiver.item))


def check(
    table: BomSource | Result,
    budget: Budget | str | PathLike[str] | None = None,
    *,
    today: date | None = None,
    **unknown: Never,
) -> Check:
    """Check a table against a mass budget.

    Parameters
    ----------
    table : BomSource or Result
        A bill of materials, a table (path, open file or DataFrame) that is read with the defaults of ``read_bom``, or a
        roll-up.
    budget : Budget, str or path, optional
        A budget, or its file; default: ``[[budget]]`` in the configuration of the table, as on the command line.
    today : datetime.date, optional
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
    if budget is None:
        budget = _configured_budget(result.bom)
    elif isinstance(budget, str | PathLike):
        budget = read_budget(budget)
    if not isinstance(budget, Budget):
        raise UsageError(f"budget is not a budget: {type(budget).__name__} (expected a Budget or the path of its file)")
    if not isinstance(today, date | None):
        raise UsageError(f"today is not a date: {today!r}")

    @cache
    def figures(basis: Basis, of: Result, allows_missing: bool, poi: str) -> BasisFigures:
        return BasisFigures(of, basis, allows_missing=allows_missing, poi=poi)

    verdicts: list[Verdict] = []
    findings = Findings()
    for entry in budget.entries:
        try:
            items = _selected_items(entry.selector, result.bom)
        except UsageError as error:
            findings.report("MP610", str(error), entry.place)
            continue
        of = result
        if entry.selector.column and not entry.selector.each:
            of, items = _selected_sum(entry.selector, items, result)
        poi = entry.products or _products_sign(result.bom)
        numbers = partial(figures, of=of, allows_missing=entry.allows_missing, poi=poi)
        cases = [LimitCheck(entry, limit, i, numbers) for i in items for limit in entry.limits]
        verdicts += [verdict for case in cases for verdict in _limit_verdicts(case)]
    _check_growth(result, budget, findings)
    day = today or date.today()
    judged, of_table = _apply_waivers(verdicts, result.findings, budget.waivers, day, findings)
    return Check(judged, tuple(findings), result, of_table)


show_keywords(check)


def _configured_budget(bom: Bom) -> Budget:
    """Read the budget in the configuration that a table was read with; raises ConfigError without one."""
    files, name = bom.options.configuration, bom.table.source.name
    found = read_settings(name, files[-1]).budget if files else None
    if found is None:
        raise ConfigError(f"{name}: no budget is given; pass budget, or add [[budget]] to {CONFIGURATION_NAME}")
    file, within = found
    return read_budget(file, within=within)


def _products_sign(bom: Bom) -> str:
    """Return the sign convention of the products that rows state: + or -, ± for both, - without any."""
    inertia = bom.bodies.inertia
    states = np.ones(len(bom), bool) if inertia is None else (inertia[:, 3:] != 0).any(axis=1) & bom.tree.is_leaf()
    signs = set((bom.sign[states] if states.any() else bom.sign).tolist()) - {0}
    return {1: "+", -1: "-", 0: "±"}[sum(signs)] if signs else "-"


def _check_growth(result: Result, budget: Budget, findings: Findings) -> None:
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


def _limit_verdicts(case: LimitCheck) -> list[Verdict]:
    """Check one limit of one item; a probability applies to every other limit of the entry."""
    subject = case.limit.subject
    try:
        return probability_verdicts(case) if subject == "probability-min" else [LIMIT_CHECKS[subject](case)]
    except UsageError as error:
        raise ConfigError(f"{case.limit.place}: {subject}: {error}") from None
