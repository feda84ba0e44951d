"""A roll-up of a csv file that is larger than memory: read in blocks, divided into parts on the disk, and joined."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import compress, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.correlation_groups import BranchLeaves
from massprops_cli.cli.command import RollupRun, changed_options
from massprops_cli.cli.stages.table_output import TableRequest
from massprops_cli.files.arrow import hash_positions, text_hashes
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import Finding, Findings, FindingsError, Place, TableError, UsageError, rule_finding
from massprops_cli.partitions.branch_file import FOREST_PREFIX
from massprops_cli.reports.table_files import Target, write_result_table
from massprops_cli.rollups.covariance import CovarianceRollup
from massprops_cli.rollups.division import part_items, run_parts_here, run_parts_in_processes
from massprops_cli.rollups.inputs import UpwardSums, is_complete_data
from massprops_cli.trees.tree import Tree

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result

_LARGE_BYTES = 2**30  # files above are read in blocks
_BLOCK_BYTES = 2**24  # read at a time
_HEAD_BYTES = 2**20  # read to find the header
_ALLOWED = {"output", "no_clobber", "partition", "budget"}  # options of rollup that a table in blocks may have
_Index = NDArray[np.intp]
_LINES_PER_WRITE = 65_536


def is_block_table(run: RollupRun) -> bool:
    """Return whether the table is read in blocks: a large csv file to be rolled up in parts."""
    path = Path(run.file)
    is_csv = run.from_format in ("", "csv") and path.suffix.lower() == ".csv"
    return bool(run.partition and is_csv and path.is_file() and path.stat().st_size > _LARGE_BYTES)


class _BlockRollup(NamedTuple):
    """The roll-up of a table in blocks: that of the items above its parts, all findings, and what it is made of."""

    result: Result | None  # None if errors prevent it
    findings: Findings
    items: int
    parts: int


def roll_up_in_blocks(run: RollupRun, request: TableRequest, target: Target) -> _BlockRollup:
    """Divide a csv file, roll up its parts, in ``--workers`` processes, and write the whole; docs/howto/fleet.md."""
    table = _BlockTable(run, request)
    labels, is_top, narrow = table.divided(run.partition or 1)
    parts = range(1, int(labels.max()) + 1)
    with tempfile.TemporaryDirectory(prefix="massprops-", dir=Path(target.name).resolve().parent) as folder:
        request = replace(request, run=replace(request.run, file=folder))
        rows = table.split(Path(folder), labels, is_top)
        compute = partial(run_parts_in_processes, run.workers) if run.workers > 1 else run_parts_here
        done: list[_Part] = list(
            compute(partial(_roll_up_part, request), ((f"part {k}", (k, narrow[rows[k]])) for k in parts))
        )
        findings = Findings(
            one for k, part in zip(parts, done, strict=True) for one in table.placed(part.findings, rows[k])
        )
        if any(one.is_withholding for one in findings):
            return _BlockRollup(None, findings, len(labels), len(done))
        table.write_top(Path(folder), labels, is_top, done)
        packed, sums = (np.concatenate([each[k] for each in done], 1) for k in (2, 3))
        above = np.flatnonzero((labels == 0) | is_top)

        def branches(bom: Bom) -> BranchLeaves:
            items = np.array([bom.item(name) for part in done for name in part.lines], np.intp)
            return BranchLeaves.independent(packed, UpwardSums(items, sums, narrow[above][bom.rows - 1]))

        found = _rolled_table(request, 0, branches)
        result, of_top = (None, found) if isinstance(found, tuple) else (found, found.findings)
        findings += table.placed(of_top, above)
        if result is not None:
            with atomic_file(target.name, replaces=target.replaces) as out:
                table.join(out, Path(folder), labels, is_top, rows)
    return _BlockRollup(result, findings, len(labels), len(done))


class _Part(NamedTuple):
    """A part that was rolled up: its findings, and its branches as leaves of the table above."""

    findings: tuple[Finding, ...]
    lines: dict[str, bytes] = {}  # noqa: RUF012 - never changed
    packed: NDArray[np.float64] = np.zeros((55, 0))  # (55, k) covariances about own centres
    sums: NDArray[np.float64] = np.zeros((0, 0))  # (N, k) that go up


class _BlockTable:
    """A csv file of one record a line, with columns of ids and parents."""

    def __init__(self, run: RollupRun, request: TableRequest) -> None:
        from massprops_cli.files.reader import read_file_table
        from massprops_cli.tables.columns.columns import read_columns

        self.name = run.file
        changed = [name for name in changed_options(run, RollupRun) if name not in _ALLOWED]
        if changed or request.keywords["correlate"] != "none" or request.has_other_files or request.table_options.where:
            option = changed[0].replace("_", "-") if changed else "options of other files, rows or correlations"
            self.reject(
                f"{option} cannot be combined with it", "omit this option, or read the whole table, without partition"
            )
        with Path(run.file).open("rb") as file:
            head = file.read(_HEAD_BYTES)
        lines = head[: head.rfind(b"\n") + 1]
        try:
            table = read_file_table("-", request.file_options, io.BytesIO(lines), Findings())
        except TableError as error:
            raise TableError(
                [replace(one, place=replace(one.place, file=self.name)) for one in error.findings]
            ) from None
        columns = read_columns(table, request.table_options, Findings())
        self.delimiter, self.header = table.source.delimiter or ",", lines[: lines.find(b"\n") + 1]
        self.width, names = table.n_columns, columns.by_quantity
        is_plain = columns.first_row == 1 and table.source.encoding in ("utf-8", "ascii")
        if not is_plain or not {"id", "parent"} <= set(names):
            self.reject("the first line is not a header in UTF-8 with an id and a parent", "convert the table first")
        self.keys = names["id"].index, names["parent"].index
        known = {"id", "parent", "name", "part", "qty", "POIconv", "Ipoint", "mass"}
        other = [
            one.header
            for name, one in names.items()
            if name not in known and not re.fullmatch(r"(sigma_)?(mass|C[xyz]|I[xyz]{2})", name)
        ]
        if other:
            self.reject(f"column {other[0]} needs the whole table", "leave the column out, or omit partition")

    def reject(self, reason: str, remedy: str, line: int = 1) -> NoReturn:
        """Raise FindingsError for a table that cannot be read in blocks."""
        size = Path(self.name).stat().st_size
        findings = Findings()
        findings.report(
            "MP114",
            f"table of {size / 2**30:.1f} GiB is read in blocks: {reason}",
            Place(self.name, line=line),
            remedy=remedy,
        )
        raise FindingsError(findings)

    def blocks(self) -> Iterator[bytes]:
        """Yield the lines below the header, some at a time."""
        with Path(self.name).open("rb") as file:
            file.seek(len(self.header))
            rest = b""
            while data := file.read(_BLOCK_BYTES):
                data = rest + data
                end = data.rfind(b"\n") + 1
                rest = data[end:]
                if end:
                    yield data[:end]
            if rest:
                yield rest + b"\n"

    def _hashes(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return hashes of the ids and of the parents (n,), 0 for a blank parent."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        found: list[list[NDArray[np.uint64]]] = [[], []]
        columns = [f"c{k}" for k in range(self.width)]
        keys = [columns[k] for k in self.keys]
        row = 2
        for block in self.blocks():
            try:
                read = arrow_csv.read_csv(
                    pa.BufferReader(block),
                    arrow_csv.ReadOptions(column_names=columns, block_size=len(block) + 1),
                    arrow_csv.ParseOptions(delimiter=self.delimiter),
                    arrow_csv.ConvertOptions(include_columns=keys, column_types=dict.fromkeys(keys, pa.string())),
                )
            except pa.ArrowInvalid as error:
                self.reject(f"records differ ({str(error).splitlines()[0][:120]})", "write one record a line", row)
            if (count := block.count(b"\n")) != read.num_rows:
                self.reject("a line is blank, or a cell has a line break", "write one record a line", row)
            for k, own in enumerate(found):
                if (hashes := text_hashes(read.column(k), may_be_blank=k == 1)) is None:
                    what = "an id or a parent is blank, longer than 64 characters, not ASCII, or has blanks at an end"
                    self.reject(what, "correct it, or omit partition", row)
                own.append(hashes)
            row += count
        return np.concatenate(found[0]), np.concatenate(found[1])

    def divided(self, number: int) -> tuple[NDArray[np.uint16], NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the part of each row (n,), 0 above all, which rows are the highest of a part, and which are narrow."""
        ids, parents = self._hashes()
        ordered = np.argsort(ids, kind="stable")
        if len(twice := np.flatnonzero(np.diff(ids[ordered]) == 0)):
            first, second = (int(ordered[twice[0] + k]) + 2 for k in (0, 1))
            self.reject(
                f"id is in two rows: {self._id(second)} (line {first} and here)",
                "give each item an id of its own",
                second,
            )
        del ordered
        parent = hash_positions(parents, ids)
        assert parent is not None
        blank = parents == 0
        del ids, parents
        if len(missing := np.flatnonzero((parent < 0) & ~blank)):
            line = int(missing[0]) + 2
            self.reject(f"parent of {self._id(line)} is not an id", "correct the parent, or add its row", line)
        parent[blank] = -1
        if np.count_nonzero(blank) != 1:
            self.reject(f"{np.count_nonzero(blank)} rows have no parent", "give every item but the root a parent")
        try:
            tree = Tree.from_parents(parent)
        except UsageError as error:
            self.reject(str(error), "correct the parents")
        labels = np.zeros(len(tree), np.uint16)
        for k, items in enumerate(part_items(tree, number), 1):
            labels[items] = k
        if number < 2 or 2 * np.count_nonzero(labels) < len(labels):
            self.reject(
                f"branches of at most {len(tree) // max(number, 1):,} items have less than half of the rows",
                "use another number of parts",
            )
        return labels, (labels > 0) & (labels[parent] == 0), CovarianceRollup.narrow_items(tree)

    def _id(self, line: int) -> str:
        """Return the id of a line."""
        with Path(self.name).open("rb") as file:
            return self._cells(next(islice(file, line - 1, None)))[self.keys[0]]

    def _cells(self, line: bytes) -> list[str]:
        """Return the cells of a line."""
        return next(csv.reader([line.decode().rstrip("\r\n")], delimiter=self.delimiter))

    def with_parent(self, line: bytes, parent: bytes) -> tuple[bytes, bytes]:
        """Return a line with another field of the parent, and the field that it had."""
        sign = re.escape(self.delimiter.encode())
        field = rb'(?:"(?:[^"]|"")*"|[^%b"\r\n]*)' % sign
        found = re.match(rb"((?:%b%b){%d})(%b)" % (field, sign, self.keys[1], field), line)
        assert found is not None
        return found[1] + parent + line[found.end() :], found[2]

    def split(self, folder: Path, labels: NDArray[np.uint16], is_top: NDArray[np.bool_]) -> list[_Index]:
        """Write the lines (n,) of each part below a made root, and those above with all highest; return their rows."""
        import pyarrow as pa

        row, rows = 0, list[list[_Index]]([] for _ in range(int(labels.max()) + 1))
        with ExitStack() as stack:
            files = [stack.enter_context((folder / f"{k}.csv").open("wb")) for k in range(len(rows))]
            for k, file in enumerate(files):
                cells = [""] * self.width
                cells[self.keys[0]] = f"{FOREST_PREFIX}{k}"
                file.write(self.header + (self.delimiter.join(cells).encode() + b"\n" if k else b""))
            for block in self.blocks():
                ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
                own, top = labels[row : row + len(ends)], is_top[row : row + len(ends)]
                for i in np.flatnonzero(top).tolist():
                    line, k = block[(ends[i - 1] if i else 0) : ends[i]], int(own[i])
                    files[k].write(self.with_parent(line, f"{FOREST_PREFIX}{k}".encode())[0])
                    rows[k].append(np.array([row + i]))
                offsets = pa.py_buffer(np.append(0, ends).astype(np.int64))
                lines = pa.Array.from_buffers(pa.large_binary(), len(ends), [None, offsets, pa.py_buffer(block)])
                for k, file in enumerate(files):
                    at = np.flatnonzero(((own == k) & ~top) | top if k == 0 else (own == k) & ~top)
                    if len(at):
                        file.write(lines.take(pa.array(at)).buffers()[2])
                        rows[k].append(row + at)
                row += len(ends)
        return [np.concatenate([[0], *each]) if k else np.concatenate(each) for k, each in enumerate(rows)]

    def placed(self, findings: Sequence[Finding], rows: _Index) -> Iterator[Finding]:
        """Yield findings of a part, whose lines are rows (k,) of the table, without those on its made root."""

        def place(one: Place) -> Place:
            line = None if one.line is None else int(rows[max(one.line - 2, 0)]) + 2
            return replace(one, file=self.name, line=line, row=None if one.row is None else line)

        for one in findings:
            if not one.item.startswith(FOREST_PREFIX):
                yield replace(one, place=place(one.place), related=tuple(map(place, one.related)))

    def write_top(
        self, folder: Path, labels: NDArray[np.uint16], is_top: NDArray[np.bool_], done: Sequence[_Part]
    ) -> None:
        """Put the lines (n,) of the highest items of all parts, with their numbers, into the table above."""
        lines = {name: line for part in done for name, line in part.lines.items()}
        source = (folder / "0.csv").rename(folder / "above.csv")
        with source.open("rb") as file, (folder / "0.csv").open("wb") as out:
            out.write(file.readline())
            for line, top in zip(file, is_top[(labels == 0) | is_top].tolist(), strict=True):
                new = lines[self._cells(line)[self.keys[0]]] if top else line
                out.write(self.with_parent(new, self.with_parent(line, b"")[1])[0] if top else line)

    def join(
        self, out: BinaryIO, folder: Path, labels: NDArray[np.uint16], is_top: NDArray[np.bool_], rows: list[_Index]
    ) -> None:
        """Write the lines (n,) of all outputs in the order of the table."""
        with ExitStack() as stack:
            files = [stack.enter_context((folder / f"{k}.out").open("rb")) for k in range(int(labels.max()) + 1)]
            if any(file.readline() != self.header for file in files):
                self.reject(
                    "the roll-up adds columns", "add the columns of all results, or enter the values that are missing"
                )
            out.write(self.header)
            # of the parts without their made roots and highest items
            kept = [~is_top[each] for each in rows]
            for each in kept[1:]:
                each[0] = False
            lines = [
                files[0],
                *(compress(file, each.tobytes()) for file, each in zip(files[1:], kept[1:], strict=True)),
            ]
            own_end = b"" if self._ends_with_newline() else b"\n"
            for start in range(0, len(labels), _LINES_PER_WRITE):
                part = slice(start, start + _LINES_PER_WRITE)
                own = np.where(is_top[part], 0, labels[part])
                held = [b""] * len(own)
                for k in np.unique(own).tolist():
                    at = np.flatnonzero(own == k).tolist()
                    for place, line in zip(at, islice(lines[k], len(at)), strict=True):
                        held[place] = line
                data = b"".join(held)
                out.write(data.removesuffix(own_end) if start + len(own) == len(labels) else data)

    def _ends_with_newline(self) -> bool:
        """Return whether the last line of the file has an end."""
        with Path(self.name).open("rb") as file:
            file.seek(-1, io.SEEK_END)
            return file.read() == b"\n"


def _roll_up_part(request: TableRequest, part: tuple[int, NDArray[np.bool_]]) -> _Part:
    """Roll up a part, with its narrow rows, and write its output; returns its branches."""
    number, narrow = part
    nothing = np.zeros(0, np.intp), np.zeros((0, 0))
    result = _rolled_table(
        request,
        number,
        lambda bom: BranchLeaves.independent(np.zeros((55, 0)), UpwardSums(*nothing, narrow[bom.rows - 1])),
    )
    if isinstance(result, tuple):
        return _Part(result)
    bom, rolled = result.bom, result.rollup
    tops = bom.tree.children(int(bom.tree.order[0]))
    tops = tops[np.argsort(bom.rows[tops])].astype(np.intp)
    name_at = {int(bom.rows[i]): bom.ids[i] for i in tops.tolist()}
    with (Path(request.run.file) / f"{number}.out").open("rb") as file:
        lines = {name_at[k]: line for k, line in enumerate(file) if k in name_at}
    exact = rolled.covariances
    packed = np.zeros((55, len(tops))) if exact is None else exact.packed[:, [exact.columns[i] for i in tops.tolist()]]
    assert rolled.upward is not None
    items, sums, _ = rolled.upward
    return _Part(result.findings, lines, packed, sums[:, np.argsort(items)[np.searchsorted(np.sort(items), tops)]])


def _rolled_table(
    request: TableRequest, part: int, branches: Callable[[Bom], BranchLeaves]
) -> Result | tuple[Finding, ...]:
    """Read the file of a part, roll it up and write its output; returns its findings if they prevent it."""
    from massprops_cli.bom.rollup import rollup

    path = Path(request.run.file) / f"{part}.csv"
    try:
        bom = Bom.read(path, request.file_options, request.table_options)
        result = rollup(replace(bom, branches=branches(bom)), keep_going=True, **request.keywords)
    except (TableError, FindingsError) as error:
        return tuple(error.findings)
    if any(one.is_withholding for one in result.findings):
        return result.findings
    is_negative = bool((bom.bodies.mass < 0).any() or (bom.quantity.count < 0).any())
    if is_negative or not is_complete_data(bom.bodies, bom.sigmas):
        message = f"table is read in blocks, and values are {'negative' if is_negative else 'missing'}"
        place, remedy = Place(path.name), "correct them, or read the whole table, without partition"
        return *result.findings, rule_finding("MP114", message, place, remedy=remedy)
    with path.with_suffix(".out").open("wb") as out:
        findings = write_result_table(result, out, Target(path.name, "csv"), request.writing)
    return replace(result, findings=(*result.findings, *findings))
