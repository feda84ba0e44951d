"""Live formulas: recalculated by LibreOffice, after a change of parts too; edited ones are found."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from typer.testing import Result

import massprops_cli as mp
from tests.examples import first

SAMPLES = Path(__file__).parents[2] / "sample_data"
Run = Callable[..., Result]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")


WRITTEN: dict[tuple[str, str], bytes] = {}
"""Workbooks that several tests change and read."""


def written(run: Run, source: str, folder: Path, branch: str = "") -> Path:
    """Write live formulas of a sample, or of one of its branches; all of it is left to the slow tests."""
    text = (SAMPLES / source).read_bytes()
    if branch:
        text = b"".join(line for line in text.splitlines(True) if line.startswith((b"id,", b"SAT,", branch.encode())))
    (folder / source).write_bytes(text)
    live = folder / "live.xlsx"
    if (source, branch) not in WRITTEN:
        assert run("rollup", folder / source, "--formulas", "-o", live, "-q").exit_code == 0
        WRITTEN[source, branch] = live.read_bytes()
    live.write_bytes(WRITTEN[source, branch])
    return live


def recalculated(path: Path, folder: Path) -> Path:
    """Let LibreOffice compute all formulas of a workbook without their saved values."""
    bare = folder / "bare.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bare, "w") as new:
        for name in old.namelist():
            new.writestr(name, re.sub(rb"(</f>)<v>[^<]*</v>", rb"\1", old.read(name)))
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "xlsx"]
    out = folder / "computed"
    subprocess.run([*command, "--outdir", out, bare], check=True, capture_output=True, timeout=120)
    return out / "bare.xlsx"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="requires LibreOffice")
def test_libreoffice_computes_what_the_roll_up_does(massprops: Run, tmp_path: Path) -> None:
    live = written(massprops, "spacecraft.xlsx", tmp_path)
    book: Any = openpyxl.load_workbook(live)
    changed = book["BOM"]
    ids = {row[0].value: row for row in changed.iter_rows()}
    heads = [cell.value for cell in changed[1]]
    mass, x = heads.index("mass [kg]"), heads.index("Cx [m]")
    ids["COM-100"][mass].value, ids["COM-110"][x].value = 2.75, 0.5
    book.save(tmp_path / "changed.xlsx")
    text = (SAMPLES / "spacecraft.csv").read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in text]
    for row in rows:
        row[mass] = "2.75" if row[0] == "COM-100" else row[mass]
        row[x] = "0.5" if row[0] == "COM-110" else row[x]
    (tmp_path / "changed.csv").write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    result = mp.rollup(tmp_path / "changed.csv")
    values: Any = openpyxl.load_workbook(recalculated(tmp_path / "changed.xlsx", tmp_path), data_only=True)["BOM"]
    formulas: Any = openpyxl.load_workbook(live)["BOM"]
    compared, sigmas = 0, result.rollup.sigmas
    for row in formulas.iter_rows(min_row=2):
        body = result[str(row[0].value)]
        assert body.center is not None
        assert body.inertia is not None
        scales = {"C": 1.0, "I": float(abs(body.inertia).max()), "m": body.mass, "s": 1.0}
        for cell, head in zip(row, heads, strict=True):
            if cell.data_type != "f" or not head:
                continue
            name = head.split(" ")[0]
            if name[0] == "C":
                wanted = body.center["xyz".index(name[1])]
            elif name[0] == "I":
                wanted = body.inertia["xyz".index(name[1]), "xyz".index(name[2])]
            else:
                assert sigmas is not None
                wanted = body.mass if name == "mass" else float(sigmas.mass[result.bom.item(str(row[0].value))])
            assert abs(values[cell.coordinate].value - wanted) <= 1e-12 * scales[name[0]], (cell.coordinate, head)
            compared += 1
    assert compared > 150


BRANCHES = first(["COM", ""], 1)

EDITS: dict[str, Callable[[Any], None]] = {
    "cell": lambda book: setattr(book["BOM"]["H2"], "value", "=SUMPRODUCT(mp_SAT_n,mp_SAT_m)*1.02"),
    "name": lambda book: setattr(book.defined_names["mp_SAT_m"], "attr_text", "'Rollup formulas'!$E$10:$E$11"),
    "number": lambda book: setattr(book["BOM"]["H2"], "value", 151.0),
    "range": lambda book: setattr(book["Rollup formulas"]["E10"], "value", "='BOM'!H4"),
}


@pytest.mark.parametrize("branch", BRANCHES)
@pytest.mark.parametrize("edit", first(EDITS, 2))
def test_formulas_and_names_that_were_edited_are_found(massprops: Run, tmp_path: Path, edit: str, branch: str) -> None:
    live, source = written(massprops, "spacecraft.csv", tmp_path, branch), tmp_path / "spacecraft.csv"
    book: Any = openpyxl.load_workbook(live)
    EDITS[edit](book)
    book.save(tmp_path / "edited.xlsx")
    found = massprops("verify", source, "--result", tmp_path / "edited.xlsx", "-q")
    assert found.exit_code == 1
    assert "MP907" in found.output


@pytest.mark.parametrize("branch", BRANCHES)
def test_formulas_that_were_not_edited_agree(massprops: Run, tmp_path: Path, branch: str) -> None:
    live = written(massprops, "spacecraft.csv", tmp_path, branch)
    assert massprops("verify", tmp_path / "spacecraft.csv", "--result", live, "-q").exit_code == 0


@pytest.mark.parametrize("branch", BRANCHES)
def test_sheet_of_ranges_explains_itself(massprops: Run, tmp_path: Path, branch: str) -> None:
    book: Any = openpyxl.load_workbook(written(massprops, "spacecraft.csv", tmp_path, branch))
    rows = list(book["Rollup formulas"].iter_rows(values_only=True))
    assert "SUMPRODUCT(n, m)" in str(rows[2][0])
    assert rows[7][:5] == ("assembly", "child", "n", "variance × n", "mass")
    assert rows[8][4:7] == ("kg", "m", "m")
    assert book["BOM"]["H2"].value == "=SUMPRODUCT(mp_SAT_n,mp_SAT_m)"
    assert set(book.defined_names) >= {"mp_SAT_n", "mp_SAT_xx", "mp_COM_s"}


def test_formulas_are_for_workbooks_in_one_frame(massprops: Run, tmp_path: Path) -> None:
    for name in ("spacecraft.csv", "rover.csv"):
        shutil.copy(SAMPLES / name, tmp_path)
    plain = massprops("rollup", tmp_path / "spacecraft.csv", "--formulas", "-o", tmp_path / "out.csv")
    assert plain.exit_code == 2
    assert "--formulas writes a workbook, not csv" in plain.output
    posed = massprops("rollup", tmp_path / "rover.csv", "--formulas", "-o", tmp_path / "out.xlsx")
    assert posed.exit_code == 2
    assert "table with poses" in posed.output


def test_inputs_in_other_units_and_signs_are_converted(massprops: Run, tmp_path: Path) -> None:
    table = tmp_path / "bom.csv"
    tensor = ",".join(f"{name} [kg*m^2]" for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"))
    parts = "A,TOP,100,10,20,0,1,1,1,0.1,0,0,+\nB,TOP,300,-10,0,40,2,2,2,0.2,0,0,+\n"
    table.write_text(f"id,parent,mass [g],Cx [mm],Cy [mm],Cz [mm],{tensor},POIconv\nTOP{',' * 11},+\n{parts}")
    assert massprops("rollup", table, "--formulas", "-o", tmp_path / "out.xlsx", "-q").exit_code == 0
    assert massprops("verify", table, "--result", tmp_path / "out.xlsx", "-q").exit_code == 0
    sheet: Any = openpyxl.load_workbook(tmp_path / "out.xlsx")["BOM"]
    assert str(sheet["J2"].value).startswith("=-")


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ("W,,,\na,W,6,3\n", ["--mass-is", "line"], "the mass of one piece in each row"),
        ("R,,,1\nS,R,,1\na,S,1,1\nb,S,-1,1\nc,R,3,1\n", ["--config", "allow-negative-mass=true"], "do not cancel"),
    ],
)
def test_formulas_that_would_be_wrong_are_rejected(run, tmp_path, rows, options, words):
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg],qty\n" + rows)
    done = run("rollup", tmp_path / "bom.csv", "--formulas", "-o", tmp_path / "out.xlsx", *options)
    assert done.exit_code == 2
    assert words in done.stderr


def test_names_of_ranges_differ_without_case(run, tmp_path):
    (tmp_path / "bom.csv").write_text("id,parent,mass [kg]\nR,,\na-b,R,\nA-B,R,\nx,a-b,1\ny,A-B,2\n")
    assert run("rollup", tmp_path / "bom.csv", "--formulas", "-o", tmp_path / "out.xlsx").exit_code == 0
    names = [*openpyxl.load_workbook(tmp_path / "out.xlsx").defined_names]
    assert len({name.casefold() for name in names}) == len(names) > 0


def test_quantities_are_cells_and_the_next_run_reads_the_table(massprops: Run, tmp_path: Path) -> None:
    rows = "id,parent,qty,mass [kg]\nV,,,\nW,V,2,\na,W,3,6\nb,W,1,2\n"
    (tmp_path / "bom.csv").write_text(rows, encoding="utf-8")
    live = tmp_path / "live.xlsx"
    assert massprops("rollup", tmp_path / "bom.csv", "--formulas", "-o", live, "-q").exit_code == 0
    book: Any = openpyxl.load_workbook(live)
    sheet = book["Rollup formulas"]
    children = {row[1].value: row[2].value for row in sheet.iter_rows() if row[1].value in ("W", "a", "b")}
    assert children == {"W": "='BOM'!C3", "a": "='BOM'!C4", "b": "='BOM'!C5"}
    again = mp.rollup(live)
    assert again.root.mass == 2 * (3 * 6 + 2)
    assert mp.verify(tmp_path / "bom.csv", live).agrees
