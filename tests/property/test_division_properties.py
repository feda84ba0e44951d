"""A roll-up in parts: what the roll-up of the whole gives, and the same bits wherever the parts are computed."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from massprops_cli import Bom, UsageError, rollup
from massprops_cli.rollups import division
from massprops_cli.rollups.division import roll_up_in_parts
from massprops_cli.rollups.inputs import RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.trees.tree import ItemQuantity, Tree
from tests.examples import covering, first
from tests.oracles.random_case import random_case
from tests.oracles.rolling import correlation, inputs

BUSHES, METHODS = (2, 6, 40), ("covariance", "massprops", "none")


def elsewhere(function: Callable[[Any], Any], requests: Iterable[tuple[str, Any]]) -> list[Any]:
    """Compute parts as a cluster does: arguments and results are copies, and the last part is the first done."""
    sent = [pickle.dumps((function, request)) for _, request in requests]
    done = [pickle.dumps(call(argument)) for call, argument in map(pickle.loads, reversed(sent))]
    return [pickle.loads(one) for one in reversed(done)]


def made_inputs(seed: int, bush: int, n: int = 60) -> RollupInputs:
    """Return a random tree with quantities, points and stated assemblies; nothing negative, nothing shared."""
    case = random_case(seed, n, bush)
    return RollupInputs.of(
        Tree.from_parents(case.parent),
        *inputs(case),
        ItemQuantity(np.abs(case.count), case.measured),
        stated=case.stated,
    )


def with_gaps(given: RollupInputs, seed: int) -> RollupInputs:
    """Return the inputs with missing masses, centres, tensors and sigmas."""
    rng, n = np.random.default_rng(seed), len(given.tree)
    bodies, sigmas = given.bodies, given.sigmas
    assert sigmas is not None
    has = [rng.random(n) < share for share in (0.95, 0.9, 0.9)]
    known = np.repeat(rng.random((n, 1)) < 0.95, 10, axis=1)
    arrays = [np.where(mask[:, None] if array.ndim > 1 else mask, array, 0.0)
              for mask, array in zip(has, (bodies.mass, bodies.center, bodies.inertia), strict=True)]  # fmt: skip
    masked = replace(
        bodies,
        mass=arrays[0],
        center=arrays[1],
        inertia=arrays[2],
        has_mass=has[0],
        has_center=has[1],
        has_inertia=has[2],
    )
    return replace(given, bodies=masked, sigmas=replace(sigmas, known=known))


def arrays_of(rolled: Rollup) -> dict[str, Any]:
    """Return every array of a roll-up by its name."""
    found: dict[str, Any] = {"cancelled": rolled.cancelled}
    for name, value in (("bodies", rolled.bodies), ("sigmas", rolled.sigmas), ("coverage", rolled.coverage)):
        found |= {f"{name}.{one.name}": getattr(value, one.name) for one in fields(value)} if value is not None else {}
    if rolled.below is not None:
        found |= {f"below.{name}": getattr(rolled.below, name) for name in ("mass", "center", "inertia")}
    if rolled.mass_moments is not None:
        found |= dict(zip(("moments.items", "moments"), rolled.mass_moments, strict=True))
    if rolled.covariances is not None:
        found |= {"covariances.items": rolled.covariances.items, "covariances": rolled.covariances.packed}
    return found


def known_rows(rolled: Rollup, name: str) -> Any:
    """Return the items that have the values of an array; behind a mask an array has any number."""
    bodies, sigmas = rolled.bodies, rolled.sigmas
    if name.startswith("below."):
        assert rolled.below is not None
        return rolled.below.mass != 0
    mask = {"bodies.center": bodies.has_center, "bodies.inertia": bodies.has_inertia}.get(name)
    if name.startswith("sigmas.") and sigmas is not None and sigmas.known is not None:
        column = {"sigmas.center": 1, "sigmas.inertia": 4}.get(name, 0)
        mask = sigmas.known[:, column]
    return slice(None) if mask is None else mask


def assert_close(one: Rollup, other: Rollup, stated: Any) -> None:
    """Compare two roll-ups: counts and masks exactly, numbers to rounding of the largest of their kind."""
    first, second = arrays_of(one), arrays_of(other)
    assert set(first) == set(second)
    for name, values in first.items():
        if values is None or second[name] is None:
            present = values if values is not None else second[name]
            assert present is None or bool(np.all(present)), name
            continue
        a, b = np.asarray(values), np.asarray(second[name])
        if a.dtype.kind in "bi":
            assert np.array_equal(a, b), name
            continue
        if name.startswith(("bodies.", "sigmas.", "below.")):
            rows = known_rows(other, name)
            if name.startswith("below."):  # the sums below stated assemblies, which nothing else reads
                rows = rows & stated
            a, b = a[rows], b[rows]
        scale = np.nanmax(np.abs(a), initial=0.0) or 1.0
        assert np.allclose(a, b, rtol=1e-9, atol=1e-12 * scale, equal_nan=True), name


@pytest.mark.spread(4)
@pytest.mark.parametrize(("seed", "how"), covering(range(12), product(BUSHES, METHODS)))
def test_parts_give_the_whole(seed: int, how: tuple[int, str]) -> None:
    bush, method = how
    given = made_inputs(seed, bush)
    whole = roll_up(given, method=method)
    for number in (1, 2, 3, 8, 60):
        parts = roll_up_in_parts(given, number, method=method)
        assert_close(parts, whole, given.stated)
        away = arrays_of(roll_up_in_parts(given, number, elsewhere, method=method))
        for name, values in arrays_of(parts).items():
            assert values is None or np.array_equal(values, away[name], equal_nan=values.dtype.kind == "f"), name


@pytest.mark.parametrize(("seed", "method", "bush"), covering(range(0, 12, 2), METHODS[::2], BUSHES))
def test_parts_with_missing_values_give_the_whole(seed: int, method: str, bush: int) -> None:
    given = with_gaps(made_inputs(seed, bush), seed)
    assert_close(roll_up_in_parts(given, 5, method=method), roll_up(given, method=method), given.stated)


@pytest.mark.parametrize("seed", first(range(6), 3))
def test_a_tree_that_is_not_divisible_is_one_part(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case(seed, 50, 6)
    shared = RollupInputs.of(
        Tree.from_parents(case.parent),
        *inputs(case),
        ItemQuantity(case.count, case.measured),
        stated=case.stated,
        correlation=correlation(case),
    )
    monkeypatch.setattr(division, "_roll_up_part", lambda request: pytest.fail("divided"))
    assert_close(roll_up_in_parts(shared, 4), roll_up(shared), shared.stated)


def test_parts_are_balanced() -> None:
    """No part exceeds n / number by more than one branch, so it has less than 2 n / number items."""
    for seed in range(20):
        case = random_case(seed, 400, 40, plain=True)
        tree = Tree.from_parents(case.parent)
        for number in (2, 4, 8):
            parts = division.part_items(tree, number)
            every = np.concatenate(parts) if parts else np.zeros(0, int)
            assert len(np.unique(every)) == len(every)
            assert max(map(len, parts), default=0) < 2 * 400 / number
            closed = np.isin(np.arange(400), every)
            assert not (closed[tree.parent] & (tree.parent >= 0) & ~closed).any()  # branches are complete


def test_branches_without_mass_are_rolled_up_with_the_whole() -> None:
    rows = [{"id": "TOP"}]
    for k in range(6):
        rows += [{"id": f"A{k}", "parent": "TOP"}]
        rows += [{"id": f"A{k}.{j}", "parent": f"A{k}", "mass": k * 1.0, "Cx": j, "Cy": 0.0, "Cz": 0.0} for j in (0, 1)]
    parts = rollup(Bom.from_records(rows), partition=3)
    assert parts["A0"].mass == 0
    assert parts.root.mass == 30.0  # 2 (0 + 1 + … + 5)
    assert parts.root.center[0] == 0.5


def test_a_number_of_parts_that_is_not_valid_is_rejected() -> None:
    bom = Bom.from_records([{"id": "TOP"}, {"id": "A", "parent": "TOP", "mass": 1.0}])
    with pytest.raises(UsageError, match="partition is not an integer of 0 or more: -1"):
        rollup(bom, partition=-1)
    with pytest.raises(UsageError, match="mutually exclusive"):
        rollup(bom, "montecarlo", partition=2)
    with pytest.raises(UsageError, match="partition"):
        rollup(bom, partition="two")  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    ("cells", "options", "reason"),
    [
        ({"corr_group": "g"}, {}, "uncertainties are shared"),
        ({}, {"correlate": "all"}, "uncertainties are shared"),
        ({"tx": 1, "ty": 0, "tz": 0, "sigma_tx": 0.1}, {}, "parts have poses and sigmas"),
        ({"mass": -3}, {}, "masses are negative"),
        ({"qty": -1}, {}, "quantities are negative"),
        ({"mass": 0}, {}, "a branch has no mass"),
        ({}, {"partition": 7}, "no branch of two items or more has at most 1"),
        ({}, {}, ""),
    ],
)
def test_reason_why_a_table_is_one_part(cells: dict[str, object], options: dict[str, Any], reason: str) -> None:
    rows: list[dict[str, Any]] = [{"id": "R"}, {"id": "A", "parent": "R"}, {"id": "B", "parent": "R"}]
    for above in "AB":
        for number in "12":
            own = {"mass": 5, "Cx": 1, "Cy": 2, "Cz": 3, "sigma_mass": 0.1, "sigma_Cx": 1, "sigma_Cy": 1, "sigma_Cz": 1}
            rows.append({"id": above + number, "parent": above, **own} | (cells if above == "A" else {}))
    bom = Bom.from_records(rows, allow_negative_mass=True, frame="own" if "tx" in cells else "")
    found = [one.message for one in rollup(bom, **{"partition": 2, **options}).findings if one.rule == "MP329"]
    expected = f"table is rolled up as one part, not {options.get('partition', 2)}: {reason}"
    assert found == ([expected] if reason else [])
