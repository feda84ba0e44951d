"""Content of a design review, apart from how it is written: sections of texts, tables, pictures and folded parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from massprops_cli.bom.contributions import Contributions, contributions
from massprops_cli.bom.results.result_dict import ReviewTable, review_table
from massprops_cli.findings.finding import Finding, FindingsError, UsageError
from massprops_cli.reports.page.conventions import AggregatedColumns, unit_text
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.pictures.svg import Picture
from massprops_cli.rollups.leaf_sums import MissingError

if TYPE_CHECKING:
    from massprops_cli.bom.results.result import Result
    from massprops_cli.budgets.check import Check
    from massprops_cli.options import CorrelationScope
    from massprops_cli.revisions.diff import Diff

_FORMATS = ("html", "pdf", "md", "xlsx")


class Words(NamedTuple):
    """A paragraph; ``look`` is note, good, warn or bad."""

    text: str
    look: str = ""


class Remark(NamedTuple):
    """A text of the user in Markdown."""

    text: str


class DataTable(NamedTuple):
    """A table of texts; ``align`` has l, r or d (decimal mark) for each column, ``looks`` a word for each row."""

    caption: str
    heads: Sequence[str]
    align: str
    rows: Sequence[Sequence[str]]
    looks: Sequence[str] = ()


class Facts(NamedTuple):
    """Named values: name, value, explanation."""

    rows: Sequence[tuple[str, str, str]]


class Pictures(NamedTuple):
    """Pictures next to each other, as far as the page is wide; ``live`` names what the script replaces them by."""

    pictures: Sequence[Picture]
    live: str = ""


class Fold(NamedTuple):
    """Blocks that a click opens."""

    summary: str
    blocks: Sequence[ReviewBlock]


class ItemTable(NamedTuple):
    """The place of the table of all items, and its rows that are read without a script."""

    rows: DataTable


ReviewBlock = Words | Remark | DataTable | Facts | Pictures | Fold | ItemTable


class Section(NamedTuple):
    """A section: its name, its title and its blocks."""

    name: str
    title: str
    blocks: Sequence[ReviewBlock]


@dataclass(frozen=True)
class ReviewSettings:
    """Texts of a report: those of ``[report]`` of massprops.toml, and of the options."""

    title: str = ""
    project: str = ""
    author: str = ""
    logo: str = ""  # a file, svg or png
    revision: str = ""
    date: str = ""  # empty: that of the run, or none if the report is reproducible
    remarks: Mapping[str, str] = field(default_factory=dict)  # Markdown by section or item
    sections: Sequence[str] = ()
    columns: Sequence[str] = ()  # of the status table
    by: Sequence[str] = ()
    depth: int = 3  # levels of the pictures of mass, and of open items
    command: str = ""  # of the run; empty from Python
    is_static: bool = False  # without live pictures
    is_reproducible: bool = False
    history: str = ""  # a file of revisions


@dataclass(frozen=True, eq=False)
class Review:
    """What a report is made of: a roll-up, its limits, its changes, its findings, and the settings."""

    result: Result
    check: Check | None = None
    diff: Diff | None = None
    findings: Sequence[Finding] = ()
    budgets: Sequence[str] | None = None
    settings: ReviewSettings = field(default_factory=ReviewSettings)

    @property
    def unit(self) -> str:
        """The unit of masses, as text."""
        return unit_text(self.result.bom.units.mass, UNICODE)

    @property
    def length(self) -> str:
        """The unit of lengths, as text."""
        return unit_text(self.result.bom.units.length, UNICODE)

    @property
    def name(self) -> str:
        """Id and name of the root."""
        bom, i = self.result.bom, self.result.root_item
        name = "" if bom.names is None or bom.names[i] == bom.ids[i] else bom.names[i]
        return f"{bom.ids[i]} {name}".rstrip()

    @property
    def title(self) -> str:
        """The title of the report."""
        return self.settings.title or f"Mass properties of {self.name}"

    @property
    def other(self) -> AggregatedColumns:
        """The columns and files of the status table."""
        previous = None if self.diff is None else self.diff.old
        if previous is not None and previous.bom.units.mass != self.result.bom.units.mass:
            previous = None  # the waterfall has the changes
        return AggregatedColumns(labels=tuple(self.settings.by), budgets=self.budgets, previous=previous)

    @cached_property
    def status(self) -> ReviewTable | None:
        """The masses by subsystem: by the columns of ``by``, those that group the items, or the parts."""
        if "mass" not in self.result.bom.columns.by_quantity:
            return None
        more = self.other.of_review
        made = review_table(self.result, *more)
        return made if made is not None and made.labels else review_table(self.result, ("level:1",), *more[1:])

    @cached_property
    def contributors(self) -> Contributions | None:
        """The contributors to the uncertainty of the mass; None without σ."""
        if self.result.rollup.sigmas is None:
            return None
        request = self.result.uncertainty_request
        try:
            return contributions(
                self.result.bom,
                correlate=cast("CorrelationScope", request.correlate),
                correlate_centers=request.correlate_centers,
                correlations=request.correlations,
                keep_going=True,
            )
        except (FindingsError, UsageError, MissingError):
            return None

    def remark(self, name: str) -> list[ReviewBlock]:
        """Return the remark on a section or an item as a block."""
        return [Remark(text)] if (text := self.settings.remarks.get(name, "")) else []


def review_format(name: str) -> str:
    """Return the format of a report by the suffix of its file; html for standard output."""
    found = "html" if name == "-" else Path(name).suffix.lower().removeprefix(".")
    if found not in _FORMATS:
        raise UsageError(f"{name}: unknown format of a report; the suffix is one of .{', .'.join(_FORMATS)}")
    return found
