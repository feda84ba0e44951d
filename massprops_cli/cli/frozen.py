"""A frozen map: every decision of one reading, in the format of ``massprops.toml``."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.config import FLAGS, TEXTS
from massprops_cli.findings import OutputError, Severity, UsageError
from massprops_cli.report.findings_text import plural
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    from massprops_cli.bom.understanding.understanding import Understanding

NAMES = {"sigmas-are": "sigma_level"}
"""Keys of ``[read]`` that are called otherwise among the table's options."""

ELSEWHERE = ("map", "unit", "sigma_percent", "growth_table", "use_sigmas", "write_poi", "max_depth", "max_items")
"""Options that other tables of the file keep, or that do not change what the table means."""


def save_map(seen: Understanding, name: str, *, force: bool) -> None:
    """Write every decision to a file.

    Raises OutputError where it exists, or where errors leave decisions open; UsageError for an option it cannot hold.
    """
    from massprops_cli.files.atomic import whole_or_not

    errors = seen.count(Severity.ERROR)
    if errors:
        raise OutputError(f"{name}: not written, for the table has {plural(errors, 'error')}; settle that first")
    unkept = without_key(seen.options)
    if unkept:
        raise UsageError(f"--{unkept[0]} has no place in a map; freeze without it, and pass it with each roll-up")
    if Path(name).exists() and not force:
        raise OutputError(f"{name}: exists; replace it with --force")
    with whole_or_not(name) as out:
        out.write(map_text(seen).encode())


def map_text(seen: Understanding) -> str:
    """Give a frozen map as TOML: columns, stated units, options of reading, percentages of methods."""
    always = {"layout": seen.layout, "assembly-values": seen.options.assembly_values, "frozen": True}
    tables: dict[str, dict[str, Any]] = {
        "columns": {column.quantity: column.header for column in seen.columns},
        "units": {column.quantity: column.unit for column in seen.columns if column.unit_from},
        "read": {**source_keys(seen), **option_keys(seen.options), **always},
        "sigma-percent": dict(seen.options.sigma_percent),
        "growth": {"table": seen.options.growth_table} if seen.options.growth_table else {},
    }
    lines = [f"# How {seen.source.name} was understood; massprops inspect --save-map wrote this.", ""]
    for name, keys in tables.items():
        if keys:
            lines += [f"[{name}]", *(f"{toml_key(key)} = {toml_value(value)}" for key, value in keys.items()), ""]
    return "\n".join(lines)


def source_keys(seen: Understanding) -> dict[str, Any]:
    """Give the keys that say how bytes became a table."""
    source = seen.source
    delimiter = {"\t": "tab"}.get(source.delimiter, source.delimiter)
    keys = {"from": source.format, "sheet": source.sheet, "encoding": source.encoding, "delimiter": delimiter}
    return {key: value for key, value in keys.items() if value}


def option_keys(options: TableOptions) -> dict[str, Any]:
    """Give the keys for all options of meaning that are not as they are by themselves.

    >>> option_keys(TableOptions(poi="-", sigma_level=2, allow_missing=frozenset({"sigma", "mass"})))
    {'poi': '-', 'allow-missing': 'mass,sigma', 'sigmas-are': 2}
    """
    bare, keys = TableOptions(), {}
    for key in (*TEXTS, *FLAGS):
        name = NAMES.get(key, key.replace("-", "_"))
        value = getattr(options, name, None)
        if value is None or value == getattr(bare, name):
            continue
        if isinstance(value, frozenset):
            value = sorted(value)
        keys[key] = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
    return keys


def without_key(options: TableOptions) -> list[str]:
    """Name the options that were given and that a configuration file cannot hold.

    >>> without_key(TableOptions(where=("subsystem = Power",), poi="-"))
    ['where']
    """
    bare = TableOptions()
    kept = {*ELSEWHERE, *(NAMES.get(key, key.replace("-", "_")) for key in (*TEXTS, *FLAGS))}
    given = [f.name for f in fields(TableOptions) if getattr(options, f.name) != getattr(bare, f.name)]
    return [name.replace("_", "-") for name in given if name not in kept]


def toml_key(key: str) -> str:
    """Give a key bare where that is legal, else in quotes.

    >>> toml_key("allow-missing"), toml_key("by weighing")
    ('allow-missing', '"by weighing"')
    """
    is_bare = key.isascii() and key.replace("-", "").replace("_", "").isalnum()
    return key if is_bare else toml_value(key)


def toml_value(value: str | bool | float) -> str:
    """Give a value as TOML; JSON writes texts and numbers alike, but for the delete character.

    >>> toml_value('1" pipe'), toml_value(True), toml_value(2)
    ('"1\\\\" pipe"', 'true', '2')
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
