"""Configuration of a table: where its file is, what the file may state, and the settings that result."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
