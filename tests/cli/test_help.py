"""``massprops help``: pages of the documentation, read from docs in a checkout and from the package in a wheel."""

import re
import shutil

import pytest

from massprops_cli.cli.commands import help as help_command

from .conftest import ROOT, assert_exit

USERS = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "internals" not in path.parts]


def test_list_has_every_page_for_users_with_its_heading(run):
    lines = run("help").output.splitlines()
    assert len(lines) == len(USERS)
    for path in USERS:
        name = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        heading = path.read_text("utf-8").splitlines()[0].removeprefix("# ")
        assert any(line.split(maxsplit=1) == [name, heading] for line in lines), name


@pytest.mark.parametrize(
    ("topic", "page"), [("units", "tables/units"), ("Tables/Uncertainty.md", "tables/uncertainty"), ("index", "index")]
)
def test_page_is_printed_without_links_and_pictures(run, topic, page):
    output = run("help", topic).output
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    assert output.startswith(text.splitlines()[0] + "\n")
    assert not re.search(r"\]\((?!https?:)", output)
    words = re.findall(r"\w+", re.sub(r"\]\([^)]*\)", "]", text))
    assert re.findall(r"\w+", output.partition("Topics of this page:")[0])[: len(words)] == words


def test_topics_of_a_page_are_the_pages_it_links_to(run):
    topics = run("help", "tables/growth").output.rpartition("Topics of this page: ")[2].strip().split(", ")
    targets = re.findall(r"\]\(([^):#]+\.md)", (ROOT / "docs/tables/growth.md").read_text("utf-8"))
    pages = [(ROOT / "docs/tables" / one).resolve() for one in targets]
    users = [path for path in dict.fromkeys(pages) if path in USERS and path.name != "growth.md"]
    assert topics == [path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in users]


@pytest.mark.parametrize(
    ("topic", "expected"),
    [("rollup", "Usage: massprops rollup "), ("parts shape", "Usage: massprops parts shape "),
     ("parts", "Usage: massprops parts COMMAND"), ("mp403", "# MP403 tensor-not-positive")],
)  # fmt: skip
def test_commands_and_rules_are_topics(run, topic, expected):
    assert run("help", *topic.split()).output.startswith(expected)


def test_word_without_a_page_lists_the_pages_that_have_it(run):
    names = {line.split()[0] for line in run("help", "hydrostatic").output.splitlines()}
    having = {path for path in USERS if re.search(r"\bhydrostatic", path.read_text("utf-8"), re.IGNORECASE)}
    assert names == {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in having}


def test_name_of_several_pages_lists_them_and_an_unknown_word_is_an_error(run):
    lines = run("help", "uncertainty").output.splitlines()
    assert [line.split()[0] for line in lines] == ["howto/uncertainty", "tables/uncertainty"]
    assert_exit(run("help", "unis"), 2, "no page of this name or with this word: unis; the nearest is units")
    assert_exit(run("help", "rollup", "x"), 2, "too many arguments: x")


def test_package_with_pages_needs_no_checkout(run, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "docs" / "tables", tmp_path / "pages" / "tables")
    monkeypatch.setattr(help_command, "_PACKAGE", tmp_path)
    assert run("help", "units").output.startswith("# Units\n")
    assert {line.split("/")[0] for line in run("help").output.splitlines()} == {"tables"}
