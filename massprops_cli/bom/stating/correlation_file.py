"""A file of correlations between groups of items, in long form: columns ``a``, ``b``, ``quantity``, ``rho``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.findings.nearest import nearest
from massprops_cli.rollup.correlation import TEN
from massprops_cli.tables.cells.numbers import read_number

if TYPE_CHECKING:
    from massprops_cli.bom.items.content import Content

Floats = NDArray[np.float64]

COLUMNS = ("a", "b", "quantity", "rho")
CENTER, INERTIA = (1, 2, 3), (4, 5, 6, 7, 8, 9)
SEVERAL = {"center": CENTER, "centre": CENTER, "inertia": INERTIA, "all": tuple(range(10))}
"""Words for several of the ten quantities, by their places in ``TEN``."""
ROUNDING = 1e-9
"""How far below 0 an eigenvalue may be for the rounding of the correlations."""


class Coupling(NamedTuple):
    """Correlations between the shared errors of groups: ``names`` of c groups, and ``matrix (10, c, c)``."""

    names: tuple[str, ...]
    matrix: Floats

    def over(self, names: Sequence[str]) -> tuple[NDArray[np.intp], Floats]:
        """Give the places ``(c',)`` among some names of those coupled here, and their matrices ``(10, c', c')``.

        Of a name that stands there twice, as a group and as a part number, it is the first.

        >>> coupled, matrix = Coupling(("x", "y"), np.ones((10, 2, 2))).over(["z", "y"])
        >>> coupled.tolist(), matrix.shape
        ([1], (10, 1, 1))
        """
        at = {name: k for k, name in reversed(list(enumerate(names)))}
        there = [k for k, name in enumerate(self.names) if name in at]
        return np.array([at[self.names[k]] for k in there], np.intp), self.matrix[np.ix_(range(10), there, there)]


class Stated(NamedTuple):
    """One row of the file that can be used: two groups, the places of its quantities in ``TEN``, a correlation."""

    row: int
    a: str
    b: str
    places: tuple[int, ...]
    rho: float


def read_correlations(
    bom: Content, name: str, *, correlate_centers: bool = False
) -> tuple[Coupling | None, list[Finding]]:
    """Read a file of correlations between the groups of a bill of materials; None when it has errors.

    ``quantity`` is one of the ten names, or ``center``, ``inertia`` or ``all`` (without the centres, unless these are
    shared). Pairs that are not named have none; each pair holds both ways. Raises TableError when the file cannot be
    read as a table.
    """
    from massprops_cli.files.options import FileOptions
    from massprops_cli.files.read import read_table

    table, findings = read_table(name, FileOptions())
    groups = tuple(dict.fromkeys(text for text in bom.groups or () if text))
    return read_coupling(table, groups, findings, correlate_centers=correlate_centers)


def read_coupling(
    table: Table, groups: Sequence[str], findings: Sequence[Finding] = (), *, correlate_centers: bool = False
) -> tuple[Coupling | None, list[Finding]]:
    """Read a table of correlations between groups of these names."""
    said = list(findings)
    header = [text.strip().casefold() for text in table.row(0)]
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        message = f"a file of correlations has the columns {', '.join(COLUMNS)}; it lacks {', '.join(missing)}"
        return None, [*said, found("MP203", message, table.place(0))]
    at = {column: header.index(column) for column in COLUMNS}
    rows: list[Stated] = []
    for row in range(1, table.n_rows):
        cells = {column: table.text(row, index).strip() for column, index in at.items()}
        if not any(cells.values()):
            continue
        stated = usable(row, cells, groups, correlate_centers)
        if isinstance(stated, Stated):
            rows.append(stated)
        else:
            rule, column, message = stated
            said.append(found(rule, message, table.place(row, at[column], column), value=cells[column]))
    coupling, faults = coupled(table, rows)
    said += faults
    return (coupling if len(said) == len(findings) else None), said


def usable(row: int, cells: dict[str, str], groups: Sequence[str], centers: bool) -> Stated | tuple[str, str, str]:
    """Make a statement of one row, or give the rule, the column and the message that refuse it."""
    for column in ("a", "b"):
        if cells[column] not in groups:
            return (
                "MP516",
                column,
                f"{cells[column] or 'a blank'} is no group of the table{nearest(cells[column], groups)}",
            )
    word = cells["quantity"].casefold()
    places = SEVERAL.get(word) or tuple(k for k, name in enumerate(TEN) if name.casefold() == word)
    if not places:
        known = (*TEN, "center", "inertia", "all")
        return (
            "MP515",
            "quantity",
            f"{cells['quantity'] or 'a blank'} is no quantity{nearest(cells['quantity'], known)}",
        )
    if not centers:
        if set(places) <= set(CENTER):
            return "MP515", "quantity", "errors of centres are not shared; pass --correlate-centers if they are"
        places = tuple(k for k in places if k not in CENTER)
    rho = read_number(cells["rho"])
    if rho is None or abs(rho) > 1:
        return "MP515", "rho", f"{cells['rho'] or 'a blank'} is no correlation, which is a number from -1 to 1"
    if cells["a"] == cells["b"] and rho != 1:
        return "MP515", "rho", f"{cells['a']} with itself has the correlation 1"
    return Stated(row, cells["a"], cells["b"], places, rho)


def coupled(table: Table, rows: Sequence[Stated]) -> tuple[Coupling, list[Finding]]:
    """Put statements into matrices; two that differ, and matrices that cannot be, are said."""
    names = tuple(dict.fromkeys(name for stated in rows for name in (stated.a, stated.b)))
    at = {name: k for k, name in enumerate(names)}
    matrix = np.broadcast_to(np.eye(len(names)), (10, len(names), len(names))).copy()
    first = np.zeros(matrix.shape, np.intp)
    findings: list[Finding] = []
    for row, a, b, places, rho in rows:
        i, j = at[a], at[b]
        before = [k for k in places if first[k, i, j] and matrix[k, i, j] != rho]
        if before:
            k = before[0]
            message = f"{a} and {b} have two correlations of {TEN[k]}: {matrix[k, i, j]:g} and {rho:g}"
            places_said = tuple(table.place(r) for r in (int(first[k, i, j]), row))
            findings.append(found("MP515", message, table.place(row), related=places_said))
        for k in places:
            matrix[k, i, j] = matrix[k, j, i] = rho
            first[k, i, j] = first[k, j, i] = row
    return Coupling(names, matrix), findings or impossible(table, matrix)


def impossible(table: Table, matrix: Floats) -> list[Finding]:
    """Say which quantity's correlations cannot hold together: their matrix has a negative eigenvalue."""
    if not matrix.size:
        return []
    smallest = np.linalg.eigvalsh(matrix)[:, 0]
    wrong = np.flatnonzero(smallest < -ROUNDING)
    if not len(wrong):
        return []
    least = float(smallest[wrong].min())
    names = ", ".join(TEN[k] for k in wrong.tolist())
    # 1 + f (R - 1) has the eigenvalues 1 + f (λ - 1)
    factor = np.floor(1e4 / (1 - least)) / 1e4
    return [
        found(
            "MP517",
            f"the correlations of {names} cannot hold together: the smallest eigenvalue of their matrix is {least:.6g}",
            table.place(0),
            remedy=f"give the pairs that are not named theirs too, or multiply all by at most {factor:.4f}",
        )
    ]
