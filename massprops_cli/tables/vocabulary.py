"""What people write in headers and cells, as data: ``words/`` has one TOML file a subject, each word with its source.

``words.json`` is made of these files by ``make words``: reading it takes a thirtieth of the time.
"""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def words(subject: str) -> dict[str, Any]:
    """Load the words of one subject."""
    subjects: dict[str, dict[str, Any]] = _all_words()
    return subjects[subject]


@cache
def _all_words() -> Any:
    """Load the words of all subjects."""
    import json

    return json.loads((Path(__file__).parent / "words.json").read_text("utf-8"))
