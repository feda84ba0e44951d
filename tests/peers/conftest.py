"""Tables and results of peers, kept beside the checkout; tests skip where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / ".." / "shared" / "reference"


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference data."""
    if not FOLDER.is_dir():
        pytest.skip("the reference data are not beside this checkout (../shared/reference)")
    return FOLDER.resolve()
