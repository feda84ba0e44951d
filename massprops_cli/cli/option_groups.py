"""From a command that takes a few groups of options to the flat list of parameters that Typer reads.

A command is a function of dataclasses (``Reading``, ``Reporting``, …) whose fields are Typer options; each
option is declared once, whatever number of commands share it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from massprops_cli.cli.stages import check_style
from massprops_cli.findings import TableError


def flatten_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a function with one parameter an option, which calls ``command`` with its groups.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Reading:
    ...     sheet: str = ""
    >>> def validate(reading: Reading) -> int:
    ...     return len(reading.sheet)
    >>> flat = flatten_options(validate)
    >>> list(inspect.signature(flat).parameters), flat(sheet="abc")
    (['sheet'], 3)
    """
    groups = {name: hint for name, hint in get_type_hints(command).items() if name != "return"}
    parameters = [parameter for group in groups.values() for parameter in _group_parameters(group)]

    def flat(**values: Any) -> int:
        made = {
            name: group(**{field.name: values[field.name] for field in fields(group) if field.name in values})
            for name, group in groups.items()
        }
        reporting = made.get("reporting")
        if reporting is not None:
            check_style(command.__module__.rpartition(".")[2], reporting.format)
        try:
            return command(**made)
        except TableError as error:
            if reporting is None or reporting.format is None:
                raise
            from massprops_cli.cli.stages import report_unreadable_table

            return report_unreadable_table(error, made)

    flat.__name__ = command.__name__
    flat.__doc__ = command.__doc__
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # typing knows no such attribute
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _group_parameters(group: Any) -> list[inspect.Parameter]:
    """Give the parameters that a group's fields stand for."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
