"""Ballast: least masses at given places that bring centre and inertia within limits, and balancing in two planes."""
