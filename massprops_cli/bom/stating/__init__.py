"""Uncertainties as a table states them: sigmas, bounds, methods, distributions, shared errors."""
