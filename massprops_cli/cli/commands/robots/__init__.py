"""Commands on the files of robots."""
