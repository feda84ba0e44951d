"""Files of schedules, read by readers that know only their formats: JSBSim, RocketPy, CPACS, MATLAB."""

from __future__ import annotations

import runpy
import sys
import types
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import massprops as mp
from massprops_cli.bodies.liquids import shape_container
from tests.unit.test_tanks import DRY, LIQUID_ROWS, SAMPLE, TANKS, read

POUND, INCH, FOOT = 0.45359237, 0.0254, 0.3048
SLUG = POUND * 32.174049  # that of JSBSim
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


@pytest.fixture(params=["stage", "tilted tanks", "together"])
def burn(request: pytest.FixtureRequest, tmp_path: Path) -> mp.Schedule:
    if request.param == "stage":
        return mp.schedule(mp.read_bom(SAMPLE / "stage.csv"), "propellant", steps=12)
    bom = read(tmp_path, DRY + LIQUID_ROWS, TANKS)
    return mp.schedule(bom, ["OX", "KEROSENE"], steps=12, together=request.param == "together")


def tensor(six: np.ndarray | list[float]) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def joined(parts: list[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and tensor about it of bodies, by second moments about the origin."""
    mass = sum(m for m, _, _ in parts)
    center = sum(m * c for m, c, _ in parts) / mass
    arms = [(m, c - center, J) for m, c, J in parts]
    return mass, center, sum(J + m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d, J in arms)


def triple(element: ElementTree.Element) -> np.ndarray:
    return np.array([float(element.findtext(axis)) for axis in "xyz"]) * INCH


def looked_up(function: ElementTree.Element, by: dict[str, float]) -> float:
    table = np.array(function.findtext("table/tableData").split(), float).reshape(-1, 2)
    assert (np.diff(table[:, 0]) > 0).all()  # as JSBSim requires
    return float(np.interp(by[function.findtext("table/independentVar")], *table.T))


def test_jsbsim_file_has_the_schedule(burn: mp.Schedule, tmp_path: Path) -> None:
    burn.save(tmp_path / "b.jsbsim.xml")
    root = ElementTree.parse(tmp_path / "b.jsbsim.xml").getroot()
    balance = root.find("mass_balance")
    assert balance.get("negated_crossproduct_inertia") == "true"  # Ixy = −∫xy dm
    own = tensor([float(balance.findtext(f"i{entry}")) * SLUG * FOOT**2 for entry in ENTRIES])
    empty = float(balance.findtext("emptywt")) * POUND, triple(balance.find("location")), own
    for k in range(len(burn.mass)):
        by = {f"propulsion/tank[{i}]/contents-lbs": mass / POUND for i, mass in enumerate(burn.tank_mass[k])}
        functions = root.findall("system/channel/fcs_function")
        made = {one.findtext("output"): looked_up(one.find("function"), by) for one in functions}
        parts = [empty]
        for i, tank in enumerate(root.findall("propulsion/tank")):
            contents, drain = by[f"propulsion/tank[{i}]/contents-lbs"], triple(tank.find("drain_location"))
            place = np.array([made[f"propulsion/tank[{i}]/{axis}-position"] for axis in "xyz"]) * INCH
            center = drain + contents / float(tank.findtext("capacity")) * (place - drain)
            grain = [looked_up(tank.find(f"grain_config/i{axis * 2}/function"), by) for axis in "xyz"]
            parts.append((contents * POUND, center, np.diag(grain) * SLUG * FOOT**2))
        for i, point in enumerate(balance.findall("pointmass")):
            weight = made[f"inertia/pointmass-weight-lbs[{i}]"] * POUND
            parts.append((weight, triple(point.find("location")), np.zeros((3, 3))))
        mass, center, inertia = joined(parts)
        assert mass == pytest.approx(burn.mass[k], rel=1e-12)
        np.testing.assert_allclose(center, burn.center[k], rtol=0, atol=1e-12)
        np.testing.assert_allclose(inertia, burn.inertia[k], rtol=0, atol=1e-11 * burn.inertia.max())
    if burn.tanks == ("OX", "KEROSENE"):  # the axis of a tilted tank is not one of the table
        assert len(balance.findall("pointmass")) == 12


def test_rocketpy_file_has_the_schedule(burn: mp.Schedule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = types.SimpleNamespace(Function=object, GenericMotor=object, Rocket=object)
    monkeypatch.setitem(sys.modules, "rocketpy", names)
    burn.save(tmp_path / "b.rocketpy.py")
    made = runpy.run_path(str(tmp_path / "b.rocketpy.py"))
    used, dry = np.array(made["PROPELLANT_MASS"][::-1]), made["DRY_MASS"]
    np.testing.assert_allclose(used + dry, burn.mass, rtol=1e-14)
    z = np.array(made["PROPELLANT_CENTER"][::-1])
    np.testing.assert_allclose((used * z + dry * made["DRY_CENTER"]) / (used + dry), burn.center[:, 2], rtol=1e-12)
    assert z[-1] == burn.d_moment[-1, 2]
    curves = [made["PROPELLANT_INERTIA"][name][::-1] for name in ("11", "22", "33", "12", "13", "23")]
    for k, own in enumerate(np.array(curves).T):  # RocketPy joins bodies on the axis e_3
        ends = [(used[k], z[k], own), (dry, made["DRY_CENTER"], np.array(made["DRY_INERTIA"]))]
        arms = [m * (at - burn.center[k, 2]) ** 2 * np.diag([1, 1, 0]) for m, at, _ in ends]
        whole = sum(tensor(six) for _, _, six in ends) + sum(arms)
        np.testing.assert_allclose(whole, burn.inertia[k], rtol=0, atol=1e-12 * burn.inertia.max())


def test_cpacs_file_has_the_schedule(burn: mp.Schedule, tmp_path: Path) -> None:
    burn.save(tmp_path / "b.cpacs.xml")
    case = ElementTree.parse(tmp_path / "b.cpacs.xml").find(
        "vehicles/aircraft/model/analyses/weightAndBalance/operationalCases/operationalCase"
    )

    def bodies(of: ElementTree.Element) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """Mass, centre and tensor about the centre at each step."""

        def vector(path: str) -> np.ndarray:
            return np.array(of.findtext(path).split(";"), float)

        mass, center = vector("mass"), np.array([vector(f"coG/{axis}") for axis in "xyz"]).T
        about_origin = np.array([vector(f"massInertia/J{entry}") for entry in ENTRIES]).T
        return [
            (m, c, tensor(J) - m * (c @ c * np.eye(3) - np.outer(c, c)))
            for m, c, J in zip(mass, center, about_origin, strict=True)
        ]

    for k, (mass, center, inertia) in enumerate(bodies(case)):
        assert mass == burn.mass[k]
        assert center.tolist() == burn.center[k].tolist()
        np.testing.assert_allclose(inertia, burn.inertia[k], rtol=0, atol=1e-11 * burn.inertia.max())
    for k, (mass, center, inertia) in enumerate(bodies(case.find("mFuel"))):
        expected = joined([*zip(burn.tank_mass[k], burn.tank_center[k], burn.tank_inertia[k], strict=True)])
        assert mass == pytest.approx(expected[0], rel=1e-14)
        np.testing.assert_allclose(center, expected[1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(inertia, expected[2], rtol=0, atol=1e-11 * burn.inertia.max())


def test_mat_file_has_the_variables_of_the_script(burn: mp.Schedule, tmp_path: Path) -> None:
    from scipy.io import loadmat

    burn.save(tmp_path / "b.mat")
    found = loadmat(str(tmp_path / "b.mat"))
    assert found["mass"].tolist() == [burn.mass[::-1].tolist()]  # ascending: breakpoints
    assert found["center"].tolist() == burn.center[::-1].tolist()
    assert found["dcdm"].tolist() == burn.d_center[::-1].tolist()
    for name, values in (("inertia", burn.inertia), ("dIdm", burn.d_inertia)):
        assert np.moveaxis(found[name], 2, 0).tolist() == values[::-1].tolist()


def test_liquids_of_tanks_and_the_rest_are_the_whole(burn: mp.Schedule, tmp_path: Path) -> None:
    """The rest does not change: it is found from any step."""
    rests = []
    for k in range(len(burn.mass)):
        liquids = [*zip(-burn.tank_mass[k], burn.tank_center[k], -burn.tank_inertia[k], strict=True)]
        rests.append(joined([(burn.mass[k], burn.center[k], burn.inertia[k]), *liquids]))
    for mass, center, inertia in rests[1:]:
        assert mass == pytest.approx(rests[0][0], rel=1e-12)
        np.testing.assert_allclose(center, rests[0][1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(inertia, rests[0][2], rtol=0, atol=1e-10 * burn.inertia.max())


def test_programmes_need_units_inertia_and_a_name(tmp_path: Path) -> None:
    whole = mp.schedule(mp.read_bom(SAMPLE / "stage.csv"), "LOX", steps=2)
    with pytest.raises(mp.UsageError, match=r"unknown format of a schedule: .*b\.xml.*\.jsbsim\.xml"):
        whole.save(tmp_path / "b.xml")
    head = dict.fromkeys(["id", "parent", "mass", "Cx", "Cy", "Cz"], 0.0)
    rows = [
        {"id": "S", "parent": ""},
        {**head, "id": "A", "parent": "S", "mass": 9},
        {**head, "id": "F", "parent": "S"},
    ]
    tank = mp.Tank("T", "F", 2.0, shape_container("box", {"a": 1.0, "b": 1.0, "c": 1.0}))
    with pytest.raises(mp.UsageError, match="jsbsim needs the units of the table"):
        mp.schedule(mp.Bom.from_records(rows), "T", tanks={"T": tank}).save(tmp_path / "b.jsbsim.xml")
    masses = read(
        tmp_path, "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nS,,,,,\nA,S,9,0,0,0\nLOX,S,,0,0,0\n",
        TANKS.partition("[tank.K")[0],
    )  # fmt: skip
    with pytest.raises(mp.UsageError, match="cpacs needs the inertia of all parts"):
        mp.schedule(masses, "OX", steps=2).save(tmp_path / "b.cpacs.xml")
    assert [path.name for path in tmp_path.glob("b.*")] == []


def test_a_tank_that_gives_nothing_is_of_the_empty_weight(tmp_path: Path) -> None:
    bom = mp.read_bom(SAMPLE / "stage.csv")
    burn = mp.schedule(bom, ["LOX", "RP1"], fills={"RP1": 2.0}, steps=3)
    burn.save(tmp_path / "b.jsbsim.xml")
    root = ElementTree.parse(tmp_path / "b.jsbsim.xml").getroot()
    assert [tank.get("name") for tank in root.findall("propulsion/tank")] == ["LOX"]
    empty = float(root.findtext("mass_balance/emptywt")) * POUND
    assert empty == pytest.approx(burn.mass[0] - burn.tank_mass[0, 0], rel=1e-12)


def test_inches_and_pounds_become_those_of_the_programme(tmp_path: Path) -> None:
    text = "id,parent,mass [lb],Cx [in],Cy [in],Cz [in],Ixx [lb*in^2],Iyy [lb*in^2],Izz [lb*in^2],Ixy,Ixz,Iyz,POIconv\n"
    text += "S,,,,,,,,,,,,-\nA,S,1000,1,2,3,2e5,3e5,4e5,0,0,0,-\nF,S,0,0,0,0,0,0,0,0,0,0,-\n"
    tanks = '[tank.T]\nitem = "F"\nshape = "box"\ndims = "a=20 in; b=30 in; c=40 in"\ndensity = "0.03 lb/in3"\n'
    burn = mp.schedule(read(tmp_path, text, tanks), "T", steps=2)
    burn.save(tmp_path / "b.cpacs.xml")
    case = ElementTree.parse(tmp_path / "b.cpacs.xml").find(".//operationalCase")
    assert [float(x) for x in case.findtext("mass").split(";")] == pytest.approx(np.array([1720, 1360, 1000]) * POUND)
    assert float(case.findtext("coG/z").split(";")[-1]) == pytest.approx(3 * INCH)
    about_origin = (2e5 + 1000 * (4 + 9)) * POUND * INCH**2
    assert float(case.findtext("massInertia/Jxx").split(";")[-1]) == pytest.approx(about_origin)
