"""Base inertial parameters of mechanisms: exact, structural, and numerical methods."""
