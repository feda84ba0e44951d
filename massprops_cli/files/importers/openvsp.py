"""OpenVSP: the file ``NAME_MassProps.txt`` that the mass properties analysis writes.

Below the heading ``Name Mass cgX cgY cgZ Ixx Iyy Izz Ixy Ixz Iyz Volume`` each line is a component, up to the same
heading above the line ``Totals`` (OpenVSP, ``Results::WriteMassProp``).
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from massprops_cli.files.encoding import read_text
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportItem, ReportTable, report_items_with_mass, report_table, unique_names
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

_HEADING = re.compile(r"Name\s+Mass\s+cgX\s+cgY\s+cgZ\s+Ixx\s+Iyy\s+Izz\s+Ixy\s+Ixz\s+Iyz(?:\s+Vol\w*)?\s*$")
_N_NUMBERS = 10  # mass, cg x y z, Ixx Iyy Izz Ixy Ixz Iyz
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)  # such as "-1.5e-3"
_ROOT = "Vehicle"


def read_openvsp(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> ReportTable:
    """Read the components of an OpenVSP mass-properties report."""
    text, source = read_text(name, data, "openvsp", options, compressed)
    lines = text.splitlines()
    if not (headings := [i for i, line in enumerate(lines) if _HEADING.match(line.strip())]):
        raise TableError([rule_finding("MP111", "file has no line 'Name Mass cgX …' above components", Place(name))])
    below, faults = headings[0] + 1, Findings()
    end = headings[1] if len(headings) > 1 else len(lines)
    components = _component_items(name, lines, range(below, end), _volume(lines[headings[0]]), faults)
    totals = headings[1] + 1 if len(headings) > 1 else len(lines)
    total_lines = range(totals, min(totals + 1, len(lines)))
    stated = _component_items(name, lines, total_lines, _volume(lines[headings[-1]]), faults)
    if faults:
        raise TableError(faults)
    if not (components := report_items_with_mass(components, "components", Place(name), findings)):
        raise TableError([rule_finding("MP111", "file states no component with a mass", Place(name))])
    ids = unique_names([_ROOT, *(item.id for item in components)])
    root = replace(stated[0], id=_ROOT, point=False) if stated else ReportItem(_ROOT, "", below)
    rows = [replace(item, id=id, parent=_ROOT) for id, item in zip(ids[1:], components, strict=True)]
    return report_table(source, [root, *rows], has_units=False)


def _volume(heading: str) -> bool:
    """Return whether the last column of a table is the volume."""
    return heading.rsplit(maxsplit=1)[-1].startswith("Vol")


def _component_items(name: str, lines: list[str], which: range, has_volume: bool, faults: Findings) -> list[ReportItem]:
    """Return the components on some lines, up to a blank line below one; other lines are faults."""
    items: list[ReportItem] = []
    for i in which:
        if not lines[i].strip():
            if items:
                break
            continue
        texts = lines[i].rsplit(None, _N_NUMBERS + has_volume)
        place = Place(name, line=i + 1)
        if len(texts) != _N_NUMBERS + has_volume + 1:
            message = f"line states no component with {_N_NUMBERS} numbers: {lines[i].strip()[:60]}"
            faults.report("MP212", message, place)
            continue
        numbers = [float(text) if _NUMBER.fullmatch(text) else math.nan for text in texts[1 : _N_NUMBERS + 1]]
        if bad := [text for text, value in zip(texts[1:], numbers, strict=False) if not math.isfinite(value)]:
            faults.report("MP205", f"value of {texts[0].strip()} is not a number: {bad[0]!r}", place, value=bad[0])
            continue
        mass, x, y, z, xx, yy, zz, xy, xz, yz = numbers
        inertia = xx, yy, zz, xy, xz, yz
        items.append(ReportItem(texts[0].strip(), "", i + 1, mass, (x, y, z), inertia, "+", not any(inertia)))
    return items
