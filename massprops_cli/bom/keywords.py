"""Options of the library's functions, by name, as options of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from massprops_cli.bom.inertia_point import Point, point_named
from massprops_cli.findings import UsageError
from massprops_cli.tables.options import LAYOUTS, TableOptions, allowed_missing

CHOICES = {
    "layout": ("", *LAYOUTS),
    "poi": ("", "+", "-"),
    "decimal": ("", ",", "."),
    "write_poi": ("keep", "+", "-", "none"),
    "assembly_values": ("", "check", "own", "stated", "ignore"),
    "mass_is": ("", "each", "line"),
    "qty_is": ("", "per-parent", "total"),
    "blank_qty": ("", "0", "1"),
}
"""What options of a few words can be."""


def table_options_of(options: Mapping[str, Any]) -> TableOptions:
    """Make table options of keyword arguments; raises UsageError for a name or a word that is not known.

    >>> sorted(table_options_of({"allow_missing": "mass"}).allow_missing)
    ['inertia', 'mass', 'sigma']
    """
    known = {*(f.name for f in fields(TableOptions)), "strict"} - {"typed", "used"}
    unknown = sorted(set(options) - known)
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}; the options are {', '.join(sorted(known))}")
    given = dict(options)
    given["allow_missing"] = missing_allowed(given)
    given.pop("strict", None)
    for name in ("where", "ignore_columns", "count_rows", "skip_rows"):
        given[name] = (texts,) if isinstance(texts := given.get(name, ()), str) else tuple(texts)
    for name, one_of in CHOICES.items():
        if name in given and given[name] not in one_of:
            raise UsageError(f"{name} is {given[name]}; it can be {', '.join(word for word in one_of if word)}")
    if "inertia_about" in given:
        given["inertia_own"] = str(given["inertia_about"]).strip().lower() == "own"
        given["inertia_about"] = point_of(given["inertia_about"])
    check_sigma_options(given)
    made = TableOptions(**given)
    return made.of_variant(made.qty_column) if made.qty_column else made


def point_of(given: object) -> Point | None:
    """Read the point of ``inertia_about``: a word, a text of three numbers, three numbers, or None for own centres.

    >>> point_of("origin"), point_of([1, 2, 3]), point_of(None)
    ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0), None)
    """
    if isinstance(given, str | None):
        return point_named(given or "")
    numbers = list(given) if isinstance(given, Iterable) else [given]
    return point_named(",".join(str(number) for number in numbers))


def check_sigma_options(given: Mapping[str, Any]) -> None:
    """Refuse a level and percentages of sigmas that are none."""
    level = given.get("sigma_level", 1)
    if not is_size(level) or level == 0:
        raise UsageError(f"sigma_level is {level!r}; it takes a number of standard deviations, such as 2")
    percent = given.get("sigma_percent", {})
    if not isinstance(percent, Mapping):
        raise UsageError(f"sigma_percent is {percent!r}; it takes percentages by the words under method")
    for word, value in percent.items():
        if not is_size(value):
            raise UsageError(f"sigma_percent of {word} is {value!r}; it takes a percentage, a number from 0 on")


def is_size(value: object) -> bool:
    """Tell whether a value is a finite number from 0 on.

    >>> is_size(2), is_size(-1.0), is_size("2")
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def missing_allowed(given: Mapping[str, Any]) -> frozenset[str]:
    """Read ``allow_missing`` (words, or one text of them with commas) and ``strict``, which allows none."""
    words = given.get("allow_missing", "")
    text = words if isinstance(words, str) else ",".join(words)
    if not given.get("strict", False):
        return allowed_missing(text, "allow_missing")
    if text not in ("", "none"):
        raise UsageError(f"strict excludes allow_missing {text}")
    return frozenset()
