"""How the cells of one column of numbers may be written beside plain numbers."""

from __future__ import annotations

from dataclasses import dataclass

from massprops_cli.tables.units.unit_table import Unit


@dataclass(frozen=True, slots=True)
class CellRules:
    """What is known of a column before its cells are read.

    ``decimal`` is ``,`` or ``.`` where the user said which (``--decimal``), else empty; ``approximate`` takes ``~3`` as
    3. Cells that name a unit are converted to ``unit``, None where the column has none; ``in_cells`` where every cell
    names one and nothing else states it. ``of_measure`` is ``quantity`` where a cell may name what it counts or
    measures (``4 pcs``, ``3 m``), ``mass`` where it may be a mass of one such unit (``1.2 kg/m``), else empty.
    """

    decimal: str = ""
    approximate: bool = False
    unit: Unit | None = None
    in_cells: bool = False
    of_measure: str = ""


PLAIN = CellRules()
