"""Roll-ups of bodies over a tree: sums, covariance, coverage, subtotals, contributions, probabilities."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
