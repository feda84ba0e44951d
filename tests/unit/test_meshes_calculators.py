"""Custom calculators: functions of other packages, found by their entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from tests.mesh_examples import box, write_stl


def register(calculate: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Register a calculator as an installed package does."""
    module = ModuleType("printed_parts")
    module.printed_body = calculate  # type: ignore[attr-defined] # a module made for the test
    monkeypatch.setitem(sys.modules, "printed_parts", module)
    info = folder / "printed_parts-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: printed-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[massprops.calculators]\nprinted = printed_parts:printed_body\n")
    monkeypatch.syspath_prepend(str(folder))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]) -> Callable[..., Any]:
    """Register a calculator, and run ``shape`` with it."""

    def run_with(calculate: Any, *options: str, name: str = "printed") -> Any:
        register(calculate, tmp_path, monkeypatch)
        path = write_stl(tmp_path / "part.stl", box((100, 200, 300)))
        mesh = (path, "mesh-units=mm", "density=1000 kg/m3")
        return massprops("parts", "shape", *mesh, "--calculator", name, *options)

    return run_with


def printed(mesh: mp.Mesh, density: float, parameters: Any, findings: mp.Findings) -> mp.Body | None:
    """A share of the density."""
    if "infill" not in parameters:
        findings.report("MP737", "infill is not stated", remedy="pass --parameter infill=0.2")
        return None
    body = mp.mesh_body(mp.MeshInput(mesh, density=density * float(parameters["infill"])), findings)
    return None if body is None else body.body()


def test_calculator_gets_metres_density_and_parameters(run: Callable[..., Any]) -> None:
    result = run(printed, "--parameter", "infill=0.5")
    assert result.exit_code == 0
    row = result.stdout.splitlines()[1].split(",")
    assert float(row[1]) == pytest.approx(3.0, rel=1e-6)
    assert float(row[5]) == pytest.approx(0.0325, rel=1e-6)


def test_calculator_may_return_nothing_with_a_finding(run: Callable[..., Any]) -> None:
    result = run(printed)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "MP737  infill is not stated" in result.stderr


@pytest.mark.parametrize(
    ("calculate", "message"),
    [
        (lambda *_: None, "returned no body and no finding"),
        (lambda *_: 3.0, "returned no body with a mass, centre and tensor"),
        (lambda *_: mp.Body(1.0, np.zeros(3)), "returned no body with a mass, centre and tensor"),
        (lambda *_: 1 / 0, "failed: ZeroDivisionError: division by zero"),
    ],
)
def test_calculator_without_a_result(run: Callable[..., Any], calculate: Any, message: str) -> None:
    result = run(calculate)
    assert result.exit_code == 2
    assert "MP737" in result.stderr
    assert message in result.stderr


def test_wrong_calls(run: Callable[..., Any], massprops: Callable[..., Any], tmp_path: Path) -> None:
    assert "unknown calculator: printd; the nearest is printed" in run(printed, name="printd").output
    assert "cannot be loaded: AttributeError" not in run(printed, "--parameter", "infill=1").output
    assert "is not callable" in run(3.0).output
    assert "expected NAME=VALUE" in run(printed, "--parameter", "infill").output
    assert "--union is not combined with --calculator" in run(printed, "--union").output
    assert "--calculator needs an exact density" in run(printed, "--wall", "1 mm").output
    mesh = ("shape", tmp_path / "part.stl", "mesh-units=mm", "mass=1 kg")
    assert "parameters need --calculator" in massprops(*mesh, "--parameter", "a=b").output


def test_configuration_names_the_calculator_of_a_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]
) -> None:
    """The roll-up, the library and ``inertials`` use it; ``--calculator`` has priority."""
    register(printed, tmp_path, monkeypatch)
    write_stl(tmp_path / "part.stl", box((1.0, 2.0, 3.0)))
    shape = "<collision name='c'><geometry><mesh><uri>part.stl</uri></mesh></geometry></collision>"
    params = "<density>1000</density><auto_inertia_params><infill>0.5</infill></auto_inertia_params>"
    link = f"<link name='a'><inertial auto='true'>{params}</inertial>{shape}</link>"
    path = tmp_path / "model.sdf"
    path.write_text(f"<sdf version='1.11'><model name='m'>{link}</model></sdf>")
    monkeypatch.chdir(tmp_path)
    assert mp.rollup(path).root.mass == pytest.approx(6000)
    Path("massprops.toml").write_text('[robot]\ncalculator = "printed"\n')
    assert mp.rollup(path).root.mass == pytest.approx(3000)
    assert mp.rollup(mp.read_bom(path, config=False)).root.mass == pytest.approx(6000)
    assert massprops("rollup", path, "-o", "a.csv").exit_code == 0
    assert mp.read_bom("a.csv")["m"].mass == pytest.approx(3000)
    assert massprops("inertials", path, "-o", "new.sdf").exit_code == 0
    assert mp.rollup(Path("new.sdf")).root.mass == pytest.approx(3000)
    assert "unknown calculator: other" in massprops("inertials", path, "--calculator", "other").output
    for text, message in (("calculater = 'x'", "calculater"), ("calculator = 3", "unknown calculator: 3")):
        Path("massprops.toml").write_text(f"[robot]\n{text}\n")
        assert message in massprops("rollup", path).output
