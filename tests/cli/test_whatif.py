"""What-if and tree on the screen."""

from __future__ import annotations

import json

import openpyxl
import pytest
import xlsxwriter

import massprops_cli as mp


def test_set_changes_every_assembly_above(run, bom):
    result = run("whatif", bom, "--set", "a.mass=4")
    assert result.exit_code == 0, result.output
    words = " ".join(result.stdout.split())
    assert "mass 5 7 +2 kg" in words
    assert "inertia unchanged" in words


def test_ids_hold_dots(run, tmp_path):
    path = tmp_path / "dots.csv"
    path.write_text("id,parent,mass\nP,,\nP.1,P,2\nP.1.x,P,3\n")
    assert "mass 5 6" in " ".join(run("whatif", path, "--set", "P.1.x.mass=4").stdout.split())
    assert "mass 5 3" in " ".join(run("whatif", path, "--drop", "P.1").stdout.split())
    assert "mass 5 7" in " ".join(run("whatif", path, "--scale", "P.1.mass=2").stdout.split())


def test_json_lines_are_the_items_of_the_json(run, bom):
    printed = [run("whatif", bom, "--set", "a.mass=4", "--format", form).stdout for form in ("json", "jsonl")]
    assert [json.loads(line) for line in printed[1].splitlines()] == json.loads(printed[0])["items"]


def test_findings_of_the_table_are_reported_and_count(run, tmp_path):
    path = tmp_path / "zero.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,2\nb,top,0\n")
    printed = run("whatif", path, "--set", "a.mass=4")
    assert printed.exit_code == 0
    assert "1 warning" in printed.stderr
    assert "MP4" in printed.stderr
    assert "MP4" not in printed.stdout
    for form in ("json", "concise", "full"):
        failed = run("whatif", path, "--set", "a.mass=4", "--fail-on", "warning", "--format", form)
        assert failed.exit_code == 1
        assert "MP4" in failed.stderr
    assert run("whatif", path, "--set", "a.mass=4", "-q").output == ""
    assert json.loads(run("whatif", path, "--set", "a.mass=4", "-q", "--format", "json").stdout)
    ignored = run("whatif", path, "--set", "a.mass=4", "--fail-on", "warning", "--ignore", "MP4")
    assert (ignored.exit_code, ignored.stderr) == (0, "")


def test_wrong_changes_are_rejected(run, bom):
    for change in (["--set", "top.mass=4"], ["--set", "a.colour=4"], ["--set", "a.mass=x"], ["--drop", "z"], []):
        result = run("whatif", bom, *change)
        assert result.exit_code == 2, change
        assert result.stdout == ""


def test_tree_shows_shares_and_counts_what_is_deeper(run, tmp_path):
    path = tmp_path / "deep.csv"
    path.write_text("id,parent,mass,qty\nt,,,\na,t,,2\nb,a,1,3\nc,t,4,1\n")
    whole = run("tree", path).stdout
    assert "10" in whole  # 2 * 3 * 1 + 4
    assert "60 %" in whole.replace("60.0", "60")
    cut = run("tree", path, "--depth", "1").stdout
    assert "1 below" in cut
    assert not any(line.split()[1:2] == ["b"] for line in cut.splitlines())


def test_tree_as_json_and_markdown(run, tmp_path):
    path = tmp_path / "deep.csv"
    path.write_text("id,parent,mass\ntop,,\na,top,\nb,a,2\n")
    printed = json.loads(run("tree", path, "--depth", "1", "--format", "json").stdout)
    assert [(item["id"], item["mass"]) for item in printed["items"]] == [("top", 2.0), ("a", 2.0)]
    fenced = run("tree", path, "--format", "md").stdout
    assert fenced.startswith("```\n")
    assert fenced.endswith("```\n")
    lines = run("tree", path, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["top", "a", "b"]


def test_whatif_as_markdown(run, bom):
    fenced = run("whatif", bom, "--set", "a.mass=4", "--format", "md").stdout
    assert fenced.startswith("```\n")
    assert "difference" in fenced


def test_sigmas_follow_their_values_and_errors_of_the_edit_are_errors(run, tmp_path):
    path = tmp_path / "window.csv"
    path.write_text("id,parent,mass [kg],mass_min,mass_max\nR,,,,\nA,R,10,9,11\nB,R,5,4,6\n")
    rejected = run("whatif", path, "--set", "A.mass=20")
    assert rejected.exit_code == 1
    assert "MP507" in rejected.stdout
    assert "mass is not between mass_min and mass_max: A" in rejected.stdout
    assert "difference" not in rejected.stdout
    path.write_text("id,parent,mass [kg],sigma_mass [%]\nR,,,\nA,R,10,10\nB,R,5,10\n")
    for changes in (("A.mass=20", "A.sigma_mass=5"), ("A.sigma_mass=5", "A.mass=20")):
        printed = run("whatif", path, "--format", "json", *(word for text in changes for word in ("--set", text)))
        after = json.loads(printed.stdout)["items"][0]["after"]
        assert abs(after["sigma_mass"] - 1.25**0.5) < 1e-14  # 5 % of 20, 10 % of 5


HEADER = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz"


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_numbers_that_are_not_known_are_null(run, tmp_path, form):
    """Products without a sign, and sigmas that are blank, are not known before nor after."""
    path = tmp_path / "signs.csv"
    path.write_text(f"{HEADER}\nt,,,,,,,,,,,\na,t,2,0,0,0,1,1,1,0.1,0,0\nb,t,3,1,0,0,1,1,1,0,0,0\n")
    printed = run("whatif", path, "--set", "a.mass=4", "--format", form)
    assert "MP999" not in printed.output
    assert "NaN" not in printed.stdout
    items = json.loads(printed.stdout)["items"] if form == "json" else [json.loads(printed.stdout)]
    assert (items[0]["before"]["mass"], items[0]["after"]["mass"]) == (5.0, 7.0)
    for side in ("before", "after", "difference"):
        assert items[0][side]["Ixy"] is None
        assert items[0][side]["Ixx"] is not None
    blank = tmp_path / "sigmas.csv"
    blank.write_text(
        "id,parent,mass,sigma_mass,Cx,Cy,Cz,sigma_Cx,sigma_Cy,sigma_Cz\n"
        "t,,,,,,,,,\na,t,2,0.1,0,0,0,0.1,,0.1\nb,t,3,0.1,1,0,0,0.1,0.1,0.1\n"
    )
    printed = run("whatif", blank, "--set", "a.mass=4", "--format", form, "--allow-missing", "sigma")
    assert "MP999" not in printed.output
    items = json.loads(printed.stdout)["items"] if form == "json" else [json.loads(printed.stdout)]
    assert items[0]["after"]["sigma_Cy"] is None
    assert items[0]["after"]["sigma_Cx"] > 0


def words_of(printed):
    return " ".join(printed.stdout.split())


PARTLY_PLACED = f"{HEADER}\nt,,,,,,,,,,,\na,t,6,0,0,0,1,1,1,0,0,0\nc,t,6,2,0,0,1,1,1,0,0,0\nb,t,4,,,,1,1,1,0,0,0\n"


def test_a_mass_that_can_only_grow_is_marked(run, tmp_path):
    path = tmp_path / "partly.csv"
    path.write_text("id,parent,qty,mass\nt,,,\na,t,1,6\nb,t,1,\n")
    assert "mass ≥ 6 ≥ 7 +1" in words_of(run("whatif", path, "--set", "a.mass=7", "--allow-missing", "mass"))
    assert "mass ≥ 6 13 +7" in words_of(run("whatif", path, "--set", "b.mass=7", "--allow-missing", "mass"))
    assert "mass ≥ 6 6" not in words_of(run("whatif", path, "--drop", "b", "--allow-missing", "mass"))
    path.write_text("id,parent,qty,mass\nt,,,\na,t,1,6\nb,t,-1,\n")
    removed = words_of(run("whatif", path, "--set", "a.mass=7", "--allow-missing", "mass"))
    assert "mass 6 7 +1 of 1 of 2 leaves" in removed
    assert "≥" not in removed


def test_centres_and_moments_of_a_part_of_the_mass_are_marked(run, tmp_path):
    """Of 16 are 12 placed, 75 %: their centre 1, and Iyy 2 + 6·1 + 6·1 = 14; with c at 4 these are 2 and 50."""
    path = tmp_path / "partly.csv"
    path.write_text(PARTLY_PLACED)
    printed = words_of(run("whatif", path, "--set", "c.Cx=4", "--allow-missing", "center"))
    assert "Cx 1 2 +1 of 75.0 % of the mass" in printed
    assert "Iyy ≥ 14 ≥ 50 +36" in printed
    printed = words_of(run("whatif", path, "--drop", "b", "--set", "c.Cx=4", "--allow-missing", "center"))
    assert "Cx 1 2 +1 before: of 75.0 % of the mass" in printed
    assert "Iyy ≥ 14 50 +36" in printed
    whole = path.with_name("whole.csv")
    whole.write_text(PARTLY_PLACED.replace("b,t,4,,,", "b,t,4,1,0,0"))
    printed = words_of(run("whatif", whole, "--set", "c.Cx=4"))
    assert "≥" not in printed
    assert "of the mass" not in printed


def test_the_coverage_before_and_after_is_in_the_json(run, tmp_path):
    path = tmp_path / "partly.csv"
    path.write_text(PARTLY_PLACED)
    printed = run("whatif", path, "--drop", "b", "--allow-missing", "center", "--format", "json")
    covered = json.loads(printed.stdout)["items"][0]["coverage"]
    assert covered["before"] == {
        "leaves": 3,
        "mass": 3,
        "center": 2,
        "inertia": 2,
        "center_share_of_mass": 0.75,
        "inertia_share_of_mass": 0.75,
        "mass_lower_bound": False,
        "moments_lower_bound": True,
    }
    after = covered["after"]
    assert [after[name] for name in ("leaves", "mass", "center", "inertia")] == [2, 2, 2, 2]
    assert (after["center_share_of_mass"], after["moments_lower_bound"]) == (1.0, False)


def test_the_coverage_counts_the_leaves_of_branches_that_are_not_touched(run, tmp_path):
    path = tmp_path / "whole.csv"
    path.write_text("id,parent,mass\nt,,\nA,t,\na,A,1\nb,A,2\nB,t,\nc,B,3\nd,B,4\ne,B,5\n")
    printed = run("whatif", path, "--set", "a.mass=4", "--format", "json")
    items = {item["id"]: item["coverage"] for item in json.loads(printed.stdout)["items"]}
    assert [(items["t"][side]["leaves"], items["A"][side]["leaves"]) for side in ("before", "after")] == [(5, 2)] * 2
    printed = run("whatif", path, "--drop", "a", "--format", "json")
    assert json.loads(printed.stdout)["items"][0]["coverage"]["after"]["leaves"] == 4


def test_scaled_cells_have_the_fewest_digits(run, tmp_path):
    """2.781 · 1.1 is 3.0591000000000004 in doubles."""
    (tmp_path / "a.csv").write_text("id,parent,mass [kg],sigma_mass [kg]\nS,,,\nA,S,2.781,0.019\nB,S,1,0.1\n")
    assert run("whatif", tmp_path / "a.csv", "--scale", "A.mass=1.1", "-o", tmp_path / "b.csv").exit_code == 0
    assert (tmp_path / "b.csv").read_text().splitlines()[2] == "A,S,3.0591,0.0209"


@pytest.mark.parametrize(
    ("rows", "mass"),
    [
        ("A,1/B,2/Total,3", 7),
        ("A,1/B,2/Total,3/Margin,0.3/Total with margin,3.3", 7),
        ("A,1/B,2/Subtotal X,3/C,4/Subtotal Y,4/Total,7", 11),
        ("A,8.5/MGA,0.6/LGA,0.3/Total,9.4", 5.9),  # the total showed that MGA is a part
    ],
)
def test_a_changed_list_has_none_of_its_sums_of_before(tmp_path, rows, mass):
    """A of 5 kg next to the other parts."""
    (tmp_path / "list.csv").write_text("Item,Mass [kg]\n" + rows.replace("/", "\n") + "\n")
    answer = mp.whatif(tmp_path / "list.csv", set={"A.mass": 5})
    assert mp.rollup(answer.changed_bom()).root.mass == pytest.approx(mass, rel=1e-15)


def test_formulas_of_parts_keep_no_value_of_before(tmp_path):
    """10 % of 5 kg and of 2 kg are 0.7 kg; the saved 1.65 kg of the formula of A is that of 1.5 kg."""
    with xlsxwriter.Workbook(tmp_path / "bom.xlsx") as book:
        sheet = book.add_worksheet()
        for i, row in enumerate([("Item", "Mass [kg]", "Growth %"), ("A", 1.5, 10), ("B", 2, 10)]):
            sheet.write_row(i, 0, row)
        sheet.write(0, 3, "Mass with growth [kg]")
        for i, value in ((1, 1.65), (2, 2.2)):
            sheet.write_formula(i, 3, f"=B{i + 1}*(1+C{i + 1}/100)", None, value)
    result = mp.rollup(mp.whatif(tmp_path / "bom.xlsx", set={"A.mass": 5}).changed_bom())
    assert result.predicted is not None
    assert result.predicted.bodies.mass[result.bom.tree.order[0]] == pytest.approx(7.7, rel=1e-15)
    assert "MP414" not in {one.rule for one in result.findings}


def test_an_item_may_be_named_by_its_part_number(tmp_path):
    (tmp_path / "bom.csv").write_text("Level,Part Number,Description,Mass (g)\n0,TOP,Arm,\n1,P-1,Base,9\n1,P-2,Lid,2\n")
    answer = mp.whatif(tmp_path / "bom.csv", set={"P-1.mass": 10})
    assert mp.rollup(answer.changed_bom()).root.mass == 12


def test_a_changed_workbook_with_totals_and_a_margin_is_rolled_up_again(run, tmp_path):
    """Parts of 1 and 2 kg with a margin of 10 %; the formulas of the totals keep no value from before the change."""
    rows = [("Item", "Mass [kg]"), ("A", 1), ("B", 2)]
    sums = [("Total", "=SUM(B2:B3)", 3), ("Margin 10 %", "=0.1*B4", 0.3), ("Total with margin", "=B4+B5", 3.3)]
    with xlsxwriter.Workbook(tmp_path / "bom.xlsx") as book:
        sheet = book.add_worksheet()
        for i, row in enumerate(rows):
            sheet.write_row(i, 0, row)
        for i, (name, formula, value) in enumerate(sums, len(rows)):
            sheet.write(i, 0, name)
            sheet.write_formula(i, 1, formula, None, value)
    answer = mp.whatif(tmp_path / "bom.xlsx", set={"A.mass": 5})
    assert mp.rollup(answer.changed_bom()).root.mass == 7
    assert run("whatif", tmp_path / "bom.xlsx", "--set", "A.mass=5", "-o", tmp_path / "out.xlsx").exit_code == 0
    cell = openpyxl.load_workbook(tmp_path / "out.xlsx").active["B2"]
    assert (cell.value, cell.fill.fill_type) == (5, None)  # an input, without the mark of computed cells
