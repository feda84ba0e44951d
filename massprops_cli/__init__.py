"""Roll up mass properties over trees of parts: mass, centre of mass, inertia tensor, and how uncertain each is.

    import massprops_cli as mp

    bom = mp.read_bom("bom.xlsx")
    result = mp.rollup(bom)
    print(result["Wing"])

Importing this package loads nothing heavy; each name is loaded when it is first used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing's own costs a third of the time that --version may take

if TYPE_CHECKING:
    from typing import Any

    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.contributions import contributions, mass_pareto
    from massprops_cli.bom.inspect import inspect
    from massprops_cli.bom.read import Bom, read_bom
    from massprops_cli.bom.result import Result
    from massprops_cli.bom.rollup import rollup, validate
    from massprops_cli.bom.whatif import whatif
    from massprops_cli.budgets.check import Check, check
    from massprops_cli.budgets.file import read_budget
    from massprops_cli.findings import (
        ConfigError,
        Finding,
        FindingsError,
        MasspropsError,
        OutputError,
        Place,
        Severity,
        TableError,
        UsageError,
    )
    from massprops_cli.revisions.compare import diff
    from massprops_cli.revisions.diff import Diff

_HOMES = {
    "Body": "massprops_cli.bodies.body",
    "Bom": "massprops_cli.bom.read",
    "Check": "massprops_cli.budgets.check",
    "Diff": "massprops_cli.revisions.diff",
    "Result": "massprops_cli.bom.result",
    "check": "massprops_cli.budgets.check",
    "contributions": "massprops_cli.bom.contributions",
    "diff": "massprops_cli.revisions.compare",
    "inspect": "massprops_cli.bom.inspect",
    "mass_pareto": "massprops_cli.bom.contributions",
    "read_bom": "massprops_cli.bom.read",
    "read_budget": "massprops_cli.budgets.file",
    "validate": "massprops_cli.bom.rollup",
    "whatif": "massprops_cli.bom.whatif",
    "ConfigError": "massprops_cli.findings",
    "Finding": "massprops_cli.findings",
    "FindingsError": "massprops_cli.findings",
    "MasspropsError": "massprops_cli.findings",
    "OutputError": "massprops_cli.findings",
    "Place": "massprops_cli.findings",
    "Severity": "massprops_cli.findings",
    "TableError": "massprops_cli.findings",
    "UsageError": "massprops_cli.findings",
}

__all__ = [
    "Body",
    "Bom",
    "Check",
    "ConfigError",
    "Diff",
    "Finding",
    "FindingsError",
    "MasspropsError",
    "OutputError",
    "Place",
    "Result",
    "Severity",
    "TableError",
    "UsageError",
    "__version__",
    "check",
    "contributions",
    "diff",
    "inspect",
    "mass_pareto",
    "read_bom",
    "read_budget",
    "rollup",
    "validate",
    "whatif",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first used."""
    if name == "__version__":
        from massprops_cli._version import VERSION

        return VERSION
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


class _Door(type(sys)):  # type: ignore[misc]  # the type of a module
    """This package as a module whose name ``rollup`` is the function.

    The import system ties every subpackage to its parent under its own name; without this, the subpackage ``rollup``
    would take the function's place as soon as anything imports it.
    """

    @property
    def rollup(self) -> Any:
        """The function ``rollup``."""
        from massprops_cli.bom.rollup import rollup

        return rollup

    @rollup.setter
    def rollup(self, subpackage: Any) -> None:
        """Let the subpackage stay in ``sys.modules`` only."""


sys.modules[__name__].__class__ = _Door
