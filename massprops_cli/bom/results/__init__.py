"""Results of a roll-up: uncertainties, probabilities, columns, dictionaries, the completed table."""
