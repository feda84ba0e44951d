"""``rollup --all-variants``: every column of quantities by itself, side by side."""

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
        (("--all-variants", "--add", "radii"), "leave out --add"),
        (("--all-variants", "--in-place"), "leave out --in-place"),
        (("--all-variants", "--uncertainty", "none"), "leave out --uncertainty"),
        (("--all-variants", "--qty-column", "Variant A", "--qty-column", "Variant A"), "twice"),
        (("--qty-column", "Variant A", "--qty-column", "Variant B"), "--all-variants takes several"),
    ],
)
def test_wrong_calls_are_refused(run, jet, options, words):
    result = run("rollup", jet, *options)
    assert result.exit_code == 2
    assert words in result.stderr


def test_table_without_variants_is_refused_with_its_columns(run, bom):
    result = run("rollup", bom, "--all-variants")
    assert result.exit_code == 2
    assert "no column looks like quantities of a variant; name them with --qty-column" in result.stderr


def test_error_in_one_variant_is_told_and_nothing_is_written(run, jet, tmp_path):
    jet.write_text(JET.replace("Gun,Jet,90,1.5,0,0,1,", "Gun,Jet,90,1.5,0,0,1,0"))
    result = run("rollup", jet, "--all-variants", "-o", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "MP331" in result.output
    assert "under Variant B" in result.output
    assert not (tmp_path / "out.csv").exists()
