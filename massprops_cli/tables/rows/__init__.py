"""The meaning of rows: items, totals and other excluded rows; identifiers and parents."""
