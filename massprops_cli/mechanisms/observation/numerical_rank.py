"""Rank and dependent columns of an observation matrix by its singular values, in double or variable precision."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.mechanisms.observation.real_numbers import RealNumbers
from massprops_cli.mechanisms.row_reduction import Grouping

_LEAST_GAP = 1e3
"""Ratio of two successive singular values that is a gap."""
_LEAST_SIGMAS = 8.0
"""Standard deviations within which a coefficient is rounding."""
_LEAST_SHARE, _LARGEST_BOUND = 1e-9, 1e-2
"""Limits of the distance of a row of the null space from the span of others that makes it independent."""
_GRAM_DIGITS = 2.2
"""Multiple of the digits for WᵀW, whose eigenvalues are squares of singular values."""
_SOLUTION_DIGITS = 6.0
"""Multiple of the digits for solutions, whose bounds of rounding grow with the number of unknowns."""
_NOISE_FACTOR = 30.0
"""Multiple of rounding and closure, times the largest singular value, that a dependent combination may have."""


def singular_values(matrix: NDArray[Any], numbers: RealNumbers) -> NDArray[Any]:
    """Return the singular values (parameters,), descending, of an observation matrix (rows, parameters).

    In variable precision they are the roots of the eigenvalues of WᵀW.
    """
    if not matrix.size:
        return np.zeros(0)
    if numbers.is_double:
        return np.asarray(np.linalg.svd(matrix, compute_uv=False))
    from flint import acb_mat

    with numbers.precision(_GRAM_DIGITS):
        gram = _gram_matrix(matrix)
        found = acb_mat(gram).eig(algorithm="approx")
        squares = [one.real.mid() for one in found]
        roots = [one.sqrt() if one > 0 else 0 * one for one in squares]
    return np.array(sorted(roots, key=float, reverse=True), object)


def numerical_rank(values: NDArray[Any], shape: tuple[int, int], noise: float, remedy: str, findings: Findings) -> int:
    """Return the number of singular values (parameters,), descending, above a gap.

    ``TableError`` without a gap at the level of the noise, which is a share of the largest; or if the rows are too few.
    """
    if not len(values) or not values[0] > 0:
        return 0
    floor = values[0] * noise
    shares = [float(one / values[0]) for one in values]
    ratios = [float(max(a, floor) / max(b, floor)) for a, b in pairwise(values)] + [1.0]
    ratios[-1] = float(values[-1] / floor) if len(values) == 1 or shares[-1] > noise else 1.0
    rank = max(range(len(ratios)), key=ratios.__getitem__) + 1
    if ratios[rank - 1] >= _LEAST_GAP and (rank == len(values) or shares[rank] <= _NOISE_FACTOR * noise):
        if rank < shape[0] or rank == shape[1]:
            return rank
        findings.report(
            "MP846",
            f"observation matrix has {shape[0]} rows for {shape[1]} parameters, all independent, so that its rank is "
            "not that of the mechanism",
            value=str(shape[0]),
            remedy="state more samples",
        )
        raise TableError(findings)
    findings.report(
        "MP846",
        f"singular values have no gap above rounding and closure: the largest ratio of two successive values is "
        f"{ratios[rank - 1]:.3g}, after value {rank} of {len(values)} (expected {_LEAST_GAP:g} or more, and values "
        f"below the gap within {_NOISE_FACTOR * noise:.2g} of the largest)",
        value=f"{ratios[rank - 1]:.3g}",
        remedy=remedy,
    )
    raise TableError(findings)


def numerical_grouping(
    matrix: NDArray[Any], order: Sequence[int], rank: int, values: NDArray[Any], noise: float, numbers: RealNumbers
) -> tuple[Grouping, dict[int, dict[int, float]]]:
    """Return base parameters of a matrix (rows, parameters) in ``order``, first columns kept, and sigmas by rounding.

    Coefficients within their rounding are left out; the sigmas are keyed by kept, then eliminated parameter.
    """
    kept = (
        _kept_by_null_space(matrix, rank, values) if numbers.is_double else _kept_by_gram(matrix, rank, values, numbers)
    )
    rest = [column for column in range(matrix.shape[1]) if column not in set(kept)]
    shares, sigmas = _coefficients(matrix, kept, rest, numbers)
    sizes = np.linalg.norm(numbers.doubles(matrix[:, rest]), axis=0)
    heads = np.linalg.norm(numbers.doubles(matrix[:, kept]), axis=0)
    has_effect = sizes > (_NOISE_FACTOR * noise * float(values[0]) if len(values) else 0)
    base: dict[int, dict[int, float]] = {order[column]: {} for column in kept}
    deviations: dict[int, dict[int, float]] = {order[column]: {} for column in kept}
    for row, head in enumerate(kept):
        for column, other in enumerate(rest):
            share, sigma = float(shares[row, column]), float(sigmas[row, column])
            rounding = _NOISE_FACTOR * noise * float(sizes[column])
            if has_effect[column] and abs(share) > _LEAST_SIGMAS * sigma and abs(share) * heads[row] > rounding:
                base[order[head]][order[other]] = share
                deviations[order[head]][order[other]] = sigma
    ordered = {index: dict(sorted(base[index].items())) for index in sorted(base)}
    return Grouping(ordered, tuple(sorted(order[column] for column in rest))), deviations


def _kept_by_null_space(matrix: NDArray[Any], rank: int, values: NDArray[Any]) -> list[int]:
    """Eliminate the last columns whose rows of the null space are independent."""
    basis = np.linalg.svd(np.linalg.qr(matrix, mode="r"))[2][rank:].T
    ratio = float(values[rank] / values[rank - 1]) if 0 < rank < len(values) else 0.0
    bound = min(max(_NOISE_FACTOR * ratio, _LEAST_SHARE), _LARGEST_BOUND)
    eliminated: list[int] = []
    found: list[Any] = []
    for column in range(len(basis) - 1, -1, -1):
        rest = basis[column].copy()
        for _ in range(2):
            for one in found:
                rest -= one * (one @ rest)
        size = float(np.linalg.norm(rest))
        if size > bound and len(eliminated) < basis.shape[1]:
            eliminated.append(column)
            found.append(rest / size)
    return [column for column in range(len(basis)) if column not in set(eliminated)]


def _kept_by_gram(matrix: NDArray[Any], rank: int, values: NDArray[Any], numbers: RealNumbers) -> list[int]:
    """Keep the first columns whose distance from the span of those before is above the gap, by Cholesky's method."""
    kept: list[int] = []
    with numbers.precision(_GRAM_DIGITS):
        gram = _gram_matrix(matrix).tolist()
        bound = values[rank - 1] * values[rank] if 0 < rank < len(values) else 0
        for column in range(len(gram)):
            pivot = gram[column][column].mid()
            if len(kept) < rank and float(pivot) > float(bound):
                kept.append(column)
                for row in range(column + 1, len(gram)):
                    factor = (gram[row][column] / pivot).mid()
                    if factor:
                        gram[row] = [(a - factor * b).mid() for a, b in zip(gram[row], gram[column], strict=True)]
    return kept


def _gram_matrix(matrix: NDArray[Any]) -> Any:
    """Return WᵀW as a matrix of python-flint, without bounds of rounding."""
    from flint import arb_mat

    given = arb_mat(matrix.tolist())
    return (given.transpose() * given).mid()


def _coefficients(
    matrix: NDArray[Any], kept: list[int], rest: list[int], numbers: RealNumbers
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the least-squares coefficients of dependent columns by the kept ones, and their standard deviations."""
    freedom = max(1, len(matrix) - len(kept)) ** 0.5
    if not kept or not rest:
        return np.zeros((len(kept), len(rest))), np.zeros((len(kept), len(rest)))
    if numbers.is_double:
        first, second = matrix[:, kept], matrix[:, rest]
        q, r = np.linalg.qr(first)
        back = np.linalg.inv(r)
        shares = back @ (q.T @ second)
        left = np.linalg.norm(second - first @ shares, axis=0)
        left = np.maximum(left, numbers.rounding * np.linalg.norm(second, axis=0)) / freedom
        return shares, np.outer(np.sqrt((back**2).sum(axis=1)), left)
    from flint import arb_mat

    with numbers.precision(_SOLUTION_DIGITS):
        gram = np.array(_gram_matrix(matrix).tolist(), object)
        inverse = arb_mat(gram[np.ix_(kept, kept)].tolist()).inv()
        across = arb_mat(gram[np.ix_(kept, rest)].tolist())
        shares = np.array((inverse * across).tolist(), object)
        products = np.array((across.transpose() * arb_mat(shares.tolist())).tolist(), object)
        squares = [abs((gram[k, k] - products[j, j]).mid()) for j, k in enumerate(rest)]
        left = [float(one.sqrt()) / freedom for one in squares]
        sizes = [float(abs(inverse[k, k].mid()).sqrt()) for k in range(len(kept))]
    return np.asarray(shares, float), np.outer(sizes, left)
