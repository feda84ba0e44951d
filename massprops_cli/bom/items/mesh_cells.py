"""Meshes of a table: bodies of parts whose own numbers are blank, from mesh files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import six_entries
from massprops_cli.bodies.meshes.mesh import Mesh, text_precision
from massprops_cli.bodies.meshes.mesh_bodies import MeshBody, MeshInput, calculated_body, mesh_body, unit_readings
from massprops_cli.bodies.meshes.mesh_defects import check_mesh, usable_mesh
from massprops_cli.bodies.solid_inputs import Material, MeshDescription, SolidInputError, parse_mesh
from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.files.meshes.mesh_file import MeshFile, find_mesh, read_mesh
from massprops_cli.files.options import ReadCaps
from massprops_cli.findings.finding import Findings, Severity, UsageError

_UnitFactor = Callable[[str, str, tuple[int, int, int]], float]
_LENGTH = (0, 1, 0)  # powers of mass, length and time
_FILES_BYTES = 2**28  # memory for meshes that are kept, because other parts may use them too
_Source = tuple[int, str, NDArray[np.float64], float]
"""Item, name of an uncertain input of its mesh, ten deviations for one sigma of it, and this sigma; NaN: several."""


@dataclass(eq=False, repr=False)
class MeshSource:
    """Where meshes are, in which units they are used, and the files that were read."""

    folder: Path  # of the table; paths are relative to it
    roots: Sequence[Path]
    factor: _UnitFactor  # input name, unit, powers of mass, length and time → factor to coherent units
    materials: dict[str, Material] | None = None  # None: the installed table
    caps: ReadCaps = field(default_factory=ReadCaps)
    _files: dict[Path, tuple[MeshFile | None, Findings]] = field(default_factory=dict)

    def body(self, described: MeshDescription, findings: Findings, *, use_union: bool = False) -> MeshBody | None:
        """Compute the body of a described mesh."""
        if (given := self._read(described, findings)) is None:
            return None
        try:
            return mesh_body(replace(given, use_union=use_union), findings)
        except UsageError as error:
            message = f"mesh {given.name} cannot be computed: {error}"
            findings.report("MP721", message, value=given.name, remedy="change the option")
            return None

    def calculated(
        self, described: MeshDescription, calculator: str, parameters: Mapping[str, str], findings: Findings
    ) -> MeshBody | None:
        """Compute the body of a described mesh by a custom calculator; its unit is the metre."""
        is_exact = not any(described.sigmas.values())
        if "density" not in described.values or described.values.keys() & {"wall", "voxel"} or not is_exact:
            raise UsageError("--calculator needs an exact density, and no wall, voxel-size or surface-offset")
        if (given := self._read(described, findings)) is None:
            return None
        mesh = Mesh(given.mesh.vertices.astype(float) * given.length, given.mesh.faces)
        found = calculated_body(calculator, mesh, described.values["density"], parameters, findings)
        if found is None or found.center is None or found.inertia is None:
            return None
        ten = np.concatenate([[found.mass], found.center, six_entries(found.inertia)])
        covariance = np.zeros((10, 10)) if found.covariance is None else found.covariance
        return MeshBody(ten, covariance, {}, np.nan)

    def inside(self, described: MeshDescription, findings: Findings) -> Mesh | None:
        """Return the closed surface of a described mesh, outward, coherent unit of length; None with an error."""
        given, found = self._read(described, findings), Findings()
        if given is None or not usable_mesh(given.mesh, given.name, findings):
            return None
        checked = check_mesh(given.mesh, given.name, found, is_surface=False, is_voxels=False)
        is_open = checked is not None and not checked.edges.is_closed
        findings += [replace(one, severity=Severity.ERROR) if is_open and one.rule == "MP725" else one for one in found]
        if checked is None or is_open or found.has_errors:
            return None
        mesh = checked.edges.mesh
        return Mesh(mesh.vertices.astype(float) * given.length, mesh.faces)

    def _read(self, described: MeshDescription, findings: Findings) -> MeshInput | None:
        """Return the triangles of a described mesh with their unit; None with an error."""
        if (file := self._file(described.path, findings)) is None:
            return None
        precision = text_precision(file.vertices, file.step) if file.is_text else file.step
        mesh = Mesh(file.vertices, file.faces, precision)
        meter, cubic = self._si_factors()
        unit = described.unit
        if unit is None and file.meters is not None:
            unit = file.meters * self.factor("mesh", "m", _LENGTH)
        if unit is None and len(file.faces):  # a mesh without triangles is reported as that
            self._report_missing_unit(mesh, described, file.name, findings)
            return None
        values = described.values
        return MeshInput(
            mesh, (unit or 1.0) * described.scale, density=values.get("density"), mass=values.get("mass"),
            wall=values.get("wall"), voxel=values.get("voxel"), sigmas=described.sigmas, name=file.name,
            meters=None if meter is None else 1 / meter,
            kilograms=None if not cubic or not meter else 1 / (cubic * meter**3),
        )  # fmt: skip

    def _file(self, text: str, findings: Findings) -> MeshFile | None:
        """Read a file once, and report its findings for every use."""
        try:
            path = find_mesh(text, self.folder, self.roots)
        except UsageError as error:
            remedy = "move the mesh there, or allow its folder with --config mesh-root=…"
            findings.report("MP721", str(error), value=text, remedy=remedy)
            return None
        if path not in self._files:
            found = Findings()
            file = read_mesh(path, found, self.caps, name=text.strip())
            self._forget_files()
            self._files[path] = (file, found)
        self._files[path] = file, found = self._files.pop(path)
        findings += found
        return file

    def _forget_files(self) -> None:
        """Forget the files used longest ago, until the rest fits the memory for them."""
        kept = 0
        for path, (file, _) in reversed(list(self._files.items())):
            kept += 0 if file is None else file.vertices.nbytes + file.faces.nbytes
            if kept > _FILES_BYTES:
                del self._files[path]

    def _report_missing_unit(self, mesh: Mesh, described: MeshDescription, name: str, findings: Findings) -> None:
        """Report a file without a unit, with the size and the mass of each reading."""
        message = f"unit of mesh {name} is not stated"
        if len(mesh.faces) and mesh.is_finite:
            scaled = Mesh(mesh.vertices * described.scale, mesh.faces)
            density, wall = described.values.get("density"), described.values.get("wall")
            length, cubic = self._si_factors()
            density = density / cubic if density is not None and cubic else None
            wall = wall / length if wall is not None and length else None
            message += f" ({unit_readings(scaled, density, wall)})"
        findings.report("MP720", message, value=name)

    def _factor_or_none(self, name: str, unit: str, powers: tuple[int, int, int]) -> float | None:
        """Return a factor; None if the units are not stated."""
        try:
            return self.factor(name, unit, powers)
        except UsageError:
            return None

    def _si_factors(self) -> tuple[float | None, float | None]:
        """Return a metre and a kilogram per cubic metre in coherent units; None if they are not stated."""
        return self._factor_or_none("mesh", "m", _LENGTH), self._factor_or_none("density", "kg/m3", (1, -3, 0))


def read_item_meshes(
    items: ItemRows,
    which: Sequence[int],
    source: MeshSource,
    stated: Callable[[int], Mapping[str, str]],
    findings: Findings,
) -> tuple[list[int], list[MeshDescription], NDArray[np.float64], NDArray[np.float64], list[_Source]]:
    """Compute k bodies of meshes: items, descriptions, (k, 10) about own centres or NaN, (k, 10, 10), and sources."""
    named = items.columns.by_quantity
    used: list[int] = []
    described: list[MeshDescription] = []
    tens, covariances = [], []
    sources: list[_Source] = []
    for i in which:
        texts = stated(i)
        own = Findings()
        column = named["mesh"]
        body = None
        try:
            one = parse_mesh(texts, source.factor, source.materials)
        except SolidInputError as error:
            column = named.get(error.column, column)
            own.report("MP701", f"mesh of {items.ids[i]} is not valid: {error}", value=texts.get(error.column, ""))
        else:
            used.append(i)
            described.append(one)
            body = source.body(one, own)
            tens.append(np.full(10, np.nan) if body is None else body.ten)
            covariances.append(np.zeros((10, 10)) if body is None else body.covariance)
            if body is not None and one.sigmas:
                named_ones = [pair for pair in body.deviations.items() if pair[0] != "rounding"]
                sources += [(i, name, vector, one.sigmas.get(name, np.nan)) for name, vector in named_ones]
        place = items.table.place(int(items.rows[i]), column.index, column.header)
        for finding in own:
            remedy = re.sub(r"pass (?:voxel-size=SIZE|--union)", "state a size in a column voxel_size", finding.remedy)
            remedy = remedy.replace("with wall=SIZE, or in a column wall", "in a column wall")
            findings.append(replace(finding, place=place, item=items.ids[i], remedy=remedy))
    ten, covariance = np.array(tens).reshape(-1, 10), np.array(covariances).reshape(-1, 10, 10)
    return used, described, ten, covariance, sources
