"""The table that a command reads: one file, a table with its tree in another file, or one tree from several files."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.checks.totals import reconcile_masses
from massprops_cli.bom.items.item_rows import occurrence_counts
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, body_column, sigma_column
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.files.table import GridTable, Table, TableSource
from massprops_cli.findings.finding import Finding, Findings, Place, TableError, UsageError, name_list
from massprops_cli.tables.columns.columns import TableColumns, read_columns
from massprops_cli.tables.columns.headings import may_head_masses
from massprops_cli.tables.layouts.detection import find_table_of_pages
from massprops_cli.tables.layouts.edges import attach_tree
from massprops_cli.tables.options import TableOptions
from massprops_cli.tables.rows.excluded_rows import exclude_non_item_rows

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_Value = str | float | int | bool | None
_MADE_ROOT = "combined"
_RESULT_OPTIONS = (
    "root", "assembly_values", "allow_missing", "allow_negative_mass", "use_sigmas", "write_poi", "caps",
    "typed",
)  # fmt: skip
"""Options of the combined tree; all others are those of its files."""
_TEXT_COLUMNS = {"name": "names", "part": "part_numbers", "method": "maturity", "corr_group": "groups"}
"""Text columns of the combined table → fields of Bom."""
_KEYS = ("id", "part", "name")


class _CombinedTable(GridTable):
    """Rows of several tables; each cell has the address that it has in its own file."""

    places: list[Callable[[int], Place]]

    def place(self, i: int, j: int | None = None, column: str = "") -> Place:
        """Return the address of a row or of a cell in its file."""
        return replace(self.places[i](-1 if j is None else j), column=column)


@dataclass(frozen=True, slots=True)
class _Source:
    """One table of several: its file, what selects it there, and the name of its branch."""

    branch: str
    table: Table
    options: TableOptions
    findings: Findings


def read_source_table(
    cls: type[Bom],
    name: str,
    file_options: FileOptions,
    options: TableOptions,
    stdin: BinaryIO | None,
    findings: Findings,
) -> tuple[Table, TableOptions]:
    """Read the table of a command, or combine several by branch or by id; also return the options for its meaning."""
    if not file_options.combine:
        given = stdin if file_options.tree != "-" else None
        table = read_file_table(name, file_options, given, findings, looks_like_table=may_head_masses)
        if file_options.tree:
            given = stdin if file_options.tree == "-" else None
            plain = FileOptions(format="" if given is None else "csv", caps=file_options.caps)
            edges = read_file_table(file_options.tree, plain, given, findings)
            table = attach_tree(table, edges, file_options.tree_direction, options, findings)
        return table, options
    if options.assembly_values in ("own", "stated"):
        raise UsageError(f"--combine cannot be combined with --config assembly-values={options.assembly_values}")
    if options.qty_column:
        raise UsageError("--combine cannot be combined with --qty-column")
    content = stdin.read() if stdin is not None else b""
    sources: list[_Source] = []
    for one in (name, *file_options.more):
        sources += _file_sources(one, file_options, options, content)
    if len(sources) < 2:
        raise UsageError(f"--combine requires several files, sheets or tables: {name} has one table")
    if file_options.combine == "id":
        return _joined_table(name, sources, options, findings), replace(options, skip_rows=())
    # give each table a branch of its own name
    seen: Counter[str] = Counter()
    named = []
    for source in sources:
        seen[source.branch] += 1
        count = seen[source.branch]
        named.append(source if count == 1 else replace(source, branch=f"{source.branch} ({count})"))
    table = _branch_table(cls, name, named, options, findings)
    return table, TableOptions(**{key: getattr(options, key) for key in _RESULT_OPTIONS})


def _file_sources(name: str, file_options: FileOptions, options: TableOptions, content: bytes) -> Iterator[_Source]:
    """Read the tables of a file: the sheets that are named or that hold a table, or the tables of one text."""
    plain = replace(file_options, combine="", more=())
    for sheet in _sheet_names(name, plain, content):
        findings = Findings()
        one = replace(plain, sheet=sheet)
        table = read_file_table(name, one, _stream(name, content), findings, looks_like_table=may_head_masses)
        stem = PurePath(name.removesuffix(".gz")).stem if name != "-" else "standard input"
        numbers = [options.table] if options.table else _table_numbers(table, options)
        for number in numbers:
            heading = _heading_above(name, table, number, options) if len(numbers) > 1 else ""
            branch = heading or (sheet and table.source.sheet) or (f"{stem} {number}" if len(numbers) > 1 else stem)
            yield _Source(branch, table, replace(options, table=number), Findings(findings))


def _stream(name: str, content: bytes) -> BinaryIO | None:
    """Return the content of standard input, ``-``, as a stream; None for a named file."""
    return io.BytesIO(content) if name == "-" else None


def _sheet_names(name: str, file_options: FileOptions, content: bytes) -> list[str]:
    """Return the sheets to read: those of ``--sheet``, else those that could each be the table; blank where one is."""
    if file_options.sheet:
        return [part.strip() for part in file_options.sheet.split(",") if part.strip()]
    try:
        read_file_table(name, file_options, _stream(name, content), Findings(), looks_like_table=may_head_masses)
    except TableError as error:
        several = [finding for finding in error.findings if finding.rule == "MP112" and finding.value]
        if not several:
            raise
        return several[0].value.split("\n")
    return [""]


def _table_numbers(table: Table, options: TableOptions) -> list[int]:
    """Return the numbers of the tables of one sheet or text; 0 alone where there is one."""
    try:
        find_table_of_pages(table, options, Findings())
    except TableError as error:
        several = [finding for finding in error.findings if finding.rule == "MP242"]
        return list(range(1, several[0].count + 1)) if several else [0]
    return [0]


def _heading_above(name: str, table: Table, number: int, options: TableOptions) -> str:
    """Return the heading above a table of a Markdown text; empty without one."""
    if table.source.format != "md" or name == "-" or table.source.compressed:
        return ""
    found = find_table_of_pages(table, replace(options, table=number), Findings())
    line = found.place(read_columns(found, options, Findings()).header_row).line or 1
    above = Path(name).read_text(table.source.encoding or "utf-8", errors="replace").splitlines()[: line - 1]
    headings = [text.strip("# \t*") for text in above if text.startswith("#")]
    return headings[-1] if headings else ""


def _branch_table(
    cls: type[Bom], name: str, sources: Sequence[_Source], options: TableOptions, findings: Findings
) -> Table:
    """Read every table alone, and put its tree under a made root."""
    boms = [_read_branch(cls, source, "") for source in sources]
    if len({bom.units_of_body() for bom in boms}) > 1:
        if unstated := [bom.table.source.name for bom in boms if not bom.units.stated]:
            names = name_list(unstated, 12)
            raise UsageError(f"units are not stated in {names} but in other files; state them with --unit")
        boms = [_read_branch(cls, source, "SI") for source in sources]
    agreeing = _totals_of_all(boms)
    for bom in boms:
        # the other tables of a text are branches
        read = "MP243" if bom.options.table and not options.table else ""
        findings += [f for f in bom.findings if f.rule != read and (f.rule != "MP415" or f.place not in agreeing)]
    _drop_matched_rows([bom.findings for bom in boms], options, findings)
    ids = _combined_ids(sources, boms, findings)
    root = options.make_root or _MADE_ROOT
    if any(root in texts for texts in ids):
        raise UsageError(f"id of the made root is in use: {root}; name another with --config make-root=…")
    header = _combined_header(boms)
    rows: list[list[_Value]] = [[heading for heading, _ in header], [root] + [None] * (len(header) - 1)]
    places: list[Callable[[int], Place]] = [partial(_file_place, name, 1), partial(_file_place, name, None)]
    for bom, texts in zip(boms, ids, strict=True):
        columns = [_branch_cells(bom, texts, root, key) or [None] * len(texts) for _, key in header]
        rows += map(list, zip(*columns, strict=True))
        places += [partial(_item_place, bom.table, row) for row in bom.rows.tolist()]
    table = _CombinedTable(TableSource(name, "csv", delimiter=","), rows)
    table.places = places
    return table


def _file_place(name: str, row: int | None, _index: int) -> Place:
    """Return the place of a made row; a function with a name, so that the table can be pickled."""
    return Place(name, row=row)


def _drop_matched_rows(of_tables: Sequence[Sequence[Finding]], options: TableOptions, findings: Findings) -> None:
    """Drop the findings on rows named by options that another table has; raises UsageError for a place in several."""
    for option, names in (("--count-row", options.count_rows), ("--skip-row", options.skip_rows)):
        for name in names:
            absent = f"{option} {name}: no such row"
            count = sum(not any(f.message.startswith(absent) for f in own) for own in of_tables)
            if count > 1 and name.startswith("row:"):
                raise UsageError(f"{option} {name}: {count} tables have this row; use the text of a cell of it")
            if count:
                findings[:] = [f for f in findings if not (f.rule == "MP204" and f.message.startswith(absent))]


def _totals_of_all(boms: Sequence[Bom]) -> list[Place]:
    """Return the places of grand totals that differ from their own table, and agree with the sum of all tables."""
    pieces = [bom.bodies.mass * occurrence_counts(bom) for bom in boms]
    masses = [float(values[bom.tree.is_leaf()].sum()) for values, bom in zip(pieces, boms, strict=True)]
    totals = [
        total
        for bom in boms
        for total in reconcile_masses(bom)
        if total.differs and total.is_grand and total.unit == bom.units.mass
    ]
    half = [10.0 ** -len(f"{total.stated:.12g}".partition(".")[2]) / 2 for total in totals]
    return [t.place for t, room in zip(totals, half, strict=True) if abs(t.stated - sum(masses)) <= room]


def _read_branch(cls: type[Bom], source: _Source, units: str) -> Bom:
    """Read one table; a list, and several top items, are put under a root with the name of the branch."""
    options = replace(source.options, make_root="", root="", units=units or source.options.units)
    try:
        bom = cls.from_table(source.table, options, source.findings)
        if bom.layout != "flat":
            return bom
    except TableError as error:
        if not any(finding.rule == "MP308" for finding in error.findings):
            raise
    return cls.from_table(source.table, replace(options, make_root=source.branch), source.findings)


def _item_place(table: Table, row: int, _: int) -> Place:
    """Return the address of a row, or of its file for the made root."""
    return table.place(row) if row >= 0 else Place(table.source.name)


def _combined_ids(sources: Sequence[_Source], boms: Sequence[Bom], findings: Findings) -> list[list[str]]:
    """Return the ids of every table; ids that are in several get the branch before them, which is noted."""
    shared = {id for id, count in Counter(id for bom in boms for id in set(bom.ids)).items() if count > 1}
    if shared:
        message = f"ids are in several files, and have the branch before them: {name_list(sorted(shared), 12)}"
        findings.report(
            "MP328", message, Place(sources[0].table.source.name), value=sorted(shared)[0], count=len(shared)
        )
    return [
        [f"{source.branch}/{id}" if id in shared else id for id in bom.ids]
        for source, bom in zip(sources, boms, strict=True)
    ]


def _combined_header(boms: Sequence[Bom]) -> list[tuple[str, str]]:
    """Return the headings of the combined table, each with the key of its values; what no table states has none."""
    mass, length, inertia = (f" [{unit}]" if unit else "" for unit in boms[0].units_of_body())
    header = [("id", "id"), ("parent", "parent"), ("qty", "qty")]
    header += [(word, word) for word, key in _TEXT_COLUMNS.items() if any(getattr(c, key) is not None for c in boms)]
    for prefix in ("", "sigma_"):
        for names, unit in ((("mass",), mass), (CENTER.columns, length), (INERTIA.columns, inertia)):
            known = any(_item_numbers(bom, f"{prefix}{names[0]}") is not None for bom in boms)
            header += [(f"{prefix}{name}{unit}", f"{prefix}{name}") for name in names] if known else []
    if any(key == "Ixy" for _, key in header):
        header.append(("POIconv", "POIconv"))
    if any(bom.point_blank is not None or bom.bodies.is_point.any() for bom in boms):
        header.append(("Ipoint", "Ipoint"))
    if any(bom.growth is not None for bom in boms):
        header.append(("growth [%]", "growth"))
    return header


def _item_numbers(bom: Bom, key: str) -> NDArray[np.float64] | None:
    """Return a quantity of all items ``(n,)``; None where the table does not have it."""
    if key.startswith("sigma_"):
        return None if bom.sigmas is None else sigma_column(bom.sigmas, key.removeprefix("sigma_"))
    return body_column(bom.bodies, key)


def _branch_cells(bom: Bom, ids: Sequence[str], root: str, key: str) -> Sequence[_Value]:
    """Return one column of the combined table for the items of one table; empty where the table does not have it."""
    if key in _TEXT_COLUMNS:
        return getattr(bom, _TEXT_COLUMNS[key]) or []
    if (made := _OTHER_COLUMNS.get(key)) is not None:
        return made(bom, ids, root)
    values = _item_numbers(bom, key)
    at, stated = bom.written.get(key, (np.zeros(0, np.intp), np.zeros(0)))
    if values is None:
        return []
    numbers = np.where(bom.tree.is_leaf(), values, np.nan)
    numbers[at] = stated
    return [None if np.isnan(number) else number for number in numbers.tolist()]


_OTHER_COLUMNS: dict[str, Callable[[Bom, Sequence[str], str], Sequence[_Value]]] = {
    "id": lambda bom, ids, root: ids,
    "parent": lambda bom, ids, root: [ids[k] if k >= 0 else root for k in bom.tree.parent.tolist()],
    "qty": lambda bom, ids, root: list(bom.quantity.count.tolist()),
    "POIconv": lambda bom, ids, root: ["-"] * len(ids),
    "Ipoint": lambda bom, ids, root: list(bom.bodies.is_point.tolist()),
    "growth": lambda bom, ids, root: [
        None if np.isnan(share) else share * 100 for share in ([] if bom.growth is None else bom.growth.tolist())
    ],
}
"""Columns of the combined table that are not quantities of bodies."""


@dataclass(slots=True)
class _JoinedRows:
    """Rows of several tables by id: ``cells`` of each with their addresses; ``stops`` are faults that prevent it."""

    headings: dict[str, str] = field(default_factory=dict)
    units: dict[str, tuple[str, str]] = field(default_factory=dict)
    cells: dict[str, dict[str, tuple[str, Callable[[int], Place], int]]] = field(default_factory=dict)
    faults: Findings = field(default_factory=Findings)
    stops: Findings = field(default_factory=Findings)


def _joined_table(name: str, sources: Sequence[_Source], options: TableOptions, findings: Findings) -> Table:
    """Join the rows of several tables by id; a cell that two tables state differently is an error."""
    joined = _JoinedRows()
    of_tables = []
    for source in sources:
        found = Findings()
        _join_rows(joined, source, found)
        of_tables.append(found)
        findings += [*source.findings, *found]
    _drop_matched_rows(of_tables, options, findings)
    if joined.stops:
        raise TableError([*findings, *joined.stops, *joined.faults])
    findings += joined.faults
    keys = list(joined.headings)
    rows: list[list[_Value]] = [[joined.headings[key] for key in keys]]
    places: list[Callable[[int], Place]] = [partial(_file_place, name, 1)]
    for cells in joined.cells.values():
        rows.append([cells[key][0] if key in cells else "" for key in keys])
        places.append(partial(_cell_place, keys, cells))
    table = _CombinedTable(TableSource(name, "csv", delimiter=","), rows)
    table.places = places
    return table


def _cell_place(keys: Sequence[str], cells: dict[str, tuple[str, Callable[[int], Place], int]], j: int) -> Place:
    """Return the address of a cell of a joined row; one without an address has that of the row's id."""
    _, at, column = cells.get(keys[j], cells["id"]) if j >= 0 else cells["id"]
    return at(column)


def _join_rows(joined: _JoinedRows, source: _Source, findings: Findings) -> None:
    """Add the rows of one table."""
    table = find_table_of_pages(source.table, source.options, findings)
    columns = read_columns(table, source.options, Findings())
    if (key := next((columns.by_quantity[q] for q in _KEYS if q in columns.by_quantity), None)) is None:
        place = table.place(columns.header_row)
        joined.stops.report("MP203", "column of ids is missing, by which the files are joined", place)
        return
    table, _ = exclude_non_item_rows(table, columns, source.options, findings)
    read = {column.index: (quantity, column) for quantity, column in columns.by_quantity.items()}
    named = {j: text.strip() for j, text in enumerate(columns.header) if text.strip()}
    places = {j: read[j][0] if j in read else named[j] for j in {**named, **read} if j != key.index}
    joined.headings.setdefault("id", "id")
    for j, word in places.items():
        unit = f" [{read[j][1].unit}]" if j in read and read[j][1].unit else ""
        joined.headings.setdefault(word, f"{word}{unit}")
        _check_joined_unit(joined, columns, j, word, table)
    for i in range(columns.first_row, table.n_rows):
        if id := table.text(i, key.index).strip():
            _join_cells(joined, table, i, id, {key.index: "id", **places})


def _check_joined_unit(joined: _JoinedRows, columns: TableColumns, j: int, word: str, table: Table) -> None:
    """Report a quantity whose unit differs from that in another file."""
    if (column := columns.by_quantity.get(word)) is None or column.index != j:
        return
    unit, file = joined.units.setdefault(word, (column.unit, table.source.name))
    if unit != column.unit:
        message = f"{word} is in {column.unit or 'no unit'} here and in {unit or 'no unit'} in {file}"
        remedy = "write both files in one system of units: massprops convert FILE --units SI"
        joined.stops.report("MP326", message, table.place(columns.header_row, j, columns.header[j]), remedy=remedy)


def _join_cells(joined: _JoinedRows, table: Table, i: int, id: str, keys: dict[int, str]) -> None:
    """Add the cells of one row; a different text under one id and key is an error."""
    cells = joined.cells.setdefault(id, {})
    for j, word in keys.items():
        text = id if word == "id" else table.text(i, j)
        if not text.strip():
            continue
        known = cells.setdefault(word, (text, partial(table.place, i), j))
        if known[0].strip() != text.strip():
            other = known[1](known[2])
            message = f"{id} has {word} {text.strip()} here and {known[0].strip()} in {other}"
            joined.faults.report("MP326", message, table.place(i, j), value=text, item=id, related=(other,))
