"""Mass matrices of robots whose links state inertia that no body has, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

LINK = """<robot name="r"><link name="b"/><link name="a"><inertial><origin xyz="0.5 0 0"/><mass value="3"/>{}</inertial>
</link><joint name="j" type="continuous"><parent link="b"/><child link="a"/><axis xyz="0 0 1"/></joint></robot>"""
WHOLE = '<inertia ixx="0.001" ixy="0" ixz="0" iyy="0.25" iyz="0" izz="0.25"/>'


@pytest.mark.parametrize(
    ("inertia", "code", "rule"),
    [
        (WHOLE, 0, ""),
        (WHOLE.replace(' izz="0.25"', ""), 1, "MP826"),
        (WHOLE.replace('izz="0.25"', 'izz="-0.25"'), 1, "MP826"),
        ("", 0, "MP817"),
    ],
)
def test_inertia_of_a_link(inertia: str, code: int, rule: str, run: Any, tmp_path: Path) -> None:
    """0.75 + 0.25 kg m² about the joint with the whole tensor."""
    path = tmp_path / "r.urdf"
    path.write_text(LINK.format(inertia), encoding="utf-8")
    done = run("massmatrix", str(path))
    assert done.exit_code == code
    assert {one for one in ("MP817", "MP826") if one in done.output} == ({rule} - {""})
