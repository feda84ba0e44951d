"""Tables in the words of a trade that meet a rule, or nearly do."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import BAD, GOOD, bad, good

__all__ = ["BAD", "GOOD"]

TABLE = "id,parent,mass [t],Cx [m],Cy [m],Cz [m]\nSHIP,,,,,\nHULL,SHIP,1500,50,0,5\nCARGO,SHIP,900,48,0,4\n"


def styled(folder: Path, trade: str, keys: str) -> list[str]:
    """Write the table and the keys of a trade, and give the command line that lays it out."""
    (folder / "table.csv").write_text(TABLE)
    (folder / "massprops.toml").write_text(f"[style.{trade}]\n{keys}")
    return ["rollup", str(folder / "table.csv"), "--style", trade, "-o", str(folder / "out.csv")]


@bad("MP650")
def a_chord_without_its_length(folder: Path) -> list[str]:
    return styled(folder, "aircraft", "lemac = 48\n")


@good("MP650")
def a_chord(folder: Path) -> list[str]:
    return styled(folder, "aircraft", "lemac = 48\nmac = 3\n")


@bad("MP651")
def two_axles_in_one_place(folder: Path) -> list[str]:
    return styled(folder, "car", "front-axle = 40\nrear-axle = 40\n")


@bad("MP651")
def two_directions_of_one_axis(folder: Path) -> list[str]:
    return styled(folder, "ship", 'forward = "+x"\naft = "+x"\n')


@good("MP651")
def one_direction_in_two_words(folder: Path) -> list[str]:
    return styled(folder, "ship", 'forward = "-x"\naft = "+x"\n')


@bad("MP652")
def a_group_in_the_plural(folder: Path) -> list[str]:
    return styled(folder, "aircraft", '[style.aircraft.groups]\nwings = ["HULL"]\n')


@good("MP652")
def a_group_with_a_hyphen(folder: Path) -> list[str]:
    return styled(folder, "aircraft", '[style.aircraft.groups]\nmain-gear = ["HULL"]\ncargo = "CARGO"\n')


@bad("MP653")
def hydrostatics_in_kilograms(folder: Path) -> list[str]:
    return styled(folder, "ship", 'hydrostatics = { "displacement [kg]" = [1000, 3000], "KM [m]" = [9, 8] }\n')


@good("MP653")
def hydrostatics_that_end_at_the_displacement(folder: Path) -> list[str]:
    return styled(folder, "ship", "hydrostatics = { displacement = [1000, 2400], KM = [9, 8] }\n")


@bad("MP654")
def a_center_in_front_of_the_axles(folder: Path) -> list[str]:
    return styled(folder, "car", "front-axle = 40\nrear-axle = 37\n")


@good("MP654")
def a_center_between_the_axles(folder: Path) -> list[str]:
    return styled(folder, "car", "front-axle = 40\nrear-axle = 60\n")


@bad("MP655")
def cargo_without_a_group(folder: Path) -> list[str]:
    return styled(folder, "aircraft", '[style.aircraft.groups]\nfuselage = ["HULL"]\n')


@good("MP655")
def a_group_above_all_parts(folder: Path) -> list[str]:
    return styled(folder, "aircraft", '[style.aircraft.groups]\nfuselage = ["SHIP"]\ncargo = ["CARGO"]\n')
