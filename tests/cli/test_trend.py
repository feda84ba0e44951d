"""``massprops trend``: reports, files, exit codes, history, cache and speed."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.cli.commands.trend import _TrendCache
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.trends.view import _sparkline
from tests.warm import warm_command

from .conftest import ROOT, assert_exit

BUDGET = """[[budget]]
item = "SAT"
mass-max = "12 kg"

[plan]
milestones = [{ name = "PDR", date = 2026-03-15, margin = "10 %" }, { name = "CDR", date = 2026-05-15, margin = "5 %" }]

[[pending]]
item = "B"
change = ["0 kg", "0.1 kg", "0.4 kg"]
probability = 0.5
reason = "second coat"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with four revisions: 10, 10.2, 10.5 and 11 kg."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for month, mass in enumerate((7.0, 7.2, 7.5, 8.0), 1):
        (tmp_path / f"rev_2026-0{month}-01.csv").write_text(
            "id,parent,name,mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m]\nSAT,,,,,,,\n"
            f"A,SAT,frame,{mass},0.2,1,0,0\nB,SAT,paint,3,0.1,0,0,0\n"
        )
    (tmp_path / "budget.toml").write_text(BUDGET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def revisions(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("rev_*.csv"))


def test_report_has_curves_revisions_steps_plan_and_forecast(run: Any, folder: Path) -> None:
    result = run("trend", *revisions(folder), "--budget", "budget.toml", "--forecast", "line")
    assert_exit(
        result, 0, "SAT over 4 revisions, 2026-01-01 to 2026-04-01", "basic 10 → 11 kg ▁▂▅█",
        "rev_2026-04-01 2026-04-01 11.00 ± 0.22 +0.5000 9.1", "rev_2026-03-01 → rev_2026-04-01", "A frame mass +0.5000",
        "PDR 2026-03-15 rev_2026-03-01 14.3 10 10.9091 kept", "CDR 2026-05-15", "due", "straight line through 4 points",
        "95 % prediction interval", "threats and opportunities: expected +0.0833 kg", "margin (limit − mass) / mass",
    )  # fmt: skip


def test_last_revision_below_plan_gives_exit_code_1(run: Any, folder: Path) -> None:
    (folder / "budget.toml").write_text(BUDGET.replace('"5 %"', '"12 %"'))
    result = run("trend", *revisions(folder), "--budget", "budget.toml")
    assert_exit(result, 1, "MP681", "revision rev_2026-04-01 is below plan", "✘ SAT over 4 revisions")
    assert run("trend", *revisions(folder), "--budget", "budget.toml", "--fail-on", "never").exit_code == 0


def test_files_of_all_kinds(run: Any, folder: Path) -> None:
    call = ("trend", *revisions(folder), "--budget", "budget.toml", "--forecast", "line", "-q", "-o")
    for name in ("t.csv", "t.json", "t.md", "t.xlsx", "t.svg"):
        assert run(*call, name).exit_code == 0
    rows = list(csv.DictReader((folder / "t.csv").read_text().splitlines()))
    assert [float(row["basic [kg]"]) for row in rows] == [10, 10.2, 10.5, 11]
    assert [row["change [kg]"] for row in rows] == ["", "0.2", "0.3", "0.5"]
    book = openpyxl.load_workbook(folder / "t.xlsx")
    assert {"Trend", "Steps"} <= set(book.sheetnames)
    steps = list(book["Steps"].iter_rows(values_only=True))
    assert [row[2] for row in steps] == ["item", "A", "A", "A"]
    assert sum(float(str(row[4])) for row in steps[1:]) == pytest.approx(1.0)
    svg = (folder / "t.svg").read_text()
    assert svg.startswith("<svg")
    for words in ("Mass of SAT over 4 revisions", "forecast, 95 %", "pending, 90 %", "plan", "2026-02", "margin %"):
        assert words in svg
    assert "| rev_2026-04-01 |" in (folder / "t.md").read_text()


def test_picture_marks_gaps_and_revisions_without_dates(run: Any, folder: Path) -> None:
    for k, name in enumerate(revisions(folder), 1):
        (folder / name).rename(folder / f"rev_{k}.csv")
    (folder / "rev_3.csv").write_text("id,parent,mass [kg]\nSAT,,\nA,SAT,ten\n")
    assert run("trend", *revisions(folder), "-q", "-o", "t.svg").exit_code == 0
    svg = (folder / "t.svg").read_text()
    assert "<title>rev_3: MP205" in svg
    assert ">rev_1</text>" in svg
    (folder / "one.csv").write_text("id,parent,mass [kg]\nSAT,,\nA,SAT,1\n")
    assert run("trend", "one.csv", "-q", "-o", "one.svg").exit_code == 0


def test_json_markdown_and_metrics(run: Any, folder: Path) -> None:
    call = ("trend", *revisions(folder), "--budget", "budget.toml", "--format")
    data = json.loads(run(*call, "json").stdout)
    assert [one["basic"] for one in data["revisions"]] == [10, 10.2, 10.5, 11]
    assert data["revisions"][3]["step"]["items"][0]["parts"]["mass"] == pytest.approx(0.5)
    assert data["pending"]["expected"] == pytest.approx(0.5 * 0.5 / 3)
    assert "| A frame | mass | +0.5000 |" in run(*call, "md").stdout
    assert [json.loads(line)["label"] for line in run(*call, "jsonl").stdout.splitlines()] == [
        f"rev_2026-0{k}-01" for k in (1, 2, 3, 4)
    ]
    metrics = run(*call, "openmetrics").stdout
    stamps = [1767225600, 1769904000, 1772323200, 1775001600]  # first days of January to April 2026
    lines = [
        f'massprops_mass_kilograms{{item="SAT",basis="basic"}} {m} {t}.000'
        for m, t in zip((10.0, 10.2, 10.5, 11.0), stamps, strict=True)
    ]
    assert "\n".join(lines) in metrics
    assert metrics.endswith("# EOF\n")
    assert metrics.count("# TYPE massprops_mass_kilograms gauge") == 1
    assert 'massprops_center_meters{item="SAT",axis="x"} 0.7 1767225600.000' in metrics


def test_metrics_without_dates_have_the_last_revision_only(run: Any, folder: Path) -> None:
    (folder / "a.csv").write_text("id,parent,mass [kg]\nSAT,,\nA,SAT,1\n")
    (folder / "b.csv").write_text("id,parent,mass [kg]\nSAT,,\nA,SAT,2\n")
    lines = run("trend", "a.csv", "b.csv", "--format", "openmetrics").stdout.splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        'massprops_mass_kilograms{item="SAT",basis="basic"} 2.0'
    ]


def test_history_is_recorded_and_read(run: Any, folder: Path) -> None:
    names = revisions(folder)
    assert run("trend", *names[:2], "--record", "history.jsonl").exit_code == 0
    result = run("trend", "history.jsonl", names[2], "--record", "history.jsonl")
    assert_exit(result, 0, "SAT over 3 revisions")
    assert len((folder / "history.jsonl").read_text().splitlines()) == 3
    assert_exit(
        run("trend", "history.jsonl"),
        0,
        "SAT over 3 revisions",
        "rev_2026-01-01 → rev_2026-02-01",
        "A frame mass +0.2000",
    )
    assert_exit(run("trend", *names, "--record", names[0]), 2, "file is not a history")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-",), "trend reads revisions from files or git, not from standard input"),
        (("rev_2026-01-01.csv", "absent.csv"), "absent.csv: file does not exist; name the files of the revisions"),
        (("rev_2026-01-01.csv", "--every", "week"), "--since and --every select commits; name one file with --git"),
        (("rev_2026-01-01.csv", "--since", "2026-01-01"), "--since and --every select commits"),
        (("rev_2026-01-01.csv", "--uncertainty", "montecarlo"), "trend compares numbers, not samples"),
        (("--git", "rev_2026-01-01.csv", "rev_2026-02-01.csv"), "--git reads the history of one file"),
        (("rev_2026-01-01.csv", "--item", "GONE"), "id is not in the table: GONE"),
        (("rev_2026-01-01.csv", "--every", "day"), "invalid --every: day"),
        (("rev_2026-01-01.csv", "budget.toml", "--budget", "absent.toml"), "absent.toml: file cannot be read"),
        (("rev_2026-01-01.csv", "-o", "x.doc"), "suffix is not that of an output format"),
        (("rev_2026-01-01.csv", "-o", "rev_2026-01-01.csv"), "output file is the input file"),
    ],
)
def test_wrong_calls(run: Any, folder: Path, words: tuple[str, ...], message: str) -> None:
    result = run("trend", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_options_of_reading_apply_to_every_revision(run: Any, folder: Path) -> None:
    for name in revisions(folder):
        (folder / name).write_text((folder / name).read_text().replace("mass [kg]", "Masse", 1))
    result = run("trend", *revisions(folder), "--map", "mass=Masse", "--unit", "mass=kg", "--format", "json")
    assert [one["basic"] for one in json.loads(result.stdout)["revisions"]] == [10, 10.2, 10.5, 11]


# Cache ---------------------------------------------------------------------------------------------------------------


def test_cache_is_used_and_depends_on_content_and_options(
    run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    original = mp.Bom.read.__func__  # type: ignore[attr-defined]

    def counted(cls: Any, name: Any, *more: Any) -> Any:
        read.append(Path(name).name)
        return original(cls, name, *more)

    monkeypatch.setattr(mp.Bom, "read", classmethod(counted))
    names = revisions(folder)

    def calls(*words: str) -> list[str]:
        read.clear()
        assert run("trend", *names, *words).exit_code == 0
        return list(read)

    first = run("trend", *names, "--format", "json").stdout
    assert calls() == [names[-1]]
    assert run("trend", *names, "--format", "json").stdout == first
    assert calls("--no-cache") == names
    assert calls("--top", "3") == names
    (folder / names[1]).write_text((folder / names[1]).read_text().replace("7.2", "7.3"))
    assert calls() == [names[1], names[0], names[2], names[3]]
    (folder / "massprops.toml").write_text('[read]\nmaterials = "materials.toml"\n')
    (folder / "materials.toml").write_text('[[material]]\nname = "light"\ndensity = 1\n')
    assert calls() == names
    assert calls() == [names[-1]]
    (folder / "materials.toml").write_text('[[material]]\nname = "light"\ndensity = 2\n')
    assert calls() == names
    entries = list((folder / "cache" / "massprops" / "trend").iterdir())
    for entry in entries:
        entry.write_text("{")
    assert calls() == names
    for entry in entries:
        entry.write_text('{"label": "x", "step": 3}')
    assert calls() == names


def test_cache_is_limited_and_keeps_the_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache = _TrendCache()
    cache.most_bytes = 5_000
    for k in range(101):
        cache.write(str(k), "x" * 998)
        path = cache._path(str(k))
        os.utime(path, (k, k))
    assert cache.read("0") is None
    assert cache.read("100") == "x" * 998
    assert sum(path.stat().st_size for path in cache.folder.iterdir()) <= 5_000
    assert not list(cache.folder.glob("*.part"))


def test_cache_that_cannot_be_written_changes_nothing(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "file"))
    assert_exit(run("trend", *revisions(folder)), 0, "SAT over 4 revisions")


def test_two_processes_share_the_cache(folder: Path) -> None:
    call = [*warm_command(), "trend", *revisions(folder), "--format", "json"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    runs = [subprocess.Popen(call, cwd=folder, env=env, stdout=subprocess.PIPE) for _ in range(2)]
    texts = [one.communicate(timeout=60)[0] for one in runs]
    assert texts[0] == texts[1] != b""


# Screen and speed ----------------------------------------------------------------------------------------------------


def test_sparklines() -> None:
    assert _sparkline([1.0, 2.0, None, 8.0], UNICODE) == "▁▂ █"
    assert _sparkline([3.0, 3.0 + 1e-15], UNICODE) == "▄▄"
    assert len(_sparkline([float(k) for k in range(1000)], UNICODE)) == 40
    assert _sparkline([float(k) for k in range(1000)], UNICODE)[-1] == "█"
    assert _sparkline([None], UNICODE) == " "


def test_report_fits_80_columns(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from massprops_cli.reports.page.page import plain_text
    from massprops_cli.trends.view import trend_blocks

    made = mp.trend([folder / name for name in revisions(folder)], folder / "budget.toml", forecast="line")
    text = plain_text(trend_blocks(made, UNICODE, failed=False, in_full=True), 80, UNICODE)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.slow
def test_revision_takes_less_than_a_roll_up(folder: Path) -> None:
    """A roll-up of the command line writes the table too; ratios in one run, of the least of three times."""
    lines = ["id,parent,mass [kg],growth [%],Cx [m],Cy [m],Cz [m]", "SAT,,,,,,", *(f"S{k},SAT,,,,," for k in range(20))]
    lines += [f"P{k},S{k % 20},{1 + k % 7},5,{k % 3},0,1" for k in range(3_000)]
    for k in range(8):
        (folder / f"big_{k}.csv").write_text("\n".join([*lines, f"X,SAT,{k + 1},5,0,0,0"]) + "\n")
    names = [f"big_{k}.csv" for k in range(8)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}

    def seconds(*words: str) -> float:
        times = []
        for _ in range(3):
            before = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "massprops_cli", *words], cwd=folder, env=env, check=True, capture_output=True
            )
            times.append(time.perf_counter() - before)
        return min(times)

    one = seconds("rollup", names[0], "-q", "-o", "out.csv")
    assert seconds("trend", *names, "--no-cache", "-q") <= 8 * one * 0.6
