"""Checks of a table by its own numbers: stated totals, assembly values, outliers, masses left out."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
