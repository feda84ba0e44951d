"""What is compared in a written result, its headings and numbers; files of other programs."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.findings.finding import Findings, Place, TableError, name_list
from massprops_cli.verifications.cells import NAMES, QUANTITIES, TableReading, is_same_text
from massprops_cli.verifications.digits import HEADER, last_digit, typed_numbers, unit_ratio
from massprops_cli.verifications.recomputation import Recomputation

_HEADINGS = {
    "growth": "allowance_percent", "growth mass": "allowance_mass", "leaves": "coverage_leaves",
    "mass known": "coverage_mass", "CG known": "coverage_center", "inertia known": "coverage_inertia",
}  # fmt: skip
"""Headings of the sheet Rollup that are not the names of their numbers."""
PRODUCTS = QUANTITIES[7:]
EXACT_DIGITS = 15  # from which on a number is not rounded


@dataclass
class Output:
    """A written result that is compared."""

    recomputed: Recomputation
    name: str
    tolerance: float
    findings: Findings
    wrong: list[tuple[Place, str, str, str]] = field(default_factory=list)  # place, message, text, item
    numbers: list[tuple[Place, str, str, str]] = field(default_factory=list)  # place, name, text, what is written
    compared: int = 0
    unknown: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # numbers without recomputation, by name


def name_of(head: str) -> str:
    """Return the name of a number by the heading of its column, in a table or in the sheet Rollup."""
    found = HEADER.fullmatch(head.strip())
    name = "" if found is None else found[1].removeprefix("total_")
    return _HEADINGS.get(name, name.replace("σ ", "sigma_").replace("ρ ", "rho_").replace(" ", "_"))


def unit_of(bom: Bom, name: str) -> str:
    """Return the unit in which a number is written in a column of its own."""
    if name.startswith(("axis_", "rho_", "coverage_", "share_")):
        return ""
    base = name.removeprefix("sigma_").removeprefix("predicted_").removeprefix("allowance_")
    base = base.replace("about_I", "I").replace("about_", "C")
    return "%" if base == "percent" else coherent_unit_of(bom, base)


def coherent_unit_of(bom: Bom, base: str) -> str:
    """Return the coherent unit of a quantity."""
    return bom.units.mass if base == "mass" else bom.units.length if base[0] in "Ck" else bom.units.inertia


def half_digit(text: str) -> float:
    """Return half a unit of the last digit of a number that may be rounded; 0 for one with all digits."""
    found = re.match(r"[-+]?[\d.,]*(?:[eE][-+]?\d+)?", re.sub(r"(?<=\d)[ '](?=\d)", "", text.replace("−", "-")))
    number = found[0] if found is not None else ""
    digits = len(re.sub(r"[^0-9]", "", re.split("[eE]", number)[0]).lstrip("0"))
    return float(last_digit(number)) / 2 if number and digits < EXACT_DIGITS else 0.0


def _further_column(output: Output, head: str) -> tuple[str, float, float] | None:
    """Return the number that a heading names as massprops does, what a cell of 1 is, and its level; None for others."""
    found, name = HEADER.fullmatch(head), name_of(head)
    if found is None or output.recomputed.column(name, of_rows=True) is None:
        return None
    level = float(found[3] or 1)
    return name, (unit_ratio(found[2] or "", unit_of(output.recomputed.result.bom, name)) or 1.0) / level, level


def _cell_unit_factor(text: str, quantity: str, bom: Bom, size: float) -> float:
    """Return the factor of a unit that a cell has behind its number, by that (``size``) of its column; 1 without."""
    found = re.fullmatch(r"\s*[-+−]?[\d.,' ]*\d(?:[eE][-+]?\d+)?\s*([^\W\d_].*)", text)  # 20.3 lb
    ratio = None if found is None else unit_ratio(found[1].strip(), unit_of(bom, quantity))
    return 1.0 if ratio is None else ratio / abs(size)


def _is_near(output: Output, text: str, size: float, quantity: str, item: int) -> bool:
    """Return whether a text is the recomputed number of an item, in its rounding."""
    values, scales = (of(quantity, of_rows=True) for of in (output.recomputed.column, output.recomputed.scale))
    exact = math.nan if values is None else float(values[item])
    gap = min((abs(float(x) * size - exact) for x in typed_numbers(text)), default=math.inf)
    scale = 1.0 if scales is None else float(scales[item]) or 1.0
    return gap <= max(half_digit(text) * abs(size) * 1.000001, output.tolerance * scale)


class _OtherProgram:
    """A file of another layout: quantities by their headers and units, rows by their ids."""

    def __init__(self, output: Output, made: Bom) -> None:
        self.output, self.made, self.bom = output, made, output.recomputed.result.bom
        self.reading, self.own = TableReading(made, Findings()), TableReading(self.bom, Findings())
        self.ends = self.bom.ends
        named = made.columns.by_quantity.items()
        self.read = {c.index: (q, c) for q, c in named if q in NAMES and not c.percent}
        self.same = {h.strip(): j for j, h in enumerate(self.bom.columns.header) if h.strip()}
        self.heads = [head.strip() for head in made.columns.header]
        others = ((j, head) for j, head in enumerate(self.heads) if j not in self.read)
        self.further = {j: one for j, head in others if (one := _further_column(output, head))}

    def compare(self) -> None:
        """Compare rows, cells and totals."""
        bom, made, output = self.bom, self.made, self.output
        numbers, known = {one: i for i, one in enumerate(bom.ids)}, set(made.ids)
        place = Place(made.table.source.name, made.table.source.sheet)
        missing = [one for i, one in enumerate(bom.ids) if one not in known and bom.rows[i] >= 0]
        added = [one for i, one in enumerate(made.ids) if one not in numbers and made.rows[i] >= 0]
        for what, ids in (("lacks", missing), ("has, and the table lacks,", added)):
            if ids:
                output.findings.report("MP906", f"written result {what} {name_list(ids)}", place, item=ids[0])
        compared = {*self.read, *self.further}
        if rest := [x for j, x in enumerate(self.heads) if x and j not in compared and x not in self.same]:
            words = f"columns of {place.sheet or Path(place.file).name} that are not compared: {name_list(rest)}"
            output.recomputed.not_verified.append(words)
        for k, item_id in enumerate(made.ids):
            if (row := int(made.rows[k])) >= 0 and (item := numbers.get(item_id)) is not None:
                for j in range(len(self.heads)):
                    self._compare_cell((row, j), item, k)
        self._compare_totals()

    def _compare_cell(self, at: tuple[int, int], item: int, other: int) -> None:
        """Compare a cell of an item, and of another number in the file, with its number or with the table."""
        (row, j), bom, output = at, self.bom, self.output
        text, message, head = self.reading.text(row, j) or "", "", self.heads[j]
        if j in self.read or j in self.further:
            if j in self.further:
                quantity, size, level = self.further[j]
            else:
                quantity, size, level = self.read[j][0], self._size(j, row), self.read[j][1].level
            values = output.recomputed.column(quantity, of_rows=True)
            exact = math.nan if values is None else float(values[item])
            if math.isnan(exact) or (not text and self.ends[item]):
                return
            size *= -1 if quantity in PRODUCTS and self.made.sign[other] > 0 else 1
            if not (j in self.read and self.read[j][1].rules.in_cells):
                size *= _cell_unit_factor(text, quantity, bom, size * level)
            if not _is_near(output, text, size, quantity, item):
                message = f"{quantity} of {bom.ids[item]} is {text or 'blank'}, recomputed {exact / size:.17g}"
        elif (i := self.same.get(head)) is None or not (old := self.own.text(int(bom.rows[item]), i)):
            return
        elif not is_same_text(text, old) and not {*typed_numbers(text)} & {*typed_numbers(old)}:
            message = f"{head} of {bom.ids[item]} is {text!r}, and {old!r} in the table"
        output.compared += 1
        output.wrong += [(self.made.table.place(row, j), message, text, bom.ids[item])] if message else []

    def _compare_totals(self) -> None:
        """Compare rows of totals with the assemblies: a total is that of one, and the last one is that of the root."""
        bom, output, root = self.bom, self.output, self.output.recomputed.result.root_item
        masses, at = output.recomputed.column("mass"), [j for j, (q, _) in self.read.items() if q == "mass"]
        totals = [one for one in self.made.totals if one.mass is not None and one.kind in ("total", "subtotal")]
        last = max((one.row for one in totals if one.kind == "total"), default=-1)
        for total in totals if at and masses is not None else ():
            text, size = self.reading.text(total.row, at[0]) or "", self._size(at[0], total.row)
            items = [root] if total.row == last else np.flatnonzero(~self.ends).tolist()
            output.compared += 1
            if masses is not None and not any(_is_near(output, text, size, "mass", item) for item in items):
                message = f"{total.label} is {text}, recomputed {float(masses[root]) / size:.17g} of {bom.ids[root]}"
                output.wrong.append((self.made.table.place(total.row, at[0]), message, text, bom.ids[root]))

    def _size(self, j: int, row: int) -> float:
        """Return what a cell of 1 is in coherent units of the table."""
        quantity, column = self.read[j]
        one, other = (coherent_unit_of(of, quantity.removeprefix("sigma_")) for of in (self.made, self.bom))
        return column.size(row) * (unit_ratio(one, other) or 1.0)


def compare_other_program(output: Output, name: str, sheet: str) -> None:
    """Compare a file that is not of the layout of the table."""
    try:
        made = read_bom(
            name, sheet=sheet, config=False, allow_missing="all", unit=output.recomputed.result.bom.options.unit
        )
    except TableError as error:
        output.findings.extend(error.findings)
        return
    _OtherProgram(output, made).compare()
