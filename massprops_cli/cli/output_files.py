"""Where a result is written, and whether it may be: names, formats, and what must not be replaced without a
word.

A file that stands where the output goes is the tool's own when it is a workbook whose sheet ``About``
carries the tool's
mark, or a flat file under the name that ``rollup`` gives by itself (``NAME.rollup.SUFFIX`` beside the input)
whose header begins with the input's header. Anything else is somebody's, and needs ``--force``.

What ``--in-place`` keeps: the input as it was, under a name that no file has yet.

A backup is never written over, so the first one stays whatever follows. None is made when the run changes nothing,
or when one of the backups holds the input already.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from massprops_cli.cli.options import Output
from massprops_cli.files.options import REPORTS
from massprops_cli.files.view import as_in_file
from massprops_cli.findings import OutputError, UsageError

if TYPE_CHECKING:
    from massprops_cli.bom.read import Bom


SUFFIXES = {
    "csv": ".csv",
    "tsv": ".tsv",
    "xlsx": ".xlsx",
    "xlsm": ".xlsm",
    "json": ".json",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "feather": ".feather",
    "md": ".md",
}
"""The formats that are written, and the suffix of each."""

ALSO = {
    ".txt": "csv",
    ".tab": "tsv",
    ".ndjson": "jsonl",
    ".arrow": "feather",
    ".markdown": "md",
    ".pq": "parquet",
}
BINARY = ("xlsx", "xlsm", "parquet", "feather")
REBORN = {"xls": "xlsx", "xlsb": "xlsx", "ods": "xlsx", "md": "csv", **dict.fromkeys(REPORTS, "csv")}
"""Formats that are not written back, and what is written instead; Markdown is written where it is requested."""
STDOUT = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """Where data goes: ``name`` is a path or ``-``; ``in_place`` says that it is the input, which is kept first."""

    name: str
    format: str
    compressed: bool = False
    in_place: bool = False

    @property
    def is_stdout(self) -> bool:
        """Whether the data goes to standard output."""
        return self.name == STDOUT


def format_of_name(name: str) -> str:
    """Give the format that a name's suffix says, or nothing.

    >>> format_of_name("a.csv.gz"), format_of_name("b.XLSX"), format_of_name("c")
    ('csv', 'xlsx', '')
    """
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    return next((key for key, value in SUFFIXES.items() if value == suffix), ALSO.get(suffix, ""))


def rollup_name(name: str, format_name: str) -> str:
    """Name the roll-up of a file, beside it.

    >>> rollup_name("x/a.csv.gz", "csv"), rollup_name("bom.xls", "xlsx"), rollup_name("bom", "csv")
    ('x/a.rollup.csv.gz', 'bom.rollup.xlsx', 'bom.rollup.csv')
    """
    packed = ".gz" if name.lower().endswith(".gz") and format_name in ("csv", "tsv") else ""
    bare = Path(name[:-3] if name.lower().endswith(".gz") else name)
    same = format_of_name(bare.name) == format_name
    suffix = bare.suffix if same else SUFFIXES[format_name]
    return str(bare.with_name(f"{bare.stem}.rollup{suffix}{packed}"))


def target_of(source: str, source_format: str, output: Output, *, to_stdout: bool, in_place: bool = False) -> Target:
    """Decide where data goes and in which format; ``to_stdout`` is what happens without ``-o``."""
    asked = output.to_format.lower()
    if asked and asked not in SUFFIXES:
        raise UsageError(f"--to is {output.to_format}; it takes {', '.join(SUFFIXES)}")
    if in_place:
        return target_in_place(source, source_format, output, asked)
    name = output.output or (STDOUT if to_stdout or source == "-" else "")
    if name == STDOUT and has_terminal_stdout():
        format_name = asked or REBORN.get(source_format, source_format)
        if format_name in BINARY:
            raise UsageError(f"{format_name} is not text, so it is not written to a terminal; name a file with -o")
    format_name = asked or ("" if name in ("", STDOUT) else format_of_name(name))
    if not format_name and name not in ("", STDOUT) and Path(name).suffix and not is_special(name):
        raise UsageError(f"{name}: the suffix {Path(name).suffix} names no format that is written; say it with --to")
    format_name = format_name or REBORN.get(source_format, source_format)
    name = name or rollup_name(source, format_name)
    return Target(name, format_name, name.lower().endswith(".gz"))


def target_in_place(source: str, source_format: str, output: Output, asked: str) -> Target:
    """Make the input the output, where that can be."""
    if source == "-":
        raise UsageError("--in-place needs a file, and the input is standard input")
    if output.output:
        raise UsageError("--in-place and -o exclude each other")
    if source_format in REBORN:
        raise UsageError(
            f"{source_format} cannot be edited in place; leave out --in-place to get a new {REBORN[source_format]}"
        )
    if asked and asked != source_format:
        raise UsageError(f"--in-place keeps the format {source_format}; leave out --to")
    return Target(source, source_format, source.lower().endswith(".gz"), in_place=True)


def check_target(target: Target, bom: Bom | None, source: str, *, force: bool) -> None:
    """Refuse to replace the input, or a file that the tool did not write."""
    if target.is_stdout or target.in_place:
        return
    path = Path(target.name)
    if source != "-" and same_file(path, Path(source)):
        raise UsageError(f"{target.name}: the output is the input; pass --in-place to write into it")
    if path.is_dir():
        raise OutputError(f"{target.name}: is a folder")
    if force or not path.exists() or is_special(target.name):
        return
    if not is_own(target, bom, source):
        raise UsageError(f"{target.name}: exists and was not written by massprops; pass --force to replace it")


def is_own(target: Target, bom: Bom | None, source: str) -> bool:
    """Tell whether the file at the target was written by the tool."""
    if target.format in ("xlsx", "xlsm"):
        return has_own_sheet(Path(target.name))
    if bom is None or source == "-" or target.name != rollup_name(source, target.format):
        return False
    if target.format == "md":  # written and not read here, so its first line must do
        with Path(target.name).open(encoding="utf-8", errors="replace") as file:
            cells = [cell.strip() for cell in file.readline().strip().strip("|").split("|")]
        return cells[: bom.table.n_columns] == [
            text.strip() for text in as_in_file(bom.table).row(bom.columns.header_row)
        ]
    from massprops_cli.files.options import FileOptions
    from massprops_cli.files.read import read_table
    from massprops_cli.findings import TableError

    try:
        written, _ = read_table(target.name, FileOptions(format=target.format))
    except TableError:
        return False
    row = bom.columns.header_row
    if written.n_rows <= row:
        return False
    header = as_in_file(bom.table).row(row)
    return written.row(row)[: len(header)] == header


def has_own_sheet(path: Path) -> bool:
    """Tell whether a workbook carries the tool's mark, the sheet About that begins with the word massprops."""
    import zipfile

    from massprops_cli.files.workbook.package import OWN_MARK

    try:
        with zipfile.ZipFile(path) as package:
            return any(
                OWN_MARK in package.read(name)
                for name in package.namelist()
                if name.startswith("xl/worksheets/") and package.getinfo(name).file_size < 1_000_000
            )
    except (OSError, zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError):
        return False


def same_file(one: Path, other: Path) -> bool:
    """Tell whether two paths are one file, links included."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.abspath(one) == os.path.abspath(other)  # noqa: PTH100 - of names that may not exist


def is_special(name: str) -> bool:
    """Tell whether a name is a device or a pipe rather than a file."""
    path = Path(name)
    try:
        return path.exists() and not path.is_file() and not path.is_dir()
    except OSError:
        return False


def has_terminal_stdout() -> bool:
    """Tell whether standard output is a terminal."""
    import sys

    from massprops_cli.cli.streams import has_terminal

    return has_terminal(sys.stdout)


BLOCK = 1 << 20


def backup_name(name: str, k: int = 1) -> str:
    """Name the ``k``-th copy of the input that ``--in-place`` keeps.

    >>> backup_name("a.csv.gz"), backup_name("bom.xlsx"), backup_name("bom.xlsx", 2)
    ('a.bak.csv.gz', 'bom.bak.xlsx', 'bom.bak2.xlsx')
    """
    packed = name[-3:] if name.lower().endswith(".gz") else ""
    bare = Path(name.removesuffix(packed) if packed else name)
    number = "" if k == 1 else str(k)
    return str(bare.with_name(f"{bare.stem}.bak{number}{bare.suffix}{packed}"))


def keep_input(name: str, out: BinaryIO) -> str:
    """Copy a file aside that ``out`` is about to replace, whole or not at all; gives the backup's name.

    Gives the backup that holds the file already where there is one, and nothing when ``out`` is the same as the file.
    """
    import filecmp
    import shutil

    from massprops_cli.files.atomic import whole_or_not

    if is_written(out, name):
        return ""
    for k in count(1):
        backup = backup_name(name, k)
        if not os.path.lexists(backup):
            break
        if Path(backup).is_file() and filecmp.cmp(name, backup, shallow=False):
            return backup
    with whole_or_not(Path(backup)) as copy, Path(name).open("rb") as file:
        shutil.copyfileobj(file, copy)
    return backup


def is_written(out: BinaryIO, name: str) -> bool:
    """Tell whether a file that is being written holds by now what another file holds."""
    out.flush()
    with os.fdopen(os.dup(out.fileno()), "rb") as written, Path(name).open("rb") as held:
        written.seek(0)
        while True:
            block = written.read(BLOCK)
            if block != held.read(BLOCK):
                return False
            if not block:
                return True
