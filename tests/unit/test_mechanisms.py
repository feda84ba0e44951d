"""Base inertial parameters against published mechanisms, closed forms, and counts known by construction."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from massprops_cli import BaseParameters, Mechanism, base_parameters, read_mechanism
from massprops_cli.findings.finding import Findings, TableError, UsageError
from massprops_cli.mechanisms.base_inertia import _elimination_order
from massprops_cli.mechanisms.exact import exact_count, exact_grouping
from massprops_cli.mechanisms.prime_field import series_ring
from massprops_cli.mechanisms.structural import (
    open_chain_count,
    open_chain_grouping,
    restricted_bodies,
    structural_grouping,
)
from tests.examples import first
from tests.unit.mechanism_examples import (
    CHAINS,
    SUSPENSION,
    SUSPENSION_EXPECTED,
    added,
    mdh_chain,
    planar_linkage,
    random_chain,
    strings,
    turned,
)


def mechanism_of(document: dict[str, Any]) -> Mechanism:
    """Read a document as a file."""
    return read_mechanism(json.dumps(document).encode())


def fractions(terms: dict[str, str]) -> dict[str, Fraction]:
    """Coefficients as fractions."""
    return {name: Fraction(value) for name, value in terms.items()}


def rules_of(found: BaseParameters) -> list[str]:
    """The rules of the findings, but for the note that python-flint is not installed."""
    return [finding.rule for finding in found.findings if finding.rule != "MP812"]


def count(document: dict[str, Any], method: str = "exact") -> int:
    """The number of base parameters."""
    return len(base_parameters(mechanism_of(document), method).grouping.base)


def test_suspension_has_41_base_parameters_with_every_coefficient() -> None:
    found = base_parameters(mechanism_of(SUSPENSION), eliminate=SUSPENSION_EXPECTED["eliminated"])
    assert found.grouping.freedoms == 2
    assert found.mechanism.loops == 3
    assert found.combinations() == {row["head"]: fractions(row["exact"]) for row in SUSPENSION_EXPECTED["base"]}
    assert {found.names[index] for index in found.grouping.without_effect} == set(SUSPENSION_EXPECTED["no_effect"])
    assert found.is_certified
    assert rules_of(found) == []


def test_suspension_agrees_with_the_published_decimals_but_for_two_misprinted_rows() -> None:
    found = base_parameters(mechanism_of(SUSPENSION), eliminate=SUSPENSION_EXPECTED["eliminated"]).combinations()
    for row in SUSPENSION_EXPECTED["base"]:
        differs = set(row["published"]) != set(found[row["head"]])
        assert differs == (row["table2_row"] in (25, 26))
        if not differs:
            for name, text in row["published"].items():
                half_unit = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
                assert abs(found[row["head"]][name] - Fraction(text)) <= half_unit


def test_structural_rules_give_the_same_suspension() -> None:
    mechanism = mechanism_of(SUSPENSION)
    exact, rules = (
        base_parameters(mechanism, method, SUSPENSION_EXPECTED["eliminated"]) for method in ("exact", "structural")
    )
    assert rules.combinations() == exact.combinations()


def test_symbols_reproduce_the_published_expressions() -> None:
    sympy = pytest.importorskip("sympy")
    mechanism = read_mechanism("sample_data/suspension.json")
    found = base_parameters(mechanism, "structural", SUSPENSION_EXPECTED["eliminated"], symbols=True)
    symbolic = found.symbolic_combinations()
    assert symbolic is not None
    for row in SUSPENSION_EXPECTED["base"]:
        assert set(symbolic[row["head"]]) == set(row["symbolic"])
        for name, text in row["symbolic"].items():
            assert sympy.simplify(sympy.sympify(text) - sympy.sympify(symbolic[row["head"]][name])) == 0


@pytest.mark.parametrize(
    "case", first([("0 0 0", "zero_gravity"), ("0 1 0", "gravity_along_y1"), ("0 0 -1", "vertical_gravity")], 1)
)
def test_suspension_in_other_gravity(case: tuple[str, str]) -> None:
    gravity, expected = case[0].split(), case[1]
    document = SUSPENSION | {"gravity": gravity}
    assert count(document) == SUSPENSION_EXPECTED["discriminating_ranks"][expected]
    assert count(document, "structural") == SUSPENSION_EXPECTED["discriminating_ranks"][expected]


@pytest.mark.parametrize("name", ["rx90", "puma560", "planar2r_vertical"])
def test_open_chains(name: str) -> None:
    robot = CHAINS["robots"][name]
    mechanism = mechanism_of(mdh_chain(robot["mdh"], robot["gravity"]))
    eliminated = [one for one in mechanism.parameter_names if one not in robot["groupings_exact"]]
    found = base_parameters(mechanism, eliminate=eliminated)
    assert found.combinations() == {head: fractions(terms) for head, terms in robot["groupings_exact"].items()}
    assert rules_of(found) == []
    assert len(found.grouping.base) == robot["expected_base"]
    assert count(mdh_chain(robot["mdh"], ["0", "0", "0"])) == robot["expected_base_zero_gravity"]


def test_count_of_mayeda_for_seven_revolute_joints() -> None:
    """7N − 4β − 2 for a first axis parallel to gravity, of which β = 1 is in the first cluster of parallel axes."""
    rows = [
        ["0" if i == 0 else ("pi/2" if i % 2 else "-pi/2"), "0", "0.3" if i % 2 == 0 else "0", "R"] for i in range(7)
    ]
    assert count(mdh_chain(rows, ["0", "0", "-9.81"])) == 7 * 7 - 4 - 2


@pytest.mark.parametrize("name", ["four_bar_generic", "slider_crank"])
def test_planar_loops(name: str) -> None:
    data = CHAINS["closed_chain_small"][name]
    points = data.get("points") if name == "four_bar_generic" else [["0", "0"], ["0.1", "0.3"], ["0.8", "0"]]
    mechanism = mechanism_of(planar_linkage(points, slider=name == "slider_crank"))
    eliminated = [one for one in mechanism.parameter_names if one not in data["exact"]]
    found = base_parameters(mechanism, eliminate=eliminated)
    assert found.grouping.freedoms == 1
    assert found.combinations() == {head: fractions(terms) for head, terms in data["exact"].items()}
    assert len(found.grouping.base) == data["expected_base"]
    assert found.upper_bound == data["structural_bound"]


def test_parallelogram_is_below_the_structural_bound() -> None:
    """The coupler does not rotate, so its inertia has no effect: crank and rocker count as one body, 3 parameters.

    Both turn by one angle, so Izz and both first moments of each group; the coupler is a point mass of one of them.
    """
    document = planar_linkage([["0", "0"], ["0.1", "0.3"], ["0.6", "0.3"], ["0.5", "0"]])
    found = base_parameters(mechanism_of(document))
    assert len(found.grouping.base) == 3
    assert found.upper_bound == 8
    assert not found.is_certified
    assert rules_of(found) == ["MP813"]


KNOWN = {
    ("R",): 3,  # inertia about the axis, and both moments of the first two of mass across it
    ("P",): 1,  # the mass
    ("S",): 9,  # all but the mass, with a centre that is not in the ball
    ("free",): 10,
    ("fixed",): 0,
    ("planar",): 4,  # mass, two first moments, one moment of inertia
    ("C",): 4,
    ("free", "R"): 17,  # ten of the base, seven of a further revolute joint
    ("free", "S"): 19,
    ("free", "P"): 14,  # the inertia passes to the base: mass and first moments remain
    ("free", "U"): 19,
    ("free", "C"): 19,
    ("free", "fixed"): 10,
    ("free", "helical"): 19,
    ("free", "planar"): 19,
    ("free", "R", "S"): 26,
    ("free", "S", "S", "S"): 37,
}
"""Joints from the ground outwards → base parameters in general gravity: ten a body less the transfers of its joint."""


@pytest.mark.spread(3, keep=("1-fixed",))
@pytest.mark.parametrize("kinds", KNOWN, ids="-".join)
@pytest.mark.parametrize("seed", first([1, 2], 1))
def test_random_chains_with_known_counts(kinds: Sequence[str], seed: int) -> None:
    document = random_chain(kinds, seed)
    assert count(document) == KNOWN[tuple(kinds)]
    assert count(document, "structural") == KNOWN[tuple(kinds)]


@pytest.mark.parametrize("seed", first(range(3), 1))
def test_rules_of_transfer_and_recursive_algorithm_agree_on_random_chains(seed: int) -> None:
    mechanism = mechanism_of(random_chain(("R", "free", "U", "R", "P", "S")[seed:], seed, (0, 0, -1)))
    order = _elimination_order(mechanism, ())
    rules = structural_grouping(mechanism, order, restricted_bodies(mechanism))
    assert rules.base == open_chain_grouping(mechanism, order).base == exact_grouping(mechanism, order).base


@pytest.mark.parametrize("seed", first(range(3), 1))
def test_expected_grouping_is_used_only_if_both_primes_confirm_it(seed: int) -> None:
    mechanism = mechanism_of(random_chain(("R", "P", "R"), seed, (0, 0, -1)))
    order = _elimination_order(mechanism, ())
    exact = exact_grouping(mechanism, order)
    assert exact is not None
    assert exact_grouping(mechanism, order, exact) == exact
    assert exact_count(mechanism) == open_chain_count(mechanism) == len(exact.base)
    head, terms = next((head, terms) for head, terms in exact.base.items() if terms)
    place = next(iter(terms))
    for wrong in (
        {**exact.base, head: {**terms, place: terms[place] + 1}},
        {**exact.base, head: {**terms, place: Fraction(1, (1 << 127) - 1)}},
        {key: value for key, value in exact.base.items() if key != head},
    ):
        assert exact_grouping(mechanism, order, replace(exact, base=wrong)) == exact


def test_long_chain_of_angles_with_many_digits_is_certified() -> None:
    parts = ['<link name="l0"/>']
    for k in range(1, 13):
        inertial = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        angles = f"0.{k}73519{k} -1.{k}41{k}593 0.{k}987{k}63"
        parts.append(
            f'<link name="l{k}"><inertial>{inertial}</inertial></link><joint name="j{k}" type="revolute">'
            f'<parent link="l{k - 1}"/><child link="l{k}"/><origin xyz="0.1{k} 0.2{k}3 -0.{k}7" rpy="{angles}"/>'
            '<axis xyz="0.36 0.48 0.8"/></joint>'
        )
    mechanism = read_mechanism(f"<robot name='long'>{''.join(parts)}</robot>".encode())
    found = base_parameters(mechanism)
    # seven for each joint of a fixed chain in general position, less those of the first body
    assert (len(found.grouping.base), found.is_certified) == (7 * 12 - 4, True)
    longest = max(value.denominator for terms in found.grouping.base.values() for value in terms.values())
    assert longest > 10**300


def test_joint_with_its_bodies_exchanged_gives_the_same_count() -> None:
    document = random_chain(("free", "U", "R"), 3)
    other = json.loads(json.dumps(document))
    for joint in other["joints"]:
        for one, two in (("i", "j"), ("pi", "pj"), ("ai", "aj")):
            joint[one], joint[two] = joint[two], joint[one]
    assert count(document) == count(other)


def test_elimination_that_is_not_admissible_is_reported() -> None:
    found = base_parameters(
        mechanism_of(CHAIN_2R), eliminate=["Izz2", *(f"{q}1" for q in ("m", "mz", "Iyy", "Ixx", "Ixy", "Ixz", "Iyz"))]
    )
    assert len(found.grouping.base) == 6
    assert "Izz2" in found.combinations()
    assert rules_of(found) == ["MP811"]
    assert "Izz2" in found.findings[-1].message
    with pytest.raises(UsageError, match="Izz9"):
        base_parameters(mechanism_of(CHAIN_2R), eliminate=["Izz9"])


CHAIN_2R = mdh_chain(CHAINS["robots"]["planar2r_vertical"]["mdh"], ["0", "-9.81", "0"])


def changed(**changes: Any) -> dict[str, Any]:
    """The chain of two revolute joints with entries of its second joint changed."""
    document = json.loads(json.dumps(CHAIN_2R))
    document["joints"][1].update(changes)
    return document


def without(key: str) -> dict[str, Any]:
    """The chain without one of its lists."""
    return {name: value for name, value in CHAIN_2R.items() if name != key}


@pytest.mark.parametrize(
    ("document", "rule", "words"),
    [
        (without("bodies"), "MP801", "bodies"),
        (changed(ax=["1"]), "MP801", "ax"),
        (CHAIN_2R | {"bodies": [*CHAIN_2R["bodies"], {"id": 3, "position": ["1", "0", "0"]}]}, "MP801", "position"),
        (without("gravity"), "MP802", "gravity"),
        (changed(pi=["0", "x+1", "0"]), "MP802", "unknown dimension x"),
        (changed(pi=["0", "1/0", "0"]), "MP802", "division by 0"),
        (changed(pi=["((9**8)**8)**8", "0", "0"]), "MP802", "power of a power"),
        (changed(pi=["1e999", "0", "0"]), "MP802", "not between 1e-100 and 1e100"),
        (changed(pi=["9" * 400, "0", "0"]), "MP802", "not between 1e-100 and 1e100"),
        (changed(pi=["0", "1e-101", "0"]), "MP802", "not between 1e-100 and 1e100"),
        (changed(pi=["٣", "0", "0"]), "MP802", "not a number"),
        (changed(pi=["__import__('os')", "0", "0"]), "MP802", "not a number"),
        (changed(pi=[True, "0", "0"]), "MP802", "True"),
        (changed(type="Q"), "MP803", "'Q'"),
        (changed(ai=["0", "0", "0"]), "MP804", "ai of joint J2"),
        (changed(j=7), "MP805", "'7'"),
        (changed(j=1), "MP806", "body 2"),
        (changed(i=2, j=2), "MP805", "same body"),
        (changed(name="J1"), "MP809", "J1"),
        (changed(pi=["0.50001", "0", "0"]), "MP808", "-1/100000"),
        (changed(aj=["0", "1", "1"]), "MP808", "J2"),
    ],
)
def test_bad_input_is_reported_with_its_joint(document: dict[str, Any], rule: str, words: str) -> None:
    with pytest.raises(TableError) as caught:
        mechanism_of(document)
    fitting = [finding for finding in caught.value.findings if finding.rule == rule]
    assert fitting, caught.value.findings
    assert words in fitting[0].message
    assert fitting[0].remedy


def test_bodies_apart_from_the_ground_are_reported() -> None:
    document = json.loads(json.dumps(CHAIN_2R))
    document["joints"] = document["joints"][1:]
    with pytest.raises(TableError) as caught:
        mechanism_of(document)
    assert [finding.rule for finding in caught.value.findings] == ["MP807"]


def test_singular_pose_is_reported() -> None:
    """A parallelogram at the pose where all bars lie in one line."""
    mechanism = mechanism_of(planar_linkage([["0", "0"], ["1", "0"], ["3", "0"], ["2", "0"]]))
    findings = Findings()
    with pytest.raises(TableError):
        base_parameters(mechanism, findings=findings)
    found = [finding for finding in findings if finding.rule == "MP810"]
    assert len(found) == 1
    # the tree has three of the four joints; velocities of second order open the last
    assert found[0].item in ("A", "B", "C", "D")
    assert f"joint {found[0].item} opens with the second power of time" in found[0].message


def test_without_the_fast_integers_the_result_is_the_same_and_a_note_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "flint", None)
    series_ring.cache_clear()
    found = base_parameters(mechanism_of(SUSPENSION), eliminate=SUSPENSION_EXPECTED["eliminated"])
    series_ring.cache_clear()
    assert found.combinations() == {row["head"]: fractions(row["exact"]) for row in SUSPENSION_EXPECTED["base"]}
    assert [finding.rule for finding in found.findings] == ["MP812"]
    assert "massprops[mechanism]" in found.findings[0].remedy


def in_plane_damper() -> dict[str, Any]:
    """The suspension with the axis of the damper in the plane in which its lower mount moves, normal to y."""
    document = json.loads(json.dumps(SUSPENSION))
    quaternion = [Fraction(1), Fraction(0), Fraction(1, 5), Fraction(0)]
    across, along = turned(quaternion, (1, 0, 0)), turned(quaternion, (0, 0, 1))
    lower = [Fraction(518, 1000), Fraction(0), Fraction(1, 5)]
    upper = added(lower, [Fraction(2, 5) * value for value in along])
    for body, place in ((5, upper), (6, lower)):
        document["bodies"][body] |= {"p": strings(place), "q": strings(quaternion)}
    (mount,) = (joint for joint in document["joints"] if joint["name"] == "C")
    mount |= {"pi": strings(upper), "ai": strings(across)}
    return document


def test_damper_in_the_plane_of_motion() -> None:
    assert count(in_plane_damper()) == SUSPENSION_EXPECTED["discriminating_ranks"]["damper_in_plane_of_motion"]


def test_helical_joint_that_closes_a_loop() -> None:
    """Two equal threads on one axis are one thread; the second closes a loop. Other pitches lock the nut."""
    threads = [
        {"name": f"T{k}", "type": "helical", "i": 0, "j": "nut", "pi": [0, 0, k], "pj": [0, 0, k], "ai": [0, 0, 1]}
        for k in (1, 2)
    ]
    document = {
        "gravity": [0, 0, -9],
        "bodies": [{"id": "nut"}],
        "joints": [one | {"pitch": "1/50"} for one in threads],
    }
    found = base_parameters(mechanism_of(document), eliminate=["m_nut"])
    assert (found.grouping.freedoms, found.combinations()) == (1, {"Izz_nut": {}, "m_nut": {}})
    document["joints"] = [threads[0] | {"pitch": "1/50"}, threads[1] | {"pitch": "1/40"}]
    found = base_parameters(mechanism_of(document))
    assert (found.grouping.freedoms, found.combinations()) == (0, {})


def test_screw_drive() -> None:
    """A nut on a screw that slides on a rail: the screw turns, the nut advances."""
    document = {
        "gravity": [0, 0, "-9.81"],
        "bodies": [{"id": "screw"}, {"id": "nut", "p": [0, 0, 1]}],
        "joints": [
            {"name": "bearing", "type": "R", "i": 0, "j": "screw", "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 2]},
            {"name": "thread", "type": "helical", "i": "screw", "j": "nut", "pi": [0, 0, 1], "pj": [0, 0, 0]}
            | {"ai": [0, 0, 3], "pitch": "1/50"},
            {"name": "rail", "type": "P", "i": 0, "j": "nut", "pi": [1, 0, 0], "pj": [1, 0, 0], "ai": [0, 0, 1]},
        ],
    }
    # kinetic energy (Izz of the screw + pitch² · mass of the nut)/2 · rate², potential energy mass · pitch · angle
    mechanism = mechanism_of(document)
    found = base_parameters(mechanism, eliminate=["m_nut"])
    assert found.grouping.freedoms == 1
    assert found.combinations() == {"Izz_screw": {}, "m_nut": {}}
    document["gravity"] = [1, 0, 0]
    level = base_parameters(mechanism_of(document), eliminate=["m_nut"]).combinations()
    assert level["Izz_screw"] == {"m_nut": Fraction(1, 2500)}
    document["joints"] = [document["joints"][2], document["joints"][0], document["joints"][1] | {"type": "C"}]
    assert base_parameters(mechanism_of(document)).grouping.freedoms == 2


def legs(count: int, length: int) -> dict[str, Any]:
    """A free body with legs of revolute joints at right angles."""
    base = mdh_chain([["0", "0", "0", "free"]], (0, 0, -9))
    rows = [
        ["-pi/2" if k % 2 else "pi/2", "0.1" if k == 0 else "0", "0.25" if k % 2 else "0", "R"] for k in range(length)
    ]
    for leg in range(count):
        chain, shift = mdh_chain(rows, (0, 0, -9)), len(base["bodies"])
        base["bodies"] += [body | {"id": body["id"] + shift} for body in chain["bodies"]]
        base["joints"] += [
            joint
            | {"name": f"{leg}{joint['name']}", "i": joint["i"] + shift if joint["i"] else 1, "j": joint["j"] + shift}
            for joint in chain["joints"]
        ]
    return base


def test_tree_with_a_free_base_has_ten_and_seven_for_each_revolute_joint() -> None:
    found = base_parameters(mechanism_of(legs(3, 3)))
    assert len(found.grouping.base) == 10 + 7 * 9
    assert found.grouping.freedoms == 6 + 9
    assert found.is_certified


FOUR_BAR = planar_linkage([["0", "0"], ["0.1", "0.3"], ["0.6", "0.5"], ["0.7", "0"]])


@pytest.mark.parametrize(
    "document",
    first(
        [
            CHAIN_2R,
            FOUR_BAR,
            random_chain(("R", "C", "U", "P", "planar"), 4),
            SUSPENSION,
            SUSPENSION | {"gravity": [0, 0, 0]},
        ],
        3,
    ),
    ids=["two bars", "four-bar", "chain", "suspension", "without gravity"],
)
def test_complex_points_agree_with_the_exact_result(document: dict[str, Any]) -> None:
    mechanism = mechanism_of(document)
    exact, found = (base_parameters(mechanism, method) for method in ("exact", "complex"))
    assert found.grouping.freedoms == exact.grouping.freedoms
    assert list(found.combinations()) == list(exact.combinations())
    for head, terms in exact.combinations().items():
        near = found.combinations()[head]
        assert set(near) <= set(terms)
        assert all(
            abs(near.get(name, 0.0) - float(value)) < 1e-6 * max(1.0, abs(value)) for name, value in terms.items()
        )


def test_complex_points_reject_a_rank_without_a_gap() -> None:
    document = mdh_chain([["0", "0", "0", "R"], ["0", "1e-9", "0", "R"]], (0, 0, 0))
    with pytest.raises(TableError) as caught:
        base_parameters(mechanism_of(document), "complex")
    assert [finding.rule for finding in caught.value.findings if finding.rule != "MP812"] == ["MP814"]
    assert count(document) == 4


def joined(*parts: tuple[str, Sequence[Any], Sequence[Any], int, int]) -> dict[str, Any]:
    """Joints (type, point, two bodies) about axes through the points, between bodies with frames of the ground."""
    joints = [
        {"name": f"{kind}{number}", "type": kind, "i": i, "j": j, "pi": strings(point), "pj": strings(point)}
        | {"ai": strings(axis)}
        for number, (kind, point, axis, i, j) in enumerate(parts)
    ]
    bodies = [{"id": number} for number in range(1, 1 + max(max(part[3:]) for part in parts))]
    return {"gravity": ["1", "2", "-9"], "bodies": bodies, "joints": joints}


@pytest.mark.parametrize("seed", range(3))
def test_spatial_linkage_of_two_cranks_and_a_rod_has_fourteen(seed: int) -> None:
    """Cranks on fixed axes have 3 of their parameters, the rod all 10; each ball passes one mass: 3 + 10 + 3 - 2."""
    chance = random.Random(seed)
    points, axes = ([[Fraction(chance.randint(-99, 99), 10) for _ in range(3)] for _ in range(4)] for _ in range(2))
    document = joined(
        ("R", points[0], axes[0], 0, 1),
        ("S", points[1], axes[1], 1, 2),
        ("S", points[2], axes[2], 2, 3),
        ("R", points[3], axes[3], 0, 3),
    )
    found = base_parameters(mechanism_of(document))
    assert (len(found.grouping.base), found.grouping.freedoms, found.is_certified) == (14, 2, True)


def test_redundant_joints_change_nothing() -> None:
    """A door on three hinges of one axis is one revolute joint; so are a hinge and a ball on its axis."""
    spots = [[Fraction(0), Fraction(1), Fraction(height)] for height in (0, 1, 2)]
    door = [("R", spot, [0, 0, 1], 0, 1) for spot in spots]
    for parts in (door, door[:2], [door[0], ("S", *door[1][1:])], door[:1]):
        found = base_parameters(mechanism_of(joined(*parts)), eliminate=["m1", "Iyy1", "mz1"])
        assert (len(found.grouping.base), found.grouping.freedoms) == (3, 1)


@pytest.mark.parametrize("seed", range(3))
def test_random_four_bars_have_eight(seed: int) -> None:
    """The planar rod has 4 parameters, two bars on fixed axes 3; each of two pins passes one mass: 8."""
    chance = random.Random(seed)
    points = [[Fraction(chance.randint(-99, 99), 10) for _ in range(2)] for _ in range(4)]
    found = base_parameters(mechanism_of(planar_linkage(points)))
    assert (len(found.grouping.base), found.grouping.freedoms, found.is_certified) == (8, 1, True)


def closed_chain(seed: int) -> dict[str, Any]:
    """A random chain whose last body is joined to the ground a second time, by a joint of another random type."""
    chance = random.Random(seed)
    kinds = [chance.choice(["R", "S", "U", "C", "planar"]) for _ in range(chance.randint(3, 4))]
    document = random_chain(kinds, seed)
    kind = chance.choice(["S", "U", "C", "planar", "fixed"])
    last = document["bodies"][-1]
    quaternion = [Fraction(value) for value in last["q"]]
    back = [quaternion[0], *(-value for value in quaternion[1:])]
    spot, axis = ([Fraction(chance.randint(1, 9)) for _ in range(3)] for _ in range(2))
    inner = turned(back, added(spot, [-Fraction(value) for value in last["p"]]))
    other = turned(back, [axis[1], -axis[0], 0] if kind == "U" else axis)
    closing = {"name": "closing", "type": kind, "i": 0, "j": len(kinds), "pi": strings(spot), "pj": strings(inner)}
    document["joints"].append(closing | {"ai": strings(axis), "aj": strings(other)})
    return document


FREEDOMS = {"R": 1, "C": 2, "U": 2, "S": 3, "planar": 3, "fixed": 0}


@pytest.mark.parametrize("seed", first(range(12), 3))
def test_random_loops_have_the_degrees_of_freedom_of_their_joints_and_keep_the_upper_bound(seed: int) -> None:
    """A loop has the freedoms of its joints less six where none is redundant; the rules never give fewer parameters."""
    document = closed_chain(seed)
    found = base_parameters(mechanism_of(document))
    assert found.grouping.freedoms is not None
    assert found.grouping.freedoms >= max(0, sum(FREEDOMS[joint["type"]] for joint in document["joints"]) - 6)
    assert found.upper_bound is not None
    assert len(found.grouping.base) <= found.upper_bound
    if found.upper_bound == 0 or found.grouping.freedoms == 0:
        assert found.combinations() == {}
