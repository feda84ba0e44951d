"""Workbooks: read behind a guard, edited in place, made anew."""
