"""Identification of a machine: measured runs and a mass table become base and full parameters with uncertainties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from massprops_cli.findings.finding import Findings, Place, Severity, TableError, UsageError, name_list
from massprops_cli.identifications import checks, fit as fits, prior as priors
from massprops_cli.identifications.machine import Floats, IdentifySettings, Machine, read_machine
from massprops_cli.identifications.runs import Run, read_runs
from massprops_cli.identifications.signals import (
    Filtering,
    choose_filter,
    differentiate_runs,
    hold_resting_joints,
    require_scipy,
)
from massprops_cli.mechanisms.model import AS_STATED, QUANTITIES, RobotReading

if TYPE_CHECKING:
    from massprops_cli.bom.bom import Bom

_POOR = 0.5  # relative σ above which a parameter is reported as shown poorly
_CONDITION = 300.0  # condition number, columns of equal size, above which a motion excites poorly


@dataclass(frozen=True, eq=False)
class Identification:
    """Identified parameters of a machine, SI units.

    Attributes
    ----------
    machine : Machine
        Bodies, joints and settings.
    runs : list of Run
        The measured runs, filtered.
    filtering : Filtering
        Cut-off in Hz, its reason, and how many samples became one.
    groups : Groups
        The rows of the fit as triangular factors.
    fit : Fit
        Values and covariance of the base parameters, and the noise of each run and coordinate.
    prior : Prior
        Mass properties of the links as the table states them.
    full : FullParameters
        Ten parameters of each link that exist as a body, with the posterior covariance.
    essential : array of bool
        Base parameters that remain when those without significance are left out.
    validation : list of dict
        Each run, or fifth of the only one, predicted from the others: rms of the residual in σ of the noise.
    table : dict of str to object
        χ² of the table against the data, its degrees of freedom and its probability.
    findings : Findings
        What was reported.
    """

    machine: Machine
    runs: list[Run]
    filtering: Filtering
    groups: fits.Groups
    fit: fits.Fit
    prior: priors.Prior
    full: priors.FullParameters
    essential: NDArray[np.bool_]
    validation: list[dict[str, Any]]
    table: dict[str, Any]
    findings: Findings

    def __repr__(self) -> str:
        """Return the name of the machine and the number of parameters."""
        return f"<Identification of {self.machine.mechanism.name}: {len(self.fit.values)} parameters>"

    def parameters(self) -> list[dict[str, Any]]:
        """Return the base parameters.

        Returns
        -------
        list of dict
            ``parameter``, the coefficients of what it ``includes``, ``value``, ``sigma``, ``relative``, ``essential``,
            the value and σ of the ``table`` and the robot file, None where it includes what they do not state, how
            many σ of both it is ``off``, and the other parameter most ``correlated`` with it, with ``correlation``.
        """
        columns, n = self.groups.columns, len(self.prior.values)
        others = columns.transform.shape[1] - n - len(stated := self.machine.stated_terms())
        known = np.concatenate([self.prior.values, stated, np.full(others, np.nan)])
        rows, correlation = [], self.fit.correlation - np.eye(len(columns.heads))
        B = columns.transform[:, :n]
        spread = np.sqrt(np.maximum(np.diag(B @ self.prior.covariance @ B.T), 0.0))
        for k, head in enumerate(columns.heads):
            other = int(np.argmax(np.abs(correlation[k])))
            shares = columns.transform[k]
            includes = {columns.names[j]: float(shares[j]) for j in np.flatnonzero(shares) if columns.names[j] != head}
            value, sigma = float(self.fit.values[k]), float(self.fit.sigmas[k])
            table = float(shares[shares != 0] @ known[shares != 0])
            is_known, both = bool(np.isfinite(table)), float(np.hypot(sigma, spread[k]))
            rows.append(
                {
                    "parameter": head, "includes": includes, "value": value, "sigma": sigma,
                    "relative": sigma / abs(value) if value else None, "essential": bool(self.essential[k]),
                    "table": table if is_known else None, "table_sigma": float(spread[k]) if is_known else None,
                    "off": (value - table) / both if is_known and both else None,
                    "correlated": columns.heads[other], "correlation": float(correlation[k, other]),
                }
            )  # fmt: skip
        return rows

    def residuals(self) -> list[dict[str, Any]]:
        """Return the residual of each run and coordinate.

        Returns
        -------
        list of dict
            ``run``, ``joint``, ``unit``, ``samples``, rms ``residual``, white ``noise`` of a sample, and the share
            ``explained`` of its square.
        """
        rows, factors = [], self.groups.factors()
        for r, k in sorted(self.fit.noise):
            name, noise = self.machine.names[k], float(self.runs[r].noise[k])
            size = float(np.linalg.norm(factors[r, k][:, -1]) / np.sqrt(self.fit.rows[r, k]))
            rows.append(
                {
                    "run": self.runs[r].name, "joint": name, "unit": self.machine.unit(name),
                    "samples": self.fit.rows[r, k], "residual": self.fit.deviation[r, k], "noise": noise,
                    "explained": 1 - self.fit.deviation[r, k] ** 2 / size**2 if size else None,
                }
            )  # fmt: skip
        return rows

    def links(self) -> list[dict[str, Any]]:
        """Return the ten parameters of each link about the origin of its frame.

        Returns
        -------
        list of dict
            ``link``, ``values`` and ``sigmas`` by quantity, those of the ``table``, and ``shown``: of the ten
            independent combinations of its parameters, those whose σ the motion at least halves.
        """
        sigmas = np.sqrt(np.maximum(np.diag(self.full.covariance), 0.0))
        found = []
        for k, body in enumerate(self.machine.mechanism.bodies):
            at = slice(10 * k, 10 * k + 10)
            values, own, table = (
                dict(zip(QUANTITIES, one[at].tolist(), strict=True))
                for one in (self.full.values, sigmas, self.prior.values)
            )
            shown = self.full.shown[k]
            found.append({"link": body.name, "values": values, "sigmas": own, "table": table, "shown": shown})
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON values.

        Returns
        -------
        dict
            Also covariance and correlation of the base parameters, and the covariance of those of all links.
        """
        return {
            "machine": self.machine.mechanism.name,
            "runs": [
                {"file": run.file, "samples": run.samples, "rate": 1 / run.step, "gaps": run.gaps} for run in self.runs
            ],
            "cutoff": self.filtering.cutoff, "reason": self.filtering.reason, "decimation": self.filtering.decimation,
            "condition": self.fit.condition, "base_parameters": self.parameters(),
            "blocks": self.fit.blocks, "block_seconds": self.fit.seconds,
            "sigma_ratio_to_white_noise": self.fit.widening.tolist(),
            "covariance": self.fit.covariance.tolist(), "correlation": self.fit.correlation.tolist(),
            "residuals": self.residuals(),
            "cross_validation": self.validation, "table": {"file": self.prior.source, **self.table},
            "links": self.links(), "links_covariance": self.full.covariance.tolist(), "terms": self.full.terms,
            "nearest_bodies": self.full.active, "distance": self.full.distance,
            "findings": [one.to_dict() for one in self.findings],
        }  # fmt: skip

    def prediction(self) -> tuple[Floats, Floats, Floats]:
        """Return the first run as measured and as predicted, at the rate of the filter.

        Returns
        -------
        times : array, shape (samples,), s
            Times of the samples.
        measured, predicted : array, shape (samples, coordinates), N·m or N
            Filtered forces of the independent coordinates.
        """
        payloads = fits.read_payloads(self.machine, self.runs)
        rows = fits.fit_rows(self.machine, 0, self.runs[0], self.filtering, payloads)
        parts = [(times, forces, W[:, :, self.groups.places] @ self.fit.values) for times, W, forces in rows]
        times, measured, predicted = (np.concatenate([one[k] for one in parts]) for k in range(3))
        return times, measured / self.filtering.gain, predicted / self.filtering.gain

    def robot(self, source: str | PathLike[str]) -> bytes:
        """Return a robot file with the identified inertials.

        Parameters
        ----------
        source : str or path
            The file, whose other bytes are kept.

        Returns
        -------
        bytes
            Content of the new file.
        """
        from massprops_cli.robots.inertial_resolution import robot_with_bodies

        mechanism, bodies = self.machine.mechanism, []
        for body, ten in zip(mechanism.bodies, self.full.values.reshape(-1, 10), strict=True):
            if body.mass is None or ten[0] <= 0:
                bodies.append(body)
                continue
            x, y, z = ten[1:4] / ten[0]
            xx, yy, zz, xy, xz, yz = (priors.frame_change(np.eye(3), -np.array([x, y, z])) @ ten)[priors.TABLE_ORDER]
            bodies.append(replace(body, mass=ten[0], center=(x, y, z), inertia=(xx, yy, zz, xy, xz, yz)))
        made = replace(mechanism, bodies=tuple(bodies))
        return robot_with_bodies(fspath(source), Path(source).read_bytes(), made, self.findings)

    def table_rows(self) -> list[list[Any]]:
        """Return a table of the links that rolls up, in the axes of the ground at the pose of the file.

        Returns
        -------
        list of list
            A header, the root, and a row for each link with its mass, centre, tensor and their sigmas.
        """
        heads = ["id", "parent", "mass [kg]", "sigma mass [kg]"]
        heads += [f"{mark}C{axis} [m]" for mark in ("", "sigma ") for axis in "xyz"]
        heads += [
            f"{mark}I{entry} [kg*m^2]" for mark in ("", "sigma ") for entry in ("xx", "yy", "zz", "xy", "xz", "yz")
        ]
        root = self.machine.mechanism.name or "machine"
        rows: list[list[Any]] = [[*heads, "POIconv"], [root, "", *[""] * (len(heads) - 2), ""]]
        for k, body in enumerate(self.machine.mechanism.bodies):
            at = slice(10 * k, 10 * k + 10)
            ten, V = self.full.values[at], self.full.covariance[at, at]
            if not ten[0] > 0:
                continue
            position, rotation = (np.array(one, float) for one in self.machine.mechanism.pose(k))
            center = ten[1:4] / ten[0]
            own = priors.frame_change(rotation, -rotation @ center)
            moments, spread = own @ ten, own @ V @ own.T
            sigma = np.sqrt(np.maximum(np.diag(spread), 0.0))
            order = priors.TABLE_ORDER
            values = ten[:1], sigma[:1], position + rotation @ center, sigma[1:4] / ten[0], moments[order], sigma[order]
            rows.append([body.name, root, *np.concatenate(values).tolist(), "-"])
        return rows


def identify(
    robot: str | PathLike[str] | bytes,
    data: Sequence[str | PathLike[str]] | str | PathLike[str],
    prior: Bom | str | PathLike[str] | None = None,
    *,
    joints: str = "",
    reading: RobotReading = AS_STATED,
    settings: Mapping[str, Any] | None = None,
    findings: Findings | None = None,
) -> Identification:
    """Identify the inertial parameters of a machine from measured motions, with a mass table as prior.

    Parameters
    ----------
    robot : str, path or bytes
        URDF, SDF, MJCF or mechanism file without loops.
    data : str, path or sequence of them
        Runs, csv or parquet: time, positions, and torques or currents of the joints, named as ``t``, ``q_JOINT``,
        ``tau_JOINT``, ``i_JOINT``, with units such as ``q_elbow [deg]``; default: s, rad, m, N·m, N.
    prior : Bom, str or path, optional
        Table whose items are links, with sigmas; default: the robot.
    joints : str, optional
        Table of joints, for a mechanism in tables.
    reading : RobotReading, optional
        Gravity, and whether the base is free.
    settings : mapping, optional
        The keys of ``[identify]``, such as ``{"gains": {"elbow": 12.5}}``.
    findings : Findings, optional
        Receives what is reported.

    Returns
    -------
    Identification
        Base parameters, parameters of all links, residuals, χ² of the table.

    Raises
    ------
    TableError
        A file cannot be read, or the runs cannot be used.
    UsageError
        A setting is wrong, or SciPy is not installed.

    Notes
    -----
    Positions are filtered forward and backward; regressor and torques pass through the same filter before decimation,
    which keeps white noise white. Weights are the residuals of each joint and run. docs/howto/identification.md.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from massprops_cli import identify
    >>> t = np.arange(2000) / 100
    >>> q = 0.8 * np.sin(2 * t) + 0.5 * np.sin(3.1 * t)
    >>> tau = 2.0 * (-3.2 * np.sin(2 * t) - 4.805 * np.sin(3.1 * t)) + 10.0 * np.cos(q) + 0.1 * np.sin(80 * t)
    >>> rows = "\\n".join(f"{a},{b},{c}" for a, b, c in zip(t, q, tau))
    >>> run = pathlib.Path(tempfile.mkdtemp(), "swing.csv"); _ = run.write_text("t,q_A,tau_A\\n" + rows)
    >>> bar = b'''{"gravity": [0, 0, -10], "bodies": [{"id": "bar", "mass": 1, "c": [1, 0, 0],
    ...   "I": [0, 1, 1, 0, 0, 0]}], "joints": [{"name": "A", "type": "R", "i": 0, "j": "bar", "pi": [0, 0, 0],
    ...   "pj": [0, 0, 0], "ai": [0, -1, 0]}]}'''
    >>> found = identify(bar, run, settings={"terms": []})
    >>> [(one["parameter"], round(one["value"], 2)) for one in found.parameters()]
    [('mx_bar', 1.0), ('mz_bar', -0.0), ('Iyy_bar', 2.0)]
    """
    require_scipy()
    collected = Findings() if findings is None else findings
    stated = IdentifySettings.of(settings or {})
    source = robot if isinstance(robot, bytes) else fspath(robot)
    machine = read_machine(source, joints, reading, stated, collected)
    files = [fspath(one) for one in ([data] if isinstance(data, str | PathLike) else data)]
    runs = read_runs(machine, files, collected)
    hold_resting_joints(machine, runs)
    filtering = choose_filter(machine, runs, collected)
    differentiate_runs(machine, runs, filtering, collected)
    table = priors.table_prior(machine, _prior_table(prior, source), collected)
    payloads = fits.read_payloads(machine, runs)
    is_suspect = checks.check_recordings(machine, runs, payloads, table, collected)
    groups = fits.collect_groups(machine, runs, filtering, payloads)
    if not groups.columns.kept:
        collected.report("MP893", "runs move no joint whose force is known")
        raise TableError(collected)
    fit = fits.with_robust_sigmas(groups, fits.weighted_fit(groups))
    evidence = checks.Evidence(machine, runs, payloads, table, groups, fit)
    if evidence.check_agreement(collected):
        fit = fits.with_sigmas_of_runs(groups, fit)
    _report_excitation(groups, fit, collected)
    evidence = replace(evidence, fit=fit)
    evidence.check_terms(collected)
    evidence.check_residuals(collected)
    if not is_suspect:
        evidence.check_omitted_masses(collected)
    boxes = _collision_boxes(machine, source, collected) if stated.collisions else {}
    full = priors.full_parameters(machine, groups.columns, fit, table, boxes, collected)
    against = priors.table_chi_square(machine, groups.columns, fit, table)
    essential, validation = fits.essential_parameters(fit), fits.cross_validation(groups, fit)
    found = Identification(
        machine, runs, filtering, groups, fit, table, full, essential, validation, against, collected
    )  # fmt: skip
    _report_table(found)
    return found


def _prior_table(prior: Bom | str | PathLike[str] | None, source: str | bytes) -> Bom | None:
    """Return the table of the prior; that of the robot, for σ of its links, if none is named."""
    from massprops_cli.bom.bom import Bom, read_bom

    if isinstance(prior, Bom):
        return prior
    if prior is not None:
        bom = read_bom(prior, units="SI")
        if any(one.severity is Severity.ERROR for one in bom.findings):
            raise TableError(bom.findings)
        return bom
    if (file := _robot_file(source)) is None:
        return None
    bom = read_bom(file)
    return None if any(one.severity is Severity.ERROR for one in bom.findings) else bom


def _robot_file(source: str | bytes) -> str | None:
    """Return the path of a machine that is the file of a robot."""
    is_robot = not isinstance(source, bytes) and Path(source).suffix.lower() in (".urdf", ".sdf", ".xml", ".mjcf")
    return str(source) if is_robot else None


def _collision_boxes(machine: Machine, source: str | bytes, findings: Findings) -> priors.Boxes:
    """Return the boxes of the collision geometry of links, and report links of which it is not known."""
    from massprops_cli.bom.bom import read_bom
    from massprops_cli.robots.robot_checks import link_boxes
    from massprops_cli.tables.options import TableOptions

    if (file := _robot_file(source)) is None:
        raise UsageError("collisions of [identify] need the file of a robot: URDF, SDF or MJCF")
    boxes = link_boxes(read_bom(file).table, TableOptions(mesh_roots=(str(Path(file).parent),)))
    heavy = [one.name for one, has in zip(machine.mechanism.bodies, machine.has_mass(), strict=True) if has]
    if missing := [name for name in heavy if name not in boxes]:
        message = f"collision geometry of links is not known, so that their mass may be anywhere: {name_list(missing)}"
        remedy = "state it as shapes, or as meshes in the folder of the robot"
        findings.report("MP899", message, value=missing[0], count=len(missing), remedy=remedy)
    return boxes


def _report_table(found: Identification) -> None:
    """Report a table that the data reject, with the parameters that are farthest from it."""
    against, source = found.table, found.prior.source
    if against["probability"] is None or against["probability"] > fits.UNLIKELY:
        return
    rows = [row for row in found.parameters() if row["off"] is not None and row["parameter"] not in found.full.terms]
    rows.sort(key=lambda row: -abs(row["off"]))
    worst = [f"{row['parameter']} by {row['off']:+.3g} σ" for row in rows[:3]]
    square = f"χ² {against['chi_square']:.4g} for {against['degrees']} parameters"
    message = f"motion rejects {source}: {square}; farthest: {name_list(worst)}"
    found.findings.report("MP896", message, Place(source), value=f"{against['chi_square']:.4g}")


def _report_excitation(groups: fits.Groups, fit: fits.Fit, findings: Findings) -> None:
    """Report a motion that excites the parameters poorly."""
    if fit.condition > _CONDITION:
        every = zip(groups.columns.heads, fit.values, fit.sigmas, strict=True)
        poor = [name for name, value, sigma in every if sigma > _POOR * abs(value)]
        message = f"condition number is {fit.condition:.3g} (expected {_CONDITION:g} or less)"
        message += f"; shown poorly: {name_list(poor, 6)}" if poor else ""
        findings.report("MP898", message, value=f"{fit.condition:.3g}", count=len(poor))
