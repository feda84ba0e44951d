"""Values are shown in notebooks as accessible tables, with every text of the user escaped."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

import massprops_cli as mp
from massprops_cli.findings import finding as notebook

EVIL = "<b>&\"'A"
ROWS: list[dict[str, Any]] = [
    {"id": "SAT", "parent": ""},
    {"id": EVIL, "parent": "SAT", "mass [kg]": 3.0, "sigma_mass [kg]": 0.3},
    {"id": "PLD", "parent": "SAT", "mass [kg]": 5.0, "sigma_mass [kg]": 0.4},
]
BOM = mp.Bom.from_records(ROWS)


def checked(folder: Path) -> mp.Check:
    file = folder / "budget.toml"
    file.write_text('[[budget]]\nitem = "SAT"\nmass-max = "7.5 kg"\n', "utf-8")
    return mp.check(BOM, file)


def table_rows(value: Any) -> list[list[str]]:
    """Read the table as XML: the texts of the header and of every row."""
    root = ElementTree.fromstring(value._repr_html_())
    caption = root.find("caption")
    assert root.tag == "table"
    assert caption is not None
    assert caption.text
    head, body = root.findall("thead/tr/th"), root.findall("tbody/tr")
    assert {cell.get("scope") for cell in head} == {"col"}
    assert all([cell.tag for cell in row] == ["th"] + ["td"] * (len(head) - 1) for row in body)
    assert all(row[0].get("scope") == "row" for row in body)
    return [["".join(cell.itertext()) for cell in row] for row in (head, *body)]


def test_tables_and_results() -> None:
    assert table_rows(BOM)[1:3] == [["SAT", ""], [EVIL, "3.00 ± 0.30"]]
    shown = table_rows(mp.rollup(BOM))
    assert shown == [["id", "mass [kg]"], ["SAT", "8.00 ± 0.50"], [EVIL, "3.00 ± 0.30"], ["PLD", "5.00 ± 0.40"]]


def many_leaves(n: int) -> mp.Bom:
    """A created root, and before it two groups whose leaves are first in the table."""
    rows = [{"id": f"P{k}", "parent": f"G{k % 2}", "name": f"part {k}", "mass [kg]": 1.0} for k in range(n)]
    return mp.Bom.from_records([*rows, {"id": "G0", "name": "even"}, {"id": "G1", "name": "odd"}], make_root="top")


@pytest.mark.parametrize(("n", "first"), [(6, ["top", "P0", "P1"]), (60, ["top", "G0", "G1", "P0"])])
def test_the_root_is_the_first_row(n: int, first: list[str]) -> None:
    shown = table_rows(mp.rollup(many_leaves(n)))
    assert [row[0] for row in shown[1:]][: len(first)] == first
    assert shown[0] == ["id", "name", "mass [kg]"]
    assert shown[1] == ["top", "", f"{n}"] or shown[1] == ["top", "top", f"{n}"]
    assert [row for row in shown if row[0] == "G1"] == [["G1", "odd", f"{n // 2}"]]


def test_what_is_partial_is_marked() -> None:
    """2 kg of 3 leaves known: the mass is a lower bound, wherever it is printed."""
    rows = [{"id": "a", "parent": "t", "mass [kg]": 2.0, "Cx [m]": 0.3, "Cy [m]": 0.1, "Cz [m]": 0.0}]
    rows += [{"id": "b", "parent": "g"}, {"id": "c", "parent": "g", "mass [kg]": 1.0}, {"id": "g", "parent": "t"}]
    result = mp.rollup(mp.Bom.from_records([{"id": "t", "parent": ""}, *rows], allow_missing="all"))
    words = "3 leaves; mass of 2 (a lower bound); CG of 1 (66.7 % of mass)"
    assert repr(result).splitlines() == [
        "t: rigid body",
        "  mass     ≥ 3 kg",
        "  centre   0.3  0.1  0 m",
        f"  coverage {words}",
        f"  5 items, partial: {repr(result).splitlines()[-1].partition(': ')[2]}",
    ]
    assert "mass     ≥ 1 kg" in repr(result["g"])
    assert "≥" not in repr(result["a"]) + repr(result["c"])
    shown = table_rows(result)
    assert "partial" in result._repr_html_().partition("</caption>")[0]
    assert [row[1] for row in shown[1:]] == ["≥ 3", "2", "", "1", "≥ 1"]
    assert shown[1][-1] == result.to_dataframe().attrs["coverage"] == words
    assert "coverage" not in mp.rollup(BOM).to_dataframe().attrs


def test_rounding_is_printed_as_zero() -> None:
    """0.1 + 0.2 − 0.3 about the middle: 2.8e-17 m next to a length of 1 m."""
    rows = [("a", 1.0, 0.1), ("b", 1.0, 0.2), ("c", 1.0, -0.3)]
    table = [{"id": i, "parent": "t", "mass": m, "Cx": x, "Cy": 1.0, "Cz": 0.0} for i, m, x in rows]
    result = mp.rollup(mp.Bom.from_records([{"id": "t", "parent": ""}, *table]))
    assert result["t"].center[0] == 0
    assert "centre   0  1  0" in repr(result)
    assert [row[2] for row in table_rows(result)[1:]] == ["0", "0.1", "0.2", "-0.3"]


def test_ids_complete_keys() -> None:
    assert BOM._ipython_key_completions_() == mp.rollup(BOM)._ipython_key_completions_() == ["SAT", EVIL, "PLD"]


def test_a_check_is_printed_and_exported(tmp_path: Path) -> None:
    check = checked(tmp_path)
    assert repr(check).splitlines()[0].startswith("Check: 0 of 1 limit kept; 1 error")
    assert "is above 7.5 kg" in repr(check)
    frame = check.to_dataframe()
    assert frame[["item", "subject", "value", "limit", "margin", "unit", "kept"]].values.tolist() == [
        ["SAT", "mass-max", 8.0, 7.5, -0.5, "kg", False]
    ]


def test_findings() -> None:
    shown = table_rows(mp.validate(mp.Bom.from_records([{"id": "t", "parent": ""}, {"id": EVIL, "parent": "x<y"}])))
    assert shown[0] == ["rule", "severity", "place", "message", "hint"]
    assert ["MP305", "error"] in [row[:2] for row in shown]
    assert any("x<y" in row[3] for row in shown)


def test_analyses(tmp_path: Path) -> None:
    assert table_rows(checked(tmp_path))[1][:3] == ["SAT", "mass ≤ 7.5 kg (predicted)", "not kept"]
    assert table_rows(mp.whatif(BOM, set={f"{EVIL}.mass": 4.0}))[1] == ["SAT", "8", "9", "1"]
    assert [row[2:] for row in table_rows(mp.contributions(BOM))[1:]] == [["64.0%", "64.0%"], ["36.0%", "100.0%"]]
    assert table_rows(mp.mass_pareto(BOM))[1:] == [["PLD", "", "1", "5", "62.5%"], [EVIL, "", "1", "3", "37.5%"]]
    new = mp.Bom.from_records([*ROWS[:1], {**ROWS[1], "mass [kg]": 3.5}, ROWS[2]])
    assert table_rows(mp.diff(BOM, new))[1] == [EVIL, "mass", "0.5"]


def test_an_inspection_lists_the_columns() -> None:
    shown = table_rows(
        mp.inspect(mp.Bom.from_records([{"id": "t", "parent": "", "<i>mass [kg]": 1.0}], map={"mass": "<i>mass [kg]"}))
    )
    assert shown[0][:3] == ["header", "column", "quantity"]
    assert ["<i>mass [kg]", "3", "mass", "kg"] in [row[:4] for row in shown]


class Kernel:
    """The parts of IPython that a notebook has loaded, with what they displayed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, shell: str = "ZMQInteractiveShell") -> None:
        self.shown: list[str] = []
        module, display = ModuleType("IPython"), ModuleType("IPython.display")
        module.get_ipython = type(shell, (), {})  # type: ignore[attr-defined] # a module made for the test
        display.HTML = str  # type: ignore[attr-defined] # a module made for the test
        display.display = self.display  # type: ignore[attr-defined] # a module made for the test
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setitem(sys.modules, "IPython.display", display)
        monkeypatch.setattr(notebook, "_PROGRESS_DELAY", 0.0)

    def display(self, shown: str, display_id: bool) -> Kernel:
        assert display_id
        self.shown.append(shown)
        return self

    def update(self, shown: str) -> None:
        self.shown.append(shown)


def draw(**keywords: Any) -> None:
    rows = [row | {"sigma_mass [kg]": 0.1} if "mass [kg]" in row else row for row in ROWS]
    mp.rollup(mp.Bom.from_records(rows), "montecarlo", samples=300_000, **keywords)


def test_a_notebook_shows_the_progress_of_samples_and_removes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Kernel(monkeypatch)
    draw()
    *bars, last = kernel.shown
    assert last == ""
    roots = [ElementTree.fromstring(f"<p>{bar}</p>").find("progress") for bar in bars]
    counts = [(int(root.get("value", "")), int(root.get("max", ""))) for root in roots if root is not None]
    assert len(counts) == len(bars) >= 2
    assert counts == [(k + 1, len(bars)) for k in range(len(bars))]
    assert {root.get("aria-label") for root in roots if root is not None} == {"300,000 samples"}


def test_progress_is_quiet_elsewhere_and_on_request(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    kernel = Kernel(monkeypatch)
    draw(progress=False)
    called: list[tuple[int, int]] = []
    draw(progress=lambda done, total: called.append((done, total)))
    assert called
    assert called[-1][0] == called[-1][1]
    assert kernel.shown == []
    terminal = Kernel(monkeypatch, "TerminalInteractiveShell")
    draw()
    monkeypatch.delitem(sys.modules, "IPython")
    draw()
    assert terminal.shown == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("n", [40, 41, 1240])
def test_long_tables_are_cut(n: int) -> None:
    leaves = [{"id": f"P{k}", "parent": "SAT", "mass": 1.0} for k in range(n - 1)]
    bom = mp.Bom.from_records([{"id": "SAT", "parent": ""}, *leaves])
    text = bom._repr_html_()
    assert text.count('<th scope="row">') == 40
    assert (f"{n - 40:,} more rows" in text) == (n > 40)
