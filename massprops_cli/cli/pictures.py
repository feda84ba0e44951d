"""``--plot FILE``: whether a picture may be drawn under a name, before anything is computed for it."""

from __future__ import annotations

from pathlib import Path

from massprops_cli.cli.outputs import is_special, same_file
from massprops_cli.findings import OutputError, UsageError


def check_picture(name: str, source: str, target: str, *, force: bool) -> None:
    """Refuse a picture that cannot be drawn; ``source`` is the table that was read, ``target`` where a table goes."""
    from massprops_cli.report.plots import picture_format, require_matplotlib

    picture_format(name)
    require_matplotlib()
    path = Path(name)
    for other, what in ((source, "the input"), (target, "the output -o")):
        if other not in ("", "-") and same_file(path, Path(other)):
            raise UsageError(f"--plot {name}: that is {what}; name another file")
    if path.is_dir():
        raise OutputError(f"{name}: is a folder")
    if path.exists() and not force and not is_special(name):
        raise UsageError(f"--plot {name}: exists; pass --force to replace it")
