"""Mechanisms without an exact pose: assembled to 300 digits, and their base parameters from balls."""
