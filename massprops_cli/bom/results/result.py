"""Result of a roll-up: mass properties of every item, and its exports."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import room_function
from massprops_cli.bodies.bodies import PrincipalAxes, principal_axes_of_bodies, six_entries
from massprops_cli.bom.items import result_columns
from massprops_cli.bom.items.growth import predicted_rollup
from massprops_cli.bom.items.item_rows import ItemMapping, items_html
from massprops_cli.bom.results import uncertainty
from massprops_cli.findings.finding import (
    Finding,
    Findings,
    Severity,
    UsageError,
    checked_integer,
    count_with_noun,
    finding_counts_text,
)
from massprops_cli.options import check_keywords

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from massprops_cli.bodies.body import Body
    from massprops_cli.bom.bom import Bom
    from massprops_cli.bom.checks.totals import ReconciledTotal
    from massprops_cli.bom.results.export import ResultPlots
    from massprops_cli.bom.results.probability import Interval, Probability
    from massprops_cli.bom.results.uncertainty import ItemSamples
    from massprops_cli.files.table import TableEdit
    from massprops_cli.rollups.inputs import Correlation
    from massprops_cli.rollups.rollup import Rollup


@dataclass(frozen=True, eq=False, repr=False)
class Result(ItemMapping):
    """A bill of materials rolled up; a mapping from ids to computed items.

    ``rollup`` has the arrays; ``findings`` holds those of reading and those of the roll-up; ``written_sign (n,)`` is
    +1 or −1 by the convention each row's products are written in; ``correlation`` states the correlated
    uncertainties, None without any; ``about`` is a point of the table's frame, about which exports state tensors too.

    >>> import massprops_cli as mp
    >>> rows = [{"id": "top", "parent": ""}, *({"id": m, "parent": "top", "mass": m} for m in (2.0, 3.0))]
    >>> mp.rollup(mp.Bom.from_records(rows))["top"].mass
    5.0
    """

    bom: Bom
    rollup: Rollup
    findings: tuple[Finding, ...]
    written_sign: NDArray[np.int8]
    uncertainty_request: uncertainty.UncertaintyRequest = field(default_factory=uncertainty.UncertaintyRequest)
    correlation: Correlation | None = None
    about: tuple[float, float, float] | None = None

    @property
    def ids(self) -> Sequence[str]:
        """Ids of the n items, in file order."""
        return self.bom.ids

    @property
    def numbers_by_id(self) -> dict[str, int]:
        """Numbers of the items by id; empty before the first query."""
        return self.bom.numbers_by_id

    @property
    def root(self) -> Body:
        """The whole tree as one body."""
        return self.body(self.root_item)

    @property
    def root_item(self) -> int:
        """The root's item number."""
        return int(self.bom.tree.order[0])

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    @property
    def is_withheld(self) -> bool:
        """Whether a finding is an error that keeps the result from being written."""
        return any(finding.is_withholding for finding in self.findings)

    @property
    def is_partial(self) -> bool:
        """Whether something is missing below an item, so that some result is not that of all leaves."""
        return any(bool((count != self.rollup.coverage.rows).any()) for count in self._known_counts())

    def _known_counts(self) -> list[NDArray[np.intp]]:
        """List how many leaves of each item have a mass, a centre and an inertia (n,), if these are computed."""
        coverage, bodies = self.rollup.coverage, self.rollup.bodies
        counts = [coverage.known_mass] if "mass" in self.bom.columns.by_quantity else []
        counts += [coverage.known_center] if bodies.center is not None else []
        return counts + ([coverage.known_inertia] if bodies.inertia is not None else [])

    def body(self, i: int) -> Body:
        """Return an item as a body.

        Parameters
        ----------
        i : int
            Number of the item.

        Returns
        -------
        Body, coherent units
            Mass, centre (3,) and inertia as tensor entries about its own centre, in the axes of the table; with sigmas
            and covariance where known (docs/formulas.md, section 5).
        """
        from massprops_cli.bodies.body import Body

        if isinstance(i, str):
            raise UsageError(f"item is not a number: {i!r} (expected result[{i!r}])")
        one = result_columns.single_item_rollup(self.rollup, i)
        placed = None if one.placed is None else float(one.placed.bodies.mass[0])
        if placed == float(one.bodies.mass[0]):
            placed = None
        body = Body.of(
            one.bodies,
            0,
            result_columns.reported_sigmas(one),
            name=self.bom.ids[i],
            units=self.bom.units_of_body(),
            covariance=result_columns.ItemCovariance(one).matrix(0),
            placed_mass=placed,
        )
        coverage = self.rollup.coverage
        if all(count[i] == coverage.rows[i] for count in self._known_counts()) or not len(self.bom.tree.children(i)):
            return body
        words = room_function("massprops_cli.reports.summary", "coverage_text")(self, i)
        return replace(body, lower_bounds=coverage.lower_bounds(i), coverage=words)

    @cached_property
    def assumptions(self) -> Mapping[str, Mapping[str, float]]:
        """Root sigmas by assumption on correlation: none, part, all → quantity → sigma; empty if no part repeats."""
        return uncertainty.sigmas_by_assumption(self.bom, self.rollup, self.uncertainty_request, self.correlation)

    @cached_property
    def principal(self) -> PrincipalAxes:
        """Principal moments and axes of every item, about its own centre; NaN without a tensor."""
        return principal_axes_of_bodies(self.rollup.bodies)

    @cached_property
    def principal_sigmas(self) -> NDArray[np.float64] | None:
        """Sigmas ``(n, 3)`` of the principal moments of every item, to first order; None where there are none."""
        if self.rollup.bodies.inertia is None:
            return None
        return result_columns.principal_moment_sigmas(self.rollup, self.principal.axes)

    @cached_property
    def tensors_about(self) -> NDArray[np.float64]:
        """Tensor entries about the point ``about`` and their sigmas (n, 12), table axes; NaN if unknown."""
        found, unknown = [], np.full((3, 3), np.nan)
        for i in range(len(self.bom)):
            body, tensor, sigmas = self.body(i), None, None
            if self.about is not None and body.center is not None and body.inertia is not None:
                tensor, sigmas = body.about([*self.about]), body.sigma_about([*self.about])
            found.append(six_entries(np.array([unknown if one is None else one for one in (tensor, sigmas)])).ravel())
        return np.array(found)

    @cached_property
    def predicted(self) -> Rollup | None:
        """Every item with its growth, rolled up without sigmas; None where nothing states growth."""
        return predicted_rollup(self.bom)

    @cached_property
    def at_means(self) -> Rollup | None:
        """Every item at the means of its inputs, without sigmas; None where the means are the stated values."""
        return uncertainty.rollup_at_means(self.bom)

    @property
    def mass_chance(self) -> Callable[[int, float, float], tuple[float, float, float] | None]:
        """Probability that a mass deviates by low to high, the opposite, and the error; None if it is normal."""
        return partial(uncertainty.mass_chance, self)

    @cached_property
    def shares_of_mass(self) -> Mapping[str, NDArray[np.float64]]:
        """Shares ``(n,)`` of every item's mass that are estimated, calculated, weighed; empty if not stated."""
        return uncertainty.mass_shares_by_method(self.bom)

    @cached_property
    def totals(self) -> tuple[ReconciledTotal, ...]:
        """Masses and centres that totals and subtotals of the sheet state, with the sums of their rows."""
        from massprops_cli.bom.checks.totals import reconcile_totals

        return tuple(reconcile_totals(self.bom))

    @cached_property
    def stated_masses(self) -> tuple[ReconciledTotal, ...]:
        """The masses that assembly rows state, and those of their children, as in ``totals``."""
        from massprops_cli.bom.checks.totals import reconcile_assemblies

        return tuple(reconcile_assemblies(self.bom, self.rollup))

    def coverage_column(self, name: str) -> NDArray[np.float64]:
        """Compute one coverage of every item.

        Parameters
        ----------
        name : str
            ``coverage_leaves``, ``coverage_mass``, ``coverage_center`` or ``coverage_inertia``.

        Returns
        -------
        array, shape (n,)
            Number of leaves; share of leaves with a mass; share of mass with a centre or tensor; NaN if undefined.
        """
        coverage = self.rollup.coverage
        if name == "coverage_leaves":
            return coverage.rows.astype(float)
        if name == "coverage_mass":
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(coverage.rows > 0, coverage.known_mass / coverage.rows, np.nan)
        return coverage.mass_share_center if name == "coverage_center" else coverage.mass_share_inertia

    def __getitem__(self, name: str) -> Body:
        """Return an item by its id; raises UnknownId with the nearest ids."""
        return self.body(self.bom.item(name))

    @cached_property
    def samples(self) -> list[ItemSamples]:
        """What was sampled of the root and of the requested items; empty without samples."""
        return uncertainty.requested_samples(self)

    @property
    def plot(self) -> ResultPlots:
        """Plots: ``bars()``, ``tree()``, ``pareto()``, ``treemap()``, ``waterfall()`` and others of ``ResultPlots``."""
        from massprops_cli.bom.results.export import ResultPlots

        return ResultPlots(self)

    def samples_of(self, name: str = "") -> ItemSamples:
        """Return what was sampled of one item, with its samples as arrays if they were stored.

        Parameters
        ----------
        name : str, optional
            Id of the root or of a requested item; default: the root.

        Returns
        -------
        ItemSamples, coherent units
            ``mass (n,)``, ``center (n, 3)``, ``inertia (n, 3, 3)``, ``radii (n, 3)`` and ``values (n, 13)`` of n
            samples, with ``keep_samples``; ``results`` has mean, sigma, percentiles and histogram of each result.

        Raises
        ------
        UsageError
            No samples of this item.

        Examples
        --------
        >>> from massprops_cli.bom.bom import Bom
        >>> from massprops_cli.bom.rollup import rollup
        >>> rows = [{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass": 2.0, "sigma_mass": 0.1}]
        >>> drawn = rollup(Bom.from_records(rows), "montecarlo", samples=5000, keep_samples=True)
        >>> drawn.samples_of().mass.shape, round(float(drawn.samples_of("top").mass.std()), 2)
        ((5000,), 0.1)
        """
        number = self.root_item if not name else self.bom.item(name)
        if (found := next((one for one in self.samples if one.item == number), None)) is None:
            reason = f"name it in items: items=[{name!r}]" if self.samples else "requires uncertainty='montecarlo'"
            raise UsageError(f"{self.ids[number]} has no samples ({reason})")
        return found

    @cached_property
    def probabilities(self) -> list[Probability]:
        """Probabilities of the requested conditions, in that order."""
        from massprops_cli.bom.results.probability import query_probabilities

        return query_probabilities(self, self.uncertainty_request.probability)

    @cached_property
    def intervals(self) -> list[tuple[str, list[Interval]]]:
        """Intervals of the root's results and of those of each requested item: id, intervals of one level."""
        from massprops_cli.bom.results.probability import requested_intervals

        return requested_intervals(self)

    def filling(self, add: Sequence[str] = (), sigma_level: int = 1) -> TableEdit:
        """Build the edit of the table: assembly cells, and further columns.

        Parameters
        ----------
        add : sequence of str, optional
            Groups of columns to add: ``radii``, ``sigma``, ``principal``, ``coverage``, ``rho``, ``growth``.
        sigma_level : int, optional
            Standard deviations of added sigmas, which their headers state.

        Returns
        -------
        TableEdit
            Cells in each column's own unit, products in each row's sign convention.
        """
        from massprops_cli.bom.results.table_edit import rollup_table_edit

        return rollup_table_edit(self, add, sigma_level)

    def to_dataframe(self, add: str | Iterable[str] = ()) -> pd.DataFrame:
        """Export every item in file order, with the column names of massProps.

        Parameters
        ----------
        add : str or iterable of str, optional
            Groups of columns to add, as in ``save``: ``principal``, ``coverage``, ``growth`` …

        Returns
        -------
        pandas.DataFrame, n rows, coherent units
            Inertia about own centres; products of inertia are tensor entries. ``attrs["units"]`` has the unit of each
            column, ``attrs["coverage"]`` and ``attrs["lower_bounds"]`` what is partial, and ``attrs["errors"]`` the
            errors. Other columns of the table follow as they are in the file.

        Raises
        ------
        UsageError
            Unknown columns.
        """
        from massprops_cli.bom.results.export import dataframe_of_items
        from massprops_cli.bom.results.table_edit import added_frame_columns

        frame = dataframe_of_items(
            self.bom, self.rollup.bodies, result_columns.reported_sigmas(self.rollup), self.rollup
        )
        for name, (values, unit) in added_frame_columns(self, add).items():
            frame[name] = values
            frame.attrs["units"] |= {name: unit} if unit else {}
        if self.is_partial:
            frame.attrs["coverage"] = self.root.coverage
            bounds = zip(self.bom.ids, map(self.rollup.coverage.lower_bounds, range(len(self))), strict=True)
            frame.attrs["lower_bounds"] = {name: values for name, values in bounds if values}
        if errors := [str(finding) for finding in self.findings if finding.severity is Severity.ERROR]:
            frame.attrs["errors"] = errors
        return frame

    def table(
        self, by: str | Sequence[str] | None = None, *, limits: Any = None, previous: Result | None = None
    ) -> pd.DataFrame:
        """Make the review table: mass, growth, limit, margin and maturity of every subsystem.

        Parameters
        ----------
        by : str or sequence of str, optional
            Text columns, or ``level:N`` of the tree; default: those of the summary of ``rollup``, or else the parts.
        limits : object, optional
            Budgets, or their files, as in ``check``, on the rows that have the same parts.
        previous : Result, optional
            An earlier revision, for the column ``change``.

        Returns
        -------
        pandas.DataFrame, k + 1 rows
            Groups, the heaviest first, and the root: labels, ``mass``, ``sigma_mass``, ``allowance_percent``,
            ``allowance_mass``, ``predicted_mass``, ``limit``, ``margin``, ``margin_percent``, ``share``,
            ``share_estimated`` …, ``change``, if known; units and rows that lack masses are in ``attrs``.

        Raises
        ------
        UsageError
            No masses, other units, an unknown column, or a limit with a unit where the table states none.
        ConfigError
            Invalid ``limits``.

        Examples
        --------
        >>> import massprops_cli as mp
        >>> bom = mp.Bom.from_records([{"id": name, "group": name[0], "mass": 2.0} for name in ("A1", "A2", "B1")])
        >>> mp.rollup(bom).table("group").mass.tolist()
        [4.0, 2.0, 6.0]
        """
        from massprops_cli.bom.results.result_dict import review_table

        if not (isinstance(by, str | Sequence | None) and isinstance(previous, Result | None)):
            raise UsageError("by is not a text or a list of texts, or previous is not a Result")
        names, unit = (by,) if isinstance(by, str) else by or (), self.bom.units.mass
        if (was := unit if previous is None else previous.bom.units.mass) != unit:
            raise UsageError(f"previous has another unit of mass: {was} (expected {unit})")
        made = review_table(self, names, limits, previous) or review_table(self, ("level:1",), limits, previous)
        if made is None or not made.columns:
            raise UsageError("table has no masses")
        return made.frame(unit)

    def save(
        self,
        path: str | PathLike[str],
        format: str = "",
        *,
        add: str | Iterable[str] = (),
        sigma_level: int = 1,
        overwrite_formulas: bool = False,
        formulas: bool = False,
        no_clobber: bool = False,
    ) -> Findings:
        """Write the completed table, as ``massprops rollup -o`` does.

        Parameters
        ----------
        path : str or path
            The file. An existing file is replaced when the new one is complete; the file that was read is rejected.
        format : str, optional
            ``csv``, ``tsv``, ``xlsx``, ``json``, ``jsonl``, ``parquet``, ``feather`` or ``md``; default: by suffix.
        add : str or iterable of str, optional
            Groups of columns to add: ``radii``, ``sigma``, ``principal``, ``coverage``, ``rho``, ``growth``.
        sigma_level : int, optional
            Standard deviations of the sigmas in added columns and sheets.
        overwrite_formulas, formulas : bool, optional
            Replace formulas in assembly cells of a workbook by numbers; write formulas into these cells.
        no_clobber : bool, optional
            Reject a file that exists, also one that another program creates meanwhile.

        Returns
        -------
        Findings
            Findings of writing, in addition to ``findings``.

        Raises
        ------
        UsageError
            Unknown format, columns or level of sigmas, the file was read, or it exists with ``no_clobber``.
        OutputError
            The file could not be written.

        Examples
        --------
        >>> import os, tempfile
        >>> from massprops_cli.bom.bom import Bom, read_bom
        >>> from massprops_cli.bom.rollup import rollup
        >>> bom = Bom.from_records([{"id": "top", "parent": ""}, {"id": "a", "parent": "top", "mass [kg]": 2.0}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "out.csv")
        ...     _ = rollup(bom).save(path)
        ...     read_bom(path)["top"].mass
        2.0
        """
        sigma_level = checked_integer("sigma_level", sigma_level, 1, 3)
        write = room_function("massprops_cli.reports.table_files", "save_result")
        more = {"overwrite_formulas": overwrite_formulas, "formulas": formulas, "no_clobber": no_clobber}
        findings: Findings = write(self, path, format, add, sigma_level, **more)
        return findings

    def report(self, path: str | PathLike[str], **options: Any) -> Findings:
        """Write a design review in one file, as ``massprops report`` does.

        Parameters
        ----------
        path : str or path
            The file: ``.html``, ``.pdf``, ``.md`` or ``.xlsx``.
        **options : object
            ``budget``, ``baseline``, ``reasons``, ``title``, ``remarks`` and the others of ``massprops.report``.

        Returns
        -------
        Findings
            Those of the table, of the limits and of the comparison.

        Raises
        ------
        UsageError
            Unknown format, option or section.
        OutputError
            The file could not be written.
        """
        write = room_function("massprops_cli.reports.review.report", "report")
        check_keywords(options, inspect.signature(write).parameters)
        findings: Findings = write(self, path, **options)
        return findings

    def to_networkx(self) -> nx.DiGraph[str]:
        """Export the tree as a graph.

        Returns
        -------
        networkx.DiGraph
            Edges from assemblies to children, with ``qty``; nodes have the computed values in coherent units.
        """
        from massprops_cli.bom.results.export import graph_of_items

        return graph_of_items(self.bom, self.rollup)

    def to_dict(self, sigma_level: int = 1) -> dict[str, Any]:
        """Export the report as JSON values, as ``--format json`` prints it.

        Parameters
        ----------
        sigma_level : int, optional
            Standard deviations of every sigma, 1 to 3.

        Returns
        -------
        dict
            JSON values; numbers in coherent units, null if unknown.

        Raises
        ------
        UsageError
            ``sigma_level`` is not 1, 2 or 3.
        """
        from massprops_cli.bom.results.result_dict import result_dictionary

        return result_dictionary(self, checked_integer("sigma_level", sigma_level, 1, 3))

    def __repr__(self) -> str:
        """Return the root's printed form, and the verdict."""
        return f"{self.root!r}\n  {self._verdict}"

    def _repr_html_(self) -> str:
        """Return a table for a notebook: the root first."""
        return items_html(self, self.bom, f"Result of {self._verdict}")

    @property
    def _verdict(self) -> str:
        """The number of items and of findings on one line."""
        items = count_with_noun(len(self), "item") + ", partial" * (self.is_partial or self.is_withheld)
        return f"{items}: {finding_counts_text(self.findings)}"
