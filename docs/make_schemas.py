"""Write the JSON schemas of ``--format json`` to docs/schemas: ``python docs/make_schemas.py``, or ``make schemas``.

A schema is the form of the reports of the commands in ``CASES``: the types of all keys, the keys of the report that
all of them have, and one form of all values of objects by id or header. Further keys are allowed; docs/json.md
describes what a schema cannot.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "schemas"
NAMED = {
    "by_change", "by_reason", "contributions", "correlations", "counts", "decimal", "exact", "includes", "labels",
    "results", "terms", "total", "variants",
}  # fmt: skip
"""Objects whose keys are ids, headers, results or kinds; lists of these names are not concerned."""
TABLES = {
    "partial": "id,parent,mass [kg],Cx [m],Cy [m],Cz [m]\nW,,,,,\nA,W,12.5,1,0,0\nB,W,8.1,,,\n",
    "variants": "id,parent,mass [kg],Qty A,Qty B\nS,,,1,1\nT,S,10,1,2\n",
    "total": "item,mass [kg],remark\nFrame,12,\nMast,11,x\nTotal,23,\n",
    "reasons": "item,reason\nPLD,ECR-17\nPWR,ECR-18\n",
    "bad": "id,parent,mass [kg]\nR,,\nX,R,two\nX,R,1\n",
}
_DRAWN = "--uncertainty montecarlo --samples 500 --item PLD --config interval=95%"
CASES = {
    "rollup": (
        "rollup spacecraft.csv --sum power_W --by supplier --probability 'mass <= 152 kg' --config interval=95%",
        f"rollup spacecraft.csv {_DRAWN} --probability 'mass <= 152 kg'",
        "rollup bom.csv", "rollup partial.csv", "rollup partial.csv --allow-missing center",
        "rollup total.csv", "tree spacecraft.csv --depth 1", "rollup spacecraft.xlsx --about 1,0,0",
    ),
    "variants": ("rollup variants.csv --all-variants",),
    "validate": ("validate spacecraft.xlsx", "validate total.csv", "validate bad.csv", "validate partial.csv"),
    "check": ("check bom.csv --budget budget.toml", "check bom_rev_b.csv --budget budget.toml"),
    "whatif": (
        "whatif spacecraft.csv --set PLD-110.mass=8.2 --drop BAL-200", "whatif partial.csv --scale A.mass=2",
    ),
    "contributions": (
        "contributions spacecraft.csv --of I1 --correlate part", "contributions spacecraft.csv --of mass",
    ),
    "shares": ("contributions spacecraft.csv --value",),
    "diff": ("diff bom.csv bom_rev_b.csv --reasons reasons.csv", "diff bom.csv bom.csv"),
    "base-params": ("robot base-params arm.json",),
    "massmatrix": ("robot massmatrix arm.json --qd 0.5,0,0,0,0",),
    "conditions": (
        "conditions satellite.csv --conditions satellite.toml",
        "conditions aircraft.csv --conditions aircraft.conditions.csv",
        "conditions airliner.csv --conditions airliner.toml",
    ),
    "ballast": ("ballast spacecraft.csv --to 'Cx in -2..2 mm' --at ballast/ballast_points.csv",),
    "partition": ("parts partition spacecraft.csv --at PLD",),
    "aggregate": ("parts aggregate spacecraft.csv --nodes PLD-100,PLD-200",),
    "trend": (
        "trend bom.csv bom_rev_b.csv --budget budget.toml", "trend spacecraft.csv spacecraft.xlsx",
        "trend bom.csv bom_rev_b.csv bom.csv --config order=given --forecast line",
    ),
    "reconcile": (
        "reconcile spacecraft.csv --measured weighing/weighings.csv --measured 'HRN mass 12±0.05 kg'",
        "reconcile spacecraft.csv --offer weighing/offers.csv --of Cz --weigh 2",
    ),
    "verify": ("verify spacecraft.csv", "verify group_statement.csv --result group_statement_book.csv"),
    "plan": ("plan bom.csv plan.toml",),
    "identify": (
        "identify arm.json --data identify/run1.csv --data identify/run2.csv --prior links.csv",
        "identify arm.json --data identify/run1.csv",
    ),
    "inertials": ("robot inertials cart.sdf -o a.sdf", "robot inertials arm.urdf --density '2700 kg/m3' -o a.urdf"),
}  # fmt: skip
"""Commands by the schema of their report; the folder has the tables of sample_data and those above."""


def main() -> int:
    """Write a schema for each kind of report."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        copy_samples(Path(name))
        for kind, lines in CASES.items():
            (FOLDER / f"{kind}.json").write_text(
                schema_text(kind, [report(line, Path(name)) for line in lines]), "utf-8"
            )
    return 0


def copy_samples(folder: Path) -> None:
    """Copy the inputs of the commands to a folder."""
    for part in ("", "budget", "conditions"):
        for path in (ROOT / "sample_data" / part).iterdir():
            if path.is_file():
                shutil.copy(path, folder)
    for part in ("ballast", "identify", "weighing"):
        shutil.copytree(ROOT / "sample_data" / part, folder / part)
    for name, text in TABLES.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")


def report(line: str, folder: Path) -> Any:
    """Run a command, and return its report."""
    command = [sys.executable, "-m", "massprops_cli", *shlex.split(line), "--format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", env=environment, check=False)
    if done.returncode > 1:
        raise SystemExit(f"{line}: {done.stderr}")
    return json.JSONDecoder().raw_decode(done.stdout)[0]


def schema_text(kind: str, reports: Sequence[Any]) -> str:
    """Return the schema of reports."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"massprops --format json: {kind}"}
    return json.dumps({**head, **form(reports)}, indent=1, ensure_ascii=False) + "\n"


def form(values: Sequence[Any], key: str = "") -> dict[str, Any]:
    """Return the common form of values: their types, and those of what they contain."""
    types = {_type_name(value) for value in values}
    types |= {"null"} if "number" in types else set()  # of a number that is not known
    result: dict[str, Any] = {} if types <= {"null"} else {"type": sorted(types) if len(types) > 1 else types.pop()}
    if entries := [one for value in values if isinstance(value, list) for one in value]:
        result["items"] = form(entries, f"{key}[]")
    objects = [value for value in values if isinstance(value, dict)]
    keys = list(dict.fromkeys(name for value in objects for name in value))
    is_by_id = key in ("items", "columns") or key in NAMED
    if keys and is_by_id:
        result["additionalProperties"] = form([one for value in objects for one in value.values()])
    elif keys:
        result["properties"] = {name: form([value[name] for value in objects if name in value], name) for name in keys}
        if not key:
            result["required"] = [name for name in keys if all(name in value for value in objects)]
    return result


def _type_name(value: Any) -> str:
    """Return the name of a type in JSON schemas."""
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


if __name__ == "__main__":
    sys.exit(main())
