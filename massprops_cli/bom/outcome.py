"""What a roll-up gives: every item's mass properties, and what is to be said about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.body import Body
from massprops_cli.bodies.principal import Principal, principal
from massprops_cli.bom.bom import Bom
from massprops_cli.findings import Finding, Severity
from massprops_cli.rollup.rolled import Rollup

SIGN_WORDS = "products of inertia are tensor entries: Ixy = −∫xy dm"


@dataclass(frozen=True, repr=False)
class Outcome:
    """A bill of materials rolled up.

    ``rollup`` has the arrays; ``findings`` holds those of reading and those of the roll-up; ``written_sign (n,)`` is
    +1 or −1 by the convention each row's products are written in.
    """

    bom: Bom
    rollup: Rollup
    findings: tuple[Finding, ...]
    written_sign: NDArray[np.int8]

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

    def body(self, i: int) -> Body:
        """Give item ``i`` as a body, with its sigmas where they are known."""
        return Body.of(self.rollup.bodies, i, self.rollup.sigmas, name=self.bom.ids[i], units=self.bom.units_of_body())

    @cached_property
    def principal(self) -> Principal:
        """Principal moments and axes of every item, about its own centre; NaN where there is no tensor."""
        return principal(self.rollup.bodies)

    def coverage_column(self, name: str) -> NDArray[np.float64]:
        """Give a coverage of every item: leaves that count, or the share of them (of mass: by mass) that is known."""
        coverage = self.rollup.coverage
        if name == "coverage_leaves":
            return coverage.rows.astype(float)
        if name == "coverage_mass":
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(coverage.rows > 0, coverage.known_mass / coverage.rows, np.nan)
        return coverage.mass_share_center if name == "coverage_center" else coverage.mass_share_inertia
