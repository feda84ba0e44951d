"""Pictures of the pattern of a mass matrix."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from massprops_cli.cli.app import run_command_line as run

pytest.importorskip("matplotlib")


def star(folder: Path) -> Path:
    """Write a body on a hinge with three arms, each on a hinge."""
    bodies = [{"id": k, "mass": 1, "c": [1, 0, 0], "I": [1, 1, 1, 0, 0, 0]} for k in range(1, 5)]
    joints = [
        {"name": f"J{k}", "type": "R", "i": min(k - 1, 1), "j": k, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}
        for k in range(1, 5)
    ]
    path = folder / "star.json"
    path.write_text(json.dumps({"gravity": [0, 0, 0], "bodies": bodies, "joints": joints}))
    return path


def test_one_square_for_each_entry_that_is_not_zero(tmp_path):
    path, out = star(tmp_path), tmp_path / "star.svg"
    assert run(["robot", "massmatrix", str(path), "--pattern", "-o", str(out), "-q"]) == 0
    text = out.read_text()
    # 4 on the diagonal, and 3 pairs of the hub with an arm; arms are not related
    assert len(re.findall(r"fill: #0072b2", text)) == 4
    assert len(re.findall(r"fill: #c9dfef", text)) == 6
    again = tmp_path / "again.svg"
    assert run(["robot", "massmatrix", str(path), "--pattern", "-o", str(again), "-q"]) == 0
    assert again.read_bytes() == out.read_bytes()


def test_pictures_need_the_pattern_and_keep_files(tmp_path, capsys):
    path = star(tmp_path)
    assert run(["robot", "massmatrix", str(path), "-o", str(tmp_path / "m.svg")]) == 2
    assert "needs --pattern" in capsys.readouterr().err
    (tmp_path / "kept.png").write_bytes(b"")
    words = ["robot", "massmatrix", str(path), "--pattern", "-o", str(tmp_path / "kept.png"), "--no-clobber"]
    assert run(words) != 0
    assert (tmp_path / "kept.png").read_bytes() == b""
