"""What checking a budget gives: verdicts, and everything else that is to be said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from massprops_cli.bom.answers.result import Result
from massprops_cli.budget.verdict import Verdict
from massprops_cli.findings import Finding


@dataclass(frozen=True, repr=False)
class Check:
    """A budget held against a result.

    ``verdicts`` stand in the order of the budget file; ``said`` are findings about the budget itself: entries that
    select nothing, waivers that are unused or have expired.
    """

    verdicts: Sequence[Verdict]
    said: Sequence[Finding]
    result: Result

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found: in the table, by the roll-up, about the budget, and each limit not kept."""
        broken = (verdict.finding for verdict in self.verdicts if not verdict.kept)
        return (*self.result.findings, *self.said, *broken)

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
