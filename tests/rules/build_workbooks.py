"""Files that cannot lie in a folder as readable text: workbooks, broken bytes, wrong calls; made on demand.

Each function makes its file in a folder and gives the command line that meets the rule; BAD and GOOD hold
them by rule.
"""

from __future__ import annotations

import datetime
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import xlsxwriter
from openpyxl.styles import Font, PatternFill

Builder = Callable[[Path], list[str]]
BAD: dict[str, list[Builder]] = {}
GOOD: dict[str, list[Builder]] = {}

ROWS: list[list[Any]] = [["id", "parent", "mass"], ["Wing", None, None], ["Spar", "Wing", 12.5], ["Rib", "Wing", 0.4]]
TEXT = "id,parent,mass\nWing,,\nSpar,Wing,12.5\nRib,Wing,0.4\n"
SHEET = "xl/worksheets/sheet1.xml"


def bad(code: str) -> Callable[[Builder], Builder]:
    """Register a builder whose command must report the rule."""
    return lambda builder: BAD.setdefault(code, []).append(builder) or builder


def good(*codes: str) -> Callable[[Builder], Builder]:
    """Register a builder whose command must not report these rules."""

    def register(builder: Builder) -> Builder:
        for code in codes:
            GOOD.setdefault(code, []).append(builder)
        return builder

    return register


def validate(path: Path, *options: str) -> list[str]:
    return ["validate", str(path), "--format", "json", *options]


def rollup(path: Path, *options: str) -> list[str]:
    return ["rollup", str(path), "--format", "full", *options]


def convert(path: Path, target: str, *options: str) -> list[str]:
    return ["convert", str(path), "-o", str(path.with_name(target)), "--format", "full", *options]


def text(folder: Path, content: str | bytes = TEXT, name: str = "bom.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def book(folder: Path, change: Callable[[Any], object] = lambda sheet: None, name: str = "bom.xlsx") -> Path:
    """Save the small table with openpyxl after a change to its sheet."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.title = "Parts"
    for row in ROWS:
        sheet.append(row)
    change(sheet)
    workbook.save(folder / name)
    return folder / name


def written_book(folder: Path, write: Callable[[Any, Any], object]) -> Path:
    """Save the small table with XlsxWriter, which can write formulas with their values."""
    with xlsxwriter.Workbook(str(folder / "bom.xlsx")) as workbook:
        sheet = workbook.add_worksheet("Parts")
        for i, row in enumerate(ROWS):
            sheet.write_row(i, 0, row)
        write(sheet, workbook)
    return folder / "bom.xlsx"


def repacked(path: Path, change: Callable[[str, bytes], bytes], extra: tuple[tuple[str, bytes], ...] = ()) -> Path:
    """Rewrite the members of an archive, and add some."""
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in (*((n, change(n, c)) for n, c in members), *extra):
            archive.writestr(name, content)
    return path


def same(name: str, content: bytes) -> bytes:
    return content


@good("MP101", "MP102", "MP103", "MP104", "MP105", "MP107", "MP113", "MP114", "MP115", "MP901")
@good("MP116", "MP117", "MP118", "MP119", "MP120", "MP128")
def an_ordinary_workbook(folder: Path) -> list[str]:
    return validate(book(folder), "--sheet", "Parts", "--select", "MP")


@bad("MP101")
def no_such_file(folder: Path) -> list[str]:
    return validate(folder / "missing.csv")


@bad("MP101")
def a_folder(folder: Path) -> list[str]:
    return validate(folder)


@bad("MP102")
def encrypted(folder: Path) -> list[str]:
    free, end, fat = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    head += struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<9I", 0, 1, 1, 0, 4096, end, 0, end, 0)
    head += struct.pack("<109I", 0, *[free] * 108)
    table = struct.pack("<128I", fat, end, *[free] * 126)

    def entry(name: str, kind: int, child: int, right: int) -> bytes:
        letters = name.encode("utf-16-le") + b"\0\0"
        fields = struct.pack("<HBB3I", len(letters), kind, 1, free, right, child)
        return letters.ljust(64, b"\0") + fields + bytes(36) + struct.pack("<IQ", end, 0)

    names = entry("Root Entry", 5, 1, free) + entry("EncryptedPackage", 2, free, 2)
    names += entry("EncryptionInfo", 2, free, free) + bytes(128)
    return validate(text(folder, head + table + names, "bom.xlsx"))


@good("MP102")
def protected_sheet(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.protection.enable()))


@bad("MP103")
def workbook_called_csv(folder: Path) -> list[str]:
    return validate(book(folder).rename(folder / "bom.csv"))


@bad("MP104")
def cut_off(folder: Path) -> list[str]:
    path = book(folder)
    return validate(text(folder, path.read_bytes()[: path.stat().st_size // 2], "bom.xlsx"))


@bad("MP105")
def drawing(folder: Path) -> list[str]:
    return validate(text(folder, b"AC1032\0\0\x03\x00" + bytes(range(256)), "drawing.dwg"))


LATIN = TEXT.replace("Spar", "Ø12").encode("cp1252")


@bad("MP106")
def old_encoding(folder: Path) -> list[str]:
    return validate(text(folder, LATIN))


@good("MP106")
def stated_encoding(folder: Path) -> list[str]:
    return validate(text(folder, LATIN), "--encoding", "cp1252")


@bad("MP107")
def nul_byte(folder: Path) -> list[str]:
    return validate(text(folder, TEXT.replace("12.5", "12\0.5")))


def two_sheets(folder: Path) -> Path:
    return book(folder, lambda sheet: sheet.parent.copy_worksheet(sheet))


@bad("MP112")
def two_revisions(folder: Path) -> list[str]:
    return validate(two_sheets(folder))


@good("MP112")
def one_revision_named(folder: Path) -> list[str]:
    return validate(two_sheets(folder), "--sheet", "Parts")


@good("MP112")
@bad("MP142")
def only_one_sheet_fits(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.parent.create_sheet("Notes").append(["checked by", "Ada"])))


@good("MP142")
def sheet_next_to_notes_named(folder: Path) -> list[str]:
    path = book(folder, lambda sheet: sheet.parent.create_sheet("Notes").append(["checked by", "Ada"]))
    return validate(path, "--sheet", "Parts")


@bad("MP113")
def sheet_misspelt(folder: Path) -> list[str]:
    return validate(book(folder), "--sheet", "Prats")


DEEP = "level,id,mass\n0,Wing,\n1,Rib,\n2,Clip,\n3,Nut,0.1\n"


@bad("MP114")
def too_deep(folder: Path) -> list[str]:
    return validate(text(folder, DEEP), "--cap", "depth=2")


@good("MP114")
def deep_enough(folder: Path) -> list[str]:
    return validate(text(folder, DEEP), "--cap", "depth=5")


@bad("MP114")
def zip_bomb(folder: Path) -> list[str]:
    return validate(repacked(book(folder), lambda n, c: c + b" " * 30_000_000 if n == SHEET else c))


@bad("MP115")
def one_name_twice(folder: Path) -> list[str]:
    return validate(repacked(book(folder), same, ((SHEET, b"<worksheet/>"),)))


@bad("MP115")
def outside_its_folder(folder: Path) -> list[str]:
    return validate(repacked(book(folder), same, (("../../escaped.xml", b"<a/>"),)))


@bad("MP115")
def document_type(folder: Path) -> list[str]:
    def declare(name: str, content: bytes) -> bytes:
        return (
            re.sub(rb"<worksheet ", b'<!DOCTYPE a [<!ENTITY e "x">]><worksheet ', content) if name == SHEET else content
        )

    return validate(repacked(book(folder), declare))


@bad("MP116")
def never_calculated(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.__setitem__("C3", "=10+2.5")))


@good("MP116")
def calculated(folder: Path) -> list[str]:
    return validate(written_book(folder, lambda sheet, _: sheet.write_formula("C3", "=10+2.5", None, 12.5)))


@bad("MP226")
def id_turned_date(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.__setitem__("A3", datetime.date(2026, 1, 2))))


@good("MP226")
def date_in_another_column(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.__setitem__("H3", datetime.date(2026, 1, 2))))


@bad("MP117")
def divided_by_zero(folder: Path) -> list[str]:
    return validate(written_book(folder, lambda sheet, _: sheet.write_formula("C3", "=1/0", None, "#DIV/0!")))


@good("MP117")
def text_that_looks_like_an_error(folder: Path) -> list[str]:
    return validate(written_book(folder, lambda sheet, _: sheet.write_string("A3", "#REF 12")))


@bad("MP118")
def merged_parents(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.merge_cells("B3:B4")))


@bad("MP119")
def hidden_row(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: setattr(sheet.row_dimensions[4], "hidden", True)))


@good("MP119")
def low_row(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: setattr(sheet.row_dimensions[4], "height", 3)))


def in_font(**look: Any) -> Callable[[Any], None]:
    def change(sheet: Any) -> None:
        for cell in sheet[4]:
            cell.font = Font(**look)

    return change


@bad("MP120")
def struck_out(folder: Path) -> list[str]:
    return validate(book(folder, in_font(strike=True)))


@good("MP120")
def in_italics(folder: Path) -> list[str]:
    return validate(book(folder, in_font(italic=True)))


def summed_by_hand(folder: Path) -> Path:
    return written_book(folder, lambda sheet, _: sheet.write_formula("C2", "=C3+C4", None, 12.9))


@bad("MP121")
def formula_on_an_assembly(folder: Path) -> list[str]:
    return rollup(summed_by_hand(folder))


@good("MP121")
def formula_overwritten(folder: Path) -> list[str]:
    return rollup(summed_by_hand(folder), "--overwrite-formulas")


@bad("MP135")
def summed_with_its_parts(folder: Path) -> list[str]:
    return rollup(written_book(folder, lambda sheet, _: sheet.write_formula("F1", "=SUM(C2:C9)", None, 12.9)))


@good("MP135")
def parts_summed(folder: Path) -> list[str]:
    return rollup(written_book(folder, lambda sheet, _: sheet.write_formula("F1", "=SUM(C3:C9)", None, 12.9)))


@bad("MP136")
def read_by_a_formula(folder: Path) -> list[str]:
    return rollup(written_book(folder, lambda sheet, _: sheet.write_formula("F1", "=C2*9.81", None, 0)))


@good("MP136")
def formula_of_a_part(folder: Path) -> list[str]:
    return rollup(written_book(folder, lambda sheet, _: sheet.write_formula("F1", "=C3*9.81", None, 29.43)))


@bad("MP122")
def signed(folder: Path) -> list[str]:
    kind = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"
    place = f'<Relationship Id="rSig" Type="{kind}" Target="_xmlsignatures/origin.sigs"/>'
    sort = "application/vnd.openxmlformats-package.digital-signature-origin"
    origin = f'<Default Extension="sigs" ContentType="{sort}"/>'

    def sign(name: str, content: bytes) -> bytes:
        if name == "_rels/.rels":
            return content.replace(b"</Relationships>", f"{place}</Relationships>".encode())
        if name == "[Content_Types].xml":
            return content.replace(b"</Types>", f"{origin}</Types>".encode())
        return content

    return rollup(repacked(book(folder), sign, (("_xmlsignatures/origin.sigs", b""),)))


@good("MP122", "MP123")
def unsigned(folder: Path) -> list[str]:
    return rollup(book(folder))


@bad("MP132")
def converted_formula(folder: Path) -> list[str]:
    with xlsxwriter.Workbook(str(folder / "sums.xlsx")) as workbook:
        sheet = workbook.add_worksheet()
        for i, row in enumerate(ROWS):
            sheet.write_row(i, 0, row)
        sheet.write_formula("C4", "=0.2*2", value=0.4)
    return ["convert", str(folder / "sums.xlsx"), "--to", "csv", "-o", str(folder / "out.csv"), "--format", "json"]


@good("MP132")
def converted_values(folder: Path) -> list[str]:
    return ["convert", str(book(folder)), "--to", "csv", "-o", str(folder / "out.csv"), "--format", "json"]


@bad("MP134")
def partial_file_of_a_killed_run(folder: Path) -> list[str]:
    (folder / ".out.csv.massprops-0123abcd.part").write_text("half")
    return ["convert", str(book(folder)), "-o", str(folder / "out.csv")]


@good("MP134")
def partial_file_of_another_program(folder: Path) -> list[str]:
    (folder / ".out.csv.0123abcd.part").write_text("half")
    return ["convert", str(book(folder)), "-o", str(folder / "out.csv")]


@bad("MP123")
def old_workbook(folder: Path) -> list[str]:
    import xlwt

    workbook = xlwt.Workbook()
    sheet = workbook.add_sheet("Parts")
    for i, row in enumerate(ROWS):
        for j, value in enumerate(row):
            if value is not None:
                sheet.write(i, j, value)
    workbook.save(str(folder / "bom.xls"))
    return rollup(folder / "bom.xls")


def named(folder: Path, name: str) -> Path:
    return written_book(folder, lambda sheet, _: sheet.write_string("A4", name))


@bad("MP124")
def text_like_a_formula(folder: Path) -> list[str]:
    return convert(named(folder, '=HYPERLINK("http://example.org")'), "bom.csv")


@good("MP124")
def minus_x_panel(folder: Path) -> list[str]:
    return convert(named(folder, "-X panel"), "bom.csv")


@good("MP124")
def formula_text_kept_from_csv(folder: Path) -> list[str]:
    return convert(text(folder, TEXT.replace("Rib", "=Rib()")), "bom.tsv")


@bad("MP128")
def stray_cell(folder: Path) -> list[str]:
    return validate(book(folder, lambda sheet: sheet.__setitem__("XFD1048576", "x")))


@good("MP128")
def stray_format(folder: Path) -> list[str]:
    fill = PatternFill("solid", "FFFF00")
    return validate(book(folder, lambda sheet: setattr(sheet["XFD1048576"], "fill", fill)))


def noted(folder: Path, note: str) -> Path:
    return text(folder, f"id,parent,mass,note\nWing,,,\nSpar,Wing,12.5,{note}\n")


@bad("MP129")
def long_note(folder: Path) -> list[str]:
    return convert(noted(folder, "a" * 40_000), "bom.xlsx")


@good("MP129")
def long_note_to_text(folder: Path) -> list[str]:
    return convert(noted(folder, "a" * 40_000), "bom.tsv")


def chain(folder: Path) -> Path:
    links = "".join(f"{k},{k - 1},1\n" for k in range(1, 40_000))
    return text(folder, f"id,parent,mass\n0,,1\n{links}")


@bad("MP130")
def too_deep_for_item_numbers(folder: Path) -> list[str]:
    return convert(chain(folder), "dotted.csv", "--to-layout", "dotted", "--cap", "depth=40000")


@good("MP130")
def deep_with_levels(folder: Path) -> list[str]:
    return convert(chain(folder), "levels.csv", "--to-layout", "level", "--cap", "depth=40000")


@good("MP129", "MP130")
def line_break(folder: Path) -> list[str]:
    return convert(noted(folder, '"two\nlines"'), "bom.xlsx")


@bad("MP131")
def own_sheet_called_rollup(folder: Path) -> list[str]:
    return rollup(book(folder, lambda sheet: sheet.parent.create_sheet("Rollup").append(["mine"])))


@good("MP131")
def own_sheet_called_mass(folder: Path) -> list[str]:
    return rollup(book(folder, lambda sheet: sheet.parent.create_sheet("Mass").append(["mine"])))


IN_MILLIMETRES = "id,parent,mass [g],Cx [mm],Cy [mm],Cz [mm]\nWing,,,,,\nSpar,Wing,12500,1,2,3\n"


@bad("MP211")
def to_si(folder: Path) -> list[str]:
    return rollup(text(folder, IN_MILLIMETRES), "--units", "SI")


@good("MP211")
def own_units(folder: Path) -> list[str]:
    return rollup(text(folder, IN_MILLIMETRES))


@bad("MP208")
def metres_and_ounces(folder: Path) -> list[str]:
    head = "id,parent,mass [t],Cx [in],Cy [in],Cz [in],Ixx [oz*mm^2],Iyy [oz*mm^2],Izz [oz*mm^2]"
    head += ",Ixy [oz*mm^2],Ixz [oz*mm^2],Iyz [oz*mm^2]"
    return validate(text(folder, f"{head}\nWing{',' * 11}\nSpar,Wing,1,1,1,1,2,3,4,0,0,0\n"))


@good("MP208")
def kilograms_and_millimetres(folder: Path) -> list[str]:
    head = "id,parent,mass [kg],Cx [mm],Cy [mm],Cz [mm],Ixx [kg*mm^2],Iyy [kg*mm^2],Izz [kg*mm^2]"
    head += ",Ixy [kg*mm^2],Ixz [kg*mm^2],Iyz [kg*mm^2]"
    return validate(text(folder, f"{head}\nWing{',' * 11}\nSpar,Wing,1,1,1,1,2,3,4,0,0,0\n"))


def numbered(folder: Path, *items: Any) -> Path:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.append(["item", "name", "mass"])
    sheet.append([items[0], "Wing", None])
    for k, item in enumerate(items[1:], start=1):
        sheet.append([item, f"Rib {k}", 0.4])
    workbook.save(folder / "bom.xlsx")
    return folder / "bom.xlsx"


@bad("MP314")
def ten_became_one(folder: Path) -> list[str]:
    return validate(numbered(folder, 1, *(1 + k / 10 for k in range(1, 10)), 1.1))


@good("MP314")
def ten_as_text(folder: Path) -> list[str]:
    return validate(numbered(folder, "1", *(f"1.{k}" for k in range(1, 11))))


@bad("MP901")
def misspelt_rule(folder: Path) -> list[str]:
    return validate(text(folder), "--select", "MP3O1")


def configured(folder: Path, content: str) -> list[str]:
    config = text(folder, content, "other.toml")
    return validate(book(folder), "--config", str(config))


@bad("MP902")
def misspelt_key(folder: Path) -> list[str]:
    return configured(folder, '[read]\nshet = "Parts"\n')


@good("MP902")
def known_key(folder: Path) -> list[str]:
    return configured(folder, '[read]\nsheet = "Parts"\n')


GROUPS = "id,parent,mass,sigma_mass,corr_group\nWing,,,,\nSpar,Wing,4,1,1\nRib,Wing,4,1,2\nSkin,Wing,4,1,3\n"


def correlated(folder: Path, *rows: str) -> list[str]:
    """Roll up three parts, each in a group of its own, with a file of correlations between the groups."""
    matrix = text(folder, "\n".join(["a,b,quantity,rho", *rows]) + "\n", "correlations.csv")
    return rollup(text(folder, GROUPS), "--correlations", str(matrix))


@bad("MP515")
def too_much(folder: Path) -> list[str]:
    return correlated(folder, "1,2,mass,1.5")


@bad("MP515")
def two_correlations(folder: Path) -> list[str]:
    return correlated(folder, "1,2,mass,0.5", "2,1,mass,0.6")


@bad("MP515")
def centers_not_shared(folder: Path) -> list[str]:
    return correlated(folder, "1,2,Cx,0.5")


@bad("MP516")
def misspelt_group(folder: Path) -> list[str]:
    return correlated(folder, "1,22,mass,0.5")


@bad("MP517")
def impossible_chain(folder: Path) -> list[str]:
    return correlated(folder, "1,2,mass,0.9", "2,3,mass,0.9")


@good("MP515", "MP516", "MP517")
def possible_chain(folder: Path) -> list[str]:
    return correlated(folder, "1,2,mass,0.9", "2,3,mass,0.9", "1,3,mass,0.7", "3,1,mass,0.7")


def two_parts(folder: Path, sigma: str) -> list[str]:
    """Sample two parts, 2 m apart."""
    rows = [f"{name},Both,10,{sigma},{x},0,0,0.001,0.001,0.001" for name, x in (("Left", 0), ("Right", 2))]
    header = "id,parent,mass [kg],sigma_mass,Cx [m],Cy [m],Cz [m],sigma_Cx,sigma_Cy,sigma_Cz"
    table = text(folder, "\n".join([header, "Both,,,,,,,,,", *rows]) + "\n")
    return rollup(table, "--uncertainty", "montecarlo", "--config", "samples=40000")


@bad("MP518")
def large_sigmas(folder: Path) -> list[str]:
    return two_parts(folder, "2")


@good("MP518")
def small_sigmas(folder: Path) -> list[str]:
    return two_parts(folder, "0.1")


def shown(folder: Path, *formats: str) -> list[str]:
    """Write masses in kg whose cells have these number formats."""

    def change(sheet: Any) -> None:
        sheet["C1"] = "mass [kg]"
        for row, code in enumerate(formats, 3):
            sheet.cell(row, 3).number_format = code

    return validate(book(folder, change))


@bad("MP239")
def kilograms_shown_as_grams(folder: Path) -> list[str]:
    return shown(folder, "General", '0.0" g"')


@bad("MP239")
def mass_shown_in_percent(folder: Path) -> list[str]:
    return shown(folder, "0%")


@good("MP239")
def kilograms_shown_as_such_and_as_tonnes(folder: Path) -> list[str]:
    return shown(folder, '0.0" kg"', '0.0000,\\ "t"')


@bad("MP290")
def masses_missing(folder: Path) -> list[str]:
    path = folder / "bom.csv"
    path.write_text(TEXT.replace("0.4", ""), encoding="utf-8")
    return rollup(path, "--allow-missing", "mass")


@good("MP290")
def masses_whole(folder: Path) -> list[str]:
    path = folder / "bom.csv"
    path.write_text(TEXT, encoding="utf-8")
    return rollup(path)


def _two_files(folder: Path, first: str, second: str, *options: str) -> list[str]:
    """Write two texts and return the command that reads both."""
    (folder / "one.csv").write_text(first)
    (folder / "two.csv").write_text(second)
    more = ["--tree", "two.csv"] if "--tree" in options else ["two.csv"]
    return ["validate", "one.csv", *more, *(word for word in options if word != "--tree"), "--format", "json"]


_MASSES = "id,mass\nWing,\nSpar,12.5\nRib,0.4\n"


@bad("MP325")
def tree_with_an_id_that_is_not_in_the_table(folder: Path) -> list[str]:
    return _two_files(folder, _MASSES, "id,parent\nSpar,Wing\nRib2,Wing\n", "--tree")


@bad("MP325")
def tree_with_two_parents(folder: Path) -> list[str]:
    return _two_files(folder, _MASSES, "id,parent\nSpar,Wing\nRib,Wing\nRib,Spar\n", "--tree")


@bad("MP325")
def tree_that_differs_from_the_parents_of_the_table(folder: Path) -> list[str]:
    return _two_files(folder, TEXT, "id,parent\nSpar,Wing\nRib,Spar\n", "--tree")


@good("MP325", "MP327")
def tree_with_headers(folder: Path) -> list[str]:
    return _two_files(folder, _MASSES, "id,parent\nSpar,Wing\nRib,Wing\n", "--tree")


@bad("MP327")
def tree_without_headers_that_state_a_direction(folder: Path) -> list[str]:
    return _two_files(folder, _MASSES, "from,to\nWing,Spar\nWing,Rib\n", "--tree")


@bad("MP326")
def files_with_two_masses(folder: Path) -> list[str]:
    return _two_files(folder, TEXT, "id,mass\nSpar,12.7\n", "--combine", "id")


@good("MP326")
def files_with_masses_and_tree(folder: Path) -> list[str]:
    return _two_files(
        folder, "id,parent\nWing,\nSpar,Wing\nRib,Wing\n", "id,mass\nSpar,12.7\nRib,1\n", "--combine", "id"
    )


@bad("MP328")
def branches_with_one_id(folder: Path) -> list[str]:
    return _two_files(folder, TEXT, "id,parent,mass\nTail,,\nSpar,Tail,2\n", "--combine", "branch")


@good("MP328")
def branches_with_ids_of_their_own(folder: Path) -> list[str]:
    return _two_files(folder, TEXT, "id,parent,mass\nTail,,\nFin,Tail,2\n", "--combine", "branch")
