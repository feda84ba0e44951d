"""Questions as text, in the units of a table."""

from __future__ import annotations

import pickle
from math import inf, nextafter

import numpy as np
import pytest

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.results.probability import _parse_probability_query, sampling_events
from massprops_cli.findings.finding import UsageError
from massprops_cli.rollups.regions import CenterBox, CenterEllipsoid, ResultRange, ResultRegion


@pytest.fixture(scope="module")
def bom() -> Bom:
    """A table in kilograms and millimetres, with an id that holds a colon."""
    names = ("id", "parent", "mass [kg]", "Cx [mm]", "Cy [mm]", "Cz [mm]")
    rows = [("SAT", "", None, None, None, None), ("A", "SAT", 5, 1, 1, 1), ("A:1", "SAT", 5, 1, 1, 1)]
    return Bom.from_records([dict(zip(names, row, strict=True)) for row in rows])


@pytest.fixture(scope="module")
def bare() -> Bom:
    """A table without units."""
    return Bom.from_records([{"id": "SAT", "parent": "", "mass": 5}])


class TestRegions:
    @pytest.mark.parametrize(
        ("text", "region"),
        [
            ("mass <= 850 kg", ResultRange(0, high=850.0)),
            ("mass≤850", ResultRange(0, high=850.0)),
            ("MASS =< 850000 g", ResultRange(0, high=850.0)),
            ("mass < 1e2", ResultRange(0, high=nextafter(100, -inf))),
            ("mass > 1.5 t", ResultRange(0, low=nextafter(1500, inf))),
            ("Ixx >= 100", ResultRange(4, low=100.0)),
            ("iyz ≥ -1 kg*m^2", ResultRange(9, low=-1e6)),
            ("kx <= 1.2 m", ResultRange(10, high=1200.0)),
            ("mass in 800 .. 850 kg", ResultRange(0, 800.0, 850.0)),
            ("mass in 800 g..1 kg", ResultRange(0, 0.8, 1.0)),
            ("Cx in -5..5 mm", ResultRange(1, -5.0, 5.0)),
            ("Cx  in\t* .. 2 in", ResultRange(1, high=50.8)),
            ("Cz in 1.5..*", ResultRange(3, low=1.5)),
            ("center in box -5..5, -2..2, 0..10 mm", CenterBox((-5, -2, 0), (5, 2, 10))),
            ("CG in box -.5 .. 5., *, *..1 cm", CenterBox((-5, -inf, -inf), (50, inf, 10))),
            ("centre in ellipse 0,0,0 ; 5,2,10 mm", CenterEllipsoid((0, 0, 0), (5, 2, 10))),
            ("center in ellipsoid 1,*,-3;5,*,1 cm", CenterEllipsoid((10, 0, -30), (50, inf, 10))),
            ("center in ellipse 1,2,3 ; *, 4, 5", CenterEllipsoid((1, 2, 3), (inf, 4, 5))),
        ],
    )
    def test_text_becomes_a_region_in_the_tables_units(self, bom: Bom, text: str, region: ResultRegion) -> None:
        assert _parse_probability_query(text, bom).region == region

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("mass <= 850", "mass ≤ 850 kg"),
            ("mass >= 850 lb", "mass ≥ 850 lb"),
            (" center  in box 1..2, *, *", "center in box 1..2, *, * mm"),
            ("A: Ixx < 3", "Ixx < 3 kg*mm^2"),
        ],
    )
    def test_words_state_the_unit(self, bom: Bom, text: str, words: str) -> None:
        assert _parse_probability_query(text, bom).words == words

    def test_without_units_numbers_are_read_as_they_are(self, bare: Bom) -> None:
        requested = _parse_probability_query("mass <= 850", bare)
        assert (requested.words, requested.region) == ("mass ≤ 850", ResultRange(0, high=850.0))


class TestItems:
    @pytest.mark.parametrize(
        ("text", "name"),
        [("mass <= 1", "SAT"), ("SAT: mass <= 1", "SAT"), ("A:mass <= 1", "A"), ("A:1: mass <= 1", "A:1")],
    )
    def test_the_longest_id_before_a_colon(self, bom: Bom, text: str, name: str) -> None:
        requested = _parse_probability_query(text, bom)
        assert (requested.name, bom.ids[requested.item], requested.region) == (name, name, ResultRange(0, high=1.0))

    def test_an_unknown_item_is_reported_with_its_nearest(self, bom: Bom) -> None:
        with pytest.raises(UsageError, match=r"id is not in the table: SAD .nearest: SAT"):
            _parse_probability_query("SAD: mass <= 1", bom)

    def test_events_are_collected_by_item(self, bom: Bom) -> None:
        items, events = sampling_events(bom, ["A"], ["mass <= 1", "A:1: Cx in 0..1", "mass >= 3"])
        assert items == [0, 1, 2]
        assert events == {0: [ResultRange(0, high=1.0), ResultRange(0, low=3.0)], 1: [], 2: [ResultRange(1, 0.0, 1.0)]}


class TestRejections:
    @pytest.mark.parametrize(
        ("text", "fault"),
        [
            ("", 'is not a condition .for instance "mass <= 850 kg"'),
            ("mass", "is not a condition"),
            ("mas <= 4", "result is not known: mas; the nearest is mass"),
            ("mass <= x", "has x in place of a number"),
            ("mass <= *", "has a .* in place of a number"),
            ("mass <= 1e999", "double precision"),
            ("mass <= 5 m", "m is not a unit of mass, such as kg"),
            ("Cx <= 5 kg", "kg is not a unit of length, such as mm"),
            ("mass in 5", "one number in place of a range"),
            ("Cx in 6..5", "low end above its high end"),
            ("Cx in box 1..2, *, *", "which is not the center"),
            ("center <= 5", 'compares a point with a number .for instance "center in box'),
            ("center in 5..6", "box or ellipse"),
            ("center in ball 5", "box or ellipse"),
            ("center in box 1..2", "has 1 values in place of x, y, z"),
            ("center in ellipse 0,0,0", "has no ;"),
            ("center in ellipse 0,0 ; 1,1", "has 2 values in place of x, y, z"),
            ("center in ellipse 0,0,0 ; 5,0,10", "not positive"),
            ("center in ellipse 0,*,0 ; 5,1,10", "half axis without a centre"),
            ("A: ", "is not a condition"),
        ],
    )
    def test_what_is_wrong_is_reported(self, bom: Bom, text: str, fault: str) -> None:
        with pytest.raises(UsageError, match=fault):
            _parse_probability_query(text, bom)

    def test_a_unit_needs_a_table_with_units(self, bare: Bom) -> None:
        with pytest.raises(UsageError, match="the table states no unit of mass; leave the unit out, or state"):
            _parse_probability_query("mass <= 850 kg", bare)


@pytest.mark.parametrize(
    ("region", "inside"),
    [
        (ResultRange(0, 1.0, 2.0), [True, False, False]),
        (CenterBox((0.0, -inf, -inf), (inf, 3.0, inf)), [True, False, False]),
        (CenterEllipsoid((1.0, 2.0, 0.0), (0.5, 0.5, inf)), [True, False, False]),
    ],
)
def test_regions_report_samples_and_can_be_sent(region: ResultRegion, inside: list[bool]) -> None:
    samples = np.zeros((3, 13))
    samples[0, :3] = 1.5, 1.1, 2.2
    samples[1, :3] = 3.0, -1.0, 2.0
    samples[2, :4] = np.nan
    assert pickle.loads(pickle.dumps(region))(samples).tolist() == inside
