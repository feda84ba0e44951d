"""The quantities of a table and their units."""
