"""Growth of items: a percentage in the row, or category and maturity in a growth table; 0 for weighed items."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.items import item_rows
from massprops_cli.bom.items.item_flags import ItemFlags
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows
from massprops_cli.findings.finding import Findings, Severity, UsageError, nearest_name_hint
from massprops_cli.rollups.rollup import Rollup, roll_up
from massprops_cli.tables.cells.cell_words import read_truth_values
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.cells.numbers import half_unit_of_cell, is_filled_text
from massprops_cli.tables.columns.columns import QuantityColumn
from massprops_cli.tables.columns.headings import squeeze_text
from massprops_cli.tables.columns.mass_headings import is_heading_of_kind
from massprops_cli.tables.columns.sigma_columns import method_spellings, percent_rows, read_percent_column
from massprops_cli.tables.options import GROWTH_MASSES, TableOptions

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

SHIPPED_TABLES = ("maturity-by-category", "esa-new-modified-shelf", "cubesat-by-source")
"""Supplied examples; their first lines name their source. None is a standard."""
_ANY_WORD = "any"
_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_NOT_NEGATIVE = "correct the mass, or its growth"
_ROUNDED_SHARE = 0.006  # half a percent, to which shares and masses of small parts are rounded
_LEAST_PERCENT = 2  # growth that is nowhere above 2 % is rare; a factor of 2 is as rare
_MIXED_RATIO = 1.5  # a share that is in percent not much above the largest percentage may be one
_SUMMATION_TOLERANCE = 1e-9  # a difference of shares that rounding in doubles explains


class _GrowthTable(NamedTuple):
    """Percentages by normalized category and maturity; the words as written are for messages."""

    name: str
    categories: tuple[str, ...]
    maturities: tuple[str, ...]
    percent: Mapping[tuple[str, str], float]

    @property
    def needs_category(self) -> bool:
        """Whether the percentages depend on the category."""
        return [squeeze_text(word) for word in self.categories] != [_ANY_WORD]

    def of(self, category: str, maturity: str) -> float:
        """Look up the percentage; a word that is not in the table is an error."""
        if (column := squeeze_text(maturity)) not in {squeeze_text(word) for word in self.maturities}:
            raise _NotInTableError("maturity", maturity, self.name, self.maturities)
        for row in (squeeze_text(category), _ANY_WORD):
            if (found := self.percent.get((row, column))) is not None:
                return found
        raise _NotInTableError("category", category, self.name, self.categories)


class _NotInTableError(UsageError):
    """A word that is not in a growth table; ``column`` is category or maturity."""

    def __init__(self, column: str, word: str, name: str, known: tuple[str, ...]) -> None:
        hint = nearest_name_hint(word, known) or f" (known: {', '.join(known)})"
        self.fault = f"is not in growth table {name}: {word}{hint}"
        super().__init__(f"{column} {self.fault}")
        self.column = column


def _read_growth_table(name: str) -> _GrowthTable:
    """Read a supplied table by its name, or a file; raises UsageError if it is not a table of percentages."""
    try:
        if name in SHIPPED_TABLES:
            from importlib.resources import files

            text = files("massprops_cli.bom").joinpath("growth_tables", f"{name}.csv").read_text(encoding="utf-8")
        else:
            text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        shipped = ", ".join(SHIPPED_TABLES)
        raise UsageError(f"growth table cannot be read: {name}: {why} (supplied tables: {shipped})") from None
    return _parse_growth_table(name, text.splitlines())


def _parse_growth_table(name: str, lines: Iterable[str]) -> _GrowthTable:
    """Return the table in the lines of a csv file; raises UsageError."""
    import csv

    lines = [line for line in lines if line.strip(",;\t ") and not line.startswith("#")]
    delimiter = next((one for one in ";\t" if lines and one in lines[0]), ",")
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, strict=True, delimiter=delimiter)]
    except csv.Error as error:
        raise UsageError(f"growth table is not valid csv: {name}: {error}") from None
    if len(rows) < 2 or squeeze_text(rows[0][0]) != "category" or len(rows[0]) < 2:
        raise UsageError(
            f"growth table has no header or no rows: {name} "
            "(expected, for instance, category,estimated,calculated,weighed)"
        )
    maturities = rows[0][1:]
    percent: dict[tuple[str, str], float] = {}
    for row in rows[1:]:
        if len(row) != len(rows[0]):
            raise UsageError(
                f"row of growth table {name} has {len(row)} cells: {row[0]} (the header has {len(rows[0])})"
            )
        for maturity, cell in zip(maturities, row[1:], strict=True):
            key = squeeze_text(row[0]), squeeze_text(maturity)
            if not all(key) or key in percent:
                raise UsageError(
                    f"entry of growth table {name} is duplicated or has no name: "
                    f"{row[0] or 'blank'}, {maturity or 'blank'}"
                )
            number = cell.replace(",", ".") if delimiter == ";" else cell
            percent[key] = _parse_growth_percent(name, row[0], maturity, number)
    most, signed = max(percent.values()), any("%" in cell for row in rows for cell in row)
    if 0 < most <= 1 and not signed:
        raise UsageError(
            f"growth in table {name} may be percentages or shares: none exceeds 1, the largest is {most:g} "
            f"({most:g} % or {100 * most:g} %); write % in its cells"
        )
    return _GrowthTable(name, tuple(row[0] for row in rows[1:]), tuple(maturities), percent)


def _parse_growth_percent(name: str, category: str, maturity: str, cell: str) -> float:
    """Read one percentage; raises UsageError if it is not a number, or negative."""
    if (number := read_number(cell.removesuffix("%"))) is None or isnan(number) or number < 0:
        raise UsageError(
            f"growth in table {name} is not a percentage of 0 or more: {cell or 'blank'} ({category}, {maturity})"
        )
    return number


def predicted_rollup(bom: Bom) -> Rollup | None:
    """Roll up with growth, without sigmas (docs/formulas.md, section 10); unknown growth leaves a lower bound."""
    if bom.growth is None:
        return None
    bodies, inputs = bodies_with_growth(bom.bodies, bom.growth), bom.rollup_inputs()
    rolled = roll_up(replace(inputs, bodies=bodies), method="none")
    unknown = np.isnan(bom.growth) & bom.states_mass & (bom.bodies.mass != 0)
    if not unknown.any():
        return rolled
    if (bom.bodies.mass[unknown] < 0).any():  # the more these grow, the less is left: nothing is a bound
        none = np.zeros(len(bom), bool)
        return replace(rolled, coverage=replace(rolled.coverage, mass_is_bound=none, moments_are_bounds=none))
    least = bodies_with_growth(bom.bodies, np.nan_to_num(bom.growth))
    return replace(roll_up(replace(inputs, bodies=least), method="none"), coverage=rolled.coverage)


def bodies_with_growth(bodies: Bodies, growth: _Floats) -> Bodies:
    """Multiply masses and tensors by 1 + growth (n,) (docs/formulas.md, section 10); NaN makes a mass unknown."""
    known = ~np.isnan(growth)
    share = np.where(known, growth, 0.0)
    mass = np.where(known, bodies.mass + bodies.mass * share, 0.0)  # 12.5 + 1.25, not 12.5 × 1.1 and its rounding
    has_mass = known if bodies.has_mass is None else bodies.has_mass & known
    inertia = None if bodies.inertia is None else bodies.inertia + bodies.inertia * share[:, None]
    return replace(bodies, mass=mass, inertia=inertia, has_mass=has_mass)


def read_growth(items: ItemRows, marks: ItemFlags, options: TableOptions, findings: Findings) -> _Floats | None:
    """Read growth (n,) as a share of mass, from a column or a growth table (docs/formulas.md, section 10)."""
    # NaN if unknown, as stated for assemblies; None without a column or table; UsageError for an invalid table
    named = items.columns.by_quantity
    column, as_mass = named.get("mga"), next((name for name in GROWTH_MASSES if name in named), None)
    if column is None and as_mass is None and not options.growth_table:
        return None
    weighed = _weighed_items(items, options)
    percent = np.full(len(items.rows), np.nan)
    if column is not None:
        percent = _read_growth_percents(items, column, marks, weighed, findings)
        blank = np.array([not is_filled_text(text) for text in items.texts(column.index)])
        for name in (name for name in GROWTH_MASSES if name in named and "mass" in named and blank.any()):
            shares = _growth_mass_shares(items, name, marks, options)
            filled = blank & marks.counts & np.isnan(percent) & (shares >= 0)
            percent[filled] = 100 * shares[filled]
            words = f"blank {column.header} computed from {named[name].header}"
            item_rows.report_column_once(items, ItemFault("MP280", column), filled, words, findings)
        if as_mass is not None and "mass" in named:
            _check_growth_masses(items, as_mass, percent / 100, marks, options, findings)
    elif as_mass is not None:
        for name in filter(named.__contains__, GROWTH_MASSES):
            percent = np.where(np.isnan(percent), 100 * _growth_mass_shares(items, name, marks, options), percent)
        if "mass" in named:
            _check_positive_growth(items, as_mass, percent / 100, marks.counts & ~weighed, findings)
        _report_weighed_growth(items, named[as_mass], (percent > 0) & weighed & marks.goes_up, findings)
    if options.growth_table:
        needs = marks.counts & ~weighed & np.isnan(percent)
        _fill_growth_from_table(items, needs, options, percent, findings)
    percent[weighed] = 0.0
    return percent / 100


def _weighed_items(items: ItemRows, options: TableOptions) -> _Mask:
    """Find the weighed items ``(n,)``: by the column of that name, or by their ``method``."""
    named = items.columns.by_quantity
    result = np.zeros(len(items.rows), bool)
    if "weighed" in named:
        result |= read_truth_values(items.texts(named["weighed"].index)).values
    if "method" in named:
        words = method_spellings(options.sigma_percent)
        result |= [words.get(squeeze_text(text)) == "weighed" for text in items.texts(named["method"].index)]
    return result


def _growth_mass_shares(items: ItemRows, name: str, marks: ItemFlags, options: TableOptions) -> _Floats:
    """Convert growth stated as a mass, or included in one, to a share of the basic mass ``(n,)``; NaN if unknown."""
    # ``name`` is one of GROWTH_MASSES: both masses are converted to one piece, or to all pieces of the row
    stated, basic = _read_mass_column(items, name), _read_mass_column(items, "mass")
    count = np.where(marks.quantity.count == 0, 1.0, np.abs(marks.quantity.count))
    if name.startswith("line_") and options.mass_is != "line":
        basic = basic * count
    elif not name.startswith("line_") and options.mass_is == "line":
        basic = basic / count
    alone = np.isnan(basic) & marks.counts  # a predicted mass without a basic one has no growth
    growth = np.where(alone, 0.0 * stated, stated - basic) if name.endswith("with_growth") else stated
    return np.divide(growth, basic, out=np.where(growth == 0, 0.0, np.nan), where=(basic != 0) & np.isfinite(basic))


def _check_positive_growth(items: ItemRows, name: str, share: _Floats, which: _Mask, findings: Findings) -> None:
    """Report masses of growth, or with it, that make some shares (n,) negative by more than the rounding of cells."""
    column, mass = (items.columns.by_quantity[one] for one in (name, "mass"))
    messages, basic = dict[int, str](), _read_mass_column(items, "mass")
    for i in np.flatnonzero(which & (share < 0)).tolist():
        row = int(items.rows[i])
        cell, own = (items.table.text(row, one.index).strip() for one in (column, mass))
        rounding = half_unit_of_cell(cell, column.rules) * column.size(row)
        rounding += half_unit_of_cell(own, mass.rules) * mass.size(row) if name.endswith("with_growth") else 0.0
        if -share[i] * abs(basic[i]) > rounding * (1 - _SUMMATION_TOLERANCE):
            messages[i] = f"growth of {items.ids[i]} is negative: {column.header} {cell} ({mass.header} {own})"
    item_rows.report_item_faults(items, ItemFault("MP622", column, _NOT_NEGATIVE), messages, findings)


def _check_growth_masses(
    items: ItemRows, name: str, share: _Floats, marks: ItemFlags, options: TableOptions, findings: Findings
) -> None:
    """Report masses of growth, or with it, that differ from the stated shares (n,) by more than rounding."""
    column, stated = items.columns.by_quantity[name], _growth_mass_shares(items, name, marks, options)
    basic, messages = np.abs(_read_mass_column(items, "mass")), dict[int, str]()
    tested = int((marks.counts & np.isfinite(stated - share)).sum())
    for i in np.flatnonzero(marks.counts & (np.abs(stated - share) > _ROUNDED_SHARE)).tolist():
        row = int(items.rows[i])
        cell = items.table.text(row, column.index).strip()
        if abs(stated[i] - share[i]) * basic[i] > 1.5 * half_unit_of_cell(cell, column.rules) * column.size(row):
            percent = f"{100 * share[i]:.4g} %"
            messages[i] = f"{column.header} of {items.ids[i]} differs from mass with a growth of {percent}: {cell}"
    are_many = tested > 1 and 2 * len(messages) >= tested  # two different growths, not a mistake in a row
    if are_many and not name.endswith("with_growth"):
        percents = items.columns.by_quantity["mga"].header
        ignored = " or ".join(f"--ignore-column {shlex.quote(one)}" for one in (column.header, percents))
        remedy = f"select one with {ignored}; growth that is added to it needs a column of both"
        place = items.table.place(items.columns.header_row, column.index, column.header)
        findings.report("MP202", f"{percents} and {column.header} are different growths", place, remedy=remedy)
        return
    item_rows.report_item_faults(items, ItemFault("MP414", column), messages, findings)


def _read_mass_column(items: ItemRows, name: str) -> _Floats:
    """Read a column of masses of every item ``(n,)``, in coherent units; NaN without a number."""
    column = items.columns.by_quantity[name]
    return items.values(column, items.parsed(column))


def _read_growth_percents(
    items: ItemRows, column: QuantityColumn, marks: ItemFlags, weighed: _Mask, findings: Findings
) -> _Floats:
    """Read the column ``mga`` ``(n,)`` in percent, NaN for a blank or unusable cell."""
    table, first = items.table, items.columns.first_row
    header = "" if column.unit == "1" else column.header  # a mass with growth shows that 0.1 below % is 10 %
    parsed, bare = read_percent_column(table, column.index, header, first, column.rules)
    percent, is_bare = items.gather(parsed.values, np.nan), items.gather(bare, False)
    is_bad = items.mask_at(parsed.bad)
    wanted = marks.counts & ~weighed
    if np.isnan(percent[wanted]).all():  # that of the assemblies is that of their parts
        wanted = ~weighed

    def wrong(i: int) -> str:
        text = table.text(int(items.rows[i]), column.index).strip()
        return f"{column.header} of {items.ids[i]} is not a percentage of 0 or more: {text}"

    item_rows.report_cell_readings(items, column, parsed, findings)
    factors = percent[is_bare & wanted] if is_heading_of_kind("factor", column.header) else np.zeros(0)
    are_factors = len(factors) > 0 and bool(factors.min() >= 1 and factors.max() < _LEAST_PERCENT)  # 1 plus a share
    if are_factors or column.unit == "1":  # 1.1 or 0.1 for 10 %
        percent = np.where(is_bare, np.round(100 * percent - 100 * are_factors, 10), percent)
        is_bare = np.zeros(len(percent), bool)
    n_before = len(findings)
    item_rows.report_items(items, ItemFault("MP622", column), is_bad & wanted, wrong, findings)
    _check_clear_percents(items, column, percent, is_bare & wanted, findings)
    # warn of a column in percent, without a sign in its cells, that looks like one of shares or of factors
    which = items.in_file_order(wanted & ~is_bare & (percent > 0))
    values, signs = percent[which], percent_rows(items.table, column.index, items.columns.first_row)
    texts = [items.table.text(int(row), column.index) for row in items.rows[which]]
    is_small = (values < 1).all() or ((values > 1) & (values < _LEAST_PERCENT)).all()
    if len(which) > 1 and is_small and not any(signs) and not any("%" in text for text in texts):
        words = f"every number of {column.header} is read as percent, and none exceeds {_LEAST_PERCENT}: {texts[0]}"
        fault = ItemFault("MP622", column, "write percentages, such as 20 for 20 %", Severity.WARNING)
        item_rows.report_column_once(items, fault, which, words, findings)
    if len(findings) > n_before:
        percent = np.where(is_bad | is_bare, np.nan, percent)
    _report_weighed_growth(items, column, (percent > 0) & weighed & marks.goes_up, findings)
    return percent


def _report_weighed_growth(items: ItemRows, column: QuantityColumn, where: _Mask, findings: Findings) -> None:
    """Report growth that is stated for weighed items."""
    words = "growth of a weighed item is not used (it is 0)"
    item_rows.report_column_once(items, ItemFault("MP623", column), where, words, findings)


def _check_clear_percents(
    items: ItemRows, column: QuantityColumn, percent: _Floats, bare: _Mask, findings: Findings
) -> None:
    """Reject numbers without a percent sign that may be shares or factors: 0.15 may be 15 %, and so may 1.15."""
    which = items.in_file_order(bare & (percent > 0))
    least, most = (float(end(percent[which])) if len(which) else 0.0 for end in (np.min, np.max))
    number, other = percent[which[0]] if len(which) else 0.0, 100.0
    if most <= 1:
        why = "no cell exceeds 1"
    elif most < _LEAST_PERCENT and (percent[which] % 1 > 0).any():
        why, other = f"no cell exceeds {_LEAST_PERCENT}: a factor", 100 * (number - 1) / number
    elif 100 * least <= _MIXED_RATIO * most:  # 0.15 next to 20, but not 0.5 next to 20
        number, why = least, f"others are up to {most:g}"
    elif is_heading_of_kind("factor", column.header) and 1 < least < _LEAST_PERCENT:
        number, why, other = least, f"others are up to {most:g}", 100 * (least - 1) / least
    else:
        return
    message = f"{column.header} is ambiguous: {number:g} ({number:g} % or {other * number:g} %; {why})"
    fault = ItemFault("MP622", column, "write % in the header or in the cells")
    item_rows.report_items(items, fault, which[:1], lambda _: message, findings)


def _fill_growth_from_table(
    items: ItemRows, needs: _Mask, options: TableOptions, percent: _Floats, findings: Findings
) -> None:
    """Fill ``percent (n,)`` from the growth table for the items that ``needs`` marks."""
    table = _read_growth_table(options.growth_table)
    named = items.columns.by_quantity
    for quantity in ("maturity", *(["category"] if table.needs_category else [])):
        if quantity not in named:
            raise UsageError(
                f"column required by growth table {table.name} is missing: {quantity} (name it with --map)"
            )
    maturities = items.texts(named["maturity"].index)
    categories = items.texts(named["category"].index) if table.needs_category else [""] * len(items.rows)

    @cache
    def growth_of(category: str, maturity: str) -> float | _NotInTableError:
        try:
            return table.of(category, maturity)
        except _NotInTableError as error:
            return error

    faults: dict[str, dict[int, str]] = {"maturity": {}, "category": {}}
    for i in np.flatnonzero(needs).tolist():
        if maturity := maturities[i].strip():
            if isinstance((found := growth_of(categories[i].strip(), maturity)), _NotInTableError):
                faults[found.column][i] = f"{found.column} of {items.ids[i]} {found.fault}"
            else:
                percent[i] = found
    for quantity, of in faults.items():
        if of:
            item_rows.report_item_faults(items, ItemFault("MP620", named[quantity]), of, findings)


def with_assembly_growth(bom: Bom) -> Bom:
    """Use growth stated at assemblies for their parts that state none, and compare it with that of the others."""
    if bom.growth is None:
        return bom
    items, findings = bom.item_rows, Findings()
    named, own = bom.columns.by_quantity, bom.ends
    column = next(named[name] for name in ("mga", *GROWTH_MASSES, "maturity") if name in named)
    counts = own & (item_rows.occurrence_counts(bom) != 0)
    basic = bom.tree.subtree_sums(np.where(counts, bom.bodies.mass, 0.0), bom.quantity.count)
    stated = np.where(own, np.nan, _stated_shares(bom, items, column, basic))
    growth = np.where(own, bom.growth, np.nan)
    known = bom.tree.subtree_sums((counts & np.isfinite(growth)).astype(float)) > 0
    below = (stated < 0) & (-stated > _share_rounding(bom, column, stated < 0, basic))
    used = (stated > 0) | ((stated == 0) & ~known) | (below & known)
    texts = {i: items.table.text(int(items.rows[i]), column.index).strip() for i in np.flatnonzero(below).tolist()}
    of = {i: f"growth of {bom.ids[i]} is negative: {column.header} {text}" for i, text in texts.items() if not known[i]}
    item_rows.report_item_faults(items, ItemFault("MP622", column, _NOT_NEGATIVE), of, findings)
    over = _nearest_marked(bom, used)
    filled = counts & np.isnan(growth) & (over >= 0)
    growth[filled] = stated[over[filled]]
    weighted = np.where(counts, bom.bodies.mass * np.where(counts, growth, 0.0), 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        computed = bom.tree.subtree_sums(weighted, bom.quantity.count) / basic
        off = used & known & (np.abs(computed - stated) > _share_rounding(bom, column, used & known, basic))
    compared = off if bom.options.assembly_values != "ignore" else np.zeros(len(off), bool)
    differing = {i: (basic[i], stated[i], computed[i]) for i in np.flatnonzero(compared).tolist()}
    messages = {i: _differing_growth_text(bom, column, i, three) for i, three in differing.items()}
    growth[filled & np.isin(over, np.flatnonzero(off & compared))] = np.nan
    remedy = "clear its cell, or those of its parts, whichever is wrong; a system margin is a row of its own"
    item_rows.report_item_faults(items, ItemFault("MP627", column, remedy), messages, findings)
    words = "growth of an assembly is not used (it is computed from the parts)"
    fault = ItemFault("MP623", column)
    item_rows.report_column_once(items, fault, (stated > 0) & known & ~compared, words, findings)
    words = f"blank {column.header} read as that of the assembly"
    item_rows.report_column_once(items, ItemFault("MP280", column), filled, words, findings)
    if not any(finding.rule in ("MP620", "MP622", "MP627") for finding in (*bom.findings, *findings)):
        item_rows.report_blank_items(items, ItemFault("MP621", column), np.isnan(growth), counts, "growth", findings)
    return replace(bom, growth=growth).with_findings(findings)


def _stated_shares(bom: Bom, items: ItemRows, column: QuantityColumn, basic: _Floats) -> _Floats:
    """Return the growth of all rows as a share (n,), of the computed mass where an assembly states none."""
    shares = np.asarray(bom.growth).copy()
    if column.quantity not in GROWTH_MASSES:
        return shares
    whole = basic * (np.abs(bom.quantity.count) if column.quantity.startswith("line_") else 1.0)
    growth = _read_mass_column(items, column.quantity) - (whole if column.quantity.endswith("with_growth") else 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.isnan(shares) & (whole != 0), growth / whole, shares)


def _nearest_marked(bom: Bom, marked: _Mask) -> NDArray[np.intp]:
    """Return the nearest marked item above every item, or itself (n,); −1 for none."""
    over = np.where(marked, np.arange(len(marked)), -1)
    for items, above in bom.tree.levels_below_root() if marked.any() else ():
        over[items] = np.where(marked[items], items, over[above])
    return over


def _share_rounding(bom: Bom, column: QuantityColumn, which: _Mask, basic: _Floats) -> _Floats:
    """Return half a unit of the last digit of the growth of some assemblies, as a share (n,); 0 for the others."""
    halves = np.full(len(which), _SUMMATION_TOLERANCE)
    percents = set(percent_rows(bom.table, column.index, bom.columns.first_row))
    for i in np.flatnonzero(which).tolist():
        row = int(bom.rows[i])
        half = half_unit_of_cell(bom.table.text(row, column.index), column.rules)
        if column.quantity in GROWTH_MASSES:
            halves[i] += _ROUNDED_SHARE + half * column.size(row) / abs(basic[i])
        else:
            halves[i] += half / (1.0 if row in percents else 100.0)
    return halves


def _differing_growth_text(bom: Bom, column: QuantityColumn, i: int, numbers: tuple[float, float, float]) -> str:
    """Describe growth of an assembly that is not that of its parts, with both predicted masses."""
    basic, stated, computed = numbers
    mass = bom.columns.by_quantity["mass"]
    one, two = (f"{basic * (1 + share) / mass.factor:.6g} {mass.unit}".strip() for share in (stated, computed))
    return (
        f"{column.header} of {bom.ids[i]} is {100 * stated:.4g} % and that of its parts {100 * computed:.4g} %: "
        f"predicted mass {one} or {two}"
    )
