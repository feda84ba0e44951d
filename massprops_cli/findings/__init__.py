"""What is wrong with a table, said as values: findings with a rule, a place and a remedy."""

from massprops_cli.findings.errors import (
    ConfigError,
    FindingsError,
    MasspropsError,
    OutputError,
    TableError,
    UsageError,
)
from massprops_cli.findings.finding import Finding, Place, Severity, found

__all__ = [
    "ConfigError",
    "Finding",
    "FindingsError",
    "MasspropsError",
    "OutputError",
    "Place",
    "Severity",
    "TableError",
    "UsageError",
    "found",
]
