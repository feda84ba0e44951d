"""Whose unit a column called ``Unit`` holds: that of the masses beside it, of coordinates, or of the quantities.

Where it stands and what its cells hold decide: units of mass at the right of the masses are theirs, and so they are in
a table without quantities. A quantity of 3 kg has a mass of 1 per kg, so that units of mass beside other masses are
the masses' own. Where both readings remain the table is refused.

Columns called ``X``, ``Y``, ``Z`` beside a mass: the centre, where nothing else in the table is.

Alone each of them may be anything; the three together, with a length unit or none, beside a mass, are where it is.

Columns that name the items where no column is called so: the groups of a weight statement, the units of a budget.

A column of parents in all but name: every cell of it names the item of another row.

Columns that name other items may mean much else: what a part is mounted on, or replaces. One is taken for the parent
only where nothing else is possible: what it names has no mass of its own, so that no list of items can be meant.

Columns that stand in for a mass or a quantity: totals where no other is, and instances where lengths are counted.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, MutableMapping, Sequence
from functools import lru_cache
from math import isclose, isnan

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, found
from massprops_cli.tables.headings import NAMING, SYNONYM, Heading, group_words, is_station, read_heading, squeeze
from massprops_cli.tables.number_text import BLANKS, counts_pieces, is_number, read_number
from massprops_cli.tables.numbers import is_filled, settle
from massprops_cli.tables.quantities import CENTER_COLUMNS, PRODUCTS, UNIT_COLUMNS, dimension_of
from massprops_cli.tables.unit_text import (
    FORCE,
    KILOGRAM,
    LENGTH,
    MASS,
    MASSES,
    STANDARD_GRAVITY,
    read_unit,
    several_sizes,
    unit_for,
)
from massprops_cli.tables.words import words

LOOKED_AT = 200
"""So many rows are searched for the first coordinates."""
_UNIT = re.compile(r"(?P<name>.*?)\s*[\[({](?P<unit>[^\[\](){}]*)[\])}]|(?P<bare>.*?)[\s_,/]+(?P<after>\S+)")
AXIS = "axis"
"""The kind of header that is an axis alone: ``X``, ``Y``, ``Z``."""
NAMES_TOGETHER = (("FS", "BL", "WL"), ("X", "Y", "Z"))
"""What three coordinates are called together."""


def place_coordinates(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Take three columns called by their axes for the centre, and say so; ``chosen`` has the columns of ``--map``.

    Where they look like a centre and one lacks, or their cells are no numbers, that is said and nothing is taken.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    axes = axes_of(table, row, headings) or stations_of(table, row, headings)
    if not axes or not known & {"mass", "line_mass"} or known & set(CENTER_COLUMNS):
        return dict(headings), []
    names = ", ".join(table.text(row, j).strip() for j in axes)
    place = table.place(row, min(axes), table.text(row, min(axes)).strip())
    whole = sorted(heading.quantity for heading in axes.values()) == list(CENTER_COLUMNS)
    if whole and all(holds_numbers(table, row, j) for j in axes):
        message = (
            f"{names} {'are' if len(axes) > 1 else 'is'} taken for the centre of mass, {', '.join(CENTER_COLUMNS)}"
        )
        return {**headings, **axes}, [found("MP246", message, place, count=len(axes))]
    if len(axes) == 1 and not any(heading.unit for heading in axes.values()):
        return dict(headings), []  # a lone X is anything
    if whole:
        maps = " ".join(f'--map {axis}="{table.text(row, j).strip()}"' for j, axis in map_of(axes).items())
        what, remedy = (
            f"{names} look like coordinates, whose cells are not all numbers",
            f"say what they are with {maps}",
        )
    else:
        what, remedy = _incomplete(table, row, axes, names)
    return dict(headings), [found("MP247", f"{what}, and are not read", place, remedy=remedy)]


def _incomplete(table: Table, row: int, axes: Mapping[int, Heading], names: str) -> tuple[str, str]:
    """Report which of three coordinates has no column, or several, and what to do."""
    given = [heading.quantity for heading in axes.values()]
    twice = [axis for axis in CENTER_COLUMNS if given.count(axis) > 1]
    if twice:
        return (
            f"{names} look like coordinates, several of one axis ({', '.join(twice)})",
            "rename all but one of an axis",
        )
    first = squeeze(re.split(r"[\s\[({_,/]", table.text(row, min(axes)).strip())[0])
    together = next((names for names in NAMES_TOGETHER if first.upper() in names), CENTER_COLUMNS)
    usual = dict(zip(CENTER_COLUMNS, together, strict=True))
    missing = [usual[axis] for axis in CENTER_COLUMNS if axis not in given]
    unit = next((f" [{heading.unit}]" for heading in axes.values() if heading.unit), "")
    columns = " and ".join(f"{name}{unit}" for name in missing)
    verb = "look" if len(axes) > 1 else "looks"
    return (
        f"{names} {verb} like coordinates, {' and '.join(missing)} lacking",
        f"add {columns}, 0 where it is on the axis",
    )


def map_of(axes: Mapping[int, Heading]) -> dict[int, str]:
    """Give each column's coordinate."""
    return {j: heading.quantity for j, heading in axes.items()}


def axes_of(table: Table, row: int, headings: Mapping[int, Heading]) -> dict[int, Heading]:
    """Find the columns that are called by an axis and a unit of length, or none, in the header and below it.

    Headers of one kind go together (``Xg``, ``Yg``, ``Zg``); a kind with all three axes comes first.
    """
    kinds: dict[str, dict[int, Heading]] = {}
    for j, heading in headings.items():
        kind, axis, unit = axis_name(table.text(row, j).strip())
        if heading.quantity or not kind:
            continue
        below = table.text(row + 1, j).strip() if row + 1 < table.n_rows else ""
        in_row = "" if is_number(below) or not is_filled(below) else below
        if all(unit_for(text, LENGTH, common_only=True) is not None for text in (unit, in_row) if text):
            kinds.setdefault(kind, {})[j] = Heading(axis, unit, SYNONYM)
    whole = [axes for axes in kinds.values() if sorted(map_of(axes).values()) == list(CENTER_COLUMNS)]
    if whole:
        return whole[0]
    return max((axes for kind, axes in kinds.items() if kind == AXIS or len(axes) > 1), key=len, default={})


def axis_name(text: str) -> tuple[str, str, str]:
    """Read a header of one coordinate: its kind, the coordinate, the unit; three times nothing where it is none.

    >>> axis_name("Xg (mm)"), axis_name("z / in"), axis_name("EL (m)"), axis_name("Length X")
    (('g', 'Cx', 'mm'), ('axis', 'Cz', 'in'), ('easting', 'Cz', 'm'), ('', '', ''))
    """
    match = _UNIT.fullmatch(text)
    named = [(text, "")]
    if match is not None:
        name, unit = (match["name"], match["unit"]) if match["unit"] is not None else (match["bare"], match["after"])
        named.append((name, unit.strip()))
    for name, unit in named:
        kind, axis = axis_names().get(squeeze(name), ("", ""))
        if kind:
            return kind, axis, unit
    return "", "", ""


@lru_cache(maxsize=1)
def axis_names() -> dict[str, tuple[str, str]]:
    """Load the headers of coordinates that are read three together: squeezed text → kind and coordinate."""
    names = {axis: (AXIS, coordinate) for axis, coordinate in zip("xyz", CENTER_COLUMNS, strict=True)}
    for entry in words("axes")["mark"].values():
        for mark in map(squeeze, entry["texts"]):
            for axis, coordinate in zip("xyz", CENTER_COLUMNS, strict=True):
                names.setdefault(f"{axis}{mark}", (mark, coordinate))
                if len(mark) > 1:
                    names.setdefault(f"{mark}{axis}", (mark, coordinate))
    for kind, entry in words("axes")["triple"].items():
        for text, coordinate in zip(entry["texts"], CENTER_COLUMNS, strict=True):
            names.setdefault(squeeze(text), (kind, coordinate))
    return names


def stations_of(table: Table, row: int, headings: Mapping[int, Heading]) -> dict[int, Heading]:
    """Find the columns FS, BL and WL that are not read, because not all three stand in the table."""
    unread = {j: table.text(row, j) for j, heading in headings.items() if not heading.quantity}
    named = {j: (text, read_heading(text)) for j, text in unread.items()}
    return {j: heading for j, (text, heading) in named.items() if is_station(text, heading)}


def holds_numbers(table: Table, row: int, j: int) -> bool:
    """Tell whether the first cell below a header that holds something, a unit apart, is a number."""
    rows = range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))
    texts = (table.text(i, j).strip() for i in rows)
    filled = (text for text in texts if is_filled(text) and unit_for(text, LENGTH, common_only=True) is None)
    first = next(filled, "")
    return is_number(first) or is_number(first.replace(",", "."))


_DOTTED = re.compile(r"\d+(?:[.,]\d+)*\.?")


def place_numbering(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Read a column of dotted numbers as the item numbers, and a column ``Item`` of words beside it as the names.

    Most of its numbers are others with a further part: ``1``, ``1.1``. ``chosen`` has the columns of ``--map``.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    named = [j for j, heading in headings.items() if heading.quantity == "item"]
    if {"parent", "child", "level"} & known or "item" in chosen or not known & {"mass", "line_mass"}:
        return dict(headings), []
    free = [j for j, heading in headings.items() if heading.quantity in ("", "item")]
    dotted = [j for j in free if is_dotted(table, row, j)]
    if not dotted or (named and named[0] in dotted and len(named) == 1):
        return dict(headings), []
    others = {j: Heading("" if "name" in known else "name", rank=SYNONYM) for j in named if j not in dotted}
    return {**headings, **others, dotted[0]: Heading("item", rank=SYNONYM)}, []


def is_dotted(table: Table, row: int, j: int) -> bool:
    """Tell whether a column holds item numbers of several levels, each once, most of them below another."""
    rows = range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))
    cells = [text for i in rows if (text := table.text(i, j).strip())]
    if len(cells) < 3 or len(set(cells)) < len(cells) or not all(map(_DOTTED.fullmatch, cells)):
        return False
    numbers = {tuple(re.split(r"[.,]", cell.rstrip("."))) for cell in cells}
    below = sum(len(number) > 1 and number[:-1] in numbers for number in numbers)
    return 2 * below >= len(cells)


EQUIPMENT = frozenset(("unit", "units"))
"""Headers that name a box of equipment where their cells are no units of measure."""


def place_names(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Take the rightmost column of groups for the names of the items, where no other column names them.

    The groups at its left stay groups. A table without masses is left alone; ``chosen`` has the columns of ``--map``.
    """
    known = {heading.quantity for heading in headings.values()} | set(chosen)
    names = [j for j, heading in headings.items() if may_name(table, row, j, heading)]
    if known & NAMING or not known & {"mass", "line_mass"} or not names:
        return dict(headings), []
    return {**headings, max(names): Heading("name", rank=SYNONYM)}, []


def may_name(table: Table, row: int, j: int, heading: Heading) -> bool:
    """Tell whether a column may name items: it is called a group, or a unit, and its cells are words."""
    header = squeeze(table.text(row, j))
    if heading.quantity not in ("", "uom") or not (header in group_words() or header in EQUIPMENT):
        return False
    cells = {text.strip(BLANKS) for text in table.texts(j, row + 1) if is_filled(text)}
    texts = {text for text in cells if not is_number(text)}
    if header in EQUIPMENT:
        return bool(texts) and not any(counts_pieces(text) or read_unit(text) is not None for text in texts)
    return bool(cells)


TREES = frozenset(("parent", "child", "level", "item"))
"""Quantities that say where in the tree a row stands."""
NAMES = ("id", "part", "name")
"""Quantities that parents are named by, the first that there is."""

"""So many rows with masses alone make a list, unread to its end."""


def place_parents(
    table: Table, row: int, chosen: MutableMapping[str, int], units: MutableMapping[str, str], read: Container[int]
) -> list[Finding]:
    """Take the one column that is not ``read`` and can only hold the parents, and say so; ``chosen`` is changed.

    The items are named once each, and the column makes one tree of them.
    """
    key = next((chosen[name] for name in NAMES if name in chosen), None)
    if key is None or "mass" not in chosen or TREES & set(chosen):
        return []
    head = range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))
    if all(is_filled(table.text(i, chosen["mass"])) for i in head):
        return []
    weighed = [is_filled(text) for text in table.texts(chosen["mass"], row + 1)]
    items = [text.strip() for text in table.texts(key, row + 1)]
    if len(set(items) - {""}) != len(items) - items.count(""):
        return []
    masses = dict(zip(items, weighed, strict=True))
    free = [j for j in range(table.n_columns) if j not in read]
    trees = [j for j in free if _is_one_tree(items, table.texts(j, row + 1), masses)]
    if len(trees) != 1:
        return []
    chosen["parent"], units["parent"] = trees[0], ""
    header, over = table.text(row, trees[0]).strip(), table.text(row, key).strip()
    message = f"{header or 'a column without a name'} names items of other rows, and is read as the parent of {over}"
    return [found("MP324", message, table.place(row, trees[0], header), value=header)]


def _is_one_tree(items: Sequence[str], texts: Sequence[str], weighed: Mapping[str, bool]) -> bool:
    """Tell whether a column names one parent of every item but the root, and just those that have no mass."""
    parents = {item: text.strip() for item, text in zip(items, texts, strict=True) if item}
    roots = [item for item, over in parents.items() if not over]
    named = set(parents.values()) - {""}
    if any(text.strip() for item, text in zip(items, texts, strict=True) if not item) or len(roots) != 1:
        return False
    if not all(over in parents and not weighed[over] for over in named):
        return False
    return all(item in named or weighed[item] for item in parents) and _reach_root(parents, roots[0])


def _reach_root(parents: Mapping[str, str], root: str) -> bool:
    """Tell whether every item stands below the root: no chain of parents closes on itself."""
    known = {root}
    for item in parents:
        chain, above = set[str](), item
        while above not in known:
            if above in chain:
                return False
            chain.add(above)
            above = parents[above]
        known |= chain
    return True


def place_stand_ins(
    table: Table,
    row: int,
    chosen: MutableMapping[str, int],
    units: MutableMapping[str, str],
    mapping: Mapping[str, str],
) -> list[Finding]:
    """Give ``mass`` and ``qty`` their columns where others stand in for them; ``chosen`` and ``units`` are changed.

    Inventor counts instances in ``Item QTY``, states how much one instance is in ``Unit QTY`` and their product in
    ``QTY`` (Inventor Help, bill of materials): the mass is of one instance, so ``Item QTY`` is taken. Where that is not
    there and ``Unit QTY`` states sizes, ``QTY`` is refused.
    """
    texts, findings = table.row(row), list[Finding]()
    if "item_qty" in chosen and "qty" not in mapping:
        instances = chosen.pop("item_qty")
        other = chosen.pop("qty", None)
        chosen["qty"], units["qty"] = instances, units.pop("item_qty", "")
        if other is not None:
            message = f"{texts[other].strip()} is not read, {texts[instances].strip()} counts the pieces"
            findings.append(found("MP225", message, table.place(row, other, texts[other]), value=texts[other]))
    for product, quantity in (*PRODUCTS.items(), ("unit_qty", "qty")):
        if product in chosen and quantity not in chosen:
            chosen[quantity], units[quantity] = chosen.pop(product), units.pop(product)
        elif product == "unit_qty" and product in chosen and "qty" not in mapping and "item_qty" not in chosen:
            findings += sizes(table, row, texts, chosen)
    return findings


def sizes(table: Table, row: int, texts: Sequence[str], chosen: Mapping[str, int]) -> list[Finding]:
    """Refuse quantities beside a column that states the size of one piece, where that is not 1."""
    column, counted = chosen["unit_qty"], chosen["qty"]
    if texts[counted].strip().casefold().startswith("item"):
        return []
    size = next((text for text in dict.fromkeys(table.texts(column, row + 1)) if not is_one(text)), None)
    if size is None:
        return []
    names = texts[counted].strip(), texts[column].strip()
    message = f"{names[0]} is the number of pieces × {names[1]}, which is {size.strip()} for one of them"
    remedy = f'export the column Item QTY, or take {names[0]} as it stands with --map qty="{names[0]}"'
    return [found("MP254", message, table.place(row, column, texts[column]), value=size, remedy=remedy)]


def is_one(text: str) -> bool:
    """Tell whether a size is that of a piece: blank, 1, or a word for a piece.

    >>> is_one("Each"), is_one("1.000"), is_one("150 mm")
    (True, True, False)
    """
    bare = text.strip()
    return not bare or counts_pieces(bare) or read_number(bare) == 1


"""So many rows without a unit of mass, length or inertia make a column one of other units, unread to its end."""
ROUNDED = 1e-3
"""How far a mass per unit of mass may be rounded: 0.4536 kg per pound."""
SIZES = tuple({unit.over(KILOGRAM) for unit in MASSES.values()})
OPEN_WORDS = frozenset(
    ("unit", "units", "einheit", "einheiten", "unités", "unidades", "jednostki", "单位", "単位", "단위")
)
"""Headers that do not say whose unit it is; a unit of measure is that of a quantity."""


def place_unit_columns(
    table: Table, row: int, headings: Mapping[int, Heading], chosen: Mapping[str, int]
) -> tuple[dict[int, Heading], list[Finding]]:
    """Settle whose units the columns hold that are known as units of quantities; ``chosen`` has those of ``--map``."""
    result, findings = dict(headings), list[Finding]()
    quantities = {j: heading.quantity for j, heading in headings.items()} | {j: q for q, j in chosen.items()}
    for j, heading in headings.items():
        if not table.text(row, j).strip() and (name := unnamed(table, row, j, quantities)):
            result[j] = Heading(name, rank=SYNONYM)
        if heading.quantity != "uom" or table.text(row, j).strip() == "uom":
            continue
        name = whose(table, row, j, quantities)
        if name == "?":
            findings.append(refused(table, row, j))
        result[j] = heading._replace(quantity="" if name == "?" else name)
    return result, findings


def whose(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Tell which quantity a column of units is: ``uom``, one of UNIT_COLUMNS, or ``?`` where two readings remain."""
    head = {table.text(i, j).strip(BLANKS) for i in range(row + 1, min(table.n_rows, row + 1 + LOOKED_AT))}
    left = dimension_of(quantities.get(j - 1, ""))
    counted = "qty" in quantities.values()
    for name, sample in UNIT_COLUMNS.items():
        dimension = dimension_of(sample)
        several = dimension == MASS and not counted and not states_unit(table, row, quantities)
        known = dimension in map(dimension_of, quantities.values())
        if not known or not any(fits(text, sample, several) for text in head):
            continue
        cells = {text.strip(BLANKS) for text in table.texts(j, row + 1) if is_filled(text)}
        whole = all(fits(text, sample, several) for text in cells)
        if left == dimension:
            return name if whole or not counted else "?"
        if not counted:
            return "uom" if any(counts_pieces(text) and not fits(text, sample, several) for text in cells) else name
        if not whole or dimension != MASS or states_unit(table, row, quantities):
            return "uom"
        return of_numbers(table, row, j, quantities)
    return "uom"


def unnamed(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Tell which of UNIT_COLUMNS a column without a name is: all its cells are units of the quantity at its left."""
    left = dimension_of(quantities.get(j - 1, ""))
    name = next((name for name, sample in UNIT_COLUMNS.items() if left == dimension_of(sample)), "")
    if left is None or not name or name in quantities.values():
        return ""
    cells = {text.strip(BLANKS) for text in table.texts(j, row + 1) if is_filled(text)}
    return name if cells and all(fits(text, UNIT_COLUMNS[name]) for text in cells) else ""


def states_unit(table: Table, row: int, quantities: Mapping[int, str]) -> bool:
    """Tell whether the header of the masses says their unit, so that no other column need."""
    return any(read_heading(table.text(row, j)).unit for j, name in quantities.items() if dimension_of(name) == MASS)


def of_numbers(table: Table, row: int, j: int, quantities: Mapping[int, str]) -> str:
    """Settle whether units of mass are those of the masses by their numbers, since it is known what a gram weighs."""
    column = next(k for k, name in quantities.items() if dimension_of(name) == MASS)
    masses = settle(table, column, table.numbers([column], row + 1)[0], row + 1).values.tolist()
    per_unit = {
        (text.strip(BLANKS), mass)
        for text, mass in zip(table.texts(j, row + 1), masses, strict=True)
        if is_filled(text) and not isnan(mass)
    }
    if {mass for _, mass in per_unit} == {1.0} and len({text for text, _ in per_unit}) == 1:
        return "uom"  # n kilograms and n pieces of 1 kg weigh the same
    in_units = {mass / size_in_kg(text) for text, mass in per_unit}
    low, high = min(in_units, default=1.0), max(in_units, default=1.0)
    if any(isclose(c * size, 1, rel_tol=ROUNDED) for c in (low, high) for size in SIZES) and high <= low * (
        1 + ROUNDED
    ):
        return "?"
    return "mass_unit" if squeeze(table.text(row, j)) in OPEN_WORDS else "?"


def size_in_kg(text: str) -> float:
    """Give a unit of mass in kilograms, one of weight as what weighs so much."""
    unit = unit_for(text, MASS, common_only=True) or unit_for(text, FORCE, common_only=True)
    assert unit is not None
    return unit.over(KILOGRAM) if unit.dimension == MASS else unit.times(STANDARD_GRAVITY, -1).over(KILOGRAM)


def fits(text: str, sample: str, several: bool = False) -> bool:
    """Tell whether a cell is a unit of a quantity, or for a mass one of weight.

    With ``several`` a name of more than one unit of mass is one too; ``St`` with a capital counts pieces in German.

    >>> fits("g", "mass"), fits("lbf", "mass"), fits("ea", "mass"), fits("m", "mass"), fits("ton", "mass", True)
    (True, True, False, False, True)
    """
    if several and several_sizes(text) is not None and not text.startswith("St"):
        return True
    dimension = dimension_of(sample)
    assert dimension is not None
    known = unit_for(text, dimension, common_only=True) is not None
    return known or (dimension == MASS and unit_for(text, FORCE, common_only=True) is not None)


def refused(table: Table, row: int, j: int) -> Finding:
    """Refuse a column of units that may be that of the masses and that of the quantities."""
    name = table.text(row, j).strip()
    message = f"{name} can hold the units of the masses, or those of the quantities"
    remedy = f'say it with --map mass_unit="{name}" or --map uom="{name}"'
    return found("MP235", message, table.place(row, j, name), value=name, remedy=remedy)
