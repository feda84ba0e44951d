"""``massprops help``: pages of the documentation in the terminal; commands and rules have theirs elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from massprops_cli.cli.command import ArgumentOptions, Command
from massprops_cli.cli.streams import EXIT_OK, Screen, report_screen
from massprops_cli.findings.finding import UsageError, nearest_name_hint
from massprops_cli.reports.page.page import Grid, TextSpan

COMMAND = Command(
    "help",
    panel="Look",
    summary="Print a page of the documentation, or list the pages.",
    examples=("", "units", "tables/uncertainty"),
    more="""
A topic is the name of a page, of a command or of a rule. For another word, the pages that have it are listed.
""",
)
_PACKAGE = Path(__file__).parents[2]
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)([^)\s]*)\)")
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n*")


def command(run: ArgumentOptions) -> int:
    """List pages, or show one."""
    screen = report_screen(data_on_stdout=False)
    word, pages = run.topic.lower().removesuffix(".md"), help_pages()
    fitting = [name for name in pages if word in (name, name.rsplit("/", 1)[-1])]
    exact = [name for name in fitting if name == word and word]
    if word and len(exact or fitting) == 1:
        _show_page(screen, (exact or fitting)[0], pages)
        return EXIT_OK
    if not fitting:
        whole = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
        fitting = [name for name, path in pages.items() if not word or whole.search(path.read_text("utf-8"))]
    if not fitting:
        hint = nearest_name_hint(word, [*pages, *(name.rsplit("/", 1)[-1] for name in pages)])
        raise UsageError(f"no page of this name or with this word: {run.topic}{hint or '; massprops help lists all'}")
    rows = [[TextSpan(name, "strong"), TextSpan(_title(pages[name]), "dim")] for name in fitting]
    screen.show([Grid(rows, "ll", shrink=1, indent=0)])
    return EXIT_OK


def help_pages() -> dict[str, Path]:
    """Return the pages for users by their names: those of the package, or of ``docs`` in a checkout."""
    folder = _PACKAGE / "pages" if (_PACKAGE / "pages").is_dir() else _PACKAGE.parent / "docs"
    paths = (path for part in (".", "howto", "tables") for path in sorted((folder / part).glob("*.md")))
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in paths}


def _title(page: Path) -> str:
    """Return the first heading of a page."""
    with page.open(encoding="utf-8") as lines:
        return next((line.lstrip("#").strip() for line in lines if line.startswith("#")), page.stem)


def _show_page(screen: Screen, name: str, pages: Mapping[str, Path]) -> None:
    """Print a page without pictures, and the topics that it names: rendered on a terminal, as Markdown in a pipe."""
    text = _PICTURE.sub("", pages[name].read_text("utf-8"))
    names = {path.resolve(): topic for topic, path in pages.items()}
    targets = (names.get((pages[name].parent / link.partition("#")[0]).resolve()) for _, link in _LINK.findall(text))
    topics = [topic for topic in dict.fromkeys(targets) if topic and topic != name]
    text = _LINK.sub(r"\1", text).rstrip()
    text += f"\n\nTopics of this page: {', '.join(topics)}\n" if topics else "\n"
    screen.show_markdown(text)
