"""The Typer application: commands, made of the table of options and loaded when they are called, and their help."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from massprops_cli._front import VERSION
from massprops_cli.cli import command as command_table, streams as exits
from massprops_cli.cli.streams import command_line_words, record_command_line
from massprops_cli.findings.finding import FindingsError, TableError, UsageError, nearest_name_hint
from massprops_cli.options import PANELS, SETTINGS, Option, named_option, setting_value, wrong_word_text

_ARGUMENT_KINDS = ("argument", "files")
_MOST_LISTED = 10  # settings that a help lists; of more it states the number
_HELP_WIDTH = 100  # width of paragraphs; on a terminal also the largest width of tables
_SAMPLING = ("samples", "seed", "distribution", "digits", "amplitude", "residual")
"""Fields that only Monte Carlo, or an observation matrix, accepts."""
_SAMPLED = ("rollup", "report", "plot")  # commands that draw samples


def _heading(text: str) -> str:
    """Make a heading; bold on a terminal."""
    return typer.style(f"{text}:", bold=True)


def _help_table(rows: Sequence[tuple[str, str]]) -> str:
    """Set names and their descriptions in two columns; wrapped on a terminal, one line each in a pipe."""
    import shutil
    import textwrap

    left = min(max((len(name) for name, _ in rows), default=0), 30)
    is_wrapped = exits.is_terminal_stream(sys.stdout)
    width = max(min(shutil.get_terminal_size().columns, _HELP_WIDTH + 20) - left - 4, 30) if is_wrapped else 10_000
    lines = []
    for name, text in rows:
        first, *more = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
        lines += (
            [f"  {name:{left}}  {first}".rstrip()] if len(name) <= left else [f"  {name}", f"  {'':{left}}  {first}"]
        )
        lines += [f"  {'':{left}}  {line}" for line in more]
    return "\n".join(lines)


def _option_row(option: Option) -> tuple[str, str]:
    """Describe an option in a row: spellings with metavar; help with words and default."""
    words = " | ".join(f"'{word}'" if word == "." else word for word in option.words)
    text = option.help.removesuffix(".") + (f": {words}" if words else "")
    default = f" Default: {option.default_text}." if option.default_text else ""
    spellings = ", ".join(sorted(option.spellings, key=len))
    return f"{spellings} {option.metavar}".rstrip(), f"{text}.{default}"


class _TableCommand(TyperCommand):
    """A command whose help is built from the table of options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; rejects a repeated option with one value, of which only the last would count."""
        order = [] if ctx.resilient_parsing else self.make_parser(ctx).parse_args(args=list(args))[2]
        for one in dict.fromkeys(order):
            if order.count(one) > 1 and not getattr(one, "multiple", False) and not getattr(one, "is_flag", False):
                raise UsageError(f"{one.opts[0]} is given {order.count(one)} times and has one value; omit the others")
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help: all of it for ``--help``; examples and the usual options for ``-h``."""
        record = command_table.command_record(str(self.name))
        options = record.options
        arguments = [one for one in options if one.kind in _ARGUMENT_KINDS]
        usage = " ".join(("massprops", record.name, "[OPTIONS]", *(one.metavar for one in arguments)))
        parts = [f"{_heading('Usage')} {usage}"]
        if "-h" in command_line_words() and "--help" not in command_line_words():
            parts += [record.summary, *_brief_help(record)]
        else:
            parts += [*_wrapped_paragraphs(self.help or ""), *_full_help(options)]
        formatter.write("\n\n".join(parts) + "\n")


def _brief_help(record: command_table.Command) -> list[str]:
    """Return examples and the usual options of a command."""
    calls = "\n".join(f"  massprops {record.name} {call}".rstrip() for call in record.examples)
    usual = [one for name in record.usual.split() if not (one := record.option(name)).is_setting]
    parts = [f"{_heading('Examples')}\n{calls}"]
    if usual:
        parts.append(f"{_heading('Usual options')}\n{_help_table([_option_row(option) for option in usual])}")
    return [*parts, f"All options: massprops {record.name} --help"]


def _full_help(options: Sequence[Option]) -> list[str]:
    """Return arguments and all options of a command, in panels."""
    arguments = [(one.metavar, one.help) for one in options if one.kind in _ARGUMENT_KINDS]
    parts = [_help_table(arguments)] if arguments else []
    rows = {panel: [_option_row(one) for one in options if one.panel == panel] for panel in PANELS}
    parts += [f"{_heading(panel)}\n{_help_table(of_panel)}" for panel, of_panel in rows.items() if of_panel]
    settings = [one for one in options if one.is_setting]
    has_config = any(one.name == "config" for one in options)
    if len(settings) > _MOST_LISTED and has_config:
        text = (
            f"{SETTINGS}: {len(settings)} more keys of massprops.toml (massprops init) for --config. -h: usual options."
        )
        return [*parts, *_wrapped_paragraphs(text)]
    if settings:
        table = _help_table([(f"{one.name}={one.metavar or 'true'}", _option_row(one)[1]) for one in settings])
        parts.append(f"{_heading(f'{SETTINGS}, as --config KEY=VALUE' if has_config else 'Values')}\n{table}")
    return [*parts, "-h prints examples and the usual options, --help this page."]


def _wrapped_paragraphs(text: str) -> list[str]:
    """Set paragraphs to the width of the help."""
    import textwrap

    return [textwrap.fill(part, _HELP_WIDTH, break_on_hyphens=False) for part in text.strip().split("\n\n")]


def _command_hint(args: Sequence[str]) -> str:
    """Return what was probably meant by an unknown command: the roll-up of a file, or the nearest command."""
    import shlex

    from massprops_cli.files.options import suffix_format

    name = args[0]
    if suffix_format(name)[0] or Path(name).is_file():
        return f" is a file; to roll it up: massprops rollup {shlex.join(args)}"
    known = dict.fromkeys(one.split()[0] for one in command_table.COMMAND_NAMES)
    return nearest_name_hint(name, known) or f" (expected one of {', '.join(known)})"


def _group_help(word: str) -> str:
    """Return the help of the commands that begin with a word."""
    records = {name: one for name, one in command_table.command_records().items() if name.split()[0] == word}
    rows = [(name.split()[1], one.summary) for name, one in records.items()]
    usage = f"{_heading('Usage')} massprops {word} COMMAND [OPTIONS] FILE"
    more = f"massprops {word} COMMAND --help prints the options of a command."
    return "\n\n".join((usage, command_table.COMMAND_GROUPS[word], _help_table(rows), more)) + "\n"


class _CommandTable(TyperGroup):
    """A group whose commands are named in a table and imported when they are called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands in the order of the table."""
        return list(command_table.COMMAND_NAMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command that is called."""
        return _load_command(cmd_name) if cmd_name in command_table.COMMAND_NAMES else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command of one or two words; an unknown one is an error that states the nearest name."""
        if name := command_table.command_name(args):
            return super().resolve_command(ctx, [name, *args[len(name.split()) :]])
        if args[0] in command_table.COMMAND_GROUPS:
            if len(args) > 1 and not args[1].startswith("-"):
                known = [one.split()[1] for one in command_table.COMMAND_NAMES if one.startswith(f"{args[0]} ")]
                raise UsageError(wrong_word_text(f"command of massprops {args[0]}", args[1], known))
            typer.echo(_group_help(args[0]), nl=False, color=ctx.color)
            raise typer.Exit
        if not args[0].startswith("-"):
            raise UsageError(f"unknown command: {args[0]}{_command_hint(args)}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of the tool: its commands in panels; no command is imported."""
        from massprops_cli.cli.completion import SHELLS

        parts = [f"{_heading('Usage')} massprops COMMAND [OPTIONS] FILE", *_wrapped_paragraphs(self.help or "")]
        rows: dict[str, dict[str, str]] = {panel: {} for panel in command_table.COMMAND_PANELS}
        for name, one in command_table.command_records().items():
            word = name.split()[0]
            rows[one.panel][word] = command_table.COMMAND_GROUPS.get(word, one.summary)
        width = max(len(word) for of_panel in rows.values() for word in of_panel)
        for panel, of_panel in rows.items():
            table = _help_table([(f"{word:{width}}", text) for word, text in of_panel.items()])
            parts.append(f"{_heading(panel)}\n{table}")
        options = [
            ("--version".ljust(width), "Print the version."),
            ("--install-completion SHELL", f"Install completion: {' | '.join(SHELLS)}."),
            ("--show-completion SHELL", "Print the completion script of a shell."),
            ("-h, --help", "Print this help."),
        ]
        parts += [f"{_heading('Options')}\n{_help_table(options)}", *_wrapped_paragraphs(self.epilog or "")]
        formatter.write("\n\n".join(parts) + "\n")

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **_: Any) -> Any:  # type: ignore[override] # click has more arguments
        """Run and exit with a code of the table in ``exits``."""
        sys.exit(exits.run_guarded(lambda: self.obey(sys.argv[1:] if args is None else args)))

    def obey(self, args: Sequence[str]) -> int:
        """Parse the arguments, run the command, and return its exit code; without arguments print the help."""
        color = exits.is_color_forced() or None  # keeps the style of the help in a pipe
        words, notes = command_table.current_words(args)
        exits.write_error("".join(f"massprops: note: {note}\n" for note in notes))
        with record_command_line(words), self.make_context("massprops", words or ["--help"], color=color) as context:
            code = self.invoke(context)
        return int(code or exits.EXIT_OK)


def _flatten_options(command: Callable[..., int], record: command_table.Command) -> Callable[..., int]:
    """Make a function with one parameter per option, which calls ``command`` with its options."""
    group, name = get_type_hints(command)["run"], record.name
    of_command = {one.name: one for one in record.options}
    rows: dict[str, Option | None] = {}  # those that the command has
    for one in fields(group):
        if one.metadata:
            rows[one.name] = of_command.get(one.metadata["option"].name)
    ordered = sorted(rows.items(), key=lambda pair: -1 if pair[1] is None else list(of_command).index(pair[1].name))
    options = {field: row for field, row in ordered if row is not None}
    parameters = {field: row for field, row in options.items() if not row.is_setting}

    def flat(context: typer.Context, **values: Any) -> int:
        typed = {field for field in values if getattr(context.get_parameter_source(field), "name", "") == "COMMANDLINE"}
        assigned = _assign_settings(values, options)
        for field in assigned & typed:
            raise UsageError(f"--{options[field].name} is given too; omit --config {options[field].name}=…")
        typed |= assigned
        for field, value in values.items():
            _check_option_word(options[field], value)
            _check_assigned_once(options[field], value)
        values["assigned"] = frozenset(options[field].name for field in assigned)
        if not isinstance(values.get("file"), list):
            return run(values, typed)
        if not values.get("watch"):
            return _run_with_files(name, values, lambda given: run(given, typed), make)
        from massprops_cli.cli.several_files import expand_file_names, run_watched

        files = expand_file_names(values["file"])
        first = make({**values, "file": files[0]})
        return run_watched(first, files, lambda: _run_with_files(name, values, lambda given: run(given, typed), make))

    def make(values: dict[str, Any]) -> Any:
        return group(**{field.name: values[field.name] for field in fields(group) if field.name in values})

    def run(values: dict[str, Any], typed: set[str]) -> int:
        from massprops_cli.cli.stages.output_files import check_outputs

        made = make(values)
        check_outputs(name, made)  # before a configuration is read: no output is one of the inputs
        return _run_command(name, command, _with_report_settings(name, made, options, typed))

    of_typer = [_option_parameter(field, option) for field, option in parameters.items()]
    flat.__name__ = command.__name__
    flat.__doc__ = command.__doc__
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    flat.__signature__ = inspect.Signature([context, *of_typer])  # type: ignore[attr-defined] # typing knows no such attribute
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in (context, *of_typer)}
    return flat


def _assign_settings(values: dict[str, Any], options: Mapping[str, Option]) -> set[str]:
    """Move assignments ``KEY=VALUE`` of ``--config``, or of the words of ``shape``, to their fields; return these."""
    place = "config" if "config" in options else "dims" if "dims" in options else ""
    fields_of = {one.name: field for field, one in options.items() if one.is_setting or (one.key and place == "config")}
    rest, assigned = list[str](), set[str]()
    for text in values.get(place) or ():
        key, sign, value = (part.strip() for part in text.partition("="))
        if not sign or key not in fields_of:
            rest.append(text)
            continue
        field = fields_of[key]
        given = setting_value(options[field], value)
        if field in assigned and options[field].kind != "list":
            raise UsageError(f"{key} is assigned twice; omit one")
        values[field] = [*values[field], *given] if field in assigned else given
        assigned.add(field)
    if place == "config":
        for key, sign, _ in (text.partition("=") for text in rest if not Path(text).exists()):
            if not sign and key in fields_of:
                raise UsageError(f"key of --config has no value: {key} (write --config {key}=VALUE)")
            if sign:
                hint = nearest_name_hint(key, fields_of) or "; massprops init writes a file with all keys"
                raise UsageError(f"key of --config that this command does not have: {key or 'blank'}{hint}")
        if len(rest) > 1:
            raise UsageError(f"--config names {len(rest)} files and takes one: {', '.join(rest)}")
        values["config"] = rest[0] if rest else None
    elif place:
        values[place] = rest
    return assigned


def _with_report_settings(command: str, run: Any, options: dict[str, Option], typed: set[str]) -> Any:
    """Add ``[report]`` and ``[robot]`` of the configuration to the options; those typed remain."""
    has_file = any(option.name == "config" for option in options.values())
    settings = {"report": run.settings.report, "robot": run.settings.robot} if has_file else {}
    chosen = {}
    for name, option in options.items():
        value = None if name in typed else settings.get(option.section, {}).get(option.name)
        is_accepted = option.kind != "word" or value in option.words
        if value is not None and is_accepted and not (value == "montecarlo" and command not in _SAMPLED):
            value = int(value) if option.kind == "whole" else value
            chosen[name] = list(value) if isinstance(value, tuple) else value
    is_drawn = chosen.get("uncertainty", getattr(run, "uncertainty", "")) == "montecarlo"
    used = {"report": is_drawn, "robot": getattr(run, "has_matrix", True)}
    chosen = {name: value for name, value in chosen.items() if name not in _SAMPLING or used[options[name].section]}
    return command_table.with_options(run, **chosen) if chosen else run


_VALUE_TYPES: dict[str, Any] = {
    "text": str,
    "argument": str,
    "files": list[str],
    "word": str | None,
    "list": list[str] | None,
    "flag": bool,
    "whole": int | None,
}


def _option_parameter(field: str, option: Option) -> inspect.Parameter:
    """Make the parameter that Typer reads from a row of the table of options, which has the help."""
    of_typer: Any
    if option.kind in _ARGUMENT_KINDS:
        of_typer = typer.Argument(metavar=option.metavar)
    else:
        of_typer = typer.Option(*option.spellings, metavar=option.metavar or None, min=option.least, max=option.most)
    is_list = option.kind == "argument" and option.metavar.endswith("...")  # without a default: Click 8.2 has none
    default = None if is_list else option.value
    return inspect.Parameter(
        field,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.kind in _ARGUMENT_KINDS and option.default is None else default,
        annotation=Annotated[list[str] | None if is_list else _VALUE_TYPES[option.kind], of_typer],
    )


def _check_option_word(option: Option, value: object) -> None:
    """Reject a word that an option does not take; a file format given as a report style names the other option."""
    if option.kind != "word" or value is None or value in option.words:
        return
    if option.name == "format" and value in named_option("to").words:
        raise UsageError(f"invalid --format: {value} is a file format; use --to {value}")
    raise UsageError(wrong_word_text(f"--{option.name}", value, option.words))


def _check_assigned_once(option: Option, value: Any) -> None:
    """Reject a repeated NAME=VALUE that assigns to one name twice."""
    if option.kind != "list" or option.metavar.partition("=")[0] not in ("NAME", "JOINT", "QUANTITY"):
        return
    seen: dict[str, str] = {}
    for text in command_table.split_option_values(value) if option.name == "cap" else value or ():
        name = text.partition("=")[0].strip()
        if seen.setdefault(name, text) != text:
            raise UsageError(f"--{option.name} is given twice for {name}: {seen[name]} and {text}; omit one")


def _run_command(name: str, command: Callable[..., int], run: Any) -> int:
    """Run a command; an unreadable table is reported in the style requested."""
    from massprops_cli.cli.stages import report_output as reports
    from massprops_cli.cli.stages.output_files import check_outputs, private_outputs

    if not isinstance(run, command_table.ReportOptions):
        check_outputs(name, run)
        with private_outputs(run):
            return command(run)
    reports.check_style(name, run.format)
    check_outputs(name, run)
    try:
        reports.reported_rules(run)
        with private_outputs(run):
            return reports.run_reporting_leftovers(lambda: command(run), run)
    except (TableError, FindingsError) as error:  # the latter of conditions
        if run.is_summary:  # the summary of several files has a line for it
            raise
        return reports.report_unreadable_table(error, name, run)


def _run_with_files(
    name: str, values: dict[str, Any], run: Callable[[dict[str, Any]], int], make: Callable[[dict[str, Any]], Any]
) -> int:
    """Run a command that accepts several files; patterns are expanded where the shell does not."""
    files = values["file"]
    if len(files) == 1 and not any(sign in files[0] for sign in "*?["):
        return run({**values, "file": files[0]})
    from massprops_cli.cli.several_files import expand_file_names, is_pattern, run_several_files

    has_patterns = any(map(is_pattern, files))
    if values.get("combine"):
        names = expand_file_names(files) if has_patterns else files
        return run({**values, "file": names[0], "more": names[1:]})
    names = expand_file_names(files)
    if len(names) == 1 and not has_patterns:
        return run({**values, "file": names[0]})
    command = command_table.command_module(name).command
    first = make({**values, "file": names[0]})
    return run_several_files(first, names, partial(_run_command, name, command))


def _load_command(name: str) -> Any:
    """Import the module of a command and make Typer's command of its function."""
    from typer.main import get_command

    module = command_table.command_module(name)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    described = f"{module.COMMAND.summary}\n\n{module.COMMAND.more.strip()}"
    register = single.command(name=name, cls=_TableCommand, help=described, context_settings=_CONTEXT_SETTINGS)
    register(_flatten_options(module.command, module.COMMAND))
    return get_command(single)


_CONTEXT_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    cls=_CommandTable,
    add_completion=False,
    rich_markup_mode=None,
    context_settings=_CONTEXT_SETTINGS,
    help="Roll up mass properties over a tree of parts: mass, centre of mass, inertia and their uncertainties.",
    epilog="FILE is a table (csv, xlsx, ods, parquet, json, md …) or a robot (URDF, SDF, MJCF): rollup, tree, "
    "validate, check and diff read both. Start with massprops rollup bom.xlsx. massprops COMMAND -h prints examples "
    "and the usual options of a command, massprops COMMAND --help all of them.",
)


def _show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        sys.stdout.write(f"massprops {VERSION}\n")
        raise typer.Exit


def _show_completion(shell: str) -> None:
    """Print the completion script of a shell and stop."""
    if shell:
        from massprops_cli.cli.completion import print_candidates

        print_candidates(f"source_{_checked_shell(shell)}")
        raise typer.Exit


def _install_completion(shell: str) -> None:
    """Install completion for a shell and stop."""
    if shell:
        from massprops_cli.cli.completion import COMPLETION_VARIABLE

        name, path = import_module("typer.completion").install(
            _checked_shell(shell), prog_name="massprops", complete_var=COMPLETION_VARIABLE
        )
        sys.stdout.write(f"completion for {name} installed in {path}; open a new terminal to use it\n")
        raise typer.Exit


def _checked_shell(shell: str) -> str:
    """Return the name of a shell with completion; another one is a usage error."""
    from massprops_cli.cli.completion import SHELLS

    if shell not in SHELLS:
        raise UsageError(wrong_word_text("shell", shell, SHELLS))
    return shell


@app.callback()
def _root_command(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
    install_completion: Annotated[
        str, typer.Option("--install-completion", metavar="SHELL", callback=_install_completion, is_eager=True)
    ] = "",
    show_completion: Annotated[
        str, typer.Option("--show-completion", metavar="SHELL", callback=_show_completion, is_eager=True)
    ] = "",
) -> None:
    """Root of all commands."""


def run_command_line(args: Sequence[str]) -> int:
    """Run the command line, and return its exit code."""
    from typer.main import get_command

    exits.install_sigterm_handler()
    command = get_command(app)
    assert isinstance(command, _CommandTable)
    return exits.run_guarded(lambda: command.obey(args))
