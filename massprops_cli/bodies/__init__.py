"""Rigid bodies as NumPy arrays: combine, move, rotate, principal axes, physical validity."""
