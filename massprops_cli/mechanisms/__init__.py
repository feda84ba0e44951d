"""Base inertial parameters of mechanisms: exact, structural, and numerical methods."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
