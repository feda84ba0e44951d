"""Pages of a report: lines and grids of styled text, laid out for a terminal width or without one.

A *span* is a text with a style; a *line* is a sequence of spans; a *grid* is rows of cells in aligned columns,
optionally with bars and with one column that is shortened on a narrow screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from operator import add
from typing import TYPE_CHECKING, NamedTuple, TextIO
from unicodedata import east_asian_width

from massprops_cli.findings.finding import Finding, Severity, finding_counts_text

if TYPE_CHECKING:
    from rich.console import Console

_BAR_MAX_WIDTH, _BAR_MIN_WIDTH, _COLUMN_GAP = 32, 6, 2
_DIRECTIONS = "\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f"
_CONTROL = f"[\x00-\x1f\x7f-\x9f{_DIRECTIONS}]+"  # as below, also tabs and line ends
_CONTROL_BUT_LINES = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_DIRECTIONS}]|\r(?!\n)")
"""Characters that move the cursor of a terminal, or change the order of a line."""
_WORKFLOW_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#\[)", re.MULTILINE)
"""What a log of continuous integration runs: two colons at the start of a line, and the older form anywhere in it."""
_MARKDOWN_WIDTH = 100
_LONGEST_ECHO = 1_000
"""Characters of a text of the user in a report, or of a message; the middle of a longer one is cut."""
_MIN_LABEL_WIDTH = 18  # to which the column that is shortened shrinks before others are dropped
_NUMBER_PATTERN = r"(?P<sign>(\+/-|[^\w.+-])*)(?P<whole>[-+]?\d[\d,]*|-)(?P<rest>(\.\d+)?[^ ]*)"
"""A number with the symbol before it (at least, plus or minus), or the dash of an unknown number."""
_SPAN_STYLES = {
    "good": "bold green", "bad": "bold red", "warn": "yellow", "note": "cyan", "dim": "dim", "strong": "bold",
    "bar": "blue", "": "",
}  # fmt: skip
_STYLES_OF_16_COLORS = {"dim": "", "bar": "cyan"}
"""Styles of terminals with 16 colours, whose dim texts and blue are hardly readable on black."""


def escape_control_characters(text: str) -> str:
    r"""Escape what would control a terminal as ``\uXXXX``, which is valid in JSON."""
    return _CONTROL_BUT_LINES.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def escape_workflow_commands(text: str) -> str:
    """Separate the two characters with which a command to a host of code begins."""
    return _WORKFLOW_COMMAND.sub(lambda found: f"{found.group()} ", text)


def shorten_echo(text: str) -> str:
    """Cut the middle of a very long text, such as an id or an option of a million characters."""
    return text if len(text) <= _LONGEST_ECHO else f"{text[: _LONGEST_ECHO // 2]} … {text[-_LONGEST_ECHO // 2 :]}"


class _StyledText(NamedTuple):
    """The fields of a span."""

    text: str
    style: str = ""


class TextSpan(_StyledText):
    """A text in one style, such as good, warn or dim; control characters, harmful to terminals, become blanks."""

    __slots__ = ()

    def __new__(cls, text: str, style: str = "") -> TextSpan:
        """Replace control characters by blanks; none of them is printable."""
        return super().__new__(cls, text if text.isprintable() else re.sub(_CONTROL, " ", text), style)


class Line(NamedTuple):
    """A sequence of spans, continued with the indent ``hang``; a command is broken between spans, as in a shell."""

    spans: tuple[TextSpan, ...] = ()
    hang: int = 0
    is_command: bool = False

    @property
    def text(self) -> str:
        """The text of all spans."""
        return "".join(span.text for span in self.spans)


class Grid(NamedTuple):
    """Rows of cells in aligned columns."""

    rows: Sequence[Sequence[TextSpan]]
    align: str
    """Per column: l left, r right, d, n and s at the decimal point; n and s one blank after the column before."""
    bars: Sequence[float] | None = None  # shares from 0 to 1 (rows,), drawn after the last column
    shrink: int | None = None  # column that is shortened on a narrow screen
    indent: int = 2  # blanks before each row
    narrow: Grid | None = None  # replacement on a narrow screen
    drops: Sequence[Sequence[int]] = ()  # columns that a narrow screen lacks, the first group first


class SideBySide(NamedTuple):
    """Two pages side by side if they fit, else one below the other."""

    left: Sequence[Line | Grid]
    right: Sequence[Line | Grid]


class Notes(NamedTuple):
    """Pairs of a name and a text: a line each in a pipe or a file, one paragraph on a terminal."""

    rows: Sequence[tuple[str, str]]


PageBlock = Line | Grid | SideBySide | Notes


class Symbols(NamedTuple):
    """Symbols of a page; ASCII if the encoding has no others."""

    good: str
    bad: str
    plus_minus: str
    sigma: str
    arrow: str
    full: str
    parts: str
    dot: str
    rest: str
    branch: tuple[str, str, str]
    """Before a child that has more after it, before the last child, and below a child that has more after it."""
    times: str
    heights: str  # blocks from the lowest to the highest, for a histogram on one line

    def mark(self, failed: bool) -> TextSpan:
        """Return the tick, or the cross of what failed."""
        return TextSpan(self.bad, "bad") if failed else TextSpan(self.good, "good")


UNICODE = Symbols("✔", "✘", "±", "σ", "→", "█", "▏▎▍▌▋▊▉", "·", "…", ("├─ ", "└─ ", "│  "), "×", "▁▂▃▄▅▆▇█")
ASCII = Symbols("ok:", "failed:", "+/-", "sigma", "->", "#", "", "*", "..", ("|- ", "`- ", "|  "), "x", "_.:-=+*#")


def symbols_for(encoding: str | None) -> Symbols:
    """Choose the symbols that an encoding can represent."""
    try:
        "✔✘±σ→█▏▎▍▌▋▊▉▁▂▃▄▅▆▇·…├└│─×²∫−".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


def _page_lines(blocks: Sequence[PageBlock], width: int | None, symbols: Symbols) -> Iterator[Line]:
    """Turn blocks into lines no wider than ``width``; with None, without wrapping."""
    for block in blocks:
        if isinstance(block, Line):
            spans = [
                span if len(span.text) <= _LONGEST_ECHO else span._replace(text=shorten_echo(span.text))
                for span in block.spans
            ]
            line = block if block.is_command else block._replace(spans=tuple(spans))
            yield from _wrap_line(line, width)
        elif isinstance(block, Notes):
            yield from _note_lines(block.rows, width, symbols)
        elif isinstance(block, Grid):
            yield from _grid_lines(block, width, symbols)
        else:
            yield from _side_by_side_lines(block, width, symbols)


def _side_by_side_lines(block: SideBySide, width: int | None, symbols: Symbols) -> Iterator[Line]:
    """Lay out two pages side by side if both fit."""
    if width is not None:
        left = list(_page_lines(block.left, None, symbols))
        widest = max((_display_width(line.text) for line in left), default=0)
        if (room := width - widest - 6) >= 64:
            right = list(_page_lines(block.right, room, symbols))
            for a, b in zip_longest(left, right, fillvalue=Line()):
                pad = TextSpan(" " * (widest + 6 - _display_width(a.text)) if b.spans else "")
                yield Line((*a.spans, pad, *b.spans))
            return
    yield from _page_lines(block.left, width, symbols)
    yield Line()
    yield from _page_lines(block.right, width, symbols)


def _note_lines(rows: Sequence[tuple[str, str]], width: int | None, symbols: Symbols) -> Iterator[Line]:
    """Lay out pairs of name and text."""
    if width is None:
        widest = max(len(name) for name, _ in rows)
        yield Line()
        yield from (Line((TextSpan(f"  {name:{widest}}  {words}", "dim"),)) for name, words in rows)
        return
    texts = (f"{name} {words}" if name else words for name, words in rows)
    yield from _wrap_line(Line((TextSpan("  " + f" {symbols.dot} ".join(texts), "dim"),), 2), width)


def _display_width(text: str) -> int:
    """Count the columns of a text on a screen; an East Asian wide character has two."""
    return len(text) if text.isascii() else len(text) + len(text.translate(_WIDE_CHARACTERS))


def _display_widths(texts: Sequence[str]) -> list[int]:
    """Count the columns of several texts."""
    return list(map(len if "".join(texts).isascii() else _display_width, texts))


class _WideCharacters(dict[int, str | None]):
    """Wide characters by their codes, None for others, each from its first use on."""

    def __missing__(self, code: int) -> str | None:
        found = self[code] = chr(code) if east_asian_width(chr(code)) in "WF" else None
        return found


_WIDE_CHARACTERS = _WideCharacters()


def shorten_text(text: str, most: int, symbols: Symbols) -> str:
    """Cut a text to a number of columns, with an ellipsis at its end."""
    if _display_width(text) <= most:
        return text
    kept = text
    while kept and _display_width(kept) > max(most - len(symbols.rest), 0):
        kept = kept[:-1]
    return kept + symbols.rest


def _grid_lines(grid: Grid, width: int | None, symbols: Symbols) -> Iterator[Line]:
    """Lay out the rows of a grid as lines."""
    pieces = _grid_pieces(grid, width, symbols)
    rows = (zip(*(piece[k] for piece in pieces), strict=True) for k in (0, 1))
    for row, styles in zip(*rows, strict=True):
        yield _strip_trailing_blanks(Line(tuple(map(TextSpan._make, zip(row, styles, strict=True)))))


def _grid_pieces(grid: Grid, width: int | None, symbols: Symbols) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Align the columns of a grid, blanks and texts by turns with their styles; fit one and the bars to the width."""
    blank = TextSpan("")
    cells = [[row[j] if j < len(row) else blank for row in grid.rows] for j in range(len(grid.align))]
    texts = [_aligned_texts([cell.text for cell in column], of) for column, of in zip(cells, grid.align, strict=True)]
    sizes = [_display_widths(column) for column in texts]
    widths = [max(column, default=0) for column in sizes]
    kept = range(len(widths)) if width is None else _kept_columns(grid, widths, width)
    columns = [(texts[j], [cell.style for cell in cells[j]], widths[j], grid.align[j]) for j in kept]
    for space in (_COLUMN_GAP, 1):  # a grid of named values that is hardly too wide for a screen has narrow gaps
        no_gap = [k == 0 or (space == 1 and not one) for k, (_, _, one, _) in enumerate(columns)]
        gaps = [0 if no else 1 if of in "ns" else space for no, (*_, of) in zip(no_gap, columns, strict=True)]
        indent = grid.indent if space > 1 else 0
        used = indent + sum(one for _, _, one, _ in columns) + sum(gaps)
        if grid.narrow is None or width is None or used <= width or not any(of == "n" for *_, of in columns):
            break
    if grid.narrow is not None and width is not None and used > width:
        return _grid_pieces(grid.narrow, width, symbols)
    bar = 0
    if grid.bars is not None:
        bar = _BAR_MAX_WIDTH if width is None else max(_BAR_MIN_WIDTH, min(_BAR_MAX_WIDTH, width - used - _COLUMN_GAP))
    over = 0 if width is None else used + (_COLUMN_GAP + bar if bar else 0) - width
    if over > 0 and grid.shrink is not None:
        column, styles, most, of = columns[grid.shrink]
        least = min(max(8, most - over), most)
        columns[grid.shrink] = [shorten_text(text, least, symbols) for text in column], styles, least, of
        bar = max(bar - max(over - most + least, 0), 0)
    # the blanks before each text, and the text
    pieces: list[tuple[Sequence[str], Sequence[str]]] = []
    before, plain = [" " * indent] * len(grid.rows), [""] * len(grid.rows)
    for (column, styles, most, of), gap in zip(columns, gaps, strict=True):
        pads = [" " * (gap + most - size) for size in _display_widths(column)]
        is_right = of in "rdn"
        before = list(map(add, before, pads)) if is_right else [text + " " * gap for text in before]
        pieces += [(before, plain), (column, styles)]
        before = plain if is_right else [pad[gap:] for pad in pads]
    if grid.bars is not None:
        bars = [_share_bar(share, bar, symbols) for share in grid.bars]
        pieces += [([text + " " * _COLUMN_GAP for text in before], plain), (bars, ["bar"] * len(bars))]
    return pieces


def _kept_columns(grid: Grid, widths: Sequence[int], width: int) -> list[int]:
    """Drop columns until the others fit."""
    sizes = [one + _COLUMN_GAP for one in widths]
    if grid.shrink is not None:
        sizes[grid.shrink] = min(sizes[grid.shrink], _MIN_LABEL_WIDTH)
    kept, drops = list(range(len(sizes))), list(grid.drops)
    while drops and grid.indent - _COLUMN_GAP + sum(sizes[j] for j in kept) > width:
        dropped = drops.pop(0)
        kept = [j for j in kept if j not in dropped]
    return kept


def _aligned_texts(texts: list[str], letter: str) -> list[str]:
    """Shorten very long texts of a column, and pad its numbers so that their decimal points are aligned."""
    texts = [shorten_echo(text) for text in texts]
    if letter not in "dns":
        return texts
    found = list(map(re.compile(_NUMBER_PATTERN).fullmatch, texts))
    parts = [m.group("sign", "whole", "rest") if m else None for m in found]
    sizes = [(_display_width(part[1]), _display_width(part[2])) if part else (0, 0) for part in parts]
    whole, rest = (max((size[k] for size in sizes), default=0) for k in (0, 1))
    return [
        text
        if part is None
        else (f"{part[0]}{' ' * (whole - size[0])}{part[1]}{part[2]}" if letter == "s" else text)
        + " " * (rest - size[1])
        for text, part, size in zip(texts, parts, sizes, strict=True)
    ]


def _strip_trailing_blanks(line: Line) -> Line:
    """Remove the blanks at the end of a line."""
    spans = list(line.spans)
    while spans and not spans[-1].text.strip():
        spans.pop()
    if spans:
        spans[-1] = TextSpan(spans[-1].text.rstrip(), spans[-1].style)
    return Line(tuple(spans), line.hang)


def _share_bar(share: float, width: int, symbols: Symbols) -> str:
    """Draw a share from 0 to 1 as a bar at most ``width`` long; anything above nothing shows."""
    if not share > 0:
        return ""
    steps = len(symbols.parts) + 1
    whole, part = divmod(max(1, round(min(share, 1.0) * width * steps)), steps)
    return symbols.full * whole + (symbols.parts[part - 1] if part else "")


def histogram_text(counts: Sequence[float], symbols: Symbols) -> str:
    """Draw a histogram on one line, one block per bar; an empty bar is a blank."""
    most, steps = max(counts, default=0), len(symbols.heights)
    tall = (max(1, round(count / most * steps)) if count > 0 else 0 for count in counts)
    return "".join(symbols.heights[k - 1] if k else " " for k in tall)


def _wrap_line(line: Line, width: int | None) -> Iterator[Line]:
    """Wrap a line between words; a word wider than the screen is not broken."""
    if width is None or _display_width(line.text) <= width:
        yield line
        return
    current: list[TextSpan] = []
    filled = 0
    ending = "\\ " if line.is_command else ""
    for span in line.spans:
        # words have the blanks after them; leading blanks are a word of their own
        for word in [span.text] if line.is_command else re.findall(r" +|[^ ]+ *", span.text):
            size = _display_width(word.rstrip()) + len(ending)
            if filled + size > width and filled > line.hang and word.strip():
                yield _strip_trailing_blanks(Line((*current, TextSpan(ending.strip()))))
                current, filled = [TextSpan(" " * line.hang)], line.hang
            current.append(TextSpan(word, span.style))
            filled += _display_width(word)
    yield _strip_trailing_blanks(Line(tuple(current)))


def plain_text(blocks: Sequence[PageBlock], width: int | None, symbols: Symbols) -> str:
    """Return a page as text without colour, for pipes, files and dumb terminals."""
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, Grid):
            texts += map("".join, zip(*(piece for piece, _ in _grid_pieces(block, width, symbols)), strict=True))
        else:
            texts += (line.text for line in _page_lines([block], width, symbols))
    return "".join(text.rstrip() + "\n" for text in texts)


def fenced_markdown(blocks: Sequence[PageBlock]) -> str:
    """Return a page as a code block in Markdown."""
    text = plain_text(blocks, _MARKDOWN_WIDTH, UNICODE)
    fence = code_fence(text, 3)
    return f"{fence}\n{text}{fence}\n"


def code_fence(text: str, least: int) -> str:
    """Return the mark before and after code: backticks, more than the code has in any place."""
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def text_line(*parts: str | TextSpan, hang: int = 0) -> Line:
    """Make a line of texts and spans."""
    return Line(tuple(part if isinstance(part, TextSpan) else TextSpan(part) for part in parts), hang)


def verdict_line(
    symbols: Symbols, findings: Sequence[Finding], did: str, targets: Sequence[str] = (), *, failed: bool = False
) -> Line:
    """Write the verdict of a command as one line."""
    has_errors = any(finding.severity is Severity.ERROR for finding in findings)
    has_warnings = any(finding.severity is Severity.WARNING for finding in findings)
    counts = TextSpan(finding_counts_text(findings), "bad" if has_errors else "warn" if has_warnings else "good")
    where = (f" {symbols.arrow} ", TextSpan(", ".join(targets), "strong")) if targets else ()
    did += ", written" if failed and targets else ""
    return text_line(symbols.mark(failed), " ", TextSpan(did, "strong"), ", ", counts, *where, hang=2)


def console_for(stream: TextIO, width: int | None = None, *, is_forced: bool = False) -> Console:
    """Make the console of a terminal."""
    from rich.console import Console

    make = partial(Console, file=stream, width=width, highlight=False, markup=False, emoji=False)
    console = make()
    if is_forced and console.color_system is None:
        return make(force_terminal=True, color_system="standard")
    return console


def print_page(blocks: Sequence[PageBlock], console: Console, symbols: Symbols, width: int | None) -> None:
    """Print a page to a terminal."""
    from rich.text import Text

    styles = _SPAN_STYLES | (_STYLES_OF_16_COLORS if console.color_system in ("standard", "windows") else {})
    lines = _page_lines(blocks, width, symbols)
    # a line that a host of code would run as a command is escaped, and loses its styles
    escaped = ((line, escape_workflow_commands(line.text)) for line in lines)
    lines = (line if text == line.text else Line((TextSpan(text),)) for line, text in escaped)
    texts = [
        Text.assemble(*((span.text, styles[span.style]) for span in line.spans), no_wrap=True, overflow="ignore")
        for line in lines
    ]
    console.print(Text("\n").join(texts), soft_wrap=True)
