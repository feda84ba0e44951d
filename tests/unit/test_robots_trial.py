"""Numbered cases of a trial with robots that no other test has (docs/internals/proofs.md lists them all)."""

from __future__ import annotations

import json

import pytest

import massprops_cli as mp
from massprops_cli.cli.app import run_command_line as run
from massprops_cli.mechanisms.spatial.operators import SpatialOperators
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel

LINK = """<robot name="a"><link name="l"><inertial><mass value="1"/><inertia ixx="{}" iyy="{}" izz="{}"/></inertial>
</link></robot>"""


@pytest.mark.parametrize(
    ("tensor", "rule"),
    [
        # half a unit of the last digit: izz of 0.01 is 0.005 at least, against 0.00003 at most
        (("0.00001", "0.00001", "0.01"), "MP404"),
        (("0.001", "0.001", "0.01"), "MP404"),
        (("0.01", "0.01", "0.1"), "MP404"),
        (("0.1", "0.1", "1"), "MP404"),
        (("0.001", "0.001", "0.010"), "MP404"),
        # 0.0105 + 0.0105 reaches 0.0205
        (("0.010", "0.010", "0.021"), "MP405"),
        (("0.01", "0.01", "0.02"), ""),
    ],
)
def test_tensors_that_only_rounding_explains(tensor, rule, tmp_path):
    path = tmp_path / "a.urdf"
    path.write_text(LINK.format(*tensor))
    found = {one.rule for one in mp.read_bom(path).findings} & {"MP404", "MP405"}
    assert found == ({rule} if rule else set())
    assert run(["validate", str(path), "-q"]) == int(rule == "MP404")


def test_a_body_by_name_has_a_message_of_the_library(tmp_path):
    (tmp_path / "a.urdf").write_text(LINK.format(1, 1, 1))
    result = mp.rollup(mp.read_bom(tmp_path / "a.urdf"))
    assert result["l"].mass == 1
    with pytest.raises(mp.UsageError, match=r"expected result\['l'\]"):
        result.body("l")


def test_regions_of_operators_name_bodies():
    bodies = [{"id": name, "mass": 1, "c": [1, 0, 0], "I": [1, 1, 1, 0, 0, 0]} for name in ("hip", "shin", "foot")]
    joints = [
        {"name": f"J{k}", "type": "R", "i": i, "j": j, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
        for k, (i, j) in enumerate([(0, "hip"), ("hip", "shin"), ("shin", "foot")])
    ]
    model = SpatialModel.read(json.dumps({"gravity": [0, 0, 0], "bodies": bodies, "joints": joints}).encode())
    operators = SpatialOperators.of(model.at())
    with pytest.raises(mp.UsageError, match="between its bodies: shin"):
        operators.partition(["hip", "foot"])


def test_an_automatic_inertial_without_a_collision_is_one_finding(tmp_path, capsys):
    path = tmp_path / "a.sdf"
    path.write_text('<sdf version="1.9"><model name="a"><link name="l"><inertial auto="true"/></link></model></sdf>')
    assert run(["rollup", str(path), "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [one["rule"] for one in found if one["severity"] == "error"] == ["MP855"]


def test_a_robot_without_its_first_byte_is_not_a_table(tmp_path, capsys):
    path = tmp_path / "a.sdf"
    path.write_text('sdf version="1.9"><model name="a"><link name="l"/></model></sdf>')
    assert run(["rollup", str(path)]) == 2
    assert "MP104" in capsys.readouterr().err


def test_quiet_base_parameters_print_nothing(tmp_path, capsys):
    path = tmp_path / "a.urdf"
    joint = '<joint name="j" type="revolute"><parent link="w"/><child link="l"/></joint><link name="w"/></robot>'
    path.write_text(LINK.format(1, 1, 1).replace("</robot>", joint))
    assert run(["robot", "base-params", str(path), "-o", str(tmp_path / "f.json"), "-q"]) == 0
    assert capsys.readouterr().out == ""
