"""What people write in headers and cells, as data: one TOML file a subject, each word with its source."""

from functools import cache
from pathlib import Path
from typing import Any


@cache
def words(subject: str) -> dict[str, Any]:
    """Load the words of one subject."""
    import tomllib

    return tomllib.loads((Path(__file__).parent / f"{subject}.toml").read_text("utf-8"))
