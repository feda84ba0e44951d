"""Loading conditions: a table with items off, other masses, poses and quantities, and what all of them weigh."""
