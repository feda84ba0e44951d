"""A roll-up on the screen: verdict, root with its sigmas, heaviest branches, coverage, conventions, findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from massprops_cli.findings import Finding, Severity
from massprops_cli.report.conventions import convention_blocks
from massprops_cli.report.findings_text import counts_text, grouped_blocks, plural
from massprops_cli.report.number_text import number_text, percent, unit_text, with_sigma
from massprops_cli.report.page import ASCII, Beside, Block, Grid, Line, Span, Symbols, say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from massprops_cli.bom.result import Result

HEAVIEST = 8


@dataclass(frozen=True, slots=True)
class View:
    """How the root is to be shown.

    ``datum`` moves the origin that centres are measured from; ``about`` is the point, in the table's frame, that inertia
    is about, None for the root's own centre; ``about_words`` names it; ``shows_principal`` asks for principal moments and axes.
    """

    datum: tuple[float, float, float] | None = None
    datum_words: str = ""
    about: tuple[float, float, float] | None = None
    about_words: str = ""
    shows_principal: bool = False


def verdict(
    symbols: Symbols,
    findings: Sequence[Finding],
    did: str,
    targets: Sequence[str] = (),
    *,
    failed: bool = False,
) -> Line:
    """Say in one line what came of it.

    >>> verdict(ASCII, [], "rolled up 3 items", ["bom.rollup.csv"]).text
    'ok: rolled up 3 items, 0 errors, 0 warnings -> bom.rollup.csv'
    """
    mark = Span(symbols.bad, "bad") if failed else Span(symbols.good, "good")
    has_errors = any(finding.severity is Severity.ERROR for finding in findings)
    has_warnings = any(finding.severity is Severity.WARNING for finding in findings)
    counts = Span(counts_text(findings), "bad" if has_errors else "warn" if has_warnings else "good")
    where = (f" {symbols.arrow} ", Span(", ".join(targets), "strong")) if targets else ()
    return say(mark, " ", Span(did, "strong"), ", ", counts, *where, hang=2)


def summary_blocks(
    result: Result, findings: Sequence[Finding], symbols: Symbols, view: View, command: str
) -> list[Block]:
    """Lay out everything below the verdict; ``findings`` are those selected, ``command`` shows all of them."""
    root = root_blocks(result, symbols, view)
    branches = branch_blocks(result, symbols)
    blocks: list[Block] = [Line(), Beside(root, branches) if branches else Beside(root, ())]
    if not branches:
        blocks = [Line(), *root]
    blocks += [Line(), *convention_blocks(result, symbols, view.datum_words, view.about_words)]
    if findings:
        blocks += [Line(), *grouped_blocks(findings, symbols, command)]
    return blocks


def root_blocks(result: Result, symbols: Symbols, view: View) -> list[Line | Grid]:
    """Show the root's mass, centre, tensor and radii with their sigmas, and how much of the tree is known."""
    bom, i = result.bom, result.root_item
    name = bom.names[i] if bom.names is not None and bom.names[i] != bom.ids[i] else ""
    blocks: list[Line | Grid] = [
        say(Span(bom.ids[i], "strong"), f"  {name}" if name else "", Span("  (root)", "dim"))
    ]
    rows = property_rows(result, i, symbols, view)
    blocks.append(Grid(rows, "lrrrl"))
    if view.shows_principal and result.rollup.bodies.inertia is not None:
        blocks.append(Grid(principal_rows(result, i, symbols), "lrrrl"))
    blocks.append(coverage_line(result, i, symbols))
    return blocks


def property_rows(result: Result, i: int, symbols: Symbols, view: View) -> list[list[Span]]:
    """Give the rows of one item: label, three numbers, unit."""
    from massprops_cli.report.quantities import ENTRY_ROWS, item_values

    units = result.bom.units
    values = item_values(result, i, view.datum, view.about)
    coverage = result.rollup.coverage
    is_bound = coverage.known_mass[i] < coverage.rows[i]
    mass = with_sigma(*values["mass"], symbols)
    if is_bound:
        mass = (">= " if symbols is ASCII else "≥ ") + mass
    rows = [row_of("mass", [mass], units.mass, symbols)]
    for label, names, unit in (
        ("centre", ("Cx", "Cy", "Cz"), units.length),
        *((a, b, units.inertia) for a, b in ENTRY_ROWS),
    ):
        if names[0] in values:
            rows.append(row_of(label, labelled(names, values, symbols), unit, symbols))
    if "kx" in values:
        rows.append(row_of("radii", labelled(("kx", "ky", "kz"), values, symbols), units.length, symbols))
    return rows


def labelled(names: Sequence[str], values: dict[str, tuple[float, float]], symbols: Symbols) -> list[str]:
    """Write three named numbers; one that is not known is a dash."""
    return [f"{name} {with_sigma(*values[name], symbols) or '-'}" for name in names]


def row_of(label: str, texts: Sequence[str], unit: str, symbols: Symbols) -> list[Span]:
    """Make a row of the root's grid."""
    cells = [Span(text) for text in texts] + [Span("")] * (3 - len(texts))
    return [Span(label, "dim"), *cells, Span(unit_text(unit, symbols), "dim")]


def principal_rows(result: Result, i: int, symbols: Symbols) -> list[list[Span]]:
    """Give principal moments, and below each its axis."""
    moments, axes = result.principal.moments[i], result.principal.axes[i]
    unit = result.bom.units.inertia
    rows = [
        row_of(
            "principal",
            [f"I{k + 1} {number_text(float(moments[k])) or '-'}" for k in range(3)],
            unit,
            symbols,
        )
    ]
    for a, axis in enumerate("xyz"):
        texts = [f"{float(axes[k][a]):+.5f}" if isfinite(float(axes[k][a])) else "-" for k in range(3)]
        rows.append(row_of(f"axis {axis}" if a == 0 else f"     {axis}", texts, "", symbols))
    return rows


def coverage_line(result: Result, i: int, symbols: Symbols) -> Line:
    """Say how many leaves count and how much of them is known."""
    coverage, bodies = result.rollup.coverage, result.rollup.bodies
    leaves, known = int(coverage.rows[i]), int(coverage.known_mass[i])
    parts = [f"{plural(leaves, 'leaf').replace('leafs', 'leaves')}"]
    parts.append("mass of all" if known == leaves else f"mass of {known:,} (a lower bound)")
    for words, array, share, count in (
        ("centre", bodies.center, coverage.mass_share_center, coverage.known_center),
        ("inertia", bodies.inertia, coverage.mass_share_inertia, coverage.known_inertia),
    ):
        if array is not None:
            whole = int(count[i]) == leaves
            parts.append(
                f"{words} of all"
                if whole
                else f"{words} of {int(count[i]):,} ({percent(float(share[i]))} of mass)"
            )
    complete = all(part.endswith("of all") for part in parts[1:])
    return say("  ", Span("coverage  ", "dim"), Span("; ".join(parts), "" if complete else "warn"), hang=12)


def branch_blocks(result: Result, symbols: Symbols) -> list[Line | Grid]:
    """Show the root's heaviest branches with their share of mass as bars."""
    import numpy as np

    bom, root = result.bom, result.root_item
    children = np.flatnonzero(bom.tree.parent == root)
    if not len(children):
        return []
    mass = totals(result)
    heaviest = children[np.argsort(-np.abs(mass[children]), kind="stable")]
    whole = float(np.abs(mass[children]).sum())
    rows, bars = [], []
    for i in heaviest[:HEAVIEST].tolist():
        share = abs(float(mass[i])) / whole if whole > 0 else float("nan")
        name = bom.names[i] if bom.names is not None else ""
        label = bom.ids[i] + (f"  {name}" if name and name != bom.ids[i] else "")
        rows.append(
            [Span(label), Span(number_text(float(mass[i]), 5) or "-", "strong"), Span(percent(share))]
        )
        bars.append(share if isfinite(share) else 0.0)
    unit = unit_text(bom.units.mass, symbols)
    title = f"heaviest branches ({unit}, share of mass)" if unit else "heaviest branches (share of mass)"
    blocks: list[Line | Grid] = [say(Span(title, "dim")), Grid(rows, "lrr", bars, shrink=0)]
    more = len(heaviest) - HEAVIEST
    if more > 0:
        rest = float(np.abs(mass[heaviest[HEAVIEST:]]).sum()) / whole if whole > 0 else float("nan")
        blocks.append(say(Span(f"  {symbols.rest} and {more:,} more, {percent(rest)} of mass", "dim")))
    return blocks


def totals(result: Result) -> NDArray[np.float64]:
    """Give what each item adds to its parent's mass ``(n,)``: its mass times its quantity."""
    return masses(result) * result.bom.quantity.count


def masses(result: Result) -> NDArray[np.float64]:
    """Give the mass of one piece of each item ``(n,)``; NaN where it is not known."""
    from massprops_cli.bom.arrays import value_of_items

    mass = value_of_items(result.rollup, "mass")
    assert mass is not None
    return mass
