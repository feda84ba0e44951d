"""A written result, also of another program: each cell against input, recomputed numbers and a fresh output."""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import Table, file_table
from massprops_cli.files.workbook.cells import FORMULA_SHEET
from massprops_cli.findings.finding import Findings, MasspropsError, Place, TableError, UsageError, name_list
from massprops_cli.verifications.cells import NAMES, TableReading, is_same_text, read_typed_table, read_workbook_names
from massprops_cli.verifications.digits import HEADER, typed_numbers, unit_ratio, unit_size
from massprops_cli.verifications.formulas import edited_formulas, sheet_of_table
from massprops_cli.verifications.other_outputs import (
    EXACT_DIGITS,
    PRODUCTS,
    Output,
    coherent_unit_of,
    compare_other_program,
    half_digit,
    name_of,
    unit_of,
)
from massprops_cli.verifications.recomputation import GROUPS, Recomputation

if TYPE_CHECKING:
    from massprops_cli.tables.columns.columns import QuantityColumn

_OTHERS = 0.1  # share of numbers that differ in a last digit, up to which a file is one of this version
_MOST_SHOWN = 20  # cells with a finding of their own; the last one counts the rest
TOLERANCE = 1e-11
"""Default largest relative difference, up to which the last digits of a file of this version are compared too."""
_OWN = 0.5  # share of the columns of the table from which on a written file has its layout
_FINDINGS, _SAMPLES = "Findings", "Samples"  # sheets; another generator draws other samples
_OF_RUN = ("massprops", "input", "date", "command", "configuration", "findings", "units")  # rows of About
_NUMBER = re.compile(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")


class _Meaning(NamedTuple):
    """What a column of results has: the name of a number, its column of the table if it is one, its unit."""

    name: str
    column: QuantityColumn | None = None
    size: float = 1.0  # of a cell of 1, in coherent units; sigmas: of one standard deviation


def compare_output(recomputed: Recomputation, name: str, tolerance: float, findings: Findings) -> int:
    """Compare every cell of a written result; return how many."""
    if not Path(name).is_file():
        raise UsageError(f"result is not a file: {name}")
    output = Output(recomputed, name, tolerance, findings)
    tables = _read_sheets(name, findings)
    if not (names := list(tables)):
        raise UsageError(f"result has no table: {name}; name a file that rollup wrote, or another list of results")
    main = sheet_of_table(recomputed.result, names) if len(names) > 1 or names != [""] else ""
    if main not in tables:
        return 0
    first = tables[main]
    made, fresh = _fresh_tables(recomputed, tables, first)
    output.recomputed = made
    written = {name_of(text) for one in fresh.values() for i in range(min(one.n_rows, _HEADS)) for text in one.row(i)}
    own = {one for group in GROUPS.values() for one in group} - written - set(made.result.bom.columns.by_quantity)
    if fresh and (lost := sorted(one for one in own if made.must_be_known(one).any())):
        message = f"massprops writes no column for {name_list(lost)}, which was recomputed"
        findings.report("MP906", message, Place(name), value=lost[0])
    skipped = (_SAMPLES,) if made is recomputed else (_SAMPLES, _FINDINGS)  # other units have other findings
    left = [one for one in names if one in skipped or (one != main and one not in fresh)]
    if main not in fresh or not _Grids(output, first, fresh[main], is_main=True).compare():
        compare_other_program(output, name, main)
    for sheet in names:
        if sheet != main and sheet not in left:
            _Grids(output, tables[sheet], fresh[sheet]).compare()
    if lacking := [one for one in fresh if one not in names and len(names) > 1]:
        recomputed.not_verified.append(f"sheets {name_list(lacking)}, which {Path(name).name} has not")
    if left:
        recomputed.not_verified.append(f"sheets {name_list(left)} of {Path(name).name}: not compared")
    if FORMULA_SHEET in names:
        for place, found, wanted in edited_formulas(made.result, name)[:_MOST_SHOWN]:
            sheet, _, cell = place.partition("!")
            findings.report(
                "MP907", f"formula is {found} (expected {wanted})", Place(name, sheet, cell=cell), value=found
            )
    _report_rest(output)
    return output.compared


def _report_rest(output: Output) -> None:
    """Report the cells that differ, and what is not compared."""
    recomputed = output.recomputed
    if output.unknown:
        words = [f"{count:,} of {what}" for what, count in output.unknown.items()]
        recomputed.not_verified.append(f"cells of the result that are compared with a fresh one: {name_list(words)}")
    _report_cells(output)
    if not output.compared:
        message = "no cell of the written result has a number or a text of the table or of its roll-up"
        output.findings.report("MP906", message, Place(output.name))


class _Grids:
    """A sheet of a written result and the same sheet of a fresh one."""

    def __init__(self, output: Output, new: Table, old: Table, *, is_main: bool = False) -> None:
        self.output, self.new, self.old, self.is_main = output, new, old, is_main
        self.result, self.bom = output.recomputed.result, output.recomputed.result.bom
        self.reading, self.ends = TableReading(self.bom, Findings()), self.bom.ends
        own = file_table(self.bom.table)
        self.width = own.n_columns if is_main else 0
        self.head, wanted = 0, {text.strip() for text in own.row(self.bom.columns.header_row)} - {""}
        if is_main:  # rewritten headers have other units
            rows = range(min(old.n_rows, self.bom.columns.header_row + 1))
            self.head = max(rows, key=lambda i: len(wanted & {text.strip() for text in old.row(i)}), default=0)
        self.heads = [text.strip() for text in old.row(self.head)] if old.n_rows else []
        named = Counter(self.heads)
        spread = range(min(new.n_rows, self.head + _HEADS))
        self.new_head = max(spread, key=lambda i: sum((Counter(t.strip() for t in new.row(i)) & named).values()))
        self.columns, self.extra = self._columns()

    @cached_property
    def commas(self) -> set[int]:
        """Columns of the table with commas in their cells."""
        own, first = file_table(self.bom.table), self.bom.columns.first_row
        below = range(first, own.n_rows)
        return {j for j in range(own.n_columns) if any("," in (self.reading.text(i, j) or "") for i in below)}

    def _columns(self) -> tuple[dict[int, int], list[str]]:
        """Return the columns of both by their headers, the k-th of a name with the k-th, and names of further ones."""
        places: dict[str, list[int]] = {}
        for j, head in enumerate(self.heads):
            places.setdefault(head, []).append(j)
        found, extra, seen = {}, [], Counter[str]()
        for j, text in enumerate(self.new.row(self.new_head)):
            head = text.strip()
            if seen[head] < len(places.get(head, ())):
                found[j] = places[head][seen[head]]
            elif any(self.new.text(i, j).strip() for i in range(self.new_head + 1, self.new.n_rows)):
                extra.append(head or f"column {j + 1}")
            seen[head] += 1
        return found, extra

    def compare(self) -> bool:
        """Compare all cells; False for a written file that has not the layout of the table."""
        own = [j for j, head in enumerate(self.heads[: self.width]) if head]
        meanings = {j: self._meaning(j) for j in range(len(self.heads))}
        matched = set(self.columns.values())
        if self.is_main and len(set(own) - matched) > (1 - _OWN) * len(own):
            return False
        # columns of a group are written together
        below = range(self.head + 1, self.old.n_rows)
        named = ((j, head) for j, head in enumerate(self.heads) if head or any(self.old.text(i, j) for i in below))
        groups = {j: "" if j < self.width or head[:6] == "total_" else _group(meanings[j]) for j, head in named}
        needed = {"", *(groups[j] for j in matched if j in groups)}
        absent = [
            self.heads[j] or f"column {j + 1}" for j, group in groups.items() if group in needed and j not in matched
        ]
        where = Place(self.new.source.name, self.new.source.sheet)
        before = [text.strip() for text in file_table(self.bom.table).row(self.bom.columns.header_row)]
        absent += [before[j] for j in own if _UNIT.sub("", before[j]) != _UNIT.sub("", self.heads[j])]
        if absent:
            message = f"written result lacks columns {name_list(absent)}"
            self.output.findings.report("MP906", message, where, value=absent[0])
        if self.extra:
            words = f"columns of {where.sheet or Path(where.file).name} that massprops does not write: "
            self.output.recomputed.not_verified.append(words + name_list(self.extra))
        items = self._items()
        for i, old_row in self._rows():
            if self.new.source.sheet == _ABOUT and self.old.text(old_row, 0) in _OF_RUN:
                continue
            item = items.get(old_row)
            for j, old_column in self.columns.items():
                self._compare_cell((i, j), (old_row, old_column), item, meanings[old_column])
        return True

    def _rows(self) -> list[tuple[int, int]]:
        """Pair the rows of both; reports those that only one of them has."""
        new, old = range(self.new.n_rows), range(self.old.n_rows)
        keys = self._key_columns()
        texts = [tuple(self.new.text(i, j).strip() for j, _ in keys) for i in new[self.new_head :]]
        known = [tuple(self.old.text(i, k).strip() for _, k in keys) for i in old[self.head :]]
        is_aligned = len(texts) == len(known) and self.new_head == self.head
        can_be_sorted = self.is_main and self.bom.layout == "parent" and len(set(known)) == len(known)
        if can_be_sorted and texts != known and sorted(texts) == sorted(known):
            held = {key: self.head + k for k, key in enumerate(known)}
            above = [(i, i) for i in range(self.head) if is_aligned]  # titles
            return above + [(self.new_head + k, held[key]) for k, key in enumerate(texts)]
        if is_aligned:
            return list(zip(new, old, strict=True))
        pairs = list[tuple[int, int]]()
        for what, a, b, c, d in SequenceMatcher(None, known, texts, autojunk=False).get_opcodes():
            both = min(b - a, d - c) if what != "equal" else b - a
            pairs += [(self.new_head + c + k, self.head + a + k) for k in range(both)]
            for word, rows, least in (("lacks", known[a + both : b], a), ("has", texts[c + both : d], c)):
                is_run = self.new.source.sheet == _ABOUT
                shown = [
                    " ".join(filter(None, row)) or f"row {least + both + k + 1}"
                    for k, row in enumerate(rows)
                    if not (is_run and row[:1] and row[0] in _OF_RUN)
                ]
                if shown:
                    tail = "" if word == "lacks" else ", and the table lacks,"
                    place = Place(self.new.source.name, self.new.source.sheet)
                    message = f"written result {word}{tail} {name_list(shown)}"
                    self.output.findings.report("MP906", message, place, item=shown[0])
        return pairs

    def _key_columns(self) -> list[tuple[int, int]]:
        """Return the columns whose texts name a row, of both: id and parent, or else the first two."""
        named = self.bom.columns.by_quantity
        names = ("id", "parent", "name", "item", "level", "part") if self.is_main else ()
        wanted = {named[q].index for q in names if q in named}
        return [(j, k) for j, k in self.columns.items() if k in wanted] or list(self.columns.items())[:2]

    def _items(self) -> dict[int, int]:
        """Return the item of each row of the fresh table: the first one of a row of the table."""
        bom, found = self.bom, dict[int, int]()
        if self.is_main:
            for item, row in enumerate(bom.rows.tolist()):
                if row >= 0 and not (bom.extra is not None and bom.extra[item]):
                    found.setdefault(row - bom.columns.header_row + self.head, item)
        elif self.heads[:1] == ["id"]:
            order = bom.tree.preorder_items().tolist()
            if self.old.n_rows - 1 < len(order):
                order = [i for i in order if len(bom.tree.children(i))]
            found = {k: item for k, item in enumerate(order, 1) if self.old.text(k, 0) == bom.ids[item]}
        return found

    def _meaning(self, j: int) -> _Meaning | None:
        """Return what a column of the fresh table has by its header; None for one without results."""
        if j < self.width:
            known = [c for q, c in self.bom.columns.by_quantity.items() if c.index == j and q in NAMES]
            own = known[0] if known else None
            if own is not None and self.bom.options.assembly_values != "own":
                return _Meaning(own.quantity, own)
            if known:
                return None
        found = HEADER.fullmatch(self.heads[j])
        if found is None or (j >= self.width and not self.heads[j]):
            return None
        name = name_of(self.heads[j])
        if self.output.recomputed.column(name, of_rows=self.is_main) is None:
            return None
        if found[2] is not None and found[2].replace("·", "*").replace("²", "^2") != (unit := unit_of(self.bom, name)):
            place, label = self.new.place(self.new_head, j), f"unit of {self.heads[j]}"
            self.output.wrong.append((place, f"{label} is {found[2]}, expected {unit or 'none'}", found[2], ""))
        return _Meaning(name, None, 1 / int(found[3] or 1))

    def _compare_cell(
        self, at: tuple[int, int], of: tuple[int, int], item: int | None, meaning: _Meaning | None
    ) -> None:
        """Compare a cell with the fresh one, and with the input or the recomputed number."""
        new, old, head, output = self.new.text(*at).strip(), self.old.text(*of).strip(), self.heads[of[1]], self.output
        is_input, row = of[1] < self.width, of[0] - self.head + self.bom.columns.header_row
        if item is not None and meaning is not None:  # input columns and totals have results in assemblies alone
            meaning = None if self.ends[item] and (is_input or head.startswith("total_")) else meaning
        name, item_id = head or f"column {of[1] + 1}", "" if item is None else self.bom.ids[item]
        name = self.old.text(of[0], 0) if self.new.source.sheet == _ABOUT else name
        place, label = self.new.place(*at), f"{name} of {item_id}" if item_id else name
        output.compared += bool(new or old)
        has_comma = "," in new and (of[1] in self.commas or (not is_input and bool(self.commas)))
        number, wanted = _number_like(new, old, has_comma), _number_like(old, old, has_comma)
        if bool(new) != bool(old):
            message = f"{label} is blank, and massprops writes {old}" if old else f"{label} is {new}, expected blank"
        elif item is not None and meaning is not None and (number is not None or not new):
            message = self._result_difference((label, new, number, wanted), at[0], item, meaning)
            output.numbers += [(place, label, new, old)] if new else []
        else:
            own = self.reading.text(row, of[1]) if is_input and self.bom.columns.rewrite is None else None
            own = None if own and re.match(r"[-+−]?[\d.,]+\s*[^\W\d_]", own) and wanted is not None else own  # 3 mm
            own = None if not own and item is not None and not self.ends[item] else own  # filled in an assembly
            is_kept = own is None or is_same_text(old, own) or bool({*typed_numbers(old)} & _possible_numbers(own))
            is_near = new == old or is_same_text(new, old) or (number is not None and number == wanted)
            if not is_near and number is not None and wanted is not None and (not is_input or item is None):
                is_near = abs(number - wanted) <= max(half_digit(new), output.tolerance * max(abs(wanted), 1.0))
            message = "" if is_near else f"{label} is {new!r}, and massprops writes {old!r}"
            message = message if is_kept else f"{label} is {new!r}, and {own!r} in the table"
        if message:
            output.wrong.append((place, message, new, item_id))

    def _result_difference(
        self, cell: tuple[str, str, float | None, float | None], row: int, item: int, meaning: _Meaning
    ) -> str:
        """Return how a cell differs from the recomputed number of an item; nothing if it agrees."""
        recomputed, name, (label, new, number, wanted) = self.output.recomputed, meaning.name, cell
        column = recomputed.column(name, of_rows=self.is_main)
        exact = math.nan if column is None else float(column[item])
        if self.result.rollup.sampled is not None and name[:6] == "sigma_" and not self.ends[item]:
            exact = math.nan  # sampled ones are compared with other samples
        sign = self._sign(row, item) if self.is_main and name in PRODUCTS else 1
        if number is None:
            is_lost = math.isfinite(exact) and sign and recomputed.must_be_known(name)[item]
            return f"{label} is blank, recomputed {exact!r}" if is_lost else ""
        size = meaning.size if meaning.column is None else self._size(row, item, meaning.column)
        scale = float(recomputed.scale(name, of_rows=self.is_main)[item])
        if not math.isfinite(exact) or not math.isfinite(size) or not sign:
            self.output.unknown[name] += 1
            exact, size = sign * (wanted if wanted is not None else math.nan), 1.0
            scale = max(scale, abs(exact))
        allowed = max(half_digit(new) * abs(size) * 1.000001, self.output.tolerance * (scale or 1.0))
        is_near = abs(sign * number * size - exact) <= allowed
        return "" if is_near else f"{label} is {new}, recomputed {exact * sign / size:.17g}"

    def _sign(self, row: int, item: int) -> int:
        """Return the factor from a written product to the entry of the tensor, by the convention in the written row."""
        column = self.bom.columns.by_quantity.get("POIconv")
        at = [j for j, k in self.columns.items() if column is not None and k == column.index]
        text = self.new.text(row, at[0]).strip() if at else ""
        written = {"+": 1, "-": -1, "−": -1}.get(text, int(self.result.written_sign[item]))
        return -written

    def _size(self, row: int, item: int, column: QuantityColumn) -> float:
        """Return what a cell of 1 of an assembly is in coherent units, by the unit in its row or its header."""
        bom, base, rewrite = self.bom, column.quantity.removeprefix("sigma_"), self.bom.columns.rewrite
        if column.percent:
            values = self.output.recomputed.column(base, of_rows=True)
            return math.nan if values is None else abs(float(values[item])) / 100 * column.factor
        units = column.by_row
        at = [j for j, k in self.columns.items() if units is not None and k == units.index]
        unit = self.new.text(row, at[0]).strip() if at else ""
        ratio = unit_ratio(unit, coherent_unit_of(bom, base)) if unit else None
        if rewrite is not None and (not column.unit or column.index in rewrite.written):
            size = rewrite.written.get(column.index, ("", 1.0))[1] / column.level
        elif ratio is not None:
            size = ratio / column.level
        else:
            size = float(self.reading.factor(column, column.quantity, int(bom.rows[item])))
        return size / float(bom.pieces[item]) if bom.pieces is not None and base == column.quantity == "mass" else size


def _group(meaning: _Meaning | None) -> str:
    """Return the group of columns of a number, as ``--add`` names it; nothing for those that every result has."""
    name = "" if meaning is None else meaning.name
    starts = {"predicted_": "growth", "allowance_": "growth", "rho_": "rho", "k": "radii", "coverage_": "coverage"}
    starts |= {"share_": "coverage", "about_": "about", "sigma_about_": "about", "axis_": "principal"}
    starts |= {"principal_": "principal", "sigma_principal": "principal", "sigma_": "sigma"}  # the shortest last
    return next((group for start, group in starts.items() if name.startswith(start)), "")


def _number_like(text: str, model: str, has_comma: bool) -> float | None:
    """Return the number of a text that is written as its model, with a decimal comma if its table has such."""
    if text[-1:].isdigit() and model[-1:].isdigit() and "," not in text:
        try:
            return float(text)
        except ValueError:
            pass
    if "," in text:
        text = text.replace(".", "").replace(",", ".") if has_comma else text.replace(",", "")
    found = _NUMBER.match(text.replace("−", "-"))
    if found is None or not re.search(rf"\d\s*{re.escape(text[found.end() :].strip())}$", model):  # with another unit
        return None
    try:
        return float(found[0])
    except ValueError:
        return None


def _possible_numbers(text: str) -> set[Fraction]:
    """Return the numbers that a typed text can be, also with points between thousands."""
    whole = text.replace(".", "") if re.fullmatch(r"[-+−]?[1-9]\d{0,2}(\.\d{3})+", text) else ""
    return {*typed_numbers(text), *typed_numbers(whole)}


def _report_cells(output: Output) -> None:
    """Report the cells that differ; in a file of this version also those that differ in their last digits."""
    known = {str(place) for place, *_ in output.wrong}
    same = [(cell, _is_written(cell[2], cell[3])) for cell in output.numbers]
    long = [pair for pair in same if len(pair[0][3]) > EXACT_DIGITS] or same
    unequal = sum(not equal for _, equal in long)
    if output.tolerance > TOLERANCE:
        same = []
    if unequal < len(long) and unequal <= max(1, _OTHERS * len(long)):
        for (place, label, text, old), is_equal in same:
            if not is_equal and str(place) not in known:
                output.wrong.append((place, f"{label} is {text}, and massprops writes {old}", text, ""))
    wrong: Sequence[tuple[Place, str, str, str]] = output.wrong
    for k, (place, message, text, item) in enumerate(wrong[:_MOST_SHOWN]):
        rest = len(wrong) - _MOST_SHOWN if k == _MOST_SHOWN - 1 else 0
        more = f", and {rest:,} more cells differ" if rest > 0 else ""
        output.findings.report("MP905", message + more, place, value=text, item=item, count=1 + max(rest, 0))


def _is_written(text: str, old: str) -> bool:
    """Return whether a text is the number that is written, also with the 15 or 16 digits that some programs save."""
    number, wanted = (_number_like(one, old, "," in old) for one in (text, old))
    if number is None or wanted is None:
        return text == old
    return number in (wanted, *(float(f"{wanted:.{digits}g}") for digits in (15, 16)))


_ABOUT = "About"  # sheet that states the run
_HEADS = 50  # rows below that of the header of the table in which a written file may have its own
_ADDED = ("radii", "sigma", "principal", "coverage", "rho", "growth")
_UNIT = re.compile(r"\s*[\[(]([^\])]*)[\])]")


def _read_sheets(name: str, findings: Findings) -> dict[str, Table]:
    """Read the sheets of a workbook, or the one table of another file, without interpreting them."""
    tables = {}
    for sheet in read_workbook_names(name) or [""]:
        try:
            tables[sheet] = file_table(read_file_table(name, FileOptions(sheet=sheet), None, Findings()))
        except TableError as error:
            if not any(one.rule == "MP107" for one in error.findings):  # an empty sheet
                findings.extend(error.findings)
    return tables


def _fresh_tables(
    recomputed: Recomputation, tables: Mapping[str, Table], first: Table
) -> tuple[Recomputation, dict[str, Table]]:
    """Write the result with all further columns as a file of the same format, and read it again."""
    bom, tops = recomputed.result.bom, [one.row(i) for one in tables.values() for i in range(min(one.n_rows, _HEADS))]
    heads = {text.strip() for row in tops for text in row}
    levels = [
        one[3] for head in heads - {text.strip() for text in bom.columns.header} if (one := HEADER.fullmatch(head))
    ]
    level = max((int(one) for one in levels if one), default=1)
    own = {text.strip() for i in range(min(first.n_rows, _HEADS)) for text in first.row(i)}
    if bom.columns.rewrite is None and (units := _stated_units(bom, own)):
        run = tables.get(_ABOUT)
        rows = [] if run is None else [run.row(i) for i in range(run.n_rows)]
        of_run = [",".join(row[1].split(", ")[:2]) for row in rows if len(row) > 1 and row[0] == "units"]
        recomputed = _in_units(recomputed, of_run[0] if of_run else units)
    if about := _stated_point(first):
        recomputed.set_point(about)
    source = first.source
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("fresh" + "".join(Path(source.name).suffixes[-2:]))
        more = {"formulas": True} if FORMULA_SHEET in tables else {}
        added = [one for one in _ADDED if one != "rho" or recomputed.result.rollup.method != "massprops"]
        try:
            recomputed.result.save(path, source.format, add=added, sigma_level=level, **more)
            return recomputed, _read_sheets(str(path), Findings())
        except MasspropsError:
            return recomputed, {}


def _stated_point(first: Table) -> tuple[float, float, float] | None:
    """Return the point of ``--about`` that a written result states; None for one without it."""
    for i in range(min(first.n_rows, _HEADS)):
        heads = {_UNIT.sub("", text.strip()): j for j, text in enumerate(first.row(i))}
        at = [heads[f"about_{axis}"] for axis in "xyz" if f"about_{axis}" in heads]
        texts = [next((text for k in range(i + 1, first.n_rows) if (text := first.text(k, j).strip())), "") for j in at]
        numbers = [found for text in texts for found in typed_numbers(text)[:1]]
        if len(numbers) == len("xyz"):
            x, y, z = map(float, numbers)
            return x, y, z
    return None


def _stated_units(bom: Bom, heads: set[str]) -> str:
    """Return the units that headers of a written result have in place of those of the table; empty if the same."""
    columns = [bom.columns.by_quantity[q] for q in ("mass", "Cx", "Ixx") if q in bom.columns.by_quantity]
    bare = {_UNIT.sub("", head): head for head in heads}
    found = [_UNIT.search(bare.get(_UNIT.sub("", one.header.strip()), "")) for one in columns]
    units = [one[1] for one in found if one is not None and unit_size(one[1]) is not None]
    changed = [
        one for one, is_there in zip(columns, found, strict=True) if is_there and one.header.strip() not in heads
    ]
    return ",".join(units) if changed else ""


def _in_units(recomputed: Recomputation, units: str) -> Recomputation:
    """Return the recomputation of the table in other units; the same where the table cannot be read so."""
    result = recomputed.result
    request = result.uncertainty_request
    try:
        bom = Bom.from_table(file_table(result.bom.table), replace(result.bom.options, units=units))
        method = {"correlate": request.correlate, "correlate_centers": request.correlate_centers}
        made = rollup(bom, request.method, correlations=request.correlations, **method)  # type: ignore[arg-type] # keywords of a dictionary
    except MasspropsError:
        return recomputed
    other = Recomputation(made, read_typed_table(bom, Findings(), request.correlate))
    other.not_verified = recomputed.not_verified
    return other
