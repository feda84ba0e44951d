"""Number of examples that a property test draws."""

from __future__ import annotations

from hypothesis import settings


def examples(thorough: int) -> int:
    """Examples under the profile in force: the whole number under ``thorough`` (make slow), else a share of it."""
    return max(5, thorough * settings.default.max_examples // 100)
