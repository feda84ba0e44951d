"""To and from pandas DataFrames; pandas is loaded here only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from massprops_cli.bom.items.arrays import body_column, sigma_column, value_of_items
from massprops_cli.bom.items.sets import CENTER, INERTIA, RADII, SIGMA_RADII
from massprops_cli.files.grid import GridTable
from massprops_cli.files.table import Source
from massprops_cli.findings import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bodies.bodies import Bodies, Sigmas
    from massprops_cli.bom.items.content import Content
    from massprops_cli.rollup.rolled import Rollup


def grid_from_dataframe(frame: pd.DataFrame) -> GridTable:
    """Take a DataFrame's columns as a table; missing values are blank cells, an index with a name is a column too."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"from_dataframe takes a pandas DataFrame, and was given a {type(frame).__name__}")
    if frame.index.name is not None or isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    header: list[Any] = [str(name) for name in frame.columns]
    columns = []
    for k in range(frame.shape[1]):
        series = frame.iloc[:, k]
        missing = series.isna().to_numpy()
        columns.append([None if gone else plain(value) for value, gone in zip(series.tolist(), missing, strict=True)])
    rows = [header, *(list(row) for row in zip(*columns, strict=True))]
    return GridTable(Source("dataframe", "dataframe"), rows)


def plain(value: Any) -> Any:
    """Give a DataFrame's cell as a plain value; NumPy's numbers and truth values lose their wrapping."""
    if isinstance(value, str | float | int):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def dataframe_of_items(
    bom: Content, bodies: Bodies, sigmas: Sigmas | None, rollup: Rollup | None = None
) -> pd.DataFrame:
    """Give every item in file order with massProps' column names; radii when there is a roll-up.

    Products are tensor entries, and a column POIconv says so: the frame can be read as a bill of materials again.
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
            if (values := value_of_items(rollup, name)) is not None:
                data[name] = values
    return pd.DataFrame(data)
