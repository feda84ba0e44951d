"""Make the man pages and the completion scripts of the wheel from the table of options and the records of the commands.

python docs/make_man.py FOLDER     # writes them below FOLDER/share; builds call shared_files
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from massprops_cli._front import VERSION
from massprops_cli.cli.command import COMMAND_PANELS, Command, command_records
from massprops_cli.options import PANELS, SETTINGS, Option

MAN = "share/man/man1"
SUMMARY = "roll up mass properties over trees of parts"
DESCRIPTION = """massprops computes the mass properties of trees of parts: mass, centre of mass (CG), inertia tensor, \
and the uncertainty of each. It reads a bill of materials in CSV or Excel, reports every problem with its cell and a \
hint, and writes the same table with all assemblies filled in."""
EXITS = (
    ("0", "Done; also if the reader closed the pipe."),
    ("1", "A table was read, and has findings at or above --fail-on."),
    ("2", "No table could be read, a wrong call or configuration, or an output that could not be written."),
    ("130, 143", "Interrupted, terminated."),
)
VARIABLES = (
    ("NO_COLOR", "Disables colour."),
    ("FORCE_COLOR", "Enables colour in a pipe."),
    ("COLUMNS", "Width of the screen."),
)
BASH = """_massprops_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $( env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _MASSPROPS_COMPLETE=complete_bash "$1" ) )
    return 0
}

complete -o default -F _massprops_completion massprops
"""
ZSH = """#compdef massprops
eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _MASSPROPS_COMPLETE=complete_zsh massprops)
"""
_FISH = (
    "env _MASSPROPS_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION={}"
    " _TYPER_COMPLETE_ARGS=(commandline -cp) massprops"
)
_ARGUMENTS, _CONDITION = _FISH.format("get-args"), _FISH.format("is-args")
FISH = f'complete --command massprops --no-files --arguments "({_ARGUMENTS})" --condition "{_CONDITION}"\n'


def shared_files() -> dict[str, str]:
    """Return the texts of all files below ``share`` of an installation, by their names."""
    records = command_records()
    pages = {f"{MAN}/{page_name(name)}.1": command_page(record) for name, record in records.items()}
    return {
        f"{MAN}/massprops.1": main_page(records.values()),
        **pages,
        "share/bash-completion/completions/massprops": BASH,
        "share/zsh/site-functions/_massprops": ZSH,
        "share/fish/vendor_completions.d/massprops.fish": FISH,
    }


def page_name(command: str) -> str:
    """Return the name of the page of a command: ``massprops-parts-partition``."""
    return f"massprops-{command.replace(' ', '-')}"


def main_page(records: Iterable[Command]) -> str:
    """Return the page of the program: its commands, exit codes and variables."""
    lines = [*_head("massprops", SUMMARY), ".SH SYNOPSIS", r"\fBmassprops\fR \fICOMMAND\fR [\fIOPTIONS\fR] \fIFILE\fR"]
    lines += [
        r".br",
        r"\fBmassprops\fR \fICOMMAND\fR \fB\-h\fR | \fB\-\-help\fR",
        ".br",
        r"\fBmassprops \-\-version\fR",
    ]
    lines += [".SH DESCRIPTION", roff(DESCRIPTION), ".SH COMMANDS"]
    rows = list(records)
    for panel in COMMAND_PANELS:
        lines.append(f".SS {roff(panel)}")
        for one in (one for one in rows if one.panel == panel):
            lines += _tagged(rf"\fB{roff(page_name(one.name))}\fR(1)", one.summary)
    lines += [*_last_sections(), ".SH FILES"]
    lines += _tagged(
        r"\fImassprops.toml\fR",
        "Options and settings of the tables of a folder; massprops init writes a commented one.",
    )
    return "\n".join(lines) + "\n"


def command_page(record: Command) -> str:
    """Return the page of a command: summary, examples, all options, settings."""
    name = page_name(record.name)
    options = record.options
    arguments = [one for one in options if one.kind in ("argument", "files")]
    usage = " ".join(rf"\fI{roff(one.metavar)}\fR" for one in arguments)
    lines = [*_head(name, record.summary.rstrip(".")), ".SH SYNOPSIS"]
    lines += [rf"\fBmassprops {roff(record.name)}\fR [\fIOPTIONS\fR] {usage}".rstrip(), ".SH DESCRIPTION"]
    lines.append(roff(record.summary))
    for paragraph in record.more.strip().split("\n\n") if record.more.strip() else ():
        lines += [".PP", roff(" ".join(paragraph.split()))]
    for one in arguments:
        lines += _tagged(rf"\fI{roff(one.metavar)}\fR", one.help)
    lines.append(".SH OPTIONS")
    for panel in (*PANELS, SETTINGS):
        found = [one for one in options if one.panel == panel]
        lines += [f".SS {roff(panel)}"] if found else []
        for one in found:
            lines += _tagged(_spelling(one, record), _option_text(one))
    lines += _tagged(r"\fB\-h\fR, \fB\-\-help\fR", "Print examples and the usual options, or all of them.")
    lines += [".SH EXAMPLES", ".nf"]
    lines += [roff(f"massprops {record.name} {call}".rstrip()) for call in record.examples]
    return "\n".join([*lines, ".fi", *_last_sections(), ".SH SEE ALSO", r"\fBmassprops\fR(1)"]) + "\n"


def _head(name: str, summary: str) -> list[str]:
    """Return the head of a page, which has no date: the version decides."""
    title = f'.TH {roff(name.upper())} 1 "" "massprops {VERSION}" "massprops"'
    first = summary[:1].lower() + summary[1:] if summary[1:2].islower() else summary
    return [title, ".SH NAME", rf"{roff(name)} \- {roff(first)}"]


def _last_sections() -> Iterator[str]:
    """Yield exit codes and variables, which are those of every command."""
    for heading, rows in (("EXIT STATUS", EXITS), ("ENVIRONMENT", VARIABLES)):
        yield f".SH {heading}"
        for name, text in rows:
            yield from _tagged(rf"\fB{roff(name)}\fR", text)


def _tagged(tag: str, text: str) -> list[str]:
    """Return a paragraph with a tag, which is in roff already."""
    return [".TP", tag, roff(text)]


def _spelling(option: Option, record: Command) -> str:
    """Return the spellings of an option, with its value."""
    value = rf"\fI{roff(option.metavar)}\fR" if option.metavar else ""
    if option.is_setting:
        before = "" if record.name == "shape" else r"\fB\-\-config\fR "
        return rf"{before}\fB{roff(option.name)}=\fR{value or 'true'}"
    spellings = ", ".join(rf"\fB{roff(one)}\fR" for one in sorted(option.spellings, key=len))
    return f"{spellings} {value}".rstrip()


def _option_text(option: Option) -> str:
    """Return the help of an option with its words and its default."""
    words = f": {', '.join(option.words)}" if option.words else ""
    default = f" Default: {option.default_text}." if option.default_text else ""
    return f"{option.help.removesuffix('.')}{words}.{default}"


def roff(text: str) -> str:
    """Escape a text for roff.

    >>> print(roff(".a -b 'c'"))
    \\&.a \\-b \\(aqc\\(aq
    >>> print(roff("1 σ"))
    1 \\[u03C3]
    """
    for mark, written in (("\\", r"\e"), ("-", r"\-"), ("'", r"\(aq"), ("^", r"\(ha"), ("~", r"\(ti"), ("`", r"\(ga")):
        text = text.replace(mark, written)
    text = "".join(sign if sign.isascii() else rf"\[u{ord(sign):04X}]" for sign in text)
    return rf"\&{text}" if text.startswith(".") else text


if __name__ == "__main__":
    for file, content in shared_files().items():
        target = Path(sys.argv[1], file)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
