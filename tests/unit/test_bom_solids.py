"""Tables with columns of shapes against closed forms and published cases."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp

DATA = Path(__file__).parents[1] / "data" / "bodies" / "cases.json"
PRIMITIVES = [
    case
    for case in json.loads(DATA.read_text("utf-8"))["cases"]
    if case["kind"] == "primitive" and not any(case["inputs"].get("pose", []))
]
NUMBERS = "mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv"
UNITS = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
BLANK = "," * 9
STEEL = 7850.0


def bom_of(text: str, **options: object) -> mp.Bom:
    return mp.read_bom(io.StringIO(text), format="csv", **options)


def table(header: str, *rows: str) -> str:
    """A table of parts under one root: each row is its id, and the cells after the blank numbers."""
    first = f"id,parent,{UNITS},POIconv,{header}\nTop,,{BLANK},-{',' * (header.count(',') + 1)}\n"
    return first + "".join(f"{row.split(',', 1)[0]},Top,{BLANK},-,{row.split(',', 1)[1]}\n" for row in rows)


@pytest.mark.parametrize("case", PRIMITIVES, ids=lambda case: case["name"])
def test_published_primitives_as_rows(case):
    inputs, expected = case["inputs"], case["expected"]
    given = inputs["dims"]
    sizes = given.get("size") or given.get("radii")
    dims = dict(zip("abc", sizes, strict=True)) if sizes else {"r": given["radius"]}
    dims |= {"L": given["length"]} if "length" in given else {}
    text = "; ".join(f"{name}={value!r}" for name, value in dims.items())
    mass, density = inputs.get("mass", ""), "" if "mass" in inputs else inputs["density"]
    row = f"A,,{mass}{BLANK},-,{inputs['shape']},{text},{density}"
    body = mp.rollup(bom_of(f"id,parent,{NUMBERS},shape,dims,density\n{row}\n"))["A"]
    assert body.mass == pytest.approx(expected["mass"], rel=1e-9)
    assert body.center.tolist() == pytest.approx(expected["com"], abs=1e-14)
    tensor = [body.inertia[0, 0], body.inertia[1, 1], body.inertia[2, 2]]
    assert tensor == pytest.approx(expected["inertia_com_diag"], **{"rel": 1e-9, "abs": 1e-14} | case["tolerance"])


def test_primitives_are_there():
    assert len(PRIMITIVES) >= 10


def test_row_of_a_shape_equals_its_numbers():
    text = table("shape,dims,axis,wall [mm],density,material", "Bar,cylinder,r=50 mm; L=30 cm,x,,,steel")
    body = mp.rollup(bom_of(text))["Top"]
    m = STEEL * math.pi * 0.05**2 * 0.3
    assert body.mass == pytest.approx(m, rel=1e-14)
    assert body.inertia[0, 0] == pytest.approx(m * 0.05**2 / 2, rel=1e-13)
    assert body.inertia[1, 1] == pytest.approx(m * (3 * 0.05**2 + 0.3**2) / 12, rel=1e-13)


def test_wall_in_the_unit_of_its_header_and_density_with_a_unit():
    text = table("shape,dims,wall [mm],density [g/cm3]", "Ball,sphere,d=200 mm,10,2.7", "Rod,rod,L=1 m; A=1 cm^2,,2")
    result = mp.rollup(bom_of(text, frame="own"))
    assert result["Ball"].mass == pytest.approx(2700 * 4 / 3 * math.pi * (0.1**3 - 0.09**3), rel=1e-13)
    assert result["Rod"].mass == pytest.approx(0.2, rel=1e-13)


def test_own_center_and_own_numbers_have_priority():
    text = (
        f"id,parent,{UNITS},POIconv,shape,dims,density\n"
        f"Top,,{BLANK},-,,,\n"
        "A,Top,2,1,0,0,,,,,,,-,sphere,r=1 m,\n"
        "B,Top,2,-1,0,0,5,6,7,0,0,0,-,sphere,r=1 m,\n"
    )
    result = mp.rollup(bom_of(text, frame="own"))
    assert result["A"].inertia[0, 0] == pytest.approx(0.8, rel=1e-14)
    assert [result["B"].inertia[k, k] for k in range(3)] == [5, 6, 7]
    # 2 · 1² from each of both, and their own moments
    assert result["Top"].inertia[1, 1] == pytest.approx(4 + 0.8 + 6, rel=1e-14)


def test_products_are_entries_whatever_the_sign_column_states():
    rows = [f"A,,{BLANK},{sign},wedge,a=6 m; b=1 m; c=6 m,1 kg/m3" for sign in "-+"]
    tensors = [mp.rollup(bom_of(f"id,parent,{UNITS},POIconv,shape,dims,density\n{r}\n"))["A"].inertia for r in rows]
    # m = abc/2 = 18, u_xz = −ac/36 = −1, Ixz = −m u_xz
    assert [tensor[0, 2] for tensor in tensors] == pytest.approx([18.0, 18.0], rel=1e-14)


def test_tensor_of_a_shape_is_about_its_own_center_under_inertia_about():
    text = f"id,parent,{UNITS},POIconv,shape,dims,density\nA,,2,3,0,0{',' * 6},-,sphere,r=1 m,\n"
    body = mp.rollup(bom_of(text, inertia_about="origin"))["A"]
    assert body.inertia[1, 1] == pytest.approx(0.8, rel=1e-14)


@pytest.mark.parametrize("layout", ["parent", "level", "edges"])
def test_shapes_in_each_layout(layout):
    cells = "sphere,r=1 m,3 kg/m3"
    texts = {
        "parent": f"id,parent,{UNITS},POIconv,shape,dims,density\nTop,,{BLANK},-,,,\nA,Top,{BLANK},-,{cells}\n",
        "level": f"level,id,{UNITS},POIconv,shape,dims,density\n0,Top,{BLANK},-,,,\n1,A,{BLANK},-,{cells}\n",
        "edges": f"parent,child,qty,{UNITS},POIconv,shape,dims,density\nTop,A,1,{BLANK},-,{cells}\n",
    }
    result = mp.rollup(bom_of(texts[layout], layout=layout))
    assert result["Top"].mass == pytest.approx(4 * math.pi, rel=1e-14)
    assert result["Top"].inertia[2, 2] == pytest.approx(0.4 * 4 * math.pi, rel=1e-14)


def test_shapes_in_a_workbook(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    lines = table("shape,dims,wall [mm],material", "Ball,sphere,d=200 mm,WALL,steel").splitlines()
    for line in lines:
        sheet.append([10 if cell == "WALL" else cell or None for cell in line.split(",")])
    book.save(tmp_path / "bom.xlsx")
    mass = mp.rollup(mp.read_bom(tmp_path / "bom.xlsx"))["Top"].mass
    assert mass == pytest.approx(STEEL * 4 / 3 * math.pi * (0.1**3 - 0.09**3), rel=1e-13)


def test_tolerances_give_sigmas_without_sigma_columns():
    text = table(
        "shape,dims,density",
        "A,cylinder,r=50±0.4 mm (2σ); L=300±3 mm (uniform),8000 kg/m3",
        "B,sphere,r=100±1 mm (k=1),1000±10 kg/m3 (k=2)",
    )
    result = mp.rollup(bom_of(text, frame="own"))
    a = 8000 * math.pi * 0.05**2 * 0.3 * math.hypot(2 * 0.2 / 50, math.sqrt(3) / 300)
    b = 1000 * 4 / 3 * math.pi * 0.1**3 * math.hypot(3 * 1 / 100, 5 / 1000)
    assert result["A"].sigma_mass == pytest.approx(a, rel=1e-12)
    assert result["B"].sigma_mass == pytest.approx(b, rel=1e-12)
    assert result["Top"].sigma_mass == pytest.approx(math.hypot(a, b), rel=1e-12)


def test_part_without_tolerances_has_unknown_sigmas():
    text = table("shape,dims,density", "A,sphere,r=1±0.1 m (k=1),1 kg/m3", "B,sphere,r=1 m,1 kg/m3")
    bom = bom_of(text)
    assert bom.sigmas is not None
    assert bom.sigmas.known is not None
    known = dict(zip(bom.ids, bom.sigmas.known[:, 0].tolist(), strict=True))
    assert (known["A"], known["B"]) == (True, False)


@pytest.mark.parametrize(
    ("cells", "column", "message"),
    [
        ("sphre,r=1 m,,1 kg/m3,", "shape", "unknown shape 'sphre'; the nearest is sphere"),
        ("sphere,r=1,,1 kg/m3,", "dims", "r has no unit"),
        ("sphere,,,1 kg/m3,", "dims", "no dimensions are given"),
        ("sphere,r=1±0.1 m,,1 kg/m3,", "dims", "level of ±0.1 of r is not stated"),
        ("sphere,r=1 kg,,1 kg/m3,", "dims", "unit of r is not valid: kg"),
        ("sphere,r=1 m,,-1 kg/m3,", "density", "density = -1 of the sphere is not positive"),
        ("sphere,r=1 m,,0 kg/m3,", "density", "density = 0 of the sphere is not positive"),
        ("sphere,r=1 m,,1,", "density", "density has no unit"),
        ("sphere,r=1 m,,TBD,", "density", "density is not a number with a unit: 'TBD'"),
        ("sphere,r=1 m,up,1 kg/m3,", "axis", "axis must be x, y, z"),
        ("sphere,r=1 m,,,stel", "material", "unknown material 'stel'; the nearest is steel"),
        ("sphere,r=1 m,,,", "density", "mass, density and material are not stated"),
        ("box,a=1 m; b=1 m,,1 kg/m3,", "dims", "a box needs the dimension c"),
    ],
)
def test_faults_name_row_column_and_value(cells, column, message):
    text = table("shape,dims,axis,density,material", f"A,{cells}")
    (finding,) = [one for one in bom_of(text).findings if one.severity.value == "error"]
    assert finding.rule == "MP701"
    assert message in finding.message
    assert (finding.place.row, finding.place.column, finding.item) == (3, column, "A")
    assert finding.remedy


def test_mass_has_priority_and_the_rest_is_reported():
    text = table("shape,dims,density,material", "A,sphere,r=1 m,2 kg/m3,steel")
    bom = bom_of(text)
    assert mp.rollup(bom)["A"].mass == pytest.approx(8 / 3 * math.pi, rel=1e-14)
    (note,) = [one for one in bom.findings if one.rule == "MP702"]
    assert note.message == "material of A is not used: density is stated"


def test_materials_without_shapes_are_not_read():
    bom = bom_of("id,parent,mass,Material,Shape\nTop,,,,\nA,Top,2,unobtainium,round\n")
    assert "material" not in bom.columns.by_quantity
    assert not bom.has_errors
    assert mp.rollup(bom)["Top"].mass == 2


def test_saved_map_of_a_table_with_shapes_reads_it_again(tmp_path):
    path = tmp_path / "bom.csv"
    path.write_text(table("shape,dims,wall [mm],density", "A,sphere,r=1 m,100,3 kg/m3"), encoding="utf-8")
    from massprops_cli.cli.app import run_command_line

    assert run_command_line(["validate", str(path), "--save-map", str(tmp_path / "map.toml")]) == 0
    assert 'dims = "dims"' in (tmp_path / "map.toml").read_text("utf-8")
    mapped = mp.rollup(mp.read_bom(path, config=tmp_path / "map.toml"))["Top"].mass
    assert mapped == pytest.approx(4 * math.pi * (1 - 0.9**3), rel=1e-13)


def test_shapes_of_several_pieces_reject_masses_of_rows():
    text = "id,parent,qty,mass [kg],shape,dims,density\nTop,,1,,,,\nA,Top,2,,sphere,r=1 m,3 kg/m3\n"
    with pytest.raises(mp.UsageError, match="shape of A is ambiguous with --mass-is line: one piece or all 2 pieces"):
        bom_of(text, mass_is="line")


def test_units_of_the_result_do_not_change_the_body():
    text = table("shape,dims,wall [mm],material", "A,sphere,d=2 in,1,steel")
    result = mp.rollup(bom_of(text, units="g,mm"))
    assert result["A"].mass == pytest.approx(7.85e-3 * 4 / 3 * math.pi * (25.4**3 - 24.4**3), rel=1e-12)


def test_precedence_keeps_the_sigma_of_a_stated_mass():
    text = (
        f"id,parent,{UNITS},POIconv,sigma_mass [kg],shape,dims\nTop,,{BLANK},-,,,\n"
        "A,Top,2,,,,,,,,,,-,0.1,sphere,r=1±0.01 m (k=1)\n"
    )
    bom = bom_of(text)
    assert mp.rollup(bom)["Top"].sigma_mass == pytest.approx(0.1, rel=1e-12)
    # Ixx = 0.4 m r²
    assert bom.sigmas.inertia[1, 0] == pytest.approx(0.8 * math.hypot(0.05, 2 * 0.01), rel=1e-12)


OWN_MATERIALS = (
    '[[material]]\nname = "ghost foam"\ndensity = 40\nhalf_range = 6\n\n[[material]]\nname = "steel"\ndensity = 8000\n'
)


def test_own_table_of_materials(tmp_path):
    (tmp_path / "materials.toml").write_text(OWN_MATERIALS)
    source = tmp_path / "bom.csv"
    source.write_text(
        table("shape,dims,material", "A,box,a=1 m; b=1 m; c=1 m,ghost foam", "B,box,a=1 m; b=1 m; c=1 m,steel")
    )
    assert [f.rule for f in mp.read_bom(source).findings if f.rule == "MP701"] == ["MP701"]
    result = mp.rollup(mp.read_bom(source, materials=str(tmp_path / "materials.toml")))
    assert [result[name].mass for name in "AB"] == [40, 8000]
    # a half range is that of a uniform distribution
    assert result["A"].sigma_mass == pytest.approx(6 / math.sqrt(3), rel=1e-13)
    (tmp_path / "massprops.toml").write_text('[read]\nmaterials = "materials.toml"\n')
    assert mp.rollup(mp.read_bom(source))["T" if "T" in result else "Top"].mass == 8040


def test_own_table_of_materials_on_the_command_line(tmp_path):
    from typer.testing import CliRunner

    from massprops_cli.cli.app import app

    path = tmp_path / "materials.toml"
    path.write_text(OWN_MATERIALS)
    words = ["parts", "shape", "box", "a=1m", "b=1m", "c=2m", "material=ghost foam"]
    assert CliRunner().invoke(app, words).exit_code == 2
    outcome = CliRunner().invoke(app, [*words, f"materials={path}"])
    assert outcome.output.splitlines()[1].split(",")[1] == "80"
    path.write_text('[[material]]\nname = "x"\ndensity = -1\n')
    outcome = CliRunner().invoke(app, [*words, f"materials={path}"])
    assert outcome.exit_code == 2
    assert "density of x is not a positive number" in outcome.output


POSED = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*mm^2],Iyy [kg*mm^2],Izz [kg*mm^2],Ixy [kg*mm^2],"
POSED += "Ixz [kg*mm^2],Iyz [kg*mm^2],shape,dims,axis,tx [mm],ty [mm],tz [mm],frame\nT,,,,,,,,,,,,,,,,,,root\n"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (
            "3,200,0,0,,,,,,,box,a=50 mm; b=50 mm; c=50 mm,z,1,2,3,own",
            "centre x = 200 is outside the geometry, -25 to 25",
        ),
        ("3,20,0,0,,,,,,,box,a=50 mm; b=50 mm; c=50 mm,z,1,2,3,own", ""),
        ("3,200,0,0,,,,,,,box,a=50 mm; b=50 mm; c=50 mm,z,1,2,3,root", ""),
        ("3,,,,,,,,,,hemisphere,r=50 mm,-x,1,2,3,own", ""),
        ("3,0,0,-1,,,,,,,hemisphere,r=50 mm,z,1,2,3,own", "z = -1 is outside the geometry, 0 to 50"),
        ("3,-40,0,0,,,,,,,half cylinder,r=50 mm; L=10 mm,-z,1,2,3,own", "x = -40 is outside the geometry, 0 to 50"),
        ("3,0,0,0.02,,,,,,,cylinder,r=50 mm; L=10 mm,z,1,2,3,own", ""),
    ],
)
def test_centre_outside_the_shape_of_its_row(row, words):
    bom = mp.read_bom(io.StringIO(f"{POSED}A,T,{row}\n"), format="csv")
    found = [f.message for f in bom.findings if f.rule == "MP710"]
    assert len(found) == bool(words)
    assert words in "".join(found)


CUBES = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],shape,dims"
CUBE = "box,a=50 mm; b=50 mm; c=50 mm"
OWN_MOMENT = (3 + 1) * 50**2 / 6


@pytest.mark.parametrize(
    ("options", "x", "is_reported"),
    [({}, 200, False), ({"frame": "root"}, 200, False), ({"frame": "own"}, 200, True), ({"frame": "own"}, 20, False)],
)
def test_stated_centre_of_a_shape_without_a_column_of_frames(options, x, is_reported):
    """A centre in the own frame is in the shape; without a frame it states where the shape is."""
    bom = bom_of(f"{CUBES}\nT,,,,,,,\nA,T,3,{x},0,0,{CUBE}\nB,T,1,-20,0,0,{CUBE}\n", **options)
    found = [f.message for f in bom.findings if f.rule == "MP710"]
    assert len(found) == is_reported
    if is_reported:
        assert found[0].startswith(
            f"centre of A does not fit its box: centre x = {x} is outside the geometry, -25 to 25"
        )
    body, center = mp.rollup(bom)["T"], (3 * x - 20) / 4
    assert body.center.tolist() == pytest.approx([center, 0, 0], rel=1e-14)
    across = OWN_MOMENT + 3 * (x - center) ** 2 + (-20 - center) ** 2
    assert body.inertia == pytest.approx(np.diag([OWN_MOMENT, across, across]), rel=1e-14)


def test_stated_centre_of_a_posed_shape_without_a_column_of_frames():
    header, rows = f"{CUBES},tx [mm],ty [mm],tz [mm]", f"A,T,3,20,0,0,{CUBE},100,0,0\nB,T,1,-20,0,0,{CUBE},0,40,0\n"
    text = f"{header}\nT,,,,,,,,,,\n{rows}"
    with pytest.raises(mp.FindingsError, match="MP703"):
        mp.rollup(bom_of(text))
    bom = bom_of(text, frame="own")
    assert not [f for f in bom.findings if f.rule == "MP710"]
    body = mp.rollup(bom)["T"]
    # A is at (120, 0), B at (-20, 40); from the centre (35, -10) and (-105, 30)
    assert body.center.tolist() == pytest.approx([(3 * 120 - 20) / 4, 40 / 4, 0], rel=1e-14)
    own = np.eye(3) * OWN_MOMENT
    steiner = [3 * 10**2 + 30**2, 3 * 35**2 + 105**2, 3 * (35**2 + 10**2) + 105**2 + 30**2]
    product = 3 * 35 * 10 + 105 * 30
    assert body.inertia == pytest.approx(
        own + np.diag(steiner) + np.array([[0, product, 0], [product, 0, 0], [0, 0, 0]])
    )
    (fault,) = [f for f in bom_of(text.replace("A,T,3,20", "A,T,3,200"), frame="own").findings if f.rule == "MP710"]
    assert "centre of A does not fit its box: centre x = 200" in fault.message


def test_rows_with_shapes_are_not_reported_as_without_inertia():
    text = POSED + "A,T,3,1,0,0,,,,,,,box,a=50 mm; b=50 mm; c=50 mm,z,1,2,3,own\nB,T,3,1,0,0,,,,,,,,,,1,2,3,own\n"
    (found,) = [f for f in mp.read_bom(io.StringIO(text), format="csv").findings if f.rule == "MP222"]
    assert "B" in found.message
    assert "A" not in found.message.split(": ", 1)[1]


def radii_of(text: str, name: str) -> list[float]:
    result = mp.rollup(bom_of(text, frame="own"))
    return result.to_dataframe().set_index("id").loc[name, ["sigma_kx", "sigma_ky", "sigma_kz"]].tolist()


TOLERANCES = {
    "sphere,r=50 mm,7850±50 kg/m3 (1σ)": (0, 0, 0),  # k = r √0.4
    "sphere,r=50±0.2 mm (1σ),7850±50 kg/m3 (1σ)": (2e-4 * 0.4**0.5,) * 3,
    "cylinder,r=50±0.5 mm (2σ); L=300 mm,1000±9 kg/m3 (1σ)": (  # kx² = (3 r² + L²)/12, kz² = r²/2
        *[2.5e-4 * 3 * 0.05 / (12 * math.sqrt((3 * 0.05**2 + 0.3**2) / 12))] * 2, 2.5e-4 / 2**0.5,
    ),
    "rod,L=2±0.01 m (1σ),,3±0.1 kg (1σ)": (0.01 / 12**0.5, 0.01 / 12**0.5, 0.0),
}  # fmt: skip


@pytest.mark.spread(3)
@pytest.mark.parametrize("described", TOLERANCES)
@pytest.mark.parametrize("layout", ["root", "only child", "turned", "lot"])
def test_sigmas_of_radii_of_shapes_are_those_of_their_dimensions(described: str, layout: str) -> None:
    """Mass and tensor of a shape deviate together: the density is not in k; docs/formulas.md, section 4."""
    shape, dims, *amounts = described.split(",")
    mass = amounts[1] if len(amounts) > 1 else ""
    pose = "roll [deg],pitch [deg],yaw [deg],tx [m],ty [m],tz [m]"
    header = f"id,parent,shape,dims,density,{UNITS},sigma_mass [kg],{pose},lot"
    sigma = "0.1" if mass else ""
    own = f"{shape},{dims},{amounts[0]},{'3' if mass else ''}{BLANK},{sigma}"
    place = {"turned": "0,0,180,1,2,3,", "lot": "0,0,0,0,0,0,L"}.get(layout, "0,0,0,0,0,0,")
    parent, rows = ("", []) if layout == "root" else ("R", [f"R,,,,,{BLANK},,0,0,0,0,0,0,"])
    text = "\n".join([header, *rows, f"A,{parent},{own},{place}"]) + "\n"
    expected = np.array(TOLERANCES[described])
    names = ["A"] if layout == "root" else ["A", "R"]
    for name in names:
        found = np.array(radii_of(text, name), float)
        if shape == "rod":  # no radius about its own line
            found, wanted = found[:2], expected[:2]
        else:
            wanted = expected
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_contributions_to_a_branch_without_the_lots_of_another() -> None:
    """σ² of A is 0.1² + 0.05²; the parts of lot L under B are 1 and 2 kg of one density, 1 % of it: σ = 0.03 kg."""
    text = (
        f"id,parent,{UNITS},sigma_mass [kg],shape,dims,density,lot\n"
        f"R,,{BLANK},,,,,\nA,R,{BLANK},,,,,\nB,R,{BLANK},,,,,\n"
        f"a1,A,2{',0' * 9},0.1,,,,\na2,A,1{',0' * 9},0.05,,,,\n"
        f"b1,B,{BLANK},,box,a=0.1 m; b=0.1 m; c=0.1 m,1000±10 kg/m3 (1σ),L\n"
        f"b2,B,{BLANK},,box,a=0.1 m; b=0.1 m; c=0.2 m,1000±10 kg/m3 (1σ),L\n"
    )
    for item, sigma in {"A": math.hypot(0.1, 0.05), "B": 0.03}.items():
        budget = mp.contributions(mp.read_bom(io.StringIO(text)), "mass", item=item)
        assert budget.sigma == pytest.approx(sigma, rel=1e-12)


def test_unknown_sigmas_next_to_tolerances_are_warnings() -> None:
    header = "id,parent,shape,dims,density,mass [kg],Cx [m],Cy [m],Cz [m]\n"
    box = "A,R,box,a=100±0.2 mm (1σ); b=50 mm; c=20 mm"
    for rows, missing in (
        (f"{box},,3,0,0,0\n", ["A"]),  # the mass has no tolerance
        (f"{box},7850 kg/m3,,0,0,0\n", []),
        (f"{box},7850 kg/m3,,0,0,0\nB,R,box,a=1 m; b=1 m; c=1 m,1 kg/m3,,0,0,0\n", ["B"]),
        (f"{box},7850 kg/m3,,0,0,0\nB,R,,,,2,0,0,0\n", ["B"]),
        ("A,R,box,a=1 m; b=1 m; c=1 m,1 kg/m3,,0,0,0\nB,R,,,,2,0,0,0\n", []),  # no tolerance anywhere: no sigma at all
    ):
        result = mp.rollup(bom_of(header + "R,,,,,,,,\n" + rows))
        found = [one for one in result.findings if one.rule == "MP223" and "sigma of mass" in one.message]
        assert [one.item for one in found] == missing
        assert [one.severity.value for one in found] == ["warning"] * len(missing)


def test_sigmas_of_radii_of_turned_shapes(tmp_path: Path) -> None:
    """A cylinder r = 50 ± 0.25, L = 300 mm, its axis at (sin 20°, −cos 20°, 0): k² = I⊥/m (1 − a²) + r²/2 a²."""
    header = f"id,parent,shape,dims,density,{UNITS},tx [m],ty [m],tz [m],roll [deg],pitch [deg],yaw [deg],frame"
    pose = "1,0,0,90,0,20,own"
    cells = "cylinder,r=50±0.5 mm (2σ); L=300 mm,1000±9 kg/m3 (1σ)"
    text = f"{header}\nR,,,,,{BLANK},0,0,0,0,0,0,own\nB,R,{cells},{BLANK},{pose}\n"
    r, across, along = 0.05, (3 * 0.05**2 + 0.3**2) / 12, 0.05**2 / 2
    expected = []
    for a in (math.sin(math.radians(20)), -math.cos(math.radians(20)), 0.0):
        k = math.sqrt(across * (1 - a * a) + along * a * a)
        expected.append((r / 2 * (1 - a * a) + r * a * a) * 2.5e-4 / (2 * k))
    result = mp.rollup(bom_of(text))
    for item in result.to_dict()["items"]:  # along the axes of the root
        assert item["sigma_radii"] == pytest.approx(expected, rel=1e-10)
    result.save(tmp_path / "out.csv", add=["radii", "sigma"])  # along the axes of the row
    rows = {row["id"]: row for row in csv.DictReader((tmp_path / "out.csv").read_text("utf-8").splitlines())}
    own = [r / 2 * 2.5e-4 / (2 * math.sqrt(across))] * 2 + [r * 2.5e-4 / (2 * math.sqrt(along))]
    for name, sigmas in (("R", expected), ("B", own)):
        assert [float(rows[name][f"sigma_k{a} [m]"]) for a in "xyz"] == pytest.approx(sigmas, rel=1e-10)


EXACT = {
    "r": "sphere,r=50±0 mm (2σ),,1000 kg/m3,",
    "share of r": "sphere,r=50±0 % mm (2σ),,1000 kg/m3,",
    "density": "sphere,r=50 mm,,1000±0 kg/m3 (uniform),",
    "wall": "sphere,r=50 mm,2±0 mm (2σ),1000 kg/m3,",
    "nothing": "sphere,r=50 mm,,1000 kg/m3,",
}


@pytest.mark.parametrize("name", EXACT)
def test_a_tolerance_of_zero_is_a_known_sigma(name):
    """Next to r = 50 ± 1 mm (2σ): σ_m = 4πr²ρ σ_r, with σ_r = 0.5 mm."""
    text = table("shape,dims,wall,density,qty", f"A,{EXACT[name]}", "B,sphere,r=50±1 mm (2σ),,1000 kg/m3,")
    bom = bom_of(text)
    result = mp.rollup(bom)
    missing = {one.item for one in bom.findings if one.rule == "MP223"}
    if name == "nothing":
        assert missing == {"A"}
        assert result["Top"].sigma_mass is None
        return
    assert missing == set()
    assert result["A"].sigma_mass == 0
    assert not result["A"].sigma_inertia.any()
    assert result["Top"].sigma_mass == pytest.approx(4 * math.pi * 0.05**2 * 1000 * 0.0005, rel=1e-12)
    assert result["Top"].sigma_mass == pytest.approx(0.0157080, rel=1e-5)


def test_a_stated_sigma_of_mass_of_zero_makes_the_shape_exact():
    text = f"id,parent,{UNITS},sigma_mass [kg],POIconv,shape,dims\nTop,,{BLANK},,-,,\n"
    text += f"A,Top,2{BLANK},0,-,sphere,r=50 mm\n"
    body = mp.rollup(bom_of(text))["Top"]
    assert body.sigma_mass == 0
    assert not body.sigma_inertia.any()


@pytest.mark.parametrize(
    ("cells", "name", "column"),
    [
        ("sphere,r=50±120 mm (2σ),,1000 kg/m3", "r", "dims"),
        ("sphere,r=50±100 mm (2σ),,1000 kg/m3", None, ""),
        ("sphere,r=50 mm,2±3 mm (1σ),1000 kg/m3", "wall", "wall"),
        ("cylinder,r=50 mm; L=1±2 m (uniform),,1000 kg/m3", "L", "dims"),
        ("cylinder,r=50 mm; L=1±1.7 m (uniform),,1000 kg/m3", None, ""),
        ("sphere,r=50 mm,,1000±101 % kg/m3 (1σ)", "density", "density"),
    ],
)
def test_sigma_larger_than_its_dimension(cells, name, column):
    text = table("shape,dims,wall,density", f"A,{cells}", f"B,{cells}")
    found = [one for one in bom_of(text).findings if one.rule == "MP503"]
    assert len(found) == (name is not None)
    for one in found:
        assert one.message == f"sigma of {name} exceeds {name} in 2 of 2 items, first A"
        assert (one.place.column, one.count, one.item) == (column, 2, "A")
