"""Two revisions of a bill of materials compared: the library's call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from massprops_cli.bom.answers.rolling import rollup
from massprops_cli.bom.bom import Bom
from massprops_cli.budget.diff.changes import changes_of, snapped
from massprops_cli.budget.diff.diff import Diff
from massprops_cli.budget.diff.matching import matching_of
from massprops_cli.budget.diff.saying import say_matching
from massprops_cli.budget.diff.side import factors_between, numbers_of, side_of
from massprops_cli.budget.diff.threshold import crossed


def diff(old: Bom, new: Bom, *, match: str = "id", uncertainty: str = "auto", thresholds: Sequence[str] = ()) -> Diff:
    """Compare two revisions: which items changed, how, and what each change did to the totals.

    Items are matched by ``id`` or by ``part`` number, the roots always with each other; numbers are in the new file's
    units. ``uncertainty`` is covariance, massprops, none or auto, as in ``rollup``. Contributions follow
    ``contributing``: they add up to the change of the whole at every level. Each of ``thresholds`` (``mass 1 kg``,
    ``PLD: mass 0.5 %``) that a change crosses is an error among ``said``. Raises UsageError for a way of matching or a
    threshold that is none, and where one file states units and the other does not; FindingsError when a table has
    errors.

    >>> def revision(mass):
    ...     return Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": mass}])
    >>> answer = diff(revision(2.0), revision(3.5))
    >>> [(row.id, row.changes, row.contributions["mass"]) for row in answer.rows()]
    [('a', ('mass',), 1.5)]
    """
    results = rollup(old, uncertainty), rollup(new, uncertainty)
    matching = matching_of(old, new, match)
    has_lengths = old.bodies.center is not None and new.bodies.center is not None
    factors = factors_between(old.units, new.units, lengths=has_lengths)
    before, after = numbers_of(results[0], factors), numbers_of(results[1], (1.0, 1.0))
    if factors != (1.0, 1.0):
        before = snapped(before, after, matching)
    sides = [
        side_of(result, numbers, result.root_item) for result, numbers in zip(results, (before, after), strict=True)
    ]
    changes = changes_of(matching, (old, new), (sides[0], sides[1]))
    answer = Diff(*results, matching, match, (before, after), changes)
    return replace(answer, said=(*crossed(answer, thresholds), *say_matching(answer)))
