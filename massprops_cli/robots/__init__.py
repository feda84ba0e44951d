"""Robot files that are changed: inertials of their links from a table."""
