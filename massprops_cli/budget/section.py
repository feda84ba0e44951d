"""One table of a budget file, and how its faults are told: with file, line and key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from massprops_cli.budget.lines import Lines
from massprops_cli.budget.measures import written
from massprops_cli.findings import ConfigError, Place
from massprops_cli.findings.nearest import nearest


@dataclass(frozen=True, slots=True)
class Section:
    """What is ``given`` in one ``[[name]]`` of a file; ``name`` is empty for the file as a whole."""

    file: str
    name: str
    given: Mapping[str, Any]
    lines: Lines

    def get(self, key: str) -> Any:
        """Give the value of a key, or None."""
        return self.given.get(key)

    def place(self, key: str) -> Place:
        """Give the place of a key."""
        return Place(self.file, line=self.lines.of(key))

    def fault(self, key: str, message: str) -> ConfigError:
        """Make the error that says what is wrong with a key."""
        return ConfigError(f"{self.place(key)}: {f'{self.name}.' if self.name else ''}{key} {message}")

    def refused(self, key: str, wanted: str) -> ConfigError:
        """Make the error for a value of the wrong kind, or a key that is missing."""
        is_what = f"is {written(self.given[key])}" if key in self.given else "is missing"
        return self.fault(key, f"{is_what}; it takes {wanted}")

    def check_keys(self, known: Collection[str]) -> None:
        """Refuse a key that is not known, with the nearest that is."""
        for key in self.given:
            if key not in known:
                hint = nearest(key, known) or f"; the keys are {', '.join(known)}"
                raise self.fault(key, f"is not a key{hint} [MP902 unknown-key]")

    def word(self, key: str, known: Sequence[str]) -> str:
        """Read one of a few words, of which the first holds where none is given."""
        text = self.given.get(key, known[0])
        if text not in known:
            raise self.refused(key, " or ".join(known))
        return str(text)
