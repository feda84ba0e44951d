"""The record of a command: what help and completion state of it, and which options it has.

The record ``COMMAND`` is in the module of the command, before its function ``command``. Help and completion read it
from the source of this module, because importing the module loads numerical libraries.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from massprops_cli.options import OPTIONS, Option

COMMAND_NAMES = (
    "inspect", "validate", "tree", "rollup", "contributions", "whatif", "check", "diff", "convert", "transform", "fix",
    "shape", "inertials", "partition", "assemble", "aggregate", "base-params", "massmatrix", "init", "rules",
)  # fmt: skip
"""The commands, in the order of completion; each has a module of its name in ``cli/commands``."""
COMMAND_PANELS = ("Look at a table", "Compute", "Compare", "Divide and join", "Mechanisms", "Write and look up")
"""The panels of the help page, in order."""


@dataclass(frozen=True, repr=False)
class Command:
    """A command: its panel and its line of the help page, three calls, and the rest of its help."""

    name: str
    panel: str
    summary: str
    examples: tuple[str, str, str]
    usual: str = ""  # options that -h lists
    sets: str = ""  # sets of options that it has in addition to its own, as the table of options states them
    more: str = ""

    @property
    def options(self) -> list[Option]:
        """The options of the command, in the order of the help."""
        names = {self.name, *self.sets.split()}
        return [one for one in OPTIONS if not names.isdisjoint(one.users.split())]

    def option(self, name: str) -> Option:
        """Return an option of the command by its name."""
        return next(one for one in self.options if one.name == name)


@cache
def command_record(name: str) -> Command:
    """Read the record of a command from the source of its module."""
    source = (Path(__file__).parent / "commands" / f"{_module_name(name)}.py").read_text("utf-8")
    text = source.partition("\nCOMMAND = ")[2].partition("\n)\n")[0]
    call = ast.parse(f"{text}\n)", mode="eval").body
    assert isinstance(call, ast.Call), name
    return Command(
        *map(ast.literal_eval, call.args), **{str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    )


def command_records() -> dict[str, Command]:
    """Read the records of all commands, by name."""
    return {name: command_record(name) for name in COMMAND_NAMES}


def command_module(name: str) -> Any:
    """Import the module of a command."""
    return import_module(f"massprops_cli.cli.commands.{_module_name(name)}")


def _module_name(command: str) -> str:
    """Return the name of the module of a command."""
    return command.replace("-", "_")
