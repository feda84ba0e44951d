"""JSBSim: ``mass_balance``, without a unit in inch, pound and slug·ft²; x is aft, y to the right, z up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from massprops_cli.files import parts_report as report
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import TableSource
from massprops_cli.findings.finding import Findings, TableError, rule_finding

if TYPE_CHECKING:
    from lxml.etree import _Element

_LENGTHS = {"IN": report.INCH, "FT": report.FOOT, "M": 1.0, "CM": 0.01, "KM": 1000.0}
_MASSES = {"LBS": report.POUND, "KG": 1.0, "SLUG": report.SLUG}
_INERTIAS = {"SLUG*FT2": report.SLUG * report.FOOT**2, "KG*M2": 1.0}
_AXES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def read_jsbsim(
    name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings
) -> report.ReportTable:
    """Read the mass balance of a JSBSim aircraft. Default units, signs: JSBSim Reference Manual, "Mass balance"."""
    root = report.parse_xml_report(name, data)
    balance = root if root.tag == "mass_balance" else root.find("mass_balance")
    if balance is None:
        raise TableError([rule_finding("MP111", "model has no mass_balance", report.element_place(name, root))])
    if balance.get("file"):
        message = f"mass_balance is in another file: {balance.get('file')}"
        raise TableError([rule_finding("MP111", message, report.element_place(name, balance), remedy="pass that file")])
    items = _mass_balance_items(name, root, balance)
    if filled := root.findall("propulsion/tank"):
        count = "1 tank is" if len(filled) == 1 else f"{len(filled)} tanks are"
        findings.report("MP140", f"{count} not read; only mass_balance is read", report.element_place(name, filled[0]))
    return report.report_table(TableSource(name, "jsbsim", compressed=compressed), items)


def _mass_balance_items(name: str, root: _Element, balance: _Element) -> list[report.ReportItem]:
    """Return the aircraft, its empty weight and its point masses."""
    points = balance.findall("pointmass")
    if (empty := balance.find("emptywt")) is None and not points:
        raise TableError([rule_finding("MP111", "mass_balance states no mass", report.element_place(name, balance))])
    names = [root.get("name") or "aircraft", "Empty weight", *(point.get("name") or "" for point in points)]
    aircraft, base, *ids = report.unique_names(names)
    items = [report.ReportItem(aircraft, "", report.element_line(root))]
    if empty is not None:
        items.append(_read_empty_weight(name, balance, base, aircraft))
    return items + [_read_point_mass(name, point, id, aircraft) for point, id in zip(points, ids, strict=True)]


def _read_empty_weight(name: str, balance: _Element, id: str, parent: str) -> report.ReportItem:
    """Read the empty aircraft: ``emptywt``, the location named CG, and the inertias about it."""
    centres = [place for place in balance.findall("location") if place.get("name") == "CG"]
    stated = [element for axes in _AXES if (element := balance.find(axes)) is not None]
    given = {str(element.tag): _mass_balance_value(name, element, _INERTIAS, "SLUG*FT2") for element in stated}
    # JSBSim reads a missing inertia as 0 if others are given
    ixx, iyy, izz, ixy, ixz, iyz = (given.get(axes, 0.0) for axes in _AXES)
    sign = "+" if balance.get("negated_crossproduct_inertia") == "false" else "-"
    item = report.ReportItem(
        id, parent, report.element_line(balance), _child_element_value(name, balance, "emptywt", _MASSES, "LBS"),
        _read_location(name, centres[-1]) if centres else None,
    )  # fmt: skip
    return replace(item, inertia=(ixx, iyy, izz, ixy, ixz, iyz), poi=sign, point=False) if given else item


def _read_point_mass(name: str, point: _Element, id: str, parent: str) -> report.ReportItem:
    """Read a ``pointmass``: without a form it is a point, with one a body of that shape along x."""
    mass = _child_element_value(name, point, "weight", _MASSES, "LBS")
    where, form = point.find("location"), point.find("form")
    if where is None:
        raise TableError([rule_finding("MP203", f"pointmass {id} has no location", report.element_place(name, point))])
    shape = form.get("shape") if form is not None else None
    inertia = None if form is None or shape is None else _shape_inertia(name, form, shape, mass)
    centre, sign = _read_location(name, where), "-" if inertia else ""
    return report.ReportItem(id, parent, report.element_line(point), mass, centre, inertia, sign, inertia is None)


def _shape_inertia(name: str, form: _Element, shape: str, mass: float) -> report.Inertia | None:
    """Return the inertia of a thin tube, a cylinder (both along x), a thin sphere or a ball, about its centre."""
    r, length = (
        0.0 if form.find(tag) is None else _child_element_value(name, form, tag, _LENGTHS, "FT")
        for tag in ("radius", "length")
    )
    along_and_across = {
        "tube": (r**2, r**2 / 2 + length**2 / 12),
        "cylinder": (r**2 / 2, r**2 / 4 + length**2 / 12),
        "sphere": (r**2 * 2 / 3, r**2 * 2 / 3),
        "ball": (r**2 * 2 / 5, r**2 * 2 / 5),
    }
    if shape not in along_and_across:
        return None
    along, across = along_and_across[shape]
    return mass * along, mass * across, mass * across, 0.0, 0.0, 0.0


def _read_location(name: str, element: _Element) -> report.Center:
    """Return a location in metres; a missing coordinate is 0, as in JSBSim."""
    factor = _si_unit_factor(name, element, _LENGTHS, "IN")
    coordinates = [element.find(axis) for axis in "xyz"]
    x, y, z = (0.0 if at is None else report.element_number(name, at) * factor for at in coordinates)
    return x, y, z


def _child_element_value(name: str, parent: _Element, tag: str, factors: dict[str, float], otherwise: str) -> float:
    """Return the number of a child element in SI units; raises TableError without such a child."""
    if (element := parent.find(tag)) is None:
        raise TableError([rule_finding("MP203", f"{parent.tag} has no {tag}", report.element_place(name, parent))])
    return _mass_balance_value(name, element, factors, otherwise)


def _mass_balance_value(name: str, element: _Element, factors: dict[str, float], otherwise: str) -> float:
    """Return the number of an element in SI units."""
    return report.element_number(name, element) * _si_unit_factor(name, element, factors, otherwise)


def _si_unit_factor(name: str, element: _Element, factors: dict[str, float], otherwise: str) -> float:
    """Return the factor from the unit of an element to the SI unit; ``otherwise`` is the default unit."""
    if (unit := element.get("unit") or otherwise) not in factors:
        message = f"unit of {element.tag} is unknown: {unit} (JSBSim reads {', '.join(factors)})"
        raise TableError([rule_finding("MP207", message, report.element_place(name, element))])
    return factors[unit]
