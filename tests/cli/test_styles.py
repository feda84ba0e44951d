"""``--style`` of ``rollup`` and ``conditions``: screen, files, JSON, Markdown, findings with their lines."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from massprops_cli import conditions, read_bom, rollup
from massprops_cli.findings.finding import Findings
from massprops_cli.reports.conditions import style_blocks
from massprops_cli.reports.page.page import UNICODE, plain_text
from massprops_cli.styles.style import style_tables

from .conftest import ROOT, assert_exit

SAMPLES = ROOT / "sample_data" / "conditions"
HEAD = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m],sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]\n"
TABLE = HEAD + "CAR,,,,,,,,,\nA,CAR,900,1,0,0.5,9,0,0,0\nB,CAR,100,2,0.1,0.2,1,0,0,0\n"
STYLE = "root = true\n[style.car]\nfront-axle = 0\nrear-axle = 2.5\nacceleration = 1\n"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("massprops.toml").write_text(STYLE)
    Path("bom.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(shutil.copytree(SAMPLES, tmp_path / "conditions"))
    monkeypatch.chdir(folder)
    return folder


def lines_of(output: str) -> list[str]:
    return [" ".join(line.split()) for line in output.splitlines()]


def test_a_roll_up_on_the_screen_and_its_file(run, table):
    done = run("rollup", "bom.csv", "--style", "car", "-o", "out.csv")
    assert_exit(done, 0)
    lines = lines_of(done.output)
    assert "rear axle kg 440.0 ± 3.7" in lines  # (900 + 200) / 2.5, √((9/2.5)² + (2/2.5)²)
    assert "rear axle kg 628.0 ± 5.5" in lines  # √((9 (1/2.5 + 0.5/2.5))² + (2/2.5 + 0.2/2.5)²)
    assert Path("out.csv").read_text().splitlines()[1].startswith("CAR,,1000,")  # the completed table


@pytest.mark.parametrize("width", [80, 200])
def test_tables_fit_the_screen(samples, width):
    for name, trade in (("ship", "ship"), ("airliner", "aircraft"), ("satellite", "space"), ("car", "car")):
        bom = read_bom(f"{name}.csv", config=f"{name}.toml")
        tables = style_tables(conditions(bom) if trade != "car" else rollup(bom), trade, Findings())
        lines = plain_text(style_blocks(tables, UNICODE, width, in_full=True), width, UNICODE).splitlines()
        assert max(map(len, lines)) <= width
        for table in tables:  # every column is there
            shown = "\n".join(lines)
            assert all(heading in shown for heading in table.columns), table.name


def test_json_markdown_and_csv(run, table):
    done = json.loads(run("rollup", "bom.csv", "--style", "car", "-o", "o.csv", "--format", "json").stdout)
    assert [one["name"] for one in done["style"]] == ["loads", "load transfer"]
    assert done["style"][0]["units"]["front axle"] == "kg"
    assert done["style"][0]["rows"][0]["front axle"] == pytest.approx(560)
    page = run("rollup", "bom.csv", "--style", "car", "-o", "o.csv", "--format", "md").stdout
    assert "front axle kg" in page
    assert page.startswith("# Mass properties of CAR")
    text = run("rollup", "bom.csv", "--style", "car", "-o", "o.csv", "--format", "csv").stdout
    (row,) = csv.DictReader(text.splitlines())
    assert float(row["sigma_mass [kg]"]) == pytest.approx(82**0.5)


def test_conditions_in_files(run, samples):
    for name in ("out.csv", "out.xlsx", "out.parquet"):
        assert_exit(run("conditions", "ship.csv", "--config", "ship.toml", "-o", name), 0)
    made = pd.read_excel("out.xlsx", engine="openpyxl")
    assert made["condition"].tolist() == ["loaded departure", "loaded arrival", "ballast departure", "ballast arrival"]
    assert "KG corrected [m]" in made
    frame = pd.read_csv("out.csv").set_index("condition")
    assert frame.loc["loaded arrival", "FSM [t·m]"] == pytest.approx(0.95 * 8 * 12**3 / 12)
    lines = run("conditions", "ship.csv", "--config", "ship.toml", "--format", "jsonl").stdout.splitlines()
    assert json.loads(lines[0])["GM"] == pytest.approx(frame["GM [m]"].iloc[0])
    report = json.loads(run("conditions", "ship.csv", "--config", "ship.toml", "--format", "json").stdout)
    assert [one["name"] for one in report["style"]][:2] == ["summary", "weights loaded departure"]
    assert "GM m" in run("conditions", "ship.csv", "--config", "ship.toml", "--format", "md").stdout


def test_weights_of_conditions_in_full_and_one_condition(run, samples):
    brief, full = (run("conditions", "ship.csv", "--config", "ship.toml", *more).output for more in ((), ("-v",)))
    assert "weights loaded arrival" in full
    assert "weights loaded arrival" not in brief
    one = run("conditions", "ship.csv", "--config", "ship.toml", "--condition", "ballast arrival").output
    assert "ballast arrival" in one
    assert "loaded" not in one
    rolled = run("rollup", "ship.csv", "--config", "ship.toml", "--condition", "all").output
    assert "loaded departure" in rolled
    assert "KG corrected" in rolled


def test_limits_of_conditions(run, samples):
    Path("limits.toml").write_text('[[budget]]\nitem = "SHIP"\nmass-max = "6500 t"\nbasis = "basic"\n')
    done = run("conditions", "ship.csv", "--config", "ship.toml", "--budget", "limits.toml", "-o", "out.csv")
    assert_exit(done, 1)
    assert pd.read_csv("out.csv")["limits"].tolist() == ["broken", "kept", "kept", "kept"]


def test_findings_have_the_line_of_the_key(run, table):
    Path("massprops.toml").write_text(STYLE.replace("rear-axle = 2.5", "rear-axel = 2.5"))
    done = run("rollup", "bom.csv", "--style", "car", "-o", "out.csv", "--format", "concise")
    assert_exit(done, 1)
    assert "massprops.toml:4: error: style car: unknown key: rear-axel; the nearest is rear-axle" in done.output
    assert "massprops.toml:2: error: style car: rear-axle is not stated" in done.output
    Path("massprops.toml").write_text(STYLE + "[condition.a]\n[style.cars]\n")
    assert "unknown key: style.cars; the nearest is car" in run("rollup", "bom.csv").output
    Path("massprops.toml").write_text("root = true\n[condition.a]\n")
    done = run("conditions", "bom.csv", "--style", "car")
    assert_exit(done, 1)
    assert "front-axle is not stated" in done.output
    assert "write front-axle" in done.output


def test_style_of_the_configuration_and_of_several_files(run, table):
    Path("massprops.toml").write_text(STYLE + '[report]\nstyle = "car"\n')
    Path("other.csv").write_text(TABLE.replace("900", "800"))
    assert "rear axle" in run("rollup", "bom.csv", "-o", "o.csv").output
    done = run(
        "rollup", "bom.csv", "other.csv", "-o", "out", "--format", "full", "--style", "car", "--config", "workers=2"
    )
    assert done.exit_code == 0, done.output
    assert "rear axle kg" in done.output
    Path("massprops.toml").write_text(STYLE + '[report]\nstyle = "cars"\n')
    assert "invalid report.style: cars; the nearest is car" in run("rollup", "bom.csv", "-o", "o.csv").output


def test_partition_has_no_style(run, table):
    done = run("rollup", "bom.csv", "--style", "car", "--config", "partition=2", "-o", "out.csv")
    assert_exit(done, 2)
    assert "mutually exclusive" in done.output


def test_a_mass_above_the_limit_of_a_spacecraft_is_named(massprops, tmp_path):
    (tmp_path / "sat.csv").write_text("id,parent,mass [kg]\nSAT,,\nBUS,SAT,120\n")
    (tmp_path / "massprops.toml").write_text('root = true\n[style.space]\nlimit = "112 kg"\nlimit-of = "dry"\n')
    done = massprops("rollup", tmp_path / "sat.csv", "--style", "space")
    assert "MP654" in done.output
    assert "is above the limit of dry" in " ".join(done.output.split())
