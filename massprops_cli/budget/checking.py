"""The door to budgets: a result and a budget in, verdicts out."""

from __future__ import annotations

from datetime import date
from functools import cache

from massprops_cli.bom.answers.result import Result
from massprops_cli.bom.answers.rolling import rollup
from massprops_cli.bom.bom import Bom
from massprops_cli.budget.budget_file import read_budget
from massprops_cli.budget.case import Case
from massprops_cli.budget.check import Check
from massprops_cli.budget.entries import Basis, Budget
from massprops_cli.budget.figures import Figures
from massprops_cli.budget.judging import JUDGES
from massprops_cli.budget.probable import judge_probability
from massprops_cli.budget.selecting import select
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.waiving import waive
from massprops_cli.findings import ConfigError, Finding, UsageError, found


def check(table: Bom | Result, budget: Budget | str, *, today: date | None = None) -> Check:
    """Hold a budget, or the file of that name, against a table or its roll-up.

    ``today`` tells which waivers have expired, else the computer's clock does. Raises FindingsError for a table with
    errors, and ConfigError for a file that cannot be understood, or where a limit states a unit and the table none.

    >>> from massprops_cli.budget.budget_file import budget_of
    >>> bom = Bom.from_records([{"id": "SAT", "parent": "", "mass [kg]": 860.0}])
    >>> kept = check(bom, budget_of("budget.toml", "", {"budget": [{"item": "SAT", "mass-max": "850 kg"}]}))
    >>> kept.is_kept, kept.verdicts[0].message
    (False, 'SAT: predicted mass 860 kg is above 850 kg by 10 kg')
    """
    result = table if isinstance(table, Result) else rollup(table)
    if isinstance(budget, str):
        budget = read_budget(budget)

    @cache
    def figures(basis: Basis) -> Figures:
        return Figures(result, basis)

    verdicts: list[Verdict] = []
    said: list[Finding] = []
    for entry in budget.entries:
        try:
            items = select(entry.selector, result.bom)
        except UsageError as error:
            said.append(found("MP610", str(error), entry.place))
            continue
        cases = [Case(entry, limit, i, figures) for i in items for limit in entry.limits]
        verdicts += [verdict for case in cases for verdict in judge(case)]
    judged, of_waivers = waive(verdicts, budget.waivers, today or date.today())
    return Check(judged, (*said, *of_waivers), result)


def judge(case: Case) -> list[Verdict]:
    """Judge one limit of one item; a probability is judged of every other limit of the entry.

    Raises ConfigError for a limit with a unit on a table that states none.
    """
    subject = case.limit.subject
    try:
        return judge_probability(case) if subject == "probability-min" else [JUDGES[subject](case)]
    except UsageError as error:
        raise ConfigError(f"{case.limit.place}: {subject}: {error}") from None
