"""Write the tables of ``shapes.md`` from the table of shapes and the table of materials.

python docs/make_shapes.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from massprops_cli.bodies.solid_inputs import Material, read_materials
from massprops_cli.bodies.solid_shapes import SHAPES, Shape

PAGE = Path(__file__).with_name("shapes.md")
SHAPES_HEAD = "| shape | other names | dimensions | origin and axes | closed form | `wall` |"
MATERIALS_HEAD = "| material | other names | published | density in kg/m³ | source |"


def shape_row(shape: Shape) -> str:
    """Return the row of a shape."""
    dims = [f"`{name}` {meaning}" for name, meaning in shape.dims.items()]
    if shape.thickness:
        dims.append(f"`{shape.thickness}` {'thickness' if shape.thickness == 't' else 'area of the section'}")
    wall = "yes" if shape.inner is not None or shape.name == "tube" or shape.thickness == "t" else "no"
    name = f"[{shape.name}](shapes/{shape.name.replace(' ', '_')}.md)"
    cells = (name, ", ".join(shape.aliases), ", ".join(dims), shape.origin, shape.formula, wall)
    return f"| {' | '.join(cells)} |"


def material_row(one: Material) -> str:
    """Return the row of a material."""
    density = f"{one.density:.10g}" + (f" ± {one.half_range:g}" if one.half_range else "")
    return f"| {one.name} | {', '.join(one.aliases)} | {one.published} | {density} | {one.source} |"


def text(page: str) -> str:
    """Return the page with both tables written again."""
    rows = {
        SHAPES_HEAD: [shape_row(shape) for shape in SHAPES.values()],
        MATERIALS_HEAD: [material_row(one) for one in read_materials().values()],
    }
    return "\n".join(_lines(page, rows)) + "\n"


def _lines(page: str, rows: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines of a page, with new rows below each head."""
    in_table = False
    for line in page.splitlines():
        in_table = in_table and line.startswith("|")
        if not in_table:
            yield line
        if line in rows:
            in_table = True
            yield "|---" * (line.count("|") - 1) + "|"
            yield from rows[line]


if __name__ == "__main__":
    PAGE.write_text(text(PAGE.read_text("utf-8")), encoding="utf-8")
