"""``--watch``: the command runs again when its table, its configuration or its budget changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from massprops_cli.bom import CONFIGURATION_NAME
from massprops_cli.cli.streams import INTERRUPTED_CODES, is_stream_name, run_guarded, write_error
from massprops_cli.findings import UsageError

_DEBOUNCE_MILLISECONDS = 400
"""Changes within this time are one change: editors write a file in several steps."""


def run_watched(groups: Mapping[str, Any], files: Sequence[str], run: Callable[[], int]) -> int:
    """Run a command, and again after each change of an input, until Ctrl-C.

    Parameters
    ----------
    groups : mapping of str to Any
        Groups of options of the command, by parameter.
    files : sequence of str
        Input files.
    run : callable
        Function that runs the command.

    Returns
    -------
    int
        Exit code of the interrupt.

    Raises
    ------
    UsageError
        An input is not a file, the input is the output, or watchfiles is not installed.
    """
    if any(is_stream_name(name) for name in files):
        raise UsageError("--watch requires a file, not standard input or a pipe")
    if getattr(groups.get("filled"), "in_place", False):
        raise UsageError("--watch and --in-place are mutually exclusive, because each run would change the input")
    try:
        from watchfiles import watch
    except ImportError:
        raise UsageError("--watch requires watchfiles; install the extra: pip install 'massprops[watch]'") from None
    watched = _watched_files(groups, files)
    folders = sorted({str(path.parent) for path in watched if path.parent.is_dir()})
    code = run_guarded(run)
    if code in INTERRUPTED_CODES:
        return code
    write_error(f"massprops: watching {', '.join(files)}; Ctrl-C ends\n")
    names = {str(path) for path in watched}
    for changes in watch(
        *folders,
        watch_filter=lambda _, path: os.path.realpath(path) in names,
        debounce=_DEBOUNCE_MILLISECONDS,
        recursive=False,
    ):
        changed = sorted({Path(path).name for _, path in changes})
        write_error(f"\nmassprops: changed: {', '.join(changed)}\n")
        code = run_guarded(run)
        if code in INTERRUPTED_CODES:
            return code
    return code


def _watched_files(groups: Mapping[str, Any], files: Sequence[str]) -> list[Path]:
    """List the inputs: tables, ``massprops.toml`` in their folders, and every file that an option names."""
    names = [*files, *(str(Path(file).parent / CONFIGURATION_NAME) for file in files)]
    for group in groups.values():
        for field in fields(group):
            option = field.metadata.get("option")
            if option is not None and option.role == "input" and option.kind == "text":
                names += [getattr(group, field.name)] if getattr(group, field.name) else []
    return [Path(os.path.realpath(name)) for name in dict.fromkeys(names)]
