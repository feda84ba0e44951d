"""What CONTRIBUTING.md says must change to add one of each kind: done in a copy of the package, and run there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.structure import PACKAGE, ROOT


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """Copy the package, and add one of each kind at the places that the guide names."""
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "docs").mkdir()
    shutil.copy(ROOT / "docs/make_words.py", folder / "docs")
    for addition in (
        _add_shape,
        _add_mesh_format,
        _add_importer,
        _add_quantity,
        _add_report_format,
        _add_rule,
        _add_command,
    ):
        addition(folder / PACKAGE)
    subprocess.run([sys.executable, "docs/make_words.py"], cwd=folder, env={"PYTHONPATH": str(folder)}, check=True)
    (folder / "plain.csv").write_text("id,parent,mass,Vendor code\nroot,,,\na,root,2.5,ACME\nb,root,0,ACME\n")
    (folder / "list.weights").write_text("#weights\nwing 2.5\ntail 1.5\n")
    corners = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    facets = (
        "facet normal 0 0 1\nouter loop\n" + "".join(f"vertex {corners[k]}\n" for k in face) + "endloop\nendfacet\n"
        for face in faces
    )
    (folder / "corner.stl_ascii").write_text("solid corner\n" + "".join(facets) + "endsolid corner\n")
    return folder


def _insert(path: Path, before: str, text: str) -> None:
    """Write a text before the first place of another one."""
    source = path.read_text("utf-8")
    assert before in source, f"{path.name} has no {before!r}"
    path.write_text(source.replace(before, text + before, 1), "utf-8")


def _add_shape(package: Path) -> None:
    shape = 'Shape("axle", _ROUND, _MIDDLE, "as the cylinder", lambda r, L: _elliptic_cylinder(r, r, L)),\n        '
    _insert(package / "bodies/solid_shapes.py", 'Shape("tube"', shape)


def _add_mesh_format(package: Path) -> None:
    for place in ('"obj", "ply", "off", "glb"', '"obj", "ply", "off")'):
        _insert(package / "files/meshes/mesh_file.py", place, '"stl_ascii", ')


def _add_importer(package: Path) -> None:
    _insert(package / "options.py", '"avl", "cpacs"', '"weights", ')
    reader = package / "files/reader.py"
    _insert(reader, '    "avl": (', '    "weights": ("massprops_cli.files.importers.weights", "read_weights"),\n')
    _insert(reader, "    if _OPENVSP_TITLE", '    if text.startswith(b"#weights"):\n        return "weights"\n')
    (package / "files/importers/weights.py").write_text(
        "from massprops_cli.files.parts_report import ReportItem, report_table\n"
        "from massprops_cli.files.table import TableSource\n\n\n"
        "def read_weights(name, data, options, compressed, findings):\n"
        "    lines = data.decode().splitlines()\n"
        "    parts = [line.split() for line in lines[1:]]\n"
        '    rows = [ReportItem("all", "", 1)]\n'
        '    rows += [ReportItem(id, "all", i, float(mass)) for i, (id, mass) in enumerate(parts, 2)]\n'
        '    return report_table(TableSource(name, "weights"), rows)\n'
    )


def _add_quantity(package: Path) -> None:
    _insert(package / "tables/options.py", '"maturity",', '"supplier", ')
    _insert(package / "tables/words/synonyms.toml", "[weighed]", '[supplier]\n"Vendor code" = "ERP exports"\n\n')


def _add_report_format(package: Path) -> None:
    _insert(package / "options.py", '"gitlab", "openmetrics")', '"lines", ')
    (package / "reports/formats/lines.py").write_text(
        "def lines_text(data):\n"
        '    return "".join(f"{entry.finding.rule}|{entry.message}\\n" for entry in data.entries)\n'
    )


def _add_rule(package: Path) -> None:
    rule = '["MP199", "new-rule", "warning", "table is new", "wait a day"],\n'
    _insert(package / "findings/rules.json", '["MP101"', rule)
    (package / "findings/pages/MP199.md").write_text("# MP199\n\nA new table is reported.\n")


def _add_command(package: Path) -> None:
    _insert(package / "cli/command.py", '"validate", "tree"', '"greet", ')
    (package / "cli/commands/greet.py").write_text(
        "from massprops_cli.cli.command import Command, ReportOptions\n"
        "from massprops_cli.cli.streams import report_screen\n\n"
        'COMMAND = Command("greet", panel="Look", summary="Say hello.", examples=("", "", ""))\n\n\n'
        "def command(run: ReportOptions) -> int:\n"
        '    """Say hello."""\n'
        '    print("hello")\n'
        "    return 0\n"
    )


CALLS = {
    "shape": ("shape axle r=10cm L=2m --mass 3kg", "axle"),
    "mesh format": ("shape corner.stl_ascii mesh-units=m mass=6kg", "mass"),
    "importer": ("rollup list.weights", "mass   4 "),
    "quantity": ("inspect plain.csv", "supplier"),
    "report format": ("validate plain.csv --format lines", "MP4"),
    "rule": ("rules MP199", "A new table is reported."),
    "command": ("greet", "hello"),
    "help": ("--help", "greet"),
}
ALL_CALLS = """
import contextlib, io, json, sys
from massprops_cli.cli.app import run_command_line
answers = []
for words in json.loads(sys.argv[1]):
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = run_command_line(words.split())
    printed.flush()
    answers.append((code, printed.buffer.getvalue().decode()))
print(json.dumps(answers))
"""
"""Commands one after another in a process, whose answers it prints."""


@pytest.fixture(scope="module")
def answers(copy: Path) -> dict[str, tuple[int, str]]:
    """Exit code and output of each call in the copy."""
    run = subprocess.run(
        [sys.executable, "-P", "-c", ALL_CALLS, json.dumps([words for words, _ in CALLS.values()])],
        cwd=copy,
        env={"PYTHONPATH": str(copy), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return dict(zip(CALLS, json.loads(run.stdout), strict=True))


@pytest.mark.parametrize("name", CALLS)
def test_one_of_each_kind(answers: dict[str, tuple[int, str]], name: str) -> None:
    code, printed = answers[name]
    assert CALLS[name][1] in printed
    assert code == 0, printed
