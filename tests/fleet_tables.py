"""Small tables of which several are rolled up at once."""

from __future__ import annotations


def table_text(mass: float, rows: int = 3, limit: str = "") -> str:
    """Return a table of an assembly of equal parts, two to a sub-assembly; with a column of limits if there is one."""
    lines = ["id,parent,mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m]", "TOP,,,,,,"]
    for k in range(rows):
        lines += [f"A{k},TOP,,,,,", *(f"A{k}.{j},A{k},{mass},0.1,{k},{j},{k * j}" for j in range(2))]
    if limit:
        lines = [f"{line},{more}" for line, more in zip(lines, ["max_mass", limit, *[""] * len(lines)], strict=False)]
    return "\n".join(lines) + "\n"
