"""What headings propose of columns of masses, growth, limits and numbers of pieces; arithmetic then decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.table import Floats, Table
from massprops_cli.findings.finding import Finding
from massprops_cli.tables.cells.number_text import is_piece_unit, word_set, words
from massprops_cli.tables.cells.units import FORCE, MASS, read_unit, unit_of_dimension
from massprops_cli.tables.columns.headings import UNREAD_HEADING, Heading, heading_unit, is_unit_of, read_heading
from massprops_cli.tables.equations import RowSample, are_multiples, is_labelled_row
from massprops_cli.tables.options import MASS_QUANTITIES, is_output_heading

MAX_MASS_COLUMNS = 14
"""How many columns of masses are tried against each other: sums of three columns are a cube of them."""
_COUNT_QUANTITIES = ("qty", "total_qty")
_MIN_AFFIX_LENGTH = 5
"""How many letters a word has that may begin or end another one: Flugmasse; shorter ones are whole words."""
_CURRENCY = r"[$€£¥₹₩₽]|(?<![^\W\d_])(?:USD|EUR|GBP|CHF|JPY|CNY|RMB)(?![^\W\d_])"
"""Signs and codes of currencies in a header."""
_AFTER_UNIT = r"(?:per|each|ea|je|pro|par|por|al|na)\b\.?"  # per, ea.
# g/pc, kg per piece
_UNIT_PER_PIECE = re.compile(rf"(?P<unit>[^\s/]+)\s*(?:/|\s{_AFTER_UNIT})\s*(?P<piece>\S*)", re.IGNORECASE)


@cache
def _words_of_kind(kind: str) -> tuple[list[str], list[str], list[str]]:
    """Return the signs of a kind, such as ``+mga``, its words that may begin another one, and its short words."""
    entries = [*words("masses")[kind], *(words("masses")["left"] if kind == "limit" else ())]  # a limit less a mass
    texts = {text for entry in entries for text in entry["texts"]}
    names = {text for text in texts if "a" <= text[0] < _FIRST_IDEOGRAPH}  # others are written without blanks between
    longer = {text for text in names if len(text) >= _MIN_AFFIX_LENGTH}
    return [*(texts - names)], [*longer], [*(names - longer)]


@lru_cache(maxsize=4_096)
def _has_word_of_kind(kind: str, text: str) -> bool:
    """Return whether a text in lower case has a word of a kind."""
    signs, longer, shorter = (filter(text.__contains__, known) for known in _words_of_kind(kind))
    ends_words = kind in ("mass", "factor")  # a compound word ends with what it is: Flugmasse, Leergewicht
    return (
        next(signs, None) is not None
        or any(starts or (ends and ends_words) for word in longer for starts, ends in _borders(word, text))
        or any(starts and ends for word in shorter for starts, ends in _borders(word, text))
        or (kind == "with" and re.search(r"\+\s?\d+(?:[.,]\d+)?\s?%", text) is not None)  # CBE+10%
    )


def _borders(word: str, text: str) -> Iterator[tuple[bool, bool]]:
    """Return whether no letter is before, and none behind, each place of a word in a text."""
    at = text.find(word)
    while at >= 0:
        around = text[max(at - 1, 0) : at], text[at + len(word) : at + len(word) + 1]
        before, behind = (one.isalnum() and not one.isdecimal() for one in around)  # as in [^\W\d_]
        yield not before, not behind
        at = text.find(word, at + 1)


_FIRST_IDEOGRAPH = "\u2e7f"


_JOINED = re.compile(r"_|(?<=[^\W\d_])-(?=[^\W\d_])|(?<=[a-z])(?=[A-Z][a-z])")  # max_mass, Not-to-exceed, MassLimit


@lru_cache
def separate_words(text: str) -> str:
    """Write the joined words of a heading with blanks between them; of a long one, the first 1,000 characters."""
    return _JOINED.sub(" ", text[:1_000])


@lru_cache(maxsize=4_096)
def is_heading_of_kind(kind: str, text: str) -> bool:
    """Return whether a heading contains a word of a kind."""
    text = _ENERGY.sub(" ", text[:1_000])
    written = text.casefold().replace("_", " ")
    return any(_has_word_of_kind(kind, form) for form in {written, separate_words(text).casefold()})


_ENERGY = re.compile(r"\b[kMGT]?eV\b")  # no MEV, the maximum expected value


def is_required_margin(text: str) -> bool:
    """Return whether a heading names the margin that a limit must leave."""
    return is_heading_of_kind("margin", text) and is_heading_of_kind("required", text)


def is_margin_heading(text: str) -> bool:
    """Return whether a heading names what is left to a limit."""
    return is_heading_of_kind("margin", text) or is_heading_of_kind("left", text)


_NO_LIMIT = re.compile(r"target|goal|ziel|soll|objecti|objeti|obietti|目标|目標", re.IGNORECASE)
_MOST = re.compile(r"\bm[aá]x(?:im\w+)?\b|höchst|massim[oa]\b|最大", re.IGNORECASE)
_LEAST = re.compile(r"\bm[ií]n(?:im\w+)?\b|mindest|最小", re.IGNORECASE)
_LOW = re.compile(r"\blow(?:er)?\b|\bunter\w*", re.IGNORECASE)  # next to a word for a limit
_END = re.compile(r"max\.?|min\.?|upper|lower", re.IGNORECASE)  # Limit (max)
_LIMIT_ALONE = re.compile(  # a heading that names nothing else: Upper limit, NTE
    r"\W*(?:allocat\w+|(?:(?:upper|lower|low|max|min|hard|soft|design|spec|control|tolerance)\W+)?limit(?:\W+(?:max|min|low))?|budget"
    r"|allowable|not to exceed|nte|n\.t\.e\.|ceiling|cap|capability)\W*",
    re.IGNORECASE,
)


def is_target(text: str) -> bool:
    """Return whether a heading names a target, and so not a limit."""
    return _NO_LIMIT.search(text) is not None


def limit_subject(text: str) -> str:
    """Return which limit of an item's mass a heading names, ``mass-max`` or ``mass-min``; empty for none."""
    if is_margin_heading(text) or is_heading_of_kind("growth", text) or is_target(text):
        return ""
    text = separate_words(text)
    unit = "" if _END.fullmatch(unit := heading_unit(text, "mass")) else unit
    if unit and unit_of_dimension(unit, MASS, common_only=True) is None:
        return ""
    is_alone = _LIMIT_ALONE.fullmatch(text) is not None
    if not unit and not is_heading_of_kind("mass", text) and not is_alone:
        return ""
    is_limit = is_alone or is_heading_of_kind("limit", text)
    if _LEAST.search(text) or (is_limit and _LOW.search(text)):
        return "mass-min"
    is_most = _MOST.search(text) and not is_heading_of_kind("with", text)  # maximum expected mass
    return "mass-max" if is_most or is_limit else ""


def is_possible_mass_heading(text: str) -> bool:
    """Return whether a heading may name a column of masses, or of sums of anything."""
    return is_heading_of_kind("sum", text) or _names_mass(text)


def _names_mass(text: str) -> bool:
    """Return whether a heading names masses, by a word or by a unit."""
    return is_heading_of_kind("mass", text) or has_mass_unit(text) or bool(mass_unit_heading(text)[0])


def _names_growth_alone(text: str) -> bool:
    """Return whether a heading has a word for growth, and names no limit and no mass that includes growth."""
    is_share = names_percent(text) and not is_margin_heading(text)
    is_other = not is_share and (is_heading_of_kind("limit", text) or is_heading_of_kind("with", text))
    is_other = is_other or not word_set("mass_headers", "margin_of", "texts").isdisjoint(header_words(text))
    return is_heading_of_kind("growth", text) and not is_other and not has_other_unit(text)


def has_mass_unit(text: str) -> bool:
    """Return whether a heading states a unit of mass."""
    return is_unit_of(heading_unit(text, "mass"), "mass")


_PERCENT = re.compile(
    r"%|(?<![^\W_])(?:pct|per ?cent|prozent|pour ?cent|por ciento|per ?cento)(?![^\W_])", re.IGNORECASE
)
STATED_RATE = r"\d\s*%"  # Margin (20%) is the name of a rate


def names_percent(text: str) -> bool:
    """Return whether a heading states percentages, by a sign or a word; a rate in a name, 20 %, is none."""
    return _PERCENT.search(re.sub(STATED_RATE, "", text)) is not None


# mass each, weight per piece
_PER_PIECE = (
    r"(?<![^\W\d_])(?:each|ea|unit|unitaire|unitario|unitaria|unitário|unitária|per piece|piece|pc|pcs|je|pro|stück|stk"
    r"|/st|einzel\w*)(?![^\W\d_])"
)


def is_per_piece(text: str) -> bool:
    """Return whether a heading states that its masses are of one piece."""
    return re.search(_PER_PIECE, text.casefold()) is not None


_SIZE = re.compile(
    r"(?:\b(?:per|je|pro|par|por|ogni|na)\s+|/\s*)(?:(?:a\s+)?(?P<word>[^\W\d_]+)|(?:set\s+of\s+)?(?P<n>\d[\d.,]*)"
    r"\s*(?P<of>[^\W\d_]*))",
    re.IGNORECASE,
)


def pieces_per(text: str, *, is_count: bool = False) -> float:
    """Read of how many pieces a heading states its numbers: per 100, per pair; ``is_count``: pairs. 1 for none."""
    sizes = words("counting")["sizes"]["words"]
    if is_count:
        return float(sizes.get(text.strip().casefold(), 1.0))
    text = text if "/" in text else re.sub(r"\([^()]*\)", "", text)
    text = re.sub(r"\bset of (?=\d)", "", text, flags=re.IGNORECASE)
    for match in _SIZE.finditer(text):
        number = (match["n"] or "").replace(",", "").replace(".", "")
        if number and not is_unit_of(match["of"] or "", "Cx") and float(number) > 1:
            return float(number)
        if match["word"] and match["word"].casefold() in sizes:
            return float(sizes[match["word"].casefold()])
    return 1.0


def names_other_number(header: str) -> bool:
    """Return whether a header names a number that is neither a mass nor a count, by its words or its unit."""
    return is_non_mass_heading(header) or has_other_unit(header)


@lru_cache(maxsize=4_096)
def is_non_mass_heading(header: str) -> bool:
    """Return whether a header names a number that is not a mass: a margin, a limit, a tolerance, a share, a ratio."""
    of, _, by = header.partition("/")
    is_other = is_heading_of_kind("mass", by) and not is_heading_of_kind("mass", of) and not has_mass_unit(header)
    is_other = is_other or any(mark in header for mark in ("±", "+/-", "%"))
    return is_other or bool(header_words(header) & _non_mass_words())


@cache
def side_words() -> set[str]:
    """List the words for a side: ``Left`` is not what is left of a limit."""
    return {text.casefold() for entry in words("sides")["side"] for text in (*entry["one"], *entry["other"])}


def header_words(header: str) -> set[str]:
    """Split a header into words, in lower case."""
    return set(re.findall(r"[^\W\d_]+", header.casefold()))


@lru_cache(maxsize=4_096)
def has_other_unit(header: str) -> bool:
    """Return whether a header states a unit that is not of mass, or a currency: ``Cost [€]``, ``power_w``, ``W/kg``."""
    unit, listed = heading_unit(header, "mass").strip(), {*words("mass_headers")["other_units"]["texts"]}
    lower, end = {*map(str.casefold, listed)}, _LAST_WORD.search(header)
    if end and end["unit"] in listed | lower:
        of = read_heading(header[: end.start()]).quantity  # mass_s and qty_a are of variants
        is_joined = end["sign"] == "_" or (end["unit"] in listed and (len(end["unit"]) > 1 or end["sign"].strip()))
        if end["per"] or (is_joined and (len(end["unit"]) > 1 or of not in (*MASS_QUANTITIES, *_COUNT_QUANTITIES))):
            return True
    stated = {part.partition("/")[0].strip().casefold() for part in re.split("[,;]", unit)}  # in, + to the right
    if re.search(_CURRENCY, header) or stated & lower or ("/" in header and header.partition("/")[0] in listed):  # W/kg
        return True
    unit = end["unit"] + end["per"] if end and end["per"] else unit or header.strip() * ("/" in header)  # N/m
    read = read_unit(unit) if unit and not is_unit_of(unit, "mass") else None
    return read is not None and (read.mass, read.length, read.time) not in (MASS, FORCE)


_LAST_WORD = re.compile(r"(?P<sign>[\s,:/]+|_)(?P<unit>[^\s_,:/()\[\]{}]+)(?P<per>/\S+)?$")  # Power W, power_w, W/kg


@lru_cache(maxsize=1)
def _non_mass_words() -> frozenset[str]:
    """Load the words in headers of numbers that are not masses: margins, limits, derived figures."""
    listed = [text for entry in words("mass_headers")["not_mass"].values() for text in entry["texts"]]
    totals = words("totals")
    for entry in (*totals["label"], *totals["doubtful"]):
        listed += entry["texts"] if entry["kind"] in ("margin", "limit", "figure") else []
    return frozenset(text.casefold() for text in listed if " " not in text)


def mass_unit_heading(text: str) -> tuple[str, bool]:
    """Split a header that is a unit of mass: the unit, and whether it is that of one piece."""
    bare = text.strip().strip("[](){}").strip()
    if is_unit_of(bare, "mass"):
        return bare, False
    if (match := _UNIT_PER_PIECE.fullmatch(bare)) is None or (match["piece"] and not is_piece_unit(match["piece"])):
        return "", False
    return (match["unit"], True) if is_unit_of(match["unit"], "mass") else ("", False)


def _is_heading(text: str) -> bool:
    """Return whether a header cell is a name: not a number with a unit, and not a column written by massprops."""
    bare = text.strip()
    return bool(bare) and not bare[0].isdigit() and not is_output_heading(bare)


class ColumnEquation(NamedTuple):
    """An equation that shows the role of a column, and the number of rows in which it holds."""

    column: int
    text: str
    rows: int

    @property
    def words(self) -> str:
        """The equation with its number of rows."""
        return f"{self.text} in {self.rows} row{'s' * (self.rows != 1)}" if " = " in self.text else self.text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MassRoles:
    """What the columns of masses are."""

    headings: dict[int, Heading]  # those of the header, with each column's role as its quantity
    findings: list[Finding] = field(default_factory=list)
    mass_is: str = ""  # each or line, where relations show the meaning of the masses
    is_open: bool = False
    """Several columns hold masses, a row counts several pieces, and no relation shows their meaning."""
    explained: frozenset[int] = frozenset()  # columns whose role is known
    equations: tuple[ColumnEquation, ...] = ()


class ProposedMasses:
    """The columns that may hold masses, growth, factors and numbers of pieces, by their headings.

    ``fixed`` are columns that ``--map`` names; ``possible`` are sums of anything: masses only if a relation shows it.
    """

    def __init__(self, table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]) -> None:
        self.table, self.row, self.headings, self.texts = table, row, headings, table.row(row)
        self.names = [text.strip() for text in self.texts]
        self.fixed = {name: j for name, j in chosen.items() if name in (*MASS_QUANTITIES, *_COUNT_QUANTITIES, "mga")}
        self.mapped = set(self.fixed.values())
        free = {j: one.quantity for j, one in self.headings.items() if _is_heading(self.texts[j])}

        def named(*quantities: str) -> list[int]:
            places = [(quantity, j) for j, quantity in free.items()] + list(self.fixed.items())
            return [j for quantity, j in places if quantity in quantities]

        unread = [j for j in named("") if not is_heading_of_kind("spread", self.texts[j])]
        unread = [j for j in unread if not is_required_margin(self.texts[j])]
        self.shares = sorted({*named("mga"), *(j for j in unread if _names_growth_alone(self.texts[j]))})
        others = [j for j in unread if j not in self.shares]
        self.factors = [j for j in others if is_heading_of_kind("factor", self.texts[j])]
        others = [j for j in others if j not in self.factors]
        others = [j for j in others if not has_other_unit(self.texts[j])]  # Masse volumique (g/cm³)
        masses = {j for j in others if _names_mass(self.texts[j]) or self.sample.has_mass_cells(j)}
        self.masses = sorted({*masses, *named(*MASS_QUANTITIES)})[:MAX_MASS_COLUMNS]
        kinds = ("sum", "limit", "with")
        rest = [j for j in others if j not in masses]
        self.possible = [j for j in rest if any(is_heading_of_kind(kind, self.texts[j]) for kind in kinds)]
        self.counts = named(*_COUNT_QUANTITIES)
        self.multiples = [j for j in {*masses, *rest} if self._is_multiple(j)]
        self.possible += [j for j in self.multiples if j not in (*masses, *self.possible)]

    def _is_multiple(self, j: int) -> bool:
        """Return whether a column holds whole multiples of the only masses, and no other column counts them."""
        basic = [k for k in self.masses if self.quantity_of(k) or k in self.mapped]
        if len(basic) != 1 or j in basic or self.counts or names_other_number(self.texts[j]):
            return False
        total, mass = self.sample.numbers(j), self.sample.numbers(basic[0])
        others = (self.sample.numbers(k).values for k in self.headings if k not in (j, *basic))
        of_others = (bool(total.fits(mass.scaled(by))[np.isfinite(mass.values)].all()) for by in others)
        return self.sample.is_numeric(j) and are_multiples(total, mass) and not any(of_others)

    @cached_property
    def sample(self) -> RowSample:
        """The rows on which relations are tested."""
        return RowSample(self.table, self.row)

    @property
    def needs_arithmetic(self) -> bool:
        """Whether there is anything to decide: several columns of masses, or a share that may be growth or margin."""
        open_shares = [j for j in self.shares if self.quantity_of(j) != "mga" or has_mass_unit(self.texts[j])]
        several = len(self.masses) + len(self.possible) > 1
        return bool(self.masses) and (several or bool({*open_shares} - self.mapped) or bool(self.factors))

    def quantity_of(self, j: int) -> str:
        """Return the quantity that a heading names."""
        return self.headings.get(j, UNREAD_HEADING).quantity


_EQUAL_SUM = 1e-9
_POSSIBLE_GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}[.,]\d{3}(?!\d)")  # 1.250, 4,820
_MOST_DECIDING_ROWS = 1_000  # of a list whose sums decide between decimal marks: a mark is a factor of 1,000
_ROUNDED_SUM = 1e-3  # share by which a sum of written digits misses its total; the other mark misses it by far more


def mark_of_sums(table: Table, first: int, masses: Sequence[int], read: Callable[[str], list[Floats]]) -> str:
    """Find the only decimal mark by which masses (n,), read before quantities, agree with a total or row masses."""
    n = table.n_rows - first
    texts = [] if n > _MOST_DECIDING_ROWS else [text for j in masses for text in table.texts(j, first)]
    if not any(map(_POSSIBLE_GROUPS.search, texts)) or any(any(table.is_typed(j, first)) for j in masses):
        return ""
    is_label = np.array([is_labelled_row(table.row(row)) for row in range(first, table.n_rows)], bool)
    found = []
    for mark in (".", ","):
        *values, counts = [*read(mark), np.ones(n)][: len(masses) + 1]
        counts = np.where(np.isnan(counts), 1.0, counts)
        holds = any(_holds_sum(each, is_label) for one in values for each in (one, one * counts))
        known = ~is_label & (counts != 1) & np.isfinite(values[0] * values[-1])
        products = np.isclose(values[0] * counts, values[-1], _ROUNDED_SUM, 0)[known] if len(masses) > 1 else known[:0]
        is_shown = products.all() if len(products) else holds
        found += [mark] if is_shown else []
    return found[0] if len(found) == 1 else ""


def _holds_sum(masses: Floats, is_label: NDArray[np.bool_]) -> bool:
    """Return whether a mass (n,) is the sum of those above it: of written digits below a word of sums, else exactly."""
    above = np.concatenate([[0.0], np.cumsum(np.where(is_label, 0.0, masses))[:-1]])
    has_two = np.cumsum(~is_label & (masses != 0)) - (~is_label & (masses != 0)) > 1
    within = np.where(is_label, _ROUNDED_SUM, _EQUAL_SUM) * np.abs(masses)
    return bool((has_two & (masses != 0) & (np.abs(above - masses) <= within)).any())
