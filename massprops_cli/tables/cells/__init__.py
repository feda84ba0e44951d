"""The meaning of single cells: numbers, units, flags, labels of totals."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
