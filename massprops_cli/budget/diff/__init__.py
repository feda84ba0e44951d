"""What changed between two revisions of a table, and what each change did to the totals."""
