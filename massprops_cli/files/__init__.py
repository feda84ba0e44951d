"""Files and tables of cells: reading, writing, limits against hostile files; whole-or-nothing output."""
