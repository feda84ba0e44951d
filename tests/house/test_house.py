"""The grain of the package: how many modules, how long, and who imports what. Limits are lowered, never raised."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict

import networkx as nx
import pytest

from tests.house.structure import PACKAGE, ROOT, Module, read_door, read_modules, uses

MODULES = read_modules()
INSIDE = [module for module in MODULES.values() if not module.is_front]

MOST_MODULES = 329
MOST_LINES = 107_575
MOST_LINES_OF_A_MODULE = 500
_API = "numpydoc sections of the API"
_READER = "one idea of the reader of tables, which has lines to lose: docs/internals/plan.md"
LONGER = {
    "bodies.body": _API,
    "bodies.body_array": _API,
    "bodies.poses": _API,
    "bodies.solid_inputs": _API,
    "bom.bom": _API,
    "bom.contributions": _API,
    "bom.results.result": _API,
    "mechanisms.spatial.spatial_model": _API,
    "options": "the table of options, a row each",
    "tables.cells.number_text": _READER,
    "tables.columns.mass_roles": _READER,
    "tables.rows.row_roles": _READER,
    "trees.digraph": _API,
}
"""Modules that are longer, each with the reason."""
MOST_IMPORTS, MEAN_IMPORTS = 25, 7.80  # goal of the mean: 5

BY_CONVENTION = {"command", "COMMAND", "MORE", "main", "app"}
"""Names that ``cli.app`` and the installed script look up by name in many modules."""


def test_number_of_modules() -> None:
    assert len(INSIDE) <= MOST_MODULES


def test_lines_of_the_package() -> None:
    assert sum(module.lines for module in MODULES.values()) <= MOST_LINES


def test_lines_of_a_module() -> None:
    long = {module.name for module in INSIDE if module.lines > MOST_LINES_OF_A_MODULE}
    assert long == {f"{PACKAGE}.{name}" for name in LONGER}


def test_own_imports_of_a_module() -> None:
    """In functions and for types included."""
    counts = {module.name: len(module.imports) for module in INSIDE}
    assert sum(counts.values()) / len(counts) <= MEAN_IMPORTS
    assert {name: count for name, count in counts.items() if count > MOST_IMPORTS} == {}


def test_modules_of_a_room() -> None:
    rooms = Counter(module.room for module in INSIDE)
    del rooms["massprops_cli.cli.commands"]  # one for each command
    assert {room: count for room, count in rooms.items() if count > 15} == {}


def test_one_public_door() -> None:
    """Inner packages offer nothing: modules import from where a name is defined."""
    fronts = [module.name for module in MODULES.values() if module.is_front and module.name != PACKAGE]
    assert [name for name in fronts if MODULES[name].defined or MODULES[name].imports] == []
    assert [str(path) for path in (ROOT / PACKAGE).rglob("*.pyi") if path.parent != ROOT / PACKAGE] == []
    wrong = [name for name, home in read_door().items() if home not in MODULES or name not in _all_names(MODULES[home])]
    assert wrong == []


def _all_names(module: Module) -> set[str]:
    return set(module.defined) | {"__version__"}


def test_names_with_an_underscore_stay_in_their_module() -> None:
    private = [
        f"{module.name} imports {source}.{name}"
        for module in MODULES.values()
        for source, names in module.imports.items()
        for name in names
        if name.startswith("_") and f"{source}.{name}" not in MODULES and name != "_front"
    ]
    assert private == []


def test_public_names_are_used_by_another_module() -> None:
    used = uses(MODULES)
    offered = {(home, name) for name, home in read_door().items()}
    unused = [
        f"{module.name}.{name}"
        for module in INSIDE
        for name in module.defined
        if name not in BY_CONVENTION
        and (module.name, name) not in offered
        and module.name != f"{PACKAGE}.reports.formats.{name.removesuffix('_text')}"  # named by the table of options
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


def test_no_two_modules_or_rooms_import_each_other() -> None:
    homes = nx.DiGraph()
    rooms = nx.DiGraph()
    for module in INSIDE:
        for source in module.at_run_time:
            homes.add_edge(module.name, source)
            if source in MODULES and not _nested(module.room, MODULES[source].room):
                rooms.add_edge(module.room, MODULES[source].room)
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
sys.settrace(note)
run_command_line(["rollup", sys.argv[1], "-o", sys.argv[2], "-q"])
sys.settrace(None)
print(len(entered))
"""


@pytest.mark.parametrize(("sample", "most"), [("spacecraft.xlsx", 80), ("twelve_rows.csv", 72)])
def test_modules_entered_by_a_rollup(sample: str, most: int, tmp_path) -> None:
    output = tmp_path / f"out{sample[-5:].lstrip('s')}"
    run = subprocess.run(
        [sys.executable, "-c", ENTERED, str(ROOT / "sample_data" / sample), str(output)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert int(run.stdout.split()[-1]) <= most
