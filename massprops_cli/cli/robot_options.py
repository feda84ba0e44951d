"""Values of options that the commands on mechanisms and robots share."""

from __future__ import annotations

from massprops_cli.findings.finding import UsageError


def parse_gravity(text: str) -> tuple[str, str, str] | None:
    """Split the components of gravity, which remain texts because they are read exactly."""
    if not text:
        return None
    cells = [cell.strip() for cell in text.split(",")]
    if len(cells) != 3:
        raise UsageError(f"--gravity is not three numbers: {text!r}; write --gravity=0,0,-9.81")
    return cells[0], cells[1], cells[2]
