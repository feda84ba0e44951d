"""How tests and doctests are collected."""

from __future__ import annotations

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[Any], list[Any]]:
    """Search modules for doctests, which loads them, only where there are some."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule) or ">>> " in file_path.read_text("utf-8")]


def pytest_collection() -> None:
    """Search for no garbage among what is collected, some million objects."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected out of every later search for garbage."""
    gc.enable()
    gc.freeze()
