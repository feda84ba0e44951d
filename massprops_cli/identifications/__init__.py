"""Identification: inertial parameters of a machine from its motion, with a mass table as prior."""
