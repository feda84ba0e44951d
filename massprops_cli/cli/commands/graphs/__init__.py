"""Commands on the graph of a tree: parts of tables, operators of mechanisms."""
