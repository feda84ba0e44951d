"""Identified parameters and exciting motions on the screen, as Markdown and CSV, and as plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.findings.finding import count_with_noun, name_list
from massprops_cli.identifications.excitation import Excitation
from massprops_cli.identifications.fit import UNLIKELY
from massprops_cli.identifications.identification import Identification
from massprops_cli.reports.page import page
from massprops_cli.reports.page.conventions import formatted_number, number_and_sigma, percent_text, sigma_text
from massprops_cli.reports.page.findings import csv_text, escape_markdown_cell, markdown_row, markdown_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PARAMETERS_SHOWN = 12  # of a usual screen; the other forms have all
_CORRELATIONS_SHOWN = 3
_MOST_DRAWN = 30  # σ of a difference in a plot
_BLUE, _ORANGE, _GREY = "#2f6db3", "#d9822b", "#8a8f98"
_Rows = list[list[str]]


def identification_blocks(
    found: Identification, symbols: page.Symbols, *, shows_all: bool = False
) -> list[page.PageBlock]:
    """Lay out base parameters, residuals and links."""
    head, lines = _summary(found)
    mark = page.TextSpan("!", "warn") if _is_rejected(found) else symbols.mark(False)  # a cross is an exit code of 1
    blocks: list[page.PageBlock] = [page.text_line(mark, " ", page.TextSpan(head, "strong"))]
    blocks += [page.text_line("  ", line, hang=2) for line in lines]
    rows = _parameter_rows(found, symbols)
    every = found.parameters()
    order = sorted(range(len(rows)), key=lambda k: 1.0 if every[k]["off"] is None else -abs(every[k]["off"]))
    shown = sorted(order[: len(rows) if shows_all else _PARAMETERS_SHOWN])
    blocks += [page.Line(), _grid(_PARAMETER_HEADS, [rows[k] for k in shown], "ldsrddr")]
    if len(shown) < len(rows):
        blocks.append(page.text_line(page.TextSpan(f"  and {len(rows) - len(shown)} more: --format full", "dim")))
    blocks += [page.Line(), _grid(_RESIDUAL_HEADS, _residual_rows(found), "llrrdrl")]
    blocks += [page.Line(), _grid(_LINK_HEADS, _link_rows(found, symbols), "lrrsr")]
    return blocks


def _grid(heads: Sequence[str], rows: _Rows, align: str) -> page.Grid:
    """Lay out rows below their heads."""
    cells = [[page.TextSpan(text, "dim") for text in heads]]
    cells += [[page.TextSpan(text, "strong" if k == 0 else "") for k, text in enumerate(row)] for row in rows]
    return page.Grid(cells, align, shrink=0)


_PARAMETER_HEADS = ("parameter", "value", "", "σ", "table", "off", "")
_RESIDUAL_HEADS = ("run", "joint", "samples", "explained", "residual", "in σ", "")
_LINK_HEADS = ("link", "mass in table", "identified", "", "shown by motion")


def _is_rejected(found: Identification) -> bool:
    """Return whether the data reject the table."""
    return found.table["probability"] is not None and found.table["probability"] < UNLIKELY


def _summary(found: Identification) -> tuple[str, list[str]]:
    """Return the first line, and those below it."""
    samples = sum(found.fit.rows.values())
    count = count_with_noun(len(found.fit.values), "parameter")
    head = f"{found.machine.mechanism.name or 'machine'}: {count} from {count_with_noun(len(found.runs), 'run')}"
    essential = int(found.essential.sum())
    how = found.filtering
    fit, wider = found.fit, float(np.median(found.fit.widening))
    lines = [
        f"{essential} essential, {samples:,} samples, condition number {found.fit.condition:.3g}",
        f"filtered at {how.cutoff:.3g} Hz ({how.reason}), 1 of {how.decimation} samples kept",
        f"σ from {count_with_noun(fit.blocks, 'block')} of {fit.seconds:.2g} s: {wider:.2g} × those of white noise",
    ]
    if (chi := found.table["chi_square"]) is not None:
        verdict = "rejected by the data" if _is_rejected(found) else "agrees with the data"
        sigmas = "" if found.table["sigmas_of_table"] else ", whose σ are not stated"
        chance = found.table["probability"]
        likely = f"probability {chance:.2g}" if chance > 1e-6 else "probability below 1e-6"
        lines.append(
            f"table {found.prior.source}{sigmas}: {verdict}; "
            f"χ² {formatted_number(chi)} for {found.table['degrees']} parameters, {likely}"
        )
    if found.validation:
        worst = max(one["rms"] for one in found.validation)
        what = "runs" if len(found.runs) > 1 else "fifths of the run"
        lines.append(f"{what} left out are predicted within {worst:.3g} σ (rms of the worst)")
    lines += [f"largest correlations: {'; '.join(_correlations(found))}"] * (len(found.fit.values) > 1)
    if found.full.active:
        lines.append(
            f"nearest bodies, whose tensors are on the border of what is possible: {name_list(found.full.active)}"
        )
    return head, lines


def _correlations(found: Identification) -> list[str]:
    """Return the pairs of parameters with the largest correlations."""
    pairs = {frozenset((row["parameter"], row["correlated"])): row for row in found.parameters()}
    most = sorted(pairs.values(), key=lambda row: -abs(row["correlation"]))[:_CORRELATIONS_SHOWN]
    return [f"{row['parameter']} and {row['correlated']} {row['correlation']:+.2f}" for row in most]


def _sum_text(row: dict[str, Any]) -> str:
    """Return what a parameter includes."""
    parts = [row["parameter"]]
    for name, share in row["includes"].items():
        factor = "" if abs(abs(share) - 1) <= 1e-12 else f"{abs(share):.6g}·"
        parts.append(f"{'+' if share > 0 else '-'} {factor}{name}")
    return " ".join(parts)


def _parameter_rows(found: Identification, symbols: page.Symbols) -> _Rows:
    """Return value, σ, relative σ, the value of the table and its difference for each parameter."""
    rows = []
    for row in found.parameters():
        value, sigma = number_and_sigma(row["value"], row["sigma"], symbols)
        relative = "" if row["relative"] is None or row["relative"] > 9.99 else percent_text(row["relative"])
        table = "" if row["table"] is None else formatted_number(row["table"])
        off = "" if row["off"] is None else f"{row['off']:+.1f} σ"
        rows.append([row["parameter"], value, sigma, relative, table, off, "" if row["essential"] else "not essential"])
    return rows


def _residual_rows(found: Identification) -> _Rows:
    """Return the residual of each run and joint."""
    rows = []
    for one in found.residuals():
        explained = "" if one["explained"] is None else f"{100 * one['explained']:.2f} %"
        multiple = f"{one['residual'] / one['noise']:.2f}" if one["noise"] else ""
        size = formatted_number(one["residual"], 3)
        rows.append([one["run"], one["joint"], f"{one['samples']:,}", explained, size, multiple, one["unit"]])
    return rows


def _link_rows(found: Identification, symbols: page.Symbols) -> _Rows:
    """Return the mass of each link in the table and as identified."""
    rows = []
    for one in found.links():
        value, sigma = number_and_sigma(one["values"]["m"], one["sigmas"]["m"], symbols)
        rows.append([one["link"], formatted_number(one["table"]["m"]), value, sigma, f"{one['shown']} of 10"])
    return rows


def identification_csv(found: Identification) -> str:
    """Return a row for each base parameter."""
    keys = ("value", "sigma", "relative", "table", "table_sigma", "off", "essential", "correlated", "correlation")
    heads = ["parameter", "sum", *keys[:2], "relative_sigma", *keys[3:7], "correlated_with", "correlation"]
    rows = [[one["parameter"], _sum_text(one), *(one[key] for key in keys)] for one in found.parameters()]
    return csv_text([heads, *rows])


def identification_markdown(found: Identification) -> str:
    """Return the whole report as Markdown."""
    head, lines = _summary(found)
    parts = [f"# {escape_markdown_cell(head)}", "", *(f"- {escape_markdown_cell(line)}" for line in lines)]
    for title, heads, align, rows in (
        ("Base parameters", _PARAMETER_HEADS, "lrrrrrl", _parameter_rows(found, page.UNICODE)),
        ("Residuals", _RESIDUAL_HEADS, "llrrrrl", _residual_rows(found)),
        ("Links", _LINK_HEADS, "lrrrr", _link_rows(found, page.UNICODE)),
    ):
        parts += ["", f"## {title}", "", *markdown_table(heads, align)]
        parts += [markdown_row(map(escape_markdown_cell, row)) for row in rows]
    parts += ["", "Sums of the base parameters:", ""]
    parts += [f"- {escape_markdown_cell(_sum_text(row))}" for row in found.parameters()]
    return "\n".join(parts) + "\n"


def excitation_blocks(found: Excitation, symbols: page.Symbols) -> list[page.PageBlock]:
    """Lay out an exciting motion: its condition number, what it uses of the limits, and the promised σ."""
    count = count_with_noun(len(found.names), "coordinate")
    head = f"motion of {count}, {found.times[-1]:g} s: condition number {found.condition:.3g}"
    blocks: list[page.PageBlock] = [page.text_line(symbols.mark(False), " ", page.TextSpan(head, "strong"))]
    start = f"  first motion within the limits: {found.start:.3g}; all limits are kept at {len(found.times)} samples"
    blocks.append(page.text_line(start))
    rows = [
        [one["joint"], one["limit"], *(formatted_number(one[key], 4) for key in ("low", "least", "most", "high"))]
        for one in found.limits
    ]
    blocks += [page.Line(), _grid(("joint", "limit", "from", "least", "most", "to"), rows, "lldddd")]
    order = np.argsort(-found.sigmas)[:_PARAMETERS_SHOWN]
    weak = [[found.parameters[k], sigma_text(float(found.sigmas[k]))] for k in order.tolist()]
    heads = (
        "parameter",
        f"promised σ, identified from one period at {found.rate:g} Hz with white noise of the torques:",
    )
    noise = ", ".join(f"{name} {x:.3g}" for name, x in zip(found.names, found.noise, strict=True))
    return [*blocks, page.Line(), _grid(heads, weak, "ld"), page.text_line("  noise: ", noise, " N·m or N", hang=9)]


def save_plot(found: Identification | Excitation, path: str, *, replaces: bool = True) -> None:
    """Plot torques, spectra of residuals and parameters with their intervals, or an exciting motion."""
    from massprops_cli.reports.plots import save_figure

    def figure() -> Figure:
        """Draw."""
        return _excitation_figure(found) if isinstance(found, Excitation) else _identification_figure(found)

    save_figure(path, figure, replaces=replaces)


def _identification_figure(found: Identification) -> Figure:
    """Draw a row of two panels for each joint, and the parameters below."""
    from massprops_cli.reports.plots import draw_title, new_figure

    joints = [k for k in range(len(found.machine.names)) if any(key[1] == k for key in found.fit.noise)]
    inertial = [row for row in found.parameters() if row["off"] is not None]
    high = 1.0 + 1.25 * len(joints) + 0.75 + 0.17 * len(inertial) + 0.5
    figure = new_figure(8.4, high)
    head, lines = _summary(found)
    draw_title(figure, head, lines[3] if found.table["chi_square"] is not None else lines[0])
    times, measured, predicted = found.prediction()
    for row, k in enumerate(joints):
        bottom = (high - 1.0 - 1.25 * (row + 1) + 0.35) / high
        left = figure.add_axes((0.09, bottom, 0.5, 0.85 / high))
        label = f"{found.machine.names[k]}, {found.machine.unit(found.machine.names[k])}"
        _draw_torque(left, times, measured[:, k], predicted[:, k], label, is_first=row == 0)
        right = figure.add_axes((0.68, bottom, 0.3, 0.85 / high))
        _draw_spectrum(right, measured[:, k] - predicted[:, k], found, is_first=row == 0)
    if inertial:
        _draw_intervals(figure.add_axes((0.2, 0.45 / high, 0.75, (0.17 * len(inertial)) / high)), inertial)
    return figure


def _draw_torque(axes: Axes, times: Any, measured: Any, predicted: Any, label: str, *, is_first: bool) -> None:
    """Draw a torque as measured and as predicted."""
    from massprops_cli.reports.plots import hide_spines

    hide_spines(axes, "top", "right")
    axes.plot(times, measured, color=_GREY, linewidth=1.6, label="measured")
    axes.plot(times, predicted, color=_BLUE, linewidth=0.8, label="predicted")
    axes.set_title(label, loc="left", fontsize=8, pad=3)
    axes.tick_params(labelsize=7)
    if is_first:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=2, fontsize=7, frameon=False)


def _draw_spectrum(axes: Axes, rest: Any, found: Identification, *, is_first: bool) -> None:
    """Draw the amplitude spectrum of a residual; that of white noise is flat."""
    from massprops_cli.reports.plots import hide_spines

    hide_spines(axes, "top", "right")
    step = found.filtering.step * found.filtering.decimation
    size = np.abs(np.fft.rfft(rest))[1:] * 2 / len(rest)
    axes.plot(np.fft.rfftfreq(len(rest), step)[1:], size, color=_ORANGE, linewidth=0.7)
    axes.set_ylim(bottom=0)
    axes.tick_params(labelsize=7)
    if is_first:
        axes.set_title("spectrum of the residual against Hz", loc="left", fontsize=8, pad=3)


def _draw_intervals(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Draw each parameter as its difference from the table in σ, with its 95 % interval."""
    from massprops_cli.reports.plots import hide_spines

    hide_spines(axes, "top", "right", "left")
    off = np.array([row["off"] for row in rows])
    places = np.arange(len(rows))[::-1]
    far = np.abs(off) > 1.96
    for mask, colour in ((~far, _BLUE), (far, _ORANGE)):
        axes.errorbar(
            np.clip(off, -_MOST_DRAWN, _MOST_DRAWN)[mask],
            places[mask],
            xerr=1.96,
            fmt="o",
            color=colour,
            markersize=3,
            linewidth=0.9,
        )
    axes.axvline(0, color=_GREY, linewidth=0.8)
    axes.set_yticks(places, [row["parameter"] for row in rows], fontsize=7)
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.tick_params(labelsize=7)
    cut = f"; beyond ±{_MOST_DRAWN} drawn there" if (np.abs(off) > _MOST_DRAWN).any() else ""
    axes.set_title(f"difference from the table in σ of both, with 95 % intervals{cut}", loc="left", fontsize=8)


def _excitation_figure(found: Excitation) -> Figure:
    """Draw three panels, a line for each coordinate."""
    from massprops_cli.reports.plots import draw_title, hide_spines, new_figure

    figure = new_figure(8.4, 6.4)
    kept = f"condition number {found.condition:.3g}, all limits kept at {len(found.times)} samples"
    draw_title(figure, "Exciting motion", kept)
    panels = (
        ("positions, rad or m", found.motion[0]),
        ("velocities, rad/s or m/s", found.motion[1]),
        ("torques of the table, N·m or N", found.torques),
    )
    for row, (label, values) in enumerate(panels):
        axes = figure.add_axes((0.08, 0.69 - 0.3 * row, 0.76, 0.18))
        hide_spines(axes, "top", "right")
        lines = axes.plot(found.times, values, linewidth=1.0)
        axes.set_title(label, loc="left", fontsize=9)
        axes.tick_params(labelsize=8)
        if row == 0:
            axes.legend(lines, found.names, loc="upper left", bbox_to_anchor=(1.01, 1.1), fontsize=8, frameon=False)
    axes.set_xlabel("time, s", fontsize=8)
    return figure
