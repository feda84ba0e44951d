"""Two robot files compared link by link, whatever their formats: mass, centre and tensor, and what explains them."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from massprops_cli.bodies.bodies import full_tensors, phi, six_entries, tensor_rearrangements
from massprops_cli.bodies.rotations import (
    Floats,
    frame_matrix,
    inverse_frame,
    quaternion_rows,
    quaternions,
    roll_pitch_yaw,
    stated_frame,
)
from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import Findings, Place, Severity
from massprops_cli.robots.link_values import LinkValues, link_values, without_noise
from massprops_cli.robots.sdf.sdf_table import SdfTable, fixed_sdf_links
from massprops_cli.robots.urdf import UrdfTable

SAME_LINK = 1e-3
"""Share of the mass, radius of gyration and largest moment up to which links are the same: files are often rounded."""
_CLEAR = 0.02  # share of the largest moment from which on two moments differ enough to have axes of their own
_MASS_UNITS = {1e3: "kg and g", 1 / 0.45359237: "kg and lb", 35.27396195: "kg and oz", 9.80665: "kg and N"}
_LENGTH_UNITS = {1e3: "m and mm", 100.0: "m and cm", 1 / 0.0254: "m and in", 1 / 0.3048: "m and ft"}
_INERTIA_UNITS = {
    1e6: "kg·m² and kg·mm²", 1e9: "kg·m² and g·mm²", 1e4: "kg·m² and kg·cm²", 1e7: "kg·m² and g·cm²",
    1e3: "kg·m² and g·m²", 3417.171899: "kg·m² and lb·in²", 23.73036041: "kg·m² and lb·ft²", 9.80665: "mass and weight",
}  # fmt: skip
"""Factors of a number in the second unit of the words."""
_SCALED = 0.05  # share of a tensor from which on a factor of all entries is more than a few digits
_APART = 1e-2  # entry of a pose, also m, from which on frames differ by more than rounded lengths of links
_OTHER_FRAME = 1e-4  # entry of a pose from which on frames differ
_CONJUGATED = "principal frame conjugated"
_NO_TURN = np.eye(3)
_Names = tuple[str, ...]


class _LinkBody(NamedTuple):
    """The body of a link in the frame of the link, with those of the links of the same file that are fixed to it."""

    mass: float
    center: Floats  # (3,)
    inertia: Floats  # (3, 3) about the centre of mass
    axes: Floats  # (3, 3) in the frame of the link, along which the file states the tensor
    joined: _Names = ()
    turn: Floats = _NO_TURN  # (3, 3) of the frame of the link in that of the numbers

    @property
    def moments(self) -> Floats:
        """Principal moments ``(3,)``, the smallest first."""
        return np.asarray(np.linalg.eigvalsh(self.inertia), float)

    @property
    def gyration(self) -> float:
        """Radius of gyration about the axis of the largest moment."""
        return float(np.sqrt(max(self.moments[2], 0.0) / abs(self.mass)))

    def moved(self, frame: Floats) -> _LinkBody:
        """Return the body in another frame, (4, 4) of its own frame there."""
        turn = frame[:3, :3]
        center = turn @ self.center + frame[:3, 3]
        return self._replace(center=center, inertia=turn @ self.inertia @ turn.T, turn=turn @ self.turn)

    def with_body(self, other: _LinkBody, name: str) -> _LinkBody:
        """Return the body with that of a link that is fixed to it, in the same frame."""
        mass = self.mass + other.mass
        center = (self.mass * self.center + other.mass * other.center) / mass
        about = [one.inertia + one.mass * full_tensors(phi(one.center - center)) for one in (self, other)]
        return _LinkBody(mass, center, about[0] + about[1], _NO_TURN, (*self.joined, name))

    def differences(self, other: _LinkBody) -> tuple[float, float, float]:
        """Return how far mass, centre and tensor of another body are from these, as shares of their sizes."""
        mass = abs(other.mass - self.mass) / max(abs(self.mass), abs(other.mass))
        arm = max(self.gyration, other.gyration)
        distance = float(np.linalg.norm(other.center - self.center))
        return mass, distance / arm if arm else float(distance > 0), _tensor_difference(self.inertia, other.inertia)


def _tensor_difference(one: Floats, other: Floats) -> float:
    """Return the difference of two tensors (3, 3) as a share of the largest entry."""
    size = max(np.abs(one).max(), np.abs(other).max())
    return float(np.abs(one - other).max() / size) if size else 0.0


@dataclass(frozen=True, eq=False)
class ComparedLink:
    """A link of both files; ``new`` is in the frame of the link in the old file."""

    name: str
    old_name: str
    old: _LinkBody
    new: _LinkBody
    whole: _LinkBody  # of the old file, with all links that are fixed to it and not in the new one
    is_apart: bool = False  # whether the link is at another place of the robot
    frame: str = ""  # how the frames of the link differ, if the body is compared in that of the old file
    reasons: _Names = ()  # what turns one body into the other

    @cached_property
    def differences(self) -> tuple[float, float, float]:
        """Differences of mass, centre and tensor, as shares."""
        return self.old.differences(self.new)

    @property
    def is_same(self) -> bool:
        """Whether the bodies are the same up to rounding."""
        return max(self.differences) <= SAME_LINK

    @property
    def distance(self) -> float:
        """Distance of the centres."""
        return float(np.linalg.norm(self.new.center - self.old.center))

    @property
    def angle(self) -> float:
        """Largest angle between principal axes of both, in degrees, of those that the moments determine."""
        (first, a), (second, b) = (np.linalg.eigh(body.inertia) for body in (self.old, self.new))
        apart = [_CLEAR * max(abs(values[2]), abs(values[0])) for values in (first, second)]
        angles = [0.0]
        for k in range(3):
            others = [j for j in range(3) if j != k]
            gaps = [np.abs(values[others] - values[k]).min() for values in (first, second)]
            if gaps[0] > apart[0] and gaps[1] > apart[1]:
                angles.append(float(np.degrees(np.arccos(min(1.0, abs(a[:, k] @ b[:, k]))))))
        return max(angles)

    def to_dict(self) -> dict[str, Any]:
        """Return the link as plain JSON values."""
        ends = {
            end: {
                "mass": body.mass,
                "center": body.center.tolist(),
                "moments": body.moments.tolist(),
                "axes": np.linalg.eigh(body.inertia)[1].T.tolist(),
                "joined": list(body.joined),
            }
            for end, body in (("before", self.old), ("after", self.new))
        }
        names = {"link": self.name, "link_before": self.old_name, "same": self.is_same, "frame": self.frame}
        return {**names, "reasons": list(self.reasons), "distance": self.distance, "angle": self.angle, **ends}


@dataclass(frozen=True, eq=False, repr=False)
class LinkComparison:
    """The links of two robot files: those in both, those with a mass in one only, and names with equal numbers."""

    links: list[ComparedLink]
    only_old: dict[str, float]  # link → mass
    only_new: dict[str, float]
    equal: list[tuple[_Names, _Names]]  # links of the old and of the new file with the same numbers, other names
    renamed: str  # how names were matched that are not identical; empty if all are

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<LinkComparison of {len(self.links)} links: {len(self.different)} differ>"

    @property
    def different(self) -> list[ComparedLink]:
        """The links that differ."""
        return [one for one in self.links if not one.is_same]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        equal = [{"before": list(old), "after": list(new)} for old, new in self.equal]
        only = {"only_before": self.only_old, "only_after": self.only_new, "equal": equal, "renamed": self.renamed}
        return {"compared": [one.to_dict() for one in self.links], **only}

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each link: numbers before and after, differences, reasons."""
        records = []
        for one in self.links:
            ends = (("before", one.old_name, one.old), ("after", one.name, one.new))
            records.append(_record(one.name, ends) | {
                "distance": one.distance, "angle_deg": one.angle, "same": one.is_same,
                "reasons": "; ".join(filter(None, (one.frame, *one.reasons))),
            })  # fmt: skip
        records += [{"link": name, "mass_before": mass, "same": False} for name, mass in self.only_old.items()]
        return records + [{"link": name, "mass_after": mass, "same": False} for name, mass in self.only_new.items()]


def _record(link: str, ends: Sequence[tuple[str, str, _LinkBody]]) -> dict[str, Any]:
    """Return the numbers of a link before and after by the names of their columns."""
    record: dict[str, Any] = {"link": link}
    record |= {f"links_{end}": ", ".join((name, *body.joined)) for end, name, body in ends}
    values = [(end, (body.mass, *body.center.tolist(), *body.moments.tolist())) for end, _, body in ends]
    for k, column in enumerate(("mass", "Cx", "Cy", "Cz", "I1", "I2", "I3")):
        record |= {f"{column}_{end}": numbers[k] for end, numbers in values}
    return record


class _RobotLinks:
    """The links of one file: their bodies, frames, and what is fixed to what."""

    def __init__(self, bom: Bom) -> None:
        table = bom.table
        self.file, self.unit = Path(table.source.name).name, bom.units.length
        self.fixed: dict[str, list[str]] = defaultdict(list)
        if isinstance(table, SdfTable):
            self.names, pairs = fixed_sdf_links(table)
        else:
            assert isinstance(table, UrdfTable)
            self.names, pairs = list(table.robot.links), table.robot.fixed_links
        for parent, child in pairs:
            self.fixed[parent].append(child)
            self.fixed[child].append(parent)
        known = set(bom.ids)
        self.names = [name for name in self.names if name in known]
        self.values = link_values(bom, self.names, Findings())
        self.bodies = {
            name: _LinkBody(one.mass, one.center, one.axes @ full_tensors(one.inertia) @ one.axes.T, one.axes)
            for name, one in self.values.items()
            if one.mass
        }
        self.frames = dict.fromkeys(self.names, np.eye(4))
        if bom.poses is not None:
            poses = bom.poses.in_root[[bom.item(name) for name in self.names]]
            frames = zip(self.names, poses.translation, poses.rotation, strict=True)
            self.frames = {name: frame_matrix(position, turn) for name, position, turn in frames}

    def joined_to(self, matched: Mapping[str, Any]) -> dict[str, list[str]]:
        """Return matched link → other links with a mass that are fixed to it, directly or by others."""
        owner = {name: name for name in self.names if name in matched}
        waiting = list(owner)
        found: dict[str, list[str]] = defaultdict(list)
        for name in waiting:
            for other in self.fixed[name]:
                if other not in owner:
                    owner[other] = owner[name]
                    waiting.append(other)
                    if other in self.bodies:
                        found[owner[name]].append(other)
        return found

    def versions(self, link: str, others: Sequence[str]) -> list[_LinkBody]:
        """Return the body of a link alone and with those of others, in its frame; none without a mass."""
        alone = self.bodies.get(link)
        whole, to_link = alone, inverse_frame(self.frames[link])
        for other in others:
            body = self.bodies[other].moved(to_link @ self.frames[other])
            whole = body._replace(joined=(other,)) if whole is None else whole.with_body(body, other)
        return [one for one in (alone, whole if others else None) if one is not None]


def compare_links(old: Bom, new: Bom) -> LinkComparison | None:
    """Compare two robots by the names of their links; None if one of the tables is not a robot."""
    if not all(isinstance(bom.table, UrdfTable | SdfTable) for bom in (old, new)):
        return None
    return _comparison(_RobotLinks(old), _RobotLinks(new))


def transferred_links(old: Bom, new: Bom, findings: Findings) -> dict[str, LinkValues] | None:
    """Return what the links of a robot state for those of another one, by its names; None if none is its."""
    if not isinstance(old.table, UrdfTable | SdfTable):
        return None
    before, after = _RobotLinks(old), _RobotLinks(new)
    if not (answer := _comparison(before, after)).links:
        return None
    if answer.renamed:
        words = f"links of the robot have other names in the table, and are matched: {answer.renamed}"
        findings.report("MP889", words, Place(new.table.source.name), value=answer.renamed)
    for name in answer.only_old:
        message = f"{name} is not a link of the robot and is not fixed to one; it is not written"
        findings.report("MP887", message, old.table.place(int(old.rows[old.item(name)])), value=name, item=name)
    fixed, found = after.joined_to(dict.fromkeys(one.name for one in answer.links)), {}
    for one in answer.links:
        place = new.table.place(int(new.rows[new.item(one.name)]))
        if one.is_same and (one.frame or one.new.joined):  # the robot already has this body
            continue
        if one.is_apart and not one.is_same:
            message = f"link {one.name} is at another place of the robot, or has another frame; it is not written"
            remedy = "state the positions of joints that both files agree in: --q JOINT=POSITION"
            findings.report("MP888", message, place, value=one.name, item=one.name, remedy=remedy)
            continue
        body = one.old if one.is_same else one.whole
        center, tensor = without_noise(body.center), without_noise(six_entries(body.inertia))
        joined = LinkValues(body.mass, center, tensor, _NO_TURN)
        found[one.name] = joined if body.joined else before.values[one.old_name]
        if fixed[one.name] and not one.is_same:
            words = f"masses of links that are fixed to {one.name} count in addition: {', '.join(fixed[one.name])}"
            findings.report("MP889", words, place, value=one.name, item=one.name, severity=Severity.WARNING)
    return found


def _comparison(before: _RobotLinks, after: _RobotLinks) -> LinkComparison:
    """Compare the links of two files."""
    pairs, renamed = _matched_names(before, after)
    fixed = before.joined_to(dict.fromkeys(pairs.values())), after.joined_to(pairs)
    aligned = _alignments(before, after, pairs)
    links, used = [], (set(pairs.values()), set(pairs))
    for name, old_name in pairs.items():
        first, second = before.versions(old_name, fixed[0][old_name]), after.versions(name, fixed[1][name])
        if not first or not second:  # a mass in one file only
            used[0].discard(old_name)
            used[1].discard(name)
            continue
        to_link = inverse_frame(before.frames[old_name])
        frames = [to_link @ one @ after.frames[name] for one in aligned]
        one = _compared_link((name, old_name), first, second, frames, before.unit)
        links.append(one)
        used[0].update(one.old.joined)
        used[1].update(one.new.joined)
    rest = [
        {link: body for link, body in side.bodies.items() if link not in taken}
        for side, taken in zip((before, after), used, strict=True)
    ]
    only_old, only_new = ({link: body.mass for link, body in bodies.items()} for bodies in rest)
    files = before.file, after.file
    links = [one if one.is_same else replace(one, reasons=tuple(_reasons(one, files))) for one in links]
    return LinkComparison(links, only_old, only_new, _equal_links(rest[0], rest[1]), renamed)


def _alignments(before: _RobotLinks, after: _RobotLinks, pairs: Mapping[str, str]) -> list[Floats]:
    """Return poses (4, 4) of the root of the new file in that of the old one: by the first link, and by all centres."""
    found = [before.frames[old_name] @ inverse_frame(after.frames[name]) for name, old_name in list(pairs.items())[:1]]
    points = [
        [side.frames[link] @ [*side.bodies[link].center, 1.0] for side, link in ((before, old_name), (after, name))]
        for name, old_name in pairs.items()
        if old_name in before.bodies
        and name in after.bodies
        and before.bodies[old_name].differences(after.bodies[name])[0] <= SAME_LINK
    ]
    if len(points) > 2:  # the rotation of Kabsch, if the points are not on one line
        old, new = np.array(points)[:, :, :3].swapaxes(0, 1)
        one, sizes, other = np.linalg.svd((old - old.mean(axis=0)).T @ (new - new.mean(axis=0)))
        turn = one @ np.diag([1, 1, np.linalg.det(one @ other)]) @ other
        if sizes[1] > SAME_LINK * sizes[0]:
            found.append(frame_matrix(old.mean(axis=0) - turn @ new.mean(axis=0), turn))
    return found


def _compared_link(
    names: tuple[str, str], first: Sequence[_LinkBody], second: Sequence[_LinkBody], frames: Sequence[Floats], unit: str
) -> ComparedLink:
    """Compare the versions of a link in both files, also in other frames: the first that are the same, or nearest."""
    is_apart = all(np.abs(frame - np.eye(4)).max() > _APART for frame in frames)
    best = ComparedLink(*names, first[0], second[0], first[-1], is_apart)
    for frame in (np.eye(4), *frames):
        is_moved = np.abs(frame - np.eye(4)).max() > _OTHER_FRAME
        turn = np.degrees(np.arccos(np.clip((np.trace(frame[:3, :3]) - 1) / 2, -1, 1)))
        words = f"frames of the link differ by {np.linalg.norm(frame[:3, 3]).round(12):.4g} {unit} and {turn:.4g}°"
        for one, other in itertools.product(first, second):
            found = replace(best, old=one, new=other, frame="")
            if is_moved:
                found = replace(found, new=other.moved(frame), frame=words)
            if found.is_same:
                return found
            if max(found.differences) < max(best.differences) / (1 + is_moved):
                best = found
    return best


def _matched_names(before: _RobotLinks, after: _RobotLinks) -> tuple[dict[str, str], str]:
    """Return new → old name of the links in both, and how names were matched that are not identical."""
    pairs = {name: name for name in after.names if name in before.frames}
    rest = [[name for name in side.names if name not in pairs] for side in (before, after)]
    plain = [{re.sub(r"[\W_]", "", name).casefold(): name for name in reversed(names)} for names in rest]
    ends: Counter[tuple[str, str]] = Counter()
    for one, other in itertools.product(*plain):
        if one.endswith(other):
            ends[one.removesuffix(other), ""] += 1
        elif other.endswith(one):
            ends["", other.removesuffix(one)] += 1
    words = []
    for (one, other), count in sorted(ends.items(), key=lambda item: (item[0] != ("", ""), -item[1])):
        if count < 2 and (one or other):
            continue
        found = {}
        for text, name in plain[1].items():
            old_name = plain[0].get(one + text.removeprefix(other)) if text.startswith(other) else None
            if old_name is not None and name not in pairs and old_name not in pairs.values():
                found[name] = old_name
        pairs |= found
        if found:
            both = [(old_name, name) if one else (name, old_name) for name, old_name in found.items()]
            written = (longer.removesuffix(shorter) for longer, shorter in both if longer.endswith(shorter))
            prefix = next(written, one or other)
            of = f"the prefix {prefix} of the {'old' if one else 'new'} file"
            of = of if one or other else "case and punctuation"
            words.append(f"{len(found)} {'name' if len(found) == 1 else 'names'} without {of}")
    return {name: pairs[name] for name in after.names if name in pairs}, ", ".join(words)


def _equal_links(old: Mapping[str, _LinkBody], new: Mapping[str, _LinkBody]) -> list[tuple[_Names, _Names]]:
    """Return groups of links that are in one file only, and have the same numbers as some in the other."""
    groups: dict[_Names, list[str]] = defaultdict(list)
    for name, body in new.items():
        if same := tuple(link for link, one in old.items() if max(one.differences(body)) <= SAME_LINK):
            groups[same].append(name)
    return [(before, tuple(after)) for before, after in groups.items()]


def _reasons(link: ComparedLink, names: tuple[str, str]) -> Iterator[str]:
    """Yield what turns the body of a link in one file into that in the other."""
    old, new = link.old, link.new
    by_mass, by_center, by_tensor = link.differences
    ratio = new.mass / old.mass
    if by_mass > SAME_LINK and (unit := _unit_words(ratio, _MASS_UNITS)):
        yield f"mass × {ratio:.6g} ({unit})"
    if by_center > SAME_LINK and (words := _center_words(old.center, new.center)):
        yield words
    if by_tensor <= SAME_LINK or not new.inertia.any() or not old.inertia.any():
        return
    factor = float(np.trace(new.inertia) / np.trace(old.inertia))
    is_scaled = abs(factor - 1) > _SCALED and _tensor_difference(old.inertia * factor, new.inertia) <= SAME_LINK
    if is_scaled:
        unit = _unit_words(factor, _INERTIA_UNITS)
        words = f" ({unit})" if unit else ", as the mass" if abs(factor / ratio - 1) <= SAME_LINK else ""
        yield f"tensor × {factor:.6g}{words}"
    elif words := next(_tensor_words(old, new, names), ""):
        yield words
    elif np.abs(old.moments - new.moments).max() <= SAME_LINK * max(old.moments[2], new.moments[2]):
        yield f"principal moments are the same, axes turned by {link.angle:.3g}°"


def _unit_words(ratio: float, units: Mapping[float, str]) -> str:
    """Return the units of a factor or of its inverse; empty if there are none."""
    sizes = {factor: min(abs(ratio / factor - 1), abs(ratio * factor - 1)) for factor in units}
    return next((units[factor] for factor, size in sizes.items() if size <= SAME_LINK), "")


def _center_words(old: Floats, new: Floats) -> str:
    """Return what turns a centre (3,) into another: a unit, or signs of coordinates; empty if nothing does."""
    size = float(np.linalg.norm(new))
    ratio = size / float(np.linalg.norm(old)) if old.any() else 0.0
    if ratio and np.linalg.norm(old * ratio - new) <= SAME_LINK * size and (unit := _unit_words(ratio, _LENGTH_UNITS)):
        return f"centre × {ratio:.6g} ({unit})"
    is_other = np.abs(new + old) <= SAME_LINK * size
    flipped = np.flatnonzero(is_other & (np.abs(new) > SAME_LINK * size))
    rest = np.delete(new - old, flipped)
    if len(flipped) and np.abs(rest).max(initial=0.0) <= SAME_LINK * size:
        return f"centre with the other sign of {' and '.join('xyz'[k] for k in flipped)}"
    return ""


def _tensor_words(old: _LinkBody, new: _LinkBody, names: tuple[str, str]) -> Iterator[str]:
    """Yield what turns one tensor into the other: its frame, the order and signs of its entries, or its point."""
    turned = list(_turn_words(old, new, names))
    yield from (words for words, is_quarter in turned if not is_quarter)
    moments, axes = np.linalg.eigh(old.inertia)
    has_axes = min(np.abs(np.tril(body.inertia, -1)).max() / body.moments[2] for body in (old, new)) > SAME_LINK
    for order in itertools.permutations(range(3)) if has_axes else ():
        for signs in itertools.product((1, -1), repeat=2):
            turn = axes[:, order] * np.array([*signs, 1])
            turn = turn * np.array([1, 1, np.linalg.det(turn)])
            made = turn.T @ np.diag(moments[list(order)]) @ turn
            if _is_explained(made, old.inertia, new.inertia):
                yield f"{_CONJUGATED}: one file has R D Rᵀ, the other Rᵀ D R"
    six = six_entries(old.inertia)
    for _, words, _, entries, factors in tensor_rearrangements():
        if _is_explained(full_tensors(six[entries] * factors), old.inertia, new.inertia):
            yield f"tensor is that of the other file {words}"
    yield from (words for words, is_quarter in turned if is_quarter)  # which an exchange of entries explains too
    for sign, body, name in ((1, old, names[1]), (-1, old, names[0])):
        if _is_explained(old.inertia + sign * body.mass * full_tensors(phi(body.center)), old.inertia, new.inertia):
            yield f"tensor of {name} is about the origin of the link, not about its centre of mass"


def _turn_words(old: _LinkBody, new: _LinkBody, names: tuple[str, str]) -> Iterator[tuple[str, bool]]:
    """Yield the mistakes in the stated rotation of one file that give the other, and whether it is a quarter turn."""
    for one, other, own, of_other in ((new, old, names[1], names[0]), (old, new, names[0], names[1])):
        is_quarter = np.abs(one.axes - np.round(one.axes)).max() < _OTHER_FRAME
        stated = one.turn @ one.axes
        along = stated.T @ one.inertia @ stated
        for words, turn in _other_turns(one.axes) if np.abs(one.axes - _NO_TURN).max() > _OTHER_FRAME else ():
            made = one.turn @ turn @ along @ turn.T @ one.turn.T
            if _is_explained(made, one.inertia, other.inertia) and (words == _CONJUGATED or not is_quarter):
                yield (
                    f"{words}: {own} has R D Rᵀ, R being the rotation that it states, {of_other} the other",
                    is_quarter,
                )


def _other_turns(turn: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield the rotations (3, 3) that a rotation becomes by usual mistakes."""
    yield _CONJUGATED, turn.T
    w, x, y, z = quaternions(turn[None])[0].tolist()
    for other in ((z, w, x, y), (x, y, z, w)):
        yield "quaternion in the other order (w x y z, x y z w)", np.array(quaternion_rows(*other))
    roll, pitch, yaw = (stated_frame([0, 0, 0, *angles])[:3, :3] for angles in np.diag(roll_pitch_yaw(turn)))
    yield "angles about moving axes, not about fixed ones", roll @ pitch @ yaw


def _is_explained(made: Floats, stated: Floats, other: Floats) -> bool:
    """Return whether a tensor (3, 3) that a mistake makes is the other one, and differs from the stated one."""
    return _tensor_difference(made, other) <= SAME_LINK < _tensor_difference(made, stated) / 5
