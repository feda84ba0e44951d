"""A bill of materials: made from a file, a table, records or a DataFrame, and asked for its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, BinaryIO

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bodies.body import Body
from massprops_cli.bom.building.build import build
from massprops_cli.bom.items.content import Content
from massprops_cli.bom.items.written import bodies_as_written
from massprops_cli.bom.keywords import table_options_of
from massprops_cli.files.options import FileOptions
from massprops_cli.files.table import Table
from massprops_cli.findings import Finding
from massprops_cli.tables.options import TableOptions

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


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
        from massprops_cli.tables.columns.headers import looks_like_header

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
        from massprops_cli.files.grid import GridTable
        from massprops_cli.files.table import Source

        header = list(dict.fromkeys(str(key) for record in records for key in record))
        rows: list[list[Any]] = [list(header), *([record.get(key) for key in header] for record in records)]
        return cls.from_table(GridTable(Source("records", "json"), rows), table_options_of(options))

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame, **options: Any) -> Bom:
        """Take a pandas DataFrame with the columns a file would have; NaN and None are blank cells."""
        from massprops_cli.bom.frames import grid_from_dataframe

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
        from massprops_cli.bom.frames import dataframe_of_items

        return dataframe_of_items(self, *self.as_written())

    def to_networkx(self) -> nx.DiGraph[str]:
        """Give the tree as a NetworkX graph from assemblies to children; edges carry ``qty``."""
        from massprops_cli.bom.graphs import graph_of_items

        return graph_of_items(self)
