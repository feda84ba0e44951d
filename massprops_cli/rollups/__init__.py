"""Mass properties of every assembly, and how uncertain they are."""
