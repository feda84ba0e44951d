"""Loading conditions: published loadings, uncertainties of differences, sheets, missions, and their faults."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.loadings.totals import root_numbers

SAMPLES = Path(__file__).parents[2] / "sample_data" / "conditions"
TABLE = "id,parent,name,qty,mass [kg],Cx [m],Cy [m],Cz [m],sigma_mass [kg],sigma_Cx,sigma_Cy,sigma_Cz\n"
ROWS = "SAT,,,,,,,,,,,\nBUS,SAT,bus,1,400,1,0,0,4,0.01,0,0\nBOLT,SAT,bolt,4,0.5,2,0,0,0.1,0.02,0,0\n"
ROWS += "PROP,SAT,,,,,,,,,,\nFUEL,PROP,fuel,1,100,3,0,0,1,0.03,0,0\nOX,PROP,oxidizer,1,60,4,0,0,2,0.04,0,0\n"


def bom_of(folder: Path, text: str = "", name: str = "bom.csv", rows: str = ROWS) -> mp.Bom:
    (folder / name).write_text(TABLE + rows)
    (folder / "massprops.toml").write_text(text)
    return mp.read_bom(folder / name)


def findings_of(bom: mp.Bom, given: Any = None) -> list[mp.Finding]:
    with pytest.raises(mp.FindingsError) as raised:
        mp.conditions(bom, given)
    return list(raised.value.findings)


def test_raymers_group_statement() -> None:
    """11,495 lb with 271,379 ft·lb, and 16,480 lb with 380,972 ft·lb: 23.61 and 23.12 ft."""
    answer = mp.conditions(SAMPLES / "aircraft.csv", SAMPLES / "aircraft.conditions.csv")
    masses, centers = answer.totals.values[:, 0], answer.totals.values[:, 1]
    assert masses.tolist() == [11_495, 16_480, 12_995]
    assert [round(x, 2) for x in centers[:2].tolist()] == [23.61, 23.12]
    np.testing.assert_allclose((masses * centers)[:2], [271_379, 380_972], rtol=1e-9)


def test_a_load_far_forward() -> None:
    """41,000 kg at 663 in and 2,500 kg at 360 in: 645.59 in, 14.86 % of a chord of 134.5 in from 625.6 in."""
    rows = [{"id": "A", "parent": ""}, {"id": "base", "parent": "A", "mass [kg]": 41_000, "Cx [in]": 663}]
    rows.append({"id": "load", "parent": "A", "mass [kg]": 2_500, "Cx [in]": 360, "qty": 1})
    rows = [{"qty": 1, **row, "Cy [in]": 0, "Cz [in]": 0} for row in rows]
    answer = mp.conditions(mp.Bom.from_records(rows), {"zero": {"off": "load"}, "loaded": {}})
    empty, loaded = answer.totals.values[:, 1]
    assert round(empty, 2) == 663
    assert round(loaded, 2) == 645.59
    assert round(100 * (loaded - 625.6) / 134.5, 2) == 14.86


def test_sigma_of_a_difference_in_closed_form(tmp_path: Path) -> None:
    """Fuel burned and bolts gone; the centre of two bodies on a line by its derivatives."""
    bom = bom_of(tmp_path)
    given = {"full": {}, "less": {"burn": ["FUEL=25 kg"], "set": ["BOLT.qty=1"]}, "bus": {"off": ["PROP", "BOLT"]}}
    answer = mp.conditions(bom, given)
    change = answer.difference("full", "less")
    assert change.values[0] == pytest.approx(25 + 1.5, rel=1e-12)
    # a quarter of the deviation of the fuel, and three bolts of the four
    assert change.sigmas[0] == pytest.approx(np.sqrt(0.25**2 + 3 * 0.1**2), rel=1e-12)
    assert answer.difference("less", "full").sigmas[0] == pytest.approx(change.sigmas[0], rel=1e-12)
    assert answer.difference("full", "full").sigmas[:4].max() < 1e-7
    total, center = 562.0, (400 + 4 + 300 + 240) / 562
    derivative = {"BUS": 400 / total - 1, "BOLT": 0.5 / total, "FUEL": 100 / total, "OX": 60 / total}
    of_mass = {"BUS": 1 - center, "BOLT": 2 - center, "FUEL": 3 - center, "OX": 4 - center}
    sigma = {"BUS": (4, 0.01), "BOLT": (0.1, 0.02), "FUEL": (1, 0.03), "OX": (2, 0.04)}
    variance = sum(
        (4 if name == "BOLT" else 1)
        * ((of_mass[name] / total * sigma[name][0]) ** 2 + (derivative[name] * sigma[name][1]) ** 2)
        for name in derivative
    )
    assert answer.difference("full", "bus").sigmas[1] == pytest.approx(np.sqrt(variance), rel=1e-12)


def test_sigma_of_a_difference_by_sampling() -> None:
    """The tensor of a satellite with its arrays stowed and deployed, of the same drawn parts."""
    bom = mp.read_bom(SAMPLES / "satellite.csv")
    answer = mp.conditions(bom, SAMPLES / "satellite.toml")
    change = answer.difference("deployed", "stowed")
    names, n, random = [name for name in bom if bom.tree.is_leaf()[bom.item(name)]], 40_000, np.random.default_rng(5)
    masses, centers, tensors = [], {"stowed": [], "deployed": []}, {"stowed": [], "deployed": []}
    turn = {"ARRAY-L": -np.pi / 2, "ARRAY-R": np.pi / 2}
    for name in names:
        body = bom[name]
        masses.append(random.normal(body.mass, body.sigma_mass, n))
        center = random.normal(body.center, body.sigma_center, (n, 3))
        upper = np.triu(random.normal(body.inertia, body.sigma_inertia, (n, 3, 3)))
        tensor = upper + np.triu(upper, 1).swapaxes(1, 2)
        angle, hinge = turn.get(name, 0.0), np.array([0, {"ARRAY-L": 0.7, "ARRAY-R": -0.7}.get(name, 0.0), 0])
        R = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        for state, turned in (("stowed", np.eye(3)), ("deployed", R)):
            centers[state].append(hinge + (center - hinge) @ turned.T)
            tensors[state].append(turned @ tensor @ turned.T)
    found = {
        state: _drawn_totals(np.array(masses), np.array(centers[state]), np.array(tensors[state])) for state in centers
    }
    drawn = found["deployed"] - found["stowed"]
    known = drawn.std(axis=1) > 1e-9
    np.testing.assert_allclose(change.sigmas[known], drawn.std(axis=1)[known], rtol=4.5 / np.sqrt(2 * n) + 0.01)
    assert (change.sigmas[~known] < 1e-6).all()
    alone = np.hypot(*(answer.totals.sigmas[answer.names.index(name)] for name in ("stowed", "deployed")))
    assert (change.sigmas[:4] < 0.4 * alone[:4]).all()  # most of it is shared


def _drawn_totals(mass: Any, center: Any, tensor: Any) -> Any:
    """Mass, centre and tensor entries (10, n) of drawn bodies (k, n, …)."""
    total = mass.sum(axis=0)
    middle = (mass[:, :, None] * center).sum(axis=0) / total[:, None]
    d = center - middle
    square = (d**2).sum(axis=2)[:, :, None, None] * np.eye(3) - d[:, :, :, None] * d[:, :, None, :]
    whole = (tensor + mass[:, :, None, None] * square).sum(axis=0)
    return np.array([total, *middle.T, *whole[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].T])


def test_all_faults_are_reported_with_their_lines(tmp_path: Path) -> None:
    lines = [
        "[condition.dry]",  # 1
        'base = "wed"',
        'off = ["FUEL", "FUL",',
        '       "FUEL"]',  # 4
        'set = ["OX.qty=-1", "OX.mass=heavy"]',
        "fill = { FUEL = 120 }",
        "[condition.a]",
        'base = "b"',  # 8
        "[condition.b]",
        'base = "a"',
        "[[mission]]",  # 11
        'step = "one"',
        'drop = ["FUEL"]',
        "[[mission]]",
        'step = "two"',
        'burn = ["FUEL=1 kg", "OX=61 kg"]',  # 16
        'deploy = { BUS = { rotate = "x 9" } }',
    ]
    found = findings_of(bom_of(tmp_path, "\n".join(lines)))
    places = {(one.rule, one.place.line) for one in found}
    assert {
        ("MP630", 2),
        ("MP630", 3),
        ("MP632", 5),
        ("MP632", 6),
        ("MP631", 8),
        ("MP633", 16),
        ("MP634", 16),
    } <= places
    texts = " | ".join(f"{one.message}; {one.remedy}" for one in found)
    assert "base of condition dry is not a condition: wed" in texts
    assert "(nearest: FUEL)" in texts
    assert "quantity of OX is negative: -1" in texts
    assert "value of OX.mass is not a number: 'heavy'" in texts
    assert "fill of FUEL in condition dry is not between 0 and 100 %: 120" in texts
    assert "condition a is its own base: a → b → a" in texts
    assert "FUEL is off at this burn" in texts
    assert "more of OX is burned than there is: 61 of 60 kg" in texts
    assert "angle of rotate has no unit: x 9" in texts
    assert all(one.remedy for one in found)


def test_a_sheet_of_states_quantities_and_masses(tmp_path: Path) -> None:
    bom = bom_of(tmp_path)
    sheet = tmp_path / "loads.csv"
    sheet.write_text(
        "Loading of the vehicle\nitem,launch,dry [kg],dry qty,late\nbase,,,,launch\n"
        "fuel,on,0,,25 kg\nBOLT,,,2,x\nBUS,1,410,,\n"
    )
    answer = mp.conditions(bom, sheet)
    assert answer.names == ["launch", "dry", "late"]
    assert answer.totals.values[:, 0].tolist() == [562, 410 + 1 + 60, 562 - 75 - 2]
    assert answer.conditions[2].base == "launch"
    again = mp.conditions(bom, sheet, names=["dry"])
    assert again.names == ["dry"]
    assert again["dry"]["FUEL"].mass == 100  # its row, of which none is in the vehicle
    assert again["dry"]["PROP"].mass == 60
    sheet.write_text("item,full\nFUEL,1\nBOLT,1\nOX,5\nBUS,onn\nNO,1\nFUEL,x\n")
    found = findings_of(bom, sheet)
    assert [(one.rule, one.place.line, one.place.position) for one in found] == [
        ("MP635", 3, 2), ("MP635", 4, 2), ("MP632", 5, 2), ("MP630", 6, 1), ("MP633", 7, 1)
    ]  # fmt: skip
    assert "on, or 1 of its 4 pieces" in found[0].message
    assert "the nearest is on" in found[2].message


def test_a_sheet_of_the_workbook(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "BOM"
    for row in (["id", "parent", "mass [kg]"], ["S", None, None], ["A", "S", 2], ["B", "S", 3]):
        book.active.append(row)
    for row in (["id", "light", "heavy [kg]"], ["B", "off", 7.5]):
        if "Loading" not in book:
            book.create_sheet("Loading")
        book["Loading"].append(row)
    book.save(tmp_path / "bom.xlsx")
    bom = mp.read_bom(tmp_path / "bom.xlsx", sheet="BOM")
    assert mp.conditions(bom, "Loading").totals.values[:, 0].tolist() == [2, 9.5]
    with pytest.raises(mp.UsageError, match=r"not a sheet of .*Other"):
        mp.conditions(mp.Bom.from_records([{"id": "a", "parent": "", "mass": 1}]), "Other")


def test_a_mission_keeps_what_was_burned(tmp_path: Path) -> None:
    steps = '[[mission]]\nstep = "a"\nburn = ["PROP=40 kg"]\n[[mission]]\nstep = "b"\ndrop = ["OX"]\n'
    steps += '[[mission]]\nstep = "c"\nadd = ["OX"]\nburn = ["FUEL=75 kg"]\n'
    answer = mp.conditions(bom_of(tmp_path, steps))
    np.testing.assert_allclose(answer.totals.values[:, 0], [522, 522 - 45, 522 - 75], rtol=1e-13)
    assert answer["a"]["FUEL"].mass == pytest.approx(75, rel=1e-13)  # 40 of 160 kg, in proportion
    assert answer["a"]["FUEL"].sigma_mass == pytest.approx(0.75, rel=1e-13)
    assert [one.is_step for one in answer.conditions] == [True] * 3


def test_selection_by_a_column_and_of_a_branch(tmp_path: Path) -> None:
    given = {"a": {"off": "where name = bus"}, "b": {"off": "PROP"}, "c": {"base": "b", "on": "PROP"}}
    answer = mp.conditions(bom_of(tmp_path), given)
    assert answer.totals.values[:, 0].tolist() == [162, 402, 562]
    (found,) = findings_of(answer.bom, {"a": {"off": "where nam = bus"}})
    assert "no such column; the nearest is name" in found.message
    (found,) = findings_of(answer.bom, {"a": {"off": ["PROP", "FUEL"]}})
    assert found.message == "condition a: FUEL is off already"
    (found,) = findings_of(answer.bom, {"a": {"off": "SAT"}})
    assert "root cannot be switched off" in found.message


def test_items_moved_added_and_of_other_shapes_are_read_again(tmp_path: Path) -> None:
    given = {"a": {"new": ["X parent=PROP mass=5 sigma_mass=0"], "move": ["BOLT=PROP"], "off": ["BUS"]}, "b": {}}
    answer = mp.conditions(bom_of(tmp_path), given)
    assert answer.totals.values[:, 0].tolist() == [167, 562]
    assert answer["a"]["PROP"].mass == 167
    assert answer.difference("b", "a").sigmas[0] == pytest.approx(4, rel=1e-12)
    rows = [{"id": "S", "parent": "", "shape": "", "dims": "", "density [kg/m3]": ""}]
    rows.append({"id": "A", "parent": "S", "shape": "sphere", "dims": "r=1 m", "density [kg/m3]": 3})
    shapes = mp.conditions(
        mp.Bom.from_records(rows), {"large": {"set": ["A.dims=r=2 m"]}, "light": {"scale": "A.mass=0.5"}}
    )
    np.testing.assert_allclose(shapes.totals.values[:, 0], [32 * np.pi, 2 * np.pi], rtol=1e-12)


def test_joints_of_a_robot() -> None:
    """A condition with a position is the robot that is read with it."""
    robot = Path(__file__).parents[1] / "importers" / "urdf_two_link_arm.urdf"
    joint = re.findall(r'<joint name="([^"]+)" type="(?:revolute|continuous)"', robot.read_text())[0]
    answer = mp.conditions(mp.read_bom(robot), {"bent": {"q": f"{joint}=30 deg"}, "straight": {}})
    for k, options in enumerate(({"q": {joint: "30 deg"}}, {})):
        np.testing.assert_allclose(answer.totals.values[k, 1:4], mp.rollup(mp.read_bom(robot, **options)).root.center)
    assert np.abs(answer.totals.values[0, 1:4] - answer.totals.values[1, 1:4]).max() > 1e-3
    (found,) = findings_of(mp.Bom.from_records([{"id": "a", "parent": "", "mass": 1}]), {"x": {"q": f"{joint}=1"}})
    assert "positions of joints need a robot" in found.message


def test_a_weighed_assembly_hides_its_parts() -> None:
    rows = [
        {"id": "S", "parent": "", "mass": "", "weighed": ""},
        {"id": "G", "parent": "S", "mass": 7, "weighed": "yes"},
    ]
    rows += [{"id": "a", "parent": "G", "mass": 5, "weighed": ""}, {"id": "b", "parent": "S", "mass": 1, "weighed": ""}]
    bom = mp.Bom.from_records([{**row, "qty": 1} for row in rows])
    (found,) = findings_of(bom, {"x": {"off": "a"}})
    assert "G is weighed, and changes below it have no effect" in found.message
    assert mp.conditions(bom, {"x": {"off": "b"}}).totals.values[0, 0] == 7


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    bom = bom_of(tmp_path, "[condition.dry]\n")
    with pytest.raises(mp.UsageError, match="unknown condition: dri; the nearest is dry"):
        mp.conditions(bom, names=["dri"])
    with pytest.raises(mp.UsageError, match="unknown condition: wet"):
        mp.conditions(bom)["wet"]
    with pytest.raises(mp.UsageError, match="no condition is given"):
        mp.conditions(mp.Bom.from_records([{"id": "a", "parent": "", "mass": 1}]))
    with pytest.raises(mp.ConfigError, match=r"unknown key: condition\.a\.of; the nearest is"):
        mp.conditions(bom, {"a": {"of": ["FUEL"]}})
    with pytest.raises(mp.UsageError, match="montecarlo is not supported"):
        mp.conditions(bom, uncertainty="montecarlo")  # type: ignore[arg-type] # a wrong value
    with pytest.raises(mp.FindingsError):
        mp.conditions(
            mp.Bom.from_records([{"id": "a", "parent": "b", "mass": "x"}, {"id": "b", "parent": "", "mass": ""}]),
            {"a": {}},
        )


def test_tables_and_texts(tmp_path: Path) -> None:
    answer = mp.conditions(bom_of(tmp_path), {"wet": {}, "dry": {"base": "wet", "off": ["PROP"]}})
    report = answer.to_dict()
    assert [one["name"] for one in report["conditions"]] == list(answer) == ["wet", "dry"]
    assert report["conditions"][1]["base"] == "wet"
    assert report["conditions"][1]["mass"] == 402
    assert report["conditions"][1]["Ixx"] is None
    frame = answer.to_dataframe()
    assert frame["mass"].tolist() == [562, 402]
    assert frame.attrs["units"]["sigma_Cx"] == "m"
    assert repr(answer) == f"<Conditions of {tmp_path / 'bom.csv'}: wet 562 kg, dry 402 kg>"
    assert "<td>402" in answer._repr_html_()
    note = next(one for one in answer["dry"].findings if one.rule == "MP637")
    assert note.message == "condition dry: PROP off"
    assert len(answer) == 2


def test_a_quantity_without_a_column_is_reported_with_the_tensor() -> None:
    """The centres of three pieces are not known; there is no cell of a quantity."""
    part = {"id": "a", "parent": "S", "mass": 2.0, "Cx": 1, "Cy": 0, "Cz": 0, "Ixx": 1, "Iyy": 1, "Izz": 1}
    bom = mp.Bom.from_records([{"id": "S", "parent": ""}, {**part, "Ixy": 0, "Ixz": 0, "Iyz": 0}], poi="-")
    answer = mp.conditions(bom, {"three": {"set": ["a.qty=3"]}})
    assert answer.totals.values[0].tolist() == [6, 1, 0, 0, 3, 3, 3, 0, 0, 0]
    assert [one.place.column for one in answer["three"].findings if one.rule == "MP412"] == ["Ixx"]


def test_totals_are_those_of_the_roll_up_of_levels() -> None:
    """With sigmas of all ten numbers, pieces of assemblies, and leaves in several pieces."""
    given = {
        "a": {"set": ["ARRAYS.qty=2", "ARRAY-L.qty=3", "BUS.Cx=0.4"]},
        "b": {"scale": "PAYLOAD.mass=2", "off": "BUS"},
    }
    given["c"] = {"set": ["ARRAY-R.qty=2"]}
    bom = mp.read_bom(SAMPLES / "satellite.csv")
    records = [dict(zip(bom.table.row(0), bom.table.row(i), strict=True)) for i in range(1, bom.table.n_rows)]
    twice = [{**row, "qty": "2" if row["id"] == "ARRAYS" else row["qty"]} for row in records]
    answer = mp.conditions(mp.Bom.from_records(twice), given)
    entries = np.array([0, 1, 2, 0, 0, 1]), np.array([0, 1, 2, 1, 2, 2])
    for k, name in enumerate(given):
        root = answer[name].root
        for mine, other, rel in (
            (answer.totals.values[k], [root.mass, *root.center, *root.inertia[entries]], 1e-12),
            (answer.totals.sigmas[k], [root.sigma_mass, *root.sigma_center, *root.sigma_inertia[entries]], 1e-12),
        ):
            np.testing.assert_allclose(mine, other, rtol=rel, atol=1e-12 * max(map(abs, other)))
    assert answer["c"].root.mass == 410 + 85 + 180 + 2 * (18 + 2 * 18)


def test_pieces_burn_together(tmp_path: Path) -> None:
    answer = mp.conditions(bom_of(tmp_path), {"a": {"burn": ["BOLT=1 kg"]}, "b": {"burn": ["bolt=2000 g"]}})
    assert answer["a"]["BOLT"].mass == 0.25  # four pieces of half a kilogram
    assert answer.totals.values[:, 0].tolist() == [561, 560]


def test_what_is_on_again_has_its_pieces(tmp_path: Path) -> None:
    """Those of the table, or one where the table has none."""
    rows = ROWS.replace("FUEL,PROP,fuel,1", "FUEL,PROP,fuel,0")
    given = {"a": {"off": "BOLT"}, "b": {"base": "a", "on": ["BOLT", "FUEL"]}}
    answer = mp.conditions(bom_of(tmp_path, rows=rows), given)
    assert answer.totals.values[:, 0].tolist() == [460, 562]


def test_two_statements_about_one_thing(tmp_path: Path) -> None:
    bom = bom_of(tmp_path, '[condition.a]\nset = ["FUEL.mass=1 kg", "fuel.mass=2 kg"]\n[condition.b]\nbase = "a"\n')
    (found, *_) = findings_of(bom)
    assert (found.rule, found.message) == ("MP632", "condition a: value is assigned twice: fuel.mass")
    override = {"a": {"set": ["FUEL.mass=1 kg"]}, "b": {"base": "a", "set": ["fuel.mass=2 kg"]}}
    assert mp.conditions(bom, override).totals.values[:, 0].tolist() == [463, 464]
    (tmp_path / "s.csv").write_text("id,x,x\nFUEL,off,on\n")
    (found,) = findings_of(bom, tmp_path / "s.csv")
    assert (found.rule, found.place.line, found.place.position) == ("MP633", 1, 3)


@pytest.mark.spread(2)
@pytest.mark.parametrize("seed", range(6))
def test_missing_values_are_left_out_as_in_a_rollup(seed: int, tmp_path: Path) -> None:
    """Trees with blank masses, centres, tensors and sigmas: sums over leaves are the roll-up level by level."""
    draw, names = random.Random(seed), ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    quantities = [*names, *(f"sigma_{name}" for name in names)]
    head = {"id": "R", "parent": "", "qty": "", "POIconv": "-", **dict.fromkeys(quantities, "")}
    rows = [head, *({**head, "id": f"A{k}", "parent": draw.choice(["R", "A0"] if k else ["R"])} for k in range(8))]
    for k in range(60):
        row = {**head, "id": f"i{k}", "parent": f"A{k % 8}", "qty": draw.choice([1, 1, 2, 3])}
        groups = [names[:1], names[1:4], names[4:]]
        for group in [*groups, *([f"sigma_{n}" for n in group] for group in groups)]:
            if draw.random() < 0.9 or (seed == 5 and "sigma" in group[0]):
                row |= {name: draw.uniform(5, 9) if name[0] != "s" else draw.uniform(0, 0.1) for name in group}
                row |= {name: draw.uniform(-1, 1) for name in group if name in names[7:]}
        rows.append(row)
    leaves = [f"i{k}" for k in range(60)]
    path = tmp_path / "bom.csv"
    path.write_text("\n".join([",".join(head), *(",".join(map(str, row.values())) for row in rows)]), encoding="utf-8")
    bom = mp.read_bom(path, allow_missing="mass,center")
    given: dict[str, Any] = {"whole": {}}
    for k in range(5):
        one, other, third, *off = draw.sample(leaves, 5)
        given[f"c{k}"] = {"off": off, "set": [f"{one}.mass={3 + k}", f"{other}.qty=4"], "scale": [f"{third}.mass=1.5"]}
    answer = mp.conditions(bom, given)
    assert answer.totals.values.shape == (6, 10)
    assert len(answer._results) == 0  # no condition was rolled up level by level
    for name, values, sigmas in zip(answer.names, answer.totals.values, answer.totals.sigmas, strict=True):
        expected = root_numbers(answer[name], bom.item("R"))
        np.testing.assert_allclose(values, expected[0], rtol=1e-12, atol=1e-12 * np.abs(expected[0]).max())
        np.testing.assert_allclose(sigmas, expected[1], rtol=1e-11)
    assert np.isnan(answer.totals.sigmas).any()


def test_refuelling_in_a_mission(tmp_path: Path) -> None:
    """Changes in the order of the steps: 100 kg, 70 burned, filled to 90, 40 burned, and a cell of the same row."""
    steps = ['burn = ["FUEL=70 kg"]', 'set = ["FUEL.mass=90 kg"]', 'burn = ["FUEL=40 kg"]', 'set = ["FUEL.Cx=2 m"]']
    text = "".join(f'[[mission]]\nstep = "{k}"\n{step}\n' for k, step in enumerate(steps))
    answer = mp.conditions(bom_of(tmp_path, text))
    others = 400 + 4 * 0.5 + 60
    np.testing.assert_allclose(answer.totals.values[:, 0] - others, [30, 90, 50, 90], rtol=1e-12)
    moments = answer.totals.values[:, 1] * answer.totals.values[:, 0] - (400 + 4 + 240)
    np.testing.assert_allclose(moments, [90, 270, 150, 180], rtol=1e-12)
    # σ of the fuel goes with its mass, and is that of the row after it is filled
    fuel = answer.totals.sigmas[:3, 0] ** 2 - (4**2 + 4 * 0.1**2 + 2**2)
    np.testing.assert_allclose(fuel, [0.3**2, 1, (50 / 90) ** 2], rtol=1e-9)


def test_more_is_burned_than_there_is_before_it_is_filled_again(tmp_path: Path) -> None:
    """The amount is checked against the mass at its step: 120 kg of 100 kg, although 200 kg are filled later."""
    steps = ['burn = ["FUEL=120 kg"]', 'set = ["FUEL.mass=200 kg"]']
    text = "".join(f'[[mission]]\nstep = "{k}"\n{step}\n' for k, step in enumerate(steps))
    assert {one.rule for one in findings_of(bom_of(tmp_path, text))} == {"MP634"}
    given = {"a": {"burn": ["PROP=80 kg"]}, "b": {"base": "a", "set": ["FUEL.mass=100 kg", "BOLT.qty=2"]}}
    answer = mp.conditions(bom_of(tmp_path), given)  # half of fuel and oxidizer, then the fuel
    np.testing.assert_allclose(answer.totals.values[:, 0], [400 + 2 + 80, 400 + 1 + 100 + 30], rtol=1e-12)


def test_pieces_that_are_set_after_a_burn(tmp_path: Path) -> None:
    """Four bottles of 0.5 kg burn half of their 2 kg; the two that remain are half full, also off and on again."""
    given: dict[str, Any] = {"a": {"burn": ["BOLT=1 kg"]}, "b": {"base": "a", "set": ["BOLT.qty=2"]}}
    given |= {"c": {"base": "b", "off": ["BOLT"]}, "d": {"base": "c", "on": ["BOLT"]}}
    answer = mp.conditions(bom_of(tmp_path), given)
    np.testing.assert_allclose(answer.totals.values[:, 0] - 560, [1, 0.5, 0, 0.5], atol=1e-9)
