"""``massprops conditions``: a table in all its loading conditions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from massprops_cli.cli.command import Command, RepeatedOption, WritingRun, command_option, with_options
from massprops_cli.cli.commands.contributions import write_frame
from massprops_cli.cli.stages.output_files import check_output_file, check_picture, requested_output
from massprops_cli.cli.stages.report_output import exit_code, is_silent, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.findings.finding import Finding, Findings, FindingsError, UsageError
from massprops_cli.reports.page.page import PageBlock, Symbols
from massprops_cli.reports.table_files import SheetTitle

if TYPE_CHECKING:
    from massprops_cli.loadings.results import Conditions

COMMAND = Command(
    "conditions",
    panel="Compute",
    summary="Compute mass, centre and inertia in all loading conditions, with limits.",
    examples=(
        "satellite.csv --conditions satellite.toml",
        "satellite.csv --conditions satellite.toml -v",
        "aircraft.csv --conditions aircraft.conditions.csv -o table.xlsx",
    ),
    usual="conditions condition style budget schedule steps uncertainty output plot format unit sheet config",
    sets="single-file sigmas shared-sigmas table-output view",
    more="""
-v adds inertia, and changes from the base of each condition, with their uncertainty. -o writes the table of conditions.
Tanks ([tank.NAME] of massprops.toml) have the fills of the condition, else their own. --schedule computes mass, centre,
inertia and their derivatives by mass while tanks empty, from the fills of --condition; -o x.m (x.mat) is for lookup
tables of Simulink, x.jsbsim.xml, x.py and x.cpacs.xml for JSBSim, RocketPy and CPACS. Conditions and missions are
tested against each [[envelope]]; --plot draws them.
""",
)


class _ConditionsRun(WritingRun):
    """The options of ``conditions``: with the budget."""

    budget: RepeatedOption = command_option("budget", COMMAND)
    schedule: str = command_option("schedule", COMMAND)
    steps: int = command_option("steps", COMMAND)
    plot: str = command_option("plot", COMMAND)


def command(run: _ConditionsRun) -> int:
    """Read the table and its conditions, and report all of them, that of ``--condition``, or a schedule."""
    if isinstance(run, _ConditionsRun) and run.schedule:
        return _schedule(run)
    from massprops_cli.loadings.results import conditions
    from massprops_cli.reports import conditions as view
    from massprops_cli.styles.style import StyleTable, style_tables

    check_picture(run.plot)
    names = [] if run.condition in ("", "all") else [run.condition]
    run = with_options(run, condition="")
    bom = read_input_bom(run, write_poi="none")
    target, screen = requested_output(run, bom.table)
    more = verbose_decision_blocks(bom, run, screen.symbols)
    try:
        keywords: dict[str, Any] = {"uncertainty": run.method, "correlate": run.correlate}
        answer = conditions(bom, run.conditions or None, names=names, envelopes=run.budget or (), **keywords)
        verdicts, found = _verdicts(answer, run.budget)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "no condition is computed", more=more)
    filled = (one for one in bom.findings if not one.message.endswith("the liquid of its tank is not in this roll-up"))
    findings, tables = [*filled, *answer.findings, *answer.envelope_check.findings, *found], list[StyleTable]()
    if run.style:
        tables = style_tables(answer, run.style, of_style := Findings())
        findings += of_style
        if not tables:
            return report_failure(screen, run.file, findings, run, f"no table of style {run.style}", more=more)
        if verdicts:
            tables[0].texts["limits"] = [view.condition_state(verdicts[name]) for name in tables[0].rows.labels]
    if run.plot:
        from massprops_cli.reports.figures import envelope_plot

        envelope_plot(answer, run.plot, replaces=not run.no_clobber)
    if target is not None:
        frame = tables[0].frame() if tables else answer.to_dataframe()
        if verdicts and not tables:
            frame["limits"] = [view.condition_state(verdicts[name]) for name in answer.names]
        findings += write_frame(frame, target, SheetTitle("Conditions", f"Conditions of {run.file}"))
    if not is_silent(run, has_output=target is not None):
        failed, in_full = bool(exit_code(findings, run)), run.verbose or run.format == "full"

        def page(symbols: Symbols) -> list[PageBlock]:
            """Lay out the conditions, or the tables of the style."""
            styled = view.style_blocks(tables, symbols, screen.width, in_full=in_full)
            return view.condition_blocks(answer, symbols, verdicts, failed=failed, in_full=in_full, styled=styled)

        def rows() -> list[dict[str, Any]]:
            """List the rows of the style, or the conditions and their envelopes."""
            of_all = report()
            return tables[0].to_dict()["rows"] if tables else [*of_all["conditions"], *of_all.get("envelopes", [])]

        report = partial(view.condition_report, answer, verdicts, tables)
        write_view(screen, run.format, page, more, json=report, jsonl=rows)
    return report_on_stderr(run.file, findings, run, f"{run.file}: the table and its conditions")


def _schedule(run: _ConditionsRun) -> int:
    """Empty tanks of the table, or of the table in a condition, and report mass, centre and inertia at each step."""
    from massprops_cli.loadings.results import conditions, schedule_travel
    from massprops_cli.reports.conditions import schedule_blocks
    from massprops_cli.tanks.schedule import SCHEDULE_SUFFIXES, schedule

    name, is_own = run.condition, run.output.lower().endswith((*SCHEDULE_SUFFIXES, ".xml"))  # a schedule writes them
    if name == "all" or run.budget:
        raise UsageError("--schedule starts from one condition, without --budget; omit --condition all and --budget")
    if "+" in run.schedule and "," in run.schedule:
        raise UsageError(f"--schedule is either in order (LOX,RP1) or together (LOX+RP1): {run.schedule}")
    run = with_options(run, condition="")
    bom = read_input_bom(run, write_poi="none")
    target, screen = requested_output(with_options(run, output="") if is_own else run, bom.table)
    tanks, fills = run.schedule.replace("+", ",").split(","), dict[str, float]()
    try:
        if name:
            made = conditions(bom, run.conditions or None, names=[name], uncertainty=run.method).tables[name]
            bom, fills = made.dry or made.bom, dict(made.fills)
        answer = schedule(
            bom, [one.strip() for one in tanks], steps=run.steps, together="+" in run.schedule, fills=fills
        )
        travel = schedule_travel(bom, run.conditions or None, answer)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "no schedule is computed")
    findings, frame = [*bom.findings, *travel.findings], answer.to_dataframe()
    if is_own:
        check_output_file(run.output, no_clobber=run.no_clobber)
        answer.save(run.output)
    elif target is not None:
        findings += write_frame(frame, target, SheetTitle("Schedule", f"Schedule of {run.file}"))
    if not is_silent(run, has_output=target is not None or is_own):
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")  # JSON has no NaN
        in_full = run.verbose or run.format == "full"
        write_view(
            screen,
            run.format,
            lambda symbols: schedule_blocks(answer, run.file, symbols, travel, in_full=in_full),
            json=lambda: {
                "units": frame.attrs["units"],
                "steps": rows,
                **({"envelopes": [one.to_dict() for one in travel.verdicts]} if travel.verdicts else {}),
            },
            jsonl=lambda: rows,
        )
    return report_on_stderr(run.file, findings, run, f"{run.file}: schedule of {run.schedule}")


def _verdicts(answer: Conditions, budgets: RepeatedOption) -> tuple[dict[str, Any], list[Finding]]:
    """Check each condition against budgets, or that of the configuration; none without one."""
    from massprops_cli.budgets.check import check, configured_budgets
    from massprops_cli.budgets.file import read_budget

    read = [read_budget(name) for name in dict.fromkeys(budgets or ())] or configured_budgets(answer.bom)
    if not read:
        return {}, []
    checks = {name: check(answer[name], read) for name in answer.names}
    known = {(one.rule, one.message) for one in answer.bom.findings}
    found = [
        replace(one, message=f"condition {name}: {one.message}") if one.rule.startswith("MP60") else one  # of a verdict
        for name, each in checks.items()
        for one in each.findings
        if (one.rule, one.message) not in known and one.rule != "MP637"
    ]
    unique = {(one.rule, one.message): one for one in found}
    return {name: list(one.verdicts) for name, one in checks.items()}, list(unique.values())
