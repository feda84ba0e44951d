"""Mechanisms as documents: tables of bodies and joints read, mechanisms with fewer parameters written."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from massprops_cli.files.options import FileOptions
from massprops_cli.files.reader import read_file_table
from massprops_cli.findings.finding import Findings, Place, TableError, UsageError, nearest_name_hint
from massprops_cli.mechanisms import model
from massprops_cli.mechanisms.exact import energy_rows
from massprops_cli.mechanisms.inertia_forms import body_parameters, product_parameters
from massprops_cli.mechanisms.motion import MotionGenerator
from massprops_cli.mechanisms.prime_field import residue

if TYPE_CHECKING:
    from massprops_cli.mechanisms.base_inertia import BaseParameters

_WIDTH = len(model.QUANTITIES)
_CHECK_EXPONENT = 107  # a prime that the reduction itself does not use
_CHECK_TERMS = 32  # of the Taylor series of the motion that checks; also its random seed
_MOST_DECIMALS = 20  # a number with as many or more is written as a fraction


def reduced_mechanism(found: BaseParameters, findings: Findings | None = None) -> model.Mechanism:
    """Return the mechanism with as few non-zero parameters as its base parameters permit, and the same dynamics.

    Parameters
    ----------
    found : BaseParameters
        Base parameters with exact coefficients.
    findings : Findings, optional
        Receives warnings and notes.

    Returns
    -------
    Mechanism
        With other masses, centres and inertia, which need not be those of a solid: a moment may be negative.

    Raises
    ------
    UsageError
        The coefficients are not exact.
    TableError
        No body states a mass.

    Notes
    -----
    Along a random motion over a further prime, the kinetic energies are checked to be equal, and the potential energies
    up to a constant.

    Examples
    --------
    >>> from massprops_cli import base_parameters, read_mechanism
    >>> pendulum = b'''{"gravity": [0, "-10", 0], "bodies": [{"id": 1, "mass": 3, "c": [2, 0, 0],
    ...   "I": [1, 2, 4, 0, 0, 0]}],
    ...   "joints": [{"type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": [0, 0, 0], "ai": [0, 0, 1]}]}'''
    >>> body = reduced_mechanism(base_parameters(read_mechanism(pendulum))).bodies[0]
    >>> body.mass, body.center, [str(value) for value in body.inertia]
    (Fraction(3, 1), (Fraction(2, 1), Fraction(0, 1), Fraction(0, 1)), ['0', '-12', '4', '0', '0', '0'])
    """
    if found.method not in ("exact", "structural") or found.mechanism.is_approximate:
        raise UsageError(f"a reduced mechanism needs exact coefficients; use --method exact, not {found.method}")
    mechanism, collected = found.mechanism, Findings() if findings is None else findings
    if all(body.mass is None for body in mechanism.bodies):
        collected.report(
            "MP823", "bodies state no mass, so that there is nothing to reduce", Place(mechanism.name or "-")
        )
        raise TableError(collected)
    values = [Fraction(value) for body in mechanism.bodies for value in body_parameters(body)]
    retained: dict[int, Fraction] = {}
    reduced = _reduced_values(found, values, retained)
    while further := _bodies_without_center(reduced, retained):
        retained |= {_WIDTH * body: values[_WIDTH * body] or Fraction(1) for body in further}
        reduced = _reduced_values(found, values, retained)
    changes = [new - old for new, old in zip(reduced, values, strict=True)]
    motions = MotionGenerator(model.spanning_tree(mechanism), _CHECK_EXPONENT, random.Random(_CHECK_TERMS))
    prime = (1 << _CHECK_EXPONENT) - 1
    weights = [residue(value, prime) for value in changes]
    for row in energy_rows(mechanism, motions.motion(_CHECK_TERMS)) if motions.degrees_of_freedom else ():
        if sum(value * weight for value, weight in zip(row, weights, strict=True)) % prime:
            raise ArithmeticError("the reduced mechanism has other energies")
    bodies = [
        _body(body, reduced[_WIDTH * number : _WIDTH * (number + 1)], collected)
        for number, body in enumerate(mechanism.bodies)
    ]
    if collected.has_errors:
        raise TableError(collected)
    return replace(mechanism, bodies=tuple(bodies))


def _reduced_values(found: BaseParameters, values: list[Fraction], retained: Mapping[int, Fraction]) -> list[Fraction]:
    """Return the parameters where eliminated ones are 0, or have the value that they retain."""
    reduced = [Fraction(0)] * len(values)
    for index, value in retained.items():
        reduced[index] = value
    for head, terms in found.grouping.base.items():
        reduced[head] = values[head] + sum(
            (Fraction(factor) * (values[index] - reduced[index]) for index, factor in terms.items()), Fraction(0)
        )
    return reduced


def _bodies_without_center(reduced: list[Fraction], retained: Mapping[int, Fraction]) -> list[int]:
    """Return the bodies that have first moments and no mass."""
    return [
        index // _WIDTH
        for index in range(0, len(reduced), _WIDTH)
        if not reduced[index] and index not in retained and any(reduced[index + 1 : index + 4])
    ]


def _body(body: model.MechanismBody, parameters: Sequence[Fraction], findings: Findings) -> model.MechanismBody:
    """Return a body with other parameters, as mass, centre of mass and inertia about it."""
    mass, *moments, xx, xy, xz, yy, yz, zz = parameters
    if not mass and any(moments):
        message = f"body {body.name} has first moments and no mass, so that it has no centre of mass"
        findings.report("MP823", message, item=body.name)
        return body
    x, y, z = (value / mass if mass else Fraction(0) for value in moments)
    point = product_parameters((x, y, z, Fraction(1)), (x, y, z, Fraction(1)))
    own = [value - mass * share for value, share in zip((xx, xy, xz, yy, yz, zz), point[4:], strict=True)]
    return replace(body, mass=mass, center=(x, y, z), inertia=(own[0], own[3], own[5], own[1], own[2], own[4]))


def mechanism_document(mechanism: model.Mechanism) -> dict[str, Any]:
    """Return a mechanism as the content of a JSON file.

    Parameters
    ----------
    mechanism : Mechanism
        Without errors; with the document that it was read from, if there is one.

    Returns
    -------
    dict
        That document with the masses, centres and inertia of the mechanism; numbers are exact texts.

    Raises
    ------
    ValueError
        If the document lists other bodies than the mechanism has.

    Notes
    -----
    The content is that which `read_mechanism` reads; a decimal number stays one, others are fractions such as ``1/3``.

    Examples
    --------
    >>> from massprops_cli import read_mechanism
    >>> one = read_mechanism(b'''{"gravity": [0, 0, 0], "bodies": [{"id": "arm", "mass": "1.50"}],
    ...   "joints": [{"type": "S", "i": 0, "j": "arm", "pi": [1, 0, 0], "pj": [1, 0, 0]}]}''')
    >>> mechanism_document(one)["bodies"]
    [{'id': 'arm', 'mass': '1.5', 'c': ['0', '0', '0'], 'I': ['0', '0', '0', '0', '0', '0']}]
    """
    if (document := mechanism.document) is None:
        bodies = [
            {"id": body.name, "p": _number_texts(body.position), "q": _number_texts(body.quaternion)}
            for body in mechanism.bodies
        ]
        joints = [_joint_record(mechanism, joint) for joint in mechanism.joints]
        document = {"name": mechanism.name, "bodies": bodies, "joints": joints}
    for record, body in zip(document["bodies"], mechanism.bodies, strict=True):
        if body.mass is not None:
            mass, center, inertia = _number_text(body.mass), _number_texts(body.center), _number_texts(body.inertia)
            record |= {"mass": mass, "c": center, "I": inertia}
    return {**document, "gravity": _number_texts(mechanism.gravity)}


def _joint_record(mechanism: model.Mechanism, joint: model.Joint) -> dict[str, Any]:
    """Return a joint as an object of the file."""
    ends = ["0" if body == model.GROUND else mechanism.bodies[body].name for body in joint.bodies]
    record: dict[str, Any] = {"name": joint.name, "type": joint.kind, "i": ends[0], "j": ends[1]}
    record |= {key: _number_texts(point) for key, point in zip(("pi", "pj"), joint.points, strict=True)}
    if joint.kind in model.AXIS_KINDS:
        record |= {key: _number_texts(axis) for key, axis in zip(("ai", "aj"), joint.axes, strict=True)}
    if joint.kind == "helical":
        record["pitch"] = _number_text(joint.pitch)
    record |= {key: _number_text(value) for key, value in joint.dynamics}
    return record | ({"terms": list(joint.terms)} if joint.terms else {})


def _number_texts(values: Sequence[Any]) -> list[str]:
    """Return exact numbers as texts: decimals where they are short and exact, else fractions."""
    return [_number_text(value) for value in values]


def _number_text(value: Any) -> str:
    """Return one exact number as text."""
    exact = Fraction(value)
    for places in range(_MOST_DECIMALS):
        if 10**places % exact.denominator == 0:
            digits = str(abs(exact.numerator) * (10**places // exact.denominator)).rjust(places + 1, "0")
            sign = "-" if exact < 0 else ""
            return f"{sign}{digits[: len(digits) - places]}" + (f".{digits[len(digits) - places :]}" if places else "")
    return str(exact)


_VECTORS = {
    "bodies": {
        "p": "px py pz",
        "q": "qw qx qy qz",
        "gravity": "gx gy gz",
        "c": "cx cy cz",
        "I": "Ixx Iyy Izz Ixy Ixz Iyz",
    },
    "joints": {"pi": "pix piy piz", "pj": "pjx pjy pjz", "ai": "aix aiy aiz", "aj": "ajx ajy ajz"},
}
_TEXTS = {"bodies": ("id", "mass"), "joints": ("name", "type", "i", "j", "pitch", "terms", *model.JOINT_DYNAMICS)}
_REQUIRED = {"bodies": ("id",), "joints": ("name", "type", "i", "j")}
_GROUND_IDS = ("0", "ground")
_TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
TABLE_SUFFIXES = (*_TEXT_SUFFIXES, ".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")


def table_document(bodies: str, joints: str, findings: Findings) -> dict[str, Any] | None:
    """Read both tables as the document of a JSON file."""
    if Path(bodies).suffix.lower() in _TEXT_SUFFIXES and not joints:
        findings.report(
            "MP801", "table of bodies has no table of joints", Place(bodies), remedy="name it with --joints"
        )
        return None
    names = {"bodies": bodies, "joints": joints or bodies}
    records = {
        kind: _records(kind, name, "" if Path(name).suffix.lower() in _TEXT_SUFFIXES else kind, findings)
        for kind, name in names.items()
    }
    if findings.has_errors:
        return None
    document: dict[str, Any] = {"name": Path(bodies).stem, "joints": records["joints"]}
    document["bodies"] = [one for one in records["bodies"] if one.get("id") not in _GROUND_IDS]
    for one in records["bodies"]:
        gravity = one.pop("gravity", None)
        if one.get("id") in _GROUND_IDS:
            document["gravity"] = gravity
        elif gravity is not None:
            findings.report(
                "MP802", f"gravity is on the row of body {one.get('id')} (expected on the row 0)", Place(bodies)
            )
    if document.get("gravity") is None:
        findings.report("MP802", "gravity is missing: row with the id 0 and gx, gy, gz", Place(bodies), item="gravity")
    for kind in ("bodies", "joints"):
        if not document[kind]:
            findings.report("MP801", f"table of {kind} has no rows", Place(names[kind]))
    return None if findings.has_errors else document


def _records(kind: str, name: str, sheet: str, findings: Findings) -> list[dict[str, Any]]:
    """Read the rows of a table; a vector is a list of cells, absent if they are blank."""
    table = read_file_table(name, FileOptions(sheet=sheet), None, findings)
    rows = [[cell.strip() for cell in table.row(index)] for index in range(table.n_rows)]
    place = Place(name, sheet=sheet)
    header = rows[0] if rows else []
    known = [*_TEXTS[kind], *(one for names in _VECTORS[kind].values() for one in names.split())]
    for column in header:
        if column and column not in known:
            hint = nearest_name_hint(column, known)
            findings.report("MP801", f"table of {kind} has an unknown column: {column}{hint}", place, value=column)
    for column in _REQUIRED[kind]:
        if column not in header:
            findings.report("MP801", f"table of {kind} has no column {column}", place, value=column)
    found = []
    for row in rows[1:]:
        if not (cells := {column: cell for column, cell in zip(header, row, strict=False) if column and cell}):
            continue
        record: dict[str, Any] = {column: cells[column] for column in _TEXTS[kind] if column in cells}
        for key, names in _VECTORS[kind].items():
            if any(column in cells for column in names.split()):
                record[key] = [cells.get(column, "") for column in names.split()]
        found.append(record)
    return found
