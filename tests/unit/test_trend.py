"""Trends: a repository with known steps, forecasts and pending changes against closed forms, plans, histories."""

from __future__ import annotations

import itertools
import json
import math
import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import massprops_cli as mp
from massprops_cli.budgets.file import read_budget
from massprops_cli.budgets.plan import PendingChange, pending_band
from massprops_cli.findings.finding import ConfigError, Findings, Place, UsageError
from massprops_cli.trends.outlook import _FittedLine, _student_quantile, forecast
from massprops_cli.trends.points import TrendPoint, point_from_dict
from massprops_cli.trends.sources import _read_history, record_points

LB = 0.45359237
HEAD = ("id", "parent", "name", "qty", "mass [kg]", "growth [%]", "sigma_mass [kg]")
ROWS = [
    ("SAT", "", "satellite", 1, "", "", ""),
    ("BUS", "SAT", "bus", 1, "", "", ""),
    ("PLD", "SAT", "payload", 1, "", "", ""),
    ("TNK", "BUS", "tank", 1, 10, 10, 0.5),
    ("WHL", "BUS", "wheel", 4, 2.5, 10, 0.1),
    ("CAM", "PLD", "camera", 1, 20, 15, 1.0),
    ("MNT", "PLD", "mount", 2, 1, 5, 0.1),
]
Row = tuple[object, ...]


class Repository:
    """A repository made by the test: a commit a month."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.month = folder, 0
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str) -> str:
        """Run git at noon of the fifth day of the month."""
        when = f"2026-{max(self.month, 1):02d}-05T12:00:00+00:00"
        env = os.environ | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when, "GIT_CONFIG_GLOBAL": os.devnull}
        names = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "core.autocrlf=false")
        done = subprocess.run(["git", *names, *words], cwd=self.folder, env=env, check=True, capture_output=True)
        return done.stdout.decode()

    def commit(self, message: str) -> str:
        """Commit everything, a month after the last commit."""
        self.month += 1
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def write(self, rows: Sequence[Row], name: str = "bom.csv", head: Row = HEAD, end: str = "\n") -> None:
        """Write a table as csv."""
        lines = [",".join(map(str, row)) for row in (head, *rows)]
        (self.folder / name).write_bytes((end.join(lines) + end).encode())


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def changed(rows: Sequence[Row], item: str, **values: object) -> list[Row]:
    """Replace cells of an item by the first word of their header."""
    names = [str(head).split()[0] for head in HEAD]
    at = {names.index(name): value for name, value in values.items()}
    return [tuple(at.get(k, cell) for k, cell in enumerate(row)) if row[0] == item else row for row in rows]


def ten_revisions(repository: Repository) -> None:
    """Commit ten revisions after the first, each with one known step."""
    rows: list[Row] = list(ROWS)
    repository.write(rows)
    repository.commit("first")
    rows.append(("HTR", "PLD", "heater", 1, 1.5, 20, 0.2))
    repository.write(rows)
    repository.commit("added")
    rows = [row for row in rows if row[0] != "MNT"]
    repository.write(rows)
    repository.commit("removed")
    rows = changed(rows, "TNK", parent="PLD")
    repository.write(rows)
    repository.commit("moved")
    rows = changed(rows, "HTR", id="HTR-2")
    repository.write(rows)
    repository.commit("renamed")
    rows = changed(rows, "CAM", mass=21.25)
    repository.write(rows)
    repository.commit("remeasured")
    pounds = [(*row[:4], "" if row[4] == "" else repr(float(str(row[4])) / LB), *row[5:]) for row in rows]
    in_pounds = tuple("mass [lb]" if name == "mass [kg]" else name for name in HEAD)
    repository.write(pounds, head=in_pounds)
    repository.commit("pounds")
    levels = {"SAT": 0, "BUS": 1, "PLD": 1}
    order = ["SAT", "BUS", "WHL", "PLD", "TNK", "CAM", "HTR-2"]
    by_id = {str(row[0]): row for row in pounds}
    leveled = [(levels.get(name, 2), name, *by_id[name][2:]) for name in order]
    head = ("level", "id", *in_pounds[2:])
    repository.write(leveled, head=head)
    repository.commit("layout")
    leveled = [(*row[:5], 2, *row[6:]) if row[1] == "WHL" else row for row in leveled]
    repository.write(leveled, head=head)
    repository.commit("growth released")
    leveled = [(*row[:3], 5, *row[4:]) if row[1] == "WHL" else row for row in leveled]
    repository.write(leveled, head=head)
    repository.commit("quantity")
    leveled = [(*row[:6], 0.25) if row[1] == "CAM" else row for row in leveled]
    repository.write(leveled, head=head)
    repository.commit("sigma")


def sums_are_exact(made: mp.Trend) -> None:
    """Items, rest and rounding of every step add up to its change, and to the difference of the points."""
    known = made.known
    for before, after in itertools.pairwise(known):
        step = after.step
        assert step is not None
        assert step.previous == before.label
        for name, change in step.change.items():
            parts = [one.parts[name] for one in step.items] + [step.rest[name], step.rounding[name]]
            size = {"mass": after.basic, "predicted_mass": after.mass, "sigma_mass": after.sigma}.get(name, 1.0)
            assert abs(math.fsum(parts) - change) <= 1e-12 * max(abs(size or 0), 1)
            assert abs(step.rounding[name]) <= 1e-12 * max(abs(size or 0), 1)
        assert after.basic is not None
        assert before.basic is not None
        assert after.mass is not None
        assert before.mass is not None
        assert after.basic - before.basic == pytest.approx(step.change["mass"], abs=1e-12 * after.basic)
        if after.predicted is not None:
            assert after.mass - before.mass == pytest.approx(step.change["predicted_mass"], abs=1e-12 * after.mass)


def test_each_of_ten_known_steps_is_found(repository: Repository) -> None:
    ten_revisions(repository)
    made = mp.trend(repository.folder / "bom.csv", git=True)
    assert [one.subject for one in made.points] == [
        "first", "added", "removed", "moved", "renamed", "remeasured", "pounds", "layout", "growth released",
        "quantity", "sigma",
    ]  # fmt: skip
    assert [one.fault for one in made.points] == [""] * 11
    sums_are_exact(made)
    basic = [42, 43.5, 41.5, 41.5, 41.5, 42.75, 42.75, 42.75, 42.75, 45.25, 45.25]
    assert made.to_dataframe()["basic"].to_numpy() * LB == pytest.approx(basic, rel=1e-12)
    grown = 1.1 * 10 + 1.1 * 10 + 1.15 * 20 + 2 * 1.05
    predicted = [grown, grown + 1.8, grown - 0.3, grown - 0.3, grown - 0.3, grown - 0.3 + 1.25 * 1.15]
    predicted += [predicted[-1]] * 2 + [predicted[-1] - 0.8, predicted[-1] - 0.8 + 2.5 * 1.02]
    predicted += [predicted[-1]]
    assert made.to_dataframe()["predicted"].to_numpy() * LB == pytest.approx(predicted, rel=1e-12)
    sigma = math.sqrt(0.5**2 + 4 * 0.1**2 + 1 + 2 * 0.1**2)
    assert made.points[0].sigma == pytest.approx(sigma / LB, rel=1e-12)

    steps = {one.subject: one.step for one in made.points}
    found: dict[str, Any] = {
        name: [(item.id, item.changes, item.parts["mass"] * LB) for item in step.items]
        for name, step in steps.items()
        if step is not None
    }
    assert found["added"] == [("HTR", ("added",), pytest.approx(1.5))]
    assert found["removed"] == [("MNT", ("removed",), pytest.approx(-2.0))]
    assert found["moved"] == [("TNK", ("re-parented",), 0.0)]
    assert found["renamed"] == [("HTR → HTR-2", ("renamed",), 0.0)]
    assert found["remeasured"] == [("CAM", ("mass",), pytest.approx(1.25))]
    assert found["pounds"] == found["layout"] == []
    assert steps["pounds"] is not None
    assert steps["pounds"].notes == ("unit of mass kg → lb",)
    assert steps["layout"] is not None
    assert steps["layout"].notes == ("layout edges → level",) or steps["layout"].notes == ("layout parent → level",)
    assert found["growth released"] == [("WHL", ("growth",), 0.0)]
    assert steps["growth released"] is not None
    assert steps["growth released"].items[0].parts["predicted_mass"] * LB == pytest.approx(-0.8)
    assert found["quantity"] == [("WHL", ("quantity",), pytest.approx(2.5))]
    assert found["sigma"] == [("CAM", ("sigma",), 0.0)]
    assert steps["sigma"] is not None
    before, after = made.points[-2].sigma, made.points[-1].sigma
    assert before is not None
    assert after is not None
    assert steps["sigma"].items[0].parts["sigma_mass"] == pytest.approx(after - before, rel=1e-9)


def test_renames_and_a_table_that_becomes_a_workbook_are_followed(repository: Repository) -> None:
    repository.write(ROWS, "old name.csv")
    repository.commit("first")
    repository.git("mv", "old name.csv", "bom.csv")
    repository.commit("renamed file")
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (HEAD, *changed(ROWS, "CAM", mass=22)):
        book.active.append([None if cell == "" else cell for cell in row])
    (repository.folder / "data").mkdir()
    repository.git("rm", "-q", "bom.csv")
    book.save(repository.folder / "data" / "bom.xlsx")
    repository.commit("workbook")
    made = mp.trend(repository.folder / "data" / "bom.xlsx", git=True)
    assert [one.source.partition(":")[2] for one in made.points] == ["old name.csv", "bom.csv", "data/bom.xlsx"]
    assert [one.basic for one in made.points] == [42, 42, 44]
    assert made.last.step is not None
    assert "format csv → xlsx" in made.last.step.notes
    assert "file bom.csv → data/bom.xlsx" in made.last.step.notes
    sums_are_exact(made)


def test_rejected_revision_is_a_named_gap_and_line_ends_change_nothing(repository: Repository) -> None:
    repository.write(ROWS)
    repository.commit("first")
    (repository.folder / "bom.csv").write_text("no table\n")
    broken = repository.commit("broken")
    repository.write(ROWS, end="\r\n")
    repository.commit("crlf")
    (repository.folder / "bom.csv").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    repository.commit("pointer")
    repository.write(changed(ROWS, "CAM", mass=21), end="\r\n")
    repository.commit("last")
    made = mp.trend(repository.folder / "bom.csv", git=True)
    assert [bool(one.fault) for one in made.points] == [False, True, False, True, False]
    assert broken[:9] == made.points[1].label
    assert "Git LFS" in made.points[3].fault
    assert [(one.rule, one.severity.value) for one in made.findings] == [("MP680", "warning")] * 2
    assert made.points[2].step is not None
    assert made.points[2].step.items == ()
    assert made.last.step is not None
    assert (made.last.step.previous, made.last.step.change["mass"]) == (made.points[2].label, 1)


def test_commit_that_deletes_the_table_is_no_revision(repository: Repository) -> None:
    repository.write(ROWS)
    repository.commit("first")
    repository.git("rm", "-q", "bom.csv")
    repository.commit("deleted")
    repository.write(changed(ROWS, "CAM", mass=21))
    repository.commit("there again")
    made = mp.trend(repository.folder / "bom.csv", git=True)
    assert [(one.basic, one.fault) for one in made.points] == [(42, ""), (43, "")]


def test_reasons_of_a_step(repository: Repository) -> None:
    """Those of a column that earlier revisions do not have, or of a mapping."""
    repository.write(ROWS)
    repository.commit("first")
    head = (*HEAD, "why")
    repository.write(
        [(*row, "new lens" if row[0] == "CAM" else "") for row in changed(ROWS, "CAM", mass=21)], head=head
    )
    repository.commit("second")
    for reasons in ("column:why", {"CAM": "new lens"}):
        made = mp.trend(repository.folder / "bom.csv", git=True, reasons=reasons)
        assert made.last.step is not None
        assert [(one.id, one.reason) for one in made.last.step.items] == [("CAM", "new lens")]


@pytest.fixture
def branched(repository: Repository) -> Repository:
    """A repository with a side branch of two commits that is merged, and tags."""
    repository.write(ROWS)
    repository.commit("first")
    repository.git("tag", "v1")
    repository.git("checkout", "-q", "-b", "side")
    repository.write(changed(ROWS, "CAM", mass=30))
    repository.commit("side 1")
    repository.write(changed(ROWS, "CAM", mass=25))
    repository.commit("side 2")
    repository.git("checkout", "-q", "main")
    (repository.folder / "other.txt").write_text("x")
    repository.commit("other")
    repository.month += 1
    repository.git("merge", "-q", "--no-ff", "-m", "merge of side", "side")
    repository.git("tag", "-a", "-m", "annotated", "v2")
    repository.write(changed(ROWS, "CAM", mass=26))
    repository.commit("last")
    return repository


def test_side_branches_are_their_merges(branched: Repository) -> None:
    def masses(**choice: object) -> list[float | None]:
        made = mp.trend(branched.folder / "bom.csv", git=True, **choice)  # type: ignore[arg-type]
        return [one.basic for one in made.points]

    assert masses() == [42, 47, 48]
    assert masses(every="merge") == [47]
    assert masses(every="tag") == [42, 47]
    assert masses(every="week") == [42, 47, 48]
    assert masses(since="v2") == [47, 48]
    assert masses(since="2026-05-06") == [48]
    assert masses(branch="side") == [42, 52, 47]
    made = mp.trend(branched.folder / "bom.csv", git=True, every="tag")
    assert [one.label for one in made.points] == ["v1", "v2"]


def test_bare_and_shallow_repositories(branched: Repository, tmp_path: Path) -> None:
    bare, shallow = tmp_path / "bare.git", tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--bare", str(branched.folder), str(bare)], check=True)
    subprocess.run(["git", "clone", "-q", "--depth", "2", branched.folder.as_uri(), str(shallow)], check=True)
    assert [one.basic for one in mp.trend(bare / "bom.csv", git=True).points] == [42, 47, 48]
    made = mp.trend(shallow / "bom.csv", git=True)
    assert [one.basic for one in made.points] == [47, 48]
    assert [one.rule for one in made.findings] == ["MP685"]


def test_no_work_tree_is_touched(branched: Repository) -> None:
    (branched.folder / "bom.csv").write_text("an edit that is not committed\n")
    before = {path: path.stat().st_mtime_ns for path in branched.folder.rglob("*") if path.is_file()}
    assert [one.basic for one in mp.trend(branched.folder / "bom.csv", git=True).points] == [42, 47, 48]
    assert {path: path.stat().st_mtime_ns for path in branched.folder.rglob("*") if path.is_file()} == before


def test_limit_is_that_of_the_budget_of_each_commit(repository: Repository) -> None:
    repository.write(ROWS)
    budget = repository.folder / "budget.toml"
    budget.write_text('[[budget]]\nitem = "SAT"\nmass-max = "60 kg"\n')
    (repository.folder / "massprops.toml").write_text('[columns]\nmass = "mass [kg]"\n')
    repository.commit("first")
    budget.write_text('[[budget]]\nitem = "SAT"\nmass-max = "55 kg"\nbasis = "basic"\n')
    repository.commit("new limit")
    made = mp.trend(repository.folder / "bom.csv", budget, git=True)
    assert [(one.limit, one.margin) for one in made.points] == [(60, pytest.approx(60 - 47.1)), (55, 13)]
    assert made.last.requirement == "mass ≤ 55 kg (basic)"


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("missing.csv", {}, "file is in no commit of HEAD"),
        ("bom.csv", {"branch": "no-such"}, "branch is not in the repository: no-such"),
        ("bom.csv", {"since": "--all"}, "--since is neither a revision nor a date: --all"),
        ("bom.csv", {"every": "merge"}, "no commit of bom.csv is one of those requested"),
        ("bom.csv", {"every": "day"}, "invalid every: day"),
        ("../outside.csv", {}, "file is not in a git repository"),
        ("bom.csv", {"items": "x"}, "unknown option: items; the nearest is item"),
    ],
)
def test_wrong_calls_are_usage_errors(repository: Repository, name: str, options: dict[str, str], words: str) -> None:
    repository.write(ROWS)
    repository.commit("first")
    with pytest.raises(UsageError) as error:
        mp.trend(repository.folder / name, git=True, **options)  # type: ignore[arg-type]
    assert words in str(error.value)


# Files and histories -------------------------------------------------------------------------------------------------


def write_files(folder: Path, masses: dict[str, float], unit: str = "kg") -> list[Path]:
    """Write a table with one part for each mass."""
    paths = []
    for name, mass in masses.items():
        paths.append(folder / name)
        paths[-1].write_text(f"id,parent,mass [{unit}]\nSAT,,\nA,SAT,{mass}\n")
    return paths


def test_files_are_in_natural_order_with_the_days_of_their_names(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"rev_10.csv": 3, "rev_2.csv": 2, "rev_1.csv": 1})
    made = mp.trend(paths)
    assert [(one.label, one.basic) for one in made.points] == [("rev_1", 1), ("rev_2", 2), ("rev_10", 3)]
    assert (made.places, made.has_dates) == ((1.0, 2.0, 3.0), False)
    assert [one.basic for one in mp.trend(paths, order="given").points] == [3, 2, 1]
    dated = write_files(tmp_path, {"a_2026-03-01.csv": 1, "b_20260201.csv": 2})
    assert [one.date for one in mp.trend(dated).points] == ["2026-02-01", "2026-03-01"]
    assert [one.date for one in mp.trend(dated, order="name").points] == ["2026-03-01", "2026-02-01"]
    stems = write_files(tmp_path, {"bom.csv": 1, "bom-b.csv": 2, "bom2.csv": 3})
    assert [one.label for one in mp.trend(stems).points] == ["bom", "bom2", "bom-b"]
    (tmp_path / "dates.csv").write_text(
        "file,date\nrev_1.csv,2026-05-01\nrev_2.csv,2026-04-01\nrev_10.csv,2026-06-01\n"
    )
    listed = mp.trend(paths, dates=str(tmp_path / "dates.csv"))
    assert [one.basic for one in listed.points] == [2, 1, 3]
    assert listed.places[0] == (date(2026, 4, 1) - date(1970, 1, 1)).days
    (tmp_path / "wrong.csv").write_text("file,date\nrev_1.csv,yesterday\n")
    with pytest.raises(UsageError, match=r"date of rev_1.csv is not such as 2027-03-31: 'yesterday'"):
        mp.trend(paths, dates=str(tmp_path / "wrong.csv"))


def test_date_of_a_revision_may_be_in_a_column(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text("id,parent,mass [kg],Released\nSAT,,,\nA,SAT,1,2026-02-03\nB,SAT,1,2026-01-09\n")
    assert mp.trend([path], dates="column:Released").points[0].date == "2026-02-03"


def test_masses_without_a_unit_are_a_gap_among_those_with_one(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"rev_1.csv": 1, "rev_2.csv": 2})
    paths[0].write_text(paths[0].read_text().replace(" [kg]", ""))
    made = mp.trend(paths)
    assert made.points[0].fault.startswith("its masses have no unit")
    assert made.last.basic == 2
    assert {one.rule for one in made.findings} == {"MP680", "MP684"}


def test_history_has_each_revision_once_and_survives_damage(tmp_path: Path) -> None:
    paths = write_files(tmp_path, {"rev_1.csv": 1, "rev_2.csv": 2})
    history = tmp_path / "history.jsonl"
    assert record_points(str(history), mp.trend(paths[:1]).points) == 1
    assert record_points(str(history), mp.trend(paths).points) == 1
    assert record_points(str(history), mp.trend(paths).points) == 0
    history.write_text(history.read_text() + '{"massprops_trend": 1, "label": "cut')
    findings = Findings()
    found = _read_history(str(history), findings)
    assert [(one.label, one.basic) for one in found] == [("rev_1", 1), ("rev_2", 2)]
    assert found[1] == mp.trend(paths).points[1]
    assert [(one.rule, one.place.line) for one in findings] == [("MP686", 3)]
    newer = write_files(tmp_path, {"rev_3.csv": 4})
    made = mp.trend([history, *newer])
    assert [one.basic for one in made.points] == [1, 2, 4]
    assert made.last.step is not None
    assert (made.last.step.change["mass"], made.last.step.items) == (2, ())
    assert record_points(str(history), made.points) == 1
    assert len(history.read_text().splitlines()) == 4
    other = tmp_path / "other.jsonl"
    other.write_text("{}\n")
    with pytest.raises(UsageError, match="file is not a history"):
        record_points(str(other), made.points)
    assert other.read_text() == "{}\n"


def test_point_that_is_none_is_rejected() -> None:
    for wrong in ({}, {"label": 3}, {"label": "a", "basic": math.nan}, {"label": "a", "step": {}}):
        with pytest.raises((KeyError, ValueError, TypeError)):
            point_from_dict(wrong)
    assert point_from_dict({"label": "a", "unknown": 1}) == TrendPoint("a", center=(), inertia=())


# Forecast ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "t"), [(1, 12.7062), (2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423)]
)
def test_quantiles_of_student_are_those_of_tables(freedom: int, t: float) -> None:
    assert _student_quantile(0.95, freedom) == pytest.approx(t, abs=6e-5)


def test_interval_is_the_closed_form() -> None:
    """fit ± t(n − 2) s sqrt(1 + 1/n + (x0 − mean)²/Sxx), with polyfit and sums written out."""
    x, y = np.array([0.0, 1, 2, 4, 7]), np.array([10.0, 10.9, 12.3, 13.8, 17.4])
    line = _FittedLine.of(x, y)
    slope, level = np.polyfit(x, y, 1)
    spread = sum((one - 2.8) ** 2 for one in x)
    residual = math.sqrt(sum((b - level - slope * a) ** 2 for a, b in zip(x, y, strict=True)) / 3)
    mean, low, high = line.interval(np.array([10.0]))
    half = 3.182446 * residual * math.sqrt(1 + 1 / 5 + (10 - 2.8) ** 2 / spread)
    assert mean[0] == pytest.approx(level + 10 * slope)
    assert (high[0] - mean[0], mean[0] - low[0]) == (pytest.approx(half, rel=1e-6), pytest.approx(half, rel=1e-6))


def coverage(trials: int, seed: int) -> float:
    """Return the share of further points that are inside the 95 % interval."""
    draw, x, inside = np.random.default_rng(seed), np.array([0.0, 1, 2, 5, 6, 9]), 0
    for _ in range(trials):
        line = _FittedLine.of(x, 3 + 0.7 * x + draw.normal(0, 0.4, 6))
        _, low, high = line.interval(np.array([14.0]))
        inside += bool(low[0] <= 3 + 0.7 * 14 + draw.normal(0, 0.4) <= high[0])
    return inside / trials


def test_interval_covers_further_points() -> None:
    assert 0.935 <= coverage(3_000, 1) <= 0.965  # 3.8 standard deviations of the share


@pytest.mark.slow
def test_interval_covers_95_percent_of_further_points() -> None:
    assert 0.94 <= coverage(20_000, 2) <= 0.96


def test_line_crosses_the_limit_where_its_interval_does() -> None:
    x = [0.0, 10, 20, 30]
    made = forecast("line", x, [100, 101, 102.5, 103], [None] * 4)
    found = made.crossings(106.0)
    assert found["likely"] == pytest.approx((106 - made.line.level) / made.line.slope + 15, abs=1e-6)
    for name, k in (("earliest", 2), ("latest", 1)):
        where = found[name]
        assert where is not None
        assert made.at([where])[k][0] == pytest.approx(106, abs=1e-6)
    assert made.crossings(1e6) == {"earliest": None, "likely": None, "latest": None}
    assert made.crossings(50.0)["likely"] == 30


def test_growth_is_a_logistic_towards_the_predicted_mass() -> None:
    x = [0.0, 1, 2, 3, 4]
    basic = [100 / (1 + math.exp(-(0.5 + 0.3 * one))) for one in x]
    made = forecast("growth", x, basic, [98, 99, 100, 100, 100])
    mean, low, high = made.at([6.0, 1e6])
    assert mean[0] == pytest.approx(100 / (1 + math.exp(-2.3)))
    assert (mean[1], high[1]) == (100, 100)
    assert low[0] <= mean[0] <= high[0] < 100
    with pytest.raises(UsageError, match="not between 0 and the last predicted mass"):
        forecast("growth", x, basic, [None] * 5)


@pytest.mark.parametrize(("x", "words"), [([0.0, 1], "of 2 points"), ([3.0, 3, 3], "on one date"), ([], "of 0 points")])
def test_no_forecast_without_three_points_at_different_dates(x: list[float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        forecast("line", x, [1.0] * len(x), [None] * len(x))


def test_forecast_that_cannot_be_made_is_a_finding(tmp_path: Path) -> None:
    made = mp.trend(write_files(tmp_path, {"rev_1.csv": 1, "rev_2.csv": 2}), forecast="line")
    assert made.forecast is None
    assert [one.rule for one in made.findings] == ["MP687"]


# Plan and pending changes --------------------------------------------------------------------------------------------

PLAN = """[[budget]]
item = "SAT"
mass-max = "120 kg"

[plan]
milestones = [
  { name = "A", date = 2026-01-31, margin = "20 %" },
  { name = "B", date = 2026-03-31, margin = "10 %" },
  { name = "C", date = 2026-12-31, margin = "5 %" },
]
"""


def planned(folder: Path, masses: dict[str, float], plan: str = PLAN) -> mp.Trend:
    """Return the trend of files against a plan."""
    (folder / "budget.toml").write_text(plan)
    return mp.trend(write_files(folder, masses), folder / "budget.toml")


def test_milestones_are_judged_by_the_revision_until_them(tmp_path: Path) -> None:
    masses = {"r_2026-01-15.csv": 101.0, "r_2026-02-15.csv": 104.0, "r_2026-04-10.csv": 108.0}
    made = planned(tmp_path, masses)
    assert made.planned is not None
    states: Any = [(one.name, one.state, one.mass, one.allowed) for one in made.planned.milestones]
    assert states == [
        ("A", "missed", 101, pytest.approx(100)), ("B", "kept", 104, pytest.approx(120 / 1.1)),
        ("C", "due", 108, pytest.approx(120 / 1.05)),
    ]  # fmt: skip
    share = 0.1 + (0.05 - 0.1) * (10 / 275)  # ten days after 31 March, of 275
    assert made.planned.allowed[2] == pytest.approx(120 / (1 + share))
    assert made.planned.allowed[0] == pytest.approx(100)
    assert [one.rule for one in made.findings] == ["MP683"]


def test_last_revision_below_plan_is_an_error(tmp_path: Path) -> None:
    made = planned(tmp_path, {"r_2026-01-15.csv": 99.0, "r_2026-04-10.csv": 110.0})
    (finding,) = made.findings
    assert (finding.rule, finding.severity.value) == ("MP681", "error")
    assert "r_2026-04-10 is below plan: predicted mass 110 kg is above 109.272 kg by" in finding.message
    assert planned(tmp_path, {"r_2026-04-10.csv": 109.2}).findings == ()


def test_plan_by_revisions_with_allocations(tmp_path: Path) -> None:
    plan = """[plan]
limit = "200 lb"
milestones = [
  { name = "one", revision = "rev_1", allocation = "50 kg" },
  { name = "three", revision = "rev_3", allocation = "70 kg" },
  { name = "nine", revision = "rev_9", allocation = "90 kg" },
]
"""
    made = planned(tmp_path, {"rev_1.csv": 50, "rev_2.csv": 61, "rev_3.csv": 69}, plan)
    assert made.planned is not None
    assert made.planned.allowed == pytest.approx((50, 60, 70))
    assert [one.state for one in made.planned.milestones] == ["kept", "kept", "due"]
    assert made.margin_percent(made.last) == pytest.approx(100 * (200 * LB - 69) / 69)
    assert made.findings == ()


def test_dates_of_a_plan_without_dates_of_revisions_are_reported(tmp_path: Path) -> None:
    made = planned(tmp_path, {"rev_1.csv": 50})
    assert [one.rule for one in made.findings] == ["MP683"] * 3
    assert made.planned is not None
    assert made.planned.allowed == (None,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[plan]\nmilestones = []\n", "plan.milestones is not valid: []"),
        ('[plan]\nlimits = "1 kg"\n', "plan.limits is not a known key; the nearest is limit"),
        ('[plan]\nmilestones = [{ name = "A", margin = "1 %" }]\n', "plan.milestones.date is missing"),
        ('[plan]\nmilestones = [{ name = "A", date = 2026-01-01 }]\n', "plan.milestones.margin is not stated alone"),
        ('[plan]\nmilestones = [{ name = "A", date = 2026-01-01, margin = "x" }]\n', "is not a percentage"),
        (PLAN.replace("2026-03-31", "2025-03-31"), "are not in the order of their dates"),
        ("plan = 3\n", "plan is not a table; write [plan]"),
        ('[[pending]]\nchange = "1 kg"\n', "pending.reason is missing"),
        ('[[pending]]\nreason = "x"\nchange = ["1 kg", "2 kg"]\n', "pending.change is not valid"),
        ('[[pending]]\nreason = "x"\nchange = ["3 kg", "2 kg", "5 kg"]\n', "is not in ascending order"),
        ('[[pending]]\nreason = "x"\nchange = "1 m"\n', "has no unit of mass"),
        ('[[pending]]\nreason = "x"\nchange = "1 kg"\nprobability = 1.5\n', "is not a probability"),
        ('[[pending]]\nreason = "x"\nchange = "1 kg"\ndue = "soon"\n', "pending.due is not valid"),
        (
            '[[budget]]\nitem = "S"\nmass-max = "1 kg"\nbasis = "with-pending"\nprobability-min = 0.9\n',
            "probability-min is not for the basis with-pending",
        ),
    ],
)  # fmt: skip
def test_wrong_plans_and_pending_changes_are_errors_with_their_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "budget.toml").write_text(text)
    with pytest.raises(ConfigError) as error:
        read_budget(tmp_path / "budget.toml")
    assert words in str(error.value)


def test_plan_with_margins_needs_a_limit(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="add limit to"):
        planned(tmp_path, {"r_2026-01-15.csv": 1}, PLAN[PLAN.index("[plan]") :])


def pending_change(low: float, likely: float, high: float, probability: float) -> PendingChange:
    return PendingChange("", low, likely, high, probability, "x", None, Place())


def test_mean_and_variance_of_pending_changes_are_those_of_samples() -> None:
    one = pending_change(-1, 2, 6, 0.3)
    draw = np.random.default_rng(5)
    samples = (draw.random(400_000) < 0.3) * draw.triangular(-1, 2, 6, 400_000)
    assert one.mean == pytest.approx(0.3 * 7 / 3)
    assert samples.mean() == pytest.approx(one.mean, abs=4 * math.sqrt(one.variance / 400_000))
    assert samples.var() == pytest.approx(one.variance, rel=0.01)


def test_band_of_pending_changes_is_that_of_the_triangle() -> None:
    """The quantile q of a triangle on 0, 0, h is h (1 − sqrt(1 − q)); a change that comes always is itself."""
    low, high = pending_band([pending_change(0, 0, 10, 1.0)], [2.0])
    assert low == pytest.approx(20 * (1 - math.sqrt(0.95)), rel=0.03)
    assert high == pytest.approx(20 * (1 - math.sqrt(0.05)), rel=0.01)
    assert pending_band([pending_change(3, 3, 3, 1.0)], [1.0]) == (3, 3)
    assert pending_band([pending_change(3, 3, 3, 0.04)], [1.0]) == (0, 0)
    assert pending_band([], []) == (0, 0)


PENDING = """[[budget]]
item = "SAT"
mass-max = "{limit} kg"
basis = "with-pending"

[[budget]]
item = "BUS"
mass-max = "22.8 kg"
basis = "with-pending"

[[pending]]
item = "WHL"
change = ["0 kg", "0.3 kg", "0.6 kg"]
probability = 0.5
reason = "larger rotor"
due = 2026-01-01

[[pending]]
change = "-1 kg"
probability = "25 %"
reason = "no paint"

[[pending]]
item = "GONE"
change = "9 kg"
reason = "an item of an earlier table"
"""


def test_limits_with_pending_changes(tmp_path: Path) -> None:
    """Four wheels: 4 · 0.5 · 0.3 = 0.6 kg more in the bus; 0.25 kg less in the satellite of 47.1 kg."""
    rows = [dict(zip(HEAD, ("" if cell == "" else cell for cell in row), strict=True)) for row in ROWS]
    bom = mp.Bom.from_records(rows)
    for limit, kept in ((47.46, True), (47.44, False)):
        (tmp_path / "budget.toml").write_text(PENDING.format(limit=limit))
        checked = mp.check(bom, tmp_path / "budget.toml")
        assert [one.kept for one in checked.verdicts] == [kept, True]
        assert checked.verdicts[0].value == pytest.approx(47.45)
        assert checked.verdicts[1].value == pytest.approx(22.6)


def test_pending_changes_of_a_trend(repository: Repository) -> None:
    repository.write(ROWS)
    (repository.folder / "budget.toml").write_text(PENDING.format(limit=50))
    repository.month = 5
    repository.commit("first")
    made = mp.trend(repository.folder / "bom.csv", repository.folder / "budget.toml", git=True)
    assert made.pending is not None
    assert made.pending.expected == pytest.approx(0.35)
    assert [one.reason for one in made.pending.changes] == ["larger rotor", "no paint"]
    assert sorted(one.message.partition(":")[0] for one in made.findings if one.rule == "MP688") == [
        "pending change is overdue since 2026-01-01", f"pending change of an item that is not in {made.last.label}",
    ]  # fmt: skip
    bus = mp.trend(repository.folder / "bom.csv", repository.folder / "budget.toml", git=True, item="BUS")
    assert bus.pending is not None
    assert (bus.pending.expected, bus.last.limit) == pytest.approx((0.6, 22.8))
    assert bus.last.basic == 20


# Exports -------------------------------------------------------------------------------------------------------------


def test_trend_exports(tmp_path: Path) -> None:
    made = planned(tmp_path, {"r_2026-01-15.csv": 99.0, "r_2026-02-15.csv": 104.0, "r_2026-04-10.csv": 108.0})
    assert repr(made) == "<Trend of SAT over 3 revisions: 99 → 108 kg>"
    assert "<table" in made._repr_html_()
    data = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert [one["basic"] for one in data["revisions"]] == [99, 104, 108]
    assert [one["name"] for one in data["milestones"]] == ["A", "B", "C"]
    frame = made.to_dataframe()
    assert frame["change"].tolist()[1:] == [5, 4]
    assert frame.attrs["units"]["basic"] == "kg"
    assert [(row["revision"], row["item"], row["basic"]) for row in made.step_rows()] == [
        ("r_2026-02-15", "A", 5), ("r_2026-04-10", "A", 4),
    ]  # fmt: skip


def test_rest_of_a_step_is_the_sum_of_its_small_items(tmp_path: Path) -> None:
    def table(factor: float) -> Iterator[str]:
        yield "id,parent,mass [kg]\nSAT,,\n"
        yield from (f"P{k},SAT,{k * factor!r}\n" for k in range(1, 31))

    for k, factor in enumerate((1.0, 1.1)):
        (tmp_path / f"rev_{k}.csv").write_text("".join(table(factor)))
    made = mp.trend([tmp_path / "rev_0.csv", tmp_path / "rev_1.csv"], top=3)
    sums_are_exact(made)
    step = made.last.step
    assert step is not None
    assert [one.id for one in step.items] == ["P30", "P29", "P28"]
    assert step.n_rest == 27
    assert step.rest["mass"] == pytest.approx(0.1 * 27 * 28 / 2)


def test_margin_of_a_limit_with_pending_changes_is_that_of_check(tmp_path: Path) -> None:
    (path,) = write_files(tmp_path, {"rev_1.csv": 24.0})
    budget = tmp_path / "budget.toml"
    budget.write_text(
        '[[budget]]\nitem = "SAT"\nmass-max = "24.3 kg"\nbasis = "with-pending"\n'
        '[[pending]]\nitem = "A"\nchange = ["1 kg", "2 kg", "5 kg"]\nprobability = 0.3\nreason = "x"\n'
    )
    made = mp.trend([path], budget)
    assert made.last.margin == pytest.approx(24.3 - 24.0 - 0.3 * 8 / 3)
    assert made.margin_percent(made.last) == pytest.approx(100 * (24.3 - 24.0 - 0.8) / 24.0)
