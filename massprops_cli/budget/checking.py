"""The door to budgets: a result and a budget in, verdicts out."""

from __future__ import annotations

from datetime import date

from massprops_cli.bom.answers.result import Result
from massprops_cli.budget.check import Check
from massprops_cli.budget.entries import Budget
from massprops_cli.findings import UsageError


def check(result: Result, budget: Budget, *, today: date | None = None) -> Check:
    """Hold a budget against a result; ``today`` tells which waivers have expired, else the computer's clock does."""
    raise UsageError("budgets cannot be checked yet")
