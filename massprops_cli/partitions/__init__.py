"""Tables of parts of a tree: partition, reassembly, aggregation."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
