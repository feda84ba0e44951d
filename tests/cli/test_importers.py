"""Reports of other programs on the command line: found by content, named by ``--from``, written as csv."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

FILES = Path(__file__).parents[1] / "importers"
QUADROTOR = FILES / "jsbsim_quadrotor.xml"


def test_roll_up_goes_to_a_csv_next_to_it(massprops: Callable[..., Any], tmp_path: Path) -> None:
    path = shutil.copy(QUADROTOR, tmp_path / "quadrotor.xml")
    assert massprops("rollup", path).exit_code == 0
    assert (
        (tmp_path / "quadrotor.xml.rollup.csv")
        .read_text()
        .splitlines()[1]
        .startswith("aircraft,,1.62,0.01,0,-0.02,0.0171,")
    )
    assert massprops("rollup", path).exit_code == 0  # an existing file is replaced


def test_in_place_is_rejected(massprops: Callable[..., Any], tmp_path: Path) -> None:
    result = massprops("rollup", shutil.copy(QUADROTOR, tmp_path / "quadrotor.xml"), "--in-place")
    assert result.exit_code == 2
    assert "write a new csv" in result.output


def test_content_counts_not_the_suffix(massprops: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "plane.txt.gz").write_bytes(gzip.compress(QUADROTOR.read_text().encode("utf-16")))
    result = massprops("convert", tmp_path / "plane.txt.gz", "--to", "csv")
    assert result.exit_code == 0
    assert "Empty weight,aircraft,1.62" in result.output


def test_a_part_of_several_is_named_as_a_sheet_is(massprops: Callable[..., Any]) -> None:
    several = FILES / "solidworks_two_parts.txt"
    rejected = massprops("validate", several)
    assert rejected.exit_code == 2
    assert "MP112" in rejected.output
    assert "base plate,,5.41625," in massprops("convert", several, "--sheet", "base plate", "--to", "csv").output


def test_a_sign_can_be_stated(massprops: Callable[..., Any], tmp_path: Path) -> None:
    pump = (FILES / "solidworks_pump_housing.txt").read_text()
    path = tmp_path / "pump.txt"
    path.write_text(pump[: pump.rindex("Moments of inertia")])
    assert "MP214" in massprops("rollup", path, "-o", tmp_path / "a.csv").output
    reported = massprops("rollup", path, "--poi", "+", "-o", tmp_path / "b.csv")
    assert reported.exit_code == 0
    assert "0.0021" in reported.output


def test_a_stated_format_must_be_that_of_the_file(massprops: Callable[..., Any], tmp_path: Path) -> None:
    assert massprops("validate", QUADROTOR, "--from", "jsbsim").exit_code == 0
    (tmp_path / "bom.csv").write_text("id,parent,mass\nWing,,1\n")
    rejected = massprops("validate", tmp_path / "bom.csv", "--from", "jsbsim")
    assert rejected.exit_code != 0
    assert "not a report of the format jsbsim" in rejected.output
    (tmp_path / "page.xml").write_text("<?xml version='1.0'?><svg/>")
    assert "XML" in massprops("validate", tmp_path / "page.xml").output
