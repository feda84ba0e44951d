"""Words in the labels of rows that are no parts: total, subtotal, margin, limit, and what may be a part too."""

from __future__ import annotations

import re
from functools import lru_cache

from massprops_cli.tables.words import words

_WORD = re.compile(r"(?<!\d)(?<![^\W\d_])[^\W\d_]+(?![^\W\d_]|\d)")
"""A word that is no part of a number or of a code: none in MAX6369."""
_REMARK = re.compile(r"\([^()]*\)")


def kind_of(text: str, *, alone: bool = False) -> str:
    """Tell what a label names: total, subtotal, margin, limit, or nothing.

    ``alone``: it is the only text of its row, so that a name beside the word says what is added up.

    >>> kind_of("TOTAL MASS (kg):"), kind_of("Margin 10 %"), kind_of("Harness subtotal", alone=True)
    ('total', 'margin', 'subtotal')
    >>> kind_of("Total incl. margin"), kind_of("System margin")
    ('total', 'margin')
    >>> kind_of("Total station"), kind_of("Harness subtotal"), kind_of("Limit switch", alone=True)
    ('', '', '')
    """
    words, opening = own_words(text), ":" in text
    if label_words().isdisjoint(words):
        return ""
    for kind, label in labels():
        found = beside(words, label)
        if found is None:
            continue
        rest, opens, closes = found
        names_a_sum = alone and kind in ("total", "subtotal")
        if not rest or (names_a_sum and (closes or (opens and (kind == "subtotal" or opening)))):
            return kind
    return ""


def doubtful_kind_of(text: str, *, alone: bool = False) -> str:
    """Tell what a label names that may name an item too: total, limit, or nothing.

    ``Total`` before a name is one of them: ``Total Bus`` is a sum, and ``Total station`` an instrument.

    >>> doubtful_kind_of("Dry mass [kg]"), doubtful_kind_of("Launcher limit", alone=True)
    ('total', 'limit')
    >>> doubtful_kind_of("Dry bay"), doubtful_kind_of("Limit switch", alone=True), doubtful_kind_of("Launcher limit")
    ('', '', '')
    """
    words = own_words(text)
    if label_words().isdisjoint(words):
        return ""
    for kind, label in exact_labels():
        found = beside(words, label)
        if found is not None and not found[0]:
            return kind
    for kind, label in doubtful_labels():
        found = beside(words, label)
        if found is not None and (not found[0] or (alone and found[2])):
            return kind
    opening = (label for kind, label in labels() if kind == "total")
    return "total" if alone and any(words[: len(label)] == label != words for label in opening) else ""


def own_words(text: str) -> tuple[str, ...]:
    """Give a text's words without remarks in brackets, up to what is with or without the sum: no other kind of row.

    >>> own_words("Limit (rule 4.2)"), own_words("Total incl. margin"), own_words("(Total)")
    (('limit',), ('total',), ('total',))
    """
    words = tuple(_WORD.findall(_REMARK.sub(" ", text).casefold())) or tuple(_WORD.findall(text.casefold()))
    cut = next((k for k, word in enumerate(words) if k and word in connectors()), len(words))
    return words[:cut]


def beside(words: tuple[str, ...], label: tuple[str, ...]) -> tuple[list[str], bool, bool] | None:
    """Give the words beside a label that say more, and whether it opens and closes the text; None where it is not in.

    >>> beside(("harness", "total", "mass"), ("total",))
    (['harness'], False, True)
    """
    n = len(label)
    at = next((k for k in range(len(words) - n, -1, -1) if words[k : k + n] == label), None)
    if at is None:
        return None
    rest = [word for word in words if word not in label and word not in fillers()]
    return rest, words[:n] == label, fillers().issuperset(words[at + n :])


@lru_cache(maxsize=1)
def labels() -> list[tuple[str, tuple[str, ...]]]:
    """Give kinds and the words of their labels: subtotals before totals, longer labels before shorter ones."""
    return _listed("label")


@lru_cache(maxsize=1)
def doubtful_labels() -> list[tuple[str, tuple[str, ...]]]:
    """Give kinds and the words of the labels that may name items too, longer ones first."""
    return _listed("doubtful")


@lru_cache(maxsize=1)
def exact_labels() -> list[tuple[str, tuple[str, ...]]]:
    """Give kinds and the words of the labels that name a figure only without a name beside them."""
    return _listed("exact")


def _listed(table: str) -> list[tuple[str, tuple[str, ...]]]:
    order = ("subtotal", "total", "margin", "limit", "figure")
    pairs = [
        (str(entry["kind"]), tuple(_WORD.findall(text.casefold())))
        for entry in words("totals")[table]
        for text in entry["texts"]
    ]
    return sorted(pairs, key=lambda pair: (order.index(pair[0]), -len(pair[1])))


def names_both(text: str) -> bool:
    """Tell whether a text names what several parts make together, as a part of a list may also be called.

    >>> names_both("Combined"), names_both("Both wings"), names_both("Bracket")
    (True, True, False)
    """
    return not _both_words().isdisjoint(_WORD.findall(text.casefold()))


@lru_cache(maxsize=1)
def _both_words() -> frozenset[str]:
    return frozenset(words("totals")["both"]["texts"])


@lru_cache(maxsize=1)
def fillers() -> frozenset[str]:
    """Give the words beside a label that do not make it the name of something else."""
    return frozenset(words("totals")["beside"]["fillers"])


@lru_cache(maxsize=1)
def connectors() -> frozenset[str]:
    """Give the words after which a label tells what is in a sum, or not."""
    return frozenset(words("totals")["beside"]["connectors"])


@lru_cache(maxsize=1)
def first_words() -> list[str]:
    """Give the words that labels begin with."""
    return sorted({label[0] for _, label in (*labels(), *doubtful_labels(), *exact_labels())})


@lru_cache(maxsize=1)
def label_words() -> frozenset[str]:
    """Give the words that labels begin with, to be compared with a text's own ones: most texts hold none of them."""
    return frozenset(first_words())
