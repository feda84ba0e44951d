"""Tables of many columns and of long headers are read in linear time, or rejected."""

import pytest

from tests.examples import first

resource = pytest.importorskip("resource")


def seconds_of(run):
    """Return the CPU seconds of a call."""
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    run()
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - begun


@pytest.mark.parametrize(
    "case", first([("mass [kg]", 6_000), ("mass [kg]", 16_384), ("note", 16_384), ("qty", 16_384)], 0)
)
def test_columns_of_one_name_take_linear_time(tmp_path, massprops, case):
    name, width = case
    table = tmp_path / "bom.csv"
    filled = ["1"] * (width - 3)
    rows = [["id", "parent", "weight", *[name] * (width - 3)], ["r", "", "", *filled], ["a", "r", "3", *filled]]
    table.write_text("\n".join(map(",".join, rows)))
    # 6,000 times 6,000 steps of Python take 20 s, 15,000 times 15,000 minutes
    assert seconds_of(lambda: massprops("validate", table)) < 15


def test_million_columns_are_rejected(tmp_path, massprops):
    table = tmp_path / "bom.csv"
    table.write_text("id,mass," + ",".join(map(str, range(1_000_000))) + "\na,1" + "," * 1_000_000)
    done = massprops("validate", table)
    assert done.exit_code == 2
    assert "--config cap=columns=1000002" in done.stderr


def test_long_headers_and_brackets_in_a_unit(tmp_path, massprops):
    table = tmp_path / "bom.csv"
    units = ["[" * 50_000 + "]" * 50_000, "(" * 50_000 + "kg" + ")" * 50_000, "kg*" * 15_000]
    for text in ("mass " * 3_200, "a [kg] " * 2_300, "(" * 16_000, *(f"mass [{unit}]" for unit in units)):
        table.write_text(f"id,parent,mass,{text}\nr,,,\na,r,1,2\n")
        assert seconds_of(lambda: massprops("validate", table)) < 4


def test_long_labels_of_totals_take_linear_time(tmp_path, massprops):
    table, text = tmp_path / "bom.csv", tmp_path / "bom.md"
    for label in ("Total" + "=" * 16_000 + "x1", "Total a" + " " * 16_000 + "1!", "Total: " + "1 " * 8_000 + "x"):
        table.write_text(f"Part,Mass (g)\nA,2\nB,3\n{label}\n")
        assert seconds_of(lambda: massprops("validate", table)) < 4
        text.write_text(f"| Part | Mass (g) |\n|---|---|\n| A | 2 |\n| B | 3 |\n\n{label}\n")
        assert seconds_of(lambda: massprops("validate", text)) < 4


def test_many_models_take_linear_time(tmp_path, massprops):
    table = tmp_path / "bom.csv"
    rows = (f"Part {i},M{i * 7919 % 900},{i % 97 + 1}" for i in range(40_000))
    table.write_text("\n".join(["Part,Model,Mass (g)", *rows, ""]))
    assert seconds_of(lambda: massprops("validate", table)) < 4
