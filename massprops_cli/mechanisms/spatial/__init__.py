"""Spatial operators of trees of bodies: dynamics, mass matrix, articulated bodies."""
