"""Mass properties of a result's items for the check of limits, on one basis: predicted or basic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.items.growth import bodies_with_growth
from massprops_cli.bom.items.result_columns import AXES, ENTRIES, Floats, item_quantity_values
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.uncertainty import mass_shares_by_method
from massprops_cli.budgets.model import Basis
from massprops_cli.findings.finding import name_list
from massprops_cli.rollups.leaf_sums import ROUNDING_OF_TERMS, ItemMagnitudes, item_magnitudes
from massprops_cli.rollups.rollup import Rollup


class BasisFigures:
    """Mass properties of every item in the table's units, predicted or basic; sigmas are those of the basic values.

    Without growth the predicted values equal the basic values.
    """

    def __init__(self, result: Result, basis: Basis, *, allows_missing: bool = False) -> None:
        self.result = result
        self.allows_missing = allows_missing
        self.basis = basis
        self.rollup: Rollup = (result.predicted if basis == "predicted" else None) or result.rollup
        self._values = cache(lambda quantity: item_quantity_values(self.rollup, quantity))
        self._sigmas = cache(lambda quantity: item_quantity_values(result.rollup, f"sigma_{quantity}"))
        self._magnitudes = cache(self._magnitudes_of)

    def value(self, i: int, quantity: str) -> float | None:
        """Return a value of an item.

        An incomplete value, or one of a tree with errors, is known only if missing values are allowed.
        """
        if self.is_open or (not self.allows_missing and any(self._lacks(i, quantity).values())):
            return None
        return _value_or_none(self._values(quantity), i)

    def least(self, i: int, quantity: str) -> float | None:
        """Return a mass or a moment of an item that is a lower bound if values are missing."""
        coverage = self.rollup.coverage
        bounds = {"mass": coverage.mass_is_bound, **dict.fromkeys(_MOMENT_NAMES, coverage.moments_are_bounds)}
        if quantity not in bounds or not (bounds[quantity][i] or self._is_whole_but_for_the_tree(i, quantity)):
            return None
        return _value_or_none(self._values(quantity), i)

    def sigma(self, i: int, quantity: str) -> float | None:
        """Return the standard deviation of a value of an item."""
        return _value_or_none(self._sigmas(quantity), i)

    def rounding(self, i: int, quantity: str) -> float:
        """Return the rounding error of a value of an item: docs/formulas.md, section 10."""
        sizes = self._magnitudes(i)
        if quantity == "mass":
            return ROUNDING_OF_TERMS * sizes.mass
        axis = AXES.index(quantity[1:]) if quantity[0] == "C" else ENTRIES.index(quantity[1:])
        return ROUNDING_OF_TERMS * float((sizes.center if quantity[0] == "C" else sizes.inertia)[axis])

    def _magnitudes_of(self, i: int) -> ItemMagnitudes:
        """Return the sizes of the terms that sum to the values of an item."""
        bodies = self.rollup.bodies
        return item_magnitudes(replace(self.result.bom.rollup_inputs(), bodies=bodies), i, bodies)

    def center_with_mass(self, i: int, axis: int) -> NDArray[np.float64] | None:
        """Return the covariance (2, 2) of an item's centre coordinate and mass, units of the table; None if unknown.

        V[c, m] = V[h, m]/m and V[c] = V[h]/m²: docs/formulas.md, section 10.
        """
        rollup, center = self.result.rollup, f"C{'xyz'[axis]}"
        if self.sigma(i, "mass") is None or self.sigma(i, center) is None:
            return None
        if rollup.covariances is None and len(self.result.bom.tree.children(i)):
            return None
        picked = [axis + 1, 0]
        per_mass = np.array([1 / rollup.bodies.mass[i], 1.0])
        return np.asarray(rollup.covariance_of(i)[np.ix_(picked, picked)] * np.outer(per_mass, per_mass))

    def share_known(self, i: int) -> float | None:
        """Return the share of the parts at and below an item whose mass is known."""
        coverage = self.rollup.coverage
        rows = int(coverage.rows[i])
        return int(coverage.known_mass[i]) / rows if rows else None

    @cached_property
    def shares_of_mass(self) -> Mapping[str, Floats]:
        """Share of the mass below every item ``(n,)`` by method, on this basis."""
        bom = self.result.bom
        if self.basis == "basic" or bom.growth is None:
            return self.result.shares_of_mass
        return mass_shares_by_method(bom, bodies_with_growth(bom.bodies, bom.growth))

    def why(self, i: int, quantity: str) -> str:
        """Return the reason why a value of an item is unknown."""
        if self._values(quantity) is None:
            return "the table has no such column"
        whole = int(self.rollup.coverage.rows[i])
        reasons = [self.why_of_the_tree()] if self.is_open else []
        if not whole:
            return reasons[0] if reasons else "it contains no parts"
        for noun, parts in self._lacking(i, quantity).items():
            if parts:
                of = "" if reasons else f" of its {whole} part{'' if whole == 1 else 's'}"
                names = name_list([self.result.bom.ids[part] for part in parts], 3)
                reasons.append(f"{len(parts)}{of} {'has' if len(parts) == 1 else 'have'} no {noun} ({names})")
        return ", ".join(reasons) or "its masses cancel, or its row states none"

    def why_of_the_tree(self) -> str:
        """Return the errors of the tree as a reason."""
        return f"the table has errors ({', '.join(self.tree_errors)}), so items may be outside the tree"

    def remedy(self, i: int, quantity: str) -> str | None:
        """Return the remedy for an undecided limit of an item."""
        rows = [f"correct the rows of {', '.join(self.tree_errors)}"] if self.tree_errors else []
        has_column = self._values(quantity) is not None
        cells = ["enter the missing values"] if has_column and any(self._lacks(i, quantity).values()) else []
        if self.allows_missing or not (rows or cells):
            return None
        return f'{" and ".join(rows + cells)}, or state incomplete = "allow" in the entry'

    @property
    def is_open(self) -> bool:
        """Whether parts may be missing because the tree has errors, and missing values are not allowed."""
        return bool(self.tree_errors) and not self.allows_missing

    @cached_property
    def tree_errors(self) -> tuple[str, ...]:
        """Rules of errors in the tree, because of which items may be missing."""
        errors = (f.rule for f in self.result.findings if f.is_withholding and f.rule.startswith("MP3"))
        return tuple(dict.fromkeys(errors))

    def _is_whole_but_for_the_tree(self, i: int, quantity: str) -> bool:
        """Return whether a value of item ``i`` covers all its leaves and is a lower bound."""
        can_be_bound = self.tree_errors and not self.result.bom.options.allow_negative_mass
        return bool(can_be_bound) and not any(self._lacks(i, quantity).values())

    def _lacking(self, i: int, quantity: str) -> dict[str, list[int]]:
        """List the parts at and below item ``i`` that themselves lack a mass, a centre or an inertia."""
        bodies, parts = self.rollup.bodies, self._parts(i)
        heavy = [part for part in parts if bodies.mass[part] != 0 or not _has_value(bodies.has_mass, part)]
        masks = {
            "mass": (parts, bodies.has_mass),
            "centre": (heavy, bodies.has_center),
            "inertia": ([part for part in heavy if not bodies.is_point[part]], bodies.has_inertia),
        }
        found = {}
        for noun, count in self._lacks(i, quantity).items():
            of, mask = masks[noun.split()[0]]
            found[noun] = [part for part in of if not _has_value(mask, part)] if count else []
        return found

    def _parts(self, i: int) -> list[int]:
        """List the items at and below item ``i`` that the roll-up adds, in file order."""
        bom = self.result.bom
        found, waiting = [], [i]
        while waiting:
            item = waiting.pop()
            children = bom.tree.children(item).tolist()
            if not children or (bom.stated is not None and bom.stated[item]):
                found.append(item)
            else:
                waiting += [child for child in children if bom.quantity.count[child] != 0]
        return sorted(found)

    def _lacks(self, i: int, quantity: str) -> dict[str, int]:
        """Count the parts at and below item ``i`` that lack what a quantity is computed from."""
        coverage, grows = self.rollup.coverage, self.rollup is not self.result.rollup
        known = {"mass or no growth" if grows else "mass": coverage.known_mass}
        if quantity != "mass":
            known["centre"] = coverage.known_center
        if quantity.startswith("I"):
            known["inertia"] = coverage.known_inertia
        return {noun: max(0, int(coverage.rows[i]) - int(count[i])) for noun, count in known.items()}


def _has_value(mask: NDArray[np.bool_] | None, item: int) -> bool:
    """Return whether a mask is true for an item; without a mask it is."""
    return mask is None or bool(mask[item])


_MOMENT_NAMES = ("Ixx", "Iyy", "Izz")


def _value_or_none(values: Floats | None, i: int) -> float | None:
    """Return one number of a column, or None where it is not known."""
    if values is None or not isfinite(values[i]):
        return None
    return float(values[i])
