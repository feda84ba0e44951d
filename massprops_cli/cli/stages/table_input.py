"""Input: the options of the command line and of the configuration as options of the library, and the input table."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.bom.items.item_flags import parse_point
from massprops_cli.cli.command import InputOptions, RepeatedOption, TableRun, split_option_values
from massprops_cli.cli.streams import command_line_words, is_stream_name, progress_spinner, report_screen
from massprops_cli.files.options import (
    FILE_FORMATS,
    MULTI_TABLE_FORMATS,
    FileOptions,
    ReadCaps,
    check_format,
    delimiter_character,
    resolve_caps,
)
from massprops_cli.files.table import Table
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, rule_finding
from massprops_cli.options import named_option
from massprops_cli.reports.page.page import Line, PageBlock, Symbols
from massprops_cli.reports.table_files import format_of_name
from massprops_cli.tables.cells.number_text import read_number
from massprops_cli.tables.columns.headings import may_head_masses
from massprops_cli.tables.options import TableOptions, combine_allowed_missing

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.inspection import Inspection
    from massprops_cli.bom.settings import Settings

_STDIN: ContextVar[bytes | None] = ContextVar("stdin", default=None)
_MALLOC = {
    "MALLOC_ARENA_MAX": (-8, 1),
    "MALLOC_MMAP_THRESHOLD_": (-3, 2**30),
    "MALLOC_TRIM_THRESHOLD_": (-1, 2**31 - 1),
}
"""Settings of glibc, by the name of each in the environment: number and value."""
_TEXTS = (
    "layout", "units", "poi", "frame", "root", "make-root", "blank-qty", "decimal", "assembly-values",
    "blank-coordinate", "mass-is", "qty-is", "materials", "link-sigmas", "mesh-units", "tolerances-are",
)  # fmt: skip
_FLAGS = ("as-weight", "accept-approximate", "allow-negative-mass", "frozen")
"""Options that are keys of ``[read]`` and fields of the table options, texts and flags."""


def recorded_stdin() -> bytes | None:
    """Return the content of standard input that the command read last, which cannot be read again to try a command."""
    return _STDIN.get()


def _read_stdin(run: InputOptions) -> bytes | None:
    """Read and record standard input, where the table, its tree or one of its files comes from there."""
    content = None
    if "-" in (run.file, run.tree, *(run.more or ())):
        content = sys.stdin.buffer.read()
    elif is_stream_name(run.file):
        try:
            content = Path(run.file).read_bytes()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise TableError([rule_finding("MP101", f"file cannot be read: {reason}", Place(run.file))]) from None
    _STDIN.set(content)
    return content


@contextmanager
def _reading(run: InputOptions, stdin: bytes | None = None) -> Iterator[io.BytesIO | None]:
    """Show progress while a table is read; yields standard input if it is needed, read here unless it is given."""
    held = stdin if stdin is not None else _read_stdin(run)
    with progress_spinner(f"reading {run.file}"):
        yield None if held is None else io.BytesIO(held)


def read_input_bom(run: TableRun, stdin: bytes | None = None, **more: Any) -> Bom:
    """Read the table that the command line names."""
    file_options, table_options = read_options(run, **more)
    from massprops_cli.bom.bom import Bom

    _share_heap_among_threads()
    with _reading(run, stdin) as content:
        bom = Bom.read(run.file, file_options, table_options, content)
    check_sheet(run, bom.table)
    return _bom_in_condition(bom, run) if run.condition and not bom.is_withheld else bom


def _bom_in_condition(bom: Bom, run: TableRun) -> Bom:
    """Return the table in the condition of ``--condition``; FindingsError if it has faults."""
    if run.condition == "all":
        raise UsageError(
            "--condition all is a table of conditions; use massprops conditions, or rollup --condition all"
        )
    from massprops_cli.loadings.results import conditions

    return conditions(bom, run.conditions or None, names=[run.condition]).tables[run.condition].bom


def _share_heap_among_threads() -> None:
    """Let all threads use one heap, and keep what is freed: pages that the system clears again take longer to use."""
    if sys.platform != "linux":
        return
    import ctypes  # loaded by NumPy already

    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if set_option is not None:
        for name, setting in _MALLOC.items():
            if name not in os.environ:
                set_option(*setting)


def read_options(run: TableRun, **more: Any) -> tuple[FileOptions, TableOptions]:
    """Return the options for reading the table that the command line names."""
    given = {"use_sigmas": run.uncertainty != "none", "sigma_level": run.sigmas_are, **more}
    options = replace(resolve_table_options(run), **{name: value for name, value in given.items() if value is not None})
    return _resolve_file_options(run), options


def verbose_decision_blocks(bom: Bom, run: TableRun, symbols: Symbols) -> list[PageBlock]:
    """List every decision made in reading a table, for ``-v``."""
    if not run.verbose:
        return []
    from massprops_cli.bom.inspection import bom_inspection
    from massprops_cli.reports.inspect import reading_blocks

    return reading_blocks(bom_inspection(bom), run.settings.words, symbols)


def read_input_table(run: InputOptions, findings: Findings) -> Table:
    """Read the table that the command line names, without interpreting it; several files are combined."""
    from massprops_cli.files.reader import read_file_table

    file_options = _resolve_file_options(run)
    with _reading(run) as content:
        if file_options.is_one_table:
            table = read_file_table(run.file, file_options, content, findings, looks_like_table=may_head_masses)
        else:
            from massprops_cli.bom.bom import Bom
            from massprops_cli.bom.sources import read_source_table

            table, _ = read_source_table(Bom, run.file, file_options, resolve_table_options(run), content, findings)
    check_sheet(run, table)
    if table.source.format != "sdf":
        return table
    from massprops_cli.robots.link_inertials import resolve_robot_table

    return resolve_robot_table(table, findings)


def sheet_of_workbook(run: InputOptions) -> str:
    """Return ``--sheet`` for a file that may have sheets; nothing for one that its name shows to have none."""
    return run.sheet if run.file == "-" or format_of_name(run.file) in MULTI_TABLE_FORMATS else ""


def check_sheet(run: InputOptions, table: Table) -> None:
    """Reject ``--sheet`` for a file without sheets; that of a configuration applies to workbooks only."""
    check_format(vars(run), run.file, table.source.format)


def _resolve_file_options(run: InputOptions) -> FileOptions:
    """Return the options for reading the file."""
    settings = run.settings
    read = settings.read
    format_name = (run.from_format or str(read.get("from", ""))).lower()
    if format_name not in FILE_FORMATS and format_name in named_option("format").words:
        raise UsageError(f"invalid --from: {format_name} is a report style; use --format {format_name}")
    if format_name and format_name not in FILE_FORMATS:
        raise UsageError(f"invalid --from: {format_name} (expected one of {', '.join(FILE_FORMATS)})")
    # read the names of ``--config columns=…``; a blank one is a column that is not read
    text = run.columns or str(read.get("columns", ""))
    names = tuple(name.strip() for name in text.split(",")) if text.strip() else ()
    if text.strip() and not any(names):
        raise UsageError(f"invalid columns: {text} (expected names such as id,mass,Cx)")
    return FileOptions(
        format=format_name,
        sheet=run.sheet or str(read.get("sheet", "")),
        encoding=run.encoding or str(read.get("encoding", "")),
        delimiter=delimiter_character(run.delimiter or str(read.get("delimiter", ""))),
        columns=names,
        caps=_resolve_caps(run),
        folders=tuple(run.mesh_root or ()),
        default_inertial=read.get("default-inertial", run.default_inertial),
        calculator=settings.calculator,
        joint_positions=_joint_positions(run),
        **_several_files(run),
    )


def _joint_positions(run: InputOptions) -> tuple[str, ...]:
    """Return the positions of the poses that ``--q`` names, then those that it states."""
    given = split_option_values(run.q)
    poses = (run.settings.joint_positions(name) for name in given if "=" not in name)
    return (*(position for pose in poses for position in pose), *(text for text in given if "=" in text))


def _resolve_caps(run: InputOptions) -> ReadCaps:
    """Return the caps: options, then a configuration file that is named, then the environment."""
    return resolve_caps((*run.settings.read.get("cap", ()), *split_option_values(run.cap)))


def _several_files(run: InputOptions) -> dict[str, Any]:
    """Return the options of a table that is in several files."""
    if (more := tuple(run.more or ())) and not run.combine:
        raise UsageError(
            f"several files: {run.file}, {', '.join(more)}; pass --combine branch or --combine id for one tree, "
            "or run the command for each file"
        )
    if run.tree_direction and not run.tree:
        raise UsageError("tree-direction requires --tree")
    if run.tree and run.combine:
        raise UsageError("--tree and --combine are mutually exclusive")
    if [run.file, run.tree, *more].count("-") > 1:
        raise UsageError("only one file can be standard input")
    direction = run.tree_direction or str(run.settings.read.get("tree-direction", ""))
    return {"tree": run.tree, "tree_direction": direction, "combine": run.combine or "", "more": more}


def resolve_table_options(run: InputOptions, settings: Settings | None = None) -> TableOptions:
    """Combine the command line and the configuration into options for interpreting the table."""
    settings = settings or run.settings
    read = settings.read
    given = vars(run)
    names = {key: key.replace("-", "_") for key in (*_TEXTS, *_FLAGS)}
    same: dict[str, Any] = {names[key]: given[names[key]] or str(read.get(key, "")) for key in _TEXTS}
    same |= {names[key]: given[names[key]] or bool(read.get(key, False)) for key in _FLAGS}
    about = run.inertia_about or str(read.get("inertia-about", ""))
    options = TableOptions(
        **same,
        table=run.table or int(read.get("table", 0)),
        map=_named_columns(run, settings),
        unit={**settings.units, **parse_quantity_pairs(run.unit, "--unit", "UNIT")},
        where=tuple(run.where or read.get("where", ())),
        ignore_columns=tuple(run.ignore_column or read.get("ignore-column", ())),
        count_rows=tuple(run.count_row or read.get("count-row", ())),
        skip_rows=tuple(run.skip_row or read.get("skip-row", ())),
        positive=tuple(run.positive or read.get("positive", ())),
        inertia_about=parse_point(about),
        inertia_own=about.strip().lower() == "own",
        allow_missing=_resolve_allowed_missing(run, read),
        sigma_level=int(read.get("sigmas-are", 1)),
        sigma_percent=settings.sigma_percent,
        growth_table=run.growth_table or settings.growth_table,
        mesh_roots=tuple(run.mesh_root or ()),
        robots=_resolve_file_options(run).of_robots,
        caps=_resolve_caps(run),
        configuration=settings.files,
        tanks=settings.tanks,
        envelopes=settings.envelopes,
        styles=settings.styles,
        conditions=settings.conditions,
        typed=command_line_words(),
    )
    if len(variants := run.qty_column or [str(read[name]) for name in ("qty-column",) if read.get(name)]) > 1:
        raise UsageError("--qty-column names several columns; use rollup --all-variants for several variants")
    return options.of_variant(variants[0]) if variants else options


def _named_columns(run: InputOptions, settings: Settings) -> dict[str, str]:
    """Combine the named columns, quantity → header; ``--qty-column`` has priority over ``qty`` of a file."""
    of_file = {name: header for name, header in settings.columns.items() if not run.qty_column or name != "qty"}
    return {**of_file, **parse_quantity_pairs(run.map, "--map", "HEADER")}


def settings_without_variant(settings: Settings) -> Settings:
    """Copy the settings without the choice of a quantity column, for all variants."""
    return replace(
        settings,
        read={name: value for name, value in settings.read.items() if name != "qty-column"},
        columns={name: header for name, header in settings.columns.items() if name != "qty"},
    )


def _resolve_allowed_missing(run: InputOptions, read: Mapping[str, Any]) -> frozenset[str]:
    """Combine the quantities that may be missing; the command line has priority."""
    given = [text for text in run.allow_missing or () if text.strip()]
    if run.strict and any(text.strip() != "none" for text in given):
        raise UsageError(f"strict and --allow-missing {','.join(given)} are mutually exclusive")
    if run.strict or (not given and read.get("strict", False)):
        return frozenset()
    return combine_allowed_missing(given or [str(read.get("allow-missing", ""))])


def parse_quantity_pairs(given: RepeatedOption, option: str, what: str) -> Mapping[str, str]:
    """Parse repeated ``name=text``."""
    found: dict[str, str] = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise UsageError(f"invalid {option}: {text} (expected QUANTITY={what})")
        if found.setdefault(name.strip(), value.strip()) != value.strip():
            first = shlex.quote(f"{name.strip()}={found[name.strip()]}")
            raise UsageError(f"{option} is given twice for {name.strip()}: {first} and {shlex.quote(text)}; omit one")
    return found


def parse_point_option(text: str, option: str) -> tuple[float, float, float]:
    """Parse three coordinates separated by commas."""
    numbers = [read_number(part) for part in text.split(",")]
    if len(numbers) != 3 or any(number is None for number in numbers):
        raise UsageError(f"{option} is not a point: {text} (expected three numbers with commas, such as 0,0,1.5)")
    x, y, z = (float(number) for number in numbers if number is not None)
    return x, y, z


def read_or_explain_bom(run: TableRun, *, shows_reading: bool) -> Bom:
    """Read the table of the command line; of one without a tree what was read of it is shown before the error."""
    held = _read_stdin(run)
    try:
        return read_input_bom(run, held, use_auto_inertials=False)
    except TableError:
        if shows_reading:
            with suppress(TableError):
                _show_columns(run, held)
        raise


def _show_columns(run: TableRun, stdin: bytes | None) -> None:
    """Show the columns of a table of which no tree can be made."""
    from massprops_cli.bom.inspection import inspect_file
    from massprops_cli.reports.inspect import reading_blocks

    file_options, table_options = read_options(run, use_auto_inertials=False)
    with _reading(run, stdin) as content:
        seen = inspect_file(run.file, file_options, table_options, content, _column_map_origins(run))
    screen = report_screen(data_on_stdout=False)
    screen.show([*reading_blocks(seen, run.settings.words, screen.symbols), Line()])


def input_inspection(bom: Bom, run: TableRun) -> Inspection:
    """Inspect a table that was read."""
    from massprops_cli.bom.inspection import bom_inspection

    return bom_inspection(bom, _column_map_origins(run))


def _column_map_origins(run: InputOptions) -> dict[str, str]:
    """Find the origin of each named column: ``--map``, or the last configuration file."""
    settings = run.settings
    of_files = dict.fromkeys(settings.columns, settings.files[-1] if settings.files else "")
    return of_files | dict.fromkeys((text.partition("=")[0].strip() for text in run.map or ()), "--map")
