"""The inputs that the fuzzer kept, and all seeds: documented errors only, within the caps."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.fuzz.archives import archive_of_text
from tests.fuzz.run import CORPUS
from tests.fuzz.targets import CPU_SECONDS, file_seeds, targets

TARGETS = targets()
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def seeds() -> dict[str, list[bytes]]:
    return file_seeds(ROOT)


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_raise_documented_errors_only(name: str, seeds: dict[str, list[bytes]]) -> None:
    kept = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    given = [*TARGETS[name].seeds, *seeds.get(name, [])[:2], *kept]
    assert given
    for data in given:
        started = time.process_time()
        TARGETS[name].run(data)
        assert time.process_time() - started < CPU_SECONDS / 2


def test_corpus_is_small_and_of_targets() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} <= set(TARGETS)
    assert sum(path.stat().st_size for path in files) < 300_000


def test_seeds_are_read_as_tables(seeds: dict[str, list[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzer starts inside each reader, not at its first rejection."""
    import massprops_cli as mp

    read: list[int] = []
    rollup = mp.rollup
    monkeypatch.setattr(mp, "rollup", lambda bom, *rest, **named: read.append(len(bom)) or rollup(bom, *rest, **named))
    for name in (
        "csv",
        "tsv",
        "json",
        "jsonl",
        "md",
        "xlsx",
        "ods",
        "xls",
        "xlsb",
        "parquet",
        "feather",
        "reports",
        "openrocket",
    ):
        read.clear()
        for data in [*TARGETS[name].seeds, *seeds.get(name, [])]:
            TARGETS[name].run(data)
            if max(read, default=0) >= 2:
                break
        assert max(read, default=0) >= 2, name


def test_archive_of_text_replaces_parts() -> None:
    made = archive_of_text("ods", b"==> content.xml\n<a/>\n==> more.xml\n<b/>")
    assert b"<a/>" in made
    assert b"opendocument" in made
