"""Tree × bodies × sigmas → sampled distributions of every assembly: all inputs of all parts drawn, again and again.

The same seed gives the same numbers for any number of workers. Memory depends on the tree, not on the samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.findings import UsageError
from massprops_cli.rollup.correlation import Correlation
from massprops_cli.rollup.covariance.packed import COLUMNS, ROWS
from massprops_cli.rollup.coverage import coverage
from massprops_cli.rollup.montecarlo.counted import Counted
from massprops_cli.rollup.montecarlo.histogram import Histogram
from massprops_cli.rollup.montecarlo.inputs import Inputs, rows
from massprops_cli.rollup.montecarlo.model import Event, Model, Watch, blocks_for
from massprops_cli.rollup.montecarlo.pieces import into_pieces, same_in_every_piece
from massprops_cli.rollup.montecarlo.plan import plan_of
from massprops_cli.rollup.montecarlo.request import PERCENTS, Sampling
from massprops_cli.rollup.montecarlo.sampling import Sampled, Watched
from massprops_cli.rollup.montecarlo.shapes import Shapes
from massprops_cli.rollup.montecarlo.spread import counted_chunks
from massprops_cli.rollup.quantity import Quantity
from massprops_cli.rollup.roll_up import roll_up
from massprops_cli.rollup.rolled import Rollup
from massprops_cli.tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Progress = Callable[[int, int], None]
"""Is told how many chunks of how many are done."""


def simulate(
    tree: Tree,
    bodies: Bodies,
    sigmas: Sigmas,
    quantity: Quantity | None = None,
    *,
    correlation: Correlation | None = None,
    shapes: Shapes | None = None,
    sampling: Sampling | None = None,
    watched: Sequence[int] = (),
    events: Mapping[int, Sequence[Event]] | None = None,
    stated: Mask | None = None,
    progress: Progress | None = None,
) -> Sampled:
    """Draw the ten inputs of every piece of every part, and add them up as often as is asked.

    Arguments are those of ``roll_up``. ``shapes`` says how errors are distributed where not as ``sampling`` says.
    Percentiles and histograms are kept for the root and the items ``watched``; ``events[i]`` are conditions on item
    ``i`` whose samples are counted (they must be picklable for several workers). Raises UsageError for a seed, a
    number of samples or an item that is none, for bounds out of order, and for too many independent pieces.

    >>> tree = Tree.from_parents([-1, 0, 0])
    >>> mass, center = np.array([0.0, 1.0, 3.0]), np.array([[0.0, 0, 0], [0, 0, 0], [4, 0, 0]])
    >>> two = Bodies(mass, center, np.zeros((3, 6)), np.zeros(3, bool))
    >>> spread = Sigmas(np.array([0, 0.03, 0.04]), np.zeros((3, 3)), np.zeros((3, 6)))
    >>> found = simulate(tree, two, spread, sampling=Sampling(samples=40_000))
    >>> found.items.tolist(), found.mean[0, :2].round(2).tolist(), found.sigma[0, 0].round(3).tolist()
    ([0], [4.0, 3.0], 0.05)
    """
    sampling = sampling or Sampling()
    quantity = quantity or Quantity.one_each(len(tree))
    rolled = roll_up(tree, bodies, sigmas, quantity, method="none", stated=stated)
    asked = Asked(tree, bodies, sigmas, quantity, correlation or Correlation.none(len(tree)), shapes, stated)
    kept = {int(tree.order[0]): (), **dict.fromkeys(map(int, watched), ()), **(events or {})}
    model = model_of(asked, rolled, sampling, kept)
    return sampled_from(model, sampling, known_results(asked, rolled), counted_by(model, sampling, progress))


def own_numbers(tree: Tree, stated: Mask | None) -> Mask:
    """Tell which items go up with their own numbers ``(n,)``: leaves, and stated assemblies."""
    return tree.is_leaf() if stated is None else tree.is_leaf() | stated


class Asked(NamedTuple):
    """What is to be drawn."""

    tree: Tree
    bodies: Bodies
    sigmas: Sigmas
    quantity: Quantity
    correlation: Correlation
    shapes: Shapes | None
    stated: Mask | None


def model_of(asked: Asked, rolled: Rollup, sampling: Sampling, watched: Mapping[int, Sequence[Event]]) -> Model:
    """Put together what the blocks are drawn from; raises UsageError for what cannot be drawn."""
    if sampling.samples < 2 or sampling.seed < 0 or sampling.workers < 1:
        raise UsageError("a simulation takes at least 2 samples, a seed of 0 or more and at least 1 worker")
    tree = asked.tree
    for item in watched:
        if not 0 <= item < len(tree):
            raise UsageError(f"there is no item {item}; the last is {len(tree) - 1}")
    ends = own_numbers(tree, asked.stated)
    inputs = Inputs.of(asked.bodies, asked.sigmas, asked.shapes, sampling.distribution)
    same = same_in_every_piece(tree, inputs, asked.correlation, ends)
    pieces = into_pieces(tree, asked.quantity, same, ends)
    alone = np.array([item for item in watched if ends[item]], np.int32)
    plan = plan_of(pieces, ~ends, alone)
    row = dict(zip(plan.assemblies.tolist(), range(len(plan.assemblies)), strict=True))
    watches = [Watch(item, row[item], tuple(events)) for item, events in watched.items()]
    return Model(
        inputs,
        plan,
        nominal_results(rolled),
        asked.correlation,
        watches,
        alone,
        sampling.samples,
        sampling.seed,
        blocks_for(plan),
    )


def nominal_results(rolled: Rollup) -> Floats:
    """Give the numbers of ``RESULTS`` ``(13, n)`` without errors; 0 where undefined.

    Centres are fixed points that the samples are measured from. They are rounded once, and differences from input
    coordinates to them are then exact, so a far origin costs no digits.
    """
    bodies = rolled.bodies
    ten = rows(bodies.mass, bodies.center, bodies.inertia, bodies.is_point)
    radii = np.zeros((3, len(bodies.mass))) if rolled.radii is None else rolled.radii.T
    nominal = np.concatenate([ten, radii])
    nominal[~np.isfinite(nominal)] = 0.0
    return nominal


def known_results(asked: Asked, rolled: Rollup) -> Mask:
    """Tell which of ``RESULTS`` of every item are defined and made of known numbers ``(n, 13)``."""
    bodies = rolled.bodies
    known = np.ones((len(bodies.mass), 13), bool)
    for columns, values, has in (
        (slice(0, 1), bodies.mass, bodies.has_mass),
        (slice(1, 4), bodies.center, bodies.has_center),
        (slice(4, 10), bodies.inertia, bodies.has_inertia),
    ):
        known[:, columns] = values is not None
        if has is not None:
            known[~has, columns] = False
    known[rolled.cancelled, 1:] = False
    known[:, 10:] = False if rolled.radii is None else np.isfinite(rolled.radii)
    if asked.sigmas.known is not None:
        ends = own_numbers(asked.tree, asked.stated)
        covered = coverage(asked.tree, asked.bodies, asked.sigmas, asked.quantity, ends)
        known[covered.known_sigma < covered.rows] = False
    return known


def counted_by(model: Model, sampling: Sampling, progress: Progress | None) -> Counted:
    """Draw all chunks and add up what they counted, in their order."""
    counted = Counted.nothing(model)
    chunks = counted_chunks(model, sampling.workers, sampling.scheduler)
    with closing(chunks):
        for done in range(model.chunks):
            counted.add(next(chunks))
            if progress is not None:
                progress(done + 1, model.chunks)
    return counted


def sampled_from(model: Model, sampling: Sampling, known: Mask, counted: Counted) -> Sampled:
    """Turn what was counted into statistics."""
    tally, items = counted.tally, model.plan.assemblies
    shift = np.where(known[items], tally.shift(), np.nan)
    sigma = np.where(np.isnan(shift), np.nan, tally.sigma())
    sigma_error = np.where(np.isnan(shift), np.nan, tally.sigma_error())
    undefined = np.isnan(shift[:, :10])
    covariance = np.where(undefined[:, ROWS] | undefined[:, COLUMNS], np.nan, tally.covariance())
    mean = model.nominal[:, items].T + shift
    watched = [
        watched_from(model, place, counted, (shift[watch.row], sigma[watch.row], sigma_error[watch.row]))
        for place, watch in enumerate(model.watched)
    ]
    kept = ~np.isin(items, model.alone)
    return Sampled(
        sampling,
        items[kept],
        mean[kept],
        sigma[kept],
        covariance[kept],
        watched,
        shift[kept],
        sigma_error[kept],
        tally.n[kept],
    )


def watched_from(model: Model, place: int, counted: Counted, own: tuple[Floats, Floats, Floats]) -> Watched:
    """Give the distribution of one watched item, from the histograms of its deviations."""
    item, histograms = model.watched[place].item, counted.histograms[place]
    nominal = np.concatenate([model.nominal[:, item], model.principal(item)])
    shift = np.concatenate([own[0], counted.principal.shift()[place]])
    sigma = np.concatenate([own[1], counted.principal.sigma()[place]])
    sigma_error = np.concatenate([own[2], counted.principal.sigma_error()[place]])
    undefined = np.isnan(shift)
    undefined[13:] |= undefined[4]
    shift[undefined] = sigma[undefined] = sigma_error[undefined] = np.nan
    fine = [Histogram.empty() if gone else kept for gone, kept in zip(undefined, histograms, strict=True)]
    bars = [histogram.bars() for histogram in fine]
    return Watched(
        item,
        np.array([x + histogram.points(PERCENTS) for x, histogram in zip(nominal, fine, strict=True)]).T,
        [x + edges for x, (edges, _) in zip(nominal, bars, strict=True)],
        [counts for _, counts in bars],
        model.samples,
        counted.events[place],
        nominal + shift,
        sigma,
        nominal,
        fine,
        sigma_error,
    )
