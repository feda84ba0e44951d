"""``massprops init``: a template with example rows and a commented configuration; never overwrites a file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from massprops_cli.cli.command import ArgumentOptions, Command
from massprops_cli.cli.streams import EXIT_OK, report_screen
from massprops_cli.findings.finding import OutputError, UsageError
from massprops_cli.reports.page.page import TextSpan, text_line

COMMAND = Command(
    "init",
    panel="Write",
    summary="Write an empty template (csv and xlsx) and a commented massprops.toml.",
    examples=("", "new", "projects/satellite"),
    more="""
bom-template.csv, bom-template.xlsx (with a row of units) and massprops.toml; if one of them exists, none is written.
The example rows of both templates are the same and roll up; replace them by your own.
""",
)
_TEMPLATE_FILES = ("bom-template.csv", "bom-template.xlsx", "massprops.toml")


def command(run: ArgumentOptions) -> int:
    """Check that none of the files exists, then write all three."""
    there = Path(run.folder)
    if there.exists() and not there.is_dir():
        raise UsageError(f"{there}: path is not a folder")
    existing = [name for name in _TEMPLATE_FILES if (there / name).exists() or (there / name).is_symlink()]
    if existing:
        raise UsageError(f"{there / existing[0]}: file exists; init never overwrites a file, and nothing was written")
    templates = files("massprops_cli.cli").joinpath("templates")  # docs/make_template.py
    written: list[Path] = []
    try:
        there.mkdir(parents=True, exist_ok=True)
        for name in _TEMPLATE_FILES:
            with (there / name).open("xb") as file:
                written.append(there / name)
                file.write(templates.joinpath(name).read_bytes())
    except OSError as error:
        for path in written:
            path.unlink()  # none is left cut short
        raise OutputError(f"{error.filename or there}: {error.strerror or error}") from None
    screen = report_screen(data_on_stdout=False)
    screen.show([text_line(TextSpan(screen.symbols.good, "good"), f" {there / name}") for name in _TEMPLATE_FILES])
    return EXIT_OK
