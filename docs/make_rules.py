"""Write ``rules.md``, the index of the rules, from the catalogue.

python docs/make_rules.py
"""

from __future__ import annotations

from pathlib import Path

from massprops_cli.findings.catalogue import RULES, Rule

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

Each finding states its rule and its remedy; a note, how something was read. `massprops rules MP4` lists rules,
`massprops rules MP403` prints the page of one, to which its code links here. `--select` and `--ignore` accept codes or
their first characters.

An error that *stops the run* means that no table was identified (exit code 2). With other errors (exit code 1) the
result is printed and not written without `--keep-going`, except where it *is written*.
"""
_GROUPS = {
    ("error", "stops"): "Errors that stop the run",
    ("error", "not written"): "Errors",
    ("error", "written"): "Errors after which the result is written",
    ("warning", "not written"): "Warnings",
    ("note", "not written"): "Notes",
}
"""Headings by severity and effect; the effect of a warning or a note is of no account."""


def text() -> str:
    """Return the page: a list for each severity of each block of the catalogue."""
    lines = [HEAD]
    for block, title in BLOCKS.items():
        lines.append(f"## {title}\n")
        rules = [rule for rule in RULES.values() if rule.code[2] == block]
        for group, heading in _GROUPS.items():
            chosen = [rule for rule in rules if group == group_of(rule)]
            if chosen:
                lines.append(f"{heading}: {', '.join(f'{link_to(rule)} {rule.name}' for rule in chosen)}.\n")
    return "\n".join(lines)


def group_of(rule: Rule) -> tuple[str, str]:
    """Return the severity of a rule, and its effect if it is an error."""
    return rule.severity, rule.effect if rule.severity == "error" else "not written"


def link_to(rule: Rule) -> str:
    """Return the code of a rule with a link to its page."""
    return f"[{rule.code}](../massprops_cli/findings/pages/{rule.code}.md)"


if __name__ == "__main__":
    Path(__file__).with_name("rules.md").write_text(text(), encoding="utf-8")
