"""The page of shapes and materials shows the tables that the library uses."""

from __future__ import annotations

import numpy as np

from docs.make_shapes import PAGES, text
from massprops_cli.bodies.solid_shapes import SHAPES, enclosing_size

PAGE = PAGES[0]


def test_pages_are_up_to_date() -> None:
    shapes, materials = (path.read_text("utf-8") for path in PAGES)
    for page in (shapes, materials):
        assert text(page) == page, "run make shapes"
    assert "|cylinder (round bar, bar)|`r`, `L`|" in shapes
    assert "|EN 1993-1-2:2005, 3.2.2, unit mass of steel|steel" in materials


def test_every_shape_has_a_drawing_on_the_page() -> None:
    from docs.make_shape_drawings import file_name  # loads matplotlib

    folder = PAGE.parent / "shapes"
    names = {file_name(shape) for shape in SHAPES.values()}
    assert {path.stem for path in folder.glob("*")} == names
    for name in names:
        assert f"(shapes/{name}.svg)" in PAGE.read_text("utf-8")
        picture = (folder / f"{name}.svg").read_text("utf-8")
        assert len(picture) < 30_000
        # the letters of the three axes
        assert picture.count('<g id="text_') == 3


def test_drawn_lines_are_inside_the_enclosing_box() -> None:
    from docs.make_shape_drawings import DIMS, OWN, shape_lines

    for shape in SHAPES.values():
        dims = {**DIMS, **OWN.get(shape.name, {})}
        points = np.vstack(shape_lines(shape.name, dims))
        size = points.max(axis=0) - points.min(axis=0)
        own = {name: dims[name] for name in shape.dims}
        expected = enclosing_size(shape.name, own)
        # the polygon through the points of an arc is smaller than the arc
        assert (size <= np.array(expected) * (1 + 1e-12) + 1e-12).all(), shape.name
        if shape.name != "prism":
            assert (size >= 0.98 * np.array(expected)).all(), shape.name
