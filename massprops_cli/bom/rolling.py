"""The main job: a bill of materials in, a result out."""

from __future__ import annotations

from massprops_cli.bom.aftermath import aftermath, implausible_radii
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.result import Result
from massprops_cli.bom.signs import written_signs
from massprops_cli.findings import Finding, FindingsError, Severity, UsageError
from massprops_cli.rollup.roll_up import roll_up

METHODS = ("auto", "massprops", "none")


def rollup(bom: Bom, uncertainty: str = "auto", *, keep_going: bool = False) -> Result:
    """Add up the mass properties of every assembly.

    ``uncertainty`` is ``massprops`` (level by level, SAWE 3360), ``none``, or ``auto``: ``massprops`` when the sigma
    columns are complete. Raises FindingsError with all findings when one is an error, unless ``keep_going`` rolls up
    what can be; a table of which no row stands in the tree is never rolled up.

    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rows = [{"id": "top", "parent": ""}, *parts]
    >>> rollup(Bom.from_records(rows)).root.mass
    5.0
    """
    if uncertainty not in METHODS:
        raise UsageError(f"uncertainty is {uncertainty}; it can be {', '.join(METHODS)}")
    if uncertainty == "massprops" and bom.sigmas is None:
        raise UsageError("uncertainty massprops needs the sigma columns, and the table has none, or not all of them")
    if bom.has_errors and not (keep_going and (bom.rows >= 0).any()):
        raise FindingsError(bom.findings)
    method = "none" if uncertainty == "none" or bom.sigmas is None else "massprops"
    rolled = roll_up(bom.tree, bom.bodies, bom.sigmas, bom.quantity, method=method, stated=bom.stated)
    signs = written_signs(bom)
    after = aftermath(bom, rolled, signs) + implausible_radii(bom, rolled)
    result = Result(bom, rolled, (*bom.findings, *after), signs)
    if not keep_going and any(finding.severity is Severity.ERROR for finding in after):
        raise FindingsError(result.findings)
    return result


def validate(bom: Bom) -> list[Finding]:
    """Give everything that is to be said about a table: what reading it found, and what only a roll-up can tell."""
    if not (bom.rows >= 0).any():
        return list(bom.findings)
    return list(rollup(bom, keep_going=True).findings)
