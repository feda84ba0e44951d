"""Rigid bodies as arrays: mass, centre, tensor; moving, adding, validity, principal axes."""
