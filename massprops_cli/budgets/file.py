"""A budget file, TOML, read to the key: ``[[budget]]`` and ``[[waive]]``. What is not understood is an error.

[[budget]]
item = "SAT"                      # id, pattern, { level = 1 }, or { column = "subsystem", value = "Power" }
mass-max = "850 kg"
margin-min = "5 %"
[[waive]]
rule = "MP601"
item = "TANK"
reason = "until the composite tank is in"
expires = 2027-03-31

On which line of a TOML file a list of tables has its entries, and these their keys.

The keys of a ``[[budget]]`` that are limits: which there are, and how their values are read.

One table of a budget file, and how its faults are told: with file, line and key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

from massprops_cli.bom.uncertainty import WORDS
from massprops_cli.budgets.model import Basis, Budget, Entry, Limit, MarginBasis, Measure, Selector, Waiver
from massprops_cli.budgets.units import Dimension, in_unit, is_above, read_measure, read_percent, read_range, written
from massprops_cli.findings import ConfigError, Place, Severity, UsageError
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import nearest
from massprops_cli.rollups.regions import crossing, is_flat
from massprops_cli.tables.unit_text import INERTIA, LENGTH, MASS

_ENTRY = re.compile(r"\s*\[\[\s*([A-Za-z0-9_-]+)\s*\]\]\s*(?:#.*)?")
_TABLE = re.compile(r"\s*\[{1,2}\s*[A-Za-z][^,]*\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*\"?([A-Za-z0-9_-]+)\"?\s*[=.]")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of one entry, from 1; None where they are not known."""

    head: int | None = None
    keys: Mapping[str, int] = field(default_factory=dict)

    def of(self, key: str) -> int | None:
        """Give the line of a key, or of the entry's head where the key has none of its own."""
        return self.keys.get(key, self.head)


def lines_of(text: str, name: str, count: int) -> list[Lines]:
    """Find the ``count`` entries ``[[name]]`` of a file; entries written in another way have no lines.

    >>> [one] = lines_of('[[budget]]\\nitem = "SAT"\\n', "budget", 1)
    >>> one.head, one.of("item"), one.of("basis")
    (1, 2, 1)
    """
    found: list[tuple[int, dict[str, int]]] = []
    keys: dict[str, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        head = _ENTRY.fullmatch(line)
        if head is not None and head[1] == name:
            keys = {}
            found.append((number, keys))
        elif head is not None or _TABLE.fullmatch(line):
            keys = None
        elif keys is not None and (key := _KEY.match(line)):
            keys.setdefault(key[1], number)
    if len(found) != count:
        return [Lines()] * count
    return [Lines(head, keys) for head, keys in found]


CENTERS = ("center-x", "center-y", "center-z")
MOMENTS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
ENVELOPE = "center-envelope"
PROBABLE = {"mass-max", "mass-min", "margin-min", *CENTERS, ENVELOPE, *MOMENTS}
"""The limits that are kept with a probability."""


def read_limit(subject: str, value: object) -> Limit:
    """Read the value of a limit; raises UsageError that begins with what the value is.

    >>> read_limit("mass-max", "850 kg").high
    Measure(number=850.0, unit='kg')
    """
    return READERS[subject](Limit(subject), value)


def dimension_of_limit(subject: str) -> Dimension:
    """Give the powers of mass, length and time of the number that a limit bounds."""
    return MASS if subject.startswith("mass") else LENGTH if subject in CENTERS else INERTIA


def _upper(limit: Limit, value: object) -> Limit:
    return replace(limit, high=read_measure(value, MASS))


def _lower(limit: Limit, value: object) -> Limit:
    return replace(limit, low=read_measure(value, MASS))


def _range(limit: Limit, value: object) -> Limit:
    low, high = read_range(value, dimension_of_limit(limit.subject))
    return replace(limit, low=low, high=high)


def _margin(limit: Limit, value: object) -> Limit:
    percent = read_percent(value)
    if percent <= -100:
        raise UsageError(f"is {written(value)}; it takes a percentage above -100")
    return replace(limit, low=Measure(percent, "%"))


def _share(limit: Limit, value: object) -> Limit:
    percent = read_percent(value)
    if not 0 < percent <= 100:
        raise UsageError(f"is {written(value)}; it takes a percentage above 0 and at most 100")
    return replace(limit, low=Measure(percent, "%"))


def _probability(limit: Limit, value: object) -> Limit:
    share = read_percent(value) / 100 if isinstance(value, str) else value
    if isinstance(share, bool) or not isinstance(share, float) or not 0 < share < 1:
        raise UsageError(f"is {written(value)}; it takes a number between 0 and 1, such as 0.95")
    return replace(limit, low=Measure(share))


def _maturity(limit: Limit, value: object) -> Limit:
    word, share = value if isinstance(value, list) and len(value) == 2 else (value, "100 %")
    if word not in WORDS:
        hint = nearest(word, WORDS) if isinstance(word, str) else ""
        raise UsageError(f'is {written(value)}; it takes {", ".join(WORDS)}, such as ["calculated", "80 %"]{hint}')
    return replace(_share(limit, share), word=str(word))


def _envelope(limit: Limit, value: object) -> Limit:
    """Read the corners of a polygon; a first pair such as ``["x", "mass"]`` names the axis."""
    pairs = value if isinstance(value, list) else []
    axis = "x"
    if pairs and isinstance(pairs[0], list) and pairs[0][1:] == ["mass"]:
        axis, pairs = pairs[0][0], pairs[1:]
    if axis not in ("x", "y", "z"):
        raise UsageError(f'has the axis {written(axis)}; it takes ["x", "mass"], ["y", "mass"] or ["z", "mass"]')
    if len(pairs) < 3 or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise UsageError(f'is {written(value)}; it takes three or more corners such as ["2.1 m", "900 kg"]')
    corners = tuple((read_measure(station, LENGTH), read_measure(mass, MASS)) for station, mass in pairs)
    shape = [(in_unit(x, corners[0][0].unit, LENGTH), in_unit(m, corners[0][1].unit, MASS)) for x, m in corners]
    if (edges := crossing(shape)) is not None:
        first, second = (edge + 1 for edge in edges)
        raise UsageError(f"is {written(value)}, whose edges after corners {first} and {second} cross each other")
    if is_flat(shape):
        raise UsageError(f"is {written(value)}, whose corners stand on one line")
    return replace(limit, corners=corners, axis=axis)


READERS: dict[str, Callable[[Limit, object], Limit]] = {
    "mass-max": _upper,
    "mass-min": _lower,
    "margin-min": _margin,
    **dict.fromkeys(CENTERS, _range),
    ENVELOPE: _envelope,
    **dict.fromkeys(MOMENTS, _range),
    "coverage-min": _share,
    "maturity-min": _maturity,
    "probability-min": _probability,
}
"""Every limit by its key; the probability comes last, being that of the others."""


@dataclass(frozen=True, slots=True)
class Section:
    """What is ``given`` in one ``[[name]]`` of a file; ``name`` is empty for the file as a whole."""

    file: str
    name: str
    given: Mapping[str, Any]
    lines: Lines

    def get(self, key: str) -> Any:
        """Give the value of a key, or None."""
        return self.given.get(key)

    def place(self, key: str) -> Place:
        """Give the place of a key."""
        return Place(self.file, line=self.lines.of(key))

    def fault(self, key: str, message: str) -> ConfigError:
        """Make the error that says what is wrong with a key."""
        return ConfigError(f"{self.place(key)}: {f'{self.name}.' if self.name else ''}{key} {message}")

    def refused(self, key: str, wanted: str) -> ConfigError:
        """Make the error for a value of the wrong kind, or a key that is missing."""
        is_what = f"is {written(self.given[key])}" if key in self.given else "is missing"
        return self.fault(key, f"{is_what}; it takes {wanted}")

    def check_keys(self, known: Collection[str]) -> None:
        """Refuse a key that is not known, with the nearest that is."""
        for key in self.given:
            if key not in known:
                hint = nearest(key, known) or f"; the keys are {', '.join(known)}"
                raise self.fault(key, f"is not a key{hint} [MP902 unknown-key]")

    def word(self, key: str, known: Sequence[str]) -> str:
        """Read one of a few words, of which the first holds where none is given."""
        text = self.given.get(key, known[0])
        if text not in known:
            raise self.refused(key, " or ".join(known))
        return str(text)


BASES = ("predicted", "basic")
MARGIN_BASES = ("predicted", "basic", "allocation")
INCOMPLETE = ("undecided", "allow")
"""What a limit is where values are missing that it is about."""
SEVERITIES = ("error", "warning", "note")
ENTRY_KEYS = ("item", *READERS, "basis", "margin-basis", "severity", "incomplete")
WAIVER_KEYS = ("rule", "item", "reason", "expires")
OF_TOTALS = ("MP413", "MP415")
WAIVABLE = [code for code in RULES if "MP601" <= code <= "MP609" or code in OF_TOTALS]
SELECTORS = 'an id or a pattern in quotes, { level = 1 }, or { column = "subsystem", value = "Power" }'


def read_budget(file: str, *, others: Collection[str] = ()) -> Budget:
    """Read a budget file; ``others`` are the tables beside budgets that somebody else reads, as in massprops.toml.

    Raises ConfigError with the line of the first thing that is not understood.
    """
    import tomllib

    try:
        text = Path(file).read_text(encoding="utf-8-sig")
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: not TOML: {error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: not TOML, which is UTF-8; save it in that encoding") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    return budget_of(file, text, {key: value for key, value in tables.items() if key not in others})


def budget_of(file: str, text: str, tables: Mapping[str, Any]) -> Budget:
    """Make a budget of the ``tables`` that ``text`` holds; raises ConfigError."""
    Section(file, "", tables, Lines()).check_keys(("budget", "waive"))
    for name, value in tables.items():
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise ConfigError(f"{file}: {name} is not a list of tables; write [[{name}]]")
    if not tables.get("budget"):
        raise ConfigError(f"{file}: holds no [[budget]], and so nothing to be kept")

    def sections(name: str) -> list[Section]:
        given = tables.get(name, [])
        lines = lines_of(text, name, len(given))
        return [Section(file, name, each, at) for each, at in zip(given, lines, strict=True)]

    entries, waivers = map(entry_of, sections("budget")), map(waiver_of, sections("waive"))
    return Budget(file, tuple(entries), tuple(waivers))


def entry_of(section: Section) -> Entry:
    """Read a ``[[budget]]``."""
    section.check_keys(ENTRY_KEYS)
    basis = section.word("basis", BASES)
    return Entry(
        selector_of(section),
        limits_of(section),
        cast("Basis", basis),
        cast("MarginBasis", section.word("margin-basis", MARGIN_BASES) if "margin-basis" in section.given else basis),
        Severity(section.word("severity", SEVERITIES)),
        section.place("item"),
        section.word("incomplete", INCOMPLETE) == "allow",
    )


def selector_of(section: Section) -> Selector:
    """Read which items an entry is about."""
    match section.get("item"):
        case str() as pattern if pattern:
            return Selector(pattern)
        case {"level": int() as level, **rest} if not rest and not isinstance(level, bool) and level >= 0:
            return Selector(level=level)
        case {"column": str() as column, "value": str() as value, **rest} if not rest and column:
            return Selector(column=column, value=value)
    raise section.refused("item", SELECTORS)


def limits_of(section: Section) -> tuple[Limit, ...]:
    """Read the limits of an entry, in the order of ``READERS``; refuses those that do not go together."""
    limits = []
    for key in READERS:
        if key in section.given:
            try:
                limits.append(replace(read_limit(key, section.given[key]), place=section.place(key)))
            except UsageError as error:
                raise section.fault(key, str(error)) from None
    check_together(section, {limit.subject: limit for limit in limits})
    return tuple(limits)


def check_together(section: Section, limits: Mapping[str, Limit]) -> None:
    """Refuse the limits of an entry that lack another one, or that cannot both be kept."""
    subjects = limits.keys()
    if not subjects - {"probability-min"}:
        raise section.fault("item", f"comes without a limit; the limits are {', '.join(READERS)}")
    if "margin-min" in subjects and "mass-max" not in subjects:
        raise section.fault("margin-min", "needs a mass-max, to which the margin is")
    if {"mass-min", "mass-max"} <= subjects and is_above(limits["mass-min"].low, limits["mass-max"].high, MASS):
        raise section.fault("mass-min", f"is {written(section.get('mass-min'))}, above the mass-max of the same entry")
    if "probability-min" in subjects and not subjects & PROBABLE:
        raise section.fault(
            "probability-min", f"needs a limit; it is told of {', '.join(k for k in READERS if k in PROBABLE)}"
        )


def waiver_of(section: Section) -> Waiver:
    """Read a ``[[waive]]``."""
    section.check_keys(WAIVER_KEYS)
    for key in WAIVER_KEYS[:3]:
        if not isinstance(section.get(key), str) or not section.get(key).strip():
            raise section.refused(key, "a text in quotes")
    rule, expires = section.get("rule"), section.get("expires")
    if rule not in WAIVABLE:
        raise section.fault("rule", f"is {rule}, and only MP601 to MP609, {' and '.join(OF_TOTALS)} can be waived")
    # a date with a time is a date for Python, and would not say of which place the time is
    if expires is not None and type(expires) is not date:
        raise section.refused("expires", "a day such as 2027-03-31")
    return Waiver(rule, section.get("item"), section.get("reason"), expires, section.place("rule"))
