"""Ids, names and labels of a table's items."""
