"""Waivers applied to verdicts: which broken limits are put up with, and which waivers are unused or have expired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from massprops_cli.budget.selecting import fits
from massprops_cli.budget.verdict import Verdict
from massprops_cli.budget.waiver import Waiver
from massprops_cli.findings import Finding, found


def waive(verdicts: Sequence[Verdict], waivers: Sequence[Waiver], today: date) -> tuple[list[Verdict], list[Finding]]:
    """Give the verdicts, broken limits with the first waiver that fits and holds, and what is to be said of waivers."""
    holding = [waiver for waiver in waivers if not waiver.has_expired(today)]
    judged = []
    used: set[int] = set()
    for verdict in verdicts:
        fitting = [] if verdict.kept else [waiver for waiver in holding if is_for(waiver, verdict)]
        used |= {id(waiver) for waiver in fitting}
        judged.append(replace(verdict, waiver=fitting[0]) if fitting else verdict)
    said = []
    for waiver in waivers:
        what = f"the waiver of {waiver.rule} for {waiver.item}"
        if waiver.has_expired(today):
            message = f"{what} expired on {waiver.expires}: {waiver.reason}"
            said.append(found("MP612", message, waiver.place, item=waiver.item, value=str(waiver.expires)))
        elif id(waiver) not in used:
            said.append(found("MP611", f"{what} waives nothing", waiver.place, item=waiver.item))
    return judged, said


def is_for(waiver: Waiver, verdict: Verdict) -> bool:
    """Tell whether a waiver is about a verdict."""
    return waiver.rule == verdict.rule and fits(waiver.item, verdict.item)
