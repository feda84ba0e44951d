"""Which of several columns of one quantity is read, and which columns are read as none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from massprops_cli.files.table import Table
from massprops_cli.findings import Finding, Severity, found
from massprops_cli.tables.cells.cell_units import is_filled
from massprops_cli.tables.columns.headings import Heading, read_heading, squeeze
from massprops_cli.tables.columns.looks import looks_like_quantity
from massprops_cli.tables.columns.point_words import OWN, said_about
from massprops_cli.tables.columns.same_numbers import one_of_same
from massprops_cli.tables.columns.tuples import read_tuple_header
from massprops_cli.tables.units.quantities import CENTER_COLUMNS, INERTIA_COLUMNS, PRODUCTS

CHOOSES_FIRST = ("name", "part", "method", "item_qty", "unit_qty", *PRODUCTS)
"""Of what a table may well have several columns: the best known name is taken."""


def best_column(
    table: Table, row: int, quantity: str, columns: list[int], headings: Mapping[int, Heading]
) -> tuple[int, list[Finding]]:
    """Choose among the columns that mean one quantity: the canonical name first; two alike are an error.

    Of inertia about several points the one about own centres is taken.
    """
    if len(columns) == 1:
        return columns[0], []
    texts = table.row(row)
    about = {j: said_about(texts[j]) if quantity in INERTIA_COLUMNS else "" for j in columns}
    columns = sorted(columns, key=lambda j: (about[j] != OWN, headings[j].rank, headings[j].order, j))
    first, others = columns[0], columns[1:]
    equals = [j for j in others if (headings[j].rank, about[j]) == (headings[first].rank, about[first])]
    same = one_of_same(table, row, columns, headings) if equals and len(equals) == len(others) else None
    if same is not None:
        return same, [said_same_numbers(table, row, j, same) for j in columns if j != same]
    if equals and (quantity not in CHOOSES_FIRST or squeeze(texts[equals[0]]) == squeeze(texts[first])):
        both = [first, *equals]
        names = " and ".join(texts[j].strip() for j in both)
        return first, [
            found(
                "MP202",
                f"{names} both mean {quantity}",
                table.place(row, equals[0], texts[equals[0]]),
                value=texts[equals[0]],
                remedy=f'rename one, or choose with --map {quantity}="{texts[first].strip()}"',
                related=tuple(table.place(row, j, texts[j]) for j in both),
            )
        ]
    return first, [
        found(
            "MP225",
            f"{texts[j].strip()} is not read, {texts[first].strip()} is taken for {quantity}",
            table.place(row, j, texts[j]),
            value=texts[j],
            remedy=f'choose with --map {quantity}="{texts[j].strip()}"',
        )
        for j in others
    ]


def said_same_numbers(table: Table, row: int, column: int, taken: int) -> Finding:
    """Say which column holds what another one does, in another unit."""
    name = table.text(row, column).strip()
    message = f"{name} is not read: it holds the numbers of {table.text(row, taken).strip()} in another unit"
    return found("MP225", message, table.place(row, column, name), value=name, remedy="delete it, or choose with --map")


def unlisted(table: Table, row: int, quantity: str, column: int, texts: Sequence[str]) -> Finding:
    """Refuse a column that would be a quantity, where a frozen map does not list that quantity."""
    name = texts[column].strip()
    return found(
        "MP245",
        f"{name} would be read as {quantity}, which the frozen map does not list",
        table.place(row, column, texts[column]),
        value=texts[column],
        remedy=f'list it with --map {quantity}="{name}", or freeze the map again with massprops inspect --save-map',
    )


def unread_columns(
    table: Table, row: int, texts: Sequence[str], read: set[int], *, has_center: bool = False
) -> list[Finding]:
    """Say which columns that may be wanted are not read: no name, a name twice, the look of a quantity."""
    findings: list[Finding] = []
    seen: dict[str, int] = {}
    for j, text in enumerate(texts):
        if not text.strip():
            if j not in read and any(cell.strip() for cell in table.texts(j, row + 1)):
                findings.append(
                    found(
                        "MP225",
                        f"column {j + 1} has values and no name, and is not read",
                        table.place(row, j),
                        remedy="give the column a name",
                    )
                )
            continue
        if j not in read and text in seen:
            findings.append(
                found(
                    "MP202",
                    f"two columns are called {text.strip()}",
                    table.place(row, j, text),
                    value=text,
                    severity=Severity.WARNING,
                    remedy="rename one",
                    related=(table.place(row, seen[text], text),),
                )
            )
        elif j not in read and looks_like_quantity(text):
            findings.append(said_unread(table, row, j, has_center=has_center))
        seen.setdefault(text, j)
    return findings


def said_unread(table: Table, row: int, j: int, *, has_center: bool) -> Finding:
    """Say that a column with the look of a quantity is not read, louder of the only centre that a table has."""
    text = table.text(row, j)
    whole = read_tuple_header(text)
    center = whole is not None and read_heading(whole.names[0]).quantity == CENTER_COLUMNS[0]
    if center and not has_center and any(is_filled(cell) for cell in table.texts(j, row + 1)):
        message = f"{text.strip()} looks like the centre of mass, and is not read as its three coordinates"
        remedy = "name each of them above its column, or with --map Cx=… --map Cy=… --map Cz=…"
        return found("MP247", message, table.place(row, j, text), value=text, remedy=remedy)
    return found("MP225", f"{text.strip()} is not read as a quantity", table.place(row, j, text), value=text)
