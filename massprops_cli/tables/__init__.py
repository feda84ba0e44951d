"""What a table means: its header, units, numbers, marks and layout. Knows files only as a Table of texts."""
