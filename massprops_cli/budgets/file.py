"""Budget file in TOML: ``[[budget]]`` and ``[[waive]]`` (docs/howto/budget_in_ci.md), with line numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf, isinf
from os import PathLike
from pathlib import Path
from typing import Any, cast, get_args

from massprops_cli.bom.configuration_file import BUDGET_TABLES, toml_lines, toml_tables
from massprops_cli.bom.results.uncertainty import METHOD_WORDS
from massprops_cli.budgets.model import (
    CENTER_LIMITS,
    DIMENSION_NAMES,
    ENVELOPE_LIMIT,
    INERTIA_LIMITS,
    PROBABILITY_LIMITS,
    Basis,
    Budget,
    BudgetEntry,
    Dimension,
    Limit,
    LimitMeasure,
    MarginBasis,
    Selector,
    Waiver,
    limit_dimension,
    measure_in_unit,
)
from massprops_cli.budgets.plan import MarginPlan, PendingChange, PlannedMilestone
from massprops_cli.findings.catalogue import RULES
from massprops_cli.findings.finding import ConfigError, Place, Severity, UsageError, nearest_name_hint
from massprops_cli.rollups.regions import crossing_edges, is_flat_polygon
from massprops_cli.tables.cells.number_text import NUMBER_PATTERN, read_number
from massprops_cli.tables.cells.units import INERTIA, KILOGRAM, LENGTH, MASS, ambiguous_unit, unit_of_dimension

_MEASURE_EXAMPLES = {MASS: "850 kg", LENGTH: "-5 mm", INERTIA: "120 kg m2"}
_LARGEST_MEASURE = 1e100  # upper limit of the numbers of a budget, which prevents overflow
_MEASURE = re.compile(rf"\s*({NUMBER_PATTERN})\s*(.*?)\s*", re.DOTALL)  # number with a unit: 12.5 kg


def _entry_lines(text: str, keys_of_entry: tuple[str, ...], count: int) -> list[dict[str | None, int]]:
    """Find the lines of the keys of ``count`` entries, and of their heads, key None."""
    # entries with another head than these keys have no lines
    found: list[dict[str | None, int]] = []
    for line in toml_lines(text):
        if line.is_entry and line.table == keys_of_entry:
            found.append({None: line.number})
        elif line.key and line.table == keys_of_entry and found:
            found[-1].setdefault(line.key[0], line.number)
    return found if len(found) == count else [{}] * count


def read_measure(value: object, dimension: Dimension) -> LimitMeasure:
    """Parse a number with its unit."""
    match = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    number = None if match is None else read_number(match[1])
    expected = f'(expected a text such as "{_MEASURE_EXAMPLES[dimension]}")'
    if match is None or number is None or not match[2]:
        raise UsageError(f"is not a number with a unit: {_toml_text(value)} {expected}")
    if dimension == MASS and (sizes := ambiguous_unit(match[2])) is not None:
        raise UsageError(f"has an ambiguous unit: {_toml_text(value)} ({match[2]} is {sizes[0]}); {sizes[1]}")
    if unit_of_dimension(match[2], dimension) is None:
        raise UsageError(f"has no unit of {DIMENSION_NAMES[dimension]}: {_toml_text(value)} {expected}")
    return LimitMeasure(_number_within_bounds(number, value), match[2])


def _read_range(value: object, dimension: Dimension) -> tuple[LimitMeasure, LimitMeasure]:
    """Parse a range such as ``["-5 mm", "5 mm"]``; ``*`` is an open end."""
    example = _MEASURE_EXAMPLES[dimension]
    if not isinstance(value, list) or len(value) != 2 or value == ["*", "*"]:
        raise UsageError(f'is not a range: {_toml_text(value)} (expected two ends, such as ["{example}", "*"])')
    low, high = (
        LimitMeasure(end) if text == "*" else read_measure(text, dimension)
        for text, end in zip(value, (-inf, inf), strict=True)
    )
    if _is_greater_measure(low, high, dimension):
        raise UsageError(f"is a range whose low end is above its high end: {_toml_text(value)}")
    return low, high


def _read_percent_limit(value: object) -> float:
    """Parse a percentage such as ``"5 %"``; the sign is required, because a number could be a share."""
    match = _MEASURE.fullmatch(value) if isinstance(value, str) else None
    number = read_number(match[1]) if match is not None and match[2] == "%" else None
    if number is None:
        expected = 'expected a text with the percent sign, such as "5 %"'
        raise UsageError(f"is not a percentage: {_toml_text(value)} ({expected})")
    return _number_within_bounds(number, value)


def _number_within_bounds(number: float, value: object) -> float:
    """Return a number; raises UsageError if it is too large."""
    if abs(number) > _LARGEST_MEASURE:
        raise UsageError(f"is too large: {_toml_text(value)} (expected at most {_LARGEST_MEASURE:g})")
    return number


def _is_greater_measure(one: LimitMeasure, other: LimitMeasure, dimension: Dimension) -> bool:
    """Compare two measures in any units."""
    if isinf(one.number) or isinf(other.number):
        return one.number > other.number
    return measure_in_unit(one, other.unit, dimension) > other.number


def _toml_text(value: object) -> str:
    """Write a value in the form of a TOML file."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_text, value))}]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml_text(each)}" for key, each in value.items()) + " }"
    return str(value)


def _range_limit(limit: Limit, value: object) -> Limit:
    """Read both bounds of a limit, in the dimension of its subject."""
    low, high = _read_range(value, limit_dimension(limit.subject))
    return replace(limit, low=low, high=high)


def _margin_limit(limit: Limit, value: object) -> Limit:
    """Read the smallest margin, in percent above -100."""
    if (percent := _read_percent_limit(value)) <= -100:
        raise UsageError(f"is not a margin: {_toml_text(value)} (expected a percentage above -100)")
    return replace(limit, low=LimitMeasure(percent, "%"))


def _share_limit(limit: Limit, value: object) -> Limit:
    """Read the smallest share, in percent above 0 and at most 100."""
    percent = _read_percent_limit(value)
    if not 0 < percent <= 100:
        raise UsageError(f"is not a share: {_toml_text(value)} (expected a percentage above 0 and at most 100)")
    return replace(limit, low=LimitMeasure(percent, "%"))


def _probability_limit(limit: Limit, value: object) -> Limit:
    """Read the smallest probability, between 0 and 1 or in percent."""
    share = _read_percent_limit(value) / 100 if isinstance(value, str) else value
    if isinstance(share, bool) or not isinstance(share, float) or not 0 < share < 1:
        raise UsageError(f"is not a probability: {_toml_text(value)} (expected a number between 0 and 1, such as 0.95)")
    return replace(limit, low=LimitMeasure(share))


def _maturity_limit(limit: Limit, value: object) -> Limit:
    """Read the required method of the masses, and the share of the mass (100 % if not stated) that must have it."""
    word, share = value if isinstance(value, list) and len(value) == 2 else (value, "100 %")
    if word not in METHOD_WORDS:
        hint = nearest_name_hint(word, METHOD_WORDS) if isinstance(word, str) else ""
        raise UsageError(
            f"is not a maturity: {_toml_text(value)} "
            f'(expected one of {", ".join(METHOD_WORDS)}, such as ["calculated", "80 %"]){hint}'
        )
    return replace(_share_limit(limit, share), word=str(word))


def _envelope_limit(limit: Limit, value: object) -> Limit:
    """Read the corners of a polygon; a first pair such as ``["x", "mass"]`` names the axis."""
    pairs = value if isinstance(value, list) else []
    axis = "x"
    if pairs and isinstance(pairs[0], list) and pairs[0][1:] == ["mass"]:
        axis, pairs = pairs[0][0], pairs[1:]
    if axis not in ("x", "y", "z"):
        raise UsageError(
            f'has an unknown axis: {_toml_text(axis)} (expected ["x", "mass"], ["y", "mass"] or ["z", "mass"])'
        )
    if len(pairs) < 3 or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise UsageError(
            f'is not a polygon: {_toml_text(value)} (expected three or more corners such as ["2.1 m", "900 kg"])'
        )
    corners = tuple((read_measure(station, LENGTH), read_measure(mass, MASS)) for station, mass in pairs)
    length, heavy = (measure.unit for measure in corners[0])
    shape = [(measure_in_unit(x, length, LENGTH), measure_in_unit(m, heavy, MASS)) for x, m in corners]
    if (edges := crossing_edges(shape)) is not None:
        first, second = (edge + 1 for edge in edges)
        raise UsageError(f"is a polygon with crossing edges, after corners {first} and {second}: {_toml_text(value)}")
    if is_flat_polygon(shape):
        raise UsageError(f"is a polygon without area: {_toml_text(value)} (expected corners that are not on one line)")
    return replace(limit, corners=corners, axis=axis)


_LIMIT_READERS: dict[str, Callable[[Limit, object], Limit]] = {
    "mass-max": lambda limit, value: replace(limit, high=read_measure(value, MASS)),
    "mass-min": lambda limit, value: replace(limit, low=read_measure(value, MASS)),
    "margin-min": _margin_limit,
    **dict.fromkeys(CENTER_LIMITS, _range_limit),
    ENVELOPE_LIMIT: _envelope_limit,
    **dict.fromkeys(INERTIA_LIMITS, _range_limit),
    "coverage-min": _share_limit,
    "maturity-min": _maturity_limit,
    "probability-min": _probability_limit,
}
"""Every limit by its key; the probability is last because it applies to the others."""


@dataclass(frozen=True, slots=True)
class _BudgetSection:
    """Keys and values ``given`` in one ``[[name]]`` of a file; ``name`` is empty for the complete file."""

    file: str
    name: str
    given: Mapping[str, Any]
    lines: Mapping[str | None, int]

    def place(self, key: str) -> Place:
        """Return the place of a key."""
        return Place(self.file, line=self.lines.get(key, self.lines.get(None)))

    def fault(self, key: str, message: str) -> ConfigError:
        """Return the error for a key, with its line."""
        return ConfigError(f"{self.place(key)}: {f'{self.name}.' if self.name else ''}{key} {message}")

    def wrong_type(self, key: str, expected: str) -> ConfigError:
        """Return the error for an invalid value or a missing key."""
        problem = f"is not valid: {_toml_text(self.given[key])}" if key in self.given else "is missing"
        return self.fault(key, f"{problem} (expected {expected})")

    def check_keys(self, known: Collection[str]) -> None:
        """Reject an unknown key, with the nearest known one."""
        for key in self.given:
            if key not in known:
                hint = nearest_name_hint(key, known) or f" (expected one of {', '.join(known)})"
                raise self.fault(key, f"is not a known key{hint} [MP902 unknown-key]")

    def word(self, key: str, known: Sequence[str]) -> str:
        """Return the value of a key with fixed words; the first is the default."""
        if (text := self.given.get(key, known[0])) not in known:
            raise self.wrong_type(key, " or ".join((", ".join(known[:-1]), known[-1])))
        return str(text)


_ENTRY_KEYS = ("item", *_LIMIT_READERS, "basis", "margin-basis", "severity", "incomplete", "products")
_WAIVER_KEYS = ("rule", "item", "reason", "expires")
_TOTAL_RULES = ("MP413", "MP415")
_WAIVABLE_RULES = [code for code in RULES if "MP601" <= code <= "MP609" or code in _TOTAL_RULES]
_SELECTOR_FORMS = (
    'an id or a pattern in quotes, { level = 1 }, or { column = "subsystem", value = "Power" } '
    "(each = true: each item instead of their sum)"
)


def read_budget(file: str | PathLike[str], *, within: Sequence[str] | None = None) -> Budget:
    """Read a budget file.

    Parameters
    ----------
    file : str or path
        A TOML file with ``[[budget]]`` and ``[[waive]]``.
    within : sequence of str, optional
        The keys of the table that has them in a configuration file, whose other tables are ignored; empty for the file.

    Returns
    -------
    Budget
        Limits with the units of the file.

    Raises
    ------
    ConfigError
        An invalid file; the message has the line.

    Notes
    -----
    Keys: docs/howto/budget_in_ci.md.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "budget.toml")
    ...     with open(path, "w") as file:
    ...         _ = file.write('[[budget]]\\nitem = "SAT"\\nmass-max = "850 kg"\\n')
    ...     len(read_budget(path).entries)
    1
    """
    if not isinstance(file, str | PathLike):
        raise UsageError(f"file of a budget is not a path: {type(file).__name__}")
    file = str(file)
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
        tables = toml_tables(text)
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: file is not UTF-8 text; save it as UTF-8") from None
    except ValueError as error:
        raise ConfigError(f"{file}: file is not valid TOML: {error}") from None
    except OSError as error:
        raise ConfigError(f"{file}: file cannot be read: {error.strerror}") from None
    if within is None:
        return _budget_from_tables(file, text, tables)
    for key in within:
        tables = tables[key]
    return _budget_from_tables(file, text, {key: tables[key] for key in BUDGET_TABLES if key in tables}, within)


def join_budgets(budgets: Sequence[Budget]) -> Budget:
    """Return the limits and waivers of several budget files as one budget; a waiver applies to its own file."""
    entries = tuple(one for budget in budgets for one in budget.entries)
    waivers = tuple(one for budget in budgets for one in budget.waivers)
    pending = tuple(one for budget in budgets for one in budget.pending)
    plan = next((budget.plan for budget in reversed(budgets) if budget.plan is not None), None)
    return Budget(", ".join(budget.file for budget in budgets), entries, waivers, plan, pending)


def _budget_from_tables(file: str, text: str, tables: Mapping[str, Any], within: Sequence[str] | None = None) -> Budget:
    """Return the budget of the ``tables`` in ``text``, where they are ``within`` keys; raises ConfigError."""
    _BudgetSection(file, "", tables, {}).check_keys((*BUDGET_TABLES, "envelope"))  # the last for conditions
    if not isinstance(tables.get("plan", {}), dict):
        raise ConfigError(f"{file}: plan is not a table; write [plan]")
    for name, value in tables.items():
        if name != "plan" and (not isinstance(value, list) or not all(isinstance(each, dict) for each in value)):
            raise ConfigError(f"{file}: {name} is not a list of tables; write [[{name}]]")
    if not any(tables.get(name) for name in ("budget", "envelope", "plan", "pending")):
        raise ConfigError(f"{file}: file has no [[budget]] entry")

    def sections(name: str) -> list[_BudgetSection]:
        given = tables.get(name, [])
        lines = _entry_lines(text, (*(within or ()), name), len(given))
        return [_BudgetSection(file, name, each, at) for each, at in zip(given, lines, strict=True)]

    entries, waivers = map(_read_entry, sections("budget")), map(_read_waiver, sections("waive"))
    plan = _read_plan(file, text, tables["plan"], (*(within or ()), "plan")) if tables.get("plan") else None
    return Budget(file, tuple(entries), tuple(waivers), plan, tuple(map(_read_pending, sections("pending"))))


def _read_entry(section: _BudgetSection) -> BudgetEntry:
    """Read a ``[[budget]]``."""
    section.check_keys(_ENTRY_KEYS)
    basis = section.word("basis", get_args(Basis))
    margin_basis = section.word("margin-basis", get_args(MarginBasis)) if "margin-basis" in section.given else basis
    return BudgetEntry(
        _read_selector(section),
        _read_limits(section),
        cast("Basis", basis),
        cast("MarginBasis", margin_basis),
        Severity(section.word("severity", ("error", "warning", "note"))),
        section.place("item"),
        section.word("products", ("", "+", "-")) if "products" in section.given else "",
        section.word("incomplete", ("undecided", "allow")) == "allow",
    )


def _read_selector(section: _BudgetSection) -> Selector:
    """Parse the selector of an entry."""
    match section.given.get("item"):
        case str() as pattern if pattern:
            return Selector(pattern)
        case {"level": int() as level, **rest} if not rest and not isinstance(level, bool) and level >= 0:
            return Selector(level=level)
        case {"column": str() as column, "value": str() as value, **rest} if column and not {*rest} - {"each"}:
            if isinstance(each := rest.get("each", False), bool):
                return Selector(column=column, value=value, each=each)
    raise section.wrong_type("item", _SELECTOR_FORMS)


def _read_limits(section: _BudgetSection) -> tuple[Limit, ...]:
    """Parse the limits of an entry, in the order of ``_LIMIT_READERS``; rejects invalid combinations."""
    limits = []
    for key, reader in _LIMIT_READERS.items():
        if key in section.given:
            try:
                limits.append(reader(Limit(key, place=section.place(key)), section.given[key]))
            except UsageError as error:
                raise section.fault(key, str(error)) from None
    _check_limit_combination(section, {limit.subject: limit for limit in limits})
    return tuple(limits)


def _check_limit_combination(section: _BudgetSection, limits: Mapping[str, Limit]) -> None:
    """Reject limits of an entry that require a missing one, or that exclude each other."""
    subjects = limits.keys()
    if not subjects - {"probability-min"}:
        raise section.fault("item", f"has no limit (expected one of {', '.join(_LIMIT_READERS)})")
    if "margin-min" in subjects and "mass-max" not in subjects:
        raise section.fault("margin-min", "requires mass-max in the same entry")
    if {"mass-min", "mass-max"} <= subjects and _is_greater_measure(
        limits["mass-min"].low, limits["mass-max"].high, MASS
    ):
        raise section.fault("mass-min", f"is above mass-max of the same entry: {_toml_text(section.given['mass-min'])}")
    if "probability-min" in subjects and not subjects & PROBABILITY_LIMITS:
        raise section.fault(
            "probability-min",
            f"requires a limit (one of {', '.join(k for k in _LIMIT_READERS if k in PROBABILITY_LIMITS)})",
        )
    if "probability-min" in subjects and "with-pending" in map(section.given.get, ("basis", "margin-basis")):
        raise section.fault("probability-min", "is not for the basis with-pending, which has expected values only")


def _read_plan(file: str, text: str, given: Mapping[str, Any], keys: tuple[str, ...]) -> MarginPlan:
    """Read ``[plan]``: milestones with a required margin or an allocation."""
    lines = {line.key[0] if line.key else None: line.number for line in toml_lines(text) if line.table == keys}
    section = _BudgetSection(file, "plan", given, lines)
    section.check_keys(("limit", "basis", "margin-basis", "milestones"))
    listed = given.get("milestones")
    if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
        raise section.wrong_type("milestones", 'such as [{ name = "PDR", date = 2027-03-31, margin = "20 %" }]')
    milestones = tuple(_read_milestone(replace(section, name="plan.milestones", given=one)) for one in listed)
    days = [one.day for one in milestones if one.day is not None]
    if days != sorted(set(days)):
        raise section.fault("milestones", "are not in the order of their dates")
    basis = section.word("basis", ("predicted", "basic"))
    of_limit = section.word("margin-basis", ("mass", "allocation")) == "allocation"
    limit = _kilograms(section, "limit", given["limit"]) if "limit" in given else None
    return MarginPlan(limit, basis, of_limit, milestones, section.place("milestones"))


def _read_milestone(section: _BudgetSection) -> PlannedMilestone:
    """Read a milestone of a plan."""
    given, place = section.given, section.place("milestones")
    section = replace(section, lines={None: place.line or 0})
    section.check_keys(("name", "date", "revision", "margin", "allocation"))
    if not isinstance(name := given.get("name"), str) or not name.strip():
        raise section.wrong_type("name", "a text in quotes")
    day, revision = given.get("date"), given.get("revision", "")
    if (day is None) == (not revision) or not isinstance(revision, str) or (day is not None and type(day) is not date):
        raise section.wrong_type("date", 'a day such as 2027-03-31, or revision = "rev_B"')
    if ("margin" in given) == ("allocation" in given):
        raise section.fault("margin", 'is not stated alone (expected margin = "20 %" or allocation = "850 kg")')
    margin, allocation = None, None
    if "margin" in given:
        margin = _limit_of_key(section, "margin", _margin_limit).low.number
    else:
        allocation = _kilograms(section, "allocation", given["allocation"])
    return PlannedMilestone(name, day, revision, margin, allocation, place)


def _limit_of_key(section: _BudgetSection, key: str, reader: Callable[[Limit, object], Limit]) -> Limit:
    """Read the value of a key as a limit has it."""
    try:
        return reader(Limit(key), section.given[key])
    except UsageError as error:
        raise section.fault(key, str(error)) from None


def _kilograms(section: _BudgetSection, key: str, value: object) -> float:
    """Read a mass with its unit, in kilogram."""
    try:
        measure = read_measure(value, MASS)
    except UsageError as error:
        raise section.fault(key, str(error)) from None
    unit = unit_of_dimension(measure.unit, MASS)
    assert unit is not None
    return measure.number * unit.over(KILOGRAM)


def _read_pending(section: _BudgetSection) -> PendingChange:
    """Read a ``[[pending]]``."""
    given = section.given
    section.check_keys(("item", "change", "probability", "reason", "due"))
    for key in ("item", "reason"):
        if not isinstance(given.get(key, ""), str) or (key == "reason" and not given.get(key, "").strip()):
            raise section.wrong_type(key, "a text in quotes")
    listed = given["change"] if isinstance(given.get("change"), list) else [given.get("change")] * 3
    if len(listed) != 3:
        raise section.wrong_type("change", 'low, likely and high, such as ["1 kg", "2 kg", "5 kg"]')
    low, likely, high = (_kilograms(section, "change", one) for one in listed)
    if not low <= likely <= high:
        raise section.fault("change", f"is not in ascending order: {_toml_text(given['change'])}")
    share = _limit_of_key(section, "probability", _chance_limit).low.number if "probability" in given else 1.0
    if (due := given.get("due")) is not None and type(due) is not date:
        raise section.wrong_type("due", "a day such as 2027-03-31")
    return PendingChange(given.get("item", ""), low, likely, high, share, given["reason"], due, section.place("item"))


def _chance_limit(limit: Limit, value: object) -> Limit:
    """Read a probability above 0 and at most 1."""
    is_certain = (value == 1 and not isinstance(value, bool)) or value == "100 %"
    return replace(limit, low=LimitMeasure(1.0)) if is_certain else _probability_limit(limit, value)


def _read_waiver(section: _BudgetSection) -> Waiver:
    """Read a ``[[waive]]``."""
    section.check_keys(_WAIVER_KEYS)
    for key in _WAIVER_KEYS[:3]:
        if not isinstance((text := section.given.get(key)), str) or not text.strip():
            raise section.wrong_type(key, "a text in quotes")
    rule, expires = section.given["rule"], section.given.get("expires")
    if rule not in _WAIVABLE_RULES:
        raise section.fault(
            "rule", f"is not a rule that can be waived: {rule} (expected MP601 to MP609, {' or '.join(_TOTAL_RULES)})"
        )
    # Python accepts a date with a time, which lacks its time zone
    if expires is not None and type(expires) is not date:
        raise section.wrong_type("expires", "a day such as 2027-03-31")
    return Waiver(rule, section.given["item"], section.given["reason"], expires, section.place("rule"))
