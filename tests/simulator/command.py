"""The command line in process: its exit code, its report, and the commands that it prints."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Answer:
    """What a command returned: exit code, report, findings as text, and the commands that it printed."""

    exit_code: int
    report: dict[str, Any] = field(default_factory=dict)
    errors: str = ""
    next_commands: list[str] = field(default_factory=list)

    @property
    def rules(self) -> tuple[str, ...]:
        """Codes of the findings of severity error and warning, without repeats."""
        found = [finding for finding in self.report.get("findings", []) if finding.get("severity") != "note"]
        return tuple(sorted({str(finding["rule"]) for finding in found}))


def run_command(arguments: list[str]) -> Answer:
    """Run the command line in this process."""
    from massprops_cli.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    before, code = sys.argv, 0
    sys.argv = ["massprops", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    except Exception as error:  # a fault of the tool is an answer too
        return Answer(70, errors=f"{type(error).__name__}: {error}")
    finally:
        sys.argv = before
    try:
        report = json.loads(out.getvalue())
    except ValueError:
        report = {}
    commands = [step["command"] for step in report.get("next", [])] if isinstance(report, dict) else []
    commands += [
        line[line.index("massprops ") :] for line in err.getvalue().splitlines() if "massprops rollup " in line
    ]
    return Answer(code, report if isinstance(report, dict) else {}, err.getvalue(), list(dict.fromkeys(commands)))


def roll_up(path: Path) -> Answer:
    """Roll up a list."""
    return run_command(
        ["rollup", str(path), "--format", "json", "-o", str(path.parent / "out.csv"), "--config", "none"]
    )


def run_printed(command: str) -> Answer | None:
    """Run a printed command as typed; none where it is no command of this tool."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return run_command(words[1:]) if words[:2] == ["massprops", "rollup"] else None


def quiet_environment() -> None:
    """No colours, and columns wide enough for commands in one line."""
    os.environ |= {"NO_COLOR": "1", "COLUMNS": "1000"}
