"""Worked examples of functions in the room robots."""

from __future__ import annotations

from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import Findings
from massprops_cli.robots.inertial_resolution import file_with_inertials
from massprops_cli.robots.link_values import is_different


def test_file_with_inertials_example() -> None:
    row = {"id": "base", "mass [kg]": 2.5, "Cx [m]": 0, "Cy [m]": 0, "Cz [m]": 0.1, "POIconv": "-"}
    row |= {f"I{axes} [kg*m^2]": 0.25 if axes[0] == axes[1] else 0 for axes in ("xx", "yy", "zz", "xy", "xz", "yz")}
    inertial = b'<inertial><mass value="2"/><inertia ixx="0.25" iyy="0.25" izz="0.25"/></inertial>'
    robot = b'<robot name="arm"><link name="base">' + inertial + b"</link></robot>"
    content, _links = file_with_inertials(Bom.from_records([row], frame="own"), "arm.urdf", robot, Findings())
    assert (content[36:97]) == (b'<inertial><origin xyz="0 0 0.1"/><mass value="2.5"/><inertia ')


def test_is_different_example() -> None:
    assert (is_different([1.0], [1.0 + 1e-15], 1.0), is_different([1.0], [], 1.0)) == ((False, True))
