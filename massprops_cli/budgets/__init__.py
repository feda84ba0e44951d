"""Mass budgets: limits, margins and waivers of a file, checked against a roll-up."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
