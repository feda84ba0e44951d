"""Functions accept a path, an open file or a DataFrame as well as a Bom; wrong arguments raise UsageError."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import massprops_cli as mp

TEXT = "id,parent,mass [kg],sigma_mass [kg]\nSAT,,,\nTANK,SAT,3,0.3\nPLD,SAT,5,0.4\n"
MASS, SIGMA = 8.0, 0.5
"""3 + 5 kg; √(0.3² + 0.4²) kg."""


def as_workbook(folder: Path) -> Path:
    path = folder / "bom.xlsx"
    pd.read_csv(io.StringIO(TEXT)).to_excel(path, index=False)
    return path


def as_csv(folder: Path) -> Path:
    path = folder / "bom.csv"
    path.write_text(TEXT, "utf-8")
    return path


def as_json(folder: Path) -> bytes:
    del folder
    text: str = pd.read_csv(io.StringIO(TEXT)).to_json(orient="records")
    return text.encode()


def as_parquet(folder: Path) -> bytes:
    path = folder / "bom.parquet"
    pd.read_csv(io.StringIO(TEXT)).to_parquet(path)
    return path.read_bytes()


SOURCES: dict[str, Callable[[Path], Any]] = {
    "text path": lambda folder: str(as_csv(folder)),
    "path": as_csv,
    "path of a workbook": as_workbook,
    "frame": lambda folder: pd.read_csv(io.StringIO(TEXT)),
    "bom": lambda folder: mp.read_bom(as_csv(folder)),
    "text file": lambda folder: as_csv(folder).open(encoding="utf-8"),
    "binary file": lambda folder: as_csv(folder).open("rb"),
    "workbook file": lambda folder: as_workbook(folder).open("rb"),
    "text in memory": lambda folder: io.StringIO(TEXT),
    "bytes in memory": lambda folder: io.BytesIO(TEXT.encode()),
    "workbook in memory": lambda folder: io.BytesIO(as_workbook(folder).read_bytes()),
    "json in memory": lambda folder: io.BytesIO(as_json(folder)),
    "parquet in memory": lambda folder: io.BytesIO(as_parquet(folder)),
}


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    made = SOURCES[request.param](tmp_path)
    yield made
    if hasattr(made, "close"):
        made.close()


def test_a_roll_up_of_every_source(source: Any) -> None:
    root = mp.rollup(source).root
    assert (root.mass, root.sigma_mass) == (MASS, pytest.approx(SIGMA))


def test_findings_of_every_source(source: Any) -> None:
    assert "MP203" not in {finding.rule for finding in mp.validate(source)}


def test_a_check_of_every_source(source: Any, tmp_path: Path) -> None:
    budget = tmp_path / "budget.toml"
    budget.write_text('[[budget]]\nitem = "SAT"\nmass-max = "7.5 kg"\n', "utf-8")
    outcome = mp.check(source, budget)
    assert [(verdict.item, verdict.value, verdict.kept) for verdict in outcome.verdicts] == [("SAT", MASS, False)]


def test_what_if_of_every_source(source: Any) -> None:
    change = mp.whatif(source, set={"TANK.mass": 4.0})
    assert (change.before(0).mass, change.after(0).mass) == (MASS, 9.0)


def test_contributors_of_every_source(source: Any) -> None:
    shares = {row.name: row.share for row in mp.contributions(source).rows()}
    assert shares == {"PLD": pytest.approx(0.16 / 0.25), "TANK": pytest.approx(0.09 / 0.25)}


def test_pareto_of_every_source(source: Any) -> None:
    assert [(row.name, row.mass) for row in mp.mass_pareto(source).rows()] == [("PLD", 5.0), ("TANK", 3.0)]


def test_an_inspection_of_every_source(source: Any) -> None:
    columns = {column.quantity: column.unit for column in mp.inspect(source).columns}
    assert (columns["mass"], columns["sigma_mass"]) == ("kg", "kg")


def test_a_comparison_of_every_source(source: Any, tmp_path: Path) -> None:
    old = tmp_path / "old.csv"
    old.write_text(TEXT.replace("TANK,SAT,3", "TANK,SAT,2.5"), "utf-8")
    assert [(row.id, row.contributions["mass"]) for row in mp.diff(old, source).rows()] == [("TANK", 0.5)]


def test_findings_name_the_open_file(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_text(TEXT.replace(",3,", ",x,"), "utf-8")
    for file, name in ((path.open("rb"), str(path)), (io.StringIO(path.read_text()), "file")):
        with file, pytest.raises(mp.FindingsError) as raised:
            mp.rollup(file)
        places = {finding.rule: finding.place for finding in raised.value.findings}
        assert (places["MP205"].file, places["MP205"].line) == (name, 3)


def test_a_file_that_cannot_be_read_is_a_table_error(tmp_path: Path) -> None:
    closed = as_csv(tmp_path).open("rb")
    closed.close()
    with as_csv(tmp_path).open("ab") as for_writing:
        for source in (tmp_path / "none.csv", tmp_path, closed, for_writing, io.BytesIO(b"")):
            with pytest.raises(mp.TableError) as raised:
                mp.rollup(source)
            assert [finding.rule for finding in raised.value.findings] in (["MP101"], ["MP111"])


TABLE = mp.Bom.from_records([{"id": "SAT", "parent": ""}, {"id": "TANK", "parent": "SAT", "mass [kg]": 3.0}])

WRONG_CALLS: list[tuple[str, Callable[[], object]]] = [
    (r"bom is not a table: int \(expected a Bom, a path, a DataFrame or an open file\)", lambda: mp.rollup(3)),
    ("bom is not a table: NoneType", lambda: mp.validate(None)),
    ("bom is not a table: list", lambda: mp.whatif([1], set={"a.mass": 1})),
    ("bom is not a table: dict", lambda: mp.contributions({})),
    ("bom is not a table: float", lambda: mp.mass_pareto(1.0)),
    ("old is not a table: int", lambda: mp.diff(1, TABLE)),
    ("new is not a table: tuple", lambda: mp.diff(TABLE, ())),
    ("table is not a table: bytes", lambda: mp.check(b"bom.csv", "budget.toml")),
    ("source is not a table: int", lambda: mp.inspect(4)),
    ("budget is not a budget: int", lambda: mp.check(TABLE, 3)),
    ("today is not a date: 'now'", lambda: mp.check(TABLE, mp.Budget("b.toml", ()), today="now")),
    ("path is not a file: int", lambda: mp.read_bom(7)),
    ("path is not a text: b'x'", lambda: mp.read_bom(BytesPath())),
    ("name the path of the file", lambda: mp.read_bom(io.StringIO(TEXT), tree="tree.csv")),
    ("not return text or bytes: NoneType", lambda: mp.read_bom(Silent())),
    ("file of a budget is not a path: int", lambda: mp.read_budget(3)),
    ("where is not a text or a list of texts: 3", lambda: mp.read_bom("bom.csv", where=3)),
    ("where is not a text or a list of texts", lambda: mp.read_bom("bom.csv", where=[3])),
    ("bom has been read: pass allow_missing to read_bom", lambda: mp.rollup(TABLE, allow_missing="mass")),
    (r"allow_missing .pass the table as read_bom.FILE, allow_missing=…", lambda: mp.check(TABLE, allow_missing="mass")),
    ("map is not a mapping of texts: 'id'", lambda: mp.read_bom("bom.csv", map="id")),
    ("sheet is not a text: 2", lambda: mp.read_bom("bom.csv", sheet=2)),
    ("caps is not a ReadCaps: 2", lambda: mp.read_bom("bom.csv", caps=2)),
    ("table is not an integer: 'x'", lambda: mp.read_bom("bom.csv", table="x")),
    ("strict is not True or False: 'yes'", lambda: mp.read_bom("bom.csv", strict="yes")),
    ("items is not a text or a list of texts: 3", lambda: mp.rollup(TABLE, items=3)),
    ("correlations is not a text: 3", lambda: mp.rollup(TABLE, correlations=3)),
    ("set is not a mapping of texts: 3", lambda: mp.whatif(TABLE, set=3)),
    ("drop is not a list of texts: 'TANK'", lambda: mp.whatif(TABLE, drop="TANK")),
    ("drop is not a list of texts: None", lambda: mp.whatif(TABLE, drop=None)),
    ("thresholds is not a list of texts: 'mass 1 kg'", lambda: mp.diff(TABLE, TABLE, thresholds="mass 1 kg")),
    ("of is not a text: 3", lambda: mp.contributions(TABLE, of=3)),
    ("id is not a text: 3", lambda: mp.mass_pareto(TABLE, 3)),
    ("id is not a text: 3", lambda: TABLE[3]),
    ("id is not a text: 0", lambda: mp.rollup(TABLE)[0]),
    ("records is not a list of dictionaries: int", lambda: mp.Bom.from_records(3)),
    ("records is not a list of dictionaries: list of int", lambda: mp.Bom.from_records([1])),
    ("not a pandas DataFrame: list", lambda: mp.Bom.from_dataframe([])),
]


class BytesPath:
    """A path of bytes."""

    def __fspath__(self) -> bytes:
        return b"x"


class Silent:
    """A file whose reading returns nothing."""

    def read(self) -> None:
        return None


@pytest.mark.parametrize(("message", "call"), WRONG_CALLS, ids=range(len(WRONG_CALLS)))
def test_a_wrong_argument_is_a_usage_error(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(mp.UsageError, match=message) as raised:
        call()
    assert raised.value.findings == ()


GAP = "id,parent,mass\nSAT,,\nTANK,SAT,3\nPLD,SAT,\n"


def test_keywords_of_reading_reach_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "gap.csv"
    path.write_text(GAP, "utf-8")
    for source in (path, pd.read_csv(io.StringIO(GAP)), io.StringIO(GAP)):
        assert mp.rollup(source, allow_missing="mass").root.mass == 3.0
    assert mp.rollup(path, "none", allow_missing=["mass"], root="SAT").root.lower_bounds == ("mass",)
    assert [mp.validate(path).has_errors, mp.validate(path, allow_missing="mass").has_errors] == [True, False]
    with pytest.raises(mp.UsageError, match="unknown option: alow_missing; the nearest is allow_missing"):
        mp.rollup(path, alow_missing="mass")  # type: ignore[call-arg] # wrong on purpose


def test_an_error_names_the_call_to_make_next(tmp_path: Path) -> None:
    path = tmp_path / "gap.csv"
    path.write_text(GAP, "utf-8")
    with pytest.raises(mp.FindingsError) as raised:
        mp.rollup(path)
    lines = str(raised.value).splitlines()
    assert ["error" in lines[0], lines[1][:8], lines[-1]] == [
        True,
        "  hint: ",
        'next: mp.rollup(…, allow_missing="mass")',
    ]
    assert mp.rollup(path, allow_missing="mass").root.mass == 3.0
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (str(copy), copy.findings) == (str(raised.value), raised.value.findings)
    many = "id,parent,mass\nSAT,,\n" + "".join(f"P{k},SAT,x\n" for k in range(50))
    with pytest.raises(mp.FindingsError) as raised:
        mp.rollup(io.StringIO(many))
    assert len(str(raised.value).splitlines()) < 30
    assert "30 more errors" in str(raised.value)
    assert str(raised.value).endswith("next: mp.rollup(…, keep_going=True)")
