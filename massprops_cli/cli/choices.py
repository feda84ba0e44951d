"""The options that take one word of a few."""

from __future__ import annotations

from enum import StrEnum


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


class BlankQuantity(StrEnum):
    """What a blank quantity of a variant counts."""

    zero = "0"
    one = "1"


class FailOn(StrEnum):
    """The least grave finding that makes the exit code 1."""

    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


class Assembly(StrEnum):
    """What an assembly row's own numbers are."""

    check = "check"
    own = "own"
    stated = "stated"
    ignore = "ignore"


class MassIs(StrEnum):
    """What a row's mass is of: one piece, or all pieces of the row."""

    each = "each"
    line = "line"


class QtyIs(StrEnum):
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


class Method(StrEnum):
    """How uncertainties are rolled up."""

    covariance = "covariance"
    massprops = "massprops"
    montecarlo = "montecarlo"
    none = "none"


class Correlate(StrEnum):
    """Whose errors are shared."""

    none = "none"
    part = "part"
    all = "all"


class Kind(StrEnum):
    """How inputs are distributed, where the table does not say."""

    normal = "normal"
    lognormal = "lognormal"
    uniform = "uniform"
    triangular = "triangular"
    truncated = "truncated"


class Sign(StrEnum):
    """A sign convention of products of inertia."""

    plus = "+"
    minus = "-"


class WriteSign(StrEnum):
    """The sign convention in which aggregates are written."""

    plus = "+"
    minus = "-"
    keep = "keep"
