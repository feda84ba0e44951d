"""Checks of all outputs of a command before it starts: folders, names used twice, inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Any

from massprops_cli.cli.stages.output_files import check_output_file, is_same_file
from massprops_cli.cli.streams import is_stream_name
from massprops_cli.findings import OutputError, UsageError
from massprops_cli.options import OPTIONS, Option


def check_outputs(command: str, groups: Mapping[str, Any]) -> None:
    """Check every output file that the options of a command name.

    Parameters
    ----------
    command : str
        Name of the command.
    groups : mapping of str to Any
        Groups of options of the command, by parameter.

    Raises
    ------
    UsageError
        Two outputs are one file, an output is an input, or it exists with ``--no-clobber``.
    OutputError
        An output cannot be written: its folder does not exist, or is not writable.
    """
    outputs = sorted(_named_files(groups, "output"), key=lambda pair: OPTIONS.index(pair[0]))
    inputs = list(_named_files(groups, "input"))
    for (one, name), (other, again) in combinations(outputs, 2):
        if is_same_file(Path(name), Path(again)):
            raise UsageError(
                f"{_spelling(one)} names a file twice: {name}; use another name"
                if one is other
                else f"{_spelling(one)} and {_spelling(other)} name the same file: {again}"
            )
    for option, name in outputs:
        _check_no_input(command, option, name, inputs)
        check_output_file(name, no_clobber=getattr(groups.get("output"), "no_clobber", False))
    if command == "rollup" and not any(option.name == "output" for option, _ in outputs):
        _check_input_folder(groups)


def _named_files(groups: Mapping[str, Any], role: str) -> Iterator[tuple[Option, str]]:
    """Yield the files that options of a role name, without standard streams, devices and pipes."""
    for group in groups.values():
        for field in fields(group):
            option: Option | None = field.metadata.get("option")
            if option is None:
                continue
            given = getattr(group, field.name) if option.role == role else None
            for text in given if isinstance(given, list) else [given or ""]:
                name = text.partition("=")[2] if option.name == "report" else text
                if name and not is_stream_name(name):
                    yield option, name


def _spelling(option: Option) -> str:
    """Return the shortest spelling of an option."""
    return min(option.spellings, key=len)


def _check_no_input(command: str, option: Option, name: str, inputs: list[tuple[Option, str]]) -> None:
    """Reject an output that is an input; a map is written into the configuration that was read."""
    for read, other in inputs:
        if not is_same_file(Path(name), Path(other)) or (option.name == "save-map" and read.name == "config"):
            continue
        if option.name == "output" and read.kind == "argument":
            remedy = "pass --in-place to write into it" if command == "rollup" else "use another name"
            what = "one of the files compared" if command == "diff" else "the input file"
            raise UsageError(f"{name}: output file is {what}; {remedy}")
        what = "the input" if read.kind == "argument" else f"that of --{read.name}"
        raise UsageError(f"{_spelling(option)} {name}: file is {what}; use another name")


def _check_input_folder(groups: Mapping[str, Any]) -> None:
    """Check the folder of the input, where the roll-up is written without ``-o``."""
    source, output = groups["reading"].file, groups["output"]
    if output.output or groups["variants"].all_variants or not Path(source).is_file():
        return
    try:
        check_output_file(f"{source}.rollup")
    except OutputError as error:
        reason = str(error).partition(": ")[2]
        raise OutputError(f"cannot write into the folder of {source}: {reason}; name an output with -o") from None
