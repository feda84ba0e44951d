"""A process of its own in which calamine reads xls and xlsb, under a limit of memory and of time."""

from __future__ import annotations

import io
import pickle
import sys
from typing import Any

_ProcessRequest = dict[str, Any]
"""``path`` or ``data`` of the workbook; ``memory`` limit in bytes; ``sheet`` number from 0, None to list the sheets."""
_HEAD_ROWS = 40  # rows that show whether a sheet is a table
_HEAD_COLUMNS = 1000  # columns of them


def _answer_request(request: _ProcessRequest) -> dict[str, Any]:
    """Carry out one request: the sheets with their first rows, or the cells of one sheet."""
    from python_calamine import CalamineWorkbook

    workbook = CalamineWorkbook.from_object(request["path"] or io.BytesIO(request["data"]))
    if request["sheet"] is not None:
        sheet = workbook.get_sheet_by_index(request["sheet"])
        merges = getattr(sheet, "merged_cell_ranges", None) or []
        return {"start": sheet.start, "rows": sheet.to_python() if sheet.start else [], "merges": merges}
    sheets = []
    for i, known in enumerate(workbook.sheets_metadata):
        kind, state = str(known.typ).rpartition(".")[2], str(known.visible).rpartition(".")[2]
        head: list[list[Any]] = []
        if kind == "WorkSheet" and state != "VeryHidden":
            sheet = workbook.get_sheet_by_index(i)
            head = [row[:_HEAD_COLUMNS] for row in sheet.to_python(nrows=_HEAD_ROWS)] if sheet.start else []
        sheets.append((known.name, kind, state, head))
    return {"sheets": sheets}


def _run_process() -> None:
    """Read the request, limit this process, and answer."""
    request: _ProcessRequest = pickle.loads(sys.stdin.buffer.read())
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    except (ImportError, ValueError, OSError):
        pass  # a system without limits; the time limit remains
    try:
        reply = _answer_request(request)
    except MemoryError:
        reply = {"fault": "memory"}
    except Exception as error:
        reply = {"fault": str(error)}
    pickle.dump(reply, sys.stdout.buffer, protocol=5)


if __name__ == "__main__":
    _run_process()
