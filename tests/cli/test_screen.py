"""What people see: one golden file for every kind of screen; its width, a pipe and ASCII change no number."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from massprops_cli.reports.page.page import ASCII, UNICODE, Grid, TextSpan, _display_width, plain_text, text_line
from tests.examples import first
from tests.golden_files import GOLDEN, assert_golden

from .conftest import ROOT

COMMANDS = {
    "rollup": ("rollup", "spacecraft.csv", "--principal", "--by", "subsystem"),
    "level": ("rollup", "spacecraft.csv", "--sigma-level", "2", "--about", "0,0,0", "--correlate", "part"),
    "massprops": ("rollup", "spacecraft.csv", "--uncertainty", "massprops", "--about", "item:PLD"),
    "tree": ("tree", "spacecraft.csv", "--depth", "2"),
    "validate": ("validate", "faults.csv"),
    "whatif": ("whatif", "twelve_rows.csv", "--set", "P.1.mass=2.2"),
    "contributions": ("contributions", "spacecraft.csv", "--of", "Ixx", "--correlate", "part"),
    "mean": ("contributions", "spacecraft.csv", "--mean", "--item", "PLD"),
    "refused": ("rollup", "faults.csv"),
    "check": ("check", "bom_rev_b.csv", "--budget", "budget.toml", "--today", "2027-01-01"),
}
REVIEWED = {name: 200 if name == "level" else 80 for name in COMMANDS if name != "massprops"}
"""The width at which a screen is kept as a golden file."""
FAULTS = "id,parent,mass\ntop,,\n" + "".join(f"p{i},top,1O{i}\n" for i in range(6)) + "q,tp,2\nr,top,0\nr,top,3\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("spacecraft.csv", "twelve_rows.csv", "budget/bom_rev_b.csv", "budget/budget.toml"):
        shutil.copy(ROOT / "sample_data" / name, tmp_path)
    (tmp_path / "faults.csv").write_text(FAULTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def shown_on_terminal(monkeypatch, arguments, columns, **env) -> str:
    """Run in process on a terminal of so many columns."""
    from massprops_cli.cli import app

    for name, value in {"COLUMNS": str(columns), "TERM": "xterm-256color", **env}.items():
        monkeypatch.setenv(name, value)
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    app.run_command_line(arguments)
    return screen.getvalue()


def numbers_in(text: str) -> Counter[str]:
    """Numbers that are alone on a screen, and how often."""
    return Counter(re.findall(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.])", text))


@pytest.mark.parametrize("name", COMMANDS)
def test_terminal(folder, monkeypatch, name):
    monkeypatch.delenv("NO_COLOR", raising=False)
    texts = {}
    for columns in (80, 200):
        coloured = shown_on_terminal(monkeypatch, COMMANDS[name], columns)
        assert "\x1b[" in coloured
        texts[columns] = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        assert max(_display_width(line) for line in texts[columns].splitlines()) <= columns
    assert not numbers_in(texts[80]) - numbers_in(texts[200])
    if name in REVIEWED:
        assert_golden(GOLDEN / "screen" / f"{name}_{REVIEWED[name]}.txt", texts[REVIEWED[name]])


def test_the_screen_of_the_level_by_level_method(folder, monkeypatch):
    words = " ".join(shown_on_terminal(monkeypatch, COMMANDS["massprops"], 80, NO_COLOR="1").split())
    words = re.sub(r"\x1b\[[0-9;]*m", "", words)
    assert "uncertainty massprops: first-order, level by level" in words
    assert "about the centre of mass of PLD" in words
    assert "mass 150.33 ± 0.78 kg" in words
    assert "Ixx 44.41 ± 0.31 Iyy" in words


def test_no_color_leaves_no_colour(folder, monkeypatch):
    text = shown_on_terminal(monkeypatch, COMMANDS["rollup"], 80, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", text)
    assert "level 1 (kg)" in text or "subsystem (kg)" in text


def test_dumb_terminal_gets_plain_characters(folder, monkeypatch):
    assert "\x1b" not in shown_on_terminal(monkeypatch, COMMANDS["rollup"], 80, TERM="dumb")


def test_pipe_is_never_cut(process, tmp_path):
    long = "n" * 300
    (tmp_path / "bom.csv").write_text(f"id,parent,name,mass\ntop,,,\na,top,{long},2\n")
    done = process("tree", "bom.csv", COLUMNS="40")
    assert long in done.stdout.decode()
    assert b"\x1b" not in done.stdout


def test_json_is_utf_8_on_an_ascii_stream(process, folder):
    """A sign of multiplication is one byte in Latin-1, and none in ASCII: JSON has the same bytes everywhere."""
    done = process("whatif", "twelve_rows.csv", "--scale", "P.1.mass=2", "--format", "json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode())["changes"][0].endswith("× 2")


def test_ascii_stream_gets_ascii(process, folder):
    done = process("rollup", "spacecraft.csv", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    text = done.stdout.decode("ascii")
    assert "+/-" in text
    assert "kg*m^2" in text


@pytest.mark.parametrize("style", first(["md", "full", "concise"], 1))
def test_ascii_stream_gets_signs_in_words(process, folder, style):
    done = process("rollup", "spacecraft.csv", "--format", style, PYTHONIOENCODING="ascii")
    text = done.stdout.decode("ascii")
    assert "\\u" not in text
    assert style == "concise" or "Ixy = -integral" in text


def test_narrow_grid_is_shortened_and_states_it():
    grid = Grid([[TextSpan("x" * 90), TextSpan("1.5")]], "lr", shrink=0)
    assert "…" in plain_text([grid], 60, UNICODE)
    assert max(map(len, plain_text([grid], 60, UNICODE).splitlines())) <= 60
    assert "x" * 90 in plain_text([grid], None, ASCII)


def test_wrapped_lines_hang():
    text = plain_text([text_line("error ", "word " * 30, hang=4)], 40, UNICODE)
    lines = text.splitlines()
    assert all(line.startswith("    ") for line in lines[1:])
    assert text.split() == ["error", *["word"] * 30]


def test_force_color_and_no_color(process, run, bom, monkeypatch):
    plain = process("validate", bom)
    forced = process("validate", bom, FORCE_COLOR="1")
    assert b"\x1b[" not in plain.stdout
    assert b"\x1b[1;32m" in forced.stdout  # bold green of the mark
    assert re.sub(rb"\x1b\[[0-9;]*m", b"", forced.stdout).split() == plain.stdout.split()
    assert b"\x1b[1m" in process("rollup", "--help", FORCE_COLOR="1").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" not in run("validate", bom, "--format", "json").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert run("validate", bom).stdout_bytes == plain.stdout
    monkeypatch.setenv("FORCE_COLOR", "")
    monkeypatch.delenv("NO_COLOR")
    assert run("validate", bom).stdout_bytes == plain.stdout


def test_sixteen_colors_have_no_dim_text(process, bom):
    for term in ("dumb", "linux"):
        done = process("rollup", bom, FORCE_COLOR="1", TERM=term, COLORTERM="")
        codes = set(re.findall(rb"\x1b\[([0-9;]*)m", done.stdout))
        assert codes
        assert not any(code in (b"2", b"34") or b"38;" in code for code in codes), codes


MIXED_UNITS = (
    "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg m2],Iyy [kg m2],Izz [kg m2],Ixy,Ixz,Iyz\n"
    "R,,,,,,,,,,,\na,R,2,100,0,0,1,2,2.5,0,0,0\nb,R,3,400,0,10,1,2,2.5,0,0,0\n"
)


@pytest.mark.parametrize("form", [[], ["--format", "md"]], ids=["screen", "markdown"])
def test_inertia_is_shown_in_the_unit_of_its_columns(massprops, tmp_path, form):
    """Reduced mass 1.2 kg, 0.3 m and 0.01 m apart: Iyy = 4 + 1.2·(0.3² + 0.01²), Ixz = −1.2·0.3·0.01 kg·m²."""
    table = tmp_path / "a.csv"
    table.write_text(MIXED_UNITS.replace("Ixy,Ixz,Iyz", "Ixy [kg m2],Ixz [kg m2],Iyz [kg m2]"))
    words = ["rollup", table, "--poi", "+", "-o", tmp_path / "o.csv", "--principal", *form]
    shown = " ".join(massprops(*words).stdout.replace("|", " ").split())
    assert "Iyy 4.10812" in shown
    assert "Ixz -0.0036" in shown
    assert "kg m2" in shown
    assert "mm²" not in shown
    assert "4108120" not in shown
    converted = massprops(*words, "--units", "kg,mm").stdout
    assert "4108120" in converted.replace(",", "").replace(" ", "")


@pytest.mark.parametrize(
    "name", ["spacecraft.csv", "rover.csv", "twelve_rows.csv", "sawe_example.csv", "arm.urdf", "budget/bom.csv"]
)
def test_right_answer_fits_a_screen(tmp_path, monkeypatch, name):
    """24 lines of 80 columns, wide tensors with σ and poses included; -v has the radii that a narrow screen lacks."""
    path = Path(shutil.copy(ROOT / "sample_data" / name, tmp_path))
    monkeypatch.chdir(tmp_path)
    shown = shown_on_terminal(monkeypatch, ["rollup", path.name, "-o", "out.csv"], 80)
    assert shown.count("\n") <= 24
    in_full = shown_on_terminal(monkeypatch, ["rollup", path.name, "-o", "out.csv", "-v"], 80)
    assert ("Ixx" in shown) == ("kx" in in_full)


def test_totals_that_agree_are_counted(tmp_path, monkeypatch):
    """A terminal lists the totals that do not agree: the second of 7, where the parts weigh 2 + 3."""
    path = tmp_path / "list.csv"
    rows = "part,mass [kg],growth mass [kg]\nA,2,0.2\nB,3,0.3\nTotal,5,0.5\n"
    path.write_text(rows)
    shown = shown_on_terminal(monkeypatch, ["rollup", str(path)], 80)
    assert "2 stated totals equal to the sum of the rows" in shown
    assert "stated totals (kg)" not in shown
    path.write_text(rows.replace("Total,5", "Total,7"))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", shown_on_terminal(monkeypatch, ["rollup", str(path)], 80))
    assert re.search(r"Total mass +line 4 +7 ", shown), shown
