"""Findings with rule, severity, place and remedy; the catalogue of rules; the exceptions."""
