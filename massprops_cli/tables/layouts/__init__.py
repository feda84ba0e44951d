"""How a table states its hierarchy: one module a layout."""
