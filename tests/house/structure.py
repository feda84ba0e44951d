"""What the package's modules define and import, read from their source."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = "massprops_cli"
PUBLIC_TYPES = {"Bom", "Result"}
"""The two types that most of the room ``bom`` takes as an argument; an import for an annotation alone is no arrow."""


@dataclass(frozen=True)
class Module:
    """One module: its source, its public functions and classes, what it imports, and what of that when it runs.

    Each is read when a test asks for it.
    """

    name: str
    path: Path

    @cached_property
    def source(self) -> str:
        """The text."""
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The text as a tree."""
        return ast.parse(self.source)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree."""
        return tuple(ast.walk(self.tree))

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.source.splitlines())

    @cached_property
    def defined(self) -> dict[str, str]:
        """The public definitions, each with its kind."""
        return _definitions(self.tree)

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Module → names that are imported from it, in functions and for types included."""
        return self._imported(frozenset())

    @cached_property
    def at_run_time(self) -> dict[str, set[str]]:
        """The same without the public types where they are imported for annotations alone."""
        return self._imported(_type_only_imports(self.tree))

    @cached_property
    def late_uses(self) -> dict[str, set[str]]:
        """Functions of higher rooms that are loaded by their names."""
        found: dict[str, set[str]] = defaultdict(set)
        for source, name in _late_uses(self.nodes):
            found[source].add(name)
        return found

    @property
    def room(self) -> str:
        """The folder."""
        return self.name if self.is_front else self.name.rpartition(".")[0]

    @property
    def is_front(self) -> bool:
        """Whether this is the ``__init__`` of a folder."""
        return self.path.name == "__init__.py"

    def _imported(self, for_types: Collection[ast.AST]) -> dict[str, set[str]]:
        """Module → names that are imported from it; those of public types count unless they are for types alone."""
        found: dict[str, set[str]] = defaultdict(set)
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    source, name = (inner, "*") if inner in read_modules() else (str(node.module), alias.name)
                    if node not in for_types or name not in PUBLIC_TYPES:
                        found[source].add(name)
        return found


@cache
def read_modules() -> dict[str, Module]:
    """Find every module of the package."""
    return {
        name: Module(name, path)
        for path in sorted((ROOT / PACKAGE).rglob("*.py"))
        for name in [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")]
    }


def _type_only_imports(tree: ast.Module) -> set[ast.AST]:
    """Find the imports under ``if TYPE_CHECKING``."""
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    return {inner for block in blocks for inner in ast.walk(block) if isinstance(inner, ast.ImportFrom)}


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


def read_door() -> dict[str, str]:
    """Read the stub of the public door: name → module that defines it."""
    stub = ast.parse((ROOT / PACKAGE / "__init__.pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}


def uses(modules: dict[str, Module]) -> dict[tuple[str, str], set[str]]:
    """Return which modules use a definition: (defining module, name) → modules."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module in modules.values():
        for source, names in (*module.imports.items(), *module.late_uses.items()):
            for name in names:
                used[source, name].add(module.name)
        aliases = _module_aliases(module, modules)
        for node in module.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
                used[aliases[node.value.id], node.attr].add(module.name)
    return used


def _late_uses(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Find the functions of higher rooms that a module names: pairs of a module of the package and a name in it."""
    for node in nodes:
        texts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        values = [text.value for text in texts[:2] if isinstance(text, ast.Constant)]
        if len(values) == 2 and str(values[0]).startswith(f"{PACKAGE}."):
            yield str(values[0]), str(values[1])


def _module_aliases(module: Module, modules: dict[str, Module]) -> dict[str, str]:
    """Name the modules that a module imports whole, by their local names."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in module.nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if f"{node.module}.{alias.name}" in modules
    }
