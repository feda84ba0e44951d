"""Every rule: its code, name, default severity, summary, default remedy and effect on the result.

Blocks: 1xx files read and written, sheets; 2xx cells, columns and units; 3xx tree; 4xx physics; 5xx uncertainty; 6xx
budgets, conditions; 7xx bodies from shapes, poses, meshes; 8xx mechanisms, parts of trees, robots; 9xx massprops itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

STOPS = "stops"  # no table was identified, or its interpretation is ambiguous: nothing is computed
_NOT_WRITTEN = "not written"
"""The results that can be computed are printed; they are written only with ``--keep-going``."""
WRITTEN = "written"  # the result is printed and written; it is correct except for the subject of the finding


class Rule(NamedTuple):
    """One rule of the catalogue; ``effect`` is its effect on the result if it is an error."""

    code: str
    name: str
    severity: str
    summary: str
    remedy: str
    effect: str = _NOT_WRITTEN


RULES: dict[str, Rule] = {
    row[0]: Rule(*row) for row in json.loads(Path(__file__).with_name("rules.json").read_text("utf-8"))
}
"""Every rule by its code; ``rules.json`` has a line for each."""
