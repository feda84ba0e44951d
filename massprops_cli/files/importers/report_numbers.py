"""Numbers in a report, whose decimal sign is that of the machine which wrote it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from massprops_cli.findings import Place, TableError, found

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Numbers:
    """How one report writes numbers: its decimal sign; the other of ``.`` and ``,`` groups thousands."""

    decimal: str
    place: Place

    def value(self, text: str) -> float:
        """Read one number; raises TableError where it is none.

        >>> Numbers(",", Place("report.txt")).value("1.234,5")
        1234.5
        """
        other = "," if self.decimal == "." else "."
        bare = text.replace(other, "").replace(self.decimal, ".")
        value = float(bare) if _PLAIN.fullmatch(bare) else math.nan
        if not math.isfinite(value):
            raise TableError([found("MP205", f"{text!r} is not a number", self.place)])
        return value

    def stated(self, label: str, text: str, start: int) -> float:
        """Read the number behind ``label =``, the first from ``start`` on; raises TableError where there is none."""
        stated = re.compile(rf"\b{label}\s*=\s*(\S+)").search(text, start)
        if not stated:
            raise TableError([found("MP212", f"the report states no {label}", self.place)])
        return self.value(stated.group(1).strip("|"))


def numbers_of(text: str, place: Place) -> Numbers:
    """Find the decimal sign of a report; raises TableError where its numbers have two readings.

    >>> numbers_of("Mass = 1,25 kilograms", Place("report.txt")).decimal
    ','
    """
    stated = [match for match in _NUMBER.findall(" ".join(re.findall(r"=\s*(\S+)", text))) if re.search("[.,]", match)]
    signs = {decimal_sign(number) for number in stated} - {""}
    if len(signs) == 1:
        return Numbers(signs.pop(), place)
    if signs or any("," in number for number in stated):
        example = next((number for number in stated if "," in number), stated[0])
        remedy = "write the report with points as decimal signs"
        raise TableError([found("MP205", f"{example} can be read as two numbers", place, remedy=remedy)])
    return Numbers(".", place)


def decimal_sign(number: str) -> str:
    """Give the decimal sign that a number shows by itself; empty where it could group thousands as well.

    >>> [decimal_sign(text) for text in ("1,234.5", "1.234,5", "0,25", "12.5", "1,234", "1,234,567")]
    ['.', ',', ',', '.', '', '.']
    """
    last, other = (",", ".") if number.rfind(",") > number.rfind(".") else (".", ",")
    if number.count(last) > 1:
        return other
    if other in number:
        return last
    whole, _, rest = number.lstrip("+-").partition(last)
    digits = re.split("[eE]", rest)[0]
    return "" if len(digits) == 3 and 1 <= len(whole) <= 3 and whole.strip("0") else last
