"""``massprops parts shape``: one table row of a solid from a shape or a mesh, and the list of shapes."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.cli.command import Command, RepeatedOption, ReportOptions, command_option
from massprops_cli.cli.stages.report_output import exit_code, report_on_stderr
from massprops_cli.cli.streams import EXIT_FAILURE, EXIT_OK, report_screen, screen_for
from massprops_cli.files.options import resolve_caps
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.reports.page.findings import csv_text
from massprops_cli.reports.page.page import Grid, TextSpan, text_line
from massprops_cli.tables.cells.units import parse_unit_system, unit_of_dimension

if TYPE_CHECKING:
    from massprops_cli.bodies.solid_inputs import SolidInput

COMMAND = Command(
    "parts shape",
    panel="Parts and robots",
    summary="Print the table row of a solid, from a shape or a mesh: mass, centre of mass, inertia and their sigmas.",
    examples=(
        "cylinder r=50mm L=300mm material=steel",
        "box 'a=20±0.1 mm (2σ)' b=30mm c=5mm mass=0.2kg id=BRACKET",
        "bracket.stl mesh-units=mm 'density=2700 kg/m3'",
    ),
    usual="units union calculator keep-going",
    sets="findings",
    more="""
Without a shape, all shapes are listed with their dimensions. Every dimension has a unit and may have a tolerance with
its level, such as 'r=50±0.5 mm (2σ)', (k=2) or (uniform); the row then has columns of sigmas, to first order. The
centre is that of the shape in its own frame, the inertia is about this centre, and Ixy is the tensor entry (POIconv -).
A mass has priority over a density, and a density over a material.

A mesh is a file of triangles in place of a shape. Formats without a unit (stl, obj, ply, off) need mesh-units. Sigmas
include the rounding of its coordinates, and a bound for its facets. Defects are findings on standard error; with an
error no row is printed unless --keep-going is given.

massprops parts shape SHAPE … no-header=true >> bom.csv appends a row to a table; one row pipes into massprops rollup -.
""",
)
_Floats = NDArray[np.float64]
_VALUE_NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_SOLID = ("wall", "axis", "mass", "density", "material")
_MESH = ("mesh_units", "mesh_scale", "surface_offset", "voxel_size", "union", "calculator", "cap")


class _ShapeRun(ReportOptions):
    """The options of ``shape``: dimensions, what states the mass, a mesh, and the form of the row."""

    shape: str = command_option("shape", COMMAND)
    dims: RepeatedOption = command_option("dims", COMMAND)
    wall: str = command_option("wall", COMMAND)
    axis: str = command_option("axis", COMMAND)
    mass: str = command_option("mass", COMMAND)
    density: str = command_option("density", COMMAND)
    material: str = command_option("material", COMMAND)
    mesh_units: str = command_option("mesh-units", COMMAND)
    mesh_scale: str = command_option("mesh-scale", COMMAND)
    surface_offset: str = command_option("surface-offset", COMMAND)
    voxel_size: str = command_option("voxel-size", COMMAND)
    union: bool = command_option("union", COMMAND)
    calculator: str = command_option("calculator", COMMAND)
    cap: RepeatedOption = command_option("cap", COMMAND)
    item: str = command_option("id", COMMAND)
    parent: str = command_option("parent", COMMAND)
    no_header: bool = command_option("no-header", COMMAND)
    units: str = command_option("units", COMMAND)
    materials: str = command_option("materials", COMMAND)
    keep_going: bool = command_option("keep-going", COMMAND)

    @property
    def mesh(self) -> str:
        """The mesh file, where one is named in place of a shape."""
        return self.shape if Path(self.shape).suffix else ""


def command(run: _ShapeRun) -> int:
    """Print the row of a solid, or the list of shapes; UsageError for an unknown shape or impossible values."""
    if run.mesh:
        return _print_mesh(run)
    for name in _MESH:
        if getattr(run, name) not in ("", False, None, []):
            raise UsageError(f"{name.replace('_', '-')} is only used with a mesh file")
    if not run.shape and not run.dims:
        _list_shapes()
        return EXIT_OK
    from massprops_cli.bodies.solid_inputs import solid_bodies

    described = _described_solid(run)
    ten, covariances, faults, _ = solid_bodies([described])
    for _, name, message in faults:
        raise UsageError(message if name == "dims" else f"{message} ({name}=)")
    _note_unused(described.source, described.unused, run)
    covariance = covariances[0] if described.sigmas else None
    screen_for(sys.stdout).write(_row_text(run, described.shape, ten[0], covariance))
    return EXIT_OK


def _note_unused(source: str, unused: tuple[str, ...], run: _ShapeRun) -> None:
    """Print a note of the inputs that one with priority replaces."""
    if unused and not run.quiet:
        notes = report_screen(data_on_stdout=True)
        notes.show([text_line(TextSpan("note", "note"), f": {source} is used; {' and '.join(unused)} not used")])


def _print_mesh(run: _ShapeRun) -> int:
    """Print the row of a mesh, and report its defects; with errors no row unless it is requested."""
    from massprops_cli.bodies.solid_inputs import SolidInputError, parse_mesh, read_materials
    from massprops_cli.bom.items.mesh_cells import MeshSource

    if run.axis != COMMAND.option("axis").default:
        raise UsageError("axis is not combined with a mesh, which has its own shape")
    names = ("mesh_units", "mesh_scale", "surface_offset", "voxel_size", "wall", "mass", "density", "material")
    texts = {name: getattr(run, name) for name in names}
    path = Path(run.mesh)
    materials = read_materials(run.materials) if run.materials else None
    try:
        described = parse_mesh({**texts, "mesh": path.name}, _si_factor, materials)
    except SolidInputError as error:
        raise UsageError(f"{error} ({error.column.replace('_', '-')}=)") from None
    findings = Findings()
    source = MeshSource(path.parent, (), _si_factor, caps=resolve_caps(run.cap or ()))
    parameters = _calculator_parameters(run)
    if run.calculator:
        found = source.calculated(described, run.calculator, parameters, findings)
    else:
        found = source.body(described, findings, use_union=run.union)
    _note_unused(described.source, described.unused, run)
    findings = Findings(replace(one, remedy=one.remedy.replace("--config ", "")) for one in findings)
    code = exit_code(findings, run) if found is not None else EXIT_FAILURE
    is_printed = found is not None and (run.keep_going or not any(one.is_withholding for one in findings))
    if found is not None and is_printed:
        covariance = found.covariance if found.covariance.any() else None
        screen_for(sys.stdout).write(_row_text(run, path.stem, found.ten, covariance))
    report_on_stderr(run.mesh, findings, run, f"{run.mesh}: {'row printed' if is_printed else 'no row printed'}")
    return code


def _calculator_parameters(run: _ShapeRun) -> dict[str, str]:
    """Parse the parameters of a custom calculator, or raise."""
    if run.union and run.calculator:
        raise UsageError("--union is not combined with --calculator")
    found = {}
    for text in run.dims or ():
        name, sign, value = (part.strip() for part in text.partition("="))
        if not run.calculator or not sign or not name:
            needs = "expected NAME=VALUE" if run.calculator else "parameters need --calculator"
            raise UsageError(f"a mesh has no such value: {text} ({needs})")
        found[name] = value
    return found


def _described_solid(run: _ShapeRun) -> SolidInput:
    """Parse the dimensions and options; a fault of an option names it."""
    from massprops_cli.bodies.solid_inputs import SolidInputError, parse_solid, read_materials

    dims = list(run.dims or ())
    words = [run.shape, *takewhile(lambda text: "=" not in text, dims)]  # spherical cap
    cells = {name: getattr(run, name) for name in _SOLID}
    cells |= {"shape": " ".join(words), "dims": "; ".join(dims[len(words) - 1 :])}
    try:
        materials = read_materials(run.materials) if run.materials else None
        return parse_solid(cells, _si_factor, materials)
    except SolidInputError as error:
        shown = "" if error.column in ("dims", "shape") else f" ({error.column}=)"
        raise UsageError(f"{error}{shown}") from None


def _si_factor(name: str, unit: str, dimension: tuple[int, int, int]) -> float:
    """Return the factor from a unit as it is written to SI, or raise."""
    examples = {"mass": "2 kg", "density": "7850 kg/m3", "A": "12 mm^2"}
    if not unit:
        example = f"'{name.replace('_', '-')}={examples.get(name, '50 mm')}'"
        raise UsageError(f"{name} has no unit; write a unit, such as {example}")
    if (found := unit_of_dimension(unit, dimension)) is None:
        raise UsageError(
            f"unit of {name} is not valid: {unit} (expected one such as in {examples.get(name, '50 mm')!r})"
        )
    return found.numerator / found.denominator


def _row_text(run: _ShapeRun, name: str, ten: _Floats, covariance: _Floats | None) -> str:
    """Write the header, if it is requested, and the row as CSV."""
    system = parse_unit_system(run.units)
    if system.length is None or system.inertia is None or system.mass is None:
        raise UsageError(f"--units of a shape are a mass and a length, such as kg,mm: {run.units}")
    units = [system.mass, *[system.length] * 3, *[system.inertia] * 6]
    sizes = np.array([unit.unit.numerator / unit.unit.denominator for unit in units])
    named = [f"{name} [{unit.text}]" for name, unit in zip(_VALUE_NAMES, units, strict=True)]
    header, cells = ["id"], [run.item or name]
    if run.parent:
        header.append("parent")
        cells.append(run.parent)
    header += [*named, "POIconv"]
    cells += [*_number_texts(ten / sizes), "-"]
    if covariance is not None:
        sigmas = np.sqrt(np.diagonal(covariance)) / sizes
        header += [f"sigma_{name}" for name in named]
        cells += _number_texts(sigmas)
    return csv_text([cells] if run.no_header else [header, cells])


def _number_texts(values: NDArray[np.float64]) -> list[str]:
    """Return numbers with all their digits."""
    return [f"{value:g}" if float(f"{value:g}") == value else repr(value) for value in (values + 0.0).tolist()]


def _list_shapes() -> None:
    """Print every shape with its dimensions, its drawing, its origin and its formula."""
    from massprops_cli.bodies.solid_shapes import SHAPES

    rows = []
    for shape in SHAPES.values():
        dims = [*shape.dims, *([shape.thickness] if shape.thickness else [])]
        texts = (" ".join(f"{name}=" for name in dims), shape.origin, shape.formula)
        drawing = TextSpan(f"docs/shapes/{shape.name.replace(' ', '_')}.svg", "dim")
        head = [TextSpan(shape.name, "strong"), TextSpan(texts[0]), drawing]
        rows.append([*head, TextSpan(texts[1]), TextSpan(texts[2], "dim")])
    report_screen(data_on_stdout=False).show([Grid(rows, "lllll", shrink=4, indent=0)])
