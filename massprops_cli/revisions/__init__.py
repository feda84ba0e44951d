"""Two revisions of a table: matched items, changes, and what each change contributes."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
