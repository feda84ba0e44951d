"""The Typer application: a group that loads a command only when it is called.

The commands: each one's name and one line of help. A command's body is in the module of the same name.

The group's help is made of this table alone, so that it loads no command.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from massprops_cli.cli import streams as exits
from massprops_cli.cli.streams import record_command_line
from massprops_cli.findings import TableError, UsageError
from massprops_cli.options import Option, named_option, wrong_word_text

_COMMANDS: dict[str, str] = {
    "inspect": "Say what was understood of a table: sheet, header, columns, units, and what was left out.",
    "rollup": "Add up the mass properties of every assembly, and hand the table back filled in.",
    "check": "Hold a table against its weight budget: masses, margins, centres, inertia, probabilities.",
    "validate": "Say everything that is wrong with a table, and where.",
    "tree": "Show the tree with mass, share and bars.",
    "convert": "Write the table in another format or layout.",
    "whatif": "Change, scale or drop items and see every assembly before and after.",
    "contributions": "Show which parts make a sigma, and what weighing them would be worth.",
    "diff": "Show what changed between two revisions, and what each change did to the totals.",
    "rules": "List the rules, or show the page of one.",
    "init": "Write an empty template (csv and xlsx) and a commented massprops.toml.",
}
"""Command → one line of help, in the order of the help page."""


class _CommandTable(TyperGroup):
    """A group whose commands are named in a table and imported one by one, on demand."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Give the commands in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command that is called; for help, its line in the table is enough."""
        if cmd_name not in _COMMANDS:
            return None
        if getattr(self, "is_helping", False):
            return TyperCommand(name=cmd_name, help=_COMMANDS[cmd_name])
        return _load_command(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; one that does not exist is answered with the nearest."""
        if args[0] not in _COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, 1)
            hint = f"; the nearest is {near[0]}" if near else f"; the commands are {', '.join(_COMMANDS)}"
            raise UsageError(f"there is no command {args[0]}{hint}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the group's help without loading a command."""
        self.is_helping = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self.is_helping = False

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **_: Any) -> Any:  # type: ignore[override] # Typer passes
        """Run and exit with a code of the table in ``exits``."""
        sys.exit(exits.run_guarded(lambda: self.obey(sys.argv[1:] if args is None else args)))

    def obey(self, args: Sequence[str]) -> int:
        """Parse the arguments, run the command, and give its exit code; no argument at all asks for help."""
        with record_command_line(args), self.make_context("massprops", list(args) or ["--help"]) as context:
            code = self.invoke(context)
        return int(code or exits.EXIT_OK)


def _flatten_options(command: Callable[..., int]) -> Callable[..., int]:
    """Make a function with one parameter an option, which calls ``command`` with its groups of options.

    >>> from massprops_cli.cli.commands.rules import command
    >>> list(inspect.signature(_flatten_options(command)).parameters)
    ['code']
    """
    groups = {name: hint for name, hint in get_type_hints(command).items() if name != "return"}
    options = {one.name: one.metadata["option"] for group in groups.values() for one in fields(group)}

    def flat(**values: Any) -> int:
        name = command.__module__.rpartition(".")[2]
        for field, value in values.items():
            _check_option_word(options[field], value)
        made = {
            name: group(**{field.name: values[field.name] for field in fields(group) if field.name in values})
            for name, group in groups.items()
        }
        return _run_command(name, command, made)

    parameters = [_option_parameter(field, option) for field, option in options.items()]
    flat.__name__ = command.__name__
    flat.__doc__ = command.__doc__
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # typing knows no such attribute
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


_VALUE_TYPES: dict[str, Any] = {
    "text": str,
    "argument": str,
    "word": str | None,
    "list": list[str] | None,
    "flag": bool,
    "whole": int | None,
}
"""Kind of an option → type of its value on the command line."""


def _option_parameter(field: str, option: Option) -> inspect.Parameter:
    """Make the parameter that Typer reads from a row of the table of options."""
    of_typer: Any
    if option.kind == "argument":
        of_typer = typer.Argument(metavar=option.metavar, help=option.help)
    else:
        of_typer = typer.Option(
            *option.spellings, metavar=option.metavar or None, help=option.help, min=option.least, max=option.most
        )
    return inspect.Parameter(
        field,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.kind == "argument" and option.default is None else option.value,
        annotation=Annotated[_VALUE_TYPES[option.kind], of_typer],
    )


def _check_option_word(option: Option, value: object) -> None:
    """Reject a word that an option does not take; a file format given as a report style names the other option."""
    if option.kind != "word" or value is None or value in option.words:
        return
    if option.name == "format" and value in named_option("to").words:
        raise UsageError(f"--format is {value}, which is a file format; use --to {value}")
    raise UsageError(wrong_word_text(f"--{option.name}", value, option.words))


def _run_command(name: str, command: Callable[..., int], groups: dict[str, Any]) -> int:
    """Run a command; an unreadable table is reported in the style requested."""
    from massprops_cli.cli.stages import check_style, report_unreadable_table

    reporting = groups.get("reporting")
    if reporting is not None:
        check_style(name, reporting.format)
    try:
        return command(**groups)
    except TableError as error:
        if reporting is None or reporting.format is None:
            raise
        return report_unreadable_table(error, groups)


def _load_command(name: str) -> Any:
    """Import the module of a command and make Typer's command of its function."""
    from typer.main import get_command

    module = import_module(f"massprops_cli.cli.commands.{name}")
    single = typer.Typer(add_completion=False, rich_markup_mode=app.rich_markup_mode)
    # the text is no markup: [[budget]] is a table of a file
    told = f"{_COMMANDS[name]}\n\n{_unwrap_paragraphs(module.MORE)}".replace("[", "\\[")
    single.command(name=name, help=told, context_settings=_CONTEXT_SETTINGS)(_flatten_options(module.command))
    return get_command(single)


def _unwrap_paragraphs(text: str) -> str:
    """Take the line breaks out of paragraphs, for they are broken again to the width of the screen.

    >>> _unwrap_paragraphs("one" + chr(10) + "two" + chr(10) * 2 + "three")
    'one two\\n\\nthree'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


_CONTEXT_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

app = typer.Typer(
    cls=_CommandTable,
    add_completion=False,
    context_settings=_CONTEXT_SETTINGS,
    help="Roll up mass properties over a tree of parts: mass, centre, inertia, and how uncertain each is.",
    epilog="Start with: massprops rollup bom.xlsx. A command's options: massprops COMMAND --help.",
)


def _show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from massprops_cli._version import VERSION

        sys.stdout.write(f"massprops {VERSION}\n")
        raise typer.Exit


@app.callback()
def _root_command(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and stop.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Hold the commands together."""


def run_command_line(args: Sequence[str]) -> int:
    """Run the command line and give its exit code.

    >>> run_command_line(["--version"])
    massprops 0.1.0
    0
    """
    from typer.main import get_command

    exits.install_sigterm_handler()
    command = get_command(app)
    assert isinstance(command, _CommandTable)
    return exits.run_guarded(lambda: command.obey(args))
