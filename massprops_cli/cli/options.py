"""Every option of the command line, declared once, in groups that commands take.

The options that take one word of a few.

The options that say what a table means.

The options that speak of uncertainties: how they are rolled up, drawn, and shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer


class Style(StrEnum):
    """How findings, and the report, are written."""

    full = "full"
    concise = "concise"
    json = "json"
    jsonl = "jsonl"
    md = "md"
    junit = "junit"
    sarif = "sarif"
    github = "github"
    gitlab = "gitlab"
    openmetrics = "openmetrics"


class _BlankQuantity(StrEnum):
    """What a blank quantity of a variant counts."""

    zero = "0"
    one = "1"


class _FailureSeverity(StrEnum):
    """The least grave finding that makes the exit code 1."""

    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


class _AssemblyValues(StrEnum):
    """What an assembly row's own numbers are."""

    check = "check"
    own = "own"
    stated = "stated"
    ignore = "ignore"


class _MassMeaning(StrEnum):
    """What a row's mass is of: one piece, or all pieces of the row."""

    each = "each"
    line = "line"


class _QuantityMeaning(StrEnum):
    """How a row's quantity counts: in one piece of its parent, or in the whole."""

    per_parent = "per-parent"
    total = "total"


class Layout(StrEnum):
    """How the table states its hierarchy."""

    parent = "parent"
    level = "level"
    dotted = "dotted"
    indented = "indented"
    columns = "columns"
    outline = "outline"
    edges = "edges"
    flat = "flat"


class UncertaintyMethod(StrEnum):
    """How uncertainties are rolled up."""

    covariance = "covariance"
    massprops = "massprops"
    montecarlo = "montecarlo"
    none = "none"


class _CorrelationScope(StrEnum):
    """Whose errors are shared."""

    none = "none"
    part = "part"
    all = "all"


class _DistributionKind(StrEnum):
    """How inputs are distributed, where the table does not say."""

    normal = "normal"
    lognormal = "lognormal"
    uniform = "uniform"
    triangular = "triangular"
    truncated = "truncated"


class _ProductSign(StrEnum):
    """A sign convention of products of inertia."""

    plus = "+"
    minus = "-"


class _OutputProductSign(StrEnum):
    """The sign convention in which aggregates are written."""

    plus = "+"
    minus = "-"
    keep = "keep"


_READING_PANEL, MEANING_PANEL, FINDINGS_PANEL, OUTPUT_PANEL, SCREEN_PANEL = (
    "Reading",
    "Meaning",
    "Findings",
    "Output",
    "Screen",
)

RepeatedOption = list[str] | None


@dataclass(frozen=True)
class InputOptions:
    """What is read, and how its bytes become a table."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="The table; - reads standard input.")]
    from_format: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="The input's format; found by itself if not given.",
            rich_help_panel=_READING_PANEL,
        ),
    ] = ""
    sheet: Annotated[
        str,
        typer.Option(
            "--sheet",
            metavar="NAME|N",
            help="The worksheet, by name or by number from 1.",
            rich_help_panel=_READING_PANEL,
        ),
    ] = ""
    encoding: Annotated[
        str,
        typer.Option(
            "--encoding", metavar="NAME", help="The text encoding, such as cp1252.", rich_help_panel=_READING_PANEL
        ),
    ] = ""
    delimiter: Annotated[
        str,
        typer.Option(
            "--delimiter",
            metavar="CHAR",
            help="The character between fields, or the word tab.",
            rich_help_panel=_READING_PANEL,
        ),
    ] = ""
    config: Annotated[
        str,
        typer.Option(
            "--config", metavar="FILE", help="Read options from this file too.", rich_help_panel=_READING_PANEL
        ),
    ] = ""
    max_members: Annotated[
        int | None, typer.Option("--max-members", help="Most members of a workbook.", rich_help_panel=_READING_PANEL)
    ] = None
    max_inflated: Annotated[
        int | None,
        typer.Option(
            "--max-inflated",
            metavar="BYTES",
            help="Most bytes a workbook may unpack to.",
            rich_help_panel=_READING_PANEL,
        ),
    ] = None
    max_ratio: Annotated[
        int | None,
        typer.Option("--max-ratio", help="Most unpacked bytes per packed byte.", rich_help_panel=_READING_PANEL),
    ] = None
    max_cells: Annotated[
        int | None, typer.Option("--max-cells", help="Most cells of a workbook.", rich_help_panel=_READING_PANEL)
    ] = None
    max_cell_characters: Annotated[
        int | None,
        typer.Option("--max-cell-characters", help="Most characters of one cell.", rich_help_panel=_READING_PANEL),
    ] = None
    max_depth: Annotated[
        int | None,
        typer.Option(
            "--max-depth",
            help="Maximum number of levels of the tree; 10,000 by default.",
            rich_help_panel=_READING_PANEL,
        ),
    ] = None
    max_items: Annotated[
        int | None,
        typer.Option("--max-items", help="Most items after expanding repeated parts.", rich_help_panel=_READING_PANEL),
    ] = None


@dataclass(frozen=True)
class ReportOptions:
    """How findings are told, and which of them count."""

    format: Annotated[
        Style | None,
        typer.Option(
            "--format",
            metavar="STYLE",
            help="How the report is written: full, concise, json, jsonl or md; for CI, where a command has findings "
            "alone to tell, also junit, sarif, github, gitlab or openmetrics.",
            rich_help_panel=FINDINGS_PANEL,
        ),
    ] = None
    fail_on: Annotated[
        _FailureSeverity,
        typer.Option(
            "--fail-on",
            metavar="SEVERITY",
            help="The least grave finding that makes the exit code 1: error, warning, note or never.",
            rich_help_panel=FINDINGS_PANEL,
        ),
    ] = _FailureSeverity.error
    select: Annotated[
        RepeatedOption,
        typer.Option(
            "--select",
            metavar="CODES",
            help="Only these rules: MP403, or a block such as MP4.",
            rich_help_panel=FINDINGS_PANEL,
        ),
    ] = None
    ignore: Annotated[
        RepeatedOption,
        typer.Option("--ignore", metavar="CODES", help="Not these rules.", rich_help_panel=FINDINGS_PANEL),
    ] = None
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say everything that was decided.", rich_help_panel=SCREEN_PANEL)
    ] = False
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say on stderr what inspect says of the table.", rich_help_panel=SCREEN_PANEL),
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say errors only.", rich_help_panel=SCREEN_PANEL)] = False


@dataclass(frozen=True)
class OutputOptions:
    """Where results go."""

    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; - is standard output.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = ""
    to_format: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="csv tsv xlsx xlsm json jsonl parquet feather md.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = ""
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing output.", rich_help_panel=OUTPUT_PANEL)
    ] = False


@dataclass(frozen=True)
class ResultOptions:
    """What a roll-up puts into the table."""

    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            help="Write into the input itself; keeps NAME.bak.SUFFIX, never writing over one.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = False
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Roll up what can be, in spite of errors.", rich_help_panel=FINDINGS_PANEL),
    ] = False
    add: Annotated[
        RepeatedOption,
        typer.Option(
            "--add",
            metavar="WHAT",
            help="Further columns: radii,sigma,rho,principal,coverage; rho is correlations.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = None
    write_poi: Annotated[
        _OutputProductSign | None,
        typer.Option("--write-poi", help="Sign convention of written products.", rich_help_panel=OUTPUT_PANEL),
    ] = None
    overwrite_formulas: Annotated[
        bool,
        typer.Option("--overwrite-formulas", help="Write over cells that hold formulas.", rich_help_panel=OUTPUT_PANEL),
    ] = False


@dataclass(frozen=True)
class AggregationOptions:
    """Other columns to roll up, and labels to subtotal by."""

    sum: Annotated[
        RepeatedOption,
        typer.Option("--sum", metavar="COLUMN", help="Add up a column.", rich_help_panel="Other columns"),
    ] = None
    max: Annotated[
        RepeatedOption,
        typer.Option("--max", metavar="COLUMN", help="Greatest below.", rich_help_panel="Other columns"),
    ] = None
    min: Annotated[
        RepeatedOption, typer.Option("--min", metavar="COLUMN", help="Least below.", rich_help_panel="Other columns")
    ] = None
    mean: Annotated[
        RepeatedOption,
        typer.Option("--mean", metavar="COLUMN", help="Mean, weighted by mass.", rich_help_panel="Other columns"),
    ] = None
    rss: Annotated[
        RepeatedOption,
        typer.Option("--rss", metavar="COLUMN", help="Root of the sum of squares.", rich_help_panel="Other columns"),
    ] = None
    by: Annotated[
        RepeatedOption,
        typer.Option("--by", metavar="COLUMNS", help="Subtotals by text columns.", rich_help_panel="Other columns"),
    ] = None


@dataclass(frozen=True)
class FrameOptions:
    """In which frame the screen shows the root."""

    datum: Annotated[
        str,
        typer.Option("--datum", metavar="X,Y,Z", help="Show centres from this origin.", rich_help_panel=SCREEN_PANEL),
    ] = ""
    about: Annotated[
        str,
        typer.Option(
            "--about", metavar="POINT", help="Show inertia about 0,0,0, item:ID or cg.", rich_help_panel=SCREEN_PANEL
        ),
    ] = "cg"
    principal: Annotated[
        bool, typer.Option("--principal", help="Show principal moments and axes.", rich_help_panel=SCREEN_PANEL)
    ] = False


def split_option_values(given: RepeatedOption) -> tuple[str, ...]:
    """Split repeated and comma-separated values into one list.

    >>> split_option_values(["radii,sigma", "coverage"])
    ('radii', 'sigma', 'coverage')
    """
    return tuple(word.strip() for text in given or () for word in text.split(",") if word.strip())


@dataclass(frozen=True)
class MeaningOptions:
    """What the table means."""

    layout: Annotated[
        Layout | None,
        typer.Option(
            "--layout",
            metavar="LAYOUT",
            help="How the hierarchy is stated: parent, level, dotted, indented, columns, outline, edges or flat; "
            "found by itself if not given.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    table: Annotated[
        int,
        typer.Option(
            "--table",
            metavar="N",
            min=0,
            help="Which table of a sheet that holds several, from 1; 0 is the only one.",
            rich_help_panel=MEANING_PANEL,
            show_default=False,
        ),
    ] = 0
    map: Annotated[
        RepeatedOption,
        typer.Option(
            "--map",
            metavar="QUANTITY=HEADER",
            help='Name a column: --map id="Part Number".',
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    frozen: Annotated[
        bool,
        typer.Option(
            "--frozen",
            help="Read only the columns that --map or massprops.toml names; another one that means a quantity is an "
            "error.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = False
    unit: Annotated[
        RepeatedOption,
        typer.Option(
            "--unit", metavar="QUANTITY=UNIT", help="State a unit: --unit mass=kg.", rich_help_panel=MEANING_PANEL
        ),
    ] = None
    units: Annotated[
        str,
        typer.Option(
            "--units",
            metavar="SYSTEM",
            help="Rewrite every number in SI, kg,mm, lb,in …",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = ""
    as_weight: Annotated[
        bool,
        typer.Option("--as-weight", help="The masses are weights (a force unit).", rich_help_panel=MEANING_PANEL),
    ] = False
    poi: Annotated[
        _ProductSign | None,
        typer.Option(
            "--poi",
            help="Sign convention of the products, without a column POIconv.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    mass_is: Annotated[
        _MassMeaning | None,
        typer.Option(
            "--mass-is",
            metavar="WHAT",
            help="What a row's mass is of: each piece, the default, or the line, all pieces of the row.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    qty_is: Annotated[
        _QuantityMeaning | None,
        typer.Option(
            "--qty-is",
            metavar="WHAT",
            help="What a quantity counts: per-parent, the default, or the total, already multiplied by those above.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    inertia_about: Annotated[
        str,
        typer.Option(
            "--inertia-about",
            metavar="POINT",
            help="What the cells of inertia are about: own, the default, for each item's own centre, origin, or x,y,z.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = ""
    root: Annotated[
        str,
        typer.Option("--root", metavar="ID", help="Take only the tree below this item.", rich_help_panel=MEANING_PANEL),
    ] = ""
    make_root: Annotated[
        str,
        typer.Option(
            "--make-root",
            metavar="ID",
            help="Put several top items under a new root.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = ""
    where: Annotated[
        RepeatedOption,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help='Keep the rows that match: --where "subsystem = Power".',
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    ignore_column: Annotated[
        RepeatedOption,
        typer.Option(
            "--ignore-column",
            metavar="HEADER",
            help="Do not read this column, whatever its heading names.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    count_row: Annotated[
        RepeatedOption,
        typer.Option(
            "--count-row",
            metavar="LABEL",
            help="Count this row as a part, although it may be a total, margin or limit; or row:N.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    skip_row: Annotated[
        RepeatedOption,
        typer.Option(
            "--skip-row",
            metavar="LABEL",
            help="Do not count this row as a part: it is a total, margin or limit; or row:N.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    decimal: Annotated[
        str,
        typer.Option(
            "--decimal",
            metavar="MARK",
            help="The decimal mark of numbers written as text: , or . (found by itself where it can be only one).",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = ""
    accept_approximate: Annotated[
        bool,
        typer.Option("--accept-approximate", help="Take ~3 and ca. 3 as 3.", rich_help_panel=MEANING_PANEL),
    ] = False
    qty_column: Annotated[
        RepeatedOption,
        typer.Option(
            "--qty-column",
            metavar="HEADER",
            help='Take quantities from this column: --qty-column "Variant B".',
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    blank_qty: Annotated[
        _BlankQuantity | None,
        typer.Option(
            "--blank-qty",
            help="What a blank cell under --qty-column counts: 0 or 1.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    allow_missing: Annotated[
        RepeatedOption,
        typer.Option(
            "--allow-missing",
            metavar="WHAT",
            help="What may be missing: mass,center,inertia,sigma, all or none; inertia,sigma by default.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="As --allow-missing none: check leaves as the R package massProps does.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = False
    allow_negative_mass: Annotated[
        bool,
        typer.Option("--allow-negative-mass", help="Negative masses are meant.", rich_help_panel=MEANING_PANEL),
    ] = False
    assembly_values: Annotated[
        _AssemblyValues | None,
        typer.Option(
            "--assembly-values",
            metavar="HOW",
            help="What assembly rows' own numbers are: check, own, stated or ignore.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = None
    growth_table: Annotated[
        str,
        typer.Option(
            "--growth-table",
            metavar="FILE|NAME",
            help="Growth by category and maturity: a csv file, or the name of an example that comes along.",
            rich_help_panel=MEANING_PANEL,
        ),
    ] = ""


_UNCERTAINTY_PANEL, _MONTE_CARLO_PANEL = "Uncertainty", "Monte Carlo"


@dataclass(frozen=True)
class SigmaOptions:
    """What the table's sigmas are, and what becomes of them."""

    uncertainty: Annotated[
        UncertaintyMethod | None,
        typer.Option(
            "--uncertainty",
            metavar="METHOD",
            help="covariance (exact to first order), massprops (level by level), montecarlo or none; "
            "covariance when the table states sigmas.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = None
    sigmas_are: Annotated[
        int | None,
        typer.Option(
            "--sigmas-are",
            metavar="K",
            min=1,
            max=3,
            help="The table's sigmas are 1, 2 or 3 standard deviations; 1 where neither this nor a header says.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = None


@dataclass(frozen=True)
class UncertaintyOptions(SigmaOptions):
    """How uncertainties are rolled up, and whose errors are shared."""

    correlate: Annotated[
        _CorrelationScope,
        typer.Option(
            "--correlate",
            metavar="WHOM",
            help="Whose errors are shared: none, part (pieces and uses of one part number) or all.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = _CorrelationScope.none
    correlate_centers: Annotated[
        bool,
        typer.Option(
            "--correlate-centers", help="Errors of centres are shared too.", rich_help_panel=_UNCERTAINTY_PANEL
        ),
    ] = False
    correlations: Annotated[
        str,
        typer.Option(
            "--correlations",
            metavar="FILE",
            help="Correlations between groups, in columns a, b, quantity, rho.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = ""


@dataclass(frozen=True)
class MonteCarloOptions:
    """How Monte Carlo draws."""

    samples: Annotated[
        int,
        typer.Option("--samples", metavar="N", min=2, help="How often to draw.", rich_help_panel=_MONTE_CARLO_PANEL),
    ] = 10_000
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            help="The same seed draws the same numbers.",
            rich_help_panel=_MONTE_CARLO_PANEL,
        ),
    ] = 0
    distribution: Annotated[
        _DistributionKind,
        typer.Option(
            "--distribution",
            metavar="KIND",
            help="normal, lognormal, uniform, triangular or truncated, where a row does not say.",
            rich_help_panel=_MONTE_CARLO_PANEL,
        ),
    ] = _DistributionKind.normal
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, help="Cores to draw on.", rich_help_panel=_MONTE_CARLO_PANEL)
    ] = 1
    scheduler: Annotated[
        str,
        typer.Option(
            "--scheduler",
            metavar="TCP",
            help="Draw on this Dask cluster: tcp://host:8786.",
            rich_help_panel=_MONTE_CARLO_PANEL,
        ),
    ] = ""


@dataclass(frozen=True)
class UncertaintyReportOptions:
    """What is asked of the uncertain numbers."""

    item: Annotated[
        RepeatedOption,
        typer.Option(
            "--item",
            metavar="ID",
            help="Show percentiles, histogram and intervals of this item too.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = None
    sigma_level: Annotated[
        int,
        typer.Option(
            "--sigma-level",
            metavar="K",
            min=1,
            max=3,
            help="Give results as 1, 2 or 3 sigma; every heading says so.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = 1
    probability: Annotated[
        RepeatedOption,
        typer.Option(
            "--probability",
            metavar="WHAT",
            help='How sure: "mass <= 850 kg", "Cx in -5..5 mm".',
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = None
    interval: Annotated[
        RepeatedOption,
        typer.Option(
            "--interval",
            metavar="PERCENT",
            help="Intervals that hold so much: 95%.",
            rich_help_panel=_UNCERTAINTY_PANEL,
        ),
    ] = None
    covariance: Annotated[
        str,
        typer.Option(
            "--covariance",
            metavar="FILE",
            help="Write every item's whole covariance to this parquet, json or csv file.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = ""
    plot: Annotated[
        str,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the methods side by side, or histograms of the samples: svg, png or pdf.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = ""
