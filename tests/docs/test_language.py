"""The language of documents, messages, help, docstrings and names: technical terms (``tests/language.toml``)."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = tomllib.loads((ROOT / "tests" / "language.toml").read_text("utf-8"))["word"]
PATTERNS = [(re.compile(word["pattern"], re.IGNORECASE), word) for word in WORDS]
NAME_PATTERN = re.compile("|".join(f"(?:{word['pattern']})" for word in WORDS if word.get("names")), re.IGNORECASE)

DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "massprops_cli").rglob("*.md"),
        *(ROOT / "massprops_cli").rglob("*.toml"),
    ]
)
SOURCES = sorted(
    [*(ROOT / "massprops_cli").rglob("*.py"), *(ROOT / "docs").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
)
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PROSE = re.compile(r"#[^\n]*|(\'{3}|\"{3}|[\'\"])(?:[^\\]|\\.)*?\1", re.DOTALL)
"""A comment or a string of Python; a tokenizer finds the same, in twenty times as long."""
DATA = ROOT / "massprops_cli" / "tables" / "words"
"""Words of other people's tables: only our comments on them are checked."""


def faults_of(text: str, scope: str) -> Iterator[str]:
    """Name every unwanted word of a text, with its line and the word to use."""
    patterns = [
        (pattern, word) for pattern, word in PATTERNS if word.get("scope", scope) == scope and pattern.search(text)
    ]
    for number, line in enumerate(text.splitlines() if patterns else (), 1):
        for pattern, word in patterns:
            for match in pattern.finditer(line):
                around = line[max(0, match.start() - 30) : match.end() + 30]
                if not any(is_inside(match, phrase) for phrase in word.get("allow", ())):
                    yield f"{number}: …{around.strip()}… {match[0]!r}: use {word['use']}"


def is_inside(match: re.Match[str], phrase: str) -> bool:
    """Return whether a match overlaps a phrase of its line.

    >>> is_inside(re.search("center", "a center, `center`"), "`center`")
    False
    """
    spans = (found.span() for found in re.finditer(re.escape(phrase), match.string))
    return any(start < match.end() and match.start() < end for start, end in spans)


def prose_of(source: str) -> str:
    """Blank out all of a module but its strings and comments; lines keep their numbers."""
    pieces, end = [], 0
    for found in PROSE.finditer(source):
        pieces += ["\n" * source.count("\n", end, found.start()), " ", found[0]]
        end = found.end()
    return "".join(pieces)


def names_of(source: str) -> Iterator[tuple[int, str]]:
    """Name what a module defines: functions, classes, constants, parameters, attributes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def words_of_name(name: str) -> str:
    """Split a name into words.

    >>> words_of_name("_tellFindings_said")
    ' tell Findings said'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("_", " "))


def faults_in(texts: Iterable[tuple[Path, str]], scope: str) -> list[str]:
    """Name the unwanted words of files, each with its file."""
    return [f"{path.relative_to(ROOT)}:{fault}" for path, text in texts for fault in faults_of(text, scope)]


def document_text(path: Path) -> str:
    """Text of a document; of the words of tables the comments."""
    text = path.read_text("utf-8")
    return re.sub(r"(?m)^(?!#).*$", "", text) if path.parent == DATA else text


def test_documents() -> None:
    assert faults_in(((path, document_text(path)) for path in DOCUMENTS), "documents") == []


@pytest.mark.parametrize("part", range(4))
def test_messages_and_docstrings(part: int) -> None:
    assert faults_in(((path, prose_of(path.read_text("utf-8"))) for path in SOURCES[part::4]), "sources") == []


def unwanted_names(source: str) -> Iterator[str]:
    """Name the unwanted names that a module defines, each with its line."""
    if NAME_PATTERN.search(words_of_name(source)):  # else no name of it has such a word
        for line, name in sorted(set(names_of(source))):
            if NAME_PATTERN.search(words_of_name(name)):
                yield f"{line}: {name}"


def test_names() -> None:
    files = [*SOURCES, *TESTS]
    assert [
        f"{path.relative_to(ROOT)}:{one}" for path in files for one in unwanted_names(path.read_text("utf-8"))
    ] == []
    assert list(unwanted_names("def a():\n    total_said = 1\n    return 'says'\n")) == ["2: total_said"]


def test_patterns_match_what_they_forbid() -> None:
    """Every pattern of the list is a regular expression that matches something and has a word to use instead."""
    assert len(WORDS) >= 40
    for word in WORDS:
        assert word["use"]
        assert not re.compile(word["pattern"]).match("")
