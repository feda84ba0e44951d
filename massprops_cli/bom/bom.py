"""A bill of materials: made from a file, a table, records or a DataFrame, and asked for its items.

Items as their own rows have them, assemblies included.

The library's reading door: one call, every option by name.

Options of the library's functions, by name, as options of a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import Bodies, Body, Sigmas
from massprops_cli.bom.build import build_content
from massprops_cli.bom.items import (
    CENTER,
    INERTIA,
    MASS,
    SIGMA_CENTER,
    SIGMA_INERTIA,
    SIGMA_MASS,
    SIGMA_SETS,
    SIGMA_SLICES,
    Content,
    Point,
    QuantitySet,
    parse_point,
)
from massprops_cli.files import FileOptions, Table
from massprops_cli.findings import Finding, Findings, UsageError
from massprops_cli.tables import LAYOUTS, TableOptions, parse_allowed_missing

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


_OPTION_CHOICES = {
    "layout": ("", *LAYOUTS),
    "poi": ("", "+", "-"),
    "decimal": ("", ",", "."),
    "write_poi": ("keep", "+", "-", "none"),
    "assembly_values": ("", "check", "own", "stated", "ignore"),
    "mass_is": ("", "each", "line"),
    "qty_is": ("", "per-parent", "total"),
    "blank_qty": ("", "0", "1"),
}
"""What options of a few words can be."""


def table_options_from_keywords(options: Mapping[str, Any]) -> TableOptions:
    """Make table options of keyword arguments; raises UsageError for a name or a word that is not known.

    >>> sorted(table_options_from_keywords({"allow_missing": "mass"}).allow_missing)
    ['inertia', 'mass', 'sigma']
    """
    known = {*(f.name for f in fields(TableOptions)), "strict"} - {"typed", "used"}
    unknown = sorted(set(options) - known)
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}; the options are {', '.join(sorted(known))}")
    given = dict(options)
    given["allow_missing"] = _missing_choices(given)
    given.pop("strict", None)
    for name in ("where", "ignore_columns", "count_rows", "skip_rows"):
        given[name] = (texts,) if isinstance(texts := given.get(name, ()), str) else tuple(texts)
    for name, one_of in _OPTION_CHOICES.items():
        if name in given and given[name] not in one_of:
            raise UsageError(f"{name} is {given[name]}; it can be {', '.join(word for word in one_of if word)}")
    if "inertia_about" in given:
        given["inertia_own"] = str(given["inertia_about"]).strip().lower() == "own"
        given["inertia_about"] = _resolve_inertia_point(given["inertia_about"])
    _check_sigma_options(given)
    made = TableOptions(**given)
    return made.of_variant(made.qty_column) if made.qty_column else made


def _resolve_inertia_point(given: object) -> Point | None:
    """Read the point of ``inertia_about``: a word, a text of three numbers, three numbers, or None for own centres.

    >>> _resolve_inertia_point("origin"), _resolve_inertia_point([1, 2, 3]), _resolve_inertia_point(None)
    ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0), None)
    """
    if isinstance(given, str | None):
        return parse_point(given or "")
    numbers = list(given) if isinstance(given, Iterable) else [given]
    return parse_point(",".join(str(number) for number in numbers))


def _check_sigma_options(given: Mapping[str, Any]) -> None:
    """Refuse a level and percentages of sigmas that are none."""
    level = given.get("sigma_level", 1)
    if not _is_nonnegative_number(level) or level == 0:
        raise UsageError(f"sigma_level is {level!r}; it takes a number of standard deviations, such as 2")
    percent = given.get("sigma_percent", {})
    if not isinstance(percent, Mapping):
        raise UsageError(f"sigma_percent is {percent!r}; it takes percentages by the words under method")
    for word, value in percent.items():
        if not _is_nonnegative_number(value):
            raise UsageError(f"sigma_percent of {word} is {value!r}; it takes a percentage, a number from 0 on")


def _is_nonnegative_number(value: object) -> bool:
    """Tell whether a value is a finite number from 0 on.

    >>> _is_nonnegative_number(2), _is_nonnegative_number(-1.0), _is_nonnegative_number("2")
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _missing_choices(given: Mapping[str, Any]) -> frozenset[str]:
    """Read ``allow_missing`` (words, or one text of them with commas) and ``strict``, which allows none."""
    words = given.get("allow_missing", "")
    text = words if isinstance(words, str) else ",".join(words)
    if not given.get("strict", False):
        return parse_allowed_missing(text, "allow_missing")
    if text not in ("", "none"):
        raise UsageError(f"strict excludes allow_missing {text}")
    return frozenset()


_Mask = NDArray[np.bool_]


def _bodies_as_written(bom: Content) -> tuple[Bodies, Sigmas | None]:
    """Give all items with the numbers of their own rows: the masks tell which cells of an assembly are blank."""
    bodies, sigmas = bom.bodies, bom.sigmas
    written = replace(
        bodies,
        has_mass=_complete_items(bom, bodies.has_mass, (MASS,)),
        has_center=None if bodies.center is None else _complete_items(bom, bodies.has_center, (CENTER,)),
        has_inertia=None if bodies.inertia is None else _complete_items(bom, bodies.has_inertia, (INERTIA,)),
    )
    if sigmas is None:
        return written, None
    arrays = (sigmas.mass, sigmas.center, sigmas.inertia)
    sets = [s for s, array in zip((SIGMA_MASS, SIGMA_CENTER, SIGMA_INERTIA), arrays, strict=True) if array is not None]
    own = np.ones((len(bom), 10), bool)
    for quantity_set, columns in zip(SIGMA_SETS, SIGMA_SLICES, strict=True):
        if quantity_set in sets:
            for k, name in zip(range(*columns.indices(10)), quantity_set.columns, strict=True):
                mask = None if sigmas.known is None else sigmas.known[:, k]
                own[:, k] = _complete_items(bom, mask, (quantity_set._replace(columns=(name,)),))
    return written, replace(sigmas, known=own)


def _complete_items(bom: Content, mask: _Mask | None, sets: tuple[QuantitySet, ...] | list[QuantitySet]) -> _Mask:
    """Tell which items have all cells of some sets: leaves by their mask, assemblies by what they state."""
    leaf = bom.tree.is_leaf()
    result = leaf.copy() if mask is None else mask & leaf
    count = np.zeros(len(bom), np.intp)
    names = [name for quantity_set in sets for name in quantity_set.columns]
    for name in names:
        if name in bom.written:
            count[bom.written[name][0]] += 1
    result |= ~leaf & (count == len(names))
    return result


class Bom(Content):
    """A table that was read, with everything that was found in it: see ``Content`` for its fields.

    >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}])
    >>> len(bom), bom.ids[0], bom.has_errors
    (2, 'top', False)
    """

    __slots__ = ()

    @classmethod
    def read(
        cls,
        name: str,
        file_options: FileOptions | None = None,
        table_options: TableOptions | None = None,
        stdin: BinaryIO | None = None,
    ) -> Bom:
        """Read a bill of materials from a file, or from ``stdin`` when the name is ``-``.

        Raises TableError when no table, or no tree at all, can be made of it; every other fault is in ``findings``.
        """
        from massprops_cli.files import read_file_table
        from massprops_cli.tables import is_header_like

        findings = Findings()
        table = read_file_table(name, file_options or FileOptions(), stdin, findings, looks_like_table=is_header_like)
        return cls._of(table, table_options or TableOptions(), findings)

    @classmethod
    def _of(cls, table: Table, options: TableOptions, findings: Sequence[Finding]) -> Bom:
        content = build_content(table, options, findings)
        return cls(**{f.name: getattr(content, f.name) for f in fields(Content) if f.init})

    @classmethod
    def from_table(cls, table: Table, options: TableOptions | None = None) -> Bom:
        """Make sense of a table that has been read."""
        return cls._of(table, options or TableOptions(), [])

    @classmethod
    def from_records(cls, records: Sequence[Mapping[str, Any]], **options: Any) -> Bom:
        """Take rows given as dictionaries; a key that is absent, and None, are blank cells."""
        from massprops_cli.files import GridTable, TableSource

        header = list(dict.fromkeys(str(key) for record in records for key in record))
        rows: list[list[Any]] = [list(header), *([record.get(key) for key in header] for record in records)]
        return cls.from_table(GridTable(TableSource("records", "json"), rows), table_options_from_keywords(options))

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame, **options: Any) -> Bom:
        """Take a pandas DataFrame with the columns a file would have; NaN and None are blank cells."""
        from massprops_cli.bom.results import grid_from_dataframe

        return cls.from_table(grid_from_dataframe(frame), table_options_from_keywords(options))

    def __getitem__(self, name: str) -> Body:
        """Give an item as its own row has it, sigmas included; what is blank is None, or NaN for a mass."""
        bodies, sigmas = self.as_written()
        return Body.of(bodies, self.item(name), sigmas, name=name, units=self.units_of_body())

    def as_written(self) -> tuple[Bodies, Sigmas | None]:
        """Give every item as its own row has it, and not what its children would give."""
        return _bodies_as_written(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Give the items as their rows have them, with massProps' column names.

        Numbers are in coherent units, products of inertia are tensor entries, and what is blank is NaN.
        """
        from massprops_cli.bom.results import dataframe_of_items

        return dataframe_of_items(self, *self.as_written())

    def to_networkx(self) -> nx.DiGraph[str]:
        """Give the tree as a NetworkX graph from assemblies to children; edges carry ``qty``."""
        from massprops_cli.bom.results import graph_of_items

        return graph_of_items(self)


def read_bom(path: str | PathLike[str], *, stdin: BinaryIO | None = None, **options: Any) -> Bom:
    """Read a bill of materials.

    ``options`` are those of FileOptions (``format``, ``sheet``, ``encoding``, ``delimiter``, ``caps``) and of
    TableOptions (``layout``, ``map``, ``units``, ``poi``, ``root``, ``allow_missing`` …) by name. Faults of the table
    are in the result's ``findings``; TableError is raised only when no table, or no tree at all, can be made of the
    file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "bom.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,parent,mass\\ntop,,\\na,top,2\\nb,top,3\\n")
    ...     len(read_bom(path))
    3
    """
    of_file = {f.name for f in fields(FileOptions)}
    file_options = FileOptions(**{k: v for k, v in options.items() if k in of_file})
    return Bom.read(
        str(path),
        file_options,
        table_options_from_keywords({k: v for k, v in options.items() if k not in of_file}),
        stdin,
    )
