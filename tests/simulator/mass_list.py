"""The specification of a drawn list: its parts with known masses, and how its author wrote it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from tests.simulator.headings import BUDGETS, SETS, BudgetSet, HeadingSet
from tests.simulator.languages import LANGUAGES, Language

KILOGRAMS = {
    "kg": Decimal(1),
    "g": Decimal("0.001"),
    "t": Decimal(1000),
    "lb": Decimal("0.45359237"),
    "oz": Decimal("0.45359237") / 16,
}
MILLIMETRES = {"mm": Decimal(1), "m": Decimal(1000), "in": Decimal("25.4"), "cm": Decimal(10)}


@dataclass(frozen=True)
class Item:
    """A part, or a group with parts: the mass is that of one piece, in the digits and the unit of the list."""

    key: int
    name: str
    mass: Decimal = Decimal(0)
    unit: str = "kg"
    quantity: int = 1
    growth: Decimal = Decimal(0)
    place: tuple[Decimal, ...] = ()
    style: str = "plain"
    children: tuple[Item, ...] = ()

    @property
    def parts(self) -> Iterator[Item]:
        """Parts without parts of their own, in the order of the list."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.parts

    @property
    def piece(self) -> Decimal:
        """Mass of one piece, in the unit of the list."""
        return (
            sum((child.piece * child.quantity for child in self.children), Decimal(0)) if self.children else self.mass
        )

    @property
    def row(self) -> Decimal:
        """Mass of all pieces of the row."""
        return self.piece * self.quantity

    @property
    def piece_predicted(self) -> Decimal:
        """Mass of one piece with growth, exact."""
        if self.children:
            return sum((child.piece_predicted * child.quantity for child in self.children), Decimal(0))
        return self.mass * (1 + self.growth / 100)


@dataclass(frozen=True)
class MassList:
    """A list with known truth; each field but the first six has a plain value, to which the shrinker returns."""

    kind: str
    seed: int
    items: tuple[Item, ...]
    headings: int
    pick: int
    masses: str  # piece, row, both, row first; word piece; word row; budget
    unit: str = "kg"
    hierarchy: str = "none"  # group column, headings, parents, levels, dotted, indented, sums, statement
    quantities: bool = True
    unit_at: str = "heading"  # heading, cells, column, title, units row
    sums: str = "none"  # below, above
    sum_names: str = "words"  # words, bare, blank, group
    total: bool = False
    total_at: str = "name"  # name, next to the mass
    total_cells: str = "all"  # all, row
    budget: int = 0
    budget_columns: tuple[str, ...] = ()
    share_sign: bool = False
    margin_percent: int = 0
    limit: bool = False
    axes: tuple[int, ...] = ()
    one_axis: bool = False
    length: str = "mm"
    others: tuple[str, ...] = ()
    group_once: bool = False
    shuffled: bool = False
    level_start: int = 0
    level_dots: bool = False
    trailing_dot: bool = False
    titles: int = 0
    notes: int = 0
    blank_rows: int = 0
    pages: int = 0
    blank_column: bool = False
    running_numbers: bool = False
    file_format: str = "csv"
    delimiter: str = ","
    decimal_mark: str = "."
    formulas: bool = False
    block_quote: bool = False
    ambiguity: str = ""

    @property
    def words(self) -> HeadingSet:
        """The set of headings."""
        return SETS[self.headings]

    @property
    def budget_words(self) -> BudgetSet:
        """The set of headings of a budget."""
        return BUDGETS[self.budget]

    @property
    def language(self) -> Language:
        """The words of the list's language."""
        return LANGUAGES[self.words.language]

    @property
    def parts(self) -> list[Item]:
        """All parts without parts of their own."""
        return [part for item in self.items for part in item.parts]

    def choice(self, role: str, words: tuple[str, ...]) -> str:
        """One of several words, always the same for a role, whatever else changes."""
        return random.Random(f"{self.pick}-{role}").choice(words)


@dataclass(frozen=True)
class Truth:
    """What every engineer reads in a list; alternatives are the totals of an ambiguous one, in kg."""

    mass: Decimal
    tolerance: Decimal
    predicted: Decimal | None
    predicted_tolerance: Decimal
    center: tuple[Decimal | None, ...]
    parts: int
    alternatives: tuple[Decimal, ...] = ()
    all_alternatives: bool = False


def walk(items: tuple[Item, ...], depth: int = 0) -> Iterator[tuple[Item, int]]:
    """Items with their depth, parents first."""
    for item in items:
        yield item, depth
        yield from walk(item.children, depth + 1)
