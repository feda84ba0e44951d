"""``massprops inspect``: what was understood of a table, column by column, and what was left out.

A frozen map: every decision of one reading, in the format of ``massprops.toml``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from massprops_cli.cli.exits import CANNOT, DONE
from massprops_cli.cli.options import OUT, Meaning, Method, Reading, Reporting, Stated, Style
from massprops_cli.cli.reading import understood
from massprops_cli.cli.reporting import rules_of, tell_findings
from massprops_cli.cli.settings import FLAGS, LISTS, TEXTS
from massprops_cli.cli.streams import report_screen
from massprops_cli.findings import OutputError, Severity
from massprops_cli.reports.findings import json_text, plural
from massprops_cli.reports.page import FULL, fenced
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from massprops_cli.bom.inspect import Understanding


NAMES = {
    "sigmas-are": "sigma_level",
    "count-row": "count_rows",
    "skip-row": "skip_rows",
    "ignore-column": "ignore_columns",
}
"""Keys of ``[read]`` that are called otherwise among the table's options."""

KEYS = (*TEXTS, *LISTS, *FLAGS)


def save_map(seen: Understanding, name: str, *, force: bool) -> None:
    """Write every decision to a file; with ``force`` into one that exists, whose other tables and comments stay.

    Raises OutputError where it exists, or where errors leave decisions open.
    """
    from massprops_cli.files.atomic import whole_or_not

    errors = seen.count(Severity.ERROR)
    if errors:
        raise OutputError(f"{name}: not written, for the table has {plural(errors, 'error')}; settle that first")
    if Path(name).exists() and not force:
        raise OutputError(f"{name}: exists; put the decisions into it with --force, which keeps its other tables")
    text = map_text(seen, document_in(name))
    with whole_or_not(name) as out:
        out.write(text.encode())


def document_in(name: str) -> TOMLDocument:
    """Read the file that decisions are put into, or begin one; raises OutputError where it is something else."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if not Path(name).exists():
        return tomlkit.document()
    try:
        return tomlkit.parse(Path(name).read_text(encoding="utf-8-sig"))
    except (TOMLKitError, UnicodeDecodeError):
        raise OutputError(f"{name}: exists and is not TOML; give the map another name") from None
    except OSError as error:
        raise OutputError(f"{name}: cannot be read: {error.strerror}") from None


def map_text(seen: Understanding, document: TOMLDocument) -> str:
    """Give a frozen map as TOML, in a document: columns, stated units, options of reading, percentages of methods."""
    import tomlkit

    from massprops_cli.bom.inspect import EACH_ROW

    if not document.body:
        document.add(
            tomlkit.comment(f"How {seen.source.name} was understood; massprops inspect --save-map wrote this.")
        )
        document.add(tomlkit.nl())
    always = {"layout": seen.layout, "assembly-values": seen.options.assembly_values or "check", "frozen": True}
    tables: dict[str, dict[str, Any]] = {
        "columns": {column.quantity: column.header for column in seen.columns},
        "units": {column.quantity: column.unit for column in seen.columns if column.unit_from not in ("", EACH_ROW)},
        "read": {**source_keys(seen), **option_keys(seen.options), **always},
        "sigma-percent": dict(seen.options.sigma_percent),
        "growth": {"table": seen.options.growth_table} if seen.options.growth_table else {},
    }
    for name, keys in tables.items():
        if keys:
            document[name] = keys
        elif name in document:
            del document[name]
    return tomlkit.dumps(document)


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
    for key in KEYS:
        name = NAMES.get(key, key.replace("-", "_"))
        value = getattr(options, name, None)
        if value is None or value == getattr(bare, name):
            continue
        if isinstance(value, frozenset) and not value:
            value = "none"
        elif isinstance(value, frozenset | tuple) and key not in LISTS:
            value = ",".join(map(str, sorted(value) if isinstance(value, frozenset) else value))
        keys[key] = list(value) if isinstance(value, tuple) else value
    return keys


MORE = """

Exit code 0 if a tree of parts was read, also with errors in it; 2 if none was. Nothing is rolled up.
With --save-map, a table that has errors is refused: a frozen map never guesses.
"""


@dataclass(frozen=True)
class Freezing:
    """Where decisions are kept."""

    save_map: Annotated[
        str,
        typer.Option(
            "--save-map",
            metavar="FILE",
            help="Write every decision to a file such as massprops.toml, which then is read instead of guessing.",
            rich_help_panel=OUT,
        ),
    ] = ""
    force: Annotated[bool, typer.Option("--force", help="Replace an existing map.", rich_help_panel=OUT)] = False


def command(reading: Reading, meaning: Meaning, stated: Stated, reporting: Reporting, freezing: Freezing) -> int:
    """Read, show what was understood, and keep it if asked to."""
    rules_of(reporting)
    uses_sigmas = stated.uncertainty is not Method.none
    seen, configuration = understood(reading, meaning, use_sigmas=uses_sigmas, sigma_level=stated.sigmas_are)
    from massprops_cli.reports.inspect import inspect_blocks

    screen, style = report_screen(data_on_stdout=False), reporting.format
    if style is Style.json:
        screen.write(json_text(seen.to_dict()))
    elif style is Style.md:
        screen.write(fenced(inspect_blocks(seen, configuration, FULL)))
    elif style in (Style.jsonl, Style.concise):
        did = f"{reading.file}: inspected"
        tell_findings(screen, reading.file, seen.findings, reporting, did, failed=not seen.is_bom)
    else:
        screen.show(inspect_blocks(seen, configuration, screen.symbols))
    if freezing.save_map and seen.is_bom:
        save_map(seen, freezing.save_map, force=freezing.force)
    return DONE if seen.is_bom else CANNOT
