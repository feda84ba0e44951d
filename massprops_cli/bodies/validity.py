"""Whether a tensor can be that of a body, and what may be wrong when it cannot (FORMULAS 7).

With principal moments λ1 ≤ λ2 ≤ λ3 a body has λ1 ≥ 0 and slack λ1 + λ2 − λ3 ≥ 0; a flat plate has slack 0, a
thin rod also λ1 = 0, so the test carries a tolerance scaled by λ3, and one for the rounding of the digits in
the file. Passing does not prove that the body exists as drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.tensor import matrix

Floats = NDArray[np.float64]

SILENT = 1e-9
"""A violation below this share of λ3 is not worth a word."""

SURE = 1e-13
"""Invariants above this share of their scale are positive in spite of rounding."""

BLOCK = 16_384

BY_ROWS = np.array([0, 3, 5, 1, 2, 4])
"""Six cells that were filled in row order (xx, xy, xz, yy, yz, zz), read back into xx, yy, zz, xy, xz, yz."""


class Judged(NamedTuple):
    """One tensor that is not plainly valid: its row, the rule it breaks, and what to say."""

    row: int
    rule: str
    message: str
    remedy: str | None


def near_the_boundary(tensors: Floats) -> NDArray[np.intp]:
    """Give the rows of ``tensors (n, 6)`` that the invariants do not clear.

    S = ½ tr(I) 1 − I is the second moment of the mass; a body's has no negative eigenvalue. All three are
    positive exactly when its trace, the sum of its 2×2 minors and its determinant are.

    >>> near_the_boundary(np.array([[2.0, 2, 2, 0, 0, 0], [1.0, 1, 2, 0, 0, 0], [1.0, 3, 1, 0, 0, 0]])).tolist()
    [1, 2]
    """
    found = []
    for start in range(0, len(tensors), BLOCK):
        xx, yy, zz, xy, xz, yz = tensors[start : start + BLOCK].T
        # cubes beyond double precision compare false, and so are left to the eigenvalues
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            trace = 0.5 * (xx + yy + zz)
            a, b, c = trace - xx, trace - yy, trace - zz
            xy2, xz2, yz2 = xy * xy, xz * xz, yz * yz
            minors = a * b + a * c + b * c - xy2 - xz2 - yz2
            determinant = a * b * c - 2 * xy * xz * yz - a * yz2 - b * xz2 - c * xy2
            sure = (trace > 0) & (minors > SURE * trace**2) & (determinant > SURE * trace**3)
        found.append(start + np.flatnonzero(~sure))
    return np.concatenate(found) if found else np.zeros(0, np.intp)


def judge_tensors(tensors: Floats, half_units: Callable[[int], Floats]) -> Iterator[Judged]:
    """Say which of ``tensors (n, 6)`` (tensor entries, one unit) are not those of a body.

    ``half_units(row)`` gives half a unit of the last digit written ``(6,)``; it is asked only for suspicious
    rows. Eigenvalues move by at most ‖E‖ (Frobenius) under such a rounding, the slack by at most 3‖E‖: what
    that explains is a note, unless exact moments rule it out.

    >>> [j.rule for j in judge_tensors(np.array([[1.0, 3.0, 1.0, 0, 0, 0]]), lambda row: np.zeros(6))]
    ['MP404']
    """
    rows = near_the_boundary(tensors)
    if not len(rows):
        return
    moments = np.linalg.eigvalsh(matrix(tensors[rows]))
    largest = np.abs(moments).max(axis=1)
    slack = moments[:, 0] + moments[:, 1] - moments[:, 2]
    bad = (moments[:, 0] < -SILENT * largest) | (slack < -SILENT * largest)
    for k in np.flatnonzero(bad).tolist():
        row = int(rows[k])
        halves = half_units(row)
        rounding = 0.0 if is_surely_no_tensor(tensors[row], halves) else frobenius(halves)
        low, gap = float(moments[k, 0]), float(slack[k])
        shown = ", ".join(f"{m:.6g}" for m in moments[k].tolist())
        silent = SILENT * float(largest[k])
        not_negative = low >= -max(rounding, silent)
        if not_negative and gap >= -3 * rounding:
            broken = f"principal moments {shown} break the triangle inequality by {max(-gap, -low):.2g}"
            yield Judged(row, "MP405", f"{broken}, within the rounding of the digits written", None)
        elif not not_negative:
            words = f"the smallest of the principal moments {shown} is negative"
            yield Judged(row, "MP403", *with_cause(words, tensors[row]))
        else:
            words = f"of the principal moments {shown} the largest exceeds the sum of the others by {-gap:.3g}"
            yield Judged(row, "MP404", *with_cause(words, tensors[row]))


def is_surely_no_tensor(tensor: Floats, halves: Floats) -> bool:
    """Tell whether moments that are exact (``halves`` 0) rule a tensor ``(6,)`` out, whatever the other digits.

    An exact moment is not negative, and where it is 0 there is no product beside it.

    >>> halves = np.array([0.0, 0.5, 0.5, 0.05, 0.05, 0.05])
    >>> is_surely_no_tensor(np.array([0.0, 4, 4, -0.1, -0.1, 0.1]), halves)
    True
    """
    exact = halves[:3] == 0
    certain = np.abs(tensor[3:]) > halves[3:]
    beside = np.array([certain[0] | certain[1], certain[0] | certain[2], certain[1] | certain[2]])
    return bool((exact & ((tensor[:3] < 0) | ((tensor[:3] == 0) & beside))).any())


def frobenius(six: Floats) -> float:
    """Give the Frobenius norm of a symmetric matrix from its six entries."""
    return float(np.sqrt((six[:3] ** 2).sum() + 2 * (six[3:] ** 2).sum()))


def with_cause(words: str, tensor: Floats) -> tuple[str, str | None]:
    """Add the likely cause to a message, and its remedy, where there is one."""
    cause = suspected_cause(tensor)
    return (words, None) if cause is None else (f"{words}; {cause[0]}", cause[1])


def suspected_cause(tensor: Floats) -> tuple[str, str] | None:
    """Name the slip that most likely spoilt a tensor ``(6,)``, and its remedy, when undoing it gives a valid one.

    >>> suspected_cause(np.array([10.0, 0.1, 0.2, 11.0, 0.3, 12.0]))[0]
    'valid if the six numbers are in row order (xx, xy, xz, yy, yz, zz)'
    """
    if is_valid(tensor * np.array([1, 1, 1, -1, -1, -1])):
        return (
            "valid with the other sign of the products",
            "check POIconv of the row, or pass --poi for a table without it",
        )
    for order in (BY_ROWS, np.argsort(BY_ROWS)):
        if is_valid(tensor[order]):
            return (
                "valid if the six numbers are in row order (xx, xy, xz, yy, yz, zz)",
                "put the six numbers under their own headers",
            )
    zeros = [name for name, value in zip(("Ixx", "Iyy", "Izz"), tensor[:3].tolist(), strict=True) if value == 0]
    if zeros:
        return (
            f"{' and '.join(zeros)} of it {'is' if len(zeros) == 1 else 'are'} 0",
            "fill in the missing moments of inertia",
        )
    return None


def is_valid(tensor: Floats) -> bool:
    """Tell whether one tensor ``(6,)`` can be that of a body, within ``SILENT``.

    >>> is_valid(np.array([1.0, 1.0, 2.0, 0, 0, 0])), is_valid(np.array([1.0, 1.0, 2.1, 0, 0, 0]))
    (True, False)
    """
    low, middle, high = np.linalg.eigvalsh(matrix(tensor)).tolist()
    tolerance = SILENT * max(abs(low), abs(high))
    return bool(low >= -tolerance and low + middle - high >= -tolerance)
