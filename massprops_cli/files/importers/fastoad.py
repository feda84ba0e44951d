"""FAST-OAD: the weight breakdown below ``data:weight:aircraft:OWE`` of its XML files; x is aft from the nose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from massprops_cli.files import parts_report
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element

_ROOT_VARIABLE = "OWE"
_MASSES = {"kg": 1.0, "g": 1e-3, "lb": parts_report.POUND, "lbm": parts_report.POUND}
_LENGTHS = {"m": 1.0, "mm": 1e-3, "cm": 0.01, "ft": parts_report.FOOT, "inch": parts_report.INCH}


def read_fastoad(
    name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings
) -> parts_report.ReportTable:
    """Read the weight breakdown of a FAST-OAD file. Frame and variables: FAST-OAD documentation, "Weight models"."""
    weight = parts_report.parse_xml_report(name, data).find("data/weight")
    groups = [] if weight is None else [group for group in weight if not str(group.tag).startswith("aircraft")]
    items = [item for group in groups for item in _weight_items(name, group, _ROOT_VARIABLE)]
    if weight is None or not items:
        raise TableError([rule_finding("MP111", "file states no masses under data:weight", Place(name))])
    owe = weight.find("aircraft/OWE")
    stated = None if owe is None else _weight_element_value(name, owe, _MASSES, "kg")
    top = parts_report.ReportItem(_ROOT_VARIABLE, "", parts_report.element_line(weight if owe is None else owe), stated)
    if any(item.centre is not None and None in item.centre for item in items):
        message = "centres of mass are stated along x only; y and z are read as 0"
        findings.report("MP141", message, parts_report.element_place(name, weight))
        items = [replace(item, centre=(item.centre[0], 0.0, 0.0)) if item.centre else item for item in items]
    return parts_report.report_table(TableSource(name, "fastoad", compressed=compressed), [top, *items])


def _weight_items(name: str, element: _Element, parent: str) -> Iterator[parts_report.ReportItem]:
    """Return the item of an element, and its parts; nothing if no mass is stated."""
    id = str(element.tag) if parent == _ROOT_VARIABLE else f"{parent}:{element.tag}"
    parts = [item for child in element if child.tag not in ("mass", "CG") for item in _weight_items(name, child, id)]
    if (mass := element.find("mass")) is not None or parts:
        stated = None if mass is None else _weight_element_value(name, mass, _MASSES, "kg")
        places = [None if parts else element.find(f"CG/{axis}") for axis in "xyz"]
        x, y, z = (None if at is None else _weight_element_value(name, at, _LENGTHS, "m") for at in places)
        center = None if (x, y, z) == (None, None, None) else (x, y, z)
        yield parts_report.ReportItem(id, parent, parts_report.element_line(element), stated, center)
        yield from parts


def _weight_element_value(name: str, element: _Element, factors: dict[str, float], otherwise: str) -> float:
    """Return the number of an element in SI units; ``otherwise`` is the default unit."""
    if (unit := element.get("units") or otherwise) not in factors:
        message = f"unit of {element.tag} is unknown: {unit} (expected one of {', '.join(factors)})"
        raise TableError([rule_finding("MP207", message, parts_report.element_place(name, element))])
    return parts_report.element_number(name, element) * factors[unit]
