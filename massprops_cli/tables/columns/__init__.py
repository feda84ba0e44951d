"""The meaning of columns: where the table is, its header, the quantity and unit of each column."""
