"""Inertials of robots that follow from their geometry: computed in memory, or written into their files."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
