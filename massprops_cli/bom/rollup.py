"""Roll-up of a bill of materials, and checks of its result: cancelled masses, overflow, signs, radii."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, ReadKeywords, bom_from
from massprops_cli.bom.checks.assembly_values import check_assembly_values, check_removed_pieces, output_product_signs
from massprops_cli.bom.items.item_rows import item_cell_place
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.uncertainty import UncertaintyRequest, requested_correlation, uncertainty_from_keywords
from massprops_cli.findings.finding import (
    Findings,
    FindingsError,
    Place,
    Severity,
    UsageError,
    call_with_result,
    checked_integer,
    name_list,
    notebook_progress,
)
from massprops_cli.options import (
    CorrelationScope,
    Distribution,
    RollupMethod,
    check_own_keywords,
    check_types,
    show_keywords,
)
from massprops_cli.rollups.inputs import Correlation, RollupInputs
from massprops_cli.rollups.rollup import Rollup, roll_up, without_rounding

if TYPE_CHECKING:
    from massprops_cli.rollups.division import PartRunner

_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_ProgressChoice = Callable[[int, int], None] | Literal[False] | None
"""Called with the number of chunks of samples that are done and that of all; None: shown in notebooks; False: not."""


def _check_result(bom: Bom, rollup: Rollup, written_sign: NDArray[np.int8], findings: Findings) -> None:
    """Report the findings of the result of a roll-up."""
    root = int(bom.tree.order[0])
    for i in np.flatnonzero(rollup.cancelled).tolist():
        name = bom.ids[i]
        message = f"masses of the children of {name} cancel (mass is 0, centre and inertia are blank)"
        rule = "MP410" if i == root else "MP409"
        findings.report(rule, message, item_cell_place(bom.table, int(bom.rows[i]), None), item=name)
    if rollup.bodies.mass[root] < 0 and not (bom.tree.is_leaf()[root] or bom.options.allow_negative_mass):
        findings.report(
            "MP401",
            f"total mass of {bom.ids[root]} is negative: {rollup.bodies.mass[root]:.6g}",
            item_cell_place(bom.table, int(bom.rows[root]), None),
            item=bom.ids[root],
            remedy="correct the signs of masses and quantities; for a list of changes pass "
            "--config allow-negative-mass=true",
            severity=Severity.WARNING,
        )
    _report_overflow(bom, rollup, findings)
    _check_output_signs(bom, rollup, written_sign, findings)
    check_assembly_values(bom, rollup, findings)
    check_removed_pieces(bom, rollup.with_place, findings)
    _check_radii(bom, rollup, findings)


def _report_overflow(bom: Bom, rollup: Rollup, findings: Findings) -> None:
    """Report assemblies that exceed double precision; for sigmas their variance counts."""
    inner = ~bom.tree.is_leaf()
    for words, array, reported in _reported_arrays(rollup):
        if np.isfinite(array).all():
            continue
        bad = ~np.isfinite(array.reshape(len(array), -1)).all(axis=1) & inner & reported
        for i in np.flatnonzero(bad).tolist():
            place = item_cell_place(bom.table, int(bom.rows[i]), None)
            message = f"{words} of {bom.ids[i]} exceeds double precision (1.8e308)"
            findings.report("MP407", message, place, item=bom.ids[i], remedy="scale the column with another unit")


def _reported_arrays(rollup: Rollup) -> Iterator[tuple[str, _Floats, _Mask]]:
    """Yield the computed quantities: their name, their values, and the items ``(n,)`` they are reported for."""
    bodies, sigmas = rollup.bodies, rollup.sigmas
    everything = np.ones(len(bodies.mass), bool)
    center = None if bodies.center is None else np.where(bodies.missing_axes, 0.0, bodies.center)
    known = None if sigmas is None else sigmas.known
    for words, value, sigma, has, columns in (
        ("mass", bodies.mass, None if sigmas is None else sigmas.mass, None, 0),
        ("centre", center, None if sigmas is None else sigmas.center, bodies.has_center, slice(1, 4)),
        ("inertia", bodies.inertia, None if sigmas is None else sigmas.inertia, bodies.has_inertia, slice(4, 10)),
    ):
        if value is not None:
            yield words, value, everything
        if sigma is not None:
            reported = sigma if known is None else np.where(known[:, columns], sigma, 0.0)
            yield f"variance of {words}", reported, everything if has is None else has


def _check_output_signs(bom: Bom, rollup: Rollup, written_sign: NDArray[np.int8], findings: Findings) -> None:
    """Report assemblies with products of inertia and no output sign convention."""
    items = _items_without_sign(bom, rollup, written_sign)
    if (sign := bom.columns.by_quantity.get("POIconv")) is not None:
        for i in items.tolist():
            message = f"POIconv of {bom.ids[i]} is blank, and its children have different signs"
            place = item_cell_place(bom.table, int(bom.rows[i]), sign.index, sign.header)
            findings.report("MP224", message, place, item=bom.ids[i])
    elif len(items):
        names = name_list([bom.ids[i] for i in items[:7].tolist()])
        findings.report(
            "MP224",
            f"products of inertia of {len(items):,} assemblies have no sign convention and are not written: {names} "
            "(in reports they are tensor entries)",
            item_cell_place(bom.table, int(bom.rows[items[0]]), None),
            item=bom.ids[int(items[0])],
            count=len(items),
            remedy="pass --poi - to write them as the tensor entries −∫xy dm, or --poi + as +∫xy dm",
            severity=Severity.WARNING,
        )


def _items_without_sign(bom: Bom, rollup: Rollup, written_sign: NDArray[np.int8]) -> NDArray[np.intp]:
    """Return the assemblies with products to be written and no sign convention ``(k,)``."""
    none = np.zeros(0, np.intp)
    if rollup.bodies.inertia is None or "Ixy" not in bom.columns.by_quantity or bom.options.write_poi == "none":
        return none
    lacking = (written_sign == 0) & ~bom.tree.is_leaf() & (bom.rows >= 0)
    if not lacking.any():
        return none
    lacking &= (rollup.bodies.inertia[:, 3:] != 0).any(axis=1)
    for known in (rollup.bodies.has_inertia, rollup.bodies.has_products):
        if known is not None:
            lacking &= known
    if bom.stated is not None:
        lacking &= ~bom.stated
    return np.flatnonzero(lacking)


def _check_radii(bom: Bom, rollup: Rollup, findings: Findings) -> None:
    """Compare leaves' radii of gyration with the extent of the tree: 100 times beyond, or by a factor of units."""
    bodies = rollup.bodies
    if bodies.inertia is None or bodies.center is None:
        return
    leaf = bom.tree.is_leaf()
    centers = bodies.center[leaf if bodies.has_center is None else leaf & bodies.has_center]
    with np.errstate(over="ignore"):
        size = math.hypot(*np.ptp(centers, axis=0).tolist()) if len(centers) else 0.0
    if size == 0:
        return
    largest = np.maximum(np.maximum(bodies.inertia[:, 0], bodies.inertia[:, 1]), bodies.inertia[:, 2])
    # compare k² = I / m, which needs no square root
    with np.errstate(over="ignore", invalid="ignore"):
        reached = bodies.mass * np.square(10 * size)
        far = np.flatnonzero(leaf & ~bodies.is_point & (bodies.mass > 0) & (largest > reached))
        radii = np.sqrt(largest[far] / bodies.mass[far])
    suspects = []
    for i, radius in zip(far.tolist(), radii.tolist(), strict=True):
        cause = _unit_slip_text(radius / size)
        if radius > 100 * size or cause:
            suspects.append((i, radius, cause))
    if suspects:
        _report_radii(bom, suspects, size, findings)


def _unit_slip_text(times: float) -> str:
    """Return the unit error that explains a radius of ``times`` the extent."""
    for factor, words in ((25.4**2, "inertia in mm² in place of in²"), (1e3, "mass in g in place of kg"),
                          (1e6, "inertia in mm² in place of m²")):  # fmt: skip
        if 0.01 < times / factor**0.5 <= 1:
            return words
    return ""


def _report_radii(bom: Bom, suspects: list[tuple[int, float, str]], extent: float, findings: Findings) -> None:
    """Report, in one finding, radii of gyration that do not fit the tree."""
    item, radius, cause = suspects[0]
    column = bom.columns.by_quantity["Ixx"]
    length = f" {bom.units.length}" if bom.units.length else ""
    more = f"; {len(suspects) - 1:,} more items" if len(suspects) > 1 else ""
    hint = f"; likely {cause}" if cause else ""
    message = (
        f"radius of gyration of {bom.ids[item]} does not fit the tree: {radius:.4g}{length} "
        f"(extent {extent:.4g}{length}{hint}){more}"
    )
    place = item_cell_place(bom.table, int(bom.rows[item]), column.index, column.header)
    findings.report("MP408", message, place, item=bom.ids[item], count=len(suspects))


def rollup(
    bom: BomSource,
    uncertainty: RollupMethod = "auto",
    *,
    keep_going: bool = False,
    progress: Callable[[int, int], None] | Literal[False] | None = None,
    correlate: CorrelationScope = "none",
    correlate_centers: bool = False,
    correlations: str = "",
    samples: int = 10_000,
    seed: int = 0,
    distribution: Distribution = "normal",
    workers: int = 1,
    scheduler: str = "",
    partition: int = 0,
    keep_samples: bool = False,
    items: str | Iterable[str] = (),
    probability: str | Iterable[str] = (),
    intervals: str | Iterable[str] = (),
    **reading: Unpack[ReadKeywords],
) -> Result:
    """Compute the mass properties of every assembly.

    Parameters
    ----------
    bom : BomSource
        n items with their tree, or a table (path, open file or DataFrame) that is read as ``read_bom`` does, with the
        ``massprops.toml`` of its folder, as on the command line.
    uncertainty : {"auto", "covariance", "massprops", "montecarlo", "none"}, optional
        ``covariance`` (exact to first order), ``massprops`` (level by level), ``montecarlo``, ``none``, or ``auto``:
        ``covariance`` if the table states sigmas.
    keep_going : bool, optional
        Return what can be computed in spite of errors.
    progress : callable or False, optional
        Called with the number of chunks of samples that are done and the number of all; default: a bar in the output of
        a notebook cell after one second, nothing elsewhere; False: never.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared; ``part``: those of all pieces and uses of one part number.
    correlate_centers : bool, optional
        Also share uncertainties of centres.
    correlations : str, optional
        File of correlations between groups.
    samples, seed : int, optional
        Number of Monte Carlo samples, and their seed.
    workers : int, optional
        Number of processes for samples and for the parts of a partition; results do not depend on it.
    distribution : {"normal", "lognormal", "uniform", "triangular", "truncated"}, optional
        Distribution of rows that state none.
    scheduler : str, optional
        Address of a Dask cluster.
    partition : int, optional
        Roll up this number of parts of near to equal size, one by one, by ``workers`` or on the cluster
        ``scheduler``; default: the whole.
    keep_samples : bool, optional
        Store the samples of the root and of ``items`` as arrays (``Result.samples_of``), 104 bytes for each sample and
        item, up to 1 GiB.
    items : str or iterable of str, optional
        Ids whose distributions are reported in addition to the root's.
    probability, intervals : str or iterable of str, optional
        Conditions (``mass <= 850 kg``), and probabilities of intervals (``95%``).
    **reading : keywords
        Those of ``read_bom``, for a table that is read: ``allow_missing="mass"`` …

    Returns
    -------
    Result
        Mass (n,), centre (n, 3) and inertia tensor (n, 6) of every item, computed over the leaves that have each
        quantity: in coherent units, the tensor about each item's own centre of mass, in the axes of the table, products
        as tensor entries.

    Raises
    ------
    FindingsError
        An error of the effect *stops* or *not written* (``massprops rules``), unless ``keep_going``; always for a table
        of which no row is in the tree.
    UsageError
        An unknown keyword, or a word or a number that it does not take; the message names the nearest.

    Notes
    -----
    Parallel-axis theorem: docs/formulas.md, section 2. First-order propagation of uncertainty: level by level, as in
    SAWE paper 3360, docs/formulas.md, sections 3 and 4; by the full covariance, docs/formulas.md, sections 5 and 6.
    Second order and samples: docs/formulas.md, section 7. Probabilities and intervals: docs/formulas.md, section 11.

    Examples
    --------
    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> rollup(Bom.from_records(rows)).root.mass
    5.0
    """
    check_own_keywords({name: value for name, value in reading.items() if name not in _READING}, rollup)
    options = {
        "correlate": correlate, "correlate_centers": correlate_centers, "correlations": correlations,
        "samples": samples, "seed": seed, "distribution": distribution, "workers": workers, "scheduler": scheduler,
        "keep_samples": keep_samples, "items": items, "probability": probability, "intervals": intervals,
    }  # fmt: skip
    further = {"keep_going": keep_going, "partition": partition, "progress": progress}
    check_types({**options, **further}, rollup.__annotations__)
    request = uncertainty_from_keywords(uncertainty, options)
    if keep_samples and request.method != "montecarlo":
        raise UsageError(f"keep_samples requires uncertainty='montecarlo', not {request.method!r}")
    if (partition := checked_integer("partition", partition, 0)) and request.method == "montecarlo":
        raise UsageError("partition and uncertainty='montecarlo' are mutually exclusive")
    return _requested_result(
        bom_from(bom, **reading), request, keep_going=keep_going, progress=progress, parts=partition
    )


_READING = ReadKeywords.__annotations__
show_keywords(rollup, ReadKeywords)


def _requested_result(
    bom: Bom,
    request: UncertaintyRequest,
    *,
    keep_going: bool,
    progress: _ProgressChoice,
    branches: NDArray[np.intp] | None = None,
    parts: int = 0,
) -> Result:
    """Roll up as requested; raises FindingsError where errors prevent a result."""
    method = _resolve_method(bom, request)
    _check_queries(bom, request, method)
    if bom.has_errors and not (bom.rows >= 0).any():
        raise FindingsError(bom.findings)
    of_sharing = Findings()
    sharing = requested_correlation(bom, request, of_sharing) if method in ("covariance", "montecarlo") else None
    if of_sharing.has_errors:
        sharing, method = None, "none"  # without the correlations no sigma is known
    if any(finding.is_stopping for finding in bom.findings):
        raise FindingsError(bom.findings, call_with_result(bom.findings))
    core = "covariance" if method == "montecarlo" else method
    inputs = replace(bom.rollup_inputs(sharing), branches=branches)
    given = None
    if (of := bom.branches) is not None:
        inputs = replace(inputs, upward=of.upward)
        given = of.covariances(bom.tree, sharing) if method == "covariance" and len(of.items) else None
    reasons: list[str] = []
    if parts:
        from massprops_cli.rollups.division import roll_up_in_parts

        with _part_runner(request.sampling.scheduler, request.sampling.workers) as run:
            rolled = roll_up_in_parts(inputs, parts, run, method=core, given=given, reasons=reasons)
    else:
        rolled = roll_up(inputs, method=core, given=given)
    rolled = without_rounding(rolled, bom.tree, inputs.ends)
    if reasons and parts > 1:
        message = f"table is rolled up as one part, not {parts}: {reasons[0]}"
        of_sharing.report("MP329", message, Place(bom.table.source.name))
    _report_excluded_poses(bom, core, of_sharing)
    signs = output_product_signs(bom)

    def result_of(rolled: Rollup) -> Result:
        """Check the result of a roll-up and collect its findings."""
        findings = Findings([*bom.findings, *of_sharing])
        _check_result(bom, rolled, signs, findings)
        return Result(bom, rolled, tuple(findings), signs, replace(request, method=method), sharing)

    result = result_of(rolled)
    if not keep_going and result.is_withheld:
        raise FindingsError(result.findings, call_with_result(result.findings))
    if method != "montecarlo":
        return result
    from massprops_cli.bom.results.uncertainty import report_sample_differences

    result = result_of(_add_simulation(result, inputs, request, progress))
    findings = Findings(result.findings)
    report_sample_differences(bom, result.samples, findings)
    return replace(result, findings=tuple(findings))


@contextmanager
def _part_runner(scheduler: str, workers: int) -> Iterator[PartRunner]:
    """Yield what computes the parts of a partition: this process, others of this machine, or a cluster."""
    from massprops_cli.rollups.division import connected_cluster, run_parts_here, run_parts_in_processes

    if not scheduler:
        yield run_parts_here if workers < 2 else partial(run_parts_in_processes, workers)
        return

    with connected_cluster(scheduler) as cluster:
        yield cluster.ordered_results


def _report_excluded_poses(bom: Bom, method: str, findings: Findings) -> None:
    """Report uncertain poses, and correlations of turned parts, that the method does not include."""
    if bom.poses is None or method == "covariance":
        return
    uncertain = bom.poses.covariance is not None
    if method == "massprops":
        parts = ["uncertain poses"] if uncertain else []
        parts += ["correlations of turned sigmas"] if bom.poses.turns_sigmas else []
        if parts:
            findings.report("MP708", f"uncertainty massprops does not include {' and '.join(parts)}")
    elif uncertain and bom.options.use_sigmas and bom.sigmas is None:
        message = "uncertain poses are not included: the table states no sigmas of its parts"
        findings.report("MP708", message, remedy="add sigma columns, with 0 for what is exact")


def _resolve_method(bom: Bom, request: UncertaintyRequest) -> str:
    """Return the method; raises UsageError for one that the table does not support."""
    if request.method == "auto":
        return "none" if bom.sigmas is None else "covariance"
    if request.method == "montecarlo" and bom.branches is not None:
        raise UsageError("uncertainty montecarlo needs the leaves of every branch (use covariance)")
    if request.method != "none" and bom.sigmas is None:
        raise UsageError(f"uncertainty {request.method} needs all sigma columns, and some are missing")
    if request.method in ("massprops", "none") and request.is_correlated:
        raise UsageError(f"uncertainty {request.method} does not support correlated uncertainties (use covariance)")
    return request.method


def _check_queries(bom: Bom, request: UncertaintyRequest, method: str) -> None:
    """Reject invalid queries before the roll-up."""
    if not (request.items or request.probability or request.intervals):
        return
    from massprops_cli.bom.results.probability import parse_interval_level, sampling_events

    sampling_events(bom, request.items, request.probability)
    for text in request.intervals:
        parse_interval_level(text)
    if method == "none":
        raise UsageError("probabilities and intervals need sigmas (sigma columns, and an uncertainty other than none)")


def _add_simulation(
    result: Result, inputs: RollupInputs, request: UncertaintyRequest, progress: _ProgressChoice
) -> Rollup:
    """Add the results of a simulation to the first-order results."""
    from massprops_cli.bom.results.probability import sampling_events
    from massprops_cli.rollups.montecarlo.simulation import simulate_tree

    assert inputs.sigmas is not None
    watched, events = sampling_events(result.bom, request.items, request.probability, result)
    with notebook_progress(f"{request.sampling.samples:,} samples") as advance:
        sampled = simulate_tree(
            inputs,
            shapes=result.bom.shapes,
            sampling=request.sampling,
            watched=watched,
            events=events,
            progress=advance if progress is None else progress or None,
        )
    return replace(result.rollup, method="montecarlo", sampled=sampled)


def roll_up_branches(
    bom: Bom, branches: NDArray[np.intp], correlate: CorrelationScope, *, correlate_centers: bool
) -> Result:
    """Roll up, with covariances of branches (k,) apart from those of open groups (docs/formulas.md, section 6)."""
    # they are in rollup.covariances.branches; UsageError if uncertainties are shared and the table states no sigmas
    request = uncertainty_from_keywords("auto", {"correlate": correlate, "correlate_centers": correlate_centers})
    return _requested_result(bom, request, keep_going=False, progress=False, branches=branches)


def branch_correlation(bom: Bom, correlate: CorrelationScope, *, correlate_centers: bool) -> Correlation | None:
    """Return whose uncertainties are shared."""
    request = uncertainty_from_keywords("auto", {"correlate": correlate, "correlate_centers": correlate_centers})
    if (method := _resolve_method(bom, request)) == "none" and request.is_correlated:
        raise UsageError("shared uncertainties need sigmas, and the table states none")
    return requested_correlation(bom, request, Findings()) if method == "covariance" else None


def validate(bom: BomSource, **reading: Unpack[ReadKeywords]) -> Findings:
    """List all findings of a table: those of reading it, and those of its roll-up.

    Parameters
    ----------
    bom : BomSource
        A bill of materials, or a table (path, open file or DataFrame) that is read.
    **reading : keywords
        Those of ``read_bom``, for a table that is read.

    Returns
    -------
    Findings
        List of ``Finding`` in the order of the table.

    Notes
    -----
    The table is rolled up as far as possible, by ``covariance`` if it states sigmas; no error is raised.

    Examples
    --------
    >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "t"}])
    >>> [finding.rule for finding in validate(bom)]
    ['MP305', 'MP203']
    """
    table = bom_from(bom, **reading)
    if not (table.rows >= 0).any() or any(finding.is_stopping for finding in table.findings):
        return Findings(table.findings)
    return Findings(rollup(table, keep_going=True).findings)


show_keywords(validate, ReadKeywords)
