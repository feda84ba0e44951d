"""Rows of a list: parts under headings, parents, levels, dotted numbers or indents, with sums, margins and limits."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tests.simulator.columns import Cell, Row, Sum, column_names, heading, part_cells, rounded, sum_cells, with_unit
from tests.simulator.mass_list import Item, MassList, walk
from tests.simulator.truth import digits_of

Line = list[Cell]
STAGES = (
    "Bare frame",
    "Frame with drive",
    "Drive and electronics fitted",
    "With equipment",
    "Without battery",
    "Ready to run",
)
COMPLETE = ("Complete {g}", "{g} complete", "{g}, assembled", "All {g}")


def _sum_name(spec: MassList, item: Item) -> str:
    language = spec.language
    if spec.hierarchy == "cumulative" and spec.sum_names == "complete":
        place = spec.items.index(item)
        return "Complete vehicle" if item is spec.items[-1] else STAGES[place % len(STAGES)]
    if spec.sum_names == "complete":
        return spec.choice("complete", COMPLETE).format(g=item.name)
    return {
        "words": spec.choice("sum", language.subtotals).format(g=item.name),
        "bare": spec.choice("sum", language.bare_subtotals),
        "blank": "",
        "group": item.name,
    }[spec.sum_names]


def _grouped(spec: MassList) -> Iterator[Row]:
    """Parts of groups, one after another, each group with its heading or its sum."""
    for item in spec.items:
        headed = spec.hierarchy in ("headings", "statement")
        if headed:
            above = sum_cells(spec, (item,)) if spec.sums == "above" else {}
            yield Row("heading", {"name": item.name, **above})
        for place, part in enumerate(item.children):
            group: Cell = item.name if not place or not spec.group_once else ""
            yield Row("part", {"name": part.name, "group": group, **part_cells(spec, part)})
        if spec.sums == "below":
            of = spec.items[: spec.items.index(item) + 1] if spec.hierarchy == "cumulative" else (item,)
            yield Row("sum", {"name": _sum_name(spec, item), **sum_cells(spec, of)})
        if spec.hierarchy == "statement" and item is spec.items[-2 if len(spec.items) > 1 else -1]:
            done = spec.items[: spec.items.index(item) + 1]
            yield Row("sum", {"name": spec.choice("empty", spec.language.empty), **sum_cells(spec, done)})


def _numbered(items: tuple[Item, ...], above: str = "") -> Iterator[tuple[Item, str, str]]:
    """Items with their dotted number and the number of their parent."""
    for place, item in enumerate(items, 1):
        number = f"{above}.{place}" if above else str(place)
        yield item, number, above
        yield from _numbered(item.children, number)


def _tree(spec: MassList) -> Iterator[Row]:
    """Assemblies and parts with their place in the tree."""
    parents = {child.key: item for item, _ in walk(spec.items) for child in item.children}
    depths = {item.key: depth for item, depth in walk(spec.items)}
    prefix = ("P-", "A", "10", "X.")[spec.pick % 4] if spec.hierarchy == "parents" else ""
    for item, number, _ in _numbered(spec.items):
        depth = depths[item.key]
        level = depth + spec.level_start
        cells: dict[str, Cell] = {
            "name": ("    " if spec.pick % 2 else "  ") * depth + item.name
            if spec.hierarchy == "indented"
            else item.name,
            "level": "." * depth + str(level) if spec.level_dots else level,
            "dotted": number + ("." if spec.trailing_dot else ""),
            "id": f"{prefix}{item.key:03}",
            "parent": f"{prefix}{parents[item.key].key:03}" if item.key in parents else "",
        }
        if item.children:
            cells["quantity"] = item.quantity
            if spec.sums == "above":
                cells |= {"piece": item.piece, "row": item.row}
                if spec.masses == "budget":
                    cells |= sum_cells(spec, (item,))
        else:
            cells |= part_cells(spec, item)
        yield Row("part", cells)


def _closing(spec: MassList) -> Iterator[Row]:
    """The grand total, a margin of the system, and a limit."""
    cells = sum_cells(spec, spec.items, total=True)
    if spec.total:
        if spec.formulas and spec.hierarchy == "none" and isinstance(cells["row"], Decimal):
            cells["row"] = Sum(cells["row"])
        words = spec.language.gross if spec.hierarchy == "statement" else spec.language.totals
        yield Row("total", {"name": spec.choice("total", words), **cells})
    if spec.margin_percent:
        mass = sum((item.row for item in spec.items), Decimal(0))
        margin = rounded(mass * spec.margin_percent / 100, digits_of(spec))
        column = "row" if "row" in column_names(spec) else "piece"
        name = spec.choice("margin", spec.language.margin_rows)
        yield Row("other", {"name": f"{name} {spec.margin_percent} %", column: margin})
        yield Row(
            "other", {"name": spec.choice("with margin", spec.language.totals_with_margin), column: mass + margin}
        )
    if spec.limit:
        mass = sum((item.row for item in spec.items), Decimal(0)) * (1 + Decimal(spec.margin_percent) / 100)
        column = next(name for name in ("row", "basic", "piece") if name in column_names(spec))
        limit = (
            rounded(mass * Decimal("1.3"), 0).quantize(Decimal(10))
            if mass > 40
            else rounded(mass * Decimal("1.3"), 0) + 1
        )
        yield Row("other", {"name": spec.choice("limit", spec.language.limits), column: Decimal(int(limit))})


def _body(spec: MassList) -> list[Row]:
    if spec.hierarchy in ("none",):
        rows = [Row("part", {"name": item.name, **part_cells(spec, item)}) for item in spec.items]
    elif spec.hierarchy in ("group column", "headings", "sums", "cumulative", "statement"):
        rows = list(_grouped(spec))
    else:
        rows = list(_tree(spec))
    if spec.shuffled and spec.hierarchy == "parents":
        rows = rows[spec.pick % len(rows) :] + rows[: spec.pick % len(rows)]
    if spec.running_numbers:
        for number, row in enumerate((row for row in rows if row.role == "part"), 1):
            row.cells["number"] = number
    return [*rows, *_closing(spec)]


def lines(spec: MassList) -> tuple[list[Line], list[Line], list[Line]]:
    """The titles above a list, its lines from the header on, and the notes below it."""
    columns = column_names(spec)
    header: Line = [heading(spec, column) for column in columns]
    table: list[Line] = [header]
    if spec.unit_at == "units row":
        table.append([_unit_cell(spec, column) for column in columns])
    rows = _body(spec)
    for number, row in enumerate(rows, 1):
        if row.role in ("total", "sum") and spec.total_at == "next to the mass":
            _move_label(row, columns)
        table.append([row.cells.get(column, "") for column in columns])
        if spec.blank_rows and number % spec.blank_rows == 0 and number < len(rows):
            table.append([""] * len(columns))
        if spec.pages and number % spec.pages == 0 and number < len(rows):
            page = number // spec.pages + 1
            table.append([f"{_title(spec, 0)} - page {page}", *[""] * (len(columns) - 1)])
            table.append(list(header))
    width = len(columns) - 1
    above: list[Line] = [[_title(spec, index), *[""] * width] for index in range(spec.titles)]
    if spec.unit_at == "title":
        above.append([f"All masses in {spec.unit}", *[""] * width])
    notes: list[Line] = [
        [spec.language.notes[index % len(spec.language.notes)], *[""] * width] for index in range(spec.notes)
    ]
    if any(part.style in ("footnote", "dagger") for part in spec.parts):
        notes.append(["* estimated", *[""] * width])
    return above, table, notes


def _title(spec: MassList, index: int) -> str:
    return (spec.choice("title", spec.language.titles), "Rev. C, 2024-03-12", "Project Condor")[index % 3]


def _move_label(row: Row, columns: list[str]) -> None:
    """Put the name of a total into the column directly before its mass, where that is blank."""
    masses = [
        index for index, column in enumerate(columns) if column in ("piece", "row", "basic") and row.cells.get(column)
    ]
    if masses and masses[0] > columns.index("name") + 1 and not row.cells.get(columns[masses[0] - 1]):
        row.cells[columns[masses[0] - 1]] = row.cells.pop("name")


def _unit_cell(spec: MassList, column: str) -> str:
    if column in ("piece", "row", "basic", "growth", "predicted", "allocation", "margin", "second"):
        return f"[{spec.unit}]"
    if column in ("share", "margin share"):
        return "[%]"
    return "[-]" if column == "quantity" else ""


__all__ = ["Line", "lines", "with_unit"]
