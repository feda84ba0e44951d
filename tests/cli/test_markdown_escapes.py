"""Markdown of every command: ids, names and file names make no mentions, links, images, HTML and code."""

import json
import re

import pytest
from markdown_it import MarkdownIt

from massprops_cli.cli.command import command_name, command_records

HOSTILE = (
    "@octo",
    "a@x.org",
    "#12",
    "org/repo#3",
    "GH-7",
    "![i](http://x.org/y)",
    "[l](http://x.org)",
    "[l][m]",
    "[^1]",
    "<img src=x>",
    "<!-- c",
    "</details>",
    "http://x.org/z",
    "www.x.org",
    "a|b",
    "`c`",
    "```",
    "``` d",
    "&#64;octo",
    "&lt;b&gt;",
    "e\\|f",
    "\\`g",
    "**bold**",
    "*slanted*",
    "_slanted_",
    "__init__",
    "x ~~wavy~~ y",
    "a_b_c",
)
"""Ids, one of each construct that a host of code would render."""
NAME = "@octo ![i](x) `<b>` #4 |.csv"


def table(*, mass="1", quantities=""):
    rows = "".join(f'"{text}",@root,"{text}",{mass},0.1,2{",2" * bool(quantities)}\n' for text in HOSTILE)
    head = quantities or '"cost @a|[b](c)"'
    return f'id,parent,name,mass [kg],sigma mass [kg],{head}\n@root,,"![r](x)",,,{",1" * bool(quantities)}\n{rows}'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text(table())
    (tmp_path / "bad.csv").write_text(table(mass="@x"))
    (tmp_path / "new.csv").write_text(table(mass="1.5"))
    points = "".join(f'"{text}",@root,1,1,0,0\n' for text in HOSTILE)
    (tmp_path / "@octo.csv").write_text(f"id,parent,mass,Cx,Cy,Cz\n@root,,,,,\n{points}")
    (tmp_path / "variants.csv").write_text(table(quantities='"qty @octo|1","qty [B](x)"'))
    task = '[[task]]\nname = "@octo ![i](x)"\nmilestone = "[b](c) <i>"\nby = "weighed"\nat-least = 50\n'
    (tmp_path / "plan.toml").write_text(f'[[milestone]]\nname = "[b](c) <i>"\n{task}', encoding="utf-8")
    (tmp_path / "budget.toml").write_text(
        "".join(f'[[budget]]\nitem = {json.dumps(text)}\nmass-max = "{k % 2} kg"\n' for k, text in enumerate(HOSTILE))
    )
    bodies = [{"id": text} for text in HOSTILE]
    joints = [
        {"name": f"@j{k}", "type": "R", "i": before, "j": text, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
        for k, (before, text) in enumerate(zip((0, *HOSTILE), HOSTILE, strict=False))
    ]
    chain = {"name": "@arm ![i](x)", "gravity": ["0", "0", "-9.81"], "bodies": bodies, "joints": joints}
    (tmp_path / "arm.json").write_text(json.dumps(chain))
    return tmp_path


CASES = {
    "validate": ("validate", "bad.csv"),
    "tree": ("tree", NAME),
    "rollup": ("rollup", NAME, "-o", "out.csv", "--by", "name", "--sum", "cost @a|[b](c)"),
    "rollup, not written": ("rollup", "bad.csv", "-o", "@octo.csv"),
    "rollup, samples": ("rollup", NAME, "-o", "out.csv", "--uncertainty", "montecarlo", "--item", "@octo"),
    "rollup, answers": ("rollup", NAME, "-o", "out.csv", "--probability", "@octo: mass < 2 kg", "--interval", "95%"),
    "rollup, all variants": ("rollup", "variants.csv", "--all-variants", "-o", "out.csv"),
    "contributions": ("contributions", NAME),
    "contributions, mean": ("contributions", NAME, "--mean", "--item", "@root"),
    "whatif": ("whatif", NAME, "--set", "@octo.mass=3"),
    "conditions": ("conditions", "@octo.csv", "--conditions", "@octo.csv"),
    "ballast": ("ballast", "@octo.csv", "--to", "Cx in 0..3", "--at", "@octo.csv", "--remove", "@octo"),
    "reconcile": ("reconcile", NAME, "--measured", "@octo mass 3±0.1 kg", "--measured", "@octo.csv"),
    "check": ("check", NAME, "--budget", "budget.toml"),
    "verify": ("verify", NAME, "--result", "new.csv"),
    "plan": ("plan", NAME, "plan.toml"),
    "check, errors": ("check", "bad.csv", "--budget", "budget.toml"),
    "diff": ("diff", NAME, "new.csv"),
    "trend": ("trend", NAME, "new.csv", "--no-cache"),
    "convert": ("convert", NAME, "-o", "out.csv", "--to-layout", "level"),
    "transform": ("convert", "@octo.csv", "-o", "moved.csv", "--translate", "1,0,0"),
    "fix": ("convert", NAME, "--fix", "-o", "fixed.csv"),
    "partition": ("parts", "partition", NAME, "--into", "2", "-o", "parts"),
    "assemble": ("parts", "assemble", NAME),
    "aggregate": ("parts", "aggregate", NAME, "--nodes", "@octo", "-o", "aggregated.csv"),
    "base-params": ("robot", "base-params", "arm.json"),
    "identify": ("identify", "arm.json", "--data", "@octo.csv"),
    "inertials": ("robot", "inertials", "@octo ![i](x).sdf", "-o", "out.sdf"),
}
"""A command line for every command with a report in Markdown."""
TABLES = {
    "convert": ("convert", NAME, "-o", "out.md"),
    "rollup": ("rollup", NAME, "-o", "out.md"),
    "transform": ("convert", "@octo.csv", "-o", "out.md", "--translate", "1,0,0"),
    "base-params": ("robot", "base-params", "arm.json", "-o", "out.md"),
    "check": ("check", NAME, "--budget", "budget.toml", "--report", "md=out.md"),
    "verify": ("verify", NAME, "-o", "out.md"),
    "plan": ("plan", NAME, "plan.toml", "-o", "out.md"),
}
"""Commands that write a file of Markdown."""


def constructs(text):
    """The mentions, links, images and HTML that a host of code would show, by a parser of Markdown."""
    found = []
    tokens = MarkdownIt("gfm-like").parse(text)
    for token in tokens:
        for one in (token, *(token.children or ())):
            if one.type in ("link_open", "image", "html_inline", "html_block"):
                found.append((one.type, one.content or one.attrs))
            if one.type == "text":
                found += re.findall(r"(?<!\w)@\w+|#\d+|\bGH-\d+", one.content)
    return [one for one in found if "details>" not in str(one) or one[0] != "html_block"]


def displayed(text):
    """The text that a reader sees, without the blanks of no width."""
    tokens = MarkdownIt("gfm-like").parse(text)
    leaves = (one for token in tokens for one in (token.children or (token,)))
    return "".join(f"{one.content}\n" if one.type == "fence" else one.content for one in leaves).replace("\u200b", "")


def test_cases_are_of_every_command_with_markdown():
    styles = {
        name: option.words
        for name, record in command_records().items()
        for option in record.options
        if option.name == "format"
    }
    offered = {name for name, words in styles.items() if "md" in words}
    assert offered == {command_name([*map(str, words)]) for words in CASES.values()}


@pytest.mark.spread(3, keep=("contributions, mean", "rollup, answers", "rollup, samples", "rollup", "diff", "verify"))
@pytest.mark.parametrize("case", CASES)
def test_report_has_texts_only(case, folder, massprops):
    done = massprops(*CASES[case], "--format", "md")
    assert "octo" in done.stdout + done.stderr or (case in ("convert", "transform") and done.stdout == "No findings.\n")
    assert "MP999" not in done.stderr
    assert constructs(done.stdout) == []
    assert constructs(done.stderr) == []


@pytest.mark.parametrize("case", TABLES)
def test_file_has_texts_only(case, folder, massprops):
    done = massprops(*TABLES[case])
    written = (folder / "out.md").read_text(encoding="utf-8")
    assert "octo" in written, done.output
    assert constructs(written) == []


@pytest.mark.parametrize("words", [CASES["validate"], CASES["check"], CASES["diff"]], ids=lambda words: words[0])
def test_reader_sees_the_ids(words, folder, massprops):
    more = ("--top", "40") if words[0] == "diff" else ()
    shown = displayed(massprops(*words, *more, "--format", "md").stdout)
    assert [text for text in HOSTILE if text not in shown] == []


def test_written_table_is_read_back_as_it_was(folder, massprops):
    assert massprops("convert", NAME, "-o", "out.md").exit_code == 0
    assert massprops("convert", "out.md", "-o", "back.json").exit_code == 0
    rows = json.loads((folder / "back.json").read_text())
    assert [row["id"] for row in rows] == ["@root", *HOSTILE]
    assert [row["name"] for row in rows] == ["![r](x)", *HOSTILE]
