"""Verification of a roll-up: recomputed values against printed ones, cell by cell, and its certificate."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from massprops_cli._front import VERSION, room_function
from massprops_cli.bom.bom import BomSource, ReadKeywords
from massprops_cli.bom.items.result_columns import first_order_sigma
from massprops_cli.bom.results.result import Result
from massprops_cli.bom.results.result_dict import derived_column
from massprops_cli.bom.rollup import rollup
from massprops_cli.files.table import shortest_number_text
from massprops_cli.findings.finding import Finding, Findings, Place, UsageError
from massprops_cli.options import RollupMethod, show_keywords
from massprops_cli.verifications.cells import NAMES, CellCount, file_bytes, read_typed_table
from massprops_cli.verifications.digits import last_digit
from massprops_cli.verifications.flat import STANDARD_ERRORS, LeafSamples
from massprops_cli.verifications.outputs import TOLERANCE, compare_output
from massprops_cli.verifications.recomputation import GROUPS, Recomputation


class Difference(NamedTuple):
    """One printed number and its recomputation: ``relative``, and ``digits`` in units of its last printed digit."""

    item: str
    quantity: str
    printed: float
    recomputed: float
    relative: float
    digits: float


class QuantityCheck(NamedTuple):
    """The numbers of one quantity: how they were recomputed, how many, and the largest difference."""

    quantity: str
    method: str
    numbers: int
    beyond: int  # differences beyond the tolerance
    largest: Difference


class _SampleCheck(NamedTuple):
    """Sampled sigmas against those of another generator, and the largest difference in their standard errors."""

    method: str
    samples: int
    numbers: int
    beyond: int  # more standard errors apart than chance explains
    item: str
    quantity: str
    printed: float
    recomputed: float
    standard_errors: float


class FileRecord(NamedTuple):
    """A file that was verified, and the SHA-256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, eq=False, repr=False)
class Verification:
    """What a recomputation found: a certificate.

    ``checks`` has the largest difference of each quantity, ``items`` that of each item; ``not_verified`` lists what was
    not recomputed, in words.
    """

    result: Result
    tolerance: float
    cells: CellCount
    checks: tuple[QuantityCheck, ...]
    items: tuple[Difference, ...]
    not_verified: tuple[str, ...]
    findings: tuple[Finding, ...]
    inputs: tuple[FileRecord, ...]
    recomputed: Recomputation
    outputs: tuple[FileRecord, ...] = ()
    output_cells: int = 0  # cells of the output that were compared
    samples: _SampleCheck | None = None  # of a Monte Carlo roll-up

    @property
    def agrees(self) -> bool:
        """Whether every number agrees within the tolerance, and every cell."""
        return not any(one.rule in _FAULTS for one in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Export the certificate as JSON values.

        Returns
        -------
        dict
            JSON values, without a date: the same inputs give the same bytes. Its schema is
            ``verifications/certificate.schema.json`` of the package.
        """
        import openpyxl

        cells = self.cells
        return {
            "certificate": "massprops verify",
            "schema": 1,
            "agrees": self.agrees,
            "tolerance": self.tolerance,
            "uncertainty": self.result.rollup.method,
            "inputs": [one._asdict() for one in self.inputs],
            "outputs": [one._asdict() for one in self.outputs],
            "versions": {"massprops": VERSION, "openpyxl": openpyxl.__version__, "python": platform.python_version()},
            "cells": {
                **{name: getattr(cells, name) for name in ("reader", "entered", "derived", "not_used", "different")},
                "not_entered": cells.unused - min(cells.entered, cells.unused),
                "output": self.output_cells,
            },
            "inputs_recomputed": list(self.recomputed.typed.methods),
            "quantities": [
                {"quantity": one.quantity, "method": one.method, "numbers": one.numbers, "beyond_tolerance": one.beyond}
                | _difference_dict(one.largest)
                for one in self.checks
            ],
            "samples": None if self.samples is None else self.samples._asdict(),
            "items": [{"quantity": one.quantity, **_difference_dict(one)} for one in self.items],
            "not_verified": list(self.not_verified),
            "findings": [
                {"rule": f.rule, "place": str(f.place), "message": f.message}
                for f in self.findings
                if f.rule in _FAULTS
            ],
        }

    def to_markdown(self) -> str:
        """Write the certificate in Markdown.

        Returns
        -------
        str
            Verdict, a row for each quantity, what was not verified, and the files with their SHA-256.
        """
        text: str = room_function("massprops_cli.reports.certificates.verification", "certificate_markdown")(self)
        return text

    def save(self, path: str | PathLike[str]) -> None:
        """Write the certificate to a file.

        Parameters
        ----------
        path : str or path
            Name ending in ``.json`` or ``.md``.

        Raises
        ------
        UsageError
            Another suffix.
        OutputError
            The file could not be written.
        """
        from massprops_cli.files.writer import atomic_file

        name = fspath(path)
        if (suffix := Path(name).suffix.lower()) not in (".json", ".md"):
            raise UsageError(f"unknown suffix of a certificate: {name} (expected .json or .md)")
        text = (
            self.to_markdown() if suffix == ".md" else json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"
        )
        with atomic_file(name) as out:
            out.write(text.encode())

    def __repr__(self) -> str:
        """Return the verdict on one line."""
        most = max((one.largest.relative for one in self.checks), default=0.0)
        word = "agrees" if self.agrees else "differs"
        return f"<Verification of {self.result.bom.table.source.name}: {word}, largest difference {most:.1e}>"


_FAULTS = ("MP903", "MP904", "MP905", "MP906", "MP907")  # rules whose findings contradict a result


def _difference_dict(one: Difference) -> dict[str, Any]:
    """Return a difference as JSON values."""
    numbers = {"printed": one.printed, "recomputed": one.recomputed}
    short = {"relative": one.relative, "last_digits": one.digits}
    return {
        "item": one.item,
        **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        **{name: float(f"{value:.3g}") if math.isfinite(value) else None for name, value in short.items()},
    }


def verify(
    bom: BomSource | Result,
    output: str | PathLike[str] = "",
    *,
    tolerance: float = TOLERANCE,
    uncertainty: RollupMethod = "auto",
    samples: int = 100_000,
    **reading: Unpack[ReadKeywords],
) -> Verification:
    """Recompute a roll-up by ways that share no code with it, and compare.

    Parameters
    ----------
    bom : BomSource or Result
        A table, which is rolled up, or a roll-up.
    output : str or path, optional
        A written result to compare cell by cell: of this program, of an earlier version or of another program.
    tolerance : float, optional
        Largest relative difference.
    uncertainty : {"auto", "covariance", "massprops", "montecarlo", "none"}, optional
        Method of the roll-up.
    samples : int, optional
        Samples of another generator that the sigmas of ``montecarlo`` are compared with, to six standard errors.
    **reading : keywords
        Those of ``read_bom``.

    Returns
    -------
    Verification
        Differences of every quantity and item, and the findings.

    Raises
    ------
    FindingsError
        The table cannot be rolled up.
    UsageError
        The tolerance is not positive, or an unknown keyword.

    Notes
    -----
    The file is read again by the standard library or openpyxl. Leaves are added in fractions of the typed digits:
    docs/formulas.md, section 2. Variances are sums over the leaves of differences in 50 digits: docs/formulas.md,
    sections 3, 5 and 6.

    Examples
    --------
    >>> import massprops_cli as mp
    >>> rows = [{"id": "top", "parent": ""}, *({"id": m, "parent": "top", "mass": m} for m in (0.1, 0.2))]
    >>> answer = mp.verify(mp.Bom.from_records(rows))
    >>> answer.agrees, [one.quantity for one in answer.checks]
    (True, ['mass', 'coverage'])
    """
    if not tolerance > 0:
        raise UsageError(f"tolerance is not a positive number: {tolerance!r}")
    result = bom if isinstance(bom, Result) else rollup(bom, uncertainty, **reading)
    findings = Findings()
    typed = read_typed_table(result.bom, findings, result.uncertainty_request.correlate)
    recomputed = Recomputation(result, typed)
    checks, items = _compare(recomputed, tolerance, findings)
    sampled = _compare_samples(recomputed, samples, findings)
    source = result.bom.table.source
    outputs, inputs, compared = tuple[FileRecord, ...](), tuple[FileRecord, ...](), 0
    if output:
        compared = compare_output(recomputed, fspath(output), tolerance, findings)
        outputs = (FileRecord(fspath(output), hashlib.sha256(Path(output).read_bytes()).hexdigest()),)
    if typed.count.reader != "none":
        inputs = (FileRecord(source.name, hashlib.sha256(file_bytes(source)).hexdigest()),)
    return Verification(
        result, tolerance, typed.count, tuple(checks), tuple(items), tuple(recomputed.not_verified),
        (*result.findings, *findings), inputs, recomputed, outputs, compared, sampled,
    )  # fmt: skip


show_keywords(verify, ReadKeywords)


def _compare_samples(recomputed: Recomputation, samples: int, findings: Findings) -> _SampleCheck | None:
    """Compare sampled sigmas with those of another generator, within the errors of both samplings."""
    result = recomputed.result
    bom, sampled = result.bom, result.rollup.sampled
    if sampled is None:
        return None
    is_posed = bom.poses is not None and bom.poses.covariance is not None
    if is_posed or bom.deviations is not None or sampled.sampling.distribution != "normal" or bom.shapes is not None:
        recomputed.not_verified.append("sampled sigmas: only normal ones of independent or shared values are sampled")
        return None
    own = LeafSamples(recomputed.typed, recomputed.paths.leaves, recomputed.sharing, samples).sigmas()
    numbers, wrong, worst = 0, list[_SampleCheck](), None
    for row, item in enumerate(sampled.items.tolist()):
        for k, name in enumerate(NAMES[13:]):
            printed, error = float(sampled.sigma[row, k]), float(sampled.sigma_error[row, k])
            if item not in own or math.isnan(printed):
                continue
            found, numbers = float(own[item][0][k]), numbers + 1
            errors = math.hypot(error, float(own[item][1][k])) + 1e-12 * abs(printed)
            apart = abs(printed - found) / errors if printed != found else 0.0
            method = f"{samples:,} samples by the generator SFC64"
            apart = float(f"{apart:.3g}")
            one = _SampleCheck(method, samples, 0, 0, bom.ids[item], name, printed, found, apart)
            wrong += [one] if not apart <= STANDARD_ERRORS else []
            worst = one if worst is None or apart > worst.standard_errors else worst
    for one in wrong[:1]:
        message = (
            f"sampled {one.quantity} of {one.item} is {one.printed!r}, and {one.recomputed!r} by another generator "
            f"({one.standard_errors:.3g} standard errors)"
        )
        place = Place(bom.table.source.name)
        findings.report("MP904", message, place, value=repr(one.printed), item=one.item, count=len(wrong))
    return None if worst is None else worst._replace(numbers=numbers, beyond=len(wrong))


def _compare(
    recomputed: Recomputation, tolerance: float, findings: Findings
) -> tuple[list[QuantityCheck], list[Difference]]:
    """Compare all numbers of all items; a finding for each quantity that differs. Returns them by quantity and item."""
    result, checks = recomputed.result, list[QuantityCheck]()
    bom, worst, held = result.bom, np.full(len(result.bom), -1.0), dict[int, Difference]()
    shares = {*recomputed.shares, *(f"share_{word}" for word in result.shares_of_mass)}
    for group, names in GROUPS.items():
        found, count = list[tuple[int, Difference]](), 0
        for name in (*names, *(sorted(shares) if group == "coverage" else ())):
            exact, printed = recomputed.column(name), _printed(recomputed, name)
            if exact is None or printed is None:
                continue
            scale = recomputed.scale(name)
            is_known = np.isfinite(exact) & (np.isfinite(printed) | recomputed.must_be_known(name))
            if name in NAMES[13:] and bom.deviations is None and bom.branches is None:
                is_known |= np.isnan(exact) & np.isfinite(printed) & ~(bom.ends | recomputed.paths.is_skipped)
            with np.errstate(divide="ignore", invalid="ignore"):
                gap = np.abs(printed - exact)
                relative = np.where(gap == 0, 0.0, gap / scale)
            relative[np.isnan(relative)] = np.inf
            count += int(is_known.sum())
            beyond = np.flatnonzero(is_known & ~(relative <= tolerance)).tolist()
            most = np.argmax(np.where(is_known, relative, -1.0)) if is_known.any() else -1
            shown = {
                *beyond,
                *np.flatnonzero(is_known & (relative > worst)).tolist(),
                *([int(most)] if most >= 0 else []),
            }
            for i in shown:
                unit = float(last_digit(shortest_number_text(float(printed[i])) or "1"))
                digits = float(gap[i]) / unit if np.isfinite(gap[i]) else math.inf
                one = Difference(bom.ids[i], name, float(printed[i]), float(exact[i]), float(relative[i]), digits)
                found.append((i, one))
                if one.relative > worst[i]:
                    worst[i], held[i] = one.relative, one
        if count:
            wrong = [one for _, one in found if not one.relative <= tolerance]
            most_of_all = max((one for _, one in found), key=lambda one: one.relative)
            checks.append(QuantityCheck(group, recomputed.method(group), count, len(wrong), most_of_all))
            if wrong:
                more = f", and {len(wrong) - 1:,} more numbers" if len(wrong) > 1 else ""
                one = most_of_all
                message = f"{one.quantity} of {one.item} is {one.printed!r}, recomputed {one.recomputed!r} "
                message += f"(relative difference {one.relative:.2g}){more}"
                place = Place(bom.table.source.name)
                findings.report("MP904", message, place, value=repr(one.printed), item=one.item, count=len(wrong))
    return checks, [held[i] for i in sorted(held)]


def _printed(recomputed: Recomputation, name: str) -> NDArray[np.float64] | None:
    """Return a number of every item (n,) as results have it, sigmas to first order; None for one without a column."""
    result = recomputed.result
    is_sampled = name in NAMES[13:] and result.rollup.sampled is not None
    if result.rollup.sampled is not None and name.startswith(("rho_", "sigma_principal")):
        return None
    found = first_order_sigma(result.rollup, name) if is_sampled else derived_column(result, name)
    return np.full(len(result.bom), np.nan) if found is None and recomputed.must_be_known(name).any() else found
