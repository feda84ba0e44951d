"""Sigmas of the links of robots, from a table with a row for each link (``--config link-sigmas=FILE``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, Value, shortest_number_text
from massprops_cli.findings.finding import Findings, Place, TableError, nearest_name_hint, rule_finding
from massprops_cli.tables.cells.units import Units, quantity_dimension, unit_of_dimension
from massprops_cli.tables.columns.columns import read_columns
from massprops_cli.tables.options import CENTER_COLUMNS, INERTIA_COLUMNS, TableOptions, base_quantity

_UNIT_NAMES = {"mass": "kg"} | dict.fromkeys(CENTER_COLUMNS, "m") | dict.fromkeys(INERTIA_COLUMNS, "kg*m^2")
_HEADERS = {f"sigma_{name}": f"sigma_{name} [{unit}]" for name, unit in _UNIT_NAMES.items()}
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
        self.quantities = [name for name in _HEADERS if name in columns.by_quantity]
        if at is None or not self.quantities:
            missing = "column of " + ("links (link)" if at is None else "sigmas (sigma_mass [kg])") + " is missing"
            raise TableError([*found, rule_finding("MP203", missing, table.place(columns.header_row))])
        first = columns.first_row
        ids = [text.strip() for text in table.texts(at, first)]
        self._rows = {id: _LinkRow(table.place(i, at), {}, {}) for i, id in enumerate(ids, first) if id}
        for quantity in self.quantities:
            column = columns.by_quantity[quantity]
            parsed = column.parse(table, first)
            for k in parsed.bad.tolist():
                place, value = table.place(first + k, column.index, column.header), table.text(first + k, column.index)
                found.report("MP205", f"{column.header} of {ids[k]} is not a number: {value!r}", place, value=value)
            size = 0.01 if column.percent else si_size(quantity, columns.units) or 1.0
            values = parsed.values * column.sizes(np.arange(first, table.n_rows)) * size
            for id, value in zip(ids, values.tolist(), strict=True):
                if id and np.isfinite(value):
                    (self._rows[id].shares if column.percent else self._rows[id].values)[quantity] = value
        findings += [one for one in found if one.rule != "MP504"]  # the values are those of the robot
        self._used: set[str] = set()

    def of(self, names: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
        """Return the sigmas of the first known of some names, in kg and m; ``given`` has the values of shares."""
        if (name := next((one for one in names if one in self._rows), None)) is None:
            return {}
        self._used.add(name)
        row = self._rows[name]
        known = {one: given.get(base_quantity(one)) for one in row.shares}
        own = {one: row.shares[one] * abs(float(text)) for one, text in known.items() if text}
        return {one: shortest_number_text(value) for one, value in {**row.values, **own}.items()}

    def report_unknown(self, known: Iterable[str], findings: Findings) -> None:
        """Report the names that no link with an inertial has."""
        links = list(known)
        for name, row in self._rows.items():
            if name not in self._used:
                message = f"sigmas are of no link with an inertial: {name}{nearest_name_hint(name, links)}"
                findings.report("MP892", message, row.place, value=name)


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
    rows: list[list[Value]] = [[*table.rows[0], *(_HEADERS[one] for one in sigmas.quantities)]]
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
