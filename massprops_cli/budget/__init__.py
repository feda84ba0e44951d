"""Weight budgets: what a budget file asks of the items of a table, and whether it is kept."""
