"""The docstrings of what a room offers have the sections of numpydoc; those of private functions are one line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.structure import PACKAGE, ROOT, Module, read_fronts, read_modules

ROOMS = {
    "_front",
    "bodies",
    "bom",
    "budgets",
    "cli",
    "files",
    "findings",
    "mechanisms",
    "options",
    "partitions",
    "reports",
    "revisions",
    "rollups",
    "tables",
    "trees",
}
"""The rooms, and the modules outside rooms, whose docstrings are complete."""

MODULES = {
    module.name: module
    for module in read_modules().values()
    if any(f"{module.name}.".startswith(f"{PACKAGE}.{room}.") for room in ROOMS)
}

Function = ast.FunctionDef

FORMULA_CITATION = re.compile(r"docs/formulas\.md, sections? (\d+(?:(?:, | and | to )\d+)*)")
"""A citation of the formulas, as a Notes section writes it."""


def is_property(function: Function) -> bool:
    """Whether a method is read as an attribute."""
    return any(ast.unparse(one).endswith(("property", ".setter")) for one in function.decorator_list)


def public_functions(module: Module) -> Iterator[tuple[str, Function]]:
    """The public functions of a module and the public methods of its public classes, each with its name."""
    for node in module.tree.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                if isinstance(inner, Function) and not inner.name.startswith("_") and not is_property(inner):
                    yield f"{node.name}.{inner.name}", inner


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring: heading → text."""
    parts = re.split(r"^([A-Z]\w+(?: \w+)?)\n-{3,}$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named_parameters(section: str) -> set[str]:
    """The names that a section Parameters describes: ``a, b : int`` describes two."""
    lines = (line.partition(" : ") for line in section.splitlines() if line and not line[0].isspace())
    return {name.strip("* ") for names, colon, _ in lines if colon for name in names.split(",")}


def parameters(function: Function, *, method: bool) -> set[str]:
    """The parameters that a docstring has to describe; ``**unknown: Never`` only collects what is rejected."""
    shape = function.args
    every = [*shape.posonlyargs, *shape.args, *shape.kwonlyargs, shape.vararg, shape.kwarg]
    static = any(ast.unparse(one) == "staticmethod" for one in function.decorator_list)
    kinds = {
        one.arg: "" if one.annotation is None else ast.unparse(one.annotation)
        for one in every[1 if method and not static else 0 :]
        if one is not None
    }
    return {name for name, kind in kinds.items() if kind != "Never" and (name, kind) != ("findings", "Findings")}


def faults(name: str, function: Function) -> Iterator[str]:
    """What the docstring of a public function lacks."""
    text = ast.get_docstring(function) or ""
    found = sections(text)
    missing = parameters(function, method="." in name) - named_parameters(found.get("Parameters", ""))
    if missing:
        yield f"{name}: no description of {', '.join(sorted(missing))}"
    returned = "" if function.returns is None else ast.unparse(function.returns)
    if returned not in ("", "None", "Never") and not found.keys() & {"Returns", "Yields"}:
        yield f"{name}: no section Returns"


def private_functions(module: Module) -> Iterator[Function]:
    """The functions of a module that begin with an underscore (not ``__add__``), and those inside other functions."""
    public = {id(function) for _, function in public_functions(module)}
    for node in ast.walk(module.tree):
        if isinstance(node, Function) and id(node) not in public and not is_property(node) and node.name[-2:] != "__":
            yield node


@pytest.mark.parametrize("module", MODULES.values(), ids=lambda module: module.name)
def test_public_functions_have_parameters_and_returns(module: Module) -> None:
    assert [fault for name, function in public_functions(module) for fault in faults(name, function)] == []


@pytest.mark.parametrize("module", MODULES.values(), ids=lambda module: module.name)
def test_private_functions_have_one_line(module: Module) -> None:
    texts = {function.name: ast.get_docstring(function) or "" for function in private_functions(module)}
    assert [name for name, text in texts.items() if "\n" in text] == []


def test_rooms_cover_what_fronts_offer() -> None:
    """Every name of a front of these rooms is defined in a module that the tests above walk."""
    fronts = {front: names for front, names in read_fronts().items() if _is_done(front)}
    assert {home for names in fronts.values() for home in names.values()} <= set(MODULES)


def _is_done(front: str) -> bool:
    return any(f"{front}.".startswith(f"{PACKAGE}.{room}.") for room in ROOMS)


@pytest.mark.parametrize("module", MODULES.values(), ids=lambda module: module.name)
def test_cited_formulas_exist(module: Module) -> None:
    headings = re.findall(r"^## (\d+)\. ", (ROOT / "docs" / "formulas.md").read_text("utf-8"), re.MULTILINE)
    for node in ast.walk(module.tree):
        text = (ast.get_docstring(node) or "") if isinstance(node, Function | ast.ClassDef | ast.Module) else ""
        text = re.sub(r"\s+", " ", text)
        cited = FORMULA_CITATION.findall(text)
        assert len(cited) == text.lower().count("formulas.md") + text.count("FORMULAS"), text
        assert {number for numbers in cited for number in re.findall(r"\d+", numbers)} <= set(headings)


def test_the_check_finds_what_is_missing() -> None:
    function = ast.parse('def f(a: int, b: int, **unknown: Never) -> int:\n    """Add.\n\n    More."""').body[0]
    assert isinstance(function, Function)
    assert list(faults("f", function)) == ["f: no description of a, b", "f: no section Returns"]
    text = "Add.\n\nParameters\n----------\na, b : int\n    Terms.\n\nReturns\n-------\nint\n    Sum."
    function = ast.parse(f'def f(a: int, b: int) -> int:\n    """{text}"""').body[0]
    assert isinstance(function, Function)
    assert list(faults("f", function)) == []
    assert named_parameters("a, *more : int\n    Text : not a name.\nb : str") == {"a", "more", "b"}
