"""Build the site from the pages, the notebook and the docstrings: ``python docs/make_site.py FOLDER``.

The pages are copied to FOLDER/source with a start page, a page for each group of names of the library, and the notebook
as a page; Sphinx writes FOLDER/html, which needs no server and no network. A warning ends the build with exit code 1.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import massprops_cli

ROOT = Path(__file__).resolve().parents[1]
CAPTIONS = {"start": "Tutorial", "how-to": "How-to", "reference": "Reference", "developers": "Explanation"}
"""Headings of the tables of docs/index.md, and the captions of the site for them."""
COPIED = ("docs", "massprops_cli/findings/pages", "sample_data")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
ROOMS = {
    "bom": "Tables and trees",
    "rollups": "Roll-up",
    "bodies": "Bodies, shapes and meshes",
    "revisions": "Revisions",
    "budgets": "Budgets",
    "loadings": "Loading conditions",
    "tanks": "Tanks",
    "ballasts": "Ballast",
    "partitions": "Parts of trees",
    "mechanisms": "Mechanisms",
    "robots": "Robots",
    "findings": "Findings",
}
"""Folders of the package, and the titles of the pages of their names; other folders are on one page."""
SCHEMAS = {
    "sarif-schema-2.1.0.json": "SARIF 2.1.0, of `--report sarif` (OASIS)",
    "junit-10.xsd": "JUnit, of `--report junit` (Jenkins xUnit plugin)",
}


def main(folder: Path) -> int:
    """Write the sources of the site, and let Sphinx build them."""
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    for name in COPIED:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.ipynb"))
    for name in PAGES:
        shutil.copy(ROOT / name, source / name)
    for path in (ROOT / "sample_data").rglob("*.py"):
        shutil.copy(path, source / path.relative_to(ROOT))
    shutil.copy(ROOT / "docs" / "conf.py", source)
    for path in source.rglob("*.md"):
        path.write_text(site_text(path, source), encoding="utf-8")
    write_notebook(ROOT / "docs" / "library_tutorial.ipynb", source / "docs")
    groups = library_groups()
    for name, text in {**dict(api_pages(groups)), "schemas.md": schema_page()}.items():
        (source / name).write_text(text, encoding="utf-8")
    (source / "index.md").write_text(start_page(groups), encoding="utf-8")
    for path in schema_files():
        (source / "extra" / "schemas").mkdir(parents=True, exist_ok=True)
        shutil.copy(path, source / "extra" / "schemas" / path.name)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        str(source),
        str(folder / "html"),
    ]
    return subprocess.run(command, check=False).returncode


def site_text(path: Path, source: Path) -> str:
    """Return a page with links that exist on the site: folders as text, the notebook as its page, LICENSE as text."""
    text = path.read_text("utf-8").replace("library_tutorial.ipynb", "library_tutorial.md")

    def link(found: re.Match[str]) -> str:
        target = path.parent / found[2]
        is_here = "://" in found[2] or target.is_file() or target.name == "library_tutorial.md"
        return found[0] if is_here else found[1]

    text = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)#\s]+)(?:#[^)\s]*)?\)", link, text)
    # a diagram of a page of developers is shown as its text
    return re.sub(r"(?m)^```mermaid$", "```text", text) if source in path.parents else text


def write_notebook(notebook: Path, folder: Path) -> None:
    """Write a notebook as a page with its outputs, the pictures next to it."""
    parts: list[str] = []
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    for number, cell in enumerate(cells):
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        for k, output in enumerate(cell.get("outputs", [])):
            data = output.get("data", {})
            if "image/png" in data:
                picture = f"library_tutorial_{number}_{k}.png"
                (folder / picture).write_bytes(base64.b64decode("".join(data["image/png"])))
                parts.append(f"![output of the cell above]({picture})")
            elif shown := "".join(output.get("text", data.get("text/plain", ""))):
                parts.append(f"```text\n{shown.rstrip()}\n```")
    (folder / f"{notebook.stem}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def library_groups() -> dict[str, list[str]]:
    """Return the names of the library by the folder that defines them, as the stub of the package lists them."""
    groups: dict[str, list[str]] = defaultdict(list)
    stub = (ROOT / "massprops_cli" / "__init__.pyi").read_text("utf-8")
    for module, names in re.findall(r"(?m)^from massprops_cli\.(\S+) import (\([^)]*\)|.+)$", stub):
        room = module.split(".")[0]
        groups[room if room in ROOMS else "others"] += re.findall(r"as (\w+)", names)
    return {room: sorted(groups[room], key=str.lower) for room in (*ROOMS, "others") if groups[room]}


def api_pages(groups: Mapping[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield the pages of the library, with the docstring of each name."""
    for room, names in groups.items():
        lines = [f"# {ROOMS.get(room, 'Other names')}", "", "```{eval-rst}", ".. currentmodule:: massprops", ""]
        for name in names:
            value = getattr(massprops_cli, name, None)
            if isinstance(value, type):
                lines += [f".. autoclass:: massprops.{name}", "   :members:", ""]
            elif callable(value):
                lines += [f".. autofunction:: massprops.{name}", ""]
            else:  # a table, whose docstring is that of its type
                lines += [f".. py:data:: massprops.{name}", ""]
        yield f"api_{room}.md", "\n".join([*lines, "```", ""])


def schema_files() -> list[Path]:
    """Return the schemas: those of published formats, and those that docs/make_schemas.py writes."""
    return [
        *(ROOT / "tests" / "schemas" / name for name in SCHEMAS),
        *sorted((ROOT / "docs" / "schemas").glob("*.json")),
    ]


def schema_page() -> str:
    """Return the page of the schemas of machine formats."""
    rows = [
        f'- <a href="schemas/{path.name}">{path.name}</a>: {SCHEMAS.get(path.name, f"`--format json`, {path.stem}")}'
        for path in schema_files()
    ]
    rest = "[JSON](docs/json.md) describes the objects of `--format json` and their keys."
    return "\n".join(["# Schemas of machine formats", "", *rows, "", rest, ""])


def start_page(groups: Mapping[str, list[str]]) -> str:
    """Return the start page: what it is, one picture, one command, and the pages by their kind."""
    readme = (ROOT / "README.md").read_text("utf-8")
    title, what, picture = readme.split("\n\n")[:3]
    command = "```console\n$ massprops rollup spacecraft.xlsx\n```"
    lines = [title, "", what, "", picture, "", command, ""]
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    seen: set[str] = set()
    for heading, table in re.findall(r"\| ([\w-]+) \| \|\n\|---\|---\|\n((?:\|.*\n)+)", index):
        targets = [
            re.sub(r"^docs/\.\./", "", f"docs/{one}") for one in re.findall(r"\]\(([^)#]+?\.(?:md|ipynb))\)", table)
        ]
        pages = [one.replace(".ipynb", ".md") for one in dict.fromkeys(targets) if one not in seen]
        seen.update(pages)
        if heading == "reference":
            pages += [*(f"api_{room}.md" for room in groups), "schemas.md"]
        lines += ["```{toctree}", f":caption: {CAPTIONS[heading]}", ":maxdepth: 1", "", *pages, "```", ""]
    rules = sorted((ROOT / "massprops_cli" / "findings" / "pages").glob("*.md"))
    rest = [
        "README.md",
        "CHANGELOG.md",
        "docs/index.md",
        "sample_data/README.md",
        *(path.relative_to(ROOT).as_posix() for path in rules),
    ]
    listed = "\n".join(lines)
    return "\n".join([listed, "```{toctree}", ":hidden:", "", *(one for one in rest if one not in listed), "```", ""])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
