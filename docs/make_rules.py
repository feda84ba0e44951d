"""Write ``rules.md``, the index of the rules, from the catalogue.

python docs/make_rules.py
"""

from __future__ import annotations

from pathlib import Path

from massprops_cli.findings.catalogue import RULES

BLOCKS = {
    "1": "Files and sheets",
    "2": "Cells, columns and units",
    "3": "Items and tree",
    "4": "Physics",
    "5": "Uncertainty",
    "6": "Budgets",
    "9": "The tool",
}
HEAD = """# Rules

Each finding names its rule. `massprops rules MP403` prints the rule's page. `--select` and `--ignore` take codes or the
start of codes, `--fail-on` says from which severity on the exit code is 1. *As an error* is what a rule does to the
result where it is an error: it *stops* (no table could be understood, exit code 2), the result is printed and *not
written* (exit code 1; `--keep-going` writes it), or it is printed and *written* (exit code 1).
"""


def text() -> str:
    """Give the page: a table for each block of the catalogue."""
    lines = [HEAD]
    for block, title in BLOCKS.items():
        lines += [f"## {title}\n", "| rule | name | severity | as an error | |", "|---|---|---|---|---|"]
        lines += [
            f"| [{rule.code}](../massprops_cli/findings/pages/{rule.code}.md) | {rule.name} | {rule.severity} "
            f"| {rule.effect} | {rule.summary} |"
            for rule in RULES.values()
            if rule.code[2] == block
        ]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    Path(__file__).with_name("rules.md").write_text(text(), encoding="utf-8")
