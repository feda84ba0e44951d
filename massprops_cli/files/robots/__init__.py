"""Robot descriptions: links, joints and inertials as their files state them, and their tables."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
