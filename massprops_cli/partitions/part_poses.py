"""Poses in tables of parts: every item has its frame in that of its parent, a top item in that of the whole.

Leaves state their numbers in a frame of their own with the axes of their rows, so that their sigmas remain independent
along these axes; what is computed is in the frame of the root of the whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.poses import Poses
from massprops_cli.files.table import shortest_number_text
from massprops_cli.rollups.subtotals import bodies_at_items, sigmas_at_items
from massprops_cli.tables.cells.units import POSE_COSINES, POSE_LENGTHS

if TYPE_CHECKING:
    import pyarrow as pa

    from massprops_cli.bom.bom import Bom
    from massprops_cli.partitions.part_rows import PartRows

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]


class PartPoses:
    """The frames of a table with poses, for tables of some of its items."""

    def __init__(self, bom: Bom) -> None:
        assert bom.poses is not None
        poses, leaf = bom.poses, bom.tree.is_leaf()
        self.bom, self.leaf, self.covariance = bom, leaf, poses.covariance
        # the origin of an uncertain pose stays; else that of the numbers, which then are as they are written
        moved = leaf if poses.covariance is None else leaf & ~poses.covariance.any(axis=(1, 2))
        self.in_root = Poses(
            np.where(moved[:, None], poses.numbers.translation, poses.in_root.translation),
            np.where(leaf[:, None, None], poses.numbers.rotation, poses.in_root.rotation),
        )

    def numbers(self, items: NDArray[np.intp]) -> tuple[Bodies, Sigmas | None]:
        """Return bodies and sigmas of leaves, item numbers (k,), from the origins and in the axes of their frames.

        Formula: docs/formulas.md, section 12.
        """
        assert self.bom.own_numbers is not None
        stated, stated_sigmas = self.bom.own_numbers
        bodies, sigmas = replace(self.bom, bodies=stated, sigmas=stated_sigmas).as_written()
        bodies = bodies_at_items(bodies, items)
        if bodies.center is not None:
            bodies = replace(bodies, center=bodies.center + self._away(items))
        return bodies, None if sigmas is None else sigmas_at_items(sigmas, items)

    def is_as_written(self, items: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which leaves, item numbers (k,), have their centres in the frame in which their rows state them (k,).

        False where an uncertain pose has another origin than the numbers.
        """
        return np.asarray((self._away(items) == 0).all(axis=1))

    def _away(self, items: NDArray[np.intp]) -> _Floats:
        """Return the origins of the numbers of some leaves from those of their frames."""
        assert self.bom.poses is not None
        numbers = self.bom.poses.numbers[items]
        away = numbers.translation - self.in_root.translation[items]
        return np.asarray(np.einsum("nba,nb->na", numbers.rotation, away))

    def columns(self, rows: PartRows) -> dict[str, pa.Array]:
        """Return the columns of frames, origins, rotations and uncertainties."""
        import pyarrow as pa

        made = rows.items < 0
        frames = self._frames(rows.items)
        above = self._frames(np.where(rows.parents < 0, -1, rows.items[rows.parents]))
        for row, (translation, rotation) in rows.parent_frames.items():
            above.translation[row], above.rotation[row] = translation, rotation
        local = above.inverse() @ frames
        numbered = np.zeros(len(made), bool)
        numbered[rows.numbered] = True
        own = self.leaf[np.where(made, 0, rows.items)] & ~made & ~rows.branches & ~numbered
        unit = self.bom.units_of_body()[1]
        found: dict[str, Any] = {"frame": pa.array(np.where(own, "own", "root"))}
        for k, name in enumerate(POSE_LENGTHS):
            found[f"{name} [{unit}]" if unit else name] = pa.array(local.translation[:, k])
        for k, name in enumerate(POSE_COSINES):
            found[name] = pa.array(local.rotation.reshape(-1, 9)[:, k])
        if self.covariance is not None:
            found[f"pose_covariance [{unit}; rad]" if unit else "pose_covariance [rad]"] = pa.array(
                self._covariance_texts(rows, above.rotation), pa.string()
            )
        return found

    def _frames(self, items: NDArray[np.intp]) -> Poses:
        """Return the frames of some items in that of the root; that of the root itself for −1."""
        made = items < 0
        frames = self.in_root[np.where(made, 0, items)]
        return Poses(
            np.where(made[:, None], 0.0, frames.translation),
            np.where(made[:, None, None], np.eye(3), frames.rotation),
        )

    def _covariance_texts(self, rows: PartRows, above: _Floats) -> list[str | None]:
        """Return the covariances of the poses in the axes of the parents as cells of 21 numbers."""
        assert self.covariance is not None
        texts: list[str | None] = [None] * len(rows.items)
        for row, item in enumerate(rows.items.tolist()):
            if item < 0 or not self.covariance[item].any():
                continue
            turn = np.zeros((6, 6))
            turn[:3, :3] = turn[3:, 3:] = above[row].T
            V = turn @ self.covariance[item] @ turn.T
            texts[row] = " ".join(shortest_number_text(x + 0.0) for x in V[np.triu_indices(6)].tolist())
        return texts
