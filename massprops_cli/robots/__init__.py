"""Robot files that are changed: inertials of their links from a table."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
