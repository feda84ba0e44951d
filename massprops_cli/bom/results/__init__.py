"""Results of a roll-up: uncertainties, probabilities, columns, dictionaries, the completed table."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
