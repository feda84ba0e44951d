"""Joint points as expressions in the dimensions of a mechanism file: rational functions, by SymPy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from massprops_cli.findings.finding import Findings, TableError, UsageError, name_list, nearest_name_hint
from massprops_cli.mechanisms import structural
from massprops_cli.mechanisms.exact import exact_count, exact_grouping
from massprops_cli.mechanisms.inertia_forms import body_parameters, complex_grouping
from massprops_cli.mechanisms.model import QUANTITIES, Mechanism, SingularPoseError, evaluate_expression
from massprops_cli.mechanisms.observation.observed_parameters import (
    Observation,
    ObservationSettings,
    observation_grouping,
    observation_matrix,
)
from massprops_cli.mechanisms.prime_field import Grouping, has_fast_integers

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")  # name in an expression: L1 of "2*L1 + 1e3"
_KEPT_FIRST = ("mx", "my", "Ixx", "Ixy", "Ixz", "Iyz", "Izz")
"""Quantities that remain if the user states no order; the axis of a revolute joint is often z."""
_TERM_PREFIXES = ("viscous_", "coulomb_", "spring_", "preload_")


class _Expression:
    """A rational function that Python's operators combine with fractions."""

    __slots__ = ("_field", "element")

    def __init__(self, element: Any, field: Any) -> None:
        self.element, self._field = element, field

    def _other(self, value: Any) -> Any:
        """Return an operand as an element of the field."""
        if isinstance(value, _Expression):
            return value.element
        exact = Fraction(value)
        return self._field(exact.numerator) / self._field(exact.denominator)

    def __add__(self, other: Any) -> _Expression:
        return _Expression(self.element + self._other(other), self._field)

    __radd__ = __add__

    def __neg__(self) -> _Expression:
        return _Expression(-self.element, self._field)

    def __sub__(self, other: Any) -> _Expression:
        return _Expression(self.element - self._other(other), self._field)

    def __rsub__(self, other: Any) -> _Expression:
        return _Expression(self._other(other) - self.element, self._field)

    def __mul__(self, other: Any) -> _Expression:
        return _Expression(self.element * self._other(other), self._field)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> _Expression:
        return _Expression(self.element / self._other(other), self._field)

    def __rtruediv__(self, other: Any) -> _Expression:
        return _Expression(self._other(other) / self.element, self._field)

    def __pow__(self, power: int) -> _Expression:
        return _Expression(self.element**power, self._field)

    def __bool__(self) -> bool:
        return bool(self.element)

    def __eq__(self, other: object) -> bool:
        return bool(self.element == self._other(other))

    def __hash__(self) -> int:
        return hash(self.element)

    def __str__(self) -> str:
        from sympy import factor

        return str(factor(self.element.as_expr()))


def _symbolic_mechanism(mechanism: Mechanism) -> Mechanism | None:
    """Return the mechanism with the points of its joints as expressions in the dimensions of its file."""
    document = mechanism.document or {}
    given = document.get("joints", ())
    texts = [str(text) for joint in given for key in ("pi", "pj") for text in joint.get(key, ())]
    used = {name for text in texts for name in _NAME.findall(text)}
    if not (symbols := [name for name in document.get("dimensions", {}) if name in used]):
        return None
    from sympy import QQ
    from sympy.polys.fields import field

    space, *generators = field(symbols, QQ)
    values = {name: _Expression(one, space) for name, one in zip(symbols, generators, strict=True)}
    known = document["dimensions"]
    unit = values[symbols[0]]

    def number(text: str) -> _Expression:
        """Return a number as an element of the field of the dimensions."""
        return 0 * unit + Fraction(text)

    values |= {name: number(known[name]) for name in known if name not in values}
    joints = []
    for joint, one in zip(mechanism.joints, given, strict=True):
        points = []
        for key, point in zip(("pi", "pj"), joint.points, strict=True):
            found = [evaluate_expression(str(text), values, number) for text in one.get(key, ())] or list(point)
            points.append((found[0], found[1], found[2]))
        joints.append(replace(joint, points=(points[0], points[1])))
    return replace(mechanism, joints=tuple(joints))


@dataclass(frozen=True)
class BaseParameters:
    """Base parameters of one mechanism; all indices are those of ``names``."""

    mechanism: Mechanism
    method: str
    grouping: Grouping
    upper_bound: int | None  # number of base parameters that the structure alone gives
    symbolic: Grouping | None
    findings: tuple[Any, ...]
    observation: Observation | None = None  # observation matrix and singular values, with the method svd

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters."""
        return self.mechanism.parameter_names if self.observation is None else self.observation.parameters

    @property
    def is_certified(self) -> bool:
        """Whether exact reduction (a lower bound) and structural rules (an upper bound) give the same number."""
        return self.method == "exact" and self.upper_bound == len(self.grouping.base)

    @property
    def is_exact(self) -> bool:
        """Whether the coefficients are fractions."""
        return self.method not in ("complex", "svd")

    def transfers(self) -> list[structural.JointTransfer]:
        """Return what each joint lets pass between its bodies without effect on any motion or force.

        Returns
        -------
        list of JointTransfer
            Joint, donor, acceptor, condition, multipole, and the change of each parameter of both bodies.
        """
        return list(structural.joint_transfers(self.mechanism))

    def combinations(self) -> dict[str, dict[str, Any]]:
        """Return each base parameter as its name and the coefficients of the parameters it includes.

        Returns
        -------
        dict of str to dict
            Kept parameter → {eliminated parameter: Fraction, or float with the methods complex and svd}.
        """
        return {
            self.names[head]: {self.names[index]: value for index, value in terms.items()}
            for head, terms in self.grouping.base.items()
        }

    def parameter_values(self) -> dict[str, float]:
        """Return the base parameters of bodies that state mass, centre of mass and inertia.

        Returns
        -------
        dict of str to float
            Kept parameter → value of its combination.

        Raises
        ------
        UsageError
            A body states no mass, or a joint has terms.
        """
        if lacking := [body.name for body in self.mechanism.bodies if body.mass is None]:
            raise UsageError(f"bodies state no mass: {name_list(lacking)}")
        given = [value for body in self.mechanism.bodies for value in body_parameters(body)]
        if len(given) != len(self.names):
            raise UsageError("terms of joints have no values; leave them out")
        return {
            self.names[head]: float(given[head] + sum(share * given[index] for index, share in terms.items()))
            for head, terms in self.grouping.base.items()
        }

    def symbolic_combinations(self) -> dict[str, dict[str, str]] | None:
        """Return the combinations as expressions in the dimensions of the file.

        Returns
        -------
        dict of str to dict, or None
            None if the file states no dimensions, or the structural rules do not reach the number of base parameters.
        """
        if self.symbolic is None:
            return None
        return {
            self.names[head]: {self.names[index]: str(value) for index, value in terms.items()}
            for head, terms in self.symbolic.base.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values.

        Returns
        -------
        dict
            Counts, eliminated parameters, base parameters with fractions and decimals, findings.
        """
        symbolic = self.symbolic_combinations()
        base = []
        for head, terms in self.combinations().items():
            one: dict[str, Any] = {"parameter": head}
            if self.is_exact:
                one["exact"] = {name: str(value) for name, value in terms.items()}
            one["decimal"] = {name: float(value) for name, value in terms.items()}
            if self.observation is not None:
                sigmas = self.observation.deviations.get(self.names.index(head), {})
                one["deviation"] = {self.names[index]: value for index, value in sigmas.items()}
            if symbolic is not None:
                one["symbolic"] = symbolic[head]
            base.append(one)
        found = {
            "mechanism": self.mechanism.name,
            "method": self.method,
            "degrees_of_freedom": self.grouping.freedoms,
            "bodies": len(self.mechanism.bodies),
            "joints": len(self.mechanism.joints),
            "loops": self.mechanism.loops,
            "parameters": len(self.names),
            "count": len(base),
            "upper_bound": self.upper_bound,
            "certified": self.is_certified,
            "without_effect": [self.names[index] for index in self.grouping.without_effect],
            "eliminated": [self.names[index] for index in self.grouping.eliminated],
            "base_parameters": base,
            "findings": [finding.to_dict() for finding in self.findings],
        }
        return found if self.observation is None else {**found, **self.observation.to_dict()}


def base_parameters(
    mechanism: Mechanism,
    method: str = "exact",
    eliminate: Sequence[str] = (),
    *,
    symbols: bool = False,
    observation: ObservationSettings | None = None,
    findings: Findings | None = None,
) -> BaseParameters:
    """Compute the base inertial parameters of a mechanism.

    Parameters
    ----------
    mechanism : Mechanism
        As ``read_mechanism`` returns it.
    method : str, optional
        ``exact``; ``structural``: rules of the structure alone, an upper bound; ``complex``: double precision, from
        random points of the complexified constraints; ``svd``: singular values of the observation matrix of a
        trajectory.
    eliminate : sequence of str, optional
        Parameters to eliminate if possible, such as ``m2``; default: first masses, then Iyy and mz.
    symbols : bool, optional
        Also return the combinations as expressions in the dimensions of the file.
    observation : ObservationSettings, optional
        Trajectory and precision of the method svd.
    findings : Findings, optional
        Receives what is reported.

    Returns
    -------
    BaseParameters
        Kept parameters with exact coefficients.

    Raises
    ------
    UsageError
        A parameter to eliminate or the method is unknown; symbols are requested and the file has none.
    TableError
        The pose is singular, the methods complex and svd find no rank, or a trajectory cannot be followed.

    Notes
    -----
    Power series of random motions over the field of 2^127 − 1, row reduction of the coefficients of both energies,
    rational reconstruction, and a check with a second prime, other motions and more terms.

    Examples
    --------
    >>> from massprops_cli import base_parameters, read_mechanism
    >>> pendulum = b'''{"gravity": [0, "-9.81", 0], "bodies": [{"id": 1, "p": ["-1/2", 0, 0]}],
    ...   "joints": [{"type": "R", "i": 0, "j": 1, "pi": [0, 0, 0], "pj": ["1/2", 0, 0], "ai": [0, 0, 1]}]}'''
    >>> base_parameters(read_mechanism(pendulum)).combinations()
    {'mx1': {'m1': Fraction(-1, 2)}, 'my1': {}, 'Izz1': {'m1': Fraction(-1, 4)}}
    """
    collected = Findings() if findings is None else findings
    if method == "svd":
        return _observed(mechanism, eliminate, observation, collected)
    if any(joint.terms for joint in mechanism.joints):
        names = [joint.name for joint in mechanism.joints if joint.terms]
        collected.report("MP849", f"terms of joints are left out: {name_list(names)}", item=names[0], count=len(names))
    order = _elimination_order(mechanism, eliminate)
    if mechanism.is_approximate:
        return _assembled(mechanism, method, order, eliminate, collected)
    bound, symbolic = _structural(mechanism, order, symbols)
    if method == "exact":
        grouping = _exact(mechanism, order, bound, collected)
    elif method == "structural":
        grouping = bound
    elif method == "complex":
        grouping = complex_grouping(mechanism, order, collected)
    else:
        raise UsageError(f"unknown method: {method} (expected exact, structural, complex or svd)")
    if symbolic is not None and symbolic.eliminated != grouping.eliminated:
        symbolic = None
    count = len(bound.base)
    result = BaseParameters(mechanism, method, grouping, count, symbolic, ())
    if method == "exact" and not result.is_certified:
        collected.report(
            "MP813",
            f"structural rules give {count} base parameters, exact reduction {len(grouping.base)}: dimensions of this "
            "mechanism coincide, or a rule is missing",
        )
    _report_other_reading(result, collected)
    _report_elimination(result, eliminate, collected)
    return replace(result, findings=tuple(collected))


def _assembled(
    mechanism: Mechanism, method: str, order: Sequence[int], eliminate: Sequence[str], findings: Findings
) -> BaseParameters:
    """Assemble a mechanism whose pose is approximate, and compute its base parameters to 300 digits."""
    from massprops_cli.mechanisms.assembled_motion import assembled_grouping

    if method != "exact":
        raise UsageError(f"an approximate pose needs --method exact, not {method}")
    if not has_fast_integers():
        findings.report("MP812", "python-flint is not installed; 300 digits are Python's decimals, slower")
    result = BaseParameters(mechanism, method, assembled_grouping(mechanism, order, findings), None, None, ())
    findings.report("MP825", "pose of the file is approximate: assembled to 300 digits; the number is not certified")
    _report_elimination(result, eliminate, findings)
    return replace(result, findings=tuple(findings))


def _observed(
    mechanism: Mechanism, eliminate: Sequence[str], settings: ObservationSettings | None, findings: Findings
) -> BaseParameters:
    """Compute the base parameters from the observation matrix, and compare their number with the exact one."""
    given = settings or ObservationSettings()
    observation = observation_matrix(mechanism, given, findings=findings)
    order = _kept_order(observation.parameters, eliminate)
    grouping, observation = observation_grouping(observation, order, given, findings)
    count, exact = len(grouping.base), _exact_count(mechanism, observation)
    observation = replace(observation, exact_count=exact)
    if exact is not None and count > exact:
        message = (
            f"singular values have a gap after value {count}, but exact reduction gives {exact} base parameters: "
            "the values above the gap include rounding or closure"
        )
        findings.report("MP846", message, value=str(count))
        raise TableError(findings)
    if exact is not None and count < exact:
        findings.report(
            "MP848", f"trajectory shows {count} of the {exact} base parameters of exact reduction", value=str(count)
        )
    result = BaseParameters(mechanism, "svd", grouping, None, None, (), observation)
    _report_elimination(result, eliminate, findings)
    return replace(result, findings=tuple(findings))


def _exact_count(mechanism: Mechanism, observation: Observation) -> int | None:
    """Return the exact number of base parameters; None with terms of joints, or at a singular pose."""
    if len(observation.parameters) > len(mechanism.parameter_names):
        return None
    try:
        return exact_count(mechanism)
    except SingularPoseError:
        return None


def _elimination_order(mechanism: Mechanism, eliminate: Sequence[str]) -> list[int]:
    """Return the parameters of the bodies in the order in which they are kept; by default those of fixed ones last."""
    fixed = {joint.bodies[1] for joint in mechanism.joints if joint.kind == "fixed"}
    order = _kept_order(mechanism.parameter_names, eliminate)
    return order if eliminate or not fixed else sorted(order, key=lambda index: index // 10 in fixed)


def _kept_order(parameters: Sequence[str], eliminate: Sequence[str]) -> list[int]:
    """Return all parameters in the order in which they are kept; those of joints, after the bodies', first."""
    names = {name: index for index, name in enumerate(parameters)}
    for name in eliminate:
        if name not in names:
            raise UsageError(f"unknown parameter to eliminate: {name}{nearest_name_hint(name, list(names))}")
    last = [names[name] for name in dict.fromkeys(eliminate)]
    of_bodies = next((index for index, name in enumerate(parameters) if name.startswith(_TERM_PREFIXES)), len(names))
    usual = sorted(
        range(of_bodies), key=lambda index: ([*_KEPT_FIRST, "mz", "Iyy", "m"].index(QUANTITIES[index % 10]), index)
    )
    if not last:
        early = [index for index in range(of_bodies) if QUANTITIES[index % 10] in _KEPT_FIRST]
        early = [*range(of_bodies, len(names)), *early]
        return early + [index for index in usual if index not in set(early)]
    return [index for index in range(len(names)) if index not in set(last)] + last


def _structural(mechanism: Mechanism, order: Sequence[int], symbols: bool) -> tuple[Grouping, Grouping | None]:
    """Apply the rules of the structure to numbers, and to the dimensions of the file if requested."""
    restricted = structural.restricted_bodies(mechanism) if symbols or mechanism.loops else {}
    if mechanism.loops:
        bound = structural.structural_grouping(mechanism, order, restricted)
    else:
        bound = structural.open_chain_grouping(mechanism, order)
    if not symbols:
        return bound, None

    try:
        symbolic = _symbolic_mechanism(mechanism)
    except ImportError:
        raise UsageError("symbols need SymPy; pip install 'massprops[mechanism]'") from None
    if symbolic is None:
        raise UsageError("the points of the joints are numbers; write them as expressions in dimensions")
    return bound, structural.structural_grouping(symbolic, order, restricted)


def _exact(mechanism: Mechanism, order: Sequence[int], bound: Grouping, findings: Findings) -> Grouping:
    """Reduce exactly; a singular pose is an error, and so are coefficients that are too long."""
    if not has_fast_integers():
        findings.report("MP812", "python-flint is not installed; exact computes with Python's integers, slower")
    try:
        found = exact_grouping(mechanism, order, bound)
    except SingularPoseError as error:
        joint, power = min(error.joints.items(), key=lambda one: one[1])
        message = (
            f"the pose is singular: velocities that all joints permit do not continue to a motion; joint {joint} opens "
            f"with the {'second' if power == 2 else f'{power}th'} power of time"
        )
        findings.report("MP810", message, item=joint)
        raise TableError(findings) from None
    if found is None:
        findings.report("MP827", "coefficients of the base parameters have more than 300 digits")
        raise TableError(findings)
    return found


def _report_other_reading(result: BaseParameters, findings: Findings) -> None:
    """Report the number of base parameters with the other readings of angles, if one of them differs."""
    here, words, reading = result.upper_bound, [], result.mechanism
    while (other := reading.other_reading) is not None:
        meaning = "as written" if reading.other_option.endswith("written") else "as multiples of 90°"
        if (there := structural.open_chain_count(other)) != here:
            words.append(f"{there} with angles near multiples of 90° read {meaning} ({reading.other_option})")
        reading = other
    if words:
        value = words[0].partition(" ")[0]
        findings.report("MP820", f"{here} base parameters, but {' and '.join(words)}", value=value)


def _report_elimination(result: BaseParameters, eliminate: Sequence[str], findings: Findings) -> None:
    """Report requested parameters that remain."""
    if not eliminate:
        return
    eliminated = [result.names[index] for index in result.grouping.eliminated]
    if kept := [name for name in dict.fromkeys(eliminate) if name not in eliminated]:
        message = f"parameters to eliminate are independent of the others and were kept: {name_list(kept)}"
        findings.report("MP811", message, value=",".join(kept), item=kept[0], count=len(kept))
