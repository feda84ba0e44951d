"""A peer's csv as arrays, and how far two results are apart."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.trees.tree import Tree

TEN = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PeerTable:
    """A peer's csv as arrays; products of inertia are tensor entries, empty cells NaN."""

    rows: list[dict[str, str]]

    @classmethod
    def read(cls, path: Path) -> PeerTable:
        with path.open(newline="") as lines:
            return cls(list(csv.DictReader(lines)))

    @classmethod
    def of_massprops(cls, folder: Path, name: str) -> PeerTable:
        """A table of ``tests/data/massprops_r``; ``mp_table_flat`` is made of the leaves of ``mp_table``."""
        if not name.startswith("mp_table_flat"):
            return cls.read(folder / "massprops_r" / f"{name}.csv")
        deep = cls.of_massprops(folder, name.replace("_flat", ""))
        leaves = [row for row, is_leaf in zip(deep.rows, deep.tree().is_leaf(), strict=True) if is_leaf]
        stored = folder / "massprops_r" / f"{name}.csv"
        root = cls.read(stored).rows[0] if stored.exists() else deep.rows[0]
        return cls([root, *({**row, "parent": root["id"]} for row in leaves)])

    def column(self, name: str) -> Floats:
        return np.array([float(row[name]) if row.get(name) else np.nan for row in self.rows])

    def has(self, name: str) -> bool:
        return name in self.rows[0]

    def ten(self, prefix: str = "") -> Floats:
        """The ten values ``(n, 10)``, or their sigmas, which have no sign."""
        values = np.column_stack([self.column(prefix + name) for name in TEN])
        if not prefix:
            positive = np.array([row["POIconv"] == "+" for row in self.rows])
            values[positive, 7:] *= -1
        return values

    def radii(self, prefix: str = "") -> Floats:
        return np.column_stack([self.column(f"{prefix}k{axis}") for axis in "xyz"])

    def tree(self, parent: str = "parent") -> Tree:
        number = {row["id"]: i for i, row in enumerate(self.rows)}
        return Tree.from_parents([number[row[parent]] if row[parent] else -1 for row in self.rows])

    def bodies(self) -> Bodies:
        ten = np.nan_to_num(self.ten())
        is_point = np.array([row["Ipoint"].upper() == "TRUE" for row in self.rows])
        return Bodies(ten[:, 0].copy(), ten[:, 1:4].copy(), ten[:, 4:].copy(), is_point)

    def sigmas(self) -> Sigmas:
        ten = np.nan_to_num(self.ten("sigma_"))
        return Sigmas(ten[:, 0].copy(), ten[:, 1:4].copy(), ten[:, 4:].copy())


def scaled_difference(ours: Floats, theirs: Floats) -> float:
    """Largest difference, each row's against the largest entry of its row."""
    assert (np.isnan(ours) == np.isnan(theirs)).all()
    scale = np.nanmax(np.abs(theirs), axis=1, keepdims=True)
    return float(np.nanmax(np.abs(ours - theirs) / np.where(scale == 0, 1.0, scale)))
