"""Write the tables of ``shapes.md`` and ``internals/materials.md`` from the tables of shapes and of materials.

python docs/make_shapes.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from massprops_cli.bodies.solid_inputs import Material, read_materials
from massprops_cli.bodies.solid_shapes import SHAPES, Shape

FOLDER = Path(__file__).parent
PAGES = FOLDER / "shapes.md", FOLDER / "internals" / "materials.md"
SHAPES_HEAD = "|drawing|shape|dimensions|origin and axes|closed form|"
MATERIALS_HEAD = "|source|materials|"
USUAL = {
    "r": "radius",
    "L": "length along the axis",
    "R": "radius of the centre line",
    "t": "thickness",
    "A": "area of the section",
}
"""Meanings that the page states once, above the table."""


def shape_row(shape: Shape) -> str:
    """Return the row of a shape."""
    dims = [
        f"`{name}`" if USUAL.get(name) == meaning else f"`{name}` {meaning}" for name, meaning in shape.dims.items()
    ]
    if shape.thickness:
        dims.append(f"`{shape.thickness}`")
    picture = f"![{shape.name}](shapes/{shape.name.replace(' ', '_')}.svg)"
    name = f"{shape.name} ({', '.join(shape.aliases)})" if shape.aliases else shape.name
    has_wall = shape.inner is not None or shape.name == "tube" or shape.thickness == "t"
    origin = shape.origin.replace("; axis z,", ";").replace("; axis z", "")
    cells = (picture, name, ", ".join(dims), origin, shape.formula + ("" if has_wall else "; no `wall`"))
    return f"|{'|'.join(cells)}|"


def material_rows() -> list[str]:
    """Return a row for each source, with its materials."""
    sources: dict[str, list[str]] = {}
    for one in read_materials().values():
        sources.setdefault(one.source, []).append(material_text(one))
    return [f"|{source}|{'; '.join(materials)}|" for source, materials in sources.items()]


def material_text(one: Material) -> str:
    """Return the name, the other names and the density of a material."""
    density = f"{one.density:.10g}" + (f" ± {one.half_range:g}" if one.half_range else "")
    published = "" if one.published.endswith("g/cm3") and " to " not in one.published else f" ({one.published})"
    aliases = f" ({', '.join(one.aliases)})" if one.aliases else ""
    return f"{one.name}{aliases} {density}{published}"


def text(page: str) -> str:
    """Return a page with its tables written again."""
    rows = {SHAPES_HEAD: [shape_row(shape) for shape in SHAPES.values()], MATERIALS_HEAD: material_rows()}
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
    for path in PAGES:
        path.write_text(text(path.read_text("utf-8")), encoding="utf-8")
