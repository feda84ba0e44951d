"""Reports of other programs, read as tables."""
