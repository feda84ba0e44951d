"""Solids of a table: numbers of leaves whose own are blank, from columns of shapes or meshes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body_array import BodyArray
from massprops_cli.bodies.plausibility import PlausibilityFault, factor_message, geometry_faults, mass_factor
from massprops_cli.bodies.solid_inputs import SolidInput, SolidInputError, parse_solid, read_materials, solid_bodies
from massprops_cli.bom.items import result_columns
from massprops_cli.bom.items.item_flags import ItemFlags
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_item_faults, report_together
from massprops_cli.bom.items.numbers import SetCells, empty_set_cells
from massprops_cli.findings.finding import Findings, UsageError
from massprops_cli.rollups.inputs import NO_LOT, ShapeDeviations
from massprops_cli.tables.cells.units import unit_of_dimension
from massprops_cli.tables.columns.columns import QuantityColumn
from massprops_cli.tables.options import SOLID_QUANTITIES, TableOptions

if TYPE_CHECKING:
    from massprops_cli.bodies.solid_inputs import MeshDescription

_BOUND_RULES = {"moments-too-large": "MP711", "radius-too-large": "MP712"}
_Computed = tuple[list[int], "Sequence[SolidInput | MeshDescription]", NDArray[np.float64], NDArray[np.float64]]
"""Items, what their cells describe, ten values and covariances."""
_Source = tuple[int, str, NDArray[np.float64], float]
"""Item, name of an uncertain input of its shape, ten deviations for one sigma of the input, and this sigma."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemSolids:
    """The k items that are computed from shapes or meshes, in coherent units and in the axes of the table."""

    items: NDArray[np.intp]  # (k,)
    ten: NDArray[np.float64]  # (k, 10) about own centres
    sigmas: NDArray[np.float64]  # (k, 10) NaN where unknown
    inputs: list[SolidInput | MeshDescription]
    deviations: ShapeDeviations | None  # None if all inputs are exact
    is_computed: NDArray[np.bool_]  # (k,) the tensor is that of the shape or mesh

    def tensors(self, n: int) -> NDArray[np.float64]:
        """Return the tensors (n, 6) of n items about own centres, NaN without a shape or mesh."""
        six = np.full((n, 6), np.nan)
        six[self.items] = self.ten[:, 4:]
        return six

    def enter_tensors(self, cells: dict[str, SetCells], *, use_sigmas: bool) -> None:
        """Enter the tensors about own centres, and the sigmas where a table has columns of sigmas."""
        if result_columns.INERTIA.name in cells:
            cells[result_columns.INERTIA.name].values[self.items[self.is_computed]] = self.ten[self.is_computed, 4:]
        if use_sigmas:
            for sigma, columns in zip(result_columns.SIGMA_SETS, result_columns.SIGMA_SLICES, strict=True):
                if sigma.name in cells:
                    self._enter_sigmas(cells[sigma.name], columns)

    def add_sigmas(self, cells: dict[str, SetCells], n: int) -> list[result_columns.QuantitySet]:
        """Add the sigmas where a table has no columns of sigmas; return the added sets."""
        before = set(cells)
        if np.isnan(self.sigmas).all():
            return []
        for value, sigma, columns in zip(
            result_columns.VALUE_SETS, result_columns.SIGMA_SETS, result_columns.SIGMA_SLICES, strict=True
        ):
            if value.name in cells and sigma.name not in cells:
                cells[sigma.name] = empty_set_cells(n, sigma)
                self._enter_sigmas(cells[sigma.name], columns)
        return [one for one in result_columns.SIGMA_SETS if one.name in cells and one.name not in before]

    def _enter_sigmas(self, part: SetCells, columns: slice) -> None:
        """Enter the known sigmas of solids that state none."""
        known = ~part.given[self.items].any(axis=1) & np.isfinite(self.sigmas[:, columns]).all(axis=1)
        at = self.items[known]
        part.values[at] = self.sigmas[known, columns]
        part.given[at], part.has[at] = True, True


def read_item_solids(
    items: ItemRows, marks: ItemFlags, cells: dict[str, SetCells], options: TableOptions, findings: Findings
) -> ItemSolids:
    """Compute bodies of shapes and meshes, and enter lacking masses and centres (docs/formulas.md, section 12)."""
    # the tensors are marked as given, and entered later: those of the table are not yet about own centres
    named = items.columns.by_quantity
    texts = {name: items.texts(named[name].index) for name in SOLID_QUANTITIES if name in named}
    reading = _SolidReading(items, cells, texts, options)
    with_mesh = [i for i in np.flatnonzero(marks.goes_up).tolist() if reading.has(i, "mesh")]
    with_shape = [i for i in np.flatnonzero(marks.goes_up).tolist() if reading.has(i, "shape")]
    if not options.assembly_values:
        _report_solids_of_assemblies(items, marks, texts, findings)
    both = set(with_mesh) & set(with_shape)
    for i in sorted(both):
        reading.faults.setdefault("mesh", {})[i] = "shape and mesh are both stated"
    of_shapes = reading.shapes([i for i in with_shape if i not in both])
    reading.report_faults(findings)
    of_meshes = reading.meshes([i for i in with_mesh if i not in both], findings)
    for of, stated, *_ in (of_shapes, of_meshes):
        _report_inputs(items, of, stated, named, findings)
    which = [*of_shapes[0], *of_meshes[0]]
    inputs: list[SolidInput | MeshDescription] = [*of_shapes[1], *of_meshes[1]]
    ten, covariance = np.vstack([of_shapes[2], of_meshes[2]]), np.concatenate([of_shapes[3], of_meshes[3]])
    valid = np.isfinite(ten).all(axis=1)
    sigmas = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    sigmas = np.where(np.array([bool(one.sigmas) for one in inputs], bool)[:, None], sigmas, np.nan)
    sigmas[[one.source == "mass" and "mass" not in one.sigmas for one in inputs], 0] = np.nan
    at = np.array(which, np.intp)[valid]
    kept = [inputs[k] for k in np.flatnonzero(valid).tolist()]
    with_sigmas = {
        one.name: np.asarray(cells[one.name].given.any(axis=1))
        for one in result_columns.SIGMA_SETS
        if one.name in cells
    }  # before sigmas of solids are entered
    deviations = _source_deviations(reading.sources, texts.get("lot"), with_sigmas)
    return ItemSolids(at, ten[valid], sigmas[valid], kept, deviations, _enter_values(cells, at, ten[valid]))


def _report_solids_of_assemblies(
    items: ItemRows, marks: ItemFlags, texts: Mapping[str, Sequence[str]], findings: Findings
) -> None:
    """Report the shapes and meshes of rows whose own values are not rolled up."""
    for name in ("shape", "mesh"):
        if which := [i for i in np.flatnonzero(~marks.goes_up).tolist() if name in texts and texts[name][i].strip()]:
            messages = {
                i: f"{name} of {items.ids[i]} is a body of its own, or is replaced by the items below it" for i in which
            }
            report_item_faults(items, ItemFault("MP717", items.columns.by_quantity[name]), messages, findings)


def _source_deviations(
    sources: Sequence[_Source], lots: Sequence[str] | None, stated: Mapping[str, NDArray[np.bool_]]
) -> ShapeDeviations | None:
    """Return the deviations of the values by source; those of stated sigmas are left out."""
    vectors, items, groups, names, sizes = [], [], [], [], []
    labels: dict[str, int] = {}
    for item, name, vector, sigma in sources:
        kept = vector.copy()
        for one, columns in zip(result_columns.SIGMA_SETS, result_columns.SIGMA_SLICES, strict=True):
            # the sigma of a stated mass is that of the cell, and moves the tensor too
            if one.name in stated and stated[one.name][item] and not (columns.start == 0 and name == "mass"):
                kept[columns] = 0.0
        lot = "" if lots is None or name != "density" else lots[item].strip()
        vectors.append(kept)
        items.append(item)
        groups.append(labels.setdefault(lot, len(labels)) if lot else NO_LOT)
        names.append(name)
        sizes.append(sigma)
    if not vectors:
        return None
    at, of_lots = np.array(items, np.intp), np.array(groups, np.intp)
    return ShapeDeviations(at, np.array(vectors), of_lots, np.array(names), np.array(sizes), [*labels])


def check_stated_tensors(
    items: ItemRows, solids: ItemSolids, cells: Mapping[str, SetCells], findings: Findings
) -> None:
    """Report stated tensors of another mass, or that no mass inside the shape has (docs/formulas.md, section 12)."""
    part, mass = cells.get(result_columns.INERTIA.name), cells.get(result_columns.MASS.name)
    if part is None or mass is None:
        return
    stated = ~solids.is_computed & part.has[solids.items] & (mass.values[solids.items, 0] > 0)
    column = items.columns.by_quantity[result_columns.INERTIA.columns[0]]
    for k in np.flatnonzero(stated).tolist():
        item = int(solids.items[k])
        if (factor := mass_factor(part.values[item], solids.ten[k, 4:])) is not None:
            message = f"inertia of {items.ids[item]}: {factor_message(factor, solids.ten[k, 0])}"
            report_item_faults(items, ItemFault("MP718", column), {item: message}, findings)
            stated[k] = False
    which = np.flatnonzero(stated & np.array([isinstance(one, SolidInput) for one in solids.inputs], bool))
    if not len(which):
        return
    at = solids.items[which]
    bodies = BodyArray(mass.values[at, 0], np.zeros((len(at), 3)), part.values[at])
    shapes = [one for one in (solids.inputs[k] for k in which.tolist()) if isinstance(one, SolidInput)]
    for fault in _shape_faults(shapes, bodies):
        item, shape = int(at[fault.row]), shapes[fault.row].shape
        message = f"inertia of {items.ids[item]} does not fit its {shape}: {fault.message}"
        report_item_faults(items, ItemFault(_BOUND_RULES[fault.kind], column), {item: message}, findings)


def check_stated_centers(
    items: ItemRows, solids: ItemSolids, cells: Mapping[str, SetCells], options: TableOptions, findings: Findings
) -> None:
    """Report the centres that a row states in its own frame and that are outside its shape."""
    part, column = cells.get(result_columns.CENTER.name), items.columns.by_quantity.get("frame")
    if part is None or (column is None and options.frame != "own"):
        return
    # in another frame the centre alone states where the shape is
    words = [""] * len(items.rows) if column is None else [text.strip().lower() for text in items.texts(column.index)]
    which = [
        k
        for k, (i, one) in enumerate(zip(solids.items.tolist(), solids.inputs, strict=True))
        if isinstance(one, SolidInput) and (words[i] or options.frame) == "own" and part.has[i]
    ]
    shapes = [one for one in (solids.inputs[k] for k in which) if isinstance(one, SolidInput)]
    at = solids.items[which]
    for fault in _center_faults(shapes, part.values[at]) if shapes else ():
        item, shape = int(at[fault.row]), shapes[fault.row].shape
        message = f"centre of {items.ids[item]} does not fit its {shape}: {fault.message}"
        column = items.columns.by_quantity[result_columns.CENTER.columns[0]]
        report_item_faults(items, ItemFault("MP710", column), {item: message}, findings)


def _shape_faults(inputs: list[SolidInput], bodies: BodyArray) -> list[PlausibilityFault]:
    """Find bodies whose second moments no mass inside their shape has; not by centres: docs/formulas.md, section 12."""
    _, half, reach = (np.array(values) for values in zip(*(one.box() for one in inputs), strict=True))
    return geometry_faults(BodyArray(bodies.mass, np.zeros((len(inputs), 3)), bodies.inertia), -half, half, reach)


def _center_faults(inputs: list[SolidInput], centers: NDArray[np.float64]) -> list[PlausibilityFault]:
    """Find the centres (n, 3) length, own frames, outside the boxes around shapes; kind ``center-outside``."""
    n = len(inputs)
    middle, half = (np.array(values) for values in zip(*(one.box()[:2] for one in inputs), strict=True))
    bodies = BodyArray(np.ones(n), np.asarray(centers, dtype=float), np.zeros((n, 6)))
    return [fault for fault in geometry_faults(bodies, middle - half, middle + half) if fault.kind == "center-outside"]


class _SolidReading:
    """The cells that describe solids, and their faults."""

    def __init__(
        self, items: ItemRows, cells: dict[str, SetCells], texts: Mapping[str, Sequence[str]], options: TableOptions
    ) -> None:
        self.items, self.cells, self.texts, self.options = items, cells, texts, options
        self.materials = read_materials(options.materials) if options.materials else None
        self.units = SolidUnits(items)
        self.faults: dict[str, dict[int, str]] = {}
        self.sources: list[_Source] = []

    def has(self, i: int, name: str) -> bool:
        """Return whether an item states a shape or a mesh."""
        return name in self.texts and bool(self.texts[name][i].strip())

    def _stated(self, i: int) -> dict[str, str]:
        """Return the cells of an item, with the mass that it states."""
        texts = {name: column[i] for name, column in self.texts.items()}
        return texts | _own_mass(self.cells, i) | {"tolerances": self.options.tolerances_are}

    def shapes(self, items: list[int]) -> _Computed:
        """Compute the solids of items with a shape."""
        which: list[int] = []
        inputs: list[SolidInput] = []
        for i in items:
            try:
                inputs.append(parse_solid(self._stated(i), self.units.factor, self.materials))
            except SolidInputError as error:
                self.faults.setdefault(error.column, {})[i] = str(error)
                continue
            which.append(i)
        ten, covariances, faults, sources = solid_bodies(inputs)
        for k, name, message in faults:
            self.faults.setdefault(name, {})[which[k]] = message
        self.sources = [(which[k], name, vector, inputs[k].sigmas[name]) for k, name, vector in sources]
        return which, inputs, ten, covariances

    def report_faults(self, findings: Findings) -> None:
        """Report the cells that do not describe a solid, and mark the numbers that are missing for it."""
        named = self.items.columns.by_quantity
        for name, of in self.faults.items():
            column = named.get(name) or named.get("dims") or named["mesh"]
            messages = {i: f"shape of {self.items.ids[i]} is not valid: {text}" for i, text in of.items()}
            report_item_faults(self.items, ItemFault("MP701", column), messages, findings)
        self._mark([i for of in self.faults.values() for i in of])

    def _mark(self, reported: list[int]) -> None:
        """Mark the blank numbers of reported items, so that they are not reported again."""
        for part in (self.cells[one.name] for one in result_columns.VALUE_SETS if one.name in self.cells):
            part.bad[reported] |= ~part.given[reported].any(axis=1)

    def meshes(self, items: list[int], findings: Findings) -> _Computed:
        """Compute the bodies of items with a mesh."""
        if not items:
            return [], [], np.zeros((0, 10)), np.zeros((0, 10, 10))
        from massprops_cli.bom.items.mesh_cells import MeshSource, read_item_meshes

        name, options = self.items.table.source.name, self.options
        folder = Path() if name == "-" else Path(name).parent
        roots = [Path(root) for root in options.mesh_roots]
        source = MeshSource(folder, roots, self.units.factor, self.materials, options.caps)

        def stated(i: int) -> dict[str, str]:
            cells = self._stated(i)
            return cells if cells.get("mesh_units", "").strip() else cells | {"mesh_units": options.mesh_units}

        which, described, ten, covariance, sources = read_item_meshes(self.items, items, source, stated, findings)
        self.sources += sources
        with_body = {i for i, values in zip(which, ten, strict=True) if np.isfinite(values).all()}
        self._mark([i for i in items if i not in with_body])
        return which, described, ten, covariance


def _own_mass(cells: Mapping[str, SetCells], i: int) -> dict[str, str]:
    """Return the mass that a row states, and its sigma, as the text of an input."""
    mass, sigma = cells.get(result_columns.MASS.name), cells.get(f"sigma_{result_columns.MASS.name}")
    if mass is None or not mass.given[i, 0]:
        return {}
    text = repr(float(mass.values[i, 0]))
    if sigma is not None and sigma.given[i, 0]:
        text += f" ± {float(sigma.values[i, 0])!r} (k=1)"
    return {"mass": text}


def _report_inputs(
    items: ItemRows,
    which: list[int],
    inputs: Sequence[SolidInput | MeshDescription],
    named: Mapping[str, QuantityColumn],
    findings: Findings,
) -> None:
    """Report the densities and materials that a mass or a density replaces, and sigmas larger than their values."""
    unused = {i: one for i, one in zip(which, inputs, strict=True) if one.unused}
    for name in ("density", "material"):
        messages = {
            i: f"{name} of {items.ids[i]} is not used: {one.source} is stated"
            for i, one in unused.items()
            if name in one.unused
        }
        if messages and name in named:
            report_item_faults(items, ItemFault("MP702", named[name]), messages, findings)
    large: dict[str, list[int]] = {}
    for i, one in zip(which, inputs, strict=True):
        for name in one.sigmas.keys() & one.values.keys() - {"mass"}:  # of a mass with the other cells
            if one.sigmas[name] > one.values[name]:
                large.setdefault(name, []).append(i)
    for name, items_of in sorted(large.items()):
        column = named.get(name) or named.get("dims") or named["mesh"]
        message = f"sigma of {name} exceeds {name} in {len(items_of):,} of {len(which):,} items, first "
        report_together(
            items, ItemFault("MP503", column), np.array(items_of), message + items.ids[items_of[0]], findings
        )


class SolidUnits:
    """Factors from the units of shape columns to the coherent units of a table."""

    def __init__(self, items: ItemRows) -> None:
        units = items.columns.units
        self.is_stated = units.stated
        self.factors: dict[tuple[str, str], float] = {}
        self.mass = unit_of_dimension(units.mass, (1, 0, 0)) if units.mass else None
        self.length = unit_of_dimension(units.length, (0, 1, 0)) if units.length else None
        named = items.columns.by_quantity
        found = {
            name: re.search(r"[\[(]([^\])]+)[\])]", named[name].header) for name in SOLID_QUANTITIES if name in named
        }
        self.of_header = {name: match[1].strip() for name, match in found.items() if match is not None}

    def factor(self, name: str, unit: str, dimension: tuple[int, int, int]) -> float:
        """Return the factor of one input, or raise."""
        if name == "mass":
            return 1.0
        if (name, unit) not in self.factors:
            self.factors[name, unit] = self._factor(name, unit, dimension)
        return self.factors[name, unit]

    def _factor(self, name: str, unit: str, dimension: tuple[int, int, int]) -> float:
        """Compute the factor of one input, or raise."""
        if not (text := unit or self.of_header.get(name if name in SOLID_QUANTITIES else "dims", "")):
            if self.is_stated:
                raise UsageError(f"{name} has no unit")
            return 1.0
        if (found := unit_of_dimension(text, dimension)) is None:
            raise UsageError(f"unit of {name} is not valid: {text}")
        size = found.numerator / found.denominator
        for power, own, what, add in (
            (dimension[0], self.mass, "mass", "mass [kg]"),
            (dimension[1], self.length, "length", "Cx [m], Cy [m], Cz [m]"),
        ):
            if power and own is None:
                message = f"{name} is in {text}, and the table states no unit of {what}"
                raise UsageError(f"{message} (add {add} as blank columns)")
            if own is not None:
                size *= (own.denominator / own.numerator) ** power
        return size


def _enter_values(
    cells: Mapping[str, SetCells], items: NDArray[np.intp], ten: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Enter masses and centres where cells are blank, and mark tensors as given; return those that are computed."""
    is_computed = np.zeros(len(items), bool)
    for value, columns in zip(result_columns.VALUE_SETS, result_columns.SIGMA_SLICES, strict=True):
        if (part := cells.get(value.name)) is None:  # a table without its columns has no place for the results
            continue
        blank = ~part.given[items].any(axis=1) & ~part.bad[items]
        at = items[blank]
        part.values[at] = ten[blank, columns] if value is not result_columns.INERTIA else 0.0
        part.given[at], part.has[at] = True, True
        if value is result_columns.INERTIA:
            is_computed = blank
    return is_computed
