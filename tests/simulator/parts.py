"""Drawing of parts with known masses, of groups of parts, and of trees."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

from tests.simulator.languages import LANGUAGES
from tests.simulator.mass_list import Item

GROWTHS = tuple(Decimal(share) for share in (0, 3, 5, 8, 10, 10, 12, 15, 20, 25, 30))
COUNTS = (1, 1, 1, 2, 2, 3, 4, 4, 6, 8, 10, 12, 24, 60)


def draw_mass(draw: random.Random, unit: str, digits: int) -> Decimal:
    """A mass of a part, of two or three significant digits on average."""
    top = {"kg": 2, "g": 3, "lb": 2, "oz": 2, "t": 1}[unit]
    value = 10 ** draw.uniform(-1.0 if digits > 1 else 0.5, top)
    return max(Decimal(1).scaleb(-digits), Decimal(value).quantize(Decimal(1).scaleb(-digits)))


def draw_parts(
    draw: random.Random, count: int, language: str, unit: str, digits: int, first: int = 1
) -> tuple[Item, ...]:
    """Parts with names that differ."""
    pool = list(LANGUAGES[language].parts)
    draw.shuffle(pool)
    names = [pool[i % len(pool)] + (f" {i // len(pool) + first}" if i >= len(pool) else "") for i in range(count)]
    return tuple(
        Item(first + i, name, draw_mass(draw, unit, digits), unit, draw.choice(COUNTS), draw.choice(GROWTHS))
        for i, name in enumerate(names)
    )


def share_out(draw: random.Random, parts: tuple[Item, ...], language: str, smallest: int = 1) -> tuple[Item, ...]:
    """Parts shared out over named groups."""
    taken = {part.name for part in parts}
    names = [name for name in LANGUAGES[language].groups if name not in taken]
    draw.shuffle(names)
    groups: list[Item] = []
    left = list(parts)
    while left and names:
        size = len(left) if len(names) == 1 else min(len(left), draw.randint(smallest, 5))
        if len(left) - size < smallest:
            size = len(left)
        groups.append(Item(500 + len(groups), names.pop(), children=tuple(left[:size])))
        left = left[size:]
    return tuple(groups)


def assemble(draw: random.Random, parts: tuple[Item, ...], language: str, one_piece: bool) -> tuple[Item, ...]:
    """Parts in assemblies, some of them in assemblies of assemblies."""
    groups = list(share_out(draw, parts, language, 2))
    if not one_piece:
        groups = [replace(group, quantity=draw.choice((1, 1, 1, 2, 4))) for group in groups]
    if len(groups) > 2 and draw.random() < 0.5:
        inner = groups.pop()
        groups[0] = replace(groups[0], children=(*groups[0].children, inner))
    if draw.random() < 0.5:
        name = {"zh": "整机", "ja": "全機", "ko": "전체 시스템", "de": "Fahrzeug", "fr": "Véhicule"}.get(
            language, "Vehicle"
        )
        groups = [Item(900, name, children=tuple(groups))]
    keys = iter(range(1, 1000))

    def number(item: Item) -> Item:
        key = next(keys)
        return replace(item, key=key, children=tuple(number(child) for child in item.children))

    return tuple(number(group) for group in groups)
