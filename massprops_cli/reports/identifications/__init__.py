"""Reports of identifications."""
