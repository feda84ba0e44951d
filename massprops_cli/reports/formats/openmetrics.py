"""OpenMetrics text: masses, centres, limits and findings as gauges, for whoever keeps them over time.

Source: OpenMetrics 1.0 (openmetrics.io), "Text format". Units are the base units that it asks for, kilogram and metre;
a table that does not state its units gives metrics without one. No timestamps: the scraper has the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite

from massprops_cli.bom import Result
from massprops_cli.budgets import BasisFigures
from massprops_cli.findings import Severity
from massprops_cli.reports.formats.report_data import ReportData
from massprops_cli.tables import KILOGRAM, METRE, Unit, read_unit

_LabelSet = tuple[tuple[str, str], ...]
_GaugePoints = dict[_LabelSet, float]


def openmetrics_text(account: ReportData) -> str:
    """Write every family that has a point, and the end mark.

    >>> print(openmetrics_text(ReportData("bom.csv", [])), end="")
    # TYPE massprops_findings gauge
    # HELP massprops_findings Findings by gravity.
    massprops_findings{file="bom.csv",severity="error"} 0.0
    massprops_findings{file="bom.csv",severity="warning"} 0.0
    massprops_findings{file="bom.csv",severity="note"} 0.0
    # EOF
    """
    lines: list[str] = []
    if account.result is not None:
        lines += _mass_lines(account, account.result)
        lines += _center_lines(account, account.result)
    lines += _limit_lines(account)
    findings = [entry.finding for entry in account.entries]
    counts = {
        _point_labels(account, severity=severity.value): float(sum(f.severity is severity for f in findings))
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    }
    lines += _gauge_lines("massprops_findings", "", "Findings by gravity.", counts)
    return "".join(line + "\n" for line in (*lines, "# EOF"))


def _mass_lines(account: ReportData, result: Result) -> Iterator[str]:
    """Tell the masses of the items of interest, and their sigmas."""
    unit, factor = _base_unit(result.bom.units.mass, "kilograms", KILOGRAM)
    items = _reported_items(account, result)
    masses: _GaugePoints = {}
    sigmas: _GaugePoints = {}
    for figures in _rollup_figures(result):
        for i in items:
            key = _point_labels(account, item=result.bom.ids[i], basis=figures.basis)
            _add_point(masses, key, figures.value(i, "mass"), factor)
            if figures.basis == "basic":
                _add_point(sigmas, key, figures.sigma(i, "mass"), factor)
    yield from _gauge_lines("massprops_mass", unit, "Mass of an item with all below it.", masses)
    yield from _gauge_lines("massprops_mass_sigma", unit, "One standard deviation of the mass.", sigmas)


def _center_lines(account: ReportData, result: Result) -> Iterator[str]:
    """Tell the centres of mass of the items of interest."""
    unit, factor = _base_unit(result.bom.units.length, "meters", METRE)
    items = _reported_items(account, result)
    points: _GaugePoints = {}
    for figures in _rollup_figures(result):
        for i in items:
            for axis in "xyz":
                key = _point_labels(account, item=result.bom.ids[i], basis=figures.basis, axis=axis)
                _add_point(points, key, figures.value(i, f"C{axis}"), factor)
    yield from _gauge_lines("massprops_center", unit, "Centre of mass in the frame of the table.", points)


def _limit_lines(account: ReportData) -> Iterator[str]:
    """Tell of each limit whether it is kept, its value and its margin, in the unit that a label names."""
    kept: _GaugePoints = {}
    values: _GaugePoints = {}
    margins: _GaugePoints = {}
    for verdict in account.verdicts:
        named = {"item": verdict.item, "limit": verdict.subject, "asked": verdict.asked}
        _add_point(kept, _point_labels(account, **named), float(verdict.kept))
        key = _point_labels(account, **named, unit=verdict.unit)
        _add_point(values, key, verdict.value)
        _add_point(margins, key, verdict.margin)
    yield from _gauge_lines("massprops_limit_kept", "", "1 where a limit of the budget is kept, else 0.", kept)
    yield from _gauge_lines("massprops_limit_value", "", "What the limit is about.", values)
    yield from _gauge_lines(
        "massprops_limit_margin", "", "How far the value may still move; below 0 it is broken.", margins
    )


def _rollup_figures(result: Result) -> list[BasisFigures]:
    """Give the basic numbers, and the predicted ones where the table states growth."""
    return [BasisFigures(result, "basic"), *([] if result.predicted is None else [BasisFigures(result, "predicted")])]


def _add_point(points: _GaugePoints, key: _LabelSet, value: float | None, factor: float = 1.0) -> None:
    """Add a point in the base unit, unless it is there already or is not known; what is known of a part is no whole."""
    if value is not None:
        points.setdefault(key, value * factor)


def _reported_items(account: ReportData, result: Result) -> list[int]:
    """Give the root and every item that a limit is about, in the order of the tree."""
    wanted = {verdict.item for verdict in account.verdicts}
    order = {int(i): k for k, i in enumerate(result.bom.tree.order)} if wanted else {}
    named = {i for i, name in enumerate(result.bom.ids) if name in wanted} if wanted else set()
    return sorted(named | {result.root_item}, key=lambda i: order.get(i, 0))


def _base_unit(name: str, base: str, unit: Unit) -> tuple[str, float]:
    """Give the base unit's name and the factor to it; no name where the table states no unit.

    >>> _base_unit("g", "kilograms", KILOGRAM), _base_unit("", "kilograms", KILOGRAM)
    (('kilograms', 0.001), ('', 1.0))
    """
    read = read_unit(name) if name else None
    return ("", 1.0) if read is None else (base, read.over(unit))


def _gauge_lines(name: str, unit: str, help_text: str, points: Mapping[_LabelSet, float]) -> Iterator[str]:
    """Write one family of gauges; nothing for one of which nothing is known."""
    known = {key: value for key, value in points.items() if isfinite(value)}
    if not known:
        return
    full = f"{name}_{unit}" if unit else name
    yield f"# TYPE {full} gauge"
    if unit:
        yield f"# UNIT {full} {unit}"
    yield f"# HELP {full} {help_text}"
    for key, value in known.items():
        told = ",".join(f'{label}="{_escape_label(text)}"' for label, text in key)
        yield f"{full}{{{told}}} {value!r}"


def _point_labels(account: ReportData, **more: str) -> _LabelSet:
    """Give a point's labels: the table first."""
    return (("file", account.source), *more.items())


def _escape_label(text: str) -> str:
    r"""Write a label's value.

    >>> print(_escape_label('a"b' + chr(10)))
    a\"b\n
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
