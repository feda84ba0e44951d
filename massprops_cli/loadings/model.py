"""A loading condition as a sequence of changes of a table, and the changes of its bases before its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from massprops_cli.findings.finding import NO_PLACE, Findings, Place, nearest_name_hint

CHANGE_KINDS = {
    "off": "off", "drop": "off", "on": "on", "add": "on", "set": "set", "scale": "scale", "burn": "burn",
    "pose": "pose", "deploy": "pose", "fill": "fill", "q": "joint", "new": "new", "move": "move",
}  # fmt: skip
"""Kind of a change by the key of a condition; steps of missions have words of their own for some."""


class Change(NamedTuple):
    """One change of an item."""

    kind: str  # a value of CHANGE_KINDS
    item: str  # id or name; of off and on also ``where COLUMN = VALUE``; of set and scale ``ID.quantity``
    value: float | str | Mapping[str, str] | None = None
    place: Place = NO_PLACE
    is_state: bool = False  # of off and on: the state is stated, and may be that of the base


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition: changes of another condition, or of the table."""

    name: str
    base: str = ""
    changes: tuple[Change, ...] = ()
    place: Place = NO_PLACE
    is_step: bool = False  # of a mission: its items must be in the vehicle, and those added must not
    own: tuple[Change, ...] = ()  # with bases: the last of the changes

    @property
    def fills(self) -> Mapping[str, float]:
        """Fill of tanks in percent, by name."""
        return {one.item: one.value for one in self.changes if one.kind == "fill" and isinstance(one.value, float)}


def with_bases(conditions: Sequence[Condition], findings: Findings) -> list[Condition]:
    """Return conditions with the changes of their bases before their own; unknown bases and cycles are findings."""
    named = {one.name: one for one in conditions}
    whole = []
    for one in conditions:
        if one.name == "all":
            message, remedy = "condition has the name all, a word for all conditions", "give it another name"
            findings.report("MP632", message, one.place, value=one.name, remedy=remedy)
        chain, above = [one], one
        while above.base:
            if above.base not in named:
                hint = nearest_name_hint(above.base, named) or f" (expected one of {', '.join(named)})"
                message = f"base of condition {above.name} is not a condition: {above.base}{hint}"
                if above is one:
                    findings.report("MP630", message, above.place, value=above.base)
                break
            above = named[above.base]
            if above in chain:
                if above is one:  # the others of the cycle, and those with a base in it, follow from it
                    cycle = " → ".join([*(each.name for each in chain), one.name])
                    message = f"condition {one.name} is its own base: {cycle}"
                    findings.report("MP631", message, one.place, value=one.base)
                break
            chain.append(above)
        changes = tuple(change for each in reversed(chain) for change in each.changes)
        whole.append(replace(one, changes=changes, own=one.changes))
    return whole
