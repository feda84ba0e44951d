"""Tanks of a configuration: ``[tank.NAME]`` of ``massprops.toml``, read with all faults at their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from massprops_cli.bodies.bodies import full_tensors
from massprops_cli.bodies.liquids import Container, MeshContainer, shape_container
from massprops_cli.bodies.poses import Poses, axis_rotation
from massprops_cli.bodies.solid_inputs import SolidInputError, parse_dims, parse_mesh, parse_solid, read_materials
from massprops_cli.bom.bom import Bom, BomSource, bom_from, read_bom
from massprops_cli.bom.items.mesh_cells import MeshSource
from massprops_cli.bom.items.solid_cells import SolidUnits
from massprops_cli.findings.finding import Findings, FindingsError, MasspropsError, Place, UsageError, nearest_name_hint
from massprops_cli.tables.options import StatedKeys
from massprops_cli.tanks.tank import Tank, TankTable, checked_fill

_T = TypeVar("_T")
_Amount = tuple[float, float]  # a value and its sigma
_KEYS = (
    "item", "row", "shape", "dims", "axis", "mesh", "mesh-units", "mesh-scale", "table", "interpolate", "at", "rpy",
    "density", "fluid", "fill", "residual", "down", "group",
)  # fmt: skip
_INSIDES = ("shape", "mesh", "table")  # what states the inside of a tank
_KEY_OF_INPUT = {"material": "fluid", "mesh_units": "mesh-units", "mesh_scale": "mesh-scale"}
_ROWS = ("liquid", "tank")  # whose numbers the row of the item has


class _KeyError(UsageError):
    """A value of a key that is not valid."""

    def __init__(self, key: str, message: str, remedy: str = "", rule: str = "MP719") -> None:
        super().__init__(message)
        self.key, self.remedy, self.rule = key, remedy, rule


def read_tanks(bom: BomSource) -> dict[str, Tank]:
    """Read the tanks that the configuration of a table states.

    Parameters
    ----------
    bom : BomSource
        A bill of materials, or a table that is read, with its ``massprops.toml``.

    Returns
    -------
    dict of str to Tank
        Tanks by name, in the order of the file; in coherent units and in the frame of the root.

    Raises
    ------
    FindingsError
        Tanks are not valid: unknown items, no density, no volume, fills beyond 0 to 100, an open mesh …; all of them.

    Notes
    -----
    Keys: docs/howto/tanks.md.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in (
    ...         ("bom.csv", "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\\nS,,,,,\\nBUS,S,9,0,0,0\\nW,S,0,0,0,0\\n"),
    ...         ("massprops.toml", '[tank.T]\\nitem = "W"\\nshape = "sphere"\\ndims = "d=1 m"\\nfluid = "water"\\n'),
    ...     ):
    ...         with open(os.path.join(folder, name), "w") as file:
    ...             _ = file.write(text)
    ...     tanks = read_tanks(os.path.join(folder, "bom.csv"))
    >>> round(tanks["T"].capacity, 2)
    522.66
    """
    table = bom_from(bom)
    findings = Findings()
    tanks = tanks_of_table(table, findings)
    if findings.has_errors:
        raise FindingsError(findings)
    return tanks


def tanks_of_table(bom: Bom, findings: Findings) -> dict[str, Tank]:
    """Read the tanks of a table that have no fault, and report the faults of the others."""
    stated = bom.options.tanks
    if not stated:
        return {}
    materials = read_materials(bom.options.materials) if bom.options.materials else None
    units = SolidUnits(bom.item_rows)
    times = bom.tree.path_quantities(bom.quantity).count
    read = {name: _TankReader(bom, name, one, materials, units, times).read(findings) for name, one in stated.items()}
    return {name: tank for name, tank in read.items() if tank is not None}


class _TankReader:
    """One ``[tank.NAME]``."""

    def __init__(
        self, bom: Bom, name: str, stated: StatedKeys, materials: Any, units: SolidUnits, times: np.ndarray[Any, Any]
    ) -> None:
        self.bom, self.name, self.stated, self.values = bom, name, stated, stated.values
        self.materials, self.units, self.times = materials, units, times
        self.findings = Findings()

    def read(self, findings: Findings) -> Tank | None:
        """Return the tank, or report its faults."""
        for key in self.values:
            if key not in _KEYS:
                self._report(_KeyError(key, f"unknown key: {key}{nearest_name_hint(key, _KEYS)}", rule="MP902"))
        item = self._try(self._item)
        replaces = None if item is None else self._try(lambda: self._replaces(item))
        inside = self._try(self._inside)
        fill, sigma_fill = self._try(self._fill) or (None, 0.0)
        residual = self._try(lambda: self._percent("residual", self.values.get("residual", 0.0)))
        if fill is not None and residual is not None and residual > fill:
            self._report(_KeyError("residual", f"residual of {residual:g} % exceeds the fill of {fill:g} %"))
        down, angles = self._try(lambda: self._vector("down")), self._try(lambda: self._vector("rpy"))
        if down is not None and not down.any():
            self._report(_KeyError("down", "down has the length 0"))
        place = self._try(lambda: self._vector("at", (0, 1, 0)))
        groups = tuple(str(self.values[key]) for key in ("group", "fluid") if key in self.values)
        findings += self.findings
        if self.findings.has_errors:
            return None
        assert item is not None
        assert inside is not None
        (density, sigma_density), container, table, turn = inside
        zero = np.zeros(3)
        translation, turns = (zero if one is None else one for one in (place, angles))
        pose = Poses.from_rpy(translation[None], turns[None], "deg")
        if self.bom.poses is not None:
            frames = self.bom.poses.in_root
            pose = Poses(frames.translation[[item]], frames.rotation[[item]]) @ pose
        return Tank(
            self.name, self.bom.ids[item], density, container, table, pose.translation[0], pose.rotation[0] @ turn,
            float(fill or 0.0), float(residual or 0.0), np.array([0.0, 0.0, -1.0]) if down is None else down,
            float(self.times[item]), bool(replaces), groups, sigma_density, sigma_fill, self._text("fluid"),
        )  # fmt: skip

    def _try(self, read: Callable[[], _T]) -> _T | None:
        """Return what is read of a key; None after a fault, which is reported."""
        try:
            return read()
        except _KeyError as fault:
            self._report(fault)
        return None

    def _place(self, key: str) -> Place:
        """Return the line of a key, or of the head."""
        return Place(self.stated.path, line=self.stated.lines.get(key) or self.stated.lines.get("") or None, column=key)

    def _report(self, fault: _KeyError) -> None:
        """Report a fault at the line of its key."""
        value = str(self.values.get(fault.key, ""))
        remedy = fault.remedy or None
        self.findings.report(
            fault.rule, f"tank {self.name}: {fault}", self._place(fault.key), value=value, remedy=remedy
        )

    def _text(self, key: str) -> str:
        """Return a text; empty without the key."""
        if not isinstance(value := self.values.get(key, ""), str):
            raise _KeyError(key, f"{key} is not a text: {value!r}", "write a text in quotes, numbers with their unit")
        return value.strip()

    def _item(self) -> int:
        """Return the number of the item: a leaf whose own numbers are rolled up."""
        if not (name := self._text("item")):
            raise _KeyError("item", "item is not stated", 'write item = "ID", the id of the row that has the liquid')
        if (item := self.bom.find(name)) is None:
            named = self.bom.named_items(name)
            if len(named) != 1:
                hint = (
                    f"{len(named)} items have this name"
                    if named
                    else f"item is not in the table{nearest_name_hint(name, self.bom.ids)}"
                )
                raise _KeyError("item", f"{hint}: {name}", "write the id of one row")
            item = named[0]
        if not self.bom.tree.is_leaf()[item]:
            raise _KeyError(
                "item", f"item {name} is an assembly", "add a row for the liquid below it, and name that row"
            )
        weighed = [i for i in self.bom.tree.ancestors(item) if self.bom.stated is not None and self.bom.stated[i]]
        if weighed:
            raise _KeyError("item", f"item {name} is below {self.bom.ids[weighed[0]]}, whose own numbers are rolled up")
        if not self.times[item] >= 0:  # 0: it is off in a condition
            raise _KeyError("item", f"quantity of item {name} is negative: {self.times[item]:g}")
        return item

    def _replaces(self, item: int) -> bool:
        """Return whether the liquid replaces the numbers of the row: it does where the row states no mass."""
        states_mass = bool(self.bom.states_mass[item] and self.bom.bodies.mass[item] != 0)
        if (word := self._text("row")) and word not in _ROWS:
            raise _KeyError("row", f"row is neither liquid nor tank: {word}", 'write "liquid" or "tank"')
        if states_mass and not word:
            message = f"item {self.bom.ids[item]} states a mass of {self.bom.bodies.mass[item]:g}"
            raise _KeyError(
                "item", message, 'write row = "tank" to add the liquid to it, or row = "liquid" to replace it'
            )
        return not states_mass or word == "liquid"

    def _percent(self, key: str, stated: object) -> float:
        """Return a percentage."""
        try:
            return checked_fill(self.name, stated)  # type: ignore[arg-type] # checked
        except UsageError:
            raise _KeyError(key, f"{key} is not a percentage from 0 to 100: {self.values[key]!r}") from None

    def _fill(self) -> tuple[float, float]:
        """Return the fill and its sigma, in percent: a number, or a text such as 95±1 % (2σ), of the volume."""
        if not isinstance(stated := self.values.get("fill", 100.0), str):
            return self._percent("fill", stated), 0.0
        try:
            (text,) = parse_dims("fill=" + stated.replace("%", ""))
            sigma = text.sigma() or 0.0
        except (UsageError, ValueError) as error:
            raise _KeyError("fill", f"fill is not valid: {error}", 'write fill = 95, or fill = "95±1 (2σ)"') from None
        if sigma and self.values.get("table") is not None and self.values.get("interpolate") != "linear":
            raise _KeyError("fill", "a tolerance of the fill needs a table with linear interpolation")
        return self._percent("fill", text.value if not text.unit else stated), sigma

    def _vector(self, key: str, dimension: tuple[int, int, int] | None = None) -> np.ndarray[Any, Any] | None:
        """Return three numbers; texts are numbers with a unit of a dimension."""
        if (given := self.values.get(key)) is None:
            return None
        if not isinstance(given, list) or len(given) != 3:
            raise _KeyError(key, f"{key} is not a list of three numbers: {given!r}")
        numbers = []
        for one in given:
            if isinstance(one, str) and dimension is not None:
                try:
                    (text,) = parse_dims(f"{key}={one}")
                    numbers.append(text.value * self.units.factor(key, text.unit, dimension))
                except (UsageError, ValueError) as error:
                    raise _KeyError(key, f"{key} is not valid: {error}") from None
            elif isinstance(one, int | float) and not isinstance(one, bool) and np.isfinite(one):
                numbers.append(float(one))
            else:
                raise _KeyError(key, f"{key} is not a list of three numbers: {given!r}")
        return np.array(numbers)

    def _inside(self) -> tuple[_Amount, Container | None, TankTable | None, np.ndarray[Any, Any]]:
        """Return density with its sigma, container, table of fills, and the rotation (3, 3) of the shape's axis."""
        named = [key for key in _INSIDES if key in self.values]
        if len(named) != 1:
            text = f"{' and '.join(named)} are both stated" if named else "neither shape, mesh nor table is stated"
            raise _KeyError(named[-1] if named else "item", text, "state one of them")
        if named == ["table"]:
            return (0.0, 0.0), None, self._table(), np.eye(3)
        keys = ("shape", "dims", "axis", "mesh", "mesh-units", "mesh-scale", "density", "fluid")
        back = {key: name for name, key in _KEY_OF_INPUT.items()}
        cells = {back.get(key, key): self._text(key) for key in keys}
        if not cells["density"] and not cells["material"]:
            raise _KeyError("item", "density is not stated", 'write density = "998 kg/m3", or fluid = "water"')
        try:
            return self._shape(cells) if named == ["shape"] else self._mesh(cells)
        except SolidInputError as error:
            raise _KeyError(_KEY_OF_INPUT.get(error.column, error.column), str(error)) from None

    def _shape(self, cells: Mapping[str, str]) -> tuple[_Amount, Container, None, np.ndarray[Any, Any]]:
        """Return density with its sigma, container and rotation of a shape."""
        solid = parse_solid(cells, self.units.factor, self.materials)
        density = solid.values["density"]
        given = {name: value for name, value in solid.values.items() if name != "density"}
        if others := sorted({*solid.sigmas} - {"density"}):
            raise _KeyError("dims", f"tolerance of {others[0]} is not used", "state that of density or fill alone")
        if "wall" in given:
            raise _KeyError("dims", "dims state a wall", "state the inner dimensions")
        if not density > 0:
            raise _KeyError("density", f"density = {density:g} is not positive")
        try:
            container, sigma = shape_container(solid.shape, given), solid.sigmas.get("density", 0.0)
            return (density, sigma), container, None, axis_rotation(solid.axis)
        except UsageError as error:
            raise _KeyError("shape" if "is not a shape of tanks" in str(error) else "dims", str(error)) from None

    def _folder(self) -> Path:
        """Return the folder of the configuration file, in which its files are."""
        return Path(self.stated.path).parent

    def _mesh(self, cells: Mapping[str, str]) -> tuple[_Amount, Container | None, None, np.ndarray[Any, Any]]:
        """Return density with its sigma, container and rotation of a mesh; its faults are reported at its line."""
        options = self.bom.options
        described = parse_mesh(
            {**cells, "mesh_units": cells["mesh_units"] or options.mesh_units}, self.units.factor, self.materials
        )
        roots = [Path(root) for root in options.mesh_roots]
        source = MeshSource(self._folder(), roots, self.units.factor, self.materials, options.caps)
        found = Findings()
        mesh = source.inside(described, found)
        place = self._place("mesh")
        self.findings += [replace(one, place=place, message=f"tank {self.name}: {one.message}") for one in found]
        density = described.values["density"], described.sigmas.get("density", 0.0)
        return density, None if mesh is None else MeshContainer(mesh), None, np.eye(3)

    def _table(self) -> TankTable | None:
        """Return the table of fills: a csv file with the columns fill, mass, Cx … Cz, Ixx … Iyz."""
        path, word = self._folder() / self._text("table"), self._text("interpolate")
        if word not in ("", "linear"):
            raise _KeyError(
                "interpolate", f"interpolate is not known: {word}", 'write interpolate = "linear", or delete the key'
            )
        units = self.bom.units
        system = {"units": f"{units.mass},{units.length}"} if units.stated else {}
        try:
            rows = read_bom(path, config=False, map={"id": "fill"}, layout="flat", **system)  # type: ignore[arg-type] # units
        except MasspropsError as error:
            raise _KeyError("table", f"table {self._text('table')} cannot be read: {error}") from None
        self.findings += [one for one in rows.findings if one.severity.value == "error"]
        items = [i for i in np.flatnonzero(rows.tree.is_leaf()).tolist() if rows.rows[i] >= 0]
        bodies = rows.bodies
        if bodies.center is None or bodies.inertia is None:
            raise _KeyError("table", "table does not have the columns fill, mass, Cx, Cy, Cz, Ixx … Iyz")
        try:
            fills = np.array([checked_fill(self.name, float(rows.ids[i].removesuffix("%"))) for i in items])
        except (ValueError, UsageError):
            raise _KeyError("table", f"fills of {path.name} are not percentages from 0 to 100") from None
        order = np.argsort(fills)
        at = np.array(items)[order]
        if len(at) < 2 or (np.diff(fills[order]) <= 0).any() or (np.diff(bodies.mass[at]) <= 0).any():
            raise _KeyError("table", f"masses of {path.name} do not increase with the fill over two rows or more")
        return TankTable(fills[order], bodies.mass[at], bodies.center[at], full_tensors(bodies.inertia[at]), bool(word))
