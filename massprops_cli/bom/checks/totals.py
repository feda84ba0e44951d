"""Comparison of the totals of a sheet with the sums of its rows, and of stated assembly masses with their children."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks import assembly_values
from massprops_cli.bom.items.item_rows import occurrence_counts, table_row_values
from massprops_cli.files.table import Floats, Rows, Table, TableView, file_table, row_reference
from massprops_cli.findings.finding import Place, Severity
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.cell_words import is_total_of_all, label_kind
from massprops_cli.tables.columns.columns import QuantityColumn, TableColumns
from massprops_cli.tables.options import CENTER_COLUMNS, COMPUTED_COLUMNS, GROWTH_MASSES
from massprops_cli.tables.rows.total_rows import TotalRow, read_total_masses, row_label

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom


_SUMS = ("total", "subtotal")
_MOST_STARTS = 10  # the number of totals before a subtotal that may be the start of its rows

_MOST_GROUPED = 20_000  # maximum number of rows of a table that is searched for the group named by a total
_LABEL_WORD = r"[^\W_]+"  # ``Arm`` and ``2`` in ``Arm_2``

_PERCENT = r"(\d+(?:[.,]\d+)?)\s*%|[×x*]\s*(1[.,]\d+)"  # ``5 %``, ``2,5%``, ``× 1.12``


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _TotalSpan:
    """A reading of a total: the sum of ``rows`` × ``factor`` + the masses of ``margins``, and its text."""

    rows: slice | Rows  # a slice of the table, or indices (k,)
    words: str
    margins: tuple[TotalRow, ...] = ()
    factor: float = 1.0  # of margins stated in percent of the sum
    is_usual: bool = True  # of all rows, or after a row of its kind: the only possibility with masses missing

    @property
    def more(self) -> float:
        """Masses of the margins, in the unit of the mass column."""
        return sum(margin.mass or 0.0 for margin in self.margins)


def row_sums(bom: Bom) -> Floats:
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
    sums = [other for other in totals[:k][::-1] if other.kind in _SUMS][:_MOST_STARTS]
    starts: list[TotalRow | None] = [*sums, None]
    if total.kind != "subtotal":
        starts = [None, *[other for other in sums if other.kind == "total"][:1], *sums]
    starts = [None] if is_total_of_all(total.label) else starts
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
    if total.first >= 0:
        words = f"the rows from {row_label(table, total.first)}"
        yield _TotalSpan(slice(total.first, total.row), words, is_usual=False)
    if (item := _named_assembly(bom, total.label)) is not None:
        rows = bom.rows[bom.tree.descendants(item)]
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

_TOTAL_ROUNDING = 1e-12  # relative rounding of the order of summation


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
    row: int = field(default=-1, repr=False)  # of the table; −1 for an assembly
    rounding: float = field(default=0.0, repr=False)  # of the stated value, by its last digit, in ``unit``
    span: _TotalSpan | None = field(default=None, repr=False, compare=False)  # the added rows

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
    return [] if _has_no_comparison(bom) else list(_TotalComparison(bom).totals(_PLAIN_MASSES))


def reconcile_totals(bom: Bom) -> list[ReconciledTotal]:
    """Compare all totals and subtotals, also of masses with growth (docs/formulas.md, section 10) and centres."""
    masses = (*_PLAIN_MASSES, *GROWTH_MASSES)
    return [] if _has_no_comparison(bom) else list(_TotalComparison(bom).totals(masses, with_centers=True))


_PLAIN_MASSES = ("mass", "line_mass")


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

    def totals(self, quantities: Sequence[str], *, with_centers: bool = False) -> Iterator[ReconciledTotal]:
        """Compare the stated masses of totals in some columns, and their centres."""
        for k, total in enumerate(self.bom.totals):
            if total.kind not in _SUMS:
                continue
            found = [one for name in quantities if (one := self._mass(k, name)) is not None]
            yield from found
            if with_centers:
                span = next((one.span for one in found if one.quantity in _PLAIN_MASSES), None)
                yield from self._centers(k, span or next(_total_spans(self.bom, k)))

    def _mass(self, k: int, quantity: str) -> ReconciledTotal | None:
        """Compare what a total states in a column of masses with its rows, in the reading that agrees best."""
        column = self.named.get(quantity)
        stated = None if column is None else self.read(self.bom.totals[k].row, column)
        if column is None or stated is None:
            return None
        stated *= column.label_size(self.bom.totals[k].label)
        compared = (self._compare(k, column, stated, adds, words) for adds, words in self._addends(k, quantity))
        return min(compared, key=lambda one: _VERDICT_ORDER.index(one.verdict))

    def _addends(self, k: int, quantity: str) -> Iterator[tuple[Floats, str]]:
        """Yield what every row may add to a total ``(n_rows,)``, the usual first, each with words for its sum."""
        if quantity in GROWTH_MASSES:
            yield self.masses + self.growth if quantity.endswith("with_growth") else self.growth, ""
            header = self.named[quantity].header
            if not any(f.rule == "MP414" and f.place.column == header for f in self.bom.findings):
                yield self._cells(quantity), ""
            return
        yield self.masses, ""
        if any(name in self.named for name in GROWTH_MASSES):  # of masses computed from predicted ones it states none
            stated = [table_row_values(self.bom, name) for name in _PLAIN_MASSES if name in self.named]
            yield np.where(np.isfinite(stated).any(axis=0), self.masses, 0.0), ""
        if self.bom.growth is not None:
            yield self.masses + self.growth, ", with growth"

    @cached_property
    def growth(self) -> Floats:
        """Return the growth of every row ``(n_rows,)``; 0 if not stated."""
        rows = np.zeros(self.bom.table.n_rows)
        if self.bom.growth is not None:
            known = (self.bom.rows >= 0) & ~np.isnan(self.bom.growth)
            rows[self.bom.rows[known]] = self.bom.growth[known]
        return self.masses * rows

    def _cells(self, quantity: str) -> Floats:
        """Return the plain cells of a column on the rows of parts ``(n_rows,)``, in the unit of the masses' column."""
        cells = np.nan_to_num(table_row_values(self.bom, quantity)) / self.unit
        return np.where(self.masses != 0, cells, 0.0)

    def _compare(self, k: int, column: QuantityColumn, stated: float, adds: Floats, words: str) -> ReconciledTotal:
        """Compare one stated mass with its possible rows; returns the best reading, else the usual one."""
        total, stated_here = self.bom.totals[k], stated / self.unit
        left = self._rows_left_out(total, adds, stated_here)
        adds = np.where(left, 0.0, adds)
        half = _cell_half_digit(self.bom, total.row, column, total.label) * column.label_size(total.label)
        own = half / self.unit + _TOTAL_ROUNDING * abs(stated_here)
        readings: list[tuple[int, _TotalSpan, float]] = []
        for span in _total_spans(self.bom, k):
            gives = self._with_margins(float(adds[span.rows].sum()), span, column)
            verdict = self._verdict(span, gives - stated_here, own, adds)
            if verdict != "open" or span.is_usual:
                readings.append((_VERDICT_ORDER.index(verdict), span, gives))
            if verdict == "agrees":
                break
        rank, span, gives = min(readings, key=lambda reading: reading[0])
        size = column.factor / self.unit
        of = span.words + ", without those that it names" * bool(left.any()) + words
        numbers = stated_here / size, gives / size, own / size
        return self._reconciled(k, column, numbers, _VERDICT_ORDER[rank], span, of)

    def _reconciled(
        self,
        k: int,
        column: QuantityColumn,
        numbers: tuple[float, float, float],
        verdict: str,
        span: _TotalSpan,
        of: str,
    ) -> ReconciledTotal:
        """Return the comparison of a total; ``numbers`` are the stated one, that of its rows and the rounding."""
        total = self.bom.totals[k]
        place = self.bom.table.place(total.row, column.index, column.header)
        is_last = not any(other.kind == "total" for other in self.bom.totals[k + 1 :])
        is_grand = total.kind == "total" and (is_last or label_kind(total.label) == "total")
        (stated, gives, rounding), unit, quantity = numbers, column.unit, column.quantity
        names = total.label, total.kind, place
        return ReconciledTotal(*names, stated, gives, unit, verdict, of, quantity, is_grand, total.row, rounding, span)

    def _rows_left_out(self, total: TotalRow, adds: Floats, stated: float) -> NDArray[np.bool_]:
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

    def _with_margins(self, gives: float, span: _TotalSpan, column: QuantityColumn) -> float:
        """Add the margins of a span, in the column of the total or as shares, to a sum in the unit of the masses."""
        if column.quantity == "mass":
            return gives * span.factor + span.more
        stated = [value / self.unit for margin in span.margins if (value := self.read(margin.row, column)) is not None]
        return gives + sum(stated) if stated else gives * span.factor

    def _verdict(self, span: _TotalSpan, off: float, own: float, adds: Floats) -> str:
        """Return the verdict on the difference between a total and its rows, by their written digits."""
        if abs(off) <= own:
            return "agrees"
        if off < 0 and bool(self.lacking[span.rows].any()):
            return "open"
        halves = self._halves(span, adds)
        if abs(off) <= own + float(np.sqrt(np.sum(halves**2))):
            return "rounding"
        return "off" if abs(off) <= own + float(halves.sum()) else "contradicted"

    def _counted_rows(self, span: _TotalSpan, adds: Floats) -> Rows:
        """Return the rows of a span that add something; none where they are too many to read their digits."""
        counted: Rows = np.arange(len(adds))[span.rows][adds[span.rows] != 0]
        return counted if len(counted) <= assembly_values.MOST_ROUNDED else counted[:0]

    def _halves(self, span: _TotalSpan, adds: Floats) -> Floats:
        """Return half a unit of the last digit of every row of a span; 0 for values computed by a workbook."""
        column = self.named.get("line_mass") or self.named["mass"]
        return np.array([self._half(row, column, float(adds[row])) for row in self._counted_rows(span, adds).tolist()])

    def _half(self, row: int, column: QuantityColumn, adds: float) -> float:
        """Return the rounding of what a row adds, from the digits of its cell; 0 for a formula."""
        info = self.bom.table.sheet_info
        if info is not None and (row, column.index) in info.formulas:
            return 0.0
        half = _cell_half_digit(self.bom, row, column) / self.unit
        if column.quantity == "line_mass":
            return half
        cell = self.read(row, column)
        return half * abs(adds / (cell / self.unit)) if cell else half

    def _centers(self, k: int, span: _TotalSpan) -> Iterator[ReconciledTotal]:
        """Compare the stated centre of a total with that of its rows; nothing if that is unknown."""
        mass, *moments = self.sums[span.rows].sum(axis=0).tolist()
        extent = np.nanmax(np.abs(self.bom.bodies.center), initial=0.0) if self.bom.bodies.center is not None else 0.0
        row = self.bom.totals[k].row
        for axis, (name, moment) in enumerate(zip(CENTER_COLUMNS, moments, strict=True)):
            column = self.named.get(name)
            stated = None if column is None else self.read(row, column)
            if column is None or stated is None or mass == 0 or np.isnan(moment):
                continue
            center = moment / mass
            off, own = abs(center - stated), _cell_half_digit(self.bom, row, column) + _TOTAL_ROUNDING * extent
            verdict = "agrees" if off <= own else "contradicted"
            if off > own and off <= own + self._center_rounding(span, axis, center):
                verdict = "rounding"
            numbers = stated / column.factor, center / column.factor, own / column.factor
            yield replace(self._reconciled(k, column, numbers, verdict, span, span.words), is_grand=False)

    def _center_rounding(self, span: _TotalSpan, axis: int, center: float) -> float:
        """Return what half a unit of the last digits of masses and coordinates makes of a centre: root of squares."""
        counted = self._counted_rows(span, self.sums[:, 0])
        mass, column = self.sums[counted, 0], self.named.get("line_mass") or self.named["mass"]
        if not mass.sum():
            return 0.0
        of_mass, of_center = (
            np.array([_cell_half_digit(self.bom, row, one) for row in counted.tolist()])
            for one in (column, self.named[CENTER_COLUMNS[axis]])
        )
        offsets = self.sums[counted, 1 + axis] / mass - center
        return float(np.sqrt(np.sum((of_mass * offsets) ** 2 + (of_center * mass) ** 2)) / abs(mass.sum()))


def _cell_reader(bom: Bom) -> _CellReader:
    """Return a function that reads a cell of an excluded row, in coherent units; None if not a number."""
    table, first = _unfiltered_table(bom.table), bom.columns.first_row
    known: dict[int, Floats] = {}

    def read(row: int, column: QuantityColumn) -> float | None:
        if column.index not in known:
            known[column.index] = column.values(table, first, estimates=True)
        value = float(known[column.index][row - first])
        return None if np.isnan(value) else value

    return read


def _cell_half_digit(bom: Bom, row: int, column: QuantityColumn, label: str = "") -> float:
    """Compute half a unit of the last digit of a cell."""
    return column.half_digit(_unfiltered_table(bom.table), row, label)


def reconcile_assemblies(bom: Bom, rollup: Rollup) -> list[ReconciledTotal]:
    """Compare the stated masses of assemblies with those of their children."""
    stated = next((one for one in assembly_values.stated_assembly_values(bom, rollup) if one.name == "mass"), None)
    if stated is None:
        return []
    column = bom.columns.by_quantity["mass"]
    off, found = set(assembly_values.differing_positions(bom, stated)), list[ReconciledTotal]()
    for k in np.argsort(bom.rows[stated.items], kind="stable").tolist():
        item, row = int(stated.items[k]), int(bom.rows[stated.items[k]])
        numbers = float(stated.values[k]), float(stated.computed[k])
        verdict = "contradicted" if k in off else "agrees"
        if not np.isnan(numbers[1]):
            place, unit = bom.table.place(row, column.index, column.header), column.unit_at(row)
            found.append(ReconciledTotal(bom.ids[item], "assembly", place, *numbers, unit, verdict, "its children"))
    return found


def margin_masses(bom: Bom) -> list[tuple[TotalRow, float, bool]]:
    """List the rows of margins that are not skipped, each with its mass, coherent units, and if a total includes it."""
    margins = [total for total in bom.totals if total.kind == "margin"]
    if not margins or "mass" not in bom.columns.by_quantity:
        return []
    read, masses, totals = _cell_reader(bom), row_sums(bom)[:, 0], reconcile_totals(bom)
    columns = [bom.columns.by_quantity.get(name) for name in ("line_mass", "mass", *GROWTH_MASSES)]
    listed = []
    for margin in margins:
        found = (read(margin.row, column) for column in columns if column is not None)
        basic = float(masses[: margin.row].sum())
        share = _margin_percent(bom.table, margin) / 100
        mass = next((value for value in found if value), share * basic)
        mass -= basic if share and abs(mass - (1 + share) * basic) < 0.01 * basic else 0.0  # × 1.12 margin, 1008
        if mass > 0 and {margin.label, row_reference(bom.table, margin.row)}.isdisjoint(bom.options.skip_rows):
            included = (margin.label in one.of.partition(" including ")[2] for one in totals if one.agrees)
            listed.append((margin, mass, any(included)))
    return listed
