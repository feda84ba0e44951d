"""The main job: a bill of materials in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from massprops_cli.bom.answers.result import Result
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.cells.signs import written_signs
from massprops_cli.bom.outcome.aftermath import aftermath, implausible_radii
from massprops_cli.bom.uncertain.correlating import sharing_of
from massprops_cli.bom.uncertain.uncertainties import Uncertainties, uncertainties_of
from massprops_cli.findings import Finding, FindingsError, Severity, UsageError
from massprops_cli.rollup.roll_up import roll_up

if TYPE_CHECKING:
    from massprops_cli.rollup.correlation import Correlation
    from massprops_cli.rollup.rolled import Rollup

Progress = Callable[[int, int], None]
"""Is told how many of all samples are drawn."""


def rollup(
    bom: Bom, uncertainty: str = "auto", *, keep_going: bool = False, progress: Progress | None = None, **options: Any
) -> Result:
    """Add up the mass properties of every assembly.

    ``uncertainty`` is ``covariance`` (exact to first order), ``massprops`` (level by level, SAWE 3360), ``montecarlo``,
    ``none``, or ``auto``: ``covariance`` when the table states sigmas. Further ``options`` are ``correlate`` (none,
    part or all), ``correlate_centers``, ``correlations`` (a file), and for drawing ``samples``, ``seed``,
    ``distribution``, ``workers``, ``scheduler``, ``items`` and ``probability``: see ``Uncertainties`` and ``Sampling``.

    Raises FindingsError with all findings when one is an error, unless ``keep_going`` rolls up what can be; a table of
    which no row stands in the tree is never rolled up. Raises UsageError for options that are none.

    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> rollup(Bom.from_records(rows)).root.mass
    5.0
    """
    asked = uncertainties_of(uncertainty, options)
    method = method_for(bom, asked)
    check_questions(bom, asked, method)
    if bom.has_errors and not (keep_going and (bom.rows >= 0).any()):
        raise FindingsError(bom.findings)
    sharing, said = sharing_of(bom, asked) if method in ("covariance", "montecarlo") else (None, [])
    if any(finding.severity is Severity.ERROR for finding in said):
        raise FindingsError((*bom.findings, *said))
    core = "covariance" if method == "montecarlo" else method
    rolled = roll_up(
        bom.tree, bom.bodies, bom.sigmas, bom.quantity, method=core, stated=bom.stated, correlation=sharing
    )
    signs = written_signs(bom)

    def result_of(rolled: Rollup) -> Result:
        after = aftermath(bom, rolled, signs) + implausible_radii(bom, rolled)
        return Result(bom, rolled, (*bom.findings, *said, *after), signs, replace(asked, method=method), sharing)

    result = result_of(rolled)
    if not keep_going and result.has_errors:
        raise FindingsError(result.findings)
    if method != "montecarlo":
        return result
    from massprops_cli.bom.outcome.samples import samples_that_differ

    result = result_of(drawn(bom, rolled, asked, sharing, progress))
    return replace(result, findings=(*result.findings, *samples_that_differ(bom, result.samples)))


def method_for(bom: Bom, asked: Uncertainties) -> str:
    """Choose the method; raises UsageError for one that the table cannot serve."""
    if asked.method == "auto":
        return "none" if bom.sigmas is None else "covariance"
    if asked.method != "none" and bom.sigmas is None:
        raise UsageError(
            f"uncertainty {asked.method} needs the sigma columns, and the table has none, or not all of them"
        )
    if asked.method in ("massprops", "none") and asked.is_correlated:
        raise UsageError(f"the method {asked.method} knows no shared errors; use uncertainty covariance")
    return asked.method


def check_questions(bom: Bom, asked: Uncertainties, method: str) -> None:
    """Refuse questions that cannot be understood or answered, before anything is done."""
    if not (asked.items or asked.probability or asked.intervals):
        return
    from massprops_cli.bom.outcome.asked import events_of
    from massprops_cli.bom.outcome.probabilities import level_of

    events_of(bom, asked.items, asked.probability)
    for text in asked.intervals:
        level_of(text)
    if method == "none":
        raise UsageError(
            "probabilities and intervals need sigmas, and the table states none, or they are not asked for"
        )


def drawn(
    bom: Bom, rolled: Rollup, asked: Uncertainties, sharing: Correlation | None, progress: Progress | None
) -> Rollup:
    """Put what a simulation gives beside what holds to first order."""
    from massprops_cli.bom.outcome.asked import events_of
    from massprops_cli.rollup.montecarlo.simulate import simulate

    assert bom.sigmas is not None
    watched, events = events_of(bom, asked.items, asked.probability)
    sampled = simulate(
        bom.tree,
        bom.bodies,
        bom.sigmas,
        bom.quantity,
        correlation=sharing,
        shapes=bom.shapes,
        sampling=asked.sampling,
        watched=watched,
        events=events,
        stated=bom.stated,
        progress=progress,
    )
    return replace(rolled, method="montecarlo", sampled=sampled)


def validate(bom: Bom) -> list[Finding]:
    """Give everything that is to be said about a table: what reading it found, and what only a roll-up can tell."""
    if not (bom.rows >= 0).any():
        return list(bom.findings)
    return list(rollup(bom, keep_going=True).findings)
