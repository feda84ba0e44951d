"""The schemas and the pages on JSON and workbooks name every key, column and sheet that the tool writes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

ROOT = Path(__file__).parents[2]
JSON_PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
WORKBOOK_PAGE = (ROOT / "docs" / "workbook.md").read_text(encoding="utf-8")
QUANTITIES = {"mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "kx", "ky", "kz", "I1", "I2", "I3"}
BY_NAME = ("labels", "by_reason", "correlations", "counts")
"""Objects whose keys are ids, headers or names."""
DRAWN = "--uncertainty montecarlo --samples 500 --item PLD --config interval=95%"
COMMANDS = {
    "rollup spacecraft.csv --sum power_W --by supplier --probability 'mass <= 152 kg' --config interval=95%": "rollup",
    f"rollup spacecraft.csv {DRAWN} --probability 'mass <= 152 kg'": "rollup",
    "rollup bom.csv": "rollup",
    "rollup partial.csv": "rollup",
    "rollup partial.csv --allow-missing center": "rollup",
    "rollup variants.csv --all-variants": "rollup",
    "rollup total.csv": "rollup",
    "tree spacecraft.csv --depth 1": "rollup",
    "validate spacecraft.xlsx": "validate",
    "validate total.csv": "validate",
    "check bom.csv --budget budget.toml": "check",
    "whatif spacecraft.csv --set PLD-110.mass=8.2 --drop BAL-200": "whatif",
    "contributions spacecraft.csv --of I1 --correlate part": "contributions",
    "contributions spacecraft.csv --value": "contributions",
    "diff bom.csv bom_rev_b.csv --reasons reasons.csv": "diff",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in [*(ROOT / "sample_data").iterdir(), *(ROOT / "sample_data" / "budget").iterdir()]:
        if path.suffix in (".csv", ".xlsx", ".toml"):
            shutil.copy(path, tmp_path)
    tables = {
        "partial": "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nW,,,,,\nA,W,12.5,1,0,0\nB,W,8.1,,,\n",
        "variants": "id,parent,mass [kg],Qty A,Qty B\nS,,,1,1\nT,S,10,1,2\n",
        "total": "item,mass [kg],remark\nFrame,12,\nMast,11,x\nTotal,23,\n",
        "reasons": "item,reason\nPLD,ECR-17\nPWR,ECR-18\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def keys_in(value: Any, parent: str = "") -> Iterator[str]:
    """Give the keys of an object and of everything in it; not those that are ids or headers."""
    if isinstance(value, list):
        for one in value:
            yield from keys_in(one, parent)
    elif isinstance(value, dict):
        named = parent in BY_NAME or (parent in ("items", "variants") and "id" not in value)
        for key, one in value.items():
            if not named:
                yield key
            yield from keys_in(one, "" if named else key)


def keys_of_schema(schema: Any) -> Iterator[str]:
    """Give the keys that a JSON schema lists, at every depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
        for one in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
            yield from keys_of_schema(one)


def section_of(page: str, name: str) -> str:
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


def words_in_code(text: str) -> set[str]:
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return {word for code in re.findall(r"`([^`]+)`", prose) for word in code.split()}


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.usefixtures("folder")
def test_every_json_key_is_in_a_schema_or_on_the_page(line: str, massprops: Callable[..., Any]) -> None:
    result = massprops(*shlex.split(line), "--format", "json")
    report, _ = json.JSONDecoder().raw_decode(result.stdout)
    known = QUANTITIES | {f"sigma_{name}" for name in QUANTITIES}
    for name in ("Conventions", "Common objects", COMMANDS[line], *(["validate"] if COMMANDS[line] == "check" else [])):
        known |= words_in_code(section_of(JSON_PAGE, name))
    kind = "variants" if "variants" in report else "shares" if "--value" in line else COMMANDS[line]
    known |= {*keys_of_schema(json.loads((ROOT / "docs" / "schemas" / f"{kind}.json").read_text("utf-8")))}
    assert set(keys_in(report)) - known == set()


@pytest.mark.usefixtures("folder")
def test_keys_of_covariance_files_are_on_the_page(massprops: Callable[..., Any]) -> None:
    massprops("rollup", "spacecraft.csv", "--covariance", "c.json")
    head = json.loads(Path("c.json").read_text(encoding="utf-8"))
    assert set(head) <= words_in_code(section_of(JSON_PAGE, "Covariance files"))
    assert len(head["items"][0]) == 1 + 55


@pytest.mark.usefixtures("folder")
def test_every_sheet_and_column_is_on_the_page(massprops: Callable[..., Any]) -> None:
    massprops("rollup", "bom.csv", "-o", "a.xlsx", "--add", "rho")
    massprops("rollup", "spacecraft.csv", "-o", "b.xlsx", "--sum", "power_W", "--uncertainty", "montecarlo")
    known = words_in_code(WORKBOOK_PAGE) | set(re.findall(r"`([^`\n]+)`", WORKBOOK_PAGE))
    for name in ("a.xlsx", "b.xlsx"):
        book = openpyxl.load_workbook(name)
        own = set(book.sheetnames) - {"BOM"}
        assert own == {"Review", "Rollup", "Findings", "About"} | ({"Samples"} if name == "b.xlsx" else set())
        for title in own:
            assert f"\n## Sheet {title}\n" in WORKBOOK_PAGE
        headers = [str(cell.value).partition(" [")[0] for cell in book["Rollup"][1]]
        plain = {re.sub(r"^(?:σ|mean|predicted) ", "", header) for header in headers}
        plain = {re.sub(r"^axis \d\w$", "axis 1x", header) for header in plain}
        plain = {re.sub(r"^principal [123]$", "principal 1 … 3", header) for header in plain}
        plain = {header for header in plain if not header.startswith("ρ ") and header not in QUANTITIES}
        assert plain - known - {"sum power_W"} == set()
        if name == "b.xlsx":
            rows = {str(row[1].value) for row in book["Samples"].iter_rows(min_row=2)}
            written = set(re.findall(r"`([^`]+)`", section_of(WORKBOOK_PAGE, "Sheet Samples")))
            assert {row for row in rows if not re.fullmatch(r"bar \d+", row)} <= written
        assert [cell.value for cell in book["Findings"][1]] == re.findall(
            r"`(\w+)`", section_of(WORKBOOK_PAGE, "Sheet Findings")
        )[:9]


@pytest.mark.usefixtures("folder")
def test_edited_workbook_is_as_the_page_describes(massprops: Callable[..., Any]) -> None:
    massprops("rollup", "spacecraft.csv", "-o", "first.xlsx")
    massprops("rollup", "first.xlsx", "-o", "second.xlsx")
    massprops("rollup", "second.xlsx", "-o", "third.xlsx")
    assert Path("second.xlsx").read_bytes() == Path("third.xlsx").read_bytes()
    sheet = openpyxl.load_workbook("second.xlsx")["BOM"]
    header = [cell.value for cell in sheet[1]]
    assert sheet.cell(2, header.index("mass [kg]") + 1).fill.fgColor.rgb == "FFE2EFFB"
    comment = sheet["F48"].comment
    assert comment.author == "massprops"
    assert comment.text.startswith("note MP219: ")
