"""Workflow commands of GitHub Actions: an annotation for each finding, the worst first.

Source: GitHub, "Workflow commands for GitHub Actions". A step shows ten annotations of each kind and drops the rest
without a word, so the eleventh and those after it are plain lines of the log, and this is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from massprops_cli.findings import Severity
from massprops_cli.report.findings_text import plural
from massprops_cli.report.formats.account import Account, Entry, path_of

SHOWN = 10
"""Annotations of one kind that a step shows."""
KINDS: Mapping[Severity, str] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def github_text(account: Account) -> str:
    """Write the commands of a step, a line each; nothing where nothing was found.

    >>> from massprops_cli.findings import Place, found
    >>> print(github_text(Account("bom.csv", [found("MP302", "the id is empty", Place("bom.csv", line=4))])), end="")
    ::error file=bom.csv,line=4,title=MP302 empty-id::the id is empty; give the row an id, or delete it
    """
    entries = account.entries
    lines: list[str] = []
    for severity, kind in KINDS.items():
        members = [entry for entry in entries if entry.finding.severity is severity]
        lines += [command(kind, entry, account.source) for entry in members[:SHOWN]]
        lines += rest(kind, members[SHOWN:])
    return "".join(line + "\n" for line in lines)


def command(kind: str, entry: Entry, source: str) -> str:
    """Write one annotation; lines are those of text files, for a workbook has none."""
    finding, place = entry.finding, entry.place
    line = f",line={place.line}" if place.line is not None else ""
    title = property_text(f"{finding.rule} {finding.name}")
    spot = "" if place.line is not None or not str(place) or place.file == str(place) else f"{place}: "
    said = f"{spot}{entry.message}" + (f"; {finding.remedy}" if finding.remedy else "")
    return f"::{kind} file={property_text(path_of(place, source))}{line},title={title}::{data_text(said)}"


def rest(kind: str, members: Sequence[Entry]) -> Iterator[str]:
    """Tell in plain lines what a step has no annotations for."""
    if members:
        yield f"{plural(len(members), f'further {kind}')}, for which a step shows no annotations:"
    for entry in members:
        yield "- " + harmless(" ".join(str(entry.finding).split()))


def data_text(text: str) -> str:
    """Write a command's message, so that it neither ends nor begins another.

    >>> data_text("95 %" + chr(10) + "::error::")
    '95 %25%0A::error::'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_text(text: str) -> str:
    """Write a command's property, in which colons and commas are signs too.

    >>> property_text("C:/a,b.csv")
    'C%3A/a%2Cb.csv'
    """
    return data_text(text).replace(":", "%3A").replace(",", "%2C")


def harmless(text: str) -> str:
    """Write a plain line of the log: the older form of a command would be heeded anywhere in it.

    >>> harmless("id ##[error]x")
    'id # #[error]x'
    """
    return text.replace("##[", "# #[")
