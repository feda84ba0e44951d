"""The numbers of one item as the screen shows them."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.items.result_columns import item_quantity_values
from massprops_cli.bom.rollup import rollup
from massprops_cli.reports.page.conventions import number_and_sigma
from massprops_cli.reports.page.page import UNICODE
from massprops_cli.reports.summary import _PRODUCTS, _RADII, CENTER, MOMENTS, _item_values, _principal_rows
from tests.unit.bom_tables import bom_of

TEN = ("mass", *CENTER, *MOMENTS, *_PRODUCTS)


@pytest.fixture(params=["covariance", "massprops"])
def result(request):
    rng = np.random.default_rng(5)
    rows = [{"id": "top", "parent": ""}, {"id": "mid", "parent": "top"}]
    for k in range(6):
        body = {
            "id": f"p{k}",
            "parent": "mid" if k % 2 else "top",
            "POIconv": "-",
            "Ipoint": "true" if k == 3 else "false",
        }
        values = [2 + k, *rng.normal(size=3), *(5 + rng.random(3)), *(0.1 * rng.random(3))]
        body |= dict(zip(TEN, values, strict=True))
        body |= {f"sigma_{name}": 0.01 * rng.random() for name in TEN}
        rows.append(body)
    return rollup(Bom.from_records(rows), request.param)


def test_one_item_has_the_numbers_it_has_among_all(result):
    for i in range(len(result.bom)):
        values = _item_values(result, i)
        assert set(values) == {*TEN, *_RADII}
        for name, both in values.items():
            whole = [item_quantity_values(result.rollup, quantity)[i] for quantity in (name, f"sigma_{name}")]
            np.testing.assert_array_equal(both, whole, err_msg=f"{result.bom.ids[i]} {name}")


def test_radii_of_all_items_are_not_computed_for_one(result):
    _item_values(result, result.root_item)
    assert "radii" not in vars(result.rollup)
    assert "sigma_radii" not in vars(result.rollup)


def test_a_level_multiplies_sigmas_and_nothing_else(result):
    once, twice = _item_values(result, 0), _item_values(result, 0, level=2)
    assert twice == {name: (value, 2 * sigma) for name, (value, sigma) in once.items()}
    moments, sigmas = result.body(0).principal()[0].tolist(), result.body(0).principal_sigmas().sigmas.tolist()
    for level in (1, 2, 3):
        texts = [cell.text for cell in _principal_rows(result, 0, UNICODE, level)[0][0]]
        pairs = [number_and_sigma(one, level * sigma, UNICODE) for one, sigma in zip(moments, sigmas, strict=True)]
        assert [(texts[k], texts[k + 1]) for k in (2, 5, 8)] == pairs


def principal_numbers(result, level):
    """Read the principal moments and their sigmas from the rows that are printed."""
    texts = [cell.text for cell in _principal_rows(result, 0, UNICODE, level)[0][0]]
    return np.array([float(texts[k]) for k in (2, 5, 8)]), np.array([float(texts[k].strip("± ")) for k in (3, 6, 9)])


def test_principal_moments_that_are_near_each_other_are_reported():
    """A sphere's moments cannot be distinguished; those of a rod and its ends can, but for the two across."""
    header = "id parent mass Cx Cy Cz Ixx Iyy Izz Ixy Ixz Iyz POIconv Ipoint " + " ".join(f"sigma_{n}" for n in TEN)
    sigmas = "0.01 0 0 0 0.1 0.1 0.1 0 0 0"
    blank = " ".join("." * 22)
    ball = rollup(bom_of(header, f"t . {blank}", f"a t 1 0 0 0 2 2 2 0 0 0 - no {sigmas}"))
    assert marked_moments(ball) == ["I1*", "I2*", "I3*"]
    rod = rollup(bom_of(header, f"t . {blank}", f"a t 1 0 0 0 1 8 8 0 0 0 - no {sigmas}"))
    assert marked_moments(rod) == ["I1", "I2*", "I3*"]
    assert principal_numbers(rod, 1)[1].tolist() == [0.1, 0.1, 0.1]


def marked_moments(result):
    """Name the principal moments as they are printed."""
    return [_principal_rows(result, 0, UNICODE, 1)[0][0][k].text for k in (1, 4, 7)]


def test_about_a_fixed_point_variances_of_parts_just_add(result):
    """Tensors about one fixed point add up, so the exact sigma about it is that of independent parts."""
    point = (1.0, -2.0, 0.5)
    found = _item_values(result, result.root_item, about=point)
    square = sum(result[f"p{k}"].sigma_about(list(point)) ** 2 for k in range(6))
    exact = {name: np.sqrt(square["xyz".index(name[1]), "xyz".index(name[2])]) for name in (*MOMENTS, *_PRODUCTS)}
    printed = {name: found[name][1] for name in exact}
    if result.rollup.method == "covariance":
        assert printed == pytest.approx(exact, rel=1e-12)
    else:
        assert printed != pytest.approx(exact, rel=1e-3)
