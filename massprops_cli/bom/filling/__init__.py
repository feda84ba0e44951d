"""Results put into the user's own table, in its units and in its way of writing numbers."""
