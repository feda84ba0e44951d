"""USD: masses of the rigid bodies of a stage, as UsdPhysics states them, and the table that it is read as."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.poses import Poses
from massprops_cli.bodies.rotations import Floats, quaternion_rows, roll_pitch_yaw
from massprops_cli.bodies.solid_inputs import SolidInput, solid_bodies
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.files.table import TableSource, Value, shortest_number_text
from massprops_cli.findings.finding import Findings, Place, Severity, TableError, rule_finding
from massprops_cli.robots.robot_model import NO_MASS, NO_POSE, ROBOT_HEADER

_WATER = 1000.0  # kg/m³ of colliders that state no density. [UsdPhysics, "density"]
_NEAR = 1e-5  # largest deviation from 1 of a scale, and from 0 of a shear, of matrices in single precision
_DIMENSIONS = {"size": "a", "radius": "r", "height": "L", "axis": ""}
_SHAPES = {"Cube": "box", "Sphere": "sphere", "Cylinder": "cylinder", "Capsule": "capsule", "Cone": "cone"}


def read_usd(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> ReportTable:
    """Read the rigid bodies of a stage, each in the frame of the stage; layers must be in allowed folders."""
    if find_spec("pxr") is None:
        remedy = "pip install 'massprops[usd]', or convert the robot to URDF or SDF"
        message = "file is a USD scene, which needs the extra usd"
        raise TableError([rule_finding("MP103", message, Place(name), remedy=remedy, severity=Severity.ERROR)])
    with TemporaryDirectory() as folder:
        path = Path(name)
        if compressed or name == "-" or not path.is_file():
            path = Path(folder) / ("stage.usda" if data.startswith(b"#usda") else "stage.usdc")
            path.write_bytes(data)
        stage = _open_stage(name, path, [path.parent, *map(Path, options.folders)])
        reader = _StageReader(name, stage, findings)
        rows = reader.rows()
    if len(rows) == 1:
        remedy = "apply UsdPhysics.RigidBodyAPI to the bodies"
        raise TableError([rule_finding("MP111", "stage has no rigid body", Place(name), remedy=remedy)])
    table = ReportTable(TableSource(name, "usd", compressed=compressed), [ROBOT_HEADER, *rows])
    table.incomplete = reader.incomplete
    return table


def _open_stage(name: str, path: Path, folders: list[Path]) -> Any:
    """Open a stage whose layers are all in some folders."""
    from pxr import Tf, Usd

    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise TableError([rule_finding("MP104", f"stage cannot be opened: {reason}", Place(name))]) from None
    allowed = [folder.resolve() for folder in folders]
    for layer in stage.GetUsedLayers():
        if layer.realPath and not any(Path(layer.realPath).resolve().is_relative_to(folder) for folder in allowed):
            message = f"layer is outside the folder of the stage: {layer.realPath}"
            raise TableError([rule_finding("MP850", message, Place(name), value=layer.realPath)])
    return stage


def _decimal(value: float | None) -> float:
    """Return a number in single precision as the shortest decimal that it is; 0 for none."""
    return float(str(np.float32(value or 0.0)))


class _StageReader:
    """Reader of the bodies of one stage."""

    def __init__(self, name: str, stage: Any, findings: Findings) -> None:
        from pxr import UsdGeom, UsdPhysics

        self._name, self._stage, self._findings = name, stage, findings
        self._kg, self._m = UsdPhysics.GetStageKilogramsPerUnit(stage), UsdGeom.GetStageMetersPerUnit(stage)
        self._matrices = UsdGeom.XformCache()
        self.incomplete: set[str] = set()

    def rows(self) -> list[list[Value]]:
        """Return a row of the stage, and one of each body, whose id is its path."""
        from pxr import UsdPhysics

        prim = self._stage.GetDefaultPrim()
        root = prim.GetName() if prim else Path(self._name).stem.strip("-") or "stage"
        bodies = [one for one in self._stage.Traverse() if one.HasAPI(UsdPhysics.RigidBodyAPI)]
        return [[root, "", "1", *NO_MASS, *NO_POSE, "own"], *(self._row(body, root) for body in bodies)]

    def _row(self, body: Any, root: str) -> list[Value]:
        """Return the row of a body; numbers that are not known are blank, with a finding."""
        id = str(body.GetPath()).removeprefix(f"/{root}/").lstrip("/")
        found = Findings()
        pose, scale = self._frame(body)
        mass, center, tensor = self._stated(body)
        is_scaled = np.abs(scale - 1).max() > _NEAR or not np.isfinite(pose).all()
        if is_scaled:
            message = f"{id} has a scale, in which UsdPhysics does not define its centre and tensor"
            found.report("MP854", message, Place(self._name), item=id, remedy="apply the scale to the geometry")
        if mass is None or (not is_scaled and (center is None or tensor is None)):
            total = self._of_colliders(body, id, found)
            if total is not None:
                share = 1.0 if mass is None else mass / float(total.mass[0])
                mass = float(total.mass[0]) if mass is None else mass
                center = total.center[0] if center is None else center
                tensor = total.inertia[0] * share if tensor is None else tensor
        self.incomplete |= {id} if found else set()
        self._findings += found
        numbers = [""] * 11 if mass is None else [shortest_number_text(mass), *NO_MASS[1:]]
        if mass is not None and center is not None and not is_scaled:
            numbers[1:4] = map(shortest_number_text, center.tolist())
            if tensor is not None:
                numbers[4:] = [*map(shortest_number_text, (tensor + 0.0).tolist()), "-"]
        angles = roll_pitch_yaw(pose[:3, :3])
        placed = [shortest_number_text(float(value) + 0.0) for value in (*pose[:3, 3], *angles)]
        return [id, root, "1", *numbers, *placed, "own"]

    def _stated(self, body: Any) -> tuple[float | None, Floats | None, Floats | None]:
        """Return mass, centre (3,) and tensor entries (6,) of a body, kg and m; None for what it does not state."""
        from pxr import UsdPhysics

        api = UsdPhysics.MassAPI(body)
        mass = _decimal(api.GetMassAttr().Get()) * self._kg
        center = np.array([*map(_decimal, api.GetCenterOfMassAttr().Get() or [-np.inf] * 3)]) * self._m
        diagonal = np.array([*map(_decimal, api.GetDiagonalInertiaAttr().Get() or [0.0] * 3)]) * self._kg * self._m**2
        axes = api.GetPrincipalAxesAttr().Get()
        quaternion = np.zeros(4) if axes is None else np.array([axes.GetReal(), *axes.GetImaginary()], float)
        turn = np.eye(3)
        if size := float(np.linalg.norm(quaternion)):
            turn = np.array(quaternion_rows(*(quaternion / size).tolist()))
        own = (turn * diagonal) @ turn.T
        entries = np.array([own[0, 0], own[1, 1], own[2, 2], own[0, 1], own[0, 2], own[1, 2]])
        is_stated = np.isfinite(center).all()
        return mass or None, center if is_stated else None, entries if diagonal.any() else None

    def _frame(self, prim: Any, above: Any = None) -> tuple[Floats, Floats]:
        """Return the pose (4, 4), m, of a prim in the stage or in another, NaN with shear; and its scale (3,)."""
        matrix = np.array(self._matrices.GetLocalToWorldTransform(prim), float).T
        if above is not None:
            matrix = np.linalg.inv(np.array(self._matrices.GetLocalToWorldTransform(above), float).T) @ matrix
        scale = np.linalg.norm(matrix[:3, :3], axis=0)
        turn = matrix[:3, :3] / np.where(scale > 0, scale, 1.0)
        result = np.eye(4)
        u, _, v = np.linalg.svd(turn)
        result[:3, :3], result[:3, 3] = u @ v, matrix[:3, 3] * self._m
        if np.abs(turn - u @ v).max() > _NEAR or np.linalg.det(turn) < 0:
            result[:] = np.nan
        return result, scale

    def _colliders(self, body: Any) -> Iterator[Any]:
        """Yield the colliders of a body, without those of bodies within it."""
        from pxr import Usd, UsdPhysics

        prims = iter(Usd.PrimRange(body))
        for prim in prims:
            if prim != body and prim.HasAPI(UsdPhysics.RigidBodyAPI):
                prims.PruneChildren()
            elif prim.HasAPI(UsdPhysics.CollisionAPI):
                yield prim

    def _of_colliders(self, body: Any, id: str, findings: Findings) -> BodyArray | None:
        """Return the sum of the colliders of a body in its frame, kg and m; None with a finding."""
        found = []
        for prim in self._colliders(body):
            if (one := self._collider(prim, body)) is None:
                message = f"mass of {id} needs the volume of a {prim.GetTypeName() or 'prim'} that is not computed"
                findings.report("MP855", f"{message}: {prim.GetPath()}", Place(self._name), item=id)
                return None
            found.append(one)
        if not found:
            message = f"{id} states no complete inertial, and has no collider"
            findings.report("MP855", message, Place(self._name), item=id)
            return None
        whole = [np.concatenate([getattr(one, name) for one in found]) for name in ("mass", "center", "inertia")]
        return BodyArray(*whole).total()

    def _collider(self, prim: Any, body: Any) -> BodyArray | None:
        """Return the body of a collider in the frame of its body; None for one that is not computed."""
        from pxr import UsdPhysics, UsdShade

        kind = _SHAPES.get(prim.GetTypeName())
        pose, scale = self._frame(prim, body)
        is_even = np.ptp(scale) <= _NEAR * scale.max()
        if kind is None or not np.isfinite(pose).all() or not (is_even or kind == "box"):
            return None
        own, above = (UsdPhysics.MassAPI(one) for one in (prim, body))
        material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
        of_material = UsdPhysics.MaterialAPI(material).GetDensityAttr().Get() if material else 0.0
        densities = own.GetDensityAttr().Get(), of_material, above.GetDensityAttr().Get()
        density = next((_decimal(one) for one in densities if one), 0.0) * self._kg / self._m**3 or _WATER
        given = {key: prim.GetAttribute(key).Get() for key in _DIMENSIONS if prim.HasAttribute(key)}
        axis, sizes = str(given.pop("axis", "Z")).lower(), scale * self._m
        dims = {_DIMENSIONS[key]: float(value) * float(sizes[0]) for key, value in given.items()}
        if kind == "box":
            dims = dict(zip("abc", (float(given["size"]) * sizes).tolist(), strict=True))
        ten, _, faults, _ = solid_bodies([SolidInput(kind, {**dims, "density": density}, {}, axis, "density")])
        if faults:
            return None
        if mass := _decimal(own.GetMassAttr().Get()) * self._kg if prim != body else 0.0:
            ten[:, 4:] *= mass / ten[:, :1]
            ten[:, 0] = mass
        placed = Poses(pose[None, :3, 3], pose[None, :3, :3])
        return BodyArray(ten[:, 0], ten[:, 1:4], ten[:, 4:]).transformed(placed)
