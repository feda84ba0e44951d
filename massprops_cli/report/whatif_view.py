"""What a change does, on the screen: every assembly above it before, after, and the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from massprops_cli.bom.answers.whatif import numbers_of
from massprops_cli.report.conventions import sign_words
from massprops_cli.report.findings_text import plural
from massprops_cli.report.number_text import difference_text, number_and_sigma, unit_text
from massprops_cli.report.page import ASCII, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    from massprops_cli.bom.answers.whatif import WhatIf

nan = float("nan")
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
    changes = [text if symbols is not ASCII else text.replace("→", "->").replace("×", "x") for text in answer.said]
    blocks += [say("  ", text, hang=4) for text in changes]
    for k, name in enumerate(answer.ids):
        blocks += [Line(), say(Span(name, "strong"), Span("  (root)" if k == 0 else "", "dim"))]
        rows = assembly_rows(answer, k, symbols)
        if len(rows) == 1:
            blocks.append(say("  nothing changes"))
        else:
            blocks.append(Grid(rows, "ldsdsdl"))
    words = (
        "units as shown" if answer.bom.units.stated else "units not stated",
        "inertia about each assembly's own centre of mass",
        f"products are {sign_words(symbols)}",
        f"uncertainty {answer.method}",
    )
    return [*blocks, Line(), say(Span("; ".join(words), "dim"))]


def assembly_rows(answer: WhatIf, k: int, symbols: Symbols) -> list[list[Span]]:
    """Give one row for every number of an assembly that changes, below a header."""
    units = answer.bom.units
    before, after = numbers_of(answer.before(k)), numbers_of(answer.after(k))
    rows = [[Span(text, "dim") for text in ("", "before", "", "after", "", "difference", "")]]
    for name in NAMES:
        old, new, old_sigma, new_sigma = (side.get(key) for key in (name, f"sigma_{name}") for side in (before, after))
        if (old is None and new is None) or (old == new and old_sigma == new_sigma):
            continue
        unit = units.mass if name == "mass" else units.length if name.startswith("C") else units.inertia
        change = nan if old is None or new is None else new - old
        rows.append(
            [
                Span(name, "dim"),
                *(Span(text) for text in texts_of(old, old_sigma, symbols)),
                *(Span(text, "strong") for text in texts_of(new, new_sigma, symbols)),
                Span(difference_text(change, nan if new_sigma is None else new_sigma), "warn" if change else ""),
                Span(unit_text(unit, symbols), "dim"),
            ]
        )
    return rows


def texts_of(value: float | None, sigma: float | None, symbols: Symbols) -> tuple[str, str]:
    """Write a number, and its sigma where there is one; a dash when it is not known."""
    return number_and_sigma(nan if value is None else value, nan if sigma is None else sigma, symbols)
