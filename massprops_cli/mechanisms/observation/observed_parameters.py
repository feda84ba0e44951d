"""Base parameters by Gautier's numerical method: singular values and dependent columns of the observation matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import Findings, TableError, UsageError, name_list
from massprops_cli.mechanisms.model import Mechanism
from massprops_cli.mechanisms.observation.excitation import Trajectory, fourier_trajectory, read_trajectory
from massprops_cli.mechanisms.observation.joint_terms import coordinates_of, joints_with_terms, term_columns
from massprops_cli.mechanisms.observation.loop_motion import CoordinateTree, LoopMotion, coordinate_tree, loop_motion
from massprops_cli.mechanisms.observation.numerical_rank import numerical_grouping, numerical_rank, singular_values
from massprops_cli.mechanisms.observation.observation_matrix import inertia_columns
from massprops_cli.mechanisms.row_reduction import Grouping

_MOST_DIGITS = 1000


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
        Of the matrix, descending.
    rank : int
        Number of values above the gap.
    digits : int
        Decimal digits of the numbers.
    residual : float
        Largest closure residual, as a share of the size of the mechanism.
    deviations : dict of int to dict
        Kept → eliminated parameter → standard deviation of the coefficient by rounding and closure.
    """

    coordinates: tuple[str, ...]
    parameters: tuple[str, ...]
    trajectory: Trajectory
    matrix: NDArray[np.float64]
    singular_values: NDArray[Any]
    rank: int
    digits: int
    residual: float
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

    def to_dict(self) -> dict[str, Any]:
        """Return digits, coordinates, samples and singular values as plain JSON values."""
        return {
            "digits": self.digits,
            "independent_coordinates": list(self.coordinates),
            "samples": len(self.trajectory.times),
            "closure_residual": self.residual,
            "condition_number": self.condition_number,
            "gap": self.gap,
            "singular_values": [float(one) for one in self.singular_values],
        }


def observation_grouping(
    mechanism: Mechanism,
    order: Callable[[Sequence[str]], list[int]],
    settings: ObservationSettings,
    findings: Findings,
) -> tuple[Grouping, Observation]:
    """Return the base parameters that the observation matrix of a trajectory shows.

    Parameters
    ----------
    mechanism : Mechanism
        As ``read_mechanism`` returns it.
    order : callable
        From the names of all parameters to their indices, those to keep first.
    settings : ObservationSettings
        Trajectory and precision.
    findings : Findings
        Receives what is wrong.

    Returns
    -------
    grouping : Grouping
        Base parameters.
    observation : Observation
        Matrix and singular values.

    Raises
    ------
    TableError
        The trajectory cannot be followed, or the singular values have no gap.
    """
    tree, trajectory, motion = _motion(mechanism, settings, findings)
    term_names, terms = term_columns(tree, motion)
    blocks = np.concatenate([inertia_columns(mechanism, motion), terms], axis=2)
    matrix, numbers = blocks.reshape(-1, blocks.shape[2]), motion.numbers
    names = (*mechanism.parameter_names, *term_names)
    values = singular_values(matrix, numbers)
    found = Observation(
        tuple(tree.names[k] for k in motion.independent),
        names,
        trajectory,
        numbers.doubles(matrix),
        values,
        0,
        numbers.digits,
        motion.residual,
    )
    noise = max(numbers.rounding, motion.residual)
    rank = numerical_rank(values, noise, _remedy(settings, numbers.is_double), findings)
    columns = order(names)
    grouping, deviations = numerical_grouping(matrix[:, columns], columns, rank, values, noise, numbers)
    grouping = replace(grouping, freedoms=len(motion.independent))
    return grouping, replace(found, rank=rank, deviations=deviations)


def _remedy(settings: ObservationSettings, is_double: bool) -> str:
    """Return what may give the singular values a gap."""
    if settings.closure:
        return "leave out --closure, so that loops are closed to rounding; or use --method exact"
    digits = 50 if is_double else 2 * settings.digits
    return f"compute with --digits {digits}, excite more coordinates or larger motions, or use --method exact"


def observation_trajectory(
    mechanism: Mechanism, settings: ObservationSettings, findings: Findings
) -> tuple[Trajectory, NDArray[np.float64]]:
    """Return the trajectory of the settings and the values of all tree coordinates at its samples.

    Parameters
    ----------
    mechanism : Mechanism
        As ``read_mechanism`` returns it.
    settings : ObservationSettings
        Trajectory and precision.
    findings : Findings
        Receives what is wrong.

    Returns
    -------
    trajectory : Trajectory
        Independent coordinates.
    values : array, shape (samples, coordinates)
        All coordinates, radians and lengths.
    """
    _, trajectory, motion = _motion(mechanism, settings, findings)
    return trajectory, np.array([motion.numbers.doubles(one.terms[0]) for one in motion.coordinates]).T


def _motion(
    mechanism: Mechanism, settings: ObservationSettings, findings: Findings
) -> tuple[CoordinateTree, Trajectory, LoopMotion]:
    """Choose the independent coordinates, and close the loops along the trajectory."""
    needed = joints_with_terms(mechanism)
    tree = coordinate_tree(mechanism, needed)
    if settings.trajectory:
        every = coordinate_tree(mechanism, [joint.name for joint in mechanism.joints])
        trajectory = read_trajectory(settings.trajectory, every.names, findings)
        named = [
            joint.name
            for joint in mechanism.joints
            if {every.names[k] for k in coordinates_of(every, joint.name)} & set(trajectory.names)
        ]
        tree = coordinate_tree(mechanism, [*named, *needed])
        independent = [tree.names.index(name) for name in trajectory.names]
        _check_independence(tree, independent, findings)
    else:
        dependent = set(tree.dependent_coordinates())
        independent = [k for k in range(tree.exact.coordinates) if k not in dependent]
        place = {joint.name: number for number, joint in enumerate(mechanism.joints)}
        owners = [place[joint.name] for joint in tree.exact.joints for _ in joint.coordinates]
        independent.sort(key=lambda k: (owners[k], k))
        trajectory = fourier_trajectory(
            [tree.names[k] for k in independent],
            [1.0 if tree.is_rotation[k] else tree.size for k in independent],
            len(mechanism.parameter_names),
            settings.amplitude,
            settings.samples,
        )
    samples = (trajectory.times, trajectory.values, trajectory.rates, trajectory.accelerations)
    return tree, trajectory, loop_motion(tree, independent, samples, settings.digits, settings.closure, findings)


def _check_independence(tree: CoordinateTree, independent: list[int], findings: Findings) -> None:
    """Report coordinates of a trajectory that are not independent, or not all of them."""
    dependent = tree.dependent_coordinates(independent)
    free = [k for k in range(tree.exact.coordinates) if k not in set(dependent)]
    bound = [tree.names[k] for k in independent if k in set(dependent)]
    missing = [tree.names[k] for k in free if k not in independent]
    if bound:
        findings.report(
            "MP848", f"coordinates of the trajectory depend on the others at the pose: {name_list(bound)}", value=bound[0]
        )
    elif missing:
        findings.report(
            "MP848",
            f"trajectory has {len(independent)} of {len(free)} independent coordinates; missing, for instance: "
            f"{name_list(missing)}",
            value=missing[0],
            remedy=f"add a column {missing[0]}; 0 for a coordinate at rest",
        )
    if bound or missing:
        raise TableError(findings)
