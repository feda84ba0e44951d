"""The owner's formulas, calculated by LibreOffice, have their values after ``massprops rollup``, or are reported.

Workbooks are drawn with a seed, and some are made by hand. Each formula has the rows whose masses it adds, so that the
test knows without massprops whether it adds parts only (its value stays), results (it gets the value that LibreOffice
finds with the masses of assemblies entered, which are sums made here), or an assembly together with its parts (MP135
has its name). With ``--config fill-summed=true`` such a formula has the value with all masses entered.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

Run = Callable[..., Any]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("soffice") is None, reason="requires LibreOffice")]
SAVED = re.compile(rb"(<f\b[^>]*(?:/>|>[^<]*</f>))\s*<v>[^<]*</v>")
HEADS = ["Level", "Part No", "Parent", "Kind", "Qty", "Mass (kg)"]
KINDS = ("part", "bolt M6", "Bolt m8", "harness", "part~x")


@dataclass
class Book:
    """A workbook: levels, quantities, kinds and masses by row of the sheet; rows that each formula adds."""

    levels: list[int]
    quantities: list[int]
    kinds: list[str]
    masses: list[float | None]
    adds: dict[str, set[int]] = field(default_factory=dict)
    cells: dict[str, Any] = field(default_factory=dict)
    may_keep_blank: bool = False  # a formula adds less than it reads, which a spreadsheet program alone knows

    @property
    def last(self) -> int:
        return len(self.levels) + 1

    def rows(self, kept: Callable[[int], bool]) -> set[int]:
        return {row for row in range(2, self.last + 1) if kept(row - 2)}

    def below(self, row: int) -> set[int]:
        """Return the rows of all parts of an assembly, at any depth."""
        end = row + 1
        while end <= self.last and self.levels[end - 2] > self.levels[row - 2]:
            end += 1
        return set(range(row + 1, end))

    def children(self, row: int) -> list[int]:
        return [one for one in sorted(self.below(row)) if self.levels[one - 2] == self.levels[row - 2] + 1]

    def mass(self, row: int) -> float:
        known = self.masses[row - 2]
        return sum(self.quantities[one - 2] * self.mass(one) for one in self.children(row)) if known is None else known

    def label(self, rows: set[int]) -> str:
        whole = {row for row in rows if self.masses[row - 2] is None}
        return "both" if any(self.below(row) & rows for row in whole) else "results" if whole else "parts"

    def add(self, formula: Any, rows: set[int], cell: str = "") -> None:
        cell = cell or f"Sum!B{len(self.adds) + 2}"
        self.cells[cell], self.adds[cell] = formula, rows

    def save(self, path: Path, *, is_filled: bool, dress: Callable[[openpyxl.Workbook], object]) -> None:
        made = openpyxl.Workbook()
        made.active.title = "BOM"
        made["BOM"].append(HEADS)
        above: list[str] = []
        for row in range(2, self.last + 1):
            level, name = self.levels[row - 2], f"P-{row:03}"
            above = [*above[: level - 1], name]
            mass = self.mass(row) if is_filled else self.masses[row - 2]
            parent = above[-2] if level > 1 else None
            made["BOM"].append([level, name, parent, self.kinds[row - 2], self.quantities[row - 2], mass])
        for name in ("Sum", "Calc"):
            made.create_sheet(name)
        for address, value in self.cells.items():
            sheet, _, cell = address.partition("!")
            made[sheet][cell] = value
        dress(made)
        made.save(path)


def drawn_book(draw: random.Random) -> tuple[Book, Callable[[openpyxl.Workbook], object]]:
    """Draw a tree, its formulas, and how the sheet is dressed: a table, names, an outline, hidden rows."""
    levels, book = [1], Book([], [], [], [])
    while len(levels) < draw.randint(8, 26):
        levels.append(draw.randint(2, min(levels[-1] + 1, 4)))
    for k, level in enumerate(levels):
        is_whole = k + 1 < len(levels) and levels[k + 1] > level
        book.levels.append(level)
        book.quantities.append(1 if k == 0 else draw.choice((1, 1, 2, 4)))
        book.kinds.append("assembly" if is_whole else draw.choice(KINDS))
        book.masses.append(None if is_whole else draw.randint(1, 400) / 8)
    makers = draw.sample(MAKERS, draw.randint(2, 5))
    for make in makers:
        make(book, draw)
    hides, outlines = draw.random() < 0.3, draw.random() < 0.4

    def dress(made: openpyxl.Workbook) -> None:
        sheet, last = made["BOM"], book.last
        sheet.add_table(Table(displayName="Parts", ref=f"A1:F{last}"))
        for name, letter in (("Masses", "F"), ("Kinds", "D")):
            made.defined_names[name] = DefinedName(name, attr_text=f"BOM!${letter}$2:${letter}${last}")
        for row in range(2, last + 1):
            sheet.row_dimensions[row].outlineLevel = (book.levels[row - 2] - 1) * outlines
            sheet.row_dimensions[row].hidden = hides and "Bolt" in book.kinds[row - 2]

    return book, dress


def make_range(book: Book, draw: random.Random) -> None:
    first = draw.randint(2, book.last)
    last = draw.randint(first, book.last)
    text = draw.choice(("SUM(BOM!F{}:F{})", "SUBTOTAL(9,BOM!$F{}:$F{})", "AVERAGE(BOM!F{}:F{},1)", "MAX(BOM!F{}:F{})"))
    book.add(f"={text.format(first, last)}*2", set(range(first, last + 1)))


def make_all(book: Book, draw: random.Random) -> None:
    end = book.last
    forms = (
        "SUM(BOM!F:F)", "SUM(Masses)", "SUM(Parts[Mass (kg)])", "SUMPRODUCT(BOM!E2:E{0},BOM!F2:F{0})",
        "SUBTOTAL(109,BOM!F2:F{0})", "SUMIF(BOM!F2:F{0},\">0\")", "SUMIFS(Masses,Kinds,\"*\")", "SUM(Calc!A2:A{0})",
    )  # fmt: skip
    text = draw.choice(forms).format(end)
    if "Calc" in text:
        book.cells |= {f"Calc!A{row}": f"=BOM!E{row}*BOM!F{row}" for row in range(2, end + 1)}
    book.may_keep_blank |= "109" in text or ">0" in text
    book.add(f"={text}", book.rows(lambda _: True))


def make_chain(book: Book, draw: random.Random) -> None:
    rows = draw.sample(range(2, book.last + 1), draw.randint(2, 4))
    book.add("=" + "+".join(f"BOM!F{row}" for row in rows), {*rows})


def make_children(book: Book, draw: random.Random) -> None:
    row = draw.choice([one for one in range(2, book.last + 1) if book.masses[one - 2] is None])
    book.add("=SUM(" + ",".join(f"BOM!F{one}" for one in book.children(row)) + ")", {*book.children(row)})


def make_kinds(book: Book, draw: random.Random) -> None:
    end = book.last
    forms: list[tuple[str, Callable[[str], bool]]] = [
        ("SUMIF(BOM!D:D,\"part\",BOM!F:F)", lambda kind: kind == "part"),
        ("SUMIF(BOM!D2:D{0},\"<>assembly\",BOM!F2)", lambda kind: kind != "assembly"),
        ("SUMIF(Kinds,\"bolt*\",Masses)", lambda kind: kind.lower().startswith("bolt")),
        ("SUMIFS(BOM!F2:F{0},BOM!D2:D{0},\"?OLT M?\",BOM!E2:E{0},\">=1\")", lambda kind: "olt" in kind),
        ("SUMIF(Parts[Kind],\"=part~~x\",Parts[Mass (kg)])", lambda kind: kind == "part~x"),
        ("SUMIF(BOM!$D$2:$D${0},Sum!$D$1,BOM!$F$2:$F${0})", lambda kind: kind == "harness"),
        ("AVERAGEIFS(BOM!F:F,BOM!D:D,\"<>\"&\"assembly\",BOM!E:E,\">0\")", lambda kind: kind != "assembly"),
        ("SUMIF(BOM!D:D,\"assembly\",BOM!F:F)", lambda kind: kind == "assembly"),
        ("SUMIF(BOM!D:D,\"nothing\",BOM!F:F)", lambda _: False),
        ("SUMIF(Calc!D2:D{0},\"part\",BOM!F2:F{0})", lambda _: True),
    ]  # fmt: skip
    text, fits = draw.choice(forms)
    book.cells["Sum!D1"] = "HARNESS"
    if "Calc" in text:  # criteria with formulas are not evaluated
        book.cells |= {f"Calc!D{row}": f"=BOM!D{row}" for row in range(2, end + 1)}
        book.may_keep_blank = True
        fits = str
    book.add(f"=IFERROR({text.format(end)},0)", book.rows(lambda k: fits(book.kinds[k])))


def make_levels(book: Book, draw: random.Random) -> None:
    level, end = draw.randint(1, 4), book.last
    text, fits = draw.choice((("=", int.__eq__), (">", int.__gt__), ("<=", int.__le__), ("<>", int.__ne__)))
    cell = f"D{len(book.adds) + 2}"
    criterion = draw.choice((f'"{text}{level}"', f'"{text}"&Sum!{cell}', f'"{text}"&{level}'))
    book.cells[f"Sum!{cell}"] = level
    book.add(f"=SUMIF(BOM!A2:A{end},{criterion},BOM!F2:F{end})", book.rows(lambda k: bool(fits(book.levels[k], level))))


def make_lookups(book: Book, draw: random.Random) -> None:
    row = draw.randint(2, book.last)
    forms = ('=VLOOKUP("{0}",BOM!B:F,5,FALSE)', '=INDEX(BOM!F:F,MATCH("{0}",BOM!B:B,0))', "=BOM!F{1}*9.81")
    book.add(draw.choice(forms).format(f"P-{row:03}", row), {row})


def make_array(book: Book, draw: random.Random) -> None:
    """A column of products in one array formula, and sums of some of its cells."""
    end = book.last
    ref = f"B2:B{end}"
    book.cells["Calc!B2"] = ArrayFormula(ref, f"=BOM!E2:E{end}*BOM!F2:F{end}")
    rows = set(draw.sample(range(2, end + 1), draw.randint(1, 3)))
    book.add("=" + "+".join(f"Calc!B{row}" for row in sorted(rows)), rows)
    if draw.random() < 0.5:
        row = draw.choice([one for one in range(2, end + 1) if book.masses[one - 2] is None])
        below = book.below(row)
        book.add(f"=SUM(Calc!B{min(below)}:B{max(below)})", below)


def make_single_array(book: Book, draw: random.Random) -> None:
    cell = f"Sum!B{len(book.adds) + 2}"
    first = draw.randint(2, book.last)
    text = f"=SUM(BOM!E{first}:E{book.last}*BOM!F{first}:F{book.last})"
    book.add(ArrayFormula(cell[4:], text), set(range(first, book.last + 1)))


MAKERS = [
    make_range, make_all, make_chain, make_children, make_kinds, make_kinds, make_levels, make_levels, make_lookups,
    make_array, make_single_array,
]  # fmt: skip


MADE: list[tuple[str, set[int], bool]] = [
    ("=SUM(OFFSET(BOM!F2,0,0,7,1))", {2, 3, 4, 5, 6, 7, 8}, False),
    ('=SUM(INDIRECT("BOM!F4:F5"))', {4, 5}, True),
    ("=BOM!F3/BOM!F2", {3}, False),
    ("=BOM!F2-SUM(BOM!F4:F5)", {2}, False),
    ('=SUMIFS(BOM!F:F,BOM!A:A,3,BOM!E:E,"<3")', {4, 5, 7}, False),
    ("=SUMIF(BOM!A2:A8,3,BOM!F2)+SUMIF(BOM!A3:A4,2,BOM!F6)", {4, 5, 6, 7, 8}, False),
    ('=SUMPRODUCT((BOM!D2:D8="part")*BOM!F2:F8)', {4, 7}, True),
    ("=_xlfn.MAXIFS(BOM!F:F,BOM!A:A,2)", {3, 6}, False),
    ('=SUM(SUMIF(BOM!D:D,{"part","harness"},BOM!F:F))', {4, 5, 7}, True),
    ('=COUNTIF(BOM!F2:F8,">1")', {2, 3, 4, 5, 6, 7, 8}, False),
    ('=COUNTIFS(BOM!A2:A8,3,BOM!F2:F8,">1")', {4, 5, 7, 8}, False),
    ("=SUM(Calc!C2:C3,Calc!D4:D5)", {2, 3, 4, 5}, False),
    ("=SUM(Calc!D4:D5,Calc!C7:D8)", {4, 5, 7, 8}, False),
    ("=SUM(Calc!E4)", {2, 3, 4, 5, 6, 7, 8}, False),
]
"""Formulas of the satellite below, rows that they add, and whether massprops may see more rows."""


def made_book(formula: str, rows: set[int], may_keep_blank: bool) -> Book:
    kinds = ["assembly", "assembly", "part", "harness", "assembly", "part", "bolt"]
    book = Book([1, 2, 3, 3, 2, 3, 3], [1, 1, 2, 1, 1, 1, 4], kinds, [None, None, 4.0, 3.5, None, 5.25, 2.0])
    book.add(formula, rows)
    book.may_keep_blank = may_keep_blank
    if "Calc!E" in formula:  # an array with a sum in every cell
        book.cells["Calc!E2"] = ArrayFormula("E2:E8", "=SUM(BOM!F2:F8)*BOM!E2:E8")
    elif "Calc" in formula:  # an array of two columns
        book.cells["Calc!C2"] = ArrayFormula("C2:D8", "=IF(BOM!E2:E8>0,ABS(BOM!F2:F8)*BOM!E2:E8)")
    return book


def calculated(folder: Path, out: str) -> None:
    """Let LibreOffice calculate all formulas of the workbooks of a folder."""
    (folder / out).mkdir()
    for path in folder.glob("*.xlsx"):
        with zipfile.ZipFile(path) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name, data in parts.items():
                new.writestr(name, SAVED.sub(rb"\1", data) if name.startswith("xl/worksheets/sheet") else data)
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "xlsx"]
    books = sorted(folder.glob("*.xlsx"))
    subprocess.run([*command, "--outdir", folder / out, *books], check=True, capture_output=True, timeout=900)


def values(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield each cell with a value."""
    for sheet in openpyxl.load_workbook(path, data_only=True):
        yield from ((f"{sheet.title}!{cell.coordinate}", cell.value) for row in sheet.iter_rows() for cell in row)


def is_same(one: Any, other: Any) -> bool:
    numbers = [0 if value is None else value for value in (one, other)]
    return numbers[0] == (
        pytest.approx(numbers[1], rel=1e-9, abs=1e-9) if isinstance(numbers[1], int | float) else numbers[1]
    )


@pytest.mark.parametrize("option", ["", "--fill-summed"])
def test_formulas_of_sixty_workbooks(massprops: Run, tmp_path: Path, option: str) -> None:
    draw, books = random.Random(18), {}
    for k in range(46 + len(MADE)):
        book, dress = drawn_book(draw) if k < 46 else (made_book(*MADE[k - 46]), str)
        books[f"b{k:02}.xlsx"] = book, dress
        for name, is_filled in (("given", False), ("truth", True)):
            (tmp_path / name).mkdir(exist_ok=True)
            book.save(tmp_path / name / f"b{k:02}.xlsx", is_filled=is_filled, dress=dress)
    for name in ("given", "truth"):
        calculated(tmp_path / name, "out")
    (tmp_path / "after").mkdir()
    outputs = {}
    for name in books:
        done = massprops(
            "rollup", tmp_path / "given/out" / name, "-o", tmp_path / "after" / name, "-v", *option.split()
        )
        assert done.exit_code == 0, f"{name}: {done.output}"
        outputs[name] = done.output
    calculated(tmp_path / "after", "out")
    faults = {
        name: (found, book.cells)
        for name, (book, _) in books.items()
        if (found := [*differences(book, tmp_path, name, outputs[name], bool(option))])
    }
    assert faults == {}


def differences(book: Book, folder: Path, name: str, output: str, is_summed: bool) -> Iterator[str]:
    """Yield what is not as the arithmetic of this test has it."""
    before, after, truth = (dict(values(folder / one / "out" / name)) for one in ("given", "after", "truth"))
    found = re.search(r"MP135\W.*?: (.*)", output)
    named = found[1].split(" [")[0].replace(" and ", ", ").split(", ") if found else []
    both = {cell for cell, rows in book.adds.items() if book.label(rows) == "both"}
    if missing := both.difference(named) if len(named) < 6 else set():
        yield f"not reported: {missing}"
    if not both and not book.may_keep_blank and found:
        yield f"reported: {named}"
    for row in range(2, book.last + 1):
        if not found and not is_same(after[f"BOM!F{row}"], book.mass(row)):
            yield f"BOM!F{row} is not filled"
    for cell, rows in book.adds.items():
        label, is_kept = book.label(rows), is_same(before[cell], after[cell])
        if label == "parts" and not is_kept:
            yield f"{cell}: {before[cell]} became {after[cell]}"
        if label == "results" and not found and not is_same(after[cell], truth[cell]):
            yield f"{cell}: {after[cell]} is not {truth[cell]}"
        if label == "both" and not is_summed and not is_kept:
            yield f"{cell}: {before[cell]} became {after[cell]}"
        if label == "both" and is_summed and not is_same(after[cell], truth[cell]):
            yield f"{cell}: {after[cell]} is not {truth[cell]}, with all cells filled"
