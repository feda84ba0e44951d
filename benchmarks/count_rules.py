"""Count what each heuristic of the reader wins: simulated lists that are lost when it is patched out.

Run ``python -m benchmarks.count_rules --count 420 --seed 1 [--public FOLDER] [--only PART]``. FOLDER has tables without
a known truth, of which the answers that change are counted. A heuristic without which nothing changes is to be removed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.simulator.command import quiet_environment, roll_up
from tests.simulator.run import GOOD, cases_of, one

T = "massprops_cli.tables."


def _constant(value: Any) -> Callable[..., Any]:
    return lambda *given, **named: value


HEURISTICS: dict[str, Any] = {
    **{
        T + f"columns.header.{name}": _constant({})
        for name in (
            "infer_center_columns",
            "infer_count_columns",
            "infer_mass_columns",
            "infer_name_column",
            "infer_numbering_column",
            "infer_unit_columns",
        )
    },
    T + "columns.header.assign_fallback_columns": _constant([]),
    T + "columns.mass_roles._RoleResolution._named_as_grown": _constant({}),
    T + "columns.mass_roles._RoleResolution._whole": _constant(None),
    T + "columns.mass_roles._RoleResolution._sums_alone": _constant([]),
    T + "columns.mass_roles._RoleResolution._components": _constant([]),
    T + "columns.mass_roles._RoleResolution._is_open": _constant(False),
    T + "rows.excluded_rows.assembly_total_rows": _constant([]),
    T + "rows.row_roles._RowTrial._closing_rows": _constant(({}, [])),
    T + "rows.row_roles._RowTrial.sums_elsewhere": {},
    T + "rows.row_roles._RowTrial._growth_sums": _constant({}),
    T + "rows.row_roles._RowTrial._is_listed_part": _constant(False),
    T + "rows.total_rows.is_side_label": _constant(False),
    T + "layouts.item_lists._nest_under_titles": lambda table, columns, hierarchy, heads, findings: hierarchy,
    T + "layouts.item_lists.title_rows": _constant([]),
    T + "rows.row_readings._with_sum": _constant([]),
    T + "rows.row_readings._center_evidence": _constant(0.0),
    T + "rows.row_readings._with_closure": lambda reading: reading,
    T + "columns.mass_roles._RoleResolution._left_of_limits": _constant(set()),
    T + "layouts.item_lists._item_groups": _constant(None),
    T + "layouts.item_lists.nested_rows_finding": _constant(None),
    "massprops_cli.tables.counts._possible_counts": _constant([]),
    "massprops_cli.bom.build.report_ambiguous_variants": _constant(None),
    "massprops_cli.bom.build.check_mass_outliers": _constant(None),
}


@contextmanager
def without(name: str) -> Iterator[None]:
    """Patch a heuristic out, also where it is in the list of inferences of the header."""
    from massprops_cli.tables.columns import header

    function, neutral = name.rpartition(".")[2], HEURISTICS[name]
    inferences = tuple(neutral if one.__name__ == function else one for one in header._COLUMN_INFERENCES)
    with patch(name, neutral), patch.object(header, "_COLUMN_INFERENCES", inferences):
        yield


_TABLES = (".csv", ".md", ".ods", ".xlsx")


def _verdicts(count: int, seed: int) -> list[str]:
    return [str(one(case)["verdict"]) for case in cases_of(count, seed)]


def _answers(folder: Path | None) -> list[object]:
    files = [path for path in sorted(folder.iterdir()) if path.suffix in _TABLES] if folder else []
    with tempfile.TemporaryDirectory() as written:
        answers = [roll_up(Path(shutil.copy(path, written))) for path in files]
    return [
        (answer.exit_code, answer.rules, str([item.get("mass") for item in answer.report.get("items", [])]))
        for answer in answers
    ]


def main() -> None:
    """Print for every heuristic how many simulated lists are lost without it, and how many public answers change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=420)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--public", type=Path, help="folder of tables whose answers are compared")
    parser.add_argument("--only", default="", help="part of the name of a heuristic")
    given = parser.parse_args()
    quiet_environment()
    usual, answers = _verdicts(given.count, given.seed), _answers(given.public)
    sys.stdout.write(f"{'heuristic':60} lost  less right  changed of {len(answers)}\n")
    for name in (name for name in HEURISTICS if given.only in name):
        with without(name):
            found, others = _verdicts(given.count, given.seed), _answers(given.public)
        lost = sum(a in GOOD and b not in GOOD for a, b in zip(usual, found, strict=True))
        less = sum(a == "right" != b for a, b in zip(usual, found, strict=True))
        changed = sum(a != b for a, b in zip(answers, others, strict=True))
        sys.stdout.write(f"{name.removeprefix(T):60} {lost:4} {less:11} {changed:8}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
