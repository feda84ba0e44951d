"""A table made into a bill of materials, and the totals it states held against its rows."""
