"""What all reports are made of: lines and columns of text, numbers, conventions, findings."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
