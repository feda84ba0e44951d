"""The front of the package: its version, and the names it offers: ``__init__.pyi`` lists them, first use loads them."""

from __future__ import annotations

import sys

VERSION = "0.1.0"  # packaging and the command line read it here

_TYPE_CHECKING = False  # typing's own costs a third of the time that --version may take

if _TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def lazy_front(package: str, path: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and ``__dir__`` of a package from its stub, which type checkers read too (SPEC 1)."""
    homes: dict[str, str] = {}

    def load() -> dict[str, str]:
        """Return the module of each name; the stub is read once."""
        if not homes:
            homes.update(_homes(path + "i"))
        return homes

    def module_getattr(name: str) -> Any:
        """Import a name on first use; raise AttributeError if the stub does not offer it."""
        if name == "__all__":
            return sorted(load())
        if name.startswith("__") or name not in load():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return module_getattr, lambda: sorted(load())


def room_function(module: str, name: str) -> Callable[..., Any]:
    """Load a function of a higher room: a reader or check of robots, or what presents a value (``Result.save``)."""
    from importlib import import_module

    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def _homes(stub: str) -> dict[str, str]:
    """Read from a stub which module each name is imported from; ``ast`` takes 30 ms of a start."""
    import re

    with open(stub, encoding="utf-8") as file:  # noqa: PTH123  (pathlib is not needed for anything else at start)
        found = re.findall(r"^from (\S+) import (\([^)]*\)|.*)$", file.read(), re.MULTILINE)
    return {name: home for home, names in found for name in re.findall(r"\b(\w+) as \1\b", names)}
