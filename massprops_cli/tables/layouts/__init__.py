"""How rows become a tree: one module per layout, each Table + Columns → Hierarchy + findings."""
