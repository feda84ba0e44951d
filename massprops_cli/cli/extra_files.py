"""``--covariance FILE``: every item's whole covariance, a row an item, as parquet, json or csv.

A row holds the id and the 55 numbers of the upper triangle: ``cov_mass_mass``, ``cov_mass_Cx`` … ``cov_Iyz_Iyz``, of
the mass, the centre, and the tensor about the item's own centre, tensor entries, in coherent units. Parts of a table
without sigmas of some kind, and items whose sigmas are not known, have blanks there.

Further files that a roll-up writes when asked: the whole covariance, and a picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from massprops_cli.bom.result_columns import COVARIANCES, Spread
from massprops_cli.cli.output_files import is_special, same_file
from massprops_cli.findings import OutputError, UsageError
from massprops_cli.rollups.covariance import PAIRS
from massprops_cli.rollups.inputs import TEN

if TYPE_CHECKING:
    import pyarrow as pa

    from massprops_cli.bom.result import Result
    from massprops_cli.tables.units import Units


@dataclass(frozen=True, slots=True)
class Beside:
    """The names of the files written beside the table, empty for none; ``item`` is drawn, empty for the root."""

    covariance: str = ""
    plot: str = ""
    item: str = ""

    @property
    def names(self) -> list[str]:
        """Those that are written."""
        return [name for name in (self.covariance, self.plot) if name]

    def check(self, result: Result, source: str, target: str, *, force: bool) -> None:
        """Refuse names that cannot be written, before anything is; ``target`` is where the table goes."""
        if self.names and result.rollup.sigmas is None:
            raise UsageError(f"{self.names[0]} would hold uncertainties, and the table states none")
        if self.covariance:
            format_of(self.covariance)
            check_free("--covariance", self.covariance, source, target, force=force)
        if self.plot:
            check_picture(self.plot, source, target, force=force)
        if self.covariance and self.plot and same_file(Path(self.covariance), Path(self.plot)):
            raise UsageError("--covariance and --plot name one file")

    def write(self, result: Result) -> None:
        """Write them: the samples of an item as histograms, or both methods of first order side by side."""
        if self.covariance:
            write_covariance(result, self.covariance)
        if not self.plot:
            return
        from massprops_cli.reports.plots import histogram_plot, methods_plot

        if result.rollup.sampled is not None:
            histogram_plot(result, self.plot, self.item or None)
            return
        from massprops_cli.bom.rollup import rollup

        methods_plot(result, rollup(result.bom, "massprops", keep_going=True), self.plot)


def check_picture(name: str, source: str, target: str, *, force: bool) -> None:
    """Refuse a picture that cannot be drawn; ``source`` is the table that was read, ``target`` where a table goes."""
    from massprops_cli.reports.plots import picture_format, require_matplotlib

    picture_format(name)
    require_matplotlib()
    check_free("--plot", name, source, target, force=force)


def check_free(option: str, name: str, source: str, target: str, *, force: bool) -> None:
    """Refuse a name that is the input's or the output's, a folder's, or that of a file which is not to be replaced."""
    path = Path(name)
    for other, what in ((source, "the input"), (target, "the output -o")):
        if other not in ("", "-") and same_file(path, Path(other)):
            raise UsageError(f"{option} {name}: that is {what}; name another file")
    if path.is_dir():
        raise OutputError(f"{name}: is a folder")
    if path.exists() and not force and not is_special(name):
        raise UsageError(f"{option} {name}: exists; pass --force to replace it")


FORMATS = ("parquet", "json", "csv")
BLOCK = 16_384
"""Items at a time, so that a file larger than memory can be written."""


def format_of(name: str) -> str:
    """Give the format that the suffix says; raises UsageError for any other.

    >>> format_of("a.parquet"), format_of("b.JSON")
    ('parquet', 'json')
    """
    suffix = Path(name).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UsageError(f"--covariance {name}: the suffix is to be .parquet, .json or .csv")
    return suffix


def write_covariance(result: Result, name: str) -> None:
    """Write the covariances of all items, whole or not at all."""
    from massprops_cli.cli.streams import progress
    from massprops_cli.files.atomic import whole_or_not

    spread = Spread(result.rollup)
    if not spread.has(0):
        why = "the table has no sigmas" if result.rollup.sigmas is None else f"{result.rollup.method} has none"
        raise UsageError(f"--covariance {name}: there are no covariances to write, {why}")
    write = {"parquet": write_parquet, "json": write_json, "csv": write_csv}[format_of(name)]
    with progress(f"writing {name}"), whole_or_not(name) as out:
        write(result, tables_of(result, spread), out)


def tables_of(result: Result, spread: Spread) -> Iterator[pa.Table]:
    """Give the rows, a block of items at a time; what is not known is null."""
    import pyarrow as pa

    ids = result.bom.ids
    for start in range(0, len(ids), BLOCK):
        items = np.arange(start, min(start + BLOCK, len(ids)))
        packed = spread.packed(items)
        assert packed is not None
        columns = [pa.array(values, mask=~np.isfinite(values)) for values in packed]
        yield pa.table([pa.array(ids[start : start + BLOCK], pa.string()), *columns], names=["id", *COVARIANCES])


def head_of(result: Result) -> dict[str, Any]:
    """Say what the numbers are to be read with."""
    from massprops_cli._version import VERSION
    from massprops_cli.bom.outcome import SIGN_WORDS

    units = result.bom.units
    return {
        "massprops": VERSION,
        "source": {"file": result.bom.table.source.name, "sheet": result.bom.table.source.sheet},
        "units": {"mass": units.mass, "length": units.length, "inertia": units.inertia, "stated": units.stated},
        "about": "each item's own centre of mass",
        "sign": SIGN_WORDS,
        "uncertainty": result.rollup.method,
        "numbers": list(TEN),
    }


def write_parquet(result: Result, tables: Iterator[pa.Table], out: BinaryIO) -> None:
    """Write Parquet, a row group a block; the head stands in the schema's metadata under ``massprops``."""
    import json

    import pyarrow as pa
    from pyarrow import parquet

    fields = [pa.field("id", pa.string()), *(pa.field(name, pa.float64()) for name in COVARIANCES)]
    schema = pa.schema(fields, metadata={"massprops": json.dumps(head_of(result), ensure_ascii=False)})
    with parquet.ParquetWriter(pa.PythonFile(out, "w"), schema) as writer:
        for table in tables:
            writer.write_table(table.replace_schema_metadata(schema.metadata))


def write_json(result: Result, tables: Iterator[pa.Table], out: BinaryIO) -> None:
    """Write one object: the head, and under ``items`` an object a line for every item."""
    import json

    head = json.dumps(head_of(result), ensure_ascii=False)
    out.write(f'{head.removesuffix("}")}, "items": ['.encode())
    between = "\n"
    # rows as dictionaries take twenty times the memory of their numbers, so few at a time
    for batch in (batch for table in tables for batch in table.to_batches(max_chunksize=1_024)):
        lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in batch.to_pylist()]
        out.write((between + ",\n".join(lines)).encode())
        between = ",\n"
    out.write(b"\n]}\n")


def write_csv(result: Result, tables: Iterator[pa.Table], out: BinaryIO) -> None:
    """Write csv; a header says each column's unit, as there is no other place for it."""
    import pyarrow as pa
    from pyarrow import csv

    from massprops_cli.files.encoding import guarded

    units = result.bom.units
    header = [
        f"{name} [{unit}]" if (unit := unit_of_pair(units, *PAIRS[k])) else name for k, name in enumerate(COVARIANCES)
    ]
    out.write((",".join(["id", *header]) + "\n").encode())
    is_csv = result.bom.table.source.format == "csv"
    sink = pa.PythonFile(out, "w")
    for table in tables:
        ids = table.column("id").to_pylist()
        # ids from elsewhere may be what a spreadsheet would run as formulas
        texts = pa.array(ids if is_csv else map(guarded, ids), pa.string())
        csv.write_csv(table.set_column(0, "id", texts), sink, csv.WriteOptions(include_header=False))


def unit_of_pair(units: Units, a: int, b: int) -> str:
    """Give the unit of the covariance of two of the ten numbers; empty where no units are stated.

    >>> from massprops_cli.tables.units import Units
    >>> units = Units("kg", "m", "kg*m^2")
    >>> unit_of_pair(units, 0, 4), unit_of_pair(units, 1, 1), unit_of_pair(Units(), 0, 0)
    ('kg^2*m^2', 'm^2', '')
    """
    powers = [(1, 0) if k == 0 else (0, 1) if k < 4 else (1, 2) for k in (a, b)]
    mass, length = (sum(power) for power in zip(*powers, strict=True))
    parts = [(units.mass, mass), (units.length, length)]
    if any(power and not unit for unit, power in parts):
        return ""
    return "*".join(unit if power == 1 else f"{unit}^{power}" for unit, power in parts if power)
