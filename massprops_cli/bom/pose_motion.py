"""The poses of a table in another frame: those of top items move; a reflection M gives P' = M P N throughout."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.poses import Poses
from massprops_cli.bom.items.item_rows import ItemRows, item_cell_place
from massprops_cli.bom.items.pattern_cells import moved_pattern_cells
from massprops_cli.files.table import Floats, shortest_number_text
from massprops_cli.findings.finding import Findings, UsageError, name_list
from massprops_cli.tables import options
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.headings import ANGLE_UNITS, POSE_ROTATIONS, stated_angle_unit

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Cells = dict[tuple[int, int], float | str]
_Map = tuple[Floats, Floats, Floats | None]
"""R (3, 3), t (3,) in the new axes, and the reflection N (3, 3) of the own axes; None for a rotation."""


def _is_top(bom: Bom) -> NDArray[np.bool_]:
    """Mark the items (n,) with poses in the frame of the table: roots, and the children of a root without a row."""
    parent = bom.tree.parent
    return np.asarray((bom.rows >= 0) & ((parent < 0) | (bom.rows[parent] < 0)))


def items_in_frame_of_table(bom: Bom) -> NDArray[np.bool_]:
    """Return which rows (n,) are in the frame of the root or top items; UsageError if not so at all their places."""
    assert bom.poses is not None
    of_parent = bom.poses.is_given_in("parent")
    is_top = _is_top(bom)
    result = bom.poses.is_given_in("root") | (of_parent & is_top)
    is_item = (bom.rows >= 0) if bom.extra is None else (bom.rows >= 0) & ~bom.extra
    mixed = np.intersect1d(bom.rows[of_parent & is_top & is_item], bom.rows[of_parent & ~is_top & is_item])
    if len(mixed):
        which = np.flatnonzero(np.isin(bom.rows, mixed))
        raise UsageError(
            f"numbers of {name_list([bom.ids[i] for i in which[:6].tolist()])} are in the frames of different parents; "
            "state them in the frame own"
        )
    return result


def move_pose_cells(bom: Bom, motion: _Map, cells: _Cells, findings: Findings) -> None:
    """Enter poses moved by R (3, 3) and t (3,): P' = M P N (docs/formulas.md, section 12); UsageError if it cannot."""
    _PoseMotion(bom, motion, cells, findings).move()


class _PoseMotion:
    """The new cells of poses."""

    def __init__(self, bom: Bom, motion: _Map, cells: _Cells, findings: Findings) -> None:
        assert bom.poses is not None
        self.bom, self.poses, self.cells, self.findings = bom, bom.poses, cells, findings
        self.rotation, self.translation, self.N = motion
        self.named = bom.columns.by_quantity
        if len(bad := np.flatnonzero(self.poses.is_bad)):
            raise UsageError(
                f"poses of {name_list([bom.ids[i] for i in bad[:6].tolist()])} are not valid; correct them"
            )
        rows, first = np.unique(self.poses.rows, return_index=True)
        self.uses = first[rows >= 0]
        self.tops = self.uses[_is_top(bom)[self.uses]]
        self.lost: list[int] = []
        extent = float(np.ptp(self.poses.numbers.translation, axis=0).max())
        self.kept = 1e-12 * extent if extent > 0 else np.inf

    def move(self) -> None:
        """Reflect the poses of all rows, and move those of top items."""
        if self.N is not None:
            for i in self.uses.tolist():
                self._reflect(i, self.N)
        top = self.poses.in_root[self.tops]
        N = np.eye(3) if self.N is None else self.N
        points, R = top.translation @ self.rotation.T + self.translation, self.rotation @ top.rotation @ N
        for k, i in enumerate(self.tops.tolist()):
            self._enter_origin(i, points[k])
            self._enter_rotation(i, R[k])
            self._turn_uncertainty(i, self.rotation)
            self._move_pattern(i, self.rotation, self.translation)
        if self.lost:
            self._report_lost()

    def _row(self, i: int) -> int:
        """Return the row of the pose of an item."""
        return int(self.poses.rows[i])

    def _numbers(self, i: int, names: tuple[str, ...]) -> list[float | None]:
        """Return the cells of a row, None where blank or without a column."""
        row, found = self._row(i), []
        for name in names:
            column = self.named.get(name)
            text = "" if column is None else self.bom.table.text(row, column.index).strip()
            found.append(None if not text else read_number(text.split()[0]))
        return found

    def _enter(self, i: int, name: str, old: float | None, new: float) -> None:
        """Enter a number of one cell where it changes; a blank cell remains blank for 0."""
        short = float(f"{new:.15g}")  # of origins far away, the differences count
        new = (new if name in options.POSE_LENGTHS and abs(short - new) > self.kept else short) + 0.0
        if new != (0.0 if old is None else old):
            self.cells[self._row(i), self.named[name].index] = new

    def _reflect(self, i: int, N: Floats) -> None:
        """Reverse the signs of a pose: t by N, rotations as axial vectors by −N."""
        sign = np.diag(N)
        for names, signs in (
            (options.POSE_LENGTHS, sign),
            (options.POSE_ANGLES, -sign),
            (options.POSE_QUATERNION, np.append(1.0, -sign)),
            (options.POSE_AXIS_ANGLE, np.append(-sign, 1.0)),
            (options.POSE_COSINES, np.outer(sign, sign).ravel()),
        ):
            for name, old, factor in zip(names, self._numbers(i, names), signs.tolist(), strict=True):
                if old is not None:
                    self._enter(i, name, old, old * factor)
        if i not in self.tops:
            self._turn_uncertainty(i, N)
            self._move_pattern(i, N, np.zeros(3))

    def _enter_origin(self, i: int, point: Floats) -> None:
        """Enter the origin of a top item."""
        old = self._numbers(i, options.POSE_LENGTHS)
        scale = max(float(np.abs(point).max()), float(np.abs(self.translation).max())) * 1e-15
        point = np.where(np.abs(point) <= scale, 0.0, point)
        missing = [
            name for name, x in zip(options.POSE_LENGTHS, point.tolist(), strict=True) if x and name not in self.named
        ]
        if missing:
            raise UsageError(f"table has no column {', '.join(missing)}, which the new frame needs; add it")
        for k, name in enumerate(options.POSE_LENGTHS):
            if name in self.named:
                self._enter(i, name, old[k], float(point[k]) / self.named[name].size(self._row(i)))
        # a row states all three cells of an origin, or none
        row = self._row(i)
        if any((row, self.named[name].index) in self.cells for name in options.POSE_LENGTHS if name in self.named):
            for k, name in enumerate(options.POSE_LENGTHS):
                if old[k] is None:
                    self.cells.setdefault((row, self.named[name].index), 0.0)

    def _enter_rotation(self, i: int, R: Floats) -> None:
        """Enter the rotation of a top item in the form of its row; of a blank one in the first form of the table."""
        row, old = self._row(i), self.poses.in_root.rotation[i]
        if np.array_equal(R, old):
            return
        forms = [names for names in POSE_ROTATIONS.values() if all(name in self.named for name in names)]
        if not forms:
            raise UsageError(
                f"table has no columns of a rotation, which {self.bom.ids[i]} needs in the new frame; add blank ones: "
                "roll [deg], pitch [deg], yaw [deg]"
            )
        names = next((one for one in forms if any(x is not None for x in self._numbers(i, one))), forms[0])
        for name, x in zip(names, self._form_numbers(names, R).tolist(), strict=True):
            self.cells[row, self.named[name].index] = float(f"{x:.15g}") + 0.0

    def _form_numbers(self, names: tuple[str, ...], R: Floats) -> Floats:
        """Return the cells of a rotation in one form, in the units of the columns."""
        pose = Poses(np.zeros((1, 3)), R[None])
        if names == options.POSE_COSINES:
            return np.asarray(R.ravel())
        q = pose.quaternions()[0]
        if names == options.POSE_QUATERNION:
            return np.asarray(q)
        if names == options.POSE_ANGLES:
            degrees = pose.rpy("deg")[0]
            return np.array([x * self._angle_size(name) for name, x in zip(names, degrees.tolist(), strict=True)])
        size = float(np.linalg.norm(q[1:]))
        axis = q[1:] / size if size > 0 else np.array([0.0, 0.0, 1.0])
        angle = float(np.rad2deg(2 * np.arctan2(size, q[0])))
        return np.append(axis, angle * self._angle_size("angle"))

    def _angle_size(self, name: str) -> float:
        """Return the number of a cell for one degree."""
        column, columns = self.named[name], self.bom.columns
        below = columns.header_row + 1
        text = self.bom.table.text(below, column.index) if below < columns.first_row else ""
        unit, _ = stated_angle_unit(column.header, column.quantity, text, self.bom.options.unit)
        if not unit:
            raise UsageError(f"{column.header} states no unit of angles, which the new frame needs: {name} [deg]")
        size = 1.0 if unit in ("deg", "arcmin", "arcsec") else np.pi / 180
        return float(size / ANGLE_UNITS[unit])

    def _turn_uncertainty(self, i: int, A: Floats) -> None:
        """Turn the sigmas or the covariance of a pose to the new axes: shifts by A, rotations as axial vectors."""
        if np.array_equal(A, np.eye(3)):
            return
        B = np.zeros((6, 6))
        B[:3, :3], B[3:, 3:] = A, np.linalg.det(A) * A
        old = self._numbers(i, options.POSE_SIGMAS)
        sizes = np.array([self._sigma_size(name, self._row(i)) for name in options.POSE_SIGMAS])
        s = np.array([0.0 if x is None else x for x in old]) * sizes
        if s.any():
            V = B @ np.diag(s**2) @ B.T
            if np.abs(V - np.diag(np.diag(V))).max() > 1e-12 * np.diag(V).max():
                self.lost.append(i)
            new = np.sqrt(np.maximum(np.diag(V), 0.0))
            new[new <= 1e-15 * new.max()] = 0.0
            for k, name in enumerate(options.POSE_SIGMAS):
                if abs(new[k] - s[k]) > 1e-15 * s.max():
                    if name not in self.named:
                        raise UsageError(f"table has no column {name}, which the turned sigmas need; add a blank one")
                    self._enter(i, name, old[k], float(new[k] / sizes[k]))
        self._turn_covariance(i, B)

    def _sigma_size(self, name: str, row: int) -> float:
        """Return the coherent size of a number 1 in a cell of a sigma."""
        if name not in self.named:
            return 1.0
        return self.named[name].size(row) if name in options.POSE_SIGMAS[:3] else 1.0 / self._angle_size(name)

    def _turn_covariance(self, i: int, B: Floats) -> None:
        """Turn the cell of a covariance, in the units of its header."""
        column = self.named.get("pose_covariance")
        text = "" if column is None else self.bom.table.text(self._row(i), column.index).strip()
        if column is None or not text:
            return
        numbers = np.array([float(word) for word in re.split(r"[\s,;]+", text) if word])
        V, at = np.zeros((6, 6)), np.triu_indices(6)
        V[at] = numbers if len(numbers) == 21 else numbers.reshape(6, 6)[at]
        V = np.triu(V) + np.triu(V, 1).T
        turned = B @ V @ B.T
        new = turned[at] if len(numbers) == 21 else turned.ravel()
        new[np.abs(new) <= 1e-15 * np.abs(new).max()] = 0.0
        self.cells[self._row(i), column.index] = " ".join(
            shortest_number_text(float(f"{x:.15g}") + 0.0) for x in new.tolist()
        )

    def _move_pattern(self, i: int, A: Floats, translation: Floats) -> None:
        """Enter a pattern in the moved frame of its parent."""
        column = self.named.get("pattern")
        if column is None or not self.bom.table.text(self._row(i), column.index).strip():
            return
        uses = ItemRows(self.bom.table, self.bom.columns, self.poses.rows, self.bom.ids)
        for name, text in moved_pattern_cells(uses, i, A, translation).items():
            if name not in self.named:
                raise UsageError(f"table has no column {name}, which the pattern of {self.bom.ids[i]} needs; add it")
            self.cells[self._row(i), self.named[name].index] = text

    def _report_lost(self) -> None:
        """Report sigmas of poses that are correlated in the new axes."""
        i = self.lost[0]
        column = next(self.named[name] for name in options.POSE_SIGMAS if name in self.named)
        message = (
            f"turned sigmas of the poses of {name_list([self.bom.ids[k] for k in self.lost[:6]])} are correlated, "
            "and columns of sigmas cannot state correlations"
        )
        place = item_cell_place(self.bom.table, self._row(i), column.index, column.header)
        self.findings.report("MP715", message, place, item=self.bom.ids[i], count=len(self.lost))
