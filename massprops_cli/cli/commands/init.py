"""``massprops init``: an empty template and a commented configuration; never overwrites a file."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from massprops_cli.cli.option_groups import command_option
from massprops_cli.cli.streams import EXIT_OK, report_screen
from massprops_cli.findings import OutputError, UsageError
from massprops_cli.reports import TextSpan, text_line

MORE = """

bom-template.csv, bom-template.xlsx (with a row of units) and massprops.toml; if one of them exists, none is written.
"""

_TEMPLATE_FILES = ("bom-template.csv", "bom-template.xlsx", "massprops.toml")


@dataclass(frozen=True)
class _InitOptions:
    """The folder to write to."""

    folder: str = command_option("folder", "init")


def command(folder: _InitOptions) -> int:
    """Check that none of the files exists, then write all three.

    Parameters
    ----------
    folder : InitOptions
        Folder to write to.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    UsageError
        The path is not a folder, or a file exists.
    OutputError
        A file cannot be written.
    """
    there = Path(folder.folder)
    if there.exists() and not there.is_dir():
        raise UsageError(f"{there}: path is not a folder")
    existing = [name for name in _TEMPLATE_FILES if (there / name).exists() or (there / name).is_symlink()]
    if existing:
        raise UsageError(f"{there / existing[0]}: file exists; init never overwrites a file, and nothing was written")
    templates = files("massprops_cli.cli").joinpath("templates")
    contents = {
        _TEMPLATE_FILES[0]: templates.joinpath("bom-template.csv").read_bytes(),
        _TEMPLATE_FILES[1]: _template_workbook(),
        _TEMPLATE_FILES[2]: templates.joinpath("massprops.toml").read_bytes(),
    }
    try:
        there.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            with (there / name).open("xb") as file:
                file.write(content)
    except OSError as error:
        raise OutputError(f"{error.filename or there}: {error.strerror or error}") from None
    screen = report_screen(data_on_stdout=False)
    screen.show([text_line(TextSpan(screen.symbols.good, "good"), f" {there / name}") for name in _TEMPLATE_FILES])
    return EXIT_OK


def _template_workbook() -> bytes:
    """Return the workbook: the header with a note on each column, and a row of units."""
    import io
    from datetime import datetime

    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.styles import Alignment, Font, PatternFill
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "BOM"
    for row in _template_rows():
        sheet.append(row)
    for cell in sheet[1]:
        cell.font, cell.fill = Font(bold=True, color="FFFFFF"), PatternFill("solid", fgColor="1F4E79")
        cell.alignment = Alignment(horizontal="center")
        cell.comment = Comment(
            _COLUMN_NOTES.get(str(cell.value), "one standard deviation, in the column's unit"), "template"
        )
        sheet.column_dimensions[get_column_letter(cell.column or 1)].width = 14 if (cell.column or 0) < 4 else 11
    for cell in sheet[2]:
        cell.font, cell.alignment = Font(italic=True, color="7F7F7F"), Alignment(horizontal="center")
    sheet.freeze_panes = "C3"
    book.properties.creator = "massprops"
    book.properties.created = book.properties.modified = datetime(2000, 1, 1)
    out = io.BytesIO()
    book.save(out)
    return _remove_timestamps(out.getvalue())


def _remove_timestamps(workbook: bytes) -> bytes:
    """Remove timestamps from a workbook, so that the template is reproducible."""
    import io
    import re
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2000-01-01T00:00:00Z", content)
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            new.writestr(info, content)
    return out.getvalue()


_VALUE_COLUMNS = ("mass", "Cx", "Cy", "Cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_VALUE_UNITS = ("kg", *("m",) * 3, *("kg*m^2",) * 6)
_COLUMN_NOTES = {
    "id": "unique name of the item in the tree; text, compared exactly",
    "parent": "id of the assembly that contains the item; empty for the root",
    "name": "designation of the item; not interpreted",
    "mass": "mass of one piece; blank on assemblies",
    **{f"C{axis}": "centre of mass in the common frame of the table" for axis in "xyz"},
    **{f"I{axis}{axis}": "moment of inertia about the item's own centre of mass" for axis in "xyz"},
    **{
        f"I{pair}": "product of inertia about the item's own centre of mass, in the sign convention of POIconv"
        for pair in ("xy", "xz", "yz")
    },
    "POIconv": "- if Ixy is the tensor entry (-integral of xy dm), + if it is the integral",
    "Ipoint": "true for a point mass, without inertia of its own",
}


def _template_rows() -> list[list[str | None]]:
    """Return the workbook's rows: the names of the columns, and their units."""
    header = [
        "id",
        "parent",
        "name",
        *_VALUE_COLUMNS,
        "POIconv",
        "Ipoint",
        *(f"sigma_{name}" for name in _VALUE_COLUMNS),
    ]
    return [[*header], [None, None, None, *_VALUE_UNITS, None, None, *_VALUE_UNITS]]
