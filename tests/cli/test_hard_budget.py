"""One budget for reading: small files that would need gigabytes are rejected soon and in little memory."""

import gzip
import json
import os
import subprocess
import sys
import zipfile

import pytest

from tests.examples import first

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="memory of a child process is measured with wait4")


_MEASURED = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=2)
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""
"""A small process between: the memory of a child begins with that of its parent."""


def xlsx_of_one_string(path, text, rows):
    """Write a workbook whose rows all show one shared string."""
    header = "".join(
        f'<c r="{column}1" t="inlineStr"><is><t>{name}</t></is></c>'
        for column, name in zip("ABCD", ("id", "parent", "mass [kg]", "remark"), strict=True)
    )
    cells = "".join(
        f'<row r="{k}"><c r="A{k}"><v>{k}</v></c><c r="C{k}"><v>1</v></c><c r="D{k}" t="s"><v>0</v></c></row>'
        for k in range(2, rows + 2)
    )
    relation = f'<Relationship Id="{{}}" Type="{_OFFICE}/{{}}" Target="{{}}"/>'
    relations = f'<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": relations.format(relation.format("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations.format(
            relation.format("r1", "worksheet", "s.xml") + relation.format("r2", "sharedStrings", "t.xml")
        ),
        "xl/s.xml": f'<worksheet xmlns="{_SHEET}"><sheetData><row r="1">{header}</row>{cells}</sheetData></worksheet>',
        "xl/t.xml": f'<sst xmlns="{_SHEET}"><si><t>{text}</t></si></sst>',
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def ods_of_repeated_rows(path, text, rows):
    """Write a workbook with one row that is repeated."""
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    header = "".join(map(cell.format, ("id", "mass [kg]", "remark")))
    row = "".join(map(cell.format, ("a", "1", text)))
    content = (
        f'<office:document-content xmlns:office="{_ODF}:office:1.0" xmlns:table="{_ODF}:table:1.0" '
        f'xmlns:text="{_ODF}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">'
        f"<table:table-row>{header}</table:table-row>"
        f'<table:table-row table:number-rows-repeated="{rows}">{row}</table:table-row>'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("content.xml", content)


def long_string_xlsx(path):
    xlsx_of_one_string(path, "x" * 1_000_000, 4_000)


def hidden_long_string_xlsx(path):
    """The text has what looks like ends of texts: in comments, and in quoted sections."""
    piece = "x" * 1_000 + "<!--</si>-->" + "x" * 1_000 + "<![CDATA[</si>]]>"
    xlsx_of_one_string(path, piece * 500, 4_000)


def processed_long_string_xlsx(path):
    xlsx_of_one_string(path, ("x" * 1_000 + "<?p </si>?>") * 1_000, 4_000)


def often_string_xlsx(path):
    xlsx_of_one_string(path, "x" * 32_000, 20_000)


def repeated_row_ods(path):
    ods_of_repeated_rows(path, "x" * 30_000, 1_000_000)


def short_repeated_row_ods(path):
    ods_of_repeated_rows(path, "x", 1_000_000)


def repeated_cells_ods(path):
    cells = '<table:table-cell table:number-columns-repeated="1000" office:value-type="string"><text:p>y'
    ods_of_repeated_rows(path, f"x</text:p></table:table-cell>{cells}", 600)


def blanks_ods(path):
    ods_of_repeated_rows(path, '<text:s text:c="999999999"/>', 1)


def blank_lines_gz(path):
    with gzip.open(path, "wb", 1) as file:
        file.write(b"id,parent,mass\n")
        for _ in range(400):
            file.write(b"\n" * 1_000_000)


def new_keys_jsonl(path):
    path.write_text("".join(f"{json.dumps({'id': f'a{k}', f'key{k}': 1})}\n" for k in range(20_000)))


def long_field_csv(path):
    path.write_bytes(b"id,parent,mass\nr,,\n" + b"x" * 200_000_000 + b",r,1\n")


def long_field_json(path):
    path.write_bytes(b'[{"id": "' + b"x" * 200_000_000 + b'", "mass": 1}]')


def many_rows_parquet(path):
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"mass": pa.array(np.zeros(31_000_000, np.int8))}), path)


def one_text(rows):
    import numpy as np
    import pyarrow as pa

    return pa.table({"id": pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), pa.array(["x" * 1_000_000]))})


def zeros_parquet(path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"mass": [0] * 200}), path)


def four_texts_feather(path):
    from pyarrow import feather

    feather.write_feather(one_text(4), path)


def one_text_parquet(path):
    from pyarrow import parquet

    parquet.write_table(one_text(4_000), path, compression="zstd")


def one_text_feather(path):
    from pyarrow import feather

    feather.write_feather(one_text(4_000), path, compression="zstd")


def doubling_csv(path):
    edges = "".join(f"n{k},n{k + 1}{side},1\nn{k + 1}{side},n{k + 1},1\n" for k in range(24) for side in "ab")
    path.write_text(f"parent,child,quantity\n{edges}")


def long_paths_csv(path, levels=16):
    name = "n" * 1_000
    edges = "".join(
        f"{name}{k},{name}{k + 1}{s},1\n{name}{k + 1}{s},{name}{k + 1},1\n" for k in range(levels) for s in "ab"
    )
    path.write_text(f"parent,child,quantity\n{edges}")


EXPANSIONS = [
    ("bom.xlsx", hidden_long_string_xlsx, "cell-characters"),
    ("bom.ods", repeated_row_ods, "characters"),
    ("bom.csv.gz", blank_lines_gz, "ratio"),
    ("bom.jsonl", new_keys_jsonl, "cells"),
    ("bom.csv", long_field_csv, "text-cell-characters"),
    ("edges.csv", doubling_csv, "items"),
    ("bom.ods", repeated_cells_ods, "repeated-cells"),
    ("bom.parquet", one_text_parquet, "characters"),
    ("bom.xlsx", long_string_xlsx, "cell-characters"),
    ("bom.xlsx", processed_long_string_xlsx, "cell-characters"),
    ("bom.xlsx", often_string_xlsx, "characters"),
    ("bom.ods", short_repeated_row_ods, "repeated-cells"),
    ("bom.ods", blanks_ods, "cell-characters"),
    ("bom.json", long_field_json, "text-cell-characters"),
    ("bom.parquet", many_rows_parquet, "cells"),
    ("bom.feather", one_text_feather, "characters"),
    ("edges.csv", long_paths_csv, "characters"),
]
"""A file, what writes it, and the cap that it exceeds: the ways to expand first."""


@pytest.mark.parametrize("case", first(EXPANSIONS, 3), ids=lambda case: case[1].__name__)
def test_expansion_is_rejected_soon_and_in_little_memory(tmp_path, case):
    name, build, cap = case
    path = tmp_path / name
    build(path)
    command = [sys.executable, "-m", "massprops_cli", "rollup", str(path), "-o", "out.csv"]
    run = subprocess.run(
        [sys.executable, "-S", "-c", _MEASURED, *command], cwd=tmp_path, capture_output=True, timeout=60, check=True
    )
    code, seconds, memory = json.loads(run.stdout)
    printed = run.stderr.decode()
    assert code in (1, 2)
    assert "MP114" in printed
    assert f"--config cap={cap}=" in printed
    assert seconds < 5
    assert memory < 500 * 1024 * (1024 if sys.platform == "darwin" else 1)


SMALL = {
    "one long string": ("t.xlsx", lambda path: xlsx_of_one_string(path, "x" * 2_000, 2), "cell-characters", 1_000),
    "a string with an instruction": (
        "t.xlsx",
        lambda path: xlsx_of_one_string(path, ("x" * 500 + "<?p </si>?>") * 4, 2),
        "cell-characters",
        1_000,
    ),
    "a string in many rows": ("t.xlsx", lambda path: xlsx_of_one_string(path, "x" * 500, 40), "characters", 10_000),
    "repeated rows": ("t.ods", lambda path: ods_of_repeated_rows(path, "x", 2_000), "repeated-cells", 1_000),
    "blanks": ("t.ods", lambda path: ods_of_repeated_rows(path, '<text:s text:c="999"/>', 1), "cell-characters", 500),
    "a long field": (
        "t.json",
        lambda path: path.write_text(json.dumps([{"id": "x" * 2_000, "mass": 1}])),
        "text-cell-characters",
        1_000,
    ),
    "many rows": ("t.parquet", zeros_parquet, "cells", 100),
    "a text in many rows": ("t.feather", four_texts_feather, "characters", 1_000_000),
    "long paths": ("t.csv", lambda path: long_paths_csv(path, 8), "characters", 10_000),
}


@pytest.mark.parametrize("case", SMALL)
def test_a_small_file_above_a_lower_cap_is_rejected(case, tmp_path, massprops):
    """What make slow shows of large files with the default caps."""
    name, build, cap, number = SMALL[case]
    build(tmp_path / name)
    done = massprops("validate", tmp_path / name, "--config", f"cap={cap}={number}")
    assert done.exit_code in (1, 2)
    assert "MP114" in done.output
    assert f"--config cap={cap}=" in done.output


def write_correlated_table(folder, groups):
    """Write a root with two parts of sigma 0.1 kg in each group, and neighbouring groups with correlation 0.3."""
    rows = "".join(f"P{i},R,1,0.1,G{i % groups}\n" for i in range(2 * groups))
    (folder / "bom.csv").write_text(f"id,parent,mass [kg],sigma mass [kg],corr_group\nR,,,,\n{rows}")
    pairs = "".join(f"G{i},G{i + 1},mass,0.3\n" for i in range(groups - 1))
    (folder / "pairs.csv").write_text(f"a,b,quantity,rho\n{pairs}")


@pytest.mark.parametrize("groups", first([1_000, 3_000], 1))
def test_thousands_of_correlated_groups_take_seconds_and_little_memory(tmp_path, groups):
    write_correlated_table(tmp_path, groups)
    words = ["rollup", "bom.csv", "--correlations", "pairs.csv", "-o", "out.csv"]
    command = [sys.executable, "-m", "massprops_cli", *words]
    run = subprocess.run(
        [sys.executable, "-S", "-c", _MEASURED, *command], cwd=tmp_path, capture_output=True, timeout=120, check=True
    )
    code, seconds, memory = json.loads(run.stdout)
    assert code == 0
    # a group has the sigma 0.2, and two neighbours the covariance 0.3 × 0.2²
    expected = 0.2 * (groups + 2 * 0.3 * (groups - 1)) ** 0.5
    root = (tmp_path / "out.csv").read_text().splitlines()[1].split(",")
    assert float(root[3]) == pytest.approx(expected, rel=1e-12)
    assert seconds < 10
    assert memory < 500 * 1024 * (1024 if sys.platform == "darwin" else 1)


def test_long_field_is_found_wherever_it_begins():
    from massprops_cli.files.encoding import check_field_lengths
    from massprops_cli.findings.finding import TableError

    for before in range(0, 90, 7):
        text = b"ab,\n" * before
        check_field_lengths("bom.csv", text + b"x" * 64 + b",1\n" + text, 64)
        with pytest.raises(TableError, match="more than 64 characters"):
            check_field_lengths("bom.csv", text + b"x" * 65 + b",1\n" + text, 64)
