"""A mass list reconciled with measurements: values after, fit, hypotheses, and the table with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.changed_table import ChangedTable
from massprops_cli.bom.items.result_columns import item_quantity_values, rollup_in_row_frames
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.table_edit import prefixed_table_edit, replaced_table_edit
from massprops_cli.bom.results.uncertainty import mass_shares_by_method
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import file_table
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    FindingsError,
    Place,
    UsageError,
    checked_integer,
    count_with_noun,
    name_list,
)
from massprops_cli.options import CorrelationScope, check_own_keywords, check_types, show_keywords
from massprops_cli.reconciliations.explanations import Hypothesis, HypothesisSearch, MeasurementPlan, plan_measurements
from massprops_cli.reconciliations.measurements import Measurement, read_measurements
from massprops_cli.reconciliations.observations import check_measured_items
from massprops_cli.reconciliations.prior import PriorModel
from massprops_cli.reconciliations.update import Estimator, ScaleValue, Update
from massprops_cli.rollups.covariance import Covariances, packed_covariances
from massprops_cli.rollups.inputs import PARAMETER_NAMES
from massprops_cli.rollups.rollup import Rollup

if TYPE_CHECKING:
    import pandas as pd

_Floats = NDArray[np.float64]
_DISAGREES = 0.01  # p below which list and measurements are hardly of one product
_HYPOTHESES = 8
_CHANGED = 1e-12  # of a value or σ, as a share of it, below which it is rounding
PREFIX = "reconciled_"
_ARRAYS = ("mass", "center", "inertia")


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A measurement and what the list expects, in ``unit``; products in the sign convention of the table.

    ``residual`` is measured − expected in σ of both; ``alone`` compares with list and all other measurements together.

    >>> MeasuredValue("SAT", "mass", "SAT mass 9±1 kg", "kg", 9.0, 1.0, 12.0, 1.0, 10.5, -2.1, -2.1).fitted
    10.5
    """

    item: str
    quantity: str
    text: str
    unit: str
    value: float
    sigma: float
    expected: float
    sigma_expected: float
    fitted: float
    residual: float
    alone: float


@dataclass(frozen=True, eq=False, repr=False)
class Reconciliation:
    """A list reconciled with measurements.

    ``before`` is the roll-up as listed and ``result`` the one after, with values, σ and covariances of all items;
    ``chi2`` has one degree of freedom for each measurement, and ``p`` is the probability of one at least as large.

    >>> import massprops_cli as mp
    >>> rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 10.0, "sigma_mass": 0.4}]
    >>> mp.reconcile(mp.Bom.from_records(rows), "top mass 11±0.3")
    <Reconciliation of top with 1 measurement: mass 10.64 ± 0.24; χ² 4 of 1, p 0.046>
    """

    before: Result
    result: Result
    measured: tuple[MeasuredValue, ...]
    scales: tuple[ScaleValue, ...]
    chi2: float
    degrees: int
    p: float
    plan: MeasurementPlan | None
    update: Update
    findings: tuple[Finding, ...]

    @property
    def bom(self) -> Bom:
        """The table."""
        return self.before.bom

    def __repr__(self) -> str:
        """Return mass and σ of the root, and the fit."""
        root, bodies = self.result.root_item, self.result.rollup
        assert bodies.sigmas is not None
        mass = f"{bodies.bodies.mass[root]:.6g} ± {bodies.sigmas.mass[root]:.3g} {self.bom.units.mass}".rstrip()
        count = f"{self.degrees} measurement{'s' if self.degrees != 1 else ''}"
        fit = f"χ² {self.chi2:.3g} of {self.degrees}, p {self.p:.2g}"
        return f"<Reconciliation of {self.bom.ids[root]} with {count}: mass {mass}; {fit}>"

    def covariance(self, item: str) -> _Floats:
        """Return the covariance of an item after the measurements.

        Parameters
        ----------
        item : str
            Id.

        Returns
        -------
        array, shape (10, 10), coherent units
            As ``Rollup.covariance_of``: docs/formulas.md, sections 5 and 16.
        """
        return self.result.rollup.covariance_of(self.bom.item(item))

    def changed_table(self, *, replaces: bool = False) -> ChangedTable:
        """Make the table with the reconciled values, to be written.

        Parameters
        ----------
        replaces : bool, optional
            Put values and σ of leaves into their cells, with method ``reconciled`` unless they are weighed; default:
            columns ``reconciled_…`` of all items next to the stated ones.

        Returns
        -------
        ChangedTable
            The table with new cells or columns.
        """
        bom, result = self.bom, self.result
        if bom.poses is not None:
            everything = np.zeros(len(bom), bool)
            result = replace(result, rollup=rollup_in_row_frames(bom.poses.numbers, None, result.rollup, everything))
        if replaces:
            edit = replaced_table_edit(result, self.written_items, "reconciled")
        else:
            edit = prefixed_table_edit(result, PREFIX)
        return ChangedTable(file_table(bom.table), edit, (), int(bom.rows.max()))

    def unwritten_findings(self, *, replaces: bool) -> Findings:
        """Report reconciled values that ``changed_table`` does not write.

        Parameters
        ----------
        replaces : bool
            As in ``changed_table``.

        Returns
        -------
        Findings
            Items whose values come from shapes, and uncertain poses.
        """
        findings = Findings()
        made = np.flatnonzero(_made_items(self.bom) & self.update.prior.ends)
        if replaces and len(made):
            names = name_list([self.bom.ids[i] for i in made[:3].tolist()], 3, count=len(made))
            findings.report("MP527", f"reconciled values of shapes are not written over their cells: {names}")
        if replaces and self.update.prior.has_uncertain_poses:
            findings.report("MP527", "reconciled poses are not written: their σ remain as stated")
        return findings

    @cached_property
    def written_items(self) -> NDArray[np.intp]:
        """Leaves (k,) that the measurements changed beyond rounding, and that their own cells state."""
        return np.flatnonzero(_changed_leaves(self.before, self.result.rollup, self.update) & ~_made_items(self.bom))

    @cached_property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """The most likely explanations, most likely first, the list as it is among them; none without measurements."""
        return _hypotheses(self.bom, self.update) if self.measured else ()

    @cached_property
    def shares(self) -> Mapping[str, tuple[float, float]]:
        """Shares of the root's mass by method before and after; changed leaves that are not weighed are reconciled."""
        bom, root = self.bom, self.before.root_item
        first = mass_shares_by_method(replace(bom, maturity=bom.maturity or [""] * len(bom)))
        pairs, nothing = (first, self.result.shares_of_mass), np.zeros(len(bom))
        both = {name: [float(one.get(name, nothing)[root]) for one in pairs] for name in {**first, **pairs[1]}}
        return {name: (a, b) for name, (a, b) in both.items()}

    def to_dict(self) -> dict[str, Any]:
        """Export everything as JSON values.

        Returns
        -------
        dict
            Measurements in their units; items, hypotheses and plan in coherent units of the table.
        """
        units = self.bom.units
        return {
            "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
            "chi2": self.chi2,
            "degrees_of_freedom": self.degrees,
            "p": self.p,
            "measured": [asdict(one) for one in self.measured],
            "scales": [asdict(one) for one in self.scales],
            "hypotheses": [asdict(one) for one in self.hypotheses],
            "shares": {word: {"before": a, "after": b} for word, (a, b) in self.shares.items()},
            **({} if self.plan is None else {"plan": self.plan.to_dict()}),
            "items": self.to_dataframe().replace({np.nan: None}).to_dict("records"),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Export the items as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per item: id, and of each value that the table has it and its σ, listed and reconciled.
        """
        import pandas as pd

        columns: dict[str, Any] = {"id": list(self.bom.ids)}
        before, after = (_value_columns(one) for one in (self.before, self.result))
        for name, values in before.items():
            columns[name], columns[PREFIX + name] = values, after[name]
        return pd.DataFrame(columns)


def _value_columns(result: Result) -> dict[str, _Floats]:
    """Return the ten values and σ (n,) of all items, where the table has them."""
    names = [name for base in PARAMETER_NAMES for name in (base, f"sigma_{base}")]
    columns = {name: item_quantity_values(result.rollup, name) for name in names}
    return {name: column for name, column in columns.items() if column is not None}


def _made_items(bom: Bom) -> NDArray[np.bool_]:
    """Return which items (n,) shapes or meshes make, or whose rows are not in the file."""
    made: NDArray[np.bool_] = bom.rows < 0
    made |= bom.rows >= file_table(bom.table).n_rows
    if bom.deviations is not None:
        made[bom.deviations.items] = True
    return made


def reconcile(
    bom: BomSource,
    measured: Any,
    *,
    offers: Any = (),
    of: str = "mass",
    item: str | None = None,
    weigh: int = 3,
    correlate: CorrelationScope = "none",
    correlate_centers: bool = False,
    correlations: str = "",
    **unknown: Never,
) -> Reconciliation:
    """Reconcile a mass list with measurements.

    Parameters
    ----------
    bom : BomSource
        A bill of materials with sigmas, or a table (path, open file or DataFrame), read with the defaults of
        ``read_bom``.
    measured : Any
        Lines such as ``SAT mass 151.9±0.05 kg``, tables with the columns item, quantity, value, sigma, unit as paths,
        dictionaries or DataFrames, or a sequence of these.
    offers : Any, optional
        Measurements on offer, with σ and ``cost`` and without a value: ``BAT mass ±0.01 kg cost 2``.
    of, item : str, optional
        The result whose σ the plan reduces most; default: mass of the root.
    weigh : int, optional
        Number of measurements in the plan.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared, as in ``rollup``.
    correlate_centers : bool, optional
        Also share uncertainties of centres.
    correlations : str, optional
        File of correlations between groups.

    Returns
    -------
    Reconciliation
        Values, σ and covariances of all items after the measurements; the fit; hypotheses where it is bad; the plan.

    Raises
    ------
    FindingsError
        The table or a measurement has errors.
    UsageError
        An unknown keyword, or a table without sigmas.

    Notes
    -----
    Generalised least squares on the values of all leaves: docs/formulas.md, section 16.

    Examples
    --------
    >>> leaves = [{"id": i, "parent": "top", "mass": 5.0, "sigma_mass": s} for i, s in (("a", 0.3), ("b", 0.4))]
    >>> made = reconcile(Bom.from_records([{"id": "top", "parent": ""}, *leaves]), "top mass 11±0")
    >>> [round(made.result[name].mass, 2) for name in ("a", "b")]
    [5.36, 5.64]
    """
    check_own_keywords(unknown, reconcile)
    check_types({"of": of, "item": item, "correlations": correlations}, reconcile.__annotations__)
    table, findings = bom_from(bom), Findings()
    if table.is_withheld:
        raise FindingsError(table.findings)
    if table.sigmas is None:
        raise UsageError("reconcile needs σ of the list, and the table has no sigma column")
    if table.branches is not None:
        raise UsageError("reconcile needs the leaves of every part, and of some there is only a sum")
    measurements = read_measurements(measured, table, findings)
    on_offer = read_measurements(offers, table, findings, "--offer", measurements)
    if not measurements and not on_offer and not findings:
        findings.report("MP520", "no measurement is given", Place("--measured"))
    sharing: dict[str, Any] = {
        "correlate": correlate,
        "correlate_centers": correlate_centers,
        "correlations": correlations,
    }
    target = _target(table, of, item)
    before = rollup(table, "covariance", **sharing)
    inputs = table.rollup_inputs(before.correlation)
    check_measured_items(table, [*measurements, *on_offer], findings)
    if findings.has_errors:
        raise FindingsError(findings)
    update = Estimator(PriorModel(inputs), measurements).run()
    _report_pieces(table, update, measurements, findings)
    _report_fit(table, update, findings)
    if findings.has_errors:
        raise FindingsError(findings)
    after = _updated_result(before, update)
    plan = None
    if on_offer:
        plan = plan_measurements(update, on_offer, target, checked_integer("weigh", weigh, 1), table.ids)
    made = Reconciliation(
        before, after, tuple(_measured_values(table, update)), tuple(update.scale_values()), update.chi2,
        len(measurements), update.p, plan, update, (),
    )  # fmt: skip
    if measurements and update.p < _DISAGREES:
        words = f"χ² {update.chi2:.4g} of {count_with_noun(len(measurements), 'measurement')} has p {update.p:.2g}"
        likely = next((one for one in made.hypotheses if one.kind != "as listed"), None)
        more = "" if likely is None else f"; most likely: {likely.text}"
        findings.report("MP522", f"measurements and list are hardly of one product: {words}{more}")
    return replace(made, findings=(*table.findings, *findings))


show_keywords(reconcile)


def _target(bom: Bom, of: str, item: str | None) -> Measurement:
    """Return a result as a measurement whose σ is of interest."""
    number = int(bom.tree.order[0]) if item is None else bom.item(item)
    if of not in PARAMETER_NAMES:
        raise UsageError(f"result of a plan is unknown: {of} (expected one of {', '.join(PARAMETER_NAMES)})")
    stated = {"C": bom.bodies.center, "I": bom.bodies.inertia}
    if stated.get(of[0], bom.bodies.mass) is None:
        raise UsageError(f"table has no {'tensors of inertia' if of[0] == 'I' else 'centres of mass'} for --of {of}")
    return Measurement(f"{bom.ids[number]} {of}", Place("--of"), number, of, np.nan, 0.0, "", 1.0)


def _report_pieces(bom: Bom, update: Update, measurements: Sequence[Measurement], findings: Findings) -> None:
    """Report measurements of one of several pieces."""
    seen: set[int] = set()
    for one in measurements:
        if not one.each and update.prior.share_of_piece[one.item] < 1 and one.item not in seen:
            seen.add(one.item)
            pieces = 1 / update.prior.share_of_piece[one.item]
            message = f"{bom.ids[one.item]} occurs {pieces:g} times, and one piece was measured"
            findings.report("MP523", message, one.place, item=bom.ids[one.item])


def _report_fit(bom: Bom, update: Update, findings: Findings) -> None:
    """Report certain measurements that contradict, an update that did not converge, and leaves at a bound."""
    for one in (update.measurements[k] for k in update.contradicting.tolist()):
        message = f"measured {one.label} of {bom.ids[one.item]} contradicts list or measurements that have σ 0"
        findings.report("MP520", message, one.place, value=one.text, remedy="state the σ of the measurement")
    if not update.converged:
        findings.report("MP525", f"reconciled values did not converge in {update.steps} steps")
    if update.bounds:
        names = list(dict.fromkeys(bom.ids[b.item] for b in update.bounds))
        words = "masses or tensors are held at a bound"
        findings.report("MP526", f"{words}: {name_list(names[:5], 5, count=len(names))}", item=names[0])


def _updated_result(before: Result, update: Update) -> Result:
    """Return the roll-up after the measurements; what the table does not state stays unknown."""
    old, new = before.rollup, update.at
    _, V = update.covariances()
    sigma = np.sqrt(np.maximum(np.diagonal(V, axis1=1, axis2=2), 0.0))
    assert old.sigmas is not None
    bodies = old.bodies
    known_mass = np.ones(len(V), bool) if bodies.has_mass is None else bodies.has_mass
    center, inertia = bodies.center, bodies.inertia
    of_center, of_inertia = old.sigmas.center, old.sigmas.inertia
    if center is not None:
        known = np.isfinite(center) & (True if bodies.has_center is None else bodies.has_center[:, None])
        center = np.where(known, new.center, center)
        if of_center is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                of_center = np.where(known, sigma[:, 1:4] / np.abs(new.bodies.mass)[:, None], of_center)
    if inertia is not None:
        has = np.ones(len(V), bool) if bodies.has_inertia is None else bodies.has_inertia
        assert new.bodies.inertia is not None
        inertia = np.where(has[:, None], new.bodies.inertia, inertia)
        of_inertia = None if of_inertia is None else np.where(has[:, None], sigma[:, 4:], of_inertia)
    sigmas = replace(
        old.sigmas, mass=np.where(known_mass, sigma[:, 0], old.sigmas.mass), center=of_center, inertia=of_inertia
    )
    made = replace(bodies, mass=np.where(known_mass, new.bodies.mass, bodies.mass), center=center, inertia=inertia)
    items = before.bom.tree.order.astype(np.int32)
    covariances = Covariances(items, np.ascontiguousarray(packed_covariances(V[items]).T))
    after = replace(old, bodies=made, sigmas=sigmas, covariances=covariances, mass_moments=None, placed=None)
    return replace(before, rollup=after, bom=_reconciled_bom(before.bom, made, _changed_leaves(before, after, update)))


def _changed_leaves(before: Result, new: Rollup, update: Update) -> NDArray[np.bool_]:
    """Return the leaves (n,) whose values or σ changed beyond rounding."""
    old, changed = before.rollup, np.zeros(len(before.bom), bool)
    pairs = [(getattr(old.bodies, name), getattr(new.bodies, name)) for name in _ARRAYS]
    pairs += [(getattr(old.sigmas, name), getattr(new.sigmas, name)) for name in _ARRAYS]
    for a, b in pairs:
        if a is not None and b is not None:
            far = np.abs(np.nan_to_num(a - b)) > _CHANGED * np.abs(np.nan_to_num(a))
            changed |= far.reshape(len(a), -1).any(axis=1)
    return np.asarray(changed & update.prior.ends)


def _reconciled_bom(bom: Bom, made: Bodies, changed: NDArray[np.bool_]) -> Bom:
    """Return the table with changed leaves (n,) as reconciled, from which growth and shares of a mass are computed."""
    own = {}
    for name in _ARRAYS:
        stated, new = getattr(bom.bodies, name), getattr(made, name)
        if stated is not None and new is not None:
            chosen = changed.reshape(-1, *[1] * (stated.ndim - 1)) & np.isfinite(new)
            own[name] = np.where(chosen, new, stated)
    words = bom.maturity or [""] * len(bom)
    methods = [
        "reconciled" if one and word != "weighed" else word for one, word in zip(changed.tolist(), words, strict=True)
    ]
    return replace(bom, bodies=replace(bom.bodies, **own), maturity=methods)


def _measured_values(bom: Bom, update: Update) -> list[MeasuredValue]:
    """Return the measurements with what the list expects, in their units."""
    k = len(update.measurements)
    inverse = (update.factor @ update.factor.T)[:k, :k]
    total = np.diagonal(update.spread)
    made = []
    for i, one in enumerate(update.measurements):
        rest, spread = one.value - update.expected[i], total[i] ** 0.5
        alone = update.weights[i] / inverse[i, i] ** 0.5 if inverse[i, i] > 0 else 0.0
        numbers = (one.value, one.sigma, update.expected[i], update.own[i] ** 0.5, update.fitted[i])
        value, sigma, expected, of_list, fitted = (float(x) / one.size for x in numbers)
        residual = float(rest / spread) if spread else float(np.sign(rest)) * np.inf if rest else 0.0
        sign = 1.0 if one.size > 0 else -1.0
        made.append(
            MeasuredValue(
                bom.ids[one.item], one.label, one.text, one.unit, value, abs(sigma), expected, abs(of_list), fitted,
                sign * residual, sign * float(alone),
            )
        )  # fmt: skip
    return made


def _hypotheses(bom: Bom, update: Update) -> tuple[Hypothesis, ...]:
    """Return the most likely explanations, with an unlisted mass in the units of the table."""
    search = HypothesisSearch.of(update)
    found = []
    for one in search.hypotheses(bom.ids, _HYPOTHESES):
        text = one.text
        if one.kind == "datum" and one.center is not None:
            text += f", by {sum(one.center):.3g} {bom.units.length}".rstrip()
        found.append(replace(one, text=text if one.mass is None else _unlisted_text(bom, one, one.mass)))
    return tuple(found)


def _unlisted_text(bom: Bom, one: Hypothesis, mass: float) -> str:
    """Write an unlisted mass with its place, and the item that it resembles."""
    words = f"{abs(mass):.3g} {bom.units.mass}".rstrip()
    if one.center is not None:
        words += f" at {', '.join(f'{x:.3g}' for x in one.center)} {bom.units.length}".rstrip()
    words += " more than listed" if mass > 0 else " less than listed"
    if one.resembles:
        words += f", as if {one.resembles} were {'there once more' if mass > 0 else 'missing'}"
    return f"{words} (in {one.item})"
