"""The meaning of single cells: numbers, units, flags, labels of totals."""
