"""Check what a release states about itself: ``release_state.py TAG REPOSITORY``; exit code 1 with a line a fault.

The tag is the version with a v, the changelog has a date for it, and CITATION.cff states version and repository.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path


def faults(root: Path, tag: str, repository: str) -> Iterator[str]:
    """Yield what does not agree, each with what to do."""
    version = _stated(root / "massprops_cli" / "_front.py", r'^VERSION = "([^"]+)"')
    if tag != f"v{version}":
        yield f"the tag is {tag}, the version {version}: set VERSION in massprops_cli/_front.py, or another tag"
    cited = _stated(root / "CITATION.cff", r"^version: *(\S+)$")
    if cited != version:
        yield f"CITATION.cff states the version {cited}, not {version}"
    home = _stated(root / "CITATION.cff", r"^repository-code: *(\S+)$").strip("\"'").rstrip("/")
    if home != repository:
        stated = f"the repository {home}" if home else "no repository"
        yield f"CITATION.cff states {stated}: write the line repository-code: {repository}"
    heading = _stated(root / "CHANGELOG.md", rf"^## {re.escape(version)} \(([^)]+)\)$")
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", heading):
        yield f"CHANGELOG.md has no date: write ## {version} (YYYY-MM-DD)"


def _stated(path: Path, pattern: str) -> str:
    """Return the first group of a pattern in a file; empty without a match."""
    found = re.search(pattern, path.read_text("utf-8"), re.MULTILINE)
    return found[1] if found else ""


if __name__ == "__main__":
    found = list(faults(Path(__file__).resolve().parents[1], *sys.argv[1:3]))
    print("\n".join(found) or "version, tag, changelog and repository agree")
    sys.exit(bool(found))
