"""The commands partition, aggregate, assemble and massmatrix: ids, names of files, wrong calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import massprops_cli as mp

BOM = 'id,parent,mass\nTOP,,\n"A,1",TOP,\na1,"A,1",1\na2,"A,1",2\nB,TOP,\nb1,B,3\nb2,B,4\n'
CYCLE = "id,parent,mass\na,b,1\nb,a,2\nc,a,1\n"


@pytest.fixture
def bom(tmp_path: Path) -> Path:
    path = tmp_path / "bom.csv"
    path.write_text(BOM)
    return path


def test_ids_with_commas_are_written_in_double_quotes(run, bom: Path) -> None:
    result = run("partition", bom, "--at", '"A,1",B', "--format", "json")
    assert [part["tops"] for part in json.loads(result.stdout)["parts"]][1] == ["A,1", "B"]
    result = run("aggregate", bom, "--nodes", '"A,1", a1', "--format", "json")
    assert json.loads(result.stdout)["aggregated"] == ["A,1", "a1"]
    assert "id is not in the table: A" in run("partition", bom, "--at", "A,1").stderr


@pytest.mark.parametrize("words", [("partition", "--into", "2"), ("aggregate", "--nodes", "B")])
def test_no_clobber_keeps_every_file(run, bom: Path, words: tuple[str, ...]) -> None:
    command, *options = words
    first = run(command, bom, *options, "--no-clobber", "--format", "json")
    assert first.exit_code == 0
    files = [Path(name) for name in json.loads(first.stdout)["files"]]
    again = run(command, bom, *options, "--no-clobber")
    assert again.exit_code == 2
    assert "file exists and is not replaced" in again.stderr
    # one file that exists keeps the others from being written too
    kept, *missing = reversed(files)
    kept.write_text("mine")
    for path in missing:
        path.unlink()
    assert run(command, bom, *options, "--no-clobber").exit_code == 2
    assert kept.read_text() == "mine"
    assert not any(path.exists() for path in missing)
    assert run(command, bom, *options).exit_code == 0
    assert kept.read_text() != "mine"


def test_no_clobber_of_a_mass_matrix_and_of_a_drawing(run, bom: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text("mine")
    assert run("massmatrix", arm(tmp_path), "-o", out, "--no-clobber").exit_code == 2
    drawing = tmp_path / "tree.dot"
    drawing.write_text("mine")
    for words in (("partition", "--into", "2"), ("aggregate", "--nodes", "B")):
        result = run(words[0], bom, *words[1:], "--plot", drawing, "--no-clobber")
        assert (result.exit_code, drawing.read_text()) == (2, "mine")
    assert out.read_text() == "mine"


def test_a_cycle_is_reported_before_the_number_of_parts(run, tmp_path: Path) -> None:
    path = tmp_path / "cycle.csv"
    path.write_text(CYCLE)
    result = run("partition", path, "--into", "4")
    assert result.exit_code == 1
    assert "MP307" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("partition", "bom.csv", "--into", "2", "-o", "-"), "-o names the folder of the parts"),
        (("aggregate", "bom.csv", "--nodes", "B", "-o", "-"), "-o names a csv or parquet file"),
        (("assemble", "-"), "assemble reads the parts from files"),
        (("assemble", "bom.csv", "-o", "bom.csv"), "-o bom.csv: file is an input; use another name"),
        (("partition", "bom.csv", "--into", "2", "--plot", "x.foo"), ".svg, .png, .pdf, .dot, .graphml"),
    ],
)
def test_wrong_calls_are_rejected(run, bom: Path, monkeypatch, words: tuple[str, ...], message: str) -> None:
    monkeypatch.chdir(bom.parent)
    result = run(*words)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
    assert sorted(path.name for path in bom.parent.iterdir()) == ["bom.csv"]


def test_one_thing_has_no_plural(run, bom: Path, tmp_path: Path) -> None:
    assert "divided 7 items into 1 part in" in run("partition", bom, "--into", "1").stdout
    assert "aggregated 1 item to B in" in run("aggregate", bom, "--nodes", "B").stdout
    assert "1 part: joined 7 items" in run("assemble", bom).stdout
    text = run("base-params", arm(tmp_path)).stdout
    assert "10 parameters, 1 base parameter; 1 body, 1 joint, 0 loops; 1 degree of freedom" in text
    assert "arm: 1 degree of freedom" in run("massmatrix", arm(tmp_path)).stdout


def arm(folder: Path, joint: str = "A") -> Path:
    """Write a bar on a hinge."""
    body = {"id": 1, "mass": 1, "c": [0, 0, 0], "I": [1, 1, 1, 0, 0, 0]}
    hinge = {"name": joint, "type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
    path = folder / "arm.json"
    path.write_text(json.dumps({"name": "arm", "gravity": [0, 0, 0], "bodies": [body], "joints": [hinge]}))
    return path


@pytest.mark.parametrize("name", ["::set-output name=x::y", "##[error]x", "a\n::error::x", "a\r##[group]"])
def test_csv_of_a_mass_matrix_has_no_workflow_commands(run, tmp_path: Path, name: str) -> None:
    file = arm(tmp_path, name)
    text = run("massmatrix", file, "--format", "csv").stdout
    assert run("massmatrix", file, "-o", tmp_path / "out.csv").exit_code == 0
    for one in (text, (tmp_path / "out.csv").read_text()):
        lines = one.splitlines()
        assert len(lines) == 2
        assert not any(line.lstrip().startswith(("::", "##[")) for line in lines)


def test_wide_matrix_continues_below() -> None:
    from massprops_cli.reports.mechanisms import joint_force_blocks
    from massprops_cli.reports.page.page import UNICODE, plain_text

    names = [f"joint_number_{k}" for k in range(9)]
    content = {"mechanism": "m", "coordinates": names, "M": [[1.0 + k] * 9 for k in range(9)], "C": [0.5] * 9}
    text = plain_text(joint_force_blocks(content, 80), 80, UNICODE)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert all(text.count(f"M {name}") == 1 for name in names)
    assert text.count("0.5") == 9
    assert len(plain_text(joint_force_blocks(content), None, UNICODE).splitlines()) == 2 + 1 + 9


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--q", "1,x"), "number 2 of --q is not a number: 'x'"),
        (("--q", "1e308"), "coordinates are not 1 finite number below 1e+50: 1e+308 of A"),
        (("--qd", "nan"), "velocities are not 1 finite number below 1e+50: nan of A"),
        (("--qdd", "1,2"), "accelerations are not 1 finite number: 2 given (order: A)"),
        (("--base", "free"), "a free base is an option of robots"),
        (("--gravity", "1,2"), "--gravity is not three numbers"),
    ],
)
def test_wrong_numbers_of_a_motion_are_named(run, tmp_path: Path, words: tuple[str, str], message: str) -> None:
    result = run("massmatrix", arm(tmp_path), *words)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_gravity_of_a_mass_matrix(run, tmp_path: Path) -> None:
    path = arm(tmp_path)
    path.write_text(path.read_text().replace('"c": [0, 0, 0]', '"c": [2, 0, 0]'))
    result = run("massmatrix", path, "--gravity", "0,-10,0", "--qd", "0", "--format", "json")
    report = json.loads(result.stdout)
    assert (report["gravity"], report["C"], report["M"]) == ([0, -10, 0], [20.0], [[5.0]])


def test_number_of_requested_parts_is_named_and_rounding_is_0(run, bom: Path) -> None:
    masses = (0.1, 12.34, 5.67)
    rows = [f"{k},TOP,\n{k}a,{k},{mass}\n{k}b,{k},0.3\n" for k, mass in enumerate(masses)]
    bom.write_text("id,parent,mass\nTOP,,\n" + "".join(rows))
    result = run("partition", bom, "--into", "10")
    assert "divided 10 items into 4 parts (of 10: each begins with an assembly) in" in result.stdout
    parts = json.loads(run("partition", bom, "--into", "10", "--format", "json").stdout)["parts"]
    assert [part["mass"] for part in parts] == [0, *(pytest.approx(mass + 0.3) for mass in masses)]


def test_commands_of_mechanisms_read_sdf(run, tmp_path: Path) -> None:
    """A bar on a hinge through its end: its moment about the hinge is the only parameter that acts."""
    path = tmp_path / "arm.sdf"
    tensor = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
    path.write_text(
        '<sdf version="1.9"><model name="arm"><link name="bar"><inertial><pose>0.5 0 0 0 0 0</pose>'
        f'<mass>2</mass>{tensor}</inertial></link><joint name="hinge" type="revolute"><parent>world</parent>'
        "<child>bar</child><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"
    )
    assert "10 parameters, 1 base parameter" in run("base-params", path).stdout
    moment = pytest.approx(0.1 + 2 * 0.5**2)
    assert json.loads(run("massmatrix", path, "--format", "json").stdout)["M"] == [[moment]]
    reduced = tmp_path / "reduced.json"
    assert run("base-params", path, "--reduce", "-o", reduced).exit_code == 0
    assert json.loads(run("massmatrix", reduced, "--format", "json").stdout)["M"] == [[moment]]
    assert "not a URDF file" in run("base-params", path, "--reduce", "-o", tmp_path / "x.urdf").stderr


def test_parts_are_assembled_from_all_files_or_from_the_folder(run, tmp_path: Path) -> None:
    """The whole is that of the table, sigmas included, whose σ of the mass is √Σ σ² of the leaves."""
    folder, source = tmp_path / "parts", Path(__file__).parents[2] / "sample_data" / "spacecraft.csv"
    assert run("partition", source, "--into", "2", "-o", folder).exit_code == 0
    every = sorted(folder.iterdir())
    assert any(path.name.endswith(".branches.json") for path in every)
    whole = mp.rollup(source).root
    for words in (every, [folder]):
        done = run("assemble", *words, "--format", "json")
        assert done.exit_code == 0, done.output
        root = json.loads(done.stdout)["items"][0]
        assert root["mass"] == pytest.approx(whole.mass, rel=1e-13)
        assert root["sigma_mass"] == pytest.approx(whole.sigma_mass, rel=1e-12)
    (folder / "other.branches.json").write_text("{}")
    assert "several files of branches" in run("assemble", folder).stderr
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no table of a part" in run("assemble", empty).stderr


def test_parts_of_an_earlier_division_are_named(run, bom: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    assert run("partition", bom, "--into", "3", "-o", folder).exit_code == 0
    (folder / "bom.notes.csv").write_text("x")
    (folder / "other.3.csv").write_text("x")
    done = run("partition", bom, "--into", "2", "-o", folder)
    assert "parts of an earlier division: bom.3.csv\n" in done.stdout
    assert "earlier division" not in run("partition", bom, "--into", "3", "-o", folder).stdout
