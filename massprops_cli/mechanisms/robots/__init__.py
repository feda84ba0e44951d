"""Mechanisms of robot descriptions: exact positions, rational attitudes of decimal angles."""
