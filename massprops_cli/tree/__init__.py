"""Trees of items as arrays: parents in, levels and contiguous children out."""
