"""Monte Carlo roll-ups: inputs, draws in fixed blocks, samples and their statistics."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
