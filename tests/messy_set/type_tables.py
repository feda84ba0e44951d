"""Type tables into a running LibreOffice Calc and save them, as a person would: no file format is written here.

Each cell is entered through the dispatcher (``.uno:GoToCell``, ``.uno:EnterString``), so what Calc takes for a number,
a date or a fraction, in the locale of the typist, is Calc's own doing. Run from the root of the repository, with a
Python that has LibreOffice's bridge (Debian: ``python3-uno``): ``python3 -m tests.messy_set.type_tables [NAME ...]``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.messy_set import typed_tables, typed_tables_more
from tests.messy_set.typed_tables import FILTERS, Typed, TypedBook, keys_of

FILES = Path(__file__).parent / "files"
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
<prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>{}</value></prop></item></oor:items>
"""


@contextmanager
def office(locale: str) -> Iterator[Any]:
    """Start an office of its own profile and locale; give its context."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "profile", "user", "registrymodifications.xcu")
        settings.parent.mkdir(parents=True)
        settings.write_text(SETTINGS.format(locale), encoding="utf-8")
        pipe = f"pipe,name={Path(folder).name};urp"
        profile = f"-env:UserInstallation=file://{folder}/profile"
        process = subprocess.Popen(["soffice", profile, "--headless", "--norestore", f"--accept={pipe}"])
        context = connected(f"uno:{pipe};StarOffice.ComponentContext")
        try:
            yield context
        finally:
            made(context, "com.sun.star.frame.Desktop").terminate()
            process.wait(timeout=60)


def connected(address: str) -> Any:
    """Wait until the office answers, for half a minute at most."""
    import uno
    from com.sun.star.connection import NoConnectException

    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    for _ in range(60):
        try:
            return resolver.resolve(address)
        except NoConnectException:
            time.sleep(0.5)
    raise SystemExit("LibreOffice did not answer")


def made(context: Any, service: str) -> Any:
    """Make an object of the office."""
    return context.ServiceManager.createInstanceWithContext(service, context)


def options(**values: object) -> tuple[Any, ...]:
    """Name values the way the office takes them."""
    from com.sun.star.beans import PropertyValue

    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())


def type_book(context: Any, book: TypedBook, path: Path) -> None:
    """Open a blank document, type every sheet into it, and save it in the format of the name."""
    desktop = made(context, "com.sun.star.frame.Desktop")
    document = desktop.loadComponentFromURL("private:factory/scalc", "_blank", 0, ())
    sheets = document.Sheets
    for i, typed in enumerate(book.sheets):
        if i < sheets.Count:
            sheets.getByIndex(i).Name = typed.name
        else:
            sheets.insertNewByName(typed.name, i)
    for typed in reversed(book.sheets):  # a formula may point to a sheet further right, and the first stays in view
        sheet = sheets.getByName(typed.name)
        document.CurrentController.setActiveSheet(sheet)
        type_cells(context, document, typed)
        handle_with_the_mouse(document, sheet, typed, book.locale)
    document.calculateAll()
    saved = options(FilterName=FILTERS[path.suffix[1:]], **({"FilterOptions": book.saved} if book.saved else {}))
    document.storeToURL(path.as_uri(), saved)
    document.close(True)


def type_cells(context: Any, document: Any, typed: Typed) -> None:
    """Go to each cell and enter its keys."""
    dispatcher = made(context, "com.sun.star.frame.DispatchHelper")
    frame = document.CurrentController.Frame
    for i, row in enumerate(keys_of(typed)):
        for j, keys in enumerate(row):
            if keys:
                cell = f"${chr(ord('A') + j)}${i + 1}"
                dispatcher.executeDispatch(frame, ".uno:GoToCell", "", 0, options(ToPoint=cell))
                dispatcher.executeDispatch(frame, ".uno:EnterString", "", 0, options(StringName=keys))


def handle_with_the_mouse(document: Any, sheet: Any, typed: Typed, locale: str) -> None:
    """Merge, format, strike out, comment, hide and filter."""
    from com.sun.star.lang import Locale

    for area in typed.merged:
        sheet.getCellRangeByName(area).merge(True)
    language, _, country = locale.partition("-")
    for area, code in typed.formats:
        place = Locale(language, country, "")
        key = document.NumberFormats.queryKey(code, place, False)
        known = key if key != -1 else document.NumberFormats.addNew(code, place)
        sheet.getCellRangeByName(area).NumberFormat = known
    for cell, text in typed.comments:
        sheet.Annotations.insertNew(sheet.getCellRangeByName(cell).CellAddress, text)
    for area in typed.struck:
        sheet.getCellRangeByName(area).CharStrikeout = 1  # a single line
    sheet.Columns.OptimalWidth = True
    for row in typed.hidden_rows:
        sheet.Rows.getByIndex(row - 1).IsVisible = False
    for letter in typed.hidden_columns:
        sheet.Columns.getByName(letter).IsVisible = False
    if typed.filtered:
        show_only(document, sheet, *typed.filtered)


def show_only(document: Any, sheet: Any, area: str, column: int, text: str) -> None:
    """Set an AutoFilter on a range and show one text of one column."""
    from com.sun.star.sheet import TableFilterField
    from com.sun.star.sheet.FilterOperator import EQUAL

    address = sheet.getCellRangeByName(area).RangeAddress
    document.DatabaseRanges.addNewByName("filtered", address)
    table = document.DatabaseRanges.getByName("filtered")
    table.AutoFilter = True
    descriptor = table.getFilterDescriptor()
    descriptor.ContainsHeader = True
    shown = TableFilterField(Field=column, Operator=EQUAL, IsNumeric=False, StringValue=text)
    descriptor.setFilterFields((shown,))
    table.refresh()


def main(names: list[str]) -> None:
    """Type the books that are named, or all."""
    books = {**typed_tables.BOOKS, **typed_tables_more.BOOKS}
    chosen = {name: book for name, book in books.items() if not names or name in names}
    for locale in sorted({book.locale for book in chosen.values()}):
        with office(locale) as context:
            for name, book in chosen.items():
                if book.locale == locale:
                    type_book(context, book, FILES / name)


if __name__ == "__main__":
    main(sys.argv[1:])
