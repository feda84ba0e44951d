"""What the package's modules define and import, read from their source."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "massprops_cli"
PUBLIC_TYPES = {"Bom", "Result"}
"""The two types that most of the room ``bom`` takes as an argument; an import for an annotation alone is no arrow."""


@dataclass
class Module:
    """One module: its source, its public functions and classes, what it imports, and what of that when it runs."""

    name: str
    path: Path
    tree: ast.Module
    lines: int
    """Lines without docstrings, whose length follows from the number of parameters."""
    defined: dict[str, str] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    at_run_time: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def room(self) -> str:
        """The folder."""
        return self.name if self.is_front else self.name.rpartition(".")[0]

    @property
    def is_front(self) -> bool:
        """Whether this is the ``__init__`` of a folder."""
        return self.path.name == "__init__.py"


def read_modules() -> dict[str, Module]:
    """Read every module of the package."""
    modules = {}
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        modules[name] = Module(name, path, tree, len(text.splitlines()) - _docstring_lines(tree))
    for module in modules.values():
        module.defined = _definitions(module.tree)
        for_types = _type_only_imports(module.tree)
        for room, name in _late_uses(module.tree):
            module.imports[room].add(name)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    source = inner if inner in modules else str(node.module)
                    name = "*" if inner in modules else alias.name
                    module.imports[source].add(name)
                    if node not in for_types or name not in PUBLIC_TYPES:
                        module.at_run_time[source].add(name)
    return modules


def _type_only_imports(tree: ast.Module) -> set[ast.AST]:
    """Find the imports under ``if TYPE_CHECKING``."""
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {inner for block in blocks for inner in ast.walk(block) if isinstance(inner, ast.ImportFrom)}


def _docstring_lines(tree: ast.Module) -> int:
    """Count the lines of all docstrings of a module."""
    documented = (node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    texts = [node.body[0] for node in documented if ast.get_docstring(node, clean=False) is not None]
    return sum((text.end_lineno or text.lineno) - text.lineno + 1 for text in texts)


def _definitions(tree: ast.Module) -> dict[str, str]:
    """Name the public definitions of a module, each with its kind."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = type(node).__name__
        elif isinstance(node, ast.Assign):
            targets = [name for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            found |= {name.id: "constant" for name in targets if isinstance(name.ctx, ast.Store)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = "constant"
    return {name: kind for name, kind in found.items() if not name.startswith("_")}


def read_fronts() -> dict[str, dict[str, str]]:
    """Read the stub of every front: name → module that defines it."""
    fronts = {}
    for path in sorted((ROOT / PACKAGE).rglob("__init__.pyi")):
        package = ".".join(path.parent.relative_to(ROOT).parts)
        fronts[package] = {
            alias.name: node.module or ""
            for node in ast.parse(path.read_text("utf-8")).body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
    return fronts


def uses(modules: dict[str, Module], fronts: dict[str, dict[str, str]]) -> dict[tuple[str, str], set[str]]:
    """Return which modules use a definition: (defining module, name) → modules, seen through the fronts."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module in modules.values():
        for source, names in module.imports.items():
            for name in names:
                used[fronts.get(source, {}).get(name, source), name].add(module.name)
        aliases = _module_aliases(module, modules)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
                used[aliases[node.value.id], node.attr].add(module.name)
    return used


def _late_uses(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Find the functions of other rooms that a module loads by name: ``room_function(room, name)``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "room_function":
            room, name = node.args
            assert isinstance(room, ast.Constant)
            assert isinstance(name, ast.Constant)
            yield str(room.value), str(name.value)


def _module_aliases(module: Module, modules: dict[str, Module]) -> dict[str, str]:
    """Name the modules that a module imports whole, by their local names."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in modules
    }
