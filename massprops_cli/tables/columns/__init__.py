"""Header cells → columns of quantities with their units: names, synonyms, tuples, sigmas."""
