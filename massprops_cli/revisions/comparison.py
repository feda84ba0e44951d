"""Two revisions compared: steps from one total to the other, reasons of changes, findings about matching and masses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.results.probability import QueryParser, dimension_unit, split_query_item
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import (
    Findings,
    FindingsError,
    Place,
    Severity,
    UsageError,
    error_of_function,
    name_list,
    nearest_name_hint,
)
from massprops_cli.options import MatchKey, RollupMethod, check_keywords, check_own_keywords, check_types, show_keywords
from massprops_cli.revisions import changes
from massprops_cli.revisions.attribution import COMPARED_RESULTS, COMPARED_SIGMAS, ChangeBreakdown
from massprops_cli.revisions.diff import Diff, diff_with_links, item_place, json_values
from massprops_cli.revisions.matching import Matching, item_matching, part_numbers
from massprops_cli.rollups.leaf_sums import item_magnitudes
from massprops_cli.tables.cells.units import Units, quantity_dimension
from massprops_cli.tables.columns.header import columns_by_reference

_QUANTITY_ABOVE = "quantity above"
"""Why an item contributes of which nothing changed: an assembly above it counts more or fewer times."""
_POSE_ABOVE = "pose above"  # why an item contributes of which nothing changed: the frame of an item above it moved
_SHARED_UNCERTAINTY = "shared uncertainty"
"""Why an item contributes to a sigma of which nothing changed: other members of its group or lot changed."""
_CHANGE_BELOW = "below"  # why an assembly contributes of which nothing changed
_THRESHOLD_EXAMPLE = "mass 1 kg"
_ABSOLUTE = ("mass", "predicted_mass", "Ixx", "Iyy", "Izz")  # results whose threshold may be a percentage
_POSITIONS = "ids from the position in the tree"  # words of a table without ids
_MOST_NAMED_ITEMS = 3


@dataclass(frozen=True, slots=True)
class _WaterfallStep:
    """One step: an item, its changes, its contribution to the result, and its reason."""

    id: str
    name: str
    words: tuple[str, ...]
    value: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Change of a result of an item: steps, rest, unchanged (NaN if no part is known) and rounding add up to it."""

    of: str
    item: str
    unit: str
    before: float
    after: float
    steps: tuple[_WaterfallStep, ...]  # the largest
    n_rest: int  # items that change it less, ``rest`` in sum
    rest: float
    unchanged: float  # of the others, to the sigma of a centre or tensor, because the centre moved
    rounding: float
    before_known: str = "whole"  # or lower bound, partial
    after_known: str = "whole"

    @property
    def change(self) -> float:
        """How the result changed."""
        return self.after - self.before

    def to_dict(self) -> dict[str, Any]:
        """Return the steps as plain JSON values."""
        return dict(json_values(asdict(self)))


def result_waterfall(
    answer: Diff, of: str = "mass", item: str | None = None, level: int | None = None, top: int | None = None
) -> Waterfall:
    """Split the change of a result of an item into its largest steps."""
    _check_result_name(of)
    breakdown = answer.whole if item is None else answer.at(item)
    column = breakdown.column(of, level)
    before, after, values = column.before, column.after, column.contributions
    if not isfinite(after - before):
        raise UsageError(f"{of} is not known in both files; run massprops validate on each file")
    is_known = bool(np.isfinite((*values, column.unchanged)).all())
    order = np.argsort(-np.abs(values), kind="stable")
    order = order[values[order] != 0] if is_known else order[:0]
    shown = order if top is None else order[:top]
    rest = order[len(shown) :]
    whole = of, answer.new.bom.ids[breakdown.new.top], result_unit(of, answer.units), before, after
    steps = tuple(waterfall_steps(answer, breakdown, shown.tolist(), values)), len(rest), float(values[rest].sum())
    unchanged, known = column.unchanged if is_known else np.nan, (breakdown.old.known(of), breakdown.new.known(of))
    return Waterfall(*whole, *steps, unchanged, column.rounding, *known)


def result_unit(of: str, units: Units) -> str:
    """Return the unit of a result."""
    kind = of.removeprefix("sigma_")
    return units.length if kind.startswith("C") else units.inertia if kind.startswith("I") else units.mass


def _check_result_name(of: str) -> None:
    """Raise UsageError, with the nearest name, for a result that is not compared."""
    known = (*COMPARED_RESULTS, *COMPARED_SIGMAS)
    if of not in known:
        raise UsageError(f"unknown result: {of}{nearest_name_hint(of, known)} (expected one of {', '.join(known)})")


def waterfall_steps(
    answer: Diff, breakdown: ChangeBreakdown, lines: list[int], values: np.ndarray
) -> Iterator[_WaterfallStep]:
    """Yield the steps of some lines of ``values (u,)``: item, changes, contribution and reason."""
    same = breakdown.same()
    for line in lines:
        items = int(answer.matching.old[line]), int(answer.matching.new[line])
        bom, item = (answer.new.bom, items[1]) if items[1] >= 0 else (answer.old.bom, items[0])
        name = "" if bom.names is None else bom.names[item]
        words = changes.ChangeKind(int(answer.changes[line])).words
        if not words:  # so it is in both files
            above = answer.changes[answer.matching.line_of_new[bom.tree.ancestors(item)]]
            is_moved, is_end = bool((above & changes.ChangeKind.POSE).any()), breakdown.new.ends[items[1]]
            of_item = _POSE_ABOVE if is_moved else _QUANTITY_ABOVE if is_end else _CHANGE_BELOW
            words = (_SHARED_UNCERTAINTY if same[line] and is_end else of_item,)
        yield _WaterfallStep(bom.ids[item], name, words, float(values[line]), answer.reasons.get(line, ""))


def _read_threshold(text: str, answer: Diff) -> tuple[int, str, float, bool, str]:
    """Parse a threshold: item, result, limit, whether it is a share of the old value, and the number as given."""
    query = " ".join(text.split())
    try:
        item, rest = split_query_item(query, answer.new.bom)
    except UsageError:
        gone, _ = split_query_item(query, answer.old.bom)  # raises for an item that is in neither file
        item_id = answer.old.bom.ids[gone]
        raise UsageError(f"item is not in {answer.names[1]}: {item_id} (a change requires it in both files)") from None
    reader = QueryParser(text, answer.units)
    if (matched := re.fullmatch(r"(\w+)\s+(.*)", rest)) is None:
        raise reader.error("is not a threshold", _THRESHOLD_EXAMPLE)
    of = matched[1]
    _check_result_name(of)
    dimension = _result_dimension(of)
    number, unit = reader.measure(matched[2], _THRESHOLD_EXAMPLE)
    if number is None or number < 0:
        raise reader.error("has no limit of the change", _THRESHOLD_EXAMPLE)
    if unit == "%":
        if of not in _ABSOLUTE and not of.startswith("sigma_"):
            raise reader.error(f"is a percentage of {of}, whose zero depends on the frame", "Cx 2 mm")
        return item, of, number / 100, True, matched[2]
    words = f"{matched[2]} {'' if unit else dimension_unit(answer.units, dimension)}".strip()
    return item, of, reader.value((number, unit), "", dimension, 0.0), False, words


def _check_threshold(answer: Diff, text: str, findings: Findings) -> None:
    """Report a threshold that is crossed by a change, or whose change is not known."""
    item, of, most, is_share, words = _read_threshold(text, answer)
    name, place = answer.new.bom.ids[item], item_place(answer.new.bom, item)
    breakdown = answer.whole if item == answer.new.root_item else answer.at(name)
    before, after, *_ = breakdown.column(of)
    ends = zip(answer.names, (breakdown.old, breakdown.new), (before, after), strict=True)
    if files := [file for file, side, value in ends if not isfinite(value) or side.known(of) != "whole"]:
        state = "known for some parts only" if isfinite(after - before) else "not known"
        message = f"{name}: {of} is {state} in {' and '.join(files)}, threshold {words} is undecided"
        findings.report("MP640", message, place, item=name, remedy="enter the missing values in both files")
        return
    most = most * abs(before) if is_share else most
    change = after - before
    if abs(change) <= most + changes.SAME_VALUE * max(abs(before), abs(after)) + _result_rounding(breakdown, of):
        return
    change_text = f"{change:+.6g} {dimension_unit(answer.units, _result_dimension(of))}".strip()
    share = f", {100 * change / abs(before):+.3g} %" if is_share and before else ""
    message = f"{name}: {of} changed by {change_text}{share} (threshold {words})"
    findings.report("MP640", message, place, value=change_text, item=name)


def _result_rounding(breakdown: ChangeBreakdown, of: str) -> float:
    """Return the rounding error of a result before and after: that of the terms, not of their sum."""
    found = 0.0
    for side in (breakdown.old, breakdown.new):
        bom, rolled = side.result.bom, side.result.rollup
        sizes = item_magnitudes(replace(bom.rollup_inputs(), bodies=rolled.bodies), side.top, rolled.bodies)
        name = of if of in sizes else "mass" if "mass" in of else ""
        of_mass, of_length = side.numbers.factors
        factor = of_length if name.startswith("C") else of_mass * of_length**2 if name.startswith("I") else of_mass
        found += changes.SAME_VALUE * (sizes.get(name, 0.0) * factor)
    return found


def _result_dimension(of: str) -> tuple[int, int, int]:
    """Return the powers of mass, length and time of a result that is compared."""
    dimension = quantity_dimension(of.removeprefix("predicted_"))
    assert dimension is not None
    return dimension


def diff(
    old: BomSource,
    new: BomSource,
    *,
    match: MatchKey | None = None,
    uncertainty: RollupMethod = "auto",
    thresholds: Sequence[str] = (),
    reasons: Mapping[str, str] | str = "",
    reason_column: str = "",
    keep_going: bool = False,
    **unknown: Never,
) -> Diff:
    """Compare two revisions: the items that changed, and the effect of each change on the totals.

    Parameters
    ----------
    old, new : BomSource
        The revisions before and after; a path, an open file or a DataFrame is read with the defaults of ``read_bom``.
    match : {"id", "part"}, optional
        Match items by id or by part number; default: by id, or by part number where ids are positions in the tree. The
        roots are always matched.
    uncertainty : {"auto", "covariance", "massprops", "none"}, optional
        As in ``rollup``, which also has ``montecarlo``.
    thresholds : sequence of str, optional
        Largest changes (``mass 1 kg``, ``PLD: mass 0.5 %``); a larger one is an error among ``comparison_findings``.
    reasons : mapping of str to str, or str, optional
        Reasons of changes by item, or the name of a file of them.
    reason_column : str, optional
        Reasons of changes: a column of the new table, and of the old one for removed items.
    keep_going : bool, optional
        Compare what can be computed in spite of errors.

    Returns
    -------
    Diff
        Numbers in the units of ``new``; contributions add up to the change of the total at every level.

    Raises
    ------
    UsageError
        An unknown keyword, a wrong way of matching or threshold, or units stated by one of the tables only.
    FindingsError
        A table has errors.

    Notes
    -----
    Contributions: docs/diff.md.

    Examples
    --------
    >>> from massprops_cli.bom.bom import Bom
    >>> def revision(mass):
    ...     return Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": mass}])
    >>> answer = diff(revision(2.0), revision(3.5))
    >>> [(row.id, row.changes, row.contributions["mass"]) for row in answer.rows()]
    [('a', ('mass',), 1.5)]
    """
    check_own_keywords(unknown, diff)
    check_types({"thresholds": thresholds, "reasons": reasons, "reason_column": reason_column}, diff.__annotations__)
    check_keywords({"match": match}, ("match",))
    if uncertainty == "montecarlo":
        raise UsageError("diff compares numbers, not samples; use uncertainty covariance, massprops or none")
    before, after = bom_from(old, "old"), bom_from(new, "new")
    try:
        results = rollup(before, uncertainty, keep_going=keep_going), rollup(after, uncertainty, keep_going=keep_going)
    except FindingsError as error:
        raise error_of_function(error, "diff") from None
    return results_diff(results, match, thresholds=thresholds, reasons=reasons, reason_column=reason_column)


show_keywords(diff)


def results_diff(
    results: tuple[Result, Result],
    match: MatchKey | None = None,
    *,
    thresholds: Sequence[str] = (),
    reasons: Mapping[str, str] | str = "",
    reason_column: str = "",
) -> Diff:
    """Compare two roll-ups, as ``diff`` does."""
    boms = results[0].bom, results[1].bom
    has_positions = any(_POSITIONS in bom.how for bom in boms)
    if match is None:
        has_parts = all(bom.part_numbers is not None for bom in boms)
        match = "part" if has_positions and has_parts else "id"
    answer = _rollup_diff(results, item_matching(*boms, match), match)
    findings = Findings()
    for text in thresholds:
        _check_threshold(answer, text, findings)
    _check_matching(answer, findings)
    if has_positions and match == "id":
        message = "items matched by their positions in the tree, which an inserted row changes"
        remedy = "add a column of ids or of part numbers to both files"
        findings.report(
            "MP641", message, boms[1].table.place(boms[1].columns.header_row), remedy=remedy, severity=Severity.WARNING
        )
    if reasons or reason_column:
        answer = _diff_with_reasons(answer, reasons, reason_column, findings)
    answer = diff_with_links(answer, findings)
    return replace(answer, comparison_findings=tuple(findings))


def _rollup_diff(results: tuple[Result, Result], matching: Matching, by: str) -> Diff:
    """Compare two roll-ups item by item, in the units of the second."""
    old, new = (result.bom for result in results)
    has_lengths = old.bodies.center is not None and new.bodies.center is not None
    factors = changes.revision_unit_factors(old.units, new.units, lengths=has_lengths)
    numbers = changes.rolled_up_numbers(results[0], factors), changes.rolled_up_numbers(results[1], (1.0, 1.0))
    before, after = changes.predicted_numbers(*numbers)
    if factors != (1.0, 1.0):
        before = changes.snapped_numbers(before, after, matching)
    sides = (
        changes.revision_from_item(results[0], before, results[0].root_item),
        changes.revision_from_item(results[1], after, results[1].root_item),
    )
    return Diff(*results, matching, by, (before, after), changes.line_changes(matching, (old, new), sides))


def _diff_with_reasons(answer: Diff, reasons: Mapping[str, str] | str, column: str, findings: Findings) -> Diff:
    """Add the reasons to the changes, and report missing or unused reasons."""
    if reasons and column:
        raise UsageError("reasons are given in a file and in a column (expected one of them)")
    if column:
        of_new = _read_column_reasons(answer.new.bom, column)
        has_old = any(text.strip().casefold() == column.casefold() for text in answer.old.bom.columns.header)
        of_old = _read_column_reasons(answer.old.bom, column) if has_old else {}
        given: dict[str, str] = {}
        source = ""
    else:
        given, source = dict(reasons) if isinstance(reasons, Mapping) else {}, ""
        if isinstance(reasons, str):
            is_toml, source = reasons.lower().endswith(".toml"), reasons
            given = _read_toml_reasons(reasons) if is_toml else _read_table_reasons(reasons)
        of_old = of_new = given
    # reason of every changed line: its own, or that of the nearest assembly above it with a reason
    texts: list[str] = []
    sides = ((answer.old.bom, of_old), (answer.new.bom, of_new))
    inherited = [_inherited_reasons(bom, reasons, texts) for bom, reasons in sides]
    by_line = {}
    for line in np.flatnonzero((answer.changes != 0) | ~answer.whole.same()).tolist():
        items = int(answer.matching.old[line]), int(answer.matching.new[line])
        number = inherited[1][items[1]] if items[1] >= 0 else inherited[0][items[0]]
        if number >= 0:
            by_line[line] = texts[number]
    answer = replace(answer, reasons=by_line)
    if lines := [line for line in answer.lines.tolist() if line not in answer.reasons]:
        ids = [answer.id(line) for line in lines]
        rows = [(int(answer.matching.old[line]), int(answer.matching.new[line])) for line in lines]
        first, (before, after) = rows[: _MOST_NAMED_ITEMS + 1], (answer.old.bom, answer.new.bom)
        places = [item_place(after, new) if new >= 0 else item_place(before, old) for old, new in first]
        words = f"changed items without a reason: {name_list(ids, _MOST_NAMED_ITEMS)}"
        findings.report("MP643", words, places[0], item=ids[0], count=len(lines), related=tuple(places[1:]))
    affected = _affected_ids(answer) if given else set()
    if unused := [name for name in given if name not in affected]:
        message = f"reasons of items that are missing or did not change: {name_list(unused, _MOST_NAMED_ITEMS)}"
        findings.report("MP644", message, Place(source), item=unused[0], count=len(unused))
    return answer


def _check_matching(answer: Diff, findings: Findings) -> None:
    """Report roots with different ids, repeated part numbers, similar names and missing masses."""
    new, top = answer.new.bom, answer.new.root_item
    roots = answer.old.bom.ids[answer.old.root_item], new.ids[top]
    if roots[0] != roots[1]:
        message = f"roots have different ids: {roots[0]} and {roots[1]} (compared as the complete products)"
        findings.report("MP642", message, item_place(new, top), item=roots[1])
    if parts := answer.matching.in_order:
        message = f"repeated part numbers matched in the order of the rows: {name_list(parts, _MOST_NAMED_ITEMS)}"
        findings.report("MP641", message, new.table.place(new.columns.header_row), count=len(parts))
    _check_similar_ids(answer, findings)
    _check_known_masses(answer, findings)


def _check_similar_ids(answer: Diff, findings: Findings) -> None:
    """Report removed and added items whose names differ only in case, blanks or leading zeros."""
    matching, by_part = answer.matching, answer.by == "part"
    of_old, of_new = (part_numbers(bom) if by_part else bom.ids for bom in (answer.old.bom, answer.new.bom))
    gone = {_simplified_id(of_old[i]): of_old[i] for i in matching.old[matching.new < 0].tolist() if of_old[i].strip()}
    added = matching.new[matching.old < 0].tolist()
    alike = [(item, was) for item in added if (was := gone.get(_simplified_id(of_new[item]))) is not None]
    if not alike:
        return
    pairs = [f"{of_new[item]!r} added, {was!r} removed" for item, was in alike]
    bom, first = answer.new.bom, alike[0][0]
    message = f"similar {'part numbers' if by_part else 'ids'} are not matched: {name_list(pairs, _MOST_NAMED_ITEMS)}"
    findings.report("MP646", message, item_place(bom, first), item=bom.ids[first], count=len(alike))


def _simplified_id(text: str) -> str:
    """Return a text without case, blanks and leading zeros."""
    bare = "".join(text.casefold().split())
    return bare.lstrip("0") or bare


def _check_known_masses(answer: Diff, findings: Findings) -> None:
    """Report a total that covers the known parts only."""
    for result in (answer.new, answer.old):
        bom, top = result.bom, result.root_item
        for word, rolled in (("mass", result.rollup), ("predicted mass", result.predicted)):
            if rolled is None:
                continue
            known, rows = int(rolled.coverage.known_mass[top]), int(rolled.coverage.rows[top])
            if known < rows:
                name = bom.table.source.name
                message = f"{bom.ids[top]}: {word} in {name} is known for {known:,} of {rows:,} parts"
                findings.report("MP645", message, item_place(bom, top), item=bom.ids[top])
                break  # a part without a mass has no predicted mass


def _read_toml_reasons(name: str) -> dict[str, str]:
    """Read ``ITEM = "reason"``."""
    from massprops_cli.bom.configuration_file import toml_tables

    try:
        content = toml_tables(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: file of reasons cannot be read: {error}") from None
    content = content.get("reasons", content)
    wrong = [key for key, value in content.items() if not isinstance(value, str)] if isinstance(content, dict) else [""]
    if wrong:
        raise UsageError(f'{name}: reason of {wrong[0]} is not a text; write "{wrong[0] or "ITEM"}" = "reason"')
    return dict(content)


def _read_table_reasons(name: str) -> dict[str, str]:
    """Read the columns ``item`` and ``reason`` of a table."""
    table = read_file_table(name, FileOptions(), None, Findings())
    header = [text.strip().casefold() for text in table.row(0)]
    item = next((header.index(word) for word in ("item", "id") if word in header), None)
    if item is None or "reason" not in header:
        raise UsageError(f"{name}: file of reasons has columns {', '.join(header)} (expected item and reason)")
    found_here: dict[str, str] = {}
    columns = ([text.strip() for text in table.texts(k, 1)] for k in (item, header.index("reason")))
    for key, reason in zip(*columns, strict=True):
        if key and reason and found_here.setdefault(key, reason) != reason:
            raise UsageError(f"{name}: item has two reasons: {key} ({found_here[key]}; {reason})")
    return found_here


def _read_column_reasons(bom: Bom, header: str) -> dict[str, str]:
    """Return the reasons in a column of a table."""
    names = [text.strip() for text in bom.columns.header]
    equal = [k for k, text in enumerate(names) if text == header]
    at = equal or [k for k, text in enumerate(names) if text.casefold() == header.casefold()]
    at = at or columns_by_reference(header, bom.table)
    if len(at) != 1:
        problem = f"header is on {len(at)} columns" if at else "unknown column"
        near = "" if at else nearest_name_hint(header, names)
        raise UsageError(f"{bom.table.source.name}: {problem}: {header}{near}")
    cells = bom.table.texts(at[0])
    return {bom.ids[i]: text for i, row in enumerate(bom.rows.tolist()) if row >= 0 and (text := cells[row].strip())}


def _inherited_reasons(bom: Bom, reasons: Mapping[str, str], texts: list[str]) -> NDArray[np.intp]:
    """Return the index into ``texts`` of every item's reason ``(n,)``; −1 where nothing up to the root has one."""
    number = np.full(len(bom), -1, np.intp)
    for i, name in enumerate(bom.ids) if reasons else ():
        if name in reasons:
            number[i] = len(texts)
            texts.append(reasons[name])
    for items, above in bom.tree.levels_below_root() if reasons else ():
        number[items] = np.where(number[items] < 0, number[above], number[items])
    return number


def _affected_ids(answer: Diff) -> set[str]:
    """Return the ids of changed items, and of the assemblies above them, in either file."""
    names: set[str] = set()
    for bom, items in ((answer.old.bom, answer.matching.old), (answer.new.bom, answer.matching.new)):
        changed = items[answer.lines]
        affected = set(changed[changed >= 0].tolist())
        parent = bom.tree.parent.tolist()
        waiting = list(affected)
        while waiting:
            if (up := parent[waiting.pop()]) >= 0 and up not in affected:
                affected.add(up)
                waiting.append(up)
        names |= {bom.ids[i] for i in affected}
    return names
