"""Answers by other ways than the package's own, for the tests to compare with."""
