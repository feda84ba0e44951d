"""Mesh files as arrays: STL by NumPy, other formats by trimesh in a process of its own."""
