"""Which sheet of a workbook is the table: the one asked for, the only candidate, or the only one that looks right."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from massprops_cli.files.workbook.reading.package import SheetEntry
from massprops_cli.findings import Finding, Place, TableError, found

LooksLikeTable = Callable[[list[str]], bool]
"""Tells whether the texts of a header row look like those of a table of parts."""

Peek = Callable[[SheetEntry], list[list[str]]]
"""Gives the texts of a sheet's first rows that are not blank."""

SAMPLES, SAMPLES_HEAD = "Samples", ("item", "statistic")
"""The sheet that only a simulation adds, and how its header begins."""

OWN_SHEETS = frozenset({"Rollup", SAMPLES, "Findings", "About"})
"""Sheets that a roll-up adds to a workbook; they are its own where `MARKER` stands in cell A1 of the last."""

MARKER = "massprops"

LISTED = 5
"""How many sheets a remedy names."""
_OWN_NAME = re.compile(rf"({'|'.join(sorted(OWN_SHEETS))})(?: \({MARKER}(?: \d+)?\))?")


def choose_sheet(
    name: str, entries: Sequence[SheetEntry], wanted: str, peek: Peek, looks_like_table: LooksLikeTable | None
) -> tuple[SheetEntry, list[Finding]]:
    """Choose the sheet that is the table, and say so where there are others that are not the tool's own.

    Raises TableError (MP111, MP112, MP113) when there is not exactly one. ``wanted`` is a name, or a number counted
    from 1 over all sheets; a sheet whose name is a number goes by its name.
    """
    if wanted:
        return _wanted(name, entries, wanted), []
    own = _own_sheets(entries, peek)
    worksheets = [e for e in entries if e.kind == "worksheet" and e.state != "veryHidden" and e.name not in own]
    if len(worksheets) == 1:
        return worksheets[0], []
    chosen = _chosen(name, entries, worksheets, peek, looks_like_table)
    others = listed([entry for entry in worksheets if entry is not chosen])
    message = f"sheet {chosen.name!r} holds the table; not read: {others}"
    return chosen, [found("MP142", message, Place(name, sheet=chosen.name))]


def _chosen(
    name: str,
    entries: Sequence[SheetEntry],
    worksheets: Sequence[SheetEntry],
    peek: Peek,
    looks_like_table: LooksLikeTable | None,
) -> SheetEntry:
    """Give the only one of several worksheets that can be the table."""
    heads = {entry.name: peek(entry) for entry in worksheets}
    candidates = [entry for entry in worksheets if _may_be_table(heads[entry.name])]
    if looks_like_table and len(candidates) > 1:
        likely = [e for e in candidates if any(map(looks_like_table, heads[e.name]))]
        candidates = likely if len(likely) == 1 else candidates
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        message = f"no sheet holds a table; the workbook has {listed(entries)}"
        raise TableError([found("MP111", message, Place(name))])
    message = f"{len(candidates)} sheets could be the table: {listed(candidates)}"
    raise TableError(
        [
            found(
                "MP112",
                message,
                Place(name),
                remedy="name one: " + " or ".join(f"--sheet {_quoted(entry.name)}" for entry in candidates[:LISTED]),
            )
        ]
    )


def listed(entries: Sequence[SheetEntry]) -> str:
    """Name sheets for a message.

    >>> listed([SheetEntry("Parts", ""), SheetEntry("Old", "", state="hidden")])
    "'Parts', 'Old' (hidden)"
    """
    marks = {"hidden": " (hidden)", "veryHidden": " (hidden)"}
    return ", ".join(
        f"'{e.name}'" + marks.get(e.state, "" if e.kind == "worksheet" else f" ({e.kind})") for e in entries
    )


def _wanted(name: str, entries: Sequence[SheetEntry], wanted: str) -> SheetEntry:
    exact = [e for e in entries if e.name == wanted]
    alike = exact or [e for e in entries if e.name.casefold() == wanted.casefold()]
    if not alike and wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted[:9]) <= len(entries):
        alike = [entries[int(wanted[:9]) - 1]]
    if not alike:
        message = f"there is no sheet {wanted!r}; the workbook has {listed(entries)}"
        raise TableError([found("MP113", message, Place(name), value=wanted)])
    if alike[0].kind != "worksheet":
        message = f"sheet {alike[0].name!r} is a {alike[0].kind} and holds no table; the workbook has {listed(entries)}"
        raise TableError([found("MP113", message, Place(name), value=wanted)])
    return alike[0]


def _own_sheets(entries: Sequence[SheetEntry], peek: Peek) -> frozenset[str]:
    """Give the names of the tool's sheets; where a user's has one of them, the tool's is the last with an ending."""
    own: dict[str, SheetEntry] = {}
    for entry in entries:
        known = _OWN_NAME.fullmatch(entry.name)
        if known and known[1] == SAMPLES and not _has_samples(peek(entry)):
            continue  # there need not be one of the tool's beside a user's
        if known and entry.kind == "worksheet":
            last = own.get(known[1])
            own[known[1]] = entry if last is None else max(last, entry, key=_ending)
    if "About" not in own:
        return frozenset()
    head = peek(own["About"])
    is_marked = bool(head and head[0] and head[0][0] == MARKER)
    return frozenset(entry.name for entry in own.values()) if is_marked else frozenset()


def _has_samples(head: list[list[str]]) -> bool:
    return bool(head) and tuple(head[0][: len(SAMPLES_HEAD)]) == SAMPLES_HEAD


def _ending(entry: SheetEntry) -> tuple[int, str]:
    return len(entry.name), entry.name


def _may_be_table(head: list[list[str]]) -> bool:
    columns = {j for row in head for j, text in enumerate(row) if text}
    return len(head) >= 2 and len(columns) >= 2


def _quoted(text: str) -> str:
    return f'"{text}"' if not text.isalnum() else text
