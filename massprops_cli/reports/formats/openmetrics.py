"""OpenMetrics 1.0 text: masses, centres, limits and findings as gauges in kilogram and metre, for monitoring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from massprops_cli.bom.results.result import Result
from massprops_cli.budgets.model import BasisFigures
from massprops_cli.findings.finding import Severity
from massprops_cli.reports.formats.report_data import ReportData
from massprops_cli.reports.page.page import escape_workflow_commands
from massprops_cli.tables.cells.units import KILOGRAM, METRE, read_unit

_LabelSet = tuple[tuple[str, str], ...]
_GaugePoints = dict[_LabelSet, float]


def openmetrics_text(data: ReportData) -> str:
    """Write masses, centres, limits and counts of findings as OpenMetrics."""
    lines: list[str] = []
    if data.result is not None:
        lines += _mass_lines(data, data.result)
        lines += _center_lines(data, data.result)
    lines += _limit_lines(data)
    findings = [entry.finding for entry in data.entries]
    counts = {
        _point_labels(data, severity=severity.value): float(sum(f.severity is severity for f in findings))
        for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    }
    lines += gauge_lines("massprops_findings", "", "Findings by severity.", counts)
    return "".join(line + "\n" for line in (*lines, "# EOF"))


def _mass_lines(data: ReportData, result: Result) -> Iterator[str]:
    """Write the masses of the reported items, and their sigmas."""
    unit, factor = metric_factor(result.bom.units.mass, "kilograms")
    items = _reported_items(data, result)
    masses: _GaugePoints = {}
    sigmas: _GaugePoints = {}
    for figures in _rollup_figures(result):
        for i in items:
            key = _point_labels(data, item=result.bom.ids[i], basis=figures.basis)
            _add_point(masses, key, figures.value(i, "mass"), factor)
            if figures.basis == "basic":
                _add_point(sigmas, key, figures.sigma(i, "mass"), factor)
    yield from gauge_lines("massprops_mass", unit, "Mass of an item, including its parts.", masses)
    yield from gauge_lines("massprops_mass_sigma", unit, "One standard deviation of the mass.", sigmas)


def _center_lines(data: ReportData, result: Result) -> Iterator[str]:
    """Write the centres of mass of the reported items."""
    unit, factor = metric_factor(result.bom.units.length, "meters")
    items = _reported_items(data, result)
    points: _GaugePoints = {}
    for figures in _rollup_figures(result):
        for i in items:
            for axis in "xyz":
                key = _point_labels(data, item=result.bom.ids[i], basis=figures.basis, axis=axis)
                _add_point(points, key, figures.value(i, f"C{axis}"), factor)
    yield from gauge_lines("massprops_center", unit, "Centre of mass in the frame of the table.", points)


def _limit_lines(data: ReportData) -> Iterator[str]:
    """Write state, value and margin of each limit; a label has the unit."""
    kept: _GaugePoints = {}
    values: _GaugePoints = {}
    margins: _GaugePoints = {}
    for verdict in data.verdicts:
        named = {"item": verdict.item, "limit": verdict.subject, "requested": verdict.requirement}
        _add_point(kept, _point_labels(data, **named), float(verdict.kept))
        key = _point_labels(data, **named, unit=verdict.unit)
        _add_point(values, key, verdict.value)
        _add_point(margins, key, verdict.margin)
    yield from gauge_lines("massprops_limit_kept", "", "1 if a limit of the budget is kept, else 0.", kept)
    yield from gauge_lines("massprops_limit_value", "", "Value that the limit applies to.", values)
    yield from gauge_lines("massprops_limit_margin", "", "Margin to the limit; negative if it is broken.", margins)


def _rollup_figures(result: Result) -> list[BasisFigures]:
    """Return the basic values, and the predicted ones if growth is stated."""
    return [BasisFigures(result, "basic"), *([] if result.predicted is None else [BasisFigures(result, "predicted")])]


def _add_point(points: _GaugePoints, key: _LabelSet, value: float | None, factor: float = 1.0) -> None:
    """Add a point in the base unit, unless it exists or the value is unknown."""
    if value is not None:
        points.setdefault(key, value * factor)


def _reported_items(data: ReportData, result: Result) -> list[int]:
    """Return the root and the items with limits, in the order of the tree."""
    names = {verdict.item for verdict in data.verdicts}
    order = {int(i): k for k, i in enumerate(result.bom.tree.order)} if names else {}
    named = {i for i, name in enumerate(result.bom.ids) if name in names} if names else set()
    return sorted(named | {result.root_item}, key=lambda i: order.get(i, 0))


def metric_factor(name: str, base: str) -> tuple[str, float]:
    """Return the base unit, kilograms or meters, and the factor to it; no name if the table states no unit."""
    read = read_unit(name) if name else None
    return ("", 1.0) if read is None else (base, read.over(KILOGRAM if base == "kilograms" else METRE))


def gauge_lines(
    name: str, unit: str, help_text: str, points: Mapping[_LabelSet, float | Sequence[tuple[float, float | None]]]
) -> Iterator[str]:
    """Write one family of gauges, each a value, or values with time stamps; nothing if all values are unknown."""
    listed = {key: [(value, None)] if isinstance(value, float) else value for key, value in points.items()}
    known = [(key, value, stamp) for key, own in listed.items() for value, stamp in own if isfinite(value)]
    if not known:
        return
    full = f"{name}_{unit}" if unit else name
    yield f"# TYPE {full} gauge"
    if unit:
        yield f"# UNIT {full} {unit}"
    yield f"# HELP {full} {help_text}"
    for key, value, stamp in known:
        labels = ",".join(f'{label}="{_escape_label(text)}"' for label, text in key)
        yield f"{full}{{{labels}}} {value!r}" + ("" if stamp is None else f" {stamp:.3f}")


def _point_labels(data: ReportData, **more: str) -> _LabelSet:
    """Return a point's labels: the table first."""
    return (("file", data.source), *more.items())


def _escape_label(text: str) -> str:
    r"""Write a label's value."""
    return escape_workflow_commands(text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))
