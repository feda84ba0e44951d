"""``massprops verify``: recompute a roll-up by other ways, check a written result, explain one item."""

from __future__ import annotations

from massprops_cli.cli.command import Command, WritingRun, command_option, parse_number_option
from massprops_cli.cli.stages.output_files import check_output_file
from massprops_cli.cli.stages.report_output import is_silent, report_failure, report_on_stderr, write_view
from massprops_cli.cli.stages.table_input import read_input_bom, verbose_decision_blocks
from massprops_cli.cli.streams import EXIT_FINDINGS, report_screen
from massprops_cli.findings.finding import FindingsError
from massprops_cli.reports.page.page import text_line

COMMAND = Command(
    "verify",
    panel="Compare",
    summary="Recompute a roll-up by independent ways, and certify it or a written result.",
    examples=("spacecraft.csv", "spacecraft.csv -o certificate.json", "spacecraft.csv --explain PLD"),
    usual="result explain tolerance output format uncertainty unit sheet",
    sets="single-file sigmas shared-sigmas view",
    more="""
The file is read again by other readers, cell by cell. Leaves are added in fractions of the typed digits; variances are
sums over the leaves of differences in 50 digits. --result compares a written file, also of an earlier version or of
another program: a number agrees if it is the recomputed one rounded to its digits. -o writes the certificate, json or
md, the same bytes for the same files. Exit code 1: something differs beyond --tolerance.
""",
)


class _VerifyRun(WritingRun):
    """The options of ``verify``: the written result, the item to explain, the tolerance."""

    output: str = command_option("output", COMMAND)
    result: str = command_option("result", COMMAND)
    explain: str = command_option("explain", COMMAND)
    tolerance: str = command_option("tolerance", COMMAND)
    samples: int = command_option("samples", COMMAND)


def command(run: _VerifyRun) -> int:
    """Read and roll up the table, recompute it, and report the certificate."""
    from massprops_cli.bom.rollup import rollup
    from massprops_cli.reports.certificates import verification as view
    from massprops_cli.verifications.verification import verify

    tolerance = parse_number_option("--tolerance", run.tolerance)
    if run.output:
        check_output_file(run.output, no_clobber=run.no_clobber)
    bom = read_input_bom(run, write_poi="none")
    screen = report_screen(data_on_stdout=False)
    more = verbose_decision_blocks(bom, run, screen.symbols)
    try:
        result = rollup(bom, run.method, **run.correlation)
    except FindingsError as error:
        return report_failure(screen, run.file, error.findings, run, "not rolled up, nothing verified", more=more)
    answer = verify(result, run.result, tolerance=tolerance, samples=run.samples)
    if run.explain:
        lines = view.explanation_lines(answer, run.explain)
        write_view(
            screen,
            run.format,
            lambda symbols: [text_line(line, hang=4) for line in lines],
            json=lambda: {"item": run.explain, "lines": lines},
        )
    if run.output:
        answer.save(run.output)
    if not run.explain and not is_silent(run, has_output=bool(run.output)):
        write_view(
            screen,
            run.format,
            lambda symbols: view.verification_blocks(answer, symbols, in_full=run.verbose or run.format == "full"),
            more,
            json=answer.to_dict,
            jsonl=lambda: answer.to_dict()["items"],
            md=answer.to_markdown,
        )
    code = report_on_stderr(run.file, answer.findings, run, f"{run.file}: verified", failed=not answer.agrees)
    return code if answer.agrees else max(code, EXIT_FINDINGS)
