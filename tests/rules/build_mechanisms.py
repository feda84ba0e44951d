"""Mechanism files that meet a rule, or nearly do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

Change = Callable[[dict[str, Any]], None]


def linkage(*points: tuple[str, str]) -> dict[str, Any]:
    """A planar loop of revolute joints at points, from the ground to the ground; frames are those of the ground."""
    bodies = [{"id": number} for number in range(1, len(points))]
    joints = [
        {"name": f"J{number}", "type": "R", "i": number, "j": (number + 1) % len(points)}
        | {"pi": [*point, "0"], "pj": [*point, "0"], "ai": ["0", "0", "1"]}
        for number, point in enumerate(points)
    ]
    return {"gravity": ["0", "-9.81", "0"], "bodies": bodies, "joints": joints}


FOUR_BAR = linkage(("0", "0"), ("0.1", "0.3"), ("0.6", "0.5"), ("0.7", "0"))


def base_params(folder: Path, change: Change | None = None, *options: str, of: Any = None) -> list[str]:
    """Write a mechanism, and give the command line for it."""
    document = json.loads(json.dumps(FOUR_BAR if of is None else of))
    if change is not None:
        change(document)
    (folder / "mechanism.json").write_text(json.dumps(document))
    return ["base-params", str(folder / "mechanism.json"), *options]


@bad("MP801")
def a_key_misspelt(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["joints"][0].update(axis=["0", "0", "1"]))


@bad("MP801")
def a_list_for_an_object(folder: Path) -> list[str]:
    return base_params(folder, of=[1, 2])


@bad("MP802")
def an_unknown_dimension(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["joints"][0].update(pi=["L", "0", "0"]))


@bad("MP802")
def two_numbers_for_three(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one.update(gravity=["0", "-9.81"]))


@bad("MP803")
def a_hinge(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["joints"][0].update(type="hinge"))


@bad("MP804")
def an_axis_of_zeros(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["joints"][0].update(ai=["0", "0", "0"]))


@bad("MP805")
def a_body_that_is_not_there(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["joints"][0].update(j=9))


@bad("MP806")
def a_body_without_joints(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["bodies"].append({"id": "spare"}))


@bad("MP807")
def no_joint_to_the_ground(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one.update(joints=one["joints"][1:3]))


@bad("MP808")
def a_point_a_little_off(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["joints"][2].update(pj=["0.60000001", "0.5", "0"]))


@bad("MP809")
def two_bodies_of_one_name(folder: Path) -> list[str]:
    return base_params(folder, lambda one: one["bodies"].append({"id": "1"}))


@bad("MP810")
def all_bars_in_a_row(folder: Path) -> list[str]:
    return base_params(folder, of=linkage(("0", "0"), ("1", "0"), ("3", "0"), ("2", "0")))


@bad("MP811")
def an_independent_parameter(folder: Path) -> list[str]:
    return base_params(folder, None, "--config", "eliminate=mx1,my1,mx2,my2,mx3,my3")


@good("MP811")
def a_parameter_that_depends(folder: Path) -> list[str]:
    return base_params(folder, None, "--config", "eliminate=Izz3,m2")


@bad("MP813")
def a_parallelogram(folder: Path) -> list[str]:
    return base_params(folder, of=linkage(("0", "0"), ("0.1", "0.3"), ("0.6", "0.3"), ("0.5", "0")))


def open_chain(length: str) -> dict[str, Any]:
    """Two bars without gravity, the first of a length."""
    found = linkage(("0", "0"), (length, "0"), ("1", "1"))
    return found | {"joints": found["joints"][:2], "gravity": [0, 0, 0]}


@bad("MP814")
def a_bar_near_rounding(folder: Path) -> list[str]:
    return base_params(folder, None, "--method", "complex", of=open_chain("1e-9"))


@good("MP814")
def two_bars(folder: Path) -> list[str]:
    return base_params(folder, None, "--method", "complex", of=open_chain("0.5"))


def parallelogram(x: str, y: str) -> dict[str, Any]:
    """A parallelogram, of which the rules of structure know nothing."""
    far = f"{int(x[0]) + 2}{x[1:]}"
    return linkage(("0", "0"), (x, y), (far, y), ("2", "0"))


@bad("MP827")
def lengths_of_700_digits(folder: Path) -> list[str]:
    digits = "".join(str(k * k % 7) for k in range(1, 700))
    return base_params(folder, of=parallelogram(f"0.1{digits}3", f"0.3{digits[::-1]}7"))


@good("MP827")
def lengths_of_7_digits(folder: Path) -> list[str]:
    return base_params(folder, of=parallelogram("0.1421573", "0.3331217"))


def hinged_bar(folder: Path, more: str) -> list[str]:
    """A link of SDF on a hinge."""
    path = folder / "boom.sdf"
    joint = '<joint name="hinge" type="revolute"><parent>world</parent><child>boom</child><axis/></joint>'
    link = f'<link name="boom"><inertial><mass>2</mass></inertial>{more}</link>'
    path.write_text(f'<sdf version="1.9"><model name="m">{link}{joint}</model></sdf>')
    return ["base-params", str(path), EARTH]


@bad("MP828")
def a_link_without_weight(folder: Path) -> list[str]:
    return hinged_bar(folder, "<gravity>false</gravity>")


@good("MP828")
def a_link_with_weight(folder: Path) -> list[str]:
    return hinged_bar(folder, "<gravity>true</gravity>")


@good("MP801", "MP802", "MP803", "MP804", "MP805", "MP806", "MP807", "MP808", "MP809", "MP810", "MP813")
def four_bars(folder: Path) -> list[str]:
    return base_params(folder)


@good("MP802")
def dimensions_in_an_expression(folder: Path) -> list[str]:
    def change(one: dict[str, Any]) -> None:
        one["dimensions"] = {"L": "1/10"}
        one["joints"][1].update(pi=["L", "3*L", "0"], pj=["L", "(L + 2*L)**1", "0"])

    return base_params(folder, change)


def two_links(**second: Any) -> dict[str, Any]:
    """Two bars in a chain with masses, the second with changes."""
    bar = {"mass": "2", "c": ["1/2", "0", "0"], "I": ["0.1", "0.2", "0.2", "0", "0", "0"]}
    found = open_chain("1")
    found["bodies"] = [{"id": 1, **bar}, {"id": 2, **bar, **second}]
    return found


def mass_matrix(folder: Path, document: dict[str, Any]) -> list[str]:
    """Write a mechanism, and give the command line for its mass matrix."""
    (folder / "mechanism.json").write_text(json.dumps(document))
    return ["massmatrix", str(folder / "mechanism.json")]


@bad("MP815")
def a_closed_loop(folder: Path) -> list[str]:
    return mass_matrix(folder, FOUR_BAR)


@bad("MP816")
def a_bar_without_inertia(folder: Path) -> list[str]:
    return mass_matrix(folder, two_links(mass="0", I=["0"] * 6))


@bad("MP817")
def a_body_that_states_no_mass(folder: Path) -> list[str]:
    document = two_links()
    del document["bodies"][0]["mass"]
    return mass_matrix(folder, document)


@bad("MP817")
def a_mass_without_a_centre(folder: Path) -> list[str]:
    document = two_links()
    del document["bodies"][0]["c"]
    return mass_matrix(folder, document)


@bad("MP826")
def a_bar_with_a_negative_mass(folder: Path) -> list[str]:
    return mass_matrix(folder, two_links(mass="-2"))


@good("MP815", "MP816", "MP817", "MP826")
def two_bars_with_masses(folder: Path) -> list[str]:
    return mass_matrix(folder, two_links())


def pendulum(**joint: Any) -> dict[str, Any]:
    """A bar on a hinge."""
    hinge = {"name": "A", "type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1], **joint}
    return {"gravity": [0, "-9.81", 0], "bodies": [{"id": 1}], "joints": [hinge]}


def trajectory(folder: Path, text: str) -> list[str]:
    """Write a pendulum and its trajectory, and give the command line for both."""
    (folder / "motion.csv").write_text(text)
    return base_params(folder, None, "--method", "svd", "--trajectory", str(folder / "motion.csv"), of=pendulum())


@bad("MP846")
def a_motion_too_small(folder: Path) -> list[str]:
    return base_params(folder, None, "--method", "svd", "--config", "amplitude=0.0005")


@bad("MP847")
def a_crank_beyond_its_dead_point(folder: Path) -> list[str]:
    short = linkage(("0", "0"), ("1", "0"), ("1", "1/2"), ("1/2", "0"))
    return base_params(folder, None, "--method", "svd", "--config", "amplitude=5", of=short)


@bad("MP847")
def times_that_repeat(folder: Path) -> list[str]:
    return trajectory(folder, "time,A\n0,0\n1,0.2\n1,0.3\n2,0.1\n")


@good("MP846", "MP847", "MP848")
def a_swing(folder: Path) -> list[str]:
    return trajectory(folder, "time,A\n0,0\n0.1,0.3\n0.2,0.7\n0.3,0.9\n0.4,1.3\n0.5,1.1\n0.6,0.4\n0.8,-0.5\n")


@bad("MP848")
def a_constant_rate(folder: Path) -> list[str]:
    return trajectory(folder, "time,A\n" + "".join(f"{0.1 * k:.1f},{0.2 * k:.1f}\n" for k in range(20)))


@bad("MP849")
def a_damper_without_its_method(folder: Path) -> list[str]:
    return base_params(folder, of=pendulum(terms="viscous"))


@good("MP849")
def a_damper(folder: Path) -> list[str]:
    return base_params(folder, None, "--method", "svd", of=pendulum(terms="viscous"))


def robot(folder: Path, roll: str, *options: str, mimic: str = "") -> list[str]:
    """Write an arm of two links whose second axis is turned by an angle, and give the command line for it."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial}</link>' for name in ("base", "upper", "fore"))
    joints = "".join(
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.5 0 0" rpy="{angle} 0 0"/><axis xyz="0 0 1"/>{more}</joint>'
        for name, parent, child, angle, more in (("a", "base", "upper", "0", ""), ("b", "upper", "fore", roll, mimic))
    )
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    return ["base-params", str(folder / "arm.urdf"), *options]


EARTH = "--gravity=0,0,-9.81"


@bad("MP818")
def a_quarter_turn_of_three_digits(folder: Path) -> list[str]:
    return robot(folder, "1.57", EARTH)


@good("MP818")
def an_answer_to_the_question(folder: Path) -> list[str]:
    return robot(folder, "1.57", EARTH, "--config", "angles=multiples")


@bad("MP819")
def a_quarter_turn_of_six_digits(folder: Path) -> list[str]:
    return robot(folder, "1.57080", EARTH)


@bad("MP820")
def half_a_turn_of_six_digits(folder: Path) -> list[str]:
    return robot(folder, "3.14159", EARTH)


@bad("MP821")
def a_robot_without_gravity(folder: Path) -> list[str]:
    return robot(folder, "0.5")


@bad("MP822")
def a_joint_that_follows(folder: Path) -> list[str]:
    return robot(folder, "0.5", EARTH, mimic='<mimic joint="a"/>')


@good("MP819", "MP820", "MP821", "MP822")
def an_arm(folder: Path) -> list[str]:
    return robot(folder, "0.5", EARTH)


@bad("MP823")
def no_masses_to_reduce(folder: Path) -> list[str]:
    return base_params(folder, None, "--reduce", "-o", str(folder / "less.json"))


@good("MP823")
def two_bars_to_reduce(folder: Path) -> list[str]:
    return base_params(folder, None, "--reduce", "-o", str(folder / "less.json"), of=two_links())


def rocker_at(place: list[str]) -> Change:
    """Give the rocker of the four bars a place, its ground pin an arm that fits it."""
    return lambda one: one["joints"][3].update(pj=place)


@bad("MP824")
def a_ground_pin_out_of_reach(folder: Path) -> list[str]:
    return base_params(folder, rocker_at(["9", "0", "0"]), "--assemble")


@bad("MP825")
def a_ground_pin_a_little_off(folder: Path) -> list[str]:
    return base_params(folder, rocker_at(["0.701", "0", "0"]), "--assemble")


@good("MP824", "MP825")
def an_exact_pose(folder: Path) -> list[str]:
    return base_params(folder, None, "--assemble")
