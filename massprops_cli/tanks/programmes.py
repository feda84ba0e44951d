"""Schedules as files of JSBSim, RocketPy and CPACS, in kg and m."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files
from string import Template
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import full_tensors, phi, six_entries
from massprops_cli.files.parts_report import FOOT, INCH, POUND

_Floats = NDArray[np.float64]
_SLUG = POUND * 32.174049  # kg, of JSBSim
_PRODUCTS = ((0, 1), (0, 2), (1, 2))
_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


class ScheduleNumbers(NamedTuple):
    """A schedule of n steps with k tanks in kg and m, tensors about the own centres."""

    mass: _Floats  # (n,) of the whole, descending
    center: _Floats  # (n, 3)
    inertia: _Floats  # (n, 3, 3)
    layer: _Floats  # (n, 3) centre of the layer that leaves
    tanks: tuple[str, ...]
    tank_mass: _Floats  # (n, k)
    tank_center: _Floats  # (n, k, 3)
    tank_inertia: _Floats  # (n, k, 3, 3)


def joined(mass: _Floats, center: _Floats, inertia: _Floats) -> tuple[_Floats, _Floats, _Floats]:
    """Join k bodies at n steps: mass (n, k), centre (n, k, 3), tensor (n, k, 3, 3); of no mass the first centre."""
    m = mass.sum(axis=1)
    offset = np.einsum("nk,nkx->nx", mass, center - center[:, :1])
    c = center[:, 0] + np.divide(offset, m[:, None], out=np.zeros_like(offset), where=m[:, None] != 0)
    arms = full_tensors(phi((center - c[:, None]).reshape(-1, 3))).reshape(*mass.shape, 3, 3)
    return m, c, (inertia + mass[..., None, None] * arms).sum(axis=1)


def _filled(template: str, **texts: str) -> str:
    """Return a template with texts in it."""
    return Template(files("massprops_cli").joinpath("tanks", "templates", template).read_text("utf-8")).substitute(
        texts
    )


def jsbsim_text(numbers: ScheduleNumbers, name: str) -> str:
    """Return an aircraft of JSBSim whose tanks have the centres and tensors of tables by their contents.

    A tank has no products of inertia there: four point masses of the sum 0 at the corners of a square have them.
    """
    used = np.flatnonzero(numbers.tank_mass[0] > numbers.tank_mass[-1])
    (mass,), (center,), (tensor,) = joined(
        np.append(numbers.mass[-1], -numbers.tank_mass[-1, used])[None],
        np.vstack([numbers.center[-1], numbers.tank_center[-1, used]])[None],
        np.concatenate([numbers.inertia[-1:], -numbers.tank_inertia[-1, used]])[None],
    )
    values = zip(_ENTRIES, six_entries(tensor) / (_SLUG * FOOT**2), strict=True)
    inertia = [f'<i{entry} unit="SLUG*FT2">{x!r}</i{entry}>' for entry, x in ((e, float(v)) for e, v in values)]
    balance = [*inertia, f'<emptywt unit="LBS">{float(mass) / POUND!r}</emptywt>', _location(center, 'name="CG" ')]
    points, tanks, channels = list[str](), list[str](), list[str]()
    for number, k in enumerate(used.tolist()):
        order = np.unique(numbers.tank_mass[:, k], return_index=True)[1]  # ascending contents
        parts = _jsbsim_tank(numbers, k, order, number, len(points))
        for whole, own in zip((tanks, channels, points), parts, strict=True):
            whole.extend(own)
    texts = {"balance": [*balance, *points], "tanks": tanks, "channels": channels}
    return _filled("jsbsim.xml", name=quoteattr(name), **{key: "\n".join(lines) for key, lines in texts.items()})


def _jsbsim_tank(
    numbers: ScheduleNumbers, k: int, order: NDArray[np.intp], number: int, point: int
) -> tuple[list[str], list[str], list[str]]:
    """Return a tank, the channel that moves it, and point masses from a number on, with steps in ascending order."""
    contents, center = numbers.tank_mass[order, k] / POUND, numbers.tank_center[order, k]
    tensor = numbers.tank_inertia[order, k] / (_SLUG * FOOT**2)
    of_tank, label = f"propulsion/tank[{number}]", quoteattr(numbers.tanks[k])
    # JSBSim has the centre at drain + contents / capacity (place − drain)
    share = np.maximum(contents, contents[1] * 1e-3) / contents[-1]
    place = center[0] + (center - center[0]) / share[:, None]
    place[0] = place[0] if contents[0] else place[1]

    def function(values: _Floats) -> str:
        """Return a table by the contents of the tank."""
        rows = "\n".join(f"{x!r} {y!r}" for x, y in zip(contents.tolist(), values.tolist(), strict=True))
        by = f"<independentVar>{of_tank}/contents-lbs</independentVar>"
        return f"<function><table>{by}<tableData>\n{rows}\n</tableData></table></function>"

    grain = [f'<i{a}{a} unit="SLUG*FT2">{function(tensor[:, i, i])}</i{a}{a}>' for i, a in enumerate("xyz")]
    tank = [
        f'<property value="{float(contents[-1])!r}">{of_tank}/contents-lbs</property>',  # functions of the tank read it
        f'<tank type="FUEL" number="{number}" name={label}>', _location(place[-1]),
        _location(center[0]).replace("location", "drain_location"),
        f'<capacity unit="LBS">{float(contents[-1])!r}</capacity>',
        f'<contents unit="LBS">{float(contents[-1])!r}</contents>',
        '<grain_config type="FUNCTION">', *grain, "</grain_config>", "</tank>",
    ]  # fmt: skip
    outputs = [(f"{of_tank}/{axis}-position", place[:, i] / INCH) for i, axis in enumerate("xyz")]
    points = list[str]()
    for i, j in _PRODUCTS:
        if np.abs(tensor[:, i, j]).max() <= 1e-12 * np.abs(tensor).max():  # rounding
            continue
        for a, b in ((1, 1), (-1, -1), (1, -1), (-1, 1)):  # one foot from the place of the tank: ∫ab dm = 4 w ft²
            corner = center[-1].copy()
            corner[[i, j]] += np.array([a, b]) * FOOT
            weight = -a * b * tensor[:, i, j] / 4 * _SLUG / POUND
            outputs.append((f"inertia/pointmass-weight-lbs[{point + len(points)}]", weight))
            inside = f'<weight unit="LBS">{float(weight[-1])!r}</weight>{_location(corner)}'
            points.append(f"<pointmass name={quoteattr(numbers.tanks[k] + ' product')}>{inside}</pointmass>")
    functions = [
        f'<fcs_function name="massprops/tank-{number}-{n}">{function(values)}<output>{path}</output></fcs_function>'
        for n, (path, values) in enumerate(outputs)
    ]
    return tank, [f"<channel name={label}>", *functions, "</channel>"], points


def _location(place: _Floats, more: str = "") -> str:
    """Return a location (3,) in metres as an element in inches."""
    inside = "".join(f"<{axis}>{x!r}</{axis}>" for axis, x in zip("xyz", (place / INCH).tolist(), strict=True))
    return f'<location {more}unit="IN">{inside}</location>'


def rocketpy_text(numbers: ScheduleNumbers, name: str) -> str:
    """Return a Python module with a motor and a rocket of RocketPy, whose axis e_3 is the z axis of the table."""
    # RocketPy has all centres on the axis: the tensor of the propellant has what is off it
    mass, center, tensor = float(numbers.mass[-1]), numbers.center[-1], numbers.inertia[-1]
    propellant = numbers.mass - mass
    z = np.append(
        (numbers.mass[:-1] * numbers.center[:-1, 2] - mass * center[2]) / propellant[:-1], numbers.layer[-1, 2]
    )
    along = np.diag([1.0, 1.0, 0.0]) * (propellant * mass / numbers.mass * (z - center[2]) ** 2)[:, None, None]
    own = six_entries(numbers.inertia - tensor - along)[::-1]
    off = float(np.hypot(*numbers.center[:, :2].T).max())
    curves = zip(("11", "22", "33", "12", "13", "23"), own.T, strict=True)
    return _filled(
        "rocketpy.txt", name="".join(c for c in name if c.isalnum()), off=f"{off:.3g}",
        mass=repr(mass), center=repr(float(center[2])),
        inertia=repr(tuple(six_entries(tensor).tolist())), propellant=repr(propellant[::-1].tolist()),
        place=repr(z[::-1].tolist()), curves="\n".join(f'    "{key}": {of.tolist()!r},' for key, of in curves),
    )  # fmt: skip


def cpacs_text(numbers: ScheduleNumbers, name: str) -> str:
    """Return a CPACS file with an operational case of weight and balance: vectors of the whole and of the fuel."""
    id, now = "".join(c if c.isascii() and c.isalnum() else "_" for c in name), datetime.now(UTC)
    return _filled(
        "cpacs.xml", name=escape(name), now=now.strftime("%Y-%m-%dT%H:%M:%S"), id=id,
        tanks=escape(", ".join(numbers.tanks)), fuel=_cpacs_vectors(*joined(*numbers[5:])),
        whole=_cpacs_vectors(numbers.mass, numbers.center, numbers.inertia),
    )  # fmt: skip


def _cpacs_vectors(mass: _Floats, center: _Floats, inertia: _Floats) -> str:
    """Return mass (n,), centre (n, 3) and tensor (n, 3, 3) as vectors, tensors about the origin."""
    about_origin = six_entries(inertia) + mass[:, None] * phi(center)

    def vector(tag: str, values: _Floats) -> str:
        """Return numbers (n,) as an element."""
        return f'<{tag} mapType="vector">{";".join(map(repr, values.tolist()))}</{tag}>'

    place = "".join(vector(axis, center[:, i]) for i, axis in enumerate("xyz"))
    tensor = "".join(vector(f"J{entry}", about_origin[:, i]) for i, entry in enumerate(_ENTRIES))
    return f"{vector('mass', mass)}<coG>{place}</coG><massInertia>{tensor}</massInertia>"
