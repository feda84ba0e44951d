"""Weight reports of other programs, read as tables."""
