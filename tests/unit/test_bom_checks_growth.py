"""The time of the checks is linear in the number of rows, also where every row fails."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Mapping

import pytest

import massprops_cli as mp
from tests.examples import first

HEADER = (
    "id,parent,name,part,qty,mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],"
    "Ixz [kg*m^2],Iyz [kg*m^2],POIconv,Ipoint,sigma_mass [kg],sigma_Cx [m],sigma_Cy [m],sigma_Cz [m]"
)
NAMES = [text.partition(" ")[0] for text in HEADER.split(",")]
Cells = Mapping[str, object]
TENSOR = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
NO_TENSOR = dict.fromkeys(TENSOR, "")


def sound(i: int) -> dict[str, object]:
    """Cells of a row without a fault; no two rows have the same tensor."""
    values = [f"B{i}", "R", f"part {i}", f"PN{i}", 1, 1 + i % 7 / 8, i % 11 / 4, i % 13 / 4, i % 17 / 4]
    values += [1 + i / 1e6, 1.1 + i / 1e6, 1.2 + i / 1e6, 0.01, 0.02, 0.03, "-", "false", 0.01, 0.01, 0.01, 0.01]
    return dict(zip(NAMES, values, strict=True))


FAULTS: dict[str, Callable[[int], Cells]] = {
    "identity": lambda _: dict(zip(TENSOR, (1, 1, 1, 0, 0, 0), strict=True)),
    "one tensor on three bodies": lambda i: {
        "Ixx": 1.5 + i // 3,
        "Iyy": 1.4 + i // 3,
        "Izz": 1.3 + i // 3,
        "mass": i + 1,
    },
    "six equal entries": lambda i: dict.fromkeys(TENSOR, 2 + i),
    "totals that are parts": lambda _: {"id": "", "parent": "", "name": "Total", "mass": 1},
    "every other row a total": lambda i: {"id": "", "parent": "", "name": f"Total {i}"} if i % 2 else {},
    "no mass": lambda _: {"mass": ""},
    "no mass in every other row": lambda i: {"mass": ""} if i % 2 else {},
    "negative mass": lambda _: {"mass": -1},
    "no text that is a number": lambda i: {"mass": f"x{i}"},
    "units": lambda i: {"mass": f"3 foo{i}"},
    "no tensor in every other row": lambda i: NO_TENSOR if i % 2 else {},
    "triangle inequality": lambda i: {"Ixx": 9 + i / 1e6},
    "signs": lambda i: {"POIconv": "?"} if i % 2 else {},
    "flags": lambda i: {"Ipoint": "maybe"} if i % 2 else {},
    "sigmas": lambda i: {"sigma_mass": -1} if i % 2 else {},
    "radii": lambda i: dict.fromkeys(TENSOR[:3], 1e9 + i),
    "quantities": lambda i: {"qty": f"{i}x"} if i % 2 else {"qty": "-1"},
    "duplicate ids": lambda i: {"id": f"X{i // 2}"},
    "ids that look alike": lambda i: {"id": f"B{i // 2}" + ("\u200b" if i % 2 else "")},
    "unknown parents": lambda i: {"parent": f"Q{i}"},
    "loops": lambda i: {"parent": f"B{i ^ 1}"},
    "one part, several masses": lambda i: {"part": f"PN{i // 2}", "mass": i + 1},
    "assemblies": lambda i: {"id": f"A{i}", "mass": 5} if i % 3 == 0 else {"parent": f"A{i - i % 3}"},
    "cancelling masses": lambda i: (
        {"id": f"A{i}", "mass": ""} if i % 3 == 0 else {"parent": f"A{i - i % 3}", "mass": (1, -1)[i % 2]}
    ),
}


def seconds(fault: Callable[[int], Cells], rows: int) -> float:
    """Return the processor time of all checks of a table in which every row has a fault."""
    lines = (",".join(map(str, (sound(i) | fault(i)).values())) for i in range(rows))
    text = "\n".join([HEADER, "R" + "," * (len(NAMES) - 1), *lines])
    start = time.process_time()
    with contextlib.suppress(mp.TableError):
        mp.validate(io.StringIO(text), config=False)
    return time.process_time() - start


@pytest.mark.parametrize(
    ("fault", "count"),
    first([("identity", 3_000), ("identity", 10_000), ("one tensor on three bodies", 10_000)], 1, several=True),
)
def test_faulty_rows_take_little_longer_than_sound_ones(fault: str, count: int) -> None:
    """A placeholder in each of 10,000 rows took ten times a sound table, and in each of 100,000 a hundred times."""
    seconds(lambda _: {}, 100)
    assert seconds(FAULTS[fault], count) < 5 * seconds(lambda _: {}, count)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_time_is_linear_in_faulty_rows(fault: str) -> None:
    """Eight times the rows take about eight times as long; 64 times if each fault scans all rows."""
    few, many = seconds(FAULTS[fault], 4_000), seconds(FAULTS[fault], 32_000)
    assert many < 20 * max(few, 0.1)
