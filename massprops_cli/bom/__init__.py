"""Bills of materials: rows, tree and bodies together, and their results."""
