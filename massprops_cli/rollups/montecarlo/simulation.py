"""Tree × bodies × sigmas → sampled distributions of every assembly; one seed gives the same numbers on any machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups import inputs as rollup_inputs
from massprops_cli.rollups.covariance import PAIR_COLUMNS, PAIR_ROWS, SamplePlacement
from massprops_cli.rollups.division import WorkerLostError, process_results
from massprops_cli.rollups.montecarlo import distributions as input_distributions, sampler, samples
from massprops_cli.rollups.rollup import Rollup, roll_up

_CHUNKS_AHEAD = 2  # chunks in progress or in the queue, per worker
_MOST_KEPT_BYTES = 2**30  # memory of all samples that are stored
_CLUSTER_TIMEOUT = "10s"
_Floats = NDArray[np.float64]
_Mask = NDArray[np.bool_]
_Progress = Callable[[int, int], None]  # reports how many chunks of how many are done


def _chunk_sums(model: sampler.SampleModel, workers: int, scheduler: str) -> Generator[sampler.SampleSums]:
    """Yield the sums of every chunk, in order."""
    if scheduler:
        yield from _cluster_chunk_sums(model, scheduler)
    elif workers > 1 and model.chunks > 1:
        processes = min(workers, model.chunks)
        with closing(process_results(sampler.sample_chunk, model, range(model.chunks), processes)) as found:
            for sums in found:
                if isinstance(sums, WorkerLostError):
                    raise sums
                yield sums
    else:
        for chunk in range(model.chunks):
            yield sampler.sample_chunk(model, chunk)


def _cluster_chunk_sums(model: sampler.SampleModel, scheduler: str) -> Generator[sampler.SampleSums]:
    """Yield the sums of chunks sampled on a Dask cluster."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise UsageError('a scheduler needs Dask: pip install "massprops[scale]"') from error
    try:
        client = distributed.Client(scheduler, timeout=_CLUSTER_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"Dask scheduler does not respond at {scheduler}: {error}") from error
    with client:
        there = client.scatter(model, broadcast=True, hash=False)
        workers = max(sum(client.nthreads().values()), 1)
        yield from _ordered_chunk_sums(
            lambda chunk: client.submit(sampler.sample_chunk, there, chunk, pure=False),
            model.chunks,
            _CHUNKS_AHEAD * workers,
        )


def _ordered_chunk_sums(submit: Callable[[int], Any], chunks: int, ahead: int) -> Generator[sampler.SampleSums]:
    """Yield results in order with ``ahead`` chunks in progress; those in progress are cancelled at the end."""
    under_way: deque[Any] = deque()
    try:
        for chunk in range(chunks):
            under_way.append(submit(chunk))
            if len(under_way) >= ahead:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    finally:
        for future in under_way:
            future.cancel()


def simulate_tree(
    inputs: rollup_inputs.RollupInputs,
    *,
    shapes: rollup_inputs.InputShapes | None = None,
    sampling: rollup_inputs.SampleOptions | None = None,
    watched: Sequence[int] = (),
    events: Mapping[int, Sequence[sampler.SampleEvent]] | None = None,
    progress: _Progress | None = None,
) -> samples.SampledRollup:
    """Sample the ten inputs of every piece of every part, and sum each sample: docs/formulas.md, sections 2 and 6."""
    # UsageError for invalid options, items or bounds, more than 20 million pieces, or a scheduler that does not respond
    sampling = sampling or rollup_inputs.SampleOptions()
    rolled = roll_up(inputs, method="none")
    known = _known_results(rolled)
    if not rollup_inputs.is_complete_data(inputs.bodies, inputs.sigmas):
        ten = rollup_inputs.known_sigmas(inputs)
        known &= np.concatenate([ten, ten[:, :1] & ten[:, 4:7]], axis=1)
        inputs = rollup_inputs.placed_part(inputs)
    kept = {int(inputs.tree.order[0]): (), **dict.fromkeys(map(int, watched), ()), **(events or {})}
    model = _sample_model(inputs, shapes, sampling, kept, rolled)
    counted = sampler.SampleSums.nothing(model)
    chunks = _chunk_sums(model, sampling.workers, sampling.scheduler)
    with closing(chunks):
        for done in range(model.chunks):
            counted.add(next(chunks))
            if progress is not None:
                progress(done + 1, model.chunks)
    return _sampled_rollup(model, sampling, known, counted)


def _sample_model(
    inputs: rollup_inputs.RollupInputs,
    shapes: rollup_inputs.InputShapes | None,
    sampling: rollup_inputs.SampleOptions,
    watched: Mapping[int, Sequence[sampler.SampleEvent]],
    rolled: Rollup,
) -> sampler.SampleModel:
    """Return the model of the sampler with watched items and their events; reject inputs that cannot be sampled."""
    if sampling.samples < 2 or sampling.seed < 0 or sampling.workers < 1:
        raise UsageError("simulation needs at least 2 samples, a seed of 0 or more and at least 1 worker")
    tree, ends = inputs.tree, inputs.ends
    size = sampling.samples * len(watched) * len(rollup_inputs.SAMPLED_RESULTS) * 8
    if sampling.keep_samples and size > _MOST_KEPT_BYTES:
        items = f"{len(watched):,} items" if len(watched) > 1 else "1 item"
        raise UsageError(
            f"{sampling.samples:,} samples of {items} need {size / 2**30:.1f} GiB of memory "
            f"(keep_samples stores up to {_MOST_KEPT_BYTES / 2**30:.0f} GiB; draw fewer samples or name fewer items)"
        )
    for item in watched:
        if not 0 <= item < len(tree):
            raise UsageError(f"item does not exist: {item} (the last is {len(tree) - 1})")
    assert inputs.sigmas is not None
    bodies, sigmas, placed = _inputs_along_rows(inputs)
    distributions = input_distributions.InputDistributions.of(bodies, sigmas, shapes, sampling.distribution)
    if (joint := sampler.JointSamples.of(inputs, distributions.sigma)) is not None and distributions.kind is not None:
        # the values of shapes are drawn together, from normal distributions
        kind = distributions.kind.copy()
        kind[:, list(joint.row)] = rollup_inputs.DISTRIBUTION_KINDS.index("normal")
        distributions = replace(distributions, kind=kind)
    same = input_distributions.is_same_in_every_piece(tree, distributions, inputs.correlation, ends)
    if placed is not None and placed.factor is not None:
        # what is moved inside a piece differs from piece to piece
        moved = placed.factor.any(axis=(1, 2)).astype(float)
        same &= tree.subtree_sums(moved, np.ones(len(tree))) - moved == 0.0
    pieces = input_distributions.piece_forest(tree, inputs.quantity, same, ends)
    alone = np.array([item for item in watched if ends[item]], np.int32)
    plan = input_distributions.sum_plan(pieces, ~ends, alone)
    row = dict(zip(plan.assemblies.tolist(), range(len(plan.assemblies)), strict=True))
    watches = [(row[item], tuple(events)) for item, events in watched.items()]
    # points from which samples are measured, the poles ``(3, n)``, and the nominal centres from there
    # they are rounded once; differences of input coordinates from them are then exact, so a far origin costs no
    # digits; the pole is the centre unless masses are removed, where the centre can be far away
    points, seen = np.zeros((2, 3, len(rolled.bodies.mass)))
    if rolled.bodies.center is not None:
        points[:] = rolled.bodies.center.T
        points[~np.isfinite(points)] = 0.0
    if rolled.passed_up is not None:
        up = rolled.passed_up
        points[:, up.items], seen[:, up.items] = up.reference + up.offset, up.center
    # values of ``SAMPLED_RESULTS`` ``(13, n)`` without uncertainty; 0 where undefined
    bodies = rolled.with_place.bodies
    radii = np.zeros((3, len(bodies.mass))) if rolled.radii is None else rolled.radii.T
    nominal = np.concatenate(
        [input_distributions.input_rows(bodies.mass, bodies.center, bodies.inertia, bodies.is_point), radii]
    )
    nominal[~np.isfinite(nominal)] = 0.0
    return sampler.SampleModel(
        distributions, plan, nominal, *(points, seen), inputs.correlation, watches, alone, sampling.samples,
        sampling.seed, sampler.blocks_per_chunk(plan), sampling.keep_samples, joint, placed,
    )  # fmt: skip


def _inputs_along_rows(inputs: rollup_inputs.RollupInputs) -> tuple[Bodies, Sigmas, SamplePlacement | None]:
    """Return bodies and sigmas along the axes of the rows, in which inputs are independent, and what places them."""
    assert inputs.sigmas is not None
    bodies, sigmas, placed = inputs.bodies, inputs.sigmas, inputs.placement
    if placed is None or bodies.center is None:
        return bodies, sigmas, None
    nominal = input_distributions.input_rows(bodies.mass, bodies.center, bodies.inertia, bodies.is_point)
    own, own_sigmas = placed.bodies, placed.sigmas
    along_rows = Bodies(
        bodies.mass,
        None if own.center is None else np.nan_to_num(own.center),
        None if bodies.inertia is None else own.inertia,
        bodies.is_point,
    )
    assert own_sigmas is not None
    sigmas = Sigmas(
        sigmas.mass, _counted(own_sigmas.center, sigmas.center), _counted(own_sigmas.inertia, sigmas.inertia)
    )
    return along_rows, sigmas, SamplePlacement.of(placed, nominal)


def _counted(own: _Floats | None, turned: _Floats | None) -> _Floats | None:
    """Return sigmas along the axes of the rows, 0 where those of the table are."""
    return None if own is None or turned is None else own * np.asarray(turned.any(axis=1))[:, None]


def _known_results(rolled: Rollup) -> _Mask:
    """Return which of ``SAMPLED_RESULTS`` of every item are defined and computed from known values ``(n, 13)``."""
    bodies = rolled.bodies
    known = np.ones((len(bodies.mass), 13), bool)
    for columns, values, has in (
        (slice(0, 1), bodies.mass, bodies.has_mass),
        (slice(1, 4), bodies.center, bodies.has_center),
        (slice(4, 10), bodies.inertia, bodies.has_inertia),
        (slice(7, 10), bodies.inertia, bodies.has_products),
    ):
        known[:, columns] &= values is not None
        if has is not None:
            known[~has, columns] = False
    if rolled.placed is not None:  # only masses that have a place are drawn
        known[:, 0] &= rolled.coverage.known_mass == rolled.coverage.known_center
    known[rolled.cancelled, 1:] = False
    known[:, 10:] = False if rolled.radii is None else np.isfinite(rolled.radii)
    return known


def _sampled_rollup(
    model: sampler.SampleModel, sampling: rollup_inputs.SampleOptions, known: _Mask, counted: sampler.SampleSums
) -> samples.SampledRollup:
    """Return the statistics of the sums."""
    tally, items = counted.tally, model.plan.assemblies
    shift = np.where(known[items], tally.shift(), np.nan)
    sigma = np.where(np.isnan(shift), np.nan, tally.sigma())
    sigma_error = np.where(np.isnan(shift), np.nan, tally.sigma_error())
    undefined = np.isnan(shift[:, :10])
    covariance = np.where(undefined[:, PAIR_ROWS] | undefined[:, PAIR_COLUMNS], np.nan, tally.covariance())
    mean = model.nominal[:, items].T + shift
    watched = [
        _sampled_distribution(model, place, counted, (shift[row], sigma[row], sigma_error[row]))
        for row, place in model.watched_rows.items()
    ]
    kept = ~np.isin(items, model.alone)
    return samples.SampledRollup(
        sampling, items[kept], mean[kept], sigma[kept], covariance[kept], watched, shift[kept], sigma_error[kept],
        tally.n[kept],
    )  # fmt: skip


def _sampled_distribution(
    model: sampler.SampleModel, place: int, counted: sampler.SampleSums, own: tuple[_Floats, _Floats, _Floats]
) -> samples.SampledDistribution:
    """Return the distribution of one watched item, from the histograms of its deviations."""
    item, histograms = int(model.plan.assemblies[model.watched[place][0]]), counted.histograms[place]
    nominal = np.concatenate([model.nominal[:, item], model.principal(item)])
    shift = np.concatenate([own[0], counted.principal.shift()[place]])
    sigma = np.concatenate([own[1], counted.principal.sigma()[place]])
    sigma_error = np.concatenate([own[2], counted.principal.sigma_error()[place]])
    undefined = np.isnan(shift)
    undefined[13:] |= undefined[4]
    shift[undefined] = sigma[undefined] = sigma_error[undefined] = np.nan
    fine = [
        samples.StreamingHistogram.empty() if gone else kept for gone, kept in zip(undefined, histograms, strict=True)
    ]
    bars = [histogram.bars() for histogram in fine]
    return samples.SampledDistribution(
        item,
        np.array([x + one.points(rollup_inputs.PERCENTILES) for x, one in zip(nominal, fine, strict=True)]).T,
        [x + edges for x, (edges, _) in zip(nominal, bars, strict=True)],
        [counts for _, counts in bars],
        model.samples,
        counted.events[place],
        nominal + shift,
        sigma,
        nominal,
        fine,
        sigma_error,
        _kept_samples(counted.kept[place], undefined[:13]) if model.keeps else None,
    )


def _kept_samples(blocks: list[_Floats], undefined: _Mask) -> _Floats:
    """Join the samples of one item ``(n, 13)`` and release its blocks; NaN where a result is undefined."""
    kept = np.concatenate(blocks, axis=1).T
    blocks.clear()
    kept[:, undefined] = np.nan
    kept[~np.isfinite(kept)] = np.nan
    return kept
