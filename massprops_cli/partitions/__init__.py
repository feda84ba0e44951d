"""Tables of parts of a tree: partition, reassembly, aggregation."""
