"""Write ``docs/traps.md``, and draw its pictures: the sheet of each trap, and the actual output of massprops.

python docs/make_traps.py [TRAP ...]
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from pictures import sheet, text
from pictures.terminal import ROOT, picture_of, shown

FILES = ROOT / "tests" / "tables" / "traps"
PAGE = ROOT / "docs" / "traps.md"
PICTURES = ROOT / "docs" / "traps"
COLUMNS = 92
TRAPS: dict[str, dict[str, Any]] = tomllib.loads((PICTURES / "traps.toml").read_text(encoding="utf-8"))


HEAD = """# Traps in supplier spreadsheets

Each section shows a property of other people's tables, how it is read, the sheet and the output. One principle
applies: **if two interpretations give different numbers, the table is rejected and an option is offered; if only one
is possible, it is used and reported.** `massprops validate FILE` prints it, `--save-map massprops.toml` stores it.
"""


def page() -> str:
    """Return the page: a section for each trap, below the heading of its group."""
    lines, group = [HEAD], ""
    for trap, facts in TRAPS.items():
        if facts["group"] != group:
            group = facts["group"]
            lines.append(f"## {group}\n")
        lines.append(section_of(trap))
    return "\n".join(lines)


def section_of(trap: str) -> str:
    """Return the section of a trap."""
    facts = TRAPS[trap]
    sheet_picture, answer_picture = f"![table](traps/{trap}_sheet.svg)", f"![output](traps/{trap}_answer.svg)"
    return f"### {facts['title']}\n\n{facts['text']}\n\n{sheet_picture}\n\n{answer_picture}\n"


def commands_of(trap: str) -> list[str]:
    """Return the commands of a trap; the output of the first one is drawn."""
    commands: list[str] = TRAPS[trap]["commands"]
    return commands


def sheet_of(trap: str) -> str:
    """Draw the table of a trap; a text file as an editor shows it."""
    facts = TRAPS[trap]
    path = FILES / facts["file"]
    if path.suffix != ".xlsx":
        return text.picture_of(path, facts.get("encoding", "utf-8"))
    return sheet.picture_of(path, tuple(facts["header"]), facts.get("sheet", ""))


def answer_of(trap: str) -> str:
    """Run the first command of a trap in a folder with a copy of its table, and draw the terminal."""
    command = commands_of(trap)[0]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(FILES / shlex.split(command)[2], folder)
        answer, _ = shown(command, Path(folder), COLUMNS)
    if "MP999" in answer.plain:  # an internal error must not be in a picture
        raise SystemExit(f"{command}\n{answer.plain}")
    return picture_of([(command, answer)], COLUMNS)


def main(traps: list[str]) -> None:
    """Write the page, and the pictures of the traps given, or of all."""
    PAGE.write_text(page(), encoding="utf-8")
    for trap in traps or TRAPS:
        (PICTURES / f"{trap}_sheet.svg").write_text(sheet_of(trap), encoding="utf-8")
        (PICTURES / f"{trap}_answer.svg").write_text(answer_of(trap), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
