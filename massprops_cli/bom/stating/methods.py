"""How a number came to be known: the column ``method``, and the sigmas that a table of percentages makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.cells.cells import SetCells
from massprops_cli.bom.cells.marks import Marks
from massprops_cli.bom.items.items import ItemRows
from massprops_cli.bom.items.many import place_of
from massprops_cli.bom.items.saying import Fault, listed_of, say
from massprops_cli.findings import Finding, found
from massprops_cli.findings.nearest import nearest
from massprops_cli.tables.cells.flags import read_flags
from massprops_cli.tables.columns.uncertainty_words import UNKNOWN, methods, percentages, read_words
from massprops_cli.tables.options import TableOptions

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

WEIGHED = "weighed"
"""The surest way in which a mass comes to be known."""


class Methods(NamedTuple):
    """The column ``method`` of n items: ``codes (n,)`` count in ``words``, negative where none is known.

    ``fraction (n,)`` is one standard deviation as a share of the value, NaN where no method is known.
    """

    words: tuple[str, ...]
    codes: NDArray[np.int8]
    fraction: Floats

    def texts(self) -> list[str]:
        """Give the canonical word of every item, blank where there is none."""
        words = (*self.words, "", "")  # negative codes count from the end
        return [words[code] for code in self.codes.tolist()]


def read_methods(items: ItemRows, marks: Marks, options: TableOptions) -> tuple[Methods | None, list[Finding]]:
    """Read the column ``method`` of the items whose own numbers go up; a word without a percentage is an error."""
    column = items.columns.by_quantity.get("method")
    if column is None:
        return None, []
    percent = percentages(options.sigma_percent)
    words = tuple(percent)
    codes = read_words(items.texts(column.index), methods(options.sigma_percent), words)
    codes = np.where(marks.goes_up, codes, -1).astype(np.int8)
    fraction = np.array([*(percent[word] / 100 for word in words), np.nan])[np.maximum(codes, -1)]

    def unknown(i: int) -> str:
        text = items.table.text(int(items.rows[i]), column.index).strip()
        return f"{items.ids[i]}: {text} has no percentage{nearest(text, words)}"

    wrong = np.flatnonzero(marks.counts & (codes == UNKNOWN)) if options.use_sigmas else np.zeros(0, np.intp)
    return Methods(words, codes, fraction), say(items, Fault("MP512", column), wrong, unknown)


def fill_by_method(sigma: SetCells, value: SetCells, fraction: Floats, where: Mask) -> Mask:
    """Fill sigmas that are not given with a share of the value; gives the items ``(n,)`` of which some were.

    A share of a tensor is one of its largest moment, for all six entries, so that a product of 0 is not known exactly.
    """
    size = np.abs(value.values)
    if size.shape[1] == 6:
        size = np.broadcast_to(size[:, :3].max(axis=1, keepdims=True), size.shape)
    filled = ~sigma.given & (where & ~np.isnan(fraction))[:, None]
    np.multiply(size, fraction[:, None], out=sigma.values, where=filled)
    np.logical_or(sigma.given, filled, out=sigma.given)
    return np.asarray(filled.any(axis=1))


def said_percentages(items: ItemRows, read: Methods, filled: Mask, options: TableOptions) -> list[Finding]:
    """Say once which percentages made sigmas, and where they come from."""
    which = items.in_file_order(np.flatnonzero(filled))
    if not len(which):
        return []
    column = items.columns.by_quantity["method"]
    percent = percentages(options.sigma_percent)
    used = [read.words[code] for code in np.unique(read.codes[which]).tolist()]
    shipped = [word for word in used if word not in options.sigma_percent]
    stated = ", ".join(f"{word} {percent[word]:g} %" for word in used)
    whose = f"; {', '.join(shipped)} from the example that comes with the tool, no standard" if shipped else ""
    return [
        found(
            "MP505",
            f"sigmas by {column.header}, {stated} of mass and largest moment{whose}: {listed_of(items, which)}",
            place_of(items.table, int(items.rows[which[0]]), column.index, column.header),
            item=items.ids[int(which[0])],
            count=len(which),
            remedy="put your own percentages into [sigma-percent] of massprops.toml" if shipped else None,
        )
    ]


def known_by(items: ItemRows, methods: Methods | None) -> Sequence[str] | None:
    """Give how every row's mass came to be known, blank where nothing says; None where no row says it.

    What the column ``weighed`` marks is weighed, whatever its ``method``.
    """
    words = None if methods is None else methods.texts()
    column = items.columns.by_quantity.get("weighed")
    flags = None if column is None else read_flags(items.texts(column.index)).values
    if flags is None or not flags.any():
        return words
    said = words or [""] * len(flags)
    return [WEIGHED if flag else word for flag, word in zip(flags.tolist(), said, strict=True)]
