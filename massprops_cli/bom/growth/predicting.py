"""Predicted mass properties: every part with its growth, rolled up.

Growth sits at the part's own centre and is spread as its mass is: m' = m (1 + g), I' = I (1 + g), the centre stays.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bodies.bodies import Bodies
from massprops_cli.bom.items.content import Content
from massprops_cli.rollup.roll_up import roll_up
from massprops_cli.rollup.rolled import Rollup

Floats = NDArray[np.float64]


def predicted(bom: Content) -> Rollup | None:
    """Roll up what is predicted, without sigmas; None where nothing states growth.

    A part whose growth is not known has no predicted mass: what it is in lacks it, as it would a blank mass.

    >>> from massprops_cli.bom.bom import Bom
    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0, "mga [%]": 50}, {"id": "b", "parent": "top", "mass": 3.0}]
    >>> rolled = predicted(Bom.from_records([{"id": "top", "parent": ""}, *parts]))
    >>> rolled.bodies.mass.tolist(), rolled.coverage.known_mass.tolist()
    ([3.0, 3.0, 0.0], [1, 1, 0])
    """
    if bom.growth is None:
        return None
    bodies = grown(bom.bodies, bom.growth)
    return roll_up(bom.tree, bodies, None, bom.quantity, method="none", stated=bom.stated)


def grown(bodies: Bodies, growth: Floats) -> Bodies:
    """Give bodies with their growth, a share of each mass ``(n,)``; NaN makes a mass one that is not known.

    >>> two = Bodies(np.array([2.0, 3.0]), None, np.array([[4.0] * 6, [1.0] * 6]), np.zeros(2, bool))
    >>> grown(two, np.array([0.5, 0.0])).mass.tolist(), grown(two, np.array([0.5, 0.0])).inertia[0, 0]
    ([3.0, 3.0], np.float64(6.0))
    """
    known = ~np.isnan(growth)
    share = np.where(known, growth, 0.0)
    mass = np.where(known, bodies.mass + bodies.mass * share, 0.0)  # 12.5 + 1.25, not 12.5 × 1.1 and its rounding
    has_mass = known if bodies.has_mass is None else bodies.has_mass & known
    inertia = None if bodies.inertia is None else bodies.inertia + bodies.inertia * share[:, None]
    return replace(bodies, mass=mass, inertia=inertia, has_mass=has_mass)
