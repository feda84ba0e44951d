"""Ids, names and file names that hosts of code would run as commands, or show as mentions, links and images."""

import re

import pytest

_NAME = "::warning::bom.csv"
_TABLE = (
    "id,parent,name,mass [kg],sigma mass [kg]\n"
    "::group::A,,::error::x,,\n"
    "@octo,::group::A,n,1,0.1\n"
    "![i](http://x/y),::group::A,##[error]q,2,0.1\n"
    '::error::z,::group::A,"a\n::error::m",3,0.1\n'
    "##[group]g,::group::A,<img src=x>,4,0.2\n"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / _NAME).write_text(_TABLE)
    (tmp_path / "bad.csv").write_text(_TABLE.replace(",4,0.2", ",x,0.2"))
    (tmp_path / "::error::bad.csv").write_text(_TABLE.replace(",4,0.2", ",x,0.2"))
    (tmp_path / "new.csv").write_text(_TABLE.replace(",1,0.1", ",1.5,0.1").replace("##[group]g", "##[group]h"))
    return tmp_path


@pytest.mark.spread(3)
@pytest.mark.parametrize("style", ["full", "concise", "md"])
@pytest.mark.parametrize(
    "words",
    [
        ("validate", "::error::bad.csv"),
        ("rollup", "::error::bad.csv", "-o", "out.csv"),
        ("rollup", _NAME, "-o", "out.csv"),
        ("contributions", _NAME),
        ("diff", _NAME, "new.csv"),
        ("validate", "::error::missing.csv"),
    ],
    ids=" ".join,
)
def test_no_line_is_a_command_to_a_host(folder, massprops, words, style):
    done = massprops(*words, "--format", style)
    printed = done.stdout + done.stderr
    assert printed.strip()
    assert not re.findall(r"(?m)^\s*::.*|^\s*##\[.*", printed)


def test_no_line_of_a_tree_is_a_command_to_a_host(folder, massprops):
    printed = massprops("tree", _NAME).stdout
    assert "octo" in printed
    assert not re.findall(r"(?m)^\s*::.*|^.*##\[.*", printed)


@pytest.mark.parametrize("words", [("contributions", _NAME), ("diff", _NAME, "new.csv")], ids=" ".join)
def test_markdown_of_analyses_is_escaped(folder, massprops, words):
    printed = massprops(*words, "--format", "md").stdout
    assert "octo" in printed
    assert not [mark for mark in ("@octo", "](", "<img", "http://") if mark in printed]
