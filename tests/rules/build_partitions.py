"""Tables whose parts meet a rule, or nearly do."""

from __future__ import annotations

import json
from pathlib import Path

from massprops_cli import partition, read_bom

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

TREE = """id,parent,mass,Cx,Cy,Cz,sigma_mass,sigma_Cx,sigma_Cy,sigma_Cz
TOP,,,,,,,,,
A,TOP,,,,,,,,
A.1,A,2,0,0,0,0.1,1,1,1
A.2,A,3,4,0,0,0.1,1,1,1
B,TOP,5,9,0,0,0.1,1,1,1
"""


def tree(folder: Path, text: str = TREE) -> str:
    """Write a table, and give its path."""
    path = folder / "bom.csv"
    path.write_text(text)
    return str(path)


def parts(folder: Path) -> list[str]:
    """Write the parts of the table: P, S and C, and the file of branches."""
    return partition(read_bom(tree(folder)), ["A"]).save(folder / "parts")


@bad("MP840")
def a_region_with_a_gap(folder: Path) -> list[str]:
    return ["partition", tree(folder), "--at", "TOP,A.1", "-o", str(folder / "parts")]


@good("MP840")
def a_region_without_gaps(folder: Path) -> list[str]:
    return ["partition", tree(folder), "--at", "TOP,A,A.1", "-o", str(folder / "parts")]


@bad("MP841")
def items_of_two_parents(folder: Path) -> list[str]:
    return ["aggregate", tree(folder), "--nodes", "A.1,B", "-o", str(folder / "new.csv")]


@bad("MP841")
def the_root_with_an_item_two_levels_down(folder: Path) -> list[str]:
    return ["aggregate", tree(folder), "--nodes", "TOP,A.1", "-o", str(folder / "new.csv")]


@good("MP841")
def items_of_one_parent(folder: Path) -> list[str]:
    return ["aggregate", tree(folder), "--nodes", "A,B", "-o", str(folder / "new.csv")]


@good("MP841")
def the_closure_of_items_of_two_parents(folder: Path) -> list[str]:
    return ["aggregate", tree(folder), "--nodes", "A.1,B", "--closure", "-o", str(folder / "new.csv")]


def cancelling(folder: Path, mass: str) -> list[str]:
    """A branch with an added and a removed part."""
    table = tree(folder, TREE.replace("A.2,A,3", f"A.2,A,{mass}"))
    return ["partition", table, "--at", "A", "--allow-negative-mass", "-o", str(folder / "parts")]


@bad("MP842")
def a_branch_without_a_centre(folder: Path) -> list[str]:
    return cancelling(folder, "-2")


@good("MP842")
def a_branch_that_is_left_of_more(folder: Path) -> list[str]:
    return cancelling(folder, "-1")


@bad("MP843")
def a_part_alone(folder: Path) -> list[str]:
    return ["assemble", parts(folder)[0]]


@good("MP843", "MP845")
def a_part_with_its_branches(folder: Path) -> list[str]:
    files = parts(folder)
    return ["assemble", files[0], "--covariance", files[-1]]


@good("MP843", "MP844")
def all_parts(folder: Path) -> list[str]:
    return ["assemble", *parts(folder)[:-1]]


@bad("MP844")
def a_part_that_occurs_twice(folder: Path) -> list[str]:
    files = parts(folder)
    again = Path(files[1]).with_name("again.csv")
    again.write_bytes(Path(files[1]).read_bytes())
    return ["assemble", *files[:-1], str(again)]


@bad("MP844")
def parts_without_the_one_between(folder: Path) -> list[str]:
    files = parts(folder)
    return ["assemble", files[0], files[2]]


@bad("MP845")
def branches_of_another_state(folder: Path) -> list[str]:
    files = parts(folder)
    content = json.loads(Path(files[-1]).read_text())
    content["branches"][0]["mass"] += 1.0
    Path(files[-1]).write_text(json.dumps(content))
    return ["assemble", files[0], "--covariance", files[-1]]


@bad("MP845")
def a_file_of_something_else(folder: Path) -> list[str]:
    files = parts(folder)
    Path(files[-1]).write_text("[]")
    return ["assemble", files[0], "--covariance", files[-1]]


WIDE = TREE.replace("B,TOP,5,", "B,TOP,,,,,,,,\nB.1,B,1,8,0,0,0.1,1,1,1\nB.2,B,5,")


@bad("MP329")
def parts_of_correlated_masses(folder: Path) -> list[str]:
    return ["rollup", tree(folder, WIDE), "--partition", "2", "--correlate", "all"]


@bad("MP329")
def parts_of_a_flat_list(folder: Path) -> list[str]:
    return ["rollup", tree(folder, "id,parent,mass\nTOP,,\na,TOP,1\nb,TOP,2\n"), "--partition", "2"]


@good("MP329")
def two_branches(folder: Path) -> list[str]:
    return ["rollup", tree(folder, WIDE), "--partition", "2"]
