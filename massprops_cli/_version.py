"""The version, in the one place that packaging and the command line read."""

VERSION = "0.1.0"
