"""Rows, tree and bodies together (being built)."""
