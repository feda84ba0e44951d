"""What was understood of a table, and what was left out."""
