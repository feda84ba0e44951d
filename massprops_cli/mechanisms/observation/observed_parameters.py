"""Base parameters by Gautier's numerical method: singular values and dependent columns of the observation matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, TableError, UsageError, name_list, nearest_name_hint
from massprops_cli.mechanisms.model import Mechanism
from massprops_cli.mechanisms.observation import observation_matrix as observations
from massprops_cli.mechanisms.observation.loop_motion import CoordinateTree, LoopMotion, coordinate_tree, loop_motion
from massprops_cli.mechanisms.observation.numerical_rank import (
    RealNumbers,
    numerical_grouping,
    numerical_rank,
    singular_values,
)
from massprops_cli.mechanisms.prime_field import Grouping

_MOST_DIGITS = 300  # upper limit of ``digits``


@dataclass(frozen=True)
class ObservationSettings:
    """How the observation matrix is made.

    Attributes
    ----------
    digits : int
        Decimal digits of all numbers; up to 16: doubles.
    trajectory : str
        Table of a trajectory; empty: two harmonics in each independent coordinate.
    amplitude : float
        Factor on the amplitudes of the harmonics.
    closure : float
        Closure residual, as a share of the size of the mechanism, at which Newton's iteration stops; 0: rounding.
    samples : int
        Number of samples of the harmonics; 0: eight rows a parameter, 100 at least.
    """

    digits: int = 0
    trajectory: str = ""
    amplitude: float = 1.0
    closure: float = 0.0
    samples: int = 0

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 <= self.digits <= _MOST_DIGITS:
            raise UsageError(f"digits are not a number from 0 to {_MOST_DIGITS}: {self.digits}")
        if not (0 < self.amplitude < 1e6):
            raise UsageError(f"amplitude is not a positive number: {self.amplitude:g}")
        if not 0 <= self.closure < 1:
            raise UsageError(f"closure is not a number from 0 to 1: {self.closure:g}")


@dataclass(frozen=True, eq=False)
class Observation:
    """An observation matrix and what its singular values show.

    Attributes
    ----------
    coordinates : tuple of str
        Independent coordinates.
    parameters : tuple of str
        Names of the columns.
    trajectory : Trajectory
        Motion of the independent coordinates.
    matrix : array, shape (samples * coordinates, parameters)
        Generalized force of each coordinate, sample by sample, for a unit of each parameter.
    singular_values : array
        Descending; of the matrix with lengths referred to a power of two near the size of the mechanism.
    factors : tuple of array
        Factors of rows and columns for this reference length.
    numbers : RealNumbers
        Precision.
    residual : float
        Largest closure residual, as a share of the size of the mechanism.
    rank : int
        Number of values above the gap; 0 before it is determined.
    exact_count : int or None
        Number of base parameters by exact reduction; None where it is not computed.
    deviations : dict of int to dict
        Kept → eliminated parameter → standard deviation of the coefficient by rounding and closure.
    """

    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]
    trajectory: observations.Trajectory
    matrix: NDArray[Any]
    singular_values: NDArray[Any]
    factors: tuple[NDArray[np.float64], NDArray[np.float64]]
    numbers: RealNumbers
    residual: float
    rank: int = 0
    exact_count: int | None = None
    deviations: dict[int, dict[int, float]] = field(default_factory=dict)

    @property
    def condition_number(self) -> float:
        """Ratio of the first singular value to the last above the gap; 0 without base parameters."""
        values = self.singular_values
        return float(values[0] / values[self.rank - 1]) if self.rank else 0.0

    @property
    def gap(self) -> float | None:
        """Ratio of the values on both sides of the gap; None if there are none below, or they are 0."""
        values = self.singular_values
        if not 0 < self.rank < len(values) or not values[self.rank] > 0:
            return None
        return float(values[self.rank - 1] / values[self.rank])

    def regressor(self, parameters: Sequence[str] = ()) -> NDArray[np.float64]:
        """Return columns of the matrix in doubles.

        Parameters
        ----------
        parameters : sequence of str, optional
            Names of the columns, such as those of the base parameters; default: all.

        Returns
        -------
        array, shape (samples * coordinates, columns)
            Generalized force of each coordinate, sample by sample, for a unit of each parameter.

        Raises
        ------
        UsageError
            A name is unknown.
        """
        places = {name: index for index, name in enumerate(self.parameters)}
        if unknown := [name for name in parameters if name not in places]:
            raise UsageError(f"unknown parameter: {unknown[0]}{nearest_name_hint(unknown[0], self.parameters)}")
        return self.numbers.doubles(self.matrix[:, [places[name] for name in parameters or self.parameters]])

    def table(self, parameters: Sequence[str] = ()) -> dict[str, list[Any]]:
        """Return columns of the matrix with the time and the coordinate of each row.

        Parameters
        ----------
        parameters : sequence of str, optional
            Names of the columns; default: all.

        Returns
        -------
        dict of str to list
            ``time``, ``coordinate``, and a column for each parameter.
        """
        count = len(self.coordinates)
        found: dict[str, list[Any]] = {
            "time": np.repeat(self.trajectory.times, count).tolist(),
            "coordinate": list(self.coordinates) * len(self.trajectory.times),
        }
        return found | dict(zip(parameters or self.parameters, self.regressor(parameters).T.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return digits, coordinates, samples and singular values as plain JSON values.

        Returns
        -------
        dict
            Also condition number, gap and closure residual.
        """
        return {
            "digits": self.numbers.digits,
            "independent_coordinates": list(self.coordinates),
            "samples": len(self.trajectory.times),
            "closure_residual": self.residual,
            "condition_number": self.condition_number,
            "gap": self.gap,
            "exact_count": self.exact_count,
            "singular_values": [float(one) for one in self.singular_values],
        }


def observation_matrix(
    mechanism: Mechanism, settings: ObservationSettings | None = None, *, findings: Findings | None = None
) -> Observation:
    """Return the observation matrix W of a trajectory, and its singular values.

    Parameters
    ----------
    mechanism : Mechanism
        As ``read_mechanism`` returns it.
    settings : ObservationSettings, optional
        Trajectory and precision.
    findings : Findings, optional
        Receives what is wrong.

    Returns
    -------
    Observation
        Without a rank.

    Raises
    ------
    TableError
        The trajectory cannot be read or followed.

    Notes
    -----
    W φ is the generalized force of the independent coordinates; positions by Newton's iteration on the closure
    equations, rates and accelerations by their derivatives.

    Examples
    --------
    >>> from massprops_cli import ObservationSettings, observation_matrix, read_mechanism
    >>> slider = b'''{"gravity": [0, 0, -10], "bodies": [{"id": 1}], "joints": [{"name": "A", "type": "P",
    ...   "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}]}'''
    >>> observation = observation_matrix(read_mechanism(slider), ObservationSettings(samples=3))
    >>> observation.coordinates, observation.regressor(["m1"])[0].tolist()
    (('A',), [10.0])
    """
    collected = Findings() if findings is None else findings
    tree, trajectory, motion = _motion(mechanism, settings or ObservationSettings(), collected)
    term_names, terms = observations.term_columns(tree, motion)
    blocks = np.concatenate([observations.inertia_columns(mechanism, motion, tree.unit), terms], axis=2)
    scaled, numbers = blocks.reshape(-1, blocks.shape[2]), motion.numbers
    names = (*mechanism.parameter_names, *term_names)
    # factors of rows and columns that refer lengths to the unit of the tree
    inertial = len(mechanism.parameter_names)
    length = tree.unit
    rows = [1.0 if tree.is_rotation[k] else length for k in motion.independent]
    columns = [1 / length ** (2, 1, 1, 1, 0, 0, 0, 0, 0, 0)[k % 10] for k in range(inertial)]
    for name in term_names:
        term, _, coordinate = name.partition("_")
        power = 0 if tree.is_rotation[tree.names.index(coordinate)] else 1
        columns.append(1 / length ** (2 * power if term in ("viscous", "spring") else power))
    factors = np.tile(rows, motion.samples), np.array(columns)
    values = singular_values(scaled, numbers)
    matrix = _scaled_matrix(scaled, (1 / factors[0], 1 / factors[1]), numbers)
    coordinates = tuple(tree.names[k] for k in motion.independent)
    return Observation(coordinates, names, trajectory, matrix, values, factors, numbers, motion.residual)


def _scaled_matrix(
    matrix: NDArray[Any], factors: tuple[NDArray[np.float64], NDArray[np.float64]], numbers: RealNumbers
) -> NDArray[Any]:
    """Return a matrix with its rows and columns multiplied by powers of two."""
    rows, columns = factors
    if bool((rows == 1).all()) and bool((columns == 1).all()):
        return matrix
    with numbers.precision():
        return numbers.midpoints(matrix * numbers.array(rows)[:, None] * numbers.array(columns)[None, :])


def observation_grouping(
    found: Observation, order: Sequence[int], settings: ObservationSettings, findings: Findings
) -> tuple[Grouping, Observation]:
    """Return the base parameters that an observation matrix shows."""
    noise = max(found.numbers.rounding, found.residual)
    digits = 50 if found.numbers.is_double else 2 * settings.digits
    remedy = f"compute with --config digits={digits}, excite more coordinates or larger motions, or use --method exact"
    if settings.closure:
        remedy = "leave out residual, so that loops are closed to rounding; or use --method exact"
    rows, columns = found.matrix.shape
    rank = numerical_rank(found.singular_values, (rows, columns), noise, remedy, findings)
    scaled = _scaled_matrix(found.matrix, found.factors, found.numbers)[:, list(order)]
    grouping, deviations = numerical_grouping(scaled, order, rank, found.singular_values, noise, found.numbers)
    scale = found.factors[1]
    base, deviations = (
        {
            head: {index: value * float(scale[head] / scale[index]) for index, value in terms.items()}
            for head, terms in sums.items()
        }
        for sums in (grouping.base, deviations)
    )
    grouping = replace(grouping, base=base, freedoms=len(found.coordinates))
    return grouping, replace(found, rank=rank, deviations=deviations)


def _motion(
    mechanism: Mechanism, settings: ObservationSettings, findings: Findings
) -> tuple[CoordinateTree, observations.Trajectory, LoopMotion]:
    """Choose the independent coordinates, and close the loops along the trajectory."""
    needed = [joint.name for joint in mechanism.joints if joint.terms]
    limits = {joint.name: joint.limits for joint in mechanism.joints if joint.limits is not None}
    tree = coordinate_tree(mechanism, needed)
    if settings.trajectory:
        every = coordinate_tree(mechanism, [joint.name for joint in mechanism.joints])
        trajectory = observations.read_trajectory(settings.trajectory, every.names, findings)
        named = [
            joint.name
            for joint in mechanism.joints
            if {every.names[k] for k in observations.coordinates_of(every, joint.name)} & set(trajectory.names)
        ]
        tree = coordinate_tree(mechanism, [*named, *needed])
        independent = [tree.names.index(name) for name in trajectory.names]
        _check_independence(tree, independent, findings)
        observations.report_outside_limits(trajectory, limits, settings.trajectory, findings)
    else:
        dependent = set(tree.dependent_coordinates())
        independent = [k for k in range(tree.exact.coordinates) if k not in dependent]
        place = {joint.name: number for number, joint in enumerate(mechanism.joints)}
        owners = [place[joint.name] for joint in tree.exact.joints for _ in joint.coordinates]
        independent.sort(key=lambda k: (owners[k], k))
        names = [tree.names[k] for k in independent]
        sizes = [1.0 if tree.is_rotation[k] else tree.size for k in independent]
        count = len(mechanism.parameter_names)
        trajectory = observations.fourier_trajectory(names, sizes, count, settings.amplitude, settings.samples)
        trajectory = observations.within_limits(trajectory, limits)
    units = np.array([1.0 if tree.is_rotation[k] else tree.unit for k in independent])
    scaled = (one / units for one in (trajectory.values, trajectory.rates, trajectory.accelerations))
    samples = (trajectory.times, *scaled)
    return tree, trajectory, loop_motion(tree, independent, samples, settings.digits, settings.closure, findings)


def _check_independence(tree: CoordinateTree, independent: list[int], findings: Findings) -> None:
    """Report coordinates of a trajectory that are not independent, or not all of them."""
    dependent = tree.dependent_coordinates(independent)
    free = [k for k in range(tree.exact.coordinates) if k not in set(dependent)]
    bound = [tree.names[k] for k in independent if k in set(dependent)]
    missing = [tree.names[k] for k in free if k not in independent]
    if bound:
        message = f"coordinates of the trajectory depend on the others at the pose: {name_list(bound)}"
        findings.report("MP847", message, value=bound[0])
    elif missing:
        findings.report(
            "MP847",
            f"trajectory has {len(independent)} of {len(free)} independent coordinates; missing, for instance: "
            f"{name_list(missing)}",
            value=missing[0],
            remedy=f"add a column {missing[0]}; 0 for a coordinate at rest",
        )
    if bound or missing:
        raise TableError(findings)
