"""Which columns make one quantity: a mass, a centre, a tensor, and the sigmas of each."""

from __future__ import annotations

from typing import NamedTuple

AXES = ("x", "y", "z")
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


class QuantitySet(NamedTuple):
    """One quantity and its columns, in the order of the arrays; ``allow`` is its word in ``--allow-missing``."""

    name: str
    columns: tuple[str, ...]
    allow: str
    words: str

    @property
    def is_sigma(self) -> bool:
        """Whether these are standard deviations."""
        return self.allow == "sigma"


MASS = QuantitySet("mass", ("mass",), "mass", "mass")
CENTER = QuantitySet("center", tuple(f"C{a}" for a in AXES), "center", "centre of mass")
INERTIA = QuantitySet("inertia", tuple(f"I{e}" for e in ENTRIES), "inertia", "inertia tensor")
SIGMA_MASS = QuantitySet("sigma_mass", ("sigma_mass",), "sigma", "sigma of mass")
SIGMA_CENTER = QuantitySet("sigma_center", tuple(f"sigma_C{a}" for a in AXES), "sigma", "sigma of the centre of mass")
SIGMA_INERTIA = QuantitySet(
    "sigma_inertia", tuple(f"sigma_I{e}" for e in ENTRIES), "sigma", "sigma of the inertia tensor"
)

VALUE_SETS = (MASS, CENTER, INERTIA)
SIGMA_SETS = (SIGMA_MASS, SIGMA_CENTER, SIGMA_INERTIA)
SETS = (*VALUE_SETS, *SIGMA_SETS)
SIGMA_COLUMNS = (slice(0, 1), slice(1, 4), slice(4, 10))
"""Where the sigmas of mass, centre and tensor are among the ten."""
RADII = ("kx", "ky", "kz")
SIGMA_RADII = ("sigma_kx", "sigma_ky", "sigma_kz")
