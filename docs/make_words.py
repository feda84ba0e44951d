"""Make massprops_cli/tables/words.json of the files in massprops_cli/tables/words."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

TABLES = Path(__file__).parents[1] / "massprops_cli" / "tables"


def words_text() -> str:
    """Return the text of ``words.json``: subject → its words, in the order of their file."""
    subjects = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted((TABLES / "words").glob("*.toml"))}
    return json.dumps(subjects, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    (TABLES / "words.json").write_text(words_text(), "utf-8")
