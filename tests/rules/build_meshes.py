"""Mesh files that meet a rule, or nearly do."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tests.mesh_examples import DEFECTS, Triangles, ball, box, flipped, joined, write_stl

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

EMPTY: Triangles = (np.zeros((0, 3)), np.zeros((0, 3), int))
NOT_FINITE: Triangles = (np.where(np.arange(24).reshape(8, 3) == 5, np.nan, box()[0]), box()[1])
HEADER = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],mesh,mesh_units,material\nRack,,,,,,,,\n"


def shape(folder: Path, mesh: Triangles, *options: str, units: str = "m") -> list[str]:
    """Write a mesh, and give the command line for it."""
    write_stl(folder / "part.stl", mesh)
    unit = (f"mesh-units={units}",) if units else ()
    return ["parts", "shape", str(folder / "part.stl"), *unit, "density=1000 kg/m3", *options]


def up_axis(folder: Path, axis: str) -> list[str]:
    """Write a DAE mesh whose up axis is stated, and give the command line for it."""
    import trimesh

    text = trimesh.Trimesh(*box(), process=False).export(file_type="dae").decode()
    (folder / "part.dae").write_text(re.sub(r"<up_axis>\w+</up_axis>", f"<up_axis>{axis}_UP</up_axis>", text))
    return ["parts", "shape", str(folder / "part.dae"), "density=1000 kg/m3"]


@bad("MP739")
def y_is_up(folder: Path) -> list[str]:
    return up_axis(folder, "Y")


@good("MP739")
def z_is_up(folder: Path) -> list[str]:
    return up_axis(folder, "Z")


def table(folder: Path, row: str) -> list[str]:
    """Write a mesh and a table with one part, and give the command line for it."""
    write_stl(folder / "part.stl", box())
    (folder / "bom.csv").write_text(f"{HEADER}Bar,Rack,,,,,{row}\n")
    return ["validate", str(folder / "bom.csv")]


def _register(code: str, mesh: Triangles, options: tuple[str, ...]) -> None:
    """Register a mesh with a defect."""

    def build(folder: Path) -> list[str]:
        return shape(folder, mesh, *options)

    build.__name__ = f"gallery_{code}"
    bad(code)(build)


for _code, (_mesh, _options) in DEFECTS.items():
    _register(_code, _mesh, _options)


@good("MP720", "MP721", "MP722", "MP723", "MP724", "MP725", "MP726", "MP727", "MP728", "MP730", "MP731", "MP733")
@good("MP729", "MP732", "MP734", "MP735", "MP736", "MP737", "MP738")
def a_sound_box(folder: Path) -> list[str]:
    return shape(folder, box())


@good("MP734")
def a_fine_ball(folder: Path) -> list[str]:
    return shape(folder, ball(0.1, 64))


@good("MP735")
def small_voxels(folder: Path) -> list[str]:
    return shape(folder, DEFECTS["MP735"][0], "--voxel-size", "1 mm", "--keep-going")


@good("MP728", "MP730", "MP726")
def a_cavity_in_one_of_two_boxes(folder: Path) -> list[str]:
    return shape(folder, joined(box(), flipped(box((0.08, 0.18, 0.28))), box(at=(0.3, 0, 0))))


@good("MP728", "MP730")
def a_union(folder: Path) -> list[str]:
    return shape(folder, DEFECTS["MP730"][0], "--union")


@bad("MP720")
def no_unit(folder: Path) -> list[str]:
    return shape(folder, box(), units="")


@bad("MP720")
def no_unit_in_a_row(folder: Path) -> list[str]:
    return table(folder, "part.stl,,steel")


@good("MP720", "MP721")
def a_unit_in_a_row(folder: Path) -> list[str]:
    return table(folder, "part.stl,m,steel")


@bad("MP721")
def no_such_file(folder: Path) -> list[str]:
    return table(folder, "other.stl,m,steel")


@bad("MP721")
def outside_the_folder(folder: Path) -> list[str]:
    return table(folder, "../part.stl,m,steel")


@bad("MP722")
def no_triangles(folder: Path) -> list[str]:
    return shape(folder, EMPTY)


@bad("MP723")
def a_coordinate_that_is_no_number(folder: Path) -> list[str]:
    return shape(folder, NOT_FINITE)


@bad("MP726")
def a_box_next_to_one_that_faces_inward(folder: Path) -> list[str]:
    return shape(folder, joined(box(), flipped(box((0.05, 0.05, 0.05), at=(0.3, 0, 0)))))
