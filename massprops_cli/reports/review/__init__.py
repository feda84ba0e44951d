"""Design review reports: their content, and the files that are written of it."""
