"""Robot descriptions as mechanisms: rational attitudes of decimal angles, counts of published arms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

from massprops_cli.findings.finding import Findings, TableError
from massprops_cli.mechanisms.base_inertia import base_parameters
from massprops_cli.mechanisms.mechanism_file import read_mechanism
from massprops_cli.mechanisms.model import RobotReading, simplest_fraction
from massprops_cli.robots.exact_poses import AngleKind, _rational_angle
from tests.unit.mechanism_examples import CHAINS


def urdf(*joints: str, links: Sequence[str] = ()) -> bytes:
    """A robot of links with inertials, and of joints."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    parts = [f'<link name="{name}">{inertial}</link>' for name in links]
    return f"<robot name='arm'>{''.join(parts)}{''.join(joints)}</robot>".encode()


def joint(name: str, parent: str, child: str, xyz: str, rpy: str, kind: str = "revolute", more: str = "") -> str:
    """A joint about z of its frame."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="0 0 1"/>{more}</joint>'
    )


@pytest.mark.parametrize(
    ("text", "quarters"),
    [
        ("1.5708", 1),
        ("-1.5707963267948966", -1),
        ("-1.5707963267948959", -1),
        ("3.14159265359", 2),
        ("4.7124", 3),
        ("6.1e-17", 0),
        ("-0.0", 0),
    ],
)
def test_angle_with_enough_digits_is_its_quarter_turn(text: str, quarters: int) -> None:
    real, imaginary, kind = _rational_angle(text)
    exact = {0: (1, 0), 1: (1, 1), 2: (0, 1), 3: (-1, 1), -1: (1, -1)}[quarters]
    assert (real, imaginary) in (exact, (-exact[0], -exact[1]))
    assert kind in (AngleKind.ROUNDED, AngleKind.EXACT)


@pytest.mark.parametrize("text", ["1.57", "3.14", "-1.571", "1.5707961"])
def test_angle_with_few_digits_is_a_question(text: str) -> None:
    for snap in (None, False):
        real, imaginary, kind = _rational_angle(text, snap)
        assert kind is AngleKind.QUESTION
        assert 2 * math.atan2(imaginary, real) == pytest.approx(float(text), abs=2e-12)
    real, imaginary, _ = _rational_angle(text, snap=True)
    quarters = 4 * math.atan2(imaginary, real) / math.pi
    assert quarters == round(quarters)


@pytest.mark.parametrize("text", ["0.5236", "0.785398", "-2.0944", "0.1", "12.3", "2", "-0.26179938779914941"])
def test_other_angle_is_the_simplest_within_half_a_unit(text: str) -> None:
    real, imaginary, kind = _rational_angle(text)
    assert kind is AngleKind.OTHER
    half_unit = min(0.5 * 10.0 ** -len(text.partition(".")[2]), 5e-5)
    turn = 2 * math.atan2(imaginary, real) - float(text)
    assert abs(math.remainder(turn, 2 * math.pi)) <= half_unit + 4e-15


def test_simplest_fraction_has_the_smallest_denominator_by_trial() -> None:
    for number in range(1, 60):
        least, most = Fraction(number, 61), Fraction(number, 61) + Fraction(1, 97)
        found = simplest_fraction(least, most)
        first = next(d for d in range(1, 200) if any(least <= Fraction(n, d) <= most for n in range(2 * d)))
        assert least <= found <= most
        assert found.denominator == first
        assert simplest_fraction(-most, -least) == -found


def test_puma_in_urdf_has_the_count_and_every_coefficient_of_its_denavit_hartenberg_rows() -> None:
    """A joint of modified Denavit-Hartenberg is the origin (a, -d sin alpha, d cos alpha), roll alpha, of a URDF."""
    robot = CHAINS["robots"]["puma560"]
    joints = []
    for number, (alpha, a, d, _) in enumerate(robot["mdh"], 1):
        roll = {"0": "0", "pi/2": "1.5707963", "-pi/2": "-1.5707963"}[alpha]
        sine = {"0": 0, "pi/2": 1, "-pi/2": -1}[alpha]
        xyz = f"{a} {-sine * Fraction(d)} {0 if sine else d}".replace("/", "/")
        joints.append(joint(f"J{number}", str(number - 1), str(number), decimal(xyz), f"{roll} 0 0"))
    findings = Findings()
    mechanism = read_mechanism(urdf(*joints, links="0123456"), findings=findings)
    assert {finding.rule for finding in findings} == {"MP819", "MP821"}
    eliminated = [one for one in mechanism.parameter_names if one not in robot["groupings_exact"]]
    found = base_parameters(mechanism, eliminate=eliminated)
    assert len(found.grouping.base) == robot["expected_base"]
    assert found.combinations() == {
        head: {name: Fraction(value) for name, value in terms.items()}
        for head, terms in robot["groupings_exact"].items()
    }
    assert found.is_certified


def decimal(words: str) -> str:
    """Fractions of powers of ten as decimals."""
    return " ".join(repr(float(Fraction(word))) for word in words.split())


BENT = [joint("a", "base", "upper", "0 0 0", "0 0 0"), joint("b", "upper", "fore", "0.5 0 0", "{} 0 0")]


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("text", "reading", "count", "rules"),
    [
        # two parallel axes along gravity: the inertia of the first, of the second, and two first moments
        ("0", None, 4, ["MP821"]),
        # the second axis across the first: seven of the second body, and the inertia of the first
        ("1.5708", None, 8, ["MP819", "MP821"]),
        ("1.57", None, 8, ["MP818", "MP821"]),
        ("1.57", True, 8, ["MP821"]),
        # a tenth of a microradian off parallel is not parallel
        ("0.0000001", None, 8, ["MP818", "MP820", "MP821"]),
        ("0.0000001", True, 4, ["MP820", "MP821"]),
        ("3.14159", None, 4, ["MP819", "MP820", "MP821"]),
        ("3.14159", False, 8, ["MP819", "MP820", "MP821"]),
    ],
)
def test_count_with_and_without_snapping(text: str, reading: bool | None, count: int, rules: list[str]) -> None:
    findings = Findings()
    data = urdf(BENT[0], BENT[1].format(text), links=["base", "upper", "fore"])
    mechanism = read_mechanism(data, findings=findings, reading=RobotReading(snap=reading))
    found = base_parameters(mechanism, findings=findings)
    assert len(found.grouping.base) == count
    assert sorted({finding.rule for finding in findings} - {"MP812"}) == rules
    for finding in findings:
        if finding.rule == "MP820":
            assert finding.value == str(12 - count)


def test_count_where_readings_are_mixed() -> None:
    """One angle is read as a half turn, another as written: the multiple of the second changes no number."""
    findings = Findings()
    third = joint("c", "fore", "hand", "0.2 0 0", "1.57 0 0")  # a revolute joint across: seven more, in any reading
    data = urdf(BENT[0], BENT[1].format("3.14159"), third, links=["base", "upper", "fore", "hand"])
    found = base_parameters(read_mechanism(data, findings=findings), findings=findings)
    assert len(found.grouping.base) == 4 + 7
    (finding,) = [one for one in findings if one.rule == "MP820"]
    how = "read as written (--config angles=written)"
    expected = f"{4 + 7} base parameters, but {8 + 7} with angles near multiples of 90° {how}"
    assert (finding.value, finding.message) == ("15", expected)


def test_free_base_has_ten_more_and_no_gravity_is_stated_by_the_option() -> None:
    data = urdf(BENT[0], BENT[1].format("0.3"), links=["base", "upper", "fore"])
    free = base_parameters(read_mechanism(data, reading=RobotReading(base="free")))
    assert (len(free.grouping.base), free.grouping.freedoms) == (10 + 7 + 7, 8)
    still = read_mechanism(data, reading=RobotReading(gravity=("0", "0", "0")))
    assert still.gravity == (0, 0, 0)


def test_frames_are_no_bodies_and_fixed_links_pass_their_parameters_to_the_link_above() -> None:
    tool = joint("weld", "fore", "tool", "0.1 0.2 0.3", "0 0 3.14159265", "fixed")
    flange = joint("flange", "fore", "frame", "0 0 1", "0 0 0", "fixed") + joint(
        "next", "frame", "tip", "0 0 1", "0 0 0", "fixed"
    )
    data = urdf(BENT[0], BENT[1].format("0.3"), tool, flange, links=["base", "upper", "fore", "tool", "tip"])
    data = data.replace(b"</robot>", b"<link name='frame'/></robot>")
    mechanism = read_mechanism(data)
    assert [body.name for body in mechanism.bodies] == ["upper", "fore", "tool", "tip"]
    found = base_parameters(mechanism)
    assert {name.partition("_")[2] for name in found.combinations()} == {"upper", "fore"}
    # half a turn about z at (0.1, 0.2, 0.3): first moments change their sign, and the mass adds its own
    assert found.combinations()["mx_fore"]["mx_tool"] == -1
    assert found.combinations()["mx_fore"]["m_tool"] == Fraction(1, 10)
    assert mechanism.bodies[3].position[2] == mechanism.bodies[1].position[2] + 2 * Fraction(
        mechanism.bodies[1].rotation[2][2]
    )


def test_joint_that_follows_another_is_reported() -> None:
    follower = BENT[1].format("0.3").replace("</joint>", '<mimic joint="a" multiplier="2"/></joint>')
    findings = Findings()
    read_mechanism(urdf(BENT[0], follower, links=["base", "upper", "fore"]), findings=findings)
    named = [finding for finding in findings if finding.rule == "MP822"]
    assert "b follows a" in named[0].message


def test_faults_of_a_robot_are_found() -> None:
    with pytest.raises(TableError) as caught:
        read_mechanism(urdf(BENT[0].replace('axis xyz="0 0 1"', 'axis xyz="0 0 0"'), links=["base", "upper"]))
    assert "MP804" in [finding.rule for finding in caught.value.findings]
    with pytest.raises(TableError) as caught:
        read_mechanism(urdf(links=["base"]))
    assert "MP801" in [finding.rule for finding in caught.value.findings]


def test_inertia_is_turned_into_the_axes_of_the_link() -> None:
    data = urdf(BENT[0], links=["base", "upper"]).replace(
        b'<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"',
        b'<inertial><origin xyz="1 2 3" rpy="0 0 1.570796"/><mass value="5"/><inertia ixx="1" iyy="2" izz="4"',
    )
    body = read_mechanism(data).bodies[0]
    assert body.mass == 5
    assert body.center == (1, 2, 3)
    assert body.inertia == (2, 1, 4, 0, 0, 0)


def test_seven_joints_in_urdf_have_the_count_of_mayeda() -> None:
    """7N - 4 - 2 = 43 for seven axes, each across the one before, the first along gravity."""
    turns = [0, -1, 1, 1, -1, 1, 1]
    joints = [
        joint(f"J{k}", str(k), str(k + 1), f"0.08{k} {-0.3 * turn} 0.1", f"{turn * 1.57079632679:.11f} 0 0")
        for k, turn in enumerate(turns)
    ]
    found = base_parameters(read_mechanism(urdf(*joints, links="01234567")))
    assert len(found.grouping.base) == 7 * 7 - 4 - 2
    assert found.is_certified


def test_double_pendulum_of_two_joints_has_six() -> None:
    """Two parallel axes across gravity: two first moments and Izz of each body."""
    joints = [
        joint("one", "base", "upper", "0 0 0", "1.5707963 0 0", "continuous"),
        joint("two", "upper", "fore", "0 0.2 0", "0 0 0", "continuous"),
    ]
    assert len(base_parameters(read_mechanism(urdf(*joints, links=["base", "upper", "fore"]))).grouping.base) == 6
