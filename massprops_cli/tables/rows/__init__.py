"""The meaning of rows: items, totals and other excluded rows; identifiers and parents."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
