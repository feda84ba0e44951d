"""Write ``cli.md``, the reference of the command line, from the table of options and the records of the commands.

python docs/make_cli.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from massprops_cli.cli.command import COMMAND_PANELS, Command, command_records
from massprops_cli.options import OPTIONS, PANELS, Option

PAGE = Path(__file__).with_name("cli.md")
SAMPLES = Path(__file__).parents[1] / "sample_data"
SHARED = 4
"""An option that this many commands share is described once, below the commands."""
HEAD = """# Commands

`massprops COMMAND -h` prints examples and the usual options of a command, `massprops COMMAND --help` details and all
options, `massprops --version` the version. Options with several values may be repeated or given with commas; a repeated
option with one value is an error. Options may also be in [massprops.toml](configuration.md), whose other keys are
[settings](#settings). Options of several commands are [below](#options-for-output).

The examples run in the folder `sample_data` of the repository:

```console
$ cd sample_data
```
"""
TAIL = """## Several files

`validate`, `rollup` and `check` accept several files and patterns (`*`, `?`, `[…]`, `**` for folders); a pattern
without a file is an error. Each file is a run of its own with one line of summary; `--format full` or `-v` prints the
findings, `--format json` a list of reports. `-o` is a folder. The exit code is the highest of all files.
`--covariance`, `--plot`, `--save-map`, `--report` and the styles `junit sarif gitlab openmetrics` apply to one file.
With `--combine`, the files are [one tree](tables/formats.md#one-tree-from-several-files).

## Exit codes

| code | meaning |
|---|---|
| 0 | done; also if the reader closed the pipe |
| 1 | a table was read, and has findings at or above `--fail-on` |
| 2 | no table could be read, a wrong call or configuration, or an output that could not be written |
| 130, 143 | interrupted, terminated |

Reports contain no times or host names. `NO_COLOR` disables colour, `FORCE_COLOR` enables it in a pipe, `COLUMNS` sets
the width. Control characters of the input are printed as blanks or escapes; no printed line can be a command of a CI
log.
"""
PAGES = {
    "condition": "howto/conditions.md",
    "conditions": "howto/conditions.md",
    "layout": "tables/layouts.md",
    "map": "tables/columns.md",
    "unit": "tables/units.md",
    "units": "tables/units.md",
    "positive": "traps.md",
    "mass-is": "tables/quantities.md",
    "qty-is": "tables/quantities.md",
    "qty-column": "tables/quantities.md",
    "blank-qty": "tables/quantities.md",
    "all-variants": "tables/quantities.md",
    "inertia-about": "tables/inertia.md",
    "poi": "tables/inertia.md",
    "frame": "tables/poses.md",
    "where": "tables/totals.md",
    "count-row": "tables/totals.md",
    "skip-row": "tables/totals.md",
    "assembly-values": "tables/totals.md",
    "decimal": "tables/numbers.md",
    "accept-approximate": "tables/numbers.md",
    "allow-missing": "tables/missing_values.md",
    "growth-table": "tables/growth.md",
    "materials": "shapes.md",
    "tolerances-are": "shapes.md",
    "mesh-units": "meshes.md",
    "calculator": "meshes.md",
    "q": "tables/robots.md",
    "default-inertial": "tables/robots.md",
    "into-robot": "tables/robots.md",
    "columns": "tables/formats.md",
    "combine": "tables/formats.md",
    "tree": "tables/formats.md",
    "cap": "tables/limits.md",
    "config": "configuration.md",
    "sigmas-are": "tables/uncertainty.md",
    "correlate": "tables/uncertainty.md",
    "correlations": "tables/uncertainty.md",
    "uncertainty": "howto/uncertainty.md",
    "probability": "howto/uncertainty.md",
    "scheduler": "howto/fleet.md",
    "workers": "howto/fleet.md",
    "partition": "howto/fleet.md",
    "budget": "howto/budget_in_ci.md",
    "threshold": "diff.md",
    "reasons": "diff.md",
    "match": "diff.md",
    "method": "mechanisms.md",
    "reduce": "mechanisms.md",
    "add": "tables/output.md",
    "keep-going": "tables/output.md",
    "in-place": "tables/output.md",
    "output": "tables/output.md",
    "format": "tables/output.md",
    "about": "tables/output.md",
}
"""Where a page describes an option in detail; an option that was removed has no effect here."""


_Users = dict[Option, tuple[str, ...]]


def text() -> str:
    """Return the page: a section for each command, and one for the shared options of each panel."""
    records = command_records()
    users: _Users = {
        option: tuple(name for name, record in records.items() if option in record.options)
        for option in OPTIONS
        if option.kind not in ("argument", "files")
    }
    lines = [HEAD]
    for panel in COMMAND_PANELS:
        names = [record.name for record in records.values() if record.panel == panel]
        links = [f"[{name}](#{name.replace(' ', '-')})" for name in names]
        lines.append(f"- {panel}: {', '.join(links)}")
    others = [name for name in records if name not in commands_with_table(users)]
    lines.append(f"\n*Commands with a table* are all but `{', '.join(others)}`.\n")
    for panel in COMMAND_PANELS:
        for record in records.values():
            if record.panel == panel:
                lines += command_section(record, users)
    lines += shared_sections(users)
    lines += ["## Settings\n", "Keys of massprops.toml, given on the command line as `--config KEY=VALUE`:\n"]
    lines += option_table(one for one in OPTIONS if one.is_setting and one.users != "shape" and one.section != "robot")
    return "\n".join([*lines, TAIL])


def command_section(record: Command, users: _Users) -> list[str]:
    """Return the section of a command: its line, its examples, and the options that few other commands have."""
    examples = [f"$ massprops {record.name} {call}".rstrip() for call in record.examples[:1]]
    first = record.examples[0].partition(" ")[0]
    for folder in ("budget", "conditions"):
        if (SAMPLES / folder / first).is_file():
            examples = [f"$ cd {folder}", *examples, "$ cd .."]
    own = [option for option in record.options if option in users and is_own(option, record, users)]
    homes = {option: home_of(option, record, users) for option in own}
    return [
        *[f"## {record.name}", "", record.summary, "", "```console", *examples, "```", ""],
        *option_table(option for option in own if homes[option] == record.name),
        *references({option: home for option, home in homes.items() if home != record.name}),
    ]


def home_of(option: Option, record: Command, users: _Users) -> str:
    """Return the section that describes an option of a command: of the first command that has it, or the settings."""
    if option.is_setting:
        return record.name if option.users == "shape" or option.section == "robot" else "settings"
    records = command_records()
    return min(users[option], key=lambda name: COMMAND_PANELS.index(records[name].panel))


def references(homes: dict[Option, str]) -> Iterator[str]:
    """Yield a line with the options of a command that other sections describe."""
    listed: dict[str, list[str]] = {}
    for option, home in homes.items():
        listed.setdefault(home, []).append(f"`{option.name if option.is_setting else f'--{option.name}'}`")
    parts = [f"{', '.join(names)} of [{home}](#{home.replace(' ', '-')})" for home, names in listed.items()]
    if parts:
        yield f"Also {'; '.join(parts)}.\n"


def is_own(option: Option, record: Command, users: _Users) -> bool:
    """Return whether an option is described in the section of a command."""
    return (
        option.section == "robot" or record.name == "parts shape" if option.is_setting else not is_shared(users[option])
    )


def is_shared(names: tuple[str, ...]) -> bool:
    """Return whether an option of these commands is described below the commands."""
    return len(names) >= SHARED


def heading_of(panel: str) -> str:
    """Return the heading of the shared options of a panel."""
    return f"Options for {panel.lower()}"


def commands_with_table(users: _Users) -> tuple[str, ...]:
    """Return the commands that have the same options for reading a table: those that share most options."""
    return Counter(users.values()).most_common(1)[0][0]


def shared_sections(users: _Users) -> Iterator[str]:
    """Yield the sections of the shared options: a table for each group of commands that have the same ones."""
    table_commands = commands_with_table(users)
    for panel in PANELS:
        groups: dict[tuple[str, ...], list[Option]] = {}
        for option, names in users.items():
            if option.panel == panel and is_shared(names):
                groups.setdefault(names, []).append(option)
        if groups:
            yield f"## {heading_of(panel)}\n"
        for names, options in sorted(groups.items(), key=lambda group: (group[0] != table_commands, -len(group[1]))):
            yield f"{owners(names, table_commands)}:\n"
            yield from option_table(options)


def owners(names: tuple[str, ...], table_commands: tuple[str, ...]) -> str:
    """Return the commands that share options: by name, or as those with a table and exceptions if that is shorter."""
    missing = [name for name in table_commands if name not in names]
    added = [name for name in names if name not in table_commands]
    text = "Commands with a table"
    text += f" except `{', '.join(missing)}`" if missing else ""
    text += f", and `{', '.join(added)}`" if added else ""
    return min(text, f"`{', '.join(names)}`", key=lambda one: len(one.split()))


def option_table(options: Iterable[Option]) -> Iterator[str]:
    """Yield a table of options: name, meaning with the accepted words, and default."""
    rows = [option_row(option) for option in options]
    if rows:
        yield from ("|option|what|default|", "|---|---|---|", *rows, "")


def option_row(option: Option) -> str:
    """Return the row of an option."""
    name = f"`--{option.name} {option.metavar}".rstrip() + "`"
    if option.is_setting:
        name = f"`{option.name}={option.metavar or 'true'}`"
    what = option.help.removesuffix(".")
    if option.words:
        what += f": {' '.join(f'`{word}`' for word in option.words)}"
    if option.name in PAGES:
        name = f"[{name}]({PAGES[option.name]})"
    name += f", `{option.short}`" if option.short else ""
    cells = (name, what, option.default_text)
    return f"|{'|'.join(cell.replace('|', chr(92) + '|') for cell in cells)}|"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
