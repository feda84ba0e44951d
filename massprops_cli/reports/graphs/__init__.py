"""Graphs of trees and what is computed with them, for the screen and as pictures."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
