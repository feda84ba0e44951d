"""Mass budgets: limits, margins and waivers of a file, checked against a roll-up."""
