"""Which tensors can be those of a body, and what spoilt those that cannot."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bodies.bodies import (
    _TENSORS_PER_BLOCK,
    TensorContext,
    _boundary_rows,
    _is_valid_tensor,
    _rounds_to_valid_tensor,
    _suspected_cause,
    _TensorFault,
    full_tensors,
    six_entries,
    tensor_faults,
)


def turned(moments: list[float], seed: int = 3) -> np.ndarray:
    """A tensor with these principal moments in random axes."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return six_entries(q @ np.diag(moments) @ q.T)


def judge(tensor: np.ndarray, half_unit: float = 0.0) -> list[_TensorFault]:
    return list(tensor_faults(np.asarray(tensor, float)[None], lambda row: np.full(6, half_unit)))


@pytest.mark.parametrize(
    "moments", [[2.0, 3.0, 4.0], [1.0, 1.0, 2.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1e-9, 1.0, 1.0]]
)
def test_bodies_plates_and_rods_pass_without_a_word(moments: list[float]) -> None:
    for seed in range(20):
        assert judge(turned(moments, seed)) == []
        assert _is_valid_tensor(turned(moments, seed))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize(
    ("moments", "rule"),
    [
        ([1.0, 1.0, 2.0 + 1e-7], "MP404"),
        ([1.0, 1.0, 2.0 + 2e-10], None),
        ([-1e-8, 1.0, 1.0], "MP403"),
        ([-1e-10, 1.0, 1.0], None),
        ([-1.0, -1.0, -1.0], "MP403"),
        ([0.0, 0.0, 1.0], "MP404"),
    ],
)
def test_either_side_of_the_boundary(moments: list[float], rule: str | None, scale: float) -> None:
    tensor = turned(moments) * scale
    assert [j.rule for j in judge(tensor)] == ([rule] if rule else [])
    assert _is_valid_tensor(tensor) == (rule is None)


def test_rounding_in_the_file_is_a_note() -> None:
    """λ₁ + λ₂ − λ₃ of a diagonal tensor moves by three half units, a moment that is negative by one."""
    h = 1e-4
    for share, rule in ((2.9, "MP405"), (3.1, "MP404")):
        found = judge(np.array([1.0, 1.0, 2.0 + share * h, 0, 0, 0]), h)
        assert [j.rule for j in found] == [rule]
    for share, rule in ((0.9, "MP405"), (1.1, "MP403")):
        found = judge(np.array([-share * h, 1.0, 1.0, 0, 0, 0]), h)
        assert [j.rule for j in found] == [rule]


@pytest.mark.parametrize(
    ("digits", "rule"),
    [
        ("0.00001 0.00001 0.01", "MP404"),
        ("0.001 0.001 0.01", "MP404"),
        ("0.01 0.01 0.1", "MP404"),
        ("0.1 0.1 1.0", "MP404"),
        ("0.001 0.001 0.003", "MP405"),  # 0.0015 + 0.0015 > 0.0025
        ("0.001 0.001 0.004", "MP404"),  # 0.0015 + 0.0015 < 0.0035
        ("0.10 0.20 0.31", "MP405"),
        ("0.10 0.20 0.32", "MP404"),
    ],
)
def test_digits_of_a_diagonal_tensor(digits: str, rule: str) -> None:
    tensor = np.array([*map(float, digits.split()), 0, 0, 0])
    halves = np.array([*(0.5 * 10.0 ** -len(one.split(".")[1]) for one in digits.split()), 0, 0, 0])
    assert [j.rule for j in tensor_faults(tensor[None], lambda row: halves)] == [rule]


def test_intervals_of_random_tensors() -> None:
    """A valid tensor spoilt within the intervals is reached; where one axis excludes all corners, nothing is."""
    rng = np.random.default_rng(12)
    for _ in range(150):
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        squares = np.abs(rng.normal(size=3)) * [1, rng.integers(0, 2), 0]
        second = q @ np.diag(squares) @ q.T
        halves = np.abs(rng.normal(size=6)) * 10.0 ** -rng.integers(1, 5)
        tensor = six_entries(np.trace(second) * np.eye(3) - second) + halves * rng.uniform(-1, 1, 6)
        assert _rounds_to_valid_tensor(tensor, halves, 1e-9)
        # ∫x² dm = ½(Iyy + Izz − Ixx) of every tensor in reach is negative
        tensor[0] = tensor[1] + tensor[2] + halves[:3].sum() + 1e-6
        assert not _rounds_to_valid_tensor(tensor, halves, 1e-9)


@pytest.mark.parametrize(("half", "is_possible"), [(0.04, False), (0.1, True)])
def test_intervals_where_no_single_axis_decides(half: float, is_possible: bool) -> None:
    """With Ixx = 0 and Iyy = Izz all mass is on x, and the products are 0: each of them must be in reach."""
    tensor, halves = np.array([0.0, 4, 4, -0.1, -0.1, 0.1]), np.array([0, 0.5, 0.5, half, half, 0.1])
    assert _rounds_to_valid_tensor(tensor, halves, 4e-9) == is_possible


def test_half_units_are_requested_offenders_only() -> None:
    tensors = np.array([turned([2.0, 3.0, 4.0]), turned([1.0, 1.0, 2.0]), turned([1.0, 1.0, 3.0])])
    requested: list[int] = []

    def half_units(row: int) -> np.ndarray:
        requested.append(row)
        return np.zeros(6)

    assert [j.row for j in tensor_faults(tensors, half_units)] == [2]
    assert requested == [2]


def test_messages_give_the_moments_and_the_limit() -> None:
    (found,) = judge(np.array([1.0, 1.0, 3.0, 0, 0, 0]))
    assert "1, 1, 3" in found.message
    assert "exceeds the sum of the other two by 1" in found.message
    (found,) = judge(np.array([-1.0, 1.0, 1.0, 0, 0, 0]))
    assert "-1, 1, 1 is negative" in found.message


def test_only_rows_near_the_boundary_need_eigenvalues() -> None:
    n = 2 * _TENSORS_PER_BLOCK + 5
    tensors = np.tile(turned([2.0, 3.0, 4.0]), (n, 1))
    suspects = [0, _TENSORS_PER_BLOCK - 1, _TENSORS_PER_BLOCK, n - 1]
    for row, moments in zip(suspects, ([1.0, 1, 2], [1.0, 1, 3], [0.0, 1, 1], [-1.0, 1, 1]), strict=True):
        tensors[row] = turned([float(m) for m in moments])
    assert _boundary_rows(tensors).tolist() == suspects
    assert [j.row for j in tensor_faults(tensors, lambda row: np.zeros(6))] == [_TENSORS_PER_BLOCK - 1, n - 1]
    assert _boundary_rows(np.zeros((0, 6))).tolist() == []


def test_invariants_never_clear_what_eigenvalues_condemn() -> None:
    tensors = np.random.default_rng(5).normal(size=(5000, 6))
    tensors[:, :3] = np.abs(tensors[:, :3]) * 2
    moments = np.linalg.eigvalsh(full_tensors(tensors))
    bad = (moments[:, 0] < 0) | (moments[:, 0] + moments[:, 1] < moments[:, 2])
    assert 0.1 < bad.mean() < 0.999
    assert set(np.flatnonzero(bad)) == set(_boundary_rows(tensors).tolist())


GOOD = np.array([10.0, 11.0, 12.0, 2.0, 1.0, -3.0])


def test_products_of_the_other_sign() -> None:
    # with three products the sign of all three together decides whether the determinant holds
    tensor = np.array([10.0, 10.0, 10.0, 4.5, 4.5, 4.5])
    wrong = tensor * [1, 1, 1, -1, -1, -1]
    valid, spoilt = (tensor, wrong) if _is_valid_tensor(tensor) else (wrong, tensor)
    assert _is_valid_tensor(valid)
    assert not _is_valid_tensor(spoilt)
    cause = _suspected_cause(spoilt, TensorContext())
    assert cause is not None
    assert "other sign" in cause[0]
    assert "POIconv" in cause[1]
    (found,) = judge(spoilt)
    assert "other sign" in found.message
    assert found.remedy == cause[1]


def test_six_numbers_in_row_order() -> None:
    assert _is_valid_tensor(GOOD)
    rows = full_tensors(GOOD)[np.triu_indices(3)]  # xx, xy, xz, yy, yz, zz written under xx, yy, zz, xy, xz, yz
    cause = _suspected_cause(rows, TensorContext())
    assert cause is not None
    assert "row order" in cause[0]


def test_zeros_on_the_diagonal() -> None:
    cause = _suspected_cause(np.array([5.0, 0.0, 0.0, 1.0, 0.0, 0.0]), TensorContext())
    assert cause is not None
    assert "Iyy and Izz are 0" in cause[0]
    cause = _suspected_cause(np.array([5.0, 0.0, 6.0, 1.0, 0.0, 0.5]), TensorContext())
    assert cause is not None
    assert "Iyy is 0" in cause[0]


def test_no_cause_is_named_without_reason() -> None:
    assert _suspected_cause(np.array([1.0, 1.0, 3.0, 0.0, 0.0, 0.0]), TensorContext()) is None
    (found,) = judge(np.array([1.0, 1.0, 3.0, 0, 0, 0]))
    assert found.remedy is None


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        ([2.0, 3.0, 40.0, 0.1, 0, 0], "Izz is multiplied by 0.1"),
        ([2000.0, 2.5, 3.0, 0.1, 0, 0.2], "Ixx is multiplied by 0.001"),
        ([2.0, 0.003, 4.0, 0.0, 0.1, 0], "Iyy is multiplied by 1000"),
        ([2.0, 3.0, 4.0, 100.0, 200, -50], "products are multiplied by 0.001"),
    ],
)
def test_powers_of_ten_are_named(tensor: list[float], words: str) -> None:
    (found,) = judge(np.array(tensor))
    assert words in found.message


def test_products_in_cyclic_order() -> None:
    # second moments 100, 1, 1 with ∫xz dm = 9: 9² < 100 · 1; under the header of Iyz it would be 9² > 1 · 1
    valid = np.array([2.0, 101, 101, 0, -9, 0])
    assert _is_valid_tensor(valid)
    (found,) = judge(valid[[0, 1, 2, 3, 5, 4]])
    assert "order xy, yz, zx" in found.message


def test_two_exact_moments_of_zero_exclude_the_third() -> None:
    """Ixx ≤ Iyy + Izz = 0, whatever the digits of Ixx are, unless they allow 0."""
    tensor = np.array([0.01, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert not _rounds_to_valid_tensor(tensor, np.array([0.005, 0, 0, 0, 0, 0]), 1e-11)
    assert _rounds_to_valid_tensor(tensor, np.array([0.05, 0, 0, 0, 0, 0]), 1e-11)
    assert not _rounds_to_valid_tensor(tensor, np.array([0.004, 0, 0.005, 0, 0, 0]), 1e-11)
    assert _rounds_to_valid_tensor(tensor, np.array([0.005, 0, 0.005, 0, 0, 0]), 1e-11)
