"""Damaged files of every format: whatever the bytes, there are findings or a table, and never another exception."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.options import FileOptions
from massprops_cli.findings.finding import FindingsError, TableError

pytestmark = pytest.mark.slow

ROUNDS = 1_500
FORMATS = ("csv", "tsv", "json", "jsonl", "parquet", "feather", "xlsx")
SPLINTERS = (
    b"\0",
    b'"',
    b",",
    b"\n",
    b"\xff",
    b"\xef\xbb\xbf",
    b"1e999",
    b"[" * 40,
    b"{",
    b"<!DOCTYPE a>",
    b"PK\3\4",
    b"&#0;",
)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Cut, flip, double or splinter some bytes."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1:
                del data[at : at + chance.randint(1, 200)]
            case 2:
                data[at:at] = chance.choice(SPLINTERS)
            case 3:
                data[at:at] = data[at : at + chance.randint(1, 300)]
            case _:
                data = data[: max(1, at)]
    return bytes(data)


@pytest.fixture
def samples(
    tmp_path_factory: pytest.TempPathFactory, sample_data: Path, massprops: Callable[..., object]
) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("samples")
    made = {
        "csv": (sample_data / "twelve_rows.csv").read_bytes(),
        "xlsx": (sample_data / "spacecraft.xlsx").read_bytes(),
    }
    for format in FORMATS:
        if format not in made:
            target = folder / f"bom.{format}"
            massprops("convert", str(sample_data / "twelve_rows.csv"), "-o", str(target))
            made[format] = target.read_bytes()
    return made


@pytest.mark.parametrize("format", FORMATS)
def test_no_bytes_are_too_bad(format: str, samples: dict[str, bytes], tmp_path: Path) -> None:
    chance = random.Random(format)
    path = tmp_path / f"bom.{format}"
    read = 0
    for _ in range(ROUNDS if format != "xlsx" else ROUNDS // 5):
        path.write_bytes(damaged(samples[format], chance))
        try:
            rollup(Bom.read(str(path), FileOptions()), keep_going=True)
            read += 1
        except (TableError, FindingsError):
            continue
    assert read > 0
