"""Reports for machines: JUnit, SARIF, OpenMetrics, code hosts."""
