"""Draw the pictures of the README and of the first hour: terminal output of actual runs.

python docs/make_picture.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from pictures.terminal import ROOT, picture_of, shown

COLUMNS = 100


class Picture(NamedTuple):
    """A picture: its file below docs, the sample that its commands read, the commands, and their exit code."""

    file: str
    sample: str
    commands: tuple[str, ...]
    code: int = 0


PICTURES = (
    Picture(
        "picture.svg",
        "spacecraft.xlsx",
        ("massprops rollup spacecraft.xlsx", "massprops tree spacecraft.xlsx --depth 1"),
    ),
    Picture("pictures/first_hour.svg", "equipment_list.xlsx", ("massprops rollup equipment_list.xlsx",), code=1),
)


def answers_of(picture: Picture) -> str:
    """Draw the commands of a picture and their output."""
    answers = []
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(ROOT / "sample_data" / picture.sample, name)
        for command in picture.commands:
            answer, code = shown(command, Path(name), COLUMNS)
            if code != picture.code:
                raise SystemExit(f"{command} ended with {code}:\n{answer}")
            answers.append((command, answer))
    return picture_of(answers, COLUMNS)


def main() -> None:
    """Write the pictures."""
    for picture in PICTURES:
        (ROOT / "docs" / picture.file).write_text(answers_of(picture), encoding="utf-8")


if __name__ == "__main__":
    main()
