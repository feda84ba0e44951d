"""A table larger than memory, here with blocks made small: the bytes of the whole, and findings where they belong."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.cli.stages import block_rollup

Run = Callable[..., Any]
HEADER = (
    "id,parent,qty,mass [lb],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2]"
)
HEADER += ",Iyz [kg*m^2],POIconv,Ipoint,note"
SIGMAS = (
    "mass [lb],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
)
PARTS = ["--config", "partition=4"]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Read every csv file in blocks of a few lines, where it is rolled up in parts."""
    monkeypatch.setattr(block_rollup, "_LARGE_BYTES", 0)
    monkeypatch.setattr(block_rollup, "_BLOCK_BYTES", 700)
    monkeypatch.setattr(block_rollup, "_LINES_PER_WRITE", 7)
    monkeypatch.setattr(block_rollup, "_HEAD_BYTES", 2_000)
    monkeypatch.chdir(tmp_path)


def rows(count: int = 150, seed: int = 1, sigmas: bool = True) -> list[str]:
    """Return the lines of a table: assemblies of three, units that are not coherent, quantities, points, texts."""
    draw = random.Random(seed)
    header = HEADER + (",sigma_" + SIGMAS.replace(",", ",sigma_") if sigmas else "")
    lines = [header]
    inner = (count - 2) // 3 + 1
    for k in range(count):
        parent, is_leaf = "" if k == 0 else f"P{(k - 1) // 3}", k >= inner
        cells = [f"P{k}", parent, "2" if k % 7 == 3 else "1"]
        numbers = [
            draw.uniform(1, 9),
            *(draw.uniform(-900, 900) for _ in range(3)),
            *(draw.uniform(7, 9) for _ in range(3)),
        ]
        numbers += [draw.uniform(-0.5, 0.5) for _ in range(3)]
        cells += [repr(x) if is_leaf else "" for x in numbers]
        cells += ["-", "true" if is_leaf and k % 11 == 0 else "false", f'"plate, {k}"' if k % 5 else ""]
        if sigmas:
            cells += [repr(abs(x) * 0.01 + 0.001) if is_leaf else "" for x in numbers]
        lines.append(",".join(cells))
    return lines


def shuffled(lines: list[str], seed: int = 2) -> list[str]:
    below = lines[1:]
    random.Random(seed).shuffle(below)
    return [lines[0], *below]


def outputs(massprops: Run, lines: list[str], *words: str, newline: str = "\n", end: str = "\n") -> list[bytes]:
    """Return the output of the whole table, and of its parts."""
    path = Path("bom.csv")
    path.write_bytes((newline.join(lines) + end).encode())
    found = []
    for more in ([], PARTS):
        done = massprops("rollup", path, "-o", "out.csv", *words, *more)
        assert done.exit_code == 0, done.output
        found.append(Path("out.csv").read_bytes())
    assert "in 4 parts" in done.output
    assert not list(Path().glob("massprops-*"))
    return found


@pytest.mark.spread(2)
@pytest.mark.parametrize("order", [list, shuffled], ids=["tree order", "shuffled"])
@pytest.mark.parametrize("method", ["covariance", "massprops", "none"])
def test_parts_are_joined_to_the_bytes_of_the_whole(massprops: Run, order: Any, method: str) -> None:
    whole, parts = outputs(massprops, order(rows()), "--uncertainty", method)
    assert whole == parts
    assert whole.count(b"\n") == 151


@pytest.mark.parametrize("seed", range(4))
def test_drawn_tables_without_sigmas(massprops: Run, seed: int) -> None:
    whole, parts = outputs(massprops, shuffled(rows(90 + 17 * seed, seed, sigmas=False), seed))
    assert whole == parts


@pytest.mark.parametrize(("newline", "end"), [("\r\n", "\r\n"), ("\n", ""), ("\r\n", "")])
def test_line_ends_remain(massprops: Run, newline: str, end: str) -> None:
    whole, parts = outputs(massprops, shuffled(rows()), newline=newline, end=end)
    assert whole == parts
    assert whole.endswith(b"\n") == bool(end)


def test_parents_in_quotes_remain(massprops: Run) -> None:
    lines = [rows()[0]]
    for line in rows()[1:]:
        first, second, rest = line.split(",", 2)
        lines.append(f'"{first},x",{f"{chr(34)}{second},x{chr(34)}" if second else ""},{rest}')
    whole, parts = outputs(massprops, shuffled(lines))
    assert whole == parts
    assert b'\n"P7,x","P2,x",' in parts


def test_two_workers_write_the_same(massprops: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = outputs(massprops, shuffled(rows()), "--workers", "2")
    assert whole == parts


def changed(k: int, old: str, new: str) -> Callable[[list[str]], list[str]]:
    """Return what replaces a text in one line."""
    return lambda lines: [*lines[:k], lines[k].replace(old, new, 1), *lines[k + 1 :]]


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        (changed(100, "P99,", "P98,"), 101, "id is in two rows: P98 (line 100 and here)"),
        (changed(100, ",P32,", ",nowhere,"), 101, "parent of P99 is not an id"),
        (changed(2, ",P0,", ",P4,"), 1, "cycle"),
        (changed(2, ",P0,", ",,"), 1, "2 rows have no parent"),
        (lambda lines: [*lines[:50], "", *lines[50:]], 0, "a line is blank"),
        (changed(60, "P59,", "Pé,"), 0, "not ASCII"),
        (changed(60, "P59,", ","), 0, "an id or a parent is blank"),
        (changed(60, "P59,", '"P59'), 0, "records differ"),
        (changed(60, "P59,", "P59,1,2,3,"), 0, "records differ"),
        (lambda lines: ["made by,x", *lines], 1, "the first line is not a header"),
        (changed(0, "qty", "growth [%]"), 1, "column growth [%] needs the whole table"),
        (lambda lines: [lines[0], "P0,,1", *(f"P{k},P0,1" for k in range(1, 50))], 1, "less than half of the rows"),
    ],
)
def test_tables_that_need_the_whole_are_rejected_with_the_reason(
    massprops: Run, change: Callable[[list[str]], list[str]], line: int, words: str
) -> None:
    lines = change(rows())
    if "less" in words:
        lines = [one + "," * (lines[0].count(",") - one.count(",")) for one in lines]
    Path("bom.csv").write_text("\n".join(lines) + "\n")
    done = massprops("rollup", "bom.csv", "-o", "out.csv", *PARTS, "--format", "json")
    assert done.exit_code == 1, done.output
    (found,) = json.loads(done.stdout)["findings"]
    assert found["rule"] == "MP114"
    assert words in found["message"], found
    assert found["remedy"]
    assert found["place"]["line"] == line or not line
    assert not Path("out.csv").exists()
    assert not list(Path().glob("massprops-*"))


@pytest.mark.parametrize(
    "change",
    [changed(100, ",P32,1,", ",P32,1,x"), changed(120, ",P39,1,", ",P39,1,-")],
    ids=["not a number", "negative mass"],
)
@pytest.mark.parametrize("order", [list, shuffled], ids=["tree order", "shuffled"])
def test_faulty_cells_have_the_findings_of_the_whole(massprops: Run, order: Any, change: Any) -> None:
    Path("bom.csv").write_text("\n".join(order(change(rows()))) + "\n")
    answers = []
    for more in ([], PARTS):
        done = massprops("rollup", "bom.csv", "-o", "out.csv", "--format", "json", *more)
        assert done.exit_code == 1, done.output
        found = [one for one in json.loads(done.stdout)["findings"] if one["severity"] == "error"]
        answers.append([(one["rule"], one["message"], one["place"], one.get("value"), one["remedy"]) for one in found])
    assert answers[0] == answers[1]
    assert answers[0]
    assert not Path("out.csv").exists()


def test_values_that_are_missing_are_rejected(massprops: Run) -> None:
    lines = rows()
    cells = lines[101].split(",")
    cells[7:13] = [""] * 6
    lines[101] = ",".join(cells)
    Path("bom.csv").write_text("\n".join(lines) + "\n")
    done = massprops("rollup", "bom.csv", "-o", "out.csv", *PARTS)
    assert (done.exit_code, "values are missing" in done.output) == (1, True), done.output
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--where", "note = x"], 1, "cannot be combined with it"),
        (["--by", "note"], 1, "by cannot be combined"),
        (["--in-place"], 1, "in-place cannot be combined"),
        (["--correlate", "all"], 1, "cannot be combined with it"),
        (["-o", "out.xlsx"], 2, "written to a csv file"),
        (["-o", "-"], 2, "written to a csv file"),
    ],
)
def test_options_that_need_the_whole_are_rejected(massprops: Run, words: list[str], code: int, message: str) -> None:
    Path("bom.csv").write_text("\n".join(rows()) + "\n")
    done = massprops("rollup", "bom.csv", *PARTS, *words)
    assert (done.exit_code, message in done.output) == (code, True), done.output
    assert sorted(path.name for path in Path().iterdir()) == ["bom.csv"]
