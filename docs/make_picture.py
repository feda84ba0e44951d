"""Draw ``picture.svg``: the terminal output for the sample satellite, from an actual run.

python docs/make_picture.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from pictures.terminal import ROOT, picture_of, shown

COLUMNS = 100
COMMANDS = ("massprops rollup spacecraft.xlsx", "massprops tree spacecraft.xlsx --depth 1")


def main() -> None:
    """Write the picture to the folder of this file."""
    answers = []
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(ROOT / "sample_data" / "spacecraft.xlsx", name)
        for command in COMMANDS:
            answer, code = shown(command, Path(name), COLUMNS)
            if code:
                raise SystemExit(f"{command} ended with {code}:\n{answer}")
            answers.append((command, answer))
    (ROOT / "docs" / "picture.svg").write_text(picture_of(answers, COLUMNS), encoding="utf-8")


if __name__ == "__main__":
    main()
