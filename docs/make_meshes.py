"""Write the gallery of ``meshes.md``: pictures, messages and remedies of the defects of meshes.

PYTHONPATH=. python docs/make_meshes.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.bodies.meshes.mesh_bodies import MeshInput, mesh_body
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import Finding, Findings
from tests.mesh_examples import DEFECTS, Triangles

PAGE = Path(__file__).with_name("meshes.md")
PICTURES = Path(__file__).with_name("pictures")
START, END = "<!-- gallery -->\n", "<!-- end of the gallery -->\n"
SIZE = 180
VIEW = np.array([[0.87, -0.5, 0.0], [0.28, 0.48, -0.83]])
"""Right and down of the picture, in the axes of the mesh."""

TOWARD = np.cross(VIEW[0], VIEW[1])


def message_of(code: str) -> Finding:
    """Return the finding of a defect."""
    (points, faces), options = DEFECTS[code]
    single = points.astype(np.float32)
    voxel = float(options[1].split()[0]) / 1000 if options else None
    findings = Findings()
    given = MeshInput(Mesh(single, faces), density=1000.0, voxel=voxel, name="part.stl", meters=1.0, kilograms=1.0)
    mesh_body(given, findings)
    return next(one for one in findings if one.rule == code)


def picture(mesh: Triangles) -> str:
    """Return a drawing: triangles from behind are hatched in red, those from outside blue, each see-through."""
    points, faces = mesh
    points = points - points.mean(axis=0)
    flat, depth = points @ VIEW.T, points @ TOWARD
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = (SIZE - 20) / max(float((high - low).max()), 1e-300)
    place = (flat - (low + high) / 2) * scale + SIZE / 2
    order = np.argsort(depth[faces].mean(axis=1))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} {SIZE}" width="{SIZE}" height="{SIZE}">']
    for face in order.tolist():
        corners = points[faces[face]]
        outward = float(np.cross(corners[1] - corners[0], corners[2] - corners[0]) @ TOWARD) < 0
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in place[faces[face]].tolist())
        fill = "#7aa6d6" if outward else "#e0a39b"
        lines.append(f'<polygon points="{text}" fill="{fill}" fill-opacity="0.35" stroke="#334" stroke-width="0.6"/>')
    return "\n".join([*lines, "</svg>", ""])


def gallery() -> str:
    """Return the table of the gallery."""
    lines = ["|drawing|finding|", "|---|---|"]
    for code in DEFECTS:
        finding = message_of(code)
        rule = f"[{code}](../massprops_cli/findings/pages/{code}.md)"
        message = finding.message.removeprefix("mesh part.stl ").replace("|", chr(92) + "|")
        drawing = f"![{RULES[code].name}](pictures/mesh_{code}.svg)"
        lines.append(f"|{drawing}|{finding.severity.value} {rule}: {message}|")
    return "\n".join([*lines, ""])


def text(page: str) -> str:
    """Return the page with the gallery written again."""
    head, rest = page.split(START)
    return head + START + "\n" + gallery() + "\n" + END + rest.split(END)[1]


def write_pictures(folder: Path) -> None:
    """Write the drawings."""
    for code, (mesh, _) in DEFECTS.items():
        (folder / f"mesh_{code}.svg").write_text(picture(mesh), encoding="utf-8")


if __name__ == "__main__":
    PAGE.write_text(text(PAGE.read_text("utf-8")), encoding="utf-8")
    write_pictures(PICTURES)
