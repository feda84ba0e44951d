"""Solids of a table: the mass, centre, inertia and sigmas of leaves whose own numbers are blank, from shape columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies import (
    BodyArray,
    SolidBodies,
    SolidInput,
    SolidInputError,
    parse_solid,
    read_materials,
    shape_faults,
    solid_bodies,
)
from massprops_cli.bom.items.item_flags import ItemFlags
from massprops_cli.bom.items.item_rows import ItemFault, ItemRows, report_items
from massprops_cli.bom.items.numbers import SetCells, empty_set_cells
from massprops_cli.bom.items.result_columns import INERTIA, MASS, SIGMA_SETS, SIGMA_SLICES, VALUE_SETS
from massprops_cli.findings import Findings, UsageError
from massprops_cli.rollups import NO_LOT, ShapeDeviations
from massprops_cli.tables import SOLID_QUANTITIES, QuantityColumn, unit_of_dimension


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemSolids:
    """The items that are computed from shapes, in coherent units and in the axes of the table.

    Attributes
    ----------
    items : ndarray of int, (k,)
        Item numbers.
    ten : ndarray, (k, 10)
        Mass, Cx … Cz, Ixx … Iyz about own centres.
    sigmas : ndarray, (k, 10)
        One standard deviation of the same; NaN where unknown.
    inputs : list of SolidInput
        The k shapes.
    deviations : ShapeDeviations or None
        Deviations by source; None if all inputs are exact.
    is_computed : ndarray of bool, (k,)
        Items whose tensor is that of the shape.
    """

    items: NDArray[np.intp]
    ten: NDArray[np.float64]
    sigmas: NDArray[np.float64]
    inputs: list[SolidInput]
    deviations: ShapeDeviations | None
    is_computed: NDArray[np.bool_]

    def enter_tensors(self, cells: dict[str, SetCells], *, use_sigmas: bool) -> None:
        """Enter the tensors, and the sigmas where a table has columns of sigmas.

        Parameters
        ----------
        cells : dict of str to SetCells, (n, k), coherent units
            Numbers of the table, tensors about own centres as tensor entries; changed.
        use_sigmas : bool
            Sigmas are read.
        """
        if INERTIA.name in cells:
            cells[INERTIA.name].values[self.items[self.is_computed]] = self.ten[self.is_computed, 4:]
        if use_sigmas:
            for sigma, columns in zip(SIGMA_SETS, SIGMA_SLICES, strict=True):
                if sigma.name in cells:
                    self._enter_sigmas(cells[sigma.name], columns)

    def add_sigmas(self, cells: dict[str, SetCells], n: int) -> None:
        """Add the sigmas where a table has no columns of sigmas.

        Parameters
        ----------
        cells : dict of str to SetCells, (n, k), coherent units
            Numbers of the table; changed.
        n : int
            Number of items.
        """
        if np.isnan(self.sigmas).all():
            return
        for value, sigma, columns in zip(VALUE_SETS, SIGMA_SETS, SIGMA_SLICES, strict=True):
            if value.name in cells and sigma.name not in cells:
                cells[sigma.name] = empty_set_cells(n, sigma)
                self._enter_sigmas(cells[sigma.name], columns)

    def _enter_sigmas(self, part: SetCells, columns: slice) -> None:
        """Enter the known sigmas of solids that state none."""
        known = ~part.given[self.items].any(axis=1) & np.isfinite(self.sigmas[:, columns]).all(axis=1)
        at = self.items[known]
        part.values[at] = self.sigmas[known, columns]
        part.given[at], part.has[at] = True, True


def read_item_solids(
    items: ItemRows, marks: ItemFlags, cells: dict[str, SetCells], materials: str, findings: Findings
) -> ItemSolids:
    """Read the shapes of a table, compute their bodies, and enter masses and centres where a table has none.

    The tensors are marked as given, and entered later: those of the table are not yet about own centres.

    Parameters
    ----------
    items : ItemRows, n items
        Items of the table.
    marks : ItemFlags, n items
        Quantities and flags.
    cells : dict of str to SetCells, (n, k), coherent units
        Numbers of the table; changed.
    materials : str
        File of materials in addition to the supplied ones; empty for none.
    findings : Findings
        Collector; findings are appended.

    Returns
    -------
    ItemSolids
        Values about own centres, axes of the table, coherent units.

    Notes
    -----
    docs/formulas.md, section 12. A mass has priority over a density, and a density over a material.
    """
    named = items.columns.by_quantity
    texts = {name: items.texts(named[name].index) for name in SOLID_QUANTITIES if name in named}
    units, table = _SolidUnits(items), read_materials(materials) if materials else None
    which: list[int] = []
    inputs: list[SolidInput] = []
    faults: dict[str, dict[int, str]] = {}
    for i in np.flatnonzero(marks.goes_up).tolist():
        if not texts["shape"][i].strip():
            continue
        stated = {name: column[i] for name, column in texts.items()} | _own_mass(cells, i)
        try:
            inputs.append(parse_solid(stated, units.factor, table))
        except SolidInputError as error:
            faults.setdefault(error.column, {})[i] = str(error)
            continue
        which.append(i)
    computed = solid_bodies(inputs)
    for k, name, message in computed.faults:
        faults.setdefault(name, {})[which[k]] = message
    for name, of in faults.items():
        column = named.get(name, named["dims"])
        report_items(
            items,
            ItemFault("MP701", column),
            np.array(sorted(of), np.intp),
            lambda i, of=of: f"shape of {items.ids[i]} is not valid: {of[i]}",  # type: ignore[misc] # has a default
            findings,
        )
    reported = [i for of in faults.values() for i in of]
    for part in (cells[one.name] for one in VALUE_SETS if one.name in cells):
        part.bad[reported] |= ~part.given[reported].any(axis=1)
    _report_unused(items, which, inputs, named, findings)
    valid = np.isfinite(computed.ten).all(axis=1)
    sigmas = np.sqrt(np.diagonal(computed.covariance, axis1=1, axis2=2))
    sigmas = np.where(np.array([bool(one.sigmas) for one in inputs], bool)[:, None], sigmas, np.nan)
    sigmas[[one.source == "mass" and "mass" not in one.sigmas for one in inputs], 0] = np.nan
    at, ten = np.array(which, np.intp)[valid], computed.ten[valid]
    kept = [inputs[k] for k in np.flatnonzero(valid).tolist()]
    with_sigmas = {
        one.name: np.asarray(cells[one.name].given.any(axis=1)) for one in SIGMA_SETS if one.name in cells
    }  # before sigmas of shapes are entered
    lots = texts.get("lot")
    deviations = _source_deviations(computed, inputs, which, lots, with_sigmas)
    return ItemSolids(at, ten, sigmas[valid], kept, deviations, _enter_values(cells, at, ten))


def _source_deviations(
    computed: SolidBodies,
    inputs: list[SolidInput],
    which: list[int],
    lots: Sequence[str] | None,
    stated: Mapping[str, NDArray[np.bool_]],
) -> ShapeDeviations | None:
    """Return the deviations of the values by source; those of stated sigmas are left out."""
    vectors, items, groups = [], [], []
    labels: dict[str, int] = {}
    for k, name, vector in computed.sources:
        item = which[k]
        kept = vector.copy()
        for one, columns in zip(SIGMA_SETS, SIGMA_SLICES, strict=True):
            # the sigma of a stated mass is that of the cell, and moves the tensor too
            if one.name in stated and stated[one.name][item] and not (columns.start == 0 and name == "mass"):
                kept[columns] = 0.0
        lot = "" if lots is None or name != "density" else lots[item].strip()
        vectors.append(kept)
        items.append(item)
        groups.append(labels.setdefault(lot, len(labels)) if lot else NO_LOT)
    if not vectors:
        return None
    return ShapeDeviations(np.array(items, np.intp), np.array(vectors), np.array(groups, np.intp), [*labels])


_BOUND_RULES = {"moments-too-large": "MP711", "radius-too-large": "MP712"}


def check_stated_tensors(
    items: ItemRows, solids: ItemSolids, cells: Mapping[str, SetCells], findings: Findings
) -> None:
    """Report the tensors that a row states and that no mass inside its shape has.

    Parameters
    ----------
    items : ItemRows, n items
        Items of the table.
    solids : ItemSolids, k items
        Items with shapes.
    cells : mapping of str to SetCells, (n, k), coherent units
        Numbers of the table, tensors about own centres as tensor entries.
    findings : Findings
        Collector; findings are appended.

    Notes
    -----
    Bound of Bhatia and Davis: docs/formulas.md, section 12.
    """
    part, mass = cells.get(INERTIA.name), cells.get(MASS.name)
    if part is None or mass is None:
        return
    stated = ~solids.is_computed & part.has[solids.items] & (mass.values[solids.items, 0] > 0)
    which = np.flatnonzero(stated)
    if not len(which):
        return
    at = solids.items[which]
    bodies = BodyArray(mass.values[at, 0], np.zeros((len(at), 3)), part.values[at])
    column = items.columns.by_quantity[INERTIA.columns[0]]
    for fault in shape_faults([solids.inputs[k] for k in which.tolist()], bodies):
        item, one = int(at[fault.row]), solids.inputs[int(which[fault.row])]
        report_items(
            items,
            ItemFault(_BOUND_RULES[fault.kind], column),
            np.array([item]),
            lambda i, fault=fault, one=one: f"inertia of {items.ids[i]} does not fit its {one.shape}: {fault.message}",  # type: ignore[misc] # has a default
            findings,
        )


def _own_mass(cells: Mapping[str, SetCells], i: int) -> dict[str, str]:
    """Return the mass that a row states, and its sigma, as the text of an input."""
    mass, sigma = cells.get(MASS.name), cells.get(f"sigma_{MASS.name}")
    if mass is None or not mass.given[i, 0]:
        return {}
    text = repr(float(mass.values[i, 0]))
    if sigma is not None and sigma.given[i, 0]:
        text += f" ± {float(sigma.values[i, 0])!r} (k=1)"
    return {"mass": text}


def _report_unused(
    items: ItemRows,
    which: list[int],
    inputs: list[SolidInput],
    named: Mapping[str, QuantityColumn],
    findings: Findings,
) -> None:
    """Report the densities and materials that a mass or a density replaces."""
    unused = {i: one for i, one in zip(which, inputs, strict=True) if one.unused}
    for name in ("density", "material"):
        of = [i for i, one in unused.items() if name in one.unused]
        if of and name in named:
            report_items(
                items,
                ItemFault("MP702", named[name]),
                np.array(of, np.intp),
                lambda i, name=name: f"{name} of {items.ids[i]} is not used: {unused[i].source} is stated",  # type: ignore[misc] # has a default
                findings,
            )


class _SolidUnits:
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
        text = unit or self.of_header.get(name if name in SOLID_QUANTITIES else "dims", "")
        if not text:
            if self.is_stated:
                raise UsageError(f"{name} has no unit")
            return 1.0
        found = unit_of_dimension(text, dimension)
        if found is None:
            raise UsageError(f"unit of {name} is not valid: {text}")
        size = found.numerator / found.denominator
        for power, own, what in ((dimension[0], self.mass, "mass"), (dimension[1], self.length, "length")):
            if power and own is None:
                raise UsageError(f"{name} is in {text}, and the table states no unit of {what}")
            if own is not None:
                size *= (own.denominator / own.numerator) ** power
        return size


def _enter_values(
    cells: Mapping[str, SetCells], items: NDArray[np.intp], ten: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Enter masses and centres where cells are blank, and mark tensors as given; return those that are computed."""
    is_computed = np.zeros(len(items), bool)
    for value, columns in zip(VALUE_SETS, SIGMA_SLICES, strict=True):
        part = cells.get(value.name)
        if part is None:  # a table without its columns has no place for the results
            continue
        blank = ~part.given[items].any(axis=1) & ~part.bad[items]
        at = items[blank]
        part.values[at] = ten[blank, columns] if value is not INERTIA else 0.0
        part.given[at], part.has[at] = True, True
        if value is INERTIA:
            is_computed = blank
    return is_computed
