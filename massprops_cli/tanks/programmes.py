"""Schedules as files of JSBSim, RocketPy and CPACS, in kg and m."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import full_tensors, phi, six_entries
from massprops_cli.files.parts_report import FOOT, INCH, POUND

_Floats = NDArray[np.float64]
_SLUG = POUND * 32.174049  # kg, of JSBSim
_PRODUCTS = ((0, 1), (0, 2), (1, 2))
_LEAST_PRODUCT = 1e-12  # of the largest moment of inertia, below which a product is rounding
_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
_CPACS_VERSION = "3.5"


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

    def liquids(self) -> tuple[_Floats, _Floats, _Floats]:
        """Return mass (n,), centre (n, 3) and tensor (n, 3, 3) of the liquids of all tanks."""
        return _joined(self.tank_mass, self.tank_center, self.tank_inertia)

    def rest(self, tanks: NDArray[np.intp]) -> tuple[float, _Floats, _Floats]:
        """Return mass, centre (3,) and tensor (3, 3) of the whole without the liquids of some tanks."""
        mass = np.append(self.mass[-1], -self.tank_mass[-1, tanks])
        center = np.vstack([self.center[-1], self.tank_center[-1, tanks]])
        tensor = np.concatenate([self.inertia[-1:], -self.tank_inertia[-1, tanks]])
        m, c, J = _joined(mass[None], center[None], tensor[None])
        return float(m[0]), c[0], J[0]


def _joined(mass: _Floats, center: _Floats, inertia: _Floats) -> tuple[_Floats, _Floats, _Floats]:
    """Join k bodies at n steps: mass (n, k), centre (n, k, 3), tensor (n, k, 3, 3); of no mass the first centre."""
    m = mass.sum(axis=1)
    offset = np.einsum("nk,nkx->nx", mass, center - center[:, :1])
    c = center[:, 0] + np.divide(offset, m[:, None], out=np.zeros_like(offset), where=m[:, None] != 0)
    arms = full_tensors(phi((center - c[:, None]).reshape(-1, 3))).reshape(*mass.shape, 3, 3)
    return m, c, (inertia + mass[..., None, None] * arms).sum(axis=1)


def jsbsim_text(numbers: ScheduleNumbers, name: str) -> str:
    """Return an aircraft of JSBSim whose tanks have the centres and tensors of tables by their contents.

    A tank has no products of inertia there: four point masses of the sum 0 at the corners of a square have them.
    """
    used = np.flatnonzero(numbers.tank_mass[0] > numbers.tank_mass[-1])
    mass, center, tensor = numbers.rest(used)
    values = zip(_ENTRIES, six_entries(tensor) / (_SLUG * FOOT**2), strict=True)
    inertia = [f'<i{entry} unit="SLUG*FT2">{x!r}</i{entry}>' for entry, x in ((e, float(v)) for e, v in values)]
    balance = [*inertia, f'<emptywt unit="LBS">{mass / POUND!r}</emptywt>', _location(center, 'name="CG" ')]
    points, tanks, channels = list[str](), list[str](), list[str]()
    for number, k in enumerate(used.tolist()):
        order = np.unique(numbers.tank_mass[:, k], return_index=True)[1]  # ascending contents
        parts = _jsbsim_tank(numbers, k, order, number, len(points))
        for whole, own in zip((tanks, channels, points), parts, strict=True):
            whole.extend(own)
    return "\n".join([
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!-- Mass properties while tanks empty, written by massprops. Structural frame: the axes of the table.",
        "     Tank contents start full; type and priority of tanks, engines and everything else are to be added. -->",
        f'<fdm_config name={quoteattr(name)} version="2.0" release="ALPHA">',
        '<metrics><location name="AERORP" unit="IN"><x>0</x><y>0</y><z>0</z></location></metrics>',
        '<mass_balance negated_crossproduct_inertia="true">', *balance, *points, "</mass_balance>",
        "<ground_reactions/>", "<propulsion>", *tanks, "</propulsion>",
        '<system name="massprops">', *channels, "</system>", "<flight_control/>", "<aerodynamics/>",
        "</fdm_config>", "",
    ])  # fmt: skip


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
        if np.abs(tensor[:, i, j]).max() <= _LEAST_PRODUCT * np.abs(tensor).max():
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


def rocketpy_text(numbers: ScheduleNumbers) -> str:
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
    names = ("11", "22", "33", "12", "13", "23")
    curves = [f'    "{name}": {own[:, i].tolist()!r},' for i, name in enumerate(names)]
    functions = [
        line
        for name in names
        for line in ("", "    @cached_property", f"    def propellant_I_{name}(self):",
                     f'        return self._by_mass(PROPELLANT_INERTIA["{name}"])')
    ]  # fmt: skip
    return "\n".join([
        '"""Mass properties while tanks empty, for RocketPy, written by massprops: kg, m, kg*m^2.',
        "",
        "e_3 is the z axis of the table, from tail to nose. Products are tensor entries, as in RocketPy, which has the",
        f"centre on the axis: that of the table is up to {off:.3g} m off it. The propellant is what the schedule",
        "uses; thrust sets how fast.",
        '"""', "", "from functools import cached_property", "", "import numpy as np",
        "from rocketpy import Function, GenericMotor, Rocket", "",
        f"DRY_MASS = {mass!r}", f"DRY_CENTER = {float(center[2])!r}",
        f"DRY_INERTIA = {tuple(six_entries(tensor).tolist())!r}",
        f"PROPELLANT_MASS = {propellant[::-1].tolist()!r}", f"PROPELLANT_CENTER = {z[::-1].tolist()!r}",
        "PROPELLANT_INERTIA = {", *curves, "}", "", "",
        "class ScheduledMotor(GenericMotor):",
        '    """The propellant: its centre and inertia follow its mass. Everything else is the rocket."""', "",
        "    def __init__(self, thrust_source, burn_time, nozzle_radius, nozzle_position=0.0, **more):",
        "        super().__init__(thrust_source, burn_time, 1.0, 1.0, PROPELLANT_CENTER[-1], PROPELLANT_MASS[-1],",
        "                         nozzle_radius, 0.0, DRY_CENTER, nozzle_position=nozzle_position, **more)", "",
        "    def _by_mass(self, values):",
        "        grid, mass = np.linspace(*self.burn_time, 1001), self.propellant_mass",
        "        times = np.interp(-np.array(PROPELLANT_MASS[::-1]), -np.array(mass(grid)), grid)",
        "        found = np.interp(mass(times), PROPELLANT_MASS, values)",
        '        return Function(np.column_stack([times, found]), interpolation="linear", extrapolation="constant")',
        "",
        "    @cached_property", "    def center_of_propellant_mass(self):",
        "        return self._by_mass(PROPELLANT_CENTER)", *functions, "", "",
        "def rocket_with(motor, radius, power_off_drag, power_on_drag):",
        '    """Return the rocket with the motor; both have the origin of the table."""',
        "    rocket = Rocket(radius, DRY_MASS, DRY_INERTIA, power_off_drag, power_on_drag, DRY_CENTER,",
        '                    coordinate_system_orientation="tail_to_nose")',
        "    rocket.add_motor(motor, 0.0)", "    return rocket", "",
    ])  # fmt: skip


def cpacs_text(numbers: ScheduleNumbers, name: str) -> str:
    """Return a CPACS file with an operational case of weight and balance: vectors of the whole and of the fuel."""
    words = "massInertia is about the origin of the CPACS axes; Jxy = -int(x y dm)"
    id = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    info = f"<cpacsVersion>{_CPACS_VERSION}</cpacsVersion><description>mass properties</description>"
    head = f'<versionInfos><versionInfo version="1.0">{info}<timestamp>{now}</timestamp>'
    return "\n".join([
        '<?xml version="1.0" encoding="utf-8"?>', "<cpacs>",
        f"<header><name>{escape(name)}</name><version>1.0</version>",
        f"{head}<creator>massprops</creator></versionInfo></versionInfos></header>",
        f'<vehicles><aircraft><model uID="massprops_{id}"><name>{escape(name)}</name>',
        f'<analyses><weightAndBalance><operationalCases><operationalCase uID="massprops_{id}_schedule">',
        f"<name>Emptying of {escape(', '.join(numbers.tanks))}</name><description>{words}</description>",
        *_cpacs_vectors(numbers.mass, numbers.center, numbers.inertia),
        "<mFuel>", *_cpacs_vectors(*numbers.liquids()), "</mFuel>",
        "</operationalCase></operationalCases></weightAndBalance></analyses></model></aircraft></vehicles>",
        "</cpacs>", "",
    ])  # fmt: skip


def _cpacs_vectors(mass: _Floats, center: _Floats, inertia: _Floats) -> list[str]:
    """Return mass (n,), centre (n, 3) and tensor (n, 3, 3) as vectors, tensors about the origin."""
    about_origin = six_entries(inertia) + mass[:, None] * phi(center)

    def vector(tag: str, values: _Floats) -> str:
        """Return numbers (n,) as an element."""
        return f'<{tag} mapType="vector">{";".join(map(repr, values.tolist()))}</{tag}>'

    place = "".join(vector(axis, center[:, i]) for i, axis in enumerate("xyz"))
    tensor = "".join(vector(f"J{entry}", about_origin[:, i]) for i, entry in enumerate(_ENTRIES))
    return [vector("mass", mass), f"<coG>{place}</coG>", f"<massInertia>{tensor}</massInertia>"]
