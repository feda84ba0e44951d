"""Files whole or not at all."""

from __future__ import annotations

import errno

import pytest

from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import OutputError


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_the_old_file_is_intact_whatever_happens(tmp_path, error):
    path = tmp_path / "a.csv"
    path.write_bytes(b"old")
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else OutputError
    with pytest.raises(expected), atomic_file(path) as file:  # noqa: PT012 - the block is what is tested
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_mode_and_link_are_kept(tmp_path):
    path, link = tmp_path / "a.csv", tmp_path / "b.csv"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    with atomic_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_folders_are_rejected_in_one_line(tmp_path):
    for path in (tmp_path, tmp_path / "no" / "a.csv"):
        with pytest.raises(OutputError) as caught, atomic_file(path):
            pass
        assert "\n" not in str(caught.value)
