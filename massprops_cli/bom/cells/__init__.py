"""From cells to arrays in item order: numbers, marks and quantities, checked one item at a time."""
