"""The observation matrix of a mechanism: its singular values on the screen and as a plot, its columns as a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from massprops_cli.findings.finding import UsageError
from massprops_cli.options import wrong_word_text
from massprops_cli.reports.page.page import Line, PageBlock, TextSpan, text_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from massprops_cli.mechanisms.observation.observed_parameters import Observation

_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#767676"
"""Colours for colour vision deficiency (Okabe and Ito), and a grey."""
_TABLE_FORMATS = ("csv", "json", "parquet")


def observation_text(observation: Observation) -> str:
    """Return coordinates, samples, precision, condition number and gap in a line."""
    digits = "double precision" if observation.numbers.is_double else f"{observation.numbers.digits} digits"
    gap = "no value below the rank" if observation.gap is None else f"gap {observation.gap:.3g}"
    parts = [
        f"{len(observation.trajectory.times)} samples of {', '.join(observation.coordinates) or 'no coordinate'}",
        digits,
        f"closed to {observation.residual:.2g}",
        f"condition number {observation.condition_number:.3g}",
        gap,
    ]
    if observation.trajectory.has_differences:
        parts.insert(1, "rates and accelerations by differences")
    return ", ".join(parts)


def observation_blocks(observation: Observation) -> list[PageBlock]:
    """Lay out the singular values on both sides of the gap."""
    values = [f"{float(one):.3g}" for one in observation.singular_values]
    lines: list[PageBlock] = [
        Line(),
        text_line(TextSpan("observation: ", "strong"), observation_text(observation), hang=2),
    ]
    parts = (("singular values: ", values[: observation.rank]), ("below the gap: ", values[observation.rank :]))
    return lines + [text_line(TextSpan(name, "strong"), " ".join(part), hang=2) for name, part in parts if part]


def singular_value_plot(observations: Sequence[tuple[str, Observation]], path: str, *, replaces: bool = True) -> None:
    """Plot the singular values of one or several observation matrices."""
    from massprops_cli.reports.plots import save_figure

    save_figure(path, lambda: _singular_value_figure(observations), replaces=replaces)


def _singular_value_figure(observations: Sequence[tuple[str, Observation]]) -> Figure:
    """Draw the values against their number on a logarithmic axis, with the gap."""
    import math

    from massprops_cli.reports.plots import draw_title, hide_spines, new_figure

    count = len(observations)
    figure = new_figure(7.2, 3.6 if count == 1 else 1.1 + 2.5 * -(-count // 2))
    draw_title(figure, "Singular values of the observation matrix", "share of the largest; a line marks the gap")
    rows = -(-count // 2)
    for k, (label, observation) in enumerate(observations):
        width, height = (0.88, 0.62) if count == 1 else (0.4, 0.66 / rows)
        left, bottom = (0.09, 0.15) if count == 1 else (0.09 + 0.5 * (k % 2), 0.1 + 0.83 * (rows - 1 - k // 2) / rows)
        axes = figure.add_axes((left, bottom, width, height))
        hide_spines(axes, "top", "right")
        values = observation.singular_values
        shares = [float(one / values[0]) for one in values]
        shown = [(n, math.log10(share)) for n, share in enumerate(shares, 1) if share > 0]
        rank = observation.rank
        for part, colour in ((shown[:rank], _BLUE), (shown[rank:], _ORANGE if rank else _BLUE)):
            axes.plot([n for n, _ in part], [y for _, y in part], "o", color=colour, markersize=3)
        if 0 < rank < len(shares):
            axes.axvline(rank + 0.5, color=_GREY, linewidth=0.8)
        lowest = min(-18.0, -1.5 * observation.numbers.digits)
        axes.set_ylim(lowest, 1)
        axes.set_xlim(0, len(shares) + 1)
        axes.set_title(label, loc="left", fontsize=9)
        axes.set_ylabel("log10 of share", fontsize=8)
    return figure


def matrix_format(option: str, name: str) -> str:
    """Return the format of a file of a matrix by its suffix."""
    suffix = Path(name).suffix.lower().removeprefix(".")
    if suffix not in _TABLE_FORMATS:
        raise UsageError(f"{option} {name}: {wrong_word_text('suffix', suffix, _TABLE_FORMATS)}")
    return suffix


def write_matrix(option: str, table: dict[str, list[Any]], name: str, *, replaces: bool = True) -> None:
    """Write columns with the time and coordinate of each row to a file."""
    from massprops_cli.files.writer import atomic_file

    writers: dict[str, Callable[[dict[str, list[Any]], BinaryIO], None]] = {
        "csv": _write_csv,
        "json": lambda content, out: _write_text(json.dumps(content) + "\n", out),
        "parquet": _write_parquet,
    }
    write = writers[matrix_format(option, name)]
    with atomic_file(name, replaces=replaces) as out:
        write(table, out)


def _write_text(text: str, out: BinaryIO) -> None:
    """Write text in UTF-8."""
    out.write(text.encode())


def _write_csv(table: dict[str, list[Any]], out: BinaryIO) -> None:
    """Write the columns as csv, numbers with all their digits."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    _write_text(text.getvalue(), out)


def _write_parquet(table: dict[str, list[Any]], out: BinaryIO) -> None:
    """Write the columns as parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(table), out)
