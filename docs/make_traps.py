"""Draw the pictures of ``docs/traps.md``: the sheet of each trap, and the actual output of massprops.

python docs/make_traps.py [TRAP ...]
"""

from __future__ import annotations

import re
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


def section_of(trap: str) -> str:
    """Return the section of a trap: the one with the picture of its sheet."""
    sections = re.split(r"^(?=##)", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return next(one for one in sections if f"(traps/{trap}_sheet.svg)" in one)


def commands_of(trap: str) -> list[str]:
    """Return the commands of a section, in its order; the output of the first one is drawn."""
    blocks = re.findall(r"```console\n(.*?)```", section_of(trap), re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ massprops ")]


def sheet_of(trap: str) -> str:
    """Draw the table of a trap; a text file as an editor shows it."""
    facts = TRAPS[trap]
    path = FILES / facts["file"]
    if path.suffix != ".xlsx":
        return text.picture_of(path, facts.get("encoding", "utf-8"))
    return sheet.picture_of(path, tuple(facts["header"]), facts.get("sheet", ""))


def answer_of(trap: str) -> str:
    """Run the first command of a section in a folder with a copy of its table, and draw the terminal."""
    command = commands_of(trap)[0]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(FILES / shlex.split(command)[2], folder)
        answer, _ = shown(command, Path(folder), COLUMNS)
    if "MP999" in answer.plain:  # an internal error must not be in a picture
        raise SystemExit(f"{command}\n{answer.plain}")
    return picture_of([(command, answer)], COLUMNS)


def main(traps: list[str]) -> None:
    """Write the pictures of the traps given, or of all."""
    for trap in traps or TRAPS:
        (PICTURES / f"{trap}_sheet.svg").write_text(sheet_of(trap), encoding="utf-8")
        (PICTURES / f"{trap}_answer.svg").write_text(answer_of(trap), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
