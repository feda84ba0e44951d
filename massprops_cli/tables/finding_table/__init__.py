"""Where the table stands in a sheet that holds more than a table."""
