"""What a roll-up of uncertainties is asked for: the method, whose errors are shared, how a mass is known."""
