"""Quantities, point flags and sign conventions of items: cells that are no measured numbers."""

from __future__ import annotations
