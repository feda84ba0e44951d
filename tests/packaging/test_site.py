"""The sources of the site: every page and every name of the library is on it. ``make docs`` fails on a warning."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

import massprops_cli
from docs.make_schemas import CASES, copy_samples, report, schema_text
from docs.make_site import (
    CAPTIONS,
    SCHEMAS,
    api_pages,
    library_groups,
    schema_files,
    schema_page,
    site_text,
    start_page,
    write_notebook,
)

ROOT = Path(__file__).parents[2]


def test_start_page_has_a_picture_a_command_and_every_page() -> None:
    page = start_page(library_groups())
    head, *trees = page.split("```{toctree}\n")
    assert head.count("![") == head.count("$ massprops") == 1
    assert re.findall(r":caption: (.+)", page) == list(CAPTIONS.values())
    listed = {line for tree in trees for line in tree.partition("\n\n")[2].split()} - {"```"}
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    rules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "massprops_cli/findings/pages").glob("*.md")}
    assert pages | rules <= listed
    assert {"docs/library_tutorial.md", "SECURITY.md", "CHANGELOG.md", "schemas.md"} <= listed


def test_pages_of_the_library_have_every_name_once() -> None:
    texts = "\n".join(text for _, text in api_pages(library_groups()))
    named = re.findall(r"(?m)^\.\. [\w:]+:: massprops\.(\w+)$", texts)
    assert sorted(named) == sorted(set(massprops_cli.__all__) - {"__version__"})


def test_links_that_lead_nowhere_on_the_site_are_text(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text("[a](b.md) [c](d) [n](library_tutorial.ipynb) ![p](q.svg) [w](https://example.org)\n", "utf-8")
    (tmp_path / "docs" / "b.md").touch()
    assert site_text(page, tmp_path) == "[a](b.md) c [n](library_tutorial.md) ![p](q.svg) [w](https://example.org)\n"


def test_notebook_is_a_page_with_its_pictures(tmp_path: Path) -> None:
    notebook = ROOT / "docs" / "library_tutorial.ipynb"
    write_notebook(notebook, tmp_path)
    page = (tmp_path / "library_tutorial.md").read_text("utf-8")
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    assert page.count("```python\n") == sum(cell["cell_type"] == "code" for cell in cells)
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", page)
    stored = [
        one["data"]["image/png"]
        for cell in cells
        for one in cell.get("outputs", ())
        if "image/png" in one.get("data", {})
    ]
    assert [(tmp_path / name).read_bytes() for name in pictures] == [base64.b64decode("".join(one)) for one in stored]


def test_schemas_of_the_site() -> None:
    page = schema_page()
    names = {path.name for path in schema_files()}
    assert {f"{kind}.json" for kind in CASES} | set(SCHEMAS) == names
    for path in schema_files():
        assert f'href="schemas/{path.name}"' in page
        if path.suffix == ".xsd":
            assert ET.parse(path).getroot().tag.endswith("}schema")
        elif path.name not in SCHEMAS:
            jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


@pytest.mark.parametrize(
    ("kind", "line", "break_at"),
    [
        ("rollup", "rollup sawe_example.csv", ("items", 0, "mass")),
        ("rollup", "tree nested.csv", ("root",)),
        ("rollup", "rollup rover.csv --uncertainty none", ("units", "mass")),
        ("validate", "validate rover.csv", ("reading", "coverage", "items")),
        ("check", "check bom_rev_b.csv --budget budget.toml", ("verdicts", 0, "kept")),
        ("diff", "diff bom_rev_b.csv bom.csv", ("counts", "quantity")),
        ("contributions", "contributions bom.csv --of mass", ("leaves",)),
        ("whatif", "whatif bom.csv --scale PLD.mass=1.1", ("items", 0, "difference", "mass")),
        ("conditions", "conditions satellite.csv --conditions satellite.toml -v", ("conditions", 0, "name")),
        ("trend", "trend bom_rev_b.csv bom.csv", ("revisions", 0, "label")),
        ("verify", "verify twelve_rows.csv", ("quantities", 0, "quantity")),
    ],
)
def test_reports_that_the_schemas_were_not_made_from(
    kind: str, line: str, break_at: tuple[str | int, ...], tmp_path: Path, massprops: Any, monkeypatch: Any
) -> None:
    """Reports of other tables have the form of the schema, and one with a list for a value has not."""
    copy_samples(tmp_path)
    assert line not in CASES[kind] or kind == "check"
    monkeypatch.chdir(tmp_path)
    value = json.JSONDecoder().raw_decode(massprops(*line.split(), "--format", "json").stdout)[0]
    schema = json.loads((ROOT / "docs" / "schemas" / f"{kind}.json").read_text("utf-8"))
    jsonschema.validate(value, schema)
    if break_at:
        *path, last = break_at
        inner = value
        for step in path:
            inner = inner[step]
        inner[last] = ["x"]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value, schema)


@pytest.mark.slow
def test_schemas_are_those_of_the_reports(tmp_path: Path) -> None:
    copy_samples(tmp_path)
    for kind, lines in CASES.items():
        text = (ROOT / "docs" / "schemas" / f"{kind}.json").read_text("utf-8")
        assert schema_text(kind, [report(line, tmp_path) for line in lines]) == text, "run make schemas"


def test_nothing_built_is_kept_in_the_repository() -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert {"build/", "dist/"} <= set(ignored)
    assert shutil.which("make")
    assert "make_site.py build/site" in (ROOT / "Makefile").read_text("utf-8")
