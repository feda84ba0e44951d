"""Words of trades: published answers, closed forms, uncertainties against samples, units, axes, and wrong input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from massprops_cli import Bom, FindingsError, UsageError, conditions, read_bom, rollup
from massprops_cli.findings.finding import Findings
from massprops_cli.styles.style import style, style_tables

HEAD = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]\n"


def result_of(*rows: tuple[Any, ...], units: str = "", **columns: str) -> Any:
    """Roll up parts (id, mass, x, y, z) below a root."""
    names = ("id", "mass", "Cx", "Cy", "Cz")
    parts = [{"parent": "TOP", **dict(zip(names, row, strict=False))} for row in rows]
    return rollup(Bom.from_records([{"id": "TOP", "parent": ""}, *parts], **columns))


def table_of(folder, text: str, configuration: str = "") -> Any:
    """Read a table with its configuration."""
    (folder / "massprops.toml").write_text("root = true\n" + configuration)
    (folder / "table.csv").write_text(text)
    return read_bom(folder / "table.csv")


def findings_of(source: Any, trade: str, given: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the rules and messages of a style."""
    found = Findings()
    style_tables(source, trade, found, given)
    return [(one.rule, one.message) for one in found]


# published answers


def test_axle_loads_of_weighing_manuals() -> None:
    # 5,000 lb at 60 of 120 in; 100 lb at 133 of 214 in: 62.15 and 37.85 lb
    first = style(result_of(("BODY", 5000, 60)), "car", {"front-axle": 0, "rear-axle": 120})
    assert first[["front axle", "rear axle"]].values.tolist() == [[2500, 2500]]
    second = style(result_of(("LOAD", 100, 133)), "car", {"front-axle": 0, "rear-axle": 214})
    assert second[["front axle", "rear axle", "front share"]].round(2).values.tolist() == [[37.85, 62.15, 37.85]]


def test_percent_mac_and_index_of_an_airliner() -> None:
    # MAC 134.5 in, LEMAC 625.6: 41,000 kg at 663 in is 27.8 %; with 2,500 kg at 360 in 645.59 in, 14.86 %
    keys = {"mac": 134.5, "lemac": 625.6, "index-datum": 648.5, "index-c": 65000, "index-k": 40}
    one = style(result_of(("A", 41000, 663)), "aircraft", keys).iloc[0]
    assert (round(one["%MAC"], 1), one["index"]) == (27.8, pytest.approx(41000 * 14.5 / 65000 + 40))
    both = style(result_of(("A", 41000, 663), ("B", 2500, 360)), "aircraft", keys).iloc[0]
    assert (round(both["arm"], 2), round(both["%MAC"], 2)) == (645.59, 14.86)
    # (31.6 − 25) · 110.8 · 0.029 + 100 = 121.2
    keys = {"index-datum": 25, "index-c": 1 / 0.029, "index-k": 100}
    assert round(style(result_of(("A", 110.8, 31.6)), "aircraft", keys)["index"][0], 1) == 121.2


def test_group_statement_of_raymer_and_index_of_added_items() -> None:
    rows = ("E", 11495, 23.6084384515), ("L", 4985, 21.9845536610)
    keys = {"groups": {"fuselage": ["E"], "cargo": "L"}, "index-datum": 20, "index-c": 1000, "index-k": 50}
    table = style(result_of(*rows), "aircraft", keys, table="groups").set_index("group")
    assert table.index.tolist() == [
        "fuselage", "structures", "weight empty", "cargo", "useful load", "take-off gross weight",
    ]  # fmt: skip
    assert table.loc["weight empty", ["weight", "moment"]].round().tolist() == [11495, 271379]
    gross = table.loc["take-off gross weight"]
    assert (gross["weight"], round(gross["moment"]), round(gross["arm"], 2)) == (16480, 380972, 23.12)
    added = table.loc["cargo", "index"]  # without K
    assert added == pytest.approx(4985 * (21.9845536610 - 20) / 1000)
    assert table.loc["weight empty", "index"] + added == pytest.approx(gross["index"])


# closed forms


def test_corner_loads_are_in_equilibrium_and_on_a_plane() -> None:
    keys = {"front-axle": 1.2, "rear-axle": -1.4, "track-front": 1.5, "track-rear": 1.7}
    one = style(result_of(("A", 900, 0.1, 0.04, 0.5), ("B", 100, -0.5, -0.3, 0.2)), "car", keys).iloc[0]
    x, y = (900 * 0.1 - 100 * 0.5) / 1000, (900 * 0.04 - 100 * 0.3) / 1000
    lf, rf, lr, rr = (one[f"{side} {end}"] for end in ("front", "rear") for side in ("left", "right"))
    assert lf + rf + lr + rr == pytest.approx(1000)
    assert 1.2 * (lf + rf) - 1.4 * (lr + rr) == pytest.approx(1000 * x)
    assert 0.75 * (lf - rf) + 0.85 * (lr - rr) == pytest.approx(1000 * y)
    assert (lf - rf) / 1.5 == pytest.approx((lr - rr) / 1.7)  # one plane over both axles
    assert one["left share"] == pytest.approx((lf + lr) / 10)
    assert one["diagonal share"] == pytest.approx((rf + lr) / 10)


def test_load_transfer() -> None:
    keys = {"front-axle": 0, "wheelbase": 2.5, "acceleration": [0, 0.4, "-1"]}
    made = style(result_of(("A", 1000, -1, 0, 0.5)), "car", keys, table="load transfer")
    assert made["rear axle"].tolist() == [pytest.approx(400 + a * 200) for a in (0, 0.4, -1)]
    assert (made["front axle"] + made["rear axle"]).tolist() == [pytest.approx(1000)] * 3


SHIP_KEYS = """lightship = "HULL"
additions = ["CRANE"]
deductions = ["WINCH"]
lpp = 100
hydrostatics = { "displacement [t]" = [1640, 3280, 4920], "T [m]" = [1, 2, 3], "KMT [m]" = [22, 12, 9], "LCB" = [50, 50, 50], "LCF" = [50, 50, 50], "MTC [t*m/cm]" = [136, 136, 136] }
"""  # noqa: E501
SHIP = """id,parent,qty,mass [t],Cx [m],Cy [m],Cz [m]
SHIP,,,,,,
HULL,SHIP,1,2000,50,0,5
CRANE,SHIP,1,50,60,1,9
WINCH,SHIP,-1,10,20,0,8
CARGO,SHIP,1,1000,48,0.1,4
FUEL,SHIP,1,0,0,0,0
"""
TANK = (
    '[tank.FO]\nitem = "FUEL"\nshape = "box"\ndims = "a=10 m; b=12 m; c=4 m"\nat = ["20 m", "0 m", "2 m"]\n'
    'density = "900 kg/m3"\nfill = 50\n'
)


def test_stability_of_a_ship_in_closed_form(tmp_path) -> None:
    made = table_of(
        tmp_path, SHIP, f"{TANK}[style.ship]\n{SHIP_KEYS}[condition.full]\n[condition.light]\noff = ['CARGO']\n"
    )
    table = style(conditions(made), "ship").set_index("condition")
    full = table.loc["full"]
    fuel = 0.9 * 10 * 12 * 2
    weight = 2000 + 50 - 10 + 1000 + fuel
    lcg = (2000 * 50 + 50 * 60 - 10 * 20 + 1000 * 48 + fuel * 20) / weight
    tcg, kg = (50 + 100) / weight, (2000 * 5 + 50 * 9 - 10 * 8 + 4000 + fuel * 1) / weight
    surface = 0.9 * 10 * 12**3 / 12
    km, draught = np.interp(weight, [1640, 3280], [22, 12]), np.interp(weight, [1640, 3280], [1, 2])
    gm = km - kg - surface / weight
    assert full["FSM"] == pytest.approx(surface)
    assert full["KG corrected"] == pytest.approx(kg + surface / weight)
    assert full["GM"] == pytest.approx(gm)
    assert full["list to port"] == pytest.approx(math.degrees(math.atan(tcg / gm)))
    trim = weight * (50 - lcg) / 13600  # by the stern where LCG is aft of LCB
    assert full["trim by stern"] == pytest.approx(trim)
    assert (full["draught aft"], full["draught forward"]) == (
        pytest.approx(draught + trim / 2),
        pytest.approx(draught - trim / 2),
    )
    weights = style(conditions(made), "ship", table="weights full").set_index("weight")
    assert weights.index.tolist() == [
        "lightship", "+ CRANE", "− WINCH", "lightship, corrected", "CARGO", "FUEL", "deadweight", "displacement",
    ]  # fmt: skip
    assert weights["mass"].tolist() == pytest.approx([2000, 50, -10, 2040, 1000, fuel, 1000 + fuel, weight])
    assert weights["FSM"].tolist() == pytest.approx([0, 0, 0, 0, 0, surface, surface, surface])
    assert weights.loc["deadweight", "L moment"] == pytest.approx(48000 + fuel * 20)


def test_a_ship_whose_axes_are_turned_is_the_same_ship(tmp_path) -> None:
    usual = style(
        rollup(table_of(tmp_path, SHIP)), "ship", {"hydrostatics": {"displacement": [1000, 5000], "KM": [9, 8]}}
    )
    # x aft from the forward perpendicular at 100 m, y to starboard, z down from a deck at 10 m
    rows = [line.split(",") for line in SHIP.splitlines()]
    for row in rows[2:]:
        row[4], row[5], row[6] = str(100 - float(row[4])), str(-float(row[5])), str(10 - float(row[6]))
    keys = {
        "aft": "+x", "starboard": "y", "up": "-z", "baseline": "10 m", "datum": "100 m",
        "hydrostatics": {"displacement": [1000, 5000], "KM": [9, 8]},
    }  # fmt: skip
    turned = style(rollup(table_of(tmp_path, "\n".join(map(",".join, rows)) + "\n")), "ship", keys)
    assert turned["KG"].tolist() == pytest.approx(usual["KG"].tolist())
    assert turned["LCG aft"].tolist() == pytest.approx([-x for x in usual["LCG forward"]])
    assert turned["list to starboard"].tolist() == pytest.approx([-x for x in usual["list to port"]])
    assert "aft +x, starboard +y, up -z; origin: x = 100 m, z = 10 m" in turned.attrs["notes"][0]
    words = {"aft": "-x", "left": "y", "up": "z"}  # arms keep the signs of the table, and those of the hydrostatics
    again = style(rollup(table_of(tmp_path, SHIP)), "ship", {**words, "hydrostatics": keys["hydrostatics"]})
    assert again["LCG forward"].tolist() == usual["LCG forward"].tolist()
    assert again["list to port"].tolist() == usual["list to port"].tolist()


def test_free_surfaces_of_a_column_count_in_a_roll_up() -> None:
    rows = [{"id": "T", "parent": "S", "mass": 50.0, "Cx": 1.0, "Cy": 0.0, "Cz": 2.0, "qty": 2, "FSM": "30"}]
    made = rollup(Bom.from_records([{"id": "S", "parent": ""}, *rows]))
    table = style(made, "ship", {"fsm-column": "FSM"})
    assert table[["FSM", "KG corrected"]].values.tolist() == [[60, 2.6]]


def test_two_stage_margins_of_a_spacecraft(tmp_path) -> None:
    # nominal dry = Σ m (1 + margin of its maturity), system margin on it, residual of propellant outside
    text = "id,parent,mass [kg],Maturity\nSAT,,,\nBUS,SAT,,\nFRAME,BUS,190,C\nUNIT,BUS,10,A\nPAYLOAD,SAT,100,D\n"
    (tmp_path / "margins.csv").write_text("category,A,C,D\nany,5 %,10 %,20 %\n")
    keys = {"propellant": "FUEL", "system-margin": 20, "residual": 2, "limit": "550 kg"}
    made = rollup(table_of(tmp_path, text + "FUEL,SAT,80,\n", '[growth]\ntable = "margins.csv"\n'))
    one = style(made, "space", keys).iloc[0]
    nominal = 190 * 1.1 + 10 * 1.05 + 100 * 1.2
    assert (one["basic dry"], one["growth (MGA)"]) == (300, pytest.approx(nominal - 300))
    assert one["predicted dry"] == pytest.approx(nominal)
    assert one["dry with margin"] == pytest.approx(nominal * 1.2)
    wet = nominal * 1.2 + 80 * 1.02
    assert (one["propellant"], one["wet"]) == (80, pytest.approx(wet))
    shares = {"predicted": wet, "basic": 380, "limit": 550}
    for over, base in shares.items():
        made_over = style(made, "space", {**keys, "margin-over": over})
        assert made_over["margin share"][0] == pytest.approx(100 * (550 - wet) / base)
        words = {"predicted": "wet", "basic": "basic wet", "limit": "limit"}[over]
        assert f"margin share = 100 (limit − wet) / {words}" in made_over.attrs["notes"]
    dry = style(made, "space", {**keys, "limit-of": "dry", "limit": 450})
    assert dry["margin"][0] == pytest.approx(450 - nominal * 1.2)


def test_growth_of_the_table_is_the_maturity_margin(tmp_path) -> None:
    made = rollup(table_of(tmp_path, "id,parent,mass [kg],MGA [%]\nS,,,\nA,S,100,10\nB,S,50,20\n"))
    one = style(made, "space", {}).iloc[0]
    assert (one["basic dry"], one["growth (MGA)"], one["predicted dry"], one["wet"]) == (150, 20, 170, 170)


def test_liquids_of_tanks_are_propellant(tmp_path) -> None:
    text = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nS,,,,,\nBUS,S,100,0,0,1\nTANK,S,20,0,0,0\n"
    tank = '[tank.T]\nitem = "TANK"\nrow = "tank"\nshape = "box"\ndims = "a=1 m; b=1 m; c=1 m"\ndensity = "100 kg/m3"\n'
    made = table_of(tmp_path, text, f"{tank}[condition.full]\n[condition.half]\nfill = {{ T = 50 }}\n")
    table = style(conditions(made), "space")
    assert table[["basic dry", "propellant", "wet"]].values.tolist() == [
        pytest.approx([120, 100, 220]),
        pytest.approx([120, 50, 170]),
    ]


# uncertainties

LEAVES = np.array([[950.0, -1.35, 0.01, 0.52], [180.0, -0.15, 0.02, 0.45], [75.0, -1.25, 0.37, 0.60]])
SIGMAS = np.array([[9.0, 0.02, 0.004, 0.03], [3.0, 0.01, 0.002, 0.01], [4.0, 0.03, 0.01, 0.02]])


def sampled(n: int = 400_000) -> tuple[np.ndarray, ...]:
    """Return mass and moments ÷ mass of samples of the three leaves."""
    drawn = LEAVES + SIGMAS * np.random.default_rng(7).standard_normal((n, 3, 4))
    mass = drawn[:, :, 0].sum(axis=1)
    return (mass, *((drawn[:, :, 0] * drawn[:, :, k]).sum(axis=1) / mass for k in (1, 2, 3)))


@pytest.fixture(scope="module")
def leaves(tmp_path_factory) -> Any:
    rows = [f"P{k},TOP,{','.join(map(str, [*LEAVES[k], *SIGMAS[k]]))}" for k in range(3)]
    folder = tmp_path_factory.mktemp("leaves")
    return rollup(table_of(folder, HEAD + "TOP,,,,,,,,,\n" + "\n".join(rows) + "\n"))


def test_sigmas_are_those_of_samples(leaves) -> None:
    m, x, y, _ = sampled()
    trim = m * (x + 1.1) * -1 / (50 + 0.1 * (m - 1000))
    expected = {
        ("car", "front axle"): m * (1 + x / 2.6),
        ("car", "rear axle"): -m * x / 2.6,
        ("car", "front share"): 100 * (1 + x / 2.6),
        ("car", "left front"): m * (1 + x / 2.6) / 2 + m * y * 1.5 / (1.5**2 + 1.6**2),
        ("aircraft", "moment"): m * (x + 3),
        ("aircraft", "%MAC"): 100 * (x + 3 - 1.5) / 0.8,
        ("aircraft", "index"): m * (x + 3 - 2) / 100 + 40,
        ("ship", "trim by stern"): trim,
        ("space", "margin"): 2000 - 1.2 * m,
        ("space", "margin share"): 100 * (2000 - 1.2 * m) / m,
    }
    curves = {"displacement": [1000, 1200, 1300], "KM": [3, 2.6, 2.3], "LCB": [-1.1] * 3, "MCT": [50, 70, 80]}
    keys = {
        "car": {"front-axle": 0, "wheelbase": 2.6, "track-front": 1.5, "track-rear": 1.6},
        "aircraft": {"datum": -3, "mac": 0.8, "lemac": 1.5, "index-datum": 2, "index-c": 100, "index-k": 40},
        "ship": {"hydrostatics": curves},
        "space": {"system-margin": 20, "limit": 2000, "margin-over": "basic"},
    }
    for (trade, name), values in expected.items():
        row = style(leaves, trade, keys[trade]).iloc[0]  # type: ignore[arg-type]
        assert row[f"sigma_{name}"] == pytest.approx(values.std(), rel=0.02), name
        assert row[name] == pytest.approx(values.mean(), rel=0.01), name


def test_sigmas_of_stability_are_those_of_samples(tmp_path) -> None:
    rows = [f"P{k},TOP,{','.join(map(str, [*LEAVES[k], *SIGMAS[k]]))},{3000 * (k == 0)}" for k in range(3)]
    text = HEAD.replace("\n", ",FSM [kg*cm]\n") + "TOP,,,,,,,,,,\n" + "\n".join(rows) + "\n"
    curves = {"displacement": [1000, 1150, 1300], "KM": [3, 2.6, 2.3]}
    made = style(rollup(table_of(tmp_path, text)), "ship", {"hydrostatics": curves, "fsm-column": "FSM [kg*cm]"}).iloc[
        0
    ]
    m, _, y, z = sampled()
    gm = np.interp(m, curves["displacement"], curves["KM"]) - z - 30 / m
    for name, values in {"KG corrected": z + 30 / m, "GM": gm, "list to port": np.degrees(np.arctan(y / gm))}.items():
        assert made[f"sigma_{name}"] == pytest.approx(values.std(), rel=0.02), name
        assert made[name] == pytest.approx(values.mean(), rel=0.01), name


def test_values_without_sigmas_have_none() -> None:
    assert not [name for name in style(result_of(("A", 1, 1, 1, 1)), "ship", {}) if str(name).startswith("sigma_")]


def test_shared_uncertainties_add_up_in_the_wet_mass(tmp_path) -> None:
    text = HEAD + "S,,,,,,,,,\nA,S,100,0,0,0,3,0,0,0\nB,S,50,0,0,0,4,0,0,0\n"
    table = table_of(tmp_path, text)
    made = [
        style(rollup(table, correlate=one), "space", {"propellant": "B"})["sigma_wet"][0] for one in ("none", "all")
    ]
    assert made == [pytest.approx(5), pytest.approx(7)]


# units


def test_numbers_are_read_in_their_own_units(tmp_path) -> None:
    text = "id,parent,mass [lb],Cx [in]\nA,,,\nB,A,1000,120\n"
    keys = {"datum": "-2 ft", "mac": "10 ft", "lemac": "8.4 ft", "index-c": "100 lb*ft", "index-datum": "3.6 m"}
    one = style(rollup(table_of(tmp_path, text)), "aircraft", keys).iloc[0]
    assert (one["arm"], one["%MAC"]) == (144, pytest.approx(100 * (144 - 100.8) / 120))
    assert one["index"] == pytest.approx(1000 * (144 - 3600 / 25.4) / 1200)
    imperial = "id,parent,mass [long ton],Cx [ft],Cy [ft],Cz [ft]\nA,,,,,\nB,A,1000,12,0,10\n"
    curves = {"displacement [t]": [1000, 1100], "KM [m]": [4, 4], "LCB [ft]": [10, 10], "MCT [LT*ft/in]": [50, 50]}
    two = style(rollup(table_of(tmp_path, imperial)), "ship", {"hydrostatics": curves, "aft": "x"}).iloc[0]
    assert two["GM"] == pytest.approx(4 / 0.3048 - 10)
    assert two["trim by stern"] == pytest.approx(1000 * 2 / 50 / 12)  # 50 LT·ft for an inch


def test_hydrostatics_of_files(tmp_path) -> None:
    (tmp_path / "curves.csv").write_text("Displacement [kg];Draft [mm];KM [m];TPC\n\n100;500;2;x\n200;1000;3;x\n")
    (tmp_path / "curves.toml").write_text('displacement = [100, 200]\n"KM [m]" = [2, 3]\n')
    for name in ("curves.csv", "curves.toml"):
        configuration = f'[style.ship]\nhydrostatics = "{name}"\n'
        made = table_of(tmp_path, HEAD + "S,,,,,,,,,\nA,S,150,1,1,1,0,0,0,0\n", configuration)
        assert style(rollup(made), "ship")["KM"].tolist() == [2.5]


# axes


def test_arms_are_positive_aft_and_the_axles_show_the_direction() -> None:
    # x forward from a point 10 m in front of the datum
    made = style(result_of(("A", 2, -13)), "aircraft", {"forward": "x", "datum": -10, "mac": 2, "lemac": 2})
    assert made[["arm", "%MAC"]].values.tolist() == [[3, 50]]
    car = style(result_of(("A", 100, 1)), "car", {"front-axle": 0, "rear-axle": 4})
    assert "aft +x" in car.attrs["notes"][0]
    along_z = style(
        result_of(("A", 100, 0, 0, 3)), "car", {"aft": "z", "up": "y", "left": "x", "front-axle": 0, "wheelbase": 4}
    )
    assert along_z["rear axle"].tolist() == [75]


# wrong input

CAR = {"front-axle": 0, "rear-axle": -2.5}
AIRCRAFT = {"mac": 1, "lemac": 0}


@pytest.mark.parametrize(
    ("trade", "keys", "rule", "words"),
    [
        ("aircraft", {"lemac": 1}, "MP650", "mac is not stated, and lemac is"),
        ("aircraft", {"mac": 1}, "MP650", "lemac is not stated"),
        ("aircraft", {"index-datum": 1, "index-c": 0}, "MP651", "index-c is 0"),
        ("aircraft", {"index-c": 5}, "MP650", "index-datum is not stated"),
        ("aircraft", {**AIRCRAFT, "mac": -1}, "MP651", "mac is not greater than 0: -1"),
        ("aircraft", {**AIRCRAFT, "mac": "1 kg"}, "MP651", "mac is not a length: '1 kg'"),
        ("aircraft", {**AIRCRAFT, "mac": math.nan}, "MP651", "mac is not a length"),
        ("aircraft", {"lemak": 1}, "MP902", "unknown key: lemak; the nearest is lemac"),
        ("aircraft", {"groups": {"wings": ["A"]}}, "MP652", "groups has an unknown name: wings; the nearest is wing"),
        ("aircraft", {"groups": {"wing": ["B"]}}, "MP652", "groups: "),
        ("aircraft", {"groups": {"wing": ["A"], "oil": "A"}}, "MP652", "A is in two groups: wing and oil"),
        ("aircraft", {"groups": ["A"]}, "MP651", "groups is not a table"),
        ("aircraft", {"groups": {"wing": [1]}}, "MP652", "groups: "),
        ("aircraft", {"group-column": "Group"}, "MP652", "unknown column"),
        ("aircraft", {"groups": {}}, "MP655", "1 item without a group: A"),
        ("aircraft", {"aft": "x", "forward": "+x"}, "MP651", "axes are contradictory: forward and aft"),
        ("aircraft", {"up": "x"}, "MP651", "axes are contradictory: aft and up are both along x"),
        ("aircraft", {"aft": "w"}, "MP651", "aft is not an axis: w"),
        ("aircraft", {"mac": 1, "lemac": 5}, "MP654", "TOP: CG is at -400.0 % MAC, outside the chord"),
        ("car", {}, "MP650", "front-axle is not stated"),
        ("car", {"front-axle": 0}, "MP650", "rear-axle is not stated"),
        ("car", {"front-axle": 1, "rear-axle": 1}, "MP651", "wheelbase is 0"),
        ("car", {"front-axle": 1, "wheelbase": 0}, "MP651", "wheelbase is not greater than 0"),
        ("car", {**CAR, "wheelbase": 2}, "MP651", "wheelbase is not the distance of the axles: 2 and 2.5"),
        ("car", {**CAR, "aft": "x"}, "MP651", "axes are contradictory: by forward or aft"),
        ("car", {**CAR, "track-front": 1}, "MP650", "track-rear is not stated, and track-front is"),
        ("car", CAR, "MP654", "TOP: CG is outside the wheelbase"),
        ("car", {**CAR, "acceleration": "fast"}, "MP651", "acceleration is not a number"),
        ("ship", {"hydrostatics": "no.csv"}, "MP651", "hydrostatics cannot be read"),
        ("ship", {"hydrostatics": {"KM": [1, 2]}}, "MP650", "that increase: columns KM"),
        ("ship", {"hydrostatics": {"displacement": [3, 1], "KM": [1, 2]}}, "MP650", "hydrostatics lack KM"),
        ("ship", {"hydrostatics": {"displacement": [1, "x"], "KM": [1, 2]}}, "MP651", "is not a mass: 'x'"),
        ("ship", {"hydrostatics": {"displacement": [3, 5], "KM": [9, 8]}}, "MP653", "TOP: displacement 2 is outside"),
        ("ship", {"hydrostatics": {"displacement": [1, 3], "KM": [0, 0]}}, "MP654", "TOP: GM is not positive: -1"),
        ("ship", {"lightship": "B"}, "MP652", "lightship: "),
        ("ship", {"deductions": "A"}, "MP651", "A is in deductions and adds 2"),
        ("ship", {"by": "Group"}, "MP652", "by: unknown column"),
        ("ship", {"fsm-column": "FSM"}, "MP652", "fsm-column: unknown column: FSM"),
        ("ship", {"fsm-column": "id"}, "MP651", "fsm-column is not a mass × length: 'A'"),
        ("space", {"limit": 0}, "MP651", "limit is not greater than 0"),
        ("space", {"margin-over": "allocation"}, "MP652", "margin-over has an unknown name: allocation"),
        ("space", {"propellant": "FUEL"}, "MP652", "propellant: "),
    ],
)  # fmt: skip
def test_wrong_input_is_reported(trade: str, keys: dict[str, Any], rule: str, words: str) -> None:
    found = findings_of(result_of(("A", 2, 1, 1, 1)), trade, keys)
    assert [one for one in found if one[0] == rule and words in one[1]], found
    if rule not in ("MP654", "MP655"):
        with pytest.raises(FindingsError):
            style(result_of(("A", 2, 1, 1, 1)), trade, keys)  # type: ignore[arg-type]


def test_masses_without_a_centre_are_reported(tmp_path) -> None:
    made = rollup(
        table_of(tmp_path, "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nS,,,,,\nA,S,2,1,0,0\nB,S,3,,,\n"), keep_going=True
    )
    found = findings_of(made, "aircraft", {})
    assert [rule for rule, _ in found] == ["MP654"]
    assert "some masses have no centre" in found[0][1]


def test_roles_of_conditions(tmp_path) -> None:
    configuration = "[condition.A]\n[condition.OEW]\noff = ['L']\n[condition.landing-weight]\nset = ['L.mass=9 kg']\n"
    made = table_of(tmp_path, "id,parent,mass [kg],Cx [m]\nS,,,\nE,S,2,1\nL,S,3,2\n", configuration)
    answer = conditions(made)
    table = style(answer, "aircraft", {"conditions": {"take-off": "A"}})
    assert table[["condition", "role"]].values.tolist() == [
        ["OEW", "empty"],
        ["landing-weight", "landing"],
        ["A", "take-off"],
    ]
    assert findings_of(answer, "aircraft", {"conditions": {"take-off": "A"}}) == [
        ("MP654", "style aircraft: landing weighs more than take-off: 11 and 5")
    ]
    assert findings_of(answer, "aircraft", {"conditions": {"take-of": "A"}})[0][0] == "MP652"
    assert findings_of(answer, "aircraft", {"conditions": {"landing": "OWE"}})[0][1].endswith("OWE; the nearest is OEW")


def test_centres_that_are_not_read_are_an_error() -> None:
    found = findings_of(rollup(Bom.from_records([{"id": "A", "mass": 2.0, "Cz": 1.0}])), "aircraft", {})
    assert ("MP650", "style aircraft: centres along x are not known") in found


def test_unknown_trade_and_table() -> None:
    made = result_of(("A", 2, 1))
    with pytest.raises(UsageError, match="invalid style: plane"):
        style(made, "plane")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="invalid table: weight"):
        style(made, "ship", {}, table="weight")
