"""A design review as one HTML file: no network, a content security policy with hashes, whole without its script."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from massprops_cli.bom.items.result_columns import CENTER
from massprops_cli.findings.finding import UsageError
from massprops_cli.reports.pictures.svg import palette_css, xml_text
from massprops_cli.reports.review import content
from massprops_cli.reports.review.content import Review
from massprops_cli.reports.review.masses import item_rows
from massprops_cli.reports.review.sections import report_date

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FOLDER = Path(__file__).parent
_LIVE_HASH = "sha256-RryPTiPPx3N7KCmsm291ZXEzUvsLis6tZf2WKG4I87U="
"""Hash of ``live/echarts.min.js``, which the policy of a page allows; browsers run no other file."""
_LONGEST_WORD = 24  # characters that a line holds in a narrow column
_LARGEST_LOGO = 1_000_000  # bytes
_PACKED_FROM = 100_000  # characters of the items, from which they are compressed
_LOGO_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png"}


def review_page(review: Review, sections: Sequence[content.Section], *, is_printed: bool = False) -> str:
    """Return a review as HTML; one that is printed has no script."""
    settings = review.settings
    style = palette_css() + (_FOLDER / "page.css").read_text("utf-8") + _page_header_css(review)
    script = (_FOLDER / "page.js").read_text("utf-8")
    data = _item_data(review) if not is_printed and any(one.name in ("items", "mass") for one in sections) else ""
    live = "" if settings.is_static or not data else (_FOLDER / "live" / "echarts.min.js").read_text("utf-8")
    hashes = [_hash(script), *([_LIVE_HASH] if live else [])]
    policy = f"default-src 'none'; style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    policy += f"; script-src {' '.join(repr(one) for one in hashes)}"
    links = "".join(f'<li><a href="#{one.name}">{xml_text(one.title)}</a></li>' for one in sections)
    notice = (
        f"<!-- {(_FOLDER / 'live' / 'NOTICE').read_text('utf-8').strip()}\nLicensed under the Apache License 2.0 -->"
    )
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{xml_text(review.title)}</title><style>{style}</style></head><body>",
        _page_head(review),
        f'<nav aria-label="sections"><ul>{links}</ul></nav><main>',
        *(_section(one) for one in sections),
        "</main>",
        f"<footer>{xml_text(_about_line(review))}</footer>",
        data,
        f"{notice}<script>{live}</script>" if live else "",
        "" if is_printed else f"<script>{script}</script>",
        "</body></html>\n",
    ]
    return "".join(parts)


def _hash(text: str) -> str:
    """Return the hash of an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _page_head(review: Review) -> str:
    """Return logo, title and what the report is about."""
    settings = review.settings
    logo = f'<img alt="" src="{_logo_address(settings.logo)}">' if settings.logo else ""
    about = f'<p class="about">{xml_text(_about_line(review))}</p>'
    return f"<header>{logo}<div><h1>{xml_text(review.title)}</h1>{about}</div></header>"


def _about_line(review: Review) -> str:
    """Return project, revision, author, date and root on one line."""
    settings = review.settings
    parts = [settings.project, f"revision {settings.revision}" if settings.revision else "", settings.author]
    return " · ".join(part for part in (*parts, report_date(review), review.name) if part)


def _page_header_css(review: Review) -> str:
    """Return the running header of printed pages: project and revision, title, page."""
    project, revision = review.settings.project, review.settings.revision
    left = " · ".join(filter(None, (project, revision and f"revision {revision}")))
    font = "font:8pt sans-serif;color:#57606a"
    return (
        f"@page{{margin:18mm 14mm 16mm;@top-left{{content:{_css_text(left or review.name)};{font}}}"
        f"@top-right{{content:{_css_text(review.title[:80])};{font}}}"
        f'@bottom-right{{content:counter(page) " / " counter(pages);{font}}}}}'
    )


def _css_text(text: str) -> str:
    """Write a text of the user as a string of CSS; all but letters and digits of ASCII are escaped."""
    bare = html.unescape(xml_text(text))
    return '"' + "".join(one if one.isascii() and one.isalnum() else f"\\{ord(one):06x}" for one in bare) + '"'


def _logo_address(name: str) -> str:
    """Return a logo as a data address; UsageError if it is neither png nor svg, or too large."""
    path = Path(name)
    try:
        size = path.stat().st_size
        if size > _LARGEST_LOGO:
            raise UsageError(f"{name}: logo has {size:,} bytes (expected at most {_LARGEST_LOGO:,}); scale it down")
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: logo cannot be read: {(error.strerror or str(error)).lower()}") from None
    kind = next((kind for head, kind in _LOGO_KINDS.items() if content.startswith(head)), "")
    if not kind and re.match(rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<svg[\s>]", content[:4000], re.DOTALL):
        kind = "image/svg+xml"
    if not kind:
        raise UsageError(f"{name}: logo is not an svg or png image; save it as one of these")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _section(section: content.Section) -> str:
    """Return a section."""
    blocks, name = "".join(map(_block, section.blocks)), section.name
    head = f'<h2 id="{name}-title">{xml_text(section.title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">{head}{blocks}</section>'


def _block(block: content.ReviewBlock) -> str:
    """Return a block."""
    return str(_BLOCKS[type(block)](block))


def _pictures(block: content.Pictures) -> str:
    """Return pictures next to each other, each with a class for its width."""
    kinds = ["wide" if one.width > 500 else "square" if one.width > 320 else "small" for one in block.pictures]
    drawn = [
        one.svg().replace("<svg ", f'<svg class="{kind}" ', 1) for one, kind in zip(block.pictures, kinds, strict=True)
    ]
    name = f' id="live-{block.live}"' if block.live else ""
    return f'<div class="pictures"{name}>{"".join(f"<figure>{one}</figure>" for one in drawn)}</div>'


def _fact(row: tuple[str, str, str]) -> str:
    """Return a named value."""
    name, value, more = map(xml_text, row)
    return f"<div><dt>{name}</dt><dd>{value}</dd>" + (f'<dd class="more">{more}</dd>' if more else "") + "</div>"


def _table(table: content.DataTable, name: str = "") -> str:
    """Return a table; numbers of a column end at the same decimal."""
    columns = [[row[j] for row in table.rows] for j in range(len(table.heads))]
    texts = [_aligned_numbers(one) if kind == "d" else one for one, kind in zip(columns, table.align, strict=True)]
    heads = "".join(
        f'<th scope="col" class="{kind}">{xml_text(head)}</th>'
        for head, kind in zip(table.heads, table.align, strict=True)
    )
    tags = [f'<tr class="{look}">' if look else "<tr>" for look in table.looks or [""] * len(table.rows)]
    cells = ["".join(_cells(row, table.align)) for row in zip(*texts, strict=True)]
    rows = "".join(f"{tag}{row}</tr>" for tag, row in zip(tags, cells, strict=True))
    caption = xml_text(table.caption)
    place = f' id="{name}"' if name else ""
    inside = f"<caption>{caption}</caption><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>"
    return f'<div class="scroll"{place} tabindex="0" role="region" aria-label="{caption}"><table>{inside}</table></div>'


def _cells(cells: Sequence[str], align: str) -> Iterator[str]:
    """Yield the cells of a row; the first one is its head."""
    for j, (text, kind) in enumerate(zip(cells, align, strict=True)):
        tag = "td" if j else 'th scope="row"'
        yield f'<{tag} class="{kind}">{_breakable(text)}</{tag[:2]}>'


def _breakable(text: str) -> str:
    """Return a text in which long words may be broken."""
    if max(map(len, text.split()), default=0) <= _LONGEST_WORD:
        return xml_text(text)
    return "<wbr>".join(xml_text(text[k : k + _LONGEST_WORD]) for k in range(0, len(text), _LONGEST_WORD))


def _aligned_numbers(texts: Sequence[str]) -> list[str]:
    """Pad numbers behind their decimals with blanks of the width of a digit, so that decimal marks are aligned."""
    found = [re.fullmatch(r"(.*?[0-9])(?:\.([0-9]+))?(\D*)", text) if "e" not in text else None for text in texts]
    most = max((len(one[2] or "") for one in found if one), default=0)
    if not most:
        return list(texts)
    return [
        text
        if one is None or one[3].strip()
        else text + ("" if one[2] else "\u2008") + "\u2007" * (most - len(one[2] or ""))
        for text, one in zip(texts, found, strict=True)
    ]


@cache
def _markdown() -> MarkdownIt:
    """Return a reader of Markdown without HTML and without images, which would open connections."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(["image", "html_block", "html_inline"])


def _remark_html(text: str) -> str:
    """Return Markdown of the user as HTML; addresses other than those of pages and mail are not links."""
    bare = "\n".join(html.unescape(xml_text(line)) for line in text.splitlines())
    made: str = _markdown().render(bare)
    return re.sub(r'<a href="(?!https?://|mailto:|#)[^"]*"', "<a", made).replace(
        "<a href=", '<a rel="noreferrer" href='
    )


def _item_data(review: Review) -> str:
    """Return the items for the script, packed if they are many."""
    rows = item_rows(review)
    result = review.result

    def column(head: str, values: Any, align: str = "d") -> dict[str, Any]:
        return {"head": head, "align": align, "values": _rounded(values) if align == "d" else values}

    unit, length = (f" [{text}]" if text else "" for text in (review.unit, review.length))
    columns = [column("qty", rows.pieces), column(f"mass each{unit}", rows.mass)]
    columns.append(column(f"mass of all{unit}", rows.total))
    if rows.sigma is not None:
        columns.append(column(f"σ each{unit}", rows.sigma))
    columns += [column(name + length, values) for name, values in zip(CENTER.columns, rows.center, strict=False)]
    columns.append(column("row", rows.places, "l"))
    data = {
        "unit": review.unit,
        "ids": rows.ids,
        "names": rows.names if any(rows.names) else None,
        "level": rows.level,
        "total": _rounded(rows.total),
        "sigma": None if rows.sigma is None else _rounded(rows.sigma, 2),
        "places": rows.places,
        "columns": columns,
    }
    if "mass" not in result.bom.columns.by_quantity:
        data["total"] = None
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    look = f'id="item-data" data-depth="{review.settings.depth}"'
    if len(text) < _PACKED_FROM:
        return f'<script type="application/json" {look}>{text}</script>'
    packed = base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    return f'<script type="application/octet-stream" {look} data-packed="gzip">{packed}</script>'


def _rounded(values: Any, digits: int = 6) -> list[float | int | None]:
    """Return numbers (n,) to some digits, as short as JSON has them; None where unknown."""
    found: list[float | int | None] = []
    for value in np.asarray(values, float).tolist():
        number = float(f"{value:.{digits}g}") if np.isfinite(value) else None
        found.append(int(number) if number is not None and abs(number) < 1e15 and number == int(number) else number)
    return found


_BLOCKS: dict[type, Callable[[Any], str]] = {
    content.Words: lambda block: f'<p class="{block.look or "plain"}">{xml_text(block.text)}</p>',
    content.Remark: lambda block: f'<div class="remark">{_remark_html(block.text)}</div>',
    content.DataTable: _table,
    content.Facts: lambda block: f'<dl class="facts">{"".join(map(_fact, block.rows))}</dl>',
    content.Pictures: _pictures,
    content.ItemTable: lambda block: _table(block.rows, "item-table"),
    content.Fold: lambda block: (
        f"<details><summary>{xml_text(block.summary)}</summary>{''.join(map(_block, block.blocks))}</details>"
    ),
}
