"""The equipment lists as a newcomer meets them: the first run, then the first command it prints, and no third."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.trades.make_lists import FILES, read_manifest

ENTRIES = read_manifest()
MOMENTS = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


def next_command(screen: str) -> list[str] | None:
    """Give the first command below ``next:`` as typed, split as a shell does; None without one."""
    below = screen.partition("\nnext: ")[2]
    line = next((line for line in below.splitlines() if "massprops " in line), None)
    return None if line is None else shlex.split(line[line.index("massprops ") :])[1:]


def report_of(massprops: Any, arguments: list[str], output: Path) -> dict[str, Any]:
    report = json.loads(massprops(*arguments, "--format", "json", "-o", output).stdout)
    assert isinstance(report, dict)
    return report


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["trade"].replace(" ", "_") for entry in ENTRIES])
def test_answered_within_two_runs(
    entry: dict[str, Any], massprops: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(FILES / entry["file"], tmp_path)
    arguments = ["rollup", entry["file"]]
    result = massprops(*arguments)
    if result.exit_code != 0:
        command = next_command(result.output)
        assert command is not None, result.output
        arguments = command
        result = massprops(*arguments)
    assert result.exit_code == 0, result.output
    report = report_of(massprops, arguments, tmp_path / f"again{Path(entry['file']).suffix}")
    assert report["units"]["mass"].lower() == entry["unit"]
    root = next(item for item in report["items"] if item["parent"] is None)
    # the digits of the lists, not the tool, limit the agreement
    assert root["mass"] == pytest.approx(entry["mass"], rel=1e-9)
    if "center" in entry:
        assert report["units"]["length"].lower() == entry["center_unit"]
        given = [value for value in root["center"] if value is not None]
        assert given == pytest.approx(entry["center"], rel=1e-6)
    if len(entry.get("center", ())) == 3 and "inertia" in entry:
        assert [root["inertia"][name] for name in MOMENTS] == pytest.approx(entry["inertia"], rel=1e-6)
