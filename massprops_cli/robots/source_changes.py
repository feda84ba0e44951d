"""Changes of parts of an XML source; all other bytes are kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from massprops_cli.files.robots.xml_source import SourceElement
from massprops_cli.files.table import shortest_number_text
from massprops_cli.robots.link_values import LinkValues

_Floats = NDArray[np.float64]

_SAME = 1e-12
"""Largest difference, as a share of the largest value of its kind, of numbers that are not written again."""
_INDENT = re.compile(rb"\n([ \t]*)$")  # blanks of a line before a tag
ELEMENT_NAME = re.compile(rb"<[^\s/>]+")
"""Name of an element at its start tag."""


@dataclass(frozen=True, slots=True, order=True)
class SourceChange:
    """Bytes that replace a part of the source; ``order`` puts insertions at one position in sequence."""

    start: int
    order: int
    end: int = field(compare=False)
    text: bytes = field(compare=False)


def changed_source(source: bytes, changes: Sequence[SourceChange]) -> bytes:
    """Return a source with its changes."""
    parts, at = [], 0
    for change in sorted(changes):
        parts += [source[at : change.start], change.text]
        at = change.end
    return b"".join([*parts, source[at:]])


class ElementChanges:
    """Changes of one link of a robot."""

    def __init__(self, source: bytes, link: SourceElement) -> None:
        self.source, self.link = source, link
        self.edits: list[SourceChange] = []

    def insert(self, over: SourceElement, lines: Sequence[bytes]) -> None:
        """Insert lines at the beginning of an element, indented as its children are."""
        outer, inner = self.indents(over)
        is_one_line = outer is None
        break_ = b"" if is_one_line else self._line_end() + (inner or b"")
        text = b"".join(break_ + line for line in lines)
        if over.close != over.inner or self.source[over.inner - 2 : over.inner] != b"/>":
            self.edits.append(SourceChange(over.inner, len(self.edits), over.inner, text))
            return
        named = ELEMENT_NAME.match(self.source, over.start)
        assert named is not None
        tag = named.group()[1:]
        tail = b"" if is_one_line else self._line_end() + (outer or b"")
        self.edits.append(
            SourceChange(over.inner - 2, len(self.edits), over.inner, b">" + text + tail + b"</" + tag + b">")
        )

    def indents(self, over: SourceElement) -> tuple[bytes | None, bytes | None]:
        """Return the indents of an element and of its children."""
        outer = self._indent(over)
        inner = self._indent(over.children[0]) if over.children else None
        if outer is None:
            return None, None
        return outer, inner if inner is not None else outer + (b"\t" if outer.endswith(b"\t") else b"  ")

    def _indent(self, element: SourceElement) -> bytes | None:
        """Return the blanks before an element on its line; None if something else is there."""
        found = _INDENT.search(self.source, max(0, element.start - 1000), element.start)
        return found.group(1) if found else None

    def _line_end(self) -> bytes:
        """Return the line end of the file."""
        return b"\r\n" if b"\r\n" in self.source[: self.link.end] else b"\n"


def body_size(body: LinkValues) -> float:
    """Return the length to which the difference of two centres is compared."""
    gyration = float(np.sqrt(max(float(body.inertia[:3].sum()), 0.0) / (2 * abs(body.mass))))
    return max(float(np.abs(body.center).max()), gyration)


def is_different(new: Sequence[float] | _Floats, old: Sequence[float], size: float) -> bool:
    """Return whether numbers (k,) differ by more than rounding of a size of their unit, or are missing."""
    if len(old) != len(new):
        return True
    return not bool((np.abs(np.asarray(new) - np.asarray(old)) <= _SAME * size).all())


def number_texts(values: _Floats) -> str:
    """Return numbers (k,) as shortest texts that read back the same, with a blank between them."""
    return " ".join(shortest_number_text(value) for value in values.tolist())
