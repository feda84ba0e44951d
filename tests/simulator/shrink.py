"""Smaller specifications with the same verdict: fewer parts, fewer decorations, the plainest form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from decimal import Decimal

from tests.simulator.drawing import objection
from tests.simulator.judge import Verdict, judge
from tests.simulator.mass_list import Item, MassList

PLAIN = {field.name: field.default for field in fields(MassList) if field.default is not MISSING}
KEPT = ("unit", "ambiguity", "unit_at", "quantities", "hierarchy", "budget", "axes", "decimal_mark")


def _without(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """The items with one branch or one part fewer."""
    for place, item in enumerate(items):
        rest = (*items[:place], *items[place + 1 :])
        if rest:
            yield rest
        for fewer in _without(item.children):
            yield (*items[:place], replace(item, children=fewer), *items[place + 1 :])


def _plainer(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """The items with one of them plainer: one piece, no remark, no growth."""
    for place, item in enumerate(items):
        plainer = [replace(item, style="plain")] if item.style != "plain" else []
        plainer += [replace(item, quantity=1)] if item.quantity > 1 else []
        plainer += [replace(item, growth=Decimal(10))] if item.growth != 10 else []
        plainer += [replace(item, children=children) for children in _plainer(item.children)]
        for other in plainer:
            yield (*items[:place], other, *items[place + 1 :])


def _halves(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    if len(items) > 3:
        yield items[: len(items) // 2]
        yield items[len(items) // 2 :]


def smaller(spec: MassList) -> Iterator[MassList]:
    """Lists one step smaller or plainer than a list."""
    for items in _halves(spec.items):
        yield replace(spec, items=items)
    for name, plain in PLAIN.items():
        if name not in KEPT and getattr(spec, name) != plain:
            yield replace(spec, **{name: plain})
    if spec.decimal_mark != ".":
        yield replace(spec, decimal_mark=".", delimiter=",", file_format="csv")
    for place in range(len(spec.others)):
        yield replace(spec, others=spec.others[:place] + spec.others[place + 1 :])
    for name in ("allocation", "margin", "margin share", "growth", "share"):
        if name in spec.budget_columns:
            yield replace(spec, budget_columns=tuple(column for column in spec.budget_columns if column != name))
    for items in _without(spec.items):
        yield replace(spec, items=items)
    for items in _plainer(spec.items):
        yield replace(spec, items=items)
    if spec.headings and spec.words.language != "en":
        yield replace(spec, headings=0)


def smallest(spec: MassList, verdict: Verdict, most: int = 250) -> MassList:
    """The smallest list found with the same verdict, after so many trials at most."""
    trials, changed = 0, True
    while changed:
        changed = False
        for candidate in smaller(spec):
            if trials >= most:
                return spec
            if objection(candidate):
                continue
            trials += 1
            if judge(candidate).sort == verdict.sort:
                spec, changed = candidate, True
                break
    return spec
