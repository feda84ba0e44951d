"""Columns of sigmas, solids and meshes: what their headings state; words of ``method`` and ``dist``; growth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import AddedColumn, Mask, Table, TableEdit
from massprops_cli.findings.finding import Finding, Findings, Place, Severity, TableError, rule_finding
from massprops_cli.tables.cells.cell_words import text_codes
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS,
    DEFAULT_CELL_RULES,
    CellRules,
    split_cell_text,
    words,
)
from massprops_cli.tables.cells.numbers import NumberCell, ParsedColumn, read_number_cells
from massprops_cli.tables.cells.units import MASS, read_unit, unit_of_dimension
from massprops_cli.tables.columns.cell_parts import ShownColumns
from massprops_cli.tables.columns.header import HeaderRow, read_header
from massprops_cli.tables.columns.headings import is_percent_unit, squeeze_text
from massprops_cli.tables.options import (
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    POSE_LENGTHS,
    POSE_SIGMAS,
    SIGMA_QUANTITIES,
    SOLID_QUANTITIES,
    TableOptions,
    base_quantity,
)

_BLANK_CODE, UNKNOWN_CODE = -1, -2  # codes of empty cells and of unknown words


def method_percentages(own: Mapping[str, float]) -> dict[str, float]:
    """Combine the percentages of method words: the shipped ones, replaced by the user's, in any spelling."""
    percent: dict[str, float] = words("uncertainty")["sigma-percent"]
    known = _canonical_spellings(percent, words("uncertainty")["method"])
    return {**percent, **{known.get(squeeze_text(word), word): value for word, value in own.items()}}


def method_spellings(own: Mapping[str, float]) -> dict[str, str]:
    """Map every spelling of a method to its canonical word."""
    return _canonical_spellings(method_percentages(own), words("uncertainty")["method"])


def distribution_spellings() -> dict[str, str]:
    """Map every spelling of a distribution to its canonical word."""
    known = words("uncertainty")["distribution"]
    return _canonical_spellings(known, known)


def _canonical_spellings(canonical: Mapping[str, Any], others: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return squeezed text → canonical word; a word of its own comes before another's synonym."""
    known = {squeeze_text(other): word for word, texts in others.items() for other in texts}
    return known | {squeeze_text(word): word for word in canonical}


def word_codes(texts: Sequence[str], known: Mapping[str, str], canonical: Sequence[str]) -> NDArray[np.int8]:
    """Map texts (n,) to the places (n,) of their canonical words: -1 for a blank, -2 for an unknown word."""
    place = {word: k for k, word in enumerate(canonical)}

    def code(text: str) -> int:
        if not text.strip(BLANK_CHARACTERS):
            return _BLANK_CODE
        return place.get(known.get(squeeze_text(text), ""), UNKNOWN_CODE)

    return text_codes(texts, code)


def _is_mostly_known(texts: Sequence[str], known: Mapping[str, str]) -> bool:
    """Return whether at least half of the filled cells are known words, and at least one is."""
    codes = word_codes(texts, known, list(dict.fromkeys(known.values())))
    return 0 < int((codes >= 0).sum()) >= int((codes == UNKNOWN_CODE).sum())


_MASS_PROPERTY_QUANTITIES = NUMBER_QUANTITIES[:10]


class SigmaForm(NamedTuple):
    """How a sigma column is written: each number is ``level`` standard deviations; ``percent`` of its value.

    ``scale`` makes percentages of numbers: 100 where a worksheet shows 0.05 as 5 %.
    """

    level: float = 1.0
    percent: bool = False
    scale: float = 1.0


def exclude_word_columns(header: HeaderRow, first_row: int, options: TableOptions) -> list[Finding]:
    """Leave out a column ``method`` or ``dist``, except exactly ``dist``, whose cells are other words."""
    findings = Findings()
    for quantity, known in (("method", method_spellings(options.sigma_percent)), ("dist", distribution_spellings())):
        column = header.columns.get(quantity)
        if column is None or header.name(quantity) == quantity == "dist" or quantity in options.map:
            continue
        texts = header.table.texts(column, first_row)
        if _is_mostly_known(texts, known):
            continue
        if any(text.strip() for text in texts):
            words = ", ".join(dict.fromkeys(known.values()))
            message = f"{header.name(quantity)} is not read: most cells are unknown words ({words} expected)"
            findings.report("MP225", message, header.place_of(quantity))
        del header.columns[quantity]
    return findings


def exclude_bound_columns(header: HeaderRow) -> list[Finding]:
    """Leave out columns of incomplete bounds: the least without the greatest, or both without the value."""
    findings = Findings()
    for name in _MASS_PROPERTY_QUANTITIES:
        pair = f"{name}_min", f"{name}_max"
        there = [q for q in (pair[0], f"{name}_likely", pair[1]) if q in header.columns]
        if not there or (name in header.columns and all(q in header.columns for q in pair)):
            continue
        lacking = next(q for q in (name, *pair) if q not in header.columns)
        message = f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} not read: column {lacking} missing"
        findings.report("MP225", message, header.place_of(there[0]))
        for quantity in there:
            del header.columns[quantity]
    return findings


def sigma_forms(
    header: HeaderRow, first_row: int, percent: set[str], options: TableOptions, findings: Findings
) -> dict[str, SigmaForm]:
    """Find the form of every sigma column; report those that are not plain standard deviations or are ambiguous."""
    result: dict[str, SigmaForm] = {}
    notes: dict[SigmaForm, list[str]] = {}
    for quantity in (*SIGMA_QUANTITIES, *POSE_SIGMAS):
        if quantity not in header.columns:
            continue
        levels, column = header.levels.get(quantity, ()), header.columns[quantity]
        if fault := _sigma_level_ambiguity(header.name(quantity), levels, options):
            findings.report("MP506", fault, header.place_of(quantity))
        level = float(next(iter(levels), 0.0) or options.sigma_level)
        rows = percent_rows(header.table, column, first_row)
        shown = bool(rows) and len(rows) == int(header.table.is_typed(column, first_row).sum())
        result[quantity] = form = SigmaForm(level, quantity in percent or shown, 100.0 if shown else 1.0)
        if form != SigmaForm() and base_quantity(quantity) in _MASS_PROPERTY_QUANTITIES:
            notes.setdefault(form, []).append(quantity)
    for form, quantities in notes.items():
        message = f"{', '.join(quantities)}: sigmas converted from {_sigma_form_text(form)}"
        findings.report("MP505", message, header.place_of(quantities[0]), count=len(quantities))
    return result


def percent_rows(table: Table, column: int, first_row: int) -> list[int]:
    """List the rows in which a worksheet shows a column's numbers in percent, 0.05 as 5 %."""
    formats = table.sheet_info.number_formats if table.sheet_info is not None else {}
    return sorted(row for (row, at), code in formats.items() if at == column and row >= first_row and "%" in code)


def _sigma_level_ambiguity(name: str, levels: tuple[float, ...], options: TableOptions) -> str:
    """Describe the ambiguity of the level in a header; empty without one."""
    if len(set(levels)) > 1:
        return f"{name} states two numbers of standard deviations: {levels[0]:g} and {levels[1]:g}"
    if levels == (0.0,) and options.sigma_level == 1:
        return f"{name} is an expanded uncertainty without a coverage factor k"
    if levels and levels[0] < 0.1 and levels != (0.0,):
        return f"{name} states {levels[0]:g} standard deviations"
    return ""


def _sigma_form_text(form: SigmaForm) -> str:
    """Describe the form in which the numbers of a column are read."""
    of = "percent of the value" if form.percent else ""
    several = f"{form.level:g} standard deviations" if form.level != 1 else ""
    return f"{several} in {of}" if of and several else of or several


def check_sigma_columns(header: HeaderRow, *, is_strict: bool) -> list[Finding]:
    """Report missing sigmas once one is stated, by a sigma, bounds or a method, and sigmas without values."""
    severity = Severity.ERROR if is_strict else None
    sigmas = [name for name in _MASS_PROPERTY_QUANTITIES if f"sigma_{name}" in header.columns]
    bounds = [name for name in _MASS_PROPERTY_QUANTITIES if f"{name}_min" in header.columns]
    by_method = "method" in header.columns and "mass" in header.columns
    if not sigmas and not bounds and not by_method:
        return []
    stated = {*sigmas, *bounds}
    missing = [name for name in _MASS_PROPERTY_QUANTITIES if name in header.columns and name not in stated]
    findings = Findings()
    if by_method:
        center = [name for name in CENTER_COLUMNS if name in missing]
        missing = center if len(center) < len(CENTER_COLUMNS) else []
        if center and not missing:
            message = "sigmas of the centres of mass read as 0: methods give sigmas of masses and tensors only"
            findings.report("MP513", message, header.place_of("method"))
    spot = header.place_of(f"sigma_{sigmas[0]}" if sigmas else f"{bounds[0]}_min" if bounds else "method")
    if missing:
        names = ", ".join(f"sigma_{name}" for name in missing)
        message = f"sigma columns missing: {names} (results that depend on them have no sigma)"
        findings.report("MP504", message, spot, severity=severity)
    if without := [f"sigma_{name}" for name in sigmas if name not in header.columns]:
        message = f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no column of nominal values"
        findings.report("MP504", message, spot, severity=severity)
    return findings


_BLANK_CELL = NumberCell(None, blank=True)
_REMARK = r"[\[({]([^\[\](){}]*)[\])}]\s*"  # growth (kg)


def read_percent_column(
    table: Table, column: int, header: str, first_row: int, rules: CellRules = DEFAULT_CELL_RULES
) -> tuple[ParsedColumn, Mask]:
    """Read percentages (n,), 15 % in a worksheet is 15, and which are not marked as such; negative ones are bad."""
    texts = table.texts(column, first_row)
    place = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    at = np.fromiter(map(place.__getitem__, texts), np.intp, len(texts))
    cells, signs = _read_percent_cells(list(place), rules)
    values = np.array([np.nan if cell.value is None else cell.value for cell in cells])[at]
    blank, signed = np.array([cell.blank for cell in cells], bool)[at], np.array(signs, bool)[at]
    shown = [row - first_row for row in percent_rows(table, column, first_row)]
    values[shown] *= np.where(signed[shown], 1.0, 100.0)
    signed[shown] = True
    bad = ~blank & ~(values >= 0)
    values[bad] = np.nan
    rows_of = {rule: np.array([rule in cell.rules for cell in cells])[at] for cell in cells for rule in cell.rules}
    rule_rows = {rule: np.flatnonzero(where & ~bad) for rule, where in sorted(rows_of.items())}
    bare = np.zeros(len(texts), bool) if _is_percent_header(header) else ~blank & ~bad & ~signed
    return ParsedColumn(values, blank, np.flatnonzero(bad), rule_rows), bare


def _read_percent_cells(texts: Sequence[str], rules: CellRules) -> tuple[list[NumberCell], list[bool]]:
    """Parse the texts of one column together: numbers, and whether each has a percent sign after it."""
    bare = [text.strip(BLANK_CHARACTERS) for text in texts]
    signs = [text.endswith(("%", "％")) for text in bare]
    numbers = [text.rstrip("%％" + BLANK_CHARACTERS) if sign else text for text, sign in zip(bare, signs, strict=True)]
    read = iter(read_number_cells([text for text in numbers if text], rules))
    return [next(read) if text else _BLANK_CELL for text in numbers], signs


def _is_percent_header(header: str) -> bool:
    """Return whether a header states that its numbers are percentages."""
    return "%" in header or any(is_percent_unit(word) for word in re.split(r"[\s_/,:;()\[\]{}]+", header) if word)


def exclude_growth_column(header: HeaderRow, first_row: int, options: TableOptions) -> list[Finding]:
    """Leave out a column ``mga`` that is in another unit, or most of whose cells are not numbers."""
    if "mga" not in header.columns or "mga" in options.map:
        return []
    name, column, place = header.name("mga"), header.columns["mga"], header.place_of("mga")
    remark = re.search(_REMARK, name)
    if remark is not None and read_unit(remark[1]) is not None and not _is_percent_header(name):
        why = f"its unit is {remark[1].strip()} (growth is in percent)"
    else:
        parsed, _ = read_percent_column(header.table, column, name, first_row, CellRules(options.decimal))
        if 2 * len(parsed.bad) <= int((~parsed.blank).sum()):
            return []
        why = "most cells are not percentages"
        texts = [text for text in header.table.texts(column, first_row) if text.strip()]
        units = {split_cell_text(text).unit.strip() for text in texts} - {""}
        if "growth_mass" not in header.columns and units and all(unit_of_dimension(unit, MASS) for unit in units):
            header.columns["growth_mass"] = header.columns.pop("mga")  # 1.2 kg
            return []
    del header.columns["mga"]
    return [rule_finding("MP225", f"{name} is not read: {why}", place)]


_SIGN = "POIconv"
_UNIT = r"\d\.?\s*(?![eE][+-]?\d)[A-Za-zµ]"  # a unit behind a number


def with_solid_columns(table: Table, header_row: int, options: TableOptions) -> Table:
    """Show the columns that results of shapes or meshes need; the table itself if it lacks none, or has no solids."""
    if not any(
        word in text.lower() for text in (*table.row(header_row), *options.map) for word in ("shape", "mesh", "robot")
    ):
        return table
    try:
        header = read_header(table, options.map, Findings(), frozen=options.frozen, ignore=options.ignore_columns)
    except TableError:  # which is raised again where it is collected
        return table
    known = {quantity: header.units.get(quantity, "") for quantity in header.columns}
    if not ({"shape", "dims"} <= known.keys() or {"mesh", "robot"} & known.keys()):
        return table
    has_center, has_tensor = bool(known.keys() & set(CENTER_COLUMNS)), bool(known.keys() & set(INERTIA_COLUMNS))
    if "mass" in known and not has_center and _has_other_masses(header):
        return table
    has_units = _has_units(header)
    mass = _unit_of(known, ("mass",), "kg" if has_units else "", "mass" in options.unit)
    length = _unit_of(known, (*CENTER_COLUMNS, *POSE_LENGTHS), "m" if has_units else "", "length" in options.unit)
    if mass is None or length is None:
        return table
    names = [] if "mass" in known else [_header("mass", mass)]
    names += [] if has_center else [_header(name, length) for name in CENTER_COLUMNS]
    if not has_tensor:
        names += [_header(name, f"{mass}*{length}^2" if mass and length else "") for name in INERTIA_COLUMNS]
        names += [] if _SIGN in known else [_SIGN]
    return WiderTable(table, header_row, names) if names else table


def _has_other_masses(header: HeaderRow) -> bool:
    """Return whether a row without a shape or a mesh states a mass, so that the table may be one of masses alone."""
    of_solids = [header.columns[name] for name in ("shape", "mesh", "robot") if name in header.columns]
    *solids, masses = (header.table.texts(j, header.row + 1) for j in (*of_solids, header.columns["mass"]))
    return any(mass.strip() and not "".join(texts).strip() for *texts, mass in zip(*solids, masses, strict=True))


def _has_units(header: HeaderRow) -> bool:
    """Return whether dimensions, densities or columns state a unit; a table without any is read as coherent."""
    columns = [header.columns[name] for name in SOLID_QUANTITIES if name in header.columns]
    measured = (*CENTER_COLUMNS, *POSE_LENGTHS, *SOLID_QUANTITIES, "mass")
    if any(map(header.units.get, measured)) or header.columns.keys() & {"material", "mesh", "robot"}:
        return True
    if any(bracket in header.texts[j] for j in columns for bracket in "[("):
        return True
    return any(re.search(_UNIT, text) for j in columns for text in header.table.texts(j, header.row + 1))


def _unit_of(known: Mapping[str, str], names: Sequence[str], otherwise: str, is_stated: bool) -> str | None:
    """Return the unit of columns: empty if an option or nothing states it, None if one of them only has none."""
    units = [known[name] for name in names if name in known]
    if is_stated or not (otherwise or any(units)):
        return ""
    return None if not all(units) else next(iter(units), otherwise)


def _header(name: str, unit: str) -> str:
    """Write the header of an added column, with its unit."""
    return f"{name} [{unit}]" if unit else name


class WiderTable(ShownColumns):
    """A table with blank columns of results to the right of its own; their signs of products are tensor entries."""

    def __init__(self, table: Table, header_row: int, names: Sequence[str]) -> None:
        super().__init__(table)
        self.header_row, self.names, self.first = header_row, tuple(names), table.n_columns
        self.n_columns = table.n_columns + len(names)
        self.shown = dict.fromkeys(range(self.first, self.n_columns), -1)

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Find the address of a cell; that of an added column is its row's."""
        return super().place(i, j, column) if j is None or j < self.first else super().place(i)

    def edit_of_base(self, filling: TableEdit) -> TableEdit:
        """Add the columns that the table below lacks, with the signs of products in the rows that have them."""
        own = tuple(fill for fill in filling.fills if fill.column < self.first)
        names = dict(enumerate(self.names, self.first)) | filling.renames
        added = [AddedColumn(names[j], rows, values) for j, rows, values in filling.fills if j >= self.first]
        if _SIGN in self.names and _SIGN not in {one.name for one in added}:
            added += [
                AddedColumn(_SIGN, one.rows, ["-"] * len(one.rows)) for one in added if one.name.startswith("Iyz")
            ]
        renames = {j: text for j, text in filling.renames.items() if j < self.first}
        return replace(filling, fills=own, added=(*added, *filling.added), renames=renames)

    def _show(self, i: int, j: int, text: str) -> str:
        """Return the text of an added column in a row."""
        name = self.names[j - self.first]
        if i == self.header_row:
            return name
        return "-" if name == _SIGN and i > self.header_row else text
