"""A URDF file with other inertials; all other bytes remain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from massprops_cli.mechanisms.model import Mechanism, MechanismBody


def urdf_with_inertials(name: str, data: bytes, mechanism: Mechanism) -> bytes:
    """Return a URDF file with the masses, centres and inertia of a mechanism in its links."""
    from massprops_cli.robots.xml_source import parse_source, utf8_source

    source = utf8_source(data)[0]
    bodies = {body.name: body for body in mechanism.bodies if body.mass is not None}
    edits: list[tuple[int, int, bytes]] = []
    for link in parse_source(name, data).all("link"):
        body = bodies.get(link.attributes.get("name", "").strip())
        if body is None:
            continue
        text, old = _inertial_text(body).encode(), link.first("inertial")
        if old is not None:
            edits.append((old.start, old.end, text))
        elif link.close == link.inner == link.end:
            edits.append((link.end - 2, link.end, b">" + text + b"</link>"))
        else:
            edits.append((link.close, link.close, text))
    for start, end, text in reversed(edits):
        source = source[:start] + text + source[end:]
    return source


def _inertial_text(body: MechanismBody) -> str:
    """Return the inertial of a body."""
    xx, yy, zz, xy, xz, yz = (repr(float(value)) for value in body.inertia)
    center = " ".join(repr(float(value)) for value in body.center)
    return (
        f'<inertial><origin xyz="{center}" rpy="0 0 0"/><mass value="{float(body.mass)!r}"/>'
        f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"/></inertial>'
    )
