"""Contributions of the dimensions of shapes, against finite differences of a whole roll-up written here."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.cli.app import app

VALUES = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
HEAD = f"id,parent,qty,{VALUES},POIconv,shape,dims,wall,density,lot,tx [m],ty [m],tz [m],roll [deg],pitch [deg],"
HEAD += "yaw [deg],frame,sigma_tx [m]"
TABLE = f"""{HEAD}
T,,,{"," * 9},-,,,,,,0,0,0,0,0,0,own,
S,T,1,{"," * 9},-,,,,,,0.5,0.2,-0.3,20,-35,50,own,0.002
U,S,1,{"," * 9},-,,,,,,0.1,0.4,0.2,0,0,0,own,
A,U,1,,0,0,0,,,,,,,-,cylinder,r=0.2±0.001 m (1σ); L=1.5±0.01 m (2σ),,2000±30 kg/m3 (1σ),,1,2,0.5,30,40,10,own,
B,S,3,,0,0,0,,,,,,,-,cylinder,d=400±2 mm (1σ); L=0.8 m,10±0.3 mm (1σ),2700±20 kg/m3 (1σ),,-1,0.4,0.1,-25,15,70,own,
C,T,1,,0,0,0,,,,,,,-,box,a=0.3±0.001 m (1σ); b=0.5 m; c=0.2±0.002 m (1σ),,7800±40 kg/m3 (1σ),L1,-2,0.3,0,0,0,45,own,
D,U,2,,0,0,0,,,,,,,-,box,a=0.1 m; b=0.2±0.001 m (1σ); c=0.4 m,,7800±40 kg/m3 (1σ),L1,0.2,-2,0.7,10,20,30,own,
E,T,1,,0,0,0,,,,,,,-,tube,r=0.3±0.001 m (1σ); ri=0.25±0.002 m (1σ); L=0.6±0.003 m (1σ),,1000 kg/m3,,1,-1,1,0,90,0,own,
"""

_Ten = tuple[float, NDArray[np.float64], NDArray[np.float64]]


def turn(roll: float, pitch: float, yaw: float) -> NDArray[np.float64]:
    """Rz(yaw) Ry(pitch) Rx(roll), degrees."""
    a, b, c = np.radians([roll, pitch, yaw])
    x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    z = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    return np.asarray(z @ y @ x)


def tube(r: float, ri: float, L: float, density: float) -> _Ten:
    m = density * np.pi * (r**2 - ri**2) * L
    across = m * (3 * (r**2 + ri**2) + L**2) / 12
    return m, np.zeros(3), np.diag([across, across, m * (r**2 + ri**2) / 2])


def box(a: float, b: float, c: float, density: float) -> _Ten:
    m = density * a * b * c
    return m, np.zeros(3), m / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


def moved(one: _Ten, place: tuple[float, ...], angles: tuple[float, ...]) -> _Ten:
    m, c, inertia = one
    R = turn(*angles)
    return m, np.array(place) + R @ c, R @ inertia @ R.T


def together(bodies: list[_Ten]) -> _Ten:
    m = sum(one[0] for one in bodies)
    c = sum(one[0] * one[1] for one in bodies) / m
    inertia = np.zeros((3, 3))
    for mass, center, own in bodies:
        d = center - c
        inertia += own + mass * (d @ d * np.eye(3) - np.outer(d, d))
    return m, c, inertia


SIGMAS = {
    ("r", "A"): 0.001, ("L", "A"): 0.005, ("density", "A"): 30.0,
    ("d", "B"): 0.002, ("wall", "B"): 0.0003, ("density", "B"): 20.0,
    ("a", "C"): 0.001, ("c", "C"): 0.002, ("b", "D"): 0.001, ("density", "L1"): 40.0,
    ("r", "E"): 0.001, ("ri", "E"): 0.002, ("L", "E"): 0.003, ("tx", "S"): 0.002,
}  # fmt: skip


def whole(name: tuple[str, str] = ("", ""), step: float = 0.0, piece: int = 0) -> _Ten:
    """The root, with one input changed; of an independent piece where there are several."""

    def at(value: float, *key: str, k: int = 0) -> float:
        return value + step * (key == name and k == piece)

    a = tube(at(0.2, "r", "A"), 0, at(1.5, "L", "A"), at(2000, "density", "A"))
    u = [moved(a, (1, 2, 0.5), (30, 40, 10))]
    for k in range(2):
        d = box(0.1, at(0.2, "b", "D", k=k), 0.4, 7800 + step * (name == ("density", "L1")))
        u.append(moved(d, (0.2, -2, 0.7), (10, 20, 30)))
    s = [moved(together(u), (0.1, 0.4, 0.2), (0, 0, 0))]
    for k in range(3):
        r, wall = at(0.4, "d", "B", k=k) / 2, at(0.01, "wall", "B", k=k)
        # a cylinder with a wall is closed: a cylinder less one that is shorter by two walls
        rho = at(2700, "density", "B", k=k)
        outer, inner = tube(r, 0, 0.8, rho), tube(r - wall, 0, 0.8 - 2 * wall, rho)
        s.append(moved((outer[0] - inner[0], np.zeros(3), outer[2] - inner[2]), (-1, 0.4, 0.1), (-25, 15, 70)))
    c = box(at(0.3, "a", "C"), 0.5, at(0.2, "c", "C"), 7800 + step * (name == ("density", "L1")))
    e = tube(at(0.3, "r", "E"), at(0.25, "ri", "E"), at(0.6, "L", "E"), 1000)
    return together([
        moved(together(s), (at(0.5, "tx", "S"), 0.2, -0.3), (20, -35, 50)),
        moved(c, (-2, 0.3, 0), (0, 0, 45)),
        moved(e, (1, -1, 1), (0, 90, 0)),
    ])  # fmt: skip


def result(of: str, one: _Ten) -> float:
    m, c, inertia = one
    if of == "mass":
        return m
    if of[0] == "C":
        return float(c["xyz".index(of[1])])
    if of[0] == "k":
        return float(np.sqrt(inertia["xyz".index(of[1]), "xyz".index(of[1])] / m))
    if of in ("I1", "I2", "I3"):
        return float(np.linalg.eigvalsh(inertia)[int(of[1]) - 1])
    return float(inertia["xyz".index(of[1]), "xyz".index(of[2])])


def variances(of: str) -> dict[tuple[str, str], float]:
    """(d result/d input · σ)² of every input, by central differences, summed over independent pieces."""
    found = {}
    for name, sigma in SIGMAS.items():
        count = {"B": 3, "D": 2}.get(name[1], 1)
        step = 1e-3 * sigma
        slopes = [
            (result(of, whole(name, step, k)) - result(of, whole(name, -step, k))) / (2 * step) for k in range(count)
        ]
        found[name] = sum((slope * sigma) ** 2 for slope in slopes)
    return found


def the_bom() -> mp.Bom:
    return mp.read_bom(io.StringIO(TABLE), format="csv")


def test_the_roll_up_of_this_test_is_that_of_the_tool() -> None:
    m, c, inertia = whole()
    found = mp.rollup(the_bom())["T"]
    assert found.mass == pytest.approx(m, rel=1e-12)
    assert found.center == pytest.approx(c, rel=1e-12, abs=1e-12)
    assert found.inertia == pytest.approx(inertia, rel=1e-11)


@pytest.mark.parametrize("of", ["mass", "Cx", "Cz", "Ixx", "Izz", "Iyz", "ky", "I2"])
def test_contributions_of_dimensions_are_those_of_finite_differences(of: str) -> None:
    answer, expected = mp.contributions(the_bom(), of), variances(of)
    total = sum(expected.values())
    assert answer.sigma == pytest.approx(np.sqrt(total), rel=1e-6)
    shares = {row.name: row.share for row in answer.rows()}
    assert sum(shares.values()) == pytest.approx(1, rel=1e-12)
    for (name, item), variance in expected.items():
        label = {"L1": "lot L1", "S": "pose of S"}.get(item, f"{name} of {item}")
        assert shares.pop(label, 0.0) == pytest.approx(variance / total, rel=1e-5, abs=1e-9), label
    assert not any(shares.values())


def test_rows_have_the_typed_input_its_sigma_unit_and_derivative() -> None:
    answer = mp.contributions(the_bom(), "Izz")
    rows = {row.name: row for row in answer.rows()}
    for name, sigma, unit in (
        ("r of A", 0.001, "m"),
        ("L of A", 0.005, "m"),
        ("d of B", 0.002, "m"),
        ("wall of B", 0.0003, "m"),
        ("density of B", 20.0, "kg/m^3"),
    ):
        row, (typed, _, item) = rows[name], name.split()
        step = 1e-3 * sigma
        # all pieces together
        count = 3 if item == "B" else 1
        slope = sum(
            (result("Izz", whole((typed, item), step, k)) - result("Izz", whole((typed, item), -step, k))) / (2 * step)
            for k in range(count)
        )
        assert (row.kind, row.input, row.input_share, row.parts) == ("shape", typed, 1.0, ())
        assert row.input_sigma == pytest.approx(sigma, rel=1e-12)
        assert row.derivative == pytest.approx(slope, rel=1e-5)
        assert answer.unit_of(row.input) == unit
    lot = rows["lot L1"]
    assert (lot.kind, lot.input, {part.name for part in lot.parts}) == ("group", "density", {"C", "D"})
    assert lot.input_sigma == pytest.approx(40, rel=1e-12)
    step = 0.04
    slope = (result("Izz", whole(("density", "L1"), step)) - result("Izz", whole(("density", "L1"), -step))) / 0.08
    assert lot.derivative == pytest.approx(slope, rel=1e-5)
    assert answer.unit_of("A") == "m^2"
    assert answer.unit_of("n") == ""


def test_weighed_shape_leaves_what_its_mass_does_not_determine() -> None:
    """A rod of one row: of m = ρ π r² L with V, weighing leaves V₁₁ − V₀₁²/V₀₀ of its moment."""
    head = f"id,parent,{VALUES},POIconv,shape,dims,density\n"
    rows = f"T,,{',' * 9},-,,,\nA,T,,0,0,0,,,,,,,-,cylinder,r=0.2±0.002 m (1σ); L=1.5±0.01 m (1σ),2000±30 kg/m3 (1σ)\n"
    bom = mp.read_bom(io.StringIO(head + rows), format="csv")
    m = 2000 * np.pi * 0.04 * 1.5
    # of ln m and ln Izz: Izz = m r²/2
    relative = np.array([[2 * 0.002 / 0.2, 4 * 0.002 / 0.2], [0.01 / 1.5, 0.01 / 1.5], [30 / 2000, 30 / 2000]])
    V = relative.T @ relative
    left = m * 0.04 / 2 * np.sqrt(V[1, 1] - V[0, 1] ** 2 / V[0, 0])
    gain = mp.contributions(bom, "Izz").weighed(3)
    assert gain.names == ("A",)
    assert gain.before == pytest.approx(m * 0.04 / 2 * np.sqrt(V[1, 1]), rel=1e-12)
    assert gain.after == pytest.approx(left, rel=1e-12)
    assert mp.contributions(bom, "mass").weighed(1).after == 0.0


def test_stated_sigma_of_a_shape_is_a_row_of_the_leaf() -> None:
    head = f"id,parent,{VALUES},POIconv,shape,dims,density,sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]\n"
    rows = f"T,,{',' * 9},-,,,,,,\nA,T,,0,0,0,,,,,,,-,box,a=1±0.01 m (1σ); b=2 m; c=3 m,10 kg/m3,0.02,0,0\n"
    rows += "B,T,,5,0,0,,,,,,,-,box,a=1 m; b=2 m; c=3±0.01 m (1σ),10 kg/m3,0,0,0\n"
    found = mp.contributions(mp.read_bom(io.StringIO(head + rows), format="csv"), "Cx")
    # 60 kg each: Cx moves by 0.02/2, by the mass of A 1 % · 60 · (0 − 2.5)/120, of B by 0.2/60 · 60/120 · 2.5 … each
    parts = {"A": 0.01**2, "a of A": (0.01 * 60 * 2.5 / 120) ** 2, "c of B": (0.01 / 3 * 60 * 2.5 / 120) ** 2}
    total = sum(parts.values())
    assert {row.name: row.share for row in found.rows() if row.share} == pytest.approx(
        {name: part / total for name, part in parts.items()}, rel=1e-12
    )


def test_the_command_writes_the_inputs_to_csv_json_and_xlsx(tmp_path: Path) -> None:
    source = tmp_path / "bom.csv"
    source.write_text(TABLE)

    def run(*words: object) -> str:
        result = CliRunner().invoke(app, ["contributions", str(source), "--of", "Izz", *map(str, words)])
        assert result.exit_code == 0, result.output
        return result.stdout

    expected = variances("Izz")
    share = expected["d", "B"] / sum(expected.values())
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(run("--to", "csv")))}
    assert float(rows["d of B"]["share"]) == pytest.approx(share, rel=1e-5)
    assert (rows["d of B"]["kind"], rows["d of B"]["input"]) == ("shape", "d")
    found = json.loads(run("--format", "json"))["contributions"]
    assert {row["name"]: row["share"] for row in found}["d of B"] == pytest.approx(share, rel=1e-5)
    run("-o", tmp_path / "out.xlsx")
    frame = mp.contributions(the_bom(), "Izz").to_dataframe()
    import openpyxl

    cells = list(openpyxl.load_workbook(tmp_path / "out.xlsx")["Contributions"].values)
    assert [row[1] for row in cells[1:]] == frame["name"].tolist()
    shown = run("--top", 20)
    assert "d of B" in shown
    assert "kg/m³" in shown
