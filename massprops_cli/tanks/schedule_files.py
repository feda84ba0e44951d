"""Schedules as files: csv, and a MATLAB script of the variables that lookup tables of Simulink read."""

from __future__ import annotations

import csv
import io
from os import PathLike, fspath
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import UsageError, nearest_name_hint

if TYPE_CHECKING:
    from massprops_cli.tanks.schedule import Schedule

_SUFFIXES = {".csv": "csv", ".m": "simulink"}


def write_schedule(schedule: Schedule, path: str | PathLike[str], format: str) -> None:
    """Write a schedule in a format, or in that of the suffix."""
    name = fspath(path)
    chosen = format or _SUFFIXES.get(PurePath(name).suffix.lower(), "")
    writers = {"csv": _csv_text, "simulink": _simulink_text}
    if chosen not in writers:
        raise UsageError(
            f"unknown format of a schedule: {chosen or name}{nearest_name_hint(chosen, writers)}; csv or simulink"
        )
    with atomic_file(name) as out:
        out.write(writers[chosen](schedule).encode())


def _csv_text(schedule: Schedule) -> str:
    """Return the columns as csv text, all digits, units in the header."""
    columns = schedule.columns()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([f"{name} [{unit}]" if unit else name for name, unit, _ in columns])
    writer.writerows(zip(*(map(repr, values.tolist()) for _, _, values in columns), strict=True))
    return text.getvalue()


def _simulink_text(schedule: Schedule) -> str:
    """Return variables for n-D Lookup Table blocks: mass ascending, centre, tensor, and their derivatives by mass."""
    # Custom Variable Mass 6DOF has the inputs m, I and dI/dt = dIdm · dm/dt; its MKS units are kg and kg m²:
    # mathworks.com/help/aeroblks/customvariablemass6dofeulerangles.html
    units = dict(zip(("mass", "length", "inertia"), schedule.units, strict=True))
    stated = ", ".join(f"{name} in {unit}" for name, unit in units.items() if unit) or "no stated units"
    lines = [
        f"% Mass properties by mass ({stated}), written by massprops.",
        "% mass (1,n) ascending: breakpoints. center (n,3), inertia (3,3,n) about the centre of mass,",
        "% tensor entries Ixy = -int(xy dm), dcdm (n,3), dIdm (3,3,n): dI/dt = dIdm * dm/dt.",
        f"mass = {_matlab_rows(schedule.mass[None, ::-1])};",
    ]
    for name, rows in (("center", schedule.center), ("dcdm", schedule.d_center)):
        lines.append(f"{name} = {_matlab_rows(rows[::-1])};")
    for name, tensors in (("inertia", schedule.inertia), ("dIdm", schedule.d_inertia)):
        # column by column, which a symmetric tensor is row by row
        lines.append(f"{name} = reshape({_matlab_rows(tensors[::-1].reshape(1, -1))}, 3, 3, []);")
    return "\n".join(lines) + "\n"


def _matlab_rows(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> str:
    """Return numbers (n, k) as a matrix of MATLAB."""
    rows = (" ".join(repr(x).replace("nan", "NaN") for x in row) for row in values.tolist())
    return "[" + "; ".join(rows) + "]"
