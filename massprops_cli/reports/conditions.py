"""Loading conditions side by side: the root in each, limits, and the changes from the base of each condition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import count_with_noun
from massprops_cli.loadings.results import ConditionDifference, Conditions
from massprops_cli.reports.page.conventions import (
    difference_text,
    formatted_number,
    number_and_sigma,
    sign_words,
    unit_text,
)
from massprops_cli.reports.page.page import Grid, Line, PageBlock, Symbols, TextSpan, plain_text, text_line
from massprops_cli.reports.probability import certainty_text
from massprops_cli.styles.style import StyleTable
from massprops_cli.tanks.schedule import Schedule

_ACCURACY = 1e-12  # of the probability of an envelope
_Verdicts = Mapping[str, Sequence[Any]]  # the verdicts of each condition; empty without a budget
_Page = Sequence[PageBlock]
_STEPS_SHOWN = 12
_StyleColumns = list[tuple[str, list[tuple[str, str]]]]  # heading, and of each row the number and the sigma as texts


def condition_blocks(
    answer: Conditions,
    symbols: Symbols,
    verdicts: _Verdicts,
    *,
    failed: bool,
    in_full: bool = False,
    styled: _Page = (),
) -> list[PageBlock]:
    """Lay out the conditions, or a style of them, with verdicts; in full also tensors, and changes from the bases."""
    title = f"{answer.bom.ids[int(answer.bom.tree.order[0])]} in {count_with_noun(len(answer), 'condition')}"
    source = answer.bom.table.source.name
    blocks: list[PageBlock] = [text_line(symbols.mark(failed), " ", TextSpan(title, "strong"), f": {source}")]
    own = _grid(answer, [k for k in range(4) if _is_known(answer, k)], symbols, verdicts)
    blocks += styled or [Line(), own]
    for part in (range(4, 7), range(7, 10)) if in_full else ():  # within 80 columns
        if tensor := [k for k in part if _is_known(answer, k)]:
            blocks += [Line(), _grid(answer, tensor, symbols, {})]
    if in_full and (changes := _base_differences(answer)):
        title = "changes from the base"
        blocks += [Line(), text_line(TextSpan(title, "strong")), _change_grid(answer, changes, symbols)]
    for envelope in answer.envelopes:
        blocks += [Line(), _envelope_grid(answer, envelope.name, symbols)]
    broken = [(name, one) for name, own in verdicts.items() for one in own if not one.kept]
    if broken:
        cells = [[TextSpan(name), TextSpan(one.message, "dim" if one.waiver else "bad")] for name, one in broken]
        blocks += [Line(), Grid(cells, "ll", shrink=1)]
    notes = [
        _known_words(answer.bom, (one.bom for one in answer.tables.values() if in_full)),
        "basic masses" * (answer.bom.growth is not None),
        "units as shown" if answer.bom.units.stated else "units not stated",
        "CG from the origin of the table",
        f"margins at that mass and at that centre, {symbols.sigma} in any direction" * bool(answer.envelopes),
    ]
    if in_full:
        notes += ["inertia about the CG of each condition", f"products of inertia: {sign_words(symbols)}"]
    return [*blocks, Line(), text_line(TextSpan("; ".join(filter(None, notes)), "dim"))]


def _known_words(bom: Bom, tables: Iterable[Bom] = ()) -> str:
    """State that values of parts are missing, also those of tensors in some ``tables``; empty if all are known."""
    masks = {"masses": bom.bodies.has_mass, "centres": bom.bodies.has_center}
    missing = [name for name, mask in masks.items() if mask is not None and not mask[bom.ends].all()]
    of_tensors = ((one.bodies.has_inertia, one) for one in tables)
    missing += ["tensors"] * any(mask is not None and not mask[one.ends].all() for mask, one in of_tensors)
    return f"known parts only: {' and '.join(missing)} are missing" if missing else ""


def _is_known(answer: Conditions, k: int) -> bool:
    """Return whether a quantity is known in some condition."""
    return bool((answer.totals.values[:, k] == answer.totals.values[:, k]).any())


def _quantity_heads(answer: Conditions, columns: Sequence[int], symbols: Symbols) -> list[TextSpan]:
    """Return the headings of quantities with their units, each with a blank one for its sigma."""
    units, heads = answer.bom.units, list[TextSpan]()
    for name in (answer.quantities[k] for k in columns):
        unit = unit_text({"m": units.mass, "C": units.length, "I": units.inertia}[name[0]], symbols)
        heads += [TextSpan(f"{name} {unit}".rstrip(), "dim"), TextSpan("")]
    return heads


def _grid(answer: Conditions, columns: Sequence[int], symbols: Symbols, verdicts: _Verdicts) -> Grid:
    """Return a row for each condition with some quantities and their sigmas."""
    last = [TextSpan("limits", "dim")] if verdicts else []
    rows = [[TextSpan("condition", "dim"), *_quantity_heads(answer, columns, symbols), *last]]
    for i, name in enumerate(answer.names):
        cells = [TextSpan(name, "strong")]
        for k in columns:
            number, spread = number_and_sigma(answer.totals.values[i, k], answer.totals.sigmas[i, k], symbols)
            cells += [TextSpan(number), TextSpan(spread, "dim")]
        if verdicts:
            state = condition_state(verdicts[name])
            cells.append(TextSpan(state, "good" if state == "kept" else "bad" if state == "broken" else "warn"))
        rows.append(cells)
    return Grid(rows, "l" + "ds" * len(columns) + "l" * bool(verdicts), shrink=0)


def _envelope_grid(answer: Conditions, name: str, symbols: Symbols) -> Grid:
    """Return a row for each condition, and each travel of a mission, in an envelope."""
    units, (length, factor) = answer.bom.units, answer.envelope_check.length
    measured = (("at", units.mass), ("margin", length), ("margin", units.mass))
    heads = [f"envelope {name}", "", *(f"{word} {unit}".rstrip() for word, unit in measured), symbols.sigma, "P inside"]
    rows = [[TextSpan(head, "dim") for head in heads]]
    for one in (one for one in answer.envelope_check.verdicts if one.envelope == name):
        state, word = {True: ("good", "inside"), False: ("bad", "outside"), None: ("warn", "unknown")}[one.inside]
        label = f"{symbols.arrow} {one.condition}" if one.start else one.condition
        numbers = (one.mass, one.margin * factor, one.mass_margin)
        cells = [TextSpan(label, "strong"), TextSpan(word, state)]
        cells += [TextSpan(formatted_number(number, 4)) for number in numbers]
        text = certainty_text(one.probability, 1 - one.probability, _ACCURACY) if isfinite(one.probability) else ""
        rows.append([*cells, TextSpan(formatted_number(one.sigmas, 3)), TextSpan(text)])
    return Grid(rows, "llddddr", shrink=0)


def _change_grid(answer: Conditions, changes: Mapping[str, ConditionDifference], symbols: Symbols) -> Grid:
    """Return a row for each condition with a base: the changes of mass and centre, with their sigmas."""
    base = {one.name: one.base for one in answer.conditions}
    columns = [k for k in range(4) if _is_known(answer, k)]
    heads = [TextSpan(text, "dim") for text in ("condition", "base")]
    rows = [[*heads, *_quantity_heads(answer, columns, symbols)]]
    for name, change in changes.items():
        cells = [TextSpan(name), TextSpan(base[name], "dim")]
        for k in columns:
            value, sigma = float(change.values[k]), float(change.sigmas[k])
            spread = number_and_sigma(value, sigma, symbols)[1] if isfinite(sigma) and sigma > 0 else ""
            cells += [TextSpan(difference_text(value, sigma)), TextSpan(spread, "dim")]
        rows.append(cells)
    return Grid(rows, "ll" + "ds" * len(columns), shrink=0)


def _base_differences(answer: Conditions) -> dict[str, ConditionDifference]:
    """Return the difference of each condition from its base, where that is computed too."""
    with_base = [one for one in answer.conditions if one.base in answer.tables]
    return {one.name: answer.difference(one.name, one.base) for one in with_base}


def schedule_blocks(answer: Schedule, source: str, symbols: Symbols, travel: Any, *, in_full: bool) -> list[PageBlock]:
    """Lay out steps of a schedule: mass, centre and fills, some of the steps; in full all, and moments of inertia."""
    n = len(answer.mass)
    shown = [k for k in range(n) if in_full or k % (1 + (n - 1) // _STEPS_SHOWN) == 0 or k == n - 1]
    heads, columns = list[str](), list[list[float]]()
    for name, unit, values in answer.columns():
        if name.startswith(("burned", "mass", "C", "fill")) or (in_full and name[:2] in ("Ix", "Iy", "Iz")):
            heads.append(f"{name} {unit_text(unit, symbols)}".rstrip())
            columns.append(values.tolist())
    rows = [[TextSpan(head, "dim") for head in heads]]
    rows += [[TextSpan(formatted_number(column[k])) for column in columns] for k in shown]
    title = f"schedule of {', '.join(answer.tanks)} in {count_with_noun(n - 1, 'step')}"
    notes = ["liquids are frozen; CG from the origin of the table"]
    notes += ["" if len(shown) == n else f"{len(shown)} of {n} rows are shown: -v", "-o writes derivatives by mass too"]
    kept = [f"inside envelope {one.envelope}" for one in travel.verdicts if one.inside]
    notes[:0] = [", ".join(kept)]
    words = TextSpan("; ".join(filter(None, notes)), "dim")
    head = text_line(symbols.mark(bool(travel.findings)), " ", TextSpan(title, "strong"), f": {source}")
    return [head, Line(), Grid(rows, "d" * len(heads), shrink=0), Line(), text_line(words)]


def condition_state(verdicts: Sequence[Any]) -> str:
    """Return the most severe verdict of a condition in a word."""
    found = {
        "kept" if one.kept else "undecided" if one.is_undecided else "broken" for one in verdicts if not one.waiver
    }
    order = ("broken", "undecided", "kept")
    return next((word for word in order if word in found), "waived" if verdicts else "no limit")


def condition_report(answer: Conditions, verdicts: _Verdicts, styled: Sequence[StyleTable] = ()) -> dict[str, Any]:
    """Export the conditions as JSON values, with differences from bases, verdicts if any, and tables of a style."""
    report = answer.to_dict() | ({"style": [one.to_dict() for one in styled]} if styled else {})
    report |= {"incomplete": words} if (words := _known_words(answer.bom)) else {}
    changes = _base_differences(answer)
    for one in report["conditions"]:
        if one["name"] in changes:
            one["from_base"] = changes[one["name"]].to_dict()
        if verdicts:
            own = verdicts[one["name"]]
            one |= {"limits": condition_state(own), "verdicts": [verdict.to_dict() for verdict in own]}
    return report


def style_blocks(
    tables: Sequence[StyleTable], symbols: Symbols, width: int | None, *, in_full: bool = False
) -> list[PageBlock]:
    """Lay out tables of a trade; one that is too wide continues below, with the same labels."""
    blocks: list[PageBlock] = []
    for table in (one for one in tables if in_full or not one.is_detail):
        labels, columns = _style_columns(table, symbols)
        blocks += [Line(), text_line(TextSpan(table.name, "strong"))]
        while columns:
            n, most = len(columns), width or 10**6
            while n > 1 and max(map(len, plain_text([_panel(labels, columns[:n])], None, symbols).splitlines())) > most:
                n -= 1
            blocks.append(_panel(labels, columns[:n]))
            columns = columns[n:]
        blocks += [text_line(TextSpan(f"  {note}", "dim"), hang=4) for note in table.notes]
    return blocks


def _style_columns(table: StyleTable, symbols: Symbols) -> tuple[list[str], _StyleColumns]:
    """Return labels and columns of a table; of a tall one its columns are rows."""
    levels = table.levels or [0] * len(table.rows.labels)
    labels = ["  " * level + label for level, label in zip(levels, table.rows.labels, strict=True)]
    columns: _StyleColumns = [(head, [(text, "") for text in texts]) for head, texts in table.texts.items()]
    for name, (unit, values, sigmas) in table.columns.items():
        heading = name if name.startswith("%") else f"{name} {unit_text(unit, symbols)}".rstrip()
        texts = [(x, *number_and_sigma(x, s, symbols)) for x, s in zip(values.tolist(), sigmas.tolist(), strict=True)]
        # large moments without a power of ten
        columns.append((heading, [(f"{x:.0f}" if "e+0" in one and not s else one, s) for x, one, s in texts]))
    if not table.is_tall and len(labels) > 1:
        return labels, columns
    return [head for head, _ in columns], [(label, [c[k] for _, c in columns]) for k, label in enumerate(labels)]


def _panel(labels: Sequence[str], columns: _StyleColumns) -> Grid:
    """Return a grid of some columns with the labels before them."""
    rows = [[TextSpan(""), *(TextSpan(text, "dim") for head, _ in columns for text in (head, ""))]]
    for k, label in enumerate(labels):
        cells = [TextSpan(text, style) for _, own in columns for text, style in zip(own[k], ("", "dim"), strict=True)]
        rows.append([TextSpan(label), *cells])
    return Grid(rows, "l" + "ds" * len(columns), shrink=0)
