"""Tables with liquids in their tanks, and mass, centre and inertia of the whole while tanks empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.bodies import Bodies, at_items, full_tensors, phi, six_entries
from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import UsageError, checked_integer, nearest_name_hint
from massprops_cli.tables.cells.units import KILOGRAM, LENGTH, MASS, METRE, unit_of_dimension
from massprops_cli.tanks.liquid_sigmas import with_liquid_sigmas
from massprops_cli.tanks.programmes import ScheduleNumbers, cpacs_text, joined, jsbsim_text, rocketpy_text
from massprops_cli.tanks.tank import Liquid, Tank, checked_fills, deplete, selected_tanks, usable_masses
from massprops_cli.tanks.tank_file import read_tanks

if TYPE_CHECKING:
    import pandas as pd

_Floats = NDArray[np.float64]
SCHEDULE_SUFFIXES = {
    ".csv": "csv", ".m": "simulink", ".mat": "matlab", ".jsbsim.xml": "jsbsim", ".py": "rocketpy",
    ".cpacs.xml": "cpacs",
}  # fmt: skip
"""Formats of schedules that are not tables, and csv, by the end of the name."""
_RESOLVED = ("MP206", "MP402")  # blank cells and a mass of 0, in the row of a liquid


def with_liquids(
    bom: BomSource,
    fills: Mapping[str, float] | None = None,
    *,
    tanks: Mapping[str, Tank] | None = None,
    down: ArrayLike | None = None,
) -> Bom:
    """Return a table with the liquids of its tanks in the rows of their items.

    Parameters
    ----------
    bom : BomSource
        A bill of materials, or a table that is read.
    fills : mapping of str to float, optional
        Tank → fill in percent; default: the fills of the tanks.
    tanks : mapping of str to Tank, optional
        The tanks; default: those of ``massprops.toml``.
    down : array, shape (3,), optional
        Direction of the acceleration, axes of the root; default: that of each tank.

    Returns
    -------
    Bom
        Masses, centres and inertia of the frozen liquids are numbers of the items; cells of the table do not change.
        Sigmas of an item are those of its row; in a table with sigmas those of the liquid, if its tank states those of
        density or fill. A table without columns of centres or inertia has masses alone.

    Raises
    ------
    UsageError
        An unknown tank, or a fill that is not between 0 and 100.
    FindingsError
        Tanks of ``massprops.toml`` are not valid.

    Notes
    -----
    docs/formulas.md, section 14.

    Examples
    --------
    >>> from massprops_cli import shape_container
    >>> rows = [{"id": "top", "parent": ""}, {"id": "dry", "parent": "top", "mass": 2}, {"id": "lox", "parent": "top"}]
    >>> tank = Tank("T", "lox", 1000.0, shape_container("box", {"a": 1.0, "b": 1.0, "c": 1.0}))
    >>> rollup(with_liquids(Bom.from_records(rows), {"T": 25}, tanks={"T": tank}))["top"].mass
    252.0
    """
    table = bom_from(bom)
    tanks = read_tanks(table) if tanks is None else tanks
    percents = checked_fills(tanks, fills)
    return _table_with(table, [(tank, tank.liquid(percents[name], down)) for name, tank in tanks.items()])


def _table_with(table: Bom, liquids: Sequence[tuple[Tank, Liquid]]) -> Bom:
    """Return a table with liquids in the rows of their items."""
    every, own = np.arange(len(table)), table.own_numbers
    bodies = at_items(table.bodies, every)  # a copy
    items: list[int] = []
    for tank, liquid in liquids:
        item = table.item(tank.item)
        _add_liquid(bodies, item, liquid, replaces=tank.replaces and item not in items)
        items.append(item)
    at = np.array(items, np.intp)
    if own is not None and table.poses is not None:
        in_rows, moved = at_items(own[0], every), table.poses.numbers.inverse().bodies(bodies)
        for name in ("mass", "center", "inertia"):
            if getattr(in_rows, name) is not None:
                getattr(in_rows, name)[at] = getattr(moved, name)[at]
        _mark_known(in_rows, at)
        own = (in_rows, own[1])
    names = {tank.item for tank, _ in liquids}
    kept = tuple(one for one in table.findings if not (one.rule in _RESOLVED and one.item in names))
    deviations = None if table.deviations is None else table.deviations.without(at)
    made = replace(table, bodies=bodies, own_numbers=own, deviations=deviations, findings=kept)
    return with_liquid_sigmas(made, table, liquids)


def _mark_known(bodies: Bodies, at: NDArray[np.intp]) -> None:
    """Mark all values of items (k,) as known, and not as those of point masses."""
    for mask in (bodies.has_mass, bodies.has_center, bodies.has_inertia, bodies.has_products):
        if mask is not None:
            mask[at] = True
    bodies.is_point[at] = False


def _add_liquid(bodies: Bodies, item: int, liquid: Liquid, *, replaces: bool) -> None:
    """Put a liquid in the place of the numbers of an item, or add it to them."""
    at = np.array([item])
    mass, center, tensor, own = liquid.mass, liquid.center, liquid.inertia, float(bodies.mass[item])
    if not replaces and own:
        place = center if bodies.center is None else np.where(bodies.missing_axes, center, bodies.center[item])
        of_own = np.zeros((3, 3)) if bodies.inertia is None else full_tensors(bodies.inertia[item])
        both = np.array([[own, mass]]), np.array([[place, center]]), np.array([[of_own, tensor]])
        mass, center, tensor = (one[0] for one in joined(*both))
    bodies.mass[item] = mass
    if bodies.center is not None:
        bodies.center[item] = np.where(bodies.missing_axes, np.nan, center)
    if bodies.inertia is not None:
        bodies.inertia[item] = six_entries(tensor)
    _mark_known(bodies, at)


@dataclass(frozen=True, eq=False)
class Schedule:
    """Mass properties of the whole while tanks empty, with exact derivatives by its mass. Coherent units.

    Attributes
    ----------
    mass : array, shape (n,), mass
        Mass of the whole, descending.
    center : array, shape (n, 3), length
        Centre of mass, frame of the root.
    inertia : array, shape (n, 3, 3), mass × length²
        Tensor entries about the own centre, with frozen liquids.
    d_center : array, shape (n, 3), length / mass
        dc/dm along the depletion that follows, at the end along that before.
    d_moment : array, shape (n, 3), length
        d(m c)/dm, the centre of the layer that leaves.
    d_inertia : array, shape (n, 3, 3), length²
        dI/dm of the tensor about the own centre.
    burned : array, shape (n,), mass
        Mass that was used.
    fills : array, shape (n, k), percent
        Fills of the tanks.
    tanks : tuple of str
        Names of the k tanks.
    tank_mass : array, shape (n, k), mass
        Liquids of the tanks, those of all pieces of a tank together.
    tank_center : array, shape (n, k, 3), length
        Their centres of mass, frame of the root.
    tank_inertia : array, shape (n, k, 3, 3), mass × length²
        Their tensor entries about their own centres.
    units : tuple of str
        Units of mass, length and inertia; empty if not stated.

    Examples
    --------
    >>> from massprops_cli import shape_container
    >>> head = {"id": "top", "parent": "", "mass": None, "Cx": None, "Cy": None, "Cz": None}
    >>> rows = [head, {**head, "id": "dry", "parent": "top", "mass": 9, "Cx": 0, "Cy": 0, "Cz": 1}]
    >>> rows += [{**rows[1], "id": "lox", "mass": 0}]
    >>> tank = Tank("T", "lox", 1.0, shape_container("box", {"a": 1.0, "b": 1.0, "c": 1.0}))
    >>> burn = schedule(Bom.from_records(rows), "T", tanks={"T": tank}, steps=2)
    >>> burn.mass.tolist(), burn.center[:, 2].tolist(), burn.d_moment[:, 2].tolist()
    ([10.0, 9.5, 9.0], [0.9, 0.9342105263157895, 1.0], [0.5, 0.0, -0.5])
    """

    mass: _Floats
    center: _Floats
    inertia: _Floats
    d_center: _Floats
    d_moment: _Floats
    d_inertia: _Floats
    burned: _Floats
    fills: _Floats
    tanks: tuple[str, ...]
    tank_mass: _Floats
    tank_center: _Floats
    tank_inertia: _Floats
    units: tuple[str, str, str] = ("", "", "")

    def columns(self) -> list[tuple[str, str, _Floats]]:
        """Return the columns of the schedule as a table.

        Returns
        -------
        list of tuple of (str, str, array)
            Name, unit and values (n,): burned, mass, centre, inertia, their derivatives by mass, fills.
        """
        mass, length, inertia = self.units
        per = {"center": f"{length}/{mass}" if mass else "", "inertia": f"{inertia}/{mass}" if mass else ""}
        six, d_six = six_entries(self.inertia), six_entries(self.d_inertia)
        names = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
        return [
            ("burned", mass, self.burned),
            ("mass", mass, self.mass),
            *((f"C{axis}", length, self.center[:, k]) for k, axis in enumerate("xyz")),
            *((name, inertia, six[:, k]) for k, name in enumerate(names)),
            *((f"dC{axis}/dm", per["center"], self.d_center[:, k]) for k, axis in enumerate("xyz")),
            *((f"d{name}/dm", per["inertia"], d_six[:, k]) for k, name in enumerate(names)),
            *((f"fill {name}", "%", self.fills[:, k]) for k, name in enumerate(self.tanks)),
        ]

    def to_dataframe(self) -> pd.DataFrame:
        """Export the schedule.

        Returns
        -------
        pandas.DataFrame, n rows
            The columns of ``columns``; ``attrs["units"]`` has their units.
        """
        import pandas as pd

        frame = pd.DataFrame({name: values for name, _, values in self.columns()})
        frame.attrs["units"] = {name: unit for name, unit, _ in self.columns()}
        return frame

    def save(self, path: str | PathLike[str], format: str = "") -> None:
        """Write the schedule as a file.

        Parameters
        ----------
        path : str or path
            The file; it is replaced when the new one is complete.
        format : str, optional
            ``csv``, ``jsbsim``, ``rocketpy``, ``cpacs``; ``simulink`` for a MATLAB script with the variables of lookup
            tables, ``matlab`` for a MAT-file with the same; default: by the end of the name, ``.csv``, ``.jsbsim.xml``,
            ``.py``, ``.cpacs.xml``, ``.m``, ``.mat``.

        Raises
        ------
        UsageError
            Unknown format, or a programme that needs units and inertia which the table does not state.
        OutputError
            The file could not be written.
        """
        _write_schedule(self, path, format)


def schedule(
    bom: BomSource,
    burn: str | Sequence[str],
    *,
    steps: int = 50,
    together: bool = False,
    fills: Mapping[str, float] | None = None,
    tanks: Mapping[str, Tank] | None = None,
    down: ArrayLike | None = None,
) -> Schedule:
    """Compute mass, centre and inertia of the whole while tanks empty, with exact derivatives by mass.

    Parameters
    ----------
    bom : BomSource
        A bill of materials, or a table that is read.
    burn : str or sequence of str
        The tanks that empty, in their order: names, fluids or groups of tanks.
    steps : int, optional
        Number of equal steps in mass; n = steps + 1.
    together : bool, optional
        The tanks lose the same share of what they can give; default: one after another.
    fills : mapping of str to float, optional
        Fills of all tanks at the start, in percent; default: those of the tanks.
    tanks : mapping of str to Tank, optional
        The tanks; default: those of ``massprops.toml``.
    down : array, shape (3,), optional
        Direction of the acceleration, axes of the root; default: that of each tank.

    Returns
    -------
    Schedule
        From the fills at the start down to the residuals. Liquids are frozen. The derivatives are NaN for a table of
        fills without linear interpolation.

    Raises
    ------
    UsageError
        Unknown tanks, nothing to use, a table without centres, or fills that are not in the table of a tank.
    FindingsError
        The table or its tanks have errors.

    Notes
    -----
    d(m c)/dm is the centre of the surface layer, dI/dm its second moments about the centre of the whole:
    docs/formulas.md, section 14. The other parts are rolled up once.

    Examples
    --------
    >>> from massprops_cli import shape_container
    >>> head = {"id": "top", "parent": "", "mass": None, "Cx": None, "Cy": None, "Cz": None}
    >>> dry = {**head, "id": "dry", "parent": "top", "mass": 8.0, "Cx": 0.0, "Cy": 0.0, "Cz": 0.0}
    >>> tank = Tank("T", "lox", 1000.0, shape_container("sphere", {"r": 0.1}), residual=2.0)
    >>> burn = schedule(Bom.from_records([head, dry, {**dry, "id": "lox", "mass": 0.0}]), "T", tanks={"T": tank})
    >>> burn.mass[[0, -1]].round(6).tolist()
    [12.18879, 8.083776]
    """
    table = bom_from(bom)
    tanks = read_tanks(table) if tanks is None else dict(tanks)
    used, start = selected_tanks(tanks, burn), checked_fills(tanks, fills)
    usable = usable_masses(used, start)
    whole = sum(usable.values())
    if not whole > 0:
        raise UsageError(f"nothing to burn: tanks {', '.join(used)} are at or below their residuals")
    nothing = [
        (tank, Liquid(0.0, 0.0, tank.translation, np.zeros((3, 3)), tank.translation, np.zeros((3, 3))))
        for tank in used.values()
    ]
    others = [(tank, tank.liquid(start[name], down)) for name, tank in tanks.items() if name not in used]
    root = rollup(_table_with(table, [*nothing, *others])).body(int(table.tree.order[0]))
    if root.center is None and root.mass:
        raise UsageError("the table states no centres of mass")
    center = np.zeros(3) if root.center is None else root.center
    n = checked_integer("steps", steps, 1) + 1
    burned = whole * np.arange(n) / (n - 1)
    edges = np.cumsum([0.0, *usable.values()])
    rows = []
    for amount in burned.tolist():
        percents = deplete(used, amount, together=together, fills={name: start[name] for name in used})
        share = np.array([*usable.values()]) / whole
        if not together:  # the tank that is used next
            share = np.zeros(len(used))
            share[min(int(np.searchsorted(edges[1:], amount * (1 + 1e-12), "right")), len(used) - 1)] = 1.0
        liquids = [(tank.count, tank.liquid(percents[name], down)) for name, tank in used.items()]
        of_each = zip(*((times * one.mass, one.center, times * one.inertia) for times, one in liquids), strict=True)
        numbers = _whole(root.mass, center, root.inertia, liquids, share)
        rows.append((*numbers, list(percents.values()), *(list(one) for one in of_each)))
    m, c, tensor, d_moment, d_tensor, filled, mass, place, own = (np.array(one) for one in zip(*rows, strict=True))
    rates, of_tanks = ((d_moment - c) / m[:, None], d_moment, d_tensor), (mass, place, own)
    return Schedule(m, c, tensor, *rates, burned, filled, tuple(used), *of_tanks, table.units_of_body())


def _whole(
    mass: float, center: _Floats, inertia: _Floats | None, liquids: Sequence[tuple[float, Liquid]], share: _Floats
) -> tuple[float, _Floats, _Floats, _Floats, _Floats]:
    """Return m, c (3,), I (3, 3), d(m c)/dm (3,) and dI/dm (3, 3) of a body with liquids, each so many times."""
    m = mass + sum(count * one.mass for count, one in liquids)
    c = (mass * center + sum((count * one.mass * one.center for count, one in liquids), np.zeros(3))) / m
    tensor = np.full((3, 3), np.nan) if inertia is None else inertia + mass * full_tensors(phi(center - c))
    d_moment, d_tensor = np.zeros(3), np.zeros((3, 3))
    for (count, one), part in zip(liquids, share, strict=True):
        arm, layer = one.center - c, one.added_center - one.center
        tensor = tensor + count * (one.inertia + one.mass * full_tensors(phi(arm)))
        if part:  # a layer about the centre of the whole: Φ(arm) + 2 Φ(arm, layer) of the parallel axis theorem
            d_moment = d_moment + part * one.added_center
            mixed = 2 * (arm @ layer) * np.eye(3) - np.outer(arm, layer) - np.outer(layer, arm)
            d_tensor = d_tensor + part * (one.d_inertia + full_tensors(phi(arm)) + mixed)
    return m, c, tensor, d_moment, d_tensor if inertia is not None else d_tensor * np.nan


def _write_schedule(schedule: Schedule, path: str | PathLike[str], format: str) -> None:
    """Write a schedule in a format, or in that of the end of the name."""
    name = fspath(path)
    by_name = (word for end, word in SCHEDULE_SUFFIXES.items() if name.lower().endswith(end))
    if (chosen := format or next(by_name, "")) not in (words := [*SCHEDULE_SUFFIXES.values()]):
        hint = nearest_name_hint(chosen, words) or f" (expected a name with {', '.join(SCHEDULE_SUFFIXES)})"
        raise UsageError(f"unknown format of a schedule: {chosen or name}{hint}")
    if chosen in ("csv", "simulink"):
        data = {"csv": _csv_text, "simulink": _simulink_text}[chosen](schedule).encode()
    else:
        data = _matlab_data(schedule) if chosen == "matlab" else _programme_text(schedule, chosen, name).encode()
    with atomic_file(name) as out:
        out.write(data)


def _programme_text(schedule: Schedule, format: str, name: str) -> str:
    """Return the file of a programme that computes in units of its own."""
    mass, length = (unit_of_dimension(text, of) for text, of in zip(schedule.units, (MASS, LENGTH), strict=False))
    if mass is None or length is None:
        raise UsageError(f"{format} needs the units of the table; state them in its headings, or with --units")
    if not np.isfinite(schedule.inertia).all():
        raise UsageError(f"{format} needs the inertia of all parts")
    m, r = mass.over(KILOGRAM), length.over(METRE)
    of_tanks = schedule.tank_mass * m, schedule.tank_center * r, schedule.tank_inertia * m * r * r
    whole = schedule.mass * m, schedule.center * r, schedule.inertia * m * r * r, schedule.d_moment * r
    numbers, title = ScheduleNumbers(*whole, schedule.tanks, *of_tanks), PurePath(name).name.partition(".")[0]
    texts = {"jsbsim": jsbsim_text, "rocketpy": rocketpy_text, "cpacs": cpacs_text}
    return texts[format](numbers, title)


def _csv_text(schedule: Schedule) -> str:
    """Return the columns as csv text, all digits, units in the header."""
    columns = schedule.columns()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([f"{name} [{unit}]" if unit else name for name, unit, _ in columns])
    writer.writerows(zip(*(map(repr, values.tolist()) for _, _, values in columns), strict=True))
    return text.getvalue()


def _simulink_text(schedule: Schedule) -> str:
    """Return variables for n-D Lookup Table blocks: mass ascending, centre, tensor, and their derivatives by mass."""
    # Custom Variable Mass 6DOF has the inputs m, I and dI/dt = dIdm · dm/dt; its MKS units are kg and kg m²:
    # mathworks.com/help/aeroblks/customvariablemass6dofeulerangles.html
    units = dict(zip(("mass", "length", "inertia"), schedule.units, strict=True))
    stated = ", ".join(f"{name} in {unit}" for name, unit in units.items() if unit) or "no stated units"
    lines = [
        f"% Mass properties by mass ({stated}), written by massprops.",
        "% mass (1,n) ascending: breakpoints. center (n,3), inertia (3,3,n) about the centre of mass,",
        "% tensor entries Ixy = -int(xy dm), dcdm (n,3), dIdm (3,3,n): dI/dt = dIdm * dm/dt.",
    ]
    for name, values in _lookup_variables(schedule).items():
        if values.ndim == 3:  # column by column
            rows = _matlab_rows(values.transpose(2, 1, 0).reshape(1, -1))
            lines.append(f"{name} = reshape({rows}, 3, 3, []);")
        else:
            lines.append(f"{name} = {_matlab_rows(values)};")
    return "\n".join(lines) + "\n"


def _lookup_variables(schedule: Schedule) -> dict[str, _Floats]:
    """Return the variables of n-D Lookup Table blocks: those of the script."""
    tensors = {"inertia": schedule.inertia, "dIdm": schedule.d_inertia}
    return {
        "mass": schedule.mass[None, ::-1],
        "center": schedule.center[::-1],
        "dcdm": schedule.d_center[::-1],
        **{name: np.moveaxis(values[::-1], 0, 2) for name, values in tensors.items()},
    }


def _matlab_data(schedule: Schedule) -> bytes:
    """Return the variables of the script as a MAT-file; UsageError without SciPy."""
    try:
        from scipy.io import savemat
    except ImportError:
        raise UsageError("a .mat file needs SciPy; install the extra: pip install 'massprops[ballast]'") from None
    made = io.BytesIO()
    savemat(made, _lookup_variables(schedule))
    return made.getvalue()


def _matlab_rows(values: _Floats) -> str:
    """Return numbers (n, k) as a matrix of MATLAB."""
    rows = (" ".join(repr(x).replace("nan", "NaN") for x in row) for row in values.tolist())
    return "[" + "; ".join(rows) + "]"
