"""A tree of bodies with joints, as arrays: its pose, velocities, accelerations, interbody forces, mass matrix.

Spatial vectors are (angular, linear) in ground axes, about the origin of each body's frame, in the order of the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from massprops_cli.bodies.rotations import cross_matrices, vector_rotations
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, name_list
from massprops_cli.mechanisms.mechanism_file import read_mechanism
from massprops_cli.mechanisms.model import AS_STATED, GROUND, Joint, Mechanism, RobotReading
from massprops_cli.mechanisms.spatial.joint_columns import (
    ROTATION,
    SECOND_ROTATION,
    SLIDE,
    JointColumn,
    check_body_masses,
    cross_products,
    joint_columns,
    turned_vectors,
)
from massprops_cli.trees.tree import Tree, serial_segments

_Floats = NDArray[np.float64]
_Index = NDArray[np.intp]
_LARGEST = 1e50  # coordinates, velocities and accelerations are below it, so that no product of some of them overflows


class _ColumnArrays(NamedTuple):
    """The coordinates of a model: ``what`` they change, ``axis`` in the parent at the pose, ``local`` direction."""

    what: _Index
    axis: _Floats
    local: _Floats
    in_body: NDArray[np.bool_]
    pitch: _Floats


@dataclass(frozen=True, eq=False, repr=False)
class SpatialModel:
    """A tree of n bodies with f degrees of freedom.

    Coordinates are those of the joints in the order of the file: R angle; P displacement; helical angle; C angle and
    displacement; U angle about the axis of the parent, then about that of the body; S rotation vector in the axes at
    the pose; planar two displacements and an angle; free rotation vector and displacement. All are 0 at the pose of the
    file. Velocities are their rates, except for S and free: angular velocity, and velocity of the joint point, in the
    parent, by components in the axes of the body. The body is the outer of the two, whichever is named first.

    Attributes
    ----------
    mechanism : Mechanism
        Bodies and joints as read.
    tree : Tree
        The ground as item 0 and the bodies 1 … n.
    names : tuple of str
        Names of the f coordinates.

    Examples
    --------
    >>> model = SpatialModel.read(b'''{"gravity": [0, 0, -10], "bodies": [{"id": "bar", "mass": 3, "c": [1, 0, 0],
    ...   "I": [0, 1, 1, 0, 0, 0]}], "joints": [{"name": "A", "type": "R", "i": 0, "j": "bar", "pi": [0, 0, 0],
    ...   "pj": [0, 0, 0], "ai": [0, 1, 0]}]}''')
    >>> pose = model.at([0.0])
    >>> pose.mass_matrix().tolist(), pose.inverse_dynamics([0.0], [0.0]).tolist()
    ([[4.0]], [-30.0])
    """

    mechanism: Mechanism
    tree: Tree
    names: tuple[str, ...]
    columns: _ColumnArrays
    owner: _Index  # position of the body that each coordinate moves ``(f,)``, the ground at 0
    joint_of: tuple[str, ...]  # name of the joint of each body
    turns: _Floats  # rotations of the bodies in their parents at the pose ``(n + 1, 3, 3)``, by position
    points: tuple[_Floats, _Floats]
    """Joint points in the parent at the pose, and in the body ``(n + 1, 3)``, by position."""
    inertias: tuple[_Floats, _Floats, _Floats]
    """Masses, centres and tensors about the centres in body axes, by position."""

    @classmethod
    def read(
        cls,
        source: str | Path | bytes,
        joints: str | Path = "",
        findings: Findings | None = None,
        reading: RobotReading = AS_STATED,
    ) -> SpatialModel:
        """Read a mechanism file, a robot, or tables of bodies and joints.

        Parameters
        ----------
        source : str, Path or bytes
            As for ``read_mechanism``.
        joints : str or Path, optional
            As for ``read_mechanism``.
        findings : Findings, optional
            Receives warnings and notes.
        reading : RobotReading, optional
            Gravity in place of that of the file, and the base of a robot; its angles keep their double precision.

        Returns
        -------
        SpatialModel
            The model.

        Raises
        ------
        TableError
            The file is not a mechanism without errors, or has loops.
        """
        mechanism = read_mechanism(source, joints, findings, replace(reading, rotations="double"))
        return cls.from_mechanism(mechanism, findings, Place("-" if isinstance(source, bytes) else str(source)))

    @classmethod
    def from_mechanism(
        cls, mechanism: Mechanism, findings: Findings | None = None, place: Place | None = None
    ) -> SpatialModel:
        """Return the model of a mechanism.

        Parameters
        ----------
        mechanism : Mechanism
            Bodies and joints.
        findings : Findings, optional
            Receives warnings and notes.
        place : Place, optional
            File of the mechanism, for findings; default: its name.

        Returns
        -------
        SpatialModel
            The model.

        Raises
        ------
        TableError
            The mechanism has loops.
        """
        collected = Findings() if findings is None else findings
        where = place or Place(mechanism.name or "mechanism")
        if mechanism.loops:
            part = {body: body for body in range(GROUND, len(mechanism.bodies))}
            closing = []
            for joint in mechanism.joints:
                one, other = (part[body] for body in joint.bodies)
                if one == other:
                    closing.append(joint.name)
                part = {body: other if root == one else root for body, root in part.items()}
            loops = "a loop" if mechanism.loops == 1 else f"{mechanism.loops} loops"
            message = f"mechanism has {loops}, closed by joints such as {name_list(closing)}"
            collected.report("MP815", message, where, item=closing[0], count=len(closing))
            raise TableError(collected)
        check_body_masses(mechanism, where, collected)
        return _model(mechanism)

    @property
    def degrees(self) -> int:
        """Number of degrees of freedom."""
        return len(self.names)

    @cached_property
    def has_single_columns(self) -> bool:
        """Whether no body has two coordinates."""
        return len(np.unique(self.owner)) == len(self.owner)

    @cached_property
    def gravity(self) -> _Floats:
        """Acceleration of gravity in ground axes ``(3,)``."""
        return np.array([float(one) for one in self.mechanism.gravity])

    @cached_property
    def order(self) -> _Index:
        """Positions of the bodies in the order of the file ``(n,)``."""
        return self.tree.position[1:].astype(np.intp)

    def serial_segments(self) -> list[list[str]]:
        """Return the serial-chain segments of the model.

        Returns
        -------
        list of list of str
            Names of the bodies of each segment, outward; bodies of segments that are not on one path from the ground
            have no common entries in the mass matrix.
        """
        number = serial_segments(self.tree)[0][self.tree.order[1:]]
        names = [self.mechanism.bodies[i - 1].name for i in self.tree.order[1:].tolist()]
        found: dict[int, list[str]] = {}
        for k, name in zip(number.tolist(), names, strict=True):
            found.setdefault(k, []).append(name)
        return [found[k] for k in sorted(found)]

    def pattern(self) -> list[dict[str, Any]]:
        """Return the pattern of the mass matrix, whatever the masses and coordinates.

        Returns
        -------
        list of dict of str to object
            Of each coordinate, by serial segments: its name, its segment, and the coordinates that are related to it.
        """
        segment = serial_segments(self.tree)[0][self.tree.order]
        names, related = np.array(self.names), self.at().related()
        order = np.argsort(segment[self.owner], kind="stable")
        return [
            {"coordinate": self.names[k], "segment": int(segment[self.owner[k]]), "related": names[related[k]].tolist()}
            for k in order.tolist()
        ]

    def at(self, coordinates: ArrayLike = ()) -> SpatialPose:
        """Return the model at a pose.

        Parameters
        ----------
        coordinates : array, shape (f,), radians and lengths
            Joint coordinates; default: the pose of the file.

        Returns
        -------
        SpatialPose
            The pose.

        Raises
        ------
        UsageError
            The number of coordinates is wrong, or one is not a number below 1e50.
        """
        values = np.zeros(self.degrees) if np.size(coordinates) == 0 else self.vector(coordinates, "coordinates")
        return SpatialPose(self, values)

    def vector(self, values: ArrayLike, what: str) -> _Floats:
        """Return numbers, one for each coordinate, as an array.

        Parameters
        ----------
        values : array, shape (f,)
            The numbers.
        what : str
            What they are, for the message.

        Returns
        -------
        array, shape (f,)
            The same numbers.

        Raises
        ------
        UsageError
            Their number is wrong, or one is not a number below 1e50.
        """
        expected = f"{what} are not {self.degrees} finite number{'' if self.degrees == 1 else 's'}"
        try:
            array = np.asarray(values, dtype=float).reshape(-1)
        except (TypeError, ValueError):
            raise UsageError(f"{expected}: {values!r}") from None
        if array.shape != (self.degrees,):
            order = f"order: {', '.join(self.names)}" if self.names else "the model has no coordinates"
            raise UsageError(f"{expected}: {array.size} given ({order})")
        if len(wrong := np.flatnonzero(~(np.abs(array) < _LARGEST))):
            k = int(wrong[0])
            raise UsageError(f"{expected} below {_LARGEST:g}: {float(array[k])!r} of {self.names[k]}")
        return array


def _model(mechanism: Mechanism) -> SpatialModel:
    """Return the arrays of a mechanism without loops."""
    n = len(mechanism.bodies)
    parents, joint_at = _outward_joints(mechanism)
    tree = Tree.from_parents(parents)
    position = tree.position
    turns, at_pose, own = np.zeros((n + 1, 3, 3)), np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
    turns[0] = np.eye(3)
    masses, centers, tensors = np.zeros(n + 1), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
    exact = [mechanism.pose(body) for body in range(n)]
    poses = [(np.zeros(3), np.eye(3)), *((np.array(p, float), np.array(rows, float)) for p, rows in exact)]
    by_joint: dict[str, tuple[int, list[JointColumn]]] = {}
    joint_names = [""] * (n + 1)
    for body, joint in joint_at.items():
        k, parent = int(position[body + 1]), int(parents[body + 1])
        inner = 0 if joint.bodies[0] == parent - 1 else 1
        (origin, axes), (here, turned) = poses[parent], poses[body + 1]
        turns[k] = axes.T @ turned
        own[k] = [float(one) for one in joint.points[1 - inner]]
        at_pose[k] = axes.T @ (here - origin) + turns[k] @ own[k]
        joint_names[k], by_joint[joint.name] = joint.name, (k, joint_columns(joint, inner, turns[k]))
        given = mechanism.bodies[body]
        masses[k] = float(given.mass or 0)
        centers[k] = [float(one) for one in given.center]
        xx, yy, zz, xy, xz, yz = (float(one) for one in given.inertia)
        tensors[k] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    columns: list[JointColumn] = []
    owner, names = [], []
    for joint in mechanism.joints:
        k, own_columns = by_joint[joint.name]
        columns += own_columns
        owner += [k] * len(own_columns)
        names += [f"{joint.name}.{one.label}" if one.label else joint.name for one in own_columns]
    arrays = _ColumnArrays(
        np.array([one.what for one in columns], np.intp),
        np.array([one.axis for one in columns], float).reshape(-1, 3),
        np.array([one.direction for one in columns], float).reshape(-1, 3),
        np.array([one.in_body for one in columns], bool),
        np.array([one.slide for one in columns], float),
    )
    owners, at, bodies = np.array(owner, np.intp), (at_pose, own), (masses, centers, tensors)
    return SpatialModel(mechanism, tree, tuple(names), arrays, owners, tuple(joint_names), turns, at, bodies)


def _outward_joints(mechanism: Mechanism) -> tuple[list[int], dict[int, Joint]]:
    """Return the parents of ground and bodies, and the joint of each body, outward from the ground."""
    at: dict[int, list[Joint]] = {}
    for joint in mechanism.joints:
        for body in joint.bodies:
            at.setdefault(body, []).append(joint)
    parents, joint_at, waiting = [-1] * (len(mechanism.bodies) + 1), {}, [GROUND]
    for body in waiting:
        for joint in at.get(body, []):
            other = joint.bodies[0] if joint.bodies[1] == body else joint.bodies[1]
            if other != GROUND and other not in joint_at and parents[body + 1] != other + 1:
                joint_at[other] = joint
                parents[other + 1] = body + 1
                waiting.append(other)
    return parents, joint_at


@dataclass(frozen=True, eq=False, repr=False)
class SpatialPose:
    """A model at a pose.

    Attributes
    ----------
    model : SpatialModel
        The model.
    coordinates : array, shape (f,), radians and lengths
        Joint coordinates.
    """

    model: SpatialModel
    coordinates: _Floats

    def _sums_of_columns(self, values: _Floats) -> _Floats:
        """Return the sums over the coordinates of each body ``(n + 1, k)`` of ``values (f, k)``, by position."""
        result = np.zeros((len(self.model.tree), values.shape[1]))
        if self.model.has_single_columns:
            result[self.model.owner] = values
        else:
            np.add.at(result, self.model.owner, values)
        return result

    def _path_sums(self, values: _Floats) -> _Floats:
        """Return sums along the paths from the ground to each body, by doubling."""
        total, up = values.copy(), self.model.tree.parent_position().astype(np.intp)
        total[0] = 0.0
        while bool(up.any()):
            total = total + np.where((up > 0)[:, None], total[up], 0.0)
            up = up[up]
        return total

    def _branch_sums(self, values: _Floats) -> _Floats:
        """Return sums over each body and all beyond it, level by level."""
        total = values.copy()
        inner = np.flatnonzero(self.model.tree.n_children)
        for block in self.model.tree.level_blocks():
            total[inner[block.columns]] += np.add.reduceat(total[block.low : block.high], block.starts, axis=0)
        return total

    def _to_parents(self, values: _Floats) -> _Floats:
        """Return the sums of the values of the children of each body."""
        result, tree = np.zeros_like(values), self.model.tree
        inner = np.flatnonzero(tree.n_children)
        # the children of one body are next to each other, from position 1 on
        result[inner] = np.add.reduceat(values[1:], tree.first_child[inner] - 1, axis=0)
        return result

    @cached_property
    def up(self) -> _Index:
        """Position of the parent of each position; that of the ground is 0."""
        return self.model.tree.parent_position().astype(np.intp)

    @cached_property
    def _relative(self) -> tuple[_Floats, _Floats]:
        """Rotations in the parents, and joint points in parent axes."""
        model, columns, q = self.model, self.model.columns, self.coordinates
        moved = columns.axis * q[:, None]
        vectors = [np.where((columns.what == what)[:, None], moved, 0.0) for what in range(3)]
        vectors[SLIDE] += columns.pitch[:, None] * moved
        first, second, slide = (self._sums_of_columns(vectors[what]) for what in (ROTATION, SECOND_ROTATION, SLIDE))
        turns = vector_rotations(first)
        if second.any():
            turns = turns @ vector_rotations(second)
        return turns @ model.turns, model.points[0] + slide

    @cached_property
    def rotations(self) -> _Floats:
        """Rotations from body to ground axes ``(n + 1, 3, 3)``, by position."""
        result, up = self._relative[0].copy(), self.up
        result[0] = np.eye(3)
        while bool(up.any()):
            result = np.where((up > 0)[:, None, None], result[up] @ result, result)
            up = up[up]
        return result

    @cached_property
    def arms(self) -> tuple[_Floats, _Floats]:
        """From the parent's origin to the joint point, and from there to the own origin, in ground axes."""
        to_point = turned_vectors(self.rotations[self.up], self._relative[1])
        from_point = -turned_vectors(self.rotations, self.model.points[1])
        to_point[0] = from_point[0] = 0.0
        return to_point, from_point

    @cached_property
    def steps(self) -> _Floats:
        """From the parent's origin to the own, in ground axes ``(n + 1, 3)``."""
        return self.arms[0] + self.arms[1]

    @cached_property
    def origins(self) -> _Floats:
        """Origins of the bodies in ground axes ``(n + 1, 3)``, by position."""
        return self._path_sums(self.steps)

    @cached_property
    def directions(self) -> tuple[_Floats, _Floats]:
        """Angular directions, and linear directions at the joint points, of all coordinates ``(f, 3)``, ground axes."""
        owner, columns = self.model.owner, self.model.columns
        axes = turned_vectors(self.rotations[np.where(columns.in_body, owner, self.up[owner])], columns.local)
        slides = (columns.what == SLIDE)[:, None]
        return np.where(slides, 0.0, axes), np.where(slides, axes, columns.pitch[:, None] * axes)

    @cached_property
    def joint_map(self) -> _Floats:
        """Rows of H: velocity of the body's origin for a unit rate of each coordinate ``(f, 6)``."""
        angular, linear = self.directions
        return np.concatenate([angular, linear + cross_products(angular, self.arms[1][self.model.owner])], axis=1)

    def velocities(self, rates: ArrayLike) -> _Floats:
        """Return the spatial velocities, V = A* H* θ̇.

        Parameters
        ----------
        rates : array, shape (f,), radians and lengths per time
            Joint velocities θ̇.

        Returns
        -------
        array, shape (n, 6), ground axes
            Angular velocity, and velocity of the origin of each body's frame.
        """
        relative = self._sums_of_columns(self.joint_map * self.model.vector(rates, "velocities")[:, None])
        angular = self._path_sums(relative[:, :3])
        linear = self._path_sums(relative[:, 3:] + cross_products(angular[self.up], self.steps))
        return np.concatenate([angular, linear], axis=1)[self.model.order]

    def accelerations(self, rates: ArrayLike, second_rates: ArrayLike) -> _Floats:
        """Return the accelerations, without gravity.

        Parameters
        ----------
        rates, second_rates : array, shape (f,)
            Joint velocities θ̇ and accelerations θ̈.

        Returns
        -------
        array, shape (n, 6), ground axes
            Angular acceleration, and acceleration of the origin of each body's frame.
        """
        values = self.model.vector(rates, "velocities"), self.model.vector(second_rates, "accelerations")
        return np.concatenate(self._accelerations(*values), axis=1)[self.model.order]

    def _accelerations(self, rates: _Floats, second_rates: _Floats) -> tuple[_Floats, _Floats]:
        """Return angular and linear accelerations by position."""
        owner, up = self.model.owner, self.up
        angular, linear = self.directions
        turning = self._path_sums(self._sums_of_columns(angular * rates[:, None]))
        # a direction turns with the body that it is fixed in
        carrier = np.where(self.model.columns.in_body[:, None], turning[owner], turning[up[owner]])
        spin = angular * second_rates[:, None] + cross_products(carrier, angular) * rates[:, None]
        turned = self._path_sums(self._sums_of_columns(spin))
        to_point, from_point = self.arms
        inner, inner_turned = turning[up], turned[up]
        sliding = self._sums_of_columns(linear * rates[:, None])
        gain = linear * second_rates[:, None] + cross_products(carrier - turning[up[owner]], linear) * rates[:, None]
        steps = (
            cross_products(inner_turned, to_point)
            + cross_products(inner, cross_products(inner, to_point))
            + 2 * cross_products(inner, sliding)
            + self._sums_of_columns(gain)
            + cross_products(turned, from_point)
            + cross_products(turning, cross_products(turning, from_point))
        )
        return turned, self._path_sums(steps)

    @cached_property
    def body_moments(self) -> tuple[_Floats, _Floats, _Floats]:
        """Masses, first moments and tensors about the origins, in ground axes, by position."""
        mass, center, tensor = self.model.inertias
        arm = turned_vectors(self.rotations, center)
        turned = self.rotations @ tensor @ self.rotations.swapaxes(1, 2)
        cross = cross_matrices(arm)
        return mass, mass[:, None] * arm, turned - mass[:, None, None] * (cross @ cross)

    def interbody_forces(self, rates: ArrayLike, second_rates: ArrayLike, *, gravity: bool = True) -> _Floats:
        """Return the spatial forces that each body receives through its joint, f = A (M α + b).

        Parameters
        ----------
        rates, second_rates : array, shape (f,)
            Joint velocities and accelerations.
        gravity : bool, optional
            Include the weights.

        Returns
        -------
        array, shape (n, 6), ground axes
            Moment about the origin of the body's frame, and force, from its parent.
        """
        values = self.model.vector(rates, "velocities"), self.model.vector(second_rates, "accelerations")
        return self._forces(*values, gravity=gravity)[self.model.order]

    def _forces(self, rates: _Floats, second_rates: _Floats, *, gravity: bool) -> _Floats:
        """Return the interbody forces by position."""
        mass, center, tensor = self.model.inertias
        turns = self.rotations
        turning = self._path_sums(self._sums_of_columns(self.directions[0] * rates[:, None]))
        turned, moved = self._accelerations(rates, second_rates)
        if gravity:
            moved = moved - self.model.gravity
        arm = turned_vectors(turns, center)
        moved = moved + cross_products(turned, arm) + cross_products(turning, cross_products(turning, arm))
        force = mass[:, None] * moved
        # Euler's equation in the axes of each body, in which the tensor is constant
        spin, gain = ((values[:, None, :] @ turns)[:, 0] for values in (turning, turned))
        own = turned_vectors(tensor, gain) + cross_products(spin, turned_vectors(tensor, spin))
        moment = turned_vectors(turns, own) + cross_products(arm, force)
        force = self._branch_sums(force)
        moment = self._branch_sums(moment + self._to_parents(cross_products(self.steps, force)))
        return np.concatenate([moment, force], axis=1)

    def inverse_dynamics(self, rates: ArrayLike, second_rates: ArrayLike, *, gravity: bool = True) -> _Floats:
        """Return the joint forces of a motion, T = M(θ) θ̈ + C(θ, θ̇).

        Parameters
        ----------
        rates, second_rates : array, shape (f,)
            Joint velocities and accelerations.
        gravity : bool, optional
            Include the weights.

        Returns
        -------
        array, shape (f,)
            Moments and forces, in the order of the coordinates.
        """
        values = self.model.vector(rates, "velocities"), self.model.vector(second_rates, "accelerations")
        forces = self._forces(*values, gravity=gravity)
        return np.asarray(np.einsum("fi,fi->f", self.joint_map, forces[self.model.owner]))

    def composite_inertias(self) -> _Floats:
        """Return the spatial inertias of each body with all bodies beyond it, rigidly joined.

        Returns
        -------
        array, shape (n, 6, 6), ground axes
            About the origin of each body's frame.
        """
        return self._composites()[self.model.order]

    def _composites(self) -> _Floats:
        """Return the composite inertias by position: solution of the Lyapunov equation R = E R E* + M."""
        mass, first, tensor = self.body_moments
        d = self.steps
        total = self._branch_sums(mass[:, None])
        moments = self._branch_sums(first + self._to_parents(total * d))
        shift, cross = cross_matrices(d), cross_matrices(moments)
        # the tensor of a branch about its parent's origin
        moved = -(shift @ cross + cross @ shift) - total[:, :, None] * (shift @ shift)
        tensors = self._branch_sums((tensor + self._to_parents(moved)).reshape(-1, 9)).reshape(-1, 3, 3)
        return spatial_inertias(total[:, 0], moments, tensors)

    def mass_matrix(self) -> _Floats:
        """Return the mass matrix by composite bodies.

        Returns
        -------
        array, shape (f, f)
            Symmetric; the kinetic energy is θ̇* M θ̇ / 2. Entries of unrelated bodies are exactly 0.
        """
        model = self.model
        f, owner, tree = model.degrees, model.owner, model.tree
        result = np.zeros((f, f))
        if not f:
            return result
        force = np.einsum("fij,fj->fi", self._composites()[owner], self.joint_map)
        count = np.bincount(owner, minlength=len(tree))
        own = np.argsort(owner, kind="stable")
        first = np.cumsum(count) - count
        column, at = np.arange(f), owner.copy()
        while len(column):
            for k in range(int(count[at].max())):
                here = count[at] > k
                rows = own[first[at[here]] + k]
                values = np.einsum("fi,fi->f", self.joint_map[rows], force[here])
                result[rows, column[here]] = result[column[here], rows] = values
            # φ(p, k): the force moves to the origin of the parent
            force = force.copy()
            force[:, :3] += cross_products(self.steps[at], force[:, 3:])
            at = self.up[at]
            keep = at > 0
            column, at, force = column[keep], at[keep], force[keep]
        return result

    def related(self) -> NDArray[np.bool_]:
        """Return the pattern of the mass matrix.

        Returns
        -------
        array of bool, shape (f, f)
            True where one of the two bodies is on the path from the ground to the other; the other entries are 0.
        """
        n = len(self.model.tree)
        above = np.eye(n, dtype=bool)
        for k in range(1, n):
            above[k] |= above[self.up[k]]
        above[:, 0] = False
        pairs = above[np.ix_(self.model.owner, self.model.owner)] if self.model.degrees else np.zeros((0, 0), bool)
        return np.asarray(pairs | pairs.T)


def spatial_inertias(mass: _Floats, first: _Floats, tensor: _Floats) -> _Floats:
    """Return matrices (n, 6, 6) from (ω, v) to (angular momentum, momentum): m (n,), m c (n, 3), tensors (n, 3, 3)."""
    result = np.zeros((len(mass), 6, 6))
    cross = cross_matrices(first)
    result[:, :3, :3], result[:, :3, 3:], result[:, 3:, :3] = tensor, cross, -cross
    result[:, 3:, 3:] = mass[:, None, None] * np.eye(3)
    return result
