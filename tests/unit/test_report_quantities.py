"""The numbers of one item as the screen shows them."""

from __future__ import annotations

import numpy as np
import pytest

from massprops_cli.bom.arrays import value_of_items
from massprops_cli.bom.bom import Bom
from massprops_cli.bom.rolling import rollup
from massprops_cli.report.quantities import CENTER, MOMENTS, PRODUCTS, RADII, item_values

TEN = ("mass", *CENTER, *MOMENTS, *PRODUCTS)


@pytest.fixture
def result():
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
    return rollup(Bom.from_records(rows))


def test_one_item_has_the_numbers_it_has_among_all(result):
    assert result.rollup.method == "massprops"
    for i in range(len(result.bom)):
        values = item_values(result, i)
        assert set(values) == {*TEN, *RADII}
        for name, both in values.items():
            whole = [value_of_items(result.rollup, quantity)[i] for quantity in (name, f"sigma_{name}")]
            np.testing.assert_array_equal(both, whole, err_msg=f"{result.bom.ids[i]} {name}")


def test_radii_of_all_items_are_not_computed_for_one(result):
    item_values(result, result.root_item)
    assert "radii" not in vars(result.rollup)
    assert "sigma_radii" not in vars(result.rollup)
