"""What must hold for the comparison of any two revisions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from massprops_cli.bom.bom import Bom
from massprops_cli.revisions.attribution import ChangeBreakdown
from massprops_cli.revisions.comparison import diff, result_waterfall
from massprops_cli.revisions.diff import Diff

NAMES = [f"i{k}" for k in range(9)]
QUANTITIES = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
number = st.floats(-5, 5).map(lambda x: round(x, 3))
positive = st.floats(0.5, 9).map(lambda x: round(x, 3))


@st.composite
def leaves(draw):
    """A body that can be: a moment is at most the sum of the other two."""
    a, b, c = (draw(positive) for _ in "abc")
    values = [draw(positive), draw(number), draw(number), draw(number), b + c, a + c, a + b, 0.0, 0.0, 0.0]
    return dict(zip(QUANTITIES, values, strict=True)) | {
        "sigma_mass": draw(positive) / 10,
        "mga [%]": draw(st.integers(0, 60)),
    }


@st.composite
def revisions(draw):
    """A tree of some of nine items under a root; an item hangs on the root or on one before it."""
    chosen = [name for name in NAMES if draw(st.integers(0, 3))] or ["i0"]
    parent = {name: draw(st.sampled_from(["top", *chosen[:k]])) for k, name in enumerate(chosen)}
    rows = [{"id": "top", "parent": ""}]
    for name in chosen:
        body = draw(leaves()) if name not in parent.values() else {}
        rows.append({"id": name, "parent": parent[name], "qty": draw(st.integers(1, 3)), **body})
    return rows


def bom_of(rows) -> Bom:
    spread = {f"sigma_{q}": 0.01 for q in QUANTITIES[1:]}
    return Bom.from_records(
        [{**dict.fromkeys(QUANTITIES), **row, **(spread if "mass" in row else {})} for row in rows], poi="-"
    )


def compared(old, new) -> Diff:
    return diff(bom_of(old), bom_of(new))


def common_assemblies(answer: Diff) -> list[ChangeBreakdown]:
    both = answer.matching.new[answer.matching.both].tolist()
    return [answer.at(answer.new.bom.ids[i]) for i in both]


@given(revisions(), revisions())
def test_contributions_add_up_at_every_level_of_every_item(old, new):
    answer = compared(old, new)
    for breakdown in common_assemblies(answer):
        for level in (None, 1, 2, 3):
            size = np.maximum(np.abs(breakdown.before), np.abs(breakdown.after))
            given = breakdown.contributions(level)
            size = np.maximum(size, np.abs(given).sum(axis=0)).clip(1)
            assert (np.abs(breakdown.rounding(level)) <= 1e-12 * size).all()
            assert given.sum(axis=0) + breakdown.rounding(level) == pytest.approx(
                breakdown.change, rel=1e-12, abs=1e-12
            )


@given(revisions(), revisions())
def test_exchanging_the_files_changes_the_signs(old, new):
    there, back = compared(old, new), compared(new, old)
    one = {there.id(k): row for k, row in enumerate(there.whole.parts.contributions)}
    other = {back.id(k): row for k, row in enumerate(back.whole.parts.contributions)}
    assert one.keys() == other.keys()
    for name, row in one.items():
        np.testing.assert_array_equal(row, -other[name])
    swapped = {"added": "removed", "removed": "added"}
    for word, value in there.whole.by_change().items():
        assert back.whole.by_change()[swapped.get(word, word)] == pytest.approx(-value, abs=1e-12)


@given(revisions())
def test_equal_files_do_not_differ(rows):
    answer = compared(rows, rows)
    assert not len(answer.lines)
    assert list(answer.rows()) == []
    assert not answer.whole.parts.contributions.any()
    assert not answer.whole.change.any()


@given(revisions(), st.data())
def test_what_did_not_change_contributes_nothing(rows, data):
    leaf = data.draw(st.sampled_from([k for k, row in enumerate(rows) if "mass" in row]))
    revised = [
        row | ({"mass": row["mass"] + 1, "Cx": row["Cx"] - 1} if k == leaf else {}) for k, row in enumerate(rows)
    ]
    answer = compared(rows, revised)
    given = answer.whole.contributions()
    others = [k for k in range(len(given)) if answer.id(k) != rows[leaf]["id"]]
    assert not given[others].any()
    assert not answer.whole.column("sigma_Cx").contributions[others].any()
    assert not answer.whole.column("sigma_Izz").contributions[others].any()
    assert [row.id for row in answer.rows()] == [rows[leaf]["id"]]


@given(revisions(), revisions(), number)
def test_moving_everything_leaves_masses_and_tensors(old, new, shift):
    def moved(rows):
        return [row | ({"Cx": row["Cx"] + shift} if "mass" in row else {}) for row in rows]

    here, there = compared(old, new).whole, compared(moved(old), moved(new)).whole
    np.testing.assert_array_equal(here.parts.contributions[:, 0], there.parts.contributions[:, 0])
    both = [here.contributions()[:, 4:10], there.contributions()[:, 4:10]]
    np.testing.assert_allclose(*both, rtol=1e-9, atol=1e-9 * max(1, np.abs(both[0]).max()))


@given(revisions(), revisions())
def test_levels_of_mass_refine_each_other(old, new):
    whole = compared(old, new).whole
    sums = [whole.contributions(level)[:, 0].sum() for level in (1, 2, 3, None)]
    assert all(a == pytest.approx(b, abs=1e-9) for a, b in pairwise(sums))


@given(
    revisions(), revisions(), st.sampled_from([f"sigma_{name}" for name in QUANTITIES]), st.sampled_from([None, 1, 2])
)
def test_shares_of_the_variance_add_up(old, new, of, level):
    there, back = compared(old, new), compared(new, old)
    column, other = there.whole.column(of, level), back.whole.column(of, level)
    total = column.contributions.sum() + column.unchanged
    assert total == pytest.approx(column.after - column.before, abs=1e-9 * column.before + 1e-12)
    assert column.unchanged == pytest.approx(-other.unchanged, rel=1e-9, abs=1e-12)
    by_id = {back.id(k): value for k, value in enumerate(other.contributions)}
    for k, value in enumerate(column.contributions):
        assert value == pytest.approx(-by_id[there.id(k)], rel=1e-9, abs=1e-12)


def pieces_of(rows):
    """Every leaf by its id: how many there are in the whole, one's mass, centre and tensor about its own centre."""
    by_id = {row["id"]: row for row in rows}

    def count(row):
        return row["qty"] * count(by_id[row["parent"]]) if row["parent"] else 1

    def body(row):
        xx, yy, zz, xy, xz, yz = (row[name] for name in QUANTITIES[4:])
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return count(row), row["mass"], np.array([row[name] for name in QUANTITIES[1:4]]), tensor

    return {row["id"]: body(row) for row in rows if "mass" in row}


@given(revisions(), revisions())
def test_contributions_are_those_of_the_formulas_piece_by_piece(old, new):
    files = pieces_of(old), pieces_of(new)
    masses = [sum(n * m for n, m, _, _ in pieces.values()) for pieces in files]
    centers = [sum(n * m * c for n, m, c, _ in f.values()) / mass for f, mass in zip(files, masses, strict=True)]

    def change(name, of):
        before, after = (of(*pieces[name]) if name in pieces else 0.0 for pieces in files)
        return after - before

    def moment(point):
        return lambda n, m, c, _: n * m * (c - point)

    def tensor(point):
        return lambda n, m, c, own: (
            n * (own + m * ((c - point) @ (c - point) * np.eye(3) - np.outer(c - point, c - point)))
        )

    answer = compared(old, new)
    given = dict(zip(map(answer.id, range(len(answer.matching))), answer.whole.contributions(), strict=True))
    for name in files[0].keys() | files[1].keys():
        of_center = (change(name, moment(centers[0])) / masses[1] + change(name, moment(centers[1])) / masses[0]) / 2
        about = [mass * change(name, tensor(center)) for mass, center in zip(masses, centers, strict=True)]
        of_tensor = np.asarray(sum(about) / sum(masses))[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        expected = [change(name, lambda n, m, c, own: n * m), *of_center, *of_tensor]
        size = sum(masses) * 1e3
        np.testing.assert_allclose(given[name][:10], expected, rtol=1e-9, atol=1e-13 * size)


def exact(number: float) -> Fraction:
    return Fraction(repr(number))


def exact_body(leaves):
    """Mass, centre and tensor of leaves (m, c, I), and the function that gives their tensor about a point, exactly."""
    mass = sum(m for m, _, _ in leaves)
    center = [sum(m * c[a] for m, c, _ in leaves) / mass for a in range(3)]
    return mass, center, exact_tensor(leaves, center)


def exact_tensor(leaves, point):
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]

    def of_leaf(leaf, a, b):
        m, c, own = leaf
        d = [c[k] - point[k] for k in range(3)]
        return own[pairs.index((a, b))] + m * ((sum(x * x for x in d) if a == b else 0) - d[a] * d[b])

    return [sum(of_leaf(leaf, a, b) for leaf in leaves) for a, b in pairs]


@st.composite
def kits(draw):
    """A table with a branch "+ new part, − old part" whose masses leave a share of 1e-15 to 1 of one of them."""
    left = draw(st.sampled_from([0.0, 1e-15, 1e-13, 1e-10, 3e-9, 1e-6, 1e-3, 0.25, 1.0]))
    rows = [{"id": "top", "parent": ""}, {"id": "kit", "parent": "top"}]
    for name, parent, mass in (("body", "top", 10.0), ("new", "kit", 1.0 + left), ("old", "kit", -1.0)):
        a, b, c = (draw(positive) for _ in "abc")
        sign = -1.0 if mass < 0 else 1.0
        tensor = [sign * (b + c), sign * (a + c), sign * (a + b), 0.0, 0.0, 0.0]
        values = [mass, draw(number), draw(number), draw(number), *tensor]
        rows.append({"id": name, "parent": parent, **dict(zip(QUANTITIES, values, strict=True))})
    return rows


@given(kits(), kits())
def test_contributions_of_branches_that_nearly_cancel_are_exact_and_add_up(old, new):
    """Each against the formulas in exact rationals, to 1e-12 of the sizes of what the leaves contribute."""

    def leaves_of(rows, *names):
        found = [row for row in rows if row["id"] in names]
        return [
            (exact(row["mass"]), [exact(row[q]) for q in QUANTITIES[1:4]], [exact(row[q]) for q in QUANTITIES[4:]])
            for row in found
        ]

    (m0, c0, i0), (m1, c1, i1) = (exact_body(leaves_of(rows, "body", "new", "old")) for rows in (old, new))
    boms = [Bom.from_records(rows, poi="-", allow_negative_mass=True) for rows in (old, new)]
    answer = diff(*boms)
    given = dict(zip(map(answer.id, range(len(answer.matching))), answer.whole.contributions(1), strict=True))
    parts = dict(zip(map(answer.id, range(len(answer.matching))), answer.whole.parts.contributions, strict=True))

    def expected(*names):
        one, two = (leaves_of(rows, *names) for rows in (old, new))
        mass = sum(m for m, _, _ in two) - sum(m for m, _, _ in one)
        moment = [
            sum(m * (c[a] - p[a]) for m, c, _ in two) - sum(m * (c[a] - p[a]) for m, c, _ in one)
            for p in (c0, c1)
            for a in range(3)
        ]
        center = [(moment[a] / m1 + moment[3 + a] / m0) / 2 for a in range(3)]
        change = [[y - x for x, y in zip(exact_tensor(one, p), exact_tensor(two, p), strict=True)] for p in (c0, c1)]
        tensor = [(m0 * x + m1 * y) / (m0 + m1) for x, y in zip(*change, strict=True)]
        return np.array([float(x) for x in (mass, *center, *tensor)])

    singles = np.array([expected(name) for name in ("body", "new", "old")])
    size = np.abs(singles).sum(axis=0) + np.abs([float(x) for x in (m0, *c0, *i0)]) + 1
    for names, found in (
        (("new", "old"), given["kit"]),
        (("body",), given["body"]),
        (("new",), parts["new"]),
        (("old",), parts["old"]),
    ):
        assert (np.abs(found[:10] - expected(*names)) <= 1e-12 * size).all(), names
    change = np.array([float(y - x) for x, y in zip((m0, *c0, *i0), (m1, *c1, *i1), strict=True)])
    for level in (1, 2, None):
        total = answer.whole.contributions(level)[:, :10].sum(axis=0)
        assert (np.abs(total - change) <= 1e-12 * size).all()
        assert (np.abs(answer.whole.rounding(level)[:10]) <= 1e-12 * size).all()


@pytest.mark.spread(2)
@pytest.mark.parametrize(("of", "value"), [("mass", 0.0), ("Cx", 0.4), ("Iyy", -27.2), ("Izz", -27.2)])
@pytest.mark.parametrize("order", [1, -1])
def test_a_branch_that_cancels_contributes_what_its_parts_do(of, value, order):
    """Two kilograms at x, minus two at 0, next to ten at 5: from x = 1 to 3 the centre moves by 2 · 2/10."""

    def bom(x):
        rows = [{"id": "R", "parent": ""}, {"id": "A", "parent": "R"}]
        for name, parent, mass, at in (("A1", "A", 2.0, x), ("A2", "A", -2.0, 0.0), ("B", "R", 10.0, 5.0)):
            own = mass / abs(mass)
            rows.append({"id": name, "parent": parent, **dict.fromkeys(QUANTITIES, 0.0), "mass": mass, "Cx": at})
            rows[-1] |= {"Ixx": own, "Iyy": own, "Izz": own}
        return Bom.from_records(rows[:2] + rows[:1:-1] if order < 0 else rows, poi="-", allow_negative_mass=True)

    answer = diff(bom(1.0), bom(3.0))
    for level, name in ((1, "A"), (2, "A1"), (None, "A1")):
        fall = result_waterfall(answer, of, level=level)
        steps = {step.id: step.value for step in fall.steps}
        assert steps.get(name, 0.0) == pytest.approx(value, rel=1e-13, abs=1e-13)
        assert fall.rounding == pytest.approx(0, abs=1e-13)
        assert abs(steps.get("B", 0.0)) <= 1e-13
    inner = result_waterfall(answer, "mass", item="A")
    assert (inner.change, inner.steps) == (0.0, ())


def test_a_threshold_of_nothing_is_kept_where_only_rounding_changes():
    """0.1·7 − 9·1.5 − 8.9·0.56 + 0.1·177.84 is 0, and comes out as 1e-15."""

    def bom(*parts):
        rows = [{"id": f"P{k}", "parent": "R", "mass": m, "Cx": x, "Cy": 0, "Cz": 0} for k, (m, x) in enumerate(parts)]
        return Bom.from_records([{"id": "R", "parent": ""}, *rows])

    old = bom((0.1, 7), (9.0, -1.5), (8.9, -0.56), (0.1, 177.84))
    assert old.has_errors is False
    assert not diff(old, bom((18.1, 0.0)), thresholds=["Cx 0"]).comparison_findings
    assert [f.rule for f in diff(old, bom((18.1, 1e-6)), thresholds=["Cx 0"]).comparison_findings] == ["MP640"]
