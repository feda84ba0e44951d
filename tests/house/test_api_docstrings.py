"""Docstrings of the API: every parameter and what is returned has an entry, with the type of its annotation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from tests.house.structure import Module, read_door, read_modules

MODULES, API = read_modules(), read_door()
SAME = {"ArrayLike": "array", "ndarray": "array", "Any": "object", "PathLike": "path", "BinaryIO": "binary"}
SAME |= {name: name.lower() for name in ("Mapping", "Sequence", "Iterable", "Collection", "Callable")}
WORDS = {*SAME.values(), "str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "date", "keywords"}
"""Types in lower case; other words in lower case are remarks, such as units."""
TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")  # a word of a choice: {"x", "y"}, Literal['x', 'y']


@cache
def offered() -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """Definitions of the API by their names."""
    nodes = (node for home in sorted(set(API.values())) for node in MODULES[home].tree.body)
    return {node.name: node for node in nodes if getattr(node, "name", "") in API}


def words(types: str) -> set[str]:
    """Name the types, and the words of a choice, in a line of a docstring or in an annotation."""
    plain = re.sub(r"array of (int|bool|float)|NDArray\[[^]]*]+", "array", TEXT.sub("", types))
    names = {SAME.get(name, name) for name in re.findall(r"(?:[a-z]+\.)*(?<!\w)(_?[A-Za-z]\w+)", plain)}
    return {name for name in names if name in WORDS or not name.islower()} | {one[1:-1] for one in TEXT.findall(types)}


def resolved(annotation: str, module: Module) -> str:
    """Add what the aliases in an annotation stand for, but for those of the API."""
    for name in set(re.findall(r"\w+", TEXT.sub("", annotation))) - API.keys():
        home = next((MODULES[one] for one, names in module.imports.items() if name in names), module)
        for node in home.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                annotation += f" | {resolved(ast.unparse(node.value), home)}"
    return annotation.replace("ArrayLike", "ArrayLike | float").replace("Unpack", "keywords")


def disagreements(documented: str, annotation: str, module: Module) -> Iterator[str]:
    """Find the types that a docstring names and the annotation does not, and the alternatives that it omits."""
    given = words(documented)
    yield from (f"{name} is not in {annotation}" for name in sorted(given - words(resolved(annotation, module))))
    for one in re.split(r" \| (?![^\[]*\])", annotation):
        outer = one if one.startswith(("Literal", "NDArray")) else one.partition("[")[0]
        if not given & words(resolved(outer, module)) and not (one == "None" and "optional" in documented):
            yield f"{one} is missing in {documented}"


def entries(text: str, *sections: str) -> Iterator[tuple[str, str]]:
    """Yield name and type of every entry of some sections; a type alone has no name."""
    for section in re.split(r"\n\n(?=\w+\n-{3})", text):
        for line in section.splitlines()[2:] if section.startswith(sections) else ():
            names, _, type_ = line.rpartition(" : ")
            yield from ((name.strip(" *"), type_) for name in names.split(",") if line[:1].strip())


def annotations(node: ast.AST) -> dict[str, str]:
    """Return the annotations of parameters or of fields."""
    every = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.arg | ast.AnnAssign) and one.annotation]
    return {getattr(one, "arg", "") or ast.unparse(one.target): ast.unparse(one.annotation) for one in every}


def faults(node: ast.FunctionDef | ast.ClassDef, module: Module) -> Iterator[str]:
    """Find what the docstring of a function or a class lacks or states otherwise."""
    text, types = ast.get_docstring(node) or "", annotations(getattr(node, "args", node))
    known = annotations(offered()["TableKeywords"]) | annotations(offered()["ReadKeywords"]) | types
    pairs = [(*entry, known.get(entry[0], "")) for entry in entries(text, "Parameters", "Attributes")]
    if isinstance(node, ast.FunctionDef):
        lacking = [name for name in types if types[name] != "Never" and name not in [pair[0] for pair in pairs]]
        given = list(entries(text, "Returns", "Yields"))
        value = node.returns.slice if ast.unparse(node.returns).startswith("Iterator[") else node.returns
        values = value.slice.elts if len(given) > 1 else [value] if ast.unparse(value) != "None" else []
        yield from (f"{name} has no entry" for name in lacking + ["value"] * (len(values) > len(given)))
        pairs += [("value", type_, ast.unparse(one)) for (_, type_), one in zip(given, values, strict=False)]
    yield from (f"{name}: {one}" for name, given, stated in pairs for one in disagreements(given, stated, module))


def faults_of_all(name: str, node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """Find the faults of a name of the API and of its methods."""
    inner = [one for one in node.body if isinstance(node, ast.ClassDef) and isinstance(one, ast.FunctionDef)]
    methods = [one for one in inner if one.name[0] != "_" and "property" not in ast.unparse(one).split("def ")[0]]
    for one in (node, *methods):
        yield from (f"{name}: {one.name}: {fault}" for fault in faults(one, MODULES[API[name]]))


def test_entries_agree_with_annotations() -> None:
    assert len(offered()) > 100
    assert [fault for name, node in offered().items() for fault in faults_of_all(name, node)] == []


def test_the_check_finds_what_disagrees() -> None:
    wrong = ast.unparse(offered()["inspect"]).replace("source : BomSource", "source : Bom").replace("Returns", "Gives")
    found = list(faults(ast.parse(wrong).body[0], MODULES[API["inspect"]]))
    assert found == ["value has no entry", "source: Bom is not in BomSource", "source: BomSource is missing in Bom"]


def substitutions(node: ast.AST) -> list[str]:
    """Name what the site would replace in the docstrings of a name of the API and its methods: |m| outside of code."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    public = [one for one in found if one is node or not one.name.startswith("_")]
    texts = (re.sub(r"``[^`]*``|>>> .*", "", ast.get_docstring(one) or "") for one in public)
    return [text for one in texts for text in re.findall(r"\|[^\s|][^|\n]*\|", one)]


def test_docstrings_have_no_substitutions() -> None:
    assert {name: found for name, node in offered().items() if (found := substitutions(node))} == {}
    (bad,) = ast.parse('def shares():\n    """Return shares of |mass|, not of ``|mass|``."""\n').body
    assert substitutions(bad) == ["|mass|"]
