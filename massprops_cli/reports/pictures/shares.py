"""Where the mass is: branches of a tree with what they do not explain, as a treemap and as a sunburst."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from massprops_cli.bom.items.result_columns import first_order_sigma
from massprops_cli.bom.results.result import Result
from massprops_cli.reports.page.conventions import formatted_number, percent_text, sigma_text, unit_text
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures.svg import TINTS, Picture, fitted_text
from massprops_cli.revisions.diff import item_place

_LEAST_SHARE = 0.004  # of the whole, below which a branch is drawn within "n more"
_MOST_CHILDREN = 40  # of one branch that are drawn; the others are within "n more"
_ROUNDING = 1e-9  # share of a mass within which a sum explains it
_RINGS = (58.0, 118.0, 164.0, 196.0)  # radii of the borders of the rings
_Box = tuple[float, float, float, float]  # x, y, width, height


class _Branch(NamedTuple):
    """A branch: its id, its label, its mass with all pieces, its tip, its branches, and the kind of a slice."""

    id: str
    label: str
    mass: float
    tip: str
    parts: tuple[_Branch, ...] = ()
    kind: str = ""  # more or unexplained: a slice without an item

    @property
    def size(self) -> float:
        """What it is drawn with: its mass, or the sum of its parts if that is greater."""
        return max(self.mass, sum(part.size for part in self.parts), 0.0)


def mass_branches(result: Result, depth: int = 3) -> _Branch:
    """Return the branches of the mass, the heaviest first, to a depth."""
    mass = float(np.nan_to_num(result.rollup.bodies.mass[result.root_item]))
    return _branch(result, result.root_item, mass, 1.0, (depth, mass or 1.0))


def _branch(result: Result, number: int, mass: float, pieces: float, view: tuple[int, float]) -> _Branch:
    """Return one branch of a mass with all pieces; ``view`` has the levels left and the mass of the whole."""
    depth, whole = view
    bom, tree = result.bom, result.bom.tree
    name = "" if bom.names is None else bom.names[number]
    label = f"{bom.ids[number]}  {name}" if name not in ("", bom.ids[number]) else bom.ids[number]
    tip = _tip(result, number, mass, pieces, whole)
    children = tree.children(number)
    if not depth or not len(children):
        return _Branch(bom.ids[number], label, mass, tip)
    count = bom.quantity.count[children]
    masses = np.nan_to_num(result.rollup.bodies.mass[children]) * count * pieces
    order = np.argsort(-masses, kind="stable")
    drawn = [k for k in order[:_MOST_CHILDREN].tolist() if masses[k] >= _LEAST_SHARE * abs(whole)]
    inner = depth - 1, whole
    parts = [_branch(result, int(children[k]), float(masses[k]), pieces * float(count[k]), inner) for k in drawn]
    others = masses[[k for k in order.tolist() if k not in set(drawn)]]
    unit = unit_text(bom.units.mass, UNICODE)
    if (small := others[others > 0]).size:
        words = f"{len(small):,} more"
        parts.append(
            _Branch("", words, float(small.sum()), f"{words}: {amount_text(float(small.sum()), unit)}", (), "more")
        )
    for kind, missing, words in _unexplained(result, number, mass, float(masses[masses > 0].sum())):
        parts.append(_Branch("", kind, missing, f"{words}: {amount_text(missing, unit)}", (), "unexplained"))
    return _Branch(bom.ids[number], label, mass, tip, tuple(parts))


def _unexplained(result: Result, number: int, mass: float, of_parts: float) -> Iterator[tuple[str, float, str]]:
    """Yield the masses that the parts of a branch do not explain: its own, and that of a stated total of the root."""
    removed = np.nan_to_num(result.rollup.bodies.mass[result.bom.tree.children(number)])
    if mass - of_parts > _ROUNDING * abs(mass) and not (removed < 0).any():
        yield "unexplained", mass - of_parts, f"mass of {result.ids[number]} that its parts do not explain"
    if number == result.root_item:
        for label, missing in stated_differences(result):
            if missing > 0:
                yield "unexplained", missing, f"{label} states more than its rows"


def stated_differences(result: Result) -> list[tuple[str, float]]:
    """Return the totals of all rows whose stated mass is not their sum, each with what it states more."""
    return [
        (one.label, one.stated - one.computed)
        for one in result.totals
        if one.kind == "total"
        and one.quantity in ("mass", "line_mass")
        and not one.agrees
        and math.isfinite(one.computed)
    ]


def _tip(result: Result, number: int, mass: float, pieces: float, whole: float) -> str:
    """Return the tip of a branch: label, mass, share, σ of one piece, and its cell."""
    bom = result.bom
    text = f"{bom.ids[number]}: {amount_text(mass, unit_text(bom.units.mass, UNICODE))}"
    text += f", {percent_text(mass / whole)}" if whole else ""
    found = first_order_sigma(result.rollup, "sigma_mass")
    if found is not None and np.isfinite(found[number]) and found[number] > 0:
        text += f", σ {sigma_text(float(found[number]))}" + (" each" if pieces != 1 else "")
    place = str(item_place(bom, number))
    return f"{text}; {place}" if place else text


def amount_text(value: float, unit: str) -> str:
    """Write a mass with its unit, to five digits."""
    return f"{formatted_number(value, 5)} {unit}".rstrip()


def treemap_picture(tree: _Branch, unit: str) -> Picture:
    """Draw the branches of two levels as areas."""
    picture = Picture(
        f"Mass of {tree.label}, treemap", f"{_listed(tree, unit)} Areas are masses of all pieces.", 640, 400
    )
    whole = tree.size
    if whole <= 0:
        picture.text(320, 200, "no positive mass to draw", "muted", 13, "middle")
        return picture
    for k, (part, box) in enumerate(_squares(tree.parts or (tree,), (0.0, 0.0, 640.0, 400.0))):
        colour = "grey-tint" if part.kind else TINTS[k % 6]
        x, y, width, height = box
        picture.bar(x, y, x + width, y + height, colour, part.tip, edge="paper")
        has_head = height > 34 and width > 40
        inside = x + 3, y + (18 if has_head else 3), width - 6, height - (21 if has_head else 6)
        if part.parts and min(inside[2:]) > 14:
            for inner, (u, v, w, h) in _squares(part.parts, inside):
                picture.bar(u, v, u + w, v + h, "grey-tint" if inner.kind else colour, inner.tip, edge="paper")
                if h > 16 and (text := fitted_text(inner.id or inner.label, w - 6, 11)):
                    picture.text(u + 4, v + 13, text, size=11)
        if has_head or not part.parts:
            words = f"{part.label}  {percent_text(part.mass / whole)}"
            if height > 15 and (text := fitted_text(words, width - 8, 12, bold=True)):
                picture.text(x + 4, y + 13, text, size=12, bold=True)
    return picture


def sunburst_picture(tree: _Branch, unit: str) -> Picture:
    """Draw the branches of three levels as rings."""
    picture = Picture(
        f"Mass of {tree.label}, sunburst", f"{_listed(tree, unit)} Angles are masses of all pieces.", 400, 400
    )
    whole = tree.size
    if whole <= 0:
        picture.text(200, 200, "no positive mass to draw", "muted", 13, "middle")
        return picture
    start = 0.0
    for k, part in enumerate(tree.parts):
        _draw_ring(picture, part, (start, start + part.size / whole), 0, TINTS[k % 6])
        start += part.size / whole
    picture.dot(200, 200, "paper", _RINGS[0] - 1, tree.tip)
    picture.text(200, 198, fitted_text(tree.id, 100, 13), size=13, anchor="middle", bold=True)
    picture.text(200, 215, amount_text(tree.mass, unit), "muted", 12, "middle")
    return picture


def _draw_ring(picture: Picture, part: _Branch, ends: tuple[float, float], level: int, colour: str) -> None:
    """Draw a branch as a sector of a ring, and its parts on the next one; angles are shares of a turn."""
    first, last = ends
    if last - first < 0.0015 or level + 1 >= len(_RINGS):  # half a degree
        return
    inner, outer = _RINGS[level], _RINGS[level + 1]
    steps = max(2, math.ceil((last - first) * 120))
    shares = [first + (last - first) * k / steps for k in range(steps + 1)]
    points = [_on_circle(share, outer) for share in shares] + [_on_circle(share, inner) for share in reversed(shares)]
    picture.area(points, "grey-tint" if part.kind else colour, part.tip, edge="paper")
    middle, radius = (first + last) / 2, (inner + outer) / 2
    arc = (last - first) * 2 * math.pi * radius
    if arc > 15 and (text := fitted_text(part.id or part.label, min(outer - inner - 4, 400), 10)):
        x, y = _on_circle(middle, radius)
        picture.text(x, y + 3.5, text, size=10, anchor="middle")
    at, size = first, part.size or 1.0
    for one in part.parts:
        _draw_ring(picture, one, (at, at + (last - first) * one.size / size), level + 1, colour)
        at += (last - first) * one.size / size


def _on_circle(share: float, radius: float) -> tuple[float, float]:
    """Return the point of a turn that begins at the top, clockwise."""
    angle = 2 * math.pi * share
    return 200 + radius * math.sin(angle), 200 - radius * math.cos(angle)


def _listed(tree: _Branch, unit: str) -> str:
    """Describe the largest branches in words."""
    named = [f"{part.label} {amount_text(part.mass, unit)}" for part in tree.parts[:8]]
    return f"{amount_text(tree.mass, unit)}: {', '.join(named)}." if named else f"{amount_text(tree.mass, unit)}."


def _squares(parts: Sequence[_Branch], box: _Box) -> Iterator[tuple[_Branch, _Box]]:
    """Divide a box into areas near to squares: the rows of Bruls, Huizing and van Wijk (2000)."""
    parts = sorted((part for part in parts if part.size > 0), key=lambda part: -part.size)
    total, (x, y, width, height) = sum(part.size for part in parts), box
    areas = [part.size / total * width * height for part in parts] if total > 0 else []
    first = 0
    while first < len(parts):
        side = min(width, height)
        if side <= 0:
            return
        last = first + 1
        while last < len(parts) and _worst(areas[first : last + 1], side) <= _worst(areas[first:last], side):
            last += 1
        thick, at = sum(areas[first:last]) / side, 0.0
        for part, area in zip(parts[first:last], areas[first:last], strict=True):
            along = area / thick if thick else 0.0
            yield part, ((x, y + at, thick, along) if width >= height else (x + at, y, along, thick))
            at += along
        x, y, width, height = (
            (x + thick, y, width - thick, height) if width >= height else (x, y + thick, width, height - thick)
        )
        first = last


def _worst(areas: Sequence[float], side: float) -> float:
    """Return the largest ratio of the sides of the areas of a row."""
    total = sum(areas)
    return max(side**2 * max(areas) / total**2, total**2 / (side**2 * min(areas)))
