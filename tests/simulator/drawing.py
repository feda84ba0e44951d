"""Drawing of lists: one function for each kind, from a seed."""

# ruff: noqa: E501 (one line for each kind of list keeps the table readable)

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from tests.simulator.columns import column_names, has_unit_of_its_own
from tests.simulator.headings import BUDGETS, SETS
from tests.simulator.languages import LANGUAGES
from tests.simulator.mass_list import Item, MassList
from tests.simulator.parts import assemble, draw_mass, draw_parts, share_out
from tests.simulator.truth import dispute

UNITS = ("kg", "kg", "kg", "g", "g", "lb", "oz", "t")
OTHERS = ("power", "cost", "length", "date", "drawing", "trl", "lead", "revision", "material", "remark", "voltage")
HEADED_BUDGETS = {language: [i for i, b in enumerate(BUDGETS) if b.language == language] for language in LANGUAGES}


def _base(draw: random.Random, kind: str, seed: int, masses: str, count: int = 0, **fields: Any) -> MassList:
    """A list of parts with headings, a unit, a format and some decorations."""
    candidates = [
        i
        for i, words in enumerate(SETS)
        if (masses != "row" or words.row_is_stated)
        and ("unit_at" not in fields or not has_unit_of_its_own(_bare(i, masses)))
        and (masses != "budget" or HEADED_BUDGETS[words.language])
    ]
    headings = draw.choice(candidates)
    language = SETS[headings].language
    unit = fields.pop("unit", "") or draw.choice(UNITS)
    digits = draw.choice({"kg": (1, 2, 2, 3, 4), "g": (0, 0, 1, 2), "lb": (1, 2, 2), "oz": (1, 2), "t": (3, 4)}[unit])
    parts = draw_parts(draw, count or draw.randint(4, 18), language, unit, digits)
    file_format = draw.choice(("csv", "csv", "csv", "csv", "tsv", "xlsx", "xlsx", "ods", "md"))
    delimiter = draw.choice((",", ",", ";", ";", "|")) if file_format == "csv" else ","
    european = language in ("de", "fr", "es", "it", "pt")
    mark = "," if european and (file_format == "md" or delimiter in ";|") and draw.random() < 0.7 else "."
    if european and mark == "," and file_format == "xlsx":
        mark = "."
    options: dict[str, Any] = {
        "total": draw.random() < 0.5,
        "titles": draw.choice((0, 0, 0, 1, 2)),
        "notes": draw.choice((0, 0, 0, 1)),
        "blank_column": draw.random() < 0.06,
        "others": tuple(draw.sample(OTHERS, draw.choice((0, 0, 0, 1, 2)))),
        "running_numbers": draw.random() < 0.12,
        "total_at": "next to the mass" if draw.random() < 0.15 else "name",
        "block_quote": draw.random() < 0.3,
        "budget": draw.choice(HEADED_BUDGETS[language]) if masses == "budget" else 0,
    }
    options |= fields
    return MassList(
        kind, seed, parts, headings, draw.randint(0, 10**6), masses, unit,
        file_format=file_format, delimiter=delimiter, decimal_mark=mark, **options,
    )  # fmt: skip


def _bare(headings: int, masses: str) -> MassList:
    return MassList("", 0, (), headings, 0, masses)


def _flat_piece(draw: random.Random, kind: str, seed: int) -> MassList:
    return _base(draw, kind, seed, draw.choice(("piece", "word piece")))


def _flat_row(draw: random.Random, kind: str, seed: int) -> MassList:
    masses = draw.choice(("row", "row", "word row"))
    return _base(draw, kind, seed, masses, **({"total": True} if masses == "word row" else {}))


def _flat_both(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(draw, kind, seed, draw.choice(("both", "both", "both", "row first")))
    if spec.file_format == "xlsx":
        return replace(spec, formulas=draw.random() < 0.7, blank_rows=0)
    return spec


def _no_quantity(draw: random.Random, kind: str, seed: int) -> MassList:
    return _single(_base(draw, kind, seed, "word piece", quantities=False))


def _single(spec: MassList) -> MassList:
    """One piece of each part."""

    def once(item: Item) -> Item:
        return replace(item, quantity=1, children=tuple(once(child) for child in item.children))

    return replace(spec, items=tuple(once(item) for item in spec.items))


def _budget(draw: random.Random, kind: str, seed: int) -> MassList:
    quantities = draw.random() < 0.4
    columns = draw.choice(
        (
            ("share",),
            ("share", "predicted"),
            ("share", "growth", "predicted"),
            ("growth",),
            ("growth", "predicted"),
            ("predicted",),
        )
    )
    extra = draw.choice(
        ((), (), (), ("allocation",), ("allocation", "margin"), ("allocation", "margin", "margin share"))
    )
    spec = _base(
        draw, kind, seed, "budget", quantities=quantities, budget_columns=columns + extra, share_sign=draw.random() < 0.2,
        total_cells=draw.choice(("all", "all", "row")), total=draw.random() < 0.7, limit=draw.random() < 0.1,
    )  # fmt: skip
    spec = spec if quantities else _single(spec)
    hierarchy = draw.choice(("none", "none", "none", "group column", "headings"))
    if hierarchy != "none":
        spec = _grouped(draw, spec, hierarchy)
    return spec


def _grouped(draw: random.Random, spec: MassList, hierarchy: str, smallest: int = 1) -> MassList:
    items = share_out(draw, spec.items, spec.words.language, smallest)
    return replace(spec, items=items, hierarchy=hierarchy)


def _group_column(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(draw, kind, seed, draw.choice(("piece", "both", "row")), group_once=draw.random() < 0.5)
    spec = replace(spec, sums=draw.choice(("none", "none", "below")))
    return _grouped(draw, spec, "group column")


def _headings(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(
        draw, kind, seed, draw.choice(("word piece", "both", "both", "row")), sums=draw.choice(("none", "below", "below", "above")),
        sum_names=draw.choice(("words", "words", "bare", "blank", "group")), quantities=draw.random() < 0.7,
    )  # fmt: skip
    return _grouped(draw, _no_quantities(spec), "headings")


def _no_quantities(spec: MassList) -> MassList:
    """A list without quantities has one mass column of pieces, which are single."""
    return spec if spec.quantities else _single(replace(spec, masses="word piece"))


def _nested_sums(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(
        draw, kind, seed, draw.choice(("word piece", "row", "both")), sums="below", total=draw.random() < 0.8,
        sum_names=draw.choice(("words", "bare", "blank", "group", "complete")), quantities=draw.random() < 0.5, count=draw.randint(5, 14),
    )  # fmt: skip
    if spec.words.language != "en" and spec.sum_names == "complete":
        spec = replace(spec, sum_names="group")
    if draw.random() < 0.25:  # each sum is of all parts above, the last one is the total
        spec = replace(spec, total=False, sum_names="complete" if spec.words.language == "en" else "blank")
        return _grouped(draw, _no_quantities(spec), "cumulative", 2)
    return _grouped(draw, _no_quantities(spec), "sums", 2)


def _statement(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(
        draw, kind, seed, "word piece", quantities=False, total=True, sums="below", unit=draw.choice(("kg", "lb")),
        sum_names=draw.choice(("words", "words", "bare")), limit=draw.random() < 0.2,
    )  # fmt: skip
    spec = _grouped(draw, _single(spec), "statement")
    useful = list(spec.language.useful)
    digits = -int(spec.parts[0].mass.as_tuple().exponent)
    last = tuple(
        Item(300 + i, name, draw_mass(draw, spec.unit, max(digits, 0)), spec.unit)
        for i, name in enumerate(draw.sample(useful, 3))
    )
    heading = {"en": "Useful load", "de": "Zuladung", "fr": "Charge utile"}.get(spec.words.language, "Useful load")
    items = tuple(item for item in spec.items if item.name != heading)
    return replace(spec, items=(*items, Item(600, heading, children=last)))


def _hierarchy(name: str) -> Callable[[random.Random, str, int], MassList]:
    def drawn(draw: random.Random, kind: str, seed: int) -> MassList:
        masses = draw.choice(("piece", "word piece", "word piece", "both"))
        spec = _base(
            draw, kind, seed, masses, count=draw.randint(6, 22), hierarchy=name, sums=draw.choice(("none", "none", "above")),
            total=draw.random() < 0.15, quantities=masses == "both" or draw.random() < 0.7, shuffled=draw.random() < 0.3,
            level_start=draw.choice((0, 1)), level_dots=draw.random() < 0.2, trailing_dot=draw.random() < 0.2, running_numbers=False,
        )  # fmt: skip
        if name == "indented" and spec.file_format == "md":
            spec = replace(spec, file_format="csv", delimiter=",", decimal_mark=".")
        spec = _no_quantities(spec)
        return replace(
            spec, items=assemble(draw, spec.items, spec.words.language, masses == "both" or not spec.quantities)
        )

    return drawn


def _mixed_units(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(draw, kind, seed, "word piece", unit_at="column", unit="kg", quantities=draw.random() < 0.6)
    spec = _no_quantities(spec)
    units = draw.choice((("kg", "g"), ("kg", "g"), ("lb", "oz"), ("t", "kg"), ("kg", "lb"), ("g", "oz")))
    digits = draw.choice((0, 1, 2))
    items = []
    for place, part in enumerate(spec.items):
        unit = units[place] if place < 2 else draw.choice(units)
        items.append(replace(part, unit=unit, mass=draw_mass(draw, unit, max(digits, 2 if unit in ("kg", "t") else 0))))
    return replace(spec, items=tuple(items), total=False)


def _other_columns(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(draw, kind, seed, draw.choice(("piece", "word piece", "row", "both")), quantities=draw.random() < 0.7)
    spec = replace(spec, others=tuple(draw.sample(OTHERS, draw.randint(3, 6))), running_numbers=draw.random() < 0.5)
    return _no_quantities(spec)


def _messy(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(draw, kind, seed, "word piece", quantities=draw.random() < 0.4)
    styles = draw.choice(
        (
            ("footnote",),
            ("about", "tilde"),
            ("estimate", "bracket"),
            ("circa",),
            ("unit",),
            ("dagger", "spaces"),
            ("product",),
        )
    )
    if "product" in styles:
        spec = replace(spec, quantities=False)
    items = tuple(
        replace(part, style=draw.choice(styles) if draw.random() < 0.3 else "plain")
        for part in _no_quantities(spec).items
    )
    return _no_quantities(replace(spec, items=items))


def _centers(draw: random.Random, kind: str, seed: int) -> MassList:
    length = draw.choice(("mm", "mm", "m", "in"))
    one = draw.random() < 0.3
    spec = _base(draw, kind, seed, draw.choice(("word piece", "both")), quantities=draw.random() < 0.4, length=length)
    spec = _no_quantities(spec)
    axes = (0,) if one else (0, 1, 2)
    digits = Decimal("0.001") if length == "m" else Decimal("0.1")
    scale = {"mm": 2000.0, "m": 2.0, "in": 90.0}[length]
    items = tuple(
        replace(
            part,
            place=tuple(Decimal(draw.uniform(-scale / 4 if axis else 0, scale)).quantize(digits) for axis in range(3)),
        )
        for part in spec.items
    )
    mark = "." if length == "m" else spec.decimal_mark
    return replace(
        spec,
        items=items,
        axes=axes,
        one_axis=one,
        others=tuple(o for o in spec.others if o != "length"),
        decimal_mark=mark,
    )


def _presentation(draw: random.Random, kind: str, seed: int) -> MassList:
    spec = _base(draw, kind, seed, draw.choice(("piece", "word piece", "both", "row")), total=draw.random() < 0.6)
    return replace(
        spec, titles=draw.randint(0, 3), notes=draw.randint(0, 2), blank_rows=draw.choice((0, 0, 3, 5)), pages=draw.choice((0, 4, 6)),
        blank_column=draw.random() < 0.3,
    )  # fmt: skip


def _units_elsewhere(draw: random.Random, kind: str, seed: int) -> MassList:
    where = draw.choice(("cells", "title", "units row"))
    return _base(draw, kind, seed, draw.choice(("piece", "word piece", "both", "row")), unit_at=where)


def _margin_rows(draw: random.Random, kind: str, seed: int) -> MassList:
    margin = draw.choice((0, 5, 10, 20))
    spec = _base(
        draw, kind, seed, draw.choice(("word piece", "row", "both")), total=True, margin_percent=margin, limit=not margin or draw.random() < 0.5,
        quantities=draw.random() < 0.4,
    )  # fmt: skip
    return replace(_no_quantities(spec), total_at="name")


def _ambiguous(draw: random.Random, kind: str, seed: int) -> MassList:
    ambiguity = draw.choice(
        ("two masses", "two quantities", "nameless quantity", "range", "missing", "times", "thousands")
    )
    spec = _base(
        draw,
        kind,
        seed,
        "word piece",
        total=False,
        ambiguity=ambiguity,
        others=(),
        running_numbers=False,
        blank_column=False,
    )
    if ambiguity in ("range", "missing", "times", "thousands"):
        spec = _single(replace(spec, quantities=False))
    if ambiguity == "two masses":
        spec = _single(replace(spec, quantities=False, headings=draw.choice((0, 2, 3, 6, 7, 8, 16, 43, 60, 66))))
    if ambiguity in ("range", "missing", "times"):
        items = list(spec.items)
        style = {"range": "range", "missing": "missing", "times": "times"}[ambiguity]
        for place in draw.sample(range(len(items)), min(2, len(items) - 2)):
            items[place] = replace(items[place], style=style)
        spec = replace(spec, items=tuple(items), unit="g" if ambiguity == "times" else spec.unit)
        if ambiguity == "times":
            spec = replace(spec, items=tuple(replace(item, unit="g") for item in items))
    if ambiguity == "thousands":  # in other languages the comma is the decimal mark
        english = [i for i, words in enumerate(SETS) if words.language in ("en", "zh", "ja", "ko")]
        spec = replace(spec, headings=english[spec.pick % len(english)])
        items = [replace(part, mass=Decimal(draw.randint(1000, 98999)).scaleb(-3)) for part in spec.items]
        spec = replace(spec, items=tuple(items), decimal_mark=",", file_format="csv", delimiter=";")
    return spec


KINDS: dict[str, Callable[[random.Random, str, int], MassList]] = {
    "flat, mass of a piece": _flat_piece,
    "flat, mass of the row": _flat_row,
    "flat, piece and row": _flat_both,
    "flat, no quantities": _no_quantity,
    "budget with growth": _budget,
    "group column": _group_column,
    "group headings": _headings,
    "nested sums": _nested_sums,
    "weight statement": _statement,
    "parents": _hierarchy("parents"),
    "levels": _hierarchy("levels"),
    "dotted numbers": _hierarchy("dotted"),
    "indented names": _hierarchy("indented"),
    "mixed units": _mixed_units,
    "units elsewhere": _units_elsewhere,
    "other columns": _other_columns,
    "messy cells": _messy,
    "centres": _centers,
    "presentation": _presentation,
    "margins and limits": _margin_rows,
    "ambiguous": _ambiguous,
}


def draw_list(kind: str, seed: int) -> MassList:
    """A list of a kind whose truth is beyond dispute."""
    draw = random.Random(f"{kind}-{seed}")
    while True:
        spec = KINDS[kind](draw, kind, seed)
        if not objection(spec):
            return spec


def objection(spec: MassList) -> str:
    """Why a list is not drawn: its truth is disputable, or its format cannot hold it."""
    names = [column for column in column_names(spec) if column != "blank"]
    if spec.decimal_mark == "," and spec.file_format in ("xlsx", "ods"):
        return "a workbook has numbers, not texts with a comma"
    if spec.unit_at != "column" and {part.unit for part in spec.parts} != {spec.unit}:
        return "units of parts differ from that of the list"
    if len(spec.parts) < 2:
        return "one part"
    if spec.unit_at == "column" and len({part.unit for part in spec.parts}) < 2:
        return "units are not mixed"
    if len(names) != len(set(names)):
        return "a column twice"
    return dispute(spec)
