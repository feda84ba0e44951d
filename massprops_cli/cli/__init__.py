"""The command line: a thin door. One file per command; each reads its options, calls the library, and renders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from massprops_cli.cli.app import app

__all__ = ["app"]


def __getattr__(name: str) -> Any:
    """Load the Typer application when it is first asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from massprops_cli.cli.app import app

    return app
