"""A bill of materials, read from a file, a table, records or a DataFrame."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Literal, Self, TypeAlias, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.build import build_bom
from massprops_cli.bom.items.correlation_groups import BranchLeaves
from massprops_cli.bom.items.item_flags import Point, parse_point
from massprops_cli.bom.items.item_rows import ItemMapping, ItemRows, items_html
from massprops_cli.bom.items.result_columns import CENTER, INERTIA, MASS, SIGMA_SETS, SIGMA_SLICES, QuantitySet
from massprops_cli.bom.settings import ConfigurationChoice, Settings, keywords_with_settings, read_settings
from massprops_cli.files.options import FileOptions, ReadCaps, check_format
from massprops_cli.files.table import Mask, Table
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    Place,
    Severity,
    TableError,
    UnknownId,
    UsageError,
    checked_integer,
    finding_counts_text,
    name_list,
    rule_finding,
)
from massprops_cli.options import (
    AssemblyValues,
    BlankCoordinate,
    BlankQuantity,
    Combination,
    DecimalMark,
    DefaultInertial,
    FileFormat,
    Layout,
    MassMeaning,
    MissingQuantity,
    NumbersFrame,
    OutputSign,
    ProductSign,
    QuantityMeaning,
    TreeDirection,
    check_keywords,
    check_types,
    show_keywords,
)
from massprops_cli.rollups.inputs import Correlation, Placement, RollupInputs, ShapeDeviations
from massprops_cli.rollups.rollup import Rollup
from massprops_cli.tables.cells.units import Units
from massprops_cli.tables.columns.columns import TableColumns
from massprops_cli.tables.options import TableOptions, parse_allowed_missing
from massprops_cli.tables.rows.total_rows import TotalRow

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.items.pose_cells import ItemPoses
    from massprops_cli.rollups.inputs import InputShapes
    from massprops_cli.trees.tree import ItemQuantity, Tree

BomFile: TypeAlias = "str | PathLike[str] | IO[bytes] | IO[str]"  # a file: its path, or an open file, binary or text
BomSource: TypeAlias = "Bom | BomFile | pd.DataFrame"  # what the functions of the library accept as a table


class TableKeywords(TypedDict, total=False):
    """Keyword arguments on the meaning of a table: see ``read_bom``."""

    layout: Layout | None
    table: int
    map: Mapping[str, str]
    frozen: bool
    unit: Mapping[str, str]
    units: str
    as_weight: bool
    poi: ProductSign | None
    write_poi: OutputSign | Literal["none"] | None
    positive: str | Iterable[str]
    blank_coordinate: BlankCoordinate | None
    mass_is: MassMeaning | None
    qty_is: QuantityMeaning | None
    inertia_about: str | Sequence[float] | None
    frame: NumbersFrame | None
    root: str
    make_root: str
    where: str | Iterable[str]
    ignore_columns: str | Iterable[str]
    count_rows: str | Iterable[str]
    skip_rows: str | Iterable[str]
    decimal: DecimalMark | None
    accept_approximate: bool
    qty_column: str
    blank_qty: BlankQuantity | None
    allow_missing: str | Iterable[MissingQuantity]
    strict: bool
    allow_negative_mass: bool
    assembly_values: AssemblyValues | None
    materials: str
    link_sigmas: str
    growth_table: str
    mesh_units: str
    tolerances_are: str
    mesh_roots: str | Iterable[str]
    use_sigmas: bool
    sigma_level: int
    sigma_percent: Mapping[str, float]
    caps: ReadCaps
    config: ConfigurationChoice


class ReadKeywords(TableKeywords, total=False):
    """Keyword arguments on a file and on the meaning of its table: see ``read_bom``."""

    format: FileFormat | None
    sheet: str
    encoding: str
    delimiter: str
    columns: str | Iterable[str]
    tree: str
    tree_direction: TreeDirection | None
    combine: Combination | None
    more: str | PathLike[str] | Iterable[str | PathLike[str]]
    default_inertial: DefaultInertial
    q: Mapping[str, float | str]
    pose: str


def read_options_from_keywords(options: Mapping[str, Any], name: str = "") -> tuple[FileOptions, TableOptions]:
    """Read the options of a file and of its table from keyword arguments and the configuration."""
    given, settings = _keywords_and_configuration(options, ReadKeywords.__annotations__, name)
    of_table = {name: given.pop(name) for name in TableKeywords.__annotations__ if name in given}
    if "columns" in given:
        names = given["columns"]
        given["columns"] = tuple(name.strip() for name in (names.split(",") if isinstance(names, str) else names))
    if "more" in given:
        given["more"] = (str(more),) if isinstance(more := given["more"], str | PathLike) else tuple(map(str, more))
    if given.get("more") and not given.get("combine"):
        raise UsageError("more files require combine: 'branch' or 'id'")
    if "caps" in of_table:
        given["caps"] = of_table["caps"]
    stated = tuple(f"{joint}={position}" for joint, position in given.pop("q", {}).items())
    positions = (*settings.joint_positions(given.pop("pose", "")), *stated)
    made = _table_options(of_table, settings)
    given |= {"folders": made.mesh_roots, "joint_positions": positions, "calculator": settings.calculator}
    of_file = FileOptions(**given)
    return of_file, replace(made, robots=of_file.of_robots)


def _keywords_and_configuration(
    options: Mapping[str, Any], known: Mapping[str, Any], name: str = ""
) -> tuple[dict[str, Any], Settings]:
    """Check keyword arguments, and add what the configuration of a file states; returns them and the configuration."""
    check_keywords(options, known)
    check_types(options, known, none_is_default=True)
    given = {name: value for name, value in options.items() if value is not None}
    settings = read_settings(name, given.pop("config", None))
    return keywords_with_settings(given, settings), settings


def _table_options_from_keywords(options: Mapping[str, Any]) -> TableOptions:
    """Read the options of a table from keyword arguments; raises UsageError for a keyword or word that is not valid."""
    known = TableKeywords.__annotations__
    given, settings = _keywords_and_configuration(options, known)
    return _table_options({name: value for name, value in given.items() if name in known}, settings)


def _table_options(given: dict[str, Any], settings: Settings) -> TableOptions:
    """Make the options of a table of keyword arguments that were checked, and of the configuration."""
    given |= {name: getattr(settings, name) for name in ("conditions", "tanks", "envelopes", "styles")}
    given["configuration"] = settings.files
    given["allow_missing"] = _missing_choices(given)
    given.pop("strict", None)
    for name in ("where", "ignore_columns", "count_rows", "skip_rows", "positive", "mesh_roots"):
        given[name] = (texts,) if isinstance(texts := given.get(name, ()), str) else tuple(texts)
    if "inertia_about" in given:
        given["inertia_own"] = str(given["inertia_about"]).strip().lower() == "own"
        given["inertia_about"] = _resolve_inertia_point(given["inertia_about"])
    checked_integer("sigma_level", given.get("sigma_level", 1), 1, 3)
    if not isinstance((percent := given.get("sigma_percent", {})), Mapping):
        raise UsageError(f"sigma_percent is not a mapping: {percent!r} (word in column method → percentage)")
    for word, value in percent.items():
        if not _is_nonnegative_number(value):
            raise UsageError(f"sigma_percent of {word} is not a percentage: {value!r} (0 or more)")
    made = TableOptions(**given)
    return made.of_variant(made.qty_column) if made.qty_column else made


def _resolve_inertia_point(given: object) -> Point | None:
    """Read the point of ``inertia_about``: a word, a text of three numbers, three numbers, or None for own centres."""
    if isinstance(given, str | None):
        return parse_point(given or "")
    numbers = list(given) if isinstance(given, Iterable) else [given]
    return parse_point(",".join(str(number) for number in numbers))


def _is_nonnegative_number(value: object) -> bool:
    """Return whether a value is a finite number of 0 or more."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _missing_choices(given: Mapping[str, Any]) -> frozenset[str]:
    """Read ``allow_missing`` (words, or one text of them with commas) and ``strict``, which allows none."""
    words = given.get("allow_missing", "")
    text = words if isinstance(words, str) else ",".join(words)
    if not given.get("strict", False):
        return parse_allowed_missing(text, "allow_missing")
    if text not in ("", "none"):
        raise UsageError(f"allow_missing cannot be combined with strict: {text}")
    return frozenset()


def _complete_items(bom: Bom, mask: Mask | None, quantity_set: QuantitySet) -> Mask:
    """Return which items have all cells of a set: leaves by their mask, assemblies by what they state."""
    leaf = bom.tree.is_leaf()
    result = leaf.copy() if mask is None else mask & leaf
    count = np.zeros(len(bom), np.intp)
    for name in quantity_set.columns:
        if name in bom.written:
            count[bom.written[name][0]] += 1
    result |= ~leaf & (count == len(quantity_set.columns))
    return result


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bom(ItemMapping):
    """A table that was read, with its findings; a mapping from ids to items as their own rows state them.

    ``ids`` and ``rows (n,)`` (table row, −1 for a created root) belong to the n items of ``tree``; so do ``bodies``,
    ``sigmas`` (None without sigma columns, or if they are not read) and ``quantity``. Values of
    assemblies in ``bodies`` are those of their rows; the roll-up does not read them, except where ``stated (n,)``.
    ``sign (n,)`` int8 is +1 or −1 by the sign convention an item's products are written in, by its row or by ``--poi``,
    0 where it has none.
    ``extra (n,)`` marks the leaves that hold an assembly's own numbers (``--config assembly-values=own``).

    Further statements of uncertainties are None without their column: ``shapes``, the distributions and bounds of
    inputs; ``groups (n,)``, the cells of ``corr_group``, blank for computed assemblies; ``part_numbers (n,)``;
    ``maturity (n,)``, the word under ``method`` in its canonical form, blank for an unknown word.

    >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}])
    >>> len(bom), bom.ids[0], bom.has_errors
    (2, 'top', False)
    """

    table: Table
    columns: TableColumns
    options: TableOptions
    layout: str
    how: str
    tree: Tree
    ids: Sequence[str]
    names: Sequence[str] | None
    rows: NDArray[np.intp]
    bodies: Bodies
    sigmas: Sigmas | None
    quantity: ItemQuantity
    stated: NDArray[np.bool_] | None
    extra: NDArray[np.bool_] | None
    sign: NDArray[np.int8]
    point_blank: NDArray[np.bool_] | None  # which items have a blank cell under Ipoint; None without the column
    written: Mapping[str, tuple[NDArray[np.intp], NDArray[np.float64]]]
    """Values stated in assembly rows: quantity of the column → (items, values in coherent units)."""
    findings: tuple[Finding, ...]
    shapes: InputShapes | None = None
    groups: Sequence[str] | None = None
    part_numbers: Sequence[str] | None = None
    maturity: Sequence[str] | None = None
    growth: NDArray[np.float64] | None = None
    """Growth of the items whose own values are rolled up, as a share of their mass ``(n,)``; NaN if unknown."""
    pieces: NDArray[np.float64] | None = None
    """The number of pieces in the mass of an item's cell ``(n,)`` (``--mass-is line``); None: one piece."""
    deviations: ShapeDeviations | None = None  # joint deviations of the values of shapes; None without uncertain shapes
    geometry: NDArray[np.float64] | None = None
    """Tensors of the shapes and meshes, whatever the rows state ``(n, 6)``, in the axes of the rows; NaN without."""
    poses: ItemPoses | None = None
    """Frames of the items; bodies and sigmas are in the frame of the root. None for a table without poses."""
    own_numbers: tuple[Bodies, Sigmas | None] | None = None
    """Bodies and sigmas in the frames in which the rows are given; None without poses."""
    totals: tuple[TotalRow, ...] = ()  # the rows that are not items: totals, subtotals, margins and limits
    branches: BranchLeaves | None = None  # leaves that represent whole branches, with the covariances of these
    numbers_by_id: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Item numbers by id, filled at the first search for an item."""
    own_bodies: list[tuple[Bodies, Sigmas | None]] = field(default_factory=list, init=False, repr=False, compare=False)
    """Bodies of all items as their own rows state them, filled when the first is requested."""

    @property
    def units(self) -> Units:
        """The coherent units of every number in the arrays."""
        return self.columns.units

    @property
    def ends(self) -> NDArray[np.bool_]:
        """Which items go up with their own numbers ``(n,)``: leaves, and assemblies weighed as a whole."""
        return self.tree.is_leaf() if self.stated is None else self.tree.is_leaf() | self.stated

    @property
    def states_mass(self) -> NDArray[np.bool_]:
        """Which items have a mass ``(n,)``."""
        return np.ones(len(self), bool) if self.bodies.has_mass is None else self.bodies.has_mass

    @property
    def item_rows(self) -> ItemRows:
        """The items as rows of the table."""
        return ItemRows(self.table, self.columns, self.rows, self.ids)

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def is_withheld(self) -> bool:
        """Whether a finding is an error that keeps results from being written."""
        return any(finding.is_withholding for finding in self.findings)

    def __repr__(self) -> str:
        """Return the table's name, its size and the number of findings, on one line."""
        found = finding_counts_text(self.findings) if self.findings else "no findings"
        root = self.ids[int(self.tree.order[0])]
        return f"<Bom {self.table.source.name}: {len(self):,} items under {root}, layout {self.layout}; {found}>"

    def _repr_html_(self) -> str:
        """Return a table for a notebook: the root first."""
        return items_html(self, self, repr(self)[1:-1])

    def item(self, name: str) -> int:
        """Find the number of the item with an id.

        Parameters
        ----------
        name : str
            Id.

        Returns
        -------
        int
            Number from 0, in file order.

        Raises
        ------
        UnknownId
            No item has the id; the message names the nearest ids.
        """
        if (found := self.find(name)) is not None:
            return found
        if not isinstance(name, str):
            raise UsageError(f"id is not a text: {name!r}")
        import difflib

        near = [text for text in self.ids if text.casefold() == name.casefold()][:3]
        if not near and len(self.ids) <= 100_000:
            near = difflib.get_close_matches(name, list(self.ids), 3)
        hint = f" (nearest: {', '.join(near)})" if near else f" (root: {self.ids[self.tree.order[0]]})"
        raise UnknownId(f"id is not in the table: {name}{hint}")

    def named_items(self, name: str) -> list[int]:
        """Find the numbers of the items with a name or a part number.

        Parameters
        ----------
        name : str
            Name or part number; blanks around it do not count.

        Returns
        -------
        list of int
            Numbers from 0, in file order; empty if no item has it.
        """
        columns = [texts for texts in (self.names, self.part_numbers) if texts is not None]
        return sorted({i for texts in columns for i, text in enumerate(texts) if text.strip() == name.strip()})

    def rollup_inputs(self, correlation: Correlation | None = None) -> RollupInputs:
        """Collect the inputs of a roll-up.

        Parameters
        ----------
        correlation : Correlation or None, optional
            Correlated uncertainties; default: none.

        Returns
        -------
        RollupInputs
            Tree, bodies, sigmas and quantities.
        """
        inputs = RollupInputs.of(
            self.tree, self.bodies, self.sigmas, self.quantity, stated=self.stated, correlation=correlation
        )
        if self.deviations is not None:
            inputs = replace(inputs, deviations=self.deviations)
        if self.poses is None or self.own_numbers is None:
            return inputs
        poses, (bodies, sigmas) = self.poses, self.own_numbers
        placement = Placement(poses.numbers.rotation, bodies, sigmas, poses.in_root.translation, poses.covariance)
        if bodies.center is not None and self.bodies.center is not None:
            known = inputs.ends if self.bodies.has_center is None else inputs.ends & self.bodies.has_center
            placement = replace(placement, rest=poses.rest_of_centers(bodies.center, self.bodies.center, known))
        return replace(inputs, placement=placement)

    def in_row_frames(self, rolled: Rollup) -> Rollup:
        """Return a roll-up in the frames in which the rows of the table are given.

        Parameters
        ----------
        rolled : Rollup
            Roll-up of the table, in the frame of the root.

        Returns
        -------
        Rollup
            The same for a table without poses.

        Notes
        -----
        docs/formulas.md, section 12.
        """
        if self.poses is None:
            return rolled
        from massprops_cli.bom.items.result_columns import rollup_in_row_frames
        from massprops_cli.rollups.rollup import without_rounding

        own, ends = None if self.own_numbers is None else self.own_numbers[1], self.rollup_inputs().ends
        return without_rounding(rollup_in_row_frames(self.poses.numbers, own, rolled, ends), self.tree, ends, rolled)

    def with_findings(self, findings: Sequence[Finding]) -> Self:
        """Copy the table with further findings.

        Parameters
        ----------
        findings : sequence of Finding
            Findings to add.

        Returns
        -------
        Self
            Copy; the table itself without findings.
        """
        return replace(self, findings=(*self.findings, *findings)) if findings else self

    def units_of_body(self) -> tuple[str, str, str]:
        """List the units of mass, length and inertia for printing.

        Returns
        -------
        tuple of 3 str
            Names; empty texts when none are stated.
        """
        return self.units.mass, self.units.length, self.units.inertia

    @classmethod
    def read(
        cls,
        name: str | PathLike[str],
        file_options: FileOptions | None = None,
        table_options: TableOptions | None = None,
        stdin: BinaryIO | None = None,
    ) -> Bom:
        """Read a bill of materials from a file.

        Parameters
        ----------
        name : str or path
            File; ``-`` reads ``stdin``.
        file_options : FileOptions, optional
            Options of the file.
        table_options : TableOptions, optional
            Options of the table.
        stdin : binary file, optional
            Input of ``-``.

        Returns
        -------
        Bom
            Items in coherent units, inertia about own centres in the axes of the table; faults are in ``findings``.

        Raises
        ------
        TableError
            No table, or no tree at all.
        UsageError
            An option contradicts another one or the table.
        """
        file_options, options, findings = file_options or FileOptions(), table_options or TableOptions(), Findings()
        name = fspath(name)
        if file_options.is_one_table:
            from massprops_cli.files.reader import read_file_table
            from massprops_cli.tables.columns.headings import may_head_masses

            table = read_file_table(name, file_options, stdin, findings, looks_like_table=may_head_masses)
        else:
            from massprops_cli.bom.sources import read_source_table

            table, options = read_source_table(cls, name, file_options, options, stdin, findings)
        bom = cls.from_table(table, options, findings)
        if not file_options.combine:
            return bom
        first: dict[tuple[object, ...], Finding] = {}  # a combined table repeats findings of its files
        for f in bom.findings:
            first.setdefault((f.rule, f.place.file, f.place.sheet, f.place.row, f.place.line, f.message), f)
        return replace(bom, findings=tuple(first.values()))

    @classmethod
    def from_table(cls, table: Table, options: TableOptions | None = None, findings: Sequence[Finding] = ()) -> Bom:
        """Read a bill of materials from a table of cells.

        Parameters
        ----------
        table : Table
            Cells.
        options : TableOptions, optional
            Options of the table.
        findings : sequence of Finding, optional
            Findings of reading the file; they are included in the result.

        Returns
        -------
        Bom
            Items in coherent units, inertia about own centres in the axes of the table; faults are in ``findings``.

        Raises
        ------
        TableError
            No header, no row, or no tree at all.
        UsageError
            An option contradicts another one or the table.
        """
        options = options or TableOptions()
        if options.materials:
            from massprops_cli.bodies.solid_inputs import read_materials

            read_materials(options.materials)  # a file that cannot be read is an error in every table
        return build_bom(cls, table, options, findings)

    @classmethod
    def from_records(cls, records: Sequence[Mapping[str, Any]], **options: Unpack[TableKeywords]) -> Bom:
        """Read rows given as dictionaries.

        Parameters
        ----------
        records : sequence of mapping
            A row each: header → cell, as a file would have them; an absent key, and None, are blank cells.
        **options : keywords
            Keywords on the meaning of the table, as in ``read_bom``.

        Returns
        -------
        Bom
            Items in coherent units; faults are in ``findings``.

        Raises
        ------
        TableError
            No table, or no tree at all.
        UsageError
            An unknown keyword, or a word that it does not take.

        Examples
        --------
        >>> len(Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0}]))
        2
        """
        from massprops_cli.files.table import GridTable, TableSource

        if not isinstance(records, Sequence) or isinstance(records, str):
            raise UsageError(f"records is not a list of dictionaries: {type(records).__name__}")
        other = next((type(record).__name__ for record in records if not isinstance(record, Mapping)), "")
        if other:
            raise UsageError(f"records is not a list of dictionaries: {type(records).__name__} of {other}")
        header = list(dict.fromkeys(str(key) for record in records for key in record))
        rows: list[list[Any]] = [list(header), *([record.get(key) for key in header] for record in records)]
        return cls.from_table(GridTable(TableSource("records", "records"), rows), _table_options_from_keywords(options))

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame, /, **options: Unpack[TableKeywords]) -> Bom:
        """Read a pandas DataFrame.

        Parameters
        ----------
        frame : pandas.DataFrame
            The columns that a file would have; NaN and None are blank cells. ``attrs["units"]`` has the units of
            columns whose names state none.
        **options : keywords
            Keywords on the meaning of the table, as in ``read_bom``.

        Returns
        -------
        Bom
            Items in coherent units; faults are in ``findings``.

        Raises
        ------
        TableError
            No table, or no tree at all.
        UsageError
            An unknown keyword, a word that it does not take, or no DataFrame.

        Examples
        --------
        >>> import pandas as pd
        >>> len(Bom.from_dataframe(pd.DataFrame({"id": ["top", "a"], "parent": [None, "top"], "mass": [None, 2.0]})))
        2
        """
        from massprops_cli.bom.results.export import grid_from_dataframe

        made = _table_options_from_keywords(options)
        return cls.from_table(grid_from_dataframe(frame, {*made.map.values(), *made.unit}), made)

    def __getitem__(self, name: str) -> Body:
        """Return an item as its own row has it, sigmas included; what is blank is None, or NaN for a mass."""
        return self.body(self.item(name))

    def body(self, i: int) -> Body:
        """Return an item as its own row has it.

        Parameters
        ----------
        i : int
            Number of the item.

        Returns
        -------
        Body, coherent units
            Mass, centre (3,) and inertia as tensor entries about its own centre, in the axes of the table, with
            sigmas; what is blank is None, or NaN for a mass.
        """
        from massprops_cli.bodies.body import Body

        if not self.own_bodies:
            self.own_bodies.append(self.as_written())
        bodies, sigmas = self.own_bodies[0]
        return Body.of(bodies, i, sigmas, name=self.ids[i], units=self.units_of_body())

    def as_written(self) -> tuple[Bodies, Sigmas | None]:
        """Build all items with the numbers of their own rows, assemblies included.

        Returns
        -------
        bodies : Bodies, (n,), coherent units
            Mass (n,), centre (n, 3) and inertia (n, 6) as tensor entries about own centres; masks mark the stated
            values.
        sigmas : Sigmas, (n,), coherent units, or None
            One standard deviation each; None if not read.
        """
        bodies, sigmas = self.bodies, self.sigmas
        written = replace(
            bodies,
            has_mass=_complete_items(self, bodies.has_mass, MASS),
            has_center=None if bodies.center is None else _complete_items(self, bodies.has_center, CENTER),
            has_inertia=None if bodies.inertia is None else _complete_items(self, bodies.has_inertia, INERTIA),
        )
        if sigmas is None:
            return written, None
        arrays = (sigmas.mass, sigmas.center, sigmas.inertia)
        own = np.ones((len(self), 10), bool)
        for quantity_set, columns, array in zip(SIGMA_SETS, SIGMA_SLICES, arrays, strict=True):
            if array is not None:
                for k, name in zip(range(*columns.indices(10)), quantity_set.columns, strict=True):
                    mask = None if sigmas.known is None else sigmas.known[:, k]
                    own[:, k] = _complete_items(self, mask, quantity_set._replace(columns=(name,)))
        return written, replace(sigmas, known=own)

    def to_dataframe(self) -> pd.DataFrame:
        """Export the items as their rows state them, with the column names of massProps.

        Returns
        -------
        pandas.DataFrame, n rows
            Coherent units, which ``attrs["units"]`` states by column; products of inertia are tensor entries; blank
            cells are NaN. Other columns of the table follow as they are in the file.
        """
        from massprops_cli.bom.results.export import dataframe_of_items

        return dataframe_of_items(self, *self.as_written())

    @property
    def account(self) -> pd.DataFrame:
        """What every column and every row of the table is.

        Returns
        -------
        pandas.DataFrame, a row for each column, for each row that is not an item, and for all items
            ``what`` is ``column``, ``row`` or ``rows``; ``place`` is the address, ``name`` the header or label,
            ``role`` the quantity, ``explained``, ``unexplained``, ``item``, ``total`` …; ``reason`` and ``equation``
            show it; ``rows`` counts the rows in which the equation holds, else those with something in the column.

        Examples
        --------
        >>> rows = [{"name": "Frame", "mass": 2.0, "Cost": 5}, {"name": "Total", "mass": 2.0, "Cost": 5}]
        >>> Bom.from_records(rows).account[["name", "role"]].values.tolist()
        [['name', 'name'], ['mass', 'mass'], ['Cost', 'explained'], ['Total', 'total'], ['', 'item']]
        """
        from massprops_cli.bom.results.export import dataframe_of_account

        return dataframe_of_account(self)

    def save(self, path: str | PathLike[str], format: str = "", *, no_clobber: bool = False) -> Findings:
        """Write the table as it was read, as ``massprops convert`` does.

        Parameters
        ----------
        path : str or path
            The file. An existing file is replaced when the new one is complete; the file that was read is rejected.
        format : str, optional
            ``csv``, ``tsv``, ``xlsx``, ``json``, ``jsonl``, ``parquet``, ``feather`` or ``md``; default: by suffix.
        no_clobber : bool, optional
            Reject a file that exists, also one that another program creates meanwhile.

        Returns
        -------
        Findings
            Findings of writing.

        Raises
        ------
        UsageError
            Unknown format, the file is the one that was read, or it exists with ``no_clobber``.
        OutputError
            The file could not be written.

        Examples
        --------
        >>> import os, tempfile
        >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [kg]": 2.0}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "bom.csv")
        ...     _ = bom.save(path)
        ...     read_bom(path)["a"].mass
        2.0
        """
        from massprops_cli.bom.results.export import save_plain_table

        return save_plain_table(self, path, format, no_clobber=no_clobber)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Export the tree as a graph.

        Returns
        -------
        networkx.DiGraph
            Edges from assemblies to children, with ``qty``; nodes are ids.
        """
        from massprops_cli.bom.results.export import graph_of_items

        return graph_of_items(self)


def bom_from(source: BomSource, argument: str = "bom", **options: Unpack[ReadKeywords]) -> Bom:
    """Read a table of any kind that the functions of the library accept."""
    if isinstance(source, Bom):
        if options:
            raise UsageError(f"{argument} has been read: pass {name_list(list(options))} to read_bom")
        return source
    if isinstance(source, str | PathLike) or hasattr(source, "read"):
        return read_bom(cast("BomFile", source), **options)
    if (pandas := sys.modules.get("pandas")) is not None and isinstance(source, pandas.DataFrame):
        return Bom.from_dataframe(source, **cast("TableKeywords", options))
    expected = "expected a Bom, a path, a DataFrame or an open file"
    raise UsageError(f"{argument} is not a table: {type(source).__name__} ({expected})")


def _file_content(file: Any) -> tuple[str, BinaryIO]:
    """Return the name and the bytes of an open file; the text of a text file as UTF-8."""
    name = getattr(file, "name", None)
    name = name if isinstance(name, str) and name else "file"
    try:
        data = file.read()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        reason = "it is not a text; open it with the mode 'rb'" if isinstance(error, UnicodeDecodeError) else reason
        raise TableError([rule_finding("MP101", f"file cannot be read: {reason}", Place(name))]) from None
    if not isinstance(data, str | bytes | bytearray):
        raise UsageError(f"open file does not return text or bytes: {type(data).__name__}")
    return name, io.BytesIO(data.encode() if isinstance(data, str) else bytes(data))


def read_bom(path: BomFile, *, stdin: BinaryIO | None = None, **options: Unpack[ReadKeywords]) -> Bom:
    """Read a bill of materials.

    Parameters
    ----------
    path : BomFile
        Path of the file, where ``-`` reads ``stdin``; or an open file, binary or text, which is read to its end, and
        whose format is that of its name or content.
    stdin : binary file, optional
        Input of ``-``.
    **options : keywords
        The following keywords, on the file and on the meaning of its table.
    format : FileFormat, optional
        File format (``csv``, ``xlsx`` …); default: by suffix and content.
    sheet : str, optional
        Worksheet, by name or by number from 1.
    encoding, delimiter : str, optional
        Text encoding, and the character between fields; default: detected.
    columns : str or iterable of str, optional
        Column names of a text table without a header.
    tree : str, optional
        File with an edge list, the tree of the table.
    tree_direction : {"child-parent", "parent-child"}, optional
        Columns of that file.
    combine : {"branch", "id"}, optional
        Read several sheets, or ``path`` and the files ``more``, as one tree: each a branch, or joined by ids.
    more : str, path or iterable of str or path, optional
        Further files of the tree.
    default_inertial : {"spec", "zero", "error"}, optional
        Inertial of a robot's link that states none: that of the format, none, or an error.
    q : mapping of str to float or str, optional
        Joint of a robot → position in radians or metres, or a text with a unit such as ``30 deg``; others are 0.
    pose : str, optional
        Positions of joints from ``[pose.NAME]`` of ``massprops.toml``; those of ``q`` have priority.
    layout : {"parent", "level", "dotted", "indented", "columns", "outline", "edges", "flat"}, optional
        Form of the hierarchy; default: detected.
    table : int, optional
        Table of a sheet that has several, from 1.
    map, unit : mapping of str to str, optional
        Quantity → header (``{"id": "Part Number"}``), and quantity → unit (``{"mass": "kg"}``).
    frozen : bool, optional
        Read only the columns of ``map``.
    units : str, optional
        System in which every number is rewritten: ``SI``, ``kg,mm`` …
    as_weight : bool, optional
        Masses are weights, in a unit of force.
    poi : {"+", "-"}, optional
        Sign convention of products of inertia that are read (``-``: tensor entry Ixy = −∫xy dm; ``+``: +∫xy dm).
    write_poi : {"+", "-", "keep", "none"}, optional
        Sign convention of those that are written.
    positive : str or iterable of str, optional
        Sides that are positive, where cells state the side of a coordinate (``1.85A``): ``F``, ``P`` …
    blank_coordinate : {"0"}, optional
        ``0``: a blank coordinate of a centre that has others is 0; default: the centre is missing.
    mass_is : {"each", "line"}, optional
        Mass of one piece, or of the row.
    qty_is : {"per-parent", "total"}, optional
        Pieces in one parent, or in the product.
    inertia_about : str or sequence of 3 float, optional
        Reference point of inertia cells, in the table's axes and unit of length; default: each item's own centre.
    frame : {"own", "parent", "root"}, optional
        Frame in which centres and tensors of rows that state none are given, in a table with poses.
    root, make_root : str, optional
        Id of the item whose tree is used; id of a new root over several top items.
    where, ignore_columns, count_rows, skip_rows : str or iterable of str, optional
        Conditions on rows; headers of columns not read; labels of rows that are parts, and that are not.
    decimal : {",", "."}, optional
        Decimal mark of numbers written as text.
    accept_approximate, allow_negative_mass : bool, optional
        Read ``~3`` as 3; accept negative masses.
    qty_column : str, optional
        Quantity column of a variant.
    blank_qty : {"0", "1"}, optional
        Count of a blank cell in it.
    allow_missing : str or iterable of {"mass", "center", "inertia", "sigma", "all", "none"}, optional
        Quantities whose absence is a warning; default ``inertia,sigma``.
    strict : bool, optional
        Nothing may be missing; leaves are checked as in the R package massProps.
    assembly_values : {"check", "own", "stated", "ignore"}, optional
        Meaning of numbers that assembly rows state.
    materials : str, optional
        A toml file of materials, with densities for columns of shapes, in addition to the supplied table.
    link_sigmas : str, optional
        A table of the sigmas of the links of robots: columns ``link``, ``sigma_mass [kg]`` and so on.
    growth_table : str, optional
        A csv file, or the name of a supplied table, of growth by category and maturity.
    mesh_units : str, optional
        Unit of mesh files that state none.
    tolerances_are : str, optional
        Level of tolerances of shapes that state none: ``uniform``, or a number of sigmas.
    mesh_roots : str or iterable of str, optional
        Further folders in which meshes, and models that a robot includes, may be.
    use_sigmas : bool, optional
        False: sigma columns are not read.
    sigma_level : int, optional
        Standard deviations that a sigma without a stated level is: 1, 2 or 3.
    sigma_percent : mapping of str to float, optional
        Word under ``method`` → one sigma in percent.
    caps : ReadCaps, optional
        Limits of reading, on the size of the file and of the tree; default: the environment variables
        ``MASSPROPS_MAX_CELLS`` …, or those of ``ReadCaps()``.
    config : str, path, False or None, optional
        A configuration file, with priority over that of the table; False or an empty text: no configuration; None: that
        of the table only, ``massprops.toml`` in its folder or above, as on the command line. ``-`` has none.

    Returns
    -------
    Bom
        Items, tree and bodies in coherent units, about each item's own centre of mass in the axes of the table; the
        faults of the table are in ``findings``.

    Raises
    ------
    TableError
        No table, or no tree at all, in the file.
    UsageError
        An unknown keyword, or a word that it does not take; the message names the nearest.
    ConfigError
        A configuration file that does not exist or is not valid; the message has the line.

    Notes
    -----
    The options are those of the command line. Priority: keywords, the file of ``config``, that of the table.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "bom.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,parent,mass\\ntop,,\\na,top,2\\nb,top,3\\n")
    ...     len(read_bom(path, layout="parent"))
    3
    """
    if isinstance(path, str | PathLike):
        name = fspath(path)
        if not isinstance(name, str):
            raise UsageError(f"path is not a text: {name!r}")
        of_file, of_table = read_options_from_keywords(options, name)
    elif not hasattr(path, "read"):
        raise UsageError(f"path is not a file: {type(path).__name__} (expected a path or an open file)")
    else:
        name, stdin = _file_content(path)
        of_file, of_table = read_options_from_keywords(options, name if Path(name).is_file() else "")
        if not of_file.is_one_table:
            raise UsageError("an open file cannot be read with combine or tree; name the path of the file")
    bom = Bom.read(name, of_file, of_table, stdin)
    check_format(options, name, bom.table.source.format)
    return bom


show_keywords(read_bom, ReadKeywords)
