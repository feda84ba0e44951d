"""Reports for machines: JUnit, SARIF, GitHub, GitLab, OpenMetrics, and the comment under a change; one module each.

Every format is a function of an ``Account`` alone: the same account gives the same bytes, on any day and machine.
"""
