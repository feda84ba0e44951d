"""Cells that are not measured numbers: truth values, sign conventions, quantities, and words in labels of rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import CodedTexts, Mask, Rows
from massprops_cli.tables.cells.number_text import (
    BLANK_CHARACTERS,
    INVISIBLE_CHARACTERS,
    is_piece_unit,
    is_placeholder,
    visible_text,
    word_set,
    words,
)
from massprops_cli.tables.cells.numbers import ParsedColumn

_TRUE_WORDS = frozenset(("true", "t", "yes", "y", "1"))
_FALSE_WORDS = frozenset(("false", "f", "no", "n", "0"))
_BLANK_CODE, _BAD_CODE, _UNICODE_CODE, _IN_WORDS_CODE = 2, 3, 4, 5  # not 0, 1 or -1, which are values
_FORMULA = r"=\s*(?P<word>\w+)\s*(?:\(\s*\))?"  # =TRUE()
_MINUS_SIGN = "\u2212"


class TruthValues(NamedTuple):
    """Truth ``values (n,)``, ``blank (n,)``, positions ``bad (k,)`` of other texts, and ``in_words (k,)``: ``WAHR``."""

    values: Mask
    blank: Mask
    bad: Rows
    in_words: Rows


class _ProductSigns(NamedTuple):
    """``signs (n,)`` +1, −1 or 0, ``blank (n,)``, positions ``bad (k,)`` of other texts, ``unicode (k,)`` of a −."""

    signs: NDArray[np.int8]
    blank: Mask
    bad: Rows
    unicode: Rows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _PieceCounts:
    """``count (n,)``, 1 where ``blank (n,)`` or ``bad (k,)``; ``measured (n,)``: one piece of that size."""

    count: NDArray[np.float64]
    measured: Mask
    blank: Mask
    bad: Rows


def read_truth_values(texts: Sequence[str]) -> TruthValues:
    """Parse cells (n,) as true/false, t/f, yes/no, y/n, 1/0 or ``words/truths.toml``, in any case; NA is blank."""
    codes = text_codes(texts, _truth_code)
    true = (codes == 1) | (codes == _IN_WORDS_CODE + 1)
    return TruthValues(
        true, codes == _BLANK_CODE, np.flatnonzero(codes == _BAD_CODE), np.flatnonzero(codes >= _IN_WORDS_CODE)
    )


def _truth_code(text: str) -> int:
    """Encode a truth value as 0 or 1, ``_IN_WORDS_CODE`` more in other words, else as blank or bad."""
    if not (word := text.strip(BLANK_CHARACTERS).casefold()) or word == "na":
        return _BLANK_CODE
    if word in _TRUE_WORDS or word in _FALSE_WORDS:
        return int(word in _TRUE_WORDS)
    if not (bare := word.translate(INVISIBLE_CHARACTERS).strip(BLANK_CHARACTERS)):
        return _BLANK_CODE
    formula = re.fullmatch(_FORMULA, bare)
    value = _truth_vocabulary().get(formula["word"] if formula else bare)
    return _BAD_CODE if value is None else _IN_WORDS_CODE + value


@lru_cache(maxsize=1)
def _truth_vocabulary() -> dict[str, bool]:
    """Load words for true and false, in small letters, without the digits and the single letters."""
    known = {word: True for word in _TRUE_WORDS if len(word) > 1} | {
        word: False for word in _FALSE_WORDS if len(word) > 1
    }
    for entry in words("truths")["word"]:
        known |= {word.casefold(): True for word in entry["true"]} | {word.casefold(): False for word in entry["false"]}
    return known


def read_signs(texts: Sequence[str]) -> _ProductSigns:
    """Parse cells (n,) into signs: ``+`` is +1, ``-`` and a Unicode minus sign (U+2212) are −1, an en dash is bad."""
    codes = text_codes(texts, _sign_code)
    unicode = codes == _UNICODE_CODE
    signs = np.where(unicode, -1, np.where(np.abs(codes) == 1, codes, 0)).astype(np.int8)
    return _ProductSigns(signs, codes == _BLANK_CODE, np.flatnonzero(codes == _BAD_CODE), np.flatnonzero(unicode))


def _sign_code(text: str) -> int:
    """Encode a sign as 1 or -1, ``_UNICODE_CODE`` for a Unicode minus sign, else as blank or bad."""
    bare = text.strip(BLANK_CHARACTERS)
    return {"": _BLANK_CODE, "+": 1, "-": -1, _MINUS_SIGN: _UNICODE_CODE}.get(bare, _BAD_CODE)


def read_piece_counts(parsed: ParsedColumn, units: Sequence[str] | None = None) -> _PieceCounts:
    """Read quantities (n,): blank is 1; not whole, or with a unit of measure, is one piece of that size."""
    count = np.where(np.isnan(parsed.values), 1.0, parsed.values)
    measured = count != np.floor(count)
    if units is not None:
        measured |= text_codes(units, _measure_code) == 1
    return _PieceCounts(count, measured, parsed.blank, parsed.bad)


def _measure_code(text: str) -> int:
    """Encode a unit of a quantity: 1 for a unit of measure, 0 for pieces, blanks and placeholders."""
    return int(bool(visible_text(text)) and not is_piece_unit(text) and not is_placeholder(text))


def text_codes(texts: Sequence[str], code: Callable[[str], int]) -> NDArray[np.int8]:
    """Map texts (n,) to codes (n,) from -128 to 127; each distinct text is examined once."""
    if isinstance(texts, CodedTexts):
        distinct, numbers = texts.coded()
        return np.array([code(text) for text in distinct] or [0], np.int8)[numbers]
    known = {text: code(text) for text in set(texts)}
    return np.fromiter(map(known.__getitem__, texts), dtype=np.int8, count=len(texts))


def sign_fault(text: str) -> str:
    r"""Describe a cell that is neither ``+`` nor ``-``, by its Unicode name where it resembles one of them."""
    if len(bare := text.strip(BLANK_CHARACTERS)) == 1 and not bare.isalnum() and not bare.isascii():
        name = unicodedata.name(bare, "character").lower()
        article = "an" if name[0] in "aeiou" else "a"
        return f"is {article} {name} (U+{ord(bare):04X}), neither + nor -"
    return f"is neither + nor -: {bare}"


def truth_value_fault(text: str) -> str:
    """Describe a cell that is not a truth value."""
    return f"is not a truth value: {text.strip(BLANK_CHARACTERS)} (true or false, yes or no, 1 or 0)"


_WORD = re.compile(r"(?<!\d)(?<![^\W\d_])[^\W\d_]+(?![^\W\d_]|\d|-[^\W\d_]+\d)")
"""A word that is not a part of a number or of a code: none in MAX6369 and MAX-M10S."""
_LETTER = re.compile(r"[^\W\d_]")
_REMARK = re.compile(r"\([^()]*\)")  # (incl. margin)


@lru_cache(maxsize=4096)
def label_kind(text: str, *, alone: bool = False) -> str:
    """Classify a label of a row: total, subtotal, margin, limit, or none of them."""
    words, opening = leading_label_words(text), ":" in text
    if label_first_words().isdisjoint(words):
        return ""
    for kind, label in _labels("label"):
        if (found := _words_around_label(words, label)) is None:
            continue
        rest, opens, closes = found
        names_a_sum = alone and kind in ("total", "subtotal")
        if not rest or (names_a_sum and (closes or (opens and (kind == "subtotal" or opening)))):
            return kind
    return ""


@lru_cache(maxsize=4096)
def doubtful_label_kind(text: str, *, alone: bool = False) -> str:
    """Classify a label that may also be a name: ``Total Bus`` is a total, ``Total station`` an instrument."""
    words = leading_label_words(text)
    if label_first_words().isdisjoint(words):
        return ""
    for kind, label in _labels("exact"):
        found = _words_around_label(words, label)
        if found is not None and not found[0]:
            return kind
    for kind, label in _labels("doubtful"):
        found = _words_around_label(words, label)
        if found is not None and (not found[0] or (alone and found[2])):
            return kind
    return "total" if alone and begins_with_total(text) else ""


def is_margin_name(text: str) -> bool:
    """Return whether the last word of a label is one for margins, and none for loads: ``Margin``, not ``Reserve``."""
    return not word_set("totals", "adjacent", "margins").isdisjoint(leading_label_words(text)[-1:])


@lru_cache(maxsize=512)
def begins_with_total(text: str) -> bool:
    """Return whether a text has the words of a total and others after them, as that of an instrument also may."""
    words = leading_label_words(text)
    opening = (label for kind, label in _labels("label") if kind == "total")
    return any(words[: len(label)] == label != words for label in opening)


def is_total_of_all(text: str) -> bool:
    """Return whether a text is the name of a total of everything above it: ``Grand total``."""
    return " ".join(leading_label_words(text)) in word_set("totals", "overall")


def is_total_twice(text: str) -> bool:
    """Return whether another name of a total is all that is behind the words of one: ``Total AUW``."""
    words = leading_label_words(text)
    heads = (label for kind, label in _labels("label") if kind == "total" and words[: len(label)] == label != words)
    return any(doubtful_label_kind(" ".join(words[len(label) :])) == "total" for label in heads)


def leading_label_words(text: str) -> tuple[str, ...]:
    """Split a label into words, without remarks in brackets, up to a connector such as *incl.* or *without*."""
    if not _LETTER.search(text):
        return ()
    words = tuple(_WORD.findall(_REMARK.sub(" ", text).casefold())) or tuple(_WORD.findall(text.casefold()))
    connectors = word_set("totals", "adjacent", "connectors")
    return words[: next((k for k, word in enumerate(words) if k and word in connectors), len(words))]


def _words_around_label(words: tuple[str, ...], label: tuple[str, ...]) -> tuple[list[str], bool, bool] | None:
    """Return the other words of a label, and whether it opens and closes the text; None where it is not in the text."""
    n = len(label)
    if label[0] not in words:
        return None
    if (at := next((k for k in range(len(words) - n, -1, -1) if words[k : k + n] == label), None)) is None:
        return None
    rest = [word for word in words if word not in label and word not in word_set("totals", "adjacent", "fillers")]
    return rest, words[:n] == label, word_set("totals", "adjacent", "fillers").issuperset(words[at + n :])


@cache
def _labels(table: str) -> list[tuple[str, tuple[str, ...]]]:
    """Load kinds and the words of labels, longer ones first, of equal length subtotals before totals.

    ``label`` has those of sums only, ``doubtful`` those that may name items too, ``exact`` those alone in a cell.
    """
    order = ("subtotal", "total", "margin", "limit", "figure")
    pairs = [
        (str(entry["kind"]), tuple(_WORD.findall(text.casefold())))
        for entry in words("totals")[table]
        for text in entry["texts"]
    ]
    return sorted(pairs, key=lambda pair: (-len(pair[1]), order.index(pair[0])))


# (×2), 2x; M4 x 10 and 3 x 2.5 mm are sizes
_TIMES = re.compile(
    r"(?:^|(?<!\d)\s|[(\[])(?:[x×]\s?(?P<after>\d+)|(?P<before>\d+)\s?[x×])(?:$|[)\]]|\s(?!\d))", re.IGNORECASE
)


# thigh_l/r, wheel (left + right)
_BOTH_SIDES = re.compile(
    r"(?:^|[\W_])(?:l|lh|left|links|gauche|izquierd[ao]|sinistr[ao])\s?[/+&]\s?"
    r"(?:r|rh|right|rechts|droite|derech[ao]|destr[ao])(?:$|[\W_])",
    re.IGNORECASE,
)


PIECE_MARKS = r"[xX×].?\pN|\pN.?[xX×]|[/+&]"  # RE2: in all names that count pieces, and in few others
_PIECE_LETTERS = frozenset("xX×/+&")  # one of which is in all such names


def pieces_in_name(text: str) -> float:
    """Read the number of pieces in a name such as ``thigh x2`` or ``foot l/r``; 0 for none."""
    if _PIECE_LETTERS.isdisjoint(text):
        return 0.0
    if (match := _TIMES.search(text)) and not ("X" in match[0] and match[0][0].isspace()):  # no pieces of Pixhawk 6X
        return float(match["before"] or match["after"])
    return 2.0 if _BOTH_SIDES.search(text) else 0.0


@lru_cache(maxsize=1)
def _counting_words() -> dict[str, set[str]]:
    """Load the words of headings that count pieces: word → its lists."""
    found: dict[str, set[str]] = {}
    for lists in words("counting")["heading"].values():
        for kind, texts in lists.items():
            for text in texts if kind != "source" else ():
                found.setdefault(text, set()).add(kind)
    return found


_LONGEST_HEADING = 200  # characters of a heading whose words may count pieces


def _heading_words(text: str) -> list[str]:
    """Split a heading into words, QtyPer too; those of one letter and a point go on, as in Q.tà, and req'd is one."""
    near = unicodedata.normalize("NFKC", text[:_LONGEST_HEADING])
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", near).casefold()
    joined = re.sub(r"(?<![^\W_])([^\W\d_])\.(?=[^\W_])|['’](?=d\b)", r"\1", apart)
    return re.findall(r"[^\W_]+|[#/]", joined)


def counted_in_heading(text: str) -> str:
    """Return ``qty`` or ``total_qty`` where a heading consists of words that count pieces, or nothing."""
    return _count_of_words(_heading_words(text))


def _count_of_words(heading: Sequence[str]) -> str:
    """Find what the words of a heading count."""
    known = _counting_words()
    kinds = [known.get(word, set()) for word in heading]
    every = set().union(*kinds)
    rest = [kind for kind in kinds if "totals" not in kind]
    is_total = len(rest) < len(kinds)
    further = set().union(*rest[1:])
    is_numbered = bool(rest) and "numbers" in rest[0] and "single" not in further
    is_numbered = is_numbered and (is_total or not further.isdisjoint(("pieces", "wanted", "links", "numbers")))
    is_counted = "counts" in every and {"numbers"} not in kinds  # Qty units are units of measure
    is_of_one = bool(rest) and rest[0] == {"links"}  # per piece
    has_whole_alone = not every.isdisjoint(("parents", "wholes")) and "links" not in every  # Qty unit
    if not all(kinds) or not (is_numbered or is_counted) or is_of_one or has_whole_alone:
        return ""
    return "total_qty" if is_total or "wholes" in every else "qty"


_OF = frozenset(("of", "de", "d", "der", "di", "von", "the", "/"))  # Number of holes, N/m


@lru_cache(maxsize=4_096)
def may_count_in_heading(text: str) -> bool:
    """Return whether a heading has a word for pieces, or begins as one that counts them: No. of parts, left wing."""
    heading = _heading_words(text)
    kinds = [_counting_words().get(word, set()) for word in heading]
    begins = (heading[:k] for k in range(2, len(heading) + 1) if heading[k - 1] not in _OF)
    first = words("counting")["begins"]["words"]
    bare = " ".join([*heading, ""])
    return (
        any("counts" in kind for kind in kinds)
        or ("count" in heading and all(kind or word == "count" for kind, word in zip(kinds, heading, strict=True)))
        or any(map(_count_of_words, begins))
        or bare.startswith(tuple(word if ord(word[0]) > ord("ÿ") else f"{word} " for word in first))
    )


def is_combined_name(text: str) -> bool:
    """Return whether a text names several parts together, as a part of a list may also be called."""
    return not word_set("totals", "both").isdisjoint(_WORD.findall(text.casefold()))


@lru_cache(maxsize=1)
def label_first_words() -> Set[str]:
    """Return the first words of all labels, in alphabetic order: most texts have none of them."""
    words = {label[0] for _, label in (*_labels("label"), *_labels("doubtful"), *_labels("exact"))}
    return dict.fromkeys(sorted(words)).keys()
