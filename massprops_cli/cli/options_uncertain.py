"""The options that speak of uncertainties: how they are rolled up, drawn, and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from massprops_cli.cli.choices import Correlate, Kind, Method
from massprops_cli.cli.options import OUT, Texts

SIGMA, DRAW = "Uncertainty", "Monte Carlo"


@dataclass(frozen=True)
class Stated:
    """What the table's sigmas are, and what becomes of them."""

    uncertainty: Annotated[
        Method | None,
        typer.Option(
            "--uncertainty",
            metavar="METHOD",
            help="covariance (exact to first order), massprops (level by level), montecarlo or none; "
            "covariance when the table states sigmas.",
            rich_help_panel=SIGMA,
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
            rich_help_panel=SIGMA,
        ),
    ] = None


@dataclass(frozen=True)
class Uncertain(Stated):
    """How uncertainties are rolled up, and whose errors are shared."""

    correlate: Annotated[
        Correlate,
        typer.Option(
            "--correlate",
            metavar="WHOM",
            help="Whose errors are shared: none, part (pieces and uses of one part number) or all.",
            rich_help_panel=SIGMA,
        ),
    ] = Correlate.none
    correlate_centers: Annotated[
        bool,
        typer.Option("--correlate-centers", help="Errors of centres are shared too.", rich_help_panel=SIGMA),
    ] = False
    correlations: Annotated[
        str,
        typer.Option(
            "--correlations",
            metavar="FILE",
            help="Correlations between groups, in columns a, b, quantity, rho.",
            rich_help_panel=SIGMA,
        ),
    ] = ""


@dataclass(frozen=True)
class Simulated:
    """How Monte Carlo draws."""

    samples: Annotated[
        int, typer.Option("--samples", metavar="N", min=2, help="How often to draw.", rich_help_panel=DRAW)
    ] = 10_000
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", min=0, help="The same seed draws the same numbers.", rich_help_panel=DRAW),
    ] = 0
    distribution: Annotated[
        Kind,
        typer.Option(
            "--distribution",
            metavar="KIND",
            help="normal, lognormal, uniform, triangular or truncated, where a row does not say.",
            rich_help_panel=DRAW,
        ),
    ] = Kind.normal
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, help="Cores to draw on.", rich_help_panel=DRAW)
    ] = 1
    scheduler: Annotated[
        str,
        typer.Option(
            "--scheduler", metavar="TCP", help="Draw on this Dask cluster: tcp://host:8786.", rich_help_panel=DRAW
        ),
    ] = ""


@dataclass(frozen=True)
class Asked:
    """What is asked of the uncertain numbers."""

    item: Annotated[
        Texts,
        typer.Option(
            "--item",
            metavar="ID",
            help="Show percentiles, histogram and intervals of this item too.",
            rich_help_panel=SIGMA,
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
            rich_help_panel=SIGMA,
        ),
    ] = 1
    probability: Annotated[
        Texts,
        typer.Option(
            "--probability",
            metavar="WHAT",
            help='How sure: "mass <= 850 kg", "Cx in -5..5 mm".',
            rich_help_panel=SIGMA,
        ),
    ] = None
    interval: Annotated[
        Texts,
        typer.Option("--interval", metavar="PERCENT", help="Intervals that hold so much: 95%.", rich_help_panel=SIGMA),
    ] = None
    covariance: Annotated[
        str,
        typer.Option(
            "--covariance",
            metavar="FILE",
            help="Write every item's whole covariance to this parquet, json or csv file.",
            rich_help_panel=OUT,
        ),
    ] = ""
    plot: Annotated[
        str,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the methods side by side, or histograms of the samples: svg, png or pdf.",
            rich_help_panel=OUT,
        ),
    ] = ""
