"""Bad tables that the R package massProps was run on: reject what it rejects, give its numbers elsewhere.

Where this project's meaning of a table differs on purpose, the difference is named here: a lamina and a mass
of zero are accepted, text that is a number is a number, a blank sign is rejected.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import massprops_cli as mp

from .error_cases import NOT_A_TABLE, PEER, rows_of

REJECTED = {
    "leaf mass NA": "MP206",
    "leaf mass negative": "MP401",
    "mass column is text": "MP205",  # "2 kg" in one of its cells; the other texts are numbers
    "leaf Cx NA": "MP212",
    "leaf Ixx NA": "MP212",
    "leaf Ixx negative": "MP403",
    "leaf Ixx zero": "MP403",
    "triangle violated strictly diag(1,3,1)": "MP404",
    "not PD through products": "MP403",
    "leaf POIconv empty": "MP213",
    "leaf POIconv 'neg'": "MP213",
    "assembly POIconv 'x'": "MP213",
    "leaf Ipoint NA": "MP215",
    "leaf sigma_mass NA": "MP502",
    "leaf sigma_mass negative": "MP501",
    "leaf sigma_mass Inf": "MP407",
    "leaf sigma_Cx NA": "MP212",
    "leaf sigma_Ixy NA": "MP212",
    "leaf sigma_Ixx negative": "MP501",
    "sigma_Ixx column missing": "MP504",
    "self parent (loop)": "MP306",
    "two roots": "MP308",
    "disconnected cycle + tree": "MP307",
    "duplicate leaf row, same parent": "MP301",
    "duplicate leaf row, tree given without duplicate edge": "MP301",
    "duplicate assembly row, tree without dup edge": "MP301",
    "empty table": "MP111",
    "assembly without children = leaf with NA mass": "MP206",
}
"""Cases that are rejected, and the rule that states why."""

AS_PEER = {
    "valid baseline": "",
    "leaf inertia all zero, Ipoint TRUE": "",
    "wrong POI sign on one part still PD (undetected)": "",
    "leaf POIconv '+'": "",
    "root POIconv '+'": "",
    "assembly Ipoint NA": "",
    "assembly Ipoint TRUE (overwritten)": "",
    "point mass with negative sigma_Ixx (ignored)": "",
    "assembly row holds stale mass 999 (overwritten)": "MP411",
}
"""Cases that the peer accepts, and so are accepted with its numbers; with the warning they get here."""

AS_BASELINE = {
    "Cx column is text": "text that is a number is a number, in csv there is nothing else",
    "leaf POIconv unicode minus": "read as - and said (MP220); the peer reads it as +",
    "Ipoint 0/1": "0 and 1 are truth values",
}
"""Cases that the peer rejects or misreads, and that mean the baseline here."""

ACCEPTED = {
    "leaf mass zero": ("MP402", {"mass": 19.0}),
    "leaf inertia all zero, Ipoint FALSE": ("MP406", {"mass": 21.0, "Ixx": 140.0, "Ixy": -4.7}),
    "triangle equality: thin plate diag(1,1,2)": ("", {"mass": 21.0, "Ixx": 141.0, "Izz": 137.0, "Ixy": -4.7}),
}
"""Cases that the peer rejects and that are accepted on purpose: the rule that is reported, numbers by hand."""

SIGMAS = ("sigma_mass", "sigma_Cx", "sigma_Ixx", "sigma_Ixy")
NUMBERS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


@pytest.fixture(scope="module")
def peer() -> dict[str, Any]:
    return PEER


@pytest.fixture(scope="module")
def table_cases() -> dict[str, Any]:
    return {case["case"]: {**case, "rows": rows_of(case)} for case in PEER["table_cases"]}


def cell(value: Any) -> Any:
    """Write a value as text."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return value


def write(rows: list[dict[str, Any]], path: Path) -> Path:
    header = list(rows[0]) if rows else ["id", "parent", "mass"]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([cell(row.get(name)) for name in header] for row in rows)
    return path


def rules_of(path: Path, *, strict: bool = False) -> tuple[set[str], set[str]]:
    """Give the rules that are errors, and all that are reported."""
    try:
        # the peer overwrites what assemblies state, however far off
        findings = mp.validate(mp.read_bom(path, strict=strict, assembly_values="check"))
    except mp.TableError as error:
        findings = list(error.findings)
    return {f.rule for f in findings if f.severity is mp.Severity.ERROR}, {f.rule for f in findings}


def root_of(path: Path) -> dict[str, float]:
    """Roll up, and give the root's numbers with its products in the sign of its own row."""
    bom = mp.read_bom(path, assembly_values="check")
    item = next(i for i in mp.rollup(bom, uncertainty="massprops").to_dict()["items"] if i["parent"] is None)
    with path.open(encoding="utf-8", newline="") as file:
        sign = -1.0 if next(csv.DictReader(file))["POIconv"] == "+" else 1.0
    numbers = {"mass": item["mass"], **dict(zip(("Cx", "Cy", "Cz"), item["center"], strict=True)), **item["inertia"]}
    for name in ("Ixy", "Ixz", "Iyz"):
        numbers[name] *= sign
    numbers |= {"sigma_mass": item["sigma_mass"], "sigma_Cx": item["sigma_center"][0]}
    return numbers | {f"sigma_{name}": value for name, value in item["sigma_inertia"].items()}


def test_every_case_is_accounted_for(table_cases: dict[str, Any]) -> None:
    lists: list[dict[str, Any]] = [REJECTED, AS_PEER, AS_BASELINE, ACCEPTED, NOT_A_TABLE]
    names = [name for one in lists for name in one]
    assert len(names) == len(set(names))
    assert set(names) == set(table_cases)
    assert all(NOT_A_TABLE.values())


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", REJECTED)
def test_rejected(name: str, table_cases: dict[str, Any], tmp_path: Path) -> None:
    case = table_cases[name]
    assert "error" in case["expected"] or "error" in case.get("should_be", "")
    errors, _ = rules_of(write(case["rows"], tmp_path / "bom.csv"), strict=True)
    assert REJECTED[name] in errors


@pytest.mark.parametrize("name", AS_PEER)
def test_accepted_with_the_peers_numbers(name: str, table_cases: dict[str, Any], tmp_path: Path) -> None:
    path = write(table_cases[name]["rows"], tmp_path / "bom.csv")
    errors, reported = rules_of(path)
    assert not errors
    assert not AS_PEER[name] or AS_PEER[name] in reported
    expected, root = table_cases[name]["expected"]["accepted"], root_of(path)
    for quantity in (*NUMBERS, *SIGMAS):
        assert root[quantity] == pytest.approx(expected[quantity], rel=1e-12, abs=1e-12), quantity


@pytest.mark.parametrize("name", AS_BASELINE)
def test_accepted_as_the_baseline(name: str, table_cases: dict[str, Any], tmp_path: Path) -> None:
    path = write(table_cases[name]["rows"], tmp_path / "bom.csv")
    expected, root = table_cases["valid baseline"]["expected"]["accepted"], root_of(path)
    for quantity in (*NUMBERS, *SIGMAS):
        assert root[quantity] == pytest.approx(expected[quantity], rel=1e-12, abs=1e-12), quantity


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted_on_purpose(name: str, table_cases: dict[str, Any], tmp_path: Path) -> None:
    path = write(table_cases[name]["rows"], tmp_path / "bom.csv")
    rule, expected = ACCEPTED[name]
    errors, reported = rules_of(path)
    assert not errors
    assert not rule or rule in reported
    root = root_of(path)
    for quantity, value in expected.items():
        assert root[quantity] == pytest.approx(value, rel=1e-12), quantity


def test_text_on_an_assembly(table_cases: dict[str, Any], tmp_path: Path) -> None:
    rows = [dict(row) for row in table_cases["valid baseline"]["rows"]]
    rows[1]["mass"] = "unknown"
    findings = mp.validate(mp.read_bom(write(rows, tmp_path / "bom.csv")))
    [finding] = [f for f in findings if f.rule == "MP205"]
    assert (finding.place.line, finding.value, finding.item) == (3, "unknown", "A.2")


# One leaf as a one-row table. What its property list lacks is a blank cell there, or a column that is absent.

CENTER = ("Cx", "Cy", "Cz")
TENSOR = (("Ixx", "Ixy", "Ixz"), ("Ixy", "Iyy", "Iyz"), ("Ixz", "Iyz", "Izz"))
LISTS_REJECTED = [
    ("mass", None, "MP206"),
    ("mass", "bad", "MP205"),
    ("mass", -1, "MP401"),
    ("center_mass", [1, None, 2], "MP212"),
    ("center_mass", [1, "bad", 2], "MP205"),
    ("point", None, "MP215"),
    ("point", "bad", "MP215"),
    ("inertia", [[1, 0, 0], [0, None, 0], [0, 0, 1]], "MP212"),
    ("inertia", [[1, "bad", 1], ["bad", 1, 1], [1, 1, 1]], "MP205"),
    ("inertia", [[1, 0, 0], [0, -1, 0], [0, 0, 1]], "MP403"),
    ("inertia", [[1, 0, 0], [0, 3, 0], [0, 0, 1]], "MP404"),
    ("sigma_mass", None, "MP502"),
    ("sigma_mass", "bad", "MP205"),
    ("sigma_mass", -1, "MP501"),
    ("sigma_center_mass", [1, None, 2], "MP212"),
    ("sigma_center_mass", [1, "bad", 2], "MP205"),
    ("sigma_center_mass", [1, -1, 2], "MP501"),
    ("sigma_inertia", [[1, 0, 0], [0, None, 0], [0, 0, 1]], "MP212"),
    ("sigma_inertia", [[1, "bad", 1], ["bad", 1, 1], [1, 1, 1]], "MP205"),
    ("sigma_inertia", [[1, 0, 0], [0, -1, 0], [0, 0, 1]], "MP501"),
    ("poi_conv", None, "MP213"),
    ("poi_conv", 1.0, "MP213"),
    ("poi_conv", "plus", "MP213"),
    ("poi_conv", True, "MP213"),
]  # fmt: skip
LISTS_NOT_A_TABLE = {
    "<absent>": "a column that is absent says that the quantity is not to be computed",
    "not a 3-vector": "a table has one column per coordinate",
    "not a 3x3 matrix": "a table has one column per entry",
    "whole table": "these set cells of whole tables; test_whole_tables does the same",
}
WHOLE_TABLES = ("validate_mass_props_table", "validate_mass_props_and_unc_table", "rollup_mass_props")


def flat_row(case: dict[str, Any], bases: dict[str, Any]) -> dict[str, Any]:
    """Write a property list as one row of a table."""
    base = next(value for key, value in bases.items() if key.startswith(case["base"]))
    properties = {**base, "poi_conv": "-", **case["set"]}
    row: dict[str, Any] = {"id": "a", "parent": "top", "mass": properties["mass"]}
    row |= {"Ipoint": properties["point"], "POIconv": properties["poi_conv"]}
    row |= dict(zip(CENTER, properties["center_mass"], strict=True))
    for names, values in zip(TENSOR, properties["inertia"], strict=True):
        row |= dict(zip(names, values, strict=True))
    if "sigma_mass" in properties:
        row["sigma_mass"] = properties["sigma_mass"]
        row |= {f"sigma_{n}": v for n, v in zip(CENTER, properties["sigma_center_mass"], strict=True)}
        for names, values in zip(TENSOR, properties["sigma_inertia"], strict=True):
            row |= {f"sigma_{n}": v for n, v in zip(names, values, strict=True)}
    return row


def reason_it_is_no_table(case: dict[str, Any]) -> str:
    """State why a property list cannot be written as a table, or nothing."""
    if case["function"].startswith(WHOLE_TABLES[:2]) or case["function"].startswith("rollup_"):
        return LISTS_NOT_A_TABLE["whole table"]
    if "<absent>" in case["set"].values():
        return LISTS_NOT_A_TABLE["<absent>"]
    error = case["expected"].get("error", "")
    return next((why for words, why in LISTS_NOT_A_TABLE.items() if error.endswith(words)), "")


def test_property_lists(peer: dict[str, Any], tmp_path: Path) -> None:
    printed = 0
    for case in peer["unit_cases"]:
        if reason_it_is_no_table(case):
            continue
        row = flat_row(case, peer["unit_bases"])
        top = {**dict.fromkeys(row, None), "id": "top", "parent": "", "POIconv": "-"}
        errors, _ = rules_of(write([top, row], tmp_path / "bom.csv"), strict=True)
        if "accepted" in case["expected"]:
            assert not errors, case
            continue
        [(key, value)] = case["set"].items()
        [expected] = [rule for k, v, rule in LISTS_REJECTED if (k, json.dumps(v)) == (key, json.dumps(value))]
        assert expected in errors, case
        printed += 1
    assert printed == len(LISTS_REJECTED)


@pytest.mark.parametrize(
    ("table", "item", "column", "value", "rule"),
    [
        ("mp_table", "C.1.2.3.5.3.5.3", "mass", "-5", "MP401"),
        ("sawe_table", "Widget", "sigma_mass", "-5", "MP501"),
        ("test_table", "*", "mass", "", "MP206"),
        ("sawe_table", "*", "sigma_mass", "", "MP502"),
    ],
)
def test_whole_tables(
    table: str, item: str, column: str, value: str, rule: str, reference: Path, tmp_path: Path
) -> None:
    with (reference / "massprops_r" / f"{table}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if item in ("*", row["id"]):
            row[column] = value
    errors, _ = rules_of(write(rows, tmp_path / "bom.csv"), strict=rule == "MP502")
    # a negative mass counts as stated, and its assembly's tensor may then be none
    assert errors - ({"MP403"} if rule == "MP401" else set()) == {rule}


# The peer's trees are changes of the tree of wbs_table: child → parent.

EDGES = {"1": "top", "2": "top", "3": "top", "1.1": "1", "1.2": "1", "2.1": "2", "2.2": "2", "3.1": "3", "3.2": "3"}
Change = Callable[[list[dict[str, str]]], object]


def tree_rows() -> list[dict[str, str]]:
    parents = {"top": "", **EDGES}
    return [{"id": id_, "parent": parent, "mass": "1" if "." in id_ else ""} for id_, parent in parents.items()]


def hang(item: str, parent: str) -> Change:
    return lambda rows: next(row for row in rows if row["id"] == item).update(parent=parent)


TREES: dict[str, tuple[Change, set[str]]] = {
    "none": (lambda rows: None, set()),
    "add edge top->1.2": (hang("top", "1.2"), {"MP307"}),
    "add edge 1->1.2": (hang("1", "1.2"), {"MP307"}),
    "add edge top->top": (hang("top", "top"), {"MP306"}),
    "add second edge 1->top": (lambda rows: rows.append(dict(rows[1])), {"MP301"}),
    "delete edge 1->top": (hang("1", ""), {"MP308"}),
    "add vertex bad and edge 1->bad": (
        lambda rows: [rows.append({"id": "bad", "parent": "", "mass": ""}), hang("1", "bad")(rows)],
        {"MP308"},
    ),
    "set work of leaf 3.2 to 'bad'": (lambda rows: rows[-1].update(mass="bad"), {"MP205"}),
}
TREES_NOT_A_TABLE = {
    "make undirected": "a parent column has a direction",
    "add vertex bad to the tree, not to the table": "the tree comes from the table",
    "start vertex 3 (non-leaf)": "there is no such call; --set on an assembly is refused",
}


def test_every_tree_is_accounted_for(peer: dict[str, Any]) -> None:
    assert {case["change"] for case in peer["tree_cases"]} == {*TREES, *TREES_NOT_A_TABLE}


@pytest.mark.parametrize("change", TREES)
def test_trees(change: str, tmp_path: Path) -> None:
    rows = tree_rows()
    alter, expected = TREES[change]
    alter(rows)
    path = write(rows, tmp_path / "bom.csv")
    errors, _ = rules_of(path, strict=expected == {"MP308"})
    if expected == {
        "MP308"
    }:  # several assemblies without a parent get a root, with a warning, unless --config strict=true
        assert {f.rule: f.severity for f in mp.read_bom(path).findings}["MP317"] is mp.Severity.WARNING
    assert expected <= errors
    assert bool(expected) == bool(errors)
