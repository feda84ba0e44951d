"""Base inertial parameters of a mechanism: combinations of masses, first moments and inertia that its motion shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from massprops_cli.findings import Findings, TableError, UsageError, name_list, nearest_name_hint
from massprops_cli.mechanisms.model import QUANTITIES

if TYPE_CHECKING:
    from massprops_cli.mechanisms.model import Mechanism
    from massprops_cli.mechanisms.row_reduction import Grouping

_KEPT_FIRST = ("mx", "my", "Ixx", "Ixy", "Ixz", "Iyz", "Izz")
"""Quantities that remain if the user states no order; the axis of a revolute joint is often z."""


@dataclass(frozen=True)
class BaseParameters:
    """Base parameters of one mechanism; all indices are those of ``names``."""

    mechanism: Mechanism
    method: str
    grouping: Grouping
    upper_bound: int | None
    """Number of base parameters that the structure alone gives."""
    symbolic: Grouping | None
    findings: tuple[Any, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters."""
        return self.mechanism.parameter_names

    @property
    def is_certified(self) -> bool:
        """Whether exact reduction (a lower bound) and structural rules (an upper bound) give the same number."""
        return self.method == "exact" and self.upper_bound == len(self.grouping.base)

    def combinations(self) -> dict[str, dict[str, Any]]:
        """Return each base parameter as its name and the coefficients of the parameters it includes.

        Returns
        -------
        dict of str to dict
            Kept parameter → {eliminated parameter: Fraction, or float with the method complex}.
        """
        return {
            self.names[head]: {self.names[index]: value for index, value in terms.items()}
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
            if self.method != "complex":
                one["exact"] = {name: str(value) for name, value in terms.items()}
            one["decimal"] = {name: float(value) for name, value in terms.items()}
            if symbolic is not None:
                one["symbolic"] = symbolic[head]
            base.append(one)
        return {
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


def base_parameters(
    mechanism: Mechanism,
    method: str = "exact",
    eliminate: Sequence[str] = (),
    *,
    symbols: bool = False,
    findings: Findings | None = None,
) -> BaseParameters:
    """Compute the base inertial parameters of a mechanism.

    Parameters
    ----------
    mechanism : Mechanism
        As ``read_mechanism`` returns it.
    method : str, optional
        ``exact``; ``structural``: rules of the structure alone, an upper bound; ``complex``: double precision, from
        random points of the complexified constraints.
    eliminate : sequence of str, optional
        Parameters to eliminate if possible, such as ``m2``; default: first masses, then Iyy and mz.
    symbols : bool, optional
        Also return the combinations as expressions in the dimensions of the file.
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
        The pose is singular, or the method complex finds no rank.

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
    order = _elimination_order(mechanism, eliminate)
    bound, symbolic = _structural(mechanism, order, symbols)
    if method == "exact":
        grouping = _exact(mechanism, order, collected)
    elif method == "structural":
        grouping = bound
    elif method == "complex":
        from massprops_cli.mechanisms.complex_points import complex_grouping

        grouping = complex_grouping(mechanism, order, collected)
    else:
        raise UsageError(f"unknown method: {method} (expected exact, structural or complex)")
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
    _report_other_reading(result, order, collected)
    _report_elimination(result, eliminate, collected)
    return replace(result, findings=tuple(collected))


def _elimination_order(mechanism: Mechanism, eliminate: Sequence[str]) -> list[int]:
    """Return all parameters in the order in which they are kept; by default those of fixed bodies are last."""
    fixed = {joint.bodies[1] for joint in mechanism.joints if joint.kind == "fixed"}
    order = _kept_order(mechanism, eliminate)
    if eliminate or not fixed:
        return order
    return sorted(order, key=lambda index: index // 10 in fixed)


def _kept_order(mechanism: Mechanism, eliminate: Sequence[str]) -> list[int]:
    """Return all parameters in the order in which they are kept by their quantities."""
    names = {name: index for index, name in enumerate(mechanism.parameter_names)}
    for name in eliminate:
        if name not in names:
            raise UsageError(f"unknown parameter to eliminate: {name}{nearest_name_hint(name, list(names))}")
    last = [names[name] for name in dict.fromkeys(eliminate)]
    usual = sorted(
        range(len(names)), key=lambda index: ([*_KEPT_FIRST, "mz", "Iyy", "m"].index(QUANTITIES[index % 10]), index)
    )
    if not last:
        early = [index for index in range(len(names)) if QUANTITIES[index % 10] in _KEPT_FIRST]
        return early + [index for index in usual if index not in set(early)]
    return [index for index in range(len(names)) if index not in set(last)] + last


def _structural(mechanism: Mechanism, order: Sequence[int], symbols: bool) -> tuple[Grouping, Grouping | None]:
    """Apply the rules of the structure to numbers, and to the dimensions of the file if requested."""
    from massprops_cli.mechanisms.open_chain import open_chain_grouping
    from massprops_cli.mechanisms.structural import restricted_bodies, structural_grouping

    restricted = restricted_bodies(mechanism) if symbols or mechanism.loops else {}
    if mechanism.loops:
        bound = structural_grouping(mechanism, order, restricted)
    else:
        bound = open_chain_grouping(mechanism, order)
    if not symbols:
        return bound, None
    from massprops_cli.mechanisms.symbols import symbolic_mechanism

    try:
        symbolic = symbolic_mechanism(mechanism)
    except ImportError:
        raise UsageError("symbols need SymPy; pip install 'massprops[mechanism]'") from None
    if symbolic is None:
        raise UsageError("the points of the joints are numbers; write them as expressions in dimensions")
    return bound, structural_grouping(symbolic, order, restricted)


def _exact(mechanism: Mechanism, order: Sequence[int], findings: Findings) -> Grouping:
    """Reduce exactly; a singular pose is an error."""
    from massprops_cli.mechanisms.exact import exact_grouping
    from massprops_cli.mechanisms.motion import SingularPoseError
    from massprops_cli.mechanisms.series import has_fast_integers

    if not has_fast_integers():
        findings.report("MP812", "python-flint is not installed; exact computes with Python's integers, slower")
    try:
        return exact_grouping(mechanism, order)
    except SingularPoseError:
        findings.report("MP810", "the pose is singular: its velocities do not continue to motions")
        raise TableError(findings) from None


def _report_other_reading(result: BaseParameters, order: Sequence[int], findings: Findings) -> None:
    """Report the number of base parameters with the other reading of angles, if it differs."""
    other, option = result.mechanism.other_reading, result.mechanism.other_option
    if other is None:
        return
    here, there = (len(_structural(one, order, symbols=False)[0].base) for one in (result.mechanism, other))
    if here != there:
        meaning = "as multiples of 90°" if option == "--snap" else "as written"
        findings.report(
            "MP820",
            f"{here} base parameters, but {there} with angles near multiples of 90° read {meaning} ({option})",
            value=str(there),
        )


def _report_elimination(result: BaseParameters, eliminate: Sequence[str], findings: Findings) -> None:
    """Report requested parameters that remain."""
    if not eliminate:
        return
    eliminated = [result.names[index] for index in result.grouping.eliminated]
    kept = [name for name in dict.fromkeys(eliminate) if name not in eliminated]
    if kept:
        findings.report(
            "MP811",
            f"parameters to eliminate are independent of the others and were kept: {name_list(kept)}",
            value=",".join(kept),
            item=kept[0],
            count=len(kept),
        )
