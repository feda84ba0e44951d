"""What a header says of its sigmas beside their name: how many sigmas a number is, or that it is a percentage."""

from __future__ import annotations

import re
from typing import NamedTuple

PERCENT = "%"
"""The unit of a column whose numbers are percentages of the values that they belong to."""

PERCENTS = ("%", "percent", "pct", "% of value", "rel. %", "relative %")
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_LEVEL = rf"(?:k\s*=\s*(?P<k>{_NUMBER})|(?:(?P<n>{_NUMBER})\s*-?\s*)?(?:σ|sigma))"
_COVERAGE = rf"[\s,;]+k\s*=\s*(?P<k>{_NUMBER})(?![\w.])"
_COUNTED = rf"(?<![\w.])(?P<n>{_NUMBER})\s*-?\s*(?:σ|sigma(?![a-z]))"
_BRACKET = r"[\s_,]*(?:\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\)|\{(?P<curly>[^{}]*)\})"
_EXPANDED = r"U\s*\(|expanded uncertainty"


class Said(NamedTuple):
    """A header without its words on sigmas: ``text``, and the ``levels`` these words state, in their order."""

    text: str
    levels: tuple[float, ...] = ()

    @property
    def level(self) -> float:
        """How many standard deviations a cell holds; 0 where the header does not say."""
        return self.levels[0] if self.levels else 0.0


def split_level(text: str) -> Said:
    """Take the words that say how many sigmas a number is out of a header.

    >>> split_level("sigma_mass [kg, k=2]"), split_level("3σ mass (lb)")
    (Said(text='sigma_mass [kg]', levels=(2.0,)), Said(text='σ mass (lb)', levels=(3.0,)))
    >>> split_level("sigma_mass [kg] (2σ)").text, split_level("2-sigma mass").text, split_level("mass [kg]").levels
    ('sigma_mass [kg]', 'sigma mass', ())
    """
    levels: list[float] = []

    def without(match: re.Match[str]) -> str:
        content = next(part for part in match.groups() if part is not None)
        parts = [part.strip() for part in re.split("[,;]", content)]
        read = [re.fullmatch(_LEVEL, part, re.IGNORECASE) for part in parts]
        if not any(read):
            return match[0]
        levels.extend(float(found["k"] or found["n"] or 1) for found in read if found)
        kept = ", ".join(part for part, found in zip(parts, read, strict=True) if not found)
        opening, closing = match[0].lstrip(" \t_,")[0], match[0][-1]
        return f" {opening}{kept}{closing}" if kept else ""

    def counted(match: re.Match[str]) -> str:
        levels.append(float(match["n"]))
        return "σ" if match[0].endswith("σ") else "sigma"

    def covered(match: re.Match[str]) -> str:
        levels.append(float(match["k"]))
        return ""

    # a name of the form σ(mass) keeps its brackets, since mass is no level
    bare = re.sub(_BRACKET, without, text)
    bare = re.sub(_COUNTED, counted, bare, flags=re.IGNORECASE)
    bare = re.sub(_COVERAGE, covered, bare, flags=re.IGNORECASE)
    return Said(bare.strip(), tuple(levels))


def is_expanded(text: str) -> bool:
    """Tell whether a header names an expanded uncertainty, which is k standard deviations with a k to be stated.

    >>> is_expanded("U(mass) [kg]"), is_expanded("u(mass) [kg]")
    (True, False)
    """
    return re.match(_EXPANDED, text.strip()) is not None


def is_percent(text: str) -> bool:
    """Tell whether a unit's text says that numbers are percentages.

    >>> is_percent("%"), is_percent("pct"), is_percent("kg")
    (True, True, False)
    """
    return text.strip().casefold() in PERCENTS
