"""Automatic inertials: the bodies of a link's geometries as one, in the frame of the link.

Density is that of the collision, else of the link, else 1000 kg/m³; a stated mass scales mass and tensor. [SDFormat
proposal, "Automatic calculation of moments of inertia"]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.files.robots.sdf import SdfBody
from massprops_cli.files.robots.sdf_poses import SdfPoses
from massprops_cli.findings.finding import Findings, Place
from massprops_cli.inertials.geometry_bodies import GeometryBodies, LinkGeometry, PlacedBody, is_finite_body
from massprops_cli.inertials.overlaps import check_overlaps

DEFAULT_DENSITY = 1000.0
"""Density of a collision without one, kg/m³: water. [SDFormat specification, "collision"]"""


def sdf_link_inertial(one: SdfBody, poses: SdfPoses, bodies: GeometryBodies, findings: Findings) -> BodyArray | None:
    """Compute the automatic inertial of a link of an SDF file."""
    link, file, inertial = one.link, one.model.file, one.link.inertial
    assert inertial is not None
    place = file.place(inertial.line)
    _report_unused(one, place, findings)
    unstated = [collision.name for collision in link.collisions if not (collision.density or inertial.density)]
    if unstated and not (inertial.mass and len(unstated) == len(link.collisions)):
        message = f"density of {len(unstated)} collisions of {link.name} is not stated: 1000 kg/m³ is used"
        if len(unstated) == 1:
            message = f"density of collision {unstated[0]} of {link.name} is not stated: 1000 kg/m³ is used"
        findings.report("MP856", message, place, item=link.name, count=len(unstated))
    geometries = [
        LinkGeometry(
            f"{link.name}/{collision.name}",
            file.place(collision.line),
            collision.geometry,
            poses.in_link(one.model, link, collision.pose),
            float(collision.density or inertial.density or DEFAULT_DENSITY),
            (inertial.parameters if collision.parameters is None else collision.parameters) or {},
        )
        for collision in link.collisions
    ]
    mass = float(inertial.mass) if inertial.mass else None
    return link_inertial(link.name, place, geometries, mass, bodies, file.folder, findings)


def link_inertial(
    link: str, place: Place, geometries: Sequence[LinkGeometry], mass: float | None, bodies: GeometryBodies,
    folder: Path, findings: Findings,
) -> BodyArray | None:  # fmt: skip
    """Compute the inertial of a link from its geometries."""
    if not geometries:
        findings.report("MP855", f"link {link} has no collision", place, item=link)
        return None
    placed: list[PlacedBody | None] = []
    for one in geometries:
        if one.density == 0:
            message = f"density of {one.name} is 0, and it adds no mass"
            findings.report("MP857", message, one.place, value="0", item=link, remedy="state a density, if it has mass")
        elif one.density < 0:
            message = f"density of {one.name} is negative: {one.density:g} kg/m³"
            findings.report("MP855", message, one.place, value=f"{one.density:g}", item=link, remedy="state a density")
            placed.append(None)
        else:
            placed.append(bodies.body(one, folder, findings))
    found = [one for one in placed if one is not None]
    if len(found) < len(placed):
        return None
    if not found or (mass is not None and mass <= 0):
        reason = "has no collision with a mass" if not found else f"states a mass that is not positive: {mass:g} kg"
        findings.report("MP855", f"link {link} {reason}", place, item=link)
        return None
    if not all(one.is_finite for one in found):
        _report_not_finite(link, place, findings)
        return None
    check_overlaps(link, found, findings)
    parts = [one.body for one in found]
    with np.errstate(over="ignore", invalid="ignore"):
        total = BodyArray(
            np.concatenate([one.mass for one in parts]),
            np.concatenate([one.center for one in parts]),
            np.concatenate([one.inertia for one in parts]),
        ).total()
        factor = 1.0 if mass is None else mass / float(total.mass[0])
        exact = total.mass if mass is None else np.array([mass])
        whole = BodyArray(exact, total.center, total.inertia * factor)
    if is_finite_body(whole):
        return whole
    _report_not_finite(link, place, findings)
    return None


def _report_not_finite(link: str, place: Place, findings: Findings) -> None:
    """Report a link whose geometries are too large for double precision."""
    message = f"mass, centre or inertia of the geometry of {link} exceeds double precision (1.8e308)"
    findings.report("MP855", message, place, item=link, remedy="check the dimensions in m and the density in kg/m³")


def _report_unused(one: SdfBody, place: Place, findings: Findings) -> None:
    """Report values of an automatic inertial that have no effect."""
    inertial = one.link.inertial
    assert inertial is not None
    unused = ["pose"] if inertial.pose is not None else []
    unused += ["inertia"] if inertial.element.first("inertia") is not None else []
    if unused:
        noun = f"{' and '.join(unused)} {'are' if len(unused) > 1 else 'is'}"
        message = f"{noun} not used in the automatic inertial of {one.link.name}"
        findings.report("MP857", message, place, value=unused[0], item=one.link.name)
