"""Records of the roll-up: results are shared between callers and kept in caches, so that none may be changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import FrozenInstanceError, fields, is_dataclass
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

import massprops_cli.bodies
import massprops_cli.rollups
from massprops_cli.bodies.meshes.mesh_shells import ShellRelations
from massprops_cli.rollups.montecarlo.samples import StreamingHistogram
from massprops_cli.rollups.shared_uncertainty import _OpenGroups

ACCUMULATORS = (ShellRelations, StreamingHistogram, _OpenGroups)
BY_VALUE = {
    *("CenterBox", "CenterEllipsoid", "ResultRange", "SampleOptions", "SampleSums", "StreamingHistogram"),
    *("DimensionText", "Material", "Shape"),
}
"""Small records without arrays of items, and what tests compare: equal where all fields are."""
WITH_CACHES = {
    "Covariances",
    "Mesh",
    "MeshContainer",
    "_RevolvedContainer",
    "MeshEdges",
    "Rollup",
    "SampleModel",
    "VarianceBudget",
}
PRINTED = {*BY_VALUE, "Body", "BodyArray", "Covariances", "FlatItem", "Poses", "Rollup", "VarianceBudget"}


def records() -> Iterator[Any]:
    """Find the dataclasses of both rooms."""
    for room in (massprops_cli.bodies, massprops_cli.rollups):
        for module in walk_packages(room.__path__, f"{room.__name__}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.name:
                    yield value


RECORDS = list(records())


@pytest.mark.parametrize("record", [r for r in RECORDS if r not in ACCUMULATORS], ids=lambda r: r.__name__)
def test_a_record_cannot_be_changed(record: Any) -> None:
    one = object.__new__(record)
    with pytest.raises(FrozenInstanceError):
        setattr(one, fields(record)[0].name, 1.0)


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
def test_a_record_of_arrays_is_compared_as_one_object_and_printed_short(record: Any) -> None:
    """Arrays have no truth value, so records of them cannot be compared field by field, and long ones fill a screen."""
    assert (record.__eq__ is object.__eq__) == (record.__name__ not in BY_VALUE)
    assert (record.__repr__ is object.__repr__) == (record.__name__ not in PRINTED)


@pytest.mark.parametrize("record", [r for r in RECORDS if r.__name__ not in WITH_CACHES], ids=lambda r: r.__name__)
def test_a_record_without_caches_has_its_fields_only(record: Any) -> None:
    names = {field.name for field in fields(record)}
    if "__slots__" in vars(record):
        assert set(record.__slots__) == names
    else:
        assert record.__name__ in {"Body", "FlatItem", "_SignedMoments"}


def test_all_records_are_found() -> None:
    assert len(RECORDS) >= 30
