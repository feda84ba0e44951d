"""Uncertainty to first order, exactly: the full covariance of every node's ten additive parameters (FORMULAS 4, 5)."""
