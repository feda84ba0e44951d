"""Output files: their names and formats, checks before the start and before writing, backup, covariance and plot."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from itertools import combinations, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.result_columns import COVARIANCES, SIGN_CONVENTION_TEXT, ItemCovariance
from massprops_cli.cli.command import RollupRun, WritingRun
from massprops_cli.cli.streams import Screen, is_stream_name, is_terminal_stream, progress_spinner, report_screen
from massprops_cli.findings.finding import OutputError, UsageError
from massprops_cli.options import OPTIONS, Option, named_option
from massprops_cli.reports.table_files import OUTPUT_SUFFIXES, REPLACEMENT_FORMATS, Target, format_of_name
from massprops_cli.rollups.covariance import PARAMETER_PAIRS, full_covariances
from massprops_cli.rollups.inputs import PARAMETER_NAMES

if TYPE_CHECKING:
    import pyarrow as pa

    from massprops_cli.bom.results.result import Result
    from massprops_cli.files.table import Table

_STDOUT = "-"
_STDOUT_PATHS = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Paths of standard output, which is written to and not replaced where it is a file."""
_BINARY_FORMATS = ("xlsx", "xlsm", "parquet", "feather")
_BYTES_PER_BLOCK = 1 << 20  # 1 MiB
_COVARIANCE_FORMATS = ("parquet", "json", "csv")
_BLOCK = 16_384  # items per block, so that a file larger than memory can be written


def default_output_name(name: str, format_name: str) -> str:
    """Make the default name of the roll-up of a file, in the same folder."""
    if format_name not in OUTPUT_SUFFIXES:
        format_name = REPLACEMENT_FORMATS.get(format_name, format_name)
    packed = ".gz" if name.lower().endswith(".gz") and format_name in ("csv", "tsv") else ""
    bare = Path(name[:-3] if name.lower().endswith(".gz") else name)
    same = format_of_name(bare.name) == format_name
    # the suffix of another format stays: roll-ups of bom.xls and bom.ods do not collide with that of bom.xlsx
    ending = f"{bare.stem}.rollup{bare.suffix}" if same else f"{bare.name}.rollup{OUTPUT_SUFFIXES.get(format_name, '')}"
    return str(bare.with_name(ending + packed))


def sibling_file(name: str, ending: str) -> Path:
    """Make the default name of an output: STEM.ENDING next to the input, or table.ENDING in the current folder."""
    path = Path("table" if name == "-" else name.removesuffix(".gz"))
    return path.with_name(f"{path.stem}.{ending}")


def output_target(run: WritingRun, source_format: str, *, to_stdout: bool, in_place: bool = False) -> Target:
    """Determine destination and format of data."""
    source, requested = run.file, run.to_format.lower()
    if requested and requested in named_option("format").words and requested not in OUTPUT_SUFFIXES:
        raise UsageError(f"invalid --to: {requested} is a report style; use --format {requested}")
    if requested and requested not in OUTPUT_SUFFIXES:
        raise UsageError(f"invalid --to: {run.to_format} (expected one of {', '.join(OUTPUT_SUFFIXES)})")
    if in_place:
        return _in_place_target(run, source_format, requested)
    given = _STDOUT if run.output in _STDOUT_PATHS else run.output
    name = given or (_STDOUT if to_stdout or is_stream_name(source) else "")
    if name == _STDOUT and is_terminal_stream(sys.stdout):
        format_name = requested or REPLACEMENT_FORMATS.get(source_format, source_format)
        if format_name in _BINARY_FORMATS:
            raise UsageError(f"binary format cannot be written to a terminal: {format_name}; name a file with -o")
    format_name = requested or ("" if name in ("", _STDOUT) else format_of_name(name))
    if not format_name and name not in ("", _STDOUT) and Path(name).suffix and not is_stream_name(name):
        raise UsageError(
            f"{name}: suffix is not that of an output format: {Path(name).suffix}; state the format with --to"
        )
    format_name = format_name or REPLACEMENT_FORMATS.get(source_format, source_format)
    if not name:
        is_joined = run.combine == "branch" and run.more  # several files below a new root
        named = str(Path(source.removesuffix(".gz")).with_stem("combined")) if is_joined else source
        name = default_output_name(named, format_name)
        name = str(Path(run.folder) / Path(name).name) if run.folder else name
    return Target(name, format_name, name.lower().endswith(".gz"), replaces=not run.no_clobber)


def requested_output(run: WritingRun, table: Table) -> tuple[Target | None, Screen]:
    """Determine where a table is written on request, None without ``-o`` and ``--to``, and where the report is."""
    is_written = bool(run.output or run.to_format)
    target = output_target(run, table.source.format, to_stdout=True) if is_written else None
    return target, report_screen(data_on_stdout=target is not None and target.is_stdout)


def _in_place_target(run: WritingRun, source_format: str, requested: str) -> Target:
    """Return the input file as the destination."""
    source = run.file
    if is_stream_name(source):
        raise UsageError("--in-place requires an input file, not standard input or a pipe")
    if run.output or run.no_clobber:
        raise UsageError(f"--in-place and {'-o' if run.output else '--no-clobber'} are mutually exclusive")
    if source_format in REPLACEMENT_FORMATS:
        raise UsageError(
            f"format cannot be edited in place: {source_format}; "
            f"omit --in-place to write a new {REPLACEMENT_FORMATS[source_format]} file"
        )
    if requested and requested != source_format:
        raise UsageError(f"--in-place keeps the file format {source_format}; omit --to")
    return Target(source, source_format, source.lower().endswith(".gz"), in_place=True)


def check_target(target: Target, source: str, *, no_clobber: bool, others: Sequence[str] = ()) -> None:
    """Check the output whose name is known only after reading, that of ``rollup`` without ``-o``."""
    if target.is_stdout or target.in_place:
        return
    path = Path(target.name)
    if not is_stream_name(source) and is_same_file(path, Path(source)):
        raise UsageError(f"{target.name}: output file is the input file; pass --in-place to write into it")
    if any(is_same_file(path, Path(name)) for name in others):
        raise UsageError(f"{target.name}: several outputs name the same file; name another file")
    check_output_file(target.name, no_clobber=no_clobber)


def check_output_file(name: str, *, no_clobber: bool = False) -> None:
    """Check that a file can be written: its folder exists and is writable."""
    from massprops_cli.files.writer import check_writable

    if is_stream_name(name):
        return
    if Path(name).is_dir():
        raise OutputError(f"{name}: output is a folder")
    if no_clobber and os.path.lexists(name):
        raise UsageError(f"{name}: file exists and is not replaced, because --no-clobber is given")
    check_writable(name)


def is_same_file(one: Path, other: Path) -> bool:
    """Return whether two paths are one file, links included."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100 - of names that may not exist


def check_outputs(command: str, run: Any) -> None:
    """Check every output file that the options of a command name."""
    outputs = sorted(named_files(run, "output"), key=lambda pair: OPTIONS.index(pair[0]))
    inputs = list(named_files(run, "input"))
    for (one, name), (other, again) in combinations(outputs, 2):
        if is_same_file(Path(name), Path(again)):
            raise UsageError(
                f"{_spelling(one)} names a file twice: {name}; use another name"
                if one is other
                else f"{_spelling(one)} and {_spelling(other)} name the same file: {again}"
            )
    no_clobber = getattr(run, "no_clobber", False)
    for option, name in outputs:
        _check_no_input(command, option, name, inputs)
        check_output_file(name, no_clobber=no_clobber)
    if command == "rollup" and not any(option.name == "output" for option, _ in outputs):
        _check_input_folder(run)


@contextmanager
def private_outputs(run: Any) -> Iterator[None]:
    """Deny new files to the users that a table is denied to; a file that is replaced keeps its mode."""
    names = [Path(name) for option, name in named_files(run, "input") if option.kind in ("argument", "files")]
    modes = [path.stat().st_mode for path in names if path.is_file()]
    denied = sum(every for read, every in ((0o040, 0o070), (0o004, 0o007)) if any(not mode & read for mode in modes))
    mask = os.umask(0o077)
    os.umask(mask | denied)
    try:
        yield
    finally:
        os.umask(mask)


def named_files(run: Any, role: str) -> Iterator[tuple[Option, str]]:
    """Yield the files that options of a role name, without standard streams, devices and pipes."""
    options = ((field.name, field.metadata.get("option")) for field in fields(run))
    for field, option in options:
        if option is None or option.role != role or not (given := getattr(run, field)):
            continue
        for text in given if isinstance(given, list) else [given]:
            name = text.partition("=")[2] if field == "report" else text
            if name and not is_stream_name(name):
                yield option, name


def _spelling(option: Option) -> str:
    """Return the shortest spelling of an option."""
    return min(option.spellings, key=len)


def _check_no_input(command: str, option: Option, name: str, inputs: list[tuple[Option, str]]) -> None:
    """Reject an output that is an input; a map is written into the configuration that was read."""
    for read, other in inputs:
        if not is_same_file(Path(name), Path(other)) or (option.name == "save-map" and read.name == "config"):
            continue
        if option.name == "output" and read.kind == "argument":
            remedy = "pass --in-place to write into it" if command == "rollup" else "use another name"
            what = "one of the files compared" if command == "diff" else "the input file"
            raise UsageError(f"{name}: output file is {what}; {remedy}")
        what = "an input" if read.kind in ("argument", "files") else f"that of --{read.name}"
        raise UsageError(f"{_spelling(option)} {name}: file is {what}; use another name")


def _check_input_folder(run: RollupRun) -> None:
    """Check the folder of the input, where the roll-up is written without ``-o``."""
    source = run.file
    if run.output or run.all_variants or not Path(source).is_file():
        return
    try:
        check_output_file(f"{source}.rollup")
    except OutputError as error:
        reason = str(error).partition(": ")[2]
        raise OutputError(f"cannot write into the folder of {source}: {reason}; name an output with -o") from None


def _backup_name(name: str, k: int = 1) -> str:
    """Make the name of the ``k``-th backup of the input."""
    packed = name[-3:] if name.lower().endswith(".gz") else ""
    bare = Path(name.removesuffix(packed) if packed else name)
    number = "" if k == 1 else str(k)
    return str(bare.with_name(f"{bare.stem}.bak{number}{bare.suffix}{packed}"))


def back_up_input(name: str, out: BinaryIO) -> str:
    """Write a backup of a file that ``out`` replaces; an existing backup with the same content is reused."""
    import filecmp
    import shutil

    from massprops_cli.files.writer import atomic_file

    if _has_same_content(out, name):
        return ""
    for k in count(1):
        backup = _backup_name(name, k)
        if not os.path.lexists(backup):
            break
        if Path(backup).is_file() and filecmp.cmp(name, backup, shallow=False):
            return backup
    with atomic_file(Path(backup), like=name, replaces=False) as copy, Path(name).open("rb") as file:
        shutil.copyfileobj(file, copy)
    return backup


def file_state(name: str) -> tuple[int, ...]:
    """Return what changes when a file is written: its inode, size and time."""
    if is_stream_name(name):
        return ()
    try:
        found = Path(name).stat()
    except (OSError, ValueError):
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def check_input_unchanged(name: str, state: tuple[int, ...]) -> None:
    """Reject a file that changed after the reading."""
    if state and file_state(name) != state:
        raise OutputError(f"{name}: file changed after it was read, and is not overwritten; run the command again")


def _has_same_content(out: BinaryIO, name: str) -> bool:
    """Return whether a file being written has the content of another file so far."""
    out.flush()
    with os.fdopen(os.dup(out.fileno()), "rb") as written, Path(name).open("rb") as held:
        written.seek(0)
        while True:
            if (block := written.read(_BYTES_PER_BLOCK)) != held.read(_BYTES_PER_BLOCK):
                return False
            if not block:
                return True


def check_picture(name: str) -> None:
    """Reject a plot that cannot be drawn."""
    if not name:
        return
    from massprops_cli.reports.plots import picture_format, require_matplotlib

    picture_format(name)
    require_matplotlib()


def _covariance_format(name: str) -> str:
    """Look up the format of the suffix; an unknown suffix is an error."""
    if (suffix := Path(name).suffix.lower().removeprefix(".")) not in _COVARIANCE_FORMATS:
        raise UsageError(f"unknown suffix of --covariance: {name} (expected .parquet, .json or .csv)")
    return suffix


def check_extra_names(run: RollupRun) -> list[str]:
    """Return the names of the covariance and the plot; reject unknown suffixes, before the table is read."""
    if run.covariance:
        _covariance_format(run.covariance)
    check_picture(run.plot)
    return [name for name in (run.covariance, run.plot) if name]


def write_extra_outputs(run: RollupRun, result: Result) -> None:
    """Write the covariance, and the histograms of the samples."""
    if run.covariance:
        write_covariance(result, run.covariance, replaces=not run.no_clobber)
    if run.plot:
        from massprops_cli.reports.plots import histogram_plot

        histogram_plot(result, run.plot, (run.item or [""])[0] or None, replaces=not run.no_clobber)


def write_covariance(
    result: Result, name: str, turn: NDArray[np.float64] | None = None, *, replaces: bool = True
) -> None:
    """Write the covariances M V Mᵀ of all items, M (10, 10) or none: docs/formulas.md, section 12."""
    from massprops_cli.files.writer import atomic_file

    spread = ItemCovariance(result.rollup)
    if not spread.has(0):
        reason = (
            "the table states no uncertainties"
            if result.rollup.sigmas is None
            else f"--uncertainty {result.rollup.method} computes none"
        )
        raise UsageError(f"--covariance {name}: no covariances to write ({reason})")
    write = {"parquet": _write_covariance_parquet, "json": _write_covariance_json, "csv": _write_covariance_csv}[
        _covariance_format(name)
    ]
    with progress_spinner(f"writing {name}"), atomic_file(name, replaces=replaces) as out:
        write(result, _covariance_tables(result, spread, turn), out)


def _covariance_tables(
    result: Result, spread: ItemCovariance, turn: NDArray[np.float64] | None = None
) -> Iterator[pa.Table]:
    """Yield blocks of rows; unknown values are null."""
    import pyarrow as pa

    ids = result.bom.ids
    for start in range(0, len(ids), _BLOCK):
        packed = spread.packed(np.arange(start, min(start + _BLOCK, len(ids))))
        assert packed is not None
        if turn is not None:
            full = full_covariances(packed.T)
            known = np.isfinite(full)
            turned = turn @ np.where(known, full, 0.0) @ turn.T
            reach = np.abs(turn) > 0
            lost = reach @ (~known) @ reach.T
            rows, pairs = np.array(PARAMETER_PAIRS).T
            packed = np.asarray(np.where(lost, np.nan, turned)[:, rows, pairs].T)
        columns = [pa.array(values, mask=~np.isfinite(values)) for values in packed]
        yield pa.table([pa.array(ids[start : start + _BLOCK], pa.string()), *columns], names=["id", *COVARIANCES])


def _covariance_metadata(result: Result) -> dict[str, Any]:
    """Return the metadata of the numbers: source, units, reference point, sign convention."""
    from massprops_cli._front import VERSION

    units = result.bom.units
    return {
        "massprops": VERSION,
        "source": {"file": result.bom.table.source.name, "sheet": result.bom.table.source.sheet},
        "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
        "about": "each item's own centre of mass",
        "sign": SIGN_CONVENTION_TEXT,
        "uncertainty": result.rollup.method,
        "numbers": list(PARAMETER_NAMES),
    }


def _write_covariance_parquet(result: Result, tables: Iterator[pa.Table], out: BinaryIO) -> None:
    """Write Parquet, one row group per block; the metadata is in the schema under ``massprops``."""
    import json

    import pyarrow as pa
    from pyarrow import parquet

    fields = [pa.field("id", pa.string()), *(pa.field(name, pa.float64()) for name in COVARIANCES)]
    schema = pa.schema(fields, metadata={"massprops": json.dumps(_covariance_metadata(result), ensure_ascii=False)})
    with parquet.ParquetWriter(pa.PythonFile(out, "w"), schema) as writer:
        for table in tables:
            writer.write_table(table.replace_schema_metadata(schema.metadata))


def _write_covariance_json(result: Result, tables: Iterator[pa.Table], out: BinaryIO) -> None:
    """Write one JSON object: the metadata, and under ``items`` one object per item."""
    import json

    head = json.dumps(_covariance_metadata(result), ensure_ascii=False)
    out.write(f'{head.removesuffix("}")}, "items": ['.encode())
    between = "\n"
    # dictionaries need twenty times the memory of their numbers, so batches are small
    for batch in (batch for table in tables for batch in table.to_batches(max_chunksize=1_024)):
        lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in batch.to_pylist()]
        out.write((between + ",\n".join(lines)).encode())
        between = ",\n"
    out.write(b"\n]}\n")


def _write_covariance_csv(result: Result, tables: Iterator[pa.Table], out: BinaryIO) -> None:
    """Write csv; the header has the unit of each column."""
    import pyarrow as pa
    from pyarrow import csv

    from massprops_cli.files.encoding import escape_formula

    units = [_covariance_unit(result.bom.units.mass, result.bom.units.length, *pair) for pair in PARAMETER_PAIRS]
    header = [f"{name} [{unit}]" if unit else name for name, unit in zip(COVARIANCES, units, strict=True)]
    out.write((",".join(["id", *header]) + "\n").encode())
    is_csv = result.bom.table.source.format == "csv"
    sink = pa.PythonFile(out, "w")
    for table in tables:
        ids = table.column("id").to_pylist()
        # a spreadsheet could execute ids of other formats as formulas
        texts = pa.array(ids if is_csv else map(escape_formula, ids), pa.string())
        csv.write_csv(table.set_column(0, "id", texts), sink, csv.WriteOptions(include_header=False))


def _covariance_unit(of_mass: str, of_length: str, a: int, b: int) -> str:
    """Write the unit of the covariance of two of the ten parameters; empty where no units are stated."""
    powers = [(1, 0) if k == 0 else (0, 1) if k < 4 else (1, 2) for k in (a, b)]
    mass, length = (sum(power) for power in zip(*powers, strict=True))
    parts = [(of_mass, mass), (of_length, length)]
    if any(power and not unit for unit, power in parts):
        return ""
    return "*".join(unit if power == 1 else f"{unit}^{power}" for unit, power in parts if power)
