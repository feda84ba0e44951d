"""Rows that are no items, and rows chosen by what their cells say."""
