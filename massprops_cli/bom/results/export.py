"""Results for other programs: DataFrames, graphs of NetworkX, files, figures; their libraries are loaded here only."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from os import PathLike
from typing import TYPE_CHECKING, Any

from massprops_cli._front import room_function
from massprops_cli.bom.items import result_columns
from massprops_cli.files.table import GridTable, TableSource
from massprops_cli.findings.finding import Findings, UsageError, checked_integer
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.columns.headings import read_heading

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.figure import Figure

    from massprops_cli.bodies.bodies import Bodies, Sigmas
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result

_KEPT_QUANTITIES = frozenset(("part", "method", "corr_group", "dist", "weighed", "mga", "category", "maturity"))
"""Quantities that are exported with the texts of their file, as columns without a meaning are."""


def grid_from_dataframe(frame: pd.DataFrame, unlabelled: Collection[str] = ()) -> GridTable:
    """Copy a DataFrame to a table of cells."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise UsageError(f"argument of from_dataframe is not a pandas DataFrame: {type(frame).__name__}")
    if frame.index.name is not None or isinstance(frame.index, pd.MultiIndex):
        frame = frame.reset_index()
    units = frame.attrs.get("units", {})
    if not isinstance(units, Mapping) or not all(isinstance(unit, str) for unit in units.values()):
        raise UsageError(f"units in attrs of the DataFrame are not texts by column: {units!r}")
    header: list[Any] = [_heading_with_unit(str(name), units.get(name, ""), unlabelled) for name in frame.columns]
    columns = []
    for k in range(frame.shape[1]):
        series = frame.iloc[:, k]
        cells = zip(series.tolist(), series.isna().to_numpy(), strict=True)
        columns.append([None if gone else _dataframe_cell_value(value) for value, gone in cells])
    rows = [header, *(list(row) for row in zip(*columns, strict=True))]
    return GridTable(TableSource("dataframe", "dataframe"), rows)


def _heading_with_unit(name: str, unit: str, unlabelled: Collection[str]) -> str:
    """Return the header of a column: a quantity gets the unit of the frame unless its name or an option states one."""
    heading = read_heading(name)
    if not unit or heading.unit or not heading.quantity or {name, heading.quantity} & set(unlabelled):
        return name
    return f"{name} [{unit}]"


def _dataframe_cell_value(value: Any) -> Any:
    """Return a DataFrame's cell as a plain value; NumPy's numbers and truth values lose their wrapping."""
    if isinstance(value, str | float | int):
        return value
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def dataframe_of_account(bom: Bom) -> pd.DataFrame:
    """Export the account of a table, a row for each line."""
    import pandas as pd

    from massprops_cli.bom.account import AccountLine, account_lines

    return pd.DataFrame(account_lines(bom), columns=list(AccountLine._fields))


def dataframe_of_items(bom: Bom, bodies: Bodies, sigmas: Sigmas | None, rollup: Rollup | None = None) -> pd.DataFrame:
    """Export all items in file order, names of massProps, coherent units, tensor entries; NaN if unknown."""
    import pandas as pd

    above = [bom.ids[parent] if parent >= 0 else None for parent in bom.tree.parent.tolist()]
    data: dict[str, Any] = {"id": list(bom.ids), "parent": above}
    if bom.names is not None:
        data["name"] = list(bom.names)
    data["qty"] = bom.quantity.count
    data["Ipoint"] = bodies.is_point
    for name in ("mass", *result_columns.CENTER.columns, *result_columns.INERTIA.columns):
        if (values := result_columns.body_column(bodies, name)) is not None:
            data[name] = values
    if "Ixy" in data:
        data["POIconv"] = "-"
    if sigmas is not None:
        for name in ("mass", *result_columns.CENTER.columns, *result_columns.INERTIA.columns):
            if (values := result_columns.sigma_column(sigmas, name)) is not None:
                data[f"sigma_{name}"] = values
    if rollup is not None:
        for name in (*result_columns.RADII, *result_columns.SIGMA_RADII):
            if (values := result_columns.item_quantity_values(rollup, name)) is not None:
                data[name] = values
    units = {name: unit for name in data if (unit := _column_unit(bom, name))}
    for header, cells in _other_columns(bom):
        names = chain([header], (f"{header}.{k}" for k in count(1)))
        data[next(name for name in names if name not in data)] = cells
    frame = pd.DataFrame(data)
    frame.attrs["units"] = units
    return frame


def _column_unit(bom: Bom, name: str) -> str:
    """Return the unit of a column of values; empty if the table states none."""
    mass, length, inertia = bom.units_of_body()
    quantity = name.removeprefix("sigma_")
    if quantity in result_columns.CENTER.columns or name in (*result_columns.RADII, *result_columns.SIGMA_RADII):
        return length
    return inertia if quantity in result_columns.INERTIA.columns else mass if quantity == "mass" else ""


def _other_columns(bom: Bom) -> Iterator[tuple[str, list[Any]]]:
    """Yield the columns of a table that are not exported as values: header and cells of all items."""
    import pyarrow as pa

    from massprops_cli.files.json_records import is_json_number_column

    used = {column.index for name, column in bom.columns.by_quantity.items() if name not in _KEPT_QUANTITIES}
    first = bom.columns.first_row
    rows = bom.rows.tolist()
    for j, header in enumerate(bom.columns.header):
        if j in used or not header.strip():
            continue
        texts = bom.table.texts(j, first)
        cells = [texts[row - first] if row >= 0 else "" for row in rows]
        stated = {cell for cell in cells if cell}
        is_number = (
            is_json_number_column(pa.array(list(stated), pa.string()), filled=True) and max(map(len, stated)) < 16
        )
        # 1.1 and 1.10 in one column are labels
        if is_number and len(stated) == len({float(cell) for cell in stated}):
            yield header.strip(), [float(cell) if cell else math.nan for cell in cells]
        else:
            yield header.strip(), [cell or None for cell in cells]


def save_plain_table(bom: Bom, path: str | PathLike[str], format: str, *, no_clobber: bool) -> Findings:
    """Write a table to a file as it was read."""
    write = room_function("massprops_cli.reports.table_files", "save_bom")
    findings: Findings = write(bom, path, format, no_clobber=no_clobber)
    return findings


def graph_of_items(bom: Bom, rollup: Rollup | None = None) -> nx.DiGraph[str]:
    """Export the tree as a directed graph, from every assembly to its children."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    names = bom.names
    for i, item in enumerate(bom.ids):
        graph.add_node(item, **({} if names is None else {"name": names[i]}))
    if rollup is not None:
        for quantity in (name for quantity_set in result_columns.QUANTITY_SETS for name in quantity_set.columns):
            if (values := result_columns.item_quantity_values(rollup, quantity)) is not None:
                for item, value in zip(bom.ids, values.tolist(), strict=True):
                    if value == value:  # noqa: PLR0124 - NaN is not known
                        graph.nodes[item][quantity] = value
    count = bom.quantity.count.tolist()
    for i, parent in enumerate(bom.tree.parent.tolist()):
        if parent >= 0:
            graph.add_edge(bom.ids[parent], bom.ids[i], qty=count[i])
    return graph


@dataclass(frozen=True, slots=True)
class ResultPlots:
    """Plots of a result, which notebooks show: figures of Matplotlib (extra ``plot``), or pictures of a design review.

    The latter, from ``treemap`` on, need no extra; their ``svg(is_file=True)`` is the text of a file.
    """

    result: Result

    def bars(self, of: str = "mass", item: str | None = None, top: int = 12) -> Figure:
        """Draw one result of the children of an assembly as bars, with ±1σ."""
        return self._figure("massprops_cli.reports.figures", "bars_figure", of, item, checked_integer("top", top, 1))

    def tree(self, item: str | None = None, levels: int = 4) -> Figure:
        """Draw the tree below an item: columns are levels, heights are masses."""
        return self._figure("massprops_cli.reports.figures", "tree_figure", item, checked_integer("levels", levels, 1))

    def pareto(self, of: str = "mass", item: str | None = None, top: int = 12) -> Figure:
        """Draw the largest contributors to a mass or to an uncertainty (docs/formulas.md, section 6)."""
        top = checked_integer("top", top, 1)
        return self._figure("massprops_cli.reports.figures", "contributors_figure", of, item, top)

    def samples(self, item: str | None = None, of: str | Sequence[str] = ()) -> Figure:
        """Draw histograms of samples with the normal curves of first order (docs/formulas.md, section 7)."""
        names = (of,) if isinstance(of, str) else tuple(of)
        return self._figure("massprops_cli.reports.plots", "histogram_figure", item, *([names] if names else []))

    def center(self, item: str | None = None, top: int = 12) -> Figure:
        """Draw the centres of mass of the children of an assembly and its own, in the planes x–y and x–z."""
        return self._figure("massprops_cli.reports.figures", "center_figure", item, checked_integer("top", top, 1))

    def treemap(self, depth: int = 3) -> Any:
        """Draw where the mass is, as areas."""
        return self._picture("treemap", depth=checked_integer("depth", depth, 1))

    def sunburst(self, depth: int = 3) -> Any:
        """Draw where the mass is, as rings."""
        return self._picture("sunburst", depth=checked_integer("depth", depth, 1))

    def centre(self, budget: Any = None) -> Any:
        """Draw the centre of mass in three views, with its limits and its σ ellipse."""
        return self._picture("centre", budget)

    def ellipsoid(self) -> Any:
        """Draw the shadows of the solid ellipsoid with the same mass and inertia."""
        return self._picture("ellipsoid")

    def waterfall(self, baseline: Any) -> Any:
        """Draw the change of the mass since an earlier revision."""
        return self._picture("waterfall", None, baseline)

    def limits(self, budget: Any = None) -> Any:
        """Draw how much of each limit is used."""
        return self._picture("limits", budget)

    def histogram(self) -> Any:
        """Draw the samples of the mass, with the normal curve of first order."""
        return self._picture("histogram")

    def _picture(self, kind: str, budget: Any = None, baseline: Any = None, depth: int = 3) -> Any:
        """Draw a picture of a design review."""
        draw = room_function("massprops_cli.reports.review.report", "result_picture")
        return draw(self.result, kind, budget, baseline, depth)

    def _figure(self, module: str, name: str, *arguments: Any) -> Figure:
        """Draw by a function of the reports."""
        figure: Figure = room_function(module, name)(self.result, *arguments)
        return figure
