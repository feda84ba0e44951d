"""Liquids at rest in containers of any attitude: mass, centre and inertia, free surface, derivatives by fill."""
