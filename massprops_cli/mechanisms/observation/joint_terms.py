"""Constitutive parameters of joints: viscous and Coulomb friction, springs; each enters the joint force linearly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.mechanisms.model import Mechanism
from massprops_cli.mechanisms.observation.loop_motion import CoordinateTree, LoopMotion


def term_columns(tree: CoordinateTree, motion: LoopMotion) -> tuple[list[str], NDArray[Any]]:
    """Return names (such as ``viscous_A``) and unit generalized forces (samples, independent, names) of joint terms.

    A coordinate q with the rate q' has the force viscous·q' + coulomb·sign(q') + spring·q + preload.
    """
    names: list[str] = []
    columns: list[NDArray[Any]] = []
    for joint in tree.mechanism.joints:
        for index in coordinates_of(tree, joint.name) if joint.terms else ():
            series = motion.coordinates[index]
            for term, factor in _factors(joint.terms, series.terms[0], series.terms[1], motion):
                names.append(f"{term}_{tree.names[index]}")
                columns.append(motion.rates[:, index, :] * factor[:, None])
    count, width = motion.rates.shape[0], len(motion.independent)
    return names, np.stack(columns, axis=2) if columns else np.zeros((count, width, 0))


def coordinates_of(tree: CoordinateTree, joint: str) -> list[int]:
    """Return the coordinates of a joint."""
    return next((list(one.coordinates) for one in tree.exact.joints if one.name == joint), [])


def joints_with_terms(mechanism: Mechanism) -> list[str]:
    """Return the joints with constitutive parameters."""
    return [joint.name for joint in mechanism.joints if joint.terms]


def _factors(
    terms: Sequence[str], value: NDArray[Any], rate: NDArray[Any], motion: LoopMotion
) -> list[tuple[str, NDArray[Any]]]:
    """Return the parameters of a coordinate with their factors at all samples."""
    found: list[tuple[str, NDArray[Any]]] = []
    for term in terms:
        if term == "viscous":
            found.append((term, rate))
        elif term == "coulomb":
            found.append((term, motion.numbers.array(np.sign(motion.numbers.doubles(rate)))))
        else:
            found += [("spring", value), ("preload", motion.numbers.array(np.ones(len(value))))]
    return found
