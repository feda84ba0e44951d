"""Two revisions of a table: matched items, changes, and what each change contributes."""
