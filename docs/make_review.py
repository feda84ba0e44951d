"""Draw the pictures of docs/internals/review_pictures.md with Chromium: ``python docs/make_review.py``."""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PIL import Image

import massprops as mp
from benchmarks.bench_report import table
from tests.cli.browser import Browser

ROOT = Path(__file__).resolve().parents[1]
REVIEW, FOLDER = ROOT / "sample_data" / "review", ROOT / "docs" / "pictures" / "review"
COLORS = 64  # of a picture, which is then a fifth of its size


def main() -> None:
    """Draw each section, a phone, dark mode, print, and the first screen of 100,000 items."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, Browser() as one:
        page, large = Path(name, "review.html"), Path(name, "large.html")
        os.chdir(REVIEW)
        mp.rollup("satellite_cdr.csv").report(page, budget="budget.toml", baseline="satellite_pdr.csv")
        table(100_000, large.with_suffix(".csv"))
        mp.rollup(large.with_suffix(".csv")).report(large)
        one.open(page)
        sections = one.run("[...document.querySelectorAll('section')].map(at => at.id)")
        for section in sections:
            at = f"document.getElementById('{section}').getBoundingClientRect()"
            box = one.run(f"(at => [at.x, at.y, at.width, at.height])({at})")
            shot(one, section, (box[0], box[1], box[2], min(box[3], 900)))
        one.open(page, dark=True)
        shot(one, "dark", (0, 0, 1200, 1500))
        one.open(page, 390)
        shot(one, "phone", (0, 0, 390, 1800))
        one.open(large)
        one.run("new Promise(done => setTimeout(done, 3000))")
        shot(one, "large", (0, 0, 1200, 1300))


def shot(one: Browser, name: str, box: tuple[float, float, float, float]) -> None:
    """Save a part of the page, x, y, width and height in its pixels, with few colors."""
    clip = dict(zip(("x", "y", "width", "height"), box, strict=True), scale=0.6)
    data = base64.b64decode(one.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"])
    picture = Image.open(io.BytesIO(data)).convert("RGB").quantize(COLORS)
    picture.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
