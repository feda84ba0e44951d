"""Roll-ups of bodies over a tree: sums, covariance, coverage, subtotals, contributions, probabilities."""
