"""The commands: each one's name and one line of help. A command's body is in the module of the same name.

The group's help is made of this table alone, so that it loads no command.
"""

from __future__ import annotations

COMMANDS: dict[str, str] = {
    "inspect": "Say what was understood of a table: sheet, header, columns, units, and what was left out.",
    "rollup": "Add up the mass properties of every assembly, and hand the table back filled in.",
    "check": "Hold a table against its weight budget: masses, margins, centres, inertia, probabilities.",
    "validate": "Say everything that is wrong with a table, and where.",
    "tree": "Show the tree with mass, share and bars.",
    "convert": "Write the table in another format or layout.",
    "whatif": "Change, scale or drop items and see every assembly before and after.",
    "contributions": "Show which parts make a sigma, and what weighing them would be worth.",
    "diff": "Show what changed between two revisions, and what each change did to the totals.",
    "rules": "List the rules, or show the page of one.",
    "init": "Write an empty template (csv and xlsx) and a commented massprops.toml.",
}
"""Command → one line of help, in the order of the help page."""
