"""What a table means: its header, columns, numbers, units, rows that are not items, and its hierarchy."""
