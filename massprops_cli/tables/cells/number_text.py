"""One cell of a number column, from its characters to a number, its unit and its marks, or the reason why it has none.

A strict number is ``[+-]?(digits[.digits] | .digits)[(e|E)[+-]digits]`` in ASCII digits, blanks around it trimmed,
finite, and not a non-zero text that double precision turns into 0; Python's ``float`` takes more (``1_000``, ``nan``).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from massprops_cli.tables.cells.units import LENGTH, MASS, MAX_UNIT_LENGTH, Unit, read_unit


@cache
def words(subject: str) -> dict[str, Any]:
    """Load the words of one subject."""
    subjects: dict[str, dict[str, Any]] = _all_words()
    return subjects[subject]


@cache
def word_set(subject: str, *keys: str) -> frozenset[str]:
    """Return the texts at a place of the words of a subject, in lower case."""
    found: Any = words(subject)
    for key in keys:
        found = found[key]
    entries = found if isinstance(found, list) else [found]
    texts = (text for one in entries for text in (one["texts"] if isinstance(one, dict) else [one]))
    return frozenset(text.casefold() for text in texts)


@cache
def _all_words() -> Any:
    """Load the words of all subjects."""
    import json

    return json.loads((Path(__file__).parents[1] / "words.json").read_text("utf-8"))


BLANK_CHARACTERS = " \t\u00a0\u2007\u202f"  # what is trimmed around a number: spaces, tabs and the no-break spaces

# without possessive quantifiers, which Python 3.11.2 gets wrong: there "1e" would match
NUMBER_PATTERN = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
PLAIN_NUMBER = re.compile(NUMBER_PATTERN)  # -1.5e3
# 1.50e3: decimals 50, exponent 3
_NUMBER_PARTS = r"[+-]?[0-9]*\.?(?P<decimals>[0-9]*)(?:[eE](?P<exponent>[+-]?[0-9]+))?"


def read_number(text: str) -> float | None:
    """Parse one cell as a strict number."""
    bare = text.strip(BLANK_CHARACTERS)
    if not PLAIN_NUMBER.fullmatch(bare):
        return None
    value = float(bare)
    return None if math.isinf(value) or (value == 0.0 and has_nonzero_digit(bare)) else value


def is_number(text: str) -> bool:
    """Return whether a cell is written as a strict number."""
    return PLAIN_NUMBER.fullmatch(text.strip(BLANK_CHARACTERS)) is not None


_MEASURE = re.compile(r"[≈~<≤±+-]?\s?\d[\d.,]*\s?[^\W\d]{1,3}[²³]?")  # 6.5 L


def is_measure(text: str) -> bool:
    """Return whether a text is a number, also with a unit or a percent sign."""
    bare = text.strip().removesuffix("%")
    return read_number(bare) is not None or _MEASURE.fullmatch(bare) is not None


def half_unit_of_last_digit(text: str) -> float:
    """Compute half a unit of the last digit written."""
    bare = text.strip(BLANK_CHARACTERS)
    parts = re.fullmatch(_NUMBER_PARTS, bare) if PLAIN_NUMBER.fullmatch(bare) else None
    if parts is None:
        return 0.0
    if len(exponent := parts["exponent"] or "0") > 6:
        return 0.0
    return float(f"5e{int(exponent) - len(parts['decimals']) - 1}")


def has_nonzero_digit(bare: str) -> bool:
    """Return whether a number has a digit other than 0 before its exponent."""
    mantissa = re.split("[eE]", bare, maxsplit=1)[0]
    return any(digit in mantissa for digit in "123456789")


_SEPARATOR_MARKS = ",'’ \u00a0\u2007\u2009\u202f"  # separators between groups of digits

_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"  # e-3, or nothing


@cache
def _separated_number_pattern(decimal: str) -> re.Pattern[str]:
    """Compile the pattern of a number with a decimal mark, the other one between its groups."""
    point, others = re.escape(decimal), _SEPARATOR_MARKS if decimal == "." else _SEPARATOR_MARKS.replace(",", ".")
    grouped = rf"[1-9][0-9]{{0,2}}(?P<mark>[{others}])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
    return re.compile(rf"[+-]?(?:(?:{grouped}|[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+){_EXPONENT}")


class DecimalReadings(NamedTuple):
    """A text as a strict number, read with a decimal point and with a decimal comma; empty where it cannot be."""

    point: str
    comma: str

    def by(self, decimal: str) -> str:
        """Select the reading with one decimal mark."""
        return self.comma if decimal == "," else self.point

    @property
    def only(self) -> str:
        """Return the decimal mark of the only reading; empty where there are two numbers, one for both, or none."""
        return "" if bool(self.point) == bool(self.comma) else "," if self.comma else "."


@lru_cache(maxsize=4096)
def decimal_readings(text: str) -> DecimalReadings:
    """Read a text with a decimal point and with a decimal comma."""
    read = {}
    for decimal in (".", ","):
        match = _separated_number_pattern(decimal).fullmatch(text)
        bare = "" if match is None else text.replace(match["mark"], "") if match["mark"] else text
        read[decimal] = bare.replace(",", ".")
    return DecimalReadings(read["."], read[","])


def common_decimal_mark(texts: Iterable[str]) -> str:
    """Find the only decimal mark of trimmed cells (n,); empty where no text requires one, or two contradict."""
    only = {decimal_readings(text).only for text in texts} - {""}
    return only.pop() if len(only) == 1 else ""


_PLAIN_SIGNS = str.maketrans({"−": "-", "－": "-", "﹣": "-", "＋": "+", "．": ".", "，": ","})


def _plain_number_text(text: str) -> str:
    """Write a number, and the text after it, in plain digits; return any other text unchanged."""
    bare = text if text.isascii() else ("".join(str(unicodedata.decimal(c, c)) for c in text.translate(_PLAIN_SIGNS)))
    if bare[:1] == "'" and bare[1:2] in "+-.0123456789" and bare[1:].strip():
        bare = bare[1:]
    return bare


class CellRules(NamedTuple):
    """What is known of a column before its cells are read."""

    decimal: str = ""  # , or . as stated with --decimal
    approximate: bool = False  # ~3 is 3 by the user's word
    unit: Unit | None = None  # into which cells that name a unit are converted; None where the column has none
    in_cells: bool = False  # every cell names a unit, and nothing else states it
    of_measure: str = ""  # quantity: a cell may name what it counts (4 pcs, 3 m); mass: be of one such unit (1.2 kg/m)
    shown: str = ""  # decimal mark of the other columns, where the column itself shows none
    mass_is: str = ""  # what 140 g (×4) is: each or line, as stated with --mass-is


DEFAULT_CELL_RULES = CellRules()


INVISIBLE_CHARACTERS = dict.fromkeys(
    map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff")
)
"""Characters without width: the soft hyphen, joiners, marks of direction, the byte order mark."""
_EDGE_CHARACTERS = BLANK_CHARACTERS + "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u3000\r\n"

_LONGEST_MARKED, _LONGEST_REMARKED = 60, 300  # characters of a number with its marks, and with its remark
_ESTIMATE_WORDS = (
    "est|estim|estimate|estimated|approx|approximate|approximately|ca|circa|about|roughly|guess|assumed|tbc|gesch|geschätzt|etwa|"
    "rund|ungefähr|env|environ|estimé|estimée|aprox|estimado|estimada|stimato|stimata|około|估计|估算|推定|概算"
)
"""Before a number, after it, and in brackets: common usage and dictionaries, as in ``words/remarks.toml``."""
# ~3, ca. 3, est. 3
_ESTIMATE_MARK = rf"(?i)(?:[~≈≃∼约約약]|(?:{_ESTIMATE_WORDS})(?:\.|\b))\s*(?=[+-]?[.,]?[0-9])"
_ESTIMATE_AFTER = rf"(?i)(?P<cell>.*[0-9].*?)\s*(?<=\s)[*_]*(?:{_ESTIMATE_WORDS})\.?[*_]*"  # 3 kg est.
# 3*, 3 kg †, 3 [1], 3 ¹⁾, 3 ¹
_FOOTNOTE_AFTER = r"(?P<cell>.*[0-9].*?)\s*(?:[*†‡§¶]{1,3}|\[[0-9]{1,2}\]|[¹²³]⁾|(?<=\s)[¹²³⁴-⁹]+)"
# 4 × 5.5 kg = 22 kg
_PRODUCT = (
    rf"(?i)(?P<first>[0-9.,]+)\s*[x×·*]\s*(?P<second>[0-9.,]+)\s*(?P<unit>[^\W\d_]*)\s*=\s*"
    rf"(?P<result>[0-9.,{_SEPARATOR_MARKS}]*[0-9])\s*(?P<other>[^\W\d_]*)"
)
_PRODUCT_AFTER = r"^([^()=]*[^()=\s])\s*\(([0-9.,]+\s*[x×·*]\s*[0-9][^()=]*)\)$"  # 22 kg (4 × 5.5)
_COUNT_AFTER = r"(?i)(?P<cell>.*[0-9].*?)\s*\((?:[x×]\s*(?P<n>[0-9]+)|(?P<m>[0-9]+)\s*[x×])\)"  # 140 g (×4)
_TIMES_AFTER = (
    r"(?i)^([0-9]*(?:[.,][0-9]+\s*|[.,]?[0-9]+\s*[^\W\d_]{1,6}\s+))[x×]\s*([1-9][0-9]?)$"  # 20.0 × 4, 140 g ×4
)
# 552 g (92 per leg), 168 g (~28 g each)
_OF_EACH = (
    rf"(?i)(?P<cell>(?P<sum>{NUMBER_PATTERN})\s*(?P<unit>[^\W\d_]*))\s*\((?:{_ESTIMATE_MARK.removeprefix('(?i)')})?"
    rf"(?P<each>{NUMBER_PATTERN})\s*(?P<other>[^\W\d_]*?)\s*"
    r"(?:(?P<word>/|(?:each|ea|per|je|pro|par|por|apiece)\b)[^()0-9]*|[^\W\d_]+\s[^()0-9]*)\)"
)
OF_ROW = (math.inf, math.inf)  # factors of a mass of the whole row, whatever its quantity: 3 g total
# 1,234.5 kg: number and unit
_CELL_PARTS = re.compile(
    rf"(?P<number>[+-]?[0-9.,](?:[0-9.,{_SEPARATOR_MARKS}]*[0-9.,])?(?:[eE][+-]?[0-9]+)?)"
    rf"[{BLANK_CHARACTERS}\u2009]*(?P<unit>(?:(?:/\s?)?[^\W\d_]|[\"'″′]$).*)?"
)


class CellText(NamedTuple):
    """A cell's ``number``, the ``unit`` and ``remark`` after it; whether ``estimated``, with ``hidden`` marks.

    ``otherwise``: it was put into plain digits. ``factors``: of a product, or the one of ``140 g (×4)``.
    """

    number: str
    unit: str = ""
    estimated: bool = False
    hidden: bool = False
    otherwise: bool = False
    factors: tuple[float, ...] = ()
    remark: str = ""


WIDE_BRACKETS = str.maketrans("（）［］｛｝", "()[]{}")  # those of Chinese and Japanese keyboards
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?P<text>[^*_]+)\1")  # **12**


def visible_text(text: str) -> str:
    r"""Remove characters without width, blanks and line breaks at both ends, and the marks of bold text."""
    bare = text.translate(INVISIBLE_CHARACTERS).strip(_EDGE_CHARACTERS)
    if bare[:1] in "*_" and (match := _EMPHASIS.fullmatch(bare)) is not None:
        return match["text"].strip(_EDGE_CHARACTERS)
    return bare


_EMPHASIS_WITHIN = r"(?<![^\s(])(\*{1,3}|_{1,3})(?=\S)(?P<text>[^*_]*[^*_\s])\1(?![^\s).,;])"  # 0.195 *(est.)*


@lru_cache(maxsize=4096)
def split_cell_text(text: str) -> CellText:
    """Split a cell into number, unit and marks."""
    bare = visible_text(text).translate(WIDE_BRACKETS)
    bare = re.sub(_EMPHASIS_WITHIN, r"\g<text>", bare) if "*" in bare or "_" in bare else bare
    number = _unmarked_number(bare)
    counted, factors = _without_factors(number) if len(number) <= _LONGEST_REMARKED else (number, ())
    counted, remark = _without_remark(counted)
    plain = in_smaller_unit(_exact_number_text(_plain_number_text(counted)))
    match = _CELL_PARTS.fullmatch(plain)
    if match is None or (match["unit"] or "m")[0].isnumeric():  # raised digits are letters to a pattern
        return CellText("")
    hidden, unit = bare != text.strip(BLANK_CHARACTERS), match["unit"] or ""
    is_marked = number != bare or bool(remark)
    return CellText(match["number"], unit, is_marked, hidden, plain != counted or bool(factors), factors, remark)


def _unmarked_number(bare: str) -> str:
    """Omit the marks of an estimate and of a footnote; return any other text unchanged."""
    if len(bare) > _LONGEST_MARKED or (bare[:1] in "0123456789.,+-" and bare[-1:] in "0123456789"):
        return bare
    for pattern in (_ESTIMATE_AFTER, _FOOTNOTE_AFTER):
        if (match := re.fullmatch(pattern, bare)) is not None:
            bare = match["cell"]
    return re.sub(_ESTIMATE_MARK, "", bare, count=1) if re.match(_ESTIMATE_MARK, bare) else bare


_SMALLER_AFTER = re.compile(
    r"(?P<whole>[0-9]+)\s*(?P<large>[^\W\d_]+\.?|['′])[\s,]*(?P<rest>[0-9]+)(?P<decimals>(?:[.,][0-9]+)?)"
    r"\s*(?P<small>[^\W\d_]+\.?|[\"″])"
)
"""10 lb 15 oz, 5'3": a whole number of a unit, and less than one of it in a smaller one."""


def in_smaller_unit(text: str) -> str:
    """Write a mass or length in two units in the smaller one; return any other text unchanged."""
    match = _SMALLER_AFTER.fullmatch(text) if text[:1].isdecimal() and not text.isdecimal() else None
    large, small = (None, None) if match is None else (read_unit(match["large"]), read_unit(match["small"]))
    is_of_one = large and small and large.dimension == small.dimension in (MASS, LENGTH)
    times = large.over(small) if is_of_one and large and small else 0.0
    if match is None or times != round(times) or int(match["rest"]) >= times:
        return text
    return f"{int(match['whole']) * round(times) + int(match['rest'])}{match['decimals']} {match['small']}"


def _without_factors(text: str) -> tuple[str, tuple[float, ...]]:
    """Return the result of a product that holds, or a number without the count after it, and the factors."""
    text = re.sub(_TIMES_AFTER, r"\1(×\2)", text)
    if (match := re.fullmatch(_COUNT_AFTER, text) if text.endswith(")") else None) is not None:
        return match["cell"], (float(match["n"] or match["m"]),)
    if (match := re.fullmatch(_OF_EACH, text) if text.endswith(")") else None) is not None:
        every, each = float(match["sum"]), float(match["each"])
        n = round(every / each) if each > 0 and len({match["unit"], match["other"]} - {""}) < 2 else 0
        apart = abs(every - n * each)  # 552 (92 a zampa): without a known word only an exact multiple
        allowed = n * half_unit_of_last_digit(match["each"]) if match["word"] else 0.0
        is_sum = n > 1 and apart <= allowed and (n < each or match["word"] is not None)
        return (match["cell"], (float(n), each)) if is_sum else (text, ())
    match = re.fullmatch(_WORD_AFTER, text) if text[-1:].isalpha() or text.endswith(")") else None
    if match and (of := _pieces_of_word(match["word"].casefold(), is_remark=text.endswith(")"))):
        return match["cell"], of
    product = re.sub(_PRODUCT_AFTER, r"\2 = \1", text) if text.endswith(")") else text
    match = re.fullmatch(_PRODUCT, product) if "=" in product else None
    if match is None or (match["unit"] and match["other"] and match["unit"] != match["other"]):
        return text, ()
    read = zip(*(decimal_readings(match[name]) for name in ("first", "second", "result")), strict=True)
    for first, second, result in (texts for texts in read if all(texts)):
        if abs(float(first) * float(second) - float(result)) <= half_unit_of_last_digit(result) * (1 + 1e-9):
            return f"{match['result']} {match['unit'] or match['other']}".rstrip(), (float(first), float(second))
    return text, ()


def _pieces_of_word(word: str, *, is_remark: bool) -> tuple[float, ...]:
    """Return the factors of a mass of all pieces of its row, or in a remark of a pair; none for other words."""
    if any(word in entry["texts"] for entry in words("masses")["total"]):
        return OF_ROW
    size = words("counting")["sizes"]["words"].get(word) if is_remark else None
    return (float(size), math.inf) if size else ()


# 25-30, 25 kg to 30 kg
_RANGE = (
    r"(?P<low>[0-9]*[.,]?[0-9]+)\s*(?P<unit>[^\W\d_]*)\s*(?:[-‐‑–—−~]|\.\.+|…|\b(?:to|bis|à|a)\b)\s*"
    r"(?P<high>[0-9]*[.,]?[0-9]+)\s*(?P<other>[^\W\d_]*)"
)


def middle_of_range(text: str) -> CellText | None:
    """Return the middle of a range such as ``25-30 kg`` as an estimate; None for any other text."""
    match = re.fullmatch(_RANGE, visible_text(text)[:_LONGEST_MARKED], re.IGNORECASE)
    is_number = PLAIN_NUMBER.fullmatch(text.strip(BLANK_CHARACTERS))
    if match is None or is_number or len({match["unit"], match["other"]} - {""}) > 1:
        return None
    low, high = (float(match[name].replace(",", ".")) for name in ("low", "high"))
    if not low < high:
        return None
    mark = "," if "," in match["low"] + match["high"] else "."
    return CellText(f"{(low + high) / 2:.12g}".replace(".", mark), match["other"] or match["unit"], estimated=True)


# 12 kg (axle mean), 4.2 [TBD], 3425 g ≈ 3.5 kg
_REMARK_AFTER = re.compile(
    r"(?P<cell>[^()\[\]]*[0-9][^()\[\]]*?(?:\s*\([^()]*\))?)\s*(?:\((?P<round>[^()]*)\)|\[(?P<square>[^\[\]]*)\]"
    r"|(?<=[^\W\d_]\s)(?P<about>[≈≃]\s*[0-9.,]*[0-9]\s*[^\W\d_]+))"
)
_WORD_AFTER = r"(?P<cell>.*[0-9].*?)(?:\s+|\s*\()(?:in\s+)?(?P<word>[^\W\d_]+)\)?"  # 3 g total, 40 (pair)
# remarks that change a number: a count, a tolerance, a limit, what it is of
_OTHER_MEANING = re.compile(r"(?i)[x×]\s*[0-9]|[±+<>≤≥-]|(?:each|ea|apiece)\b|(?:per|je|pro|par|por)\s")
# 487.8 ≈ 490g
_EXACT_AND_ROUNDED = (
    rf"(?P<exact>{NUMBER_PATTERN})(?P<unit>\s*[^\W\d_]*)\s*[≈≃]\s*(?P<rounded>{NUMBER_PATTERN})\s*(?P<other>[^\W\d_]*)"
)


def _without_remark(text: str) -> tuple[str, str]:
    """Split a number from a remark in brackets; a unit, and words that its part does not count, are none."""
    may_have = (text[-1:] in ")]" and ("(" in text or "[" in text)) or ("≈" in text or "≃" in text)
    match = _REMARK_AFTER.fullmatch(text) if may_have and len(text) <= _LONGEST_REMARKED else None
    remark = "" if match is None else (match["round"] or match["square"] or match["about"] or "").strip()
    unit = read_unit(remark) if remark else None
    is_unit = unit is not None and unit.mass == 1
    if match is None or not remark or is_unit or _OTHER_MEANING.match(remark) or _is_status(remark.casefold()):
        return text, ""
    cell = visible_text(match["cell"])
    return _without_remark(cell)[0] if cell.endswith(")") else cell, remark  # 900 lb (408 kg) [assumed]


def _is_status(remark: str) -> bool:
    """Return whether a remark in lower case states that a part does not count."""
    listed = (text for kind in ("status", "gone", "within") for text in word_set("statuses", kind))
    return any(remark == text or (" " in text and text in remark) for text in listed)


def _exact_number_text(text: str) -> str:
    """Return the exact one of a number and its rounded value, ``487.8 ≈ 490g``; any other text unchanged."""
    match = re.fullmatch(_EXACT_AND_ROUNDED, text) if "≈" in text or "≃" in text else None
    if match is None:
        return text
    unit, rounded = match["unit"].strip(), match["rounded"]
    zeros = 0 if "." in rounded else len(rounded) - len(rounded.rstrip("0"))
    half = half_unit_of_last_digit(rounded) * 10.0**zeros
    is_rounded = abs(float(match["exact"]) - float(rounded)) <= half * (1 + 1e-9)
    if not is_rounded or (unit and match["other"] and unit != match["other"]):
        return text
    return f"{match['exact']} {unit or match['other']}".rstrip()


def half_unit_of_estimate(text: str, label: str = "") -> float:
    """Return half a unit of the last digit not 0 of an estimate, ``≈ 1890`` or ``AUW ≈``, ``1890``; 0 of other text."""
    marks = re.finditer(_ESTIMATE_MARK, f"{label} {text}")
    mark = next((one for one in marks if one.end() > len(label)), None)
    parts = None if mark is None else _CELL_PARTS.match(f"{label} {text}"[mark.end() :])
    number = "" if parts is None else parts["number"]
    zeros = 0 if "." in number else len(number) - len(number.rstrip("0"))
    return half_unit_of_last_digit(number) * 10.0**zeros if number else 0.0


_MISSING_OF_PROGRAMS = {"null", "nan", "-nan", r"\n", "#n/a", "#na", "<na>", "(null)", "missing", "nat"}
"""Missing values as pandas (``read_csv``, na_values), R, MATLAB, Julia, SQL and Excel write them, in small letters."""


_AS_REQUIRED = {"ar", "a/r", "a.r.", "as required", "as req", "as req.", "as needed", "n.b.", "nach bedarf"}
"""Quantities without a number in parts lists. [ASME Y14.34, AR]"""


def is_placeholder(text: str) -> bool:
    """Return whether a cell of a number column contains a placeholder such as TBD, or a missing value of a program."""
    bare = text.strip(BLANK_CHARACTERS)
    match = re.fullmatch(_DASH_AND_REASON, bare)
    word = (bare if match is None else match["dash"]).casefold()
    return word in word_set("blanks", "word") or word in _MISSING_OF_PROGRAMS or is_unknown_number(bare)


def is_blank_mark(text: str) -> bool:
    """Return whether a cell of ids has a mark for nothing, a dash or a program's ``NULL``; ``NA`` may be an id."""
    return is_placeholder(text) and not is_unknown_number(text) and text.strip(BLANK_CHARACTERS) != "NA"


def is_unknown_number(text: str) -> bool:
    """Return whether a placeholder is that of a number that is not known, and not the mark of an empty cell."""
    match = re.fullmatch(_UNKNOWN_AND_REASON, text.strip(BLANK_CHARACTERS))
    bare = text.strip(BLANK_CHARACTERS) if match is None else match["word"]
    word = bare.casefold()
    return word in _AS_REQUIRED or word in map(str.casefold, words("blanks")["unknown"]["texts"])


_DASH_AND_REASON = r"(?P<dash>[-–—]+)\s*\([^()0-9]+\)"  # - (negligible)
_UNKNOWN_AND_REASON = r"(?P<word>[A-Za-z]+)(?:\s*[:;,(–—]|\s+-\s)\D*"
"""A word for an unknown number, and what it waits for: ``TBD — weigh the first print``."""


_UNIT_EACH = re.compile(r"(?P<what>[^\W\d_]*?)\s*(?<![^\W\d_])(?P<each>each|ea)\.?", re.IGNORECASE)  # kg each
_UNIT_PER_UNIT = re.compile(r"(?P<what>[^/]*?)\s*(?:/|\bper\b)\s*(?P<per>[^/]+)", re.IGNORECASE)  # kg/m, kg per pc, /m


@lru_cache(maxsize=1)
def _piece_words() -> frozenset[str]:
    """Load the words that count pieces, in small letters."""
    return frozenset(word.casefold() for entry in words("measures")["pieces"].values() for word in entry["words"])


@lru_cache(maxsize=1)
def _measure_words() -> dict[str, str]:
    """Load the words for units of measure: in small letters → unit."""
    return {word.casefold(): entry["unit"] for entry in words("measures")["measure"] for word in entry["words"]}


def is_one_set(text: str) -> bool:
    """Return whether a quantity is one set of parts whose number is not known: ``1 lot``, ``lot``."""
    return _bare_unit_name(text.strip().removeprefix("1 ").strip()) in words("measures")["sets"]["words"]


def is_piece_unit(name: str) -> bool:
    """Return whether a unit of measure counts pieces."""
    return _bare_unit_name(name) in _piece_words()


@lru_cache(maxsize=512)
def parse_measure(name: str) -> Unit | None:
    """Parse a unit of length, area or volume."""
    known = _measure_words().get(_bare_unit_name(name))
    unit = read_unit(visible_text(name) if known is None else known)
    return unit if unit is not None and unit.mass == unit.time == 0 < unit.length < 4 else None


def split_unit_ratio(name: str) -> tuple[str, str]:
    """Split a unit such as ``kg/m`` at its stroke."""
    if (of_each := _UNIT_EACH.fullmatch(name)) is not None:
        return of_each["what"], of_each["each"]
    match = _UNIT_PER_UNIT.fullmatch(name) if len(name) <= MAX_UNIT_LENGTH else None
    if match is None or not (is_piece_unit(match["per"]) or parse_measure(match["per"])):
        return name, ""
    return match["what"], match["per"]


def measure_factor(quantity: str, mass: str) -> float | None:
    """Compute the factor from a mass per unit ``mass`` to quantities in ``quantity``."""
    if is_piece_unit(mass):
        return 1.0 if not quantity or is_piece_unit(quantity) else None
    of_quantity, of_mass = parse_measure(quantity), parse_measure(mass)
    if of_quantity is None or of_mass is None or of_quantity.dimension != of_mass.dimension:
        return None
    return of_quantity.over(of_mass)


def _bare_unit_name(name: str) -> str:
    """Convert the name of a unit into small letters, without marks and points at its end."""
    return visible_text(name).rstrip(".").casefold()


_MONTHS = "jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez"
"""How months begin in English and German: Excel converts some numbers to dates."""


class NumberFault(NamedTuple):
    """Why a cell is not a number: rule, message after the name of the cell, remedy (None: that of the rule)."""

    rule: str
    message: str
    remedy: str | None = None


@cache
def _fault_forms() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """Compile the forms of cells that are not numbers, the likeliest meaning first, each with its texts."""
    named = {"NUMBER": NUMBER_PATTERN, "MONTHS": _MONTHS, "RANGE": _RANGE}
    forms = []
    for form in words("faults")["form"]:
        pattern = re.sub("|".join(named), lambda match: named[match[0]], form["pattern"])
        forms.append((re.compile(pattern, re.IGNORECASE | re.DOTALL), form))
    return forms


def number_fault(text: str) -> NumberFault:
    """Describe why a cell is not a number, and what to write instead."""
    bare = text.strip(BLANK_CHARACTERS)
    line = displayed_text(bare)
    if re.search(r"[\r\n]", bare):
        return NumberFault("MP205", f"has a line break: {line}", "write one number in the cell")
    if PLAIN_NUMBER.fullmatch(bare):
        size = "small" if abs(float(bare)) < 1 else "large"
        return NumberFault("MP221", f"is too {size} for double precision: {line}")
    if len(bare) > 100:
        return NumberFault("MP205", f"is not a number: {line}")
    for pattern, form in _fault_forms():
        if match := pattern.fullmatch(bare):
            named = {name: displayed_text(part) for name, part in match.groupdict().items()} | {"text": line}
            remedy = form["remedy"].format_map(named) if "remedy" in form else None
            return NumberFault(form.get("rule", "MP205"), form["message"].format_map(named), remedy)
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
    """Shorten a cell's text to one printable line."""
    line = bare if bare.isprintable() else ascii(bare)[1:-1]
    return line if len(line) <= most else f"{line[:most]}… ({len(bare)} characters)"
