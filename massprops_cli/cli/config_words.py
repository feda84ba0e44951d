"""What ``massprops.toml`` may say: its keys, quantities, words and units; each fault names the nearest that fits."""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from massprops_cli.findings import ConfigError, UsageError

WORDS: dict[str, tuple[str, ...]] = {
    "layout": ("parent", "level", "dotted", "indented", "columns", "outline", "edges", "flat"),
    "poi": ("+", "-"),
    "decimal": (",", "."),
    "assembly-values": ("check", "own", "stated", "ignore"),
    "mass-is": ("each", "line"),
    "qty-is": ("per-parent", "total"),
    "blank-qty": ("0", "1"),
    "allow-missing": ("mass", "center", "inertia", "sigma", "all"),
    "sigmas-are": ("1", "2", "3"),
}
"""The options of reading that take one of a few words; ``allow-missing`` takes several, with commas."""


def refuse(path: Path, key: str, what: str, wanted: str, known: Iterable[str], plural: str) -> ConfigError:
    """Make the error for a key of a file: what is wrong with it, and the nearest of what is known."""
    from massprops_cli.findings.nearest import nearest

    names = list(known)
    hint = nearest(wanted, names) or f"; the {plural} are {', '.join(names)}"
    return ConfigError(f"{path}: {key} {what}{hint}")


def check_words(path: Path, read: Mapping[str, Any]) -> None:
    """Refuse a word in ``[read]`` that its option does not take."""
    from massprops_cli.files.formats import FORMATS

    words = {**WORDS, "from": tuple(name for name in FORMATS if name != "md")}
    for key, known in words.items():
        text = str(read.get(key, ""))
        for word in text.split(",") if key == "allow-missing" else [text]:
            bare = word.strip().lower() if key == "from" else word.strip() if key == "allow-missing" else word
            if bare and bare not in known:
                raise refuse(path, f"read.{key}", f"is {bare}", bare, known, "words")
    if not str(read.get("table", "0")).isdecimal():
        raise ConfigError(f"{path}: read.table is {read['table']}; it takes a number from 1")
    if read.get("encoding"):
        try:
            codecs.lookup(read["encoding"])
        except (LookupError, ValueError):
            raise ConfigError(f"{path}: read.encoding is {read['encoding']}, which is no text encoding") from None
    check_forms(path, read)


def check_forms(path: Path, read: Mapping[str, Any]) -> None:
    """Refuse a point, a system of units or a condition in ``[read]`` that is none."""
    from massprops_cli.bom.cells.inertia_point import point_named
    from massprops_cli.tables.rows.where import read_condition
    from massprops_cli.tables.units.units import system_named

    readers: dict[str, Callable[[str], object]] = {
        "inertia-about": point_named,
        "units": system_named,
        "where": read_condition,
    }
    for key, reader in readers.items():
        texts = read.get(key) or ()
        for text in (texts,) if isinstance(texts, str) else texts:
            try:
                reader(text)
            except UsageError as error:
                raise ConfigError(f"{path}: read.{key}: {error}") from None


def check_quantities(path: Path, columns: Mapping[str, str]) -> None:
    """Refuse a quantity in ``[columns]`` that does not exist."""
    from massprops_cli.tables.units.quantities import QUANTITIES

    for name in columns:
        if name not in QUANTITIES:
            raise refuse(path, f"columns.{name}", "is not a quantity", name, QUANTITIES, "quantities")


def check_units(path: Path, units: Mapping[str, str]) -> None:
    """Refuse a quantity in ``[units]`` that has no unit, and a text that is no unit of it."""
    from massprops_cli.tables.columns.sigma_words import is_percent
    from massprops_cli.tables.columns.stated_units import GROUPS
    from massprops_cli.tables.units.quantities import QUANTITIES, dimension_of
    from massprops_cli.tables.units.unit_table import ATOMS
    from massprops_cli.tables.units.unit_text import unit_for
    from massprops_cli.tables.units.units import as_weight

    numbers = {name: name for name in QUANTITIES if dimension_of(name) is not None}
    stand_for = {**{group: members[0] for group, members in GROUPS.items()}, **numbers}
    for name, text in units.items():
        if name not in stand_for:
            raise refuse(path, f"units.{name}", "is not a quantity with a unit", name, stand_for, "quantities")
        dimension = dimension_of(stand_for[name])
        assert dimension is not None
        weighed = name in ("mass", "sigma_mass") and as_weight(text) is not None
        relative = name.startswith("sigma_") and is_percent(text)
        if unit_for(text, dimension) is None and not weighed and not relative:
            fitting = [atom for atom in ATOMS if unit_for(atom, dimension, common_only=True) is not None]
            what = f"is {text}, which is not a unit of {name}"
            raise refuse(path, f"units.{name}", what, text, fitting or ["kg*mm^2", "kg*m^2", "lb*in^2"], "units")


def check_percentages(path: Path, percent: Mapping[str, Any]) -> None:
    """Refuse a percentage in ``[sigma-percent]`` that is no number, and a word that is all but one of the shipped ones.

    Further words are the user's own.
    """
    import difflib

    from massprops_cli.tables.columns.uncertainty_words import percentages

    shipped = list(percentages({}))
    for word, value in percent.items():
        is_new = word in percentages({word: 0.0}) and word not in shipped
        if is_new and difflib.get_close_matches(word.casefold(), shipped, 1, cutoff=0.85):
            raise refuse(path, f"sigma-percent.{word}", "is not a key", word, shipped, "words")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ConfigError(f"{path}: sigma-percent.{word} is {value!r}; it takes a percentage, a number from 0 on")
