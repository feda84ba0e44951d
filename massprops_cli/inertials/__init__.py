"""Inertials of robots: computed from their geometry, and written into their files."""
