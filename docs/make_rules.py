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
    "7": "Bodies from shapes, poses, meshes",
    "8": "Mechanisms",
    "9": "massprops itself",
}
HEAD = """# Rules

Each finding states its rule. `massprops rules MP403` prints the page of a rule. `--select` and `--ignore` accept codes
or prefixes of codes; `--fail-on` is the lowest severity that gives exit code 1. The column *effect* is the effect of
an error on the result: it *stops* the run (no table was identified, exit code 2), the result is printed and *not
written* (exit code 1; `--keep-going` writes it), or the result is printed and *written* (exit code 1).
"""


def text() -> str:
    """Return the page: a table for each block of the catalogue."""
    lines = [HEAD]
    for block, title in BLOCKS.items():
        lines += [f"## {title}\n", "| rule | name | severity | effect | summary |", "|---|---|---|---|---|"]
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
