"""Why items changed: a code or a few words for each, from a file or from a column of the tables.

What is said of an assembly holds for everything below it that has no reason of its own.

What is to be said about how two files were matched, and how far their totals go.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom import Bom
from massprops_cli.findings import Findings, Place, UsageError, name_list
from massprops_cli.revisions.diff import Diff, item_place
from massprops_cli.revisions.matching import part_numbers

_MOST_NAMED_ITEMS = 3
"""Items that a finding names before it says how many more there are."""


def check_matching(answer: Diff, findings: Findings) -> None:
    """Report where the matching was not by the words of the files alone."""
    new, top = answer.new.bom, answer.new.root_item
    roots = answer.old.bom.ids[answer.old.root_item], new.ids[top]
    if roots[0] != roots[1]:
        message = f"the roots are {roots[0]} and {roots[1]}, and each is the whole of its file"
        findings.report("MP642", message, item_place(new, top), item=roots[1])
    parts = answer.matching.in_order
    if parts:
        message = (
            f"matched in the order of the rows where a part stands several times: {name_list(parts, _MOST_NAMED_ITEMS)}"
        )
        findings.report("MP641", message, new.table.place(new.columns.header_row), count=len(parts))
    _check_similar_ids(answer, findings)
    _check_known_masses(answer, findings)


def _check_similar_ids(answer: Diff, findings: Findings) -> None:
    """Warn of items that are gone where a new one is called the same but for case, blanks or zeros in front."""
    matching, by_part = answer.matching, answer.by == "part"
    of_old, of_new = (part_numbers(bom) if by_part else bom.ids for bom in (answer.old.bom, answer.new.bom))
    gone = {_simplified_id(of_old[i]): of_old[i] for i in matching.old[matching.new < 0].tolist() if of_old[i].strip()}
    added = matching.new[matching.old < 0].tolist()
    alike = [(item, was) for item in added if (was := gone.get(_simplified_id(of_new[item]))) is not None]
    if not alike:
        return
    pairs = [f"{of_new[item]!r} is new and {was!r} is gone" for item, was in alike]
    bom, first = answer.new.bom, alike[0][0]
    message = f"{'part numbers' if by_part else 'ids'} are compared exactly: {name_list(pairs, _MOST_NAMED_ITEMS)}"
    findings.report("MP646", message, item_place(bom, first), item=bom.ids[first], count=len(alike))


def _simplified_id(text: str) -> str:
    """Leave case, blanks and zeros in front out of a text.

    >>> _simplified_id("TNK-01 a"), _simplified_id("tnk-01A"), _simplified_id("007"), _simplified_id("7")
    ('tnk-01a', 'tnk-01a', '7', '7')
    """
    bare = "".join(text.casefold().split())
    return bare.lstrip("0") or bare


def _check_known_masses(answer: Diff, findings: Findings) -> None:
    """Warn where a total covers what is known only, so that its change is of that."""
    for result in (answer.new, answer.old):
        bom, top = result.bom, result.root_item
        for word, rolled in (("mass", result.rollup), ("predicted mass", result.predicted)):
            if rolled is None:
                continue
            known, rows = int(rolled.coverage.known_mass[top]), int(rolled.coverage.rows[top])
            if known < rows:
                name = bom.table.source.name
                message = f"{bom.ids[top]}: the {word} in {name} is known of {known:,} of {rows:,} parts"
                findings.report("MP645", message, item_place(bom, top), item=bom.ids[top])
                break  # what has no mass has no predicted mass either


_Index = NDArray[np.intp]

_ITEM_HEADERS = ("item", "id")
"""The names that the column of items of a file of reasons can have."""


def read_reasons(name: str) -> dict[str, str]:
    """Read a file that gives items their reasons: item → reason.

    A ``.toml`` file holds lines ``ITEM = "reason"``, under ``[reasons]`` or at the top; any other file is a table with
    the columns ``item`` (or ``id``) and ``reason``. Raises UsageError where it holds something else, or an item twice
    with different reasons; TableError where there is no table.
    """
    return _read_toml_reasons(name) if name.lower().endswith(".toml") else _read_table_reasons(name)


def _read_toml_reasons(name: str) -> dict[str, str]:
    """Read ``ITEM = "reason"``."""
    import tomllib

    try:
        content = tomllib.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name}: the reasons cannot be read: {error}") from None
    content = content.get("reasons", content)
    wrong = [key for key, value in content.items() if not isinstance(value, str)] if isinstance(content, dict) else [""]
    if wrong:
        raise UsageError(f'{name}: the reason of {wrong[0]} is no text; write "{wrong[0] or "ITEM"}" = "reason"')
    return dict(content)


def _read_table_reasons(name: str) -> dict[str, str]:
    """Read the columns ``item`` and ``reason`` of a table."""
    from massprops_cli.files import FileOptions, read_file_table

    table = read_file_table(name, FileOptions(), None, Findings())
    header = [text.strip().casefold() for text in table.row(0)]
    item = next((header.index(word) for word in _ITEM_HEADERS if word in header), None)
    if item is None or "reason" not in header:
        raise UsageError(f"{name}: a file of reasons has the columns item and reason; it has {', '.join(header)}")
    found_here: dict[str, str] = {}
    columns = ([text.strip() for text in table.texts(k, 1)] for k in (item, header.index("reason")))
    for key, reason in zip(*columns, strict=True):
        if key and reason and found_here.setdefault(key, reason) != reason:
            raise UsageError(f"{name}: {key} has two reasons, {found_here[key]} and {reason}")
    return found_here


def read_column_reasons(bom: Bom, header: str) -> dict[str, str]:
    """Return the reasons in a column of a table: id → text; raises UsageError where there is no such column."""
    from massprops_cli.findings import nearest_name_hint
    from massprops_cli.tables import columns_by_reference

    names = [text.strip() for text in bom.columns.header]
    at = [k for k, text in enumerate(names) if text == header] or [
        k for k, text in enumerate(names) if text.casefold() == header.casefold()
    ]
    at = at or columns_by_reference(header, bom.table)
    if len(at) != 1:
        count, near = (f"{len(at)} columns are", "") if at else ("no column is", nearest_name_hint(header, names))
        raise UsageError(f"{bom.table.source.name}: {count} called {header}{near}")
    cells = bom.table.texts(at[0])
    rows = bom.rows.tolist()
    return {bom.ids[i]: text for i, row in enumerate(rows) if row >= 0 and (text := cells[row].strip())}


def reasons_by_line(answer: Diff, of_old: Mapping[str, str], of_new: Mapping[str, str]) -> dict[int, str]:
    """Return lines their reasons: the item's own, or that of the nearest assembly above that has one.

    These are the lines that changed, and those that only count more often, or weigh more with what is below them.
    """
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
    """Number every item's reason ``(n,)`` as it is added to ``texts``; −1 where nothing up to the root has one."""
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
    """Report which changes have no reason, and which reasons ``given`` in a file are of nothing that changed."""
    lines = [line for line in answer.lines.tolist() if line not in answer.reasons]
    if lines:
        ids = [answer.id(line) for line in lines]
        places = [_line_place(answer, line) for line in lines[: _MOST_NAMED_ITEMS + 1]]
        words = f"no reason is given for the change of {name_list(ids, _MOST_NAMED_ITEMS)}"
        findings.report("MP643", words, places[0], item=ids[0], count=len(lines), related=tuple(places[1:]))
    touched = _affected_ids(answer) if given else set()
    unused = [name for name in given if name not in touched]
    if unused:
        message = f"a reason is given for what did not change: {name_list(unused, _MOST_NAMED_ITEMS)}"
        findings.report("MP644", message, Place(source), item=unused[0], count=len(unused))


def _line_place(answer: Diff, line: int) -> Place:
    """Say where the row of a line stands: in the new file if it is there."""
    old, new = int(answer.matching.old[line]), int(answer.matching.new[line])
    return item_place(answer.new.bom, new) if new >= 0 else item_place(answer.old.bom, old)


def _affected_ids(answer: Diff) -> set[str]:
    """Return the ids of what changed, and of the assemblies above it, in either file."""
    names: set[str] = set()
    for bom, items in ((answer.old.bom, answer.matching.old), (answer.new.bom, answer.matching.new)):
        changed = items[answer.lines]
        touched = set(changed[changed >= 0].tolist())
        parent = bom.tree.parent.tolist()
        waiting = list(touched)
        while waiting:
            up = parent[waiting.pop()]
            if up >= 0 and up not in touched:
                touched.add(up)
                waiting.append(up)
        names |= {bom.ids[i] for i in touched}
    return names
