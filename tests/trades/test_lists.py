import pytest

from tests.trades.make_lists import FILES, check_entry, read_manifest

ENTRIES = read_manifest()


def test_every_list_has_an_entry_in_the_manifest():
    assert sorted(path.name for path in FILES.iterdir()) == sorted(entry["file"] for entry in ENTRIES)


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry["file"] for entry in ENTRIES])
def test_the_manifest_agrees_with_the_cells(entry):
    assert check_entry(entry) == []
