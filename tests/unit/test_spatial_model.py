"""Trees of bodies: dynamics against point masses and closed forms, operators against their identities."""

from __future__ import annotations

import json

import numpy as np
import pytest

from massprops_cli import ArticulatedBodies, Findings, SpatialModel, SpatialOperators, TableError, UsageError
from massprops_cli.mechanisms.spatial.articulated_bodies import check_mass_matrix
from tests.examples import first
from tests.unit.spatial_examples import KINDS, PointMasses, model_of, random_tree

IDENTITY_TOLERANCE = 1e-13
"""Of the largest entry, for two exact formulas of one quantity."""
DIFFERENCE_TOLERANCE = 2e-8
"""Of the largest entry, where one side is a difference quotient."""


def motion(seed: int, degrees: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, degrees), rng.uniform(-1, 1, degrees), rng.uniform(-1, 1, degrees)


def assert_close(a: np.ndarray, b: np.ndarray, tolerance: float) -> None:
    scale = max(float(np.abs(b).max(initial=0.0)), 1.0)
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_moves_point_masses_as_stated(kind: str) -> None:
    document, clouds = random_tree(5, 3, (kind, "R"))
    model, peer = model_of(document), PointMasses(document, clouds)
    q, rate, second = motion(1, model.degrees)
    if not model.degrees:
        return
    pose = model.at(q)
    assert_close(pose.inverse_dynamics(rate, second), peer.joint_forces(q, rate, second), DIFFERENCE_TOLERANCE)
    assert_close(pose.mass_matrix(), peer.mass_matrix(q), DIFFERENCE_TOLERANCE)


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", first(range(10), 4))
def test_joint_forces_of_random_trees_are_those_of_point_masses(seed: int) -> None:
    document, clouds = random_tree(seed, 6)
    model, peer = model_of(document), PointMasses(document, clouds)
    q, rate, second = motion(seed, model.degrees)
    pose = model.at(q)
    assert_close(pose.inverse_dynamics(rate, second), peer.joint_forces(q, rate, second), DIFFERENCE_TOLERANCE)
    free = pose.inverse_dynamics(rate, second, gravity=False)
    assert_close(free, peer.joint_forces(q, rate, second, gravity=False), DIFFERENCE_TOLERANCE)


@pytest.mark.parametrize("seed", first(range(10), 3))
def test_the_equation_of_motion_and_its_inverse(seed: int) -> None:
    model = model_of(random_tree(seed, 9)[0])
    q, rate, second = motion(seed, model.degrees)
    pose = model.at(q)
    mass, bias = pose.mass_matrix(), pose.inverse_dynamics(rate, 0 * rate)
    forces = pose.inverse_dynamics(rate, second)
    assert_close(mass @ second + bias, forces, 1e-12)
    articulated = ArticulatedBodies.of(pose)
    assert_close(articulated.forward_dynamics(rate, forces), second, 1e-10)
    assert_close(articulated.inverse() @ mass, np.eye(model.degrees), 1e-10)
    sign, logarithm = np.linalg.slogdet(mass)
    assert sign == 1
    assert np.log(articulated.determinant()) == pytest.approx(logarithm, abs=1e-10)


@pytest.mark.parametrize("seed", first(range(10), 3))
def test_the_power_of_joint_forces_is_the_rate_of_energy(seed: int) -> None:
    """Kinetic energy by velocities of bodies, θ̇* M θ̇ / 2, and the work of the inertia forces."""
    model = model_of(random_tree(seed, 7)[0])
    q, rate, _ = motion(seed, model.degrees)
    pose = model.at(q)
    velocity = pose.velocities(rate)
    mass, first, tensor = pose.body_moments
    energy = 0.0
    for k, (w, v) in zip(model.order, zip(velocity[:, :3], velocity[:, 3:], strict=True), strict=True):
        energy += mass[k] * v @ v / 2 + w @ tensor[k] @ w / 2 + v @ np.cross(w, first[k])
    assert energy == pytest.approx(rate @ pose.mass_matrix() @ rate / 2, rel=1e-12)


@pytest.mark.parametrize("seed", first(range(10), 3))
def test_operators_and_composite_bodies_give_one_mass_matrix(seed: int) -> None:
    pose = model_of(random_tree(seed, 10)[0]).at(motion(seed, 0)[0])
    pose = pose.model.at(motion(seed, pose.model.degrees)[0])
    operators, mass = SpatialOperators.of(pose), pose.mass_matrix()
    at = operators.coordinates
    assert_close(operators.mass_matrix(), mass[np.ix_(at, at)], IDENTITY_TOLERANCE)
    assert_close(mass, mass.T, 0.0)
    assert (mass[~pose.related()] == 0).all()
    assert operators.mass_matrix()[~pose.related()[np.ix_(at, at)]] == pytest.approx(0, abs=0)


@pytest.mark.parametrize("seed", first(range(10), 3))
def test_identities_of_the_operators(seed: int) -> None:
    model = model_of(random_tree(seed, 8)[0])
    q, rate, second = motion(seed, model.degrees)
    pose = model.at(q)
    o = SpatialOperators.of(pose)
    unit = np.eye(len(o.E))
    n = len(o.parents)
    # canonical order and the resolvent: A = 1 + E + E² + …, which ends
    assert all(parent == -1 or parent > k for k, parent in enumerate(o.parents))
    assert (np.linalg.matrix_power(o.E, n) == 0).all()
    assert_close(o.A, sum(np.linalg.matrix_power(o.E, k) for k in range(n)), IDENTITY_TOLERANCE)
    assert_close(o.A - unit, o.E @ o.A, IDENTITY_TOLERANCE)
    # Lyapunov
    R = o.lyapunov()
    assert_close(R, o.E @ R @ o.E.T + o.M, IDENTITY_TOLERANCE)
    below = o.A - unit
    assert_close(o.A @ o.M @ o.A.T, R + below @ R + R @ below.T, IDENTITY_TOLERANCE)
    number = [[body.name for body in model.mechanism.bodies].index(name) for name in o.names]
    composite = pose.composite_inertias()[number]
    for k in range(n):
        assert_close(R[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], composite[k], IDENTITY_TOLERANCE)
    # Riccati
    left = unit - o.G @ o.H
    assert_close(o.P, o.E @ left @ o.P @ left.T @ o.E.T + o.M, 1e-12)
    assert_close(o.P, o.E @ o.P @ o.E.T - o.K @ o.D @ o.K.T + o.M, 1e-12)
    assert_close(o.D, o.H @ o.P @ o.H.T, 1e-12)
    # factors of the mass matrix and of its inverse
    factor, inverse, mass = o.innovation_factor(), o.inverse_factor(), o.mass_matrix()
    assert_close(factor @ o.D @ factor.T, mass, 1e-12)
    assert_close(factor @ inverse, np.eye(len(mass)), 1e-11)
    assert_close(inverse.T @ np.linalg.inv(o.D) @ inverse @ mass, np.eye(len(mass)), 1e-9)
    # V = A* H* θ̇
    names = [body.name for body in model.mechanism.bodies]
    velocity = (o.A.T @ o.H.T @ rate[o.coordinates]).reshape(n, 6)
    assert_close(pose.velocities(rate)[[names.index(name) for name in o.names]], velocity, IDENTITY_TOLERANCE)
    # f = A M α and T = H f from rest without gravity
    still = pose.interbody_forces(0 * rate, second, gravity=False)[[names.index(name) for name in o.names]]
    acceleration = o.A.T @ o.H.T @ second[o.coordinates]
    assert_close(still.reshape(-1), o.A @ o.M @ acceleration, 1e-12)


@pytest.mark.parametrize("seed", first(range(12), 3))
def test_partitioned_and_aggregated_models(seed: int) -> None:
    model = model_of(random_tree(seed, 9)[0])
    pose = model.at(motion(seed, model.degrees)[0])
    o = SpatialOperators.of(pose)
    rng = np.random.default_rng(seed)
    from massprops_cli import Digraph

    graph = Digraph.from_parents(o.parents)
    chosen = graph.path_closure(set(rng.choice(9, 3, replace=False).tolist()))
    part = o.partition([o.names[k] for k in chosen])
    C, S, P = part.children, part.members, part.parents
    assert (part.block(C, S) == 0).all()
    assert (part.block(C, P) == 0).all()
    assert (part.block(S, P) == 0).all()
    assert (part.block(P, C) == 0).all()
    A_C, A_S, A_P = (part.resolvent(one) for one in (C, S, P))
    B_S, B_P = part.block(S, C), part.block(P, S)

    def of_whole(to: np.ndarray, of: np.ndarray) -> np.ndarray:
        return o.A[np.ix_(part.rows(to), part.rows(of))]

    for block, expected in (
        (of_whole(C, C), A_C),
        (of_whole(S, S), A_S),
        (of_whole(P, P), A_P),
        (of_whole(S, C), A_S @ B_S @ A_C),
        (of_whole(P, S), A_P @ B_P @ A_S),
        (of_whole(P, C), A_P @ B_P @ A_S @ B_S @ A_C),
    ):
        assert_close(block, expected, IDENTITY_TOLERANCE)
    # the outer subsystem is that of a model of its own: no body inside of it changes its articulated inertias
    alone = part.model(C)
    rows, own = part.rows(C), part.coordinates(C)
    assert_close(o.P[np.ix_(rows, rows)], alone.P, IDENTITY_TOLERANCE)
    assert_close(o.D[np.ix_(own, own)], alone.D, IDENTITY_TOLERANCE)
    assert_close(o.innovation_factor()[np.ix_(own, own)], alone.innovation_factor(), IDENTITY_TOLERANCE)
    # its block of the mass matrix is its own mass matrix
    mass = o.mass_matrix()
    assert_close(mass[np.ix_(own, own)], alone.mass_matrix(), IDENTITY_TOLERANCE)
    # the composite inertia of the children adds to the members what their own Lyapunov equation lacks
    R, inner, outer = o.lyapunov(), part.rows(S), part.rows(C)
    load = B_S @ R[np.ix_(outer, outer)] @ B_S.T
    diagonal = np.zeros_like(load)
    for k in range(len(S)):
        own_rows = slice(6 * k, 6 * k + 6)
        diagonal[own_rows, own_rows] = load[own_rows, own_rows]
    R_S = R[np.ix_(inner, inner)]
    E_S = part.block(S, S)
    assert_close(R_S, E_S @ R_S @ E_S.T + o.M[np.ix_(inner, inner)] + diagonal, IDENTITY_TOLERANCE)


@pytest.mark.parametrize("seed", first(range(12), 3))
def test_an_aggregated_model_is_the_same_model(seed: int) -> None:
    model = model_of(random_tree(seed, 9)[0])
    pose = model.at(motion(seed, model.degrees)[0])
    o = SpatialOperators.of(pose)
    from massprops_cli import Digraph

    graph = Digraph.from_parents(o.parents)
    done = 0
    for top in range(9):
        members = graph.descendants(top) | {top}
        members -= {k for k in members if not graph.children(k)} - {top}
        part = o.partition([o.names[k] for k in members])
        made = part.aggregated()
        half = (o.H @ o.A)[np.ix_(made.coordinates, made.rows)]
        assert_close(made.H @ made.A, half, IDENTITY_TOLERANCE)
        whole = o.mass_matrix()[np.ix_(made.coordinates, made.coordinates)]
        assert_close(made.mass_matrix(), whole, IDENTITY_TOLERANCE)
        # structure of E_a: nothing within the aggregated body, A_S in its way inward
        a, b = 6 * len(part.children), 6 * (len(part.children) + len(part.members))
        assert (made.E[a:b, a:b] == 0).all()
        assert_close(made.E[b:, a:b], part.block(part.parents, part.members) @ part.resolvent(part.members), 0.0)
        done += 1
    assert done == 9
    several = next(
        (
            [o.names[a], o.names[b]]
            for a in range(9)
            for b in range(9)
            if a != b
            and o.parents[a] not in (o.parents[b], b)
            and o.parents[b] != a
            and -1 not in (o.parents[a], o.parents[b])
            and not graph.is_related(a, b)
        ),
        None,
    )
    if several:
        with pytest.raises(UsageError, match="several parents"):
            o.partition(several).aggregated()


def test_serial_segments_give_the_pattern_of_the_mass_matrix() -> None:
    """Two arms on a trunk of two: entries between the arms vanish, all others of this tree do not."""
    from massprops_cli.trees.tree import serial_segments

    document, _ = random_tree(3, 6, ("R",))
    for joint, parent in zip(sorted(document["joints"], key=lambda one: one["name"]), (0, 1, 2, 3, 2, 5), strict=True):
        own = int(joint["name"][1:])
        joint.clear()
        joint |= {"name": f"J{own}", "type": "free", "i": parent, "j": own}
    model = model_of(document)
    pose = model.at(motion(2, model.degrees)[0])
    segment, _ = serial_segments(model.tree)
    number = dict(zip(["ground", *(str(k) for k in range(1, 7))], segment.tolist(), strict=True))
    assert number["1"] == number["2"] == number["ground"]
    assert number["3"] == number["4"] != number["5"] == number["6"]
    mass, related = pose.mass_matrix(), pose.related()
    own = np.array([number[joint.split(".")[0][1:]] for joint in model.names])
    apart = (own[:, None] != own) & (own[:, None] != number["1"]) & (own != number["1"])
    assert (apart == ~related).all()
    assert (mass[apart] == 0).all()


def test_closed_forms_of_a_double_pendulum() -> None:
    """Point masses m on massless rods l: M11 = (3 + 2 cos b) m l², M12 = (1 + cos b) m l², M22 = m l²."""
    m, length, g, a, b = 1.5, 0.8, 9.81, 0.3, 0.7
    rod = {"mass": m, "c": [length, 0, 0], "I": [0, 0, 0, 0, 0, 0]}
    document = {
        "gravity": [0, -g, 0],
        "bodies": [{"id": 1, **rod}, {"id": 2, "p": [length, 0, 0], **rod}],
        "joints": [
            {"name": "A", "type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]},
            {"name": "B", "type": "R", "i": 1, "j": 2, "pi": [length, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]},
        ],
    }
    pose = model_of(document).at([a, b])
    k = m * length**2
    c = np.cos(b)
    np.testing.assert_allclose(pose.mass_matrix(), [[k * (3 + 2 * c), k * (1 + c)], [k * (1 + c), k]], rtol=1e-14)
    u, v = 0.4, -1.1
    weight = m * g * length
    expected = [
        -k * np.sin(b) * (2 * u * v + v * v) + weight * (2 * np.cos(a) + np.cos(a + b)),
        k * np.sin(b) * u * u + weight * np.cos(a + b),
    ]
    np.testing.assert_allclose(pose.inverse_dynamics([u, v], [0, 0]), expected, rtol=1e-13)


def test_massless_bodies_are_reported() -> None:
    document, _ = random_tree(4, 3, ("R",), "chain")
    for body in document["bodies"]:
        if body["id"] == 3:
            body |= {"mass": 0, "I": [0, 0, 0, 0, 0, 0]}
    findings = Findings()
    pose = model_of(document).at()
    check_mass_matrix(pose, findings)
    assert [(one.rule, one.item) for one in findings] == [("MP816", "J3")]
    with pytest.raises(UsageError, match="joint J3 moves no inertia"):
        ArticulatedBodies.of(pose)
    assert np.linalg.matrix_rank(pose.mass_matrix()) == 2
    # a massless body in between is none of them
    document["bodies"][2] |= {"mass": 1}
    document["bodies"][1] |= {"mass": 0, "I": [0, 0, 0, 0, 0, 0]}
    findings = Findings()
    check_mass_matrix(model_of(document).at(), findings)
    assert not findings


def test_loops_and_missing_masses_are_reported() -> None:
    document, _ = random_tree(4, 2, ("S",), "chain")
    del document["bodies"][0]["mass"]
    findings = Findings()
    SpatialModel.read(json.dumps(document).encode(), findings=findings)
    assert [(one.rule, one.item) for one in findings] == [("MP817", "1")]
    document["joints"].append({"name": "Z", "type": "free", "i": 0, "j": 2})
    with pytest.raises(TableError) as caught:
        model_of(document)
    assert [one.rule for one in caught.value.findings] == ["MP815"]


def test_wrong_numbers_of_coordinates_are_rejected() -> None:
    model = model_of(random_tree(1, 2, ("R",))[0])
    with pytest.raises(UsageError, match="coordinates are not 2 finite numbers"):
        model.at([1.0])
    with pytest.raises(UsageError, match="velocities are not 2 finite numbers"):
        model.at([1.0, 2.0]).inverse_dynamics([np.nan, 0], [0, 0])
    with pytest.raises(UsageError, match="body is not in the model: x"):
        SpatialOperators.of(model.at()).partition(["x"])
