"""Recomputation of results by ways that share no code with the roll-up, live formulas, and control plans."""
