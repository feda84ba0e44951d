"""Count in how many files each rule is reported, to see which heuristics of the reader are needed.

    python benchmarks/count_rules.py FOLDER...

Every table below each folder is validated without a configuration. Where a command is printed below ``next:``, it is
run as well, at most twice, because errors that stop the reader hide what follows them. ``docs/evidence.md`` has the
results.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from massprops_cli.findings.catalogue import RULES

SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".md", ".json", ".jsonl", ".parquet")
_RUNS = 3
_SECONDS = 90


def reported_rules(file: Path) -> set[str]:
    """Return the rules that are reported for a file, with the commands that the tool proposes."""
    words: Sequence[str] = ("validate", file.name, "--config", "none")
    rules: set[str] = set()
    for _ in range(_RUNS):
        report = _run((*words, "--format", "json"), file.parent)
        try:
            rules |= {finding["rule"] for finding in json.loads(report.stdout)["findings"]}
        except (ValueError, KeyError):
            break
        proposed = next(_proposed_commands(_run(words, file.parent)), words) if report.returncode else words
        if proposed == words:
            break
        words = proposed
    return rules


def _run(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the tool in a folder."""
    command = [sys.executable, "-m", "massprops_cli", *words]
    environment = {**os.environ, "COLUMNS": "4000"}
    try:
        return subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=environment, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 2, "", "")


def _proposed_commands(run: subprocess.CompletedProcess[str]) -> Iterator[list[str]]:
    """Yield the commands below ``next:``."""
    for line in f"{run.stdout}\n{run.stderr}".splitlines():
        start = line.find("massprops validate ")
        if start >= 0 and line.startswith(("next:", "  ")) and "hint:" not in line:
            try:
                yield shlex.split(line[start:])[1:]
            except ValueError:
                continue


def count_files(folder: Path) -> tuple[int, Counter[str]]:
    """Return the number of tables below a folder, and the number of files by rule."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    counts: Counter[str] = Counter()
    for file in files:
        counts.update(reported_rules(file))
    return len(files), counts


def main(folders: Sequence[str]) -> None:
    """Print the table: rules, and the number of files by folder."""
    found = [count_files(Path(folder)) for folder in folders]
    heads = [f"{Path(folder).name} ({number})" for folder, (number, _) in zip(folders, found, strict=True)]
    print(f"| rule | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for code, rule in RULES.items():
        numbers = [counts[code] for _, counts in found]
        if any(numbers):
            print(f"| {code} {rule.name} | {' | '.join(map(str, numbers))} |")


if __name__ == "__main__":
    main(sys.argv[1:])
