"""Read xls and xlsb through calamine in a process of its own, limited in memory and time."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from massprops_cli.files.guard import ZIP_MAGIC, check_xml, open_archive, over_cap, refusal
from massprops_cli.files.options import Caps
from massprops_cli.files.workbook.reading import child as workbook_child
from massprops_cli.files.workbook.reading import xlsb as workbook_xlsb
from massprops_cli.files.workbook.reading.content import SheetContent, SheetFacts, plain
from massprops_cli.files.workbook.reading.package import SheetEntry, Styles
from massprops_cli.files.workbook.reading.xls import is_encrypted, read_facts, workbook_stream

_BASE_MEMORY = 480 * 2**20
_MEMORY_PER_BYTE = 60
_BASE_SECONDS = 4.0
_BYTES_PER_SECOND = 4 * 2**20

_KINDS = {
    "WorkSheet": "worksheet",
    "ChartSheet": "chartsheet",
    "DialogSheet": "dialogsheet",
    "MacroSheet": "macrosheet",
}
_STATES = {"Visible": "visible", "Hidden": "hidden", "VeryHidden": "veryHidden"}


class OtherWorkbook:
    """An xls or xlsb workbook; nothing of it is held between calls but the first rows of its sheets."""

    def __init__(self, name: str, data: Path | bytes, caps: Caps) -> None:
        self.name, self.data, self.caps = name, data, caps
        self.styles = Styles({}, frozenset(), {}, frozenset())
        self.records = b""
        self.inflated = self._check_container()
        reply = self._ask(None)
        self.entries: list[SheetEntry] = []
        self._heads: dict[str, list[list[str]]] = {}
        for sheet, kind, state, head in reply["sheets"]:
            self.entries.append(SheetEntry(sheet, sheet, _KINDS.get(kind, kind), _STATES.get(state, "visible")))
            rows = [["" if (v := plain(cell)) is None else str(v) for cell in row] for row in head]
            self._heads[sheet] = [row for row in rows if any(row)]

    def close(self) -> None:
        """Hold nothing open."""

    def peek(self, entry: SheetEntry) -> list[list[str]]:
        """Give the texts of a sheet's first rows that are not blank."""
        return self._heads[entry.name]

    def sheet(self, entry: SheetEntry) -> SheetContent:
        """Read one worksheet."""
        reply = self._ask(self.entries.index(entry))
        rows = [[v if type(v) in (str, float, bool) else cell_of(v) for v in row] for row in reply["rows"]]
        number = self.entries.index(entry)
        facts = read_facts(self.records, number) if self.records else self._binary_facts(number)
        facts.merges = facts.merges or [(*start, *end) for start, end in reply["merges"]]
        top, left = reply["start"] or (0, 0)
        for row, column, shown in facts.errors:
            if 0 <= row - top < len(rows) and 0 <= column - left < len(rows[row - top]):
                rows[row - top][column - left] = shown
        if rows and len(rows) * len(rows[0]) > self.caps.cells:
            area = len(rows) * len(rows[0])
            raise over_cap(self.name, f"the sheet spans {area} cells", "cells", self.caps.cells, entry.name)
        return SheetContent(rows, top, left, facts)

    def _binary_facts(self, number: int) -> SheetFacts:
        archive = open_archive(self.name, self.data, self.caps)
        try:
            return workbook_xlsb.read_facts(archive, number)
        finally:
            archive.close()

    def _check_container(self) -> int:
        head = self.data[:2] if isinstance(self.data, bytes) else self._head()
        if head != ZIP_MAGIC:
            data = self.data if isinstance(self.data, bytes) else self.data.read_bytes()
            self.records = workbook_stream(data)
            if is_encrypted(self.records):
                raise refusal("MP102", "the workbook is encrypted", self.name)
            return len(data)
        archive = open_archive(self.name, self.data, self.caps)
        try:
            for member in archive.members:
                if member.endswith((".xml", ".rels")):
                    check_xml(self.name, member, archive.read(member))
                elif member.endswith(".bin"):
                    for _chunk in archive.chunks(member):
                        pass  # sizes and checksums are compared on the way
            return sum(archive.size(member) for member in archive.members)
        finally:
            archive.close()

    def _head(self) -> bytes:
        assert isinstance(self.data, Path)
        with self.data.open("rb") as stream:
            return stream.read(2)

    def _ask(self, sheet: int | None) -> dict[str, Any]:
        path = str(self.data.absolute()) if isinstance(self.data, Path) else ""
        request = {
            "path": path,
            "data": b"" if path else self.data,
            "sheet": sheet,
            "memory": _BASE_MEMORY + _MEMORY_PER_BYTE * self.inflated,
        }
        command = [sys.executable, "-P", str(Path(workbook_child.__file__))]
        seconds = _BASE_SECONDS + self.inflated / _BYTES_PER_SECOND
        try:
            done = subprocess.run(
                command, input=pickle.dumps(request), capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise self._too_large() from None
        if done.returncode != 0:
            huge = done.returncode < 0 or any(w in done.stderr for w in (b"memory", b"capacity", b"alloc"))
            raise self._too_large() if huge else self._damaged()
        reply: dict[str, Any] = pickle.loads(done.stdout)
        fault = reply.get("fault", "")
        if fault == "memory" or "limit exceeded" in fault.lower():
            raise self._too_large()
        if "password" in fault.lower():
            raise refusal("MP102", "the workbook is encrypted", self.name)
        if fault:
            raise self._damaged()
        return reply

    def _too_large(self) -> Exception:
        return over_cap(self.name, "a sheet is far larger than the file explains", "cells", self.caps.cells)

    def _damaged(self) -> Exception:
        return refusal("MP104", "the workbook is cut short or corrupt", self.name)


def cell_of(value: object) -> str | float | bool:
    """Give a value that is no text, float or truth value as a cell; a whole number of 0 is no blank."""
    cell = plain(value)
    return "" if cell is None else cell
