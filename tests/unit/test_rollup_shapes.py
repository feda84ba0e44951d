"""Joint uncertainties of shapes: closed forms, samples of the dimensions, lots, and independence of nesting."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest

import massprops_cli as mp
from tests.examples import first

UNITS = "mass [kg],Cx [m],Cy [m],Cz [m],Ixx [kg*m^2],Iyy [kg*m^2],Izz [kg*m^2],Ixy [kg*m^2],Ixz [kg*m^2],Iyz [kg*m^2]"
SIGMAS = ",".join(f"sigma_{name}" for name in UNITS.split(","))
BLANK = "," * 9


def bom_of(*rows: str, head: str = "") -> mp.Bom:
    """A table of shapes: id, parent, qty, centre, then shape, dims, axis, density, material, lot."""
    first = f"id,parent,qty,{UNITS},POIconv,shape,dims,axis,density,material,lot{head}\n"
    return mp.read_bom(io.StringIO(first + "".join(f"{row}\n" for row in rows)), format="csv")


def row(name: str, parent: str, place: str, *cells: str, qty: str = "1") -> str:
    return f"{name},{parent},{qty},,{place},,,,,,,-," + ",".join(cells)


TOP = f"T,,,{BLANK},-,,,,,,"


def test_correlation_of_mass_and_tensor_of_a_ball():
    """m ∝ r³ and I ∝ r⁵: with an uncertain radius their deviations are 3 m δ and 5 I δ, fully correlated."""
    result = mp.rollup(bom_of(TOP, row("A", "T", "0,0,0", "sphere", "r=1±0.02 m (2σ)", "", "1000 kg/m3", "", "")))
    m = 4000 * math.pi / 3
    inertia = 0.4 * m
    for name in ("A", "T"):
        V = result[name].covariance
        assert V[0, 0] == pytest.approx((3 * m * 0.01) ** 2, rel=1e-12)
        assert V[4, 4] == pytest.approx((5 * inertia * 0.01) ** 2, rel=1e-12)
        assert V[0, 4] == pytest.approx(3 * m * 5 * inertia * 0.01**2, rel=1e-12)
        assert V[4, 5] == pytest.approx(V[4, 4], rel=1e-12)


def test_shape_far_from_the_center_of_its_assembly():
    """Two balls at ±d: Izz about the centre is Σ (I + m d²), whose deviation by r is (5 I + 3 m d²) δ for each."""
    rows = [
        row(n, "T", f"{x},0,0", "sphere", "r=1±0.01 m (1σ)", "", "1000 kg/m3", "", "") for n, x in (("A", -3), ("B", 3))
    ]
    V = mp.rollup(bom_of(TOP, *rows))["T"].covariance
    m = 4000 * math.pi / 3
    each = (5 * 0.4 * m + 3 * m * 9) * 0.01
    assert V[6, 6] == pytest.approx(2 * each**2, rel=1e-12)
    # independent balls: the centre deviates by 3 m δ · 3 / (2 m) for each
    assert V[1, 1] == pytest.approx(2 * (3 * 3 * 0.01 / 2) ** 2, rel=1e-12)


def test_dimension_tolerances_in_three_forms():
    for text, sigma in (("±0.03 m (uniform)", 0.03 / math.sqrt(3)), ("±0.03 m (3σ)", 0.01), ("±0.03 m (k=2)", 0.015)):
        result = mp.rollup(
            bom_of(TOP, row("A", "T", "0,0,0", "box", f"a=1{text}; b=2 m; c=3 m", "", "10 kg/m3", "", ""))
        )
        assert result["T"].sigma_mass == pytest.approx(60 * sigma, rel=1e-12)


LOT = [row(n, "T", f"{x},0,0", "box", "a=1 m; b=2 m; c=3 m", "", "10±0.1 kg/m3 (1σ)", "", lot)
       for n, x, lot in (("A", -1, "L1"), ("B", 1, "L1"), ("C", 5, "L2"))]  # fmt: skip


def test_parts_of_a_lot_share_the_deviation_of_their_density():
    V = mp.rollup(bom_of(TOP, *LOT))["T"].covariance
    # 60 kg each, 1 %: 1.2 from the lot of two, 0.6 from the other, independent
    assert V[0, 0] == pytest.approx(1.2**2 + 0.6**2, rel=1e-12)
    alone = mp.rollup(bom_of(TOP, *(one.replace("L1", "") for one in LOT)))["T"].covariance
    assert alone[0, 0] == pytest.approx(3 * 0.6**2, rel=1e-12)
    # a lot that holds all parts scales the product: no effect on the centre
    one = mp.rollup(bom_of(TOP, *(text.replace("L2", "L1") for text in LOT)))["T"]
    assert one.covariance[1, 1] == pytest.approx(0, abs=1e-25)
    assert one.covariance[0, 0] == pytest.approx(1.8**2, rel=1e-12)
    tensor = np.array([one.inertia[0, 0], one.inertia[1, 1], one.inertia[2, 2]])
    assert one.sigma_inertia.diagonal() == pytest.approx(0.01 * tensor, rel=1e-12)


def test_pieces_of_a_lot_and_pieces_of_their_own():
    same = mp.rollup(
        bom_of(TOP, row("A", "T", "0,0,0", "box", "a=1 m; b=2 m; c=3 m", "", "10±0.1 kg/m3 (1σ)", "", "L", qty="4"))
    )
    own = mp.rollup(
        bom_of(TOP, row("A", "T", "0,0,0", "box", "a=1 m; b=2 m; c=3 m", "", "10±0.1 kg/m3 (1σ)", "", "", qty="4"))
    )
    assert same["T"].sigma_mass == pytest.approx(4 * 0.6, rel=1e-12)
    assert own["T"].sigma_mass == pytest.approx(2 * 0.6, rel=1e-12)


def test_nesting_does_not_matter():
    deep = [TOP, f"S,T,1,{BLANK},-,,,,,,", f"U,S,1,{BLANK},-,,,,,,"]
    parents = {"A": "S", "B": "U", "C": "U"}
    nested = [text.replace(",T,", f",{parents[text[0]]},", 1) for text in LOT]
    flat, tree = mp.rollup(bom_of(TOP, *LOT))["T"], mp.rollup(bom_of(*deep, *nested))["T"]
    assert tree.covariance == pytest.approx(flat.covariance, rel=1e-11, abs=1e-13)


MIXED = [
    TOP,
    row("A", "T", "0.5,0,0.2", "cylinder", "r=50±1 mm (1σ); L=300±4 mm (1σ)", "x", "7850±40 kg/m3 (1σ)", "", "steel"),
    row("B", "T", "-0.3,0.1,0", "cone", "r=80±2 mm (1σ); L=200±3 mm (1σ)", "",
        "7850±40 kg/m3 (1σ)", "", "steel", qty="2"),
    row("C", "T", "0,0.6,0.1", "box", "a=0.1 m; b=0.2±0.003 m (1σ); c=0.05 m", "", "2700±30 kg/m3 (1σ)", "", ""),
]  # fmt: skip


def sampled_root(n: int) -> np.ndarray:
    """m, centre and tensor of the root of MIXED from samples of dimensions and densities."""
    rng = np.random.default_rng(12)
    steel = 7850 + 40 * rng.standard_normal(n)

    def solid(shape, density, axis="z", **dims):
        given = {name: v + s * rng.standard_normal(n) for name, (v, s) in dims.items()}
        return mp.solids(shape, given, density=density, axis=axis).bodies

    parts = [
        (solid("cylinder", steel, "x", r=(0.05, 0.001), L=(0.3, 0.004)), (0.5, 0, 0.2)),
        *((solid("cone", steel, r=(0.08, 0.002), L=(0.2, 0.003)), (-0.3, 0.1, 0)) for _ in range(2)),
        (solid("box", 2700 + 30 * rng.standard_normal(n), a=(0.1, 0), b=(0.2, 0.003), c=(0.05, 0)), (0, 0.6, 0.1)),
    ]
    nominal = {"cone": -0.05}
    total = np.zeros((n, 10))
    for k, (body, place) in enumerate(parts):
        # the cell states the nominal centre; the shape's centre deviates about it
        shift = np.array(place) - (np.array([0, 0, nominal["cone"]]) if k in (1, 2) else 0)
        total += mp.BodyArray(body.mass, body.center + shift, body.inertia).parameters()
    body = mp.BodyArray.from_parameters(total)
    return np.column_stack([body.mass, body.center, body.inertia])


@pytest.mark.parametrize("n", first([40_000, 200_000], 1))
def test_first_order_agrees_with_samples_of_the_dimensions(n):
    ten = sampled_root(n)
    V = mp.rollup(bom_of(*MIXED))["T"].covariance
    sampled = np.cov(ten.T)
    scale = np.sqrt(np.diag(V))
    # covariances of n samples have errors of 1/√n of the sigmas, and the second order is (σ/r)²
    assert np.abs((sampled - V) / np.outer(scale, scale)).max() < 6 / math.sqrt(n) + 0.01


def test_monte_carlo_of_the_roll_up_agrees_with_first_order():
    bom = bom_of(*MIXED)
    first, sampled = mp.rollup(bom)["T"], mp.rollup(bom, "montecarlo", samples=40_000, seed=3)
    drawn = {one.name: one.sigma for one in sampled.samples[0].results}
    for name, sigma in (("mass", first.sigma_mass), ("Cx", first.sigma_center[0]), ("Ixx", first.sigma_inertia[0, 0])):
        # 40,000 samples have a standard error of 0.35 % of a sigma
        assert drawn[name] == pytest.approx(sigma, rel=0.02), name


@pytest.mark.parametrize("of", ["mass", "Cx", "Ixx", "Ixz", "kz", "I1"])
def test_contributions_add_up_to_the_variance(of):
    bom = bom_of(*MIXED)
    budget = mp.contributions(bom, of).budget
    body = mp.rollup(bom)["T"]
    V = body.covariance
    index = ["mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]
    if of in index:
        assert budget.variance == pytest.approx(V[index.index(of), index.index(of)], rel=1e-9)
    elif of == "kz":
        m, I = body.mass, body.inertia[2, 2]  # noqa: E741 # the moment
        variance = V[6, 6] / (4 * m * I) + I * V[0, 0] / (4 * m**3) - V[0, 6] / (2 * m**2)
        assert budget.variance == pytest.approx(variance, rel=1e-9)
    assert budget.share.sum() == pytest.approx(1, rel=1e-12)
    assert "lot steel" in budget.sharing.labels


def test_stated_sigmas_and_groups_have_priority():
    head = f",{SIGMAS}"
    cells = row("A", "T", "0,0,0", "sphere", "r=1±0.01 m (1σ)", "", "1000 kg/m3", "", "")
    stated = bom_of(TOP + "," * 10, cells + ",5" + "," * 9, head=head)
    V = mp.rollup(stated)["T"].covariance
    m = 4000 * math.pi / 3
    assert V[0, 0] == pytest.approx(25, rel=1e-12)
    assert V[0, 4] == pytest.approx(0, abs=1e-20)
    assert V[4, 4] == pytest.approx((5 * 0.4 * m * 0.01) ** 2, rel=1e-12)
    grouped = mp.rollup(bom_of(TOP, *LOT), correlate="all")["T"]
    assert grouped.sigma_mass == pytest.approx(1.8, rel=1e-12)


def test_missing_centers_leave_the_mass_of_lots():
    none = "," * 10
    rows = [TOP + none, *(text + none for text in LOT), f"D,T,1,7{BLANK},-,,,,,,,0.8" + "," * 9]
    bom = bom_of(*rows, head=f",{SIGMAS}")
    result = mp.rollup(bom, keep_going=True)["T"]
    assert result.mass == pytest.approx(187, rel=1e-14)
    assert result.sigma_mass == pytest.approx(math.sqrt(1.2**2 + 0.6**2 + 0.8**2), rel=1e-12)


def test_subtotals_keep_lots():
    text = ",".join(UNITS.split(","))
    head = f"id,parent,qty,{text},POIconv,shape,dims,axis,density,material,lot,side\n"
    rows = [f"{TOP},", *(f"{one},{side}" for one, side in zip(LOT, "pps", strict=True))]
    bom = mp.read_bom(io.StringIO(head + "\n".join(rows) + "\n"), format="csv")
    from massprops_cli.rollups.subtotals import label_subtotals

    found = label_subtotals(bom.rollup_inputs(), [[bom.table.text(int(r), 20) for r in bom.rows]], method="covariance")
    mass = dict(zip((label[0] for label in found.labels), found.rollup.sigmas.mass.tolist(), strict=False))
    assert mass == pytest.approx({"p": 1.2, "s": 0.6}, rel=1e-12)
