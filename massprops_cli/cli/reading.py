"""From the command line and the configuration to what the library is asked: how to read, and what the table means.

From the command line to what was understood of a table: for ``inspect``, and for ``--explain`` beside others.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.options import Layout, Meaning, Reading, Reporting, Texts
from massprops_cli.cli.settings import Settings, settings_for
from massprops_cli.cli.streams import screen_for
from massprops_cli.cli.typed import typed_words
from massprops_cli.files.options import FORMATS, SEVERAL, Caps, FileOptions
from massprops_cli.findings import TableError, UsageError
from massprops_cli.reports.page import Line
from massprops_cli.tables.options import TableOptions, allowed_missing_of

if TYPE_CHECKING:
    from massprops_cli.bom.inspect import Understanding
    from massprops_cli.bom.read import Bom
    from massprops_cli.files.table import Table
    from massprops_cli.findings import Finding
    from massprops_cli.reports.page import Block, Symbols


ASSEMBLY_VALUES = ("check", "own", "stated", "ignore")


def stdin_of(reading: Reading) -> bytes | None:
    """Read standard input to its end, where the table comes from there."""
    return sys.stdin.buffer.read() if reading.file == "-" else None


def read_bom(reading: Reading, meaning: Meaning, stdin: bytes | None = None, **more: Any) -> Bom:
    """Read the table that the command line names.

    ``more`` are further table options, such as ``use_sigmas``; those that are None were not asked for.
    """
    from massprops_cli.cli.streams import progress

    settings = settings_for(reading.file, reading.config)
    file_options = file_options_of(reading, settings)
    given = {name: value for name, value in more.items() if value is not None}
    table_options = replace(table_options_of(reading, meaning, settings), **given)
    from massprops_cli.bom.read import Bom

    held = stdin if stdin is not None else stdin_of(reading)
    with progress(f"reading {reading.file}"):
        bom = Bom.read(reading.file, file_options, table_options, None if held is None else io.BytesIO(held))
    check_sheet(reading, bom.table)
    return bom


def configuration_of(reading: Reading) -> list[str]:
    """Say which configuration files were read, for ``-v``."""
    return settings_for(reading.file, reading.config).words


def decided(bom: Bom, reading: Reading, symbols: Symbols, *, is_verbose: bool) -> list[Block]:
    """Say every decision that was taken in reading a table, with ``-v``."""
    if not is_verbose:
        return []
    from massprops_cli.reports.conventions import decision_blocks

    return decision_blocks(bom, configuration_of(reading), symbols)


def read_table(reading: Reading) -> tuple[Table, list[Finding]]:
    """Read the table that the command line names, without asking what it means."""
    from massprops_cli.cli.streams import progress
    from massprops_cli.files.read import read_table as read
    from massprops_cli.tables.header import looks_like_header

    file_options = file_options_of(reading, settings_for(reading.file, reading.config))
    stdin = sys.stdin.buffer if reading.file == "-" else None
    with progress(f"reading {reading.file}"):
        table, findings = read(reading.file, file_options, stdin, looks_like_table=looks_like_header)
    check_sheet(reading, table)
    return table, list(findings)


def check_sheet(reading: Reading, table: Table) -> None:
    """Refuse ``--sheet`` where there are no sheets; a configuration's may be meant for the workbooks beside it."""
    if reading.sheet and table.source.format not in SEVERAL:
        what = f"{reading.file} is {table.source.format} and has no sheets; leave out --sheet"
        raise UsageError(f"--sheet is {reading.sheet}, and {what}")


def file_options_of(reading: Reading, settings: Settings) -> FileOptions:
    """Say how bytes become a table."""
    read = settings.read
    caps = Caps()
    given = {
        "members": reading.max_members,
        "inflated": reading.max_inflated,
        "ratio": reading.max_ratio,
        "cells": reading.max_cells,
        "cell_characters": reading.max_cell_characters,
        "text_cell_characters": reading.max_cell_characters,
    }
    of_tree = {"depth": reading.max_depth, "items": reading.max_items}
    for name, value in {**given, **of_tree}.items():
        if value is not None and value < 1:
            raise UsageError(f"--max-{name.replace('_', '-')} is {value}; it takes a positive number")
    caps = replace(caps, **{name: value for name, value in given.items() if value is not None})
    delimiter = reading.delimiter or str(read.get("delimiter", ""))
    delimiter = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}.get(delimiter, delimiter)
    if len(delimiter) > 1:
        raise UsageError(f"--delimiter is {delimiter}; it takes one character, or the word tab")
    format_name = (reading.from_format or str(read.get("from", ""))).lower()
    if format_name and format_name not in FORMATS:
        raise UsageError(f"--from is {format_name}; it takes {', '.join(FORMATS)}")
    return FileOptions(
        format=format_name,
        sheet=reading.sheet or str(read.get("sheet", "")),
        encoding=reading.encoding or str(read.get("encoding", "")),
        delimiter=delimiter,
        caps=caps,
    )


def table_options_of(reading: Reading, meaning: Meaning, settings: Settings) -> TableOptions:
    """Say what the table means."""
    from massprops_cli.bom.inertia_point import point_named

    read = settings.read
    layout = meaning.layout.value if meaning.layout else str(read.get("layout", ""))
    chosen(layout, "layout", tuple(member.value for member in Layout), "")
    poi = meaning.poi.value if meaning.poi else str(read.get("poi", ""))
    chosen(poi, "poi", ("+", "-"), "")
    values = meaning.assembly_values.value if meaning.assembly_values else str(read.get("assembly-values", ""))
    chosen(values, "assembly-values", ASSEMBLY_VALUES, "")
    decimal = meaning.decimal or str(read.get("decimal", ""))
    chosen(decimal, "decimal", (",", "."), "")
    defaults, about = TableOptions(), meaning.inertia_about or str(read.get("inertia-about", ""))
    options = TableOptions(
        layout=layout,
        table=meaning.table or int(read.get("table", 0)),
        map=named_columns(meaning, settings),
        unit={**settings.units, **pairs(meaning.unit, "--unit", "UNIT")},
        units=meaning.units or str(read.get("units", "")),
        as_weight=meaning.as_weight or bool(read.get("as-weight", False)),
        poi=poi,
        inertia_about=point_named(about),
        inertia_own=about.strip().lower() == "own",
        root=meaning.root or str(read.get("root", "")),
        make_root=meaning.make_root or str(read.get("make-root", "")),
        where=tuple(meaning.where or read.get("where", ())),
        ignore_columns=tuple(meaning.ignore_column or read.get("ignore-column", ())),
        count_rows=tuple(meaning.count_row or read.get("count-row", ())),
        skip_rows=tuple(meaning.skip_row or read.get("skip-row", ())),
        blank_qty=meaning.blank_qty.value if meaning.blank_qty else str(read.get("blank-qty", "")),
        decimal=decimal,
        accept_approximate=meaning.accept_approximate or bool(read.get("accept-approximate", False)),
        allow_missing=missing_allowed(meaning, read),
        allow_negative_mass=meaning.allow_negative_mass or bool(read.get("allow-negative-mass", False)),
        frozen=meaning.frozen or bool(read.get("frozen", False)),
        assembly_values=values,
        mass_is=meaning.mass_is.value if meaning.mass_is else str(read.get("mass-is", "")),
        qty_is=meaning.qty_is.value if meaning.qty_is else str(read.get("qty-is", "")),
        sigma_level=int(read.get("sigmas-are", 1)),
        sigma_percent=settings.sigma_percent,
        growth_table=meaning.growth_table or settings.growth_table,
        max_depth=reading.max_depth or defaults.max_depth,
        max_items=reading.max_items or defaults.max_items,
        typed=typed_words(),
    )
    variants = meaning.qty_column or [str(read[name]) for name in ("qty-column",) if read.get(name)]
    if len(variants) > 1:
        raise UsageError("--qty-column takes one column; rollup --all-variants takes several")
    return options.of_variant(variants[0]) if variants else options


def named_columns(meaning: Meaning, settings: Settings) -> dict[str, str]:
    """Give the columns that are named: quantity → header; ``--qty-column`` comes before a file's ``qty``.

    >>> settings = Settings(columns={"id": "Part", "qty": "Variant A"})
    >>> named_columns(Meaning(map=["mass=W"], qty_column=["Variant B"]), settings)
    {'id': 'Part', 'mass': 'W'}
    """
    of_file = {name: header for name, header in settings.columns.items() if not meaning.qty_column or name != "qty"}
    return {**of_file, **pairs(meaning.map, "--map", "HEADER")}


def without_variant(settings: Settings) -> Settings:
    """Give the same settings without a word on which column of quantities is taken: all variants are asked for.

    >>> without_variant(Settings(read={"qty-column": "B"}, columns={"qty": "B", "id": "Part"})).columns
    {'id': 'Part'}
    """
    return replace(
        settings,
        read={name: value for name, value in settings.read.items() if name != "qty-column"},
        columns={name: header for name, header in settings.columns.items() if name != "qty"},
    )


def chosen(value: str, name: str, words: tuple[str, ...], default: str) -> str:
    """Refuse a word that an option does not take (the command line's are checked already, a file's are not)."""
    if value not in (*words, default):
        raise UsageError(f"{name} is {value}; it takes {', '.join(words)}")
    return value


def missing_allowed(meaning: Meaning, read: Mapping[str, Any]) -> frozenset[str]:
    """Say what may be missing, by the command line before the configuration."""
    given = [text for text in meaning.allow_missing or () if text.strip()]
    if meaning.strict and any(text.strip() != "none" for text in given):
        raise UsageError(f"--strict excludes --allow-missing {','.join(given)}")
    if meaning.strict or (not given and read.get("strict", False)):
        return frozenset()
    return allowed_missing_of(given or [str(read.get("allow-missing", ""))])


def pairs(given: Texts, option: str, what: str) -> Mapping[str, str]:
    """Read repeated ``name=text``.

    >>> pairs(["id=Part Number", "mass=W=kg"], "--map", "HEADER")
    {'id': 'Part Number', 'mass': 'W=kg'}
    """
    found = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise UsageError(f"{option} is {text}; it takes QUANTITY={what}")
        found[name.strip()] = value.strip()
    return found


def point_of(text: str, option: str) -> tuple[float, float, float]:
    """Read three coordinates with commas between.

    >>> point_of("1,2.5,-3e2", "--datum")
    (1.0, 2.5, -300.0)
    """
    from massprops_cli.tables.numbers import read_number

    numbers = [read_number(part) for part in text.split(",")]
    if len(numbers) != 3 or any(number is None for number in numbers):
        raise UsageError(f"{option} is {text}; it takes three numbers with commas, such as 0,0,1.5")
    x, y, z = (float(number) for number in numbers if number is not None)
    return x, y, z


def understood(
    reading: Reading, meaning: Meaning, stdin: bytes | None = None, **more: Any
) -> tuple[Understanding, list[str]]:
    """Read the table that the command line names, and say what is understood and which configuration was read.

    ``stdin`` is what was read of standard input already; ``more`` are further table options, as for ``read_bom``.
    """
    from massprops_cli.bom.inspect import inspect_file
    from massprops_cli.cli.streams import progress

    settings = settings_for(reading.file, reading.config)
    given = {name: value for name, value in more.items() if value is not None}
    options = replace(table_options_of(reading, meaning, settings), **given)
    held = stdin if stdin is not None else stdin_of(reading)
    with progress(f"reading {reading.file}"):
        seen = inspect_file(
            reading.file,
            file_options_of(reading, settings),
            options,
            None if held is None else io.BytesIO(held),
            deciders(meaning, settings),
        )
    return seen, settings.words


def read_explained(
    reading: Reading, meaning: Meaning, reporting: Reporting, stdin: bytes | None = None, **more: Any
) -> Bom:
    """Read the table that the command line names; with ``--explain``, say on stderr what was understood of it.

    That is also said of a table of which no tree can be made, before the reason why.
    """
    held = stdin if stdin is not None else stdin_of(reading)
    try:
        bom = read_bom(reading, meaning, held, **more)
    except TableError:
        if reporting.explain:
            with suppress(TableError):
                show(*understood(reading, meaning, held, **more))
        raise
    explain(bom, reading, meaning, reporting)
    return bom


def explain(table: Bom | Table, reading: Reading, meaning: Meaning, reporting: Reporting) -> None:
    """With ``--explain``, say on stderr what was understood of a table that was read."""
    if not reporting.explain:
        return
    from massprops_cli.bom.inspect import understanding_of, understanding_of_table
    from massprops_cli.bom.model import Content

    settings = settings_for(reading.file, reading.config)
    settled = deciders(meaning, settings)
    if isinstance(table, Content):
        seen = understanding_of(table, settled)
    else:
        seen = understanding_of_table(table, table_options_of(reading, meaning, settings), settled=settled)
    show(seen, settings.words)


def show(seen: Understanding, configuration: list[str]) -> None:
    """Say on stderr what was understood."""
    from massprops_cli.reports.inspect import inspect_blocks

    screen = screen_for(sys.stderr)
    screen.show([*inspect_blocks(seen, configuration, screen.symbols), Line()])


def deciders(meaning: Meaning, settings: Settings) -> dict[str, str]:
    """Tell who named the column of a quantity: the command line before the last file of options.

    >>> deciders(Meaning(map=["mass=W"]), Settings(columns={"id": "A", "mass": "B"}, files=("massprops.toml",)))
    {'id': 'massprops.toml', 'mass': '--map'}
    """
    of_files = dict.fromkeys(settings.columns, settings.files[-1] if settings.files else "")
    return of_files | dict.fromkeys((text.partition("=")[0].strip() for text in meaning.map or ()), "--map")
