"""Pictures of text files: numbered lines, as an editor shows them."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from rich.cells import cell_len

FONTS = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace"
LINE, LETTER, EDGE = 20, 8, 36  # height of a line, width of a letter and of the line numbers, in px


def picture_of(path: Path, encoding: str = "utf-8") -> str:
    """Draw the lines of a file; tabs are drawn as arrows, bytes that are invalid in the encoding as � ."""
    text = path.read_bytes().decode(encoding, errors="replace").lstrip("\ufeff").replace("\t", "→   ")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    width, height = EDGE + 16 + LETTER * max(map(cell_len, lines)), LINE * len(lines) + 12
    parts = [
        f'<text x="{EDGE - 8}" y="{LINE * i + 4}" text-anchor="end" fill="#999">{i}</text>'
        f'<text x="{EDGE + 6}" y="{LINE * i + 4}" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines, 1)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{FONTS}" font-size="13" fill="#1a1a1a">\n'
        f'<rect width="{width}" height="{height}" fill="#fdfdfd" stroke="#d0d0d0"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )
