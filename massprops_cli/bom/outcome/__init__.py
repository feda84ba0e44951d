"""What a roll-up gives, by name and as plain values, and what is to be said about it."""
