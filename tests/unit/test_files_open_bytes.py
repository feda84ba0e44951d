"""Files that are read part by part: what is returned, and what happens if they change meanwhile."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from massprops_cli.files import delimited_records
from massprops_cli.files.delimited_records import FileBytes, HeldBytes
from massprops_cli.findings.finding import TableError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "parts.csv"
    path.write_bytes(bytes(range(200)))
    return path


def test_parts_are_those_of_the_bytes(path: Path) -> None:
    opened, held = FileBytes(str(path)), HeldBytes(path.read_bytes())
    assert len(opened) == len(held) == 200
    for begin, stop in [(0, 200), (3, 3), (150, 200), (0, 1)]:
        assert opened.array(begin, stop).tobytes() == held.array(begin, stop).tobytes() == opened[begin:stop]
    assert opened[-5:] == held[-5:] == bytes(range(195, 200))
    assert opened[:900] == bytes(opened) == bytes(range(200))
    assert bytes(pickle.loads(pickle.dumps(opened))[:]) == bytes(range(200))


@pytest.mark.parametrize("size", [0, 150, 300])
def test_a_file_that_is_cut_or_grows_is_one_error(path: Path, size: int) -> None:
    opened = FileBytes(str(path))
    os.truncate(path, size)
    with pytest.raises(TableError, match=r"parts\.csv: error: file was changed while it was read") as raised:
        opened.array(0, 180)
    assert [finding.rule for finding in raised.value.findings] == ["MP101"]


def test_a_file_with_other_bytes_of_the_same_size_is_an_error(path: Path) -> None:
    opened = FileBytes(str(path))
    path.write_bytes(bytes(200))
    os.utime(path, ns=(1, 1))
    with pytest.raises(TableError, match="changed while it was read"):
        opened[:10]


def test_a_file_that_is_replaced_is_still_that_which_was_opened(path: Path, tmp_path: Path) -> None:
    opened = FileBytes(str(path))
    (tmp_path / "other").write_bytes(b"other")
    (tmp_path / "other").replace(path)
    assert opened[:3] == b"\0\1\2"


def test_reading_without_positions_of_the_system(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, which has no preadv: a few bytes at a time."""

    def read_at(handle: int, target: memoryview, begin: int) -> int:
        os.lseek(handle, begin, os.SEEK_SET)
        data = os.read(handle, min(len(target), 7))
        target[: len(data)] = data
        return len(data)

    monkeypatch.setattr(delimited_records, "_read_at", read_at)
    assert FileBytes(str(path)).array(1, 190).tobytes() == bytes(range(1, 190))
