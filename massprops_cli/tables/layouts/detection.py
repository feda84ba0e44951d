"""Which layout a table has, its items and parents read in it, and findings on what is not one tree."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from massprops_cli.files.table import Table, TableView
from massprops_cli.findings.finding import Finding, Findings, Place, Severity, UsageError, name_list, rule_finding
from massprops_cli.tables.account import layout_map_options, mapping_commands
from massprops_cli.tables.cells.number_text import read_number, words
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.columns.header import find_header_row
from massprops_cli.tables.columns.table_location import find_table
from massprops_cli.tables.layouts import dotted_numbers
from massprops_cli.tables.options import LAYOUTS, TableOptions
from massprops_cli.tables.rows.hierarchy import (
    NO_PARENT,
    UNKNOWN_PARENT,
    Hierarchy,
    cell_place,
    data_rows,
    empty_hierarchy,
    label_items,
)
from massprops_cli.tables.rows.indentation import indented_column
from massprops_cli.tables.rows.total_rows import rows_finding, without_remarks

_REQUIREMENTS = {
    "parent": "a column of ids and a column of parents", "edges": "a column of parents and a column of children",
    "dotted": "a column of item numbers", "level": "a column of levels",
    "columns": "a column of names for every level, side by side", "indented": "a column of indented names",
    "outline": "a worksheet with outline levels", "flat": "a column that names items",
}  # fmt: skip


_ROBOT_ONLY = ("robot", "robot file", "urdf", "sdf", "mjcf")
ROBOT_OR_OTHER = ("file", "file name", "filename", "model", "geometry")
"""Headings of columns that name robots where a cell does; below the second ones, other cells are not read."""
_ROBOT_FILE = re.compile(r".*\.(?:urdf|sdf|mjcf|xacro|world|xml)", re.IGNORECASE)  # arm.urdf, cart.sdf
_ROBOT_ROWS = 1_000  # rows that are searched for them


def is_robot_name(text: str) -> bool:
    """Return whether a cell has the name of a file of a robot."""
    return _ROBOT_FILE.fullmatch(text.strip()) is not None


def with_robot_column(table: Table, given: TableOptions) -> TableOptions:
    """Map the quantity ``robot`` to the column that names files of robots, if a table has one."""
    if "robot" in given.map or given.frozen or table.source.is_robot or not table.n_rows:
        return given
    at = find_header_row(table, given.map)
    texts = [" ".join(text.replace("_", " ").split()).casefold() for text in table.row(at)]
    for name in (*_ROBOT_ONLY, *ROBOT_OR_OTHER):
        for j in (j for j, text in enumerate(texts) if text == name):
            rows = range(at + 1, min(table.n_rows, at + 1 + _ROBOT_ROWS))
            if any(is_robot_name(table.text(i, j)) for i in rows):
                return replace(given, map={**given.map, "robot": table.text(at, j)})
    if given.robots.joint_positions:
        name, format = table.source.name, table.source.format
        raise UsageError(f"positions of joints (--q) need a robot, or rows that name one: {name} is {format}")
    return given


def find_table_of_pages(table: Table, options: TableOptions, findings: Findings) -> Table:
    """Find the table on a sheet or in a text, without the headers of its pages but the first, and without remarks."""
    rows = [] if options.table or table.n_rows > _MOST_ROWS else list(_page_header_rows(table, options.map))
    if rows:
        message, headers = "header of a page is excluded, with its title", [header for _, header in rows]
        findings.append(rows_finding("MP255", message, table, headers))
        table = TableView(table, [row for first, header in rows for row in range(first, header + 1)])
    return without_remarks(find_table(table, options, findings), options.map, findings)


_MOST_ROWS = 20_000  # rows of a table that is searched
_MOST_TITLES = 4  # rows above a repeated header that are searched for the number of the page


def _page_header_rows(table: Table, mapping: Mapping[str, str]) -> Iterator[tuple[int, int]]:
    """Yield the first row of the titles of each page but the first, and the row of its header."""
    header = find_header_row(table, mapping)
    texts = table.row(header)
    column = next(j for j, text in enumerate(texts) if text.strip())
    page = "|".join(re.escape(word) for entry in words("remarks")["page"] for word in entry["texts"])
    # Page 2, BILL OF MATERIAL / PAGE 2, Blatt 2/5, page 2 of 3
    above = {text.strip() for i in range(header) for text in table.row(i)}
    title = re.compile(rf"(?:.*\W)?(?:{page})\.?\s*\d+\s*(?:\S{{1,4}}\s*\d+)?", re.IGNORECASE)
    for i, text in enumerate(table.texts(column, header + 1), header + 1):
        if text != texts[column] or table.row(i) != texts:
            continue
        first, is_page = i, False
        while first - 1 > header and first > i - _MOST_TITLES:
            filled = [cell for cell in table.row(first - 1) if cell.strip()]
            is_title = len(filled) == 1 and title.fullmatch(filled[0].strip()) is not None
            if not is_title and (len(filled) > 1 or not above.issuperset(text.strip() for text in filled)):
                break
            first, is_page = first - 1, is_page or is_title
        if is_page:
            yield first, i


def read_hierarchy(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> Hierarchy:
    """Read the items and their parents in the layout that the option names or that the table has."""
    # faults within one layout are findings here; tree_findings reports what keeps the parents from being one tree
    if options.layout:
        if options.layout not in LAYOUTS:
            raise UsageError(f"unknown layout: {options.layout} ({', '.join(LAYOUTS)})")
        return _read_forced_layout(table, columns, options, findings)
    if not (present := _possible_layouts(table, columns)):
        return _read_without_layout(table, columns, options, findings)
    if present == ["parent"]:  # by items where these have no error, else by uses of parts
        items = _trial_reading("parent", table, columns, options)
        reading = items if items.is_valid else _read_as_uses(table, columns, options) or _with_edges_offer(items)
        findings += reading.findings
        return reading.hierarchy
    if len(present) == 1:
        return _read_layout(present[0], table, columns, options, findings)
    return _read_agreeing_layout(table, columns, options, present, findings)


def _is_possible_layout(layout: str, table: Table, columns: TableColumns, *, forced: bool) -> bool:
    """Return whether a layout may be the table's; ``forced`` tests its columns only."""
    named = columns.by_quantity
    has_ids = dotted_numbers.id_column(columns) is not None
    form_tests: dict[str, Callable[[], bool]] = {
        "parent": lambda: "parent" in named and has_ids and (forced or "child" not in named),
        "edges": lambda: "parent" in named and ("child" in named or (forced and has_ids)),
        "dotted": lambda: dotted_numbers.item_number_column(table, columns, forced=forced) is not None,
        "level": lambda: "level" in named and (forced or _has_form("level", table, columns)),
        "indented": lambda: indented_column(table, columns, forced=forced) is not None,
    }
    return form_tests[layout]() if layout in form_tests else _has_form(layout, table, columns)


def _has_form(layout: str, table: Table, columns: TableColumns) -> bool:
    """Return whether the cells have the form of a layout; its module is loaded for tables without a parent column."""
    from massprops_cli.tables.layouts import item_lists, levels

    form_tests: dict[str, Callable[[], bool]] = {
        "level": lambda: levels.has_several_levels(table, columns),
        "columns": lambda: bool(levels.level_columns(table, columns)),
        "outline": lambda: levels.has_outline(table, columns),
        "flat": lambda: item_lists.item_name_column(columns) is not None,
    }
    return form_tests[layout]()


def _read_layout(
    layout: str, table: Table, columns: TableColumns, options: TableOptions, findings: Findings
) -> Hierarchy:
    """Read the items in a layout."""
    if layout == "parent":
        return dotted_numbers.read_parent_column(table, columns, findings)
    if layout == "dotted":
        return dotted_numbers.read_item_numbers(table, columns, findings)
    from massprops_cli.tables.layouts import edges, item_lists, levels

    readers: dict[str, Callable[[], Hierarchy]] = {
        "edges": lambda: edges.read_edges(table, columns, options, findings),
        "level": lambda: levels.read_level_column(table, columns, options, findings),
        "columns": lambda: levels.read_name_columns(table, columns, findings),
        "indented": lambda: levels.read_indentation(table, columns, findings),
        "outline": lambda: levels.read_outline(table, columns, findings),
        "flat": lambda: item_lists.read_item_list(table, columns, options, findings, every_row=True),
    }
    return readers[layout]()


def _possible_layouts(table: Table, columns: TableColumns) -> list[str]:
    """List the layouts that the table may have; its form is tested only if no column gives the tree."""
    stating = [
        name
        for name in ("parent", "edges", "dotted", "level")
        if _is_possible_layout(name, table, columns, forced=False)
    ]
    if stating:
        return stating
    return [
        name for name in ("columns", "indented", "outline") if _is_possible_layout(name, table, columns, forced=False)
    ]


class _TrialReading(NamedTuple):
    """The items in one of several layouts, and what is wrong with them there."""

    hierarchy: Hierarchy
    findings: Findings

    @property
    def is_valid(self) -> bool:
        """Whether there are items, and none of the findings is an error."""
        return len(self.hierarchy) > 0 and not self.findings.has_errors


def _trial_reading(layout: str, table: Table, columns: TableColumns, options: TableOptions) -> _TrialReading:
    """Read the items in a layout, with separate findings."""
    findings = Findings()
    return _TrialReading(_read_layout(layout, table, columns, options, findings), findings)


def _read_as_uses(table: Table, columns: TableColumns, options: TableOptions) -> _TrialReading | None:
    """Read rows with a parent as uses of parts, where that is the only reading; None where it is not."""
    # A table with a column of ids has items, not uses. Else the uses must make one tree, without a repeated use,
    # and all rows of a part must hold the same numbers: what is left out of these is a slip.
    if "id" in columns.by_quantity:
        return None
    hierarchy, findings = reading = _trial_reading("edges", table, columns, options)
    doubtful = any(f.severity is Severity.ERROR or f.rule == "MP319" for f in findings)
    if doubtful or np.count_nonzero(hierarchy.parents == NO_PARENT) != 1:
        return None
    assert hierarchy.edge_rows is not None
    used = hierarchy.edge_rows[hierarchy.edge_rows >= 0]
    child, over = dotted_numbers.id_column(columns), columns.by_quantity["parent"]
    assert child is not None
    pairs = {(table.text(i, child.index).strip(), table.text(i, over.index).strip()) for i in set(used.tolist())}
    if len(pairs) < len(set(used.tolist())):
        return None
    message = f"rows read as uses of parts: {child.header} in {over.header}"
    findings.report("MP323", message, table.place(columns.header_row, child.index, child.header))
    return reading


def _with_edges_offer(reading: _TrialReading) -> _TrialReading:
    """Offer the layout of uses where an id is under several parents."""
    hierarchy, findings = reading
    repeated = {f.value for f in findings if f.rule == "MP301"}
    above: dict[str, set[int]] = {}
    for text, over in zip(hierarchy.ids, hierarchy.parents.tolist(), strict=True):
        if text in repeated:
            above.setdefault(text, set()).add(over)
    offer = "; if each row is one use of a part, pass --layout edges"
    offered = (
        replace(f, remedy=f.remedy + offer) if f.rule == "MP301" and len(above.get(f.value, ())) > 1 else f
        for f in findings
    )
    return _TrialReading(hierarchy, Findings(offered))


def _read_forced_layout(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> Hierarchy:
    """Read the layout that the option names; without its columns a finding and no items."""
    layout = options.layout
    if _is_possible_layout(layout, table, columns, forced=True):
        return _read_layout(layout, table, columns, options, findings)
    message = f"layout {layout} requires {_REQUIREMENTS[layout]}; the columns are {_header_list(columns)}"
    options_of_columns = layout_map_options(layout, table, columns)
    remedy = f"name them with {options_of_columns or '--map'}" + f", or omit --layout {layout}" * (
        not options_of_columns
    )
    findings.report("MP316", message, table.place(columns.header_row), value=layout, remedy=remedy)
    return empty_hierarchy(layout, message)


def _header_list(columns: TableColumns) -> str:
    """List the headers of a table in a message."""
    return name_list([text for text in columns.header if text], 12)


def _read_without_layout(table: Table, columns: TableColumns, options: TableOptions, findings: Findings) -> Hierarchy:
    """Read a table without a tree: one row, or a list of items; a finding where it is neither."""
    from massprops_cli.tables.layouts import item_lists, levels

    first = columns.first_row
    rows = data_rows(table, columns, [""] * max(table.n_rows - first, 0))
    # one row with a quantity other than 1 is a list of one, not an assembly
    counted = columns.by_quantity.get("qty")
    text = "" if counted is None or len(rows) != 1 else table.text(int(rows[0]), counted.index).strip()
    is_list_of_one = item_lists.is_item_list(columns) and bool(text) and read_number(text) != 1
    if len(rows) == 1 and not is_list_of_one:
        parents = np.full(1, -1, np.int32)
        labels = label_items(table, columns, rows, parents, None, findings)
        return Hierarchy("single", f"one row; {labels.how}", rows, labels.ids, parents, labels.names)
    if not item_lists.is_item_list(columns):
        findings.append(_no_items_finding(table, columns, options))
        return empty_hierarchy()
    if doubt := levels.unreadable_levels_finding(table, columns) or item_lists.nested_rows_finding(
        table, columns, options
    ):
        findings.append(doubt)
        return empty_hierarchy()
    return item_lists.read_item_list(table, columns, options, findings)


def _no_items_finding(table: Table, columns: TableColumns, options: TableOptions) -> Finding:
    """Report that a table is not a bill of materials, the headers expected, and columns that may be used."""
    commands = mapping_commands(table, columns, options)
    is_named = commands or "mass" in columns.by_quantity
    why = "no columns for items and their mass" if is_named else "no header names a mass or a unit of mass"
    message = f"{why}; the columns are {_header_list(columns)}"
    remedy = "use headers such as ID, Part Number or Name, and Mass or Weight, "
    other = "name the column of masses with --map, or select another sheet or file"
    remedy += f"or run {commands}" if commands else other
    return rule_finding("MP244", message, table.place(columns.header_row), remedy=remedy)


def _read_agreeing_layout(
    table: Table, columns: TableColumns, options: TableOptions, present: list[str], findings: Findings
) -> Hierarchy:
    """Read in every possible layout; the first that fits is used if the others that fit agree."""
    readings = {name: _trial_reading(name, table, columns, options) for name in present}
    fitting = [name for name, reading in readings.items() if reading.is_valid]
    first = (fitting or present)[0]
    chosen = readings[first]
    if present[0] not in fitting and present[0] in ("parent", "edges"):
        # a slip in the column of parents is to be corrected, not avoided with another column
        chosen, fitting = _with_edges_offer(readings[present[0]]), []
    hierarchy = chosen.hierarchy
    findings += chosen.findings
    for other in fitting[1:]:
        if rows := _differing_rows(hierarchy, readings[other].hierarchy):
            message = (
                f"layouts {first} ({hierarchy.how}) and {other} ({readings[other].hierarchy.how}) "
                f"give different trees: {len(rows):,} {'row differs' if len(rows) == 1 else 'rows differ'}"
            )
            places = tuple(table.place(row) for row in rows[:100])
            remedy = f"pass --layout {first} or --layout {other}"
            findings.report("MP315", message, places[0], remedy=remedy, count=len(rows), related=places[1:])
    return hierarchy


def _differing_rows(one: Hierarchy, other: Hierarchy) -> list[int]:
    """List the table rows with different parents in two layouts."""
    if not np.array_equal(one.rows, other.rows):
        return sorted(set(one.rows.tolist()) ^ set(other.rows.tolist())) or [int(one.rows[0])]
    return [int(row) for row in one.rows[one.parents != other.parents]]


_MAX_SHOWN = 12  # a longer cycle is printed with its middle left out; its rows are among the related places

_MAX_RELATED = 1_000  # related places of one finding


def tree_findings(
    hierarchy: Hierarchy,
    table: Table,
    self_parents: Sequence[int],
    cycles: Sequence[Sequence[int]],
    roots: Sequence[int],
    orphans: Sequence[int],
    options: TableOptions,
) -> list[Finding]:
    """Report why a hierarchy is not one tree."""
    findings = [
        rule_finding("MP306", f"{id} is its own parent", _item_place(hierarchy, table, i), value=id, item=id)
        for i, id in ((i, hierarchy.ids[i]) for i in self_parents)
    ]
    findings += [_cycle_finding(hierarchy, table, cycle) for cycle in cycles]
    if len(roots) > 1 and not options.make_root:
        findings.append(_several_roots_finding(hierarchy, table, roots, options.root_name(table.source)))
    if not len(roots) and len(hierarchy):
        message = f"all {len(hierarchy):,} rows have a parent"
        place, known = _item_place(hierarchy, table, 0), hierarchy.parents[hierarchy.parents >= 0]
        remedy = f"correct the parents, or leave out the column: --ignore-column {shlex.quote(place.column)}"
        if len(known) or not place.column:  # the item with most children is the likeliest root
            top = hierarchy.ids[int(np.bincount(known, minlength=1).argmax())]
            remedy = f"clear the parent of the top row, or name the root: --root {shlex.quote(top)}"
        findings.append(rule_finding("MP309", message, place, remedy=remedy))
    return findings + _orphan_findings(hierarchy, table, orphans)


def _item_place(hierarchy: Hierarchy, table: Table, item: int) -> Place:
    """Return the address of the cell that gives an item its parent, or of its row."""
    return cell_place(table, int(hierarchy.rows[item]), hierarchy.parent_column)


def _item_places(hierarchy: Hierarchy, table: Table, items: Sequence[int]) -> tuple[Place, ...]:
    """Return the addresses of items, up to ``_MAX_RELATED`` of them."""
    return tuple(_item_place(hierarchy, table, i) for i in items[:_MAX_RELATED])


def _cycle_finding(hierarchy: Hierarchy, table: Table, cycle: Sequence[int]) -> Finding:
    """Report a cycle of parents, with the middle of a long one left out."""
    names = [hierarchy.ids[i] for i in cycle]
    if len(names) > _MAX_SHOWN:
        left = len(names) - _MAX_SHOWN
        names = [*names[: _MAX_SHOWN - 2], f"({left:,} more)", *names[-2:]]
    message = f"{names[0]}: parents form a cycle of {len(cycle):,} items: {' → '.join([*names, names[0]])}"
    over, place = hierarchy.ids[int(hierarchy.parents[cycle[0]])], _item_place(hierarchy, table, cycle[0])
    related = _item_places(hierarchy, table, cycle[1:])
    return rule_finding("MP307", message, place, value=over, item=names[0], count=len(cycle), related=related)


def _several_roots_finding(hierarchy: Hierarchy, table: Table, roots: Sequence[int], made: str) -> Finding:
    """Report several rows without a parent, with the options that make one tree of them."""
    names = [hierarchy.ids[i] for i in roots]
    is_alone = len(roots) == 2 and not (hierarchy.parents == roots[1]).any()  # such as a row of a status
    skipped = f"leave out a row that is not an item with --skip-row {shlex.quote(names[1])}, " if is_alone else ""
    message = f"{len(names):,} rows have no parent: {name_list(names, 20)} (one root was expected)"
    return rule_finding(
        "MP308",
        message,
        _item_place(hierarchy, table, roots[0]),
        item=names[0],
        remedy=f"create a root above them with --config make-root={shlex.quote(made)}, use only one tree with "
        f"--root {shlex.quote(names[0])}, {skipped}or give all but one a parent",
        count=len(names),
        related=_item_places(hierarchy, table, roots[1:]),
    )


def _orphan_findings(hierarchy: Hierarchy, table: Table, orphans: Sequence[int]) -> list[Finding]:
    """Group the orphans under the row above them, found by pointer doubling."""
    if not len(orphans):
        return []
    parents = np.asarray(hierarchy.parents)
    lost = np.asarray(orphans, np.intp)
    up = np.arange(len(parents), dtype=np.intp)
    # only an orphan has a step up; all others stay, so every orphan ends at the row above it
    up[lost] = np.where(parents[lost] >= 0, parents[lost], lost)
    while True:
        higher = up[up]
        if np.array_equal(higher, up):
            break
        up = higher
    order = np.argsort(up[lost], kind="stable")
    tops, starts = np.unique(up[lost][order], return_index=True)
    groups = np.split(lost[order], starts[1:])
    return [
        _orphan_group_finding(hierarchy, table, int(top), group.tolist())
        for top, group in zip(tops, groups, strict=True)
    ]


def _orphan_group_finding(hierarchy: Hierarchy, table: Table, top: int, items: list[int]) -> Finding:
    """Report the rows below an item whose parent is unknown or which is in a cycle."""
    name = hierarchy.ids[top]
    unknown = int(hierarchy.parents[top]) == UNKNOWN_PARENT
    why = "whose parent is unknown" if unknown else "which is in a cycle"
    rows = "row is" if len(items) == 1 else "rows are"
    ids, place = [hierarchy.ids[i] for i in items], _item_place(hierarchy, table, items[0])
    message, remedy = f"{name_list(ids)}: {len(ids):,} {rows} below {name}, {why}", f"correct the parent of {name}"
    related = _item_places(hierarchy, table, [top, *items[1:]])
    return rule_finding("MP310", message, place, item=ids[0], remedy=remedy, count=len(ids), related=related)
