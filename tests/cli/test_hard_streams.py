"""Streams that are closed, full, or no regular files; documents that no parser should follow to the end."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.examples import covering
from tests.warm import warm_words

TABLE = "id,parent,mass [kg]\nSAT,,\nBUS,SAT,2\nEPS,SAT,3\n"
POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX shell")


def shell(folder, command, **keywords):
    """Run a shell command in which ``$M`` is massprops."""
    environment = {**os.environ, "M": warm_words()}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        **keywords,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bom.csv").write_text(TABLE)
    return tmp_path


@pytest.mark.spread(2)
@POSIX
@pytest.mark.parametrize(
    "command",
    [
        "$M --version > /dev/full",
        "$M --version >&-",
        "$M --help >&-",
        "$M rules >&-",
        "$M tree bom.csv >&-",
        "$M rollup bom.csv -o - >&-",
        "$M rollup bom.csv -o out.csv > /dev/full",
        "$M rollup - -o out.csv <&-",
    ],
)
def test_stream_that_cannot_be_used_is_one_message(folder, command):
    done = shell(folder, command)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "MP999" not in done.stderr
    assert "standard output" in done.stderr or "no space left" in done.stderr or "file is empty" in done.stderr


@POSIX
def test_all_streams_closed_writes_the_table(folder):
    done = shell(folder, "$M rollup bom.csv -o out.csv <&- >&- 2>&-")
    assert (done.stdout, done.stderr) == ("", "")
    assert "SAT,,5" in (folder / "out.csv").read_text()


@POSIX
@pytest.mark.parametrize(("sink", "name"), covering(["| cat", "> seen; cat seen", ""], ["/dev/stdout", "/dev/fd/1"]))
def test_path_of_stdout_is_stdout(folder, name, sink):
    done = shell(folder, f"$M rollup bom.csv -o {name} {sink}")
    assert done.stdout == TABLE.replace("SAT,,", "SAT,,5")


@POSIX
@pytest.mark.parametrize("command", ["validate", "tree", "rollup -o -"])
def test_pipe_is_read_once(folder, command):
    os.mkfifo(folder / "pipe.csv")
    done = shell(folder, f"cat bom.csv > pipe.csv & $M {command} pipe.csv")
    assert done.returncode == 0
    assert "SAT" in done.stdout or "3 items" in done.stdout


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = " + "[" * 50_000 + "]" * 50_000, "nested too deeply"),
        ("a = " + "{b = " * 5_000 + "1" + "}" * 5_000, "nested too deeply"),
        ("a = " + "9" * 5_000, "does not fit in 64 bits"),
        ("a = 0x" + "f" * 5_000, "does not fit in 64 bits"),
        (".".join(["a"] * 50_000) + " = 1", "dotted key"),
        ("[" + " . ".join(['"a"'] * 50_000) + "]", "dotted key"),
    ],
)
def test_toml_without_end_is_one_message(folder, text, reason, massprops, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "limits.toml").write_text(text)
    for option in ("rollup bom.csv -o - --config", "check bom.csv --budget"):
        begun = time.process_time()
        done = massprops(*option.split(), "limits.toml")
        assert time.process_time() - begun < 10
        assert done.exit_code == 2
        assert reason in done.stderr
        assert "MP999" not in done.stderr


@POSIX
@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_signal_leaves_no_partial_file(folder, number, code):
    os.mkfifo(folder / "pipe.csv")
    process = subprocess.Popen(
        [sys.executable, "-m", "massprops_cli", "rollup", "pipe.csv", "-o", "out.csv"],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    )
    with (folder / "pipe.csv").open("w") as pipe:  # returns when the command reads
        pipe.write(TABLE)
        pipe.flush()
        process.send_signal(number)
        try:
            _, errors = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:  # the signal came just before the call of read, which it then does not end
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
    assert process.returncode == code
    assert "no partial file was written" in errors
    assert sorted(path.name for path in folder.iterdir()) == ["bom.csv", "pipe.csv"]


def test_condition_of_blanks_is_rejected_in_linear_time(folder, massprops):
    for condition in (" " * 2_000, "mass" + " " * 20_000 + "x", "x" * 20_000 + " in"):
        begun = time.process_time()
        done = massprops("rollup", folder / "bom.csv", "-o", "-", "--where", condition)
        assert done.exit_code == 2
        assert "--where is not a condition" in done.stderr
        assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("text", "reason"),
    [("a = " + "[" * 50_000 + "]" * 50_000, "nested too deeply"), ("a = " + "9" * 5_000, "does not fit in 64 bits")],
)
def test_materials_without_end_are_one_message(folder, text, reason, massprops):
    (folder / "materials.toml").write_text(text)
    (folder / "shapes.csv").write_text("id,parent,shape,dims,material\nr,,,,\na,r,box,a=1 m b=1 m c=1 m,foo\n")
    more = ["--materials", str(folder / "materials.toml")]
    for words in (
        ["validate", str(folder / "shapes.csv")],
        ["parts", "shape", "box", "a=1m", "b=1m", "c=1m", "material=foo"],
    ):
        done = massprops(*words, *more)
        assert done.exit_code == 2
        assert reason in done.stderr
        assert "MP999" not in done.stderr
