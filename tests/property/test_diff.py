"""What must hold for the comparison of any two revisions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from massprops_cli.bom.read import Bom
from massprops_cli.revisions.attribution import Breakdown
from massprops_cli.revisions.compare import diff
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


def common_assemblies(answer: Diff) -> list[Breakdown]:
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
