"""``massprops plan``: tasks of a mass properties control plan, answered for a table."""

from __future__ import annotations

from massprops_cli.cli.command import Command, WritingRun, command_option
from massprops_cli.cli.commands.contributions import write_frame
from massprops_cli.cli.stages.output_files import requested_output
from massprops_cli.cli.stages.report_output import is_silent, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.findings.finding import FindingsError
from massprops_cli.reports.table_files import SheetTitle

COMMAND = Command(
    "plan",
    panel="Compare",
    summary="Answer the tasks of a mass properties control plan for a table.",
    examples=("bom.csv plan.toml", "bom.csv plan.toml -o tasks.xlsx", "bom.csv plan.toml --format json"),
    usual="output format uncertainty unit sheet",
    sets="sigmas shared-sigmas table-output view",
    more="""
A plan is a toml file: [[milestone]] in order, with a name and a date; [[task]] with name, milestone and by, which is
sign-convention, coverage, maturity, weighed, calculated, uncertainty, findings, margins, verify or person; at-least is
a percentage. Tasks of milestones after that of the key now may be open. Exit code 1: a task is open.
""",
)


class _PlanRun(WritingRun):
    """The options of ``plan``: the plan."""

    file: str = command_option("file", COMMAND)
    plan: str = command_option("plan", COMMAND)


def command(run: _PlanRun) -> int:
    """Read and roll up the table, and answer the tasks."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.certificates.verification import plan_blocks
    from massprops_cli.verifications.plan import control_plan

    bom = read_input_bom(run, write_poi="none")
    target, screen = requested_output(run, bom.table)
    more = verbose_decision_blocks(bom, run, screen.symbols)
    try:
        answer = control_plan(rollup(bom, run.method, keep_going=True, **run.correlation), run.plan)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "no task is answered", more=more)
    findings = list(answer.findings)
    if target is not None:
        findings += write_frame(answer.to_dataframe(), target, SheetTitle("Plan", answer.title), str)
    if not is_silent(run, has_output=target is not None):
        write_view(
            screen,
            run.format,
            lambda symbols: plan_blocks(answer, symbols),
            more,
            json=answer.to_dict,
            jsonl=lambda: answer.to_dict()["tasks"],
        )
    return report_on_stderr(run.file, findings, run, f"{run.file}: {answer.title}", failed=not answer.is_fulfilled)
