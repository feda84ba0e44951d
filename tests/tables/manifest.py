"""The cases of ``manifest.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
TRAP_FILES = FOLDER / "traps"
_MANIFEST = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))
FOLDERS: dict[str, dict[str, str]] = _MANIFEST["folder"]
CASES: list[dict[str, Any]] = _MANIFEST["case"]


def name_of(case: dict[str, Any]) -> str:
    """Name a case by its file and the options given with it."""
    return " ".join([case["file"], *case.get("options", ())])
