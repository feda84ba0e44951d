"""Bills of materials: rows, tree and bodies together, and their results."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
