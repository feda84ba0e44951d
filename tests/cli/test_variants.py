"""``rollup --all-variants``: every column of quantities separately, side by side."""

from __future__ import annotations

import csv
import io
import json

import pytest

JET = """id,parent,mass [kg],Cx [m],Cy [m],Cz [m],Variant A,Variant B
Jet,,999,,,,,
Nose,Jet,,,,,,
Radar,Nose,120,1,0,0,1,
Cone,Nose,10,2,0,0,1,1
Hook,Jet,30,-3,0,0,,2
Gun,Jet,90,1.5,0,0,1,
"""
# A: 120 + 10 + 90 = 220 kg, moment 120 + 20 + 135 = 275 kg m; B: 10 + 2·30 = 70 kg, moment 20 − 180 = −160 kg m
EXPECTED = {"A": {"Jet": (220, 275 / 220), "Nose": (130, 140 / 130)}, "B": {"Jet": (70, -160 / 70), "Nose": (10, 2)}}


@pytest.fixture
def jet(tmp_path):
    path = tmp_path / "jet.csv"
    path.write_text(JET)
    return path


@pytest.mark.parametrize("named", [(), ("--qty-column", "Variant A", "--qty-column", "Variant B")])
def test_table_has_a_row_for_every_assembly_and_columns_for_every_variant(run, jet, named):
    result = run("rollup", jet, "--all-variants", *named, "--to", "csv")
    assert result.exit_code == 0, result.output
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
    assert list(rows) == ["Jet", "Nose"]
    for variant, items in EXPECTED.items():
        for name, (mass, center) in items.items():
            assert float(rows[name][f"mass Variant {variant} [kg]"]) == mass
            assert float(rows[name][f"Cx Variant {variant} [m]"]) == pytest.approx(center, rel=1e-14)
    assert "rolled up 2 variants of 6 items" in result.stderr


@pytest.mark.parametrize("suffix", ["json", "xlsx", "parquet", "md"])
def test_table_is_written_in_every_format(run, jet, tmp_path, suffix):
    out = tmp_path / f"out.{suffix}"
    result = run("rollup", jet, "--all-variants", "-o", out)
    assert result.exit_code == 0, result.output
    assert out.stat().st_size > 0
    if suffix == "json":
        assert [row["mass Variant B [kg]"] for row in json.loads(out.read_text())] == [70, 10]


def test_json_report_gives_each_assembly_in_each_variant(run, jet):
    report = json.loads(run("rollup", jet, "--all-variants", "--format", "json").stdout)
    assert report["variants"] == ["Variant A", "Variant B"]
    masses = {item["id"]: {name: n["mass"] for name, n in item["variants"].items()} for item in report["items"]}
    assert masses == {"Jet": {"Variant A": 220, "Variant B": 70}, "Nose": {"Variant A": 130, "Variant B": 10}}


def test_screen_shows_masses_side_by_side_and_writes_nothing(run, jet, tmp_path):
    result = run("rollup", jet, "--all-variants")
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["Jet", "220", "70"] in lines
    assert ["Nose", "130", "10"] in lines
    assert [path.name for path in tmp_path.iterdir()] == ["jet.csv"]


def test_variants_are_those_of_one_rollup_each(run, jet):
    for variant, items in EXPECTED.items():
        result = run("rollup", jet, "--qty-column", f"Variant {variant}", "-o", "-")
        assert result.exit_code == 0, result.output
        rows = {row["id"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
        assert float(rows["Jet"]["mass [kg]"]) == items["Jet"][0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--all-variants", "--add", "radii"), "omit --add"),
        (("--all-variants", "--in-place"), "omit --in-place"),
        (("--all-variants", "--sigma-level", "2"), "omit sigma-level"),
        (("--all-variants", "--qty-column", "Variant A", "--qty-column", "Variant A"), "twice"),
        (("--qty-column", "Variant A", "--qty-column", "Variant B"), "rollup --all-variants for several variants"),
    ],
)
def test_wrong_calls_are_rejected(run, jet, options, words):
    result = run("rollup", jet, *options)
    assert result.exit_code == 2
    assert words in result.stderr


def test_table_without_variants_is_rejected_with_its_columns(run, bom):
    result = run("rollup", bom, "--all-variants")
    assert result.exit_code == 2
    assert "--all-variants found fewer than two columns of quantities" in result.stderr


def test_error_in_one_variant_is_reported_and_nothing_is_written(run, jet, tmp_path):
    jet.write_text(JET.replace("Gun,Jet,90,1.5,0,0,1,", "Gun,Jet,90,1.5,0,0,1,0"))
    result = run("rollup", jet, "--all-variants", "-o", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "MP331" in result.output
    assert "blank Variant B may mean 0 or 1" in result.output
    assert not (tmp_path / "out.csv").exists()


SIGMAS = """id,parent,mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m],Qty A,Qty B
Jet,,,,,,,,,,,
Nose,Jet,120,3,1,0,0,0.1,0,0,1,1
Hook,Jet,30,4,-3,0,0,0.2,0,0,1,2
"""


def test_sigmas_are_next_to_masses_and_centres(run, tmp_path):
    path = tmp_path / "sigmas.csv"
    path.write_text(SIGMAS)
    result = run("rollup", path, "--all-variants", "--to", "csv")
    row = next(csv.DictReader(io.StringIO(result.stdout)))
    # independent pieces: variances add up, twice for the two hooks of B
    assert float(row["sigma_mass Qty A [kg]"]) == pytest.approx((3**2 + 4**2) ** 0.5, rel=1e-14)
    assert float(row["sigma_mass Qty B [kg]"]) == pytest.approx((3**2 + 2 * 4**2) ** 0.5, rel=1e-14)
    # the centre x = Σ m x / M: dx/dm = (x_i − x) / M, dx/dx_i = m_i / M, here for A with M = 150 and x = 0.2
    parts = [(1 - 0.2) * 3, (-3 - 0.2) * 4, 120 * 0.1, 30 * 0.2]
    assert float(row["sigma_Cx Qty A [m]"]) == pytest.approx(sum(part**2 for part in parts) ** 0.5 / 150, rel=1e-12)


def test_sigmas_of_variants_follow_the_options_of_uncertainty(run, tmp_path):
    path = tmp_path / "sigmas.csv"
    path.write_text(SIGMAS)
    shared = run("rollup", path, "--all-variants", "--correlate", "all", "--format", "json")
    root = json.loads(shared.stdout)["items"][0]["variants"]
    assert root["Qty A"]["sigma_mass"] == pytest.approx(3 + 4, rel=1e-14)
    without = run("rollup", path, "--all-variants", "--uncertainty", "none", "--format", "json")
    assert "sigma_mass" not in json.loads(without.stdout)["items"][0]["variants"]["Qty A"]
    drawn = run("rollup", path, "--all-variants", "--uncertainty", "montecarlo")
    assert drawn.exit_code == 2
    assert "first-order" in drawn.stderr


def test_screen_shows_the_assemblies_nearest_the_root_and_counts_the_others(run, tmp_path):
    rows = ["id,parent,mass,Qty A,Qty B", "T,,,,"]
    for k in range(30):
        rows += [f"S{k},T,,1,1", f"S{k}.box,S{k},,1,1", f"S{k}.box.part,S{k}.box,2,1,3"]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(rows))
    shown = run("rollup", path, "--all-variants").stdout.splitlines()
    names = [line.split()[0] for line in shown if line.split()[1:] in (["60", "180"], ["2", "6"])]
    assert [name for name in names if "." not in name] == ["T", *(f"S{k}" for k in range(30))]
    assert len(names) == 40
    assert "and 21 more assemblies; to list all: -o FILE or --format json" in "".join(shown)
    printed = json.loads(run("rollup", path, "--all-variants", "--format", "json").stdout)
    assert len(printed["items"]) == 61


def test_nothing_is_reported_of_the_variants_that_are_others(run, jet):
    report = json.loads(run("rollup", jet, "--all-variants", "--format", "json").stdout)
    assert "MP225" not in {finding["rule"] for finding in report["findings"]}


def test_nothing_is_reported_of_columns_called_quantities_that_are_others(run, tmp_path):
    path = tmp_path / "quantities.csv"
    path.write_text("id,parent,mass,Qty A,Qty B\nT,,,,\na,T,2,1,3\n")
    report = json.loads(run("rollup", path, "--all-variants", "--format", "json").stdout)
    assert "MP225" not in {finding["rule"] for finding in report["findings"]}
