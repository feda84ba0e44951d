"""Small tables of which several are rolled up at once, and work for processes; imports little, as each loads it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from massprops_cli.cli.command import TableRun


def table_text(mass: float, rows: int = 3, limit: str = "") -> str:
    """Return a table of an assembly of equal parts, two to a sub-assembly; with a column of limits if there is one."""
    lines = ["id,parent,mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m]", "TOP,,,,,,"]
    for k in range(rows):
        lines += [f"A{k},TOP,,,,,", *(f"A{k}.{j},A{k},{mass},0.1,{k},{j},{k * j}" for j in range(2))]
    if limit:
        lines = [f"{line},{more}" for line, more in zip(lines, ["max_mass", limit, *[""] * len(lines)], strict=False)]
    return "\n".join(lines) + "\n"


def answer_or_end(shared: str, request: str) -> str:
    """Answer, or end the process as a lack of memory does."""
    if request == "ends":
        os._exit(9)
    return shared + request


def fail_by_file(run: TableRun) -> int:
    """Fail in three ways."""
    if run.file == "0":
        os._exit(9)
    raise {"1": ValueError("one"), "2": MemoryError()}[run.file]
