"""Custom calculators: functions of other packages that make a body of a mesh, registered by an entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any

import numpy as np

from massprops_cli.bodies.body import Body
from massprops_cli.bodies.meshes.mesh import Mesh
from massprops_cli.findings.finding import Findings, UsageError, name_list, nearest_name_hint

_CALCULATOR_GROUP = "massprops.calculators"
"""Group of the entry points."""

_Calculator = Callable[[Mesh, float, Mapping[str, str], Findings], Body | None]
"""Mesh in metres, density in kg/m³, parameters and collector of findings → body in SI, or None."""


def _find_calculator(name: str) -> _Calculator:
    """Load a custom calculator."""
    known = {point.name: point for point in entry_points(group=_CALCULATOR_GROUP)}
    if name not in known:
        listed = f" (registered: {name_list(sorted(known))})" if known else " (no package registers a calculator)"
        raise UsageError(f"unknown calculator: {name}{nearest_name_hint(name, known) or listed}")
    try:
        found: Any = known[name].load()
    except Exception as error:
        raise UsageError(f"calculator {name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise UsageError(f"calculator {name} is not callable: {known[name].value}")
    return found  # type: ignore[no-any-return] # what a package registers has no type


def calculated_body(
    name: str, mesh: Mesh, density: float, parameters: Mapping[str, str], findings: Findings
) -> Body | None:
    """Return the body that a custom calculator makes of a mesh."""
    calculate = _find_calculator(name)
    before = len(findings)
    try:
        body = calculate(mesh, density, parameters, findings)
    except Exception as error:
        message = f"calculator {name} failed: {type(error).__name__}: {error}"
        findings.report("MP737", message, value=name, remedy="report it to the author of the calculator")
        return None
    if body is None:
        if len(findings) == before:
            findings.report("MP737", f"calculator {name} returned no body and no finding", value=name)
        return None
    if not isinstance(body, Body) or not _is_complete(body):
        findings.report("MP737", f"calculator {name} returned no body with a mass, centre and tensor", value=name)
        return None
    return body


def _is_complete(body: Body) -> bool:
    """Return whether mass, centre and tensor of a body are finite."""
    parts = (body.mass, body.center, body.inertia)
    return all(part is not None and bool(np.isfinite(np.asarray(part, dtype=float)).all()) for part in parts)
