"""Reasons of changes, from a file or from a column of the tables, and findings about matching and missing masses.

The reason of an assembly applies to every item below it without a reason of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom
from massprops_cli.findings.finding import Findings, Place, UsageError, name_list
from massprops_cli.revisions.diff import Diff, item_place
from massprops_cli.revisions.matching import part_numbers

_MOST_NAMED_ITEMS = 3


def check_matching(answer: Diff, findings: Findings) -> None:
    """Report roots with different ids, repeated part numbers, similar names and missing masses."""
    new, top = answer.new.bom, answer.new.root_item
    roots = answer.old.bom.ids[answer.old.root_item], new.ids[top]
    if roots[0] != roots[1]:
        message = f"roots have different ids: {roots[0]} and {roots[1]} (compared as the complete products)"
        findings.report("MP642", message, item_place(new, top), item=roots[1])
    parts = answer.matching.in_order
    if parts:
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


_Index = NDArray[np.intp]

_ITEM_HEADERS = ("item", "id")


def read_reasons(name: str) -> dict[str, str]:
    """Read the reasons of items: ``ITEM = "reason"`` of ``.toml``, or a table with ``item`` (``id``) and ``reason``."""
    return _read_toml_reasons(name) if name.lower().endswith(".toml") else _read_table_reasons(name)


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
    from massprops_cli.files.options import FileOptions
    from massprops_cli.files.reader import read_file_table

    table = read_file_table(name, FileOptions(), None, Findings())
    header = [text.strip().casefold() for text in table.row(0)]
    item = next((header.index(word) for word in _ITEM_HEADERS if word in header), None)
    if item is None or "reason" not in header:
        raise UsageError(f"{name}: file of reasons has columns {', '.join(header)} (expected item and reason)")
    found_here: dict[str, str] = {}
    columns = ([text.strip() for text in table.texts(k, 1)] for k in (item, header.index("reason")))
    for key, reason in zip(*columns, strict=True):
        if key and reason and found_here.setdefault(key, reason) != reason:
            raise UsageError(f"{name}: item has two reasons: {key} ({found_here[key]}; {reason})")
    return found_here


def read_column_reasons(bom: Bom, header: str) -> dict[str, str]:
    """Return the reasons in a column of a table."""
    from massprops_cli.findings.finding import nearest_name_hint
    from massprops_cli.tables.columns.header import columns_by_reference

    names = [text.strip() for text in bom.columns.header]
    at = [k for k, text in enumerate(names) if text == header] or [
        k for k, text in enumerate(names) if text.casefold() == header.casefold()
    ]
    at = at or columns_by_reference(header, bom.table)
    if len(at) != 1:
        problem = f"header is on {len(at)} columns" if at else "unknown column"
        near = "" if at else nearest_name_hint(header, names)
        raise UsageError(f"{bom.table.source.name}: {problem}: {header}{near}")
    cells = bom.table.texts(at[0])
    rows = bom.rows.tolist()
    return {bom.ids[i]: text for i, row in enumerate(rows) if row >= 0 and (text := cells[row].strip())}


def reasons_by_line(answer: Diff, of_old: Mapping[str, str], of_new: Mapping[str, str]) -> dict[int, str]:
    """Return the reason of every changed line: its own, or that of the nearest assembly above it with a reason."""
    texts: list[str] = []
    inherited = [
        _inherited_reasons(bom, reasons, texts) for bom, reasons in ((answer.old.bom, of_old), (answer.new.bom, of_new))
    ]
    by_line = {}
    for line in np.flatnonzero((answer.changes != 0) | ~answer.whole.same()).tolist():
        items = int(answer.matching.old[line]), int(answer.matching.new[line])
        number = inherited[1][items[1]] if items[1] >= 0 else inherited[0][items[0]]
        if number >= 0:
            by_line[line] = texts[number]
    return by_line


def _inherited_reasons(bom: Bom, reasons: Mapping[str, str], texts: list[str]) -> _Index:
    """Return the index into ``texts`` of every item's reason ``(n,)``; −1 where nothing up to the root has one."""
    number = np.full(len(bom), -1, np.intp)
    for i, name in enumerate(bom.ids) if reasons else ():
        if name in reasons:
            number[i] = len(texts)
            texts.append(reasons[name])
    for first, last in pairwise(bom.tree.levels[1:].tolist()) if reasons else ():
        items = bom.tree.order[first:last]
        number[items] = np.where(number[items] < 0, number[bom.tree.parent[items]], number[items])
    return number


def check_reasons(answer: Diff, given: Mapping[str, str], source: str, findings: Findings) -> None:
    """Report changes without a reason, and reasons of unchanged items."""
    lines = [line for line in answer.lines.tolist() if line not in answer.reasons]
    if lines:
        ids = [answer.id(line) for line in lines]
        places = [_line_place(answer, line) for line in lines[: _MOST_NAMED_ITEMS + 1]]
        words = f"changed items without a reason: {name_list(ids, _MOST_NAMED_ITEMS)}"
        findings.report("MP643", words, places[0], item=ids[0], count=len(lines), related=tuple(places[1:]))
    affected = _affected_ids(answer) if given else set()
    unused = [name for name in given if name not in affected]
    if unused:
        message = f"reasons of items that are missing or did not change: {name_list(unused, _MOST_NAMED_ITEMS)}"
        findings.report("MP644", message, Place(source), item=unused[0], count=len(unused))


def _line_place(answer: Diff, line: int) -> Place:
    """Return the place of the row of an item: in the new file if the item is in it."""
    old, new = int(answer.matching.old[line]), int(answer.matching.new[line])
    return item_place(answer.new.bom, new) if new >= 0 else item_place(answer.old.bom, old)


def _affected_ids(answer: Diff) -> set[str]:
    """Return the ids of changed items, and of the assemblies above them, in either file."""
    names: set[str] = set()
    for bom, items in ((answer.old.bom, answer.matching.old), (answer.new.bom, answer.matching.new)):
        changed = items[answer.lines]
        affected = set(changed[changed >= 0].tolist())
        parent = bom.tree.parent.tolist()
        waiting = list(affected)
        while waiting:
            up = parent[waiting.pop()]
            if up >= 0 and up not in affected:
                affected.add(up)
                waiting.append(up)
        names |= {bom.ids[i] for i in affected}
    return names
