"""The file of branches that joins the tables of parts, and their reassembly."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import VERSION
from massprops_cli.bodies.bodies import Bodies, Sigmas
from massprops_cli.bom.items.correlation_groups import BranchLeaves
from massprops_cli.bom.items.result_columns import SIGN_CONVENTION_TEXT
from massprops_cli.files.writer import atomic_file
from massprops_cli.findings.finding import Findings, Place, TableError
from massprops_cli.rollups.covariance import Covariances, branch_terms, moved_parameters
from massprops_cli.rollups.inputs import Correlation
from massprops_cli.trees.tree import ItemQuantity

_Index = NDArray[np.intp]
_Mask = NDArray[np.bool_]
FOREST_PREFIX = "forest:"  # begins the id of a root that a partition made above several items
_Floats = NDArray[np.float64]
_PARAMETERS = ("m", "hx", "hy", "hz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")


@dataclass(frozen=True, eq=False)
class PartRows:
    """The k rows of a table of its own."""

    items: _Index  # (k,) −1 for a row that is made
    parents: _Index  # (k,) row of the parent; −1 for the root
    branches: _Mask  # (k,) items that represent the branch below them, with the computed numbers
    ids: dict[int, str] = field(default_factory=dict)  # by row, if not that of the item
    parent_ids: dict[int, str] = field(default_factory=dict)  # by row, of parents that are not in the table
    quantity: ItemQuantity | None = None  # default: those of the items
    numbered: _Index = field(default_factory=lambda: np.zeros(0, np.intp))  # (m,) rows with ``bodies`` and ``sigmas``
    bodies: Bodies | None = None
    sigmas: Sigmas | None = None
    parent_frames: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)
    """By row: origin (3,) and axes (3, 3) of parents that are not in the table, in the frame of the root."""


@dataclass(frozen=True, eq=False)
class BranchRecord:
    """One branch: its body, the reference leaf, the covariance about that leaf, and the factors of open groups."""

    name: str
    mass: float
    center: _Floats
    inertia: _Floats
    leaf: str
    reference: _Floats
    packed: _Floats
    factors: tuple[tuple[tuple[str, str], _Floats, _Floats], ...] = ()


@dataclass(frozen=True, eq=False)
class BranchFile:
    """Branches, the units of their numbers, and whose uncertainties were shared."""

    branches: tuple[BranchRecord, ...]
    units: tuple[str, str, str]
    correlate: str
    correlate_centers: bool
    source: str = ""


def branch_records(
    names: list[str], bodies: Bodies, leaves: list[tuple[str, _Floats]], known: Covariances, sharing: Correlation | None
) -> tuple[BranchRecord, ...]:
    """Return branches with covariances about their reference leaves, centres (3,): docs/formulas.md, section 5."""
    assert bodies.center is not None
    inertia = np.zeros((len(names), 6)) if bodies.inertia is None else bodies.inertia
    found = []
    for column, k in enumerate(known.items.tolist()):
        away = bodies.center[k] - leaves[k][1]
        packed = branch_terms(known.packed[:, [column]], away[:, None])[:, 0]
        factors = []
        if known.factors is not None and sharing is not None:
            for pair in np.flatnonzero(known.factors.items == k).tolist():
                group = int(known.factors.group[pair])
                columns = np.array([moved_parameters(one, away) for one in known.factors.columns[:, :, pair]])
                factors.append(((sharing.kinds[group], sharing.labels[group]), columns, known.factors.tensor[:, pair]))
        leaf, reference = leaves[k]
        body = names[k], float(bodies.mass[k]), bodies.center[k], inertia[k]
        found.append(BranchRecord(*body, leaf, reference, packed, tuple(factors)))
    return tuple(found)


def write_branch_file(content: BranchFile, path: Path, *, replaces: bool = True) -> None:
    """Write the file of branches."""
    head: dict[str, Any] = {
        "massprops": VERSION,
        "source": content.source,
        "units": dict(zip(("mass", "length", "inertia"), content.units, strict=True)),
        "sign": SIGN_CONVENTION_TEXT,
        "parameters": list(_PARAMETERS),
        "about": "the reference leaf of each branch; upper triangle of the covariance, row by row",
        "correlate": content.correlate,
        "correlate_centers": content.correlate_centers,
        "branches": [
            {
                "id": one.name,
                "mass": one.mass,
                "center": one.center.tolist(),
                "inertia": one.inertia.tolist(),
                "reference_leaf": one.leaf,
                "reference": one.reference.tolist(),
                "covariance": one.packed.tolist(),
                "factors": [
                    {"kind": kind, "group": name, "columns": columns.tolist(), "tensor": tensor.tolist()}
                    for (kind, name), columns, tensor in one.factors
                ],
            }
            for one in content.branches
        ],
    }
    with atomic_file(str(path), replaces=replaces) as out:
        out.write((json.dumps(head, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode())


def read_branch_file(path: str) -> BranchFile:
    """Read a file of branches."""
    place, findings = Place(path), Findings()
    try:
        content = json.loads(Path(path).read_bytes())
        units = content["units"]
        return BranchFile(
            tuple(_parse_branch(one) for one in content["branches"]),
            (str(units["mass"]), str(units["length"]), str(units["inertia"])),
            str(content["correlate"]),
            bool(content["correlate_centers"]),
            str(content.get("source", "")),
        )
    except OSError as error:
        findings.report("MP101", f"file cannot be read: {(error.strerror or str(error)).lower()}", place)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        findings.report("MP845", f"file is not a file of branches: {error or type(error).__name__}", place)
    raise TableError(findings)


def _parse_branch(one: dict[str, Any]) -> BranchRecord:
    """Read a branch; raises KeyError or ValueError for what is missing or not a number."""

    def numbers(value: Any, *shape: int) -> _Floats:
        array = np.array(value, dtype=float)
        if array.shape[-len(shape) :] != shape or not np.isfinite(array).all():
            raise ValueError(f"expected {' × '.join(map(str, shape))} finite numbers in branch {one['id']}")
        return array

    body = str(one["id"]), float(one["mass"]), numbers(one["center"], 3), numbers(one["inertia"], 6)
    factors = (
        ((str(each["kind"]), str(each["group"])), numbers(each["columns"], 10), numbers(each["tensor"], 6))
        for each in one["factors"]
    )
    reference = str(one["reference_leaf"]), numbers(one["reference"], 3)
    return BranchRecord(*body, *reference, numbers(one["covariance"], 55), tuple(factors))


def branch_leaves(records: list[tuple[int, BranchRecord]]) -> BranchLeaves:
    """Return branches as the leaves that represent them: docs/formulas.md, section 5."""
    groups: dict[tuple[str, str], int] = {}
    pairs, columns, tensors = [], [], []
    packed = np.zeros((55, len(records)))
    for k, (_, one) in enumerate(records):
        away = one.reference - one.center
        packed[:, k] = branch_terms(one.packed[:, None], away[:, None])[:, 0]
        for label, of_group, tensor in one.factors:
            pairs.append((k, groups.setdefault(label, len(groups))))
            columns.append(np.array([moved_parameters(column, away) for column in of_group]))
            tensors.append(tensor)
    return BranchLeaves(
        np.array([item for item, _ in records], np.intp),
        packed,
        np.array(pairs, np.intp).reshape(-1, 2),
        tuple(groups),
        np.array(columns).transpose(1, 2, 0) if columns else np.zeros((1, 10, 0)),
        np.array(tensors).reshape(-1, 6).T,
    )
