"""The library's reading door: one call, every option by name."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from typing import Any, BinaryIO

from massprops_cli.bom.bom import Bom
from massprops_cli.bom.keywords import table_options_of
from massprops_cli.files.options import FileOptions


def read_bom(path: str | PathLike[str], *, stdin: BinaryIO | None = None, **options: Any) -> Bom:
    """Read a bill of materials.

    ``options`` are those of FileOptions (``format``, ``sheet``, ``encoding``, ``delimiter``, ``caps``) and of
    TableOptions (``layout``, ``map``, ``units``, ``poi``, ``root``, ``allow_missing`` …) by name. Faults of the table
    are in the result's ``findings``; TableError is raised only when no table, or no tree at all, can be made of the
    file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "bom.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,parent,mass\\ntop,,\\na,top,2\\nb,top,3\\n")
    ...     len(read_bom(path))
    3
    """
    of_file = {f.name for f in fields(FileOptions)}
    file_options = FileOptions(**{k: v for k, v in options.items() if k in of_file})
    return Bom.read(
        str(path), file_options, table_options_of({k: v for k, v in options.items() if k not in of_file}), stdin
    )
