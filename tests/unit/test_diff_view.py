"""A waterfall as it is printed: the column adds up, with rounding in a row of its own."""

from __future__ import annotations

import json

import pytest
from bom_tables import bom_of

from massprops_cli.findings.finding import UsageError
from massprops_cli.reports.diff import diff_blocks, diff_markdown, waterfall_rows
from massprops_cli.reports.page.conventions import item_label
from massprops_cli.reports.page.page import ASCII, UNICODE, plain_text
from massprops_cli.revisions.comparison import diff, result_waterfall

HEADER = "id parent mass"


def revisions(*changes: float):
    """Two revisions of a root with a leaf for every change."""
    old, new = (
        bom_of(HEADER, "top . .", *(f"i{k} top {5 + is_new * change!r}" for k, change in enumerate(changes)))
        for is_new in (0, 1)
    )
    return diff(old, new)


def test_rounding_is_a_row_of_its_own():
    # each of 1.0004 is printed as 1.000, and three of them make 3.001
    answer = revisions(1.0004, 1.0004, 1.0004)
    rows = waterfall_rows(result_waterfall(answer))
    assert [(label, change) for label, _, change, *_ in rows] == [
        ("i0", "+1.000"), ("i1", "+1.000"), ("i2", "+1.000"), ("rounding", "+0.001"), ("change", "+3.001"),
    ]  # fmt: skip
    steps = [change for label, _, change, *_ in rows if label != "change"]
    assert sum(round(1000 * float(change)) for change in steps) == 3001


def test_the_rest_is_one_row():
    fall = result_waterfall(revisions(3.0, -2.0, 0.5, 0.25), top=2)
    assert [step.id for step in fall.steps] == ["i0", "i1"]
    assert (fall.n_rest, fall.rest) == (2, 0.75)
    rows = waterfall_rows(fall)
    assert [(label, change) for label, _, change, *_ in rows[2:]] == [("2 other items", "+0.750"), ("change", "+1.750")]
    assert rows[0][-1] == (0.0, 1.0)
    assert rows[1][-1][0] == 1.0


def test_a_change_that_cancels_is_shown():
    rows = waterfall_rows(result_waterfall(revisions(1.0, -1.0)))
    assert [(label, change) for label, _, change, *_ in rows] == [
        ("i0", "+1.000"),
        ("i1", "-1.000"),
        ("change", "0.000"),
    ]


def test_a_quantity_above_is_reported():
    header = "id parent mass qty"
    old = bom_of(header, "top . . .", "box top . 1", "a box 2 1")
    new = bom_of(header, "top . . .", "box top . 3", "a box 2 1")
    answer = diff(old, new)
    assert [step.words for step in result_waterfall(answer).steps] == [("quantity above",)]
    assert [step.words for step in result_waterfall(answer, level=1).steps] == [("quantity",)]
    assert result_waterfall(answer, level=1).steps[0].value == 4


@pytest.mark.parametrize(
    ("weight", "printed"), [(22.8, "+114 %"), (2012.0, "+10060 %"), (-0.5, "-2.5 %"), (0.0024, "+0.012 %")]
)
def test_shares_are_written_without_powers_of_ten(weight, printed):
    header = "id parent mass"
    old, new = (bom_of(header, "top . .", f"a top {mass}") for mass in (20.0, 20.0 + weight))
    answer = diff(old, new)
    assert printed in plain_text(diff_blocks(answer, result_waterfall(answer), UNICODE), None, UNICODE)


def test_a_comment_mentions_no_person():
    header = "id parent mass"
    answer = diff(bom_of(header, "top . .", "@all top 2"), bom_of(header, "top . .", "@all top 3", "#12 top 1"))
    text = diff_markdown(answer, result_waterfall(answer))
    assert "@" not in text
    assert "| &#64;&#8203;all | mass | +1.000 |" in text
    assert "| &#35;&#8203;12 | added | +1.000 |" in text


def test_ascii_screens_get_ascii():
    page = plain_text(diff_blocks(answer := revisions(1.0, -0.5), result_waterfall(answer), ASCII), None, ASCII)
    assert page.isascii()
    assert "######" in page


def test_nothing_to_show():
    answer = revisions(0.0)
    page = plain_text(diff_blocks(answer, result_waterfall(answer), UNICODE), None, UNICODE)
    assert "mass of top: no change" in page
    assert "|" not in diff_markdown(answer, result_waterfall(answer))


def test_results_that_are_not_there():
    answer = revisions(1.0)
    with pytest.raises(UsageError, match="the nearest is Ixx"):
        result_waterfall(answer, "Ixxx")
    with pytest.raises(UsageError, match="Cx is not known in both files"):
        result_waterfall(answer, "Cx")
    with pytest.raises(UsageError, match="sigma_mass is not known"):
        result_waterfall(answer, "sigma_mass")


_POSED = (
    "id parent mass[kg] Cx[m] Cy[m] Cz[m] Ixx Iyy Izz sigma_mass sigma_Cx sigma_Cy sigma_Cz "
    "sigma_Ixx sigma_Iyy sigma_Izz tx[m] ty[m] tz[m] frame sigma_tx[m]"
)
_POINTS = ("A M 1 0 0 0 1.1 1.2 1.3 0 0 0 0 0 0 0 1 0 0 own .", "B R 1 0 0 0 1.1 1.2 1.3 0 0 0 0 0 0 0 0 0 0 own .")


def test_contributions_that_are_not_known_are_null():
    # no column has the sigmas of the products, so the parts of the leaves are not known; that of the root is:
    # Izz = 2.6 + x²/2 of two masses of 1 kg x = 1 m apart, so sigma_Izz = x sigma_tx
    old, new = (
        bom_of(_POSED, f"R{18 * ' .'} own .", f"M R{14 * ' .'} 0 0 0 own {sigma}", *_POINTS) for sigma in (0.01, 0.02)
    )
    answer = diff(old, new)
    fall = result_waterfall(answer, "sigma_Izz")
    data = fall.to_dict()
    assert (data["before"], data["after"], data["unchanged"], data["rounding"]) == (
        pytest.approx(0.01), pytest.approx(0.02), None, None,
    )  # fmt: skip
    for one in (data, answer.to_dict(), *(row.to_dict() for row in answer.rows())):
        json.dumps(one, allow_nan=False)
    page = plain_text(diff_blocks(answer, fall, UNICODE), None, UNICODE)
    assert "contributions not known" in page
    assert "contributions not known" in diff_markdown(answer, fall)


def test_an_id_without_a_letter_has_the_name_of_its_item():
    labels = [item_label(*pair) for pair in (("1.2", "Bolt"), ("7-3", "Nut"), ("A1", "Plate"), ("9", ""), ("9", "9"))]
    assert labels == ["1.2  Bolt", "7-3  Nut", "A1", "9", "9"]


POSITIONS = "Level,Description,Qty,Mass [g]\n0,Sat,1,\n1,Frame,1,\n2,Plate,2,20\n2,Bolt,10,6\n1,Bolt,3,6\n"


def test_positions_have_names_in_diff_check_and_whatif(massprops, tmp_path):
    (old := tmp_path / "old.csv").write_text(POSITIONS)
    (new := tmp_path / "new.csv").write_text(POSITIONS.replace("1,Bolt,3", "1,Bolt,4"))
    (budget := tmp_path / "b.toml").write_text('[[budget]]\nitem = "1.2"\nmass-max = "5 g"\n')
    assert "  1.2  Bolt  " in massprops("diff", old, new).stdout
    assert "  1.2  Bolt  " in massprops("check", old, "--budget", budget).stdout
    assert "\n1.1  Frame\n" in massprops("whatif", old, "--set", "1.1.1.mass=21").stdout
