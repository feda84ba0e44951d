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


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, massprops: Callable[..., Any]) -> Callable[..., Any]:
    """Register a calculator as an installed package does, and run ``shape`` with it."""

    def run_with(calculate: Any, *options: str, name: str = "printed") -> Any:
        module = ModuleType("printed_parts")
        module.printed_body = calculate  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "printed_parts", module)
        info = tmp_path / "printed_parts-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: printed-parts\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[massprops.calculators]\nprinted = printed_parts:printed_body\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        path = write_stl(tmp_path / "part.stl", box((100, 200, 300)))
        mesh = ("--mesh", path, "--mesh-units", "mm", "--density", "1000 kg/m3")
        return massprops("shape", *mesh, "--calculator", name, *options)

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
    mesh = ("shape", "--mesh", tmp_path / "part.stl", "--mesh-units", "mm", "--mass", "1 kg")
    assert "only used with --calculator" in massprops(*mesh, "--parameter", "a=b").output
