"""The table in a condition: its arrays with the changes in them, as of the table with other cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import at_items
from massprops_cli.bodies.poses import Poses
from massprops_cli.bom import changed_table
from massprops_cli.bom.bom import Bom, read_options_from_keywords
from massprops_cli.bom.items.motion_texts import length_vector, rotation_matrix
from massprops_cli.bom.items.pose_cells import ItemPoses, turned_sigmas
from massprops_cli.bom.whatif_draft import (
    EditedRows,
    WhatIfDraft,
    apply_changes,
    read_changes,
    scale_mass,
    set_number,
    whatif_draft,
)
from massprops_cli.findings.finding import Findings, FindingsError, TableError, UsageError, name_list, nearest_name_hint
from massprops_cli.loadings.model import Change, Condition
from massprops_cli.loadings.totals import CellChanges, ConditionedBom
from massprops_cli.rollups.inputs import with_rows
from massprops_cli.tables.rows.row_filter import matching_items
from massprops_cli.tanks.schedule import with_liquids
from massprops_cli.tanks.tank_file import tanks_of_table

_MOST_NOTES = 6  # changes of a condition that its note lists
_POSE_KEYS = ("rotate", "pivot", "translate")
_Motion = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Rotation R (3, 3) and translation t (3,) of x' = R x + t, in the frame of the table."""


def conditioned_boms(bom: Bom, conditions: Sequence[Condition], findings: Findings) -> dict[str, ConditionedBom]:
    """Return the table in each condition, whose changes include those of its bases; what is wrong is in findings."""
    tables: dict[tuple[Any, ...], Bom | None] = {}
    drafts: list[_Draft] = []
    for condition in conditions:
        structure = [one for one in condition.changes if _is_structural(one)]
        key = tuple((one.kind, one.item, str(one.value)) for one in structure)
        if key not in tables:
            tables[key] = _restructured(bom, condition, structure, findings) if structure else bom
        if (table := tables[key]) is not None:
            drafts.append(_Draft(condition, table, findings))
    _read_numbers(drafts, findings)
    return {one.condition.name: one.made for one in drafts if one.made is not None}


def _is_structural(change: Change) -> bool:
    """Return whether a change is of the tree, or of cells that make bodies: the table is read again."""
    is_cell = change.kind == "set" and change.item.rpartition(".")[2] in changed_table.CELL_QUANTITIES
    return is_cell or change.kind in ("new", "move", "joint")


def _restructured(bom: Bom, condition: Condition, changes: Sequence[Change], findings: Findings) -> Bom | None:
    """Read the table again with other items, parents, shapes or joint positions; None where it cannot."""
    try:
        joints = [one.item for one in changes if one.kind == "joint"]
        made = _bom_at(bom, joints) if joints else bom
        new = [one.item for one in changes if one.kind == "new"]
        move = {one.item: str(one.value) for one in changes if one.kind == "move"}
        cells = {one.item: _cell_value(one.value) for one in changes if one.kind == "set"}
        return changed_table.restructure_bom(made, new, move, cells) if new or move or cells else made
    except (FindingsError, TableError) as error:
        findings += [one for one in error.findings if one not in findings]
    except UsageError as error:
        place = changes[0].place
        findings.report("MP630", f"condition {condition.name}: {error}", place, value=changes[0].item)
    return None


def _cell_value(value: object) -> float | str:
    """Return the value of a cell."""
    return value if isinstance(value, float) else str(value)


def _bom_at(bom: Bom, joints: Sequence[str]) -> Bom:
    """Read a robot again with other positions of its joints: ``elbow=30 deg``, or the name of a ``[pose.NAME]``."""
    source = bom.table.source
    if not source.is_robot:
        raise UsageError(f"positions of joints need a robot, and {source.name} is a table")
    poses = [text for text in joints if "=" not in text]
    if len(poses) > 1:
        raise UsageError(f"one pose is expected, not {', '.join(poses)}")
    positions = dict(text.split("=", 1) for text in joints if "=" in text)
    of_file, _ = read_options_from_keywords({"q": positions, "pose": "".join(poses)}, source.name)
    return type(bom).read(source.name, of_file, bom.options)


def _filled(made: ConditionedBom, condition: Condition, findings: Findings) -> ConditionedBom:
    """Return the table with its liquids: tanks have the fills of the condition, by name or item, or else their own."""
    bom = made.bom
    of_tanks = Findings()
    tanks = tanks_of_table(bom, of_tanks)
    findings += [one for one in of_tanks if one not in findings]
    names = {**{tank.item: name for name, tank in tanks.items()}, **{name: name for name in tanks}}
    places = {one.item: one.place for one in condition.changes if one.kind == "fill"}
    for text in (text for text in condition.fills if text not in names and text not in bom.options.tanks):
        hint = nearest_name_hint(text, names) or ("" if names else "; state tanks as [tank.NAME] in massprops.toml")
        message = f"tank of condition {condition.name} is not known: {text}{hint}"
        findings.report("MP636", message, places[text], item=text, value=text)
    for one in condition.changes:  # the liquid is in the place of the numbers of the row
        item = one.item.rpartition(".")[0] if one.kind in ("set", "scale") and not _is_structural(one) else one.item
        if one.kind in ("set", "scale", "burn") and item in names and tanks[names[item]].replaces:
            if one.item.endswith(".qty"):
                continue
            message = (
                f"condition {condition.name}: {one.kind} of {item} has no effect, because tank {names[item]} fills it"
            )
            remedy = f"state the fill of the tank: fill = {{ {names[item]} = 60 }}"
            findings.report("MP633", message, one.place, item=item, value=one.item, remedy=remedy)
    fills = {names[text]: percent for text, percent in condition.fills.items() if text in names}
    return replace(made, made=with_liquids(bom, fills, tanks=tanks), dry=bom, fills=fills) if tanks else made


def _read_numbers(drafts: Sequence[_Draft], findings: Findings) -> None:
    """Read the rows with other numbers, those of all conditions of a table in one pass, and make further changes."""
    tables = {id(one.bom): one.bom for one in drafts}
    for table in tables.values():
        of_table = [one for one in drafts if one.bom is table]
        try:
            rows = read_changes([draft for one in of_table for draft in one.drafts])
        except (UsageError, FindingsError):
            rows = [one.rows_or_fault(draft) for one in of_table for draft in one.drafts]
        following = iter(rows)
        for one in of_table:
            one.make([next(following) for _ in one.drafts])


@dataclass(eq=False, repr=False)
class _Draft:
    """A condition while it is applied: the numbers of all items, which items are off, and how branches move."""

    condition: Condition
    bom: Bom
    findings: Findings
    motions: list[tuple[int, _Motion]] = field(default_factory=list)  # of branches, in order
    notes: list[str] = field(default_factory=list)
    made: ConditionedBom | None = None

    def __post_init__(self) -> None:
        """Set the numbers of cells, of which the last of a chain of bases counts."""
        bom = self.bom
        own = bom if bom.own_numbers is None else replace(bom, bodies=bom.own_numbers[0], sigmas=bom.own_numbers[1])
        self.draft: WhatIfDraft = whatif_draft(own, own)
        self.again: dict[int, WhatIfDraft] = {}  # numbers that are set after the item was scaled or burned, by change
        first: dict[tuple[int, str], Change] = {}
        numbers: dict[tuple[int, str], Change] = {}
        used: set[int] = set()
        for k, one in enumerate(self.condition.changes):
            item = self._item_of(one) if one.kind in ("set", "scale", "burn") else None
            if item is not None and one.kind != "set":
                used.add(item)
            elif item is not None and used & {item, *bom.tree.ancestors(item)}:
                self._try(one, self._name, one, numbers)
                self.again[k] = whatif_draft(own, own)
                for (i, quantity), each in numbers.items():
                    if each is one or (i == item and quantity != "qty" and not one.item.endswith(".qty")):
                        self._try(each, self._set, self.again[k], i, quantity, each.value)
            elif one.kind == "set" and not _is_structural(one):
                self._try(one, self._name, one, first)
                numbers |= first
        for (i, quantity), one in first.items():
            self._try(one, self._set, self.draft, i, quantity, one.value)

    def _name(self, change: Change, numbers: dict[tuple[int, str], Change]) -> None:
        """Enter a number under its item and quantity; another one of the same condition is a fault."""
        key = changed_table.split_change_name(self.bom, change.item)
        own = [one for one in self.condition.own if one is change or one is numbers.get(key)]
        if len(own) > 1:
            raise UsageError(f"value is assigned twice: {change.item}")
        numbers[key] = change

    def _set(self, draft: WhatIfDraft, item: int, quantity: str, given: object) -> None:
        """Set a number; a negative quantity, of removed pieces, is a fault."""
        value = given if isinstance(given, float) else str(given)
        name = f"{self.bom.ids[item]}.{'growth' if quantity == 'mga' else quantity}"
        if quantity == "qty" and changed_table.change_number(self.bom, item, quantity, value, name) < 0:
            raise UsageError(f"quantity of {self.bom.ids[item]} is negative: {value}")
        set_number(draft, name, value)

    def _try(self, change: Change, act: Callable[..., None], *arguments: Any) -> None:
        """Make a change; an invalid one is a finding."""
        try:
            act(*arguments)
        except UsageError as error:
            text = str(error)
            rule = "MP630" if text.startswith(("id ", "name ", "where")) else "MP632"
            message = f"condition {self.condition.name}: {text}"
            value = change.item if change.value is None else f"{change.item}={change.value}"
            self.findings.report(rule, message, change.place, value=value)

    @property
    def drafts(self) -> list[WhatIfDraft]:
        """Those whose numbers are read."""
        return [self.draft, *self.again.values()]

    def rows_or_fault(self, draft: WhatIfDraft) -> EditedRows | None:
        """Read the numbers of a draft alone, and report what is wrong with them."""
        try:
            return read_changes([draft])[0]
        except FindingsError as error:
            known = {(one.rule, one.message) for one in self.findings}
            for one in error.findings:
                if (one.rule, message := f"{one.message} (condition {self.condition.name})") not in known:
                    self.findings.append(replace(one, message=message))
        except UsageError as error:
            self.findings.report("MP632", f"condition {self.condition.name}: {error}", self.condition.place)
        return None

    def make(self, rows: Sequence[EditedRows | None]) -> None:
        """Enter the rows of cells that were read, make all other changes in their order, and keep what differs."""
        apply_changes(self.draft, rows[0])
        self.numbers = {item: dict(edits) for item, edits in self.draft.edits.items()}
        again = dict(zip(self.again, rows[1:], strict=True))
        self.stated = self.draft.count.copy()
        seen: dict[tuple[str, int], Change] = {}
        set_while_off: dict[int, Change] = {}
        for k, one in enumerate(self.condition.changes):
            if k in again:
                self._set_again(self.again[k], again[k])
            if one.kind in ("off", "on"):
                self._try(one, self._switch, one, seen)
            elif one.kind == "set" and (item := self._item_of(one)) is not None and self._is_off(item):
                if one.is_state and self.draft.count[item] == 0:
                    self._try(one, self._switch, Change("on", self.bom.ids[item], None, one.place, True), seen)
                if any(("off", i) in seen for i in (item, *self.bom.tree.ancestors(item))):  # not by the table
                    set_while_off[item] = one
            elif one.kind in ("scale", "burn", "pose"):
                self._try(one, {"scale": self._scale, "burn": self._burn, "pose": self._pose}[one.kind], one)
        for item, one in set_while_off.items():
            if self._is_off(item):
                message = f"condition {self.condition.name}: {one.item} is set, and {self.bom.ids[item]} is off"
                self.findings.report(
                    "MP633", message, one.place, value=one.item, remedy="switch it on in this condition"
                )
        self.made = self._conditioned()
        del self.draft  # with the numbers of all items

    def _item_of(self, change: Change) -> int | None:
        """Return the item of a number that is set, scaled or burned; None for an unknown one, which is reported."""
        try:
            if change.kind == "burn":
                return changed_table.find_named_item(self.bom, change.item)
            return None if _is_structural(change) else changed_table.split_change_name(self.bom, change.item)[0]
        except UsageError:
            return None

    def _set_again(self, stage: WhatIfDraft, rows: EditedRows | None) -> None:
        """Enter numbers that are set after a scale or a burn, such as those of a tank that is filled again."""
        if stage.edits:  # pieces alone keep what is left in them
            apply_changes(self.draft, rows)
        for item, edits in stage.edits.items():
            self.numbers[item] = self.numbers.get(item, {}) | edits
            self.draft.scaled = [([i for i in items if i != item], factor) for items, factor in self.draft.scaled]
        for item in {*stage.counts, *np.flatnonzero(stage.count != self.bom.quantity.count).tolist()}:
            self.stated[item], self.draft.measured[item] = stage.count[item], stage.measured[item]
            if self.draft.count[item]:  # not off
                self.draft.count[item] = stage.count[item]
        self.draft.changed |= stage.changed
        self.draft.notes += stage.notes

    def _is_off(self, item: int) -> bool:
        """Return whether an item, or one above it, is off."""
        return any(self.draft.count[i] == 0 for i in (item, *self.bom.tree.ancestors(item)[:-1]) if i != self.root)

    @property
    def root(self) -> int:
        """The root, which has no quantity."""
        return int(self.bom.tree.order[0])

    def _switch(self, change: Change, seen: dict[tuple[str, int], Change]) -> None:
        """Turn items off or on; a change that finds them so is a finding."""
        bom, condition, on = self.bom, self.condition, change.kind == "on"
        items = stated_items(bom, change.item)
        for item in items:
            name = bom.ids[item]
            if item == self.root:
                raise UsageError(f"root cannot be switched off or on: {name}")
            above = [i for i in bom.tree.ancestors(item)[:-1] if self.draft.count[i] == 0]
            is_off, first = self.draft.count[item] == 0, seen.get((change.kind, item))
            words = ""
            if first is not None and first.place != change.place and not change.is_state:
                words = f"{name} is switched {change.kind} twice"
            elif on and above:
                words = f"{name} is switched on, and {bom.ids[above[0]]} above it is off"
            elif not change.is_state and (not is_off if on else is_off or bool(above)):
                words = f"{name} is {change.kind} already"
            if words and not change.item.startswith("where "):
                message = f"condition {condition.name}: {words}"
                self.findings.report("MP633", message, change.place, item=name, value=change.item)
            seen[change.kind, item] = change
            if not on or is_off:
                self.draft.count[item] = (self.stated[item] or 1.0) if on else 0.0
                self.draft.changed.add(item)
        self.notes.append(f"{change.item} {change.kind}")

    def _require_on(self, item: int, change: Change) -> None:
        """Reject a change of an item that is not in the vehicle at a step of a mission."""
        if self._is_off(item):
            message = f"condition {self.condition.name}: {self.bom.ids[item]} is off at this {change.kind}"
            self.findings.report("MP633", message, change.place, item=self.bom.ids[item], value=change.item)

    def _scale(self, change: Change) -> None:
        """Scale a branch."""
        if not isinstance(change.value, float):
            raise UsageError(f"factor of {change.item} is not a number: {change.value}")
        item, _ = changed_table.split_change_name(self.bom, change.item)
        if self.condition.is_step:
            self._require_on(item, change)
        scale_mass(self.draft, change.item, change.value)

    def _burn(self, change: Change) -> None:
        """Take a mass from all pieces of an item in the vehicle: mass, inertia and sigmas keep their proportions."""
        bom, draft = self.bom, self.draft
        item = changed_table.find_named_item(bom, change.item)
        self._require_on(item, change)
        column, value = bom.columns.by_quantity.get("mass"), change.value
        value = value if isinstance(value, float) else str(value)
        amount = changed_table.change_number(bom, item, "mass", value, f"{change.item}.mass") * (
            1.0 if column is None else _size(bom, item)
        )
        times = bom.tree.path_quantities(draft.quantity).count
        below = bom.tree.descendants(item)
        ends = below[bom.tree.end_items(bom.stated)[below]]
        mass = float((times[ends] * draft.bodies.mass[ends]).sum())
        if amount < 0:
            raise UsageError(f"burned mass of {change.item} is negative: {change.value}")
        if amount > mass * (1 + 1e-12):  # rounding of a sum
            message = f"condition {self.condition.name}: more of {change.item} is burned than there is: "
            message += f"{amount:.6g} of {mass:.6g} {bom.units.mass}".rstrip()
            self.findings.report("MP634", message, change.place, item=bom.ids[item], value=str(change.value))
            return
        if amount:
            scale_mass(draft, f"{bom.ids[item]}.mass", max(mass - amount, 0.0) / mass)
            draft.notes[-1] = f"{change.item} − {amount:.6g} {bom.units.mass}".rstrip()

    def _pose(self, change: Change) -> None:
        """Move a branch: a rotation about a pivot, then a translation, in the frame of the table."""
        bom, given = self.bom, change.value
        item = changed_table.find_named_item(bom, change.item)
        if self.condition.is_step:
            self._require_on(item, change)
        if not isinstance(given, Mapping) or not given or not {*given} <= {*_POSE_KEYS}:
            raise UsageError(f"pose of {change.item} is not a motion: {given} (expected {', '.join(_POSE_KEYS)})")
        for key, text in given.items():
            if not isinstance(text, str):
                raise UsageError(f"{key} of {change.item} is not a text: {text!r}")
        pivot, shift = (
            length_vector(given[key], key, bom.units.length) if key in given else np.zeros(3) for key in _POSE_KEYS[1:]
        )
        rotation = rotation_matrix(given["rotate"], "rotate") if "rotate" in given else np.eye(3)
        rotation = Poses.from_cosines(np.zeros((1, 3)), rotation[None]).rotation[0]
        shift = (
            length_vector(given["translate"], "translate", bom.units.length) if "translate" in given else np.zeros(3)
        )
        self.motions.append((item, (rotation, pivot - rotation @ pivot + shift)))
        self.notes.append(f"{change.item} moved")

    def _conditioned(self) -> ConditionedBom:
        """Return the table with the changes; totals that it states are those of the table as it is."""
        bom, draft, condition = self.bom, self.draft, self.condition
        self._report_weighed()
        of_condition = Findings(draft.findings)
        if texts := list(dict.fromkeys([*draft.notes, *self.notes])):
            message = f"condition {condition.name}: {name_list(texts, _MOST_NOTES)}"
            of_condition.report("MP637", message, condition.place, value=condition.name)
        rows = np.array(sorted(draft.changed), np.intp)
        sigmas = None if draft.sigmas is None else at_items(draft.sigmas, rows)
        growth = None if draft.growth is None else draft.growth[rows]
        numbers = at_items(draft.bodies, rows), sigmas, draft.quantity.picked(rows), growth
        cells = CellChanges(self.numbers, draft.scaled, {item for item, _ in self.motions})
        made = ConditionedBom(bom, rows, *numbers, tuple(of_condition), cells)
        if bom.poses is not None or self.motions:
            made = replace(made, made=_placed_bom(made.bom, draft, self.motions, rows))
        if condition.fills or bom.options.tanks:
            made = _filled(made, condition, self.findings)
        return made

    def _report_weighed(self) -> None:
        """Report weighed assemblies above changes, which have no effect on them."""
        bom, stated = self.bom, self.bom.stated
        if stated is None:
            return
        items = [*self.draft.changed, *(item for item, _ in self.motions)]
        above = {i for item in items for i in bom.tree.ancestors(item) if stated[i]}
        for i in sorted(above):
            message = (
                f"condition {self.condition.name}: {bom.ids[i]} is weighed, and changes below it have no effect on it"
            )
            self.findings.report("MP633", message, self.condition.place, item=bom.ids[i])


def _size(bom: Bom, item: int) -> float:
    """Return the coherent mass of a number 1 in the row of an item."""
    column, row = bom.columns.by_quantity["mass"], int(bom.rows[item])
    return column.factor if row < 0 else column.size(row)


def stated_items(bom: Bom, text: str) -> list[int]:
    """Return the item with an id or a name, or the topmost items that meet ``where COLUMN = VALUE``."""
    if not text.startswith("where ") or text in bom.ids:
        return [changed_table.find_named_item(bom, text)]
    condition = text.removeprefix("where ").strip()
    try:
        met = matching_items(condition, bom.table, bom.columns, bom.rows)
    except UsageError as error:
        raise UsageError(f"where {str(error).removeprefix('--where ')}") from None
    items = np.flatnonzero(met & ~bom.tree.is_below(met))
    if not len(items):
        raise UsageError(f"where {condition}: no item matches")
    return items.tolist()


def _placed_bom(bom: Bom, draft: WhatIfDraft, motions: Iterable[tuple[int, _Motion]], changed: NDArray[np.intp]) -> Bom:
    """Return a table whose branches are moved, and whose changed numbers are moved by the poses of their rows."""
    own = draft.bodies, draft.sigmas
    poses, moved = bom.poses or _identity_poses(bom), np.zeros(len(bom), bool)
    for item, motion in motions:
        branch = bom.tree.descendants(item).astype(np.intp)
        moved[branch] = True
        poses = _moved_poses(poses, branch, motion)
    rows = np.union1d(np.flatnonzero(moved), changed)
    place = poses.numbers[rows]
    bodies = with_rows(bom.bodies, (rows, place.bodies(at_items(own[0], rows))))
    sigmas = None
    if bom.sigmas is not None and own[1] is not None:
        deviations = None if bom.deviations is None else bom.deviations.picked(rows)
        turned = at_items(own[1], rows)
        turns = place.parameter_matrices()
        of_center, of_tensor = (
            None if values is None else turned_sigmas(turns[:, columns, columns], values, deviations, columns)
            for values, columns in ((turned.center, slice(1, 4)), (turned.inertia, slice(4, 10)))
        )
        turned = replace(turned, center=of_center, inertia=of_tensor)
        sigmas = with_rows(bom.sigmas, (rows, turned))
    return replace(bom, bodies=bodies, sigmas=sigmas, poses=poses, own_numbers=own)


def _identity_poses(bom: Bom) -> ItemPoses:
    """Return poses of a table without poses: all frames are that of the root."""
    n = len(bom)
    still = Poses.identity(n)
    root = np.full(n, 2, np.int8)
    return ItemPoses(still, still, root, np.zeros(n, bool), None, np.full(n, -1, np.intp), np.zeros((n, 3, 4)))


def _moved_poses(poses: ItemPoses, items: NDArray[np.intp], motion: _Motion) -> ItemPoses:
    """Return the poses with those of some items (k,) moved in the frame of the root, with their uncertainties."""
    R, t = motion

    def moved(of: Poses) -> Poses:
        translation, rotation = of.translation.copy(), of.rotation.copy()
        translation[items], rotation[items] = translation[items] @ R.T + t, R @ rotation[items]
        return Poses(translation, rotation)

    covariance, rest = poses.covariance, poses.rest.copy()
    rest[items] = 0.0
    if covariance is not None:
        turn = np.zeros((6, 6))
        turn[:3, :3] = turn[3:, 3:] = R
        covariance = covariance.copy()
        covariance[items] = turn @ covariance[items] @ turn.T
    return replace(poses, in_root=moved(poses.in_root), numbers=moved(poses.numbers), covariance=covariance, rest=rest)
