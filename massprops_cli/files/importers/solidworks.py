"""SolidWorks: the text of Tools > Mass Properties, in English, with products of either sign (+∫xy dm or −∫xy dm)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from massprops_cli.files.encoding import read_text
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import (
    FOOT,
    INCH,
    POUND,
    SLUG,
    Center,
    Inertia,
    ReportItem,
    ReportTable,
    report_table,
)
from massprops_cli.findings.finding import Findings, Place, TableError, rule_finding

_REPORT_TITLE = re.compile(r"^[ \t]*Mass properties of[ \t]+(\S.*)", re.MULTILINE)  # "Mass properties of bracket"
_MASS = re.compile(r"^[ \t]*Mass(?:\s*\([^)\n]{0,60}\))?\s*=\s*(\S+)\s+(\w+)", re.MULTILINE)
"""Such as "Mass = 1.5 grams", "Mass (user-overridden) = 1.5 grams"."""
_CENTER = re.compile(r"Center of mass(?:\s*\([^):\n]{0,60}\))?\s*:\s*\(\s*(\w+)\s*\)")
"""Such as "Center of mass: ( millimeters )"."""
_TENSOR = re.compile(r"Moments of inertia(?:\s*\([^):\n]{0,60}\))?\s*:\s*\(\s*(\w+)\s*[*x]\s*square\s+(\w+)\s*\)")
"""Such as "Moments of inertia: ( grams * square millimeters )"."""
_POSITIVE, _NEGATIVE = re.compile(r"positive\s+tensor\s+notation"), re.compile(r"negative\s+tensor\s+notation")
_MASSES = {"milligram": 1e-6, "gram": 1e-3, "kilogram": 1.0, "pound": POUND, "slug": SLUG}
_LENGTHS = {
    "millimeter": 1e-3, "centimeter": 0.01, "meter": 1.0, "inch": INCH, "inche": INCH, "foot": FOOT, "feet": FOOT,
}  # fmt: skip
_MOST_NAMED = 12  # as many parts are named where one is to be chosen
_SolidWorksReport = tuple[str, str, int]  # one report: its part, its text, and its first line, from 1
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?", re.ASCII)
"""1.234,5: either decimal sign, digits in groups."""
_PLAIN = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)  # 1234.5e-3


def read_solidworks(name: str, data: bytes, options: FileOptions, compressed: bool, findings: Findings) -> ReportTable:
    """Read a report of SolidWorks, ``options.sheet`` of several. Sign of products: docs/formulas.md, section 2."""
    whole, source = read_text(name, data, "solidworks-report", options, compressed)
    titles = list(_REPORT_TITLE.finditer(whole))
    reports, line = [], 1
    for k, title in enumerate(titles):
        line += whole.count("\n", titles[k - 1].start() if k else 0, title.start())
        end = titles[k + 1].start() if k + 1 < len(titles) else len(whole)
        reports.append((title.group(1).rstrip(), whole[title.start() : end], line))
    report = _requested_report(name, reports, options.sheet)
    return report_table(source, [_report_item(name, report)])


def _requested_report(name: str, reports: Sequence[_SolidWorksReport], wanted: str) -> _SolidWorksReport:
    """Return the requested report, by its part or by its number from 1; without a request the only one."""
    if not reports:
        raise TableError([rule_finding("MP111", "file has no line 'Mass properties of …'", Place(name))])
    parts = ", ".join(part for part, _, _ in reports[:_MOST_NAMED]) + ", …" * (len(reports) > _MOST_NAMED)
    if not wanted:
        if len(reports) > 1:
            # their coordinate systems may differ, so they are not added up
            raise TableError([rule_finding("MP112", f"file contains several reports: {parts}", Place(name))])
        return reports[0]
    if not (fitting := [report for k, report in enumerate(reports, 1) if wanted in (report[0], str(k))]):
        raise TableError([rule_finding("MP113", f"file has no report of {wanted} (reports: {parts})", Place(name))])
    return fitting[0]


def _report_item(name: str, report: _SolidWorksReport) -> ReportItem:
    """Read a report: mass, centre and tensor in SI units, and the sign of the products."""
    part, text, line = report
    place = Place(name, line=line)
    decimal = _report_decimal_sign(text, place)
    if not (stated := _MASS.search(text)):
        raise TableError([rule_finding("MP203", f"report of {part} states no mass", place)])
    mass = _report_number(stated.group(1), decimal, place) * _named_unit_factor(stated.group(2), _MASSES, place)
    centre = _report_center(text, decimal, place)
    own, sign = _report_tensor(text, "L", decimal, place), ""
    if own and any(own[3:]):
        sign = _product_sign(text, mass, centre, own, _report_tensor(text, "I", decimal, place))
    return ReportItem(part, "", line, mass, centre, own, sign)


def _report_decimal_sign(text: str, place: Place) -> str:
    """Find the decimal sign of a report; the other of ``.`` and ``,`` groups thousands."""
    stated = [match for match in _NUMBER.findall(" ".join(re.findall(r"=\s*(\S+)", text))) if re.search("[.,]", match)]
    if len(signs := {_decimal_sign(number) for number in stated} - {""}) == 1:
        return signs.pop()
    if signs or any("," in number for number in stated):
        example = next((number for number in stated if "," in number), stated[0])
        message = f"number is ambiguous: {example} (decimal sign or digit separator)"
        raise TableError([rule_finding("MP205", message, place, remedy="write the report with decimal points")])
    return "."


def _decimal_sign(number: str) -> str:
    """Return the decimal sign that a number implies; empty if it could also be a thousands separator."""
    last, other = (",", ".") if number.rfind(",") > number.rfind(".") else (".", ",")
    if number.count(last) > 1:
        return other
    if other in number:
        return last
    whole, _, rest = number.lstrip("+-").partition(last)
    digits = re.split("[eE]", rest)[0]
    return "" if len(digits) == 3 and 1 <= len(whole) <= 3 and whole.strip("0") else last


def _report_number(text: str, decimal: str, place: Place) -> float:
    """Read one number."""
    bare = text.replace("," if decimal == "." else ".", "").replace(decimal, ".")
    value = float(bare) if _PLAIN.fullmatch(bare) else math.nan
    if not math.isfinite(value):
        raise TableError([rule_finding("MP205", f"value is not a number: {text!r}", place)])
    return value


def _stated_number(label: str, text: str, start: int, decimal: str, place: Place) -> float:
    """Read the first number after ``label =``."""
    if not (stated := re.compile(rf"\b{label}\s*=\s*(\S+)").search(text, start)):
        raise TableError([rule_finding("MP212", f"report states no {label}", place)])
    return _report_number(stated.group(1).strip("|"), decimal, place)


def _report_center(text: str, decimal: str, place: Place) -> Center | None:
    """Return the centre of mass in metres; None if the report has none."""
    if not (heading := _CENTER.search(text)):
        return None
    metres = _named_unit_factor(heading.group(1), _LENGTHS, place)
    x, y, z = (_stated_number(axis, text, heading.end(), decimal, place) * metres for axis in "XYZ")
    return x, y, z


def _report_tensor(text: str, letter: str, decimal: str, place: Place) -> Inertia | None:
    """Return the tensor at the centre of mass (``L``) or at the output coordinate system (``I``) in kg·m²."""
    first = re.search(rf"\b{letter}xx\s*=", text)
    headings = [heading for heading in _TENSOR.finditer(text) if first and heading.end() <= first.start()]
    if not first or not headings:
        return None
    mass_unit, length_unit = headings[-1].groups()
    unit = _named_unit_factor(mass_unit, _MASSES, place) * _named_unit_factor(length_unit, _LENGTHS, place) ** 2
    start = headings[-1].end()
    xx, yy, zz, xy, xz, yz = (
        _stated_number(f"{letter}{axes}", text, start, decimal, place) * unit
        for axes in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    return xx, yy, zz, xy, xz, yz


def _product_sign(text: str, mass: float, centre: Center | None, own: Inertia, moved: Inertia | None) -> str:
    """Return the sign of the products, ``+`` for integrals, ``-`` for tensor entries; empty where nothing shows it."""
    # the numbers have priority over the words
    if centre and moved and None not in centre:
        x, y, z = (value or 0.0 for value in centre)
        steps = [(moved[k] - own[k], mass * product) for k, product in ((3, x * y), (4, x * z), (5, y * z))]
        step, expected = max(steps, key=lambda pair: abs(pair[1]))
        # both are rounded, so only a plain answer counts
        if abs(expected) > 0 and abs(abs(step) - abs(expected)) < abs(expected) / 10:
            return "+" if step * expected > 0 else "-"
    return "+" if _POSITIVE.search(text) else "-" if _NEGATIVE.search(text) else ""


def _named_unit_factor(word: str, units: dict[str, float], place: Place) -> float:
    """Return the factor from a unit with its full name to the SI unit."""
    bare = word.lower().replace("metre", "meter")
    if (value := units.get(bare, units.get(bare.removesuffix("s")))) is None:
        raise TableError([rule_finding("MP207", f"unit is unknown: {word}", place)])
    return value
