"""Old and binary workbooks: names of streams in any case, and the limit of characters of a cell."""

from pathlib import Path

import pytest

_SAMPLES = Path(__file__).parents[1]
_OLD = _SAMPLES / "tables" / "traps" / "typed_fractions.xls"


@pytest.mark.parametrize("name", ["WORKBOOK", "workbook", "wOrKbOoK"])
def test_stream_of_any_case_is_read(tmp_path, massprops, name):
    data, usual = _OLD.read_bytes(), "Workbook".encode("utf-16-le")
    assert data.count(usual) == 1
    table = tmp_path / "bom.xls"
    table.write_bytes(data)
    expected = massprops("convert", table, "-o", "-", "--to", "csv")
    assert expected.exit_code == 0
    table.write_bytes(data.replace(usual, name.encode("utf-16-le")))
    done = massprops("convert", table, "-o", "-", "--to", "csv")
    assert (done.exit_code, done.stdout) == (0, expected.stdout)


@pytest.mark.parametrize("path", [_OLD, *sorted(_SAMPLES.rglob("*.xlsb"))[:1]], ids=lambda path: path.suffix)
def test_long_cell_of_calamine_is_rejected(massprops, path):
    done = massprops("validate", path, "--cap", "cell-characters=1")
    assert done.exit_code in (1, 2)
    assert "MP114" in done.stderr + done.stdout
    assert "--cap cell-characters=" in done.stderr + done.stdout
