"""Columns of a list: their order, their headings, and the cell of each in the row of a part or of a sum."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from tests.simulator.headings import AXES, ONE_AXIS, UNIT_COLUMNS
from tests.simulator.languages import OTHER_COLUMNS
from tests.simulator.mass_list import KILOGRAMS, Item, MassList
from tests.simulator.truth import digits_of, growth_digits, range_end, second_mass, second_quantity

MASS_COLUMNS = ("piece", "row", "basic", "growth", "predicted", "allocation", "margin", "second")


@dataclass(frozen=True)
class Product:
    """A mass that the workbook computes as quantity × mass of a piece."""

    value: Decimal


@dataclass(frozen=True)
class Sum:
    """A mass that the workbook computes as the sum of all rows above."""

    value: Decimal


Cell = str | int | Decimal | Product | Sum
Cells = dict[str, Cell]


@dataclass
class Row:
    """A row: its role, its cells by column, and the number of the part for columns that are no masses."""

    role: str  # part, heading, sum, total, other, blank, page
    cells: Cells = field(default_factory=dict)


def column_names(spec: MassList) -> list[str]:
    """The columns of a list, from left to right."""
    columns = ["number"] if spec.running_numbers else []
    columns += {"parents": ["id"], "levels": ["level"], "dotted": ["dotted"], "group column": ["group"]}.get(
        spec.hierarchy, []
    )
    columns.append("name")
    if spec.hierarchy == "parents":
        columns.insert(columns.index("name") + spec.pick % 2, "parent")
    others = list(spec.others)
    columns += others[: len(others) // 2]
    if spec.quantities:
        columns.append("quantity")
    if spec.ambiguity == "two quantities":
        columns.append("second quantity")
    columns += {
        "piece": ["piece"],
        "word piece": ["piece"],
        "row": ["row"],
        "word row": ["row"],
        "both": ["piece", "row"],
        "row first": ["row", "piece"],
        "budget": ["piece", "basic"] if spec.quantities else ["basic"],
    }[spec.masses]
    if spec.ambiguity == "two masses":
        columns.append("second")
    if spec.unit_at == "column":
        columns.append("unit")
    if spec.masses == "budget":
        columns += [
            name
            for name in ("share", "growth", "predicted", "allocation", "margin", "margin share")
            if name in spec.budget_columns
        ]
    columns += [f"axis {axis}" for axis in spec.axes]
    columns += others[len(others) // 2 :]
    if spec.blank_column:
        columns.insert(spec.pick % 2, "blank")
    return columns


def heading(spec: MassList, column: str) -> str:
    """The heading of a column."""
    words, language = spec.words, spec.language
    if column in OTHER_COLUMNS:
        return OTHER_COLUMNS[column][words.language]
    if column.startswith("axis"):
        if spec.one_axis:
            return spec.choice("axis", ONE_AXIS).format(l=spec.length)
        return AXES[spec.pick % len(AXES)][int(column[-1])].format(l=spec.length)
    text = {
        "blank": "",
        "number": spec.choice("number", language.numbers),
        "id": spec.choice("id", language.ids),
        "parent": spec.choice("parent", language.parents),
        "level": spec.choice("level", language.levels),
        "dotted": spec.choice("dotted", language.dotted),
        "group": spec.choice("group", language.group_heading),
        "unit": spec.choice("unit", tuple(unit for unit in UNIT_COLUMNS[words.language] if unit != words.quantity)),
        "name": words.name,
        "quantity": words.quantity,
        "second quantity": words.quantity + " B",
        "piece": words.mass if spec.masses == "word piece" else words.piece,
        "row": words.mass if spec.masses == "word row" else words.row,
        "second": words.mass.replace("({u})", "B ({u})").replace("[{u}]", "B [{u}]"),
        "basic": spec.budget_words.basic,
        "share": spec.budget_words.share,
        "growth": spec.budget_words.growth,
        "predicted": spec.budget_words.predicted,
        "allocation": spec.budget_words.allocation,
        "margin": spec.budget_words.margin,
        "margin share": spec.budget_words.margin_share,
    }[column]
    if spec.ambiguity == "nameless quantity" and column == "quantity":
        text = ""
    if spec.ambiguity == "two quantities" and column == "quantity":
        text += " A"
    if spec.ambiguity == "two masses" and column == "piece":
        text = words.mass.replace("({u})", "A ({u})").replace("[{u}]", "A [{u}]")
    return with_unit(text, spec)


def with_unit(text: str, spec: MassList) -> str:
    """A heading with the unit of the list, or without its brackets where the unit is elsewhere."""
    if spec.unit_at in ("heading",):
        return text.format(u=spec.unit, U=spec.unit.upper())
    for bracket in (" ({u})", " [{u}]", "({u})", "[{u}]", ", {u}", " in {u}", "/{u}", " {u}", "_{u}", "{u} ", "({U})"):
        if bracket in text:
            return text.replace(bracket, "").strip()
    return text.format(u=spec.unit, U=spec.unit.upper())


def has_unit_of_its_own(spec: MassList) -> bool:
    """Whether a heading consists of its unit, so that the unit cannot be elsewhere."""
    shown = {"piece": spec.words.mass if spec.masses == "word piece" else spec.words.piece, "row": spec.words.row}
    return any(len(with_unit(text, spec)) < 2 or "{u}" in text[:4] for text in (*shown.values(), spec.words.mass))


def rounded(value: Decimal, digits: int) -> Decimal:
    """A value with a number of digits after the mark."""
    return value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


def allocation_of(item: Item, digits: int) -> Decimal:
    """The mass that is allocated to a row: some more than predicted."""
    predicted = item.piece_predicted * item.quantity
    return rounded(
        predicted * Decimal(random.Random(item.key).choice(("1.05", "1.1", "1.2", "1.25"))), max(digits - 1, 0)
    )


def budget_cells(spec: MassList, items: tuple[Item, ...]) -> Cells:
    """The cells of a budget for one part, or for the sum of several."""
    digits = growth_digits(spec)
    basic = sum((item.row for item in items), Decimal(0))
    predicted = sum((item.piece_predicted * item.quantity for item in items), Decimal(0))
    allocation = sum((allocation_of(part, digits) for item in items for part in item.parts), Decimal(0))
    return {
        "basic": rounded(basic, digits_of(spec)),
        "growth": rounded(predicted - basic, digits),
        "predicted": rounded(predicted, digits),
        "allocation": allocation,
        "margin": rounded(allocation - predicted, digits),
    }


def part_cells(spec: MassList, item: Item) -> Cells:
    """Masses, quantity and other quantities of a part."""
    cells: Cells = {"quantity": item.quantity, "unit": item.unit, "piece": item.mass, "row": item.row}
    if spec.formulas:
        cells["row"] = Product(item.row)
    if spec.ambiguity == "two quantities":
        cells["second quantity"] = second_quantity(item)
    cells["second"] = second_mass(item)
    if spec.masses == "budget":
        cells |= budget_cells(spec, (item,))
        cells["share"] = f"{item.growth} %" if spec.share_sign else item.growth
        predicted, allocation = item.piece_predicted * item.quantity, cells["allocation"]
        assert isinstance(allocation, Decimal)
        cells["margin share"] = rounded((allocation - predicted) / predicted * 100, 1) if predicted else ""
    for axis in spec.axes:
        cells[f"axis {axis}"] = item.place[axis]
    for column in spec.others:
        cells[column] = other_cell(spec, column, item)
    for column in ("piece", "row", "basic"):
        cells[column] = styled(spec, item, cells.get(column, ""))
    return cells


def sum_cells(spec: MassList, items: tuple[Item, ...], total: bool = False) -> Cells:
    """Masses of a row that states the sum of items; the column of pieces has a sum only where it is the only one."""
    mass = sum((item.row for item in items), Decimal(0))
    if spec.unit_at == "column":
        kilograms = sum(
            (part.mass * count * KILOGRAMS[part.unit] for item in items for part, count in _counted(item)), Decimal(0)
        )
        return {"piece": kilograms.normalize(), "row": kilograms.normalize(), "unit": "kg"}
    cells: Cells = {"row": mass}
    if "row" not in column_names(spec):
        cells["piece"] = mass
    if spec.masses == "budget":
        cells |= budget_cells(spec, items)
        if spec.quantities:
            del cells["piece"]
        if total and spec.total_cells == "row":
            cells = {name: cells[name] for name in ("basic", "predicted")}
    if spec.unit_at == "cells":
        for name in MASS_COLUMNS:
            if name in cells:
                cells[name] = f"{cells[name]} {spec.unit}"
    return cells


def _counted(item: Item, factor: int = 1) -> list[tuple[Item, int]]:
    count = factor * item.quantity
    return [pair for child in item.children for pair in _counted(child, count)] if item.children else [(item, count)]


def styled(spec: MassList, item: Item, value: Cell) -> Cell:
    """A mass as a hurried author writes it."""
    if not isinstance(value, Decimal):
        return value
    mark = str(value).replace(".", spec.decimal_mark)
    style = item.style
    if spec.unit_at == "cells" and style == "plain":
        return f"{mark} {spec.unit}" if spec.pick % 3 else f"{mark}{spec.unit}"
    texts = {
        "footnote": f"{mark}*",
        "dagger": f"{mark} †",
        "about": f"≈{mark}",
        "tilde": f"~{mark}",
        "estimate": f"~{mark} (est.)",
        "circa": f"ca. {mark}",
        "bracket": f"{mark} (est.)",
        "unit": f"{mark} {spec.unit}",
        "spaces": f" {mark} ",
        "missing": ("TBD", "tbd", "?", "TBC")[item.key % 4],
        "times": f"{mark}{spec.unit} (×4)",
    }
    if style == "product":
        part = value / 4
        return f"4 × {part}".replace(".", spec.decimal_mark) + f" = {mark}"
    if style == "range":
        return f"{mark}–{str(range_end(item)).replace('.', spec.decimal_mark)}"
    return texts.get(style, value)


def other_cell(spec: MassList, column: str, item: Item) -> Cell:  # noqa: PLR0911 one return for each kind
    """A cell of a column that is no mass."""
    draw = random.Random(f"{spec.pick}-{column}-{item.key}")
    if column == "power":
        return draw.choice((0, 5, 10, 12, 25, 40, 60, 120))
    if column == "cost":
        return Decimal(draw.randint(100, 99999)) / 100 if spec.pick % 2 else draw.randint(2, 900)
    if column in ("length", "lead"):
        return draw.randint(2, 48) if column == "lead" else draw.randint(20, 900)
    if column == "trl":
        return draw.randint(3, 9)
    if column == "voltage":
        return draw.choice((5, 12, 28, 48))
    if column == "date":
        return f"{draw.randint(2021, 2025)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    if column == "drawing":
        return draw.randint(100200, 998800) if spec.pick % 2 else f"DWG-{draw.randint(100, 999)}-{draw.randint(1, 9)}"
    if column == "revision":
        return draw.choice(("A", "B", "C")) if spec.pick % 2 else draw.randint(1, 4)
    if column == "material":
        return draw.choice(("Al 6061", "CFRP", "Steel", "Ti-6Al-4V", ""))
    return draw.choice(("", "", "supplier data", "new design", "CAD"))
