"""The exception family: wrong calls raise, bad data does not.

MasspropsError
├── UsageError       a call or an option that cannot be carried out
│   └── ConfigError  a massprops.toml that cannot be understood
├── TableError       no table could be read; carries the findings that say why
├── FindingsError    the table has errors and the caller asked for a result; carries the findings
└── OutputError      an output could not be written; the old file, if any, is intact
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from massprops_cli.findings.finding import Finding


class MasspropsError(Exception):
    """Base of every exception that this package raises on purpose."""


class UsageError(MasspropsError):
    """A call or an option that cannot be carried out."""


class ConfigError(UsageError):
    """A configuration file that cannot be understood."""


class OutputError(MasspropsError):
    """An output that could not be written; whatever stood there before is intact."""


class _WithFindings(MasspropsError):  # noqa: N818  (a base of errors, never raised itself)
    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(str(finding) for finding in findings))
        self.findings = tuple(findings)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.findings,)


class TableError(_WithFindings):
    """No table could be read; ``findings`` say why."""


class FindingsError(_WithFindings):
    """The table has errors, so there is no result; ``findings`` holds all of them."""
