"""What is printed: no control, C1 and bidi characters, and no line that a host of code runs, from any input."""

import json
import os
import pty
import re
import subprocess

import pytest

from massprops_cli.cli.command import command_name, command_records
from tests.examples import first
from tests.warm import warm_command

from .conftest import ROOT

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]|\r(?!\n)")
RUN_BY_HOST = re.compile(r"^\s*::.*|^.*##\[.*", re.MULTILINE)
STYLE = re.compile("\x1b\\[[0-9;]*m")
"""The colours of massprops itself."""
HOSTILE = (
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "a\x9b2Jb",
    "\u202egpj",
    "x\u2066y\u2069",
    "m\u200fn\u061c",
    "::error::x",
    " ::set-output name=a::b",
    "##[error]y",
    "z\r::error::r",
    "q\n::error::n",
    "w\u2028::error::l",
)
"""Ids of one construct each."""
NAME = "::error::\x1b[31mb\u202eo\x9bm##[error].csv"


def table(mass):
    cells = "".join(f'"{text}","##[group]r","{text}",{mass},0.1,1,0,0\n' for text in HOSTILE)
    return f'id,parent,"na\u202eme\x1b[1m",mass [kg],sigma mass [kg],Cx,Cy,Cz\n"##[group]r",,,,,,,\n{cells}'


def written(folder):
    """Write tables, a budget, a configuration and a mechanism full of hostile texts."""
    (folder / NAME).write_text(table("1"), encoding="utf-8")
    (folder / "::new\x1b.csv").write_text(table("2"), encoding="utf-8")
    (folder / "bad\x9b.csv").write_text(table("::error::v\x1b[5m\u202e"), encoding="utf-8")
    rows = "".join(f"[[budget]]\nitem = {json.dumps(text)}\nmass-max = '0.5 kg'\n" for text in HOSTILE)
    (folder / "budget.toml").write_text(rows, encoding="utf-8")
    task = '[[task]]\nname = "::error::\\u001b[1m\\u202e"\nmilestone = "##[a]"\nby = "weighed"\nat-least = 50\n'
    (folder / "plan.toml").write_text(f'[[milestone]]\nname = "##[a]"\n{task}', encoding="utf-8")
    bodies = [{"id": text} for text in HOSTILE]
    joints = [
        {"name": f"::j{k}\x1b", "type": "R", "i": one, "j": text, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
        for k, (one, text) in enumerate(zip((0, *HOSTILE), HOSTILE, strict=False))
    ]
    chain = {"name": "::arm\x1b[1m", "gravity": ["0", "0", "-9.81"], "bodies": bodies, "joints": joints}
    (folder / "arm.json").write_text(json.dumps(chain), encoding="utf-8")
    variants = "".join(f'"{text}",r,1,1,2\n' for text in HOSTILE)
    (folder / "variants.csv").write_text(
        f'id,parent,mass,"qty ::a\x1b","qty ##[b]\u202e"\nr,,,,\n{variants}', encoding="utf-8"
    )
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return written(tmp_path)


CASES = {
    "validate": ("validate", "bad\x9b.csv"),
    "validate, missing file": ("validate", "::no\x1b.csv"),
    "tree": ("tree", NAME),
    "rollup": ("rollup", NAME, "-o", "::out\x1b.csv", "--by", "na\u202eme\x1b[1m"),
    "rollup, not written": ("rollup", "bad\x9b.csv", "-o", "out.csv"),
    "rollup, samples": ("rollup", NAME, "-o", "out.csv", "--uncertainty", "montecarlo", "--item", "::error::x"),
    "rollup, answers": ("rollup", NAME, "-o", "out.csv", "--probability", "::error::x: mass < 2 kg"),
    "rollup, intervals": ("rollup", NAME, "-o", "out.csv", "--interval", "95%", "--item", "::error::x"),
    "rollup, all variants": ("rollup", "variants.csv", "--all-variants", "-o", "out.csv"),
    "contributions": ("contributions", NAME),
    "contributions, mean": ("contributions", NAME, "--mean"),
    "whatif": ("whatif", NAME, "--set", "::error::x.mass=3"),
    "conditions": ("conditions", NAME, "--conditions", "::new\x1b.csv"),
    "report": ("report", NAME, "-o", "out.html", "--config", "title=::error::x"),
    "report, errors": ("report", NAME, "-o", "::error::\x1b.zip", "--config", "logo=::new\x1b.png"),
    "plot": ("plot", "treemap", NAME, "-o", "out.svg"),
    "ballast": ("ballast", NAME, "--to", "Cx in 0..3", "--at", "::new\x1b.csv", "--remove", "::error::x"),
    "ballast, errors": ("ballast", NAME, "--to", "::error::\x1b", "--at", "bad\x9b.csv", "--remove", "\x1b::x"),
    "reconcile": ("reconcile", NAME, "--measured", "::error::x mass 3±1 kg", "--measured", "::new\x1b.csv"),
    "reconcile, errors": ("reconcile", NAME, "--measured", "::error::\x1b mass 1±1 kg", "--offer", "bad\x9b.csv"),
    "check": ("check", NAME, "--budget", "budget.toml"),
    "verify": ("verify", NAME, "--result", "::new\x1b.csv", "-v"),
    "verify, errors": ("verify", "bad\x9b.csv", "--explain", "::error::x"),
    "verify, no item": ("verify", NAME, "--explain", "::error::x\x1b"),
    "plan": ("plan", NAME, "plan.toml"),
    "plan, no file": ("plan", NAME, "::error::\x1b.toml"),
    "check, errors": ("check", "bad\x9b.csv", "--budget", "budget.toml"),
    "diff": ("diff", NAME, "::new\x1b.csv", "--top", "30"),
    "trend": ("trend", NAME, "::new\x1b.csv", "--no-cache", "-v"),
    "trend, gap": ("trend", NAME, "bad\x9b.csv", "--no-cache", "--config", "order=given"),
    "convert": ("convert", NAME, "-o", "::out\x1b.csv", "-v"),
    "transform": ("convert", NAME, "-o", "out.csv", "--translate", "1,0,0"),
    "fix": ("convert", NAME, "--fix", "-o", "out.csv"),
    "partition": ("parts", "partition", NAME, "--into", "2", "-o", "parts"),
    "assemble": ("parts", "assemble", NAME),
    "aggregate": ("parts", "aggregate", NAME, "--nodes", "::error::x", "-o", "out.csv"),
    "base-params": ("robot", "base-params", "arm.json"),
    "identify": ("identify", "arm.json", "--data", "::error::\x1b.csv", "--prior", NAME),
    "identify, columns": ("identify", "arm.json", "--data", NAME),
    "massmatrix": ("robot", "massmatrix", "arm.json"),
    "massmatrix, no file": ("robot", "massmatrix", "::error::\x1b.json"),
    "parts shape": ("parts", "shape", "::error::\x1b"),
    "inertials": ("robot", "inertials", "::error::\x1b.sdf", "-o", "out.sdf"),
    "init": ("init", "::error::\x1b/\u202e"),
    "rules": ("rules", "::error::\x1b"),
    "help": ("help", "::error::\x1b"),
    "unknown command": ("::error::\x1b",),
    "unknown option": ("rollup", NAME, "--\x1b[31m\u202e"),
}
STYLES = {
    name: ("", *next((one.words for one in record.options if one.name == "format"), ()))
    for name, record in command_records().items()
}
RUNS = [
    (case, style) for case, words in CASES.items() for style in STYLES.get(command_name(words), ("",)) if style != "csv"
]


def faults(text, *, is_github=False):
    """The characters that reach a terminal, and lines that a host runs, other than annotations."""
    lines = RUN_BY_HOST.findall(text)
    if is_github:
        own = re.compile(r"::(error|warning|notice) file=[^,:]*(,line=\d+)?,title=[^:]*::.*")
        lines = [line for line in lines if not own.fullmatch(line)]
    return CONTROL.findall(text), lines


def test_cases_are_of_every_command():
    assert set(STYLES) <= {command_name([*map(str, words)]) for words in CASES.values()}


FIRST = {(command_name(CASES[case]), style): case for case, style in reversed(RUNS)}


def is_slow(case, style, is_colored):
    """Whether a format had another case of its command, is that without an option, or is one with colours."""
    return bool(style) and (is_colored or style == "full" or FIRST[command_name(CASES[case]), style] != case)


@pytest.mark.spread(
    2,
    keep=(
        "plain-help-",
        "plain-verify, errors-",
        "plain-verify-concise",
        "colored-plan, no file-",
        "plain-ballast, errors-",
        "plain-base-params-concise",
    ),
)
@pytest.mark.parametrize(
    ("case", "style", "is_colored"),
    [
        pytest.param(
            case, style, colored, id=f"{word}-{case}-{style}", marks=[pytest.mark.slow] * is_slow(case, style, colored)
        )
        for word, colored in (("plain", False), ("colored", True))
        for case, style in RUNS
    ],
)
def test_nothing_printed_is_run_or_controls_a_terminal(case, style, is_colored, folder, massprops, monkeypatch):
    if is_colored:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
    done = massprops(*CASES[case], *(("--format", style) if style else ()))
    assert "MP999" not in done.stderr
    assert (done.stdout + done.stderr).strip() or style in ("concise", "jsonl", "github")  # nothing to report
    for text in (done.stdout, done.stderr):
        assert faults(STYLE.sub("", text) if is_colored else text, is_github=style == "github") == ([], [])


@pytest.mark.spread(2)
@pytest.mark.parametrize("style", ["junit", "sarif", "github", "gitlab", "openmetrics", "md"])
@pytest.mark.parametrize("name", [NAME, "bad\x9b.csv"], ids=["good", "bad"])
def test_report_files_are_not_run_and_control_no_terminal(style, name, folder, massprops, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    massprops("check", name, "--budget", "budget.toml", "--report", f"{style}=report", "--format", "github")
    for file in ("report", "summary.md"):
        text = (folder / file).read_text(encoding="utf-8")
        assert faults(text, is_github=style == "github") == ([], [])


TOML = (
    'unknown\u202e = 1\n"::error::\x7fk" = 2\n',
    '[read]\n"##[error]\u202e\x9b" = 3\n',
    '[read]\nlayout = "\\u001b[31m::error::\\u202e"\n',
    '[read.map]\n"::error::\\u001b" = "x"\n',
    '[read]\nwhere = ["\\n::error::\\u009b2J"]\n',
    '[read]\nroot = "\\n::error::\\u001b[2J"\n',
    '[report]\nformat = "\\r::error::\\u001b"\n',
    'a = "\\u001b[31m\n',
    '["##[error]\\u202e"]\nb = 1\n',
    '[[budget]]\nitem = "\\n::error::\\u001b[2J"\nmass-max = "\\u202e::error:: kg"\n',
    '[[budget]]\nitem = "r"\nmass-max = "1"\n[[budget.waiver]]\nreason = "\\n::error::\\u001b"\n',
    '[[budget]]\n"\\u001b::error::" = 1\n',
)
"""Files of configuration and budgets, hostile in their keys and values."""


@pytest.mark.spread(2)
@pytest.mark.parametrize("text", TOML)
@pytest.mark.parametrize("name", ["limits.toml", "::error::\x1b\u202e.toml"])
def test_texts_of_toml_files_are_not_run_and_control_no_terminal(text, name, folder, massprops):
    (folder / "plain.csv").write_text("id,parent,mass\nr,,\na,r,1\n")
    (folder / name).write_text(text, encoding="utf-8")
    for words in (
        ("rollup", "plain.csv", "-o", "-", "--config", name),
        ("validate", "plain.csv", "--config", name, "-v"),
        ("validate", "plain.csv", "--config", name),
        ("check", "plain.csv", "--budget", name),
        ("diff", "plain.csv", "plain.csv", "--reasons", name),
        ("validate", "plain.csv", "--materials", name),
    ):
        done = massprops(*words)
        assert "MP999" not in done.stderr
        assert faults(done.stdout) == ([], [])
        assert faults(done.stderr) == ([], [])


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
@pytest.mark.parametrize("case", first(["rollup", "tree", "unknown option", "validate", "check", "diff", "rules"], 3))
def test_nothing_controls_a_real_terminal(case, folder):
    """The bytes that a terminal gets: styles, moves of a progress bar, and no other control character."""
    reader, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [*warm_command(), *CASES[case]], cwd=folder, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    seen = b""
    while True:
        try:
            block = os.read(reader, 65_536)
        except OSError:  # the end of a terminal
            break
        if not block:
            break
        seen += block
    os.close(reader)
    process.wait(timeout=60)
    text = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", seen.decode("utf-8")).replace("\r\n", "\n").replace("\r", "")
    assert text.strip()
    assert faults(text) == ([], [])
    assert b"\x1b[31mred" not in seen
    assert b"\x1b]0" not in seen


def test_command_of_a_host_is_shown_with_a_blank(folder, massprops):
    """An id keeps its characters; one blank separates the two with which a command begins."""
    shown = massprops("tree", NAME).stdout
    assert "# #[group]r" in shown
    assert " ::error::x" in shown  # below the root, so not at the start of a line
    assert "# #[error]y" in shown
