"""What is written into a table with decimal commas reads back as the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from massprops_cli.bom.results.table_edit import _MANY_NUMBERS, _comma_texts
from massprops_cli.tables.cells.number_text import decimal_readings


@pytest.mark.parametrize("value", [0.5, 9.534, 123.456, 1234.567, 1e-7, 1.234e-5, -2.345, 1e300, 7.0, 0.1 + 0.2])
def test_a_comma_text_has_one_reading_and_it_is_the_number(value: float) -> None:
    for count in (1, _MANY_NUMBERS):  # one by one, and by PyArrow
        read = decimal_readings(_comma_texts(np.full(count, value))[-1])
        assert float(read.comma) == value
        assert read.only in ("", ",")
        assert read.only == "," or read.point == read.comma


@pytest.mark.parametrize(
    ("leaves", "options", "top"),
    [
        (["1,25", "1,234"], [], "2,484"),
        (["1,25", "1.5"], [], "2,75"),
        (["1.234", "2"], ["--decimal", ","], "1236"),
        (["1,234", "2,5"], ["--decimal", ","], "3,7340"),
        (["1,234", "2.5"], ["--decimal", "."], "1236.5"),
        (["1'234.5", "2"], [], "1236.5"),
    ],
)
def test_twice_is_once(
    leaves: list[str], options: list[str], top: str, tmp_path: Path, massprops: Callable[..., Any]
) -> None:
    path = tmp_path / "bom.csv"
    path.write_text("id;parent;mass\nt;;\n" + "".join(f"{'ab'[k]};t;{mass}\n" for k, mass in enumerate(leaves)))
    once, twice = tmp_path / "once.csv", tmp_path / "twice.csv"
    assert massprops("rollup", path, "-o", once, *options).exit_code == 0
    assert once.read_text().splitlines()[1].split(";")[2].rstrip("0") == top.rstrip("0")
    assert massprops("rollup", once, "-o", twice, *options).exit_code == 0
    assert twice.read_text() == once.read_text()
