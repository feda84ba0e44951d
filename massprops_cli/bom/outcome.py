"""What a roll-up gives: every item's mass properties, and what is to be said about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Principal, principal
from massprops_cli.bodies.body import Body
from massprops_cli.bom.growth import predicted
from massprops_cli.bom.read import Bom
from massprops_cli.bom.result_columns import Spread, of_item, sigmas_of_principal_moments, told_sigmas
from massprops_cli.bom.uncertainty import Uncertainties, assumptions_of, shares_of_mass
from massprops_cli.findings import Finding, Severity
from massprops_cli.rollups.inputs import Correlation
from massprops_cli.rollups.rollup import Rollup

if TYPE_CHECKING:
    from massprops_cli.bom.totals import Reconciled


SIGN_WORDS = "products of inertia are tensor entries: Ixy = −∫xy dm"


@dataclass(frozen=True, repr=False)
class Outcome:
    """A bill of materials rolled up.

    ``rollup`` has the arrays; ``findings`` holds those of reading and those of the roll-up; ``written_sign (n,)`` is
    +1 or −1 by the convention each row's products are written in; ``correlation`` says whose errors were taken as
    shared, None where none were.
    """

    bom: Bom
    rollup: Rollup
    findings: tuple[Finding, ...]
    written_sign: NDArray[np.int8]
    asked: Uncertainties = field(default_factory=Uncertainties)
    correlation: Correlation | None = None

    @property
    def root(self) -> Body:
        """The whole tree as one body."""
        return self.body(self.root_item)

    @property
    def root_item(self) -> int:
        """The root's item number."""
        return int(self.bom.tree.order[0])

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def is_withheld(self) -> bool:
        """Whether a finding is an error that keeps the result from being written."""
        return any(finding.is_withholding for finding in self.findings)

    @property
    def is_partial(self) -> bool:
        """Whether something is missing below an item, so that some result is not that of all leaves."""
        coverage, bodies = self.rollup.coverage, self.rollup.bodies
        whole = [coverage.mass_is_whole] if "mass" in self.bom.columns.by_quantity else []
        whole += [coverage.center_is_whole] if bodies.center is not None else []
        whole += [coverage.inertia_is_whole] if bodies.inertia is not None else []
        return any(not bool(mask.all()) for mask in whole)

    def body(self, i: int) -> Body:
        """Give item ``i`` as a body, with its sigmas and its covariance where they are known."""
        one = of_item(self.rollup, i)
        covariance = Spread(one).matrix(0)
        units = self.bom.units_of_body()
        placed = None if one.placed is None else float(one.placed.bodies.mass[0])
        if placed == float(one.bodies.mass[0]):
            placed = None
        return Body.of(
            one.bodies,
            0,
            told_sigmas(one),
            name=self.bom.ids[i],
            units=units,
            covariance=covariance,
            placed_mass=placed,
        )

    @cached_property
    def assumptions(self) -> Mapping[str, Mapping[str, float]]:
        """What the assumption on shared errors is worth: none, part, all → quantity → sigma of the root.

        Empty where no row counts several times and no part number is repeated.
        """
        return assumptions_of(self.bom, self.rollup, self.asked, self.correlation)

    @cached_property
    def principal(self) -> Principal:
        """Principal moments and axes of every item, about its own centre; NaN where there is no tensor."""
        return principal(self.rollup.bodies)

    @cached_property
    def principal_sigmas(self) -> NDArray[np.float64] | None:
        """Sigmas ``(n, 3)`` of the principal moments of every item, to first order; None where there are none."""
        if self.rollup.bodies.inertia is None:
            return None
        return sigmas_of_principal_moments(self.rollup, self.principal.axes)

    @cached_property
    def predicted(self) -> Rollup | None:
        """Every item with its growth, rolled up without sigmas; None where nothing states growth."""
        return predicted(self.bom)

    @cached_property
    def shares_of_mass(self) -> Mapping[str, NDArray[np.float64]]:
        """Shares ``(n,)`` of every item's mass that are estimated, calculated, weighed; empty where no column tells."""
        return shares_of_mass(self.bom)

    @cached_property
    def totals(self) -> tuple[Reconciled, ...]:
        """The masses and centres that totals and subtotals in the sheet state, beside what their rows give.

        In the order of the table, each in the unit of its column; it agrees within the rounding of the digits
        written. Empty where ``root`` or ``where`` leaves rows out.

        >>> from massprops_cli import Bom, rollup
        >>> masses = {"battery": 3.0, "panel": 4.0, "Total": 7.0}
        >>> rows = [{"part": name, "mass [kg]": mass} for name, mass in masses.items()]
        >>> (total,) = rollup(Bom.from_records(rows)).totals
        >>> total.label, total.stated, total.computed, total.unit, total.agrees
        ('Total', 7.0, 7.0, 'kg', True)
        """
        from massprops_cli.bom.totals import reconcile_all

        return tuple(reconcile_all(self.bom))

    @cached_property
    def stated_masses(self) -> tuple[Reconciled, ...]:
        """The masses that assembly rows state, beside what their children give, as ``totals`` are told."""
        from massprops_cli.bom.totals import reconcile_assemblies

        return tuple(reconcile_assemblies(self.bom, self.rollup))

    def coverage_column(self, name: str) -> NDArray[np.float64]:
        """Give a coverage of every item: leaves that count, or the share of them (of mass: by mass) that is known."""
        coverage = self.rollup.coverage
        if name == "coverage_leaves":
            return coverage.rows.astype(float)
        if name == "coverage_mass":
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(coverage.rows > 0, coverage.known_mass / coverage.rows, np.nan)
        return coverage.mass_share_center if name == "coverage_center" else coverage.mass_share_inertia
