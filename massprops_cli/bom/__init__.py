"""Rows, tree and bodies together: the one place where rows become arrays, and arrays become rows."""
