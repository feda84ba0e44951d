"""What a bill of materials is asked: the roll-up, variants, what-if, who makes the mass and the uncertainty."""
