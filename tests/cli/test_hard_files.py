"""What a run leaves of files: modes, names that appear meanwhile, inputs that change."""

import os
import stat

import pytest

from massprops_cli.cli.stages.output_files import check_input_unchanged, file_state
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import OutputError

TABLE = "id,parent,mass [kg]\nSAT,,\nBUS,SAT,2\nEPS,SAT,3\n"
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


SIGMAS = "id,parent,mass [kg],sigma mass [kg]\nSAT,,,\nBUS,SAT,2,0.1\nEPS,SAT,3,0.2\n"


@pytest.mark.parametrize("name", ["cov.csv", "cov.json", "cov.parquet", "plot.svg"])
def test_further_output_that_appears_meanwhile_is_kept(tmp_path, massprops, monkeypatch, name):
    from massprops_cli.cli.stages import output_files

    (tmp_path / "bom.csv").write_text(SIGMAS)
    target = tmp_path / name
    check = output_files.check_target

    def created_meanwhile(*arguments, **keywords):
        check(*arguments, **keywords)
        target.write_bytes(b"of another program")

    monkeypatch.setattr(output_files, "check_target", created_meanwhile)
    kind = "--plot" if name == "plot.svg" else "--covariance"
    more = ["--uncertainty", "montecarlo", "--samples", "200"] if kind == "--plot" else []
    words = ["rollup", str(tmp_path / "bom.csv"), "-o", str(tmp_path / "out.csv"), kind, str(target), *more]
    done = massprops(*words, "--no-clobber")
    assert done.exit_code == 2
    assert "is kept" in done.stderr
    assert target.read_bytes() == b"of another program"
    (tmp_path / "out.csv").unlink(missing_ok=True)
    assert massprops(*words).exit_code == 0
    assert target.read_bytes() != b"of another program"


@POSIX
def test_in_place_and_backup_keep_mode_and_owner(tmp_path, massprops):
    table = tmp_path / "bom.csv"
    table.write_text(TABLE)
    table.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(table, 1234, 4321)
    assert massprops("rollup", str(table), "--in-place").exit_code == 0
    for path in (table, tmp_path / "bom.bak.csv"):
        assert mode_of(path) == 0o600
        assert path.stat().st_uid == (1234 if os.geteuid() == 0 else os.geteuid())
    assert (tmp_path / "bom.bak.csv").read_text() == TABLE


def test_file_that_appears_meanwhile_is_kept(tmp_path):
    target = tmp_path / "out.csv"
    writing = atomic_file(target, replaces=False)
    writing.__enter__().write(b"new")
    target.write_bytes(b"of another program")
    with pytest.raises(OutputError, match="is kept"):
        writing.__exit__(None, None, None)
    assert target.read_bytes() == b"of another program"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_new_file_without_replacing_is_written(tmp_path):
    with atomic_file(tmp_path / "out.csv", replaces=False) as file:
        file.write(b"new")
    assert (tmp_path / "out.csv").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


@POSIX
def test_folder_is_flushed_after_the_renaming(tmp_path, monkeypatch):
    steps = []
    rename, flush = os.replace, os.fsync

    def renamed(source, target):
        steps.append("rename")
        rename(source, target)

    def flushed(handle):
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        flush(handle)

    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(os, "fsync", flushed)
    with atomic_file(tmp_path / "out.csv") as file:
        file.write(b"new")
    assert steps == ["file", "rename", "folder"]


def test_input_that_changed_is_not_overwritten(tmp_path):
    table = tmp_path / "bom.csv"
    table.write_text(TABLE)
    state = file_state(str(table))
    check_input_unchanged(str(table), state)
    table.write_text(TABLE + "AOCS,SAT,4\n")
    with pytest.raises(OutputError, match="changed after it was read"):
        check_input_unchanged(str(table), state)


def test_in_place_keeps_an_input_that_changed_while_it_ran(tmp_path, massprops, monkeypatch):
    from massprops_cli.reports import table_files

    table = tmp_path / "bom.csv"
    table.write_text(TABLE)
    write = table_files.write_result_table

    def changed(*arguments):
        table.write_text(TABLE + "AOCS,SAT,4\n")
        return write(*arguments)

    monkeypatch.setattr(table_files, "write_result_table", changed)
    done = massprops("rollup", str(table), "--in-place")
    assert done.exit_code == 2
    assert "changed after it was read" in done.stderr
    assert table.read_text() == TABLE + "AOCS,SAT,4\n"
    assert [path.name for path in tmp_path.iterdir()] == ["bom.csv"]
