"""Draw the pictures of trees.md: a partition, two aggregations, and the pattern of a mass matrix.

python docs/make_trees.py
"""

from __future__ import annotations

from pathlib import Path

from massprops_cli import Bom, aggregate, partition
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel
from massprops_cli.reports.mechanisms import pattern_plot
from massprops_cli.reports.tree import draw_tree_parts

PICTURES = Path(__file__).parent / "pictures"
TREE = "T:- A:T A1:A A11:A1 A12:A1 A2:A B:T B1:B B11:B1 B12:B1 C:T C1:C C2:C"
"""A tree of thirteen items, each with its parent."""


def items() -> Bom:
    """Return the tree as a table; leaves have the mass 1."""
    pairs = [word.split(":") for word in TREE.split()]
    parents = {parent for _, parent in pairs}
    rows = [{"id": name, "parent": parent.strip("-")} for name, parent in pairs]
    return Bom.from_records([row if row["id"] in parents else {**row, "mass": 1.0} for row in rows])


def pattern() -> None:
    """Draw which entries of the mass matrix of a body with two arms and a leg do not vanish."""
    parents = [0, 1, 2, 2, 4, 5, 2, 7]
    bodies = [f'{{"id": {k}, "mass": 1, "c": [1, 0, 0], "I": [1, 1, 1, 0, 0, 0]}}' for k in range(1, 9)]
    joints = [f'{{"name": "J{k}", "type": "S", "i": {p}, "j": {k}, "pi": [0, 0, 0], "pj": [0, 0, 0]}}'
              for k, p in enumerate(parents, 1)]  # fmt: skip
    text = f'{{"gravity": [0, 0, 0], "bodies": [{", ".join(bodies)}], "joints": [{", ".join(joints)}]}}'
    model = SpatialModel.read(text.encode())
    pattern_plot(
        model.pattern(), "Mass matrix of a body with two arms and a leg", str(PICTURES / "mass_matrix_pattern.svg")
    )


def main() -> None:
    """Draw all pictures."""
    bom = items()
    parts = partition(bom, ["A", "A1"])
    titles = {"P": "parents P", "S": "region S", "C": "children C"}
    names = [titles[parts.parts[k].name] for k in parts.labels.tolist()]
    draw_tree_parts(str(PICTURES / "partition.svg"), bom.tree, bom.ids, names)
    chosen = {"A1", "B1"}
    made = aggregate(bom, sorted(chosen), closure=True)
    illegal = [
        "requested: cannot be aggregated alone" if name in chosen else "added by the closure" if inside else "other"
        for name, inside in zip(bom.ids, made.members.tolist(), strict=True)
    ]
    draw_tree_parts(str(PICTURES / "aggregation_closure.svg"), bom.tree, bom.ids, illegal)
    legal = aggregate(bom, ["A", "B"])
    marks = ["becomes A+B" if inside else "other" for inside in legal.members.tolist()]
    draw_tree_parts(str(PICTURES / "aggregation.svg"), bom.tree, bom.ids, marks)
    pattern()


if __name__ == "__main__":
    main()
