"""A verdict is a value: one limit of one item, what was computed, and whether the limit is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from massprops_cli.budget.waiver import Waiver
from massprops_cli.findings import Finding, Place, Severity, found
from massprops_cli.findings.finding import NOWHERE


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit, checked for one item.

    ``subject`` is the key of the budget file, such as ``mass-max`` or ``center-x``, and ``asked`` says the limit with
    its unit. ``value`` and ``limit`` (of two ends the nearer) are in ``unit``; so is ``margin``, how far the value may
    still move, negative where the limit is broken. Each is None where it is not known: a limit whose value is not
    known is not kept. ``place`` is the limit's line in the budget file, ``item_place`` the item's in the table.

    >>> verdict = Verdict("MP601", "SAT", "", "mass-max", "mass ≤ 850 kg", 860.0, 850.0, "kg", -10.0, False, "over")
    >>> verdict.finding.severity.value, verdict.to_dict()["margin"]
    ('error', -10.0)
    """

    rule: str
    item: str
    name: str
    subject: str
    asked: str
    value: float | None
    limit: float | None
    unit: str
    margin: float | None
    kept: bool
    message: str
    severity: Severity = Severity.ERROR
    waiver: Waiver | None = None
    place: Place = NOWHERE
    item_place: Place = NOWHERE

    @property
    def is_broken(self) -> bool:
        """Whether the limit is neither kept nor waived."""
        return not self.kept and self.waiver is None

    @property
    def finding(self) -> Finding:
        """The verdict as a finding at the item's place; a waived one is a note."""
        severity = self.severity if self.waiver is None else Severity.NOTE
        why = "" if self.waiver is None else f"; waived: {self.waiver.reason}"
        related = (self.place,) if str(self.place) else ()
        return found(
            self.rule,
            self.message + why,
            self.item_place,
            item=self.item,
            severity=severity,
            related=related,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain JSON values; what is not known is null."""
        values = {
            key: getattr(self, key)
            for key in ("rule", "item", "name", "subject", "asked", "value", "limit", "unit", "margin", "kept")
        }
        return {
            **values,
            "severity": self.severity.value,
            "message": self.message,
            "waiver": None if self.waiver is None else self.waiver.to_dict(),
            "place": str(self.place),
            "item_place": str(self.item_place),
        }
