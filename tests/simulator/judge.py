"""The verdict on an answer: right, asked rightly, asked wrongly, wrong, growth lost, or guessed."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.simulator.command import Answer, quiet_environment, roll_up, run_printed
from tests.simulator.formats import write
from tests.simulator.mass_list import KILOGRAMS, MILLIMETRES, MassList, Truth
from tests.simulator.truth import truth_of

VERDICTS = ("right", "asked rightly", "asked wrongly", "wrong", "growth lost", "guessed")
RELATIVE = Decimal("1e-9")
MOST_COMMANDS = 4


@dataclass
class Verdict:
    """A verdict with its reason, the exit code, the mass in kg, the rules found, and the commands printed."""

    name: str
    reason: str = ""
    exit_code: int = 0
    mass: Decimal | None = None
    rules: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()

    @property
    def sort(self) -> tuple[str, str]:
        """What a smaller list must share: the verdict and its reason without numbers."""
        return self.name, self.reason.split(":")[0]


def root_of(report: dict[str, Any]) -> dict[str, Any] | None:
    """The root item of a report."""
    return next(
        (item for item in report.get("items", []) if item.get("id") == report.get("root") and not item.get("parent")),
        None,
    )


def mass_of(spec: MassList, report: dict[str, Any], quantity: str = "mass") -> Decimal | None:
    """A mass of the root in kg; a report without units is in the unit of the list."""
    root = root_of(report)
    if root is None or root.get(quantity) is None:
        return None
    unit = report["units"]["mass"] or (spec.unit if spec.unit_at == "title" else "")
    return Decimal(repr(root[quantity])) * KILOGRAMS[unit] if unit in KILOGRAMS else None


def equal(value: Decimal | None, truth: Decimal, tolerance: Decimal = Decimal(0)) -> bool:
    """Whether a number is the true one."""
    return value is not None and abs(value - truth) <= abs(truth) * RELATIVE + tolerance


def totals_that_agree(report: Any) -> list[float]:
    """The stated totals that a report confirms."""
    if isinstance(report, list):
        return [total for entry in report for total in totals_that_agree(entry)]
    if not isinstance(report, dict):
        return []
    own = [float(report["stated"])] if report.get("agrees") is True and "stated" in report else []
    return own + [total for entry in report.values() for total in totals_that_agree(entry)]


def fault(spec: MassList, truth: Truth, report: dict[str, Any]) -> str:
    """What is false in a report; blank where nothing is."""
    mass = mass_of(spec, report)
    if not equal(mass, truth.mass, truth.tolerance):
        return "mass"
    if truth.predicted is not None:
        predicted = [mass_of(spec, report, "predicted_mass")]
        if (
            spec.margin_percent
        ):  # the margin of a system is no growth of a part: its total may be reported as a stated one
            predicted += [Decimal(repr(stated)) * KILOGRAMS[spec.unit] for stated in totals_that_agree(report)]
        if not any(equal(mass, truth.predicted, truth.predicted_tolerance) for mass in predicted):
            return "predicted"
    root = root_of(report) or {}
    center: list[float | None] = list(root.get("center") or (None, None, None))
    found = [value for value in center if value is not None]
    wanted: list[Decimal | None] = [value for value in truth.center if value is not None]
    if len(truth.center) - truth.center.count(None) == 1:  # one axis, whatever its name
        center, wanted_axes = [*found[:1], None][:1], list(wanted)
    else:
        wanted_axes = [value for value in truth.center if wanted]
    scale = MILLIMETRES.get(report["units"]["length"], Decimal(0))
    for value, true in zip(center, wanted_axes, strict=False):
        if true is not None and not (
            value is not None and abs(Decimal(repr(value)) * scale - true) <= Decimal("1e-6") + abs(true) * RELATIVE
        ):
            return "centre" if found else "centre missing"
    return ""


def judge(spec: MassList, folder: Path | None = None) -> Verdict:
    """Write a list, roll it up, and judge the answer."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="massprops-simulator-") as name:
            return judge(spec, Path(name))
    quiet_environment()
    path = write(spec, folder)
    answer = roll_up(path)
    truth = truth_of(spec)
    verdict = _ambiguous(spec, truth, answer) if spec.ambiguity else _decided(spec, truth, answer)
    verdict.exit_code, verdict.rules = answer.exit_code, answer.rules
    verdict.commands = tuple(command.replace(str(folder), "") for command in answer.next_commands[:MOST_COMMANDS])
    verdict.mass = mass_of(spec, answer.report) if answer.report.get("items") else None
    return verdict


def _decided(spec: MassList, truth: Truth, answer: Answer) -> Verdict:
    if answer.exit_code == 70:
        return Verdict("asked wrongly", "the tool stopped")
    if answer.exit_code == 0:
        found = fault(spec, truth, answer.report)
        return Verdict({"": "right", "predicted": "growth lost"}.get(found, "wrong"), found)
    for command in answer.next_commands[:MOST_COMMANDS]:
        following = run_printed(command)
        if following is None or (following.exit_code and "--keep-going" not in command):
            continue
        if following.exit_code in (0, 1) and not fault(spec, truth, following.report):
            return Verdict("asked rightly")
    reason = (
        "flagged though right" if answer.report.get("items") and not fault(spec, truth, answer.report) else "rejected"
    )
    return Verdict("asked wrongly", reason + (", no command" if not answer.next_commands else ""))


def _ambiguous(spec: MassList, truth: Truth, answer: Answer) -> Verdict:
    if answer.exit_code == 0:
        return Verdict("guessed", spec.ambiguity)
    offered = []
    for command in answer.next_commands[:MOST_COMMANDS]:
        following = run_printed(command)
        if following is not None and following.exit_code in (0, 1):
            offered.append(mass_of(spec, following.report))
    hits = [any(equal(mass, true) for mass in offered) for true in truth.alternatives]
    good = all(hits) if truth.all_alternatives else any(hits)
    return Verdict("asked rightly") if good else Verdict("asked wrongly", spec.ambiguity)
