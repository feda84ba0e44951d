"""Mesh files as arrays: STL by NumPy, other formats by trimesh in a process of its own."""

from massprops_cli._front import lazy_front

__getattr__, __dir__ = lazy_front(__name__, __file__)
