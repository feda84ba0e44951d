"""What a table means: its header, columns, numbers, units, rows that are not items, and its hierarchy."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
