"""Run the cells of the tutorial of the library and store what they show in it.

python docs/make_notebook.py
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "library_tutorial.ipynb"


def code_cells(notebook: dict[str, Any]) -> list[str]:
    """Return the code of a notebook, cell by cell."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@contextlib.contextmanager
def sample_folder() -> Iterator[Path]:
    """Work in a copy of the folders that the notebook is in and reads from."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(ROOT / "sample_data", Path(name) / "sample_data")
        (Path(name) / "docs").mkdir()
        os.chdir(Path(name) / "docs")
        try:
            yield Path(name)
        finally:
            os.chdir(before)


def run_cells(cells: list[str]) -> Iterator[list[dict[str, Any]]]:
    """Run cells one after another; yield the outputs of each as a notebook stores them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, source in enumerate(cells, 1):
        printed = io.StringIO()
        tree = ast.parse(source, f"cell {number}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"cell {number}", "exec"), names)
            shown = None if last is None else eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
        outputs: list[dict[str, Any]] = []
        if printed.getvalue():
            lines = printed.getvalue().splitlines(keepends=True)
            outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
        if shown is not None:
            data = displayed_data(shown)
            outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
        yield outputs


def displayed_data(value: Any) -> dict[str, Any]:
    """Return a value in the forms that a notebook shows: text, a table of HTML, a picture."""
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_") and (page := value._repr_html_()):
        data["text/plain"] = [f"<{type(value).__name__}>"]
        data["text/html"] = page.splitlines(keepends=True)
    if hasattr(value, "_repr_png_"):
        data["image/png"] = base64.b64encode(value._repr_png_()).decode("ascii")
        data["text/plain"] = ["<Figure>"]
    return data


def main() -> None:
    """Write the notebook with its outputs."""
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    with sample_folder():
        for number, (cell, outputs) in enumerate(zip(code, run_cells(code_cells(notebook)), strict=True), 1):
            cell["outputs"], cell["execution_count"] = outputs, number
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
