"""Commands that write a file of each kind, in a folder with their inputs."""

from __future__ import annotations

from math import cos, sin
from pathlib import Path

import openpyxl

TABLE = (
    "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],"
    "Iyz [kg*m^2],POIconv,Ipoint,sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]\n"
    "SAT,,,,,,,,,,,,-,,,,,\n"
    "BUS,SAT,2,1,0,0,0,0,0,0,0,0,-,true,0.1,0.01,0.01,0.01\n"
    "EPS,SAT,3,-1,0,0,0,0,0,0,0,0,-,true,0.1,0.01,0.01,0.01\n"
)
"""Two points of 2 and 3 kg with sigmas."""

_BOX = "<collision{}><geometry><box{}</box></geometry></collision>"
SDF = (
    "<sdf version='1.11'><model name='robot'><link name='arm'><inertial auto='true'><density>1000</density></inertial>"
    + _BOX.format(" name='c'", "><size>1 2 3</size>")
    + "</link></model></sdf>\n"
)
URDF = '<robot name="robot"><link name="arm">' + _BOX.format("", ' size="1 2 3">') + "</link></robot>\n"
LINKS = (
    "id,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2],"
    "POIconv\narm,7,0,0,1,1,1,1,0,0,0,-\n"
)

_ROLLUP = ("rollup", "bom.csv", "-q")
CASES: dict[str, tuple[str, ...]] = {
    "csv": (*_ROLLUP, "-o", "out.csv"),
    "csv that exists": (*_ROLLUP, "-o", "old.csv"),
    "csv in place, with a backup": (*_ROLLUP, "--in-place"),
    "gzip": (*_ROLLUP, "-o", "out.csv.gz"),
    "json": (*_ROLLUP, "-o", "out.json"),
    "parquet": (*_ROLLUP, "-o", "out.parquet"),
    "feather": (*_ROLLUP, "-o", "out.feather"),
    "new workbook": (*_ROLLUP, "-o", "out.xlsx"),
    "annotated workbook": ("rollup", "bom.xlsx", "-q", "-o", "out.xlsx"),
    "workbook in place": ("rollup", "bom.xlsx", "-q", "--in-place"),
    "covariance csv": (*_ROLLUP, "-o", "out.csv", "--covariance", "covariance.csv"),
    "covariance json": (*_ROLLUP, "-o", "out.csv", "--covariance", "covariance.json"),
    "covariance parquet": (*_ROLLUP, "-o", "out.csv", "--covariance", "covariance.parquet"),
    "reports": (
        "check",
        "bom.csv",
        "--budget",
        "budget.toml",
        "--report",
        "junit=report.xml",
        "--report",
        "sarif=report.sarif",
    ),
    "plot of shares": ("contributions", "bom.csv", "--of", "mass", "--plot", "shares.png"),
    "certificate json": ("verify", "bom.csv", "-q", "-o", "certificate.json"),
    "certificate md": ("verify", "bom.csv", "-q", "-o", "certificate.md"),
    "live formulas": (*_ROLLUP, "--formulas", "-o", "out.xlsx"),
    "report": ("report", "bom.csv", "-o", "out.html", "-q"),
    "report as a workbook": ("report", "bom.csv", "-o", "out.xlsx", "-q"),
    "report as Markdown with pictures": ("report", "bom.csv", "-o", "out.md", "-q", "--config", "sections=mass"),
    "picture": ("plot", "treemap", "bom.csv", "-o", "out.svg", "-q"),
    "saved map": ("validate", "bom.csv", "--save-map", "map.toml"),
    "reconciled": ("reconcile", "bom.csv", "--measured", "SAT mass 5.1±0.1 kg", "-o", "out.csv", "-q"),
    "identified": ("identify", "swing.json", "--data", "swing.csv", "-q", "-o", "out.json"),
    "table of identified links": ("identify", "swing.json", "--data", "swing.csv", "-q", "-o", "out.csv"),
    "exciting motion": ("identify", "swing.json", "--design", "out.csv", "-q"),
    "convert": ("convert", "bom.csv", "-o", "out.tsv"),
    "picture of a trend": ("trend", "bom.csv", "-q", "--no-cache", "-o", "curve.svg"),
    "history of a trend": ("trend", "bom.csv", "-q", "--no-cache", "--record", "history.jsonl"),
    "inertials of SDF": ("robot", "inertials", "robot.sdf", "-o", "out.sdf", "-q"),
    "inertials of URDF": ("robot", "inertials", "robot.urdf", "--density", "1000 kg/m3", "-o", "out.urdf", "-q"),
    "numbers into SDF": ("convert", "links.csv", "--frame", "own", "--into-robot", "robot.sdf", "-o", "out.sdf", "-q"),
    "numbers into URDF": (
        "convert",
        "links.csv",
        "--frame",
        "own",
        "--into-robot",
        "robot.urdf",
        "-o",
        "out.urdf",
        "-q",
    ),
}


SWING = (
    '{"gravity": [0, 0, -10], "bodies": [{"id": "bar", "mass": 1, "c": [1, 0, 0], "I": [0, 1, 1, 0, 0, 0]}], "joints": '
    '[{"name": "A", "type": "R", "i": 0, "j": "bar", "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, -1, 0]}]}'
)


def _swing() -> str:
    """Return a run of a bar that turns about its end: torque 2 q'' + 10 cos q, and a small hum."""
    rows = ["t,q_A,tau_A"]
    for t in (k / 100 for k in range(300)):
        q, second = 0.8 * sin(2 * t) + 0.5 * sin(3 * t), -3.2 * sin(2 * t) - 4.5 * sin(3 * t)
        rows.append(f"{t},{q},{2 * second + 10 * cos(q) + 0.1 * sin(80 * t)}")
    return "\n".join(rows) + "\n"


def make_inputs(folder: Path) -> None:
    """Write the table as csv and as a workbook, and an old output, to a new folder."""
    folder.mkdir()
    (folder / "bom.csv").write_text(TABLE, encoding="utf-8")
    (folder / "old.csv").write_text("old\n", encoding="utf-8")
    (folder / "robot.sdf").write_text(SDF, encoding="utf-8")
    (folder / "robot.urdf").write_text(URDF, encoding="utf-8")
    (folder / "links.csv").write_text(LINKS, encoding="utf-8")
    (folder / "swing.json").write_text(SWING, encoding="utf-8")
    (folder / "massprops.toml").write_text("[identify]\ntrials = 10\n", encoding="utf-8")
    (folder / "swing.csv").write_text(_swing(), encoding="utf-8")
    (folder / "budget.toml").write_text('[[budget]]\nitem = "SAT"\nmass-max = "10 kg"\n', encoding="utf-8")
    book = openpyxl.Workbook()
    assert book.active is not None
    for line in TABLE.splitlines():
        book.active.append([float(text) if _is_number(text) else text or None for text in line.split(",")])
    book.save(folder / "bom.xlsx")


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()
