"""Findings with rule, severity, place and remedy; the catalogue of rules; the exceptions."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
