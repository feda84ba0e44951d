"""Every option of the command line, declared once, in groups that commands take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from massprops_cli.cli.choices import FailOn, Style, WriteSign

READ, MEANING, FIND, OUT, SHOW = "Reading", "Meaning", "Findings", "Output", "Screen"

Texts = list[str] | None


@dataclass(frozen=True)
class Reading:
    """What is read, and how its bytes become a table."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="The table; - reads standard input.")]
    from_format: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="The input's format; found by itself if not given.",
            rich_help_panel=READ,
        ),
    ] = ""
    sheet: Annotated[
        str,
        typer.Option(
            "--sheet",
            metavar="NAME|N",
            help="The worksheet, by name or by number from 1.",
            rich_help_panel=READ,
        ),
    ] = ""
    encoding: Annotated[
        str,
        typer.Option("--encoding", metavar="NAME", help="The text encoding, such as cp1252.", rich_help_panel=READ),
    ] = ""
    delimiter: Annotated[
        str,
        typer.Option(
            "--delimiter",
            metavar="CHAR",
            help="The character between fields, or the word tab.",
            rich_help_panel=READ,
        ),
    ] = ""
    config: Annotated[
        str,
        typer.Option("--config", metavar="FILE", help="Read options from this file too.", rich_help_panel=READ),
    ] = ""
    max_members: Annotated[
        int | None, typer.Option("--max-members", help="Most members of a workbook.", rich_help_panel=READ)
    ] = None
    max_inflated: Annotated[
        int | None,
        typer.Option(
            "--max-inflated",
            metavar="BYTES",
            help="Most bytes a workbook may unpack to.",
            rich_help_panel=READ,
        ),
    ] = None
    max_ratio: Annotated[
        int | None,
        typer.Option("--max-ratio", help="Most unpacked bytes per packed byte.", rich_help_panel=READ),
    ] = None
    max_cells: Annotated[
        int | None, typer.Option("--max-cells", help="Most cells of a workbook.", rich_help_panel=READ)
    ] = None
    max_cell_characters: Annotated[
        int | None,
        typer.Option("--max-cell-characters", help="Most characters of one cell.", rich_help_panel=READ),
    ] = None
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", help="Most levels of the tree.", rich_help_panel=READ)
    ] = None
    max_items: Annotated[
        int | None,
        typer.Option("--max-items", help="Most items after expanding repeated parts.", rich_help_panel=READ),
    ] = None


@dataclass(frozen=True)
class Reporting:
    """How findings are told, and which of them count."""

    format: Annotated[
        Style | None,
        typer.Option(
            "--format",
            metavar="STYLE",
            help="How the report is written: full, concise, json, jsonl or md; for CI, where a command has findings "
            "alone to tell, also junit, sarif, github, gitlab or openmetrics.",
            rich_help_panel=FIND,
        ),
    ] = None
    fail_on: Annotated[
        FailOn,
        typer.Option(
            "--fail-on",
            metavar="SEVERITY",
            help="The least grave finding that makes the exit code 1: error, warning, note or never.",
            rich_help_panel=FIND,
        ),
    ] = FailOn.error
    select: Annotated[
        Texts,
        typer.Option(
            "--select",
            metavar="CODES",
            help="Only these rules: MP403, or a block such as MP4.",
            rich_help_panel=FIND,
        ),
    ] = None
    ignore: Annotated[
        Texts, typer.Option("--ignore", metavar="CODES", help="Not these rules.", rich_help_panel=FIND)
    ] = None
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say everything that was decided.", rich_help_panel=SHOW)
    ] = False
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say on stderr what inspect says of the table.", rich_help_panel=SHOW),
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say errors only.", rich_help_panel=SHOW)] = False


@dataclass(frozen=True)
class Output:
    """Where results go."""

    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; - is standard output.",
            rich_help_panel=OUT,
        ),
    ] = ""
    to_format: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="csv tsv xlsx xlsm json jsonl parquet feather md.",
            rich_help_panel=OUT,
        ),
    ] = ""
    force: Annotated[bool, typer.Option("--force", help="Replace an existing output.", rich_help_panel=OUT)] = False


@dataclass(frozen=True)
class Filled:
    """What a roll-up puts into the table."""

    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            help="Write into the input itself; keeps NAME.bak.SUFFIX, never writing over one.",
            rich_help_panel=OUT,
        ),
    ] = False
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Roll up what can be, in spite of errors.", rich_help_panel=FIND),
    ] = False
    add: Annotated[
        Texts,
        typer.Option(
            "--add",
            metavar="WHAT",
            help="Further columns: radii,sigma,rho,principal,coverage; rho is correlations.",
            rich_help_panel=OUT,
        ),
    ] = None
    write_poi: Annotated[
        WriteSign | None,
        typer.Option("--write-poi", help="Sign convention of written products.", rich_help_panel=OUT),
    ] = None
    overwrite_formulas: Annotated[
        bool,
        typer.Option("--overwrite-formulas", help="Write over cells that hold formulas.", rich_help_panel=OUT),
    ] = False


@dataclass(frozen=True)
class Columns:
    """Other columns to roll up, and labels to subtotal by."""

    sum: Annotated[
        Texts,
        typer.Option("--sum", metavar="COLUMN", help="Add up a column.", rich_help_panel="Other columns"),
    ] = None
    max: Annotated[
        Texts,
        typer.Option("--max", metavar="COLUMN", help="Greatest below.", rich_help_panel="Other columns"),
    ] = None
    min: Annotated[
        Texts, typer.Option("--min", metavar="COLUMN", help="Least below.", rich_help_panel="Other columns")
    ] = None
    mean: Annotated[
        Texts,
        typer.Option("--mean", metavar="COLUMN", help="Mean, weighted by mass.", rich_help_panel="Other columns"),
    ] = None
    rss: Annotated[
        Texts,
        typer.Option("--rss", metavar="COLUMN", help="Root of the sum of squares.", rich_help_panel="Other columns"),
    ] = None
    by: Annotated[
        Texts,
        typer.Option("--by", metavar="COLUMNS", help="Subtotals by text columns.", rich_help_panel="Other columns"),
    ] = None


@dataclass(frozen=True)
class Frame:
    """In which frame the screen shows the root."""

    datum: Annotated[
        str,
        typer.Option("--datum", metavar="X,Y,Z", help="Show centres from this origin.", rich_help_panel=SHOW),
    ] = ""
    about: Annotated[
        str,
        typer.Option("--about", metavar="POINT", help="Show inertia about 0,0,0, item:ID or cg.", rich_help_panel=SHOW),
    ] = "cg"
    principal: Annotated[
        bool, typer.Option("--principal", help="Show principal moments and axes.", rich_help_panel=SHOW)
    ] = False


def listed(given: Texts) -> tuple[str, ...]:
    """Split repeated and comma-separated values into one list.

    >>> listed(["radii,sigma", "coverage"])
    ('radii', 'sigma', 'coverage')
    """
    return tuple(word.strip() for text in given or () for word in text.split(",") if word.strip())
