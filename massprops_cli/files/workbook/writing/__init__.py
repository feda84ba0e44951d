"""Results into workbooks: the user's own, edited in place, or a fresh one."""
