"""Caps: their names, numbers, environment variables and files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from openpyxl import Workbook

import massprops_cli as mp
from massprops_cli.cli.app import run_command_line
from massprops_cli.files.options import ReadCaps, cap_remedy, resolve_caps

CHAIN = "id,parent,mass\na,,\nb,a,\nc,b,1\n"


def write_chain(folder: Path, configuration: str = "") -> str:
    (folder / "bom.csv").write_text(CHAIN)
    if configuration:
        (folder / "massprops.toml").write_text(configuration)
    return str(folder / "bom.csv")


def test_a_later_cap_has_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASSPROPS_MAX_CELL_CHARACTERS", "40")
    assert resolve_caps() == ReadCaps(cell_characters=40)
    assert resolve_caps(["cell-characters=50", "cell-characters = 60"]) == ReadCaps(cell_characters=60)


@pytest.mark.parametrize("number", ["", "0", "-1", "1e6", "1.5", "ten", "٣", "9" * 400])
def test_a_wrong_number_is_rejected(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(mp.UsageError, match=r"invalid cap cells: .*\(expected an integer from 1 "):
        resolve_caps([f"cells={number}"])
    monkeypatch.setenv("MASSPROPS_MAX_CELLS", number)
    if number:
        with pytest.raises(mp.UsageError, match="invalid MASSPROPS_MAX_CELLS: "):
            mp.read_bom("bom.csv")
    else:
        assert resolve_caps() == ReadCaps()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("cels=3", "unknown cap: cels; the nearest is cells"),
        ("=3", "unknown cap:  (expected one of members, "),
        ("cells", "invalid cap: cells (expected NAME=N"),
    ],
)
def test_a_wrong_name_is_rejected(text: str, problem: str) -> None:
    with pytest.raises(mp.UsageError, match=re.escape(problem)):
        resolve_caps([text])


def test_a_file_above_the_highest_limit_has_no_option() -> None:
    assert "--cap" not in cap_remedy("items", 10**30)


def test_an_environment_variable_limits_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write_chain(tmp_path)
    monkeypatch.setenv("MASSPROPS_MAX_DEPTH", "1")
    with pytest.raises(mp.TableError) as caught:
        mp.read_bom(name)
    (finding,) = caught.value.findings
    assert finding.rule == "MP114"
    assert finding.remedy.endswith("--config cap=depth=2")
    assert len(mp.read_bom(name, caps=ReadCaps(depth=2))) == 3


def test_only_a_file_that_is_named_sets_caps(tmp_path: Path) -> None:
    name = write_chain(tmp_path, '[read]\ncap = ["depth=1"]\n')
    with pytest.raises(mp.ConfigError, match=r"massprops.toml:2: read.cap is not accepted in a file found near"):
        mp.read_bom(name)
    with pytest.raises(mp.TableError, match="MP114"):
        mp.read_bom(name, config=tmp_path / "massprops.toml")


def test_a_wrong_cap_of_a_file_has_its_line(tmp_path: Path) -> None:
    name = write_chain(tmp_path)
    (tmp_path / "own.toml").write_text('[read]\ncap = ["dept=1"]\n')
    with pytest.raises(mp.ConfigError, match=r"own.toml:2: read.cap: unknown cap: dept; the nearest is depth"):
        mp.read_bom(name, config=tmp_path / "own.toml")


@pytest.mark.parametrize("cap", [100, 99])
def test_a_long_cell_of_a_workbook_is_rejected(cap: int, tmp_path: Path) -> None:
    book = Workbook()
    for row in (("id", "parent", "mass", "note"), ("a", None, None, None), ("b", "a", 1, "x" * 100)):
        book.active.append(row)
    book.save(path := tmp_path / "bom.xlsx")
    if cap == 100:
        assert mp.read_bom(path, caps=ReadCaps(cell_characters=cap)).bodies.mass.tolist()[-1] == 1
        return
    with pytest.raises(mp.TableError) as caught:
        mp.read_bom(path, caps=ReadCaps(cell_characters=cap))
    (finding,) = caught.value.findings
    assert finding.message == "cell has 100 characters (at most 99)"
    assert (finding.rule, finding.place.cell, finding.place.row) == ("MP114", "D3", 3)
    assert finding.remedy.endswith("--config cap=cell-characters=100")


@pytest.mark.parametrize(
    ("words", "variable", "code", "text"),
    [
        (["--cap", "depth=1"], "", 2, "raise the limit with --config cap=depth=2"),
        (["--cap", "depth=2"], "", 0, ""),
        (["--cap", "dept=2"], "", 2, "massprops: unknown cap: dept; the nearest is depth"),
        (["--max-depth", "2"], "", 2, "massprops: no such option: --max-depth"),
        (["--cap=depth=2"], "1", 0, ""),
        ([], "1", 2, "error MP114  tree exceeds the maximum depth: 2 levels (at most 1)"),
        ([], "no", 2, "massprops: invalid MASSPROPS_MAX_DEPTH: no (expected an integer from 1 to "),
    ],
)
def test_caps_of_a_command(
    words: list[str],
    variable: str,
    code: int,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MASSPROPS_MAX_DEPTH", variable)
    assert run_command_line(["tree", write_chain(tmp_path), *words]) == code
    printed = capfd.readouterr().err
    assert text in printed
    assert "next:" not in printed
