"""Worked examples of functions in the room files/meshes."""

from __future__ import annotations

from massprops_cli.files.meshes.mesh_file import _read_text_stl


def test_read_text_stl_example() -> None:
    import io

    facet = b"facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 2.5 0 endloop endfacet"
    assert (_read_text_stl(io.BytesIO(b"solid a " + facet + b" endsolid a"))[2].tolist()) == ([0.0, 2.5, 0.0])
