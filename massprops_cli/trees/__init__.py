"""Trees of items as arrays."""
