"""Monte Carlo samples as arrays: shapes, units, the same numbers for any number of workers, and bounded memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import massprops_cli as mp

ROWS = [
    {"id": "top", "parent": ""},
    {"id": "pair", "parent": "top"},
    *(
        {
            "id": name,
            "parent": parent,
            "mass [kg]": mass,
            "sigma_mass [kg]": sigma,
            **{f"C{axis} [m]": place for axis, place in zip("xyz", center, strict=True)},
            **{f"sigma_C{axis} [m]": 0.0 for axis in "xyz"},
        }
        for name, parent, mass, sigma, center in (
            ("a", "pair", 2.0, 0.3, (0.0, 0, 0)),
            ("b", "pair", 5.0, 0.4, (1.0, 2, 0)),
            ("c", "top", 1.0, 0.0, (0.0, 0, 3)),
        )
    ),
]


def drawn(**keywords) -> mp.Result:
    bom = mp.Bom.from_records(ROWS)
    return mp.rollup(bom, "montecarlo", **{"samples": 6000, "seed": 3, "keep_samples": True, **keywords})


def test_samples_have_the_statistics_of_the_result_and_of_the_closed_form() -> None:
    result = drawn(items="pair")
    for name in ("top", "pair"):
        samples = result.samples_of(name)
        assert samples.mass.shape == (6000,)
        assert samples.center.shape == (6000, 3)
        reported = {one.name: one for one in samples.results}
        for k, quantity in enumerate(("mass", "Cx", "Cy", "Cz")):
            assert samples.values[:, k].mean() == pytest.approx(reported[quantity].mean, rel=1e-12, abs=1e-15)
            assert samples.values[:, k].std(ddof=1) == pytest.approx(reported[quantity].sigma, rel=1e-9, abs=1e-15)
        # independent masses of 0.3 and 0.4 kg: 0.5 kg, within four standard errors
        assert samples.mass.std(ddof=1) == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(2 * 6000))
    # centres of a at 0 and b at (1, 2, 0): every sample is on the line between them
    center = result.samples_of("pair").center
    assert np.allclose(center[:, 1], 2 * center[:, 0], rtol=1e-12)
    assert result.samples_of() is result.samples_of("top")


def test_the_tensor_of_a_sample_is_that_of_two_points() -> None:
    entries = [f"{kind}I{axes} [kg*m^2]" for kind in ("", "sigma_") for axes in ("xx", "yy", "zz", "xy", "xz", "yz")]
    rows = [row | (dict.fromkeys(entries, 0.0) if "mass [kg]" in row else {}) for row in ROWS]
    result = mp.rollup(mp.Bom.from_records(rows, poi="-"), "montecarlo", samples=200, keep_samples=True, items="pair")
    tensor = result.samples_of("pair").inertia
    assert tensor.shape == (200, 3, 3)
    # two point masses at distance d: I is proportional to d·d 1 − d dᵀ
    apart = np.array([1.0, 2.0, 0.0])
    expected = apart @ apart * np.eye(3) - np.outer(apart, apart)
    assert np.allclose(tensor / tensor[:, 2:, 2:], expected / expected[2, 2], rtol=1e-9, atol=1e-12)


def test_the_number_of_workers_changes_no_sample() -> None:
    one = drawn(samples=300_000)
    two = drawn(samples=300_000, workers=2)
    assert np.array_equal(one.samples_of().values, two.samples_of().values, equal_nan=True)


def test_the_frame_of_samples_has_units() -> None:
    frame = drawn(samples=50).samples_of().to_dataframe()
    assert len(frame) == 50
    assert list(frame)[:4] == ["mass", "Cx", "Cy", "Cz"]
    assert (frame.attrs["units"]["mass"], frame.attrs["units"]["Cx"]) == ("kg", "m")
    assert frame["Ixx"].isna().all()  # the table has no tensors


def test_samples_survive_a_pickle() -> None:
    result = drawn(samples=50)
    assert np.array_equal(pickle.loads(pickle.dumps(result)).samples_of().mass, result.samples_of().mass)


def test_samples_are_stored_on_request_only() -> None:
    result = drawn(keep_samples=False)
    with pytest.raises(mp.UsageError, match=r"samples of top are not stored .pass keep_samples=True"):
        _ = result.samples_of().mass
    with pytest.raises(mp.UsageError, match=r"pair has no samples .name it in items: items=\['pair'\]"):
        result.samples_of("pair")
    with pytest.raises(mp.UsageError, match=r"top has no samples .requires uncertainty='montecarlo'"):
        mp.rollup(mp.Bom.from_records(ROWS)).samples_of()
    with pytest.raises(mp.UsageError, match="keep_samples requires uncertainty='montecarlo', not 'auto'"):
        mp.rollup(mp.Bom.from_records(ROWS), keep_samples=True)
    with pytest.raises(mp.UsageError, match="keep_samples is not True or False: 3"):
        drawn(keep_samples=3)


def test_samples_beyond_the_limit_of_memory_are_rejected_before_they_are_drawn() -> None:
    # 13 results of 8 bytes each: 20,000,000 samples of one item are 1.94 GiB
    with pytest.raises(mp.UsageError, match=r"20,000,000 samples of 1 item need 1\.9 GiB of memory"):
        drawn(samples=20_000_000)
