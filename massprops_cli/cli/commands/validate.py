"""``massprops validate``: how a table was read, and all its problems; ``--save-map`` writes the decisions to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.bom.configuration_file import FLAG_KEYS, LIST_KEYS, TEXT_KEYS, toml_tables
from massprops_cli.cli.command import Command, TableRun
from massprops_cli.cli.stages.report_output import exit_code, remedy_commands, report_findings, selected_findings
from massprops_cli.cli.stages.table_input import input_inspection, read_or_explain_bom
from massprops_cli.cli.streams import report_screen
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import OutputError, Severity, count_with_noun
from massprops_cli.reports.inspect import reading_blocks
from massprops_cli.reports.page.findings import finding_summary_blocks
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

    from massprops_cli.bom.inspection import Inspection
    from massprops_cli.reports.page.page import PageBlock

COMMAND = Command(
    "validate",
    panel="Look",
    summary="Show how a table was read and what was left out, and report all its problems with their places.",
    examples=(
        "spacecraft.xlsx",
        "spacecraft.csv --fail-on warning --ignore MP4",
        "spacecraft.xlsx --save-map map.toml",
    ),
    usual="format fail-on select ignore quiet save-map map unit layout sheet",
    sets="several-files sigmas findings-report",
    more="""
Exit code 1 if a finding is at or above --fail-on, 2 if no table could be read. The table is also rolled up, because
some problems appear only then; no table is written. -q prints the errors only. --save-map writes every decision of
reading to a configuration file, and rejects a table with errors.
""",
)
_ROBOTS = ("sdf", "urdf", "mjcf")  # files whose links have many findings of the same kinds


def command(run: TableRun) -> int:
    """Read the table, roll it up, show how it was read, and report all findings."""
    shows_reading = run.format in (None, "full", "json", "md") and not (run.quiet or run.is_summary)
    bom = read_or_explain_bom(run, shows_reading=shows_reading and run.format not in ("json", "md"))
    from massprops_cli.bom.rollup import validate

    findings = validate(bom)
    if bom.options.tanks:
        from massprops_cli.tanks.tank_file import tanks_of_table

        tanks_of_table(bom, findings)
    screen, data = report_screen(data_on_stdout=False), dict[str, Any]()
    more: list[PageBlock] = []
    seen = input_inspection(bom, run) if shows_reading or run.save_map else None
    if seen is not None and shows_reading:
        more, data = reading_blocks(seen, run.settings.words, screen.symbols), {"reading": seen.to_dict()}
        del data["reading"]["findings"]
    if bom.table.source.format in _ROBOTS:
        more += finding_summary_blocks(selected_findings(findings, run))
    did = f"{run.file}: checked {count_with_noun(len(bom), 'item')}"
    commands = remedy_commands(findings, run)
    report_findings(screen, run.file, findings, run, did, more=more, commands=commands, data=data)
    if seen is not None and run.save_map:
        _save_map(seen, run.save_map, force=run.force)
    return exit_code(findings, run)


_OPTION_FIELDS = {
    "sigmas-are": "sigma_level",
    "count-row": "count_rows",
    "skip-row": "skip_rows",
    "ignore-column": "ignore_columns",
}
"""Keys of ``[read]`` with other names in the table options."""

_READ_KEYS = (*TEXT_KEYS, *LIST_KEYS, *FLAG_KEYS)


def _save_map(seen: Inspection, name: str, *, force: bool) -> None:
    """Write every decision to a file; with ``force`` into an existing one, keeping its other tables and comments."""
    if errors := seen.count(Severity.ERROR):
        raise OutputError(
            f"{name}: map not written because the table has {count_with_noun(errors, 'error')}; correct the table first"
        )
    if (exists := Path(name).exists()) and not force:
        raise OutputError(f"{name}: file exists; pass --force to replace its decisions and keep its other tables")
    text = _map_text(seen, _map_document(name))
    with atomic_file(name, replaces=exists) as out:
        out.write(text.encode())


def _map_document(name: str) -> TOMLDocument:
    """Return the existing document or a new one; raises OutputError if the file is not TOML."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if not Path(name).exists():
        return tomlkit.document()
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
        toml_tables(text)
        return tomlkit.parse(text)
    except RecursionError:
        raise OutputError(f"{name}: values are nested too deeply; use another name") from None
    except (TOMLKitError, ValueError):
        raise OutputError(f"{name}: file exists and is not TOML; use another name") from None
    except OSError as error:
        raise OutputError(f"{name}: file cannot be read: {error.strerror}") from None


def _map_text(seen: Inspection, document: TOMLDocument) -> str:
    """Return the decisions as TOML: columns, stated units, options of reading, percentages of methods."""
    import tomlkit

    if not document.body:
        document.add(
            tomlkit.comment(f"Interpretation of {seen.source.name}, written by massprops validate --save-map.")
        )
        document.add(tomlkit.nl())
    always = {"layout": seen.layout, "assembly-values": seen.options.assembly_values or "check", "frozen": True}
    tables: dict[str, dict[str, Any]] = {
        "columns": {column.quantity: column.header for column in seen.columns},
        "units": {column.quantity: column.unit for column in seen.columns if column.has_one_unit},
        "read": {**_source_keys(seen), **_option_keys(seen.options), **always},
        "sigma-percent": dict(seen.options.sigma_percent),
        "growth": {"table": seen.options.growth_table} if seen.options.growth_table else {},
    }
    for name, keys in tables.items():
        if keys:
            document[name] = keys
        elif name in document:
            del document[name]
    return tomlkit.dumps(document)


def _source_keys(seen: Inspection) -> dict[str, Any]:
    """Return the keys for reading the file."""
    source = seen.source
    keys = {
        "from": source.format,
        "sheet": source.sheet,
        "encoding": source.encoding,
        "delimiter": {"\t": "tab"}.get(source.delimiter, source.delimiter),
        "columns": ",".join(source.columns),
    }
    return {key: value for key, value in keys.items() if value}


def _option_keys(options: TableOptions) -> dict[str, Any]:
    """List the keys for all options of meaning that differ from their defaults."""
    bare, keys = TableOptions(), {}
    for key in _READ_KEYS:
        name = _OPTION_FIELDS.get(key, key.replace("-", "_"))
        value = getattr(options, name, None)
        if value is None or value == getattr(bare, name):
            continue
        if isinstance(value, frozenset) and not value:
            value = "none"
        elif isinstance(value, frozenset | tuple) and key not in LIST_KEYS:
            value = ",".join(map(str, sorted(value) if isinstance(value, frozenset) else value))
        keys[key] = list(value) if isinstance(value, tuple) else value
    return keys
