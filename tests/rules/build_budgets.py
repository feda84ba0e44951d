"""Budgets that break one limit each, and the same with a limit that is kept."""

from __future__ import annotations

from pathlib import Path

from .build_workbooks import Builder, bad, good

TABLE = """\
id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2],\
POIconv,Ipoint,sigma_mass [kg],method
SAT,,,,,,,,,,,,+,,,
BOX,SAT,600,0,0,0,100,120,140,0,0,0,+,FALSE,10,calculated
TANK,SAT,240,0.1,0,0,20,20,20,0,0,0,+,FALSE,5,estimated
"""
WAIVER = '[[budget]]\nitem = "TANK"\nmass-max = "{limit}"\n[[waive]]\nrule = "MP601"\nitem = "TANK"\nreason = "so"\n'
POLYGON = '[["-1 m", "500 kg"], ["{end} m", "500 kg"], ["{end} m", "900 kg"], ["-1 m", "900 kg"]]'
# SAT: 840 ± 11.2 kg at x = 24/840 m, Ixx 120 kg m²; 600/840 of the mass is calculated
LIMITS = {
    "MP601": ('mass-max = "839 kg"', 'mass-max = "840 kg"'),
    "MP602": ('mass-min = "841 kg"', 'mass-min = "840 kg"'),
    "MP603": ('mass-max = "850 kg"\nmargin-min = "2 %"', 'mass-max = "850 kg"\nmargin-min = "1 %"'),
    "MP604": ('center-x = ["*", "28 mm"]', 'center-x = ["*", "29 mm"]'),
    "MP605": (f"center-envelope = {POLYGON.format(end=0.02)}", f"center-envelope = {POLYGON.format(end=0.03)}"),
    "MP606": ('Ixx = ["121 kg m2", "*"]', 'Ixx = ["119 kg m2", "*"]'),
    "MP608": ('mass-max = "850 kg"\nprobability-min = 0.9', 'mass-max = "850 kg"\nprobability-min = 0.8'),
    "MP609": ('maturity-min = ["calculated", "72 %"]', 'maturity-min = ["calculated", "71 %"]'),
}


def command(folder: Path, budget: str, *options: str, table: str = TABLE) -> list[str]:
    """Write a table and a budget, and give the command that holds one against the other."""
    (folder / "bom.csv").write_text(table, encoding="utf-8")
    (folder / "budget.toml").write_text(budget, encoding="utf-8")
    paths = str(folder / "bom.csv"), "--budget", str(folder / "budget.toml")
    return ["check", *paths, "--format", "full", "--ignore", "MP5", *options]


def limit_of(text: str) -> Builder:
    """Make a builder of a budget with one limit of the whole satellite."""

    def build(folder: Path) -> list[str]:
        return command(folder, f'[[budget]]\nitem = "SAT"\n{text}\n')

    build.__name__ = text.split(maxsplit=1)[0]
    return build


for _code, (_broken, _kept) in LIMITS.items():
    bad(_code)(limit_of(_broken))
    good(_code)(limit_of(_kept))


def blank_mass(folder: Path, least: str) -> list[str]:
    rows = ["id,parent,mass [kg]", "SAT,,", *(f"P{k},SAT,1" for k in range(4)), "P4,SAT,"]
    budget = f'[[budget]]\nitem = "SAT"\ncoverage-min = "{least}"\n'
    return command(folder, budget, "--allow-missing", "mass", table="\n".join(rows) + "\n")


@bad("MP607")
def four_of_five_masses(folder: Path) -> list[str]:
    return blank_mass(folder, "81 %")


@good("MP607")
def four_of_five_masses_are_enough(folder: Path) -> list[str]:
    return blank_mass(folder, "80 %")


@bad("MP610")
def item_that_is_not_there(folder: Path) -> list[str]:
    return command(folder, '[[budget]]\nitem = "TNAK"\nmass-max = "300 kg"\n')


@good("MP610", "MP612")
def waived_limit(folder: Path) -> list[str]:
    return command(folder, WAIVER.format(limit="200 kg") + "expires = 2027-03-31\n", "--today", "2027-03-31")


@bad("MP612")
def waiver_of_yesterday(folder: Path) -> list[str]:
    return command(folder, WAIVER.format(limit="200 kg") + "expires = 2027-03-31\n", "--today", "2027-04-01")


@bad("MP611")
def waiver_of_a_limit_that_is_kept(folder: Path) -> list[str]:
    return command(folder, WAIVER.format(limit="300 kg"))


@good("MP611")
def waiver_that_is_used(folder: Path) -> list[str]:
    return command(folder, WAIVER.format(limit="200 kg"))


GROWN = "id,parent,mass [kg],mga [%]\nSAT,,,\nBUS,SAT,10,5\n"
PLAIN = "id,parent,mass [kg]\nSAT,,\nBUS,SAT,10\n"


@bad("MP624")
def predicted_mass_without_growth(folder: Path) -> list[str]:
    return command(folder, '[[budget]]\nitem = "SAT"\nmass-max = "11 kg"\n', table=PLAIN)


@good("MP624")
def predicted_mass_with_growth(folder: Path) -> list[str]:
    return command(folder, '[[budget]]\nitem = "SAT"\nmass-max = "11 kg"\n', table=GROWN)


@good("MP624")
def basic_mass_without_growth(folder: Path) -> list[str]:
    return command(folder, '[[budget]]\nitem = "SAT"\nbasis = "basic"\nmass-max = "11 kg"\n', table=PLAIN)


def stated_margin(folder: Path, percent: str) -> list[str]:
    rows = "Item,Mass (kg),Limit (kg),Margin (%)", "Frame,10,12,20", f"Tank,8,9,{percent}"
    (folder / "bom.csv").write_text("\n".join(rows), encoding="utf-8")
    ignored = "--ignore-column", "Margin (%)"  # read neither as growth nor as a mass
    return ["check", str(folder / "bom.csv"), "--format", "full", *ignored]


@bad("MP625")
def margin_of_an_earlier_mass(folder: Path) -> list[str]:
    return stated_margin(folder, "30")


@good("MP625")
def margin_of_limit_and_mass(folder: Path) -> list[str]:
    return stated_margin(folder, "12.5")


def limit_of_column(folder: Path, item: str) -> list[str]:
    table = "id,parent,mass [kg],Limit [kg]\nSAT,,,12\nBUS,SAT,10,\n"
    return command(folder, f'[[budget]]\nitem = "{item}"\nmass-max = "11 kg"\n', table=table)


@bad("MP626")
def limit_in_both_places(folder: Path) -> list[str]:
    return limit_of_column(folder, "SAT")


@good("MP626")
def limits_of_different_items(folder: Path) -> list[str]:
    return limit_of_column(folder, "BUS")


WITH_MARGIN = "Item,Mass [kg]\nBus,100\nPayload,50\nTotal,150\nSystem margin 20 %,30\nTotal with margin,180\n"


def limit_of_the_total(folder: Path, basis: str) -> list[str]:
    return command(folder, f'[[budget]]\nitem = "bom"\nmass-max = "170 kg"\nbasis = "{basis}"\n', table=WITH_MARGIN)


@bad("MP628")
def limit_that_the_system_margin_breaks(folder: Path) -> list[str]:
    return limit_of_the_total(folder, "basic")


@good("MP628")
def limit_of_the_total_with_margin(folder: Path) -> list[str]:
    return limit_of_the_total(folder, "with-margin")
