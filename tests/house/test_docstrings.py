"""Docstrings outside the API: a summary everywhere, shapes where arrays go in or out, at most three lines.

Those of the API have sections: ``test_api_docstrings.py``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.house.structure import ROOT, Module, read_door, read_modules

MODULES = read_modules()
API = set(read_door())
Documented = ast.FunctionDef | ast.ClassDef

FORMULA_CITATION = re.compile(r"docs/formulas\.md, sections? (\d+(?:(?:, | and | to )\d+)*)")
"""A citation of the formulas: "docs/formulas.md, sections 3 and 12"."""
SHAPE = re.compile(r"\([^()]*,[^()]*\)|\([nmk]\)")
"""A shape: "(n,)", "(…, 3, 3)"."""
ARRAY = re.compile(r"NDArray|ndarray|Floats")
"""What annotations call an array of numbers."""
MOST_LINES = 3


def inner_definitions(module: Module) -> Iterator[tuple[str, Documented]]:
    """Functions, classes and methods outside the API, without dunder methods and functions within functions."""
    for node in module.tree.body:
        if isinstance(node, Documented) and node.name not in API:
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                is_api = node.name in API and isinstance(inner, Documented) and not inner.name.startswith("_")
                if isinstance(inner, Documented) and not inner.name.startswith("__") and not is_api:
                    yield f"{node.name}.{inner.name}", inner


def faults(name: str, node: Documented) -> Iterator[str]:
    """What the docstring of a definition lacks."""
    text = ast.get_docstring(node)
    if text is None:
        yield f"{name}: no summary"
        return
    if len(text.splitlines()) > MOST_LINES:
        yield f"{name}: {len(text.splitlines())} lines"
    if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
        annotations = [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg) and one.annotation]
        types = [ast.unparse(one) for one in (*annotations, *([node.returns] if node.returns else []))]
        if any(ARRAY.search(one) for one in types) and not SHAPE.search(text):
            yield f"{name}: no shape of its arrays"


def module_faults(module: Module) -> Iterator[str]:
    """What the docstrings of a module lack."""
    if not ast.get_docstring(module.tree):
        yield "no summary"
    for name, node in inner_definitions(module):
        yield from faults(name, node)


def test_inner_docstrings() -> None:
    assert [f"{module.name}: {fault}" for module in MODULES.values() for fault in module_faults(module)] == []


def test_cited_formulas_exist() -> None:
    headings = re.findall(r"^## (\d+)\. ", (ROOT / "docs" / "formulas.md").read_text("utf-8"), re.MULTILINE)
    citing = [module for module in MODULES.values() if "formulas" in module.source.lower()]
    assert len(citing) > 50
    documented = (node for module in citing for node in module.nodes if isinstance(node, Documented | ast.Module))
    for text in (re.sub(r"\s+", " ", ast.get_docstring(node) or "") for node in documented):
        cited = FORMULA_CITATION.findall(text)
        assert len(cited) == text.lower().count("formulas.md") + text.count("FORMULAS"), text
        assert {number for numbers in cited for number in re.findall(r"\d+", numbers)} <= set(headings)


def test_the_check_finds_what_is_missing() -> None:
    bare, long, shapeless = ast.parse(
        'def f(a):\n    return a\n\ndef g(a):\n    """One.\n\n    Two.\n    Three."""\n\n'
        'def h(a: NDArray) -> None:\n    """Do."""\n'
    ).body
    assert isinstance(bare, Documented)
    assert isinstance(long, Documented)
    assert isinstance(shapeless, Documented)
    assert list(faults("f", bare)) == ["f: no summary"]
    assert list(faults("g", long)) == ["g: 4 lines"]
    assert list(faults("h", shapeless)) == ["h: no shape of its arrays"]
