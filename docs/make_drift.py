"""Draw ``drift.svg``: published and exact sigmas of every assembly of ``sample_data/nested.csv``.

python docs/make_drift.py
"""

from __future__ import annotations

from pathlib import Path

import massprops_cli as mp
from massprops_cli.reports.plots import methods_plot

ROOT = Path(__file__).parent.parent


def draw(path: Path) -> None:
    """Write the picture."""
    bom = mp.read_bom(str(ROOT / "sample_data" / "nested.csv"))
    exact, published = (mp.rollup(bom, uncertainty=method) for method in ("covariance", "massprops"))
    methods_plot(exact, published, str(path))


if __name__ == "__main__":
    draw(ROOT / "docs" / "drift.svg")
