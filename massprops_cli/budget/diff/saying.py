"""What is to be said about how two files were matched, and how far their totals go."""

from __future__ import annotations

from collections.abc import Sequence

from massprops_cli.budget.diff.diff import Diff, place_of
from massprops_cli.budget.diff.matching import part_numbers
from massprops_cli.findings import Finding, found

NAMED = 3
"""Items that a finding names before it says how many more there are."""


def say_matching(answer: Diff) -> list[Finding]:
    """Say where the matching was not by the words of the files alone."""
    findings = []
    new, top = answer.new.bom, answer.new.root_item
    roots = answer.old.bom.ids[answer.old.root_item], new.ids[top]
    if roots[0] != roots[1]:
        message = f"the roots are {roots[0]} and {roots[1]}, and each is the whole of its file"
        findings.append(found("MP642", message, place_of(new, top), item=roots[1]))
    parts = answer.matching.in_order
    if parts:
        message = f"matched in the order of the rows where a part stands several times: {some(parts)}"
        findings.append(found("MP641", message, new.table.place(new.columns.header_row), count=len(parts)))
    return [*findings, *say_alike(answer), *say_missing(answer)]


def say_alike(answer: Diff) -> list[Finding]:
    """Warn of items that are gone where a new one is called the same but for case, blanks or zeros in front."""
    matching, by_part = answer.matching, answer.by == "part"
    of_old, of_new = (part_numbers(bom) if by_part else bom.ids for bom in (answer.old.bom, answer.new.bom))
    gone = {simplified(of_old[i]): of_old[i] for i in matching.old[matching.new < 0].tolist() if of_old[i].strip()}
    added = matching.new[matching.old < 0].tolist()
    alike = [(item, was) for item in added if (was := gone.get(simplified(of_new[item]))) is not None]
    if not alike:
        return []
    pairs = [f"{of_new[item]!r} is new and {was!r} is gone" for item, was in alike]
    bom, first = answer.new.bom, alike[0][0]
    message = f"{'part numbers' if by_part else 'ids'} are compared exactly: {some(pairs)}"
    return [found("MP646", message, place_of(bom, first), item=bom.ids[first], count=len(alike))]


def simplified(text: str) -> str:
    """Leave case, blanks and zeros in front out of a text.

    >>> simplified("TNK-01 a"), simplified("tnk-01A"), simplified("007"), simplified("7")
    ('tnk-01a', 'tnk-01a', '7', '7')
    """
    bare = "".join(text.casefold().split())
    return bare.lstrip("0") or bare


def say_missing(answer: Diff) -> list[Finding]:
    """Warn where a total covers what is known only, so that its change is of that."""
    findings = []
    for result in (answer.new, answer.old):
        bom, top = result.bom, result.root_item
        for word, rolled in (("mass", result.rollup), ("predicted mass", result.predicted)):
            if rolled is None:
                continue
            known, rows = int(rolled.coverage.known_mass[top]), int(rolled.coverage.rows[top])
            if known < rows:
                name = bom.table.source.name
                message = f"{bom.ids[top]}: the {word} in {name} is known of {known:,} of {rows:,} parts"
                findings.append(found("MP645", message, place_of(bom, top), item=bom.ids[top]))
                break  # what has no mass has no predicted mass either
    return findings


def some(names: Sequence[str]) -> str:
    """Name a few, and say how many more there are.

    >>> some(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more:,} more" if more > 0 else "")
