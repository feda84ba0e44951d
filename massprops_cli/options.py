"""The table of options: one row an option, from which the command line, massprops.toml and keyword arguments are made.

A word that an option takes, its default and its help are stated here and nowhere else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from numbers import Integral
from os import PathLike
from typing import Any, Literal, NamedTuple, get_args

from massprops_cli.findings.finding import UsageError, nearest_name_hint

AssemblyValues = Literal["check", "own", "stated", "ignore"]  # meaning of the numbers that an assembly row states
DefaultInertial = Literal["spec", "zero", "error"]
"""Inertial of a link of a robot that states none: that of the format, none, or an error."""
BlankQuantity = Literal["0", "1"]  # count of a blank cell in a quantity column of a variant
BlankCoordinate = Literal["0"]  # value of a blank coordinate of a centre of mass that has others
_CapName = Literal[
    "members", "inflated", "ratio", "cells", "columns", "cell-characters", "text-cell-characters", "characters", "repeated-cells",
    "depth", "items", "mesh-triangles",
]  # fmt: skip
Combination = Literal["branch", "id"]  # how several tables become one tree
CorrelationScope = Literal["none", "part", "all"]  # whose uncertainties are shared
DecimalMark = Literal[",", "."]
Distribution = Literal["normal", "lognormal", "uniform", "triangular", "truncated"]
FailSeverity = Literal["error", "warning", "note", "never"]  # lowest severity that gives exit code 1
ImportedFormat = Literal[
    "avl", "cpacs", "fastoad", "jsbsim", "mjcf", "openrocket", "openvsp", "sdf", "solidworks-report", "urdf", "usd"
]
"""Report of another program; it is read and not written, and identified by its content."""
FileFormat = Literal[
    "csv", "tsv", "xlsx", "xlsm", "xls", "xlsb", "ods", "parquet", "feather", "json", "jsonl", "md", ImportedFormat
]
Layout = Literal["parent", "level", "dotted", "indented", "columns", "outline", "edges", "flat"]
MassMeaning = Literal["each", "line"]
MatchKey = Literal["id", "part"]  # what the items of two revisions are matched by
MissingQuantity = Literal["mass", "center", "inertia", "sigma", "all", "none"]  # quantity whose absence is a warning
_OutputFormat = Literal["csv", "tsv", "xlsx", "xlsm", "json", "jsonl", "parquet", "feather", "md"]
AngleReading = Literal["multiples", "written"]  # of angles of a robot near multiples of 90°
BaseMethod = Literal["exact", "structural", "complex", "svd"]
RobotBase = Literal["fixed", "free"]  # how the root of a robot is joined to the ground
NumbersFrame = Literal["own", "parent", "root"]
OutputLayout = Literal["parent", "level", "dotted", "edges", "indented", "columns"]
OutputSign = Literal["+", "-", "keep"]
ProductSign = Literal["+", "-"]
QuantityMeaning = Literal["per-parent", "total"]  # pieces in one parent, or in the product
Style = Literal["space", "aircraft", "ship", "car"]  # words of trades
TreeDirection = Literal["child-parent", "parent-child"]
UncertaintyMethod = Literal["covariance", "massprops", "montecarlo", "none"]
RollupMethod = UncertaintyMethod | Literal["auto"]  # the same, or ``auto``: ``covariance`` if the table states σ

# fmt: off
SECTION_NAMES = ("headline", "status", "mass", "centre", "inertia", "uncertainty", "changes", "history", "limits", "findings", "items", "method", "certificate")
"""The sections of a design review, in their order; the certificate is there on request."""
STATUS_COLUMNS = ("previous", "change", "reason", "sigma", "growth", "predicted", "allocation", "margin", "share", "maturity", "remark")
"""Columns of its status table in addition to the branch and its basic mass."""
PICTURE_KINDS = ("treemap", "sunburst", "bars", "centre", "ellipsoid", "pareto", "waterfall", "limits", "histogram")
"""Pictures of a design review, of which ``plot`` writes one."""
# fmt: on

PANELS = ("Output", "Results", "Uncertainty", "Meaning", "Reading")
"""The panels of the help of a command, in order."""
_OUTPUT, _RESULTS, _UNCERTAINTY, _MEANING, _READING = PANELS
SETTINGS = "Settings"
"""The panel of options that are keys only: of massprops.toml and of ``--config KEY=VALUE``, or words of ``shape``."""


class Option(NamedTuple):
    """One option of the command line, of massprops.toml and of the library; ``users`` are commands and sets of options."""

    name: str
    kind: str  # text, word (of words), list (repeatable), flag, whole (least … most), argument or files (arguments)
    metavar: str
    help: str
    panel: str
    users: str
    words: tuple[str, ...] = ()
    default: Any = None
    otherwise: str = ""  # what applies without the option, where default does not state it
    keyword: str = ""  # name in calls of the library; empty if there is none
    key: str = ""  # kind of value in massprops.toml: text, list or flag; empty if there is none
    section: str = "read"  # table of massprops.toml
    short: str = ""
    least: int | None = None
    most: int | None = None
    role: str = ""  # ``input`` or ``output`` where the value names a file that is read or written

    @property
    def is_setting(self) -> bool:
        """Whether it is written ``KEY=VALUE`` only."""
        return self.panel == SETTINGS

    @property
    def spellings(self) -> tuple[str, ...]:
        """The spellings on the command line."""
        return (f"--{self.name}", *((self.short,) if self.short else ()))

    @property
    def value(self) -> Any:
        """The value that a command gets without the option."""
        return {"text": "", "flag": False}.get(self.kind) if self.default is None else self.default

    @property
    def default_text(self) -> str:
        """The default as help and documents print it; empty for a flag and where there is none."""
        return self.otherwise or ("" if self.kind == "flag" or self.default in (None, "") else str(self.default))


MACHINE_STYLES = ("junit", "sarif", "github", "gitlab", "openmetrics")
"""Report styles of CI systems, findings and limits of a budget, that ``NAME_text`` in ``reports/formats/NAME.py`` writes."""
JOINABLE_STYLES = ("github",)  # those of which several, joined, are a report
_STYLES = ("full", "concise", "json", "jsonl", "md")  # report styles of all commands with a report
_ONE_TABLE = "single-file several-files"
"""Commands that read one table: from one file, or with a run for each of several files."""
_TABLE = f"{_ONE_TABLE} diff trend plan"
_SAVED = "table-output file-output ballast verify reconcile report plot"
_REPORTED = f"{_TABLE} findings"  # the commands with findings of an input

# fmt: off
OPTIONS: tuple[Option, ...] = (
    Option("kind", "argument", "KIND", "treemap, sunburst, bars, centre, ellipsoid, pareto, waterfall, limits or histogram.", "", "plot"),
    Option("file", "argument", "FILE", "Table to read; - is standard input.", "", "single-file", role="input"),
    Option("file", "files", "FILE...", "Tables to read, or patterns such as '*.csv'; - is standard input.", "", "several-files", role="input"),
    Option("file", "argument", "FILE", "Table to read; - is standard input.", "", "plan", role="input"),
    Option("plan", "argument", "PLAN", "Control plan: a toml file.", "", "plan", role="input"),
    Option("old", "argument", "OLD", "Table before the change; - is standard input.", "", "diff", role="input"),
    Option("file", "argument", "NEW", "Table after the change; - is standard input.", "", "diff", role="input"),
    Option("file", "argument", "FILE", "First revision of a table, a history, or with --git the table.", "", "trend", role="input"),
    Option("more", "argument", "[FILE]...", "Further revisions, by the dates or the natural order of their names.", "", "trend", default=(), role="input"),
    Option("file", "argument", "MECH", "Mechanism: JSON, URDF, SDF, MJCF, a workbook or a table of bodies; - is standard input.", "", "mechanism", role="input"),
    Option("more", "argument", "[RUN]...", "Further runs, so that --data run*.csv takes them all.", "", "identify", default=(), role="input"),
    Option("part", "files", "PART...", "Tables of parts, in any order.", "", "assemble", role="input"),
    Option("file", "argument", "ROBOT", "Robot: an SDF, URDF or MJCF file; - is standard input.", "", "inertials", role="input"),
    Option("folder", "argument", "[DIR]", "Folder to write to; created if it does not exist.", "", "init", default="."),
    Option("code", "argument", "[CODE]", "Code or name of a rule, or the first characters of codes.", "", "rules", default=""),
    Option("topic", "argument", "[TOPIC]", "Name of a page, a command or a rule, or a word of pages.", "", "help", default=""),
    Option("shape", "argument", "[SHAPE|MESH]", "Name of the shape, such as cylinder, or a mesh file; without it all shapes are listed.", "", "shape", default=""),
    Option("dims", "argument", "[NAME=VALUE]...", "Dimensions and other values, such as r=50mm L=300mm material=steel.", "", "shape", default=()),
    Option("more", "argument", "[FILE]...", "Further files of one tree, with --combine.", "", "single-file", default=(), keyword="more", role="input"),

    Option("output", "text", "FILE", "Output file; - is standard output.", _OUTPUT, "table-output base-params inertials", otherwise="FILE.rollup.SUFFIX by rollup, else none", short="-o", role="output"),
    Option("output", "text", "FILE", "Write the table with the ballast as items.", _OUTPUT, "ballast", short="-o", role="output"),
    Option("output", "text", "FILE", "Write the certificate: json or md.", _OUTPUT, "verify", short="-o", role="output"),
    Option("output", "text", "FILE", "Write the table with the reconciled values in further columns.", _OUTPUT, "reconcile", short="-o", role="output"),
    Option("output", "text", "DIR", "Folder of the parts; created if it does not exist.", _OUTPUT, "partition", otherwise="STEM.parts in the folder of the input", short="-o"),
    Option("output", "text", "FILE", "Table to write: csv or parquet.", _OUTPUT, "aggregate", otherwise="STEM.aggregated.csv in the folder of the input", short="-o", role="output"),
    Option("output", "text", "FILE", "Also write the result: csv or json.", _OUTPUT, "massmatrix", short="-o", role="output"),
    Option("output", "text", "FILE", "Write the identified robot, a table of its links (csv), or the result (json, md).", _OUTPUT, "identify", short="-o", role="output"),
    Option("output", "text", "FILE", "Also write the completed table of the whole.", _OUTPUT, "assemble", short="-o", role="output"),
    Option("output", "text", "FILE", "Also write the table with the smallest headroom and the verdict of each item.", _OUTPUT, "check", short="-o", role="output"),
    Option("output", "text", "FILE", "Report: html, pdf, md or xlsx; - is standard output.", _OUTPUT, "report", otherwise="STEM.review.html in the folder of the input", short="-o", role="output"),
    Option("output", "text", "FILE", "Picture: svg, png or pdf; - is standard output.", _OUTPUT, "plot", otherwise="- (svg)", short="-o", role="output"),
    Option("static", "flag", "", "Leave out the pictures that a click goes into: 0.5 MB less.", _OUTPUT, "report"),
    Option("reproducible", "flag", "", "No date of the run: two runs give equal bytes.", _OUTPUT, "report"),
    Option("record", "text", "FILE", "Append the revisions that a history (jsonl) does not have to it.", _OUTPUT, "trend"),
    Option("to", "text", "FILE-FORMAT", "File format of the output.", _OUTPUT, "table-output", get_args(_OutputFormat), otherwise="suffix of -o, or the input format"),
    Option("to", "word", "FILE-FORMAT", "File format of the parts.", _OUTPUT, "partition", ("csv", "parquet"), default="csv"),
    Option("to", "word", "FILE-FORMAT", "File format of the output.", _OUTPUT, "base-params", ("csv", "json", "md", "tex"), otherwise="suffix of -o"),
    Option("to-layout", "word", "LAYOUT", "Layout of the written table.", _OUTPUT, "convert", get_args(OutputLayout), otherwise="unchanged"),
    Option("into-robot", "text", "FILE", "Write masses, centres and tensors into this robot file (URDF, SDF, MJCF).", _OUTPUT, "convert"),
    Option("fix", "flag", "", "Correct inertia tensors that no body can have.", _OUTPUT, "convert"),
    Option("no-clobber", "flag", "", "Reject an output file that exists, instead of replacing it.", _OUTPUT, _SAVED),
    Option("remove-leftovers", "flag", "", "Delete partial files that killed runs left next to the outputs.", SETTINGS, f"{_SAVED} validate", key="flag", section="report"),
    Option("force", "flag", "", "Replace the decisions in an existing file.", _OUTPUT, "validate"),
    Option("in-place", "flag", "", "Write into the input, not FILE.rollup.SUFFIX; the original is NAME.bak.SUFFIX.", _OUTPUT, "rollup"),
    Option("keep-going", "flag", "", "Write what can be computed in spite of errors.", _OUTPUT, "rollup shape"),
    Option("add", "list", "COLUMNS", "Further result columns (rho: correlations).", _OUTPUT, "rollup", ("radii", "sigma", "principal", "coverage", "rho", "growth"), key="list", section="report"),
    Option("write-poi", "word", "SIGN", "Sign convention of written products of inertia.", SETTINGS, "rollup", get_args(OutputSign), otherwise="keep", keyword="write_poi", key="text", section="report"),
    Option("revision", "text", "TEXT", "Revision, for printed pages and the sheet About.", SETTINGS, "rollup report", key="text", section="report"),
    Option("title", "text", "TEXT", "Title of a design review.", SETTINGS, "report", key="text", section="report"),
    Option("project", "text", "TEXT", "Project, for the head of a design review.", SETTINGS, "report", key="text", section="report"),
    Option("author", "text", "TEXT", "Author of a design review.", SETTINGS, "report", key="text", section="report"),
    Option("history", "text", "FILE", "Revisions of a design review, as massprops trend --record wrote them.", SETTINGS, "report", key="text", section="report", role="input"),
    Option("logo", "text", "FILE", "Logo of a design review: an svg or png image.", SETTINGS, "report", key="text", section="report", role="input"),
    Option("date", "text", "TEXT", "Date of a design review.", SETTINGS, "report", otherwise="that of the run", key="text", section="report"),
    Option("sections", "list", "NAMES", "Sections of a design review, in order.", SETTINGS, "report", SECTION_NAMES, otherwise="all but certificate", key="list", section="report"),
    Option("status-columns", "list", "NAMES", "Columns of its status table.", SETTINGS, "report", STATUS_COLUMNS, otherwise="all", key="list", section="report"),
    Option("depth", "whole", "N", "Levels of its pictures of mass, and of its items that are open.", SETTINGS, "report plot", default=3, least=1, most=40, key="text", section="report"),
    Option("chromium", "text", "FILE", "Program that prints a design review to pdf.", SETTINGS, "report", otherwise="chromium or chrome on PATH", key="text", section="report"),
    Option("overwrite-formulas", "flag", "", "Overwrite cells that contain formulas.", SETTINGS, "rollup", key="flag", section="report"),
    Option("formulas", "flag", "", "Write formulas into the assembly cells of a workbook.", _OUTPUT, "rollup"),
    Option("fill-summed", "flag", "", "Fill cells also where formulas of the workbook then count parts twice.", SETTINGS, "rollup", key="flag", section="report"),
    Option("covariance", "text", "FILE", "Write the covariance of every item to a parquet, json or csv file.", _OUTPUT, "rollup", role="output"),
    Option("covariance", "text", "FILE", "Write the covariance of every item in the new frame to a parquet, json or csv file.", _OUTPUT, "convert", role="output"),
    Option("plot", "text", "FILE", "Plot histograms of the Monte Carlo samples: svg, png or pdf.", _OUTPUT, "rollup", role="output"),
    Option("plot", "text", "FILE", "Plot the shares: svg, png or pdf.", _OUTPUT, "contributions", role="output"),
    Option("plot", "text", "FILE", "Draw the envelopes with the conditions: svg, png or pdf.", _OUTPUT, "conditions", role="output"),
    Option("plot", "text", "FILE", "Draw the tree with its parts: svg, png, pdf, dot or graphml.", _OUTPUT, "parts", role="output"),
    Option("plot", "text", "FILE", "Plot the singular values: svg, png or pdf.", _OUTPUT, "base-params", role="output"),
    Option("plot", "text", "FILE", "Plot torques, residuals and parameters, or the motion: svg, png or pdf.", _OUTPUT, "identify", role="output"),
    Option("regressor", "text", "FILE", "Write the columns of the base parameters along the trajectory: csv, json or parquet.", _OUTPUT, "base-params", role="output"),
    Option("observation", "text", "FILE", "Write the observation matrix W with all columns: csv, json or parquet.", _OUTPUT, "base-params", role="output"),
    Option("save-map", "text", "FILE", "Write every decision to a configuration file for later runs.", _OUTPUT, "validate", role="output"),
    Option("report", "list", "STYLE=FILE", "Also write a report to a file; may be repeated.", _OUTPUT, "check", (*MACHINE_STYLES, "md", "html"), role="output"),
    Option("report", "list", "html=FILE", "Also write a design review; may be repeated.", _OUTPUT, "rollup diff", role="output"),
    Option("format", "word", "STYLE", "Report style, not the file format.", _OUTPUT, "findings-report", (*_STYLES, *MACHINE_STYLES), otherwise="plain text", key="text", section="report"),
    Option("format", "word", "STYLE", "Report style, not the file format.", _OUTPUT, "inertials", (*_STYLES, *MACHINE_STYLES), otherwise="plain text"),
    Option("format", "word", "STYLE", "Report style, not the file format (csv: the review table).", _OUTPUT, "rollup", (*_STYLES, "csv", *MACHINE_STYLES), otherwise="plain text", key="text", section="report"),
    Option("format", "word", "STYLE", "Report style, not the file format.", _OUTPUT, "view", _STYLES, otherwise="plain text", key="text", section="report"),
    Option("format", "word", "STYLE", "Report style, not the file format (csv: a row for each place).", _OUTPUT, "ballast", (*_STYLES, "csv"), otherwise="plain text", key="text", section="report"),
    Option("format", "word", "STYLE", "Report style, not the file format (csv: a row for each item).", _OUTPUT, "reconcile", (*_STYLES, "csv"), otherwise="plain text", key="text", section="report"),
    Option("format", "word", "STYLE", "Form of the result.", _OUTPUT, "massmatrix", ("csv", "json"), otherwise="plain text"),
    Option("format", "word", "STYLE", "Report style, not the file format (csv: a row for each base parameter).", _OUTPUT, "identify", (*_STYLES, "csv"), otherwise="a page"),
    Option("fail-on", "word", "SEVERITY", "Lowest severity that gives exit code 1.", _OUTPUT, _REPORTED, get_args(FailSeverity), default="error", key="text", section="report"),
    Option("select", "list", "CODES", "Report these rules only: MP403, or a block such as MP4.", _OUTPUT, _REPORTED, key="list", section="report"),
    Option("ignore", "list", "CODES", "Do not report these rules.", _OUTPUT, _REPORTED, key="list", section="report"),
    Option("verbose", "flag", "", "Print every decision made in reading the table.", _OUTPUT, _TABLE, short="-v", key="flag", section="report"),
    Option("watch", "flag", "", "Run again when the table, its configuration or the budget changes (extra watch).", _OUTPUT, "rollup check validate"),
    Option("quiet", "flag", "", "Print errors only.", _OUTPUT, _REPORTED, key="flag", section="report", short="-q"),

    Option("set", "list", "ID.QUANTITY=VALUE", "Change one cell of a leaf: a number, or a number with a unit.", _RESULTS, "whatif"),
    Option("scale", "list", "ID.mass=FACTOR", "Scale mass and inertia of every leaf under an item.", _RESULTS, "whatif"),
    Option("drop", "list", "ID", "Exclude an item and everything below it.", _RESULTS, "whatif"),
    Option("new", "list", "ITEM", 'A new item: "ID parent=SAT mass=2 kg".', _RESULTS, "whatif"),
    Option("move", "list", "ID=PARENT", "Move an item, with everything below it, to another parent.", _RESULTS, "whatif"),
    Option("to", "list", "LIMIT", "A limit: 'Cx in -5..5 mm', 'Ixy <= 0.1 kg*m^2', 'tilt xz <= 1 deg'.", _RESULTS, "ballast"),
    Option("at", "text", "POINTS", "Table of places: id, x, y, z, max mass, piece mass, stock.", _RESULTS, "ballast", role="input"),
    Option("sigma", "text", "K", "How many σ of each value stay inside its limit.", _RESULTS, "ballast", otherwise="0"),
    Option("remove", "list", "IDS|column:HEADER", "Items, or those that a column marks, that may be removed.", _RESULTS, "ballast"),
    Option("planes", "text", "Z1,Z2", "Balance a body that spins about z, or x=X1,X2, in two planes.", _RESULTS, "ballast"),
    Option("result", "text", "FILE", "A written result to compare cell by cell: of this or another program.", _RESULTS, "verify", role="input"),
    Option("explain", "text", "ID", "Print the sum of an item with its numbers and cells.", _RESULTS, "verify"),
    Option("tolerance", "text", "X", "Largest relative difference.", _RESULTS, "verify", default="1e-11"),
    Option("condition", "text", "NAME", "Loading condition of the table: a [condition.NAME].", _RESULTS, "whatif check rollup diff contributions tree conditions ballast"),
    Option("conditions", "text", "FILE|SHEET", "Conditions: a file or a sheet with a row an item and a column a condition.", _RESULTS, "conditions", otherwise="massprops.toml", role="input"),
    Option("schedule", "text", "TANKS", "Empty these tanks in order (LOX,RP1), or together (LOX+RP1): names, fluids or groups.", _RESULTS, "conditions"),
    Option("steps", "whole", "N", "Steps of the schedule.", _RESULTS, "conditions", default=50, least=1, most=100_000),
    Option("conditions", "text", "FILE|SHEET", "Conditions: a file or a sheet with a row an item and a column a condition.", SETTINGS, "check rollup diff contributions tree ballast", otherwise="massprops.toml", key="text", section="report", role="input"),
    Option("of", "text", "RESULT", "Result: mass, Cx … Cz, Ixx … Iyz, kx ky kz, or the principal moments I1 I2 I3.", _RESULTS, "contributions", default="mass"),
    Option("of", "text", "RESULT", "Result: mass, Cx … Cz, Ixx … Iyz, a σ of these (sigma_Cx), or predicted_mass.", _RESULTS, "diff", default="mass"),
    Option("item", "text", "ID", "Item whose result is analysed.", _RESULTS, "contributions diff trend", otherwise="the root"),
    Option("item", "list", "ID", "Also print percentiles, histogram and intervals of this item.", _UNCERTAINTY, "rollup", keyword="items"),
    Option("measured", "list", "LINE|FILE", "A measurement, 'SAT mass 151.9±0.05 kg', or a table of them.", _RESULTS, "reconcile", role="input"),
    Option("offer", "list", "LINE|FILE", "A measurement on offer, 'BAT mass ±0.01 kg cost 2', or a table of them.", _RESULTS, "reconcile", role="input"),
    Option("of", "text", "RESULT", "Result whose σ the plan reduces: mass, Cx … Cz, Ixx … Iyz.", _RESULTS, "reconcile", default="mass"),
    Option("item", "text", "ID", "Item of that result.", _RESULTS, "reconcile", otherwise="the root"),
    Option("weigh", "whole", "N", "Number of measurements on offer to choose.", _RESULTS, "reconcile", otherwise="3", least=1),
    Option("overwrite", "flag", "", "Write reconciled values of leaves over the stated ones, method reconciled.", _RESULTS, "reconcile"),
    Option("value", "flag", "", "Rank the contributions to the mass itself instead of its σ.", _RESULTS, "contributions"),
    Option("weigh", "whole", "N", "Number of rows (leaves, groups, lots) to weigh in the estimate of the gain.", _RESULTS, "contributions", otherwise="3", least=0),
    Option("top", "whole", "N", "Number of rows.", _RESULTS, "contributions", otherwise="10", least=1),
    Option("match", "word", "BY", "Match items by id or by part number.", _RESULTS, "diff trend", get_args(MatchKey), otherwise="id; part where ids are positions", keyword="match"),
    Option("depth", "whole", "N", "Contributions of items N levels down instead of leaves.", _RESULTS, "diff", least=1),
    Option("threshold", "list", "CHANGE", "Largest change of a total: 'mass 1 kg', 'PLD: mass 0.5 %', 'Cx 2 mm'.", _RESULTS, "diff"),
    Option("reasons", "text", "FILE|column:HEADER", "Reasons of changes: a table of items and reasons, a toml file, or a column of NEW.", _RESULTS, "diff trend report", role="input"),
    Option("baseline", "text", "OLD", "Earlier revision: its masses, and the changes as a waterfall.", _RESULTS, "report plot", role="input"),
    Option("top", "whole", "N", "Number of steps.", _RESULTS, "diff", otherwise="12", least=1),
    Option("top", "whole", "N", "Items that each step lists; the others are one row.", _RESULTS, "trend", default=5, least=1),
    Option("git", "flag", "", "Read the table from the commits of its repository.", _RESULTS, "trend"),
    Option("since", "text", "REV|DATE", "First commit: a revision, or a date such as 2027-03-31.", _RESULTS, "trend"),
    Option("every", "word", "COMMIT", "Which commits are read; week: the last of each week.", _RESULTS, "trend", ("commit", "merge", "tag", "week"), default="commit"),
    Option("forecast", "word", "MODEL", "Fit a line, or a curve of growth to the predicted mass, with its 95 % interval.", _RESULTS, "trend", ("line", "growth")),
    Option("branch", "text", "REV", "Branch whose first parents are read.", SETTINGS, "trend", otherwise="HEAD", key="text", section="report"),
    Option("order", "word", "ORDER", "Order of the files of a trend.", SETTINGS, "trend", ("name", "given", "date"), otherwise="date if all have one, else name", key="text", section="report"),
    Option("dates", "text", "FILE|column:HEADER", "Dates of revisions: csv with file and date, or a column.", SETTINGS, "trend", otherwise="day in the file name", key="text", section="report"),
    Option("no-cache", "flag", "", "Do not keep points of a trend in the cache folder of the user.", SETTINGS, "trend", key="flag", section="report"),
    Option("budget", "list", "FILE", "Budget file; may be repeated: the limits of all files are used.", _RESULTS, "check rollup conditions reconcile trend report plot", otherwise="[[budget]] of massprops.toml", role="input"),
    Option("today", "text", "DATE", "Reference day for the expiry of waivers, such as 2027-03-31.", SETTINGS, "check report", otherwise="today", key="text", section="report"),
    Option("at", "list", "IDS", "Items of a path-induced region: it, everything below, and the rest become parts.", _RESULTS, "partition"),
    Option("into", "whole", "N", "Number of parts, the largest as small as possible (up to 50,000 large items).", _RESULTS, "partition", least=1),
    Option("nodes", "list", "IDS", "Items to replace by one.", _RESULTS, "aggregate"),
    Option("extend", "flag", "", "Use the smallest set with these items that can be aggregated.", _RESULTS, "aggregate"),
    Option("q", "text", "NUMBERS", "Joint coordinates in the order of the joints, in radians, or elbow=30deg and others 0.", _RESULTS, "massmatrix", otherwise="zero"),
    Option("qd", "text", "NUMBERS", "Joint velocities: also print the joint forces C of velocities and gravity.", _RESULTS, "massmatrix"),
    Option("qdd", "text", "NUMBERS", "Joint accelerations: also print the joint forces T.", _RESULTS, "massmatrix"),
    Option("pattern", "flag", "", "Also print which entries of the mass matrix are not 0, by serial segments.", _RESULTS, "massmatrix"),
    Option("transfers", "flag", "", "Also print what each joint transfers: donor, acceptor, condition, multipole.", _RESULTS, "base-params"),
    Option("data", "list", "FILE", "Measured runs: csv or parquet with t, q_JOINT, tau_JOINT or i_JOINT; also a pattern.", _RESULTS, "identify", role="input"),
    Option("prior", "text", "FILE", "Mass table whose items are the links, with their sigmas.", _RESULTS, "identify", otherwise="the robot", role="input"),
    Option("design", "text", "FILE", "Write a motion that shows the parameters, within the limits of the joints: csv.", _RESULTS, "identify", role="output"),
    Option("method", "word", "METHOD", "Exact reduction, upper bound by rules, points in double, or SVD of a trajectory.", _RESULTS, "base-params", get_args(BaseMethod), default="exact"),
    Option("eliminate", "list", "PARAMETERS", "Parameters to eliminate, such as m2,Iyy2.", SETTINGS, "base-params", otherwise="masses, Iyy and mz first", key="list", section="robot"),
    Option("gravity", "text", "X,Y,Z", "Acceleration of gravity in ground axes, in place of that of the file.", _RESULTS, "mechanism", otherwise="that of the file; of a robot 0,0,-9.81"),
    Option("base", "word", "BASE", "Root of a robot: fixed to the ground, or free.", _RESULTS, "mechanism", get_args(RobotBase), default="fixed"),
    Option("assemble", "flag", "", "The pose of the file is approximate: close the joints to 300 digits from it.", _RESULTS, "base-params"),
    Option("angles", "word", "READING", "Read all angles of a robot near multiples of 90° as these, or as written.", SETTINGS, "base-params", get_args(AngleReading), otherwise="by their digits", key="text", section="robot"),
    Option("reduce", "flag", "", "Write the mechanism of the same dynamics with fewer parameters to -o: json or urdf.", _RESULTS, "base-params"),
    Option("symbols", "flag", "", "Print coefficients in the dimensions of the file (extra mechanism).", _RESULTS, "base-params"),
    Option("digits", "whole", "N", "Decimal digits of the method svd; above 16 by python-flint.", SETTINGS, "base-params", otherwise="double precision", key="text", section="robot", least=1, most=300),
    Option("trajectory", "text", "FILE", "Trajectory: a table of time and independent coordinates.", _RESULTS, "base-params", otherwise="two harmonics in each", role="input"),
    Option("amplitude", "text", "FACTOR", "Factor on the amplitudes of the harmonics.", SETTINGS, "base-params", otherwise="1", key="text", section="robot"),
    Option("residual", "text", "RESIDUAL", "Residual at which loops are closed, as a share of the size.", SETTINGS, "base-params", otherwise="rounding", key="text", section="robot"),
    Option("depth", "whole", "N", "Number of levels below the root.", _RESULTS, "tree", otherwise="all", short="-d"),
    Option("all-rows", "flag", "", "More than 2,000 rows on a terminal, and all parts of a large tree in the sheet Rollup.", SETTINGS, "tree whatif rollup", key="flag", section="report"),
    Option("all-variants", "flag", "", "Roll up every quantity column, with one column of results each.", _RESULTS, "rollup"),
    Option("datum", "text", "X,Y,Z", "Print centres from this origin.", SETTINGS, "rollup", key="text", section="report"),
    Option("about", "text", "POINT", "State inertia also about a point: 0,0,0, item:ID, frame:ID or cg.", _RESULTS, "rollup", default="cg", key="text", section="report"),
    Option("principal", "flag", "", "Print principal moments and axes.", SETTINGS, "rollup", key="flag", section="report"),
    Option("sum", "list", "COLUMN", "Sum of another column.", _RESULTS, "rollup", key="list", section="report"),
    Option("max", "list", "COLUMN", "Highest value of another column.", SETTINGS, "rollup", key="list", section="report"),
    Option("min", "list", "COLUMN", "Lowest value of another column.", SETTINGS, "rollup", key="list", section="report"),
    Option("mean", "list", "COLUMN", "Mean of another column, weighted by mass.", SETTINGS, "rollup", key="list", section="report"),
    Option("rss", "list", "COLUMN", "Root of the sum of squares of another column.", SETTINGS, "rollup", key="list", section="report"),
    Option("previous", "text", "FILE", "Earlier revision: the review table has the change of each mass.", _RESULTS, "rollup", role="input"),
    Option("by", "list", "COLUMNS", "Rows of the review table: text columns, level:N of the tree, or tree for all items.", _RESULTS, "rollup", key="list", section="report"),
    Option("by", "list", "COLUMNS", "Rows of the status table: text columns, or level:N of the tree.", _RESULTS, "report", key="list", section="report"),
    Option("style", "word", "TRADE", "Tables in the words of a trade: [style.TRADE].", _RESULTS, "rollup conditions", get_args(Style), otherwise="none", key="text", section="report"),
    Option("translate", "text", "X,Y,Z", "Translate the bodies: '10,0,0 mm'; after a rotation, in the new axes.", _RESULTS, "convert"),
    Option("rotate", "text", "ROTATION", "Rotation: 'z 90 deg', roll, pitch, yaw '0,0,90 deg', or nine cosines by rows.", _RESULTS, "convert"),
    Option("pivot", "text", "POINT", "Point that a rotation or a mirror keeps: '1,0,0 m', item:ID or cg.", _RESULTS, "convert", otherwise="the origin"),
    Option("mirror", "word", "AXIS", "Reverse one axis.", _RESULTS, "convert", ("x", "y", "z")),
    Option("to-frame", "text", "FRAME", "Frame of an item, item:ID, or of its principal axes: principal, principal:ID.", _RESULTS, "convert"),
    Option("wall", "text", "SIZE", "Wall thickness of a hollow body, of a thin shape, or of a mesh that is a surface.", SETTINGS, "shape"),
    Option("axis", "text", "AXIS", "Direction of the shape's own z: x, y, z, -x, -y, -z, or three numbers.", SETTINGS, "shape", default="z"),
    Option("mesh-scale", "text", "FACTOR", "Factor on the coordinates of a mesh: '1 ± 0.001 (2σ)'.", SETTINGS, "shape", otherwise="1"),
    Option("surface-offset", "text", "TOLERANCE", "Tolerance of the surface of a mesh: '±0.05 mm (2σ)'.", SETTINGS, "shape"),
    Option("voxel-size", "text", "SIZE", "Compute a mesh with a broken surface from voxels of this size.", SETTINGS, "shape"),
    Option("union", "flag", "", "Count what several shells of a mesh cover once (extra mesh).", _RESULTS, "shape"),
    Option("calculator", "text", "NAME", "Custom calculator of a mesh, from an entry point.", _RESULTS, "shape inertials", key="text", section="robot"),
    Option("mass", "text", "MASS", "Mass, instead of a density: '12 ± 0.1 kg (2σ)'.", SETTINGS, "shape"),
    Option("density", "text", "DENSITY", "Density: '7850 kg/m3'.", SETTINGS, "shape"),
    Option("density", "text", "DENSITY", "Density of a URDF file: '2700 kg/m3'.", _RESULTS, "inertials", otherwise="1000 kg/m3"),
    Option("material", "text", "NAME", "Material, whose density is in the table of materials.", SETTINGS, "shape"),
    Option("id", "text", "ID", "Id of the row.", SETTINGS, "shape", otherwise="name of the shape or mesh"),
    Option("parent", "text", "ID", "Write a column parent with this id.", SETTINGS, "shape"),
    Option("no-header", "flag", "", "Print the row without its header.", SETTINGS, "shape"),

    Option("uncertainty", "word", "METHOD", "Method of propagating uncertainties.", _UNCERTAINTY, "sigmas", get_args(UncertaintyMethod), otherwise="covariance if the table states σ", keyword="uncertainty", key="text", section="report"),
    Option("sigmas-are", "whole", "K", "Number of standard deviations of the table's σ: 1, 2 or 3.", _UNCERTAINTY, "sigmas parts convert", otherwise="header, or 1", keyword="sigma_level", key="text", least=1, most=3),
    Option("correlate", "word", "SCOPE", "Items that share uncertainties (part: those of one part number).", _UNCERTAINTY, "shared-sigmas parts", get_args(CorrelationScope), default="none", keyword="correlate", key="text", section="report"),
    Option("correlate", "word", "SCOPE", "Items that share uncertainties.", _UNCERTAINTY, "assemble", get_args(CorrelationScope), otherwise="as the file of branches states, or none"),
    Option("branches", "text", "FILE", "File of branches: covariances of the leaves that represent other parts.", _UNCERTAINTY, "assemble", role="input"),
    Option("correlate-centers", "flag", "", "Also share uncertainties of centres.", SETTINGS, "shared-sigmas parts", keyword="correlate_centers", key="flag", section="report"),
    Option("correlations", "text", "FILE", "File of correlations between groups, with the columns a, b, quantity, rho.", SETTINGS, "shared-sigmas", keyword="correlations", role="input", key="text", section="report"),
    Option("sigma-level", "whole", "K", "Print σ as 1, 2 or 3 standard deviations.", SETTINGS, "rollup", default=1, least=1, most=3, key="text", section="report"),
    Option("probability", "list", "CONDITION", 'Probability of a condition: "mass <= 850 kg", "basic mass <= 800 kg", "Cx in -5..5 mm".', _UNCERTAINTY, "rollup", keyword="probability", key="list", section="report"),
    Option("interval", "list", "PERCENT", "Print intervals of this probability: 95%.", SETTINGS, "rollup", keyword="intervals", key="list", section="report"),
    Option("samples", "whole", "N", "Number of Monte Carlo samples.", SETTINGS, "rollup report plot", default=10_000, keyword="samples", least=2, key="text", section="report"),
    Option("samples", "whole", "N", "Samples of another generator that --uncertainty montecarlo is compared with.", SETTINGS, "verify", default=100_000, least=1000, key="text", section="report"),
    Option("samples", "whole", "N", "Number of samples of the harmonics.", SETTINGS, "base-params", otherwise="eight rows a parameter, at least 100", key="text", section="robot", least=2),
    Option("seed", "whole", "N", "Seed of the Monte Carlo samples.", SETTINGS, "rollup report plot", default=0, keyword="seed", least=0, key="text", section="report"),
    Option("distribution", "word", "KIND", "Distribution of rows that state none.", SETTINGS, "rollup report plot", get_args(Distribution), default="normal", keyword="distribution", key="text", section="report"),
    Option("scheduler", "text", "TCP", "Dask cluster for files, a partition or Monte Carlo: tcp://host:8786 (extra scale).", SETTINGS, "rollup", keyword="scheduler", key="text", section="report"),
    Option("partition", "whole", "N", "Roll up N parts of near to equal size one by one, or on the cluster of scheduler.", SETTINGS, "rollup", otherwise="the whole", keyword="partition", least=1, key="text", section="report"),

    Option("layout", "word", "LAYOUT", "Form of the hierarchy.", _MEANING, _TABLE, get_args(Layout), otherwise="detected", keyword="layout", key="text"),
    Option("table", "whole", "N", "Table of a sheet that has several, from 1.", _MEANING, _TABLE, default=0, otherwise="the only one", keyword="table", key="text", least=0),
    Option("map", "list", "QUANTITY=HEADER", 'Name a column: --map id="Part Number".', _MEANING, _TABLE, keyword="map"),
    Option("map", "list", "QUANTITY=HEADER", "Name a column of the runs: --map elbow.q=pos2, --map t=Time.", _READING, "identify"),
    Option("unit", "list", "QUANTITY=UNIT", "State a unit of the runs: --unit t=ms, --unit q=deg, --unit elbow.tau=N*mm.", _READING, "identify"),
    Option("frozen", "flag", "", "Read only columns named by --map and massprops.toml.", SETTINGS, _TABLE, keyword="frozen", key="flag"),
    Option("unit", "list", "QUANTITY=UNIT", "State a unit: --unit mass=kg.", _MEANING, _TABLE, keyword="unit"),
    Option("units", "text", "SYSTEM", "Rewrite numbers in SI, kg (masses only), kg,mm or kg,mm,kg*m^2.", _MEANING, _TABLE, keyword="units", key="text"),
    Option("units", "text", "SYSTEM", "Units of the row: SI, CGS, or mass and length such as g,mm.", _OUTPUT, "shape", default="SI"),
    Option("as-weight", "flag", "", "Read masses as weights, in a unit of force.", SETTINGS, _TABLE, keyword="as_weight", key="flag"),
    Option("poi", "word", "SIGN", "Sign convention of products of inertia without a column POIconv.", _MEANING, _TABLE, get_args(ProductSign), keyword="poi", key="text"),
    Option("positive", "list", "SIDE", "Side that is positive where cells state sides: 1.85A, 0.04P.", SETTINGS, _TABLE, keyword="positive", key="list"),
    Option("blank-coordinate", "word", "VALUE", "Value of a blank coordinate of a centre of mass with others.", SETTINGS, _TABLE, get_args(BlankCoordinate), otherwise="missing", keyword="blank_coordinate", key="text"),
    Option("mass-is", "word", "MEANING", "Mass of each piece, or of the row.", _MEANING, _TABLE, get_args(MassMeaning), otherwise="each", keyword="mass_is", key="text"),
    Option("qty-is", "word", "MEANING", "Pieces in one parent, or in the product.", _MEANING, _TABLE, get_args(QuantityMeaning), otherwise="per-parent", keyword="qty_is", key="text"),
    Option("inertia-about", "text", "POINT", "Reference point of inertia cells: own, origin or x,y,z.", SETTINGS, _TABLE, otherwise="own", keyword="inertia_about", key="text"),
    Option("frame", "word", "FRAME", "Frame of CG and inertia in a table with poses, for rows that state none.", SETTINGS, _TABLE, get_args(NumbersFrame), keyword="frame", key="text"),
    Option("root", "text", "ID", "Use only the tree below this item.", _MEANING, _TABLE, keyword="root", key="text"),
    Option("make-root", "text", "ID", "Create a root above several top items.", SETTINGS, _TABLE, keyword="make_root", key="text"),
    Option("where", "list", "CONDITION", 'Keep the rows that match: --where "subsystem = Power".', _MEANING, _TABLE, keyword="where", key="list"),
    Option("ignore-column", "list", "HEADER", "Do not read this column.", _MEANING, _TABLE, keyword="ignore_columns", key="list"),
    Option("count-row", "list", "LABEL", "Count this row, or row:N, as a part.", _MEANING, _TABLE, keyword="count_rows", key="list"),
    Option("skip-row", "list", "LABEL", "Do not count this row, or row:N, as a part.", _MEANING, _TABLE, keyword="skip_rows", key="list"),
    Option("decimal", "word", "MARK", "Decimal mark of numbers written as text.", _MEANING, _TABLE, get_args(DecimalMark), otherwise="detected", keyword="decimal", key="text"),
    Option("accept-approximate", "flag", "", "Read 2-3 as its middle, and report it and ~3, which is read as 3, as a note.", SETTINGS, _TABLE, keyword="accept_approximate", key="flag"),
    Option("qty-column", "list", "HEADER", 'Read quantities from this column: --qty-column "Variant B".', _MEANING, _TABLE, keyword="qty_column", key="text"),
    Option("blank-qty", "word", "COUNT", "Count of a blank cell under --qty-column.", SETTINGS, _TABLE, get_args(BlankQuantity), otherwise="detected", keyword="blank_qty", key="text"),
    Option("allow-missing", "list", "QUANTITIES", "Values whose absence is a warning.", _MEANING, _TABLE, get_args(MissingQuantity), otherwise="inertia,sigma", keyword="allow_missing", key="text"),
    Option("strict", "flag", "", "Check leaves as the R package massProps does; includes --allow-missing none.", SETTINGS, _TABLE, keyword="strict", key="flag"),
    Option("allow-negative-mass", "flag", "", "Accept negative masses.", SETTINGS, _TABLE, keyword="allow_negative_mass", key="flag"),
    Option("assembly-values", "word", "MEANING", "Meaning of numbers that assembly rows state.", SETTINGS, _TABLE, get_args(AssemblyValues), otherwise="check", keyword="assembly_values", key="text"),
    Option("q", "list", "JOINT=POSITION|POSE", "Position of a joint, such as elbow='30 deg', or a [pose.NAME] of massprops.toml.", _READING, _TABLE, keyword="q"),
    Option("default-inertial", "word", "INERTIAL", "Inertial of a robot's link that states none: that of the format, none, or an error.", SETTINGS, _TABLE, get_args(DefaultInertial), default="spec", keyword="default_inertial", key="text"),
    Option("materials", "text", "FILE", "Table of materials in addition to the supplied one: a toml file.", SETTINGS, _TABLE, keyword="materials", key="text", role="input"),
    Option("materials", "text", "FILE", "Table of materials in addition to the supplied one: a toml file.", SETTINGS, "shape", role="input"),
    Option("link-sigmas", "text", "FILE", "Sigmas of the links of robots, by name: a table.", SETTINGS, _TABLE, keyword="link_sigmas", key="text", role="input"),
    Option("growth-table", "text", "FILE|NAME", "Growth by category and maturity: a csv file, or the name of a supplied table.", SETTINGS, _TABLE, keyword="growth_table", role="input"),
    Option("mesh-units", "text", "UNIT", "Unit of mesh files that state none: mm, m, in.", SETTINGS, f"{_TABLE} shape", keyword="mesh_units", key="text"),
    Option("tolerances-are", "text", "LEVEL", "Level of tolerances ± of shapes that state none: uniform, or how many sigmas.", SETTINGS, _TABLE, keyword="tolerances_are", key="text"),
    Option("mesh-root", "list", "FOLDER", "Further folder in which meshes, and models that a robot includes, may be.", SETTINGS, f"{_TABLE} inertials", keyword="mesh_roots"),
    Option("replace", "flag", "", "Also replace the inertials that links of a URDF file state.", _RESULTS, "inertials"),
    Option("on-failure", "word", "POLICY", "An inertial that cannot be computed is an error, or the default of SDF (1 kg, 1 kg·m²).", SETTINGS, "inertials", ("error", "default"), default="error", key="text", section="robot"),
    Option("skip", "flag", "", "Check the file, and leave automatic inertials as they are.", SETTINGS, "inertials", key="flag", section="robot"),
    Option("from", "text", "FILE-FORMAT", "File format of the input.", _READING, _TABLE, get_args(FileFormat), otherwise="detected", keyword="format", key="text"),
    Option("geometry", "word", "GEOMETRY", "Geometry of a URDF file that inertials are computed from.", _RESULTS, "inertials", ("collision", "visual"), default="collision"),
    Option("sheet", "text", "NAME|N", "Worksheet or JSON list, by name or number from 1.", _READING, _TABLE, otherwise="detected", keyword="sheet", key="text"),
    Option("encoding", "text", "NAME", "Text encoding, such as cp1252.", SETTINGS, _TABLE, otherwise="detected", keyword="encoding", key="text"),
    Option("delimiter", "text", "CHAR", "Character between fields, or tab.", SETTINGS, _TABLE, otherwise="detected", keyword="delimiter", key="text"),
    Option("columns", "text", "NAMES", "Column names of a text table without a header: id,mass,Cx.", SETTINGS, _TABLE, keyword="columns", key="text"),
    Option("joints", "text", "FILE", "Table of joints, where the mechanism is a table of bodies.", _READING, "mechanism", role="input"),
    Option("combine", "word", "BY", "Read several files or sheets as one tree: a branch each, or rows joined by id.", _READING, _ONE_TABLE, get_args(Combination), keyword="combine"),
    Option("workers", "whole", "N", "Processes for several files, the parts of a partition, and Monte Carlo.", _READING, "several-files", default=1, keyword="workers", least=1, key="text", section="report"),
    Option("tree", "text", "FILE", "Edge list: the tree in a file apart from the table.", _READING, _ONE_TABLE, keyword="tree", role="input"),
    Option("tree-direction", "word", "DIRECTION", "Columns of the edge list.", SETTINGS, _ONE_TABLE, get_args(TreeDirection), otherwise="by header or content", keyword="tree_direction", key="text"),
    Option("config", "list", "FILE|KEY=VALUE", "File with priority over massprops.toml (none: no configuration), or one of its keys.", _READING, f"{_TABLE} file-output", role="input", keyword="config"),
    Option("cap", "list", "NAME=N", "Set a limit of reading, such as cells=60000000; may be repeated.", SETTINGS, f"{_TABLE} shape", get_args(_CapName), keyword="caps", key="list"),
)
# fmt: on
"""Every option, in the order of the help."""


def named_option(name: str, user: str = "") -> Option:
    """Return an option by its name, and by a user where commands have different options of that name."""
    return next(one for one in OPTIONS if one.name == name and (not user or user in one.users.split()))


def option_keys(kind: str = "", section: str = "read") -> tuple[str, ...]:
    """Return the options that a table of massprops.toml accepts, all or those with one kind of value."""
    keyed = (one for one in OPTIONS if one.key and one.section == section)
    return tuple(dict.fromkeys(one.name for one in keyed if kind in ("", one.key)))


def wrong_word_text(label: str, value: object, words: Iterable[str]) -> str:
    """Return the message for a value that an option does not accept."""
    known = list(words)
    hint = nearest_name_hint(str(value), known) or f" (expected one of {', '.join(known)})"
    return f"invalid {label}: {value}{hint}"


def setting_value(option: Option, text: str) -> Any:
    """Read the value of a setting as its option has it."""
    if not text:
        raise UsageError(f"{option.name} has no value")
    if option.kind == "list":
        return [text]
    if option.kind == "flag":
        if text not in ("true", "false"):
            raise UsageError(wrong_word_text(f"value of {option.name}", text, ("true", "false")))
        return text == "true"
    if option.kind != "whole":
        return text
    least, most = option.least or 0, option.most
    if not text.isdecimal() or int(text) < least or (most is not None and int(text) > most):
        expected = f"an integer from {least} to {most}" if most is not None else f"an integer of {least} or more"
        raise UsageError(f"invalid value of {option.name}: {text} (expected {expected})")
    return int(text)


_BY_KEYWORD = {one.keyword: one for one in OPTIONS if one.keyword}
_ALSO_ACCEPTED = {"uncertainty": ("auto",), "write_poi": ("none",)}
"""Words of keyword arguments that the command line expresses without the option."""


def check_keywords(given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Raise UsageError, with the nearest valid name, for a keyword or word that the table of options does not have."""
    names = sorted(known)
    for name, value in given.items():
        if name not in names:
            if name in _BY_KEYWORD and _TABLE in _BY_KEYWORD[name].users:
                raise UsageError(f"unknown option: {name} (pass the table as read_bom(FILE, {name}=…))")
            hint = nearest_name_hint(name, names) or f" (expected one of {', '.join(names)})"
            raise UsageError(f"unknown option: {name}{hint}")
        if (option := _BY_KEYWORD.get(name)) is None or option.kind != "word" or value is None:
            continue
        words = (*option.words, *_ALSO_ACCEPTED.get(name, ()))
        if value not in words and (value != "" or option.default is not None or name in _ALSO_ACCEPTED):
            raise UsageError(wrong_word_text(name, value, words))


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "bool": ("True or False", lambda value: isinstance(value, bool) or type(value).__name__ == "bool_"),
    "int": ("an integer", lambda value: isinstance(value, Integral) and not isinstance(value, bool)),
    "ReadCaps": ("a ReadCaps", lambda value: type(value).__name__ == "ReadCaps"),
    **dict.fromkeys(
        ("Iterable[str]", "Sequence[str]"),
        ("a list of texts", lambda value: not isinstance(value, str) and _is_texts(value)),
    ),
    **dict.fromkeys(
        ("str | Iterable[str]", "str | Iterable[MissingQuantity]"),
        ("a text or a list of texts", lambda value: not isinstance(value, bytes) and _is_texts(value)),
    ),
    "str | PathLike[str] | Iterable[str | PathLike[str]]": (
        "a path or a list of paths",
        lambda value: isinstance(value, str | PathLike | Iterable) and not isinstance(value, bytes),
    ),
    "Mapping[str, str]": ("a mapping of texts", lambda value: isinstance(value, Mapping) and _is_texts(value.values())),
    **dict.fromkeys(
        ("Mapping[str, float]", "Mapping[str, float | str]"),
        ("a mapping of texts", lambda value: isinstance(value, Mapping) and _is_texts(value.keys())),
    ),
    "ConfigurationChoice": ("a path or False", lambda value: value is False or isinstance(value, str | PathLike)),
    "Callable[[int, int], None] | Literal[False]": ("a function", lambda value: value is False or callable(value)),
    **dict.fromkeys(
        ("Iterable[AddedItem]", "Iterable[BomSource]"),
        ("a list", lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)),
    ),
    "Mapping[str, str] | str": ("a mapping or a text", lambda value: isinstance(value, Mapping | str)),
}
"""Types of keyword arguments as annotations state them: in words, and whether a value is of the type."""


def _is_texts(values: Any) -> bool:
    """Return whether a value is a text or gives texts; the members of an iterator are not read."""
    if isinstance(values, Collection):
        return all(isinstance(value, str) for value in values)
    return isinstance(values, Iterable)


def check_types(given: Mapping[str, Any], kinds: Mapping[str, Any], *, none_is_default: bool = False) -> None:
    """Raise UsageError for a keyword argument that is not of the type its annotation states."""
    for name, value in given.items():
        text = str(_type_text(kinds.get(name, "")))
        words, is_valid = _KINDS.get(text.removesuffix(" | None"), ("", None))
        is_default = value is None and (none_is_default or text.endswith(" | None"))
        if is_valid is not None and not is_default and not is_valid(value):
            raise UsageError(f"{name} is not {words}: {value!r}")


def show_keywords(function: Callable[..., object], keywords: type | None = None) -> None:
    """Set the signature of a function so that it lists each keyword, for ``help`` and for editors that run the code."""
    shape = inspect.signature(function)
    own = [one for one in shape.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
    kinds = {} if keywords is None else keywords.__annotations__
    only = inspect.Parameter.KEYWORD_ONLY
    more = []
    for name, kind in kinds.items():  # the default is that of the option, or None if the library determines it
        option = _BY_KEYWORD.get(name)
        default = None if option is None else False if option.kind == "flag" else option.default
        more.append(inspect.Parameter(name, only, default=default, annotation=_type_text(kind)))
    vars(function)["__signature__"] = shape.replace(parameters=[*own, *more])


def _type_text(kind: Any) -> Any:
    """Return an annotation as its text, if it has not been evaluated."""
    return getattr(kind, "__forward_arg__", kind)


def check_own_keywords(unknown: Mapping[str, Any], function: Callable[..., object]) -> None:
    """Reject keyword arguments that a function does not have."""
    if unknown:
        check_keywords(unknown, inspect.signature(function).parameters)
