"""A finding's fingerprint: the same from run to run, so that a service knows an old finding from a new one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from massprops_cli.report.formats.account import Entry, path_of


def fingerprints(entries: Sequence[Entry], source: str) -> Iterator[str]:
    """Give a fingerprint for each entry: 64 hexadecimal digits.

    It is made of rule, file, item and limit: no line, no number. So it stays when rows move and when a mass that is
    too great changes. A finding without an item has its message instead; equal ones are counted.

    >>> from massprops_cli.findings import Place, found
    >>> one, moved = (Entry(found("MP302", "the id is empty", Place("a.csv", line=k))) for k in (4, 9))
    >>> next(fingerprints([one], "")) == next(fingerprints([moved], ""))
    True
    >>> len(set(fingerprints([one, moved], "")))
    2
    """
    from hashlib import sha256

    times: dict[tuple[str, ...], int] = {}
    for entry in entries:
        finding = entry.finding
        what = finding.item or " ".join(finding.message.split())
        key = (finding.rule, path_of(finding.place, source), finding.place.sheet, what, entry.subject)
        times[key] = times.get(key, 0) + 1
        yield sha256("\0".join((*key, str(times[key]))).encode("utf-8", "surrogatepass")).hexdigest()
