"""To and from pandas DataFrames; pandas is loaded here only.

Trees as NetworkX graphs, for drawing and for graph algorithms; NetworkX is loaded here only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from massprops_cli.bom.items import (
    CENTER,
    INERTIA,
    QUANTITY_SETS,
    RADII,
    SIGMA_RADII,
    body_column,
    item_quantity_values,
    sigma_column,
)
from massprops_cli.files import GridTable, TableSource
from massprops_cli.findings import UsageError
from massprops_cli.rollups import Rollup

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from massprops_cli.bodies import Bodies, Sigmas
    from massprops_cli.bom.bom import Bom


def grid_from_dataframe(frame: pd.DataFrame) -> GridTable:
    """Copy a DataFrame to a table of cells.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows and columns; missing values are blank cells, a named index is a column.

    Returns
    -------
    GridTable
        Header and rows.

    Raises
    ------
    UsageError
        The argument is not a DataFrame.
    """
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"argument of from_dataframe is not a pandas DataFrame: {type(frame).__name__}")
    if frame.index.name is not None or isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    header: list[Any] = [str(name) for name in frame.columns]
    columns = []
    for k in range(frame.shape[1]):
        series = frame.iloc[:, k]
        missing = series.isna().to_numpy()
        columns.append(
            [
                None if gone else _dataframe_cell_value(value)
                for value, gone in zip(series.tolist(), missing, strict=True)
            ]
        )
    rows = [header, *(list(row) for row in zip(*columns, strict=True))]
    return GridTable(TableSource("dataframe", "dataframe"), rows)


def _dataframe_cell_value(value: Any) -> Any:
    """Return a DataFrame's cell as a plain value; NumPy's numbers and truth values lose their wrapping."""
    if isinstance(value, str | float | int):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def dataframe_of_items(bom: Bom, bodies: Bodies, sigmas: Sigmas | None, rollup: Rollup | None = None) -> pd.DataFrame:
    """Export every item in file order, with the column names of massProps.

    Products of inertia are tensor entries, and a column POIconv states it: the frame can be read as a bill of
    materials.

    Parameters
    ----------
    bom : Bom
        Table as read.
    bodies : Bodies, (n,), coherent units
        Bodies of the items, about own centres, in the axes of the table.
    sigmas : Sigmas, (n,), coherent units, or None
        One standard deviation each.
    rollup : Rollup, optional
        Roll-up with radii of gyration; default: no radii.

    Returns
    -------
    pandas.DataFrame, n rows, coherent units
        Id, parent, name, quantity, point flag and values; NaN if unknown.
    """
    import pandas as pd

    parents = bom.tree.parent.tolist()
    data: dict[str, Any] = {
        "id": list(bom.ids),
        "parent": [bom.ids[parent] if parent >= 0 else None for parent in parents],
    }
    if bom.names is not None:
        data["name"] = list(bom.names)
    data["qty"] = bom.quantity.count
    data["Ipoint"] = bodies.is_point
    for name in ("mass", *CENTER.columns, *INERTIA.columns):
        if (values := body_column(bodies, name)) is not None:
            data[name] = values
    if "Ixy" in data:
        data["POIconv"] = "-"
    if sigmas is not None:
        for name in ("mass", *CENTER.columns, *INERTIA.columns):
            if (values := sigma_column(sigmas, name)) is not None:
                data[f"sigma_{name}"] = values
    if rollup is not None:
        for name in (*RADII, *SIGMA_RADII):
            if (values := item_quantity_values(rollup, name)) is not None:
                data[name] = values
    return pd.DataFrame(data)


def graph_of_items(bom: Bom, rollup: Rollup | None = None) -> nx.DiGraph[str]:
    """Export the tree as a directed graph, from every assembly to its children.

    Parameters
    ----------
    bom : Bom
        Table as read.
    rollup : Rollup, optional
        Roll-up with the values of the nodes; default: none.

    Returns
    -------
    networkx.DiGraph
        Nodes are ids, with ``name`` and the known values in coherent units under their canonical names; edges have
        ``qty``.
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    names = bom.names
    for i, item in enumerate(bom.ids):
        graph.add_node(item, **({} if names is None else {"name": names[i]}))
    if rollup is not None:
        for quantity in (name for quantity_set in QUANTITY_SETS for name in quantity_set.columns):
            values = item_quantity_values(rollup, quantity)
            if values is not None:
                for item, value in zip(bom.ids, values.tolist(), strict=True):
                    if value == value:  # noqa: PLR0124 - NaN is not known
                        graph.nodes[item][quantity] = value
    count = bom.quantity.count.tolist()
    for i, parent in enumerate(bom.tree.parent.tolist()):
        if parent >= 0:
            graph.add_edge(bom.ids[parent], bom.ids[i], qty=count[i])
    return graph
