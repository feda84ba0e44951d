"""Options that the commands on mechanisms share."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from massprops_cli.cli.option_groups import command_option
from massprops_cli.findings.finding import UsageError
from massprops_cli.options import RobotBase

if TYPE_CHECKING:
    from massprops_cli.mechanisms.model import RobotReading


@dataclass(frozen=True)
class MechanismOptions:
    """The mechanism, and how a robot is one."""

    file: str = command_option("file", "mechanism")
    joints: str = command_option("joints", "mechanism")
    gravity: str = command_option("gravity", "mechanism")
    base: RobotBase = command_option("base", "mechanism")

    def read_data(self) -> str | bytes:
        """Return the name of the file, or the content of standard input."""
        return sys.stdin.buffer.read() if self.file == "-" else self.file

    def robot_reading(self, *, assemble: bool = False, snap: bool | None = None) -> RobotReading:
        """Return how a robot is read."""
        from massprops_cli.mechanisms.model import RobotReading

        return RobotReading(_parse_gravity(self.gravity), self.base, assemble, snap)


def _parse_gravity(text: str) -> tuple[str, str, str] | None:
    """Split the components of gravity, which remain texts because they are read exactly."""
    if not text:
        return None
    cells = [cell.strip() for cell in text.split(",")]
    if len(cells) != 3:
        raise UsageError(f"--gravity is not three numbers: {text!r}; write --gravity=0,0,-9.81")
    return cells[0], cells[1], cells[2]
