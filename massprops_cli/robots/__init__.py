"""Robots: URDF, SDF and MJCF read, their inertials from geometry, their checks, and their files with other values."""
