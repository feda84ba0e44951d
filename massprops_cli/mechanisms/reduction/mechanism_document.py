"""Mechanisms as documents of mechanism files: the document they were read from with other inertia, or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from massprops_cli.mechanisms.model import AXIS_KINDS, GROUND, Joint, Mechanism, MechanismBody

_MOST_DECIMALS = 20  # a number with as many or more is written as a fraction


def mechanism_document(mechanism: Mechanism) -> dict[str, Any]:
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
    document = mechanism.document
    if document is None:
        bodies = [
            {"id": body.name, "p": _number_texts(body.position), "q": _number_texts(body.quaternion)}
            for body in mechanism.bodies
        ]
        joints = [_joint_record(mechanism, joint) for joint in mechanism.joints]
        document = {"name": mechanism.name, "bodies": bodies, "joints": joints}
    records = [
        {**record, **_inertia_record(body)} for record, body in zip(document["bodies"], mechanism.bodies, strict=True)
    ]
    return {**document, "gravity": _number_texts(mechanism.gravity), "bodies": records}


def _inertia_record(body: MechanismBody) -> dict[str, Any]:
    """Return mass, centre and inertia of a body; nothing if it states no mass."""
    if body.mass is None:
        return {}
    return {"mass": _number_text(body.mass), "c": _number_texts(body.center), "I": _number_texts(body.inertia)}


def _joint_record(mechanism: Mechanism, joint: Joint) -> dict[str, Any]:
    """Return a joint as an object of the file."""
    ends = ["0" if body == GROUND else mechanism.bodies[body].name for body in joint.bodies]
    record: dict[str, Any] = {"name": joint.name, "type": joint.kind, "i": ends[0], "j": ends[1]}
    record |= {key: _number_texts(point) for key, point in zip(("pi", "pj"), joint.points, strict=True)}
    if joint.kind in AXIS_KINDS:
        record |= {key: _number_texts(axis) for key, axis in zip(("ai", "aj"), joint.axes, strict=True)}
    if joint.kind == "helical":
        record["pitch"] = _number_text(joint.pitch)
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
