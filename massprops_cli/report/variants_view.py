"""Variants beside each other on the screen: the mass of every assembly in each, and the root's centres."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.report.number_text import number_text, unit_text
from massprops_cli.report.page import Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.answers.all_variants import Variants


MOST = 40
"""How many assemblies are shown, those nearest the root; the others are counted."""


def variant_blocks(variants: Variants, symbols: Symbols) -> list[Block]:
    """Lay out a grid of masses with a row an assembly, and one of the root's centre with a row a variant."""
    bom, every = variants.bom, variants.assemblies
    depth = bom.tree.depth()
    nearest = set(sorted(every, key=lambda item: int(depth[item]))[:MOST])
    items = [item for item in every if item in nearest]
    unit = f"mass {unit_text(bom.units.mass, symbols)}".rstrip() if bom.units.stated else "mass"
    rows = [[Span(unit, "dim"), *(Span(name, "dim") for name in variants.names)]]
    for item in items:
        masses = [variants.numbers(k, item)["mass"] for k in range(len(variants.names))]
        name = Span("  " * int(depth[item]) + bom.ids[item], "strong" if item == items[0] else "")
        rows.append([name, *(Span(text_of(mass)) for mass in masses)])
        if item == items[0] and "sigma_mass" in variants.numbers(0, item):
            sigmas = [variants.numbers(k, item)["sigma_mass"] for k in range(len(variants.names))]
            rows.append([Span(f"  {symbols.sigma}", "dim"), *(Span(text_of(sigma), "dim") for sigma in sigmas)])
    blocks: list[Block] = [Line(), Grid(rows, "l" + "d" * len(variants.names), shrink=0)]
    if more := len(every) - len(items):
        blocks.append(say(f"and {more:,} more assemblies; -o FILE and --format json tell them all"))
    if bom.bodies.center is not None:
        blocks += [Line(), *center_blocks(variants, symbols)]
    words = "units as shown" if bom.units.stated else "units not stated"
    return [*blocks, Line(), say(Span(f"{words}; each column of quantities rolled up by itself", "dim"))]


def center_blocks(variants: Variants, symbols: Symbols) -> list[Block]:
    """Show the root's centre of mass in every variant."""
    bom, root = variants.bom, variants.assemblies[0]
    unit = f", {unit_text(bom.units.length, symbols)}" if bom.units.stated else ""
    rows = [[Span(text, "dim") for text in ("", "Cx", "Cy", "Cz")]]
    for k, name in enumerate(variants.names):
        numbers = variants.numbers(k, root)
        rows.append([Span(name), *(Span(text_of(numbers[axis])) for axis in ("Cx", "Cy", "Cz"))])
    return [say(f"centre of {bom.ids[root]}{unit}"), Grid(rows, "lddd", shrink=0)]


def text_of(value: float | None) -> str:
    """Write a number; a dash where it is not known."""
    return "-" if value is None else number_text(value)
