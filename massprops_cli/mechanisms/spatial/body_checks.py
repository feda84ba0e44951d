"""Checks of the bodies of a tree: what their files leave out, and inertia that no solid has."""

from __future__ import annotations

from massprops_cli.findings.finding import Findings, Place, name_list
from massprops_cli.mechanisms.model import GROUND, Mechanism


def check_body_masses(mechanism: Mechanism, place: Place, findings: Findings) -> None:
    """Report bodies without a mass or with a negative one, and masses without a centre or an inertia."""
    lacking = _massless_bodies(mechanism)
    if lacking:
        message = f"bodies state no mass, read as 0: {name_list(lacking)}"
        findings.report("MP817", message, place, item=lacking[0], count=len(lacking))
    negative = [body.name for body in mechanism.bodies if body.mass is not None and body.mass < 0]
    if negative:
        message = f"bodies have a negative mass: {name_list(negative)}"
        findings.report("MP826", message, place, item=negative[0], count=len(negative))
    incomplete = _incomplete_bodies(mechanism)
    if incomplete:
        listed = name_list([f"{name} ({what})" for name, what in incomplete])
        message = f"bodies state a mass without all of c and I, read as 0: {listed}"
        findings.report("MP817", message, place, item=incomplete[0][0], count=len(incomplete))


def _massless_bodies(mechanism: Mechanism) -> list[str]:
    """Return the bodies that state no mass; one that is fixed to a body with mass is a frame of it."""
    group = {body: body for body in range(GROUND, len(mechanism.bodies))}
    for joint in mechanism.joints:
        if joint.kind == "fixed":
            one, other = (group[body] for body in joint.bodies)
            group = {body: other if root == one else root for body, root in group.items()}
    heavy = {group[k] for k, body in enumerate(mechanism.bodies) if body.mass is not None}
    return [body.name for k, body in enumerate(mechanism.bodies) if body.mass is None and group[k] not in heavy]


def _incomplete_bodies(mechanism: Mechanism) -> list[tuple[str, str]]:
    """Return the bodies of a mechanism file that state a mass, but no centre or no inertia, and what is missing."""
    if not isinstance(mechanism.document, dict):
        return []
    found = []
    for body, given in zip(mechanism.bodies, mechanism.document["bodies"], strict=True):
        missing = [key for key in ("c", "I") if key not in given]
        if body.mass and missing:
            found.append((body.name, ", ".join(missing)))
    return found
