"""Text formats: delimited, JSON records, Markdown; encodings, and what a spreadsheet would run."""
