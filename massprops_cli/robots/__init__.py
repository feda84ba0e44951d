"""Robots: URDF and SDF read, their inertials from geometry, their checks, and the files written back."""
