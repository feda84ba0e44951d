"""Robots that rows of a table name: their links as items, and sigmas of links by name."""
