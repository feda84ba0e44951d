"""Result of a roll-up, and its cells for the input table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from massprops_cli.bodies import Body
from massprops_cli.bom.items import reported_sigmas
from massprops_cli.bom.results.outcome import RollupOutcome
from massprops_cli.bom.results.table_edit import rollup_table_edit
from massprops_cli.files import TableEdit

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from massprops_cli.bom.results.outcome import ItemSamples
    from massprops_cli.bom.results.probability import Interval, Probability


class Result(RollupOutcome):
    """A bill of materials rolled up: see ``RollupOutcome`` for its fields.

    >>> from massprops_cli.bom.bom import Bom
    >>> from massprops_cli.bom.rollup import rollup
    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> rollup(Bom.from_records(rows))["top"].mass
    5.0
    """

    def __getitem__(self, name: str) -> Body:
        """Return an item by its id; raises UsageError with the nearest ids."""
        return self.body(self.bom.item(name))

    @cached_property
    def samples(self) -> list[ItemSamples]:
        """What was sampled of the root and of the requested items; empty without samples."""
        from massprops_cli.bom.results.outcome import requested_samples

        return requested_samples(self)

    @cached_property
    def probabilities(self) -> list[Probability]:
        """Probabilities of the requested conditions, in that order."""
        from massprops_cli.bom.results.probability import query_probabilities

        return query_probabilities(self, self.uncertainty_request.probability)

    @cached_property
    def intervals(self) -> list[tuple[str, list[Interval]]]:
        """Intervals of the root's results and of those of each requested item: id, intervals of one level."""
        from massprops_cli.bom.results.probability import requested_intervals

        return requested_intervals(self)

    def filling(self, add: Sequence[str] = (), sigma_level: int = 1) -> TableEdit:
        """Return the cells written to the table: assembly cells, and the further columns of ``add``.

        Added sigmas are ``sigma_level`` standard deviations, which their headers state.
        """
        return rollup_table_edit(self, add, sigma_level)

    def to_dataframe(self) -> pd.DataFrame:
        """Return every item with massProps' column names, in coherent units, products as tensor entries."""
        from massprops_cli.bom.results.export import dataframe_of_items

        return dataframe_of_items(self.bom, self.rollup.bodies, reported_sigmas(self.rollup), self.rollup)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the tree as a NetworkX graph whose nodes carry what was computed; edges carry ``qty``."""
        from massprops_cli.bom.results.export import graph_of_items

        return graph_of_items(self.bom, self.rollup)

    def to_dict(self, sigma_level: int = 1) -> dict[str, Any]:
        """Return the whole report as plain JSON values; the command line prints this very dictionary."""
        from massprops_cli.bom.results.result_dict import result_dictionary

        return result_dictionary(self, sigma_level)

    def __repr__(self) -> str:
        """Return the root's printed form."""
        return repr(self.root)
