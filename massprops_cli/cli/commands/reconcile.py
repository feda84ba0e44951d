"""``massprops reconcile``: a list updated by what was measured, and whether it is the list of the product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from massprops_cli.cli.command import Command, RepeatedOption, WritingRun, command_option
from massprops_cli.cli.stages.output_files import requested_output
from massprops_cli.cli.stages.report_output import is_silent, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.stages.table_output import write_changed_table
from massprops_cli.cli.streams import EXIT_FAILURE
from massprops_cli.findings.finding import FindingsError, UsageError, count_with_noun

if TYPE_CHECKING:
    from massprops_cli.budgets.check import Check
    from massprops_cli.budgets.model import Verdict
    from massprops_cli.reconciliations.reconciliation import Reconciliation

COMMAND = Command(
    "reconcile",
    panel="Compute",
    summary="Update a list by what was weighed, hung and swung, and test whether it is the list of the product.",
    examples=(
        'spacecraft.csv --measured "SAT mass 150.9±0.1 kg" --measured "SAT Cz 423±2 mm"',
        "spacecraft.csv --measured weighing/weighings.csv -o reconciled.csv",
        "spacecraft.csv --measured weighing/weighings.csv --offer weighing/offers.csv --of Cx",
    ),
    usual="measured offer of item weigh budget overwrite output format sheet",
    sets="single-file sigmas shared-sigmas findings",
    more="""
A line is ITEM QUANTITY VALUE±σ UNIT, with a level such as (2σ), and words: at X,Y,Z UNIT (reference point, or place of
a reaction), axes R,P,Y deg, down -z, on STAND, scale NAME, each. Quantities are mass, Cx … Cz, Ixx … Iyz (about the own
centre without at), reaction, and period: axis z, with length and arm of filaments, or stiffness of a spring and
fixture. 'NAME bias 0±0.02 kg' and 'NAME gain 0±0.0001' state what measurements on one scale share. Tables have the same
words as columns. All values of leaves with σ are updated together; hypotheses are listed where the fit is bad. Limits
of --budget have margins before and after; exit code 1 if one is broken after.
""",
)
_DEFAULT_WEIGHINGS = 3


class _ReconcileRun(WritingRun):
    """The options of ``reconcile``: measurements, those on offer, and what is written."""

    to_format: str = ""  # the suffix of -o
    measured: RepeatedOption = command_option("measured", COMMAND)
    offer: RepeatedOption = command_option("offer", COMMAND)
    of: str = command_option("of", COMMAND)
    item: str = command_option("item", COMMAND)
    weigh: int | None = command_option("weigh", COMMAND)
    budget: RepeatedOption = command_option("budget", COMMAND)
    overwrite: bool = command_option("overwrite", COMMAND)


def command(run: _ReconcileRun) -> int:
    """Read table and measurements, update the list, report and write it."""
    if run.uncertainty not in (None, "covariance"):
        raise UsageError(f"uncertainty {run.uncertainty} is not supported by reconcile (covariance)")
    if not run.measured and not run.offer:
        raise UsageError("reconcile needs --measured LINE|FILE, such as --measured 'SAT mass 151.9±0.05 kg'")
    if run.overwrite and not run.output:
        raise UsageError("--overwrite needs -o FILE")
    bom = read_input_bom(run, write_poi="none")
    target, screen = requested_output(run, bom.table)
    from massprops_cli.reconciliations.reconciliation import reconcile
    from massprops_cli.reports.contributions import reconcile_blocks, reconciliation_csv

    plan: dict[str, Any] = {"offers": run.offer or (), "of": run.of, "item": run.item or None}
    try:
        answer = reconcile(bom, run.measured or (), **plan, weigh=run.weigh or _DEFAULT_WEIGHINGS, **run.correlation)
        checks = _checks(answer, run.budget)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "not reconciled", EXIT_FAILURE)
    findings = [*answer.findings, *(found for one in checks[1:] for found in one.findings if found not in bom.findings)]
    limits = [list(one.verdicts) for one in checks]
    if target is not None:
        findings += answer.unwritten_findings(replaces=run.overwrite)
        findings += write_changed_table(answer.changed_table(replaces=run.overwrite), bom, target)
    if not is_silent(run, has_output=target is not None):
        write_view(
            screen,
            run.format,
            lambda symbols: reconcile_blocks(answer, symbols, limits, shows_all=run.format == "full" or run.verbose),
            verbose_decision_blocks(bom, run, screen.symbols),
            json=lambda: {**answer.to_dict(), **_limits_dict(limits)},
            jsonl=lambda: answer.to_dict()["items"],
            csv=lambda: reconciliation_csv(answer),
        )
    did = f"{run.file}: reconciled with {count_with_noun(answer.degrees, 'measurement')}"
    return report_on_stderr(run.file, findings, run, did)


def _checks(answer: Reconciliation, files: RepeatedOption) -> list[Check]:
    """Check the list before and after against budgets, or those of the configuration; none without one."""
    from massprops_cli.budgets.check import check, configured_budgets
    from massprops_cli.budgets.file import read_budget

    budgets = [read_budget(name) for name in dict.fromkeys(files or ())] or configured_budgets(answer.bom)
    return [check(one, budgets) for one in (answer.before, answer.result)] if budgets else []


def _limits_dict(limits: list[list[Verdict]]) -> dict[str, Any]:
    """Return the limits before and after as JSON values; nothing without a budget."""
    names = ("before", "after")
    both = {name: [one.to_dict() for one in found] for name, found in zip(names, limits, strict=False)}
    return {"limits": both} if both else {}
