"""Completion, through the protocol of the shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from massprops_cli.cli import completion as completion_table
from massprops_cli.cli.command import COMMAND_NAMES, command_record
from massprops_cli.cli.completion import _completion_candidates

from .conftest import ROOT, TWO_POINTS, assert_exit

HEADERS = TWO_POINTS.splitlines()[0].split(",")


def variables_of(line: str, shell: str, **more: str) -> dict[str, str]:
    """Give the environment in which a shell requests candidates."""
    action = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    return {"_MASSPROPS_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": line, **action, **more}


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """Give the lines that a shell reads under its variables."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(completion_table, "_SECONDS", 1e5)  # counted from the start of the process, here that of pytest

    def call(variables: dict[str, str]) -> list[str]:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            completion_table.print_candidates(variables["_MASSPROPS_COMPLETE"])
        text, errors = capsys.readouterr()
        assert errors == ""
        return text.splitlines()

    return call


@pytest.fixture
def complete(printed):
    """Complete a line as zsh, fish or PowerShell; returns what the shell reads."""

    def call(line: str, shell: str = "fish", **env: str) -> list[str]:
        return [text.split("\t")[0] for text in printed(variables_of(line, shell, **env))]

    return call


def test_a_process_completes(process):
    done = process(**variables_of("massprops ro", "fish"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert [text.split("\t")[0] for text in done.stdout.decode().splitlines()] == ["rollup", "robot"]


def test_commands_and_options(complete):
    assert complete("massprops ") == list(dict.fromkeys(name.split()[0] for name in COMMAND_NAMES))
    assert complete("massprops ro") == ["rollup", "robot"]
    assert complete("massprops --v") == ["--version"]
    names = {f"--{one.name}" for one in command_record("check").options if one.panel and not one.is_setting}
    assert set(complete("massprops check --")) == names | {"--help"}
    assert complete("massprops rollup bom.csv --no-c") == ["--no-clobber"]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (
            "massprops rollup --layout ",
            ["parent", "level", "dotted", "indented", "columns", "outline", "edges", "flat"],
        ),
        ("massprops rollup --layout=le", ["--layout=level"]),
        ("massprops rollup --add radii,s", ["radii,sigma"]),
        ("massprops check --report j", ["junit="]),
        ("massprops tree --format j", ["json", "jsonl"]),
        ("massprops rules MP105", ["MP105"]),
        ("massprops help tables/u", ["tables/uncertainty", "tables/units"]),
        ("massprops validate --ignore MP105", ["MP105"]),
        ("massprops rollup --sigmas-are ", ["1", "2", "3"]),
        ("massprops rollup --config b", ["blank-coordinate=", "blank-qty="]),
        ("massprops parts a", ["assemble", "aggregate"]),
        ("massprops rollup b", []),
    ],
)
def test_words_of_options(complete, line, values):
    assert complete(line) == values


def test_headers_and_ids_of_the_table(complete, bom):
    assert complete("massprops rollup bom.csv --map mass=") == [f"mass={text}" for text in HEADERS]
    assert complete("massprops rollup bom.csv --map 'mass=mas") == ["mass=mass [kg]"]
    assert "mass=" in complete("massprops rollup bom.csv --map ")
    for option in ("--sum", "--by", "--where", "--ignore-column", "--qty-column"):
        assert complete(f"massprops rollup bom.csv {option} POI") == ["POIconv"]
    for command, option in (
        ("rollup", "--item"),
        ("tree", "--root"),
        ("whatif", "--drop"),
        ("contributions", "--item"),
    ):
        assert complete(f"massprops {command} bom.csv {option} ") == ["top", "a", "b"]
    assert complete("massprops whatif bom.csv --scale t") == ["top.mass="]
    assert complete("massprops rollup bom.csv --about item:t") == ["item:top"]
    assert complete("massprops rollup bom.csv --map id=parent --root ") == ["top"]
    assert complete("massprops rollup --layout parent -o out.csv bom.csv --quiet --item t") == ["top"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx", "json", "jsonl"])
def test_formats_of_the_table(run, complete, bom, suffix):
    path = bom.with_name(f"table.{suffix}")
    run("convert", bom, "-o", path)
    assert complete(f"massprops tree table.{suffix} --root ") == ["top", "a", "b"]


def test_titles_above_the_header_and_other_names_of_ids(complete, tmp_path):
    (tmp_path / "t.csv").write_text("Weights\n\nWeight (lb);Part Number;Level\n1;P-1;1\n2;P 2;2\n", "utf-16")
    assert complete("massprops tree t.csv --root ") == ["P-1", "P 2"]
    assert complete("massprops rollup t.csv --sum ") == ["Weight (lb)", "Part Number", "Level"]


def test_files_that_give_nothing(complete, tmp_path):
    (tmp_path / "bad.xlsx").write_bytes(b"PK no workbook")
    (tmp_path / "empty.csv").write_text("")
    with (tmp_path / "large.csv").open("wb") as file:
        file.write(TWO_POINTS.encode())
        file.truncate(20_000_001)
    for name in ("bad.xlsx", "empty.csv", "large.csv", "missing.csv", "."):
        assert complete(f"massprops tree {name} --root ") == []


def test_nothing_after_the_time(bom, monkeypatch):
    def slow(*_: object) -> list[list[str]]:
        time.sleep(5)
        return [["id"], ["top"]]

    monkeypatch.setattr(completion_table, "_table_rows", slow)
    begun = time.monotonic()
    assert _completion_candidates(["tree", str(bom), "--root"], "") == []
    assert time.monotonic() - begun < 2  # 0.3 s, and what a busy computer adds


def test_zsh_and_powershell(complete, bom, process):
    assert complete("massprops rollup bom.csv --sum mass", "zsh") == ["_arguments '*: :((\"mass [kg]\"))'"]
    assert complete("massprops rollup bom.csv b", "zsh") == ["_files"]
    assert complete("massprops val", "zsh")[0].startswith('_arguments \'*: :(("validate":"Show how a table')
    line = "massprops rollup bom.csv --sum mass"
    assert complete(line, "powershell", _TYPER_COMPLETE_WORD_TO_COMPLETE="mass") == ["'mass [kg]'::: "]
    for args, code in (("massprops ro", 0), ("massprops rollup b", 1)):
        env = {"_TYPER_COMPLETE_FISH_ACTION": "is-args", "_TYPER_COMPLETE_ARGS": args}
        assert process(_MASSPROPS_COMPLETE="complete_fish", **env).returncode == code


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "replies"),
    [
        (("massprops", "rol"), ["rollup"]),
        (("massprops", "rollup", "bom.csv", "--map", "mass", "=", "mas"), [r"mass\ \[kg\]"]),
        (("massprops", "rollup", "bom.csv", "--map", "mass", "="), None),
        (("massprops", "rollup", "bom.csv", "--map", '"mass=mas'), ['"mass=mass [kg]']),
        (("massprops", "rollup", "bom.csv", "--about", "item", ":", "t"), ["top"]),
        (("massprops", "rollup", "--layout", "=", "lev"), ["level"]),
    ],
)
def test_script_of_bash(process, bom, tmp_path, words, replies):
    """The script runs in bash, whose words are split at = and :, and fills COMPREPLY."""
    tool = tmp_path / "bin" / "massprops"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m massprops_cli "$@"\n')
    tool.chmod(0o755)
    script = process("--show-completion", "bash").stdout.decode()
    quoted = " ".join("'" + word + "'" for word in words)
    call = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _massprops_completion massprops"
    text = f'{script}\n{call}\nprintf "%s\\n" "${{COMPREPLY[@]}}"'
    env = {**os.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", text], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    expected = replies or [text.replace(" ", r"\ ").replace("[", r"\[").replace("]", r"\]") for text in HEADERS]
    assert [line.replace(r"\*", "*").replace(r"\^", "^") for line in done.stdout.splitlines()] == expected


@pytest.mark.parametrize(("shell", "file"), [("bash", ".bash_completions/massprops.sh"), ("zsh", ".zfunc/_massprops")])
def test_install(run, tmp_path, monkeypatch, shell, file):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert_exit(run("--install-completion", shell), 0, f"completion for {shell} installed")
    assert "_MASSPROPS_COMPLETE" in (tmp_path / file).read_text()
    assert_exit(run("--install-completion", "bsh"), 2, "invalid shell: bsh; the nearest is bash")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "pwsh"])
def test_scripts(run, shell):
    assert_exit(run("--show-completion", shell), 0, "_MASSPROPS_COMPLETE")


HOSTILE_IDS = ("a'; touch owned; '", 'b"; touch owned; "', "c$(touch owned)", "d`touch owned`", "e\x1b[31m", "f\u202eg")


@pytest.fixture
def hostile(tmp_path):
    rows = "".join('"' + text.replace('"', '""') + '",r,1\n' for text in HOSTILE_IDS)
    (tmp_path / "bom.csv").write_text(f"id,parent,mass\nr,,\n{rows}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("shell", ["fish", "powershell", "zsh"])
def test_ids_with_control_characters_are_not_offered(hostile, complete, shell):
    found = "\n".join(complete("massprops tree bom.csv --root ", shell))
    assert "touch owned" in found
    assert "31m" not in found
    assert "\u202e" not in found


def test_powershell_quotes_are_doubled(hostile, complete):
    assert "'a''; touch owned; ''':::" in "\n".join(complete("massprops tree bom.csv --root ", "powershell"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("quote", ["", "'", '"'])
@pytest.mark.parametrize("text", HOSTILE_IDS[:4])
def test_bash_runs_nothing_of_an_id(hostile, printed, quote, text):
    """A shell that evaluates the completed word gets the id."""
    words = ["massprops", "tree", "bom.csv", "--root", quote + text[0]]
    environment = {"_MASSPROPS_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": "4"}
    (word,) = printed(environment)
    done = subprocess.run(
        ["bash", "-c", f"printf %s {word}{quote}"], cwd=hostile, capture_output=True, text=True, check=False
    )
    assert done.stdout == text, word
    assert not (hostile / "owned").exists()
