"""Write ``internals/robots_survey.md``: what massprops finds in the robots of an installed package example-robot-data.

python docs/make_robots_survey.py FOLDER, the folder of the package with the files ``*.urdf``
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import massprops_cli as mp

PAGE = Path(__file__).with_name("internals") / "robots_survey.md"
COLUMNS = {
    "no inertial": ("MP863",),
    "mass 0": ("MP402", "MP864"),
    "impossible": ("MP403", "MP404"),
    "rounding": ("MP405",),
    "tensor 0": ("MP406",),
    "placeholder": ("MP713", "MP714"),
    "sides differ": ("MP880",),
    "products": ("MP881",),
    "centre": ("MP882",),
    "density": ("MP883",),
    "tensor": ("MP884",),
}
"""Heading → rules."""
HEAD = """# Survey of robot descriptions

What `massprops validate` reports for the URDF files of the package `example-robot-data` 6.0.0, which robotics
libraries use in their examples and tests: {files} files, {links:,} links. Written by
`docs/make_robots_survey.py`; meshes are not read. The numbers count findings of these rules, of MP863 the
links it names; of a cause only one finding is reported:

{rules}

{summary}

| robot | links | mass, kg | {headings} |
|---|--:|--:|{lines}|
"""
EXAMPLES = """
## Two examples

**The left hand of Allegro** (`allegro_left_hand.urdf`). The middle links of the fingers (`link_3.0`, `link_7.0`,
`link_11.0`) have the principal moments 2.30064 · 10⁻⁶, 3.48527 · 10⁻⁶ and 7.2659 · 10⁻⁶ kg·m². No body has them: the
largest exceeds the sum of the others, 5.78591 · 10⁻⁶, by a quarter. With the other sign of the three products the
tensor is possible ([MP404](../../massprops_cli/findings/pages/MP404.md)), so that products of inertia were probably
written as entries of the tensor. The centre of `palm_link` is at z = +0.0475 m, and its collision box is from −0.095
to 0 m: the middle of the box is at −0.0475 m, so that the sign is probably wrong
([MP882](../../massprops_cli/findings/pages/MP882.md)).

**The arms of Talos** (`talos_reduced.urdf`). `arm_left_1_link` and `arm_right_1_link` have one mass, one centre but
for its sign, and one set of moments. Two products have signs that no mirror image has
([MP881](../../massprops_cli/findings/pages/MP881.md)): the mirror of y changes the signs of ixy and iyz. A comment of
the file at these links is "TODO: Missing reflects of inertias". In `talos_full_v2.urdf` of the same robot ixy and iyz
have opposite signs on the two sides, and ixz has one.

## What the numbers mean

- Placeholders are not always wrong: a frame without a body gets 10⁻⁶ kg, because some simulators reject links without
  mass. They are wrong where such a link moves.
- Sides that differ are often real: a hand or a sensor on one side.
- A collision geometry that covers only a part of the link gives findings on centre and density that are not faults of
  the inertial. Where the box of a link is 1 mm long, the geometry is the placeholder.
- None of these stops a roll-up. Errors are only tensors that no body can have, and negative masses.
"""


def counts_of(path: Path) -> tuple[int, float, Counter[str]] | str:
    """Return links, mass in kg and findings by rule of a file, or why it is not read."""
    try:
        bom = mp.read_bom(path)
    except mp.TableError as error:
        return error.findings[0].message
    counts: Counter[str] = Counter()
    for finding in bom.findings:
        counts[finding.rule] += finding.count
    links = sum(not id.endswith("/body") for id in bom.ids)
    return links, mp.rollup(bom).root.mass, counts


def text(folder: Path) -> str:
    """Return the page."""
    rows, unread, total, affected = [], [], Counter[str](), Counter[str]()
    links_of_all = 0
    paths = sorted(folder.rglob("*.urdf"), key=lambda path: (path.relative_to(folder).parts[0], path.name))
    for path in paths:
        found = counts_of(path)
        if isinstance(found, str):
            unread.append(f"`{path.name}` is not read: {found}.")
            continue
        links, mass, by_rule = found
        links_of_all += links
        numbers = {name: sum(by_rule[rule] for rule in rules) for name, rules in COLUMNS.items()}
        total.update(numbers)
        affected.update(name for name, number in numbers.items() if number)
        cells = [str(number) if number else "" for number in numbers.values()]
        folder_name = path.relative_to(folder).parts[0].removesuffix("_description").removesuffix("_data")
        rows.append(f"| {folder_name}: `{path.name}` | {links} | {mass:.4g} | {' | '.join(cells)} |")
    rules = "\n".join(
        f"- *{name}*: {', '.join(f'[{rule}](../../massprops_cli/findings/pages/{rule}.md)' for rule in codes)}"
        for name, codes in COLUMNS.items()
    )
    read = len(rows)
    summary = (
        f"Tensors that no body can have are in {affected['impossible']} of {read} files ({total['impossible']} links), "
        f"placeholders in {affected['placeholder']} ({total['placeholder']} findings), links without an inertial in "
        f"{affected['no inertial']} ({total['no inertial']} links). {' '.join(unread)}"
    )
    head = HEAD.format(
        files=len(paths),
        links=links_of_all,
        rules=rules,
        summary=summary,
        headings=" | ".join(COLUMNS),
        lines="|".join(["--:"] * len(COLUMNS)),
    )
    return head + "\n".join(rows) + "\n" + EXAMPLES


if __name__ == "__main__":
    PAGE.write_text(text(Path(sys.argv[1])), encoding="utf-8")
