"""Monte Carlo roll-ups: inputs, draws in fixed blocks, samples and their statistics."""
