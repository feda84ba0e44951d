"""How the cells of one column of numbers may be written beside plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

from massprops_cli.tables.units.unit_table import Unit


@dataclass(frozen=True, slots=True)
class CellRules:
    """What is known of a column before its cells are read.

    ``decimal`` is ``,`` or ``.`` where the user said which (``--decimal``), else empty; ``approximate`` takes ``~3`` as
    3. Cells that name a unit are converted to ``unit``, None where the column has none; ``in_cells`` where every cell
    names one and nothing else states it.
    """

    decimal: str = ""
    approximate: bool = False
    unit: Unit | None = None
    in_cells: bool = False


PLAIN = CellRules()
