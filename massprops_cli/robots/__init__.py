"""Robots: URDF and SDF read, their inertials from geometry, their checks, and their files with other values."""
