"""A tree of items as a parent index: order, levels, children; faults of a tree."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
