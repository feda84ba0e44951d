"""Tables with loading conditions that meet a rule, or nearly do."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

TABLE = "id,parent,qty,mass [kg]\nSAT,,,\nBUS,SAT,1,400\nBOLT,SAT,4,0.5\nFUEL,SAT,1,100\n"


def stated(folder: Path, text: str, *options: str) -> list[str]:
    """Write the table and its configuration, and give the command line that computes its conditions."""
    (folder / "table.csv").write_text(TABLE)
    (folder / "massprops.toml").write_text(text)
    return ["conditions", str(folder / "table.csv"), *options]


def listed(folder: Path, text: str) -> list[str]:
    """Write the table and a sheet of conditions, and give the command line that computes them."""
    (folder / "conditions.csv").write_text(text)
    return stated(folder, "", "--conditions", str(folder / "conditions.csv"))


@bad("MP630")
def an_item_of_another_name(folder: Path) -> list[str]:
    return stated(folder, '[condition.dry]\noff = ["FUEL-1"]\n')


@bad("MP630")
def a_base_of_another_name(folder: Path) -> list[str]:
    return stated(folder, '[condition.wet]\n[condition.dry]\nbase = "wed"\n')


@bad("MP630")
def a_row_of_no_item(folder: Path) -> list[str]:
    return listed(folder, "id,dry\nFUEL-1,off\n")


@good("MP630")
def a_condition_that_is_a_column(folder: Path) -> list[str]:
    return stated(folder, '[condition.light]\noff = ["where mass > 50"]\n')


@bad("MP631")
def two_bases_of_each_other(folder: Path) -> list[str]:
    return stated(folder, '[condition.wet]\nbase = "dry"\n[condition.dry]\nbase = "wet"\n')


@good("MP631")
def a_base_of_a_base(folder: Path) -> list[str]:
    return stated(folder, '[condition.a]\n[condition.b]\nbase = "a"\n[condition.c]\nbase = "b"\noff = ["FUEL"]\n')


@bad("MP632")
def fewer_pieces_than_none(folder: Path) -> list[str]:
    return stated(folder, '[condition.wet]\nset = ["FUEL.qty=-2"]\n')


@bad("MP632")
def a_fill_above_all(folder: Path) -> list[str]:
    return stated(folder, '[condition.wet]\nfill = { FUEL = "120 %" }\n')


@bad("MP632")
def a_condition_of_the_name_all(folder: Path) -> list[str]:
    return stated(folder, "[condition.all]\n")


@good("MP632")
def no_pieces(folder: Path) -> list[str]:
    return stated(folder, '[condition.dry]\nset = ["FUEL.qty=0"]\n')


@bad("MP633")
def off_twice(folder: Path) -> list[str]:
    return stated(folder, '[condition.dry]\noff = ["FUEL", "FUEL"]\n')


@bad("MP633")
def burned_after_it_was_dropped(folder: Path) -> list[str]:
    steps = '[[mission]]\nstep = "a"\ndrop = ["FUEL"]\n[[mission]]\nstep = "b"\nburn = ["FUEL=1 kg"]\n'
    return stated(folder, steps)


@bad("MP633")
def two_rows_of_an_item(folder: Path) -> list[str]:
    return listed(folder, "id,dry\nFUEL,off\nFUEL,off\n")


@good("MP633")
def off_in_the_base_and_on(folder: Path) -> list[str]:
    return stated(folder, '[condition.dry]\noff = ["FUEL"]\n[condition.wet]\nbase = "dry"\non = ["FUEL"]\n')


@bad("MP634")
def more_than_a_tank_has(folder: Path) -> list[str]:
    return stated(folder, '[[mission]]\nstep = "ascent"\nburn = ["FUEL=100.1 kg"]\n')


@good("MP634")
def all_that_a_tank_has(folder: Path) -> list[str]:
    return stated(folder, '[[mission]]\nstep = "ascent"\nburn = ["FUEL=100 kg"]\n')


@bad("MP635")
def one_of_four_bolts(folder: Path) -> list[str]:
    return listed(folder, "id,full\nBOLT,1\n")


@bad("MP635")
def a_number_without_a_kind(folder: Path) -> list[str]:
    return listed(folder, "id,full\nFUEL,60\n")


@good("MP635")
def numbers_with_kinds(folder: Path) -> list[str]:
    return listed(folder, "id,full qty,full [kg]\nBOLT,1,\nFUEL,,60\nBUS,1,\n")


@bad("MP636")
def a_fill_of_no_tank(folder: Path) -> list[str]:
    return stated(folder, "[condition.wet]\nfill = { FUEL = 60 }\n")


@good("MP636")
def a_mass_in_a_tank(folder: Path) -> list[str]:
    return stated(folder, '[condition.wet]\nset = ["FUEL.mass=60 kg"]\n')


@bad("MP637")
def a_tree_without_fuel(folder: Path) -> list[str]:
    call = stated(folder, '[condition.dry]\noff = ["FUEL"]\n', "--condition", "dry")
    return ["rollup", *call[1:], "--format", "json"]


@good("MP637")
def the_table_as_it_is(folder: Path) -> list[str]:
    return ["rollup", *stated(folder, "[condition.wet]\n", "--condition", "wet")[1:], "--format", "json"]


_LENGTHS = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nSAT,,,,,\nBUS,SAT,400,1,0,0\nFUEL,SAT,100,3,0,0\n"


def enclosed(folder: Path, *points: tuple[str, str], more: str = "") -> list[str]:
    """Write a table with centres, two conditions and an envelope, and give the command line that tests them."""
    corners = ", ".join(f'["{x}", "{m}"]' for x, m in points)
    text = f'[condition.full]\n[condition.dry]\noff = ["FUEL"]\n[[envelope]]\npoints = [{corners}]\n{more}'
    call = stated(folder, text)
    (folder / "table.csv").write_text(_LENGTHS)
    return call


@bad("MP656")
def a_bow(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "0 kg"), ("2 m", "600 kg"), ("2 m", "0 kg"), ("0 m", "600 kg"))


@bad("MP656")
def two_corners(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "0 kg"), ("2 m", "600 kg"))


@bad("MP656")
def an_axis_without_a_name(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "0 kg"), ("2 m", "600 kg"), ("0 m", "600 kg"), more='axis = "w"\n')


@bad("MP656")
def a_length_in_kilograms(folder: Path) -> list[str]:
    return enclosed(folder, ("0 kg", "0 kg"), ("2 m", "600 kg"), ("0 m", "600 kg"))


@good("MP656")
def a_concave_polygon(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "0 kg"), ("2 m", "0 kg"), ("1.9 m", "550 kg"), ("1 m", "510 kg"), ("0 m", "550 kg"))


@bad("MP657")
def fuel_far_behind(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "300 kg"), ("1.3 m", "300 kg"), ("1.3 m", "600 kg"), ("0 m", "600 kg"))


@good("MP657")
def a_border_that_is_met(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "300 kg"), ("1.4 m", "300 kg"), ("1.4 m", "500 kg"), ("0 m", "500 kg"))


@bad("MP658")
def an_envelope_of_pounds(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "300 lb"), ("1.4 m", "300 lb"), ("1.4 m", "600 lb"), ("0 m", "600 lb"))


@good("MP658")
def an_envelope_of_one_condition(folder: Path) -> list[str]:
    return enclosed(folder, ("0 m", "300 kg"), ("1.4 m", "300 kg"), ("1.4 m", "450 kg"), ("0 m", "450 kg"))
