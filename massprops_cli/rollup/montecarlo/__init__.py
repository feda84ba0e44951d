"""Uncertainties by sampling: every input of every part drawn, the tree rolled up, again and again."""
