"""Items of a table as arrays: masses, centres, inertia, quantities, growth, uncertainties and their columns."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
