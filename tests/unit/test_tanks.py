"""Tanks of a table: their file, liquids in their rows, depletion, schedules with derivatives, tables of fills."""

from __future__ import annotations

import csv
from pathlib import Path

import mpmath as mpm
import numpy as np
import pytest

import massprops as mp
from massprops_cli.bodies.liquids import shape_container
from tests.unit.pose_trees import rpy

SAMPLE = Path(__file__).parents[2] / "sample_data" / "tanks"
HEAD = (
    "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],"
    "Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2],POIconv"
)
DRY = f"{HEAD}\nS,,,,,,,,,,,,,-\nBUS,S,1,100,0.1,0.2,0.3,10,11,12,0.1,0.2,0.3,-\nPOD,S,2,,,,,,,,,,,-\n"
LIQUID_ROWS = "LOX,S,1,,,,,,,,,,,-\nRP1,POD,3,0,0,0,0,0,0,0,0,0,0,-\n"
TANKS = """
[tank.OX]
item = "LOX"
shape = "cylinder"
dims = "d=400 mm; L=1.2 m"
axis = "x"
at = [1, "20 mm", 0.5]
rpy = [0, 20, 10]
fluid = "LOX"
fill = 80
residual = 1
[tank.KEROSENE]
item = "RP1"
shape = "sphere"
dims = "r=0.3 m"
at = [-1, 0, 0]
density = "0.81 g/cm3"
group = "fuel"
residual = 2
"""


def read(folder: Path, table: str, tanks: str) -> mp.Bom:
    (folder / "bom.csv").write_text(table, encoding="utf-8")
    (folder / "massprops.toml").write_text("root = true\n" + tanks, encoding="utf-8")
    return mp.read_bom(folder / "bom.csv")


def with_numbers(table: str, item: str, body: mp.Body) -> str:
    """Write the numbers of a body into the row of an item."""
    lines = []
    for line in table.splitlines():
        cells = line.split(",")
        if cells[0] == item:
            of = body.inertia
            values = [body.mass, *body.center, of[0, 0], of[1, 1], of[2, 2], of[0, 1], of[0, 2], of[1, 2]]
            cells[3:13] = [repr(float(one)) for one in values]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def test_liquids_equal_the_edited_table(tmp_path: Path) -> None:
    bom = read(tmp_path, DRY + LIQUID_ROWS, TANKS)
    tanks = mp.read_tanks(bom)
    assert [tank.count for tank in tanks.values()] == [1.0, 6.0]
    assert tanks["OX"].capacity == pytest.approx(mp.find_material("LOX").density * np.pi * 0.04 * 1.2)
    for fills, down in (({}, None), ({"OX": 33, "KEROSENE": 71.5}, [0.3, 0.1, -1]), ({"KEROSENE": 5}, [1, 0, 0])):
        text = DRY + LIQUID_ROWS
        for name, item in (("OX", "LOX"), ("KEROSENE", "RP1")):
            text = with_numbers(text, item, tanks[name].liquid(fills.get(name), down).body())
        expected = mp.rollup(mp.Bom.from_records([*csv.DictReader(text.splitlines())]))["S"]
        found = mp.rollup(mp.with_liquids(bom, fills, down=down))["S"]
        assert found.mass == pytest.approx(expected.mass, rel=1e-14)
        np.testing.assert_allclose(found.center, expected.center, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-12, atol=1e-12)


def test_liquid_in_a_posed_branch(tmp_path: Path) -> None:
    """A branch turned and moved: the liquid is level in the root, not in the branch."""
    head = HEAD.replace(",POIconv", ",POIconv,frame,tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg]")
    pose = ",0.3,-0.2,1,30,40,50"
    table = (
        f"{head}\nS,,,,,,,,,,,,,-,own,,,,,,\nBUS,S,1,100,0,0,0,10,11,12,0,0,0,-,own,0,0,0,0,0,0\n"
        f"B,S,1,,,,,,,,,,,-,own{pose}\nT,B,1,0,0,0,0,0,0,0,0,0,0,-,own,0.5,0,0,0,0,0\n"
    )
    bom = read(
        tmp_path, table, '[tank.T]\nitem = "T"\nshape = "box"\ndims = "a=1 m; b=0.5 m; c=0.4 m"\nfluid = "water"\n'
    )
    R, t = rpy(30, 40, 50), np.array([0.3, -0.2, 1.0])
    alone = mp.Tank("T", "T", mp.find_material("water").density, shape_container("box", {"a": 1.0, "b": 0.5, "c": 0.4}))
    own = alone.liquid(60, R.T @ [0, 0, -1.0])
    result = mp.rollup(mp.with_liquids(bom, {"T": 60}))
    found = result["S"]
    center = R @ (own.center + np.array([0.5, 0, 0])) + t
    bus = mp.Body(100.0, np.zeros(3), np.diag([10.0, 11, 12]))
    expected = bus + mp.Body(own.mass, center, R @ own.inertia @ R.T)
    np.testing.assert_allclose(found.center, expected.center, rtol=1e-13)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-12, atol=1e-12)


def test_liquid_added_to_the_row_of_its_tank(tmp_path: Path) -> None:
    table = DRY.replace("POD,S,2", "POD,S,0") + "SHELL,S,1,12,1,0,0,2,3,4,0,0,0,-\nX,POD,1,1,0,0,0,0,0,0,0,0,0,-\n"
    tank = (
        '[tank.T]\nitem = "SHELL"\nshape = "box"\ndims = "a=1 m; b=1 m; c=1 m"\nat = [1, 0, 0]\ndensity = "10 kg/m3"\n'
    )
    with pytest.raises(mp.FindingsError, match="item SHELL states a mass of 12"):
        mp.read_tanks(read(tmp_path, table, tank))
    body = mp.rollup(mp.with_liquids(read(tmp_path, table, tank + 'row = "tank"\n')))["SHELL"]
    assert body.mass == 22
    np.testing.assert_allclose(body.inertia, np.diag([2, 3, 4]) + np.eye(3) * 10 / 6, rtol=1e-14)
    assert mp.rollup(mp.with_liquids(read(tmp_path, table, tank + 'row = "liquid"\n')))["SHELL"].mass == 10


FAULTY = """
[tank.A]
item = "NONE"
shape = "torus"
dims = "R=1 m; r=0.2 m"
density = "1 kg/m3"
fill = 120
colour = "red"
[tank.B]
item = "S"
shape = "box"
dims = "a=1 m; b=1 m"
density = "1 kg/m3"
down = [0, 0, 0]
[tank.C]
item = "LOX"
shape = "box"
dims = "a=1 m; b=1 m; c=0 m"
fill = 2
residual = 3
[tank.D]
item = "LOX"
shape = "box"
mesh = "x.stl"
[tank.E]
item = "LOX"
shape = "sphere"
dims = "r=0 m"
fluid = "wine"
[tank.F]
item = "LOX"
shape = "sphere"
dims = "r=1"
density = "1 kg/m3"
at = [1, "x"]
[tank.G]
item = "LOX"
mesh = "missing.stl"
density = "1 kg/m3"
[tank.H]
item = "LOX"
table = "missing.csv"
"""


def test_all_faults_are_reported_with_their_lines(tmp_path: Path) -> None:
    with pytest.raises(mp.FindingsError) as caught:
        mp.read_tanks(read(tmp_path, DRY + LIQUID_ROWS, FAULTY))
    found = [
        (one.place.line, one.place.column, one.rule, one.message.partition(": ")[2]) for one in caught.value.findings
    ]
    lines = FAULTY.splitlines()
    for line, column, _, message in found:
        assert lines[line - 2].startswith(column if column in lines[line - 2] else "[tank"), message
    assert [(rule, message[:34]) for _, _, rule, message in found] == [
        ("MP902", "unknown key: colour"),
        ("MP719", "item is not in the table: NONE"),
        ("MP719", "a torus is not a shape of tanks (ex"[:34]),
        ("MP719", "fill is not a percentage from 0 to"),
        ("MP719", "item S is an assembly"),
        ("MP719", "a box needs the dimension c (side "),
        ("MP719", "down has the length 0"),
        ("MP719", "density is not stated"),
        ("MP719", "residual of 3 % exceeds the fill o"),
        ("MP719", "shape and mesh are both stated"),
        ("MP719", "unknown material 'wine'"),
        ("MP719", "r has no unit"),
        ("MP719", "at is not a list of three numbers:"),
        ("MP721", "mesh missing.stl cannot be read: n"),
        ("MP719", "table missing.csv cannot be read: "),
    ]


def test_a_shape_without_volume_and_a_wrong_table_are_tanks_faults(tmp_path: Path) -> None:
    tank = '[tank.T]\nitem = "LOX"\n'
    water = (SAMPLE / "water.csv").read_text()
    (tmp_path / "falling.csv").write_text(water.replace("50,20,", "50,50,"), encoding="utf-8")
    (tmp_path / "words.csv").write_text(water.replace("\n50,", "\nhalf,"), encoding="utf-8")
    for keys, message in (
        ('shape = "box"\ndims = "a=1 m; b=1 m; c=0 m"\nfluid = "water"\n', "c = 0 of the box is not positive"),
        ('table = "falling.csv"\n', "masses of falling.csv do not increase with the fill"),
        ('table = "words.csv"\n', "fills of words.csv are not percentages"),
        ('table = "falling.csv"\ninterpolate = "spline"\n', "interpolate is not known: spline"),
    ):
        with pytest.raises(mp.FindingsError, match=message):
            mp.read_tanks(read(tmp_path, DRY + LIQUID_ROWS, tank + keys))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('item = 3\nshape = "box"', "item is not a text: 3"),
        ('shape = "box"', "item is not stated"),
        ('item = "POD"', "item POD is an assembly"),
        ('item = "LOX"\nrow = "fuel"', "row is neither liquid nor tank: fuel"),
        ('item = "twin"', "2 items have this name: twin"),
        ('item = "LOX"', "neither shape, mesh nor table is stated"),
        ('item = "LOX"\nat = ["1 kg", 0, 0]', "unit of at is not valid: kg"),
        ('item = "LOX"\ndown = [0, "up", 1]', "down is not a list of three numbers"),
        ('item = "LOX"\nshape = "box"\ndims = "a=1 m; b=1 m; c=1 m; wall=1 mm"\nfluid = "water"', "dims state a wall"),
        ('item = "LOX"\ntable = "bare.csv"', "table does not have the columns fill, mass, Cx"),
    ],
)
def test_single_faults(tmp_path: Path, keys: str, message: str) -> None:
    (tmp_path / "bare.csv").write_text("fill,mass [kg]\n0,0\n100,1\n", encoding="utf-8")
    rows = LIQUID_ROWS
    named = [f"{row}," + ("twin" if row.startswith(("LOX", "RP1")) else "") for row in (DRY + rows).splitlines()[1:]]
    table = "\n".join([f"{HEAD},name", *named]) + "\n"
    with pytest.raises(mp.FindingsError, match=message):
        mp.read_tanks(read(tmp_path, table, f"[tank.T]\n{keys}\n"))


def test_tanks_below_a_weighed_assembly_and_without_a_configuration(tmp_path: Path) -> None:
    table = DRY.replace("POD,S,2,", "POD,S,2,50") + LIQUID_ROWS
    (tmp_path / "bom.csv").write_text(table, encoding="utf-8")
    assert mp.read_tanks(mp.read_bom(tmp_path / "bom.csv", config=False)) == {}
    (tmp_path / "massprops.toml").write_text("root = true\n" + TANKS, encoding="utf-8")
    bom = mp.read_bom(tmp_path / "bom.csv", assembly_values="stated")
    with pytest.raises(mp.FindingsError, match="item RP1 is below POD, whose own numbers are rolled up"):
        mp.read_tanks(bom)


def write_cube(path: Path, faces: int = 12) -> None:
    """Write the mesh of a cube of side 2, or some of its triangles."""
    mesh = shape_container("box", {"a": 2.0, "b": 2.0, "c": 2.0}).mesh
    corners = mesh.vertices[mesh.faces[:faces]]
    facets = [
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in one) + "endloop\nendfacet\n"
        for one in corners.tolist()
    ]
    path.write_text("solid cube\n" + "".join(facets) + "endsolid cube\n", encoding="utf-8")


def test_tank_from_a_mesh_file(tmp_path: Path) -> None:
    tank = '[tank.T]\nitem = "LOX"\nmesh = "cube.stl"\nmesh-units = "dm"\nfluid = "water"\nfill = 25\n'
    write_cube(tmp_path / "cube.stl")
    liquid = mp.read_tanks(read(tmp_path, DRY + LIQUID_ROWS, tank))["T"].liquid()
    assert liquid.mass == pytest.approx(0.25 * 0.008 * mp.find_material("water").density)
    np.testing.assert_allclose(liquid.center, [0, 0, -0.075], atol=1e-15)
    write_cube(tmp_path / "cube.stl", 10)
    with pytest.raises(mp.FindingsError, match="MP725 open-mesh"):
        mp.read_tanks(read(tmp_path, DRY + LIQUID_ROWS, tank))


def test_depletion_in_order_and_together(tmp_path: Path) -> None:
    tanks = mp.read_tanks(read(tmp_path, DRY + LIQUID_ROWS, TANKS))
    ox, kerosene = tanks["OX"].capacity, 6 * tanks["KEROSENE"].capacity
    usable = 0.79 * ox, 0.98 * kerosene
    after = mp.deplete(tanks, usable[0] + 0.5 * usable[1])
    assert after == pytest.approx({"OX": 1, "KEROSENE": 51})
    after = mp.deplete(tanks, 0.25 * sum(usable), together=True)
    assert after == pytest.approx({"OX": 80 - 0.25 * 79, "KEROSENE": 100 - 0.25 * 98})
    assert mp.deplete(tanks, sum(usable)) == pytest.approx({"OX": 1, "KEROSENE": 2})
    with pytest.raises(mp.UsageError, match="burned mass is not between 0 and the usable mass"):
        mp.deplete(tanks, sum(usable) * 1.001)
    with pytest.raises(mp.UsageError, match="unknown tank: OXX"):
        mp.deplete(tanks, 1.0, fills={"OXX": 1})


@pytest.mark.parametrize("together", [False, True])
def test_schedules_equal_rollups_and_their_derivatives_the_slope(tmp_path: Path, together: bool) -> None:
    bom = read(tmp_path, DRY + LIQUID_ROWS, TANKS)
    down = [0.2, 0.1, -1.0]
    found = mp.schedule(bom, ["fuel", "OX"], steps=7, together=together, down=down)
    assert found.tanks == ("KEROSENE", "OX")
    for k, fills in enumerate(found.fills):
        body = mp.rollup(mp.with_liquids(bom, dict(zip(found.tanks, fills, strict=True)), down=down))["S"]
        assert found.mass[k] == pytest.approx(body.mass, rel=1e-13)
        np.testing.assert_allclose(found.center[k], body.center, rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.inertia[k], body.inertia, rtol=1e-11, atol=1e-11)
    tanks = mp.read_tanks(bom)
    chosen = {name: tanks[name] for name in found.tanks}
    for k in range(1, 7):  # differences of fourth order
        h, values = 1e-3 * found.burned[-1], []
        for step in (-2, -1, 1, 2):
            fills = mp.deplete(chosen, found.burned[k] + step * h, together=together)
            body = mp.rollup(mp.with_liquids(bom, fills, down=down))["S"]
            values.append(np.concatenate([body.center, body.inertia.ravel()]))
        slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
        expected = -np.concatenate([found.d_center[k], found.d_inertia[k].ravel()])
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)


def test_derivatives_of_a_schedule_by_differences_of_50_digits() -> None:
    """A box on a point mass: depth z, all in closed form of z with 50 digits."""
    rows = [dict(zip(HEAD.split(","), line.split(","), strict=True)) for line in DRY.splitlines()[1:3]]
    bom = mp.Bom.from_records([*rows, {**rows[1], "id": "T", "mass [kg]": 0}])
    tank = mp.Tank(
        "T", "T", 1000.0, shape_container("box", {"a": 0.5, "b": 0.4, "c": 1.0}), translation=np.array([1.0, 2.0, 3.0])
    )
    found = mp.schedule(bom, "T", tanks={"T": tank}, steps=4)
    with mpm.workdps(50):
        M, c0 = mpm.mpf(100), [mpm.mpf(repr(x)) for x in (0.1, 0.2, 0.3)]
        I0 = mpm.matrix([["10", "0.1", "0.2"], ["0.1", "11", "0.3"], ["0.2", "0.3", "12"]])
        a, b = mpm.mpf("0.5"), mpm.mpf("0.4")

        def whole(mass: mpm.mpf) -> list[mpm.mpf]:
            z = mass / (1000 * a * b)
            c1 = [mpm.mpf(1), mpm.mpf(2), mpm.mpf("2.5") + z / 2]
            c = [(M * p + mass * q) / (M + mass) for p, q in zip(c0, c1, strict=True)]
            tensor = I0 + mass / 12 * mpm.diag([b * b + z * z, a * a + z * z, a * a + b * b])
            for m, at in ((M, c0), (mass, c1)):
                d = [p - q for p, q in zip(at, c, strict=True)]
                tensor += m * (sum(x * x for x in d) * mpm.eye(3) - mpm.matrix([[x * y for y in d] for x in d]))
            return [*c, *tensor]

        step = mpm.mpf(10) ** -15
        for k, mass in enumerate([200, 150, 100, 50, 0]):
            middle = mpm.mpf(mass)
            here, low, high = whole(middle), whole(middle - step), whole(middle + step)
            slope = [float((q - p) / (2 * step)) for p, q in zip(low, high, strict=True)]
            exact = [float(one) for one in here]
            np.testing.assert_allclose([*found.center[k], *found.inertia[k].ravel()], exact, rtol=1e-13, atol=1e-13)
            np.testing.assert_allclose([*found.d_center[k], *found.d_inertia[k].ravel()], slope, rtol=1e-11, atol=1e-13)


def test_tables_of_fills_interpolate_only_by_name(tmp_path: Path) -> None:
    (tmp_path / "water.csv").write_text((SAMPLE / "water.csv").read_text(), encoding="utf-8")
    tank = '[tank.T]\nitem = "LOX"\ntable = "water.csv"\nat = [1, 0, 0]\nrpy = [0, 0, 90]\n'
    exact = mp.read_tanks(read(tmp_path, DRY + LIQUID_ROWS, tank))["T"]
    assert exact.liquid(50).mass == 20
    with pytest.raises(mp.UsageError, match="fill of 60 % is not in the table of the tank"):
        exact.liquid(60)
    bom = read(tmp_path, DRY + LIQUID_ROWS, tank + 'interpolate = "linear"\n')
    linear = mp.read_tanks(bom)["T"]
    half = linear.liquid(75)
    assert half.mass == 30
    np.testing.assert_allclose(half.center, [1, 0, -0.025])
    np.testing.assert_allclose(half.inertia, np.diag([0.2, 0.2, 0.255]), atol=1e-15)
    np.testing.assert_allclose(half.d_center, [0, 0, 0.05 / 20])
    np.testing.assert_allclose(half.d_inertia, np.diag([0.01, 0.01, 0.0085]))
    assert half.free_surface_moment([1, 0, 0]) is None
    found = mp.schedule(bom, "T", steps=4)
    assert found.fills[:, 0].tolist() == [100, 75, 50, 25, 0]
    assert np.isfinite(found.d_inertia).all()


def test_files_of_schedules(tmp_path: Path) -> None:
    found = mp.schedule(mp.read_bom(SAMPLE / "stage.csv"), "propellant", steps=5)
    found.save(tmp_path / "burn.csv")
    with (tmp_path / "burn.csv").open() as file:
        rows = [*csv.reader(file)]
    assert rows[0][:3] == ["burned [kg]", "mass [kg]", "Cx [m]"]
    assert rows[0][11:15] == ["dCx/dm [m/kg]", "dCy/dm [m/kg]", "dCz/dm [m/kg]", "dIxx/dm [kg*m^2/kg]"]
    assert [float(row[1]) for row in rows[1:]] == found.mass.tolist()
    assert found.to_dataframe()["fill LOX"].tolist() == found.fills[:, 0].tolist()
    found.save(tmp_path / "burn.m")
    text = dict(line.split(" = ") for line in (tmp_path / "burn.m").read_text().splitlines() if line[0] != "%")
    assert [float(one) for one in text["mass"].strip("[];").split()] == found.mass[::-1].tolist()
    numbers = text["inertia"].removeprefix("reshape([").partition("]")[0].split()
    # MATLAB fills columns first
    tensors = np.array(numbers, float).reshape((3, 3, -1), order="F")
    np.testing.assert_array_equal(np.moveaxis(tensors, 2, 0), found.inertia[::-1])
    with pytest.raises(mp.UsageError, match="unknown format of a schedule"):
        found.save(tmp_path / "burn.dat")


def test_wrong_calls(tmp_path: Path) -> None:
    bom = read(tmp_path, DRY + LIQUID_ROWS, TANKS)
    for call, message in (
        (lambda: mp.schedule(bom, "OXX"), "unknown tank: OXX"),
        (lambda: mp.schedule(bom, "OX", fills={"OX": 0.5}), "nothing to burn"),
        (lambda: mp.with_liquids(bom, {"OX": 101}), "fill of tank OX is not a percentage"),
        (lambda: mp.with_liquids(bom, {"OX": 10}, down=[0, 0, 0]), "down has the length 0"),
        (lambda: mp.schedule(bom, "OX", steps=0), "steps is not an integer of 1 or more"),
    ):
        with pytest.raises(mp.UsageError, match=message):
            call()


def test_a_table_without_centers_has_masses_alone() -> None:
    bom = mp.Bom.from_records(
        [{"id": "S", "parent": ""}, {"id": "A", "parent": "S", "mass": 3}, {"id": "T", "parent": "S"}]
    )
    tank = mp.Tank("T", "T", 2.0, shape_container("box", {"a": 1.0, "b": 1.0, "c": 1.0}))
    assert mp.rollup(mp.with_liquids(bom, {"T": 50}, tanks={"T": tank}))["S"].mass == 4
    with pytest.raises(mp.UsageError, match="the table states no centres of mass"):
        mp.schedule(bom, "T", tanks={"T": tank})
