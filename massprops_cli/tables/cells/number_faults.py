"""Why a cell is not a number, in words, and what to write instead."""

from __future__ import annotations

import re
from typing import NamedTuple

from massprops_cli.tables.cells.number_text import BLANK_CHARACTERS, NUMBER_PATTERN, PLAIN_NUMBER

_MONTHS = "jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez"
"""How months begin in English and German: Excel converts some numbers to dates."""


class NumberFault(NamedTuple):
    """Why a cell is not a number: rule, message after the name of the cell, remedy (None: that of the rule)."""

    rule: str
    message: str
    remedy: str | None = None


class _FaultForm(NamedTuple):
    """A form that is not a number; message and remedy may name the pattern's groups and the whole ``{text}``."""

    pattern: str
    message: str
    remedy: str | None = None
    rule: str = "MP205"


_FAULT_FORMS = (
    _FaultForm(r"#(?:[A-Z/0]+[!?]|N/A|GETTING_DATA)", "is a spreadsheet error: {text}", rule="MP117"),
    _FaultForm(r"[+-]?(?:inf|infinity|∞)", "is not finite: {text}", rule="MP407"),
    _FaultForm(
        r"n/?a|n\.a\.|nan|null|none|nil|--?|–|—|\?+|tbd|tbc|unknown|x",
        "is not a number: {text}",
        "clear the cell if the value is unknown; a blank is a missing value",
    ),
    _FaultForm(r"true|false", "is a truth value, not a number: {text}", "write the number"),
    _FaultForm(
        r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[T ].*)?|[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2,4}",
        "is a date, not a number: {text}",
        "enter the number again in a cell formatted as a number",
    ),
    _FaultForm(
        rf"(?:[0-9]{{1,2}}[-. ]*)?(?:{_MONTHS})[a-z]*[-. ]*[0-9]{{0,4}}|[0-9:]+:[0-9]{{2}}",
        "is a date or a time, not a number: {text}",
        "enter the number again in a cell formatted as a number",
    ),
    _FaultForm(
        r"[+-]?(?:[0-9]+[- ])?[0-9]+/[0-9]+",
        "is ambiguous: {text} (a fraction, a date or a ratio)",
        "write a decimal number",
    ),
    _FaultForm(
        r"(?P<whole>[+-]?[1-9][0-9]{0,2}),(?P<rest>[0-9]{3})(?P<exponent>(?:e[+-]?[0-9]+)?)",
        "is ambiguous: {text} ({whole}{rest}{exponent} or {whole}.{rest}{exponent})",
        "write the number without a comma, with a decimal point",
    ),
    _FaultForm(
        r"(?P<whole>[+-]?[0-9]*),(?P<rest>[0-9]+(?:e[+-]?[0-9]+)?)",
        "has a decimal comma: {text}",
        "write {whole}.{rest}, with a decimal point",
    ),
    _FaultForm(
        r"[+-]?[0-9]{1,3}(?:[ ,'’.\u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?(?:e[+-]?[0-9]+)?",
        "has a separator between digits: {text}",
        "write the digits without a separator",
    ),
    _FaultForm(
        r"[+-]?[0-9.]*_[0-9._]*(?:e[+-]?[0-9_]+)?",
        "has an underscore between digits: {text}",
        "write the digits without a separator",
    ),
    _FaultForm(r"[+-]?[0-9]+(?:\.[0-9]*){2,}", "has more than one point: {text}"),
    _FaultForm(
        rf"{NUMBER_PATTERN}[^\W\d_]*\s*(?:[-‐‑–—−~]|\.\.+|…|to|bis)\s*{NUMBER_PATTERN}\s*[^\W\d_]*",
        "is a range, not one number: {text}",
        "write one number; enter bounds in columns such as mass_min and mass_max",
    ),
    _FaultForm(
        rf"(?P<number>{NUMBER_PATTERN})\s*[-−–]",
        "has a trailing sign: {text}",
        "write -{number} if the number is negative",
    ),
    _FaultForm(
        r"[+-]?(?=[^0-9]*[0-9]|[OolI|.,]+)[0-9OolI|SB]*[.,]?[0-9OolI|SB]+",
        "has letters that look like digits: {text}",
        "enter the number again in digits",
    ),
    _FaultForm(
        rf"(?P<number>{NUMBER_PATTERN})\s*(?:[*†‡§#^]+|[⁰¹²³⁴-⁹]+|\(?[0-9a-z]\)|\([^)]*\)|\[[^]]*\])",
        "has text after the number: {text}",
        "write only {number} if that is the number",
    ),
    _FaultForm(
        rf"{NUMBER_PATTERN}\s*[^\W\d_]+\.?\s+{NUMBER_PATTERN}\s*[^\W\d_]+",
        "is written in two units: {text}",
        "write it in one unit",
    ),
    _FaultForm(
        rf"[−‐‑–—﹣－](?P<rest>{NUMBER_PATTERN})",
        "has a minus sign other than the ASCII hyphen-minus: {text}",
        "write -{rest}",
    ),
    _FaultForm(
        r"(?P<mantissa>[+-]?[0-9.]+)d(?P<exponent>[+-]?[0-9]+)",
        "has a Fortran exponent: {text}",
        "write {mantissa}e{exponent}",
    ),
    _FaultForm(r"[+-]?0x[0-9a-f]+", "is a hexadecimal number: {text}", "write it in decimal digits"),
    _FaultForm(
        r"[~≈≃∼].*|(?:ca|approx|about)\b.*|.*[0-9]\s*\?",
        "is an estimate, not a plain number: {text}",
        "write only the number, and its uncertainty in a sigma column",
    ),
    _FaultForm(r"[<>≤≥].*", "is a limit, not a number: {text}", "write the number to use"),
    _FaultForm(r".*(?:±|\+/-).*", "has a tolerance: {text}", "enter the tolerance in a sigma column"),
    _FaultForm(rf"'(?P<rest>{NUMBER_PATTERN})", "is marked as text by a leading apostrophe: {text}", "write {rest}"),
    _FaultForm(
        rf"\((?P<rest>{NUMBER_PATTERN})\)",
        "is a number in brackets: {text}",
        "write -{rest} if the number is negative",
    ),
    _FaultForm(
        rf"(?P<number>{NUMBER_PATTERN})\s*(?P<unit>[^\W\d_][^\d]*[0-9²³]?|[\"'%″′]|°.*)",
        "has a unit, {unit}: {text}",
        "write {number}, and the unit in the header",
    ),
    _FaultForm(r"=.*", "is a formula, not a number: {text}", "write the result of the formula"),
)


def number_fault(text: str) -> NumberFault:
    """State why a cell is not a number, in words that go after its name, and what to write instead.

    >>> number_fault("3 kg").message
    'has a unit, kg: 3 kg'
    >>> number_fault("1,234").message
    'is ambiguous: 1,234 (1234 or 1.234)'
    >>> number_fault("1e999").rule
    'MP221'
    """
    bare = text.strip(BLANK_CHARACTERS)
    line = displayed_text(bare)
    if re.search(r"[\r\n]", bare):
        return NumberFault("MP205", f"has a line break: {line}", "write one number in the cell")
    if PLAIN_NUMBER.fullmatch(bare):
        size = "small" if abs(float(bare)) < 1 else "large"
        return NumberFault("MP221", f"is too {size} for double precision: {line}")
    if len(bare) > 100:
        return NumberFault("MP205", f"is not a number: {line}")
    for fault in _FAULT_FORMS:
        match = re.fullmatch(fault.pattern, bare, re.IGNORECASE | re.DOTALL)
        if match:
            named = {name: displayed_text(part) for name, part in match.groupdict().items()} | {"text": line}
            remedy = None if fault.remedy is None else fault.remedy.format_map(named)
            return NumberFault(fault.rule, fault.message.format_map(named), remedy)
    return _character_fault(bare) or NumberFault("MP205", f"is not a number: {line}")


def _character_fault(bare: str) -> NumberFault | None:
    """Report characters that resemble the correct ones."""
    visible = "".join(c for c in bare if c.isprintable() and c != "\u00ad")
    if visible != bare and PLAIN_NUMBER.fullmatch(visible):
        hidden = ", ".join(sorted({f"U+{ord(c):04X}" for c in bare if c not in visible}))
        return NumberFault("MP205", f"has invisible characters ({hidden}): {visible}", "enter the number again")
    if any(c.isnumeric() and not c.isascii() for c in bare):
        return NumberFault("MP205", f"has digits other than 0 to 9: {displayed_text(bare)}", "write the digits 0 to 9")
    return None


def displayed_text(bare: str, most: int = 40) -> str:
    """Show a cell's text on one line, not endlessly long."""
    line = bare if bare.isprintable() else ascii(bare)[1:-1]
    return line if len(line) <= most else f"{line[:most]}… ({len(bare)} characters)"
