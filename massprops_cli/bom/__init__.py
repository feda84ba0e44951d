"""Bills of materials: rows, tree and bodies together, and the questions that are put to them."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
