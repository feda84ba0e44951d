"""The tutorial of the library: its cells run, its code is typed, and it shows what its cells show now."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.docs.test_language import faults_of

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "library_tutorial.ipynb"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_notebook", ROOT / "docs" / "make_notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(NOTEBOOK.read_text("utf-8"))
    return found


def test_the_notebook_has_the_form_of_version_4_5(notebook: dict[str, Any]) -> None:
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        keys = {"cell_type", "id", "metadata", "source"}
        assert set(cell) == keys | ({"outputs", "execution_count"} if cell["cell_type"] == "code" else set())


def test_the_cells_show_what_is_stored(maker: ModuleType, notebook: dict[str, Any]) -> None:
    pytest.importorskip("matplotlib", reason="the tutorial draws figures")
    stored = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with maker.sample_folder() as folder:
        shown = list(maker.run_cells(maker.code_cells(notebook)))
        assert (folder / "docs" / "rolled_up.xlsx").is_file()
    assert [comparable(outputs) for outputs in shown] == [comparable(outputs) for outputs in stored]
    figures = [output for outputs in shown for output in outputs if "image/png" in output.get("data", {})]
    assert len(figures) == 5


def comparable(outputs: list[dict[str, Any]]) -> list[Any]:
    """Texts and tables of ours; of pictures and of pandas only that there is one."""
    found: list[Any] = []
    for output in outputs:
        page = "".join(output.get("data", {}).get("text/html", ""))
        kinds = sorted(output.get("data", {}))
        found.append((kinds, output.get("text"), "" if "dataframe" in page else page))
    return found


@pytest.mark.slow
def test_the_code_of_the_cells_is_typed(
    maker: ModuleType, notebook: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is in the extra dev")
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    program = tmp_path / "tutorial.py"
    program.write_text("\n\n".join(maker.code_cells(notebook)), "utf-8")
    words = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache"), str(program)]
    printed, errors, code = api.run(words)
    assert (code, errors) == (0, ""), printed


def test_the_words_of_the_notebook(notebook: dict[str, Any]) -> None:
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert list(faults_of(text, "documents")) == []
