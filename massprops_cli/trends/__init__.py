"""Trends: revisions of a table as a curve, with plan, forecast and the steps between revisions."""
