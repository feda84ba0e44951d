"""What only the roll-up can tell: masses that cancel, totals that overflow, signs nobody states, radii too large."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.building.reconciling import differing_assemblies
from massprops_cli.bom.items.content import Content
from massprops_cli.bom.items.many import listed, place_of
from massprops_cli.findings import Finding, found
from massprops_cli.rollup.points import extent
from massprops_cli.rollup.rolled import Rollup

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def aftermath(bom: Content, rollup: Rollup, written_sign: NDArray[np.int8]) -> list[Finding]:
    """Say everything about the result of a roll-up that its reader should know."""
    findings = cancelled(bom, rollup) + not_finite(bom, rollup)
    findings += unwritten_signs(bom, rollup, written_sign)
    return findings + differing_assemblies(bom, rollup)


def cancelled(bom: Content, rollup: Rollup) -> list[Finding]:
    """Say which assemblies have masses that cancel; at the root it is an error."""
    findings = []
    root = int(bom.tree.order[0])
    for i in np.flatnonzero(rollup.cancelled).tolist():
        name = bom.ids[i]
        message = f"{name}: the masses below it cancel, so it has no centre and no inertia of its own"
        rule = "MP410" if i == root else "MP409"
        findings.append(found(rule, message, place_of(bom.table, int(bom.rows[i]), None), item=name))
    return findings


def not_finite(bom: Content, rollup: Rollup) -> list[Finding]:
    """Say which assemblies overflow double precision; sigmas do so when their squares do."""
    findings = []
    inner = ~bom.tree.is_leaf()
    for words, array, told in told_arrays(rollup):
        if np.isfinite(array).all():
            continue
        bad = ~np.isfinite(array.reshape(len(array), -1)).all(axis=1) & inner & told
        for i in np.flatnonzero(bad).tolist():
            place = place_of(bom.table, int(bom.rows[i]), None)
            message = f"{bom.ids[i]}: its {words} is beyond double precision (1.8e308)"
            findings.append(
                found("MP407", message, place, item=bom.ids[i], remedy="scale the column by choosing another unit")
            )
    return findings


def told_arrays(rollup: Rollup) -> Iterator[tuple[str, Floats, Mask]]:
    """Give what a roll-up computed, in words and numbers, and for which items ``(n,)`` it is told."""
    bodies, sigmas = rollup.bodies, rollup.sigmas
    everything = np.ones(len(bodies.mass), bool)
    known = everything if sigmas is None or sigmas.known is None else sigmas.known
    for words, value, sigma, has in (
        ("mass", bodies.mass, None if sigmas is None else sigmas.mass, None),
        ("centre", bodies.center, None if sigmas is None else sigmas.center, bodies.has_center),
        ("inertia", bodies.inertia, None if sigmas is None else sigmas.inertia, bodies.has_inertia),
    ):
        if value is not None:
            yield words, value, everything
        if sigma is not None:
            yield f"variance of {words}", sigma, known if has is None else known & has


def unwritten_signs(bom: Content, rollup: Rollup, written_sign: NDArray[np.int8]) -> list[Finding]:
    """Say which assemblies have products of inertia to be written, and no sign convention to write them in."""
    if rollup.bodies.inertia is None or "Ixy" not in bom.columns.by_quantity or bom.options.write_poi == "none":
        return []
    lacking = (written_sign == 0) & ~bom.tree.is_leaf() & (bom.rows >= 0)
    if not lacking.any():
        return []
    lacking &= (rollup.bodies.inertia[:, 3:] != 0).any(axis=1)
    if rollup.bodies.has_inertia is not None:
        lacking &= rollup.bodies.has_inertia
    if bom.stated is not None:
        lacking &= ~bom.stated
    items = np.flatnonzero(lacking)
    if not len(items):
        return []
    sign = bom.columns.by_quantity.get("POIconv")
    if sign is None:
        first = place_of(bom.table, int(bom.rows[items[0]]), None)
        names = listed([bom.ids[i] for i in items[:7].tolist()])
        return [
            found(
                "MP224",
                f"products of inertia of {len(items):,} assemblies ({names}) have no sign convention to be written in",
                first,
                item=bom.ids[int(items[0])],
                count=len(items),
                remedy="add a column POIconv, or pass --poi + or --poi -",
            )
        ]
    return [
        found(
            "MP224",
            f"{bom.ids[i]} has a blank POIconv and its children do not share one",
            place_of(bom.table, int(bom.rows[i]), sign.index, sign.header),
            item=bom.ids[i],
        )
        for i in items.tolist()
    ]


def implausible_radii(bom: Content, rollup: Rollup) -> list[Finding]:
    """Compare leaves' radii of gyration with the extent of the tree: 100 times beyond, or by a factor of units."""
    bodies = rollup.bodies
    if bodies.inertia is None or bodies.center is None:
        return []
    leaf = bom.tree.is_leaf()
    size = extent(bodies.center[leaf if bodies.has_center is None else leaf & bodies.has_center])
    if size == 0:
        return []
    largest = np.maximum(np.maximum(bodies.inertia[:, 0], bodies.inertia[:, 1]), bodies.inertia[:, 2])
    # k² = I / m, so that no root is taken of a million rows
    far = np.flatnonzero(leaf & ~bodies.is_point & (bodies.mass > 0) & (largest > bodies.mass * (10 * size) ** 2))
    said = []
    for i, radius in zip(far.tolist(), np.sqrt(largest[far] / bodies.mass[far]).tolist(), strict=True):
        cause = unit_factor(radius / size)
        if radius > 100 * size or cause:
            said.append((i, radius, cause))
    return [radius_finding(bom, said, size)] if said else []


def unit_factor(times: float) -> str:
    """Name the slip of units that would bring a radius ``times`` the extent back inside it."""
    for factor, words in ((25.4**2, "inertia in mm² where in² was meant"), (1e3, "mass in g where kg was meant"),
                          (1e6, "inertia in mm² where m² was meant")):  # fmt: skip
        if 0.01 < times / factor**0.5 <= 1:
            return words
    return ""


def radius_finding(bom: Content, said: list[tuple[int, float, str]], extent: float) -> Finding:
    """Say once for the column how many radii do not fit."""
    item, radius, cause = said[0]
    column = bom.columns.by_quantity["Ixx"]
    length = f" {bom.units.length}" if bom.units.length else ""
    more = f"; the same for {len(said) - 1:,} more items" if len(said) > 1 else ""
    hint = f"; likely {cause}" if cause else ""
    return found(
        "MP408",
        f"{bom.ids[item]} has a radius of gyration of {radius:.4g}{length}, "
        f"the whole tree spans {extent:.4g}{length}{hint}{more}",
        place_of(bom.table, int(bom.rows[item]), column.index, column.header),
        item=bom.ids[item],
        count=len(said),
    )
