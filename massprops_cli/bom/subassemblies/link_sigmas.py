"""Sigmas of the links of robots, from a table with a row for each link (``--config link-sigmas=FILE``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from massprops_cli.bom.items.item_rows import ItemRows
from massprops_cli.bom.items.numbers import item_column_numbers
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, Value, shortest_number_text
from massprops_cli.findings.finding import Findings, Place, TableError, nearest_name_hint, rule_finding
from massprops_cli.tables.cells.units import Units, quantity_dimension, unit_of_dimension
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.options import CENTER_COLUMNS, INERTIA_COLUMNS, TableOptions

_QUANTITIES = tuple(f"sigma_{name}" for name in ("mass", *CENTER_COLUMNS, *INERTIA_COLUMNS))
_UNITS = (1, 0, 0), (0, 1, 0)  # powers of mass, length and time of a mass and of a length
_LINK_HEADINGS = ("link", "body", "name")  # of the column of names, where none is read as ids


class _LinkRow(NamedTuple):
    """The row of one link: sigmas in kg and m, or as shares of the link's own values."""

    place: Place
    values: dict[str, float]
    shares: dict[str, float]


class LinkSigmas:
    """Sigmas by names of links or bodies; names that no robot has are reported at the end."""

    def __init__(self, options: TableOptions, findings: Findings) -> None:
        table = read_file_table(options.link_sigmas, replace(options.robots, joint_positions=()), None, findings)
        read = TableOptions(sigma_level=options.sigma_level, decimal=options.decimal, caps=options.caps)
        columns = read_columns(table, read, found := Findings())
        names = columns.by_quantity.get("id")
        folded = [text.strip().casefold() for text in columns.header]
        at = names.index if names else next((folded.index(one) for one in _LINK_HEADINGS if one in folded), None)
        self.quantities = [name for name in _QUANTITIES if name in columns.by_quantity]
        if at is None or not self.quantities:
            place, missing = (
                table.place(columns.header_row),
                "links (link)" if at is None else "sigmas (sigma_mass [kg])",
            )
            raise TableError([*found, rule_finding("MP203", f"column of {missing} is missing", place)])
        rows = [i for i in range(columns.first_row, table.n_rows) if table.text(i, at).strip()]
        ids = [table.text(i, at).strip() for i in rows]
        items = ItemRows(table, columns, np.array(rows, np.intp), ids)
        self._rows = {id: _LinkRow(table.place(i, at), {}, {}) for i, id in zip(rows, ids, strict=True)}
        for quantity in self.quantities:
            column = columns.by_quantity[quantity]
            values, _ = item_column_numbers(items, column, found)
            size = 0.01 if column.percent else si_size(quantity, columns.units) or 1.0
            for id, value in zip(ids, values.tolist(), strict=True):
                if np.isfinite(value):
                    (self._rows[id].shares if column.percent else self._rows[id].values)[quantity] = value * size
        findings += [one for one in found if one.rule != "MP504"]  # the values are those of the robot
        self._used: set[str] = set()

    def of(self, names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
        """Return the sigmas of the first known of some names, in kg and m; ``given`` has the values of shares."""
        if (name := next((one for one in names if one in self._rows), None)) is None:
            return {}
        self._used.add(name)
        row = self._rows[name]
        own = {one: share * abs(float(given[_base(one)])) for one, share in row.shares.items() if given.get(_base(one))}
        return {one: shortest_number_text(value) for one, value in {**row.values, **own}.items()}

    def report_unknown(self, known: Iterable[str], findings: Findings) -> None:
        """Report the names that no link with an inertial has."""
        links = list(known)
        for name, row in self._rows.items():
            if name not in self._used:
                message = f"sigmas are of no link with an inertial: {name}{nearest_name_hint(name, links)}"
                findings.report("MP892", message, row.place, value=name)


def _base(quantity: str) -> str:
    """Return the quantity of a sigma."""
    return quantity.removeprefix("sigma_")


def si_size(quantity: str, units: Units) -> float | None:
    """Return what 1 in coherent units is in kg and m; None if one of these units is not stated."""
    size = 1.0
    for own, si, power, dimension in zip(
        (units.mass, units.length), ("kg", "m"), quantity_dimension(quantity) or (0, 0), _UNITS, strict=False
    ):
        if power:
            found, of_robot = (unit_of_dimension(one, dimension) if one else None for one in (own, si))
            if found is None or of_robot is None:
                return None
            size *= found.over(of_robot) ** power
    return size


def with_link_sigmas(table: GridTable, options: TableOptions, findings: Findings) -> GridTable:
    """Return the table of a robot with columns of sigmas."""
    sigmas = LinkSigmas(options, findings)
    header = [str(text).split(" [")[0] for text in table.rows[0]]
    rows: list[list[Value]] = [[*table.rows[0], *(f"{one} [{_unit(one)}]" for one in sigmas.quantities)]]
    links = []
    for i in range(1, table.n_rows):
        given = dict(zip(header, table.row(i), strict=True))
        of_link = sigmas.of((given["id"], given["parent"]), given) if given["Cx"] or given["mass"] else {}
        links += [given["parent"]] if given["mass"] else []
        rows.append([*table.rows[i], *(of_link.get(one, "") for one in sigmas.quantities)])
    sigmas.report_unknown(links, findings)
    result = copy(table)
    result.rows, result.n_columns = rows, len(rows[0])
    return result


def _unit(quantity: str) -> str:
    """Return the unit of a sigma of a robot."""
    return {"mass": "kg"}.get(_base(quantity), "m" if _base(quantity) in CENTER_COLUMNS else "kg*m^2")
