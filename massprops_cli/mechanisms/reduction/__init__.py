"""Mechanisms with fewer parameters and the same dynamics, and how they are written."""
