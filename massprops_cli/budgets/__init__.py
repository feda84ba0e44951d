"""Weight budgets."""
