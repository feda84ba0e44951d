"""``massprops shape``: one table row of a solid, and the list of shapes."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.cli.option_groups import command_option
from massprops_cli.cli.streams import EXIT_OK, report_screen, screen_for
from massprops_cli.findings import UsageError
from massprops_cli.reports import Grid, TextSpan, text_line

if TYPE_CHECKING:
    from massprops_cli.bodies import SolidBodies, SolidInput

MORE = """

Every dimension has a unit and may have a tolerance with its level, such as --r '50±0.5 mm (2σ)', (k=2) or (uniform);
the row then has columns of sigmas, to first order. The centre is that of the shape in its own frame, the inertia is
about this centre, and Ixy is the tensor entry (POIconv -). A mass has priority over a density, and a
density over a material.

massprops shape SHAPE … --no-header >> bom.csv appends a row to a table; a single row pipes into massprops rollup -.
"""

_VALUE_NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


@dataclass(frozen=True)
class _Dimensions:
    """Dimensions of the shape."""

    r: str = command_option("r", "shape")
    d: str = command_option("d", "shape")
    L: str = command_option("L", "shape")
    a: str = command_option("a", "shape")
    b: str = command_option("b", "shape")
    c: str = command_option("c", "shape")
    h: str = command_option("h", "shape")
    n: str = command_option("n", "shape")
    t: str = command_option("t", "shape")
    A: str = command_option("A", "shape")
    R: str = command_option("R", "shape")
    r1: str = command_option("r1", "shape")
    r2: str = command_option("r2", "shape")
    ri: str = command_option("ri", "shape")


@dataclass(frozen=True)
class _SolidOptions:
    """Shape, wall, axis, and what states the mass."""

    shape: str = command_option("shape", "shape")
    wall: str = command_option("wall", "shape")
    axis: str = command_option("axis", "shape")
    mass: str = command_option("mass", "shape")
    density: str = command_option("density", "shape")
    material: str = command_option("material", "shape")


@dataclass(frozen=True)
class _RowOptions:
    """Form of the row."""

    item: str = command_option("id", "shape")
    parent: str = command_option("parent", "shape")
    no_header: bool = command_option("no-header", "shape")
    is_list: bool = command_option("list", "shape")
    units: str = command_option("units", "shape")
    materials: str = command_option("materials", "shape")


def command(solid: _SolidOptions, dimensions: _Dimensions, row: _RowOptions) -> int:
    """Print the row of a solid, or the list of shapes.

    Parameters
    ----------
    solid : SolidOptions
        Shape, wall, axis, and what states the mass.
    dimensions : Dimensions
        Dimensions of the shape.
    row : RowOptions
        Form of the row.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    UsageError
        The shape is unknown, or no body can have these values.
    """
    if row.is_list:
        _list_shapes()
        return EXIT_OK
    if not solid.shape:
        raise UsageError("no shape is given; massprops shape --list lists all shapes")
    from massprops_cli.bodies import solid_bodies

    described = _described_solid(solid, dimensions, row.materials)
    computed = solid_bodies([described])
    for _, name, message in computed.faults:
        raise UsageError(message if name == "dims" else f"{message} (--{name})")
    if described.unused:
        notes = report_screen(data_on_stdout=True)
        unused = " and ".join(described.unused)
        notes.show([text_line(TextSpan("note", "note"), f": {described.source} is used; {unused} not used")])
    screen_for(sys.stdout).write(_row_text(row, described, computed))
    return EXIT_OK


def _described_solid(solid: _SolidOptions, dimensions: _Dimensions, materials: str) -> SolidInput:
    """Parse the options; their faults name the option."""
    from massprops_cli.bodies import SolidInputError, parse_solid, read_materials

    given = {field.name: getattr(dimensions, field.name) for field in fields(dimensions)}
    dims = "; ".join(f"{name}={text}" for name, text in given.items() if text)
    cells = {field.name: getattr(solid, field.name) for field in fields(solid)}
    try:
        return parse_solid({**cells, "dims": dims}, _si_factor, read_materials(materials) if materials else None)
    except SolidInputError as error:
        shown = "" if error.column in ("dims", "shape") else f" (--{error.column})"
        raise UsageError(f"{error}{shown}") from None


def _si_factor(name: str, unit: str, dimension: tuple[int, int, int]) -> float:
    """Return the factor from a unit as it is written to SI, or raise."""
    from massprops_cli.tables import unit_of_dimension

    examples = {"mass": "2 kg", "density": "7850 kg/m3", "A": "12 mm^2"}
    if not unit:
        raise UsageError(f"{name} has no unit; write a unit, such as --{name} '{examples.get(name, '50 mm')}'")
    found = unit_of_dimension(unit, dimension)
    if found is None:
        raise UsageError(
            f"unit of {name} is not valid: {unit} (expected one such as in {examples.get(name, '50 mm')!r})"
        )
    return found.numerator / found.denominator


def _row_text(row: _RowOptions, described: SolidInput, computed: SolidBodies) -> str:
    """Write the header, if it is requested, and the row as CSV."""
    from massprops_cli.tables import parse_unit_system

    system = parse_unit_system(row.units)
    if system.length is None or system.inertia is None or system.mass is None:
        raise UsageError(f"--units of a shape are a mass and a length, such as kg,mm: {row.units}")
    units = [system.mass, *[system.length] * 3, *[system.inertia] * 6]
    sizes = np.array([unit.unit.numerator / unit.unit.denominator for unit in units])
    named = [f"{name} [{unit.text}]" for name, unit in zip(_VALUE_NAMES, units, strict=True)]
    header, cells = ["id"], [row.item or described.shape]
    if row.parent:
        header.append("parent")
        cells.append(row.parent)
    header += [*named, "POIconv"]
    cells += [*_number_texts(computed.ten[0] / sizes), "-"]
    if described.sigmas:
        sigmas = np.sqrt(np.diagonal(computed.covariance[0])) / sizes
        header += [f"sigma_{name}" for name in named]
        cells += _number_texts(sigmas)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([cells] if row.no_header else [header, cells])
    return out.getvalue()


def _number_texts(values: NDArray[np.float64]) -> list[str]:
    """Return numbers with all their digits."""
    return [f"{value:g}" if float(f"{value:g}") == value else repr(value) for value in (values + 0.0).tolist()]


def _list_shapes() -> None:
    """Print every shape with its dimensions, origin and formula."""
    from massprops_cli.bodies import SHAPES

    rows = []
    for shape in SHAPES.values():
        dims = [*shape.dims, *([shape.thickness] if shape.thickness else [])]
        texts = (" ".join(f"--{name}" for name in dims), shape.origin, shape.formula)
        rows.append([TextSpan(shape.name, "strong"), TextSpan(texts[0]), TextSpan(texts[1]), TextSpan(texts[2], "dim")])
    report_screen(data_on_stdout=False).show([Grid(rows, "llll", shrink=3, indent=0)])
