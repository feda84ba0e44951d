"""Random trees of bodies with poses, written as tables, and their results by matrices of this module alone."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np

import massprops_cli as mp

TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
UNITS = ("kg", "m", "m", "m", *["kg*m^2"] * 6)


def rotation(axis: int, angle: float) -> np.ndarray:
    """The rotation about one axis by an angle in radians."""
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[a, a] = R[b, b] = np.cos(angle)
    R[b, a], R[a, b] = np.sin(angle), -np.sin(angle)
    return R


def rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll), degrees."""
    return rotation(2, np.deg2rad(yaw)) @ rotation(1, np.deg2rad(pitch)) @ rotation(0, np.deg2rad(roll))


def tensor(six: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def about_origin(mass: float, center: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Ten additive numbers about the origin: m, m c, J0 + m (c·c 1 − c cᵀ)."""
    J = inertia + mass * (center @ center * np.eye(3) - np.outer(center, center))
    return np.concatenate([[mass], mass * center, J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]])


def ten_of(total: np.ndarray) -> np.ndarray:
    """Mass, centre and tensor about the centre from additive numbers."""
    c = total[1:4] / total[0]
    J0 = tensor(total[4:]) - total[0] * (c @ c * np.eye(3) - np.outer(c, c))
    return np.concatenate([[total[0]], c, J0[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]])


@dataclass
class PoseTree:
    """Items with own numbers (of leaves), sigmas, poses in their parents, and uncertainties of the poses."""

    parent: np.ndarray
    mass: np.ndarray
    center: np.ndarray
    inertia: np.ndarray
    t: np.ndarray
    angles: np.ndarray
    sigma: np.ndarray
    pose_sigma: np.ndarray

    @classmethod
    def random(cls, seed: int, n: int = 12, pose_sigma: float = 0.0) -> PoseTree:
        rng = np.random.default_rng(seed)
        parent = np.array([-1, *(int(rng.integers(0, max(1, k // 2))) for k in range(1, n))])
        inertia = np.zeros((n, 6))
        for k in range(n):
            points = rng.normal(size=(6, 3)) * [0.3, 0.2, 0.1]
            S = points.T @ points
            inertia[k] = (np.trace(S) * np.eye(3) - S)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        mass = rng.uniform(1, 5, n)
        sigma = np.concatenate([0.01 * mass[:, None], rng.uniform(1e-3, 5e-3, (n, 3)), 0.01 * np.abs(inertia)], axis=1)
        poses = pose_sigma * rng.uniform(0.2, 1, (n, 6))
        t, angles = rng.normal(size=(n, 3)), rng.uniform(-180, 180, (n, 3))
        t[0], angles[0], poses[0] = 0.0, 0.0, 0.0
        return cls(parent, mass, rng.normal(size=(n, 3)) * 0.2, inertia, t, angles, sigma, poses)

    @property
    def leaf(self) -> np.ndarray:
        return ~np.isin(np.arange(len(self.parent)), self.parent)

    def in_root(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and origin of a frame in the root's, step by step."""
        R, t = rpy(*self.angles[k]), self.t[k]
        while (k := int(self.parent[k])) >= 0:
            up = rpy(*self.angles[k])
            R, t = up @ R, up @ t + self.t[k]
        return R, t

    def leaves_below(self, k: int) -> list[int]:
        below = [k]
        for item in below:
            below += np.flatnonzero(self.parent == item).tolist()
        return [item for item in below if self.leaf[item]]

    def expected(self, k: int) -> np.ndarray:
        """Mass, centre and tensor of an item in the frame of the root."""
        total = np.zeros(10)
        for i in self.leaves_below(k):
            R, t = self.in_root(i)
            total += about_origin(self.mass[i], R @ self.center[i] + t, R @ tensor(self.inertia[i]) @ R.T)
        return ten_of(total)

    def table(self, frame: str = "own", sigmas: bool = False, poses: str = "rpy", uncertain: bool = False) -> str:
        """The table with its numbers in one frame, and its rotations in one form."""
        head = [
            "id",
            "parent",
            *(f"{name} [{unit}]" for name, unit in zip(TEN, UNITS, strict=True)),
            "POIconv",
            "frame",
        ]
        head += [f"sigma_{name} [{unit}]" for name, unit in zip(TEN, UNITS, strict=True)] if sigmas else []
        head += ["tx [m]", "ty [m]", "tz [m]", *FORMS[poses]]
        if uncertain:
            head += [*(f"sigma_t{a} [m]" for a in "xyz"), *(f"sigma_r{a} [rad]" for a in "xyz")]
        lines = [",".join(head)]
        for k in range(len(self.parent)):
            ten: list[object] = [""] * 10
            if self.leaf[k]:
                R, t = np.eye(3), np.zeros(3)
                if frame == "parent":
                    R, t = rpy(*self.angles[k]), self.t[k]
                elif frame == "root":
                    R, t = self.in_root(k)
                J0 = R @ tensor(self.inertia[k]) @ R.T
                ten = [self.mass[k], *(R @ self.center[k] + t), *J0[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]]
            row = [f"i{k}", "" if k == 0 else f"i{self.parent[k]}", *ten, "-", frame]
            if sigmas:
                row += self.sigma[k].tolist() if self.leaf[k] else [""] * 10
            row += [*self.t[k], *rotation_cells(poses, self.angles[k])]
            row += self.pose_sigma[k].tolist() if uncertain else []
            lines.append(",".join(repr(float(x)) if isinstance(x, float) else str(x) for x in row))
        return "\n".join(lines) + "\n"

    def read(self, *args: object, **options: object) -> mp.Bom:
        return mp.read_bom(io.StringIO(self.table(*args, **options)), format="csv")  # type: ignore[arg-type] # options are keywords


FORMS = {
    "rpy": ["roll [deg]", "pitch [deg]", "yaw [deg]"],
    "rad": ["roll [rad]", "pitch [rad]", "yaw [rad]"],
    "quaternion": ["qw", "qx", "qy", "qz"],
    "axis": ["ax", "ay", "az", "angle [deg]"],
    "cosines": [f"r{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)],
}


def rotation_cells(form: str, angles: np.ndarray) -> list[float]:
    """The cells of one rotation."""
    R = rpy(*angles)
    if form == "rpy":
        return angles.tolist()
    if form == "rad":
        return np.deg2rad(angles).tolist()
    if form == "cosines":
        return R.ravel().tolist()
    values, vectors = np.linalg.eig(R)
    axis = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    angle = float(np.arctan2(skew @ axis, (np.trace(R) - 1) / 2))
    if form == "axis":
        return [*(2.5 * axis), np.rad2deg(angle)]
    return [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]


def results(rolled: object, k: int) -> np.ndarray:
    """The ten numbers of an item of a roll-up."""
    bodies = rolled.bodies  # type: ignore[attr-defined] # of the case
    return np.concatenate([[bodies.mass[k]], bodies.center[k], bodies.inertia[k]])


def sigma_results(rolled: object, k: int) -> np.ndarray:
    """Their sigmas."""
    sigmas = rolled.sigmas  # type: ignore[attr-defined] # of the case
    return np.concatenate([[sigmas.mass[k]], sigmas.center[k], sigmas.inertia[k]])
