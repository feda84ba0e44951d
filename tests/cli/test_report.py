"""Design reviews: their numbers, sections, texts of tables as data, odd tables, and the files of each format."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from lxml import etree, html

import massprops_cli as mp
from massprops_cli import options
from massprops_cli.findings.finding import UsageError
from massprops_cli.reports.pictures.shares import _squares, mass_branches
from massprops_cli.reports.pictures.views import COVERAGE_95, _shadow_ellipse, ellipsoid_matrix
from massprops_cli.reports.review import page
from massprops_cli.reports.review.content import Review
from massprops_cli.reports.review.sections import _limit_use, center_view
from tests.warm import warm_command

from . import browser
from .conftest import ROOT, assert_exit

REVIEW = ROOT / "sample_data" / "review"
TABLE, BASELINE, BUDGET = (str(REVIEW / name) for name in ("satellite_cdr.csv", "satellite_pdr.csv", "budget.toml"))
BAD = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "__proto__",
    "=cmd|' /C calc'!A0",
    "javascript:x",
)


def parsed(path: Path | str) -> Any:
    return html.fromstring(Path(path).read_text("utf-8"))


def table_of(text: str, **options: Any) -> mp.Result:
    import io

    import pandas as pd

    return mp.rollup(mp.Bom.from_dataframe(pd.read_csv(io.StringIO(text), keep_default_na=False)), **options)


def page_of(result: mp.Result, path: Path, **options: Any) -> Any:
    result.report(path / "review.html", **options)
    return parsed(path / "review.html")


def cells(tree: Any, section: str, number: int = 0) -> list[list[str]]:
    table = tree.xpath(f'//section[@id="{section}"]//table')[number]
    return [[" ".join(cell.text_content().split()) for cell in row] for row in table.iter("tr")]


def facts(tree: Any, section: str) -> dict[str, str]:
    return {one.findtext("dt"): one.findtext("dd") for one in tree.xpath(f'//section[@id="{section}"]//dl/div')}


@pytest.fixture(scope="module")
def review(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("review")
    mp.report(
        TABLE, path / "r.html", budget=BUDGET, baseline=BASELINE, reasons=str(REVIEW / "reasons.csv"), date="2026"
    )
    return parsed(path / "r.html")


def test_numbers_are_those_of_the_json_report(review: Any, run: Any) -> None:
    """Printed numbers are found again, rounded, in the answer of ``rollup --format json``."""
    answer = json.loads(run("rollup", TABLE, "--format", "json", "--budget", BUDGET, "-o", "/dev/null").stdout)
    items = {one["id"]: one for one in answer["items"]}
    root = items["SAT"]
    head = facts(review, "headline")

    def near(text: str, value: float, places: float = 0.5000001) -> bool:
        number = float(re.match(r"[-+0-9.e]+", text).group())  # type: ignore[union-attr]
        digits = len(text.split(maxsplit=1)[0].partition(".")[2])
        return abs(number - value) <= places * 10.0**-digits

    assert near(head["basic mass"], root["mass"])
    assert near(head["predicted mass"], root["predicted_mass"])
    assert near(head["growth"], root["allowance_mass"])
    for k, axis in enumerate("xyz"):
        assert near(head[f"centre {axis}"], root["center"][k])
    assert near(head["margin"], 165 - root["predicted_mass"])
    rows = cells(review, "status")
    heads = {head: k for k, head in enumerate(rows[0])}
    review_rows = [one for one in answer["review"] if "labels" in one]
    assert len(review_rows) == len(rows) - 2
    for texts, one in zip(rows[1:], review_rows, strict=False):
        assert near(texts[heads["basic"]], one["mass"], 1)
        assert near(texts[heads["predicted"]], one["predicted_mass"], 1)  # rows are rounded so that they add up
        assert near(texts[heads["σ"]], one["sigma_mass"])
    old = mp.rollup(BASELINE)
    for texts in rows[1:-1]:
        assert near(texts[heads["previous"]], float(old[texts[0].split()[0]].mass)), texts
    for row in cells(review, "items")[1:]:
        assert near(row[3], items[row[0]]["mass"]), row
        assert near(row[-4], items[row[0]]["center"][0] if abs(items[row[0]]["center"][0]) > 1e-15 else 0.0), row
    moments = {row[0].split()[-1]: float(row[1]) for row in cells(review, "inertia")[1:4]}
    assert moments["Ixx"] == pytest.approx(root["inertia"]["Ixx"], abs=0.006)


def test_steps_of_the_waterfall_add_up_exactly(review: Any) -> None:
    from decimal import Decimal

    rows = cells(review, "changes")[1:]
    steps = [Decimal(row[2]) for row in rows]
    assert sum(steps[:-1]) == steps[-1]
    assert rows[-1][0] == "change"
    sizes = [abs(step) for step in steps[:-2]]
    assert sizes == sorted(sizes, reverse=True)
    assert {row[0]: row[3] for row in rows}["THM-200"] == "heaters for safe mode"


def test_sections_in_order_with_waiver_and_hashes(review: Any) -> None:
    names = [one.get("id") for one in review.xpath("//section")]
    assert names == [name for name in options.SECTION_NAMES if name not in ("history", "certificate")]
    assert [cells(review, "limits", 1)[1][k] for k in (0, 3)] == ["HRN", "2027-05-31"]
    digest = hashlib.sha256(Path(TABLE).read_bytes()).hexdigest()
    assert digest in review.xpath('//section[@id="method"]')[0].text_content()
    assert facts(review, "headline")["margin"].endswith("%)")
    assert "(limit − predicted) / predicted" in review.xpath('//section[@id="headline"]')[0].text_content()
    for picture in review.iter("svg"):
        assert picture.findtext("title")
        assert picture.findtext("desc")


def test_policy_has_the_hashes_of_what_the_page_holds(review: Any, tmp_path: Path) -> None:
    mp.report(TABLE, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text("utf-8")
    policy = parsed(tmp_path / "r.html").xpath("//meta[@http-equiv]/@content")[0]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        for content in re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy
    assert not re.search(r'(?:src|href)="(?!data:|#)', text)
    assert " style=" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_live_library_is_the_pinned_file_with_its_licences() -> None:
    folder = Path(page.__file__).parent / "live"
    digest = hashlib.sha256((folder / "echarts.min.js").read_bytes()).digest()
    assert f"sha256-{base64.b64encode(digest).decode()}" == page._LIVE_HASH
    assert "Apache License" in (folder / "LICENSE").read_text("utf-8")
    assert "BSD 3-Clause" in (folder / "LICENSE").read_text("utf-8")
    assert "Apache Software Foundation" in (folder / "NOTICE").read_text("utf-8")
    assert not re.search(r"\beval\(|new Function", (folder / "echarts.min.js").read_text("utf-8"))


def test_sizes(tmp_path: Path) -> None:
    result = mp.rollup(TABLE)
    result.report(tmp_path / "live.html")
    result.report(tmp_path / "static.html", static=True)
    assert (tmp_path / "live.html").stat().st_size <= 1_100_000
    assert (tmp_path / "static.html").stat().st_size <= 250_000


def test_reproducible_reports_have_equal_bytes(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    for name in ("bom.csv", "bom_rev_b.csv", "budget.toml"):
        shutil.copy(ROOT / "sample_data" / "budget" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    call = ("report", "bom_rev_b.csv", "--baseline", "bom.csv", "--reproducible", "-o", "r.html")
    found = []
    for _ in range(2):
        assert_exit(run(*call), 0, "report on 18 items")
        found.append(Path("r.html").read_bytes())
    assert found[0] == found[1]
    assert not re.search(rb"20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]", found[0])
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert_exit(run(*call[:-3], "-o", "e.html"), 0)
    assert b"2001-09-09" in Path("e.html").read_bytes()


def test_exit_code_and_standard_output(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(ROOT / "sample_data" / "budget")
    done = run("report", "bom_rev_b.csv", "--budget", "budget.toml", "-o", "-")
    assert done.exit_code == 1
    assert done.stdout.startswith("<!DOCTYPE html>")
    assert "1 of 15 limits not kept" in done.stdout
    assert "MP601" in done.stderr
    assert_exit(run("report", "bom.csv", "-o", tmp_path / "x.zip"), 2, "suffix is one of .html, .pdf, .md, .xlsx")


def test_report_option_of_other_commands(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    for name in ("bom.csv", "bom_rev_b.csv", "budget.toml"):
        shutil.copy(ROOT / "sample_data" / "budget" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert_exit(run("rollup", "bom.csv", "-o", "o.csv", "--report", "html=a.html", "--previous", "bom_rev_b.csv"), 0)
    assert_exit(
        run("check", "bom.csv", "--budget", "budget.toml", "--report", "html=b.html", "--report", "junit=j.xml"), 0
    )
    assert_exit(run("diff", "bom.csv", "bom_rev_b.csv", "--report", "html=c.html"), 0)
    kinds = {name: [one.get("id") for one in parsed(f"{name}.html").iter("section")] for name in "abc"}
    assert [("changes" in kinds[name], "limits" in kinds[name]) for name in "abc"] == [
        (True, False),
        (False, True),
        (True, False),
    ]
    assert Path("j.xml").exists()
    assert_exit(run("rollup", "bom.csv", "--report", "junit=x.xml"), 2, "expected html=FILE")
    assert_exit(run("rollup", "bom.csv", "--report", "html=x.pdf", "-o", "p.csv"), 2, "the suffix of the file is .html")
    assert_exit(run("check", "*.csv", "--budget", "budget.toml", "--report", "html=x.html"), 2, "on one table")


CONFIGURATION = """
root = true
[report]
title = "A & B"
project = "Wren"
revision = "B"
logo = "logo.svg"
sections = ["status", "headline"]
status-columns = ["margin", "remark"]
depth = 2
[report.remarks]
status = "**as planned** <b>x</b> [a](javascript:alert(1)) [b](https://example.com)"
PLD = "mirror"
"""


def test_configuration_of_a_report(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    shutil.copy(ROOT / "sample_data" / "budget" / "bom.csv", tmp_path)
    (tmp_path / "massprops.toml").write_text(CONFIGURATION, "utf-8")
    (tmp_path / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', "utf-8")
    monkeypatch.chdir(tmp_path)
    assert_exit(run("report", "bom.csv", "--static"), 0, "bom.review.html")
    tree = parsed("bom.review.html")
    assert tree.findtext(".//h1") == "A & B"
    assert tree.xpath("//header//img/@src")[0].startswith("data:image/svg+xml;base64,")
    assert [one.get("id") for one in tree.xpath("//section")] == ["status", "headline"]
    assert cells(tree, "status")[0] == ["level 1", "basic", "remark"]
    assert [row[-1] for row in cells(tree, "status") if row[0].startswith("PLD")] == ["mirror"]
    remark = tree.xpath('//div[@class="remark"]')[0]
    assert remark.findtext(".//strong") == "as planned"
    assert not remark.xpath(".//b")
    assert remark.xpath(".//a/@href") == ["https://example.com"]
    assert '"\\000057\\000072' not in Path("bom.review.html").read_text("utf-8")
    assert "counter(page)" in Path("bom.review.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tilte = 'x'", "unknown key: report.tilte; the nearest is title"),
        ("sections = ['statsu']", "the nearest is status"),
        ("status-columns = ['marign']", "the nearest is margin"),
        ("depth = 0", "expected an integer from 1 to 40"),
        ("remarks = 'x'", "is not a table of texts; write [report.remarks]"),
        ("logo = 'none.png'", "logo cannot be read: no such file"),
        ("logo = 'bom.csv'", "logo is not an svg or png image"),
        ("logo = 'large.png'", "logo has 50,000,000 bytes"),
    ],
)
def test_wrong_settings_are_errors(run: Any, tmp_path: Path, monkeypatch: Any, text: str, message: str) -> None:
    shutil.copy(ROOT / "sample_data" / "budget" / "bom.csv", tmp_path)
    (tmp_path / "massprops.toml").write_text(f"root = true\n[report]\n{text}\n", "utf-8")
    with (tmp_path / "large.png").open("wb") as file:
        file.truncate(50_000_000)
    monkeypatch.chdir(tmp_path)
    assert_exit(run("report", "bom.csv", "-o", "r.html"), 2, message)
    assert not Path("r.html").exists()


def hostile_table() -> str:
    rows = ["id,parent,name,mass [kg],sigma_mass [kg],Cx [m],Cy [m],Cz [m]", f'"{BAD[2]}",,"{BAD[0]}",,,,,']
    for k, bad in enumerate((BAD[1], BAD[0], BAD[3], "constructor", "a\u202eb ]]> &#60; {b|x} \\u003c", "x" * 300)):
        rows.append(f'"{bad}",{BAD[2]},"{BAD[(k + 1) % 5]}",{k + 1},0.1,0.{k},1,{k}')
    return "\n".join(rows) + "\n"


def test_texts_of_tables_are_data_in_every_format(tmp_path: Path) -> None:
    result = table_of(hostile_table())
    tree = page_of(result, tmp_path, title=BAD[1], project=BAD[0] + '"; } </style>', remarks={"headline": "".join(BAD)})
    known = (
        "html head meta title style body header div h1 p nav ul li a main section h2 dl dt dd table caption thead "
        "tbody tr th td wbr figure svg desc rect polygon polyline circle text footer script details summary strong em"
    )
    assert {one.tag for one in tree.iter() if isinstance(one.tag, str)} <= {*known.split()}
    assert len(tree.xpath("//script")) == 3
    assert not [name for one in tree.iter() for name in getattr(one, "attrib", ()) if name.startswith("on")]
    assert "\u202e" not in (tmp_path / "review.html").read_text("utf-8").replace("\\u202e", "")
    result.report(tmp_path / "r.md", title=BAD[0])
    lines = [
        line for line in (tmp_path / "r.md").read_text("utf-8").splitlines() if "<" in re.sub(r"`[^`]*`", "", line)
    ]
    assert not [line for line in lines if re.search(r"(?<![\\&])<(?:img|script)", line)]
    for file in tmp_path.glob("*.svg"):
        etree.parse(file)
    result.report(tmp_path / "r.xlsx", title=BAD[3])
    sheet: Any = openpyxl.load_workbook(tmp_path / "r.xlsx")["Review"]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "inlineStr", "n"}
    assert len(sheet._charts) >= 2


def odd_tables() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    head = "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\n"
    yield (
        "no centre",
        "id,parent,mass [kg]\nS,,\na,S,1\nb,S,2\n",
        ("headline", "status", "mass", "findings", "items", "method"),
    )
    yield "one item", "id,mass [kg]\nS,3\n", ("headline", "mass", "findings", "items", "method")
    deep = head + "L0,,,,,\n" + "".join(f"L{k},L{k - 1},{'1,1,0,0' if k == 40 else ',,,'}\n" for k in range(1, 41))
    yield "40 levels", deep, ("headline", "mass", "centre", "findings", "items", "method")
    yield (
        "long names",
        head + f"{'S' * 300},,,,,\n{'a' * 300},{'S' * 300},1,0,0,0\n{'b' * 300},{'S' * 300},2,1,0,0\n",
        ("centre",),
    )
    yield "negative masses", head + "S,,,,,\na,S,5,1,0,0\nb,S,-2,0,0,0\n", ("centre",)
    yield "missing masses", head + "S,,,,,\na,S,5,1,0,0\nb,S,,0,0,0\n", ("centre",)
    yield "no mass", "id,parent,cost\nS,,\na,S,1\n", ()


@pytest.mark.parametrize(
    ("name", "text", "sections"), [*odd_tables()], ids=lambda one: one if isinstance(one, str) and len(one) < 20 else ""
)
def test_odd_tables(tmp_path: Path, name: str, text: str, sections: tuple[str, ...]) -> None:
    options = {"keep_going": True}
    try:
        result = table_of(text, **options)
    except mp.FindingsError:
        assert name == "no mass"
        return
    tree = page_of(result, tmp_path)
    found = [one.get("id") for one in tree.xpath("//section")]
    assert set(sections) <= set(found)
    text = tree.text_content()
    assert "nan" not in re.sub(r"(?s)\"use strict\".*", "", tree.xpath("//main")[0].text_content()).lower().replace(
        "finance", ""
    )
    if name == "negative masses":
        assert "Negative masses have no area and are not drawn: b" in text
    if name == "missing masses":
        assert "≥ 5 kg" in text


def test_mass_that_the_parts_do_not_explain_is_a_slice() -> None:
    text = "id,parent,mass [kg]\nS,,10\na,S,3\nb,S,4\n"
    import io

    import pandas as pd

    bom = mp.Bom.from_dataframe(pd.read_csv(io.StringIO(text), keep_default_na=False), assembly_values="stated")
    tree = mass_branches(mp.rollup(bom))
    assert [(part.label, part.mass) for part in tree.parts] == [("b", 4), ("a", 3), ("unexplained", 3)]
    assert tree.size == 10
    boxes = {part.label: w * h for part, (_, _, w, h) in _squares(tree.parts, (0, 0, 100, 100))}
    assert boxes == pytest.approx({"unexplained": 3_000, "b": 4_000, "a": 3_000})


def test_shadow_of_an_ellipsoid_is_that_of_its_matrix() -> None:
    """The shadow of the ellipsoid x' S⁻¹ x = k² reaches k √S_ii; its points are on (P S P')⁻¹ = k²."""
    matrix = np.array([[4.0, 1.0, 0.5], [1.0, 2.0, 0.3], [0.5, 0.3, 1.0]])
    points = np.array(_shadow_ellipse(matrix, 0, 2, COVERAGE_95, 720))
    assert points.max(axis=0) == pytest.approx(COVERAGE_95 * np.sqrt([4.0, 1.0]), rel=1e-4)
    part = np.linalg.inv(matrix[np.ix_([0, 2], [0, 2])])
    assert np.einsum("ni,ij,nj->n", points, part, points) == pytest.approx(COVERAGE_95**2)
    assert 1 - math.exp(-(COVERAGE_95**2) / 2) == pytest.approx(0.95)
    assert round(COVERAGE_95, 4) == 2.4477


def test_ellipsoid_has_the_inertia_of_a_solid_one() -> None:
    """A solid ellipsoid with half axes a has I_x = m (a_y² + a_z²) / 5 (Beer and Johnston)."""
    a, mass = np.array([1.0, 2.0, 3.0]), 7.0
    moments = mass * (np.sum(a**2) - a**2) / 5
    matrix = ellipsoid_matrix(mass, moments, np.eye(3))
    assert matrix is not None
    assert np.sqrt(np.diag(matrix)) == pytest.approx(a)
    assert ellipsoid_matrix(mass, np.array([1.0, 1.0, 9.0]), np.eye(3)) is None
    assert ellipsoid_matrix(-1.0, moments, np.eye(3)) is None


def test_use_of_limits() -> None:
    bom = mp.Bom.from_records([{"id": "S", "mass [kg]": 860.0, "Cx [m]": 0.01, "Cy [m]": 0.0, "Cz [m]": 0.0}])
    from massprops_cli.budgets.file import _budget_from_tables

    entry = {"item": "S", "mass-max": "1000 kg", "mass-min": "430 kg", "center-x": ["-20 mm", "20 mm"]}
    found = mp.check(bom, _budget_from_tables("b.toml", "", {"budget": [entry]}))
    assert {one.requirement.partition(" (")[0]: round(_limit_use(one), 6) for one in found.verdicts} == {
        "mass ≤ 1000 kg": 0.86, "mass ≥ 430 kg": 0.5, "-20 mm ≤ Cx ≤ 20 mm": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["treemap", "sunburst", "bars", "centre", "ellipsoid", "pareto", "waterfall", "limits"]
)
def test_single_pictures(run: Any, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "p.svg"
    more = (
        ("--budget", BUDGET)
        if kind in ("limits", "centre")
        else ("--baseline", BASELINE)
        if kind == "waterfall"
        else ()
    )
    assert_exit(run("plot", kind, TABLE, *more, "-o", path), 0, kind)
    root = etree.parse(path).getroot()
    assert root.findtext("{*}desc")
    options = {"limits": (BUDGET,), "centre": (BUDGET,), "waterfall": (mp.read_bom(BASELINE),)}.get(kind, ())
    if kind not in ("bars", "pareto"):
        drawn = getattr(mp.rollup(TABLE).plot, kind)(*options)
        assert drawn.svg(is_file=True) == path.read_text("utf-8")


def test_pictures_of_other_formats_and_wrong_kinds(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for suffix, head in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
        assert_exit(run("plot", "sunburst", TABLE, "-o", tmp_path / f"p.{suffix}"), 0)
        assert (tmp_path / f"p.{suffix}").read_bytes().startswith(head)
    assert run("plot", "treemap", TABLE).stdout.startswith("<svg")
    assert_exit(run("plot", "tremap", TABLE), 2, "the nearest is treemap")
    assert_exit(run("plot", "waterfall", TABLE), 2, "needs an earlier revision (--baseline)")
    assert_exit(run("plot", "histogram", TABLE), 2, "needs samples")
    drawn = ("--uncertainty", "montecarlo", "--config", "samples=500", "-o", tmp_path / "h.svg")
    assert_exit(run("plot", "histogram", TABLE, *drawn), 0)
    assert "500 Monte Carlo samples" in (tmp_path / "h.svg").read_text("utf-8")


def test_wrong_calls_of_the_library(tmp_path: Path) -> None:
    result = mp.rollup(TABLE)
    with pytest.raises(UsageError, match="unknown option: titel; the nearest is title"):
        result.report(tmp_path / "r.html", titel="x")
    with pytest.raises(UsageError, match="the nearest is status"):
        result.report(tmp_path / "r.html", sections=["statsu"])
    assert [*tmp_path.iterdir()] == []


def test_markdown_and_workbook(tmp_path: Path) -> None:
    mp.report(TABLE, tmp_path / "r.md", budget=BUDGET, baseline=BASELINE)
    text = (tmp_path / "r.md").read_text("utf-8")
    named = re.findall(r"\]\((r\.[a-z]+\.\d+\.svg)\)", text)
    assert len(named) > 8
    assert sorted(named) == sorted(path.name for path in tmp_path.glob("*.svg"))
    assert "| SAT |" in text
    mp.report(TABLE, tmp_path / "r.xlsx", budget=BUDGET, baseline=BASELINE)
    sheet: Any = openpyxl.load_workbook(tmp_path / "r.xlsx")["Review"]
    rows = {row[0].value: row for row in sheet.iter_rows() if row[0].value}
    assert rows["STR  Structure"][1].value == pytest.approx(37.61, abs=0.006)
    head = next(cell.row for cell in sheet["D"] if cell.value == "change")
    assert sheet.row_dimensions[head].height >= 30  # "est/calc/weighed %" has two lines in 14 characters
    assert sheet.page_setup.orientation == "landscape"
    assert [type(chart).__name__ for chart in sheet._charts] == [
        "BarChart",
        "ScatterChart",
        "BarChart",
        "BarChart",
        "BarChart",
    ]


def test_numbers_of_the_workbook_have_their_units_and_findings_their_rules(run: Any, tmp_path: Path) -> None:
    call = ("report", TABLE, "--budget", BUDGET, "--baseline", BASELINE, "-o", tmp_path / "r.xlsx")
    assert_exit(run(*call), 0)
    sheet: Any = openpyxl.load_workbook(tmp_path / "r.xlsx")["Review"]
    rows = [list(row) for row in sheet.iter_rows()]
    limits = {row[2].value: (row[3], row[4]) for row in rows if row[0].value in ("kept", "waived")}
    value, margin = limits["mass ≤ 23.5 kg (predicted)"]
    assert (value.value, margin.value) == (pytest.approx(22.79, abs=0.006), pytest.approx(0.71, abs=0.006))
    assert value.number_format == margin.number_format == '0.00" kg"'
    captions = {row[0].value for row in rows}
    assert {"note MP601 mass-over-limit", "Waivers", "Limits of " + str(BUDGET)} <= captions
    first = next(k for k, row in enumerate(rows) if row[1].value == "kind of change") + 1
    steps = list(itertools.takewhile(lambda row: row[0].value, rows[first:]))
    at = 0.0
    for row in steps:  # what is drawn of a step adds up to it, in the series of heavier or of lighter
        hidden, heavier, lighter, below, heavier_below, lighter_below = (cell.value for cell in row[26:32])
        step = row[2].value
        seen = (heavier, heavier_below) if step > 0 else (lighter, lighter_below)
        assert abs(seen[0]) + abs(seen[1]) == pytest.approx(abs(step))
        assert heavier + lighter + heavier_below + lighter_below == pytest.approx(sum(seen))
        start = 0.0 if row is steps[-1] else at
        assert hidden + below == pytest.approx(min((start, start + step), key=abs) if start * (start + step) > 0 else 0)
        at = start + step


def test_limit_on_the_mass_with_pending_changes_has_its_margin(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    """10 · 1.05 + 20 · 1.1 = 32.5 kg, and half of 3 kg, of 40 kg."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("id,parent,mass [kg],mga [%]\nR,,,\nA,R,10,5\nB,R,20,10\n")
    pending = '[[pending]]\nitem = "A"\nchange = "+3 kg"\nprobability = 0.5\nreason = "harness"\n'
    Path("b.toml").write_text(f'[[budget]]\nitem = "R"\nmass-max = "40 kg"\nbasis = "with-pending"\n{pending}')
    assert_exit(run("report", "t.csv", "--budget", "b.toml", "-o", "r.html", "--static"), 0)
    facts = {one.findtext("dt"): one.findtext("dd") for one in parsed("r.html").xpath('//*[@id="headline"]//dl/div')}
    named = ("predicted mass", "mass with pending changes", "its limit", "its margin")
    assert [facts[name] for name in named] == ["32.5 kg", "34 kg", "40 kg", "6 kg"]


def test_what_has_no_effect_is_named(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("id,parent,mass [kg]\nR,,\nA,R,1\nB,R,2\n")
    Path("old.csv").write_text("id,parent,mass [kg]\nR,,\nA,R,one\nB,R,2\n")
    assert_exit(run("report", "t.csv", "--reasons", "column:why"), 2, "state --baseline too")
    Path("massprops.toml").write_text('[report.remarks]\nA = "x"\nstatus = "x"\nC = "x"\n')
    done = run("report", "t.csv", "--baseline", "old.csv", "-o", "r.html")
    assert_exit(done, 0, "MP902", "of this report: C")
    assert done.output.count("MP902") == 1
    words = parsed("r.html").xpath('string(//section[@id="changes"]/p[@class="bad"])')
    assert words.startswith("old.csv has 1 error, the first is MP205: mass [kg] of A is not a number: one")


def test_pdf_without_a_program_names_both(monkeypatch: Any, tmp_path: Path, run: Any) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setitem(__import__("sys").modules, "weasyprint", None)
    assert_exit(run("report", TABLE, "-o", tmp_path / "r.pdf"), 2, "Chromium", "WeasyPrint: pip install")
    assert_exit(
        run("report", TABLE, "-o", tmp_path / "r.pdf", "--config", "chromium=no"), 2, "chromium is not a program: no"
    )


@pytest.mark.skipif(not browser.PROGRAM, reason=browser.MISSING)
def test_pdf_is_tagged_and_has_bookmarks(tmp_path: Path) -> None:
    mp.report(TABLE, tmp_path / "r.pdf", sections=["headline", "status", "limits"], budget=BUDGET)
    content = (tmp_path / "r.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert b"/StructTreeRoot" in content
    assert b"/Outlines" in content


@pytest.mark.skipif(not browser.PROGRAM, reason=browser.MISSING)
def test_status_is_as_wide_as_the_page_and_findings_are_open_in_print() -> None:
    """The sample with all columns of the status table: on a page of 1200 pixels, and on A4 across without margins."""
    with browser.Browser() as one:
        one.open(REVIEW / "review.html")
        at = "document.querySelector('#status .scroll')"
        assert one.run(f"{at}.querySelectorAll('thead th').length") == 15
        assert one.run(f"{at}.scrollWidth") <= one.run(f"{at}.clientWidth")
        rows = "[...document.querySelectorAll('#findings tbody tr')].map(row => row.checkVisibility())"
        assert set(one.run(rows)) == {False}
        one.call("Emulation.setEmulatedMedia", media="print")
        width = round((297 - 28) / 25.4 * 96)
        one.call("Emulation.setDeviceMetricsOverride", width=width, height=700, deviceScaleFactor=1, mobile=False)
        assert one.run(f"{at}.scrollWidth") <= width
        assert set(one.run(rows)) == {True}


@pytest.mark.skipif(not browser.PROGRAM, reason=browser.MISSING)
def test_reports_in_a_browser(tmp_path: Path) -> None:
    mp.report(TABLE, tmp_path / "review.html", budget=BUDGET, baseline=BASELINE)
    with browser.Browser() as one:
        one.open(tmp_path / "review.html")
        rows = "[...document.querySelectorAll('#item-table table.screen-only tbody tr')]"
        assert one.run(f"{rows}.length") == 81  # three levels are open
        one.run("document.querySelector('.fold').click()")
        assert one.run(f"{rows}.length") == 1
        search = "document.querySelector('input[type=search]')"
        one.run(f"{search}.value = 'mirror'; {search}.dispatchEvent(new Event('input'))")
        assert one.run(f"{rows}.map(row => row.cells[1].textContent)") == ["Primary mirror", "Secondary mirror"]
        one.run("document.querySelector('input[type=search]').value = ''")
        one.run("document.querySelector('input[type=search]').dispatchEvent(new Event('input'))")
        one.run("document.querySelectorAll('#item-table thead button')[3].click()")
        assert one.run(f"{rows}[0].cells[0].textContent") == "SAT"
        assert one.run(f"{rows}[1].cells[0].textContent") == "STR"
        assert one.run("document.querySelectorAll('#item-table th[aria-sort=descending]').length") == 1
        one.run(
            "[...document.querySelectorAll('#mass tbody button')].find(at => at.textContent.startsWith('PLD')).click()"
        )
        assert one.run("[...document.querySelectorAll('.crumbs button')].map(at => at.textContent)") == ["SAT", "PLD"]
        assert one.run("document.activeElement.textContent") == "PLD"
        one.run("new Promise(done => setTimeout(done, 300))")
        for kind in (0, 1):
            drawn = one.run(f"document.querySelectorAll('.live svg')[{kind}].textContent")
            assert "PLD-110" in drawn
            assert "STR" not in drawn
        one.key("Tab")
        one.run("document.querySelector('.crumbs button').focus()")
        one.key("Enter")
        assert one.run("document.querySelectorAll('.crumbs button').length") == 1
        assert one.faults() == []


@pytest.mark.slow
@pytest.mark.skipif(not browser.PROGRAM, reason=browser.MISSING)
def test_narrow_dark_printed_and_hostile_reports_in_a_browser(tmp_path: Path) -> None:
    mp.report(TABLE, tmp_path / "review.html", budget=BUDGET, baseline=BASELINE)
    table_of(hostile_table()).report(tmp_path / "hostile.html", title=BAD[1], remarks={"headline": "".join(BAD)})
    with browser.Browser() as one:
        one.open(tmp_path / "review.html")
        assert one.call("Page.printToPDF", generateTaggedPDF=True)["data"]
        one.open(tmp_path / "review.html", 390, dark=True)
        assert one.run("document.documentElement.scrollWidth") <= 390
        assert one.run("getComputedStyle(document.body).backgroundColor") == "rgb(17, 21, 26)"
        assert one.faults() == []
        one.open(tmp_path / "hostile.html")
        assert one.run("document.querySelectorAll('.live svg').length") == 2
        for button in ("#mass tbody button", "#item-table thead button", ".fold"):
            one.run(f"document.querySelectorAll('{button}').forEach(at => at.click())")
        move = "at.dispatchEvent(new MouseEvent('mousemove', {bubbles: true}))"
        one.run(f"document.querySelectorAll('.live svg path').forEach(at => {move})")
        assert one.faults() == []


AXE = ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.mark.skipif(not browser.PROGRAM, reason=browser.MISSING)
@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: npm install --prefix .venv/axe axe-core")
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(tmp_path: Path, dark: bool) -> None:
    mp.report(TABLE, tmp_path / "review.html", budget=BUDGET, baseline=BASELINE)
    with browser.Browser() as one:
        one.open(tmp_path / "review.html", dark=dark)
        one.run(f"{AXE.read_text('utf-8')}; 0")
        found = one.run("axe.run().then(done => JSON.stringify(done.violations.map(one => [one.id, one.help])))")
        assert json.loads(found) == []


def test_use_of_a_required_probability() -> None:
    """Of 10 % that may fail, a probability of 0.98 uses a fifth."""
    from types import SimpleNamespace

    one: Any = SimpleNamespace(value=0.98, limit=0.9, bounds=None, subject="probability-min")
    assert _limit_use(one) == pytest.approx(0.2)


def test_limits_of_the_predicted_centre_are_drawn_with_that_centre(tmp_path: Path) -> None:
    text = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],mga [%]\nR,,,,,,\nA,R,10,0,0,0,0\nB,R,10,100,0,0,50\n"
    (tmp_path / "b.toml").write_text('[[budget]]\nitem = "R"\ncenter-x = ["40 mm", "55 mm"]\n')
    tree = page_of(table_of(text), tmp_path, budget=str(tmp_path / "b.toml"), static=True)
    head, row = cells(tree, "centre")[:2]
    # 10 kg at 0 and 15 kg at 100 mm; without growth 10 kg each
    assert [dict(zip(head, row, strict=True))[f"{one} [mm]"] for one in ("value", "predicted")] == ["50", "60"]
    assert "predicted centre 60, 0" in tree.xpath('string(//section[@id="centre"])')


def test_report_of_the_sample_is_what_its_command_writes(tmp_path: Path) -> None:
    shutil.copytree(REVIEW, tmp_path / "review")
    words = html.fromstring((REVIEW / "review.html").read_text("utf-8")).xpath('string(//section[@id="method"])')
    (line,) = re.findall(r"massprops (report .*? -q)", words)
    command = [*warm_command(), *line.split()]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=tmp_path / "review", env=environment, check=True)
    assert (tmp_path / "review" / "review.html").read_bytes() == (REVIEW / "review.html").read_bytes()


def test_masses_that_cancel_have_no_centre_to_draw() -> None:
    result = table_of("id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nR,,,,,\nA,R,5,1,0,0\nB,R,-5,0,0,0\n", keep_going=True)
    assert center_view(Review(result)) is None


def test_recorded_history_is_a_section_and_a_picture(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for k, mass in enumerate((2.0, 3.5), 1):
        Path(f"rev_{k}.csv").write_text(f"id,parent,mass [kg]\ntop,,\na,top,{mass}\nb,top,1\n")
    assert_exit(run("trend", "rev_1.csv", "rev_2.csv", "--record", "h.jsonl"), 0)
    Path("massprops.toml").write_text('[report]\nhistory = "h.jsonl"\n')
    assert_exit(run("report", "rev_2.csv", "-o", "r.html", "--static"), 0)
    tree = parsed("r.html")
    assert cells(tree, "history")[-2:] == [["rev_1", "3"], ["rev_2", "4.5"]]
    assert hashlib.sha256(Path("h.jsonl").read_bytes()).hexdigest() in tree.xpath('string(//section[@id="method"])')
    assert_exit(run("plot", "trend", "h.jsonl", "-o", "h.svg"), 0)
    drawn = tree.xpath('//section[@id="history"]//svg')[0]
    assert drawn.xpath("string(.//title)") == etree.parse("h.svg").xpath("string(//*[local-name()='title'])")
    mp.report(mp.read_bom("rev_2.csv"), "p.html", history="h.jsonl", static=True)
    assert cells(parsed("p.html"), "history") == cells(tree, "history")
