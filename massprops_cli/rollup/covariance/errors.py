"""What the errors of a tree's own numbers are, whose are shared, and which leaves stand for whole branches."""

from __future__ import annotations

from typing import NamedTuple

from massprops_cli.bodies.bodies import Sigmas
from massprops_cli.rollup.correlation import Correlation
from massprops_cli.rollup.covariance.packed import Covariances
from massprops_cli.rollup.quantity import Quantity


class Errors(NamedTuple):
    """The errors that go up a tree.

    ``given`` items are leaves that stand for branches: their covariances, which hold no shared errors, go up instead
    of their sigmas.
    """

    sigmas: Sigmas
    quantity: Quantity
    correlation: Correlation
    given: Covariances | None = None
