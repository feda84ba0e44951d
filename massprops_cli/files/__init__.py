"""Bytes to tables and back: one module per format, a guard against hostile containers, whole-or-nothing writing."""
