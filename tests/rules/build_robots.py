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
