"""Base parameters from the observation matrix of a trajectory, in double or in variable precision."""
