"""``--no-clobber`` and its like in the library, checked when the file is renamed; maps in deep files; pipes."""

import json
import os
import threading

import pytest

import massprops_cli as mp
from massprops_cli.files import writer
from tests.examples import covering
from tests.output_cases import CASES, make_inputs

from .conftest import ROOT

WORDS = {
    "check, report": ("check", "bom.csv", "--budget", "budget.toml", "--report", "junit=out.xml"),
    "check, report of errors": ("check", "bad.csv", "--budget", "budget.toml", "--report", "md=out.md"),
    "contributions, plot": ("contributions", "bom.csv", "--plot", "out.svg"),
    "contributions": ("contributions", "bom.csv", "-o", "out.csv"),
    "transform, covariance": (
        "transform",
        "bom.csv",
        "-o",
        "moved.csv",
        "--translate",
        "1,0,0 m",
        "--covariance",
        "out.csv",
    ),
    "rollup": CASES["csv"],
    "rollup, new workbook": CASES["new workbook"],
    "rollup, workbook": CASES["annotated workbook"],
    "rollup, parquet": CASES["parquet"],
    "convert": CASES["convert"],
    "diff": ("diff", "bom.csv", "new.csv", "-o", "out.csv"),
    "whatif": ("whatif", "bom.csv", "--set", "BUS.mass=3", "-o", "out.csv"),
    "fix": ("convert", "bom.csv", "--fix", "-o", "out.csv"),
    "assemble": ("assemble", "bom.csv", "-o", "out.csv"),
    "base-params": ("base-params", str(ROOT / "sample_data" / "arm.json"), "-o", "out.csv"),
}
"""A command line for each kind of output that --no-clobber keeps."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    make_inputs(tmp_path / "inputs")
    monkeypatch.chdir(tmp_path / "inputs")
    text = (tmp_path / "inputs" / "bom.csv").read_text()
    (tmp_path / "inputs" / "new.csv").write_text(text.replace("SAT,2,", "SAT,2.5,"))
    (tmp_path / "inputs" / "bad.csv").write_text(text.replace("SAT,2,", "SAT,x,"))
    return tmp_path / "inputs"


def output_of(words):
    return next(
        word.partition("=")[2] or word
        for word in words
        if word.partition("=")[2].startswith("out.") or word.startswith("out.")
    )


@pytest.fixture
def meanwhile(monkeypatch):
    """Another program creates the output after the first check of it."""
    link = writer._rename_without_replacing

    def created(temporary, target):
        if target.name.startswith("out."):
            target.write_bytes(b"of another program")
        link(temporary, target)

    monkeypatch.setattr(writer, "_rename_without_replacing", created)


@pytest.mark.spread(2)
@pytest.mark.parametrize("case", WORDS)
def test_output_that_appears_meanwhile_is_kept(case, folder, massprops, meanwhile):
    done = massprops(*WORDS[case], "--no-clobber")
    assert done.exit_code == 2, done.output
    assert "is kept" in done.stderr
    assert [path.read_bytes() for path in folder.glob("out.*")] == [b"of another program"]
    assert not list(folder.glob(".*"))


@pytest.mark.spread(2, keep=("assemble",))
@pytest.mark.parametrize("case", WORDS)
def test_output_that_exists_is_rejected_before_the_work(case, folder, massprops):
    target = folder / output_of(WORDS[case])
    target.write_bytes(b"old")
    done = massprops(*WORDS[case], "--no-clobber")
    assert done.exit_code == 2
    assert "--no-clobber is given" in done.stderr
    assert target.read_bytes() == b"old"
    assert massprops(*WORDS[case]).exit_code in (0, 1)
    assert target.read_bytes() != b"old"


SAVES = {
    "result": lambda folder, **options: mp.rollup(mp.read_bom(folder / "bom.csv")).save(folder / "out.csv", **options),
    "workbook": lambda folder, **options: mp.rollup(mp.read_bom(folder / "bom.xlsx")).save(
        folder / "out.xlsx", **options
    ),
    "bom": lambda folder, **options: mp.read_bom(folder / "bom.csv").save(folder / "out.parquet", **options),
}


@pytest.mark.parametrize("case", SAVES)
def test_library_rejects_a_file_that_exists(case, folder):
    SAVES[case](folder, no_clobber=True)
    (target,) = folder.glob("out.*")
    target.write_bytes(b"old")
    with pytest.raises(mp.UsageError, match="no_clobber"):
        SAVES[case](folder, no_clobber=True)
    assert target.read_bytes() == b"old"
    SAVES[case](folder)
    assert target.read_bytes() != b"old"


@pytest.mark.parametrize("case", SAVES)
def test_library_keeps_a_file_that_appears_meanwhile(case, folder, meanwhile):
    with pytest.raises(mp.OutputError, match="is kept"):
        SAVES[case](folder, no_clobber=True)
    (target,) = folder.glob("out.*")
    assert target.read_bytes() == b"of another program"


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 50_000 + "]" * 50_000,
        "a = " + "{b = " * 5_000 + "1" + "}" * 5_000,
        "a = " + "[" * 300 + "]" * 300,
        ".".join(["a"] * 50_000) + " = 1",
        "[" + ".".join(["a"] * 50_000) + "]",
        "a = " + "9" * 5_000,
    ],
    ids=["lists", "tables", "lists of tomlkit", "key", "header", "integer"],
)
def test_map_in_a_deep_file_is_written_or_one_error(text, folder, massprops):
    (folder / "map.toml").write_text(text)
    done = massprops("validate", "bom.csv", "--save-map", "map.toml", "--force")
    if done.exit_code:
        assert done.exit_code == 2
        assert "map.toml: " in done.stderr
        assert "MP999" not in done.stderr
        assert (folder / "map.toml").read_text() == text
    else:
        assert text in (folder / "map.toml").read_text()


def test_map_that_appears_meanwhile_is_kept(folder, massprops, meanwhile):
    done = massprops("validate", "bom.csv", "--save-map", "out.toml")
    assert (done.exit_code, "is kept" in done.stderr) == (2, True)
    assert (folder / "out.toml").read_bytes() == b"of another program"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
@pytest.mark.parametrize(
    ("suffix", "name"),
    covering(["csv", "tsv", "csv.gz", "json", "jsonl", "parquet", "feather", "md", "xlsx"], ["pipe", "pipe.SUFFIX"]),
)
def test_pipe_of_every_format_is_read_once(suffix, name, folder, massprops):
    path, table = folder / name.replace("SUFFIX", suffix), folder / f"table.{suffix}"
    assert massprops("convert", "bom.csv", "-o", table).exit_code == 0
    os.mkfifo(path)
    data = table.read_bytes()
    thread = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
    thread.start()
    done = massprops("tree", path, "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["items"][0]["mass"] == 5
    thread.join(timeout=10)
    assert not thread.is_alive()
