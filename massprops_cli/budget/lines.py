"""On which line of a TOML file a list of tables has its entries, and these their keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_ENTRY = re.compile(r"\s*\[\[\s*([A-Za-z0-9_-]+)\s*\]\]\s*(?:#.*)?")
_TABLE = re.compile(r"\s*\[{1,2}\s*[A-Za-z][^,]*\]\s*(?:#.*)?")
_KEY = re.compile(r"\s*\"?([A-Za-z0-9_-]+)\"?\s*[=.]")


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of one entry, from 1; None where they are not known."""

    head: int | None = None
    keys: Mapping[str, int] = field(default_factory=dict)

    def of(self, key: str) -> int | None:
        """Give the line of a key, or of the entry's head where the key has none of its own."""
        return self.keys.get(key, self.head)


def lines_of(text: str, name: str, count: int) -> list[Lines]:
    """Find the ``count`` entries ``[[name]]`` of a file; entries written in another way have no lines.

    >>> [one] = lines_of('[[budget]]\\nitem = "SAT"\\n', "budget", 1)
    >>> one.head, one.of("item"), one.of("basis")
    (1, 2, 1)
    """
    found: list[tuple[int, dict[str, int]]] = []
    keys: dict[str, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        head = _ENTRY.fullmatch(line)
        if head is not None and head[1] == name:
            keys = {}
            found.append((number, keys))
        elif head is not None or _TABLE.fullmatch(line):
            keys = None
        elif keys is not None and (key := _KEY.match(line)):
            keys.setdefault(key[1], number)
    if len(found) != count:
        return [Lines()] * count
    return [Lines(head, keys) for head, keys in found]
