"""Write satellite_pdr.csv and satellite_cdr.csv: ../spacecraft.csv with methods and growth, and what changed since."""

import csv
from pathlib import Path

HERE = Path(__file__).parent
GROWTH = {"weighed": "0", "calculated": "5", "estimated": "12"}  # percent of the basic mass, chosen for this project
CHANGES = {  # mass at the preliminary review; empty: the item was not there
    "PLD-110": "7.9", "AOC-110": "1.35", "EPS-100": "10.8", "COM-100": "1.6", "STR-110": "7.6", "HRN-100": "5.2",
}  # fmt: skip


def method(row: dict[str, str]) -> str:
    """Choose a method by the relative sigma of the mass."""
    mass, sigma = (float(row[name] or 0) for name in ("mass [kg]", "sigma_mass [kg]"))
    return (
        "" if not mass else "weighed" if sigma < 0.004 * mass else "calculated" if sigma < 0.04 * mass else "estimated"
    )


def main() -> None:
    """Write both revisions."""
    rows = list(csv.DictReader((HERE.parent / "spacecraft.csv").open(encoding="utf-8")))
    for row in rows:
        row["method"] = method(row)
        row["mga [%]"] = GROWTH.get(row["method"], "")
    before = [dict(row) for row in rows if row["id"] != "THM-200"]  # added since
    for row in before:
        if row["id"] in CHANGES and row["mass [kg]"]:
            row["mass [kg]"] = CHANGES[row["id"]]
    for name, table in (("satellite_pdr.csv", before), ("satellite_cdr.csv", rows)):
        with (HERE / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
