"""One condition on a column, as it is typed: ``subsystem = Power``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings import UsageError
from massprops_cli.findings.nearest import nearest
from massprops_cli.tables.cells.number_text import BLANKS, read_number
from massprops_cli.tables.columns.columns import Columns

Mask = NDArray[np.bool_]

ORDERED = ("<", "<=", ">", ">=")
ORDERS: dict[str, Callable[[NDArray[np.float64], float], Mask]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_FORM = re.compile(
    r"""\s*(?P<column>"[^"]+"|'[^']+'|.+?)\s*(?:(?P<sign>!=|<=|>=|=|<|>|~)|\bin\b(?=\s*\())\s*(?P<value>.*)""",
    re.DOTALL | re.IGNORECASE,
)
_LISTED = re.compile(r"""(?:"[^"]*"|'[^']*'|[^,])+""")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a column: ``sign`` is ``= != < <= > >= ~`` or ``in``; ``values`` are what it compares with."""

    text: str
    column: str
    sign: str
    values: tuple[str, ...]

    @property
    def asks_for_blanks(self) -> bool:
        """Whether blank cells are what is asked for, as in ``subsystem =``."""
        return self.sign in ("=", "in") and "" in self.values

    def on_texts(self, cells: Sequence[str]) -> list[bool]:
        """Tell which of some cells meet it as texts, blanks around them trimmed; each distinct text is looked at once.

        >>> read_condition("subsystem ~ pow").on_texts(["Power", " POW 2", "Thermal", ""])
        [True, True, False, False]
        """
        part = self.values[0].casefold()
        tests: dict[str, Callable[[str], bool]] = {
            "=": lambda cell: cell == self.values[0],
            "!=": lambda cell: cell != self.values[0],
            "in": lambda cell: cell in self.values,
            "~": lambda cell: part in cell.casefold(),
        }
        test = tests[self.sign]
        known = {cell: test(cell.strip(BLANKS)) for cell in set(cells)}
        return [known[cell] for cell in cells]


def read_condition(text: str) -> Condition:
    """Read a condition; raises UsageError where it is none.

    >>> read_condition("mass >= 2.5").sign
    '>='
    >>> read_condition("subsystem in (Power, Thermal)").values, read_condition('"A = B" = c').column
    (('Power', 'Thermal'), 'A = B')
    """
    form = _FORM.fullmatch(text)
    if form is None:
        remedy = 'it takes a column, = != < <= > >= ~ or in, and a value: --where "subsystem = Power"'
        raise UsageError(f"--where is {text}; {remedy}")
    column, sign, value = bare(form["column"]), form["sign"] or "in", form["value"].strip(BLANKS)
    if sign == "in":
        if not value.endswith(")"):
            raise UsageError(f"--where is {text}; the list is not closed: subsystem in (Power, Thermal)")
        return Condition(text, column, sign, tuple(map(bare, _LISTED.findall(value[1:-1]))))
    value = bare(value)
    if sign in ORDERED and read_number(value) is None:
        raise UsageError(f"--where is {text}; {sign} compares numbers, and {value or 'nothing'} is none")
    if sign == "~" and not value:
        raise UsageError(f"--where is {text}; every cell contains nothing; say what it is to contain")
    return Condition(text, column, sign, (value,))


def bare(text: str) -> str:
    """Take blanks and one pair of quotes off.

    >>> bare(" 'a b' "), bare('"')
    ('a b', '"')
    """
    text = text.strip(BLANKS)
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def column_of(condition: Condition, columns: Columns) -> int:
    """Find the column that a condition is on, by its header or by the quantity that it is read as."""
    header = [text.strip() for text in columns.header]
    same = [j for j, text in enumerate(header) if text == condition.column]
    if not same and condition.column in columns.by_quantity:
        return columns.by_quantity[condition.column].index
    same = same or [j for j, text in enumerate(header) if text.casefold() == condition.column.casefold()]
    if len(same) == 1:
        return same[0]
    if same:
        raise UsageError(f"--where {condition.text}: {len(same)} columns are called {condition.column}; rename one")
    hint = nearest(condition.column, [*header, *columns.by_quantity])
    hint = hint or f"; the columns are {', '.join(text for text in header if text)}"
    raise UsageError(f"--where {condition.text}: the table has no such column{hint}")
