"""The columns that ``--map`` names, and what is wrong with those names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.findings.nearest import nearest
from massprops_cli.tables.columns.headings import squeeze
from massprops_cli.tables.units.quantities import QUANTITIES


def mapped_columns(
    table: Table, row: int, texts: Sequence[str], mapping: Mapping[str, str]
) -> tuple[dict[str, int], list[Finding]]:
    """Find the columns that ``--map`` names."""
    chosen: dict[str, int] = {}
    findings: list[Finding] = []
    for quantity, wanted in mapping.items():
        if quantity not in QUANTITIES:
            near = nearest(quantity, QUANTITIES)
            findings.append(
                found(
                    "MP204",
                    f"--map names the quantity {quantity}, which does not exist{near}",
                    value=quantity,
                )
            )
            continue
        columns = columns_called(wanted, texts)
        if len(columns) == 1:
            chosen[quantity] = columns[0]
            continue
        if columns:
            what = f"--map {quantity}={wanted}: {len(columns)} columns have that name"
        else:
            what = f"--map {quantity}={wanted}: the table has no such column{nearest(wanted, texts)}"
        remedy = "use one of the columns " + ", ".join(text for text in texts if text.strip())
        findings.append(found("MP204", what, table.place(row), value=wanted, remedy=remedy))
    double = {j for j in chosen.values() if list(chosen.values()).count(j) > 1}
    for j in sorted(double):
        names = " and ".join(quantity for quantity, column in chosen.items() if column == j)
        findings.append(found("MP204", f"--map takes {texts[j]} for {names}", table.place(row, j, texts[j])))
    return chosen, findings


def columns_called(wanted: str, texts: Sequence[str]) -> list[int]:
    """Give the columns of a name: exactly so, else trimmed, else in any case, else without the unit."""
    for same in (
        lambda text: text == wanted,
        lambda text: text.strip() == wanted.strip(),
        lambda text: squeeze(text) == squeeze(wanted) != "",
        lambda text: squeeze(text.split("[")[0].split("(")[0]) == squeeze(wanted) != "",
    ):
        columns = [j for j, text in enumerate(texts) if same(text)]
        if columns:
            return columns
    return []
