"""What the package's modules define and import, read from their source."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "massprops_cli"


@dataclass
class Module:
    """One module: its source, its public functions and classes, all its public names, and what it imports."""

    name: str
    path: Path
    tree: ast.Module
    lines: int
    defined: dict[str, str] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

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
        modules[name] = Module(name, path, ast.parse(text), len(text.splitlines()))
    for module in modules.values():
        module.defined = _definitions(module.tree)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    source = inner if inner in modules else str(node.module)
                    module.imports[source].add("*" if inner in modules else alias.name)
    return modules


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


def _module_aliases(module: Module, modules: dict[str, Module]) -> dict[str, str]:
    """Name the modules that a module imports whole, by their local names."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in modules
    }
