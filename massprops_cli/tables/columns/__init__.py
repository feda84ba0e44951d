"""The meaning of columns: where the table is, its header, the quantity and unit of each column."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
