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
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, cast

from massprops_cli.budget.entries import Basis, Budget, Entry, Limit, MarginBasis, Selector
from massprops_cli.budget.limits import PROBABLE, READERS, read_limit
from massprops_cli.budget.lines import Lines, lines_of
from massprops_cli.budget.measures import is_above, written
from massprops_cli.budget.section import Section
from massprops_cli.budget.waiver import Waiver
from massprops_cli.findings import ConfigError, Severity, UsageError
from massprops_cli.findings.catalogue import RULES
from massprops_cli.tables.units.unit_table import MASS

BASES = ("predicted", "basic")
MARGIN_BASES = ("predicted", "basic", "allocation")
SEVERITIES = ("error", "warning", "note")
ENTRY_KEYS = ("item", *READERS, "basis", "margin-basis", "severity")
WAIVER_KEYS = ("rule", "item", "reason", "expires")
WAIVABLE = [code for code in RULES if "MP601" <= code <= "MP609"]
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
        raise section.fault("rule", f"is {rule}, and only {WAIVABLE[0]} to {WAIVABLE[-1]} can be waived")
    # a date with a time is a date for Python, and would not say of which place the time is
    if expires is not None and type(expires) is not date:
        raise section.refused("expires", "a day such as 2027-03-31")
    return Waiver(rule, section.get("item"), section.get("reason"), expires, section.place("rule"))
