"""``massprops diff``: what changed between two revisions of a table, and what each change did to the totals."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from massprops_cli.cli.contributions import write_frame
from massprops_cli.cli.exits import CANNOT, DONE, FOUND
from massprops_cli.cli.options import (
    FIND,
    MEANING,
    SHOW,
    Meaning,
    Method,
    Output,
    Reading,
    Reporting,
    Stated,
    Style,
    Texts,
)
from massprops_cli.cli.output_files import Target, check_target, same_file, target_of
from massprops_cli.cli.reading import read_bom, stdin_of
from massprops_cli.cli.reporting import MACHINES, exit_code, rules_of, selected, tell_findings, tell_machines
from massprops_cli.cli.streams import Screen, report_screen, screen_for
from massprops_cli.files.options import SEVERAL
from massprops_cli.findings import FindingsError, Severity, TableError, UsageError
from massprops_cli.reports.findings import json_line, json_text

if TYPE_CHECKING:
    from massprops_cli.bom.read import Bom
    from massprops_cli.revisions.diff import Diff
    from massprops_cli.revisions.waterfall import Waterfall


MORE = """

Contributions add up to the change of the total, with rounding in a row of its own. All options count for both files;
- reads one of them from standard input. -o writes the items that changed as a table. The exit code is 0 whatever
changed, unless a --threshold is crossed.
"""
TOP = 12


class By(StrEnum):
    """What items are matched by."""

    id = "id"
    part = "part"


@dataclass(frozen=True)
class Old:
    """The file that is compared with."""

    old: Annotated[str, typer.Argument(metavar="OLD", help="The table as it was; - reads standard input.")]


@dataclass(frozen=True)
class New(Reading):
    """The new file, and how the bytes of both become tables."""

    file: Annotated[str, typer.Argument(metavar="NEW", help="The table as it is; - reads standard input.")]


@dataclass(frozen=True)
class Question:
    """How items are matched, and of what the waterfall is."""

    match: Annotated[
        By,
        typer.Option("--match", metavar="BY", help="Match items by id or by part number.", rich_help_panel=MEANING),
    ] = By.id
    of: Annotated[
        str,
        typer.Option(
            "--of",
            metavar="RESULT",
            help="What the waterfall shows: mass, Cx Cy Cz, Ixx Iyy Izz Ixy Ixz Iyz, a sigma of these (sigma_Cx), "
            "or predicted_mass.",
        ),
    ] = "mass"
    item: Annotated[str, typer.Option("--item", metavar="ID", help="Of this item instead of the root.")] = ""
    level: Annotated[
        int | None,
        typer.Option(
            "--level",
            metavar="N",
            min=1,
            help="Show the contributions of items so many levels down instead of those of leaves.",
        ),
    ] = None
    threshold: Annotated[
        Texts,
        typer.Option(
            "--threshold",
            metavar="CHANGE",
            help="The most that a total may change: 'mass 1 kg', 'PLD: mass 0.5 %', 'Cx 2 mm'.",
            rich_help_panel=FIND,
        ),
    ] = None
    reasons: Annotated[
        str,
        typer.Option(
            "--reasons",
            metavar="FILE",
            help="Why items changed: a table with columns item and reason, or a toml file of ITEM = REASON.",
        ),
    ] = ""
    reason_column: Annotated[
        str,
        typer.Option("--reason-column", metavar="HEADER", help="Why items changed: a column of the new table."),
    ] = ""
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="N", min=1, help="Show so many steps; 12 by itself.", rich_help_panel=SHOW),
    ] = None


def command(
    old: Old,
    reading: New,
    meaning: Meaning,
    stated: Stated,
    reporting: Reporting,
    output: Output,
    question: Question,
) -> int:
    """Read both tables, match their items, and show what every change did."""
    rules_of(reporting)
    if stated.uncertainty is Method.montecarlo:
        raise UsageError("diff compares numbers, not samples; use --uncertainty covariance, massprops or none")
    if old.old == reading.file == "-":
        raise UsageError("one of the two files can be standard input, not both")
    boms = []
    for name in (old.old, reading.file):
        try:
            is_other = name != "-" and "-" in (old.old, reading.file)
            boms.append(read_one(name, replace(reading, from_format="") if is_other else reading, meaning, stated))
        except TableError as error:
            return refuse(name, error, reporting, "no table", CANNOT)
    target = table_target(boms[1], old.old, reading, output)
    try:
        answer = compared(boms[0], boms[1], question, stated)
    except FindingsError as error:
        places = (finding.place.file for finding in error.findings if finding.severity is Severity.ERROR)
        return refuse(next(filter(None, places), reading.file), error, reporting, "not rolled up", FOUND)
    except UsageError as error:
        both = zip((old.old, reading.file), boms, strict=True)
        wrong = next(((name, bom) for name, bom in both if bom.is_withheld), None)
        if wrong is None:
            raise
        return refuse(wrong[0], FindingsError(wrong[1].findings), reporting, f"not compared ({error})", FOUND)
    screen = report_screen(data_on_stdout=target is not None and target.is_stdout)
    code = exit_code(answer.findings, reporting)
    answer = replace(answer, said=tuple(selected(answer.said, reporting)))
    if target is not None:
        write_frame(answer.to_dataframe(), target)
    if target is None or not reporting.quiet:
        try:
            tell(screen, answer, question, reporting, failed=code != DONE)
        except UsageError as error:  # a total that the roll-up could not give has no change
            withheld = next((result for result in (answer.old, answer.new) if result.is_withheld), None)
            if withheld is None:
                raise
            name, did = withheld.bom.table.source.name, f"not compared ({error})"
            return refuse(name, FindingsError(withheld.findings), reporting, did, FOUND)
    tell_what_was_said(answer, reporting, failed=code != DONE)
    return code


def read_one(name: str, reading: Reading, meaning: Meaning, stated: Stated) -> Bom:
    """Read one of the files; ``--from`` is for standard input where one of them is that, ``--sheet`` for workbooks."""
    from massprops_cli.cli.output_files import format_of_name

    one = replace(reading, file=name)
    if one.sheet and name != "-" and format_of_name(name) not in SEVERAL:
        one = replace(one, sheet="")
    method = "auto" if stated.uncertainty is None else stated.uncertainty.value
    return read_bom(
        one, meaning, stdin_of(one), use_sigmas=method != "none", sigma_level=stated.sigmas_are, write_poi="none"
    )


def compared(old: Bom, new: Bom, question: Question, stated: Stated) -> Diff:
    """Ask the library."""
    from massprops_cli.revisions.compare import diff

    method = "auto" if stated.uncertainty is None else stated.uncertainty.value
    return diff(
        old,
        new,
        match=question.match.value,
        uncertainty=method,
        thresholds=question.threshold or (),
        reasons=question.reasons,
        reason_column=question.reason_column,
        keep_going=True,
    )


def refuse(name: str, error: TableError | FindingsError, reporting: Reporting, did: str, code: int) -> int:
    """Say why there is no comparison, and give the exit code."""
    screen = report_screen(data_on_stdout=False)
    tell_findings(screen, name, error.findings, reporting, f"{name}: {did}", failed=True, brief=True)
    return code


def table_target(bom: Bom, old: str, reading: Reading, output: Output) -> Target | None:
    """Say where the items that changed are written as a table; nowhere unless asked to, and never over an input."""
    if not (output.output or output.to_format):
        return None
    target = target_of(reading.file, bom.table.source.format, output, to_stdout=True)
    inputs = (Path(name) for name in (old, reading.file) if name != "-")
    if not target.is_stdout and any(same_file(Path(target.name), file) for file in inputs):
        raise UsageError(f"{target.name}: the output is one of the files compared; give it another name")
    check_target(target, None, reading.file, force=output.force)
    return target


def tell(screen: Screen, answer: Diff, question: Question, reporting: Reporting, *, failed: bool) -> None:
    """Show the comparison in the format asked for; formats for machines have every item that changed."""
    from massprops_cli.reports import diff as view
    from massprops_cli.revisions.waterfall import waterfall

    style = reporting.format
    if style is Style.jsonl:
        screen.write("".join(json_line(row.to_dict()) for row in answer.rows()))
        return
    fall = waterfall(answer, question.of, question.item or None, question.level, question.top or TOP)
    if style in MACHINES:
        from massprops_cli.reports.formats.account import Account

        shown = selected(answer.findings, reporting)
        account = Account(answer.names[1], shown, result=answer.new, fail_on=reporting.fail_on.value)
        tell_machines(screen, account, style, view.markdown(answer, fall))
        return
    if style is Style.json:
        screen.write(json_text({**answer.to_dict(), "waterfall": whole_fall(answer, question).to_dict()}))
    elif style is Style.md:
        screen.tell(view.markdown(answer, fall))
    elif style is Style.concise:
        screen.tell(view.concise(fall))
    else:
        screen.show(view.diff_blocks(answer, fall, screen.symbols, failed=failed))


def whole_fall(answer: Diff, question: Question) -> Waterfall:
    """Give every step of the waterfall that is asked for, or as many as ``--top`` says."""
    from massprops_cli.revisions.waterfall import waterfall

    return waterfall(answer, question.of, question.item or None, question.level, question.top)


def tell_what_was_said(answer: Diff, reporting: Reporting, *, failed: bool) -> None:
    """Say on stderr what is to be said of the tables and of the comparison."""
    findings = answer.findings
    if reporting.format not in MACHINES and selected(findings, reporting):
        name = answer.names[1]
        did = f"{answer.names[0]} and {name}"
        tell_findings(screen_for(sys.stderr), name, findings, reporting, did, failed=failed, brief=True)
