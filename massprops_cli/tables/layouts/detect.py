"""Which layout a table has, and its items and parents read in it.

Columns that speak of the tree decide: parent, edges, dotted item numbers, level. Where the table has none of
them, its form is looked at: names in one column per level, indentation, Excel outline levels. A running
number, or a level column that never changes, says nothing about a tree and is passed over. Of two layouts
that both fit, the trees must agree. Where nothing speaks of a tree, the rows are a flat list.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Severity, UsageError, found
from massprops_cli.tables.columns import Columns
from massprops_cli.tables.hierarchy import NO_PARENT, Hierarchy, Reading, filled_rows, nothing
from massprops_cli.tables.ids import label
from massprops_cli.tables.layouts import edges, flat
from massprops_cli.tables.layouts import levels as indented
from massprops_cli.tables.layouts import levels as level
from massprops_cli.tables.layouts import levels as name_columns
from massprops_cli.tables.layouts import levels as outline
from massprops_cli.tables.layouts import numbered as dotted
from massprops_cli.tables.layouts import numbered as parent
from massprops_cli.tables.map_commands import map_commands
from massprops_cli.tables.number_text import read_number
from massprops_cli.tables.options import LAYOUTS, TableOptions

__all__ = ["Hierarchy", "read_hierarchy"]

Reader = Callable[[Table, Columns, TableOptions], Reading]

_READERS: dict[str, Reader] = {
    "parent": lambda table, columns, options: parent.read_parent(table, columns),
    "edges": edges.read_edges,
    "dotted": lambda table, columns, options: dotted.read_dotted(table, columns),
    "level": level.read_level,
    "columns": lambda table, columns, options: name_columns.read_name_columns(table, columns),
    "indented": lambda table, columns, options: indented.read_indented(table, columns),
    "outline": lambda table, columns, options: outline.read_outline(table, columns),
    "flat": lambda table, columns, options: flat.read_flat(table, columns, every_row=True),
}

_NEEDED = {
    "parent": "a column of ids and a column of parents",
    "edges": "a column of parents and a column of children",
    "dotted": "a column of item numbers",
    "level": "a column of levels",
    "columns": "a column of names for every level, side by side",
    "indented": "a column of indented names",
    "outline": "a worksheet with outline levels",
    "flat": "a column that names items",
}

_REMEDY = {
    "parent": '--map id="HEADER" --map parent="HEADER"',
    "edges": '--map parent="HEADER" --map child="HEADER"',
    "dotted": '--map item="HEADER"',
    "level": '--map level="HEADER"',
    "columns": "headers such as Level 1, Level 2",
    "indented": '--map name="HEADER"',
    "outline": "another --layout",
    "flat": '--map id="HEADER"',
}


def read_hierarchy(table: Table, columns: Columns, options: TableOptions) -> Reading:
    """Read the items and their parents in the layout that the user names or that the table has.

    Faults within one layout are findings here; what keeps the parents from being one tree is for
    ``tree_findings``.
    """
    if options.layout:
        if options.layout not in LAYOUTS:
            raise UsageError(f"layout {options.layout} is none of {', '.join(LAYOUTS)}")
        return _forced(table, columns, options)
    present = _present(table, columns)
    if not present:
        return _without(table, columns, options)
    if len(present) == 1:
        reading = _READERS[present[0]](table, columns, options)
        if present[0] == "parent" and not _fits(reading):
            return _as_uses(table, columns, options) or (reading[0], offering_edges(*reading))
        return reading
    return _agreed(table, columns, options, present)


def _is_present(layout: str, table: Table, columns: Columns, *, forced: bool) -> bool:
    """Tell whether a layout may be the table's; ``forced`` asks for its columns only."""
    named = columns.by_quantity
    has_ids = parent.id_column(columns) is not None
    asked: dict[str, Callable[[], bool]] = {
        "parent": lambda: "parent" in named and has_ids and (forced or "child" not in named),
        "edges": lambda: "parent" in named and ("child" in named or (forced and has_ids)),
        "dotted": lambda: dotted.number_column(table, columns, forced=forced) is not None,
        "level": lambda: "level" in named and (forced or level.tells(table, columns)),
        "columns": lambda: bool(name_columns.level_columns(table, columns)),
        "indented": lambda: indented.indented_column(table, columns, forced=forced) is not None,
        "outline": lambda: outline.has_outline(table, columns),
        "flat": lambda: flat.naming_column(columns) is not None,
    }
    return asked[layout]()


def _present(table: Table, columns: Columns) -> list[str]:
    """List the layouts that the table may have; its form is asked only where no column speaks of the tree."""
    said = [name for name in ("parent", "edges", "dotted", "level") if _is_present(name, table, columns, forced=False)]
    if said:
        return said
    return [name for name in ("columns", "indented", "outline") if _is_present(name, table, columns, forced=False)]


def _as_uses(table: Table, columns: Columns, options: TableOptions) -> Reading | None:
    """Read rows with a parent as uses of parts, where that is the only reading; None where it is not.

    A table with a column of ids has items, not uses. Else the uses must make one tree, no use may stand there twice,
    and all rows of a part must hold the same numbers: what is left out of these is a slip.
    """
    if "id" in columns.by_quantity:
        return None
    hierarchy, findings = edges.read_edges(table, columns, options)
    doubtful = any(f.severity is Severity.ERROR or f.rule == "MP319" for f in findings)
    if doubtful or np.count_nonzero(hierarchy.parents == NO_PARENT) != 1:
        return None
    assert hierarchy.edge_rows is not None
    used = hierarchy.edge_rows[hierarchy.edge_rows >= 0]
    child, over = parent.id_column(columns), columns.by_quantity["parent"]
    assert child is not None
    pairs = {(table.text(i, child.index).strip(), table.text(i, over.index).strip()) for i in set(used.tolist())}
    if len(pairs) < len(set(used.tolist())):
        return None
    message = f"each row is read as one use of the part under {child.header} in the one under {over.header}"
    return hierarchy, [*findings, found("MP323", message, table.place(columns.header_row, child.index, child.header))]


def offering_edges(hierarchy: Hierarchy, findings: list[Finding]) -> list[Finding]:
    """Offer the layout of uses where an id stands under several parents."""
    repeated = {f.value for f in findings if f.rule == "MP301"}
    above: dict[str, set[int]] = {}
    for text, over in zip(hierarchy.ids, hierarchy.parents.tolist(), strict=True):
        if text in repeated:
            above.setdefault(text, set()).add(over)
    offer = "; or, where each row is one use of a part, pass --layout edges"
    return [
        replace(f, remedy=f.remedy + offer) if f.rule == "MP301" and len(above.get(f.value, ())) > 1 else f
        for f in findings
    ]


def _forced(table: Table, columns: Columns, options: TableOptions) -> Reading:
    layout = options.layout
    if _is_present(layout, table, columns, forced=True):
        return _READERS[layout](table, columns, options)
    message = f"layout {layout} needs {_NEEDED[layout]}, and the table has columns {_headers(columns)}"
    remedy = f"name them: {_REMEDY[layout]}"
    return nothing(layout, message), [
        found("MP316", message, table.place(columns.header_row), value=layout, remedy=remedy)
    ]


def _headers(columns: Columns) -> str:
    shown = [text for text in columns.header if text]
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12:,} more" if len(shown) > 12 else "")


def _without(table: Table, columns: Columns, options: TableOptions) -> Reading:
    """Read a table that says nothing about a tree: one row, or a list of items; a finding where it is neither."""
    first = columns.first_row
    rows = filled_rows(table, columns, [""] * max(table.n_rows - first, 0))
    if len(rows) == 1 and not _is_counted(table, columns, int(rows[0])):
        parents = np.full(1, -1, np.int32)
        labels, findings = label(table, columns, rows, parents)
        return Hierarchy("single", f"one row; {labels.how}", rows, labels.ids, parents, labels.names), findings
    if not flat.is_list_of_items(columns):
        return nothing(), [_no_items(table, columns, options)]
    doubt = level.unreadable(table, columns) or flat.unlike_a_list(table, columns)
    return (nothing(), [doubt]) if doubt else flat.read_flat(table, columns)


def _is_counted(table: Table, columns: Columns, row: int) -> bool:
    """Tell whether a row is an item of which there are several, or none: it is a list of one, and no whole."""
    counted = columns.by_quantity.get("qty")
    text = "" if counted is None else table.text(row, counted.index).strip()
    return flat.is_list_of_items(columns) and bool(text) and read_number(text) != 1


def _no_items(table: Table, columns: Columns, options: TableOptions) -> Finding:
    """Say that a table is no bill of materials, what was looked for, and which columns it may be made of."""
    message = f"no column names items and another their mass; the columns are {_headers(columns)}"
    remedy = "looked for were headers such as ID, Part Number, Name and Mass, Weight; "
    commands = map_commands(table, columns, options)
    remedy += f"type {commands}" if commands else "no column may be read as these: give another sheet or file"
    return found("MP244", message, table.place(columns.header_row), remedy=remedy)


def _agreed(table: Table, columns: Columns, options: TableOptions, present: list[str]) -> Reading:
    """Read in every layout that may be; the first that fits holds if no other that fits says otherwise."""
    readings = {name: _READERS[name](table, columns, options) for name in present}
    fitting = [name for name, reading in readings.items() if _fits(reading)]
    if present[0] not in fitting and present[0] in ("parent", "edges"):
        # a slip in the column of parents is to be mended, not passed over for another column
        hierarchy, findings = readings[present[0]]
        return hierarchy, offering_edges(hierarchy, findings)
    if not fitting:
        return readings[present[0]]
    first = fitting[0]
    hierarchy, findings = readings[first]
    for other in fitting[1:]:
        rows = _differing(hierarchy, readings[other][0])
        if rows:
            message = (
                f"read as {first} ({hierarchy.how}) and as {other} ({readings[other][0].how}) "
                f"the trees differ in {len(rows):,} rows"
            )
            places = tuple(table.place(row) for row in rows[:100])
            remedy = f"say which holds: --layout {first} or --layout {other}"
            findings = [
                *findings,
                found("MP315", message, places[0], remedy=remedy, count=len(rows), related=places[1:]),
            ]
    return hierarchy, findings


def _fits(reading: Reading) -> bool:
    hierarchy, findings = reading
    return len(hierarchy) > 0 and not any(finding.severity is Severity.ERROR for finding in findings)


def _differing(one: Hierarchy, other: Hierarchy) -> list[int]:
    """List the table rows whose parents stand on different rows."""
    if not np.array_equal(one.rows, other.rows):
        return sorted(set(one.rows.tolist()) ^ set(other.rows.tolist())) or [int(one.rows[0])]
    return [int(row) for row in one.rows[one.parents != other.parents]]
