"""Comparison of the totals of a sheet with the sums of its rows, and of row totals with mass × quantity."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks import assembly_values
from massprops_cli.bom.items.item_rows import occurrence_counts, table_row_values
from massprops_cli.bom.items.variant_columns import has_marked_above as below_any
from massprops_cli.files.table import Table, TableView, file_table
from massprops_cli.findings.finding import Findings, Place, Severity
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.cell_words import doubtful_label_kind, label_kind, pieces_in_name
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.columns.mass_roles import is_per_piece
from massprops_cli.tables.options import CENTER_COLUMNS, COMPUTED_COLUMNS, GROWTH_MASSES
from massprops_cli.tables.rows.total_rows import (
    TotalRow,
    label_word_positions,
    read_total_masses,
    row_command_name,
    row_reference,
)

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
_Rows = NDArray[np.intp]

_MOST_STARTS = 10  # the number of totals before a subtotal that may be the start of its rows

_MOST_GROUPED = 20_000  # maximum number of rows of a table that is searched for the group named by a total
_LABEL_WORD = r"[^\W_]+"  # ``Arm`` and ``2`` in ``Arm_2``

_PERCENT = r"(\d+(?:[.,]\d+)?)\s*%|[×x*]\s*(1[.,]\d+)"  # ``5 %``, ``2,5%``, ``× 1.12``


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _TotalSpan:
    """A reading of a total: the sum of ``rows`` × ``factor`` + the masses of ``margins``, and its text."""

    rows: slice | _Rows  # a slice of the table, or indices (k,)
    words: str
    margins: tuple[TotalRow, ...] = ()
    factor: float = 1.0  # of margins stated in percent of the sum
    is_usual: bool = True  # of all rows, or after a row of its kind: the only possibility with masses missing

    @property
    def more(self) -> float:
        """Masses of the margins, in the unit of the mass column."""
        return sum(margin.mass or 0.0 for margin in self.margins)


def row_sums(bom: Bom) -> _Floats:
    """Compute mass and mass × centre (n_rows, 4) of every row in the product (docs/formulas.md, section 2)."""
    # coherent units, origin of the table's frame; 0 for a computed assembly, NaN moments for a mass without a centre
    times = occurrence_counts(bom)
    counted = np.flatnonzero(bom.ends & (bom.rows >= 0))
    masses = (bom.bodies.mass * times)[counted]
    parts = np.full((len(counted), 4), np.nan)
    parts[:, 0] = masses
    if bom.bodies.center is not None:
        parts[:, 1:] = np.where(masses[:, None] == 0, 0.0, masses[:, None] * bom.bodies.center[counted])
        if bom.bodies.has_center is not None:
            parts[~bom.bodies.has_center[counted] & (masses != 0), 1:] = np.nan
    sums = np.zeros((bom.table.n_rows, 4), order="F")  # many slices of rows are summed
    np.add.at(sums, bom.rows[counted], parts)
    return sums


def _total_spans(bom: Bom, k: int) -> Iterator[_TotalSpan]:
    """Yield the readings of a total, the usual first, without and with margins."""
    # rows above, all or after an earlier total; all rows below a total above the items; those of an assembly it names
    table, totals = bom.table, bom.totals
    if not any(((some >= 0) & (some < totals[k].row)).any() for some in (bom.rows[:100], bom.rows)):
        yield _TotalSpan(slice(totals[k].row, bom.table.n_rows), "all rows below")
        return
    total = totals[k]
    sums = list(
        islice((totals[i] for i in range(k - 1, -1, -1) if totals[i].kind in ("total", "subtotal")), _MOST_STARTS)
    )
    starts: list[TotalRow | None] = [*sums, None]
    if total.kind != "subtotal":
        starts = [None, *[other for other in sums if other.kind == "total"][:1], *sums]
    margins = [other for other in totals[:k] if other.kind == "margin"]
    for with_margins in (False, True) if margins else (False,):
        for start in dict.fromkeys(starts):
            after = 0 if start is None else start.row
            words = "all rows above" if start is None else f"the rows below {start.label}"
            included = [margin for margin in margins if with_margins and margin.row >= after]
            if with_margins and not included:
                continue
            factor = 1 + sum(_margin_percent(table, margin) for margin in included if margin.mass is None) / 100
            words += f" including {', '.join(margin.label for margin in included)}" if included else ""
            is_usual = start is None or start.kind == total.kind
            yield _TotalSpan(slice(after, total.row), words, tuple(included), factor, is_usual)
    if (item := _named_assembly(bom, total.label)) is not None:
        marked = np.zeros(len(bom), bool)
        marked[item] = True
        rows = bom.rows[marked | below_any(bom.tree, marked)]
        yield _TotalSpan(np.unique(rows[rows >= 0]), f"the rows of {bom.ids[item]}")
    yield from _group_spans(bom, total.label)


def _group_spans(bom: Bom, label: str) -> Iterator[_TotalSpan]:
    """Yield the rows of a group that a label names, if a column contains its name: ``Structure subtotal``."""
    if bom.table.n_rows > _MOST_GROUPED:
        return
    words = f" {' '.join(re.findall(_LABEL_WORD, label.casefold()))} "
    named = bom.columns.by_quantity
    read = {column.index for name, column in named.items() if name not in ("category", "part", "method", "maturity")}
    for j, header in enumerate(bom.columns.header):
        if j in read or not header.strip():
            continue
        texts = [text.strip() for text in bom.table.texts(j, bom.columns.first_row)]
        names = {text for text in texts if text and f" {' '.join(re.findall(_LABEL_WORD, text.casefold()))} " in words}
        for name in sorted(names, key=len, reverse=True):
            rows = np.array([k for k, text in enumerate(texts) if text == name], np.intp) + bom.columns.first_row
            yield _TotalSpan(rows, f"the rows with {header.strip()} {name}")


def _successive_groups(stated: Sequence[float], masses: _Floats, allowed: float) -> list[slice]:
    """Divide ``masses`` into successive groups with the ``stated`` sums; empty where these do not cover all of them."""
    sums = np.concatenate([[0.0], np.cumsum(masses)])
    groups: list[slice] = []
    start = 0
    for value in stated:
        ends = np.flatnonzero(np.abs(sums - sums[start] - value) <= allowed)
        ends = ends[ends > start + 1]
        if len(ends) != 1:
            return []
        groups.append(slice(start, int(ends[0])))
        start = int(ends[0])
    return groups if len(groups) > 1 and start == len(masses) else []


def _named_assembly(bom: Bom, label: str) -> int | None:
    """Find the assembly that a label begins or ends with: ``Subtotal Payload``; of several the longest name."""
    words = f" {label.casefold()} "
    assemblies = [i for i in np.flatnonzero(~bom.tree.is_leaf()).tolist() if bom.tree.parent[i] >= 0]
    names = {i: f" {bom.ids[i].casefold()} " for i in assemblies}
    named = [i for i, name in names.items() if words.startswith(name) or words.endswith(name)]
    return max(named, key=lambda i: len(bom.ids[i]), default=None)


def _margin_percent(table: Table, margin: TotalRow) -> float:
    """Return the percentage stated in the row of a margin, also as a factor; 0 without one."""
    for text in _unfiltered_table(table).row(margin.row):
        if (match := re.search(_PERCENT, text)) is not None:
            percent, factor = (float((number or "0").replace(",", ".")) for number in match.groups())
            return 100 * (factor - 1) if factor else percent
    return 0.0


def _unfiltered_table(table: Table) -> Table:
    """Return the table with its excluded rows."""
    return TableView(table.base, columns=table.columns, cells=table.cells) if type(table) is TableView else table


def without_old_totals(
    table: Table, columns: TableColumns, assemblies: Iterable[int], totals: list[TotalRow]
) -> tuple[Table, list[TotalRow]]:
    """Blank the numbers of totals that a workbook computes from cells of ``assemblies`` which the roll-up fills."""
    info, source, rows = file_table(table).sheet_info, table.source, {total.row for total in totals}
    formulas = {(i, j) for i, j in info.formulas if i in rows} if info and source.format in ("xlsx", "xlsm") else set()
    if not formulas or info is None:
        return table, totals
    from massprops_cli.files.workbook.editor import dependent_cells

    computed = [column.index for name, column in columns.by_quantity.items() if name in COMPUTED_COLUMNS]
    cells = {(i, j) for i, j in product(assemblies, computed) if i >= 0 and not table.text(i, j).strip()}
    data, top, left = source.content or Path(source.name), info.first_row, info.first_column
    found = dependent_cells(data, source.sheet, [(i + top, j + left) for i, j in cells | info.computed])
    table = TableView(table, cells={(i, j): "" for i, j in formulas if (i + top, j + left) in found})
    return table, read_total_masses(_unfiltered_table(table), columns, totals)


_CellReader = Callable[[int, QuantityColumn], float | None]

TOTAL_ROUNDING = 1e-12
"""Relative rounding of the order of summation."""


@dataclass(frozen=True, slots=True)
class ReconciledTotal:
    """A total of the sheet: its label and address, its stated value, and the sum of its rows."""

    label: str
    kind: str
    place: Place
    stated: float  # in ``unit``
    computed: float
    unit: str  # of the column
    verdict: str
    of: str  # names the added rows
    quantity: str = "mass"  # or line_mass, growth_mass …, Cx, Cy, Cz
    is_grand: bool = False  # the total of the table, by its label or position

    @property
    def agrees(self) -> bool:
        """Whether the total agrees with the rows, within the rounding of the written digits."""
        return self.verdict in AGREEING_VERDICTS

    @property
    def differs(self) -> bool:
        """Whether the total differs from the rows; neither is known if masses are missing."""
        return self.verdict in ("off", "contradicted")


AGREEING_VERDICTS = ("agrees", "rounding")
# rounding: within that of the written digits of total and rows; off: within the plain sum of these;
# open: rows have no mass, and the total is not below the others
_VERDICT_ORDER = (*AGREEING_VERDICTS, "open", "off", "contradicted")


def reconcile_masses(bom: Bom) -> list[ReconciledTotal]:
    """Compare every total and subtotal of masses with its rows."""
    return [] if _has_no_comparison(bom) else list(_TotalComparison(bom).basic())


def reconcile_totals(bom: Bom) -> list[ReconciledTotal]:
    """Compare all totals and subtotals, also of masses with growth (docs/formulas.md, section 10) and centres."""
    return [] if _has_no_comparison(bom) else list(_TotalComparison(bom).everything())


def reconciled_spans(bom: Bom) -> Iterator[tuple[TotalRow, ReconciledTotal, _TotalSpan]]:
    """Compare the stated masses of totals."""
    if _has_no_comparison(bom):
        return
    compared = _TotalComparison(bom)
    for k, total in enumerate(bom.totals):
        if total.kind in ("total", "subtotal"):
            yield from ((total, reconciled, span) for reconciled, span in compared.masses_of(k))


def _has_no_comparison(bom: Bom) -> bool:
    """Return whether there is nothing to compare: no totals or masses, or excluded rows or masses."""
    mass = bom.columns.by_quantity.get("mass")
    if not bom.totals or bom.options.root or bom.options.where or mass is None:
        return True
    # a rejected mass is not in the sums, so no total can agree
    errors = (f for f in bom.findings if f.severity is Severity.ERROR and f.item and f.rule not in ("MP206", "MP415"))
    return any(f.place.column == mass.header for f in errors)


_WITHOUT = re.compile(
    r"(?:\bwithout|\bw/o|\bexcl\w*|\bohne|\bsans|\bsin|\bsenza|\bsem|\bzonder|\buden|\butan|\bbez|\bбез)\b\.?\s+(?P<what>.+)",
    re.IGNORECASE,
)
_LONG_WORD = re.compile(r"[^\W\d_]{3,}")  # the, of and the like are shorter or in no name


class _TotalComparison:
    """Comparison of the totals of a table with the sums of its rows."""

    def __init__(self, bom: Bom) -> None:
        self.bom, self.named = bom, bom.columns.by_quantity
        self.sums, self.read = row_sums(bom), _cell_reader(bom)
        self.unit = self.named["mass"].factor
        self.masses = self.sums[:, 0] / self.unit
        self.lacking = np.zeros(bom.table.n_rows, bool)
        self.lacking[bom.rows[bom.tree.is_leaf() & ~bom.states_mass & (bom.rows >= 0)]] = True

    def basic(self) -> Iterator[ReconciledTotal]:
        """Compare the stated masses of totals, without growth."""
        for k in self._compared():
            yield from (reconciled for reconciled, _ in self.masses_of(k))

    def everything(self) -> Iterator[ReconciledTotal]:
        """Compare the stated masses of totals, masses with growth, and centres."""
        for k in self._compared():
            reconciled = list(self.masses_of(k))
            yield from (one for one, _ in reconciled)
            yield from self._grown(k)
            span = reconciled[0][1] if reconciled else next(_total_spans(self.bom, k))
            yield from _reconciled_centers(self.bom, self.bom.totals[k], span, self.sums, self.read)

    def _compared(self) -> Iterator[int]:
        """Yield the numbers of the rows of totals and subtotals."""
        return (k for k, total in enumerate(self.bom.totals) if total.kind in ("total", "subtotal"))

    def masses_of(self, k: int) -> Iterator[tuple[ReconciledTotal, _TotalSpan]]:
        """Compare the stated masses of a total in the columns of piece masses and row totals."""
        for quantity in ("mass", "line_mass"):
            column = self.named.get(quantity)
            stated = None if column is None else self.read(self.bom.totals[k].row, column)
            if column is None or stated is None:
                continue
            stated *= column.label_size(self.bom.totals[k].label)
            compared = [self._compare(k, column, stated, self.masses)]
            if quantity == "mass" and ("line_mass" in self.named or is_per_piece(self.bom.totals[k].label)):
                compared.append(self._compare(k, column, stated, self._cells("mass")))
            if self.bom.growth is not None:
                reconciled, span = self._compare(k, column, stated, self.masses + self._growth())
                compared.append((replace(reconciled, of=f"{reconciled.of}, with growth"), span))
            yield min(compared, key=_verdict_rank)

    def _grown(self, k: int) -> Iterator[ReconciledTotal]:
        """Compare the stated growth of a total, and its mass with growth."""
        for quantity in GROWTH_MASSES:
            column = self.named.get(quantity)
            stated = None if column is None else self.read(self.bom.totals[k].row, column)
            if column is None or stated is None:
                continue
            growth = self._growth()
            computed = self.masses + growth if quantity.endswith("with_growth") else growth
            is_right = not any(f.rule == "MP414" and f.place.column == column.header for f in self.bom.findings)
            every = (computed, self._cells(quantity)) if is_right else (computed,)
            yield min((self._compare(k, column, stated, adds) for adds in every), key=_verdict_rank)[0]

    def _growth(self) -> _Floats:
        """Return the growth of every row ``(n_rows,)``; 0 if not stated."""
        rows = np.zeros(self.bom.table.n_rows)
        if self.bom.growth is not None:
            known = (self.bom.rows >= 0) & ~np.isnan(self.bom.growth)
            rows[self.bom.rows[known]] = self.bom.growth[known]
        return self.masses * rows

    def _cells(self, quantity: str) -> _Floats:
        """Return the plain cells of a column on the rows of parts ``(n_rows,)``, in the unit of the masses' column."""
        cells = np.nan_to_num(table_row_values(self.bom, quantity)) / self.unit
        return np.where(self.masses != 0, cells, 0.0)

    def _compare(
        self, k: int, column: QuantityColumn, stated: float, adds: _Floats
    ) -> tuple[ReconciledTotal, _TotalSpan]:
        """Compare one stated mass with its possible rows; returns the best reading, else the usual one."""
        total, stated_here = self.bom.totals[k], stated / self.unit
        left = self._rows_left_out(total, adds, stated_here)
        adds = np.where(left, 0.0, adds)
        half = cell_half_digit(self.bom, total.row, column, total.label) * column.label_size(total.label)
        own = half / self.unit + TOTAL_ROUNDING * abs(stated_here)
        best: tuple[int, _TotalSpan, float, str] | None = None
        for span in _total_spans(self.bom, k):
            gives = self._with_margins(float(adds[span.rows].sum()), span, column)
            verdict = self._verdict(span, gives - stated_here, own, adds)
            if verdict == "open" and not span.is_usual:
                continue
            if best is None or _VERDICT_ORDER.index(verdict) < best[0]:
                best = _VERDICT_ORDER.index(verdict), span, gives, verdict
            if verdict == "agrees":
                break
        assert best is not None
        if best[3] == "contradicted" and (group := self._stacked_group(k, column, own, adds)) is not None:
            best = 0, group, float(adds[group.rows].sum()), "agrees"
        _, span, gives, verdict = best
        place, size = self.bom.table.place(total.row, column.index, column.header), column.factor / self.unit
        numbers = stated_here / size, gives / size
        reconciled = ReconciledTotal(
            total.label,
            total.kind,
            place,
            *numbers,
            column.unit,
            verdict,
            span.words + ", without those that it names" * bool(left.any()),
            column.quantity,
            self._is_grand(k),
        )
        return reconciled, span

    def _rows_left_out(self, total: TotalRow, adds: _Floats, stated: float) -> NDArray[np.bool_]:
        """Return the rows ``(n_rows,)`` that a label leaves out: that of the battery for ``Total without battery``."""
        match, left = _WITHOUT.search(total.label), np.zeros((2, self.bom.table.n_rows), bool)
        if match is None:
            return np.asarray(left[0])
        wanted = set(_LONG_WORD.findall(match["what"].casefold()))
        for i, row in enumerate(self.bom.rows.tolist()):
            name = self.bom.ids[i] if self.bom.names is None else self.bom.names[i]
            words = set(_LONG_WORD.findall(name.casefold()))
            left[:, row] |= row >= 0, row >= 0
            left[:, row] &= words == wanted, not wanted.isdisjoint(words)
        sums = [abs(float(adds[: total.row][~one[: total.row]].sum()) - stated) for one in left]
        return np.asarray(left[int(np.argmin(sums))])

    def _stacked_group(self, k: int, column: QuantityColumn, allowed: float, adds: _Floats) -> _TotalSpan | None:
        """Find the group of a total among several totals below all rows, each of the next group: ``RNA``, ``Tower``."""
        totals = [total for total in self.bom.totals if total.kind in ("total", "subtotal")]
        counted = np.flatnonzero(adds)
        stacked = [total for total in totals if len(counted) and total.row > counted[-1]]
        values = [(total, value / self.unit) for total in stacked if (value := self.read(total.row, column))]
        for last in range(len(values), 1, -1):
            groups = _successive_groups([value for _, value in values[:last]], adds[counted], allowed)
            for (total, _), group in zip(values, groups, strict=False):
                if total.row == self.bom.totals[k].row:
                    rows = slice(int(counted[group.start]), int(counted[group.stop - 1]) + 1)
                    places = [self.bom.table.place(row) for row in (rows.start, rows.stop - 1)]
                    return _TotalSpan(
                        rows,
                        " to ".join(
                            ("rows " if j == 0 else "") + str(place.line or place.row) for j, place in enumerate(places)
                        ),
                    )
        return None

    def _with_margins(self, gives: float, span: _TotalSpan, column: QuantityColumn) -> float:
        """Add the margins of a span, in the column of the total or as shares, to a sum in the unit of the masses."""
        if column.quantity == "mass":
            return gives * span.factor + span.more
        stated = [value / self.unit for margin in span.margins if (value := self.read(margin.row, column)) is not None]
        return gives + sum(stated) if stated else gives * span.factor

    def _is_grand(self, k: int) -> bool:
        """Return whether a total is that of the table, by its label or as the last one."""
        total = self.bom.totals[k]
        is_last = not any(other.kind == "total" for other in self.bom.totals[k + 1 :])
        return total.kind == "total" and (is_last or label_kind(total.label) == "total")

    def _verdict(self, span: _TotalSpan, off: float, own: float, adds: _Floats) -> str:
        """Return the verdict on the difference between a total and its rows, by their written digits."""
        if abs(off) <= own:
            return "agrees"
        if off < 0 and bool(self.lacking[span.rows].any()):
            return "open"
        halves = self._halves(span, adds)
        if abs(off) <= own + float(np.sqrt(np.sum(halves**2))):
            return "rounding"
        return "off" if abs(off) <= own + float(halves.sum()) else "contradicted"

    def _halves(self, span: _TotalSpan, adds: _Floats) -> _Floats:
        """Return half a unit of the last digit of every row of a span; 0 for values computed by a workbook."""
        if len(counted := np.arange(len(adds))[span.rows][adds[span.rows] != 0]) > assembly_values.MOST_ROUNDED:
            return np.zeros(1)
        column = self.named.get("line_mass") or self.named["mass"]
        return np.array([self._half(int(row), column, float(adds[row])) for row in counted] or [0.0])

    def _half(self, row: int, column: QuantityColumn, adds: float) -> float:
        """Return the rounding of what a row adds, from the digits of its cell; 0 for a formula."""
        info, bom = self.bom.table.sheet_info, self.bom
        if info is not None and (row, column.index) in info.formulas:
            return 0.0
        half = cell_half_digit(bom, row, column) / self.unit
        if column.quantity == "line_mass":
            return half
        cell = self.read(row, column)
        return half * abs(adds / (cell / self.unit)) if cell else half


def _verdict_rank(compared: tuple[ReconciledTotal, _TotalSpan]) -> int:
    """Rank a comparison by its verdict, the best first."""
    return _VERDICT_ORDER.index(compared[0].verdict)


def check_counted_totals(bom: Bom, findings: Findings) -> None:
    """Report leaves named as sums with the mass of their siblings, which ``--count-row`` confirms or ``--skip-row``."""
    names = bom.names if bom.names is not None and any(bom.names) else bom.ids
    if len(bom) > _MOST_GROUPED:
        return
    leaf, over, counted = bom.tree.is_leaf(), bom.tree.parent, bom.options.count_rows
    possible = [i for i in sorted(label_word_positions(list(names))) if leaf[i] and over[i] >= 0 and bom.rows[i] >= 0]
    labelled = [i for i in possible if _names_sum(names[i]) and names[i] not in counted and bom.bodies.mass[i]]
    if not labelled:
        return
    masses = np.where(leaf, bom.bodies.mass * occurrence_counts(bom), 0.0)
    own = masses[labelled]
    masses[labelled] = 0.0
    for i in reversed(bom.tree.order.tolist()):
        if over[i] >= 0:
            masses[over[i]] += masses[i]
    command = f"massprops rollup {shlex.quote(bom.table.source.name)}"
    for i, mass in zip(labelled, own.tolist(), strict=True):
        row = int(bom.rows[i])
        # the parts above it: the last one or more, or those of the assembly above
        above = [k for k in bom.tree.children(int(over[i])).tolist() if bom.rows[k] < row and masses[k]]
        sums = np.append(np.cumsum(masses[above][::-1])[leaf[above[-1:]].sum() :], masses[over[i]])
        allowed = cell_half_digit(bom, row, bom.columns.by_quantity["mass"]) + TOTAL_ROUNDING * abs(mass)
        if (np.abs(sums - mass) <= allowed).any():
            message = f"row named as a sum has the mass of other parts of {bom.ids[over[i]]}: {names[i]}"
            label = row_command_name(bom.table, bom.columns.first_row, row)
            remedy = f"run {command} --skip-row {label}, or {command} --count-row {label}"
            findings.report("MP257", message, bom.table.place(row), value=names[i], remedy=remedy)


def _names_sum(text: str) -> bool:
    """Return whether a text is a label of a sum, or may be one."""
    return (label_kind(text, alone=True) or doubtful_label_kind(text, alone=True)) in ("total", "subtotal")


def _reconciled_centers(
    bom: Bom, total: TotalRow, span: _TotalSpan, sums: _Floats, read: _CellReader
) -> Iterator[ReconciledTotal]:
    """Compare the stated centre of a total with that of its rows; nothing if that is unknown."""
    named = bom.columns.by_quantity
    read_here = {name: read(total.row, named[name]) for name in CENTER_COLUMNS if name in named}
    if not (stated := {name: value for name, value in read_here.items() if value is not None}):
        return
    mass, *moments = sums[span.rows].sum(axis=0).tolist()
    extent = np.nanmax(np.abs(bom.bodies.center), initial=0.0) if bom.bodies.center is not None else 0.0
    for name, moment in zip(CENTER_COLUMNS, moments, strict=True):
        if name not in stated or mass == 0 or np.isnan(moment):
            continue
        column, center = named[name], moment / mass
        off, own = abs(center - stated[name]), cell_half_digit(bom, total.row, column) + TOTAL_ROUNDING * extent
        place = bom.table.place(total.row, column.index, column.header)
        numbers = stated[name] / column.factor, center / column.factor
        verdict = "agrees" if off <= own else "contradicted"
        if off > own and off <= own + _center_rounding(bom, span, sums, (name, center)):
            verdict = "rounding"
        yield ReconciledTotal(total.label, total.kind, place, *numbers, column.unit, verdict, span.words, name)


def _center_rounding(bom: Bom, span: _TotalSpan, sums: _Floats, computed: tuple[str, float]) -> float:
    """Return what half a unit of the last digits of masses and coordinates makes of a centre: root of squares."""
    name, center = computed
    axis, named = CENTER_COLUMNS.index(name), bom.columns.by_quantity
    rows = np.arange(len(sums))[span.rows]
    counted = rows[sums[rows, 0] != 0]
    mass = sums[counted, 0]
    if len(counted) > assembly_values.MOST_ROUNDED or not mass.sum():
        return 0.0
    column = named.get("line_mass") or named["mass"]
    halves = np.array(
        [(cell_half_digit(bom, row, column), cell_half_digit(bom, row, named[name])) for row in counted.tolist()]
    )
    offsets = sums[counted, 1 + axis] / mass - center
    return float(np.sqrt(np.sum((halves[:, 0] * offsets) ** 2 + (halves[:, 1] * mass) ** 2)) / abs(mass.sum()))


def _cell_reader(bom: Bom) -> _CellReader:
    """Return a function that reads a cell of an excluded row, in coherent units; None if not a number."""
    table, first = _unfiltered_table(bom.table), bom.columns.first_row
    known: dict[int, _Floats] = {}

    def read(row: int, column: QuantityColumn) -> float | None:
        if column.index not in known:
            rules = column.rules._replace(approximate=True)  # a total may be an estimate
            known[column.index] = column.parse(table, first, rules).values
        value = float(known[column.index][row - first])
        return None if np.isnan(value) else value * column.size(row)

    return read


def cell_half_digit(bom: Bom, row: int, column: QuantityColumn, label: str = "") -> float:
    """Compute half a unit of the last digit of a cell."""
    return column.half_digit(_unfiltered_table(bom.table), row, label)


def check_mass_totals(bom: Bom, findings: Findings) -> None:
    """Report the totals of the sheet that differ from the mass of their rows."""
    differing = [one for one in reconcile_masses(bom) if one.differs]
    of_names = _sum_by_names(bom) if differing else None
    for one in differing:
        remedy = None
        if of_names is not None and abs(of_names - one.stated) <= _NEAR * abs(one.stated):
            remedy = f"state the quantities that names contain, such as x2, in a column: the sum is then {of_names:.9g}"
        _report_total(one, findings, remedy)
    if differing:
        _report_rows_left_out(bom, differing[0].label, findings)


_NEAR = 1e-3  # share by which a rounded total may miss the sum


def _sum_by_names(bom: Bom) -> float | None:
    """Return the mass if names such as ``thigh x2`` state the pieces of rows without a quantity; None without any."""
    pieces = np.ones(bom.table.n_rows)
    for i in np.flatnonzero((bom.rows >= 0) & (bom.quantity.count == 1)).tolist():
        pieces[bom.rows[i]] = max(1.0, pieces_in_name(bom.ids[i] if bom.names is None else bom.names[i]))
    if (pieces == 1).all():
        return None
    return float((row_sums(bom)[:, 0] * pieces).sum()) / bom.columns.by_quantity["mass"].factor


def _report_rows_left_out(bom: Bom, label: str, findings: Findings) -> None:
    """Ask about the rows that were left out without a word of sums, where the total with a label contradicts that."""
    for one in (one for one in bom.totals if one.kind == "figure" and one.mass):
        is_named = label_kind(one.label) or doubtful_label_kind(one.label, alone=True)
        reference = row_reference(bom.table, one.row)
        if not is_named and {one.label, reference}.isdisjoint(bom.options.skip_rows):
            name = row_command_name(bom.table, bom.columns.first_row, one.row)
            message = f"row may be a part: {one.label or reference} was left out, and {label} differs"
            remedy = f"pass --count-row {name} if it is a part, or --skip-row {name} if it is none"
            findings.report("MP257", message, bom.table.place(one.row), value=one.label, remedy=remedy)


def margin_masses(bom: Bom) -> list[tuple[TotalRow, float, bool]]:
    """List the rows of margins that are not skipped, each with its mass, coherent units, and if a total includes it."""
    margins = [total for total in bom.totals if total.kind == "margin"]
    if not margins or "mass" not in bom.columns.by_quantity:
        return []
    read, totals, skipped = _cell_reader(bom), reconcile_totals(bom), bom.options.skip_rows
    columns = [bom.columns.by_quantity.get(name) for name in ("line_mass", "mass", *GROWTH_MASSES)]
    listed = []
    for margin in margins:
        found = (read(margin.row, column) for column in columns if column is not None)
        basic = float(row_sums(bom)[: margin.row, 0].sum())
        share = _margin_percent(bom.table, margin) / 100
        mass = next((value for value in found if value), share * basic)
        mass -= basic if share and abs(mass - (1 + share) * basic) < 0.01 * basic else 0.0  # × 1.12 margin, 1008
        if mass > 0 and {margin.label, row_reference(bom.table, margin.row)}.isdisjoint(skipped):
            included = (margin.label in one.of.partition(" including ")[2] for one in totals if one.agrees)
            listed.append((margin, mass, any(included)))
    return listed


def check_margin_rows(bom: Bom, findings: Findings) -> None:
    """Ask whether a row of margin counts, where no stated total agrees, and no limit explains what is left of it."""
    of_limits = any(total.kind == "limit" for total in bom.totals) or any(f.rule == "MP257" for f in bom.findings)
    formulas = () if (info := file_table(bom.table).sheet_info) is None else info.formulas
    column, basic = bom.columns.by_quantity["mass"], float(row_sums(bom)[:, 0].sum())
    sums = (one for one in bom.totals if one.kind == "total" and one.mass is None)
    is_open = any((one.row, column.index) in formulas for one in sums)  # not calculated yet
    if of_limits or is_open or any(one.agrees and one.of.startswith("all rows") for one in reconcile_totals(bom)):
        return
    command = f"massprops rollup {shlex.quote(bom.table.source.name)}"
    for margin, mass, _ in margin_masses(bom):
        without, whole = (f"{x / column.factor:.6g} {column.unit}".strip() for x in (basic, basic + mass))
        message = f"row of margin is in no stated total: {margin.label} ({without} without it, {whole} with it)"
        label = row_command_name(bom.table, bom.columns.first_row, margin.row)
        remedy = f"run {command} --skip-row {label} if it does not count; else add a total that includes it"
        if bom.layout == "flat" and margin.mass is not None:
            remedy = f"run {command} --skip-row {label}, or {command} --count-row {label}"
        findings.report("MP257", message, bom.table.place(margin.row), value=margin.label, remedy=remedy)


def check_center_totals(bom: Bom, findings: Findings) -> None:
    """Report the totals of the sheet that differ from the growth or the centre of their rows."""
    for one in reconcile_totals(bom):
        if one.quantity not in ("mass", "line_mass") and one.differs:
            _report_total(one, findings)


def _report_total(one: ReconciledTotal, findings: Findings, remedy: str | None = None) -> None:
    """Report a total and the sum of its rows; an error for a contradicted grand total."""
    name = (
        one.quantity if one.quantity in CENTER_COLUMNS else (one.place.column or "").split("[")[0].split("(")[0].strip()
    )
    name = "" if one.quantity in ("mass", "line_mass") else f"{name} "
    stated = f"{name}{one.stated:.12g}{one.unit and f' {one.unit}'}"
    message = (
        f"{one.label} differs from the sum of {one.of}: {stated} "
        f"(computed: {one.computed:.{assembly_values.difference_digits(one.computed, one.stated)}g})"
    )
    is_grand = one.verdict == "contradicted" and one.quantity not in CENTER_COLUMNS and one.is_grand
    rule = "MP415" if is_grand and one.kind == "total" else "MP413"
    findings.report(rule, message, one.place, value=f"{one.stated:.12g}", item=one.label, remedy=remedy)


def reconcile_assemblies(bom: Bom, rollup: Rollup) -> list[ReconciledTotal]:
    """Compare the stated masses of assemblies with those of their children."""
    column = bom.columns.by_quantity.get("mass")
    stated = next((one for one in assembly_values.stated_assembly_values(bom, rollup) if one.name == "mass"), None)
    if column is None or stated is None:
        return []
    off = set(assembly_values.differing_positions(bom, stated))
    known = [k for k in np.argsort(bom.rows[stated.items], kind="stable").tolist() if not np.isnan(stated.computed[k])]
    return [
        ReconciledTotal(
            bom.ids[int(stated.items[k])],
            "assembly",
            bom.table.place(int(bom.rows[stated.items[k]]), column.index, column.header),
            float(stated.values[k]),
            float(stated.computed[k]),
            column.unit_at(int(bom.rows[stated.items[k]])),
            "contradicted" if k in off else "agrees",
            "its children",
        )
        for k in known
    ]
