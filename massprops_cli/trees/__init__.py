"""A tree of items as a parent index: order, levels, children; faults of a tree."""
