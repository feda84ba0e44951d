"""Rows, tree and bodies as arrays: what a bill of materials holds, and how findings name its rows."""
