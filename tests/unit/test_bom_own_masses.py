"""Assembly rows with masses of their own: reported with both commands, and no false alarm on totals."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from massprops_cli.bom.bom import Bom, read_bom
from massprops_cli.bom.rollup import rollup
from massprops_cli.findings.finding import Finding, FindingsError
from tests.examples import first

BASE = "id,parent,mass,Cx,Cy,Cz\nbase,,4,0,0,0\narm,base,3,0,0,1\ntool,arm,0.5,0,0,2\n"
CHAIN = (
    "link,parent,mass_kg,com_x_m,com_y_m,com_z_m\nbase,,5.0,0,0,0.1\narm,base,3.0,0.2,0,0.3\nhand,arm,1.0,0.5,0,0.4\n"
)


def read(tmp_path: Path, text: str, name: str = "bom.csv", **options: Any) -> Bom:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_bom(path, **options)


def own(bom: Bom) -> list[Finding]:
    return [finding for finding in bom.findings if finding.rule == "MP420"]


def records(text: str, **options: Any) -> Bom:
    lines = [line.split() for line in text.strip().splitlines()]
    head, rows = lines[0], lines[1:]
    return Bom.from_records(
        [{key: None if cell == "." else cell for key, cell in zip(head, row, strict=True)} for row in rows], **options
    )


@pytest.mark.parametrize(
    ("text", "totals"),
    [
        (BASE, ("7.5", "0.5")),
        (CHAIN + "finger,hand,0.1,0.6,0,0.4\n", ("9.1 kg", "0.1 kg")),
        (CHAIN + "tool,hand,0,0.6,0,0.4\n", ("9 kg", "0 kg")),
        ("id,parent,mass\nbody,,1.2\nm1,body,0.05\nm2,body,0.05\nm3,body,0.05\nm4,body,0.05\n", ("1.4", "0.2")),
        ("id,parent,qty,mass\nrover,,1,10\nleg,rover,2,3\nwheel,leg,3,0.5\n", ("19", "3")),
    ],
)
def test_masses_of_inner_rows_are_an_error_with_both_totals(
    text: str, totals: tuple[str, str], tmp_path: Path, massprops: Callable[..., Any]
) -> None:
    read(tmp_path, text)
    result = massprops("rollup", tmp_path / "bom.csv", "--make-root", "all")
    assert result.exit_code == 1
    remedy = " ".join(result.output.split())
    words = f"own if each row has a mass of its own next to its children (total {totals[0]})"
    option = "--config assembly-values="
    assert f"pass {option}{words}, or {option}check if the children replace it (total {totals[1]})" in remedy
    for word in ("own", "check"):
        assert f"massprops rollup {tmp_path / 'bom.csv'} --config make-root=all {option}{word}" in remedy
    assert not (tmp_path / "bom.rollup.csv").exists()
    assert result.output.index("MP420") < result.output.find("MP402") or "MP402" not in result.output


@pytest.mark.parametrize(("word", "mass"), [("own", 7.5), ("check", 0.5), ("stated", 4.0), ("ignore", 0.5)])
def test_the_option_decides(word: str, mass: float, tmp_path: Path) -> None:
    bom = read(tmp_path, BASE, assembly_values=word)
    assert not own(bom)
    assert rollup(bom).root.mass == mass


def test_own_masses_stay_in_their_cells(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    read(tmp_path, BASE)
    assert massprops("rollup", tmp_path / "bom.csv", "--assembly-values", "own").exit_code == 0
    rows = (tmp_path / "bom.rollup.csv").read_text().splitlines()
    assert rows[0].startswith("id,parent,mass,Cx,Cy,Cz,total_mass")
    # 4·0 + 3·1 + 0.5·2 = 4 over 7.5
    assert rows[1].split(",")[:7] == ["base", "", "4", "0", "0", "0", "7.5"]
    assert float(rows[1].split(",")[9]) == pytest.approx(4 / 7.5, rel=1e-15)


def test_an_output_of_own_is_still_a_table_of_own_masses(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    read(tmp_path, BASE)
    massprops("rollup", tmp_path / "bom.csv", "--assembly-values", "own")
    assert own(read_bom(tmp_path / "bom.rollup.csv"))
    assert not own(read_bom(tmp_path / "bom.rollup.csv", assembly_values="own"))


def test_blank_and_massless_frames_between_are_looked_through() -> None:
    assert own(records("id parent mass\nbase . 5\nframe base .\narm frame 3\nflange arm 0\nhand flange 0.1"))
    assert not own(records("id parent mass\nbase . 8.1\nframe base .\narm frame 8\nflange arm 0\nhand flange 8"))


@pytest.mark.parametrize(
    "text",
    [
        # two parts to be determined: what is stated is no less than what is known
        "id parent mass\nsat . 30\nbus sat 20\nbox bus 5\nx bus .\npay sat 10\ncam pay 4\ny pay .",
        # rounded totals: 2.6 + 0.9 as 4, 0.45 + 0.08 as 1
        "id parent mass\nsat . 4\na sat 2.6\nb sat 0.9",
        "id parent mass\nsat . 1\na sat 0.45\nb sat 0.08",
        # within 10 %
        "id parent mass\nsat . 110\na sat 60\nb sat 40",
        # one of two
        "id parent mass\nsat . 9\nbus sat 9\na bus 2\nb bus 3",
        # zeros on assemblies, as an ERP system writes them: both readings agree
        "id parent mass\nsat . 0\nbus sat 0\na bus 2\nb sat 3",
        # a part removed with a negative quantity
        "id parent qty mass\nkit . . 6\na kit 1 10\nb kit -1 4",
    ],
)
def test_totals_are_none(text: str) -> None:
    assert not own(records(text))


@pytest.mark.parametrize(
    "text",
    [
        "id parent mass\nsat . 112\na sat 60\nb sat 40",
        "id parent mass\nsat . 88\na sat 60\nb sat 40",
        # less than what is known, with a part to be determined
        "id parent mass\nsat . 2\na sat 60\nb sat .",
        # two of three
        "id parent mass\nsat . 14\nbus sat 9\na bus 3\nb bus 2\npay sat 5\nc pay 5",
    ],
)
def test_what_is_beyond_ten_percent_of_all_children_is_none(text: str) -> None:
    bom = records(text, allow_missing="mass")
    assert bool(own(bom)) == ("sat . 14" not in text)


def tree(seed: int) -> list[list[str]]:
    """Make rows of a random tree with centres; leaves have masses, assemblies none."""
    draw = random.Random(seed)
    names, parents = ["root"], [""]
    for k in range(draw.randint(3, 12)):
        parents.append(draw.choice(names[: 1 + len(names) // 2]))
        names.append(f"n{k}")
    rows = []
    for name, parent in zip(names, parents, strict=True):
        inner = name in parents
        numbers = [""] * 4 if inner else [f"{draw.uniform(0.1, 9):.3g}" for _ in range(4)]
        rows.append([name, parent, *numbers])
    return rows


@pytest.mark.parametrize("seed", first(range(40), 10))
def test_an_output_edited_in_one_leaf_is_none(seed: int, tmp_path: Path, massprops: Callable[..., Any]) -> None:
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    rows = tree(seed)
    source.write_text("id,parent,mass,Cx,Cy,Cz\n" + "\n".join(map(",".join, rows)) + "\n")
    assert massprops("rollup", source, "-o", out).exit_code == 0
    lines = out.read_text().splitlines()
    leaves = [k for k, row in enumerate(rows, 1) if row[2]]
    k = random.Random(seed).choice(leaves)
    cells = lines[k].split(",")
    cells[2] = str(7 * Fraction(cells[2]).limit_denominator(10**6) + 5).partition("/")[0]
    lines[k] = ",".join(cells)
    out.write_text("\n".join(lines) + "\n")
    assert not own(read_bom(out))


@pytest.mark.parametrize("name", ["bom.rollup.csv", "marked.xlsx"])
def test_one_assembly_without_centres_is_known_by_name_or_mark(
    name: str, tmp_path: Path, massprops: Callable[..., Any]
) -> None:
    read(tmp_path, "id,parent,mass\nwing,,\nspar,wing,12.5\nrib,wing,0.4\n")
    massprops("rollup", tmp_path / "bom.csv", "-o", tmp_path / name)
    edit(tmp_path / name)
    assert not own(read_bom(tmp_path / name))


def edit(path: Path) -> None:
    """Give the rib 9 instead of 0.4."""
    if path.suffix == ".csv":
        path.write_text(path.read_text().replace("rib,wing,0.4", "rib,wing,9"))
        return
    import openpyxl

    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    assert sheet["C4"].value == 0.4
    sheet["C4"].value = 9
    book.save(path)


def test_a_workbook_of_own_masses_has_no_marks(tmp_path: Path, massprops: Callable[..., Any]) -> None:
    read(tmp_path, BASE)
    massprops("rollup", tmp_path / "bom.csv", "--assembly-values", "own", "-o", tmp_path / "own.xlsx")
    assert own(read_bom(tmp_path / "own.xlsx"))


def test_a_sibling_at_the_centre_is_not_an_edited_leaf(tmp_path: Path) -> None:
    text = "id,parent,mass,Cx,Cy,Cz\nbody,,1.2,0,0,0\nleft,body,0.1,-1,0,0\nright,body,0.1,1,0,0\npack,body,0.3,0,0,0\n"
    assert own(read(tmp_path, text))


def test_weighed_assemblies_are_left_out() -> None:
    assert not own(records("id parent mass weighed\nsat . . .\nbus sat 9 true\na bus 2 .\nb bus 3 ."))


def test_the_library_raises_both_totals() -> None:
    with pytest.raises(FindingsError, match="MP420"):
        rollup(records("id parent mass\nbase . 4\narm base 3\ntool arm 0.5"))


def test_a_long_chain_takes_no_time_per_level() -> None:
    n = 10_000
    rows = [
        {"id": f"l{k}", "parent": f"l{k - 1}" if k else "", "mass": "1" if k in (0, n - 1) else ""} for k in range(n)
    ]
    assert not own(Bom.from_records(rows))
    rows[0]["mass"] = "5"
    (finding,) = own(Bom.from_records(rows))
    assert "(total 6)" in finding.remedy


def test_links_that_are_alike_do_not_vote_for_totals() -> None:
    # a leg: two links of 0.1, one of 0.02, one of 0.12 and a foot of 0.12; the upper two agree by chance
    rows = [("hip", "", 0.1), ("coxa", "hip", 0.1), ("femur", "coxa", 0.02), ("tibia", "femur", 0.12)]
    rows += [("foot", "tibia", 0.12)]
    bom = Bom.from_records([dict(zip(("id", "parent", "mass"), row, strict=True)) for row in rows])
    assert "MP420" in {finding.rule for finding in bom.findings}
