"""Probabilities and intervals under the normal approximation."""
