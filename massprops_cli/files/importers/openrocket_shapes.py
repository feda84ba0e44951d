"""Masses and centres of OpenRocket components, by closed forms, and by thin frusta where a profile is curved.

A component whose formula is not here has no mass: the reason is returned instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.files.parts_report import element_number

if TYPE_CHECKING:
    from lxml.etree import _Element

ShapeMass = tuple[float | None, float | None, str]
"""Mass and distance of the centre from the front; without a mass, the reason."""
_N_SLICES = 1_000  # frusta of a curved profile: their volume is within 1e-5 of the exact one


class _UnknownShapeError(Exception):
    """A mass that is not computed; the text is the reason."""


@dataclass(frozen=True, slots=True)
class RocketComponent:
    """A component's element, the name of its file, and the radii around it to which ``auto`` refers, or None."""

    name: str
    element: _Element
    inside: float | None = None
    before: float | None = None
    after: float | None = None
    through: float | None = None

    @property
    def neighbour(self) -> float | None:
        """The radius before the component, else that after it."""
        return self.before if self.before is not None else self.after

    def text(self, tag: str) -> str:
        """Return the text of a child; empty without it."""
        return (self.element.findtext(tag) or "").strip()

    def number(self, tag: str, otherwise: float | None = None) -> float:
        """Return the number of a child; raises where it is missing and there is no other."""
        if (child := self.element.find(tag)) is None:
            if otherwise is None:
                raise _UnknownShapeError(f"it states no {tag}")
            return otherwise
        return element_number(self.name, child)

    def radius(self, tag: str, of_auto: float | None) -> float:
        """Return a radius; ``auto`` may be followed by its value, else it is that of the surroundings."""
        if (value := _automatic_number(self.text(tag))) is not None:
            return value
        if self.text(tag) == "auto":
            if of_auto is None:
                raise _UnknownShapeError(f"its {tag} is automatic, and not that of a component next to it")
            return of_auto
        return self.number(tag)

    def density(self, kind: str = "bulk", tag: str = "material") -> float:
        """Return the density of the material."""
        child = self.element.find(tag)
        stated = "" if child is None else child.get("density") or ""
        if child is None or (child.get("type") or kind) != kind:
            raise _UnknownShapeError(f"it has no {kind} density")
        return _finite_number(stated, "density")


def shape_mass(part: RocketComponent) -> ShapeMass:
    """Compute mass and centre of a component, without the components within it."""
    formula = _FORMULAS.get(str(part.element.tag))
    try:
        if formula is None:
            raise _UnknownShapeError(f"a {part.element.tag} has no formula here")
        mass, centre = formula(part)
    except _UnknownShapeError as error:
        return None, None, str(error)
    except (OverflowError, ZeroDivisionError):
        return None, None, "its dimensions are 0 or too large"
    return mass, centre, ""


def _automatic_number(text: str) -> float | None:
    """Return the value that follows ``auto``; None without one."""
    words = text.split()
    return _finite_number(words[1], "radius") if len(words) == 2 and words[0] == "auto" else None


def _finite_number(text: str, what: str) -> float:
    """Return a number of an attribute; raises where it is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _UnknownShapeError(f"its {what} is not a number: {text!r}")
    return value


def inner_radius(part: RocketComponent) -> float | None:
    """Return the inner radius of a tube."""
    outer = outer_radius(part)
    try:
        return max(outer - part.number("thickness"), 0.0) if outer else None
    except _UnknownShapeError:
        return None


def outer_radius(part: RocketComponent) -> float:
    """Return the outer radius of a tube; 0 where it is not known, and of other components."""
    tag = {"bodytube": "radius", "innertube": "outerradius", "tubecoupler": "outerradius"}.get(str(part.element.tag))
    try:
        return part.radius(tag, part.neighbour if tag == "radius" else part.inside) if tag else 0.0
    except _UnknownShapeError:
        return 0.0


def end_radii(name: str, component: _Element) -> tuple[float | None, float | None]:
    """Return the radii of a body component at the front and at the end."""
    part = RocketComponent(name, component)

    def stated(tag: str) -> float | None:
        try:
            return part.radius(tag, None)
        except _UnknownShapeError:
            return None

    if component.tag == "bodytube":
        return stated("radius"), stated("radius")
    if component.tag == "nosecone":
        return None, stated("aftradius")
    return (stated("foreradius"), stated("aftradius")) if component.tag == "transition" else (None, None)


def _tube(outer_tag: str) -> Callable[[RocketComponent], tuple[float, float]]:
    """Make the formula of a tube; one with the thickness ``filled`` is solid."""

    def formula(part: RocketComponent) -> tuple[float, float]:
        if part.text("clusterconfiguration") not in ("", "single"):
            raise _UnknownShapeError("it is a cluster of tubes")
        outer = part.radius(outer_tag, part.neighbour if outer_tag == "radius" else part.inside)
        inner = 0.0 if part.text("thickness") == "filled" else max(outer - part.number("thickness"), 0.0)
        return _rings(part, outer, inner)

    return formula


def _disc(part: RocketComponent) -> tuple[float, float]:
    """Return mass and centre of bulkheads and centering rings."""
    outer = part.radius("outerradius", part.inside)
    inner = part.radius("innerradius", part.through) if part.element.tag == "centeringring" else 0.0
    return _rings(part, outer, min(inner, outer))


def _rings(part: RocketComponent, outer: float, inner: float) -> tuple[float, float]:
    """Return mass and centre of equal rings one behind the other."""
    length, count = part.number("length"), part.number("instancecount", 1.0)
    mass = count * math.pi * (outer**2 - inner**2) * length * part.density()
    return mass, length / 2 + (count - 1) * part.number("instanceseparation", 0.0) / 2


def _body_of_revolution(part: RocketComponent) -> tuple[float, float]:
    """Return mass and centre of a nose cone or transition, with its shoulders."""
    # The wall has its thickness across the surface, so the inside of a frustum has radii smaller by t √(L² + ΔR²) / L.
    if part.text("isflipped") == "true":
        raise _UnknownShapeError("it is flipped")
    if (length := part.number("length")) <= 0:
        raise _UnknownShapeError("its length is not positive")
    fore = 0.0 if part.element.tag == "nosecone" else part.radius("foreradius", part.before)
    aft = part.radius("aftradius", part.after)
    thickness = None if part.text("thickness") == "filled" else part.number("thickness")
    volumes = []
    for start, end, first, last in _slices(part, length, fore, aft):
        volumes.append(_frustum(end - start, first, last, start))
        if thickness is not None:
            wall = thickness * math.hypot(end - start, last - first) / (end - start)
            volume, at = _hollow(end - start, first, last, wall)
            volumes.append((volume, start + at))
    volumes += _shoulder(part, "fore", 0.0, -1) + _shoulder(part, "aft", length, 1)
    volume = math.fsum(one for one, _ in volumes)
    centre = math.fsum(one * at for one, at in volumes) / volume if volume else length / 2
    return part.density() * volume, centre


def _slices(part: RocketComponent, length: float, fore: float, aft: float) -> list[tuple[float, float, float, float]]:
    """Divide a profile into frusta: start, end, and the radius at each; finer towards the thin end."""
    if (shape := part.text("shape")) == "conical" or fore == aft:
        return [(0.0, length, fore, aft)]
    if shape not in _PROFILES:
        raise _UnknownShapeError(f"its shape is {shape or 'not stated'}")
    thin, thick = sorted((fore, aft))
    parameter = part.number("shapeparameter", 1.0 if shape == "ogive" else 0.0)
    is_clipped = thin > 0 and part.text("shapeclipped") == "true" and shape != "ogive"
    before = _clip_length(shape, length, thin, thick, parameter) if is_clipped else 0.0
    base, height = (0.0, thick) if is_clipped else (thin, thick - thin)
    places = [length * (k / _N_SLICES) ** 2 for k in range(_N_SLICES + 1)]
    radii = [base + _PROFILES[shape](before + x, height, before + length, parameter) for x in places]
    if fore > aft:
        places, radii = [length - x for x in reversed(places)], radii[::-1]
    return list(zip(places[:-1], places[1:], radii[:-1], radii[1:], strict=True))


def _clip_length(shape: str, length: float, thin: float, thick: float, parameter: float) -> float:
    """Find by bisection how long a nose is that a clipped transition continues, up to its thin end."""
    low, high = 0.0, length
    while _PROFILES[shape](high, thick, high + length, parameter) < thin:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        is_short = _PROFILES[shape](middle, thick, middle + length, parameter) < thin
        low, high = (middle, high) if is_short else (low, middle)
    return (low + high) / 2


def _ogive(x: float, radius: float, length: float, parameter: float) -> float:
    """Return the radius of a tangent (1) to secant (towards 0) ogive; one shorter than wide is a stretched one."""
    if parameter < 1e-3:
        return radius * x / length
    if length < radius:
        x, length = x * radius / length, radius
    squares = (length**2 + radius**2) * (((2 - parameter) * length) ** 2 + (parameter * radius) ** 2)
    circle = math.sqrt(squares) / (2 * parameter * radius)
    far = length / parameter
    return math.sqrt(circle**2 - (far - x) ** 2) - math.sqrt(circle**2 - far**2)


def _ellipsoid(x: float, radius: float, length: float, parameter: float) -> float:
    """Return the radius of half an ellipsoid."""
    u = x / length
    return radius * math.sqrt(max(2 * u - u * u, 0.0))


def _haack(x: float, radius: float, length: float, parameter: float) -> float:
    """Return the radius of the Haack series: 0 is von Kármán's, 1/3 the one of least drag for its volume."""
    angle = math.acos(max(1 - 2 * x / length, -1.0))
    return radius * math.sqrt((angle - math.sin(2 * angle) / 2 + parameter * math.sin(angle) ** 3) / math.pi)


_PROFILES: dict[str, Callable[[float, float, float, float], float]] = {
    "ogive": _ogive,
    "ellipsoid": _ellipsoid,
    "haack": _haack,
    "power": lambda x, radius, length, parameter: radius * (x / length) ** parameter,
    "parabolic": lambda x, radius, length, parameter: (
        radius * (2 * x / length - parameter * (x / length) ** 2) / (2 - parameter)
    ),
}
"""Radius at a distance x from the tip. [OpenRocket technical documentation, appendix A]"""


def _frustum(length: float, fore: float, aft: float, start: float) -> tuple[float, float]:
    """Return volume and centre of a frustum."""
    squares = fore**2 + fore * aft + aft**2
    at = length / 4 * (fore**2 + 2 * fore * aft + 3 * aft**2) / squares if squares else length / 2
    return math.pi * length / 3 * squares, start + at


def _hollow(length: float, fore: float, aft: float, wall: float) -> tuple[float, float]:
    """Return the negative volume, and the centre, of the inside of a cone; solid where the wall fills it."""
    if max(fore, aft) <= wall:
        return -0.0, length / 2
    slope = (aft - fore) / length
    begin = max((wall - fore) / slope, 0.0) if slope > 0 else 0.0
    end = min((wall - fore) / slope, length) if slope < 0 else length
    volume, centre = _frustum(end - begin, max(fore - wall, 0.0), max(aft - wall, 0.0), begin)
    return -volume, centre


def _shoulder(part: RocketComponent, which: str, start: float, direction: int) -> list[tuple[float, float]]:
    """Return the volumes and centres of a shoulder and its cap."""
    length, radius = part.number(f"{which}shoulderlength", 0.0), part.number(f"{which}shoulderradius", 0.0)
    thickness = part.number(f"{which}shoulderthickness", 0.0)
    if not length or not radius:
        return []
    inner = max(radius - thickness, 0.0)
    pieces = [(math.pi * (radius**2 - inner**2) * length, start + direction * length / 2)]
    if part.text(f"{which}shouldercapped") == "true":
        pieces.append((math.pi * inner**2 * thickness, start + direction * (length - thickness / 2)))
    return pieces


def _fins(part: RocketComponent) -> tuple[float, float]:
    """Return mass and centre of flat fins: trapezoids, half ellipses and polygons, with their tabs."""
    if (filled := _FILLED_SHARES.get(part.text("crosssection") or "square")) is None:
        raise _UnknownShapeError(f"the cross-section of its fins is {part.text('crosssection')}")
    if part.number("filletradius", 0.0):
        raise _UnknownShapeError("its fins have fillets")
    area, centre = _FIN_AREAS[str(part.element.tag)](part)
    count, thickness = part.number("fincount", 1.0), part.number("thickness")
    if tab := part.number("tabheight", 0.0) * part.number("tablength", 0.0):
        # distance of the centre of a fin tab from the front of the root chord
        child = part.element.find("tabposition")
        offset = 0.0 if child is None else element_number(part.name, child)
        length, chord = part.number("tablength"), fin_chord(part.name, part.element)
        start = {"front": 0.0, "top": 0.0, "center": (chord - length) / 2, "middle": (chord - length) / 2}
        relative = "front" if child is None else child.get("relativeto") or "front"
        centre = (area * centre + tab * (start.get(relative, chord - length) + offset + length / 2)) / (area + tab)
    return count * (area * filled + tab) * thickness * part.density(), centre


def fin_chord(name: str, component: _Element) -> float:
    """Return the root chord of a fin set in m, which is its length; 0 where the shape is not known."""
    if component.tag == "freeformfinset":
        try:
            points = _fin_points(component)
        except _UnknownShapeError:
            return 0.0
        return points[-1][0] - points[0][0] if points else 0.0
    child = component.find("rootchord")
    return 0.0 if child is None else element_number(name, child)


def _trapezoid(part: RocketComponent) -> tuple[float, float]:
    """Return area and centre of a trapezoid: root and tip chord, height, sweep."""
    root, tip = part.number("rootchord"), part.number("tipchord")
    height, sweep = part.number("height"), part.number("sweeplength")
    if not root + tip:
        raise _UnknownShapeError("its fins have no chord")
    centre = (root**2 + root * tip + tip**2 + sweep * (root + 2 * tip)) / (3 * (root + tip))
    return (root + tip) / 2 * height, centre


def _half_ellipse(part: RocketComponent) -> tuple[float, float]:
    """Return area and centre of half an ellipse on its root chord."""
    return math.pi / 4 * part.number("rootchord") * part.number("height"), part.number("rootchord") / 2


def _polygon(part: RocketComponent) -> tuple[float, float]:
    """Return area and centre of a polygon from its corners."""
    points = _fin_points(part.element)
    area, moment = 0.0, 0.0
    for (x, y), (to_x, to_y) in zip(points, [*points[1:], *points[:1]], strict=True):
        cross = x * to_y - to_x * y
        area += cross / 2
        moment += cross * (x + to_x) / 6
    if not area:
        raise _UnknownShapeError("its fins have no area")
    return abs(area), moment / area


def _fin_points(component: _Element) -> Sequence[tuple[float, float]]:
    """Return the corners of a freeform fin, m."""
    points = component.findall("finpoints/point")
    return [
        (_finite_number(p.get("x") or "", "fin point"), _finite_number(p.get("y") or "", "fin point")) for p in points
    ]


def _packed(volume_mass: Callable[[RocketComponent], float]) -> Callable[[RocketComponent], tuple[float, float]]:
    """Make the formula of a packed component: its centre is that of the space that it is packed in."""
    return lambda part: (volume_mass(part), part.number("packedlength", 0.0) / 2)


def _parachute_mass(part: RocketComponent) -> float:
    """Return the mass of a flat round canopy and its lines."""
    lines = part.number("linecount", 0.0) * part.number("linelength", 0.0)
    of_lines = lines * part.density("line", "linematerial") if lines else 0.0
    return math.pi / 4 * part.number("diameter") ** 2 * part.density("surface") + of_lines


_FILLED_SHARES = {"square": 1.0, "rounded": 0.99, "airfoil": 0.85}
"""Volume of a fin by its cross-section, of area × thickness. [OpenRocket, FinSet.CrossSection]"""
_FIN_AREAS = {"trapezoidfinset": _trapezoid, "ellipticalfinset": _half_ellipse, "freeformfinset": _polygon}

_FORMULAS: dict[str, Callable[[RocketComponent], tuple[float, float]]] = {
    "bodytube": _tube("radius"),
    "launchlug": _tube("radius"),
    "innertube": _tube("outerradius"),
    "tubecoupler": _tube("outerradius"),
    "engineblock": _tube("outerradius"),
    "bulkhead": _disc,
    "centeringring": _disc,
    "nosecone": _body_of_revolution,
    "transition": _body_of_revolution,
    **dict.fromkeys(_FIN_AREAS, _fins),
    "masscomponent": _packed(lambda part: part.number("mass")),
    "shockcord": _packed(lambda part: part.number("cordlength") * part.density("line")),
    "streamer": _packed(lambda part: part.number("striplength") * part.number("stripwidth") * part.density("surface")),
    "parachute": _packed(_parachute_mass),
}
