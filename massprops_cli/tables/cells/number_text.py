"""The strict number: which characters are one, how finely it is written, what double precision loses.

A number is ``[+-]?(digits[.digits] | .digits)[(e|E)[+-]digits]`` in ASCII digits, blanks around it trimmed,
finite, and not a non-zero text that double precision turns into 0. Python's ``float`` takes more (``1_000``,
``nan``, ``٣``), so the characters are looked at first.
"""

from __future__ import annotations

import math
import re

BLANKS = " \t\u00a0\u2007\u202f"
"""What is trimmed around a number: spaces, tabs and the no-break spaces."""

# without possessive quantifiers, which Python 3.11.2 gets wrong: there "1e" would match
PATTERN = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER = re.compile(PATTERN)
_PARTS = re.compile(r"[+-]?[0-9]*\.?(?P<decimals>[0-9]*)(?:[eE](?P<exponent>[+-]?[0-9]+))?")


def read_number(text: str) -> float | None:
    """Read one cell as a number; None where it is blank, no number, or lost in double precision.

    >>> read_number(" 12.50 "), read_number("1e3"), read_number("1_000"), read_number("nan")
    (12.5, 1000.0, None, None)
    """
    bare = text.strip(BLANKS)
    if not NUMBER.fullmatch(bare):
        return None
    value = float(bare)
    return None if math.isinf(value) or (value == 0.0 and is_written_nonzero(bare)) else value


def is_number(text: str) -> bool:
    """Tell whether a cell's characters are a number.

    >>> is_number("-.5"), is_number("1,5")
    (True, False)
    """
    return NUMBER.fullmatch(text.strip(BLANKS)) is not None


def half_unit_of_last_digit(text: str) -> float:
    """Give half a unit of the last digit written, in the unit of the cell; 0 for what is no number.

    >>> half_unit_of_last_digit("12.50"), half_unit_of_last_digit("1e3"), half_unit_of_last_digit("-")
    (0.005, 500.0, 0.0)
    """
    bare = text.strip(BLANKS)
    parts = _PARTS.fullmatch(bare) if NUMBER.fullmatch(bare) else None
    if parts is None:
        return 0.0
    exponent = parts["exponent"] or "0"
    if len(exponent) > 6:
        return 0.0
    return float(f"5e{int(exponent) - len(parts['decimals']) - 1}")


def is_written_nonzero(bare: str) -> bool:
    """Tell whether a number's text has a digit other than 0 before its exponent."""
    mantissa = re.split("[eE]", bare, maxsplit=1)[0]
    return any(digit in mantissa for digit in "123456789")
