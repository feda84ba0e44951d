"""MJCF: the models of MuJoCo."""
