"""Golden files: output that was reviewed and is kept as a file.

``MASSPROPS_GOLDEN=write`` writes the files again (``make golden``); review the difference before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def assert_golden(path: Path, text: str) -> None:
    """Compare a text with a golden file, or write the file."""
    if os.environ.get("MASSPROPS_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
