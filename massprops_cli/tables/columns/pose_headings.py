"""Headers of poses: the origin and the axes of an item's frame in that of its parent, and patterns of pieces.

Short names such as ``tx`` and ``frame`` mean other things elsewhere. They are read only where a table has the three
coordinates of an origin, or a column ``frame`` next to a complete rotation or a pattern.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from massprops_cli.findings.finding import Findings
from massprops_cli.tables import options
from massprops_cli.tables.cells.number_text import words
from massprops_cli.tables.columns.headings import Heading, heading_sigma_levels, squeeze_text

POSE_ROTATIONS = {
    "roll, pitch and yaw": options.POSE_ANGLES,
    "quaternion": options.POSE_QUATERNION,
    "axis and angle": options.POSE_AXIS_ANGLE,
    "direction cosines": options.POSE_COSINES,
}
"""The forms of a rotation, each with its columns."""
ANGLE_UNITS = {"deg": 1.0, "arcmin": 1 / 60, "arcsec": 1 / 3600, "rad": 1.0, "mrad": 1e-3}
"""Units of angles: degrees and their parts as degrees, the others as radians."""


@cache
def _pose_names() -> dict[str, str]:
    """Load what headers mean: squeezed text → quantity."""
    known = {squeeze_text(name): name for name in options.POSE_QUANTITIES}
    for quantity, headers in words("poses")["headings"].items():
        for axis in "xyz" if "{x}" in quantity else ("",):
            for header in headers:
                known[squeeze_text(header.replace("{x}", axis))] = quantity.replace("{x}", axis)
    return known


def angle_unit(text: str) -> str | None:
    """Read a unit of angles."""
    return words("poses")["angles"].get(text.strip().strip("[](){}").strip().lower().rstrip(".")) or None


def check_angle_unit(name: str, text: str, findings: Findings) -> None:
    """Report a text of ``--unit`` that is not a unit of angles."""
    if angle_unit(text) is None:
        message, remedy = f"--unit {name}: not a unit of angles: {text}", f"pass --unit {name}=deg or --unit {name}=rad"
        findings.report("MP207", message, value=text, remedy=remedy)


def _split_heading_unit(text: str) -> tuple[str, str]:
    """Split a header into its name and the unit behind it: in brackets, or a unit of angles as last word."""
    bare = text.strip()
    if (bracket := re.search(r"[\[({]([^\[\](){}]*)[\])}]", bare)) is not None:
        return bare[: bracket.start()], bracket[1].strip()
    if (match := re.fullmatch(r"(.+?)[\s_,/]+(\S+)", bare)) is not None and angle_unit(match[2]):
        return match[1], match[2]
    return bare, ""


def with_pose_headings(texts: Sequence[str], headings: list[Heading]) -> list[Heading]:
    """Add the headings of poses and patterns to the headings (n,) of a table that has them."""
    parts = [_split_heading_unit(text) for text in texts]
    names = [_pose_names().get(squeeze_text(name), "") for name, _ in parts]
    free = [name if not heading.quantity else "" for name, heading in zip(names, headings, strict=True)]
    present = set(free)
    whole = any(present.issuperset(columns) for columns in POSE_ROTATIONS.values())
    if not present.issuperset(options.POSE_LENGTHS) and not (
        "frame" in present and (whole or options.PATTERN_QUANTITIES[0] in present)
    ):
        return headings
    return [
        Heading(name, unit, levels=heading_sigma_levels(text, name)) if name else heading
        for text, (_, unit), name, heading in zip(texts, parts, free, headings, strict=True)
    ]


def stated_angle_unit(header: str, quantity: str, below: str, requested: Mapping[str, str]) -> tuple[str, str]:
    """Find the unit of a column of angles: by option, in the header, in the row of units."""
    parts = [*re.split(r"[\[\](){},;]+", header)[1:], _split_heading_unit(header)[1]]
    found = [
        (angle_unit(requested.get(quantity) or requested.get("angle") or ""), "--unit"),
        (next((unit for word in parts if (unit := angle_unit(word))), None), "header"),
        (angle_unit(below), "units row"),
    ]
    return next(((unit, source) for unit, source in found if unit), ("", ""))
