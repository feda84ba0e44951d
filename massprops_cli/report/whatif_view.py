"""What a change does, on the screen: every assembly above it before, after, and the difference."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from massprops_cli.bom.whatif import numbers_of
from massprops_cli.report.conventions import sign_words
from massprops_cli.report.findings_text import plural
from massprops_cli.report.number_text import number_text, unit_text, with_sigma
from massprops_cli.report.page import ASCII, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.whatif import WhatIf

NAMES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def whatif_blocks(answer: WhatIf, symbols: Symbols) -> list[Block]:
    """Show the changes, and a grid for every assembly above them, the root first."""
    blocks: list[Block] = [
        say(
            Span(symbols.good, "good"),
            " ",
            Span(f"{plural(len(answer.said), 'change')}", "strong"),
            f" in {answer.bom.table.source.name}",
        )
    ]
    for text in answer.said:
        blocks.append(
            say("  ", text if symbols is not ASCII else text.replace("→", "->").replace("×", "x"), hang=4)
        )
    for k, name in enumerate(answer.ids):
        blocks += [Line(), say(Span(name, "strong"), Span("  (root)" if k == 0 else "", "dim"))]
        rows = assembly_rows(answer, k, symbols)
        if len(rows) == 1:
            blocks.append(say("  nothing changes"))
        else:
            blocks.append(Grid(rows, "lrrrl"))
    units = answer.bom.units
    words = "units not stated" if not units.stated else "units as shown"
    blocks += [
        Line(),
        say(
            Span(
                f"{words}; inertia about each assembly's own centre of mass; products are {sign_words(symbols)}; uncertainty {answer.method}",
                "dim",
            )
        ),
    ]
    return blocks


def assembly_rows(answer: WhatIf, k: int, symbols: Symbols) -> list[list[Span]]:
    """Give one row for every number of an assembly that changes, below a header."""
    units = answer.bom.units
    before, after = numbers_of(answer.before(k)), numbers_of(answer.after(k))
    rows = [[Span(text, "dim") for text in ("", "before", "after", "difference", "")]]
    for name in NAMES:
        old, new, old_sigma, new_sigma = (
            side.get(key) for key in (name, f"sigma_{name}") for side in (before, after)
        )
        if (old is None and new is None) or (old == new and old_sigma == new_sigma):
            continue
        unit = units.mass if name == "mass" else units.length if name.startswith("C") else units.inertia
        change = nan if old is None or new is None else new - old
        rows.append(
            [
                Span(name, "dim"),
                Span(text_of(old, old_sigma, symbols)),
                Span(text_of(new, new_sigma, symbols), "strong"),
                Span(
                    ("+" if change > 0 else "") + number_text(change) if isfinite(change) else "-",
                    "warn" if change else "",
                ),
                Span(unit_text(unit, symbols), "dim"),
            ]
        )
    return rows


nan = float("nan")


def text_of(value: float | None, sigma: float | None, symbols: Symbols) -> str:
    """Write a number with its sigma where there is one; a dash when it is not known."""
    if value is None:
        return "-"
    return with_sigma(value, nan if sigma is None else sigma, symbols)
