"""Answers that hold less mass than they leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from massprops_cli.bom.bom import Bom, read_bom

FOREST = "ITEM NO.,PART NUMBER,QTY.,MASS\n1,AX-1,1,3 kg\n1.1,AX-2,1,2 kg\n1.2,AX-3,2,0.5 kg\n2,BX-1,1,7 kg\n"
SATELLITE = "id,parent,subsystem,mass\nsat,,,\nbus,sat,,\nframe,bus,STR,50\nradio,bus,COM,4\npay,sat,,\ncam,pay,PAY,6\n"


def reports(tmp_path: Path, text: str, **options: Any) -> list[tuple[str, str]]:
    path = tmp_path / "bom.csv"
    path.write_text(text, encoding="utf-8")
    return [(f.severity.value, f.message) for f in read_bom(path, **options).findings if f.rule == "MP423"]


def test_a_root_that_drops_more_than_it_keeps(tmp_path: Path) -> None:
    ((severity, message),) = reports(tmp_path, FOREST, root="AX-1")
    assert severity == "warning"
    assert message == "--root AX-1 includes 3 kg and excludes 7 kg (70 % of the mass): BX-1"
    assert not reports(tmp_path, FOREST, root="BX-1")
    assert not reports(tmp_path, FOREST, make_root="all")


def test_the_remedy_of_a_forest_is_one_root(tmp_path: Path) -> None:
    (tmp_path / "bom.csv").write_text(FOREST)
    (finding,) = [f for f in read_bom(tmp_path / "bom.csv", root="AX-1").findings if f.rule == "MP423"]
    assert (
        finding.remedy == f"run massprops rollup {tmp_path / 'bom.csv'} --config make-root=all for the mass of all rows"
    )


def test_a_branch_that_holds_little(tmp_path: Path) -> None:
    assert reports(tmp_path, SATELLITE, root="pay") == [
        ("warning", "--root pay includes 6 and excludes 54 (90 % of the mass): frame, radio")
    ]
    assert not reports(tmp_path, SATELLITE, root="bus")


def test_a_filter_is_a_note(tmp_path: Path) -> None:
    assert [severity for severity, _ in reports(tmp_path, SATELLITE, where="subsystem = PAY")] == ["note"]
    assert not reports(tmp_path, SATELLITE, where="subsystem = STR")


def test_quantities_of_what_is_left_out_count(tmp_path: Path) -> None:
    text = "id,parent,qty,mass\na,,,\nb,a,3,\nc,b,2,1\nd,a,1,5\n"
    assert reports(tmp_path, text, root="d") == [
        ("warning", "--root d includes 5 and excludes 6 (54.5 % of the mass): c")
    ]


def test_whole_tables_have_none() -> None:
    rows = [{"id": "top", "parent": ""}, *({"id": str(k), "parent": "top", "mass": 1.0} for k in range(5))]
    assert not [f for f in Bom.from_records(rows).findings if f.rule == "MP423"]
