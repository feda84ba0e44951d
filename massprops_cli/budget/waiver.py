"""A waiver: a broken limit that is put up with, for a reason and until a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from massprops_cli.findings import Place


@dataclass(frozen=True, slots=True)
class Waiver:
    """One ``[[waive]]`` of a budget file: ``rule`` (code), ``item`` (id or pattern), why, and the last day it holds.

    ``expires`` is None for one that holds for ever; ``place`` is its line in the budget file.

    >>> Waiver("MP601", "TANK", "until the composite tank is in", date(2027, 3, 31)).has_expired(date(2027, 3, 31))
    False
    """

    rule: str
    item: str
    reason: str
    expires: date | None = None
    place: Place = Place()  # noqa: RUF009  (a frozen value)

    def has_expired(self, today: date) -> bool:
        """Tell whether its last day has passed."""
        return self.expires is not None and today > self.expires

    def to_dict(self) -> dict[str, Any]:
        """Give plain JSON values; ``expires`` is an ISO date, or null."""
        expires = None if self.expires is None else self.expires.isoformat()
        return {"rule": self.rule, "item": self.item, "reason": self.reason, "expires": expires}
