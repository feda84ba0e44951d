"""Which items of a table an entry of a budget is about.

What checking a budget gives: verdicts, and everything else that is to be said.

Waivers applied to verdicts: which broken limits are put up with, and which waivers are unused or have expired.

The door to budgets: a result and a budget in, verdicts out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase, translate
from functools import cache, partial
from typing import Any, Never

import numpy as np

from massprops_cli.bom import Bom, Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.budgets.figures import BasisFigures
from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.limits import LIMIT_CHECKS, LimitCheck, probability_verdicts
from massprops_cli.budgets.model import Basis, Budget, Selector, Verdict, Waiver
from massprops_cli.findings import ConfigError, Finding, Findings, Severity, UsageError, nearest_name_hint
from massprops_cli.options import check_own_keywords, show_keywords
from massprops_cli.tables import column_by_reference


@dataclass(frozen=True, repr=False)
class Check:
    """A budget held against a result.

    ``verdicts`` stand in the order of the budget file; ``said`` are findings about the budget itself: entries that
    select nothing, waivers that are unused or have expired. ``of_table`` are the findings of the result, those of
    stated totals that are waived as notes with the reason.
    """

    verdicts: Sequence[Verdict]
    said: Sequence[Finding]
    result: Result
    of_table: Sequence[Finding]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found: in the table, by the roll-up, about the budget, and each limit not kept."""
        broken = (verdict.finding for verdict in self.verdicts if not verdict.kept)
        return (*self.of_table, *self.said, *broken)

    @property
    def is_kept(self) -> bool:
        """Whether no limit is broken that is not waived, and nothing is wrong with the table or the budget."""
        return not any(finding.severity.value == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Give the verdicts and the findings as plain JSON values."""
        return {
            "kept": self.is_kept,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def _selected_items(selector: Selector, bom: Bom) -> list[int]:
    """Give the numbers of the items that fit, in file order; raises UsageError, which says why, where none does.

    An id is taken before a pattern, so that ids may hold ``*`` and ``[``.

    >>> from massprops_cli.bom.bom import Bom
    >>> rows = [{"id": "SAT", "parent": ""}, {"id": "TANK 1", "parent": "SAT"}, {"id": "TANK 2", "parent": "SAT"}]
    >>> _selected_items(Selector("TANK *"), Bom.from_records(rows)), _selected_items(Selector(level=0), Bom.from_records(rows))
    ([1, 2], [0])
    """
    if selector.level is not None:
        return _items_of_level(selector.level, bom)
    return _items_of_column_value(selector, bom) if selector.column else _items_of_pattern(selector.pattern, bom)


def _items_of_level(level: int, bom: Bom) -> list[int]:
    """Give the items so many steps below the root."""
    found = _items_with_rows(bom, np.flatnonzero(bom.tree.depth() == level).tolist())
    if not found:
        raise UsageError(f"no item stands on level {level}; the deepest is {len(bom.tree.levels) - 2}, the root 0")
    return found


def _items_of_column_value(selector: Selector, bom: Bom) -> list[int]:
    """Give the items whose cell in a column is a text; the column by its header, or by its canonical name."""
    column = _selector_column(selector.column, bom)
    texts = bom.table.texts(column, bom.columns.first_row)
    rows = (bom.rows - bom.columns.first_row).tolist()
    fits = [i for i, row in enumerate(rows) if row >= 0 and texts[row].strip() == selector.value.strip()]
    found = _items_with_rows(bom, fits)
    if not found:
        values = sorted({texts[row].strip() for row in rows if row >= 0} - {""})
        hint = nearest_name_hint(selector.value, values)
        raise UsageError(f"no item has {selector.value} under {selector.column}{hint}")
    return found


def _items_of_pattern(pattern: str, bom: Bom) -> list[int]:
    """Give the item with an id, or the items whose ids fit a pattern of ``*``, ``?`` and ``[…]``."""
    try:
        return [bom.item(pattern)]
    except UsageError:
        if not re.search(r"[*?[]", pattern):
            raise
    fits = re.compile(translate(pattern)).fullmatch
    found = _items_with_rows(bom, [i for i, name in enumerate(bom.ids) if fits(name)])
    if not found:
        raise UsageError(f"no item has an id that fits {pattern}")
    return found


def _selector_column(name: str, bom: Bom) -> int:
    """Give the place of a column; raises UsageError with the nearest header."""
    headers = [text.strip() for text in bom.columns.header]
    places = [j for j, text in enumerate(headers) if text == name.strip()]
    if len(places) > 1:
        raise UsageError(f"{len(places)} columns have the header {name}")
    if places:
        return places[0]
    if name in bom.columns.by_quantity:
        return bom.columns.by_quantity[name].index
    if (column := column_by_reference(name, bom.table)) is not None:
        return column
    raise UsageError(f"no column has the header {name}{nearest_name_hint(name, headers)}")


def _items_with_rows(bom: Bom, items: Sequence[int]) -> list[int]:
    """Leave out what is no row of the user's: the leaves that hold an assembly's own numbers."""
    return [i for i in items if bom.extra is None or not bom.extra[i]]


def _is_pattern_match(pattern: str, name: str) -> bool:
    """Tell whether an id is a pattern, or fits it.

    >>> _is_pattern_match("TANK*", "TANK 1"), _is_pattern_match("A[1]", "A[1]")
    (True, True)
    """
    return name == pattern or fnmatchcase(name, pattern)


def _apply_waivers(
    verdicts: Sequence[Verdict], of_table: Sequence[Finding], waivers: Sequence[Waiver], today: date, findings: Findings
) -> tuple[list[Verdict], Sequence[Finding]]:
    """Apply the waivers in force to broken limits and to differing totals; reports those expired or without use."""
    holding = [waiver for waiver in waivers if not waiver.has_expired(today)]
    used: set[int] = set()

    def first_for(one: Verdict | Finding) -> Waiver | None:
        fitting = [waiver for waiver in holding if _is_waiver_for(waiver, one)]
        used.update(map(id, fitting))
        return fitting[0] if fitting else None

    judged = [verdict if verdict.kept else replace(verdict, waiver=first_for(verdict)) for verdict in verdicts]
    of_table = [_waived_finding(finding, first_for(finding)) for finding in of_table]
    for waiver in waivers:
        what = f"the waiver of {waiver.rule} for {waiver.item}"
        if waiver.has_expired(today):
            message = f"{what} expired on {waiver.expires}: {waiver.reason}"
            findings.report("MP612", message, waiver.place, item=waiver.item, value=str(waiver.expires))
        elif id(waiver) not in used:
            findings.report("MP611", f"{what} waives nothing", waiver.place, item=waiver.item)
    return judged, of_table


def _waived_finding(finding: Finding, waiver: Waiver | None) -> Finding:
    """Give a finding as a note with the reason of its waiver; as it is where there is none."""
    if waiver is None:
        return finding
    return replace(finding, severity=Severity.NOTE, message=f"{finding.message}; waived: {waiver.reason}")


def _is_waiver_for(waiver: Waiver, one: Verdict | Finding) -> bool:
    """Tell whether a waiver is about a broken limit, or about a total that differs."""
    return waiver.rule == one.rule and _is_pattern_match(waiver.item, one.item)


def check(table: Bom | Result, budget: Budget | str, *, today: date | None = None, **unknown: Never) -> Check:
    """Check a table against a mass budget.

    Parameters
    ----------
    table : Bom or Result
        A bill of materials, or its roll-up.
    budget : Budget or str
        A budget, or the name of its file.
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
        An invalid budget file, or a limit with a unit where the table states none.
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
    result = table if isinstance(table, Result) else rollup(table)
    if isinstance(budget, str):
        budget = read_budget(budget)

    @cache
    def figures(basis: Basis, allows_missing: bool) -> BasisFigures:
        return BasisFigures(result, basis, allows_missing=allows_missing)

    verdicts: list[Verdict] = []
    findings = Findings()
    for entry in budget.entries:
        try:
            items = _selected_items(entry.selector, result.bom)
        except UsageError as error:
            findings.report("MP610", str(error), entry.place)
            continue
        numbers = partial(figures, allows_missing=entry.allows_missing)
        cases = [LimitCheck(entry, limit, i, numbers) for i in items for limit in entry.limits]
        verdicts += [verdict for case in cases for verdict in _limit_verdicts(case)]
    _check_growth(result, budget, findings)
    day = today or date.today()
    judged, of_table = _apply_waivers(verdicts, result.findings, budget.waivers, day, findings)
    return Check(judged, tuple(findings), result, of_table)


show_keywords(check)


def _check_growth(result: Result, budget: Budget, findings: Findings) -> None:
    """Note that entries are about predicted masses, and that nothing in the table states growth."""
    masses = ("mass-max", "mass-min", "margin-min")
    entries = [
        entry
        for entry in budget.entries
        if entry.basis == "predicted" and any(limit.subject in masses for limit in entry.limits)
    ]
    if entries and result.predicted is None:
        message = "no growth is stated: predicted masses are the basic ones"
        findings.report("MP624", message, entries[0].place, count=len(entries))


def _limit_verdicts(case: LimitCheck) -> list[Verdict]:
    """Judge one limit of one item; a probability is judged of every other limit of the entry.

    Raises ConfigError for a limit with a unit on a table that states none.
    """
    subject = case.limit.subject
    try:
        return probability_verdicts(case) if subject == "probability-min" else [LIMIT_CHECKS[subject](case)]
    except UsageError as error:
        raise ConfigError(f"{case.limit.place}: {subject}: {error}") from None
