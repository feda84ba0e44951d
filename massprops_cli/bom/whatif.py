"""What if: changed leaves of a bill of materials, and what that does to everything above them."""

from __future__ import annotations
