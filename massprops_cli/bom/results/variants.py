"""One table, several variants: each rolled up with its own column of quantities, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.result_columns import item_quantity_values
from massprops_cli.bom.items.variant_columns import variant_columns
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import Floats, Table
from massprops_cli.findings.finding import Finding, FindingsError, UsageError
from massprops_cli.options import RollupMethod
from massprops_cli.tables.options import CENTER_COLUMNS, TableOptions

_VARIANT_QUANTITIES = ("mass", *CENTER_COLUMNS, "sigma_mass", *(f"sigma_{name}" for name in CENTER_COLUMNS))
"""The quantities reported for every item in every variant; sigmas if they are rolled up."""
_UNREAD_RULES = ("MP225", "MP271")  # the rule that a column is not read: each variant's is so in all the others


@dataclass(frozen=True, repr=False)
class Variants:
    """Roll-ups of one table, in the order of the headers ``names`` of their quantities, and all their findings once."""

    names: tuple[str, ...]
    results: tuple[Result, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def bom(self) -> Bom:
        """The bill of materials of the first variant: ids, tree and units are those of all."""
        return self.results[0].bom

    @property
    def assemblies(self) -> list[int]:
        """The items that hold others, as an indented table lists them, root first."""
        listed = self.bom.tree.preorder_items()
        return listed[~self.bom.tree.is_leaf()[listed]].tolist()  # type: ignore[no-any-return] # typed as Any by NumPy

    @cached_property
    def columns(self) -> tuple[dict[str, Floats], ...]:
        """For every variant, the values of its items by quantity, ``(n,)`` each, in coherent units."""
        columns = [
            {name: item_quantity_values(one.rollup, name) for name in _VARIANT_QUANTITIES} for one in self.results
        ]
        return tuple({name: values for name, values in one.items() if values is not None} for one in columns)

    def numbers(self, variant: int, item: int) -> dict[str, float | None]:
        """Look up the mass and the centre of an item in a variant, and their sigmas."""
        return {
            name: None if np.isnan(values[item]) else float(values[item])
            for name, values in self.columns[variant].items()
        }

    def records(self) -> list[list[str | float | None]]:
        """Export the assemblies as a table with the variants side by side."""
        bom, units = self.bom, self.bom.units
        quantities = list(self.numbers(0, self.assemblies[0]))
        unit = {
            name: f" [{units.mass if name.endswith('mass') else units.length}]" if units.stated else ""
            for name in quantities
        }
        header = [f"{name} {variant}{unit[name]}" for variant in self.names for name in quantities]
        rows: list[list[str | float | None]] = [["id", "parent", *header]]
        for item in self.assemblies:
            above = int(bom.tree.parent[item])
            numbers = [value for k in range(len(self.names)) for value in self.numbers(k, item).values()]
            rows.append([bom.ids[item], bom.ids[above] if above >= 0 else "", *numbers])
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Export every assembly in every variant as JSON values."""
        units = self.bom.units
        return {
            "variants": list(self.names),
            "units": {"mass": units.mass, "length": units.length, "stated": units.stated},
            "items": [
                {
                    "id": self.bom.ids[item],
                    "variants": {name: self.numbers(k, item) for k, name in enumerate(self.names)},
                }
                for item in self.assemblies
            ],
            "findings": [finding.to_dict() for finding in self.findings],
        }


def roll_up_variants(
    table: Table, options: TableOptions, names: Sequence[str] = (), uncertainty: RollupMethod = "auto", **shared: Any
) -> Variants:
    """Roll up a table once per variant; stated assembly values can be true of one only and are not compared."""
    checked = "ignore" if options.assembly_values in ("", "check") else options.assembly_values
    options = replace(options, use_sigmas=uncertainty != "none", assembly_values=checked)
    names = tuple(names) or _variant_headers(Bom.from_table(table, options))
    if len(set(names)) < len(names):
        raise UsageError(f"column is named twice with --qty-column: {next(n for n in names if names.count(n) > 1)}")
    boms = [Bom.from_table(table, options.of_variant(name)) for name in names]
    if any(bom.is_withheld for bom in boms):
        raise FindingsError(tuple(dict.fromkeys(finding for bom in boms for finding in bom.findings)))
    results = tuple(rollup(bom, uncertainty, **shared) for bom in boms)
    found = dict.fromkeys(f for result in results for f in result.findings)
    # what is reported as not read in one variant is read in another
    of_variants = [f for f in found if all(place.column in names for place in (f.place, *f.related))]
    return Variants(names, results, tuple(f for f in found if f.rule not in _UNREAD_RULES or f not in of_variants))


def _variant_headers(bom: Bom) -> tuple[str, ...]:
    """Return the headers of the columns of variants; raises UsageError where there are not several."""
    header = bom.columns.header
    if len(found := [header[j].strip() for j in variant_columns(bom.table, bom.columns)]) < 2:
        which = f"only {found[0]}" if found else "none"
        headers = ", ".join(text for text in header if text.strip())
        remedy = f"name them with --qty-column; columns: {headers}"
        raise UsageError(f"--all-variants found fewer than two columns of quantities: {which} ({remedy})")
    return tuple(found)
