"""Configuration of a table: where its file is, what the file may state, and the settings that result."""
