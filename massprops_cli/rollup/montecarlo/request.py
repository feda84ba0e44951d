"""What can be asked of a simulation: how it is to draw, and the results that it draws."""

from __future__ import annotations

from dataclasses import dataclass

RESULTS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "kx", "ky", "kz")
"""What is sampled of every item; tensors are about the sample's own centre."""
PERCENTS = (5.0, 50.0, 80.0, 90.0, 95.0)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample: how often, from which seed, errors of which kind, on how many cores or on which Dask scheduler."""

    samples: int = 10_000
    seed: int = 0
    distribution: str = "normal"
    workers: int = 1
    scheduler: str = ""
