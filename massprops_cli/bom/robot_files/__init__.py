"""Robot files that get the numbers of a table."""
