"""The sources of the site: every page and every name of the library is on it. ``make docs`` fails on a warning."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import massprops_cli
from docs.make_site import (
    CAPTIONS,
    SCHEMAS,
    api_pages,
    library_groups,
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
    for name in SCHEMAS:
        assert f"schemas/{name}" in page
        path = ROOT / "tests" / "schemas" / name
        assert ET.parse(path) if path.suffix == ".xsd" else json.loads(path.read_text("utf-8"))["id"]


def test_nothing_built_is_kept_in_the_repository() -> None:
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert {"build/", "dist/"} <= set(ignored)
    assert shutil.which("make")
    assert "make_site.py build/site" in (ROOT / "Makefile").read_text("utf-8")
