"""What a table weighs in all its conditions, and the differences of two conditions with their uncertainty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np
from numpy.typing import NDArray

from massprops_cli.bom.bom import Bom, BomSource, bom_from
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    FindingsError,
    UsageError,
    html_table,
    name_list,
    nearest_name_hint,
)
from massprops_cli.loadings.application import conditioned_boms
from massprops_cli.loadings.envelope import Envelope, border_unit, read_envelopes
from massprops_cli.loadings.file import ConditionSource, EnvelopeSource, read_conditions, stated_envelopes
from massprops_cli.loadings.model import Condition, with_bases
from massprops_cli.loadings.totals import ConditionedBom, difference_sigmas, flat_totals, root_numbers
from massprops_cli.loadings.travel import EnvelopeCheck, check_envelopes
from massprops_cli.options import CorrelationScope, RollupMethod, check_own_keywords, show_keywords
from massprops_cli.rollups.inputs import PARAMETER_NAMES
from massprops_cli.tanks.schedule import Schedule, with_liquids
from massprops_cli.tanks.tank_file import read_tanks

if TYPE_CHECKING:
    import pandas as pd

_Floats = NDArray[np.float64]
_PIECES = 20  # straight pieces of the curve of a step that burns or fills
_GRADUAL = {"burn", "fill"}  # kinds of changes that happen little by little
_STATES = {True: "inside", False: "outside", None: "unknown"}
_SIGMA_NOISE = 1e-7  # the share of σ that cancelling variances leave: the root of their rounding


class ConditionTotals(NamedTuple):
    """The root in c conditions, coherent units; NaN where not known."""

    values: _Floats  # (c, 10) mass, centre from the origin of the table, tensor entries about the own centre
    sigmas: _Floats  # (c, 10) one standard deviation each


class ConditionDifference(NamedTuple):
    """The values of one condition less those of another, coherent units; NaN where not known."""

    values: _Floats  # (10,) mass, centre, tensor entries about the own centre of each condition
    sigmas: _Floats  # (10,) one standard deviation each, of parts that both have shared

    def to_dict(self) -> dict[str, Any]:
        """Export the difference as JSON values.

        Returns
        -------
        dict
            Values and sigmas by name, None where not known.
        """
        return _numbers_by_name(self.values, self.sigmas)


@dataclass(frozen=True, eq=False, repr=False)
class Conditions:
    """A table in its loading conditions: ``conditions["dry"]`` is its roll-up in one of them.

    ``tables`` has the table in each condition, by name; ``findings`` are those of the conditions; ``envelopes`` are
    those of the configuration.
    """

    bom: Bom
    conditions: tuple[Condition, ...]
    tables: Mapping[str, ConditionedBom]
    findings: tuple[Finding, ...]
    method: RollupMethod
    correlate: CorrelationScope
    envelopes: tuple[Envelope, ...] = ()
    is_all: bool = True  # whether no condition was left out

    def __repr__(self) -> str:
        """Return the number of conditions and the masses of the first ones."""
        unit = f" {self.bom.units.mass}".rstrip()
        texts = [f"{name} {mass:.6g}{unit}" for name, mass in zip(self.names, self.totals.values[:, 0], strict=True)]
        return f"<Conditions of {self.bom.table.source.name}: {name_list(texts)}>"

    def _repr_html_(self) -> str:
        """Return a table for a notebook."""
        rows = [[name, *values[:4].tolist()] for name, values in zip(self.names, self.totals.values, strict=True)]
        return html_table(self.bom.table.source.name, ["condition", *PARAMETER_NAMES[:4]], rows, len(rows))

    def __len__(self) -> int:
        """Return the number of conditions."""
        return len(self.tables)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the conditions."""
        return iter(self.tables)

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of the ten values: mass, Cx … Cz, Ixx … Iyz."""
        return PARAMETER_NAMES

    @property
    def names(self) -> list[str]:
        """Names of the conditions, in the order of their source."""
        return list(self.tables)

    @cached_property
    def _results(self) -> dict[str, Result]:
        """Roll-ups that were requested."""
        return {}

    def __getitem__(self, name: str) -> Result:
        """Return the roll-up of the table in a condition; UsageError for an unknown one."""
        if name not in self._results:
            bom = self.tables[self._known(name)].bom
            self._results[name] = rollup(bom, self.method, correlate=self.correlate, keep_going=True)
        return self._results[name]

    def _known(self, name: str) -> str:
        """Return the name of a condition, or raise UsageError with the nearest."""
        if name not in self.tables:
            hint = nearest_name_hint(name, self.tables) or f" (expected one of {', '.join(self.tables)})"
            raise UsageError(f"unknown condition: {name}{hint}")
        return name

    @cached_property
    def totals(self) -> ConditionTotals:
        """Values and sigmas of the root in each condition.

        Returns
        -------
        ConditionTotals
            Arrays (c, 10), coherent units: mass, centre from the origin of the table, tensor entries about the own
            centre of mass.

        Notes
        -----
        Only the leaves that a condition changes are computed again; what is missing, negative, turned or correlated is
        rolled up level by level.
        """
        values, sigmas = np.full((2, len(self), 10), np.nan)
        rest = np.arange(len(self))
        if self.correlate == "none" and self.method in ("auto", "covariance", "none"):
            found = flat_totals(self.bom, [*self.tables.values()], with_sigmas=self.method != "none")
            if found is not None:
                values, sigmas, rest = found
        for k in rest.tolist():
            result = self[self.names[k]]
            root = int(result.bom.tree.order[0])
            values[k], sigmas[k] = root_numbers(result, root)
        return ConditionTotals(values, sigmas)

    @cached_property
    def envelope_check(self) -> EnvelopeCheck:
        """Verdicts of all conditions, and of the travel of missions, against the envelopes of the configuration.

        Returns
        -------
        EnvelopeCheck
            ``verdicts``: distances from the border, coherent units, in σ, and the probability to be inside; ``paths``
            (n, 4) of mass and centre from step to step; ``findings``: what is outside.

        Notes
        -----
        Mass and centre are correlated normal variables: docs/formulas.md, section 10.
        """
        points = {name: values[:4] for name, values in zip(self.names, self.totals.values, strict=True)}
        spreads = {name: _spread(self[name], point) for name, point in points.items() if self.envelopes}
        paths = self._paths(points) if self.envelopes else {}
        units = self.bom.units.mass, border_unit(self.bom.units)
        return check_envelopes(self.envelopes, points, spreads, paths, units, is_all=self.is_all)

    def _paths(self, points: Mapping[str, _Floats]) -> dict[tuple[str, str], _Floats]:
        """Return the path (n, 4) of m, x, y, z from each step to the next: straight, or a curve of what leaves."""
        steps, paths = {one.name for one in self.conditions if one.is_step}, {}
        for one in (one for one in self.conditions if one.is_step and one.base in steps):
            ends, kinds = (points[one.base], points[one.name]), {change.kind for change in one.own}
            paths[one.base, one.name] = np.array(ends)
            if kinds and kinds <= _GRADUAL:
                paths[one.base, one.name] = _curve(self.tables[one.base], self.tables[one.name], *ends)
        return paths

    def difference(self, name: str, other: str, item: str = "") -> ConditionDifference:
        """Subtract the values of one condition from those of another.

        Parameters
        ----------
        name, other : str
            Names of conditions; the values are those of ``name`` less those of ``other``.
        item : str, optional
            Id of the item; default: the root.

        Returns
        -------
        ConditionDifference
            Values and sigmas (10,), coherent units.

        Raises
        ------
        UsageError
            An unknown condition or item.

        Notes
        -----
        A part weighs the same in both conditions, so its deviation is one for both. With the effect e of one standard
        deviation of an input of one piece on a result, the variance of the difference is the sum over parts and inputs

            n_a e_a² − 2 n_ab e_a e_b + n_b e_b²,

        where n_a and n_b pieces are in the vehicle and n_ab, the lesser of both, are the same pieces; a piece of size q
        has q² and q_a q_b in place of these. Inputs of shapes and of poses, along the axes of the item that is moved,
        are one for both too, and so are those of groups and lots. First order; docs/formulas.md, section 5.

        Examples
        --------
        >>> parts = [{"id": "a", "parent": "top", "mass": 2.0, "sigma_mass": 0.3}]
        >>> parts += [{"id": "fuel", "parent": "top", "mass": 3.0, "sigma_mass": 0.4}]
        >>> bom = Bom.from_records([{"id": "top", "parent": ""}, *parts])
        >>> both = conditions(bom, {"wet": {}, "dry": {"off": ["fuel"]}})
        >>> change = both.difference("wet", "dry")
        >>> float(change.values[0]), round(float(change.sigmas[0]), 9)
        (3.0, 0.4)
        """
        first, second = (self[self._known(one)] for one in (name, other))
        of = item or first.bom.ids[int(first.bom.tree.order[0])]
        ends = [root_numbers(one, one.bom.item(of)) for one in (first, second)]
        sigmas = np.full(10, np.nan)
        if first.rollup.sigmas is not None and second.rollup.sigmas is not None:
            sigmas = difference_sigmas(first, second, of, self.correlate)
            sigmas = np.where(sigmas <= _SIGMA_NOISE * np.hypot(ends[0][1], ends[1][1]), 0.0, sigmas)
        return ConditionDifference(ends[0][0] - ends[1][0], sigmas)

    def to_dict(self) -> dict[str, Any]:
        """Export the conditions as JSON values.

        Returns
        -------
        dict
            ``units``, ``conditions``: name, base and the values and sigmas of the root by name, None if not known;
            and ``envelopes``: the verdicts, if the configuration states some.
        """
        units, totals = self.bom.units, self.totals
        rows = zip(self.conditions, totals.values, totals.sigmas, strict=True)
        return {
            "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
            "root": self.bom.ids[int(self.bom.tree.order[0])],
            "conditions": [
                {"name": one.name, "base": one.base, **_numbers_by_name(values, sigmas)} for one, values, sigmas in rows
            ],
            **({"envelopes": [one.to_dict() for one in self.envelope_check.verdicts]} if self.envelopes else {}),
        }

    def to_dataframe(self) -> pd.DataFrame:
        """Export the conditions as a table.

        Returns
        -------
        pandas.DataFrame
            A row for each condition: ``condition``, mass, centre and tensor entries, each with its sigma where known;
            for each envelope whether it is inside, the distances from the border, and the probability;
            ``attrs["units"]`` has the units.
        """
        import pandas as pd

        columns: dict[str, Any] = {"condition": self.names}
        for k, name in enumerate(PARAMETER_NAMES):
            for label, numbers in ((name, self.totals.values), (f"sigma_{name}", self.totals.sigmas)):
                if np.isfinite(numbers[:, k]).any():
                    columns[label] = numbers[:, k]
        mass, length, inertia = self.bom.units_of_body()
        kinds = {"m": mass, "C": length, "I": inertia}
        units = {name: kinds[name.removeprefix("sigma_")[0]] for name in list(columns)[1:]}
        for envelope in self.envelopes:
            own = [one for one in self.envelope_check.verdicts if (one.envelope, one.start) == (envelope.name, "")]
            columns[envelope.name] = [_STATES[one.inside] for one in own]
            for key, unit in (("margin", length), ("mass_margin", mass), ("sigmas", ""), ("probability", "")):
                name = f"{envelope.name} {key.replace('_', ' ')}"
                columns[name], units[name] = [getattr(one, key) for one in own], unit
        frame = pd.DataFrame(columns)
        frame.attrs["units"] = units
        return frame


def _spread(result: Result, point: _Floats) -> tuple[_Floats, _Floats] | None:
    """Return means (4,) and covariance (4, 4) of m, x, y, z of the root, NaN where not known; None without any."""
    # V[c, m] = V[h, m]/m and V[c] = V[h]/m²: docs/formulas.md, section 10
    rolled, root = result.rollup, int(result.bom.tree.order[0])
    if rolled.sigmas is None or (rolled.covariances is None and len(result.bom.tree.children(root))):
        return None
    scale = np.array([1.0, *[1 / point[0] if point[0] else np.nan] * 3])
    scale[np.isnan(root_numbers(result, root)[1][:4])] = np.nan
    moved = rolled if result.at_means is None else result.at_means
    center = point[1:] if moved.bodies.center is None else moved.bodies.center[root]
    covariance = rolled.covariance_of(root)[:4, :4] * np.outer(scale, scale)
    return np.nan_to_num([moved.bodies.mass[root], *center]), covariance


def _curve(before: ConditionedBom, after: ConditionedBom, first: _Floats, last: _Floats) -> _Floats:
    """Return the points (n, 4) of a step that burns or fills: mass and first moment follow the fills of the tanks."""
    shares = np.linspace(0.0, 1.0, _PIECES + 1)
    points = np.tile(last, (len(shares), 1))
    if after.dry is not None and after.fills != before.fills:
        tanks = read_tanks(after.dry)
        starts = {name: before.fills.get(name, tanks[name].fill) for name in after.fills}
        with suppress(UsageError):  # fills between those of a table without interpolation: straight
            for k, share in enumerate(shares.tolist()):
                fills = {name: starts[name] + share * (fill - starts[name]) for name, fill in after.fills.items()}
                result = rollup(with_liquids(after.dry, fills, tanks=tanks), "none", keep_going=True)
                points[k] = root_numbers(result, int(result.bom.tree.order[0]))[0][:4]
    moments, of_first = np.array(points), np.array(first)
    for one in (moments, of_first):
        one[..., 1:] *= one[..., :1]
    moments += (1 - shares)[:, None] * (of_first - moments[0])  # what is burned leaves in proportion
    with np.errstate(divide="ignore", invalid="ignore"):
        moments[:, 1:] /= moments[:, :1]
    moments[0], moments[-1] = first, last
    return moments


def _numbers_by_name(values: _Floats, sigmas: _Floats) -> dict[str, Any]:
    """Return values (10,) and sigmas (10,) by name, None where not known."""
    names = [*PARAMETER_NAMES, *(f"sigma_{name}" for name in PARAMETER_NAMES)]
    return {name: float(x) if np.isfinite(x) else None for name, x in zip(names, [*values, *sigmas], strict=True)}


def conditions(
    bom: BomSource,
    given: ConditionSource = None,
    *,
    names: Sequence[str] = (),
    envelopes: EnvelopeSource = (),
    uncertainty: RollupMethod = "auto",
    correlate: CorrelationScope = "none",
    **unknown: Never,
) -> Conditions:
    """Compute a table in all its loading conditions.

    Parameters
    ----------
    bom : BomSource
        A bill of materials, or a table (path, open file or DataFrame), read with the defaults of ``read_bom``.
    given : str, path or mapping, optional
        A csv file, a workbook or a sheet of the table's workbook, with a row an item and a column a condition; a toml
        file; or a mapping of names to changes, as ``[condition.NAME]`` has them. Default: the conditions and the
        mission of the configuration of the table.
    names : sequence of str, optional
        The conditions to compute; default: all.
    envelopes : sequence of str, path or mapping, optional
        Files with ``[[envelope]]``, or envelopes as mappings with their keys; default: those of the configuration.
    uncertainty : {"auto", "covariance", "massprops", "none"}, optional
        As in ``rollup``.
    correlate : {"none", "part", "all"}, optional
        Whose uncertainties are shared, as in ``rollup``.

    Returns
    -------
    Conditions
        Totals of each condition, its roll-up, and differences of two with their sigmas.

    Raises
    ------
    FindingsError
        The table has errors, or conditions have: unknown items, a base that is its own base, a fill of 120 % …
    UsageError
        An unknown keyword or condition, or no condition at all.
    ConfigError
        An invalid configuration file.

    Notes
    -----
    A condition is the table with other cells, applied to its arrays; docs/howto/conditions.md has the changes.

    Examples
    --------
    >>> parts = [{"id": "a", "parent": "top", "mass": 2.0}, {"id": "fuel", "parent": "top", "mass": 3.0}]
    >>> both = conditions(Bom.from_records([{"id": "top", "parent": ""}, *parts]), {"wet": {}, "dry": {"off": "fuel"}})
    >>> {name: both[name].root.mass for name in both}
    {'wet': 5.0, 'dry': 2.0}
    """
    check_own_keywords(unknown, conditions)
    if uncertainty == "montecarlo":
        raise UsageError("uncertainty montecarlo is not supported by conditions (covariance, massprops or none)")
    table, findings = bom_from(bom), Findings()
    if table.is_withheld:
        raise FindingsError(table.findings)
    read = read_conditions(table, given, findings)
    if not read and not findings:
        raise UsageError(
            f"{table.table.source.name}: no condition is given; add [condition.NAME] to massprops.toml, or name a sheet"
        )
    known = [one.name for one in read]
    if unknown_names := [name for name in names if name not in known]:
        hint = nearest_name_hint(unknown_names[0], known) or f" (expected one of {', '.join(known)})"
        raise UsageError(f"unknown condition: {unknown_names[0]}{hint}")
    whole = [one for one in with_bases(read, findings) if not names or one.name in names]
    boms = conditioned_boms(table, whole, findings)
    regions = read_envelopes(stated_envelopes(table, given, envelopes), table.units, findings)
    if findings.has_errors:
        raise FindingsError(findings)
    return Conditions(table, tuple(whole), boms, tuple(findings), uncertainty, correlate, tuple(regions), not names)


def schedule_travel(bom: Bom, given: ConditionSource, answer: Schedule) -> EnvelopeCheck:
    """Check the curve of a schedule against the envelopes of the configuration; FindingsError for invalid ones."""
    findings = Findings()
    regions = read_envelopes(stated_envelopes(bom, given, ()), bom.units, findings)
    if findings.has_errors:
        raise FindingsError(findings)
    path = np.column_stack([answer.mass, answer.center])
    units = bom.units.mass, border_unit(bom.units)
    return check_envelopes(regions, {}, {}, {("full", "empty"): path}, units, is_all=False)


show_keywords(conditions)
