"""Tables of SDF files: automatic inertials computed in memory, and the share of the mass that defaults make."""

from __future__ import annotations

from massprops_cli.files.robots.sdf import SdfBody, SdfTable
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Findings, name_list
from massprops_cli.inertials.geometry_bodies import GeometryBodies
from massprops_cli.inertials.link_inertials import sdf_link_inertial

_MASS_COLUMN = 3  # of the table of an SDF file, from 0


def resolve_robot_table(table: Table, findings: Findings, *, is_computed: bool = True) -> Table:
    """Complete the table of an SDF file; any other table is returned as it is."""
    if not isinstance(table, SdfTable) or table.is_resolved:
        return table
    autos = [one for one in table.bodies if one.is_auto]
    cells: dict[int, tuple[str, ...]] = {}
    if is_computed:
        bodies = GeometryBodies(table.folders, table.calculator)
        for one in autos:
            body = sdf_link_inertial(one, table.poses, bodies, findings)
            if body is not None:
                ten = (body.mass[0], *body.center[0], *body.inertia[0])
                cells[one.row] = tuple(repr(float(value) + 0.0) for value in ten)
    elif autos:
        report_skipped(autos, findings)
    left_out = {} if is_computed else {one.row: "0" for one in autos}
    filled = table.with_bodies(cells, left_out)
    _report_defaults(filled, findings)
    return filled


def report_skipped(autos: list[SdfBody], findings: Findings) -> None:
    """Report automatic inertials that are not computed."""
    names = [one.link.name for one in autos]
    noun = "inertial is" if len(names) == 1 else "inertials are"
    message = f"{len(names)} automatic {noun} not computed: {name_list(names, 12)}"
    place = autos[0].model.file.place(autos[0].inertial_line)
    findings.report("MP859", message, place, item=names[0], count=len(names))


def _report_defaults(table: SdfTable, findings: Findings) -> None:
    """Report links with the default inertial, and the share of the mass that they make."""
    defaults = [one for one in table.bodies if one.is_default]
    if not defaults:
        return
    texts = {one.row: table.text(one.row, _MASS_COLUMN) for one in table.bodies}
    total = sum(float(text) for text in texts.values() if text)
    mass = sum(float(texts[one.row]) for one in defaults)
    names = [one.link.name for one in defaults]
    noun = (
        "link states no complete inertial, and counts"
        if len(names) == 1
        else "links state no complete inertial, and count"
    )
    share = f": {mass:g} kg of {total:.4g} kg ({mass / total:.1%})" if total > 0 else ""
    message = f"{len(names)} {noun} with the default of 1 kg and 1 kg·m²{share}: {name_list(names, 12)}"
    place = defaults[0].model.file.place(defaults[0].inertial_line)
    findings.report("MP853", message, place, item=names[0], count=len(names))
