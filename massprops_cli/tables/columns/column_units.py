"""Where units are stated: in the header, in a row or column of units, by ``--unit``; whether they agree; factors."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Floats, Mask, Rows
from massprops_cli.findings.finding import Finding, Findings, nearest_name_hint
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS,
    is_number,
    is_piece_unit,
    split_cell_text,
    split_unit_ratio,
)
from massprops_cli.tables.cells.numbers import sample_row_texts, shared_cell_unit
from massprops_cli.tables.cells.units import (
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    MASS_UNITS,
    StatedUnit,
    Units,
    UnitSystem,
    ambiguous_unit,
    choose_unit_system,
    coherent_mass_unit,
    coherent_system,
    has_mixed_systems,
    likely_unit,
    mass_unit_of_weight,
    parse_unit_system,
    quantity_dimension,
    read_unit,
    strip_unit_brackets,
    unit_of_dimension,
    unit_without_direction,
)
from massprops_cli.tables.columns.header import HeaderRow
from massprops_cli.tables.columns.headings import (
    IDENTIFYING_QUANTITIES,
    angle_unit,
    has_decimal_comma_language,
    is_percent_unit,
    is_unit_of,
)
from massprops_cli.tables.options import (
    ANGLE_QUANTITIES,
    CENTER_COLUMNS,
    INERTIA_COLUMNS,
    NUMBER_QUANTITIES,
    POSE_LENGTHS,
    POSE_QUANTITIES,
    QUANTITIES as ALL,
    RADII_COLUMNS,
    UNIT_COLUMNS,
    TableOptions,
    base_quantity,
)

UNIT_GROUPS: dict[str, tuple[str, ...]] = {
    "length": (*CENTER_COLUMNS, *RADII_COLUMNS, *POSE_LENGTHS),
    "center": CENTER_COLUMNS,
    "inertia": INERTIA_COLUMNS,
}
"""Groups of quantities that ``--unit`` accepts in addition to single columns, the widest first."""
_ANGLE_NAMES = frozenset(("angle", *ANGLE_QUANTITIES))  # quantities of angles; ``angle`` names all of them

_NO_UNIT_TEXTS = ("", "-", "--", "–", "—", "[-]", "(-)", "n/a", "N/A", "none", "1")
_UNITS_ROW_LABELS = ("unit", "units", "[unit]", "[units]", "einheit", "einheiten", "(units)", "units:", "unit:")
_EXAMPLE_UNITS = {"mass": "kg", "Cx": "mm", "Ixx": "kg*mm^2"}

_Stated = dict[str, StatedUnit]
_Texts = Iterable[tuple[str, int]]  # units as stated, each with its row
_UnitFault = tuple[str, str, str | None]  # a rule, a message, and a remedy where it is not the rule's own


@dataclass(slots=True, eq=False, repr=False)
class ColumnUnits:
    """The units that a table and its options state."""

    of: dict[str, StatedUnit] = field(default_factory=dict)  # quantity → unit
    rejected: set[str] = field(default_factory=set)  # quantities with a reported text that is not a unit of theirs
    percent: set[str] = field(default_factory=set)  # sigmas in percent of their values, which need no unit
    in_cells: set[str] = field(default_factory=set)  # quantities whose every cell states its unit
    row_texts: dict[int, str] | None = None  # column → text of the units row, if any


def _read_units_row(header: HeaderRow) -> dict[int, str] | None:
    """Read the row below the header as a row of units; None where it is a row of data."""
    # It is one when no number column holds a number, one at least holds a fitting unit, and the columns that
    # identify the item are blank, a dash or the word for units.
    if (row := header.row + 1) >= header.table.n_rows:
        return None
    texts = [text.strip() for text in header.table.row(row)]
    fits = False
    for quantity, column in header.columns.items():
        text = texts[column]
        if (dimension := quantity_dimension(quantity)) is None:
            is_other = text not in _NO_UNIT_TEXTS and text.lower() not in _UNITS_ROW_LABELS
            if is_other and quantity in IDENTIFYING_QUANTITIES:
                return None
            continue
        if text in _NO_UNIT_TEXTS[:-1]:
            continue
        if is_number(text):
            return None
        is_weight = dimension == MASS and unit_of_dimension(text, FORCE, common_only=True) is not None
        fits = fits or is_weight or is_unit_of(text, quantity)
    return {j: text for j, text in enumerate(texts) if text not in _NO_UNIT_TEXTS} if fits else None


def find_units(header: HeaderRow, options: TableOptions, findings: Findings) -> ColumnUnits:
    """Find the unit of each number column; report units that are unknown or contradictory."""
    stated = ColumnUnits(row_texts=_read_units_row(header))
    requested = _requested_units(options.unit, findings)
    top = cache(lambda: sample_row_texts(header.table, header.row + 1))
    for quantity, column in header.columns.items():
        dimension = quantity_dimension(quantity)
        if dimension is None or (quantity != base_quantity(quantity) and not options.use_sigmas):
            continue
        places = [(header.units[quantity], header.row), ((stated.row_texts or {}).get(column, ""), header.row + 1)]
        texts = [(text, row) for text, row in places if text]
        if dimension == MASS and has_decimal_comma_language(header.texts):
            below = [split_cell_text(row[column]).unit for row in top()] if not texts else []
            texts += [(text, header.row + 1) for text in below[:1] if _is_short_gram(text)]
            texts = [("g" if _is_short_gram(text) else text, row) for text, row in texts]
        units = [(text, row) for text, row in texts if _is_unit_or_like(text)] if dimension == MASS else texts
        of_cells = partial(shared_cell_unit, header.table, column, header.row + 1, dimension=dimension)
        texts = units if len(units) < len(texts) and of_cells(top()) is not None else texts  # Weight (printed)
        if dimension == MASS and not texts and (above := _mass_unit_above(header)):
            texts = [(above, header.row)]
        wanted = requested.get(quantity, "")
        if quantity.startswith("sigma_") and any(map(is_percent_unit, (wanted, *(text for text, _ in texts)))):
            stated.percent.add(quantity)
            for text, row in texts:
                if not is_percent_unit(text):
                    message = f"{header.name(quantity)}: conflicting units: % and {text}"
                    findings.report("MP209", message, header.place_of(quantity, row), value=text)
            continue
        before = len(findings)
        unit = _resolve_column_unit(header, quantity, texts, wanted, options, findings)
        if unit is not None:
            stated.of[quantity] = unit
        elif len(findings) > before:
            stated.rejected.add(quantity)
        elif (unit := of_cells(top())) is not None:
            stated.of[quantity] = unit
            stated.in_cells.add(quantity)
    return stated


# a line above the header: All masses in grams
_MASSES_IN = (
    r"(?:all\s+|alle\s+|tout(?:es)? les\s+)?(?:mass(?:es|en)?|weights?|gewichte?|poids|mas[as]+|pes[oi]s?)\s+"
    r"(?:(?:are|is|given|sind|all)\s+)*(?:in|en|em)\s+(?P<unit>[^\W\d]+)\.?"
)


def _is_short_gram(text: str) -> bool:
    """Return whether a text is a unit that is a gram in a language with decimal commas, and a grain in English."""
    return strip_unit_brackets(text).rstrip(".").casefold() in ("gr", "grs")


def _is_unit_or_like(text: str) -> bool:
    """Return whether a text is a unit, a unit of several sizes or a ratio, and no words: ``printed``, ``L+R``."""
    bare = strip_unit_brackets(text)
    return read_unit(bare) is not None or ambiguous_unit(bare) is not None or bool(split_unit_ratio(bare)[1])


def _mass_unit_above(header: HeaderRow) -> str:
    """Return the unit of mass that a line above the header states, or nothing."""
    lines = (text.strip(BLANK_CHARACTERS + "()*:") for row in range(header.row) for text in header.table.row(row))
    found = (match["unit"] for line in lines if (match := re.fullmatch(_MASSES_IN, line, re.IGNORECASE)))
    return next((unit for unit in found if is_unit_of(unit, "mass")), "")


def _requested_units(unit: Mapping[str, str], findings: Findings) -> dict[str, str]:
    """Apply ``--unit`` to columns: the unit of a single column has priority over that of a group."""
    requested: dict[str, str] = {}
    numbers = [name for name in (*ALL, *POSE_QUANTITIES) if quantity_dimension(name) is not None]
    for name, text in unit.items():
        if name in _ANGLE_NAMES:
            if angle_unit(text) is None:
                remedy = f"pass --unit {name}=deg or --unit {name}=rad"
                findings.report("MP207", f"--unit {name}: not a unit of angles: {text}", value=text, remedy=remedy)
        elif name not in UNIT_GROUPS and name not in numbers:
            near = nearest_name_hint(name, (*UNIT_GROUPS, *NUMBER_QUANTITIES))
            remedy = "use one of " + ", ".join((*UNIT_GROUPS, *NUMBER_QUANTITIES)) + ", or one of these after sigma_"
            findings.report("MP204", f"--unit names a quantity without a unit: {name}{near}", value=name, remedy=remedy)
    for group, members in UNIT_GROUPS.items():
        if group in unit:
            requested.update(dict.fromkeys(members, unit[group]))
    requested.update({name: text for name, text in unit.items() if name in numbers})
    return requested


def _resolve_column_unit(
    header: HeaderRow, quantity: str, texts: _Texts, requested: str, options: TableOptions, findings: Findings
) -> StatedUnit | None:
    """Collect the units stated for one column; ``--unit`` also replaces a text that is not a unit."""
    name, read = header.name(quantity), None
    if requested:
        read, (rule, message, remedy) = _parse_unit_text(quantity, requested, options)
        if read is None:
            findings.report(rule, f"--unit {quantity}: {message}", value=requested, remedy=remedy)
            return None
    for text, row in texts:
        unit, (rule, message, remedy) = _parse_unit_text(quantity, text, options)
        place = header.place_of(quantity, row)
        if unit is None and not requested:
            in_brackets = rf"[\[(]\s*{re.escape(strip_unit_brackets(text))}\s*[\])]"
            bare = re.sub(in_brackets, "", name).strip() or name  # the value of the finding is the unit
            remedy = _remedy_with_options(quantity, text, remedy)
            findings.report(rule, f"{bare}: {message}", place, value=text, remedy=remedy)
            return None
        if unit is None:
            continue
        if read is not None and read.unit != unit.unit:
            first = f"--unit {quantity}={requested}" if requested else f"{read.text} in the header"
            where = "the header" if row == header.row else "the units row"
            message = f"{name}: conflicting units: {first}, and {text} in {where}"
            findings.report("MP209", message, place, value=text)
            return read
        read = unit
    return read


def _remedy_with_options(quantity: str, text: str, remedy: str | None) -> str | None:
    """Offer the options too for a header that names one of several units."""
    names = (remedy or "").removeprefix("write ").split(" or ")
    if ambiguous_unit(text) is None or len(names) != 2 or "," in names[0]:
        return remedy
    return f"{remedy}, or pass --unit {quantity}={names[0]} or --unit {quantity}={names[1]}"


def _parse_unit_text(quantity: str, text: str, options: TableOptions) -> tuple[StatedUnit | None, _UnitFault]:
    """Parse one unit text for a quantity; else the rule, the message and the remedy."""
    dimension = quantity_dimension(quantity)
    assert dimension is not None
    text = unit_without_direction(text) if dimension == LENGTH else text
    if (unit := unit_of_dimension(text, dimension)) is not None:
        return StatedUnit(strip_unit_brackets(text), unit), ("", "", None)
    if base_quantity(quantity) == "mass" and (weight := mass_unit_of_weight(text)) is not None:
        if options.as_weight:
            return weight, ("", "", None)
        return None, ("MP210", f"unit of mass is a unit of force: {text}", None)
    return None, _unit_text_fault(quantity, text)


def _unit_text_fault(quantity: str, text: str) -> _UnitFault:
    """Describe why a text is not a unit of a quantity."""
    if (base := base_quantity(quantity)) == "mass" and (sizes := ambiguous_unit(text)) is not None:
        return "MP207", f"unit is ambiguous: {text} ({sizes[0]})", sizes[1]
    unit, per = split_unit_ratio(strip_unit_brackets(text))
    if base == "mass" and per:
        remedy = f"pass --unit {quantity}={unit} if all quantities are in pieces"
        if not is_piece_unit(per):  # totals of assemblies come into the same column, and are of no metre
            remedy = f"write {unit}/{per} after each mass of one {per}, and a unit of mass in the header"
        return "MP207", f"unit is a mass per {per}, and the column includes masses of assemblies: {text}", remedy
    group = "mass" if quantity_dimension(quantity) == MASS else "Ixx" if base in INERTIA_COLUMNS else "Cx"
    kind = {"mass": "mass", "Cx": "length"}.get(group, "inertia (mass times length squared)")
    if base == "mass" and re.search(r"[\d#]", text):  # another unit would replace what the header states
        return "MP207", f"not a unit of mass: {text}", "write a unit such as kg, t or lb, and the numbers in it"
    example = likely_unit(quantity, text) or _EXAMPLE_UNITS[group]
    remedy = f"write a unit such as {example}, or state it with --unit {quantity}={example}"
    return "MP207", f"not a unit of {kind}: {text}", remedy


_UNKNOWN_SYSTEM = UnitSystem(None, None, None)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class UnitConversion:
    """How cells become coherent values: the system's names, each quantity's unit and factor."""

    units: Units
    texts: dict[str, str] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    system: UnitSystem = _UNKNOWN_SYSTEM
    requested: UnitSystem = _UNKNOWN_SYSTEM  # units of ``--units``, in which cells are written

    def target(self, quantity: str) -> StatedUnit | None:
        """Name the unit in which a number column is written."""
        return self.requested.of(quantity) if quantity_dimension(quantity) is not None else None


def choose_unit_conversion(
    header: HeaderRow, stated: ColumnUnits, options: TableOptions, findings: Findings
) -> UnitConversion:
    """Choose the coherent system, inertia in mass · length² (docs/formulas.md, section 1), and all factors."""
    requested = parse_unit_system(options.units) if options.units else _UNKNOWN_SYSTEM
    if not stated.of:
        if options.units:
            message = f"--units {options.units}: no unit is stated in the table"
            remedy = "state them in the header, or with --unit mass=kg --unit length=mm"
            findings.report("MP207", message, header.table.place(header.row), remedy=remedy)
        return UnitConversion(Units())
    read = [q for q in header.columns if options.use_sigmas or q == base_quantity(q)]
    numbers = [q for q in read if quantity_dimension(q) is not None and q not in stated.percent]
    known, assumed = _inherited_units(numbers, stated.of)
    own = choose_unit_system(
        {q: coherent_mass_unit(unit) if quantity_dimension(q) == MASS else unit for q, unit in known.items()}
    )
    # a column whose unit was rejected has its story, and that of its sigmas follows from it
    unstated = [q for q in numbers if not {q, base_quantity(q)} & stated.rejected]
    findings += _assumed_unit_findings(header, unstated, known, assumed, own)
    if has_mixed_systems(known.values()):
        reported = [q for q, unit in known.items() if q == base_quantity(q) or known.get(base_quantity(q)) != unit]
        units = ", ".join(f"{quantity} in {known[quantity].text}" for quantity in reported)
        message, place = f"metric and other units are mixed: {units}", header.place_of(next(iter(known)))
        remedy = "check the units in the header; numbers are converted from the stated units"
        findings.report("MP208", message, place, remedy=remedy)
    known |= {q: unit for q in numbers if q not in known and (unit := own.of(q)) is not None}
    target = coherent_system(requested, own) if options.units else own
    factors = {q: 1.0 if (wanted := target.of(q)) is None else one.unit.over(wanted.unit) for q, one in known.items()}
    return UnitConversion(target.units, {q: unit.text for q, unit in known.items()}, factors, target, requested)


def _inherited_units(numbers: list[str], stated: _Stated) -> tuple[_Stated, dict[str, str]]:
    """Assign to columns without a unit that of their value's column, or the one that their complete group states."""
    # also returns the quantity from which each of these columns has its unit
    taken_from: dict[str, str] = {}
    for quantity in (quantity for quantity in numbers if quantity not in stated):
        alike = [q for q in stated if quantity_dimension(q) == quantity_dimension(quantity)]
        if (base := base_quantity(quantity)) in stated:
            taken_from[quantity] = base
        elif len({stated[q].unit for q in alike}) == 1:
            taken_from[quantity] = alike[0]
    return stated | {quantity: stated[source] for quantity, source in taken_from.items()}, taken_from


def _assumed_unit_findings(
    header: HeaderRow, numbers: list[str], known: _Stated, taken_from: Mapping[str, str], system: UnitSystem
) -> list[Finding]:
    """Report the unit in which columns without one are read, once per unit; an error where it is ambiguous."""
    findings = Findings()
    unstated: dict[str, list[str]] = {}
    for quantity in numbers:
        if base_quantity(quantity) in RADII_COLUMNS or (quantity in known and quantity not in taken_from):
            continue
        unit = known.get(quantity) or system.of(quantity)
        is_untold = unit is None or (quantity not in taken_from and _has_conflicting_units(quantity, known))
        unstated.setdefault("" if unit is None or is_untold else unit.text, []).append(quantity)
    untold = unstated.pop("", [])
    for text, quantities in unstated.items():
        message = f"{_state_no_unit(quantities)}; read in {text}, consistent with the other columns"
        remedy = "state the unit in the header, or with "
        remedy += " ".join(f"--unit {quantity}={shlex.quote(text)}" for quantity in quantities)
        findings.report("MP227", message, header.place_of(quantities[0]), count=len(quantities), remedy=remedy)
    # harmless unless a sum combines them with a stated unit
    tensor_stated = any(quantity_dimension(quantity) == INERTIA for quantity in known)
    for dimension, group, example in ((MASS, "mass", "kg"), (LENGTH, "length", "mm"), (INERTIA, "inertia", "kg*mm^2")):
        if not (names := [quantity for quantity in untold if quantity_dimension(quantity) == dimension]):
            continue
        state, place = _state_no_unit(names), header.place_of(names[0])
        if _has_conflicting_units(names[0], known) or (dimension != INERTIA and tensor_stated):
            message = f"{state}, and no unit is consistent with the other columns"
            remedy = f"state it in the header, or with --unit {group}={example}"
            findings.report("MP207", message, place, remedy=remedy)
        else:
            findings.report("MP227", state, place, count=len(names))
    return findings


def _state_no_unit(quantities: Sequence[str]) -> str:
    """Report that columns have no unit."""
    return f"{', '.join(quantities)} {'states' if len(quantities) == 1 else 'state'} no unit"


def _has_conflicting_units(quantity: str, known: Mapping[str, StatedUnit]) -> bool:
    """Return whether the columns that a column without a unit follows state different units."""
    dimension = quantity_dimension(quantity)
    meeting = (MASS, LENGTH, INERTIA) if dimension == INERTIA else (dimension,)
    return any(len({unit.unit for q, unit in known.items() if quantity_dimension(q) == each}) > 1 for each in meeting)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RowUnits:
    """The units of number cells, row by row, from the first row of data on."""

    index: int  # column that holds the units
    header: str
    first: int  # first row of data
    unit: StatedUnit  # the first one, in which a row without any is
    texts: tuple[str, ...]  # distinct cells
    codes: NDArray[np.int32]  # (n,) place of each row's cell in texts
    factors: Floats  # of each text to unit: 1 for a blank, NaN if it is not a unit
    faults: Mapping[str, _UnitFault]  # text that is not a unit → rule, message and remedy
    several: bool  # the rows have different units

    def sizes(self, rows: Rows) -> Floats:
        """Look up the factors (k,) to ``unit`` of table rows (k,): 1 without a row (-1), NaN for an unknown unit."""
        return np.where(rows < self.first, 1.0, self.factors[self._codes(rows)])

    def blank(self, rows: Rows) -> Mask:
        """Test which table rows (k,) state no unit; False for an item without a row (-1)."""
        return np.array([not text for text in self.texts], bool)[self._codes(rows)] & (rows >= self.first)

    def with_rows(self, count: int) -> RowUnits:
        """Add rows at the end whose numbers are in ``unit``."""
        codes = np.append(self.codes, np.full(count, len(self.texts), np.int32))
        return replace(self, texts=(*self.texts, self.unit.text), codes=codes, factors=np.append(self.factors, 1.0))

    @property
    def stated_rows(self) -> Rows:
        """The table rows (k,) that state a unit, ascending."""
        return np.flatnonzero(np.array([bool(text) for text in self.texts], bool)[self.codes]) + self.first

    def text(self, row: int) -> str:
        """Look up the unit of one table row."""
        stated = self.texts[self.codes[row - self.first]] if row >= self.first else ""
        return stated or self.unit.text

    @property
    def listed(self) -> str:
        """The units that are known, in the order of the table."""
        return ", ".join(text for text in self.texts if text and text not in self.faults)

    def _codes(self, rows: Rows) -> NDArray[np.int32]:
        """Look up the codes ``(k,)`` of table rows ``(k,)``; that of the first row for an item without a row."""
        return self.codes[np.maximum(rows - self.first, 0)]


def read_row_units(
    header: HeaderRow, first_row: int, stated: ColumnUnits, options: TableOptions, findings: Findings
) -> dict[str, RowUnits]:
    """Read the columns of units, and make the first unit of each that of the quantities that follow it."""
    # A quantity whose unit is stated elsewhere too does not follow the column, which must then state the same
    result: dict[str, RowUnits] = {}
    for name, sample in UNIT_COLUMNS.items():
        if name not in header.columns:
            continue
        place = header.place_of(name)
        # sigmas only where they are read
        free = [q for q in header.columns if q not in stated.percent | stated.rejected]
        alike = [q for q in free if quantity_dimension(q) == quantity_dimension(sample)]
        of = [quantity for quantity in alike if options.use_sigmas or quantity == base_quantity(quantity)]
        units, fault = _read_unit_column(header, name, first_row, options)
        if units is None or not of:
            what = "no cell contains a unit" if of else f"the table has no column such as {sample} to apply the unit to"
            rule, message, remedy = fault or ("MP225", what, None)
            findings.report(rule, f"{place.column} is not read: {message}", place, remedy=remedy)
            continue
        for quantity in (one for one in of if one in stated.of):
            own, sizes = stated.of[quantity], zip(units.texts, units.factors.tolist(), strict=True)
            if others := [text for text, size in sizes if text and size * units.unit.unit.over(own.unit) != 1]:
                message = f"{header.name(quantity)} is in {own.text}, and {units.header} states {', '.join(others)}"
                findings.report("MP209", message, place, value=units.header)
        if follow := [quantity for quantity in of if quantity not in stated.of]:
            result.update(dict.fromkeys(follow, units))
            stated.of.update(dict.fromkeys(follow, units.unit))
            message = f"{units.header} contains the units of {', '.join(follow)}: {units.listed}; results without one"
            findings.report("MP234", f"{message} are in {units.unit.text}", place, count=len(follow))
    return result


def _read_unit_column(
    header: HeaderRow, name: str, first_row: int, options: TableOptions
) -> tuple[RowUnits | None, _UnitFault | None]:
    """Read one column of units; None where no cell holds one, with the fault of the first. Distinct texts only."""
    column = header.columns[name]
    cells = [text.strip(BLANK_CHARACTERS) for text in header.table.texts(column, first_row)]
    numbers = {text: k for k, text in enumerate(dict.fromkeys(cells))}
    read = {text: _parse_unit_text(UNIT_COLUMNS[name], text, options) for text in numbers if text not in _NO_UNIT_TEXTS}
    known = [unit for unit, _ in read.values() if unit is not None]
    if known and {unit.text.casefold() for unit in known} <= {"kg", "g", "mg", "t"}:
        gram = StatedUnit("g", MASS_UNITS["g"])  # a grain is not next to kilograms
        read |= {text: (gram, ("", "", None)) for text in read if text.strip(".").casefold() in ("gr", "grs")}
    faults = {text: fault for text, (unit, fault) in read.items() if unit is None}
    if not known:
        return None, next(iter(faults.values()), None)
    factors = np.ones(len(numbers))
    for text, (unit, _) in read.items():
        factors[numbers[text]] = np.nan if unit is None else unit.unit.over(known[0].unit)
    texts = tuple("" if text in _NO_UNIT_TEXTS else text for text in numbers)
    codes = np.fromiter(map(numbers.__getitem__, cells), np.int32, len(cells))
    several = len({unit.unit for unit in known}) > 1
    shown = header.name(name) or f"column {column + 1}"
    return RowUnits(column, shown, first_row, known[0], texts, codes, factors, faults, several), None
