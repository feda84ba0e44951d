"""Poses of a table: where the frame of each item is in that of its parent, and in which frame its numbers are given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.pose_uncertainty import PoseCovariances
from massprops_cli.bodies.poses import Poses, composed_poses, points_with_rest, rotation_faults
from massprops_cli.bodies.rotations import turn_matrices
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, item_list_text, report_item_faults, report_items
from massprops_cli.bom.items.numbers import SetCells, item_column_numbers
from massprops_cli.bom.items.pattern_cells import pattern_poses
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, SIGMA_CENTER, SIGMA_INERTIA
from massprops_cli.findings.finding import Findings
from massprops_cli.rollups.inputs import ROUNDING_OF_SOURCES, ShapeDeviations
from massprops_cli.tables import options as table_options
from massprops_cli.tables.cells.number_text import half_unit_of_last_digit, read_number
from massprops_cli.tables.cells.units import unit_of_dimension
from massprops_cli.tables.columns.columns import QuantityColumn
from massprops_cli.tables.columns.headings import ANGLE_UNITS, POSE_ROTATIONS, stated_angle_unit
from massprops_cli.tables.rows.hierarchy import Hierarchy
from massprops_cli.trees.tree import is_at_or_below

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_DEGREES = ("deg", "arcmin", "arcsec")  # units of angles that are read as degrees
_NEGLIGIBLE_REST = 1e-15  # share of the extent of a table, up to which rounding of composed centres has no effect
_FRAMES = ("own", "parent", "root")  # frames in which numbers are given, in the order of their codes
_AngleReader = Callable[[QuantityColumn, _Floats, NDArray[np.intp]], tuple[str | None, _Floats]]
_ROUNDING = 1e-9  # largest negative eigenvalue of a covariance, as a share of the largest, that rounding explains


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemPoses:
    """The frames of n items, coherent unit of length."""

    in_root: Poses  # of each item in the frame of the root
    numbers: Poses  # moves the numbers of each row into the frame of the root
    frame: NDArray[np.int8]  # (n,) in which the row's numbers are given, a place in ``_FRAMES``
    is_bad: _Mask  # (n,) at or below an invalid pose: centre and tensor are unknown
    covariance: _Floats | None  # (n, 6, 6) of each pose, length², length × rad, rad², axes of the root
    rows: NDArray[np.intp]  # (n,) table row of each pose, −1 without one
    rest: _Floats  # (n, 3, 4) what rounding takes from the rotations and translations of ``numbers``

    def over(self, taken: Callable[[NDArray[Any], Any], NDArray[Any]]) -> ItemPoses:
        """Take the frames by a function (n, …) → (m, …); that of an item without a row coincides with the root's."""

        def moved(poses: Poses) -> Poses:
            return Poses(taken(poses.translation, 0.0), taken(poses.rotation, np.eye(3)))

        covariance = None if self.covariance is None else taken(self.covariance, 0.0)
        frame = taken(self.frame, _FRAMES.index("root"))
        rows = taken(self.rows, -1)
        is_bad, rest = taken(self.is_bad, False), taken(self.rest, 0.0)
        return ItemPoses(moved(self.in_root), moved(self.numbers), frame, is_bad, covariance, rows, rest)

    def with_own_bodies(self, owners: NDArray[np.intp]) -> ItemPoses:
        """Add the frames of bodies that assemblies (k,) have: they move with these, without further uncertainty."""
        at = np.append(np.arange(len(self.frame)), owners)
        result = self.over(lambda values, _: values[at])
        if result.covariance is not None:
            result.covariance[len(self.frame) :] = 0.0
        return result

    def rest_of_centers(self, own: _Floats, in_root: _Floats, known: _Mask) -> _Floats | None:
        """Return what rounding takes from ``known`` centres in the root (n, 3), in rows ``own``; None if nothing."""
        points, rest = points_with_rest(self.numbers, own, self.rest, np.zeros_like(own))
        found = np.nan_to_num(np.where(known[:, None], (points - in_root) + rest, 0.0), posinf=0.0, neginf=0.0)
        extent = np.ptp(in_root[known], axis=0).max() if known.any() else 0.0
        return found if np.abs(found).max(initial=0.0) > _NEGLIGIBLE_REST * extent else None

    @property
    def turns_sigmas(self) -> bool:
        """Whether the axes of some row are turned by anything but quarter turns."""
        size = np.abs(self.numbers.rotation)
        return bool((np.minimum(size, np.abs(size - 1)) > 1e-14).any())

    def is_given_in(self, frame: str) -> _Mask:
        """Return which rows (n,) state their numbers in the frame ``own``, ``parent`` or ``root``."""
        return np.asarray(self.frame == _FRAMES.index(frame))

    @property
    def frames_text(self) -> str:
        """The frames in which numbers are given, in words."""
        return " or ".join([name for k, name in enumerate(_FRAMES) if (self.frame == k).any()])

    def moved_cells(self, cells: Mapping[str, SetCells], of: ShapeDeviations | None) -> dict[str, SetCells]:
        """Move rows' numbers (n, k) to the frame of the root: inertia about own centres, sigmas along its axes."""
        result = dict(cells)
        unknown = self.is_bad
        keeps_axes: _Mask = np.asarray((self.numbers.rotation == np.eye(3)).all(axis=(1, 2)))  # those of the root
        if CENTER.name in cells:
            part = cells[CENTER.name]
            known = part.given.all(axis=1) & ~unknown
            stays = known & keeps_axes & (self.numbers.translation == 0).all(axis=1)
            moved = np.where(stays[:, None], part.values, self.numbers.points(part.values))
            values = np.where(known[:, None], moved, 0.0)
            given = part.given & known[:, None]
            has, bad = part.has & known, part.bad | unknown
            result[CENTER.name] = replace(part, values=values, given=given, has=has, bad=bad)
        if INERTIA.name in cells:
            part = cells[INERTIA.name]
            # without products the own axes are principal axes; the assumption is reported
            values = np.where(keeps_axes[:, None], part.values, self.numbers.tensors(part.values))
            result[INERTIA.name] = replace(part, values=values, has=part.has & ~unknown, bad=part.bad | unknown)
        for name, columns in ((SIGMA_CENTER.name, slice(1, 4)), (SIGMA_INERTIA.name, slice(4, 10))):
            if name not in cells or keeps_axes.all():
                continue
            part = cells[name]
            values = turned_sigmas(turn_matrices(self.numbers.rotation)[:, columns, columns], part.values, of, columns)
            whole = part.given.all(axis=1) | keeps_axes
            result[name] = replace(part, values=values, given=part.given & whole[:, None], has=part.has & whole)
        return result


def turned_sigmas(turns: _Floats, own: _Floats, of: ShapeDeviations | None, columns: slice) -> _Floats:
    """Return sigmas (n, k) along other axes, turns (n, k, k), with common sources: docs/formulas.md, section 12."""
    variances, together = own**2, np.zeros_like(own)
    if of is not None:
        vectors = np.where(own[of.items] > 0, of.vectors[:, columns], 0.0)  # a value without a sigma has none
        np.subtract.at(variances, of.items, vectors**2)
        np.add.at(together, of.items, np.einsum("sab,sb->sa", turns[of.items], vectors) ** 2)
        variances[variances <= ROUNDING_OF_SOURCES * own**2] = 0.0
    return np.asarray(np.sqrt(np.einsum("nab,nb->na", turns**2, variances) + together))


def read_item_poses(
    table_items: ItemRows, hierarchy: Hierarchy, options: table_options.TableOptions, findings: Findings
) -> ItemPoses | None:
    """Read the poses of a hierarchy's items and compose them down the tree (docs/formulas.md, section 12)."""
    uses = table_items if hierarchy.edge_rows is None else replace(table_items, rows=hierarchy.edge_rows)
    reader = _PoseReader(uses, options, findings)
    local, bad = reader.poses()
    parents = np.asarray(hierarchy.parents, dtype=np.intp)
    reached = is_at_or_below(parents.astype(np.int32), parents < 0)
    parents = np.where(reached & (parents >= 0), parents, -1)
    shifts = pattern_poses(uses, hierarchy, reader.angle_factor, findings)
    placed = local if shifts is None else shifts @ local
    in_root, rest = composed_poses(placed, parents)
    bad = is_at_or_below(parents.astype(np.int32), bad) if bad.any() else bad
    frame = _read_frames(table_items, placed, options, findings)
    own, root = (frame == _FRAMES.index(name) for name in ("own", "root"))
    numbers = in_root
    if not own.all():
        above = placed.of_numbers(parents, "parent")
        if shifts is not None:
            above = above @ shifts
        still = Poses.identity(len(parents)) if shifts is None else in_root @ local.in_root(parents).inverse()
        numbers = _selected((own, ~(own | root), root), (in_root, above, still))
        of_parent = rest[parents] * ((parents >= 0) & (shifts is None))[:, None, None]
        rest = np.select([own[:, None, None], root[:, None, None]], [rest, np.zeros_like(rest)], of_parent)
    covariance = _read_pose_covariances(uses, reader.angle_factor, options, findings)
    if covariance is not None:
        turned = in_root if shifts is None else in_root @ local.inverse()
        covariance = _covariance_in_root(covariance, turned, parents, own_axes=shifts is not None)
    return ItemPoses(in_root, numbers, frame, bad, covariance, np.asarray(uses.rows, dtype=np.intp), rest)


def _covariance_in_root(covariance: _Floats, poses: Poses, parents: NDArray[np.intp], *, own_axes: bool) -> _Floats:
    """Turn the covariances of poses from the axes of the parents (of each piece of a pattern) to those of the root."""
    if own_axes:
        turn = np.zeros((len(covariance), 6, 6))
        turn[:, :3, :3] = turn[:, 3:, 3:] = poses.rotation
        return np.asarray(turn @ covariance @ np.swapaxes(turn, 1, 2))
    return PoseCovariances(covariance).in_root(poses, parents).matrix


def _selected(chosen: Sequence[_Mask], poses: Sequence[Poses]) -> Poses:
    """Return for each item the pose of the one mask that marks it."""
    return Poses(
        np.select([mask[:, None] for mask in chosen], [one.translation for one in poses]),
        np.select([mask[:, None, None] for mask in chosen], [one.rotation for one in poses]),
    )


def _read_frames(
    items: ItemRows, placed: Poses, options: table_options.TableOptions, findings: Findings
) -> NDArray[np.int8]:
    """Return the frame of the numbers of each row, by its place in ``_FRAMES``."""
    default = _FRAMES.index(options.frame) if options.frame else _FRAMES.index("root")
    frame = np.full(len(items.rows), default, np.int8)
    column = items.columns.by_quantity.get("frame")
    moved = (placed.translation != 0).any(axis=1) | (placed.rotation != np.eye(3)).any(axis=(1, 2))
    if column is None:
        if not options.frame and moved.any():
            place = items.table.place(items.columns.header_row)
            which = np.flatnonzero(moved)
            message = f"frame of the numbers is not stated, and rows have poses: {item_list_text(items.ids, which)}"
            findings.report("MP703", message, place, count=len(which))
        return frame
    words = items.texts(column.index)
    codes = {name: k for k, name in enumerate(_FRAMES)} | {"": -1}
    known = {word: codes.get(word.strip().lower(), -2) for word in set(words)}
    read = np.array([known[word] for word in words], np.int8)

    def unknown(i: int) -> str:
        return f"frame of {items.ids[i]} is not a frame: {words[i]} (expected own, parent or root)"

    report_items(items, ItemFault("MP706", column, "write own, parent or root"), read == -2, unknown, findings)
    blank = (read == -1) & (items.rows >= 0)
    if not options.frame and moved.any() and blank.any():
        # the frame of a root without a pose is that of the table, whatever it is called
        blank &= moved | (items.gather(_filled_numbers(items), False))
        fault = ItemFault("MP703", column)
        report_items(items, fault, blank, lambda i: f"frame of the numbers of {items.ids[i]} is not stated", findings)
    return np.where(read >= 0, read, frame)


def _filled_numbers(items: ItemRows) -> _Mask:
    """Return which data rows have a cell of a centre or a tensor."""
    first = items.columns.first_row
    filled = np.zeros(items.table.n_rows - first, bool)
    for name in (*CENTER.columns, *INERTIA.columns):
        if (column := items.columns.by_quantity.get(name)) is not None:
            filled |= np.fromiter((bool(text.strip()) for text in items.table.texts(column.index, first)), bool)
    return filled


class _PoseReader:
    """The cells of poses of n items, and what is wrong with them."""

    def __init__(self, items: ItemRows, options: table_options.TableOptions, findings: Findings) -> None:
        self.items, self.options, self.findings = items, options, findings
        self.named = items.columns.by_quantity
        self.bad = np.zeros(len(items.rows), bool)

    def poses(self) -> tuple[Poses, _Mask]:
        """Return the poses (n,) in the frames of the parents, and which are not valid (and read as no pose)."""
        n = len(self.items.rows)
        translation = self.columns(table_options.POSE_LENGTHS)
        self._report_incomplete(table_options.POSE_LENGTHS, ~np.isnan(translation))
        rotation, several = np.tile(np.eye(3), (n, 1, 1)), np.zeros(n, np.int8)
        for form, names in POSE_ROTATIONS.items():
            if not any(name in self.named for name in names):
                continue
            cells = self.columns(names)
            given = ~np.isnan(cells)
            some = given.any(axis=1)
            if not self._has_columns(form, names):
                self.bad |= some
                continue
            self._report_incomplete(names, given)
            several += some
            rows = np.flatnonzero(given.all(axis=1) & ~self.bad)
            rotation[rows] = self._rotations(names, cells[rows], rows)
        self._report_several(several > 1)
        t = np.where(self.bad[:, None], 0.0, np.nan_to_num(translation))
        return Poses(t, np.where(self.bad[:, None, None], np.eye(3), rotation)), self.bad

    def columns(self, names: Sequence[str]) -> _Floats:
        """Return the cells of some columns ``(n, k)``, NaN where blank, without a column, or not a number."""
        values = np.full((len(self.items.rows), len(names)), np.nan)
        for k, name in enumerate(names):
            if name in self.named:
                values[:, k], wrong = item_column_numbers(self.items, self.named[name], self.findings)
                self.bad |= wrong
        return values

    def _has_columns(self, form: str, names: Sequence[str]) -> bool:
        """Report the missing columns of a form of rotation."""
        if missing := [name for name in names if name not in self.named]:
            first = next(self.named[name] for name in names if name in self.named)
            place = self.items.table.place(self.items.columns.header_row, first.index, first.header)
            message = f"incomplete {form}: column{'s' if len(missing) > 1 else ''} {', '.join(missing)} missing"
            self.findings.report("MP706", message, place, remedy=f"add {', '.join(missing)}, or name them with --map")
        return not missing

    def _report_incomplete(self, names: Sequence[str], given: _Mask) -> None:
        """Report the rows that state a part of a set of cells."""
        partial = given.any(axis=1) & ~given.all(axis=1) & ~self.bad
        for k in range(len(names)):
            which = np.flatnonzero(partial & ~given[:, k] & given[:, :k].all(axis=1)).tolist()
            column = next((self.named[name] for name in (names[k], *names) if name in self.named), None)
            if which and column is not None:
                fault = ItemFault("MP706", column, f"enter all of {', '.join(names)}, or none")
                messages = {i: f"incomplete pose of {self.items.ids[i]}: {names[k]} missing" for i in which}
                report_item_faults(self.items, fault, messages, self.findings)
        self.bad |= partial

    def _report_several(self, several: _Mask) -> None:
        """Report rows that state their rotation in two forms."""
        if several.any():
            column = next(self.named[name] for names in POSE_ROTATIONS.values() for name in names if name in self.named)
            fault = ItemFault("MP706", column, "clear the cells of all forms but one")
            words = "is stated in two forms"
            report_items(
                self.items, fault, several, lambda i: f"rotation of {self.items.ids[i]} {words}", self.findings
            )
            self.bad |= several

    def _rotations(self, names: Sequence[str], cells: _Floats, rows: NDArray[np.intp]) -> _Floats:
        """Return the rotations of complete cells ``(k, …)`` of some items, identity where they are not valid."""
        zero = np.zeros((len(rows), 3))
        if names == table_options.POSE_ANGLES:
            units = [self.angle_factor(self.named[name], cells[:, k], rows) for k, name in enumerate(names)]
            in_degrees = all(unit in (None, *_DEGREES) for unit, _ in units)
            angles = [one[1] if in_degrees else _in_radians(one) for one in units]
            return Poses.from_rpy(zero, np.stack(angles, axis=1), "deg" if in_degrees else "rad").rotation
        if names == table_options.POSE_QUATERNION:
            length = np.linalg.norm(cells, axis=1)
            wrong = ~(np.abs(length - 1) <= 1e-3)
            self._report_rotation(names, rows[wrong], [f"quaternion has the length {x:.6g}" for x in length[wrong]],
                                  "divide qw, qx, qy, qz by their length, or correct them")  # fmt: skip
            cells = np.where(wrong[:, None], np.array([1.0, 0, 0, 0]), cells)
            return Poses.from_quaternion(zero, cells, "wxyz").rotation
        if names == table_options.POSE_AXIS_ANGLE:
            wrong = ~(np.abs(cells[:, :3]).max(axis=1, initial=0.0) > 0)
            self._report_rotation(names, rows[wrong], ["axis has the length 0"] * int(wrong.sum()),
                                  "enter a direction such as 0, 0, 1; its length is not used")  # fmt: skip
            unit, angle = self.angle_factor(self.named["angle"], cells[:, 3], rows)
            axis = np.where(wrong[:, None], np.array([0.0, 0, 1]), cells[:, :3])
            turned = "deg" if unit in _DEGREES else "rad"
            return Poses.from_axis_angle(zero, axis, np.where(wrong, 0.0, angle), turned).rotation  # type: ignore[arg-type] # two words
        return self._cosines(cells.reshape(-1, 3, 3), rows)

    def _cosines(self, matrices: _Floats, rows: NDArray[np.intp]) -> _Floats:
        """Return rotations of direction cosines; those written with few digits are made orthonormal."""
        suspects = [fault.row for fault in rotation_faults(matrices)]
        tolerance = np.full(len(rows), 1e-9)
        for k in suspects:
            half = max(self._half_unit(name, int(self.items.rows[rows[k]])) for name in table_options.POSE_COSINES)
            tolerance[k] = max(1e-9, 6 * half + 9 * half**2)
        faults = rotation_faults(matrices, tolerance)
        wrong = np.array([fault.row for fault in faults], np.intp)
        remedy = faults[0].remedy if len({fault.remedy for fault in faults}) == 1 else None
        self._report_rotation(table_options.POSE_COSINES, rows[wrong], [fault.message for fault in faults], remedy)
        matrices = matrices.copy()
        matrices[wrong] = np.eye(3)
        return Poses.from_cosines(np.zeros((len(rows), 3)), matrices, tolerance).rotation

    def _half_unit(self, name: str, row: int) -> float:
        """Return half a unit of the last digit of a cell; 0 for an exact 0, 1 or -1."""
        text = self.items.table.text(row, self.named[name].index).strip()
        return 0.0 if text in ("0", "1", "-1") else half_unit_of_last_digit(text)

    def _report_rotation(
        self, names: Sequence[str], which: NDArray[np.intp], words: Sequence[str], remedy: str | None
    ) -> None:
        """Report rotations that are not valid, each with its defect."""
        ids = self.items.ids
        messages = {i: f"pose of {ids[i]}: {defect}" for i, defect in zip(which.tolist(), words, strict=True)}
        report_item_faults(self.items, ItemFault("MP705", self.named[names[0]], remedy), messages, self.findings)
        self.bad[which] = True

    def angle_factor(
        self, column: QuantityColumn, values: _Floats, rows: NDArray[np.intp]
    ) -> tuple[str | None, _Floats]:
        """Return the unit of a column of angles and its values (k,) in degrees or radians; report a missing unit."""
        below = self.items.columns.header_row + 1  # a row of units
        units_cell = self.items.table.text(below, column.index) if below < self.items.columns.first_row else ""
        unit, _ = stated_angle_unit(column.header, column.quantity, units_cell, self.options.unit)
        if not unit:
            if np.nan_to_num(values).any():
                which = rows[np.flatnonzero(np.nan_to_num(values))]
                place = self.items.table.place(self.items.columns.header_row, column.index, column.header)
                message = f"{column.header} states no unit of angles: {item_list_text(self.items.ids, which)}"
                if not any(f.rule == "MP704" and f.place == place for f in self.findings):
                    self.findings.report("MP704", message, place, count=len(which))
            return None, values
        return unit, values * ANGLE_UNITS[unit]


def _read_pose_covariances(
    uses: ItemRows, angle_of: _AngleReader, options: table_options.TableOptions, findings: Findings
) -> _Floats | None:
    """Read the uncertainty of each pose ``(n, 6, 6)``, axes of the parents; None if no row states one."""
    named = uses.columns.by_quantity
    if not options.use_sigmas or not {*table_options.POSE_SIGMAS, "pose_covariance"} & named.keys():
        return None
    n = len(uses.rows)
    sigmas, has_sigma = np.zeros((n, 6)), np.zeros(n, bool)
    everyone = np.arange(n)
    for k, name in enumerate(table_options.POSE_SIGMAS):
        if (column := named.get(name)) is None:
            continue
        values, _ = item_column_numbers(uses, column, findings)
        negative = np.flatnonzero(values < 0)
        _report_uncertainties(uses, column, dict.fromkeys(negative.tolist(), f"{column.header} is negative"), findings)
        values = np.where(values < 0, np.nan, values)
        has_sigma |= ~np.isnan(values)
        if k >= 3:
            values = _in_radians(angle_of(column, values, everyone))
        sigmas[:, k] = np.nan_to_num(values)
    result = sigmas[:, :, None] ** 2 * np.eye(6)
    if "pose_covariance" in named:
        _read_matrices(uses, angle_of, has_sigma, result, findings)
    return result if result.any() else None


def _in_radians(angles: tuple[str | None, _Floats]) -> _Floats:
    """Return angles in radians."""
    unit, values = angles
    return np.deg2rad(values) if unit in _DEGREES else values


def _read_matrices(
    uses: ItemRows, angle_of: _AngleReader, has_sigma: NDArray[np.bool_], result: _Floats, findings: Findings
) -> None:
    """Read cells of 21 or 36 numbers into covariances ``(n, 6, 6)``; report those that are not valid."""
    column = uses.columns.by_quantity["pose_covariance"]
    faults: dict[int, str] = {}
    size = _covariance_length(uses)
    texts = uses.texts(column.index)
    for i in (i for i, text in enumerate(texts) if text.strip()):
        matrix = _parsed_matrix(texts[i])
        if size is None:
            faults[i] = f"{column.header} states no unit of length (write pose_covariance [mm, rad])"
        elif matrix is None:
            faults[i] = "pose_covariance is not 21 numbers (upper triangle, row by row) or 36 of a symmetric matrix"
        elif has_sigma[i]:
            faults[i] = "both sigmas and a covariance are stated"
        elif (values := np.linalg.eigvalsh(matrix))[0] < -_ROUNDING * max(values[-1], 0.0):
            faults[i] = (
                "covariance is not positive semi-definite: "
                f"smallest eigenvalue {values[0]:.3g}, largest {values[-1]:.3g}"
            )
        else:
            unit = _in_radians(angle_of(column, np.array([1.0]), np.array([i])))[0]
            scale = np.array([size] * 3 + [unit] * 3)
            result[i] = matrix * scale[:, None] * scale
    _report_uncertainties(uses, column, faults, findings)


def _covariance_length(uses: ItemRows) -> float | None:
    """Return the factor from the length in the header of ``pose_covariance`` to that of the table, None if unknown."""
    header, units = uses.columns.by_quantity["pose_covariance"].header, uses.columns.units
    words = re.split(r"[\[\](),;]+", header)[1:]
    lengths = [unit for word in words if word.strip() and (unit := unit_of_dimension(word.strip(), (0, 1, 0)))]
    own = unit_of_dimension(units.length, (0, 1, 0)) if units.length else None
    if lengths and own is not None:
        return float(lengths[0].over(own))
    return None if units.stated or lengths else 1.0


def _parsed_matrix(text: str) -> _Floats | None:
    """Parse a symmetric 6×6 matrix; None if it is none."""
    read: Sequence[float | None] = [read_number(word) for word in re.split(r"[\s,;]+", text.strip()) if word]
    numbers = np.array([np.nan if number is None else number for number in read])
    if np.isnan(numbers).any() or len(numbers) not in (21, 36):
        return None
    if len(numbers) == 36:
        matrix = numbers.reshape(6, 6)
        return matrix if np.allclose(matrix, matrix.T, rtol=1e-9, atol=0) else None
    matrix = np.zeros((6, 6))
    matrix[np.triu_indices(6)] = numbers
    return np.asarray(matrix + np.triu(matrix, 1).T)


def _report_uncertainties(uses: ItemRows, column: QuantityColumn, faults: dict[int, str], findings: Findings) -> None:
    """Report uncertainties of poses that are not valid."""
    messages = {i: f"uncertainty of the pose of {uses.ids[i]} is not valid: {fault}" for i, fault in faults.items()}
    report_item_faults(uses, ItemFault("MP709", column), messages, findings)
