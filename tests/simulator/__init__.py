"""Simulator of mass lists: draws lists of known mass, writes them as engineers do, and judges the answers."""
