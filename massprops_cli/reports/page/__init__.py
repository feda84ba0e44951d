"""What all reports are made of: lines and columns of text, numbers, conventions, findings."""
