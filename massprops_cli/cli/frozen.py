"""A frozen map: every decision of one reading, in the format of ``massprops.toml``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.config import FLAGS, LISTS, TEXTS
from massprops_cli.findings import OutputError, Severity
from massprops_cli.report.findings_text import plural
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from massprops_cli.bom.understanding.understanding import Understanding

NAMES = {"sigmas-are": "sigma_level"}
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

    from massprops_cli.bom.understanding.column_map import EACH_ROW

    if not document.body:
        document.add(
            tomlkit.comment(f"How {seen.source.name} was understood; massprops inspect --save-map wrote this.")
        )
        document.add(tomlkit.nl())
    always = {"layout": seen.layout, "assembly-values": seen.options.assembly_values, "frozen": True}
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
        if isinstance(value, frozenset | tuple) and key not in LISTS:
            value = ",".join(map(str, sorted(value) if isinstance(value, frozenset) else value))
        keys[key] = list(value) if isinstance(value, tuple) else value
    return keys
