"""Review table: mass, growth, limit, margin and maturity of every subsystem, which a mass review begins with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import room_function
from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.items.item_rows import requested_column
from massprops_cli.bom.items.result_columns import finite_or_none, item_quantity_values
from massprops_cli.bom.results.result_dict import ALLOWANCE_NAMES, derived_column
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.subtotals import NO_LABEL, LabelSubtotals, label_subtotals
from massprops_cli.tables.cells.units import MASS, unit_of_dimension

if TYPE_CHECKING:
    import pandas as pd

    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.results.result import Result
    from massprops_cli.rollups.inputs import RollupInputs

_Floats = NDArray[np.float64]
_GROUP_HEADING = re.compile(
    r"(sub-?|main |sub-? ?)?(system|group|category|discipline|department|module|element|segment|assembly|section)s?"
    r"|(bau|haupt|unter)?gruppe|teilsystem|(sous-)?syst[eè]me|groupe|(sub)?sistema|grupo|category|trade",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"level(?::([1-9]\d{0,3}))?")
_SUMMED = ("mass", "allowance_mass", "predicted_mass", "share", "change")  # columns that add up
LIMIT_NAMES = ("limit", "margin", "margin_percent")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReviewTable:
    """Rows of k groups, the heaviest first, and of the root, the last one."""

    by: tuple[str, ...]  # headings of the labels: columns of the table, or level:N
    labels: list[tuple[str, ...]]  # of k groups; ids of items where ``by`` is a level
    names: list[str]  # of the items of a level; empty texts for other groups
    numbers: list[int]  # of the groups in ``groups``; −1 for one of the previous revision only
    groups: LabelSubtotals
    columns: Mapping[str, _Floats]  # (k + 1,), unit of the table's masses, percent or share of 1
    is_bound: NDArray[np.bool_]  # (k + 1,) whether the mass is a lower bound
    root: str

    def folded(self, shown: int) -> ReviewTable:
        """Return the table with the groups after ``shown`` ones as one row."""
        if len(self.labels) <= shown:
            return self

        def values_with_rest(name: str, values: _Floats) -> _Floats:
            hidden = values[shown:-1]
            rest = hidden.sum() if name in _SUMMED else np.nan
            return np.array([*values[:shown], rest, values[-1]])

        columns = {name: values_with_rest(name, values) for name, values in self.columns.items()}
        more = (f"{len(self.labels) - shown:,} more", *[""] * (len(self.by) - 1))
        bound = np.array([*self.is_bound[:shown], self.is_bound[shown:-1].any(), self.is_bound[-1]])
        labels, names, numbers = [*self.labels[:shown], more], [*self.names[:shown], ""], [*self.numbers[:shown], -1]
        return replace(self, labels=labels, names=names, numbers=numbers, columns=columns, is_bound=bound)

    def rows(self, sigma_level: int = 1) -> list[dict[str, Any]]:
        """Return the rows as JSON values, unknown numbers as None; the last one is the root."""
        found: list[dict[str, Any]] = []
        for k, (texts, name) in enumerate(zip([*self.labels, (self.root,)], [*self.names, ""], strict=True)):
            row: dict[str, Any] = {"total": self.root} if k == len(self.labels) else {}
            row = row or {"labels": dict(zip(self.by, texts, strict=True)), **({"name": name} if name else {})}
            levels = {"sigma_mass": sigma_level}
            row |= {key: finite_or_none(levels.get(key, 1) * float(one[k])) for key, one in self.columns.items()}
            found.append(row | ({"lower_bound": True} if self.is_bound[k] else {}))
        return found

    def frame(self, unit: str) -> pd.DataFrame:
        """Return the rows as a DataFrame; ``attrs["units"]`` has the unit of each column."""
        import pandas as pd

        ends = [*self.labels, (self.root, *[""] * (len(self.by) - 1))]
        frame = pd.DataFrame(ends, columns=list(self.by))
        if any(self.names):
            frame["name"] = [*self.names, ""]
        frame = frame.assign(**self.columns)
        units = {key: "%" if key.endswith("percent") else unit for key in self.columns if "share" not in key}
        frame.attrs["units"] = {key: text for key, text in units.items() if text}
        frame.attrs["lower_bounds"] = frame[self.by[0]][self.is_bound].tolist()
        return frame


def review_table(
    result: Result, by: Sequence[str] = (), limits: object = None, previous: Result | None = None
) -> ReviewTable | None:
    """Make the review table by columns or ``level:N``; None where nothing groups the items (no ``by`` given)."""
    if not (by := tuple(by) or default_grouping(result.bom)):
        return None
    texts = [group_texts(result.bom, name) for name in by]
    inputs = _inputs_of_masses(result.bom.rollup_inputs(result.correlation))
    return table_of_groups(
        result, by, label_subtotals(inputs, texts, method=first_order_method(result)), limits, previous
    )


def first_order_method(result: Result) -> str:
    """Return the method of the sigmas of groups, which are not sampled."""
    return "covariance" if result.rollup.sampled is not None else result.rollup.method


def default_grouping(bom: Bom) -> tuple[str, ...]:
    """Return the level with the first branching, if assemblies are on it, or else the first column of groups."""
    depth, is_leaf = bom.tree.depth(), bom.tree.is_leaf() | bom.ends
    level = next((n for n in range(1, int(depth.max()) + 1) if _n_cut(depth, is_leaf, n) > 1), 0)
    if level and (~is_leaf & (depth == level)).any():
        return (f"level:{level}",)
    for j, heading in enumerate(bom.columns.header):
        if _GROUP_HEADING.fullmatch(heading.strip()):
            texts = [text.strip() for text in bom.item_rows.texts(j)]
            if 1 < len({*texts} - {""}) < len(texts) - texts.count(""):
                return (heading.strip(),)
    return ()


def _n_cut(depth: NDArray[np.int32], is_leaf: NDArray[np.bool_], level: int) -> int:
    """Count the rows of a level: its items, and leaves above it."""
    return int(((depth == level) | (is_leaf & (depth < level))).sum())


def group_texts(bom: Bom, by: str) -> Sequence[str]:
    """Return the group of every item (n,): its cell in a column, or its id or that of the item above it at a level."""
    if (match := _LEVEL.fullmatch(by.strip())) is None:
        return bom.item_rows.texts(requested_column(by, bom.table, bom.columns, "--by"))
    level, tree = int(match[1] or 1), bom.tree
    depth, top = tree.depth(), np.arange(len(tree))
    for items, above in tree.levels_below_root():
        if depth[items[0]] > level:
            top[items] = top[above]
    is_open = (depth < level) & ~(tree.is_leaf() | bom.ends)
    return ["" if is_open[i] else bom.ids[k] for i, k in enumerate(top.tolist())]


def is_level(by: str) -> bool:
    """Return whether a word of ``--by`` is a level of the tree."""
    return _LEVEL.fullmatch(by.strip()) is not None


def _inputs_of_masses(inputs: RollupInputs) -> RollupInputs:
    """Return the inputs without centres, tensors and poses, which no mass needs."""
    bodies, sigmas = inputs.bodies, inputs.sigmas
    bare = Bodies(bodies.mass, None, None, bodies.is_point, bodies.has_mass)
    spread = None if sigmas is None else Sigmas(sigmas.mass, None, None, sigmas.known)
    return replace(inputs, bodies=bare, sigmas=spread, deviations=None, placement=None, branches=None)


def table_of_groups(
    result: Result, by: Sequence[str], groups: LabelSubtotals, limits: object = None, previous: Result | None = None
) -> ReviewTable:
    """Make the review table of groups whose subtotals are computed; ``limits`` as in ``Result.table``."""
    bom, n = result.bom, len(groups.labels)
    found, is_bound = _mass_columns(result, groups)
    size = np.abs(np.nan_to_num(found["mass"][:n])) if "mass" in found else np.zeros(n)
    of_level = len(by) == 1 and is_level(by[0])
    order = sorted(range(n), key=lambda g: (NO_LABEL in groups.labels[g], -size[g]))
    labels = [groups.labels[g] for g in order]
    columns = {name: values[[*order, n]] for name, values in found.items()}
    bound = is_bound[[*order, n]]
    if previous is not None and "mass" in columns:
        labels, columns = _with_changes(result, by, (labels, columns), previous)
        bound = np.insert(bound, n, np.zeros(len(labels) - n, bool))
    ids = [bom.find(texts[0]) if of_level else None for texts in labels]
    names = ["" if i is None or bom.names is None or bom.names[i] == bom.ids[i] else bom.names[i] for i in ids]
    made = ReviewTable(
        tuple(by), labels, names, [*order, *[-1] * (len(labels) - n)], groups, columns, bound, bom.ids[result.root_item]
    )
    if "mass" not in columns:
        return made
    more = room_function("massprops_cli.budgets.check", "review_limits")(result, limits, made)
    known = {"mass", "sigma_mass", *ALLOWANCE_NAMES, "predicted_mass"}
    first = {name: values for name, values in columns.items() if name in known}
    return replace(made, columns={**first, **dict(zip(LIMIT_NAMES, more, strict=False)), **columns})


def _mass_columns(result: Result, groups: LabelSubtotals) -> tuple[dict[str, _Floats], NDArray[np.bool_]]:
    """Return mass, sigma, growth, predicted mass and shares (k + 1,) of groups and root, and which are lower bounds."""
    n, i, coverage, whole = len(groups.labels), result.root_item, groups.rollup.coverage, result.rollup.coverage
    is_bound = np.append(coverage.mass_is_bound[:n], whole.mass_is_bound[i])
    if "mass" not in result.bom.columns.by_quantity:
        return {}, is_bound

    def column(name: str, values: _Floats | None) -> dict[str, _Floats]:
        root = derived_column(result, name)
        return {} if values is None or root is None else {name: np.append(values[:n], root[i])}

    mass, sigma = (item_quantity_values(groups.rollup, name) for name in ("mass", "sigma_mass"))
    assert mass is not None
    found = column("mass", mass) | column("sigma_mass", sigma)
    if result.predicted is not None:
        of_items = derived_column(result, "predicted_mass")
        assert of_items is not None
        grown = groups.sums(of_items)
        is_known = (grown.known == groups.sums(_known_masses(result)).known)[:n] & np.isfinite(mass[:n])
        predicted = np.where(is_known, grown.values[:n], np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            found |= column("allowance_percent", 100 * (predicted - mass[:n]) / mass[:n])
        found |= column("allowance_mass", predicted - mass[:n]) | column("predicted_mass", predicted)
    size = np.abs(mass[:n])
    with np.errstate(divide="ignore", invalid="ignore"):
        found["share"] = np.append(size / np.nansum(size), 1.0)
        weight = groups.sums(np.abs(_known_masses(result))).values[:n]
        for word, shares in result.shares_of_mass.items():
            part = groups.sums(np.abs(_known_masses(result)) * np.nan_to_num(shares)).values[:n]
            found |= column(f"share_{word}", part / weight)
    return found, is_bound


def _known_masses(result: Result) -> _Floats:
    """Return the mass of one piece of every item (n,), NaN where unknown."""
    mass = item_quantity_values(result.rollup, "mass")
    assert mass is not None
    return mass


_Rows = tuple[list[tuple[str, ...]], dict[str, _Floats]]  # labels (k) and columns (k + 1,)


def _with_changes(result: Result, by: Sequence[str], rows: _Rows, previous: Result) -> _Rows:
    """Add the change to the masses of an earlier revision, and rows for its groups that are gone."""
    labels, columns = rows
    if (before := review_table(previous, by)) is None or "mass" not in before.columns:
        raise UsageError("previous states no masses")
    here, there = (unit_of_dimension(one.bom.units.mass or "kg", MASS) for one in (result, previous))
    factor = there.over(here) if here is not None and there is not None else 1.0
    old = dict(zip(before.labels, (factor * before.columns["mass"]).tolist(), strict=False))
    gone = [texts for texts in before.labels if texts not in labels]
    columns = {name: np.insert(values, len(labels), np.zeros(len(gone))) for name, values in columns.items()}
    labels = [*labels, *gone]
    was = [*(old.get(texts, 0.0) for texts in labels), factor * float(before.columns["mass"][-1])]
    return labels, {**columns, "change": columns["mass"] - np.array(was)}
