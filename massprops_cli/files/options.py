"""How a file is to be read: what the user said about it, and the caps that guard the machine."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Caps:
    """Limits on what is read; a refusal names the cap and the option that raises it (``--max-…``)."""

    members: int = 10_000
    inflated: int = 4 * 2**30
    ratio: int = 200
    """Inflated size over packed size, for members above 1 MiB inflated."""
    cells: int = 30_000_000
    depth: int = 100_000
    items: int = 30_000_000
    """Items after expanding parts that stand in several places."""
    cell_characters: int = 32_767
    text_cell_characters: int = 2**20


@dataclass(frozen=True, slots=True)
class FileOptions:
    """What the user said about the file; empty means: find out.

    ``format`` is a name of ``files.formats`` (``--from``), ``sheet`` a name or a number counted from 1 (``--sheet``).
    """

    format: str = ""
    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    caps: Caps = field(default_factory=Caps)
