"""Verification: sums and variances against closed forms, corrupted cells, certificates, explanations, plans."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.bodies.solid_shapes import SHAPES
from massprops_cli.findings.finding import Findings
from massprops_cli.reports.certificates.verification import explanation_lines
from massprops_cli.verifications.cells import NAMES, read_typed_table
from massprops_cli.verifications.digits import last_digit, typed_numbers, unit_size
from massprops_cli.verifications.flat import BranchPaths, flat_sums
from massprops_cli.verifications.outputs import compare_output
from tests.examples import first

SAMPLES = Path(__file__).parents[2] / "sample_data"
HEAD = "id,parent,qty,mass [kg],sigma_mass [kg],Cx [mm],Cy [mm],Cz [mm],sigma_Cx [mm],sigma_Cy [mm],sigma_Cz [mm],"
HEAD += "corr_group"
ROWS = (
    "TOP,,1,,,,,,,,,",
    "SUB,TOP,2,,,,,,,,,",
    "A,SUB,3,0.1,0.01,100,0,0,1,2,3,g",
    "B,SUB,1,0.2,0.02,-50,30,0,1,1,1,g",
    "C,TOP,1,0.7,0.03,0,0,250,2,2,2,",
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    (tmp_path / "bom.csv").write_text("\n".join([HEAD, *ROWS]) + "\n", encoding="utf-8")
    return tmp_path / "bom.csv"


def rules(answer: mp.Verification) -> set[str]:
    return {one.rule for one in answer.findings} & {"MP903", "MP904", "MP905", "MP906", "MP907"}


def test_numbers_of_a_text_are_its_digits() -> None:
    assert typed_numbers("12.50") == [Fraction(25, 2)]
    assert typed_numbers("-1e-3") == [Fraction(-1, 1000)]
    assert typed_numbers("1,250") == [Fraction(5, 4), Fraction(1250)]
    assert set(typed_numbers("(1, 2, -3) mm")) >= {1, 2, -3}
    assert typed_numbers("TBD") == []
    assert last_digit("12.50") == Fraction(1, 100)
    assert last_digit("1.5e-3") == Fraction(1, 10_000)
    assert unit_size("lb*in^2") == Fraction("0.45359237") * Fraction("0.0254") ** 2
    assert unit_size("furlong") is None


def test_flat_sums_are_exact(table: Path) -> None:
    bom = mp.read_bom(table)
    values, *_ = flat_sums(read_typed_table(bom, Findings()), BranchPaths(bom).leaves)
    masses = {"A": Fraction("0.1"), "B": Fraction("0.2"), "C": Fraction("0.7")}
    sub = 3 * masses["A"] + masses["B"]
    top = 2 * sub + masses["C"]
    got = values[bom.item("TOP")]
    assert got[0] == top == Fraction("1.7")
    assert got[1] == 2 * (3 * masses["A"] * 100 + masses["B"] * -50) / top
    assert got[2] == 2 * masses["B"] * 30 / top
    assert got[3] == masses["C"] * 250 / top


def test_deep_trees_are_recomputed_from_the_root_down(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("massprops_cli.verifications.flat._MOST_PAIRS", 3)  # TOP has 3 leaves, SUB 2
    answer = mp.verify(table)
    assert answer.agrees
    assert answer.not_verified[-1] == "deep assemblies above many leaves: 1"
    assert {one.numbers for one in answer.checks if one.quantity in ("mass", "sigma_mass")} == {4}


def test_variance_of_a_group_and_of_independent_pieces(table: Path) -> None:
    answer = mp.verify(table)
    assert rules(answer) == set()
    top = answer.result.bom.item("TOP")
    covariance = answer.recomputed.root.covariance
    assert covariance is not None
    spread = np.sqrt(np.diagonal(covariance[top]))
    # 6 pieces of A and 2 of B share one deviate; C is by itself
    assert spread[0] == pytest.approx(math.hypot(6 * 0.01 + 2 * 0.02, 0.03), rel=1e-14)
    mass, center = 1.7, np.array([40 / 1.7, 12 / 1.7, 175 / 1.7])
    shared = 6 * 0.01 * (100 - center[0]) + 2 * 0.02 * (-50 - center[0])
    alone = [0.03 * (0 - center[0]), 0.7 * 2]  # mass and place of C
    pieces = [math.sqrt(6) * 0.1 * 1, math.sqrt(2) * 0.2 * 1]  # places of the pieces of A and B are independent
    assert spread[1] == pytest.approx(math.sqrt(shared**2 + sum(x * x for x in (*alone, *pieces))) / mass, rel=1e-13)


@pytest.mark.parametrize("name", ["spacecraft.csv", "spacecraft.xlsx", "rover.csv", "sawe_example.csv", "links.csv"])
def test_samples_agree_to_thirteen_digits(name: str) -> None:
    answer = mp.verify(SAMPLES / name)
    assert answer.agrees
    assert all(one.largest.relative < 1e-13 for one in answer.checks)
    assert answer.cells.entered >= 40


@pytest.mark.parametrize("method", ["covariance", "massprops"])
def test_both_methods_of_sigmas_are_recomputed(method: str) -> None:
    answer = mp.verify(SAMPLES / "nested.csv", uncertainty=method)  # type: ignore[arg-type]
    assert answer.agrees
    assert "sigma_Ixx" in {one.quantity for one in answer.checks}


@pytest.mark.spread(3)
@pytest.mark.parametrize("k", range(26))
def test_each_changed_number_is_noticed(k: int) -> None:
    result = mp.rollup(SAMPLES / "twelve_rows.csv")
    item, rolled = result.root_item, result.rollup
    bodies, sigmas = rolled.bodies, rolled.sigmas
    assert bodies.center is not None
    assert bodies.inertia is not None
    assert sigmas is not None
    assert sigmas.center is not None
    assert sigmas.inertia is not None
    changed = {
        "mass": bodies.mass.copy(), "center": bodies.center.copy(), "inertia": bodies.inertia.copy(),
        "s_mass": sigmas.mass.copy(), "s_center": sigmas.center.copy(), "s_inertia": sigmas.inertia.copy(),
    }  # fmt: skip
    kind, j = k % 13, k % 13
    if kind >= 10:  # a radius: from another tensor
        changed["s_inertia" if k >= 13 else "inertia"][item, j - 10] *= 1 + 1e-8
    else:
        name = ("s_" if k >= 13 else "") + ("mass" if j == 0 else "center" if j < 4 else "inertia")
        at = (item,) if j == 0 else (item, j - 1) if j < 4 else (item, j - 4)
        scale = max(float(np.max(np.abs(changed[name][item]))), 1.0 if j < 4 else 0.0)
        changed[name][at] += 1e-8 * scale
    made = replace(
        rolled,
        bodies=replace(bodies, mass=changed["mass"], center=changed["center"], inertia=changed["inertia"]),
        sigmas=replace(sigmas, mass=changed["s_mass"], center=changed["s_center"], inertia=changed["s_inertia"]),
    )
    assert "MP904" in rules(mp.verify(replace(result, rollup=made)))


@pytest.mark.parametrize(
    "case", first([("csv", 3), ("json", 2), ("xlsx", 1), ("csv", 4), ("json", 4), ("xlsx", 4)], 3), ids=str
)
def test_a_corrupted_cell_of_an_output_is_always_noticed(tmp_path: Path, case: tuple[str, int]) -> None:
    suffix, count = case
    source, out = SAMPLES / "twelve_rows.csv", tmp_path / f"out.{suffix}"
    mp.rollup(source).save(out, add=("radii", "principal", "coverage", "rho"))
    answer = mp.verify(mp.rollup(source), out)
    assert rules(answer) == set()
    rng, wrong = random.Random(4), tmp_path / f"wrong.{suffix}"
    for _ in range(count):
        if suffix == "xlsx":
            book: Any = openpyxl.load_workbook(out)
            cells = [c for n in (book.sheetnames[0], "Rollup") for row in book[n].iter_rows(min_row=2) for c in row]
            cell = rng.choice([one for one in cells if isinstance(one.value, float)])
            cell.value = _other_digit(repr(cell.value), rng)
            book.save(wrong)
        else:
            text = out.read_text(encoding="utf-8")
            places = [m.span() for m in re.finditer(r"(?<![\w.\"])-?\d+\.\d+(?:e-?\d+)?(?!\w)", text)]
            start, end = rng.choice(places)
            wrong.write_text(text[:start] + str(_other_digit(text[start:end], rng)) + text[end:], encoding="utf-8")
        found = Findings()
        compare_output(answer.recomputed, str(wrong), 1e-11, found)
        assert "MP905" in {one.rule for one in found}, wrong.read_bytes()[:200]


def _other_digit(text: str, rng: random.Random) -> float:
    """Change one digit of a number so that it reads as another."""
    while True:
        at = rng.choice([k for k, c in enumerate(text.split("e", maxsplit=1)[0]) if c.isdigit()])
        made = text[:at] + rng.choice("0123456789") + text[at + 1 :]
        if float(made) != float(text):
            return float(made)


def test_a_changed_cell_of_poses_and_of_inertia_about_a_point_is_noticed(tmp_path: Path) -> None:
    rolled = mp.rollup(SAMPLES / "rover.csv")
    about = tmp_path / "about.csv"
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
    rows = "T,,,,,,,,,,,,-\nA,T,2,1,2,3,100,100,100,0,0,0,-\nB,T,1,0,2,3,100,100,100,0,0,0,-\n"
    about.write_text(f"{head}Iyz [kg*m^2],POIconv\n{rows}", encoding="utf-8")
    rng = random.Random(7)
    for result, ids in ((rolled, ("ROV", "MAST", "CAM")), (mp.rollup(about, inertia_about="origin"), ("T",))):
        out = tmp_path / "out.csv"
        result.save(out)
        assert rules(mp.verify(result, out)) == set()
        lines = out.read_text(encoding="utf-8").splitlines()
        for name in ids:
            k = next(k for k, line in enumerate(lines) if line.startswith(f"{name},"))
            cells = lines[k].split(",")
            for j in rng.sample(
                [j for j, cell in enumerate(cells) if len(cell) > 2 and _is_number(cell)], 3 if name != "T" else 2
            ):
                changed = [*cells]
                changed[j] = repr(float(cells[j]) * 1.001)
                out.write_text("\n".join([*lines[:k], ",".join(changed), *lines[k + 1 :]]) + "\n", encoding="utf-8")
                assert "MP905" in rules(mp.verify(result, out)), (name, j)


@pytest.mark.parametrize(
    ("place", "fault", "rule"),
    [
        ("bom.results.table_edit._decimal_comma_columns", lambda bom, every: set(range(99)), "MP905"),
        ("bom.results.table_edit.coherent_unit", lambda result, name: "%", "MP905"),
        ("bom.results.table_edit._derived_columns", lambda result, in_table, add: iter(()), "MP906"),
        ("bom.results.result_dict._allowance_column", lambda result, name: None, "MP904"),
        ("bom.rollup.requested_correlation", lambda bom, request, findings: None, "MP904"),
        ("rollups.rollup.Rollup.sigma_radii", None, "MP904"),
    ],
)
def test_a_fault_of_the_program_itself_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, fault: Any, rule: str
) -> None:
    file = tmp_path / "bom.csv"
    file.write_text(
        "id,parent,mass [kg],sigma_mass [kg],mga [%],corr_group,Cx [mm],Cy [mm],Cz [mm],"
        "Ixx [kg*mm^2],Iyy [kg*mm^2],Izz [kg*mm^2],sigma_Ixx [kg*mm^2],sigma_Iyy [kg*mm^2],sigma_Izz [kg*mm^2]\n"
        "T,,,,,,,,,,,,,,\nA,T,1.5,0.1,10,g,1,2,3,5,6,7,1,1,1\nB,T,2.5,0.2,5,g,4,5,7,8,9,10,1,2,3\n"
    )
    assert mp.verify(file).agrees
    monkeypatch.setattr(f"massprops_cli.{place}", fault)
    result = mp.rollup(file)
    result.save(tmp_path / "out.csv", add=("radii", "growth"))
    assert rule in rules(mp.verify(result, tmp_path / "out.csv"))


@pytest.mark.parametrize(
    "options", [{"correlate": "part"}, {"correlate": "all"}, {"correlations": "a,b,quantity,rho\ng,h,all,0.5\n"}]
)
@pytest.mark.parametrize("centers", [False, True])
def test_shared_values_are_recomputed_by_the_typed_groups(
    table: Path, tmp_path: Path, options: dict[str, str], centers: bool
) -> None:
    table.write_text(table.read_text().replace("2,2,2,", "2,2,2,h"))
    if "correlations" in options:
        (tmp_path / "rho.csv").write_text(options["correlations"])
        options = {"correlations": str(tmp_path / "rho.csv")}
    result = mp.rollup(table, "covariance", correlate_centers=centers, **options)  # type: ignore[arg-type]
    assert mp.verify(result).agrees
    alone = mp.rollup(table, "covariance", correlate="part")
    if "correlations" in options:  # the matrix matters, and another one is noticed
        assert not mp.verify(replace(result, rollup=alone.rollup)).agrees


def test_wrong_tensors_about_a_point_of_the_program_itself_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, about = tmp_path / "out.csv", vars(mp.Result)["tensors_about"].func
    monkeypatch.setattr(mp.Result, "tensors_about", property(lambda self: 1.001 * about(self)))
    replace(mp.rollup(SAMPLES / "rover.csv"), about=(100.0, -20.0, 3.0)).save(out)
    assert "MP905" in rules(mp.verify(SAMPLES / "rover.csv", out))


def test_a_corrupted_cell_of_a_sheet_that_states_the_run_is_noticed(tmp_path: Path) -> None:
    out = tmp_path / "out.xlsx"
    mp.rollup(SAMPLES / "twelve_rows.csv").save(out)
    assert rules(mp.verify(SAMPLES / "twelve_rows.csv", out)) == set()
    workbook = openpyxl.load_workbook(out)
    sheets = [name for name in workbook.sheetnames if name in ("Review", "Findings", "About")]
    sheets = [name for name in sheets if workbook[name].max_row > 2]
    for name in sheets:
        cell = workbook[name].cell(3, 2)
        cell.value = cell.value * 1.01 if isinstance(cell.value, float) else f"{cell.value}x"
    workbook["About"].append(["ghost", "7.5"])
    workbook.save(out)
    assert "MP906" in rules(mp.verify(SAMPLES / "twelve_rows.csv", out))
    found = [one.place.sheet for one in mp.verify(SAMPLES / "twelve_rows.csv", out).findings if one.rule == "MP905"]
    assert sorted(found) == sorted(sheets)
    assert len(sheets) > 1


def test_tensors_about_a_point_are_recomputed_in_a_written_result(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    replace(mp.rollup(SAMPLES / "rover.csv"), about=(100.0, -20.0, 3.0)).save(out)
    answer = mp.verify(SAMPLES / "rover.csv", out)
    assert answer.agrees
    assert not [words for words in answer.not_verified if "about" in words]
    lines = out.read_text("utf-8").splitlines()
    heads, cells = lines[0].split(","), lines[1].split(",")
    for name in ("about_y [mm]", "about_Ixx [kg*mm^2]", "about_Iyz [kg*mm^2]", "sigma_about_Izz [kg*mm^2]"):
        changed = [cell if head != name else repr(float(cell) * 1.001) for head, cell in zip(heads, cells, strict=True)]
        out.write_text("\n".join([lines[0], ",".join(changed), *lines[2:]]) + "\n", encoding="utf-8")
        assert "MP905" in rules(mp.verify(SAMPLES / "rover.csv", out)), name


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", text) is not None and float(text) != 0


def test_columns_without_a_comparison_are_listed(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("id,parent,mass [kg],drag\nTOP,,1.7,3.5\nSUB,TOP,0.5,\nA,SUB,0.1,\nB,SUB,0.2,\nC,TOP,0.7,\n")
    answer = mp.verify(table, out)
    assert answer.agrees
    assert "columns of out.csv that are not compared: drag" in answer.not_verified


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("id,mass [kg]\nTOP,1.7\nSUB,0.5\nA,0.1\nB,0.2\nC,0.7\n", ""),
        ("id,mass [kg]\nC,0.7\nB,0.2\nA,0.1\nSUB,0.5\nTOP,1.70\n", ""),
        ("id;mass [g]\nTOP;1.700,0\nSUB;500\nA;100\nB;200\nC;700\n", ""),
        ("id,mass [kg]\nTOP,1700 g\nSUB,0.5\nA,0.1\nB,0.2\nC,0.7\n", ""),
        ("id,mass [kg]\nTOP,1.7\nSUB,0.5 lb\nA,0.1\nB,0.2\nC,0.7\n", "MP905"),
        ("id,mass [kg],sigma_mass [kg] (3σ)\nTOP,1.7,313.209 g\nSUB,0.5,0.15\nA,0.1,\nB,0.2,\nC,0.7,\n", ""),
        ("id,mass [kg],sigma_mass [kg] (3σ)\nTOP,1.7,104.403 g\nSUB,0.5,0.15\nA,0.1,\nB,0.2,\nC,0.7,\n", "MP905"),
        ("id,mass [kg],mass [g]\nTOP,1.7,1700\nSUB,0.5,500\nA,0.1,100\nB,0.2,200\nC,0.7,999\n", "MP905"),
        ("id,mass [kg],rho_mass_Cx\nTOP,1.7,0.999\nSUB,0.5,\nA,0.1,\nB,0.2,\nC,0.7,\n", "MP905"),
    ],
)
def test_a_result_of_another_program_has_its_own_columns_units_and_order(
    table: Path, tmp_path: Path, text: str, rule: str
) -> None:
    (tmp_path / "out.csv").write_text(text, encoding="utf-8")
    assert rules(mp.verify(table, tmp_path / "out.csv")) == ({rule} if rule else set())


def test_totals_of_another_program_are_those_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text("Item,Mass [kg]\nA,3\nB,4.5\n")
    for total, expected in (("7.5", set()), ("9.9", {"MP905"})):
        (tmp_path / "out.csv").write_text(f"Part,Weight (kg)\nA,3\nB,4.5\nTotal,{total}\n")
        assert rules(mp.verify(tmp_path / "bom.csv", tmp_path / "out.csv")) == expected


def test_a_total_of_another_program_may_be_that_of_an_assembly(table: Path, tmp_path: Path) -> None:
    rows = "id,mass [kg]\nA,0.1\nB,0.2\nC,0.7\nSUB,0.5\nTOP,1.7\nTotal dry,0.5\nTotal,{}\n"
    for total, expected in (("1.7", set()), ("0.5", {"MP905"})):
        (tmp_path / "out.csv").write_text(rows.format(total))
        assert rules(mp.verify(table, tmp_path / "out.csv")) == expected


def test_titles_above_sorted_rows_are_compared(tmp_path: Path) -> None:
    text = "Rover masses,,\nid,parent,mass [kg]\nT,,\nA,T,1\nB,T,2\n"
    (tmp_path / "bom.csv").write_text(text)
    result, out = mp.rollup(tmp_path / "bom.csv"), tmp_path / "out.csv"
    result.save(out)
    title, head, *rows = out.read_text().splitlines()
    for named, expected in ((title, set()), (title.replace("Rover", "Lander"), {"MP905"})):
        out.write_text("\n".join([named, head, *reversed(rows)]) + "\n")
        assert rules(mp.verify(result, out)) == expected


def test_filled_conventions_and_sorted_rows_agree(tmp_path: Path) -> None:
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
    head += "Iyz [kg*m^2],POIconv"
    rows = "T,,,,,,,,,,,,", "A,T,1,0,0,0,2,2,2,0.1,0,0,-", "B,T,2,1,0,0,2,2,2,0,0.1,0,-"
    (tmp_path / "bom.csv").write_text("\n".join([head, *rows]) + "\n")
    result, out = mp.rollup(tmp_path / "bom.csv"), tmp_path / "out.csv"
    result.save(out)
    assert rules(mp.verify(result, out)) == set()
    first, *lines = out.read_text().splitlines()
    out.write_text("\n".join([first, *reversed(lines)]) + "\n")
    assert rules(mp.verify(result, out)) == set()
    out.write_text("\n".join([first, *lines[:-1], lines[-1].replace("B,T", "X,T")]) + "\n")
    assert rules(mp.verify(result, out)) == {"MP905"}
    (tmp_path / "other.csv").write_text("id\nT\nA\nB\n")
    assert not mp.verify(result, tmp_path / "other.csv").agrees


def test_sampled_sigmas_are_compared_with_another_generator(table: Path) -> None:
    result = mp.rollup(table, "montecarlo", samples=20_000)
    answer = mp.verify(result, samples=20_000)
    assert answer.samples is not None
    assert (answer.samples.numbers, answer.samples.beyond, answer.agrees) == (8, 0, True)
    sampled = result.rollup.sampled
    assert sampled is not None
    for k in range(4):  # 10 % of a sigma are 14 standard errors of 20,000 samples
        sigma = sampled.sigma.copy()
        sigma[0, k] *= 1.1
        wrong = mp.verify(
            replace(result, rollup=replace(result.rollup, sampled=replace(sampled, sigma=sigma))), samples=20_000
        )
        assert wrong.samples is not None
        assert (wrong.samples.quantity, wrong.samples.beyond, wrong.agrees) == (f"sigma_{NAMES[k]}", 1, False)


SOLID_HEAD = (
    "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
)
SOLID_HEAD += "Iyz [kg*m^2],POIconv,shape,dims,axis,wall [mm],density [g/cm3],mesh,mesh_units"


@pytest.mark.parametrize("changed", first(["torus alone", "torus among all"], 1))
def test_every_shape_is_recomputed_by_quadrature(tmp_path: Path, changed: str) -> None:
    rows, rng, hollow = [], random.Random(3), {"cone", "frustum", "wedge"}
    for k, (name, shape) in enumerate(SHAPES.items()):
        dims = {one: {"n": 6, "R": 400, "ri": 50, "h": 130}.get(one, rng.uniform(100, 200)) for one in shape.dims}
        dims |= {shape.thickness: 5.0} if shape.thickness else {}
        text = "; ".join(f"{one}={x:.5g} {'mm^2' if one == 'A' else 'mm' * (one != 'n')}" for one, x in dims.items())
        for wall in ("", "4") if shape.inner and name not in hollow else ("",):
            axis = ("z", "x", "-y", "1 2 3")[k % 4]
            rows.append(f"{name}{wall},T{',' * 10},-,{name},{text},{axis},{wall},2.7,,")
    file = tmp_path / "shapes.csv"
    file.write_text("\n".join([SOLID_HEAD, f"T,{',' * 10},-,,,,,,,", *rows]) + "\n", encoding="utf-8")
    answer = mp.verify(file)
    assert answer.agrees
    assert answer.recomputed.typed.methods == [f"{len(rows)} shapes by Gauss quadrature"]
    assert answer.not_verified == ()
    result = answer.result
    if changed == "torus alone":
        alone = [row for row in rows if row.startswith("torus,")]
        file.write_text("\n".join([SOLID_HEAD, f"T,{',' * 10},-,,,,,,,", *alone]) + "\n", encoding="utf-8")
        result = mp.rollup(file)
    assert result.bom.bodies.inertia is not None
    result.bom.bodies.inertia[result.bom.item("torus"), 2] *= 1 + 1e-9
    assert "MP904" in rules(mp.verify(result))


def test_a_closed_mesh_is_recomputed_in_fractions_and_what_has_no_second_way_is_listed(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (tmp_path / "part.obj").write_text("\n".join(lines))
    rows = [f"M,T{',' * 10},-,,,,,2.7,part.obj,m", f"W,T{',' * 10},-,cone,r=1 m; L=2 m,,10,2.7,,"]
    file = tmp_path / "solids.csv"
    file.write_text("\n".join([SOLID_HEAD, f"T,{',' * 10},-,,,,,,,", *rows]) + "\n", encoding="utf-8")
    answer = mp.verify(file)
    assert answer.agrees
    assert answer.result["M"].mass == pytest.approx(2.7, rel=1e-12)  # 0.001 m³ of 2,700 kg/m³
    assert answer.recomputed.typed.methods == ["1 closed meshes by fractions of tetrahedra"]
    assert "1 of cone of these dimensions" in answer.not_verified


def test_poses_are_recomputed_from_the_typed_numbers(tmp_path: Path) -> None:
    head = (
        "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],tx [mm],ty [mm],tz [mm],roll [deg],pitch [deg],yaw [deg],qw,qx,qy,qz,"
    )
    rows = (
        "T,,,,,,,,,,,,,,,,,,,,,root", "A,T,,,,,100,0,5,10,20,30,,,,,,,,,own",
        "B,A,2,1,2,3,1,2,3,,,,0.5,0.5,-0.5,0.5,,,,,own",
        "C,A,1,1,0,0,0,0,7,,,,,,,,1,2,3,40,own", "D,A,3,0,0,1,1,1,1,0,0,90,,,,,,,,,parent",
    )  # fmt: skip
    typed = tuple(row.replace(",,,,,root", ",,,,root") for row in rows)
    file = tmp_path / "poses.csv"
    file.write_text("\n".join([f"{head}ax,ay,az,angle [deg],frame", *typed]) + "\n", encoding="utf-8")
    answer = mp.verify(file)
    assert answer.agrees
    assert answer.recomputed.typed.methods == ["5 poses by quaternions of the typed numbers"]
    poses = answer.result.bom.poses
    assert poses is not None
    poses.numbers.translation[answer.result.bom.item("C"), 1] *= 1 + 1e-9
    assert "MP904" in rules(mp.verify(answer.result))


def test_numbers_that_nothing_explains_are_listed(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg],XK7\nT,,,\nA,T,1,7.5\nB,T,2,9.25\n")
    assert mp.verify(tmp_path / "bom.csv").to_dict()["cells"]["not_used"] == {"XK7 (4)": 2}


def test_a_result_of_another_program_is_compared_in_its_rounding_and_units(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.csv"
    text = (
        "id,parent,mass [g],Cx [m]\nTOP,,1700,0.0235\nSUB,TOP,500,0.04\nA,SUB,100,0.1\nB,SUB,200,-0.05\nC,TOP,700,0\n"
    )
    out.write_text(text)
    assert rules(mp.verify(table, out)) == set()
    out.write_text(text.replace("0.0235", "0.0236"))
    (found,) = (one for one in mp.verify(table, out).findings if one.rule == "MP905")
    assert found.item == "TOP"
    assert "recomputed 0.023529" in found.message


def test_a_certificate_is_the_same_bytes_and_fits_its_schema(table: Path, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    mp.rollup(table).save(tmp_path / "out.csv")
    written = []
    for k in range(2):
        answer = mp.verify(table, tmp_path / "out.csv")
        for suffix in ("json", "md"):
            answer.save(tmp_path / f"c{k}.{suffix}")
        written.append([(tmp_path / f"c{k}.{suffix}").read_bytes() for suffix in ("json", "md")])
    assert written[0] == written[1]
    record = json.loads(written[0][0])
    schema = Path(mp.__file__).with_name("verifications") / "certificate.schema.json"
    jsonschema.validate(record, json.loads(schema.read_text("utf-8")))
    assert record["agrees"] is True
    assert [one["quantity"] for one in record["quantities"]] == [
        *NAMES[:4], *NAMES[13:17], "correlations", "coverage",
    ]  # fmt: skip
    with pytest.raises(mp.UsageError, match="unknown suffix"):
        answer.save(tmp_path / "c.pdf")
    with pytest.raises(mp.UsageError, match="not a positive number"):
        mp.verify(table, tolerance=0)


def test_an_explanation_is_an_expression_of_the_result() -> None:
    answer = mp.verify(SAMPLES / "spacecraft.csv")
    lines = explanation_lines(answer, "COM")
    body, mass = answer.result["COM"], 0.0
    joined = re.sub(r"\n    \+", " +", "\n".join(lines))
    for name, found in re.findall(r"(?m)^(m|C[xyz]|I[xyz]{2}) = (.*)$", joined):
        text = re.sub(r"\[(?:\d+:\d+|[A-Z0-9-]+)\]", "", found).replace("²", "**2").replace("·", "*").replace("−", "-")
        value = eval(text.replace("[", "(").replace("]", ")"), {"m": mass})
        if name == "m":
            mass = value
            assert value == pytest.approx(body.mass, rel=1e-12)
        elif name[0] == "C":
            assert body.center is not None
            assert value == pytest.approx(float(body.center["xyz".index(name[1])]), rel=1e-9)
        else:
            assert body.inertia is not None
            a, b = ("xyz".index(axis) for axis in name[1:])
            assert value == pytest.approx(float(body.inertia[a, b]), rel=1e-7, abs=1e-9)


PLAN = """title = "Control"
now = "PDR"
[[milestone]]
name = "PDR"
date = 2026-03-01
[[milestone]]
name = "CDR"
"""
TASK = '[[task]]\nname = "{}"\nmilestone = "{}"\nby = "{}"\n{}\n'


@pytest.mark.parametrize(
    ("by", "more", "state"),
    [
        ("coverage", "", "done"),
        ("uncertainty", "", "done"),
        ("verify", "", "done"),
        ("weighed", "at-least = 30", "open"),
        ("maturity", "at-least = 100", "open"),
        ("sign-convention", "", "open"),
        ("findings", 'rules = ["MP3"]', "done"),
        ("person", 'done = true\nevidence = "memo 3"', "done"),
        ("person", "", "open"),
    ],
)
def test_a_task_of_a_plan_is_answered(table: Path, tmp_path: Path, by: str, more: str, state: str) -> None:
    (tmp_path / "plan.toml").write_text(PLAN + TASK.format("task", "PDR", by, more))
    (one,) = mp.control_plan(table, tmp_path / "plan.toml").tasks
    assert (one.by, one.state, one.line) == (by, state, 8)
    (tmp_path / "plan.toml").write_text(PLAN + TASK.format("task", "CDR", by, more))
    answer = mp.control_plan(table, tmp_path / "plan.toml")
    assert answer.tasks[0].state == ("done" if state == "done" else "later")
    assert answer.is_fulfilled


def test_shares_and_margins_of_a_plan() -> None:
    answer = mp.control_plan(SAMPLES / "budget" / "bom.csv", SAMPLES / "budget" / "plan.toml")
    values = {one.by: one.value for one in answer.tasks}
    shares = answer.result.shares_of_mass
    assert values["weighed"] == pytest.approx(100 * float(shares["weighed"][answer.result.root_item]))
    assert values["maturity"] == pytest.approx(100)
    frame = answer.to_dataframe()
    assert frame.task.tolist() == [one.name for one in answer.tasks]
    assert answer.to_dict()["tasks"][0]["command"].startswith("massprops rollup")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n" + PLAN, "unknown key in the plan"),
        (PLAN, "plan has no \\[\\[task\\]\\]"),
        (PLAN + TASK.format("a", "FRR", "verify", ""), "milestone of a task is 'FRR'"),
        (PLAN + TASK.format("a", "PDR", "magic", ""), "by of a task is 'magic'"),
        (PLAN + TASK.format("a", "PDR", "weighed", 'at-least = "x"'), "at-least is not a percentage"),
        (PLAN + TASK.format("a", "PDR", "person", 'done = "no"'), "done is 'no'"),
        (PLAN + TASK.format("a", "PDR", "findings", 'rules = ["XX"]'), "rules is not a list"),
        (PLAN + TASK.format("a", "PDR", "verify", "colour = 1"), "unknown key in"),
        (PLAN.replace('now = "PDR"', 'now = "X"') + TASK.format("a", "PDR", "verify", ""), "now is not a milestone"),
        ("[[", "not valid TOML"),
    ],
)
def test_a_faulty_plan_is_rejected(table: Path, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(mp.ConfigError, match=message):
        mp.control_plan(table, tmp_path / "plan.toml")
    with pytest.raises(mp.ConfigError, match="cannot be read"):
        mp.control_plan(table, tmp_path / "none.toml")
