"""Contributors to the uncertainty of a result, the gain from weighing them, and contributors to a mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.results import uncertainty
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    FindingsError,
    UsageError,
    checked_integer,
    html_table,
    name_list,
)
from massprops_cli.options import CorrelationScope, check_own_keywords, check_types, show_keywords
from massprops_cli.rollups import variance_budget as variances
from massprops_cli.rollups.inputs import PARAMETER_NAMES, tree_coverage
from massprops_cli.rollups.leaf_sums import PRINCIPAL_MOMENT_NAMES, MissingError, flat_item

if TYPE_CHECKING:
    import pandas as pd

_KIND_NAMES = {
    variances.LEAF_PART: "leaf", variances.GROUP_PART: "group", variances.JOINT_PART: "coupled groups",
    variances.POSE_PART: "pose", variances.SHAPE_PART: "shape",
}  # fmt: skip


class GroupMember(NamedTuple):
    """A member of a group, or one of several coupled groups: its name, and its share of the whole variance."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class Contribution:
    """One row of an uncertainty budget.

    ``share`` is the part of the variance that it makes, ``cumulative`` that of all rows down to it. ``input`` is the
    quantity that matters most in it, with ``input_share`` of the row's variance, ``input_sigma`` its sigma, and
    ``derivative`` that of the result by it (all pieces and members together); None where members' sigmas differ.
    """

    kind: str
    name: str
    label: str
    share: float
    cumulative: float
    input: str
    input_share: float
    input_sigma: float | None
    derivative: float | None
    parts: tuple[GroupMember, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class Contributions:
    """The uncertainty budget of one result of one item: ``len`` rows, the largest share first.

    Exact to first order: the shares of rows add up to 1. ``value`` and ``sigma`` are in the coherent units of ``bom``;
    ``findings`` are those of the table and of the file of correlations.
    """

    bom: Bom
    item: int
    budget: variances.VarianceBudget
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.budget.number)

    def __repr__(self) -> str:
        """Return the result with its sigma, and the row that matters most."""
        head = f"<Contributions to {self.of} of {self.id}: {self.value:g} ± {self.sigma:g} {self.unit}".rstrip()
        first = next(self.rows(1), None)
        return head + (f"; {100 * first.share:.1f} % from {first.name}>" if first is not None and first.share else ">")

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        rows = ((row.name, row.input, f"{row.share:.1%}", f"{row.cumulative:.1%}") for row in self.rows())
        header = ["contributor", "input", "share of the variance", "cumulative share"]
        return html_table(repr(self)[1:-1], header, rows, len(self))

    @property
    def of(self) -> str:
        """Which result it is."""
        return self.budget.of

    @property
    def id(self) -> str:
        """The id of the item."""
        return self.bom.ids[self.item]

    @property
    def value(self) -> float:
        """The result."""
        return self.budget.value

    @property
    def sigma(self) -> float:
        """Its standard deviation."""
        return self.budget.sigma

    @property
    def unit(self) -> str:
        """The unit of the result, empty when the table states none."""
        return self.unit_of(self.of)

    def unit_of(self, quantity: str) -> str:
        """Look up the unit of a result or an input.

        Parameters
        ----------
        quantity : str
            Name, such as ``mass``, ``Cx``, ``Ixx`` or ``kx``; of an input such as ``tx``, ``r`` or ``density``.

        Returns
        -------
        str
            Coherent unit; empty if the table states none.
        """
        units = self.bom.units
        if quantity in _PLAIN_INPUTS:
            return ""
        if quantity in variances.POSE_INPUT_NAMES[3:]:
            return "rad"
        if quantity == "density":
            return f"{units.mass}/{units.length}^3" if units.mass and units.length else ""
        if quantity == "A":
            return f"{units.length}^2" if units.length else ""
        return units.mass if quantity == "mass" else units.inertia if quantity[0] == "I" else units.length

    def rows(self, top: int | None = None) -> Iterator[Contribution]:
        """Yield the rows in order of falling share.

        Parameters
        ----------
        top : int, optional
            Number of rows; default: all.

        Yields
        ------
        Contribution
            One row; numbers in coherent units.
        """
        cumulative = np.cumsum(self.budget.share).tolist()
        for row in range(len(self) if top is None else min(checked_integer("top", top, 0), len(self))):
            yield self._row(row, cumulative[row])

    def _row(self, row: int, cumulative: float) -> Contribution:
        """Build one row from the arrays; ``cumulative`` is the share of all rows down to it."""
        budget = self.budget
        numbers = (float(array[row]) for array in (budget.input_share, budget.input_sigma, budget.derivative))
        input_share, sigma, derivative = (number if isfinite(number) else None for number in numbers)
        name, label, kind = *self._names(row), int(budget.kind[row])
        parts = self._parts(row) if kind in (variances.GROUP_PART, variances.JOINT_PART) else ()
        whole = _KIND_NAMES[kind], name, label, float(budget.share[row]), cumulative
        return Contribution(*whole, self._input_name(row), input_share or 0.0, sigma, derivative, parts)

    def _input_name(self, row: int) -> str:
        """Return the input with the largest part in a row."""
        place, source = int(self.budget.input[row]), str(self.budget.source[row])
        if source:
            return source
        if self.budget.kind[row] == variances.POSE_PART:
            return variances.POSE_INPUT_NAMES[max(place - 1, 0)]
        return PARAMETER_NAMES[place]

    def _names(self, row: int) -> tuple[str, str]:
        """Return the name and the label of a row."""
        number, kind = int(self.budget.number[row]), self.budget.kind[row]
        if kind in (variances.LEAF_PART, variances.SHAPE_PART):
            label, name = "" if self.bom.names is None else self.bom.names[number], self.bom.ids[number]
            label = "" if label == name else label
            return (name, label) if kind == variances.LEAF_PART else (f"{self.budget.source[row]} of {name}", label)
        if kind == variances.POSE_PART:
            return f"pose of {self.bom.ids[number]}", ""
        return ("coupled groups", "") if kind == variances.JOINT_PART else (self.group_label(number), "")

    def group_label(self, group: int) -> str:
        """Name a group.

        Parameters
        ----------
        group : int
            Number of the group, from 0.

        Returns
        -------
        str
            Its label, or ``group`` and its number from 1.
        """
        labels = self.budget.sharing.labels
        return labels[group] if group < len(labels) else f"group {group + 1}"

    def _parts(self, row: int) -> tuple[GroupMember, ...]:
        """List the members of a group, or the groups of the joint row, the largest share first."""
        budget = self.budget
        whole = budget.variance or 1.0
        members = budget.members(row)
        if budget.kind[row] == variances.GROUP_PART:
            return tuple(
                GroupMember(self.bom.ids[i], s / whole)
                for i, s in zip(budget.flat.items[members].tolist(), budget.shared[members].tolist(), strict=True)
            )
        groups, place = np.unique(budget.sharing.group[members], return_inverse=True)
        sums = np.bincount(place, budget.shared[members])
        order = np.argsort(-sums, kind="stable").tolist()
        return tuple(GroupMember(self.group_label(int(groups[k])), float(sums[k]) / whole) for k in order)

    def weighed(self, n: int = 3) -> WeighingGain:
        """Compute the gain from weighing the n rows with the largest gain.

        Rows are independent, so no other n rows give a smaller sigma. A group or lot counts as one row, of what its
        members share; n leaves of a lot can give a smaller sigma. Rows that are already weighed are excluded.

        Parameters
        ----------
        n : int, optional
            Number of rows.

        Returns
        -------
        WeighingGain
            Names of the rows, and sigma before and after, without the uncertainty of their masses, in coherent units.

        Notes
        -----
        Variances of independent rows and groups add up: docs/formulas.md, section 6.
        """
        rows, left = self.budget.weighed(checked_integer("n", n, 0), self._is_weighed())
        of_shape = self.budget.kind == variances.SHAPE_PART
        names = (self.bom.ids[self.budget.number[k]] if of_shape[k] else self._names(k)[0] for k in rows.tolist())
        return WeighingGain(tuple(names), self.sigma, left)

    def _is_weighed(self) -> NDArray[np.bool_]:
        """Return the rows whose masses are all weighed, by the column ``method``."""
        if self.bom.maturity is None:
            return np.zeros(len(self), bool)
        budget = self.budget
        weighed = np.array([word == "weighed" for word in self.bom.maturity])
        still_open = np.unique(budget.sharing.group[~weighed[budget.flat.items]])
        of_group = ~np.isin(budget.number, still_open)
        of_joint = not np.isin(budget.sharing.coupled, still_open).any()
        is_own = np.isin(budget.kind, (variances.LEAF_PART, variances.SHAPE_PART))
        of_leaf = weighed[np.where(is_own, budget.number, 0)]
        return np.where(is_own, of_leaf, np.where(budget.kind == variances.GROUP_PART, of_group, of_joint))

    @property
    def is_near(self) -> bool:
        """Whether a principal moment is within three sigmas of its neighbour, so that first order is inaccurate."""
        return self.of in PRINCIPAL_MOMENT_NAMES and self.budget.gap < 3

    def to_dict(self, top: int | None = None, weigh: int = 3) -> dict[str, Any]:
        """Export the budget as JSON values.

        Parameters
        ----------
        top : int, optional
            Number of rows; default: all.
        weigh : int, optional
            Number of rows to weigh.

        Returns
        -------
        dict
            JSON values; numbers in coherent units.
        """
        weighed = self.weighed(weigh)
        return {
            "item": self.id,
            "of": self.of,
            "value": self.value,
            "sigma": self.sigma,
            "unit": self.unit,
            "leaves": len(self.budget.flat),
            "rows": len(self),
            "contributions": [
                {name: getattr(row, name) for name in _CONTRIBUTION_COLUMNS}
                | ({"parts": [part._asdict() for part in row.parts]} if row.parts else {})
                for row in self.rows(top)
            ],
            "weighed": {"names": list(weighed.names), "sigma": weighed.after},
            **({"sigmas_to_next_moment": self.budget.gap} if np.isfinite(self.budget.gap) else {}),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Export the rows as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per contributor: kind, name, label, shares, main input, its sigma and derivative.
        """
        import pandas as pd

        budget = self.budget
        names, labels = zip(*(self._names(row) for row in range(len(self))), strict=True)
        values = (
            [_KIND_NAMES[kind] for kind in budget.kind.tolist()],
            names,
            labels,
            budget.share,
            np.cumsum(budget.share),
            [self._input_name(row) for row in range(len(self))],
            np.nan_to_num(budget.input_share),
            budget.input_sigma,
            budget.derivative,
        )
        return pd.DataFrame(dict(zip(_CONTRIBUTION_COLUMNS, values, strict=True)))


class WeighingGain(NamedTuple):
    """The gain from weighing: names of the rows, and sigma before and after."""

    names: tuple[str, ...]
    before: float
    after: float


_PLAIN_INPUTS = ("n", "sides", "scale", "facets")  # inputs of shapes and meshes without a unit
_CONTRIBUTION_COLUMNS = tuple(one.name for one in fields(Contribution) if one.name != "parts")


def contributions(
    bom: BomSource,
    of: str = "mass",
    item: str | None = None,
    *,
    correlate: CorrelationScope = "none",
    correlate_centers: bool = False,
    correlations: str = "",
    keep_going: bool = False,
    **unknown: Never,
) -> Contributions:
    """Rank the contributors to the variance of a result.

    Parameters
    ----------
    bom : BomSource
        A bill of materials with sigmas, or a table (path, open file or DataFrame), read with the defaults of
        ``read_bom``.
    of : str, optional
        ``mass``, ``Cx`` … ``Cz``, ``Ixx`` … ``Iyz`` (tensor entries about the own centre of mass), ``kx`` … ``kz``, or
        the principal moments ``I1`` ≤ ``I2`` ≤ ``I3``.
    item : str, optional
        Id; default: the root.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared, as in ``rollup``; what is shared is a row of its own.
    correlate_centers : bool, optional
        Also share uncertainties of centres.
    correlations : str, optional
        File of correlations between groups.
    keep_going : bool, optional
        Compute what can be computed in spite of errors.

    Returns
    -------
    Contributions
        Rows by falling share of the variance, which add up to 1; numbers in coherent units. Each uncertain input of a
        shape or mesh (``r of A``) and each uncertain pose (``pose of A``) is a row.

    Raises
    ------
    UsageError
        An unknown keyword or result, or a result without sigmas.
    FindingsError
        The table, or the file of ``correlations``, has errors.

    Notes
    -----
    First-order propagation of uncertainty: docs/formulas.md, section 5. Shares: docs/formulas.md, section 6.

    Examples
    --------
    >>> leaves = [{"id": i, "parent": "top", "mass": 5.0, "sigma_mass": s} for i, s in (("a", 0.3), ("b", 0.4))]
    >>> contributions(Bom.from_records([{"id": "top", "parent": ""}, *leaves]))
    <Contributions to mass of top: 10 ± 0.5; 64.0 % from b>
    """
    check_own_keywords(unknown, contributions)
    check_types({"of": of, "item": item, "correlations": correlations}, contributions.__annotations__)
    uncertainty.check_keyword_choice("correlate", correlate, uncertainty.CORRELATE_CHOICES)
    table = bom_from(bom)
    if table.is_withheld and not keep_going:
        raise FindingsError(table.findings)
    if table.sigmas is None:
        raise UsageError("contributions to an uncertainty need all sigma columns, and some are missing")
    if table.branches is not None:
        names = ", ".join(table.ids[i] for i in table.branches.items.tolist())
        raise UsageError(f"contributions need the leaves of every part, and of some there is only a sum: {names}")
    number = int(table.tree.order[0]) if item is None else table.item(item)
    request, findings = (
        uncertainty.UncertaintyRequest("covariance", correlate, correlate_centers, correlations),
        Findings(),
    )
    sharing = uncertainty.requested_correlation(table, request, findings)
    if findings.has_errors:
        raise FindingsError(findings)
    try:
        budget = variances.variance_budget(table.rollup_inputs(sharing), of=of, item=number)
    except MissingError as gap:
        names = name_list([table.ids[i] for i in gap.items[:3].tolist()], 3, count=len(gap.items))
        raise MissingError(f"{gap}: {names}; enter them, or select an item without such leaves", gap.items) from None
    return Contributions(table, number, budget, (*table.findings, *findings))


show_keywords(contributions)


class MassShare(NamedTuple):
    """A leaf with its mass in the item, all its pieces together, its share, and that of all leaves down to it."""

    name: str
    label: str
    pieces: float
    mass: float
    share: float
    cumulative: float


@dataclass(frozen=True, repr=False, eq=False)
class MassPareto:
    """The leaves of one item, the heaviest first.

    ``items (k,)`` are their numbers, ``pieces (k,)`` how often each counts, ``mass (k,)`` that of all its pieces.
    """

    bom: Bom
    item: int
    items: NDArray[np.intp]
    pieces: NDArray[np.float64]
    mass: NDArray[np.float64]

    def __len__(self) -> int:
        """Return the number of leaves."""
        return len(self.items)

    def __repr__(self) -> str:
        """Return the item's mass, and the heaviest leaf."""
        first = next(self.rows(1), None)
        known = tree_coverage(self.bom.rollup_inputs()).known("mass", self.item)
        words = {"lower bound": "≥ ", "partial": "known parts "}.get(known, "")
        head = f"<MassPareto of {self.id}: {words}{self.total:g} {self.unit}".rstrip()
        return head + ("" if first is None else f"; {100 * first.share:.1f} % is {first.name}") + ">"

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        rows = ((row.name, row.label, row.pieces, row.mass, f"{row.share:.1%}") for row in self.rows())
        unit = f" [{self.unit}]" if self.unit else ""
        return html_table(repr(self)[1:-1], ["id", "name", "pieces", f"mass{unit}", "share"], rows, len(self))

    @property
    def id(self) -> str:
        """The id of the item."""
        return self.bom.ids[self.item]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the table."""
        return self.bom.findings

    @property
    def unit(self) -> str:
        """The unit of the masses, empty when the table states none."""
        return self.bom.units.mass

    @property
    def total(self) -> float:
        """The mass of the item."""
        return float(self.mass.sum())

    def rows(self, top: int | None = None) -> Iterator[MassShare]:
        """Yield the leaves in order of falling mass.

        Parameters
        ----------
        top : int, optional
            Number of leaves; default: all.

        Yields
        ------
        MassShare
            One leaf with all its pieces; mass in the coherent unit.
        """
        bom, total = self.bom, self.total
        share = self.mass / total if total else np.zeros(len(self))
        cumulative = np.cumsum(share)
        for k, i in enumerate(self.items[: None if top is None else checked_integer("top", top, 0)].tolist()):
            label = "" if bom.names is None or bom.names[i] == bom.ids[i] else bom.names[i]
            numbers = (float(array[k]) for array in (self.pieces, self.mass, share, cumulative))
            yield MassShare(bom.ids[i], label, *numbers)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Export the leaves as JSON values.

        Parameters
        ----------
        top : int, optional
            Number of leaves; default: all.

        Returns
        -------
        dict
            JSON values; masses in the coherent unit.
        """
        rows = [row._asdict() for row in self.rows(top)]
        return {"item": self.id, "mass": self.total, "unit": self.unit, "leaves": len(self), "shares": rows}

    def to_dataframe(self) -> pd.DataFrame:
        """Export the leaves as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per leaf: name, label, pieces, mass and shares.
        """
        import pandas as pd

        return pd.DataFrame(self.rows(), columns=list(MassShare._fields))


def mass_pareto(bom: BomSource, item: str | None = None, *, keep_going: bool = False) -> MassPareto:
    """Rank the leaves of an item by the mass that they add to it.

    Parameters
    ----------
    bom : BomSource
        A bill of materials, or a table (path, open file or DataFrame), read with the defaults of ``read_bom``.
    item : str, optional
        Id; default: the root.
    keep_going : bool, optional
        Compute what can be computed in spite of errors.

    Returns
    -------
    MassPareto
        Leaves by falling mass of all their pieces, in the coherent unit of mass.

    Raises
    ------
    UsageError
        A mass is not known.
    FindingsError
        The table has errors.

    Notes
    -----
    A leaf in assemblies with quantities counts with all its pieces: docs/formulas.md, section 2.

    Examples
    --------
    >>> parts = [{"id": "a", "parent": "top", "mass": 1.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> mass_pareto(Bom.from_records([{"id": "top", "parent": ""}, *parts]))
    <MassPareto of top: 4; 75.0 % is b>
    """
    table = bom_from(bom)
    if table.is_withheld and not keep_going:
        raise FindingsError(table.findings)
    number = int(table.tree.order[0]) if item is None else table.item(item)
    flat = flat_item(table.rollup_inputs(), number, needs="mass")
    mass = flat.times * flat.mass
    order = np.argsort(-np.abs(mass), kind="stable")
    return MassPareto(table, number, flat.items[order], flat.times[order], mass[order])
