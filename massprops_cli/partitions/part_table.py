"""Poses in tables of parts: every item has its frame in that of its parent, a top item in that of the whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas, at_items
from massprops_cli.bodies.poses import Poses
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, body_column, sigma_column
from massprops_cli.files.encoding import escape_formula
from massprops_cli.files.table import PrefetchTable, TableSource, shortest_number_text
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import UsageError, name_list
from massprops_cli.partitions.branch_file import PartRows
from massprops_cli.rollups.inputs import with_rows
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.columns.headings import read_heading
from massprops_cli.tables.options import POSE_COSINES, POSE_LENGTHS, SHAPE_QUANTITIES

if TYPE_CHECKING:
    import pyarrow as pa

    from massprops_cli.bom.bom import Bom

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]


class _PartPoses:
    """The frames of a table with poses, for tables of some of its items."""

    def __init__(self, bom: Bom) -> None:
        assert bom.poses is not None
        poses, leaf = bom.poses, bom.tree.is_leaf()
        self.bom, self.leaf, self.covariance = bom, leaf, poses.covariance
        # the origin of an uncertain pose stays; else that of the numbers, which then are as they are written
        moved = leaf if poses.covariance is None else leaf & ~poses.covariance.any(axis=(1, 2))
        self.in_root = Poses(
            np.where(moved[:, None], poses.numbers.translation, poses.in_root.translation),
            np.where(leaf[:, None, None], poses.numbers.rotation, poses.in_root.rotation),
        )

    def numbers(self, items: NDArray[np.intp]) -> tuple[Bodies, Sigmas | None]:
        """Return bodies, sigmas of leaves (k,), origins and axes of their frames: docs/formulas.md, section 12."""
        assert self.bom.own_numbers is not None
        stated, stated_sigmas = self.bom.own_numbers
        bodies, sigmas = replace(self.bom, bodies=stated, sigmas=stated_sigmas).as_written()
        bodies = at_items(bodies, items)
        if bodies.center is not None:
            bodies = replace(bodies, center=bodies.center + self._away(items))
        return bodies, None if sigmas is None else at_items(sigmas, items)

    def is_as_written(self, items: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which leaves (k,) have their centres in the frame of their rows (k,), from its origin."""
        return np.asarray((self._away(items) == 0).all(axis=1))

    def _away(self, items: NDArray[np.intp]) -> _Floats:
        """Return the origins of the numbers of some leaves from those of their frames."""
        assert self.bom.poses is not None
        numbers = self.bom.poses.numbers[items]
        away = numbers.translation - self.in_root.translation[items]
        return np.asarray(np.einsum("nba,nb->na", numbers.rotation, away))

    def columns(self, rows: PartRows) -> dict[str, pa.Array]:
        """Return the columns of frames, origins, rotations and uncertainties."""
        import pyarrow as pa

        made = rows.items < 0
        frames = self._frames(rows.items)
        above = self._frames(np.where(rows.parents < 0, -1, rows.items[rows.parents]))
        for row, (translation, rotation) in rows.parent_frames.items():
            above.translation[row], above.rotation[row] = translation, rotation
        local = above.inverse() @ frames
        numbered = np.zeros(len(made), bool)
        numbered[rows.numbered] = True
        own = self.leaf[np.where(made, 0, rows.items)] & ~made & ~rows.branches & ~numbered
        unit = self.bom.units_of_body()[1]
        found: dict[str, Any] = {"frame": pa.array(np.where(own, "own", "root"))}
        for k, name in enumerate(POSE_LENGTHS):
            found[f"{name} [{unit}]" if unit else name] = pa.array(local.translation[:, k])
        for k, name in enumerate(POSE_COSINES):
            found[name] = pa.array(local.rotation.reshape(-1, 9)[:, k])
        if self.covariance is not None:
            found[f"pose_covariance [{unit}; rad]" if unit else "pose_covariance [rad]"] = pa.array(
                self._covariance_texts(rows, above.rotation), pa.string()
            )
        return found

    def _frames(self, items: NDArray[np.intp]) -> Poses:
        """Return the frames of some items in that of the root; that of the root itself for −1."""
        made = items < 0
        frames = self.in_root[np.where(made, 0, items)]
        return Poses(
            np.where(made[:, None], 0.0, frames.translation), np.where(made[:, None, None], np.eye(3), frames.rotation)
        )

    def _covariance_texts(self, rows: PartRows, above: _Floats) -> list[str | None]:
        """Return the covariances of the poses in the axes of the parents as cells of 21 numbers."""
        assert self.covariance is not None
        texts: list[str | None] = [None] * len(rows.items)
        for row, item in enumerate(rows.items.tolist()):
            if item < 0 or not self.covariance[item].any():
                continue
            turn = np.zeros((6, 6))
            turn[:3, :3] = turn[3:, 3:] = above[row].T
            V = turn @ self.covariance[item] @ turn.T
            texts[row] = " ".join(shortest_number_text(x + 0.0) for x in V[np.triu_indices(6)].tolist())
        return texts


_Index = NDArray[np.intp]
_BODY_COLUMNS = ("mass", *CENTER.columns, *INERTIA.columns)
_KEPT_QUANTITIES = ("part", "method", "corr_group", "dist", "weighed", "mga", "category", "maturity")
"""Quantities that are written with the texts of the file."""
_OF_LEAVES = ("method", "corr_group", "dist", "mga")
"""Those of them that are read of leaves only, and therefore blank for a leaf that represents a branch."""
BRANCH_COLUMN = "represents branch"  # header of the column that marks leaves which represent a branch
_ROWS_PER_BLOCK, _THREADS = 65_536, 2  # rows of a csv file are formatted in blocks, two at the same time
PART_FORMATS = ("csv", "parquet")


class PartTables:
    """Makes tables of the rows of one bill of materials; branches have the numbers of its roll-up."""

    def __init__(self, bom: Bom, rolled: Rollup | None = None) -> None:
        self.bom, self.rolled = bom, rolled
        if self.bom.extra is not None or self.bom.stated is not None:
            raise UsageError(
                "tables of parts hold no numbers of assemblies; omit --config assembly-values=own and stated"
            )
        self.solids = _uncertain_solids(bom)
        # a cell of an assembly that its row states is written too
        self.written, self.written_sigmas = self.bom.as_written()
        self.poses = None
        if self.bom.poses is not None:
            self.poses, leaves = _PartPoses(self.bom), np.flatnonzero(self.bom.tree.is_leaf())
            bodies, sigmas = self.poses.numbers(leaves)
            self.written = with_rows(self.written, (leaves, bodies))
            if self.written_sigmas is not None and sigmas is not None:
                self.written_sigmas = with_rows(self.written_sigmas, (leaves, sigmas))

    @cached_property
    def _names(self) -> dict[str, pa.Array]:
        """Ids and names of all items."""
        found = {"id": _text_array(self.bom.ids)}
        if self.bom.names is not None:
            found["name"] = _text_array(self.bom.names)
        return found

    @cached_property
    def _others(self) -> list[tuple[str, str, pa.Array]]:
        """The other columns: header, quantity and the cells of all items."""
        return [*_other_columns(self.bom), *_solid_columns(self.bom, self.solids)]

    def table(self, rows: PartRows) -> pa.Table:
        """Return some rows as a table."""
        import pyarrow as pa

        items = pa.array(np.where(rows.items < 0, 0, rows.items), mask=rows.items < 0)
        ids = _with_texts(self._names["id"].take(items), rows.ids)
        parents = ids.take(pa.array(rows.parents, mask=rows.parents < 0))
        columns: dict[str, Any] = {"id": ids, "parent": _with_texts(parents, rows.parent_ids)}
        if "name" in self._names:
            columns["name"] = self._names["name"].take(items)
        columns |= self._quantities(rows)
        columns |= self._numbers(rows)
        if self.poses is not None:
            columns |= self.poses.columns(rows)
        for header, quantity, cells in self._others:
            taken = cells.take(items)
            if quantity in (*_OF_LEAVES, *SHAPE_QUANTITIES) and rows.branches.any():
                taken = pa.compute.if_else(pa.array(rows.branches), pa.scalar(None, pa.string()), taken)
            # a header that no column has: the text itself, or with a number
            name, k = header, 1
            while name in columns:
                k += 1
                name = f"{header}.{k}"
            columns[name] = taken
        if rows.branches.any():
            columns[BRANCH_COLUMN] = pa.array(["yes" if one else None for one in rows.branches.tolist()], pa.string())
        return pa.table(columns)

    def _quantities(self, rows: PartRows) -> dict[str, Any]:
        """Return the columns of quantities and of points, if some item needs them."""
        import pyarrow as pa

        made = rows.items < 0
        at = np.where(made, 0, rows.items)
        count = np.where(made, 1.0, self.bom.quantity.count[at])
        measured = self.bom.quantity.measured[at] & ~made
        if rows.quantity is not None:
            count, measured = rows.quantity.count, rows.quantity.measured
        is_top = rows.parents < 0
        is_top[list(rows.parent_ids)] = False
        found: dict[str, Any] = {}
        if "qty" in self.bom.columns.by_quantity or bool((count != 1).any()):
            found["qty"] = pa.array(count, mask=is_top)
        if bool(measured.any()):
            units = ["each"] * len(at)
            for k in np.flatnonzero(measured).tolist():
                units[k] = "m"
            found["uom"] = pa.array(units)
        return found

    def _numbers(self, rows: PartRows) -> dict[str, Any]:
        """Return the columns of the ten quantities, of point flags and of sigmas."""
        import pyarrow as pa

        bodies, sigmas = self._bodies(rows)
        found: dict[str, Any] = {}
        if bool(bodies.is_point.any()):
            found["Ipoint"] = pa.array(np.where(bodies.is_point, "true", "false"))
        units = self.bom.units_of_body()
        for prefix in ("",) if sigmas is None else ("", "sigma_"):
            for name in _BODY_COLUMNS:
                values = sigma_column(sigmas, name) if prefix and sigmas is not None else body_column(bodies, name)
                if values is None or (
                    name in CENTER.columns and self.bom.bodies.missing_axes[CENTER.columns.index(name)]
                ):
                    continue
                unit = units[0] if name == "mass" else units[1] if name in CENTER.columns else units[2]
                known = np.isfinite(values)
                known[rows.items < 0] = False
                known[rows.numbered] = np.isfinite(values[rows.numbered])
                known[self._computed_rows(rows, prefix, name)] = False
                found[f"{prefix}{name} [{unit}]" if unit else prefix + name] = pa.array(values, mask=~known)
                if prefix + name == INERTIA.columns[-1]:
                    found["POIconv"] = pa.array(["-"] * len(values))
        return found

    def _computed_rows(self, rows: PartRows, prefix: str, name: str) -> _Index:
        """Return the rows whose shape computes a quantity again, with what its uncertainties have in common."""
        if not len(self.solids):
            return self.solids
        of_set = next(one for one in (MASS, CENTER, INERTIA) if name in one.columns)
        at = np.flatnonzero(np.isin(rows.items, self.solids) & ~rows.branches)
        if of_set is CENTER and not prefix and self.poses is not None:
            at = at[self.poses.is_as_written(rows.items[at])]
        named, table = self.bom.columns.by_quantity, self.bom.table
        columns = [named[f"{prefix}{one}"].index for one in of_set.columns if f"{prefix}{one}" in named]
        texts = [(k, int(self.bom.rows[rows.items[k]])) for k in at.tolist()]
        return np.array([k for k, row in texts if not any(table.text(row, j).strip() for j in columns)], np.intp)

    def _bodies(self, rows: PartRows) -> tuple[Bodies, Sigmas | None]:
        """Return bodies and sigmas of the rows: as written, computed for branches, stated for made rows."""
        at = np.where(rows.items < 0, 0, rows.items)
        bodies = at_items(self.written, at)
        sigmas = None if self.written_sigmas is None else at_items(self.written_sigmas, at)
        where, rolled = np.flatnonzero(rows.branches), self.rolled
        if rolled is not None and len(where):
            bodies = with_rows(bodies, (where, at_items(rolled.bodies, at[where])))
            if sigmas is not None and rolled.sigmas is not None:
                sigmas = with_rows(sigmas, (where, at_items(rolled.sigmas, at[where])))
        if rows.bodies is not None:
            bodies = with_rows(bodies, (rows.numbered, rows.bodies))
            if sigmas is not None and rows.sigmas is not None:
                sigmas = with_rows(sigmas, (rows.numbered, rows.sigmas))
        return bodies, sigmas


def check_free_names(paths: Sequence[Path], *, no_clobber: bool) -> None:
    """Reject files that exist before the first is written."""
    for path in paths if no_clobber else ():
        if os.path.lexists(path):
            raise UsageError(f"{path}: file exists and is not replaced, because no_clobber is given")


def write_part_table(table: pa.Table, path: Path, source: TableSource, *, replaces: bool) -> None:
    """Write a table by the suffix; texts of other formats that a spreadsheet would execute are escaped in csv."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    with atomic_file(str(path), replaces=replaces) as out:
        if path.suffix == ".parquet":
            parquet.write_table(table, pa.PythonFile(out, "w"))
            return
        if source.format != "csv":
            for k, one in enumerate(table.schema):
                if one.type == pa.string():
                    texts = [None if text is None else escape_formula(text) for text in table.column(k).to_pylist()]
                    table = table.set_column(k, one.name, pa.array(texts, pa.string()))
        header = pa.table([pa.array([name]) for name in table.column_names], names=table.column_names)
        options = csv.WriteOptions(include_header=False, quoting_style="needed")
        csv.write_csv(header, pa.PythonFile(out, "w"), options)

        def block_text(start: int) -> pa.Buffer:
            """Return some rows as csv."""
            block = pa.BufferOutputStream()
            csv.write_csv(table.slice(start, _ROWS_PER_BLOCK), block, options)
            return block.getvalue()

        with ThreadPoolExecutor(_THREADS) as pool:
            for text in pool.map(block_text, range(0, table.num_rows, _ROWS_PER_BLOCK)):
                out.write(text)


def _text_array(texts: Any) -> pa.Array:
    """Return texts as an Arrow array; those of a large text file are in one already."""
    import pyarrow as pa

    if isinstance((column := getattr(texts, "column", None)), pa.ChunkedArray):
        return column.combine_chunks().cast(pa.string())
    return pa.array(list(texts), pa.string())


def _with_texts(texts: pa.Array, replaced: dict[int, str]) -> pa.Array:
    """Return texts of which some are replaced."""
    import pyarrow as pa

    if not replaced:
        return texts
    mask = np.zeros(len(texts), bool)
    mask[list(replaced)] = True
    return pa.compute.replace_with_mask(texts, pa.array(mask), pa.array([replaced[k] for k in sorted(replaced)]))


def _other_columns(bom: Bom) -> Iterator[tuple[str, str, pa.Array]]:
    """Yield the columns that are not written as values: header, quantity and the cells of all items, null if blank."""
    import pyarrow as pa

    kept = {one.index: name for name, one in bom.columns.by_quantity.items() if name in _KEPT_QUANTITIES}
    used = {one.index for one in bom.columns.by_quantity.values()} - set(kept)
    wanted = [j for j, header in enumerate(bom.columns.header) if j not in used and header.strip()]
    if isinstance(bom.table, PrefetchTable):
        bom.table.read_ahead([j for j in wanted if j in kept or not read_heading(bom.columns.header[j]).quantity], [])
    rows = bom.rows - bom.columns.first_row
    at = pa.array(np.where(rows < 0, 0, rows), mask=bom.rows < 0)
    for j in wanted:
        header = bom.columns.header[j]
        # what a heading means without options would be read in the new table, and was not read in this one
        if j not in kept and read_heading(header).quantity:
            continue
        cells = _text_array(bom.table.texts(j, bom.columns.first_row)).take(at)
        blank = pa.compute.equal(cells, "")
        quantity = kept.get(j, "")
        name = quantity or header.strip()
        yield name, quantity, pa.compute.if_else(blank, pa.scalar(None, pa.string()), cells)


def _uncertain_solids(bom: Bom) -> _Index:
    """Return the items whose values are those of uncertain shapes, which no columns of sigmas can state."""
    if bom.deviations is None:
        return np.zeros(0, np.intp)
    items, named = np.unique(bom.deviations.items), bom.columns.by_quantity

    def of(name: str) -> list[str]:
        return [
            bom.ids[i]
            for i in items.tolist()
            if name in named and bom.table.text(int(bom.rows[i]), named[name].index).strip()
        ]

    if meshes := of("mesh"):
        raise UsageError(f"tables of parts cannot state the uncertainty of meshes: {name_list(meshes)}")
    if bom.options.materials and (made := of("material")):
        raise UsageError(f"tables of parts have no --config materials=…; state a density instead: {name_list(made)}")
    return items


def _solid_columns(bom: Bom, solids: _Index) -> Iterator[tuple[str, str, pa.Array]]:
    """Yield the columns that describe uncertain shapes, as the file has them; blank for other items."""
    import pyarrow as pa

    if not len(solids):
        return
    kept = pa.array(np.isin(np.arange(len(bom)), solids))
    at = pa.array(np.maximum(bom.rows - bom.columns.first_row, 0))
    for name in SHAPE_QUANTITIES:
        if (column := bom.columns.by_quantity.get(name)) is not None:
            cells = _text_array(bom.table.texts(column.index, bom.columns.first_row)).take(at)
            yield column.header, name, pa.compute.if_else(kept, cells, pa.scalar(None, pa.string()))
