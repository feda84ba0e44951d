"""The grain of the package: how many modules, how deep, and who imports what."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict

import networkx as nx
import pytest

from massprops_cli.options import REPORT_FORMATS
from tests.house.structure import PACKAGE, ROOT, Module, read_fronts, read_modules, uses

MODULES = read_modules()
FRONTS = read_fronts()
INSIDE = [module for module in MODULES.values() if not module.is_front]

BY_CONVENTION = {"command", "COMMAND", "main", "app", *(f"{one.name}_text" for one in REPORT_FORMATS)}
"""Names that the command line and the installed script look up by name in many modules."""


def imported(module: Module) -> set[str]:
    """Name the own modules and fronts that a module imports when it runs or for types other than the public two."""
    return set(module.at_run_time)


def test_number_of_modules() -> None:
    # tables, roll-up and reports; arrays, poses, solids of bodies; the library; mechanisms, their command and report;
    # meshes: files, integrals, defects; poses of items;
    # graphs of trees, parts of tables, spatial operators, with their commands and reports
    # frames of tables, repair of tensors, placeholders, extents and joint deviations of shapes, two commands;
    # robots: URDF and SDF, positions, inertials from shapes and from tables, checks of links; numerical method;
    # poses in all commands; clusters; mechanisms of robots, assembly, reduced mechanisms;
    # positions, edits and mechanisms of SDF, checks of spatial bodies, balanced division,
    # columns for results of solids; the records of commands, a module for each report format
    assert len(INSIDE) <= 188 + 7 + 4 + 17 + 13 + 5 + 18 + 7 + 34 + 8 + 4 + 7 + 9 + 1


def test_own_imports_of_a_module() -> None:
    counts = {module.name: len(imported(module)) for module in INSIDE}
    assert sum(counts.values()) / len(counts) <= 5.0
    assert {name: count for name, count in counts.items() if count > 12} == {}


def test_modules_of_a_room() -> None:
    rooms = Counter(module.room for module in INSIDE)
    del rooms["massprops_cli.cli.commands"]  # one for each command
    assert {room: count for room, count in rooms.items() if count > 15} == {}


def test_lines_of_a_module() -> None:
    """Docstrings do not count: their length follows from the number of parameters and results."""
    assert {module.name: module.lines for module in INSIDE if module.lines > 550} == {}


def test_public_names_are_used_by_another_module() -> None:
    used = uses(MODULES, FRONTS)
    offered = {(home, name) for home, name in ((h, n) for n, h in FRONTS[PACKAGE].items())}
    unused = [
        f"{module.name}.{name}"
        for module in INSIDE
        for name in module.defined
        if name not in BY_CONVENTION
        and (module.name, name) not in offered
        and not used[module.name, name] - {module.name}
    ]
    assert unused == []


def test_public_names_are_unique() -> None:
    homes = defaultdict(list)
    for module in MODULES.values():
        for name, kind in module.defined.items():
            if kind != "constant" and name not in BY_CONVENTION:
                homes[name].append(module.name)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_rooms_are_entered_by_their_front() -> None:
    """A module outside a room imports from the front of the room, or a whole module of the name that it runs."""
    past = []
    for module in INSIDE:
        for source, names in module.imports.items():
            front = next((f for f in sorted(FRONTS, key=len) if f != PACKAGE and source.startswith(f + ".")), None)
            if front is None or module.name.startswith(front + ".") or names == {"*"}:
                continue
            if not all(f"{front}.{name}" in MODULES for name in names):
                past.append(f"{module.name} imports {sorted(names)} from {source}, not from {front}")
    assert past == []


def test_fronts_offer_what_others_use() -> None:
    """What a front lists is used outside its room, and is where the front states."""
    wrong = []
    for front, names in FRONTS.items():
        if front == PACKAGE:
            continue
        users = {n for m in MODULES.values() if not m.name.startswith(front + ".") for n in m.imports.get(front, ())}
        wrong += [f"{front}.{name} is used by nobody outside" for name in names if name not in users]
    wrong += [
        f"{front}.{name} is not in {home}"
        for front, names in FRONTS.items()
        for name, home in names.items()
        if home not in MODULES or name not in _all_names(MODULES[home])
    ]
    assert wrong == []


def _all_names(module: Module) -> set[str]:
    return set(module.defined) | {"__version__"}


def test_no_two_modules_or_rooms_import_each_other() -> None:
    homes = nx.DiGraph()
    rooms = nx.DiGraph()
    for module in INSIDE:
        for source, names in module.at_run_time.items():
            for name in names:
                home = FRONTS.get(source, {}).get(name, source)
                home = f"{source}.{name}" if f"{source}.{name}" in MODULES else home
                homes.add_edge(module.name, home)
                if home in MODULES and not _nested(module.room, MODULES[home].room):
                    rooms.add_edge(module.room, MODULES[home].room)
    assert [sorted(loop) for loop in nx.strongly_connected_components(homes) if len(loop) > 1] == []
    assert [sorted(loop) for loop in nx.strongly_connected_components(rooms) if len(loop) > 1] == []


def _nested(one: str, other: str) -> bool:
    """Return whether one room is the other or is within it."""
    return one == other or one.startswith(other + ".") or other.startswith(one + ".")


ENTERED = """
import os, sys
from massprops_cli.cli.app import run_command_line
entered = set()
def note(frame, event, argument):
    if event == "call" and frame.f_code.co_name != "<module>" and "massprops_cli" in frame.f_code.co_filename:
        entered.add(frame.f_code.co_filename)
sys.setprofile(note)
run_command_line(["rollup", sys.argv[1], "-o", sys.argv[2], "-q"])
sys.setprofile(None)
print(len(entered))
"""


@pytest.mark.parametrize("sample", ["spacecraft.xlsx"])
def test_modules_entered_by_a_workbook_rollup(sample: str, tmp_path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", ENTERED, str(ROOT / "sample_data" / sample), str(tmp_path / "out.xlsx")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert int(run.stdout.split()[-1]) <= 105 + 1  # comments on cells are a module of their own
