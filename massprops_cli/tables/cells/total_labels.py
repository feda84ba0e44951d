"""Words in the labels of rows that are not parts: total, subtotal, margin, limit, and what may be a part too."""

from __future__ import annotations

import re
from functools import lru_cache

from massprops_cli.tables.words import words

_WORD = re.compile(r"(?<!\d)(?<![^\W\d_])[^\W\d_]+(?![^\W\d_]|\d)")
"""A word that is not a part of a number or of a code: none in MAX6369."""
_REMARK = re.compile(r"\([^()]*\)")


def label_kind(text: str, *, alone: bool = False) -> str:
    """Return what a label names: total, subtotal, margin, limit, or nothing.

    ``alone``: it is the only text of its row, so that a name next to the word is the name of the sum.

    >>> label_kind("TOTAL MASS (kg):"), label_kind("Margin 10 %"), label_kind("Harness subtotal", alone=True)
    ('total', 'margin', 'subtotal')
    >>> label_kind("Total incl. margin"), label_kind("System margin")
    ('total', 'margin')
    >>> label_kind("Total station"), label_kind("Harness subtotal"), label_kind("Limit switch", alone=True)
    ('', '', '')
    """
    words, opening = leading_label_words(text), ":" in text
    if _label_first_word_set().isdisjoint(words):
        return ""
    for kind, label in _certain_labels():
        found = _words_around_label(words, label)
        if found is None:
            continue
        rest, opens, closes = found
        names_a_sum = alone and kind in ("total", "subtotal")
        if not rest or (names_a_sum and (closes or (opens and (kind == "subtotal" or opening)))):
            return kind
    return ""


def doubtful_label_kind(text: str, *, alone: bool = False) -> str:
    """Return what a label names that may name an item too: total, limit, or nothing.

    ``Total`` before a name is one of them: ``Total Bus`` is a sum, and ``Total station`` an instrument.

    >>> doubtful_label_kind("Dry mass [kg]"), doubtful_label_kind("Launcher limit", alone=True)
    ('total', 'limit')
    >>> (doubtful_label_kind("Dry bay"), doubtful_label_kind("Limit switch", alone=True),
    ...  doubtful_label_kind("Launcher limit"))
    ('', '', '')
    """
    words = leading_label_words(text)
    if _label_first_word_set().isdisjoint(words):
        return ""
    for kind, label in _exact_labels():
        found = _words_around_label(words, label)
        if found is not None and not found[0]:
            return kind
    for kind, label in _doubtful_labels():
        found = _words_around_label(words, label)
        if found is not None and (not found[0] or (alone and found[2])):
            return kind
    opening = (label for kind, label in _certain_labels() if kind == "total")
    return "total" if alone and any(words[: len(label)] == label != words for label in opening) else ""


def leading_label_words(text: str) -> tuple[str, ...]:
    """Return a text's words without remarks in brackets, up to what is with or without the sum: no other kind of row.

    >>> (leading_label_words("Limit (rule 4.2)"), leading_label_words("Total incl. margin"),
    ...  leading_label_words("(Total)"))
    (('limit',), ('total',), ('total',))
    """
    words = tuple(_WORD.findall(_REMARK.sub(" ", text).casefold())) or tuple(_WORD.findall(text.casefold()))
    cut = next((k for k, word in enumerate(words) if k and word in _connector_words()), len(words))
    return words[:cut]


def _words_around_label(words: tuple[str, ...], label: tuple[str, ...]) -> tuple[list[str], bool, bool] | None:
    """Return the other words of a label, and whether it opens and closes the text; None where it is not in the text.

    >>> _words_around_label(("harness", "total", "mass"), ("total",))
    (['harness'], False, True)
    """
    n = len(label)
    at = next((k for k in range(len(words) - n, -1, -1) if words[k : k + n] == label), None)
    if at is None:
        return None
    rest = [word for word in words if word not in label and word not in _filler_words()]
    return rest, words[:n] == label, _filler_words().issuperset(words[at + n :])


@lru_cache(maxsize=1)
def _certain_labels() -> list[tuple[str, tuple[str, ...]]]:
    """Return kinds and the words of their labels: subtotals before totals, longer labels before shorter ones."""
    return _sorted_labels("label")


@lru_cache(maxsize=1)
def _doubtful_labels() -> list[tuple[str, tuple[str, ...]]]:
    """Return kinds and the words of the labels that may name items too, longer ones first."""
    return _sorted_labels("doubtful")


@lru_cache(maxsize=1)
def _exact_labels() -> list[tuple[str, tuple[str, ...]]]:
    """Return kinds and the words of the labels that name a figure only without a name next to them."""
    return _sorted_labels("exact")


def _sorted_labels(table: str) -> list[tuple[str, tuple[str, ...]]]:
    order = ("subtotal", "total", "margin", "limit", "figure")
    pairs = [
        (str(entry["kind"]), tuple(_WORD.findall(text.casefold())))
        for entry in words("totals")[table]
        for text in entry["texts"]
    ]
    return sorted(pairs, key=lambda pair: (order.index(pair[0]), -len(pair[1])))


def is_combined_name(text: str) -> bool:
    """Return whether a text names what several parts make together, as a part of a list may also be called.

    >>> is_combined_name("Combined"), is_combined_name("Both wings"), is_combined_name("Bracket")
    (True, True, False)
    """
    return not _combination_words().isdisjoint(_WORD.findall(text.casefold()))


@lru_cache(maxsize=1)
def _combination_words() -> frozenset[str]:
    return frozenset(words("totals")["both"]["texts"])


@lru_cache(maxsize=1)
def _filler_words() -> frozenset[str]:
    """Return the words next to a label that do not make it the name of something else."""
    return frozenset(words("totals")["adjacent"]["fillers"])


@lru_cache(maxsize=1)
def _connector_words() -> frozenset[str]:
    """Return the words after which a label lists what a sum includes or excludes."""
    return frozenset(words("totals")["adjacent"]["connectors"])


@lru_cache(maxsize=1)
def label_first_words() -> list[str]:
    """Return the words that labels begin with."""
    return sorted({label[0] for _, label in (*_certain_labels(), *_doubtful_labels(), *_exact_labels())})


@lru_cache(maxsize=1)
def _label_first_word_set() -> frozenset[str]:
    """Return the words that labels begin with, to be compared with a text's own ones: most texts hold none of them."""
    return frozenset(label_first_words())
