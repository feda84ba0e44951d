"""Headers and ids of a table for completion, within a fraction of a second and without numerical libraries.

The table is read more simply than by the commands: the header is the row with the most texts among the first rows, and
the ids are below the first heading that is a synonym of an id. Nothing is read of a file above 20 MB.
"""

from __future__ import annotations

import csv
import io
import re
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

_LARGEST_BYTES = 20_000_000  # of a file that is read for candidates
_SECONDS = 0.3
"""Time from the start of the process after which no candidates are printed."""
_HEADER_ROWS = 50  # searched for the header
_MOST_IDS = 50_000  # candidates
_WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_TEXTS = (".csv", ".tsv", ".tab", ".txt")


def read_in_time(name: str, given: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Read headers and ids of a table, or nothing if that takes too long."""
    path = Path(name)
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return [], []
    except OSError:
        return [], []
    found: list[tuple[list[str], list[str]]] = []

    def read() -> None:
        try:
            found.append(_headers_and_ids(_table_rows(path, given.get("sheet", "")), given.get("id", "")))
        except Exception:  # a file that cannot be read has no candidates
            return

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(max(_SECONDS - time.process_time(), 0.05))
    return found[0] if found else ([], [])


def _table_rows(path: Path, sheet: str) -> Iterable[Sequence[Any]]:
    """Return the rows of a file of a common format."""
    suffix = path.suffix.lower()
    if suffix in _WORKBOOKS:
        import python_calamine

        with python_calamine.CalamineWorkbook.from_path(path) as book:
            names = [sheet] if sheet in book.sheet_names else book.sheet_names
            sheets = [book.get_sheet_by_name(one).to_python(nrows=None) for one in names]
        return max(sheets, key=len, default=[])
    data = path.read_bytes()
    if suffix in (".json", ".jsonl", ".ndjson"):
        import json

        records = json.loads(data) if suffix == ".json" else [json.loads(line) for line in data.splitlines() if line]
        header = list(dict.fromkeys(key for record in records for key in record))
        return [header, *([record.get(key, "") for key in header] for record in records)]
    if suffix not in _TEXTS:
        return []
    text = _decoded_text(data)
    head = text[:4096]
    return csv.reader(io.StringIO(text), delimiter=max(",;\t|", key=head.count))


def _decoded_text(data: bytes) -> str:
    """Decode a text by its byte order mark, as UTF-8, or as cp1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _headers_and_ids(rows: Iterable[Sequence[Any]], mapped: str) -> tuple[list[str], list[str]]:
    """Return the texts of the header row, and those below the heading of the ids."""
    lines = iter(rows)
    first = list(islice(lines, _HEADER_ROWS))
    if not first:
        return [], []
    counts = [sum(_is_heading(cell) for cell in row) for row in first]
    at = counts.index(max(counts))
    header = [str(cell).strip() for cell in first[at]]
    column = header.index(mapped) if mapped in header else _id_column(header)
    below = (str(row[column]).strip() for part in (first[at + 1 :], lines) for row in part if len(row) > column)
    ids = list(islice(dict.fromkeys(text for text in below if text), _MOST_IDS))
    return [text for text in dict.fromkeys(header) if text], ids


def _is_heading(cell: Any) -> bool:
    """Return whether a cell is a text that is not a number."""
    text = str(cell).strip()
    if not text:
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def _id_column(header: Sequence[str]) -> int:
    """Return the column of the ids: the first synonym of an id, else of a part number, else the first column."""
    words = _synonyms()
    for quantity in ("id", "part", "item"):
        known = {_bare_heading(text) for text in (quantity, *words.get(quantity, ()))}
        fitting = [k for k, text in enumerate(header) if _bare_heading(text) in known]
        if fitting:
            return fitting[0]
    return 0


def _bare_heading(text: str) -> str:
    """Return a heading without case, blanks, punctuation and a unit in brackets."""
    return re.sub(r"[\W_]+", "", re.sub(r"[\[(].*?[\])]", "", text)).casefold()


@cache
def _synonyms() -> Mapping[str, Mapping[str, str]]:
    """Read the synonyms of the quantities."""
    import tomllib

    path = Path(__file__).parents[1] / "tables" / "words" / "synonyms.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def quantity_names() -> list[str]:
    """List the quantities that ``--map`` accepts and that have synonyms, and the ten numbers."""
    ten = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    plain = [name for name in _synonyms() if name.isidentifier()]
    return list(dict.fromkeys(("id", "parent", "name", "qty", *ten, *(f"sigma_{name}" for name in ten), *plain)))
