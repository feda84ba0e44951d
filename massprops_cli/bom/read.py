"""A bill of materials: made from a file, a table, records or a DataFrame, and asked for its items.

Items as their own rows have them, assemblies included.

The library's reading door: one call, every option by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.body import Body
from massprops_cli.bom.build import build
from massprops_cli.bom.keywords import table_options_of
from massprops_cli.bom.model import Content
from massprops_cli.bom.quantity_sets import (
    CENTER,
    INERTIA,
    MASS,
    SIGMA_CENTER,
    SIGMA_COLUMNS,
    SIGMA_INERTIA,
    SIGMA_MASS,
    SIGMA_SETS,
    QuantitySet,
)
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


Mask = NDArray[np.bool_]


def bodies_as_written(bom: Content) -> tuple[Bodies, Sigmas | None]:
    """Give all items with the numbers of their own rows: the masks tell which cells of an assembly are blank."""
    bodies, sigmas = bom.bodies, bom.sigmas
    written = replace(
        bodies,
        has_mass=known(bom, bodies.has_mass, (MASS,)),
        has_center=None if bodies.center is None else known(bom, bodies.has_center, (CENTER,)),
        has_inertia=None if bodies.inertia is None else known(bom, bodies.has_inertia, (INERTIA,)),
    )
    if sigmas is None:
        return written, None
    arrays = (sigmas.mass, sigmas.center, sigmas.inertia)
    sets = [s for s, array in zip((SIGMA_MASS, SIGMA_CENTER, SIGMA_INERTIA), arrays, strict=True) if array is not None]
    own = np.ones((len(bom), 10), bool)
    for quantity_set, columns in zip(SIGMA_SETS, SIGMA_COLUMNS, strict=True):
        if quantity_set in sets:
            for k, name in zip(range(*columns.indices(10)), quantity_set.columns, strict=True):
                mask = None if sigmas.known is None else sigmas.known[:, k]
                own[:, k] = known(bom, mask, (quantity_set._replace(columns=(name,)),))
    return written, replace(sigmas, known=own)


def known(bom: Content, mask: Mask | None, sets: tuple[QuantitySet, ...] | list[QuantitySet]) -> Mask:
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
        from massprops_cli.files.read import read_table
        from massprops_cli.tables.header import looks_like_header

        table, findings = read_table(name, file_options or FileOptions(), stdin, looks_like_table=looks_like_header)
        return cls._of(table, table_options or TableOptions(), findings)

    @classmethod
    def _of(cls, table: Table, options: TableOptions, findings: Sequence[Finding]) -> Bom:
        content = build(table, options, findings)
        return cls(**{f.name: getattr(content, f.name) for f in fields(Content) if f.init})

    @classmethod
    def from_table(cls, table: Table, options: TableOptions | None = None) -> Bom:
        """Make sense of a table that has been read."""
        return cls._of(table, options or TableOptions(), [])

    @classmethod
    def from_records(cls, records: Sequence[Mapping[str, Any]], **options: Any) -> Bom:
        """Take rows given as dictionaries; a key that is absent, and None, are blank cells."""
        from massprops_cli.files.table import GridTable, Source

        header = list(dict.fromkeys(str(key) for record in records for key in record))
        rows: list[list[Any]] = [list(header), *([record.get(key) for key in header] for record in records)]
        return cls.from_table(GridTable(Source("records", "json"), rows), table_options_of(options))

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame, **options: Any) -> Bom:
        """Take a pandas DataFrame with the columns a file would have; NaN and None are blank cells."""
        from massprops_cli.bom.export import grid_from_dataframe

        return cls.from_table(grid_from_dataframe(frame), table_options_of(options))

    def __getitem__(self, name: str) -> Body:
        """Give an item as its own row has it, sigmas included; what is blank is None, or NaN for a mass."""
        bodies, sigmas = self.as_written()
        return Body.of(bodies, self.item(name), sigmas, name=name, units=self.units_of_body())

    def as_written(self) -> tuple[Bodies, Sigmas | None]:
        """Give every item as its own row has it, and not what its children would give."""
        return bodies_as_written(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Give the items as their rows have them, with massProps' column names.

        Numbers are in coherent units, products of inertia are tensor entries, and what is blank is NaN.
        """
        from massprops_cli.bom.export import dataframe_of_items

        return dataframe_of_items(self, *self.as_written())

    def to_networkx(self) -> nx.DiGraph[str]:
        """Give the tree as a NetworkX graph from assemblies to children; edges carry ``qty``."""
        from massprops_cli.bom.export import graph_of_items

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
        str(path), file_options, table_options_of({k: v for k, v in options.items() if k not in of_file}), stdin
    )
