"""A design review: its sections, and the file that is written of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

from massprops_cli._front import room_function
from massprops_cli.bom.bom import BomSource, bom_from
from massprops_cli.bom.results.result import Result
from massprops_cli.budgets.check import check, configured_budgets
from massprops_cli.budgets.columns import column_limits
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import Finding, Findings, Severity, UsageError, checked_integer, rule_finding
from massprops_cli.options import SECTION_NAMES, RollupMethod, wrong_word_text
from massprops_cli.reports.review.bodies import centre_section, inertia_section, uncertainty_section
from massprops_cli.reports.review.content import Review, ReviewSettings, Section, review_format
from massprops_cli.reports.review.masses import headline_section, items_section, mass_section, status_section
from massprops_cli.reports.review.records import changes_section, findings_section, limits_section, method_section
from massprops_cli.revisions.comparison import diff


def _history_section(review: Review) -> Section | None:
    """Return the curve over the revisions of a recorded history; None without one."""
    make = room_function("massprops_cli.trends.picture", "history_section")
    return cast("Section", make(review)) if review.settings.history else None


def _certificate_section(review: Review) -> Section | None:
    """Return the recomputation of the roll-up; None where it is not requested."""
    make = room_function("massprops_cli.reports.certificates.verification", "certificate_section")
    return cast("Section", make(review)) if "certificate" in review.settings.sections else None


_SECTIONS: dict[str, Callable[[Review], Section | None]] = dict(
    zip(
        SECTION_NAMES,
        (
            headline_section, status_section, mass_section, centre_section, inertia_section, uncertainty_section,
            changes_section, _history_section, limits_section, findings_section, items_section, method_section,
            _certificate_section,
        ),
        strict=True,
    )
)  # fmt: skip


def review_sections(review: Review) -> list[Section]:
    """Return the sections whose data exist, in the order of the settings, each with the remark on it."""
    made = [_SECTIONS[name](review) for name in review.settings.sections or SECTION_NAMES]
    return [one._replace(blocks=[*review.remark(one.name), *one.blocks]) for one in made if one is not None]


def review_of_result(
    result: Result,
    budget: Any = None,
    baseline: BomSource | Result | None = None,
    settings: ReviewSettings | None = None,
    *,
    reasons: str = "",
    today: str = "",
) -> Review:
    """Check a roll-up against its limits, if there are some, and compare it with a baseline, for a report."""
    if reasons and baseline is None:
        raise UsageError("reasons are of the changes against a baseline; state --baseline too")
    checked, compared = None, None
    budgets = None if budget is None else budget if isinstance(budget, list | tuple) else [budget]
    if budgets or configured_budgets(result.bom) or column_limits(result, Findings()):
        checked = check(result, budgets, today=today or None)
    if baseline is not None:
        column = reasons.removeprefix("column:") if reasons.startswith("column:") else ""
        given = result.uncertainty_request.method
        method = cast("RollupMethod", given if given in ("massprops", "none") else "auto")
        old: Any = getattr(baseline, "bom", baseline)
        texts: dict[str, Any] = {"reasons": "" if column else reasons, "reason_column": column}
        compared = diff(old, result.bom, uncertainty=method, keep_going=True, **texts)
    findings = result.findings if checked is None else checked.findings
    findings = (*findings, *(() if compared is None else compared.comparison_findings))
    review = Review(result, checked, compared, findings, budgets, settings or ReviewSettings())
    return replace(review, findings=(*findings, *_unknown_remarks(review)))


def _unknown_remarks(review: Review) -> Iterator[Finding]:
    """Yield a warning for each remark on what is neither a section nor an item or a group of the status table."""
    groups = () if review.status is None else (texts[-1] for texts in review.status.labels)
    known = {*SECTION_NAMES, *review.result.ids, *groups}
    for name in (one for one in review.settings.remarks if one not in known):
        message = f"remark is not on a section, an item or a group of this report: {name}"
        yield rule_finding("MP902", message, item=name, severity=Severity.WARNING)


def report(
    table: BomSource | Result, path: str | PathLike[str], *, budget: Any = None, baseline: BomSource | Result | None
    = None, reasons: str = "", title: str = "", project: str = "", author: str = "", revision: str = "", logo: str =
    "", date: str = "", remarks: Mapping[str, str] | None = None, sections: Sequence[str] = (), by: Sequence[str] =
    (), depth: int = 3, static: bool = False, reproducible: bool = False, history: str = "",
) -> Findings:  # fmt: skip
    """Write a design review in one file, as ``massprops report`` does.

    Parameters
    ----------
    table : BomSource or Result
        A roll-up, a bill of materials, or a table that is read with the defaults of ``read_bom``.
    path : str or path
        The file: ``.html``, ``.pdf``, ``.md`` or ``.xlsx``; an existing file is replaced when the new one is complete.
    budget : object, optional
        Budgets, or their files, as in ``check``; default: ``[[budget]]`` of the configuration, and columns of limits.
    baseline : BomSource or Result, optional
        An earlier revision.
    reasons : str, optional
        File of reasons of changes, or ``column:HEADER``.
    title, project, author, revision, logo, date : str, optional
        Texts of the head; ``logo`` is an svg or png file.
    remarks : mapping of str to str, optional
        Markdown by section or by item.
    sections : sequence of str, optional
        Sections in their order; default: all.
    by : sequence of str, optional
        Text columns, or ``level:N``, of the status table.
    depth : int, optional
        Levels of the pictures of mass.
    static : bool, optional
        Leave out the live pictures.
    reproducible : bool, optional
        No date of the run.
    history : str, optional
        Revisions that ``massprops trend --record`` wrote, as a section with their curve.

    Returns
    -------
    Findings
        Those of the table, of the limits and of the comparison.

    Raises
    ------
    UsageError
        Unknown format or section, or a logo that is not an image.
    OutputError
        The file could not be written.

    Notes
    -----
    Margin = limit − predicted mass; σ to first order, contributors: docs/formulas.md, section 6.

    Examples
    --------
    >>> import os, tempfile
    >>> from massprops_cli.bom.bom import Bom
    >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [kg]": 2.0}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "review.html")
    ...     findings = report(bom, path, title="Design review", static=True)
    ...     os.path.getsize(path) < 250_000, len(findings)
    (True, 0)
    """
    from massprops_cli.bom.rollup import rollup

    if wrong := next((name for name in sections if name not in SECTION_NAMES), ""):
        raise UsageError(wrong_word_text("sections", wrong, SECTION_NAMES))
    settings = ReviewSettings(
        title, project, author, logo, revision, date, remarks or {}, tuple(sections), (), tuple(by),
        checked_integer("depth", depth, 1), is_static=static, is_reproducible=reproducible, history=history,
    )  # fmt: skip
    result = table if isinstance(table, Result) else rollup(bom_from(table, "table"), keep_going=True)
    review = review_of_result(result, budget, baseline, settings, reasons=reasons)
    write_review(review, fspath(path))
    return Findings(review.findings)


def write_review(review: Review, name: str, *, program: str = "", replaces: bool = True) -> None:
    """Write a report to a file, completely or not at all; a Markdown file has its pictures next to it."""
    from massprops_cli.reports.review.files import print_to_pdf, review_markdown, review_workbook
    from massprops_cli.reports.review.page import review_page

    kind, sections, pictures = review_format(name), review_sections(review), dict[str, str]()
    text = ""
    if kind == "md":
        text, pictures = review_markdown(review, sections, name)
    elif kind != "xlsx":
        text = review_page(review, sections, is_printed=kind == "pdf")
    content = text.encode("utf-8", "backslashreplace")
    content = print_to_pdf(text, program) if kind == "pdf" else content
    content = review_workbook(review, sections) if kind == "xlsx" else content
    for file, picture in pictures.items():
        with atomic_file(Path(name).with_name(file), replaces=replaces) as out:
            out.write(picture.encode("utf-8"))
    with atomic_file(name, replaces=replaces) as out:
        out.write(content)
