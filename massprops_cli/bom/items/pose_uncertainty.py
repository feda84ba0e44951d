"""Uncertain poses of a table: sigmas of origins and small rotations, or a 6×6 covariance."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_items
from massprops_cli.bom.items.numbers import read_number_cells
from massprops_cli.findings import Findings
from massprops_cli.tables import POSE_LENGTHS, POSE_SIGMAS, QuantityColumn, TableOptions, read_number

_Floats = NDArray[np.float64]
_AngleReader = Callable[[QuantityColumn, _Floats, NDArray[np.intp]], tuple[str | None, _Floats]]

_ROUNDING = 1e-9
"""Largest negative eigenvalue of a covariance, as a share of the largest, that rounding explains."""


def read_pose_covariances(
    uses: ItemRows, angle_of: _AngleReader, options: TableOptions, findings: Findings
) -> _Floats | None:
    """Read the uncertainty of each pose.

    Parameters
    ----------
    uses : ItemRows, (n,)
        Items, each in the row of its use.
    angle_of : callable
        Function of a column, values and items that returns the unit of angles and the values in it.
    options : TableOptions
        Options of the table.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    ndarray, (n, 6, 6), length², length × rad, rad², or None
        Covariance of the shift of the origin and of a small rotation, axes of the parent; None if no row states one.

    Notes
    -----
    docs/formulas.md, section 12.
    """
    named = uses.columns.by_quantity
    if not options.use_sigmas or not {*POSE_SIGMAS, "pose_covariance"} & named.keys():
        return None
    n = len(uses.rows)
    sigmas, has_sigma = np.zeros((n, 6)), np.zeros(n, bool)
    everyone = np.arange(n)
    for k, name in enumerate(POSE_SIGMAS):
        column = named.get(name)
        if column is None:
            continue
        values, _ = read_number_cells(uses, column, findings)
        negative = np.flatnonzero(values < 0)
        _report(uses, column, {i: f"{column.header} is negative" for i in negative.tolist()}, findings)
        values = np.where(values < 0, np.nan, values)
        has_sigma |= ~np.isnan(values)
        if k >= 3:
            values = _radians(angle_of(column, values, everyone))
        sigmas[:, k] = np.nan_to_num(values)
    result = sigmas[:, :, None] ** 2 * np.eye(6)
    if "pose_covariance" in named:
        _read_matrices(uses, angle_of, has_sigma, result, findings)
    return result if result.any() else None


def _radians(angles: tuple[str | None, _Floats]) -> _Floats:
    """Return angles in radians."""
    unit, values = angles
    return np.deg2rad(values) if unit in ("deg", "arcmin", "arcsec") else values


def _read_matrices(
    uses: ItemRows, angle_of: _AngleReader, has_sigma: NDArray[np.bool_], result: _Floats, findings: Findings
) -> None:
    """Read cells of 21 or 36 numbers into covariances ``(n, 6, 6)``; report those that are not valid."""
    column = uses.columns.by_quantity["pose_covariance"]
    faults: dict[int, str] = {}
    size = next(
        (uses.columns.by_quantity[name].factor for name in POSE_LENGTHS if name in uses.columns.by_quantity), 1.0
    )
    texts = uses.texts(column.index)
    for i in (i for i, text in enumerate(texts) if text.strip()):
        matrix = _parsed_matrix(texts[i])
        if matrix is None:
            faults[i] = "pose_covariance is not 21 numbers (upper triangle, row by row) or 36 of a symmetric matrix"
            continue
        if has_sigma[i]:
            faults[i] = "both sigmas and a covariance are stated"
            continue
        values = np.linalg.eigvalsh(matrix)
        if values[0] < -_ROUNDING * max(values[-1], 0.0):
            faults[i] = (
                f"covariance is not positive semi-definite: smallest eigenvalue {values[0]:.3g}, largest {values[-1]:.3g}"
            )
            continue
        unit = _radians(angle_of(column, np.array([1.0]), np.array([i])))[0]
        scale = np.array([size] * 3 + [unit] * 3)
        result[i] = matrix * scale[:, None] * scale
    _report(uses, column, faults, findings)


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


def _report(uses: ItemRows, column: QuantityColumn, faults: dict[int, str], findings: Findings) -> None:
    """Report uncertainties of poses that are not valid."""
    which = np.array(sorted(faults), np.intp)
    words = lambda i: f"uncertainty of the pose of {uses.ids[i]} is not valid: {faults[i]}"  # noqa: E731 # one place
    report_items(uses, ItemFault("MP709", column), which, words, findings)
