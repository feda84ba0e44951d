"""The machine to identify: its bodies and joints, what its file states of friction and limits, and coupled joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, UsageError, nearest_name_hint
from massprops_cli.mechanisms.base_inertia import base_parameters
from massprops_cli.mechanisms.inertia_forms import body_parameters
from massprops_cli.mechanisms.mechanism_file import read_mechanism
from massprops_cli.mechanisms.model import Mechanism, RobotReading
from massprops_cli.mechanisms.spatial.joint_columns import SLIDE
from massprops_cli.mechanisms.spatial.spatial_model import SpatialModel
from massprops_cli.robots.robot_model import SourceElement, parse_source

Floats = NDArray[np.float64]
_TERMS = ("armature", "viscous", "coulomb", "offset", "spring")
"""Parameters of a joint: its force has armature·q̈ + viscous·q̇ + coulomb·sign(q̇) + offset + spring·q."""
_USUAL_TERMS = ("armature", "viscous", "coulomb", "offset")
_LIMIT_KEYS = ("position", "velocity", "acceleration", "torque")
_NUMBER = (int, float)
_KEYS: dict[str, type | tuple[type, ...]] = {
    "terms": list, "cutoff": _NUMBER, "gains": dict, "couple": dict, "payload": dict, "limits": dict,
    "columns": dict, "units": dict, "motors": dict, "collisions": bool,
    "seed": int, "harmonics": int, "duration": _NUMBER, "samples": int, "criterion": str,
    "trials": int, "spread": _NUMBER, "noise": dict, "rate": _NUMBER,
}  # fmt: skip
"""Keys of the table ``[identify]``."""


@dataclass(frozen=True)
class _JointFacts:
    """What a robot file states of a joint, SI units; limits are None if they are not stated."""

    velocity: float | None = None
    torque: float | None = None
    viscous: float | None = None
    coulomb: float | None = None
    armature: float | None = None
    follows: tuple[str, float, float] | None = None  # the joint that it follows, factor, offset


@dataclass(frozen=True)
class IdentifySettings:
    """The table ``[identify]`` of a configuration, checked; docs/howto/identification.md."""

    terms: tuple[str, ...] = _USUAL_TERMS
    cutoff: float = 0.0  # Hz; 0: from the data
    gains: Mapping[str, float] = field(default_factory=dict)  # N·m a unit of current
    couple: Mapping[str, tuple[str, float, float]] = field(default_factory=dict)
    payload: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    limits: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)  # quantity such as ``elbow.q`` → header
    units: Mapping[str, str] = field(default_factory=dict)  # quantity, or ``q``, ``tau``, ``i`` of all joints → unit
    motors: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # motor → its turns for one of each joint
    collisions: bool = False  # keep links inside their collision geometry
    seed: int = 0
    harmonics: int = 5
    duration: float = 10.0  # s, of one period of an exciting motion
    samples: int = 200
    criterion: str = "condition"
    trials: int = 300
    noise: Mapping[str, float] = field(default_factory=dict)  # N·m or N, of joints or ``all``, for promised σ
    rate: float = 100.0  # Hz, for promised σ
    spread: float = 0.2  # σ of a link without one, as a share of its mass properties

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> IdentifySettings:
        """Check the keys and types of a table; raises UsageError."""
        values: dict[str, Any] = dict(given)
        for key, value in given.items():
            if key not in _KEYS:
                hint = nearest_name_hint(key, _KEYS) or f" (expected one of {', '.join(_KEYS)})"
                raise UsageError(f"unknown key of [identify]: {key}{hint}")
            if not isinstance(value, _KEYS[key]) or (isinstance(value, bool) and _KEYS[key] is not bool):
                raise UsageError(f"wrong type of {key} of [identify]: {value!r}")
            if _KEYS[key] in (int, _NUMBER) and key != "seed" and not (math.isfinite(values[key]) and values[key] > 0):
                raise UsageError(f"{key} of [identify] is not a positive number: {value}")
        for key, several, known in (
            ("terms", values.setdefault("terms", list(_USUAL_TERMS)), _TERMS),
            ("criterion", [values.get("criterion", "D")], ("condition", "D")),
        ):
            if unknown := [one for one in several if one not in known]:
                what = f"unknown {key.removesuffix('s')} of [identify]: {unknown[0]}"
                raise UsageError(f"{what} (expected some of {', '.join(known)})")
        if values.get("seed", 0) < 0:
            raise UsageError(f"seed of [identify] is negative: {values['seed']}")
        _check_tables(values)
        couple = {name: _coupling(name, value) for name, value in values.get("couple", {}).items()}
        return cls(**{**values, "terms": tuple(values["terms"]), "couple": couple})


def _check_tables(values: Mapping[str, Any]) -> None:
    """Check gains, motors, limits and columns; raises UsageError."""
    for key in ("gains", "noise"):
        _check_numbers(values.get(key, {}), key)
    for name, turns in values.get("motors", {}).items():
        if not isinstance(turns, dict) or not turns:
            raise UsageError(f"motor {name} in [identify.motors] is not a table of joints and turns: {turns!r}")
        _check_numbers({f"{name}.{joint}": value for joint, value in turns.items()}, "turns")
    for name, limits in values.get("limits", {}).items():
        if not isinstance(limits, dict) or any(key not in _LIMIT_KEYS for key in limits):
            raise UsageError(f"limits of {name} in [identify] are not a table of {', '.join(_LIMIT_KEYS)}")
        for key, value in limits.items():
            pair = value if isinstance(value, list) and len(value) == 2 else [value]
            _check_numbers({f"{name}.{key}{k + 1 if len(pair) > 1 else ''}": x for k, x in enumerate(pair)}, "limit")
    for key in ("columns", "units"):
        for quantity, text in values.get(key, {}).items():
            if not isinstance(text, str):
                raise UsageError(f"{key} of [identify] has no text for {quantity}: {text!r}")


def _check_numbers(table: Mapping[str, Any], what: str) -> None:
    """Raise UsageError unless all values are finite numbers."""
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise UsageError(f"{what} of {name} in [identify] is not a number: {value!r}")


def _coupling(name: str, value: Any) -> tuple[str, float, float]:
    """Read ``follower = ["leader", factor, offset]``."""
    if not isinstance(value, list) or not 2 <= len(value) <= 3 or not isinstance(value[0], str):
        raise UsageError(f'coupling of {name} in [identify] is not ["LEADER", FACTOR]: {value!r}')
    _check_numbers(dict.fromkeys([name], value[1]) | {f"{name}, offset": x for x in value[2:]}, "coupling")
    return value[0], float(value[1]), float(value[2]) if len(value) == 3 else 0.0


@dataclass(frozen=True, eq=False)
class Machine:
    """Bodies and joints with f coordinates, which m independent ones drive: q = coupling·z + offset."""

    mechanism: Mechanism
    model: SpatialModel
    facts: Mapping[str, _JointFacts]
    coupling: Floats  # (f, m)
    offset: Floats  # (f,)
    independent: tuple[int, ...]  # coordinates that drive the others
    settings: IdentifySettings

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the independent coordinates."""
        return tuple(self.model.names[k] for k in self.independent)

    @cached_property
    def free_names(self) -> frozenset[str]:
        """The coordinates of free and spherical joints, which have no friction and no limits."""
        joints = tuple(f"{joint.name}." for joint in self.mechanism.joints if joint.kind in ("free", "S"))
        return frozenset(name for name in self.model.names if name.startswith(joints))

    @cached_property
    def motors(self) -> dict[str, Floats]:
        """What has friction and armature, and how much each turns (m,) for one of each coordinate."""
        rows = dict(zip(self.names, np.eye(len(self.names)), strict=True))
        own = {name: row for name, row in rows.items() if name not in self.free_names}
        joined = self.settings.motors.items()
        return own | {name: np.sum([k * rows[joint] for joint, k in turns.items()], axis=0) for name, turns in joined}

    @cached_property
    def base_parameters(self) -> dict[int, dict[int, float]]:
        """The exact base parameters of the bodies: index of each, and the shares of what it includes."""
        joints = tuple(replace(joint, terms=()) for joint in self.mechanism.joints)
        found = base_parameters(replace(self.mechanism, joints=joints), "exact").grouping.base
        return {head: {k: float(share) for k, share in terms.items()} for head, terms in found.items()}

    def is_angle(self, name: str) -> bool:
        """Whether a coordinate is in radians."""
        return bool(self.model.columns.what[self.model.names.index(name)] != SLIDE)

    def unit(self, name: str) -> str:
        """Return the unit of the generalized force of a coordinate."""
        return "N*m" if self.is_angle(name) else "N"

    def limits(self, name: str) -> dict[str, tuple[float, float]]:
        """Return the limits of a coordinate: of position, velocity, acceleration, torque; those that are stated."""
        joint = next((one for one in self.mechanism.joints if one.name == name), None)
        fact = self.facts.get(name, _JointFacts())
        found: dict[str, tuple[float, float]] = {}
        if joint is not None and joint.limits is not None and joint.limits[0] < joint.limits[1]:
            found["position"] = joint.limits
        for key, most in (("velocity", fact.velocity), ("torque", fact.torque)):
            if most is not None and most > 0:
                found[key] = -most, most
        for key, value in {**self.settings.limits.get("all", {}), **self.settings.limits.get(name, {})}.items():
            low, high = value if isinstance(value, list) and len(value) == 2 else (-value, value)
            found[key] = float(low), float(high)
        return found

    def stated_values(self) -> Floats:
        """Return the ten parameters of all bodies as the file states them ``(10 n,)``, SI units."""
        every = [float(value) for body in self.mechanism.bodies for value in body_parameters(body)]
        return np.array(every, float)

    def stated_terms(self) -> Floats:
        """Return friction and armature that the file states (terms,), as ``term_names``; NaN where it does not."""
        facts = [self.facts.get(name, _JointFacts()) for name in self.motors]
        values = [getattr(fact, term, None) for fact in facts for term in self.settings.terms]
        return np.array([np.nan if value is None else value for value in values], float)

    def has_mass(self) -> NDArray[np.bool_]:
        """Return whether each body states a mass other than 0 (n,)."""
        return np.array([bool(body.mass) for body in self.mechanism.bodies], bool)


def read_machine(
    source: str | Path | bytes, joints: str, reading: RobotReading, settings: IdentifySettings, findings: Findings
) -> Machine:
    """Read a robot or a mechanism without loops."""
    collected = Findings()
    mechanism = read_mechanism(source, joints, collected, replace(reading, rotations="precise"))
    model = SpatialModel.from_mechanism(mechanism, collected)
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    facts = _joint_facts(str(source) if not isinstance(source, bytes) else "-", data)
    for joint in mechanism.joints:
        if joint.dynamics:  # of a mechanism file
            facts[joint.name] = _JointFacts(**dict[str, Any]((key, float(value)) for key, value in joint.dynamics))
    follows = {name: fact.follows for name, fact in facts.items() if fact.follows} | dict(settings.couple)
    findings += [one for one in collected if one.rule != "MP822" or not follows]  # followers are coupled here
    known = list(model.names)
    for name in [*settings.gains, *settings.couple, *({*settings.limits, *settings.noise} - {"all"})]:
        if name not in known:
            raise UsageError(f"[identify] names an unknown joint: {name}{nearest_name_hint(name, known)}")
    quantities = ["t", *(f"{name}.{quantity}" for name in known for quantity in ("q", "tau", "i"))]
    for option, given, all_joints in (("map", settings.columns, ()), ("unit", settings.units, ("q", "tau", "i"))):
        for quantity in given:
            if quantity not in (*quantities, *all_joints):
                hint = nearest_name_hint(quantity, quantities) or f" (expected such as {quantities[1]})"
                raise UsageError(f"--{option} names an unknown quantity: {quantity}{hint}")
    coupling, offset, independent = _couplings(known, follows)
    driven = [known[k] for k in independent]
    for name in (joint for turns in settings.motors.values() for joint in turns):
        if name not in driven:
            hint = nearest_name_hint(name, driven)
            raise UsageError(f"[identify.motors] names a joint that is unknown or follows another: {name}{hint}")
    return Machine(mechanism, model, facts, coupling, offset, independent, settings)


def _couplings(
    names: Sequence[str], follows: Mapping[str, tuple[str, float, float]]
) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Return the matrix and the offsets of all coordinates, and the independent ones."""
    independent = tuple(k for k, name in enumerate(names) if name not in follows)
    coupling, offset = np.zeros((len(names), len(independent))), np.zeros(len(names))
    for k, name in enumerate(names):
        leader, factor, shift, seen = name, 1.0, 0.0, {name}
        while leader in follows:
            above, ratio, constant = follows[leader]
            shift, factor = shift + factor * constant, factor * ratio
            leader = above
            if leader in seen or leader not in names:
                what = "itself" if leader in seen else f"an unknown joint: {leader}"
                raise UsageError(f"joint {name} follows {what}")
            seen.add(leader)
        coupling[k, independent.index(names.index(leader))], offset[k] = factor, shift
    return coupling, offset, independent


def _joint_facts(name: str, data: bytes) -> dict[str, _JointFacts]:
    """Read what a URDF, SDF or MJCF file states of its joints; nothing of other files."""
    if data.lstrip()[:1] != b"<":
        return {}
    root = parse_source(name, data)
    return dict(_mjcf_facts(root) if root.tag == "mujoco" else _axis_facts(root))


def _elements(over: SourceElement, tag: str) -> Iterator[SourceElement]:
    """Yield the elements of a name at any depth."""
    waiting = [over]
    while waiting:
        one = waiting.pop(0)
        if one.tag == tag and one is not over:
            yield one
        waiting += one.children


def _number(text: str | None) -> float | None:
    """Read a finite number; None without one."""
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _axis_facts(root: SourceElement) -> Iterator[tuple[str, _JointFacts]]:
    """Read ``limit``, ``dynamics`` and ``mimic``: of joints of a URDF file, or of axes of an SDF file."""
    is_urdf = root.tag == "robot"  # whose transmissions also have joints
    for joint in root.all("joint") if is_urdf else _elements(root, "joint"):
        over = joint if is_urdf else joint.first("axis")
        texts: dict[str, str] = {}
        for part in (None if over is None else over.first(tag) for tag in ("limit", "dynamics", "mimic")):
            texts |= {} if part is None else {**part.attributes, **{one.tag: one.value for one in part.children}}
        cells = {key: _number(text) for key, text in texts.items()}
        velocity, torque, viscous, coulomb = map(cells.get, ("velocity", "effort", "damping", "friction"))
        factor, shift, reference = map(cells.get, ("multiplier", "offset", "reference"))
        factor = 1.0 if factor is None else factor
        follows = (texts["joint"], factor, (shift or 0.0) - factor * (reference or 0.0)) if "joint" in texts else None
        yield joint.attributes.get("name", ""), _JointFacts(velocity, torque, viscous, coulomb, None, follows)


def _mjcf_facts(root: SourceElement) -> Iterator[tuple[str, _JointFacts]]:
    """Read damping, friction and armature of the joints of an MJCF file, and their coupling by polynomials."""
    defaults: dict[str, str] = {}
    for one in root.all("default"):
        joint = one.first("joint")
        defaults |= {} if joint is None else joint.attributes
    follows: dict[str, tuple[str, float, float]] = {}
    for one in (joint for section in root.all("equality") for joint in section.all("joint")):
        cells = [_number(text) or 0.0 for text in one.attributes.get("polycoef", "0 1 0 0 0").split()]
        if "joint2" in one.attributes and not any(cells[2:]):
            follows[one.attributes.get("joint1", "")] = one.attributes["joint2"], cells[1], cells[0]
    for body in root.all("worldbody"):
        for joint in _elements(body, "joint"):
            given = {**defaults, **joint.attributes}
            span = [_number(text) for text in given.get("actuatorfrcrange", "").split()]
            torque = span[1] if len(span) == 2 else None
            viscous, coulomb, armature = (_number(given.get(key)) for key in ("damping", "frictionloss", "armature"))
            name = given.get("name", "")
            yield name, _JointFacts(None, torque, viscous, coulomb, armature, follows.get(name))
