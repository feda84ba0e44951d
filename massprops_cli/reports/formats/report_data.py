"""Contents of reports for machines: a file, its findings, the verdicts of its budget, the roll-up; fingerprints."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from massprops_cli.findings.finding import Finding, Place, Severity

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.model import Verdict


@dataclass(frozen=True, slots=True)
class ReportEntry:
    """A finding, with the verdict that it comes from, or None."""

    finding: Finding
    verdict: Verdict | None = None

    @property
    def subject(self) -> str:
        """The key of the budget file, such as ``mass-max``; empty without a verdict."""
        return self.verdict.subject if self.verdict else ""

    @property
    def excess(self) -> float:
        """Excess over the limit, as a share of the limit; infinite if it is unknown."""
        if self.verdict is None or self.verdict.margin is None:
            return inf
        return -self.verdict.margin / (abs(self.verdict.limit or 0) or 1)

    @property
    def place(self) -> Place:
        """The line of the item, or of the budget if it has none, as in a workbook or standard input."""
        lines = (place for place in self.finding.related if place.line is not None)
        if self.verdict is None or (self.finding.place.line is not None and self.finding.place.file != "-"):
            return self.finding.place
        return next(lines, self.finding.place)

    @property
    def message(self) -> str:
        """The message on one line, preceded by the place of the finding if ``place`` is another one."""
        text = " ".join(self.finding.message.split())
        own = str(self.finding.place)
        return f"{own}: {text}" if own and self.place != self.finding.place else text


@dataclass(frozen=True, slots=True)
class ReportData:
    """Contents of a report."""

    source: str  # name of the table as given
    findings: Sequence[Finding]  # of the table and the budget file, without those of ``verdicts``
    verdicts: Sequence[Verdict] = ()
    result: Result | None = None
    fail_on: str = "error"  # lowest severity that gives exit code 1, or ``never``
    budget: str = ""  # names of the budget files
    ignored: int = 0  # verdicts that ``--ignore`` and ``--select`` leave out

    @property
    def entries(self) -> list[ReportEntry]:
        """All entries, by severity; limits before other findings, largest excess first."""
        broken = [ReportEntry(verdict.finding, verdict) for verdict in self.verdicts if not verdict.kept]
        broken.sort(key=lambda entry: -entry.excess)
        others = sorted(self.findings, key=lambda finding: finding.rule)
        return sorted([*broken, *map(ReportEntry, others)], key=lambda entry: -entry.finding.severity.rank)

    def fails(self, finding: Finding) -> bool:
        """Return whether a finding gives exit code 1."""
        return self.fail_on != "never" and finding.severity.rank >= Severity(self.fail_on).rank

    @property
    def is_kept(self) -> bool:
        """Whether no finding gives exit code 1."""
        return not any(self.fails(entry.finding) for entry in self.entries)

    def text(self, style: str) -> str:
        """Write the report in a format for machines."""
        written: str = getattr(import_module(f"massprops_cli.reports.formats.{style}"), f"{style}_text")(self)
        return written


def joined_accounts(accounts: Sequence[ReportData]) -> ReportData:
    """Return the contents of a report on several tables: items are preceded by the name of their table."""
    if len(accounts) == 1:
        return accounts[0]
    verdicts = [replace(each, item=f"{one.source}: {each.item}") for one in accounts for each in one.verdicts]
    every = [(one.source, finding) for one in accounts for finding in one.findings]
    findings = [each if each.place.file else replace(each, place=Place(source)) for source, each in every]
    sources = ", ".join(one.source for one in accounts)
    return ReportData(sources, findings, verdicts, fail_on=accounts[0].fail_on, budget=accounts[0].budget)


def repository_path(place: Place, source: str) -> str:
    """Return the file of a place, else that of the table, relative to the working folder if it is inside."""
    # annotations need paths from the root of a repository, and fingerprints are compared between checkouts
    path = posixpath.normpath((place.file or source).replace("\\", "/"))
    return path.removeprefix(Path.cwd().as_posix().rstrip("/") + "/")


def entry_fingerprints(entries: Sequence[ReportEntry], source: str) -> Iterator[str]:
    """Yield fingerprints of rule, file, item, limit (else message): stable when rows move; equal are numbered."""
    from hashlib import sha256

    times: dict[tuple[str, ...], int] = {}
    for entry in entries:
        finding = entry.finding
        what = finding.item or " ".join(finding.message.split())
        key = (finding.rule, repository_path(finding.place, source), finding.place.sheet, what, entry.subject)
        times[key] = times.get(key, 0) + 1
        yield sha256("\0".join((*key, str(times[key]))).encode("utf-8", "surrogatepass")).hexdigest()
