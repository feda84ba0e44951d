"""Calls of ``reconcile`` that meet a rule, or nearly do."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

HEADER = "id,parent,qty,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],sigma_mass [kg],"
PARTS = (
    HEADER
    + """sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]
TOP,,1,,,,,,,,,,,
A,TOP,1,10,0.2,0,0,0.1,0.1,0.1,0.2,0.01,0.01,0.01
B,TOP,2,2,0,0.1,0,0.02,0.02,0.02,0.1,0.01,0.01,0.01
"""
)


def reconcile(folder: Path, *measured: str, parts: str = PARTS, more: tuple[str, ...] = ()) -> list[str]:
    """Write the table, and give the command line."""
    (folder / "bom.csv").write_text(parts)
    return ["reconcile", str(folder / "bom.csv"), *(word for one in measured for word in ("--measured", one)), *more]


@bad("MP520")
def a_value_without_sigma(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 14.1 kg")


@bad("MP520")
def a_unit_of_length_for_a_mass(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 14.1±0.1 mm")


@bad("MP520")
def an_item_that_is_not_there(folder: Path) -> list[str]:
    return reconcile(folder, "TIP mass 14.1±0.1 kg")


@bad("MP520")
def a_table_without_items(folder: Path) -> list[str]:
    (folder / "m.csv").write_text("value,unit\n3,kg\n")
    return reconcile(folder, str(folder / "m.csv"))


@bad("MP520")
def one_reaction(folder: Path) -> list[str]:
    return reconcile(folder, "TOP reaction 5±0.1 kg at 1,0,0 m")


@bad("MP520")
def a_period_without_geometry(folder: Path) -> list[str]:
    return reconcile(folder, "TOP period 3.2±0.01 s axis z")


@bad("MP520")
def a_scale_that_is_not_stated(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 14.1±0.1 kg scale X")


@bad("MP520")
def an_offer_with_a_value(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 14.1±0.1 kg", more=("--offer", "A mass 10±0.1 kg"))


@good("MP520", "MP521", "MP522", "MP523", "MP524", "MP525", "MP526", "MP527")
def what_agrees(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 14.1±0.1 kg", "TOP Cx 145±5 mm", "B mass 2.05±0.1 kg each")


@bad("MP521")
def a_leaf_without_a_mass(folder: Path) -> list[str]:
    parts = PARTS.replace("A,TOP,1,10,", "A,TOP,1,,")
    return reconcile(folder, "TOP mass 14.1±0.1 kg", parts=parts, more=("--allow-missing", "mass,inertia,sigma"))


@good("MP521")
def another_item_that_is_complete(folder: Path) -> list[str]:
    parts = PARTS.replace("A,TOP,1,10,", "A,TOP,1,,")
    return reconcile(folder, "B mass 2±0.1 kg", parts=parts, more=("--allow-missing", "mass,inertia,sigma"))


@bad("MP522")
def a_mass_far_away(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 18±0.1 kg")


@bad("MP523")
def one_of_two(folder: Path) -> list[str]:
    return reconcile(folder, "B mass 2.05±0.1 kg")


@bad("MP524")
def a_leaf_without_sigma(folder: Path) -> list[str]:
    parts = PARTS.replace("0.02,0.02,0.02,0.1,0.01", "0.02,0.02,0.02,,0.01")
    return reconcile(folder, "TOP mass 14.1±0.1 kg", parts=parts, more=("--allow-missing", "inertia,sigma"))


@bad("MP525")
def a_centre_beyond_the_list(folder: Path) -> list[str]:
    return reconcile(folder, "TOP Cx 900±0.000001 m")


@bad("MP526")
def less_than_nothing(folder: Path) -> list[str]:
    parts = PARTS.replace("0.02,0.02,0.02,0.1,0.01", "0.02,0.02,0.02,20,0.01")
    return reconcile(folder, "TOP mass 9±0.01 kg", parts=parts)


SHAPES = """id,parent,shape,dims,density [kg/m^3],mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m]
TOP,,,,,,,,,
BOX,TOP,box,a=100±1 mm (1σ); b=100 mm; c=100 mm,1000,,,0,0,0
A,TOP,,,,1,0.1,0,0,0
"""


@bad("MP527")
def shapes_over_their_cells(folder: Path) -> list[str]:
    more = ("-o", str(folder / "out.csv"), "--overwrite")
    return reconcile(folder, "TOP mass 2±0.01 kg", parts=SHAPES, more=more)


@good("MP527")
def shapes_next_to_their_cells(folder: Path) -> list[str]:
    return reconcile(folder, "TOP mass 2±0.01 kg", parts=SHAPES, more=("-o", str(folder / "out.csv")))
