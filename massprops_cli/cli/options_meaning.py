"""The options that say what a table means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from massprops_cli.cli.choices import Assembly, BlankQuantity, Layout, MassIs, QtyIs, Sign
from massprops_cli.cli.options import MEANING, Texts


@dataclass(frozen=True)
class Meaning:
    """What the table means."""

    layout: Annotated[
        Layout | None,
        typer.Option(
            "--layout",
            metavar="LAYOUT",
            help="How the hierarchy is stated: parent, level, dotted, indented, columns, outline, edges or flat; "
            "found by itself if not given.",
            rich_help_panel=MEANING,
        ),
    ] = None
    table: Annotated[
        int,
        typer.Option(
            "--table",
            metavar="N",
            min=0,
            help="Which table of a sheet that holds several, from 1; 0 is the only one.",
            rich_help_panel=MEANING,
            show_default=False,
        ),
    ] = 0
    map: Annotated[
        Texts,
        typer.Option(
            "--map",
            metavar="QUANTITY=HEADER",
            help='Name a column: --map id="Part Number".',
            rich_help_panel=MEANING,
        ),
    ] = None
    frozen: Annotated[
        bool,
        typer.Option(
            "--frozen",
            help="Read only the columns that --map or massprops.toml names; another one that means a quantity is an "
            "error.",
            rich_help_panel=MEANING,
        ),
    ] = False
    unit: Annotated[
        Texts,
        typer.Option("--unit", metavar="QUANTITY=UNIT", help="State a unit: --unit mass=kg.", rich_help_panel=MEANING),
    ] = None
    units: Annotated[
        str,
        typer.Option(
            "--units",
            metavar="SYSTEM",
            help="Rewrite every number in SI, kg,mm, lb,in …",
            rich_help_panel=MEANING,
        ),
    ] = ""
    as_weight: Annotated[
        bool,
        typer.Option("--as-weight", help="The masses are weights (a force unit).", rich_help_panel=MEANING),
    ] = False
    poi: Annotated[
        Sign | None,
        typer.Option(
            "--poi",
            help="Sign convention of the products, without a column POIconv.",
            rich_help_panel=MEANING,
        ),
    ] = None
    mass_is: Annotated[
        MassIs | None,
        typer.Option(
            "--mass-is",
            metavar="WHAT",
            help="What a row's mass is of: each piece, the default, or the line, all pieces of the row.",
            rich_help_panel=MEANING,
        ),
    ] = None
    qty_is: Annotated[
        QtyIs | None,
        typer.Option(
            "--qty-is",
            metavar="WHAT",
            help="What a quantity counts: per-parent, the default, or the total, already multiplied by those above.",
            rich_help_panel=MEANING,
        ),
    ] = None
    inertia_about: Annotated[
        str,
        typer.Option(
            "--inertia-about",
            metavar="POINT",
            help="What the cells of inertia are about: own, the default, for each item's own centre, origin, or x,y,z.",
            rich_help_panel=MEANING,
        ),
    ] = ""
    root: Annotated[
        str,
        typer.Option("--root", metavar="ID", help="Take only the tree below this item.", rich_help_panel=MEANING),
    ] = ""
    make_root: Annotated[
        str,
        typer.Option(
            "--make-root",
            metavar="ID",
            help="Put several top items under a new root.",
            rich_help_panel=MEANING,
        ),
    ] = ""
    where: Annotated[
        Texts,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help='Keep the rows that match: --where "subsystem = Power".',
            rich_help_panel=MEANING,
        ),
    ] = None
    decimal: Annotated[
        str,
        typer.Option(
            "--decimal",
            metavar="MARK",
            help="The decimal mark of numbers written as text: , or . (found by itself where it can be only one).",
            rich_help_panel=MEANING,
        ),
    ] = ""
    accept_approximate: Annotated[
        bool,
        typer.Option("--accept-approximate", help="Take ~3 and ca. 3 as 3.", rich_help_panel=MEANING),
    ] = False
    qty_column: Annotated[
        Texts,
        typer.Option(
            "--qty-column",
            metavar="HEADER",
            help='Take quantities from this column: --qty-column "Variant B".',
            rich_help_panel=MEANING,
        ),
    ] = None
    blank_qty: Annotated[
        BlankQuantity | None,
        typer.Option(
            "--blank-qty",
            help="What a blank cell under --qty-column counts: 0 or 1.",
            rich_help_panel=MEANING,
        ),
    ] = None
    allow_missing: Annotated[
        str,
        typer.Option(
            "--allow-missing",
            metavar="WHAT",
            help="mass,center,inertia,sigma or all may be blank.",
            rich_help_panel=MEANING,
        ),
    ] = ""
    allow_negative_mass: Annotated[
        bool,
        typer.Option("--allow-negative-mass", help="Negative masses are meant.", rich_help_panel=MEANING),
    ] = False
    assembly_values: Annotated[
        Assembly | None,
        typer.Option(
            "--assembly-values",
            metavar="HOW",
            help="What assembly rows' own numbers are: check, own, stated or ignore.",
            rich_help_panel=MEANING,
        ),
    ] = None
    growth_table: Annotated[
        str,
        typer.Option(
            "--growth-table",
            metavar="FILE|NAME",
            help="Growth by category and maturity: a csv file, or the name of an example that comes along.",
            rich_help_panel=MEANING,
        ),
    ] = ""
