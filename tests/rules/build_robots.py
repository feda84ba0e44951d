"""Tables that are written into a robot, with and without the faults of the rules."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

ROBOT = """<robot name="arm"><link name="base">
<inertial><mass value="4"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="a" type="fixed"><parent link="base"/><child link="rod"/></joint><link name="rod"/></robot>
"""
HEAD = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
HEAD += "Iyz [kg*m^2],POIconv\n"
BODY = "0.7,0,0,0,1,1,1,0,0,0,-\n"


def into_robot(folder: Path, rows: str) -> list[str]:
    """Write a robot and a table, and give the command line."""
    (folder / "arm.urdf").write_text(ROBOT)
    (folder / "arm.csv").write_text(HEAD + rows)
    return [
        "convert",
        str(folder / "arm.csv"),
        "--into",
        str(folder / "arm.urdf"),
        "-o",
        str(folder / "new.urdf"),
        *OWN,
    ]


OWN = ("--frame", "own", "--format", "json")


@bad("MP887")
@good("MP888")
def motor_of_the_whole_robot(folder: Path) -> list[str]:
    return into_robot(folder, f"arm,{',' * 11}\nbase,arm,{BODY}rod,arm,{BODY}motor,arm,{BODY}")


@bad("MP887")
def no_link(folder: Path) -> list[str]:
    return into_robot(folder, f"motor,,{BODY}")


@good("MP887", "MP889")
def motor_of_a_link(folder: Path) -> list[str]:
    return into_robot(folder, f"base,{',' * 11}\nmotor,base,{BODY}rod,base,{BODY}")


@bad("MP888")
def no_tensor(folder: Path) -> list[str]:
    return into_robot(folder, "rod,,0.7,0,0,0,,,,,,,\n")


@bad("MP889")
def one_link(folder: Path) -> list[str]:
    return into_robot(folder, f"rod,,{BODY}")


def at_position(folder: Path, position: str) -> list[str]:
    """Write a robot whose joint has limits, and give the command line."""
    joint = '<joint name="elbow" type="revolute"><parent link="base"/><child link="rod"/>'
    joint += '<axis xyz="0 0 1"/><limit lower="-3" upper="3.5"/></joint>'
    (folder / "arm.urdf").write_text(
        ROBOT.splitlines()[0] + ROBOT.splitlines()[1] + joint + '<link name="rod"/></robot>'
    )
    return ["validate", str(folder / "arm.urdf"), "--q", f"elbow={position}", "--format", "json"]


@bad("MP890")
def degrees_without_their_unit(folder: Path) -> list[str]:
    return at_position(folder, "200")


@good("MP890")
def degrees(folder: Path) -> list[str]:
    return at_position(folder, "200 deg")


def cell_with_robot(folder: Path, name: str) -> list[str]:
    """Write a robot and a table that names one, and give the command line."""
    (folder / "arm.urdf").write_text(ROBOT)
    (folder / "cell.csv").write_text(f"id,parent,mass [kg],robot\ncell,,,\ntable,cell,40,\narm,cell,,{name}\n")
    return ["validate", str(folder / "cell.csv"), "--format", "json"]


@bad("MP891")
def a_robot_that_is_not_there(folder: Path) -> list[str]:
    return cell_with_robot(folder, "arn.urdf")


@good("MP891")
def a_robot_that_is_there(folder: Path) -> list[str]:
    return cell_with_robot(folder, "arm.urdf")


def sigmas_of_links(folder: Path, link: str) -> list[str]:
    """Write a robot and sigmas of a link, and give the command line."""
    (folder / "arm.urdf").write_text(ROBOT)
    (folder / "sigmas.csv").write_text(f"link,sigma_mass [kg]\n{link},0.02\n")
    given = f"link-sigmas={folder / 'sigmas.csv'}"
    return ["validate", str(folder / "arm.urdf"), "--config", given, "--format", "json"]


@bad("MP892")
def a_link_that_no_robot_has(folder: Path) -> list[str]:
    return sigmas_of_links(folder, "bases")


@good("MP892")
def a_link_of_the_robot(folder: Path) -> list[str]:
    return sigmas_of_links(folder, "base")


def model(folder: Path, content: str) -> list[str]:
    """Write an MJCF file, and give the command line."""
    (folder / "model.xml").write_text(f"<mujoco>{content}</mujoco>")
    return ["validate", str(folder / "model.xml"), "--format", "json"]


@bad("MP874")
def a_class_that_is_not_defined(folder: Path) -> list[str]:
    return model(folder, '<worldbody><body name="rod"><geom class="steel" size="0.1"/></body></worldbody>')


@bad("MP874")
def a_mesh_that_is_not_defined(folder: Path) -> list[str]:
    return model(folder, '<worldbody><body name="rod"><geom type="mesh" mesh="rod"/></body></worldbody>')


@good("MP874", "MP875")
def a_class_that_is_defined(folder: Path) -> list[str]:
    steel = '<default><default class="steel"><geom density="7850"/></default></default>'
    return model(folder, f'{steel}<worldbody><body name="rod"><geom class="steel" size="0.1"/></body></worldbody>')


@bad("MP875")
def a_cable(folder: Path) -> list[str]:
    bodies = '<body name="rod"><geom size="0.1"/></body><composite type="cable" count="3 1 1" size="1"/>'
    return model(folder, f"<worldbody>{bodies}</worldbody>")
