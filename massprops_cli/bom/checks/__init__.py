"""Checks of a table by its own numbers: stated totals, assembly values, outliers, masses left out."""
