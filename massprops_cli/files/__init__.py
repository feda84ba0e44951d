"""Files and tables of cells: reading, writing, limits against hostile files; whole-or-nothing output."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
