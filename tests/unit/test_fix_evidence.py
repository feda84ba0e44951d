"""Repairs of tensors by slips: only what one tensor explains is changed. Closed forms of solids are the truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import massprops_cli as mp
from massprops_cli.bodies.bodies import _is_valid_but_for_Izz, full_tensors
from massprops_cli.cli.app import app
from tests.examples import first

HEAD = "id,parent,mass,Cx,Cy,Cz,Ixx,Iyy,Izz,Ixy,Ixz,Iyz,POIconv,shape,dims,axis\nT,,,,,,,,,,,,,,,\n"
C = np.array([0.3, -0.4, 0.5])


def box(m: float, a: float, b: float, c: float) -> np.ndarray:
    return m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b, 0, 0, 0])


def sphere(m: float, r: float) -> np.ndarray:
    return 0.4 * m * r * r * np.array([1, 1, 1, 0, 0, 0])


def cylinder(m: float, r: float, length: float, axis: tuple[float, float, float] = (0, 0, 1)) -> np.ndarray:
    """Moments m r²/2 along the axis, m (3 r² + L²)/12 across."""
    u = np.array(axis) / np.linalg.norm(axis)
    along, across = m * r * r / 2, m * (3 * r * r + length * length) / 12
    full = across * np.eye(3) + (along - across) * np.outer(u, u)
    return full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def steiner(m: float, d: np.ndarray) -> np.ndarray:
    x, y, z = d
    return m * np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])


def bracket(m: float) -> np.ndarray:
    """An L of a plate 0.4 × 0.2 × 0.02 and one of 0.02 × 0.2 × 0.3, with two of its edges chamfered away: products."""
    one, two = m * 0.4 / 0.7, m * 0.3 / 0.7
    a, b = np.array([0.2, 0.1, 0.01]), np.array([0.01, 0.16, 0.15])
    middle = (one * a + two * b) / m
    first, second = box(one, 0.4, 0.2, 0.02), box(two, 0.02, 0.2, 0.3)
    return first + steiner(one, a - middle) + second + steiner(two, b - middle)


OBLIQUE = cylinder(5, 0.05, 1.0, (1, 0.8, 1.3))
SOLIDS = {
    "box": (box(5, 0.2, 0.3, 0.4), "box,a=0.2; b=0.3; c=0.4,"),
    "cylinder": (cylinder(5, 0.1, 0.5), "cylinder,r=0.1; L=0.5,"),
    "oblique cylinder": (OBLIQUE, 'cylinder,r=0.05; L=1,"1,0.8,1.3"'),
    "sphere": (sphere(5, 0.2), "sphere,r=0.2,"),
}


def row(name: str, c: np.ndarray, tensor: np.ndarray, solid: str = ",,", mass: float = 5) -> str:
    return f"{name},T,{mass},{','.join(f'{x:.9g}' for x in [*c, *tensor])},-,{solid}\n"


def fix(folder: Path, text: str, *more: str, suffix: str = "csv") -> tuple[int, str, Path]:
    source, out = folder / f"a.{suffix}", folder / f"b.{suffix}"
    source.write_text(text)
    result = CliRunner().invoke(app, ["convert", "--fix", str(source), "-o", str(out), "--format", "full", *more])
    return result.exit_code, " ".join(result.output.split()), out


def tensor_of(path: Path, name: str = "A", **options: object) -> np.ndarray:
    return mp.rollup(mp.read_bom(path, **options), keep_going=True)[name].inertia


def flipped(tensor: np.ndarray, k: int) -> np.ndarray:
    return tensor * (1 - 2 * np.eye(6)[k])


def exchanged(tensor: np.ndarray, i: int, j: int) -> np.ndarray:
    order = list(range(6))
    order[i], order[j] = j, i
    return tensor[order]


SLIPS = {
    **{f"sign of {k}": (lambda t, k=k: flipped(t, k)) for k in (3, 4, 5)},
    "all signs": lambda t: t * [1, 1, 1, -1, -1, -1],
    **{f"exchange {i} {j}": (lambda t, i=i, j=j: exchanged(t, i, j)) for i, j in ((0, 1), (0, 2), (1, 2), (4, 5))},
}  # fmt: skip


def is_valid(six: np.ndarray) -> bool:
    low, middle, high = np.linalg.eigvalsh(full_tensors(six))
    return low > 0 and low + middle >= high


@pytest.mark.spread(2)
@pytest.mark.parametrize("name", SLIPS)
def test_slips_with_several_explanations_change_nothing(tmp_path: Path, name: str) -> None:
    """A rod along (1, 0.8, 1.3): the sign of each of its products makes it impossible, and several slips possible."""
    wrong = SLIPS[name](OBLIQUE)
    assert is_valid(OBLIQUE)
    assert not is_valid(wrong)
    text = HEAD + row("A", C, wrong)
    code, output, out = fix(tmp_path, text)
    assert code == 1, output
    assert out.read_text() == text
    assert "slips explain it" in output
    assert ", ".join(f"{x:.6g}" for x in OBLIQUE) in output  # the truth is among what is listed


def test_the_only_slip_is_corrected_without_evidence(tmp_path: Path) -> None:
    """Row order makes moments of products, of which two are negative: nothing else explains that."""
    code, output, out = fix(tmp_path, HEAD + row("A", C, OBLIQUE[[0, 3, 4, 1, 5, 2]]))
    assert code == 0, output
    assert tensor_of(out) == pytest.approx(full_tensors(OBLIQUE), rel=1e-7, abs=1e-9)


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", SLIPS)
@pytest.mark.parametrize("evidence", ["part at the mirrored place", "shape"])
def test_evidence_selects_the_right_one_of_several_slips(tmp_path: Path, name: str, evidence: str) -> None:
    twin = row("B", C * [1, -1, 1], OBLIQUE * [1, 1, 1, -1, 1, -1])
    is_shape = evidence == "shape"
    text = row("A", C, SLIPS[name](OBLIQUE), SOLIDS["oblique cylinder"][1] if is_shape else ",,")
    code, output, out = fix(tmp_path, HEAD + text + ("" if is_shape else twin))
    assert code == 0, output
    assert tensor_of(out) == pytest.approx(full_tensors(OBLIQUE), rel=1e-7, abs=1e-9)
    assert ("compared with the shape" in output) == is_shape


@pytest.mark.parametrize("sign", [1, -1])
def test_sign_of_a_small_product_needs_a_close_counterpart(tmp_path: Path, sign: int) -> None:
    """Izz with one digit too many and a product of 1 % of it: the right one of the pair decides on Izz only."""
    truth = np.array([2.0, 2, 0.4, 0.02, 0, 0])
    twin = row("B", C * [1, -1, 1], truth * [1, 1, 1, -sign, 1, 1])
    code, output, out = fix(tmp_path, HEAD + row("A", C, truth * [1, 1, 100, 1, 1, 1]) + twin)
    assert code == 0, output
    assert tensor_of(out) == pytest.approx(full_tensors(truth), rel=1e-9, abs=1e-12)


def test_equal_explanations_count_once(tmp_path: Path) -> None:
    """A rod about its end: m d² added once, or the tensor of four times the mass."""
    rod, d = cylinder(5, 1e-6, 1.0, (1, 0, 0)), np.array([0.5, 0, 0])
    text = HEAD + row("A", d, rod + steiner(5, d), "cylinder,r=0.000001; L=1,x")
    code, output, out = fix(tmp_path, text)
    assert code == 0, output
    assert tensor_of(out) == pytest.approx(full_tensors(rod), rel=1e-5, abs=1e-9)


def test_a_moment_of_ordinary_size_is_not_divided_by_ten_without_evidence(tmp_path: Path) -> None:
    wrong, zero = np.array([2, 2.4, 6, 0, 0, 0]), np.zeros(3)
    text = HEAD + row("A", zero, wrong)
    code, output, out = fix(tmp_path, text)
    assert code == 1
    assert out.read_text() == text
    assert "the nearest valid tensor" in output
    a, b, c = np.sqrt(6 / 5 * np.array([2.4 + 0.6 - 2, 2 + 0.6 - 2.4, 2 + 2.4 - 0.6]))
    code, output, out = fix(tmp_path, HEAD + row("A", zero, wrong, f"box,a={a}; b={b}; c={c},"))
    assert code == 0, output
    assert np.diag(tensor_of(out)) == pytest.approx([2, 2.4, 0.6], rel=1e-6)


@pytest.mark.spread(2)
@pytest.mark.parametrize(("name", "sign"), [*((name, 1) for name in SOLIDS), ("box", -1), ("sphere", -1)])
@pytest.mark.parametrize("about", ["", "origin"])
def test_valid_tensor_with_a_wrong_parallel_axis_term(tmp_path: Path, name: str, sign: int, about: str) -> None:
    """About the origin where that about the centre is stated, and the converse, of the size of the tensor."""
    truth, solid = SOLIDS[name]
    c = np.array([0.03, 0.05, 0.02]) if sign < 0 else C
    wrong = truth + sign * steiner(5, c) + (steiner(5, c) if about else 0)
    more = ("--inertia-about", about) if about else ()
    code, output, out = fix(tmp_path, HEAD + row("A", c, wrong, solid), *more)
    assert code == 0, output
    assert "m d²" in output
    options = {"inertia_about": about} if about else {}
    assert tensor_of(out, **options) == pytest.approx(full_tensors(truth), rel=1e-6, abs=1e-8)


def test_impossible_tensor_without_its_parallel_axis_term(tmp_path: Path) -> None:
    """With d along x, Iyy and Izz lose m d² and Ixx does not: no moment is negative, but the largest is too large."""
    truth, d = np.array([2.0, 2.6, 2.7, 0, 0, 0]), np.array([0.6, 0, 0])
    wrong = truth - steiner(5, d)
    assert (wrong[:3] > 0).all()
    assert not is_valid(wrong)
    solid = np.sqrt(6 / 5 * np.array([2.6 + 2.7 - 2, 2 + 2.7 - 2.6, 2 + 2.6 - 2.7]))
    a, b, c = solid.tolist()
    code, output, out = fix(tmp_path, HEAD + row("A", d, wrong, f"box,a={a}; b={b}; c={c},"))
    assert code == 0, output
    assert np.diag(tensor_of(out)) == pytest.approx(truth[:3], rel=1e-6)


PLACES = [np.array([1, 1, 1]), np.array([1, -1, 1]), np.array([-1, 1, 1]), np.array([-1, -1, 1])]


def wheels(off: np.ndarray, which: int = 0, count: int = 4, solid: str = ",,") -> str:
    truth = bracket(5)
    rows = []
    for k, (x, y, z) in enumerate(PLACES[:count]):
        six = (truth + (off if k == which else 0)) * [1, 1, 1, x * y, x * z, y * z]
        rows.append(row(f"W{k}", C * PLACES[k], six, solid))
    return HEAD + "".join(rows)


@pytest.mark.spread(2)
@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("sign", [1, -0.1])
def test_three_mirrored_parts_show_the_fourth(tmp_path: Path, which: int, sign: float) -> None:
    code, output, out = fix(tmp_path, wheels(steiner(5, C), which))
    assert code == 0, output
    x, y, z = PLACES[which]
    assert tensor_of(out, f"W{which}") == pytest.approx(
        full_tensors(bracket(5) * [1, 1, 1, x * y, x * z, y * z]), rel=1e-6
    )
    old, new = (tmp_path / "a.csv").read_text().splitlines(), out.read_text().splitlines()
    assert [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b] == [2 + which]


def test_one_mirrored_part_alone_shows_that_one_of_the_two_is_wrong(tmp_path: Path) -> None:
    text = wheels(steiner(5, C), 0, 2)
    code, output, out = fix(tmp_path, text)
    assert code == 1
    assert out.read_text() == text
    assert "that of W1 is wrong" in output
    assert "that of W0 is wrong" in output


def test_one_mirrored_part_and_the_extent_of_the_shape_decide(tmp_path: Path) -> None:
    code, output, out = fix(tmp_path, wheels(steiner(5, C), 0, 2, "box,a=0.4; b=0.3; c=0.3,"))
    assert code == 0, output
    assert tensor_of(out, "W0") == pytest.approx(full_tensors(bracket(5)), rel=1e-6)
    assert "1 tensor replaced" in output


VALID = {
    "solids at their shapes": "".join(
        row(f"S{k}", C * k, truth, solid) for k, (truth, solid) in enumerate(SOLIDS.values())
    ),
    "solids of half the size in their shapes": "".join(
        row(f"S{k}", C * k, truth / 2, solid) for k, (truth, solid) in enumerate(SOLIDS.values())
    ),
    "mirrored brackets": wheels(np.zeros(6)).removeprefix(HEAD),
    "brackets that differ by 2 %": wheels(bracket(5) * 0.02).removeprefix(HEAD),
    "brackets that differ": wheels(bracket(5) * 0.5).removeprefix(HEAD),
    "tensors about the origin without evidence": row("A", C, box(5, 0.2, 0.3, 0.4) + steiner(5, C)),
    "other parts of the same mass": row("A", C, box(5, 1, 2, 3)) + row("B", -C, sphere(5, 1)) + row("D", C, OBLIQUE),
    "a plate": row("A", C, box(5, 1, 2, 0)),
    "a rod": row("A", C, box(5, 1, 0, 0)),
    "one place": row("A", C, bracket(5)) + row("B", C, bracket(5)) + row("D", C, sphere(5, 0.2)),
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_valid_tensors_are_not_changed(tmp_path: Path, name: str) -> None:
    text = HEAD + VALID[name]
    code, output, out = fix(tmp_path, text)
    assert code == 0, output
    assert out.read_text() == text
    assert "MP716" not in output


def link(name: str, tensor: np.ndarray, more: str = "", xyz: tuple[float, ...] = (0, 0, 0), rpy: str = "0 0 0") -> str:
    xx, yy, zz, xy, xz, yz = (f"{x:.9g}" for x in tensor)
    return f"""<link name="{name}"><inertial><origin xyz="{" ".join(map(str, xyz))}" rpy="{rpy}"/><mass value="5"/>
<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/></inertial>{more}</link>
"""


def robot(*links: str) -> str:
    base = '<link name="base"><inertial><mass value="9"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/></inertial></link>'  # noqa: E501 - a line of a file
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="base"/><child link="{one.split(chr(34))[1]}"/></joint>'
        for k, one in enumerate(links)
    )
    return f'<robot name="r">{base}{"".join(links)}{joints}</robot>'


def sdf(tensor: np.ndarray, geometry: str) -> str:
    entries = "".join(
        f"<i{n}>{x:.9g}</i{n}>" for n, x in zip(("xx", "yy", "zz", "xy", "xz", "yz"), tensor, strict=True)
    )
    return f"""<sdf version="1.9"><model name="m"><link name="A">
<inertial><mass>5</mass><inertia>{entries}</inertia></inertial>{geometry}</link></model></sdf>
"""


TURNED = "0.4 -0.3 0.7"


@pytest.mark.parametrize("rpy", ["0 0 0", TURNED])
def test_link_about_the_origin_of_its_frame(tmp_path: Path, rpy: str) -> None:
    """The collision is a box of the link; the tensor in the turned axes of the inertial is about the frame's origin."""
    R = mp.Poses.from_rpy([[0, 0, 0]], [[float(x) for x in rpy.split()]], "rad").rotation[0]
    truth, d = full_tensors(box(5, 0.2, 0.3, 0.4)), np.array([0.1, 0.2, -0.3])
    inside = R.T @ (truth + full_tensors(steiner(5, d))) @ R
    wrong = inside[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    shape = '<collision><origin xyz="0.1 0.2 -0.3"/><geometry><box size="0.2 0.3 0.4"/></geometry></collision>'
    code, output, out = fix(tmp_path, robot(link("A", wrong, shape, tuple(d), rpy)), suffix="urdf")
    assert code == 0, output
    assert "m d²" in output
    assert tensor_of(out) == pytest.approx(truth, rel=1e-6, abs=1e-8)


BAR = box(5, *np.sqrt(6 / 5 * np.array([0.4, 0.4, 3.6])))  # moments 2, 2, 0.4
SIDES = " ".join(f"{x:.6g}" for x in np.sqrt(6 / 5 * np.array([0.4, 0.4, 3.6])))


def shape_of(tag: str, sides: str, suffix: str) -> str:
    name = f" name='{tag}'" if suffix == "sdf" else ""
    size = f"<size>{sides}</size></box>" if suffix == "sdf" else ""
    kind = f"<box>{size}" if suffix == "sdf" else f'<box size="{sides}"/>'
    return f"<{tag}{name}><geometry>{kind}</geometry></{tag}>"


@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
@pytest.mark.parametrize("tag", ["collision", "visual"])
def test_geometry_of_a_link_decides_between_powers_of_ten(tmp_path: Path, tag: str, suffix: str) -> None:
    wrong = BAR * [1, 1, 100, 1, 1, 1]
    for geometry, expected in ((shape_of(tag, SIDES, suffix), 0), ("", 1)):
        text = robot(link("A", wrong, geometry)) if suffix == "urdf" else sdf(wrong, geometry)
        code, output, out = fix(tmp_path, text, suffix=suffix)
        assert code == expected, output
        assert (f"compared with the {tag}" in output) == (not expected)
        assert np.diag(tensor_of(out)) == pytest.approx((wrong if expected else BAR)[:3], rel=1e-6)


def test_a_visual_is_weaker_evidence_than_a_collision(tmp_path: Path) -> None:
    """A box of Izz = 0.8 is between 0.4 and 4: closer by 2.5 times to the first, which a visual does not decide."""
    sides = " ".join(f"{x:.6g}" for x in np.sqrt(6 / 5 * np.array([0.8, 0.8, 3.2])))
    wrong = BAR * [1, 1, 100, 1, 1, 1]
    collision, visual = (shape_of(tag, sides, "urdf") for tag in ("collision", "visual"))
    codes = {}
    for name, geometry in {"collision": collision, "visual": visual, "both": collision + visual}.items():
        codes[name], output, _ = fix(tmp_path, robot(link("A", wrong, geometry)), suffix="urdf")
        assert ("compared with the collision" in output) == (name != "visual")
    assert codes == {"collision": 0, "visual": 1, "both": 0}


def test_a_visual_does_not_change_a_valid_tensor(tmp_path: Path) -> None:
    d = np.array([0.1, 0.2, -0.3])
    shape = shape_of("visual", "0.2 0.3 0.4", "urdf")
    text = robot(link("A", box(5, 0.2, 0.3, 0.4) + steiner(5, d), shape, tuple(d)))
    code, output, out = fix(tmp_path, text, suffix="urdf")
    assert code == 0, output
    assert out.read_text() == text


def test_several_visuals_give_the_box_around_them(tmp_path: Path) -> None:
    a, b, c = np.sqrt(6 / 5 * np.array([0.4, 0.4, 3.6]))
    halves = "".join(
        f'<visual><origin xyz="0 0 {z}"/><geometry><box size="{a} {b} {c / 2}"/></geometry></visual>'
        for z in (-c / 4, c / 4)
    )
    code, output, out = fix(tmp_path, robot(link("A", BAR * [1, 1, 100, 1, 1, 1], halves)), suffix="urdf")
    assert code == 0, output
    assert "compared with the box around each visual" in output
    assert np.diag(tensor_of(out)) == pytest.approx(BAR[:3], rel=1e-6)


def findings(*words: str) -> set[tuple[str, str]]:
    result = CliRunner().invoke(app, [*words, "--format", "json"])
    return {(one["rule"], one["message"]) for one in json.loads(result.stdout)["findings"]}


_WRONG = box(5, 0.2, 0.3, 0.4) * [1, 1, 1000, 1, 1, 1]
_BOX = "0.2 0.3 0.4"
STALE = {
    "csv": HEAD + row("A", C, _WRONG, SOLIDS["box"][1]) + row("B", C * 2, box(6, 0.2, 0.3, 9), SOLIDS["box"][1], 6),
    "urdf": robot(
        link("left_arm", _WRONG, shape_of("collision", _BOX, "urdf"), (0.01, 0.02, 0)),
        link("right_arm", box(5, 0.2, 0.3, 0.4), shape_of("collision", _BOX, "urdf"), (0.01, -0.02, 0)),
    ),
    "sdf": sdf(_WRONG, shape_of("collision", _BOX, "sdf")),
}


@pytest.mark.parametrize("suffix", STALE)
def test_findings_after_a_repair_are_those_of_the_new_file(tmp_path: Path, suffix: str) -> None:
    source, out = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    source.write_text(STALE[suffix])
    after = findings("convert", "--fix", str(source), "-o", str(out))
    before, new = findings("validate", str(source)), findings("validate", str(out))
    assert {one for one in after if one[0] != "MP716"} == new
    assert len(before - new) >= 1
    assert "MP716" in {rule for rule, _ in after}


def test_findings_of_a_robot_that_is_written_as_a_table(tmp_path: Path) -> None:
    source, out = tmp_path / "a.urdf", tmp_path / "b.csv"
    source.write_text(STALE["urdf"])
    assert not {"MP404", "MP880", "MP884"} & {
        rule for rule, _ in findings("convert", "--fix", str(source), "-o", str(out))
    }
    assert {"MP404", "MP880", "MP884"} <= {rule for rule, _ in findings("validate", str(source))}


def test_a_part_of_the_same_mass_shows_a_moment_with_a_missing_digit(tmp_path: Path) -> None:
    """Romeo's RShoulderYawLink: izz of 0.000664209 next to 0.00664434 of the left one; ixx × 10 explains it too."""
    left = np.array([0.000742818, 0.00650202, 0.00664434, -0.000617675, -7.28438e-05, -1.25157e-05])
    right = np.array([0.000742356, 0.00649989, 0.000664209, 0.000617202, 5.98521e-06, -1.07417e-06])
    place = np.array([0.09367, 0.01373, 0.00103])
    rows = [row("L", place, left, mass=0.57151), row("R", place * [1, -1, 1], right, mass=0.57151)]
    code, output, out = fix(tmp_path, HEAD + "".join(rows))
    assert code == 0, output
    assert tensor_of(out, "R")[2, 2] == pytest.approx(0.00664209)
    assert fix(tmp_path, HEAD + rows[1])[0] == 1


def test_an_unknown_moment_is_never_entered(tmp_path: Path) -> None:
    """The first six of nine lack Izz; iCub's entries of 1e-20 look like them."""
    for numbers in ((5, 0, 0, 0, 6, 0), (0, 0, 0, 0, 1.3e-20, 0)):
        text = HEAD + row("A", C * 0, np.array(numbers, dtype=float))
        code, output, out = fix(tmp_path, text)
        assert code == 1, output
        assert out.read_text() == text
        assert "first six of nine" in output


def test_a_removed_body_is_repaired_with_its_sign(tmp_path: Path) -> None:
    truth, whole = np.array([2.66, 2.3, 1.676, 0, 0, 0]), row("A", C, box(50, 1, 2, 3), mass=50)
    wrong = row("B", C * 0, -truth * [1, 1, 1000, 1, 1, 1], mass=-5)
    code, output, out = fix(tmp_path, HEAD + whole + wrong, "--allow-negative-mass")
    assert code == 0, output
    assert "Izz is multiplied by 0.001" in output
    assert np.diag(tensor_of(out, "B", allow_negative_mass=True)) == pytest.approx(-truth[:3])


def test_a_link_whose_mass_is_in_grams_keeps_its_tensor(tmp_path: Path) -> None:
    """The density is wrong, so that the factor 1000 is that of the mass (MP883), not of the tensor."""
    text = robot(link("A", box(0.005, 0.02, 0.03, 0.04), shape_of("collision", "0.02 0.03 0.04", "urdf")))
    assert "MP883" in {rule for rule, _ in findings("validate", str(_written(tmp_path, text)))}
    code, output, out = fix(tmp_path, text, suffix="urdf")
    assert code == 0, output
    assert out.read_text() == text


def _written(folder: Path, text: str) -> Path:
    path = folder / "robot.urdf"
    path.write_text(text)
    return path


def test_cells_of_a_workbook_and_of_a_table_as_another_format(tmp_path: Path) -> None:
    """Findings after the repair are those of the new numbers also where a sheet is written."""
    source, sheet, out = tmp_path / "a.csv", tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    source.write_text(STALE["csv"])
    assert CliRunner().invoke(app, ["convert", str(source), "-o", str(sheet)]).exit_code == 0
    after = findings("convert", "--fix", str(sheet), "-o", str(out))
    assert {one for one in after if one[0] != "MP716"} == findings("validate", str(out))


def test_a_slip_that_the_exact_shape_contradicts_is_not_applied(tmp_path: Path) -> None:
    """m d² subtracted twice: added once the tensor is a valid one, but not that of the stated box."""
    mass, sides, c = (
        9284.56468,
        (0.723515927, 0.902243236, 0.317125189),
        np.array([-0.0213903566, 0.190962308, 0.0536012567]),
    )
    wrong = box(mass, *sides) - 2 * steiner(mass, c)
    dims = "; ".join(f"{name}={side}" for name, side in zip("abc", sides, strict=True))
    code, output, out = fix(tmp_path, HEAD + row("A", c, wrong, f"box,{dims},", mass=mass))
    assert code == 1
    assert "is not changed: 1 slip explains it" in output
    assert f"it is that of the shape or mesh: {box(mass, *sides)[0]:.6g}" in output
    assert out.read_text().splitlines()[-1].split(",")[6] == f"{wrong[0]:.9g}"


def test_valid_tensor_with_a_negative_mass_stays(tmp_path: Path) -> None:
    true, _ = SOLIDS["box"]
    code, output, out = fix(tmp_path, HEAD + row("A", C, true, mass=-5))
    assert code == 1
    assert "its mass is negative" in output
    assert out.read_text().splitlines()[-1].split(",")[6:9] == [f"{x:.9g}" for x in true[:3]]


@pytest.mark.parametrize(("digits", "code"), [(3, 1), (8, 0)])
def test_a_tensor_whose_digits_are_lost_stays(digits: int, code: int, tmp_path: Path) -> None:
    """m d² of 4000 subtracted from a tensor of 12: in three digits nothing is left of it."""
    true, far = np.array([12.13, 12.8, 13.7, 0, 0, 0]), np.array([20.0, 0, 0])
    wrong = np.array([float(f"{x:.{digits}g}") for x in true - steiner(10, far)])
    wrong[0] = float(f"{true[0]:.{digits}g}")
    found, output, out = fix(tmp_path, HEAD + row("A", far, wrong, mass=10))
    assert found == code
    assert ("few of its digits are left" in output) is (digits == 3)
    written = [float(x) for x in out.read_text().splitlines()[-1].split(",")[6:9]]
    assert written == pytest.approx((wrong if digits == 3 else true)[:3], rel=1e-4)


@pytest.mark.parametrize("poi", ["-", "+"])
@pytest.mark.parametrize("about", [None, (0.0, 0.0, 0.0)])
def test_orders_are_those_of_the_cells(tmp_path: Path, poi: str, about: tuple[float, ...] | None) -> None:
    """Row order under + and -, about the own centre and the origin: the cells are in another order, not the tensor."""
    far = np.zeros(6) if about is None else steiner(5, C)
    cells = (OBLIQUE + far) * ([1, 1, 1, 1, 1, 1] if poi == "-" else [1, 1, 1, -1, -1, -1])
    text = HEAD + row("A", C, cells[[0, 3, 4, 1, 5, 2]]).replace(",-,", f",{poi},")
    text += row("B", C * [1, -1, 1], cells * [1, 1, 1, -1, 1, -1]).replace(",-,", f",{poi},")
    more = () if about is None else ("--inertia-about", "0,0,0")
    code, output, out = fix(tmp_path, text, *more)
    assert code == 0, output
    written = [float(x) for x in out.read_text().splitlines()[2].split(",")[6:12]]
    assert written == pytest.approx(cells, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("poi", ["-", "+"])
def test_first_six_of_nine_under_either_sign(tmp_path: Path, poi: str) -> None:
    truth = bracket(5)
    xx, yy, _, xy, xz, yz = truth * ([1, 1, 1, 1, 1, 1] if poi == "-" else [1, 1, 1, -1, -1, -1])
    xy, xz, yz = (abs(one) * (-1 if k else 1) for k, one in enumerate((-xy, xz, yz)))
    cells = np.array([xx, xy, xz, xy, yy, yz])
    code, output, out = fix(tmp_path, HEAD + row("A", C, cells).replace(",-,", f",{poi},"))
    assert code == 1, output
    assert "first six of nine" in output
    assert f"{xx:.6g}, {yy:.6g}, unknown, {xy:.6g}, {xz:.6g}, {yz:.6g}" in output
    assert "nan" not in output
    assert [float(x) for x in out.read_text().splitlines()[-1].split(",")[6:12]] == pytest.approx(cells, rel=1e-8)


@pytest.mark.parametrize("six", [(0.02, -0.01, 0), (0.03, -0.01, 0.01), (0.5, 0.1, 0.1)])
def test_parallel_axis_term_of_the_size_of_what_it_gives_is_no_evidence(tmp_path: Path, six: tuple[float, ...]) -> None:
    """A body of 1 kg at (1, 0, 0): m d² = (0, 1, 1) makes valid what is far smaller."""
    text = HEAD + row("A", np.array([1.0, 0, 0]), np.array([*six, 0, 0, 0]), mass=1)
    code, output, out = fix(tmp_path, text)
    assert code == 1, output
    assert "corrected" not in output
    if six[0] < 0.1:
        assert out.read_text() == text


def test_parallel_axis_term_that_cancels_is_applied(tmp_path: Path) -> None:
    """What is left of m d² = 32 (0, 1, 1) is a hundredth of it: no other number gives that."""
    truth, d = np.array([0.2, 0.25, 0.3, 0, 0, 0]), np.array([4.0, 0, 0])
    code, output, out = fix(tmp_path, HEAD + row("A", d, truth - steiner(2, d), mass=2))
    assert code == 0, output
    assert np.diag(tensor_of(out)) == pytest.approx(truth[:3], rel=1e-6)


@pytest.mark.parametrize("factor", [10, 100, 1e3, 1e6])
def test_products_in_another_unit_next_to_a_shape(tmp_path: Path, factor: float) -> None:
    wrong = OBLIQUE * np.where(np.arange(6) < 3, 1, factor)
    code, output, out = fix(tmp_path, HEAD + row("A", C, wrong, SOLIDS["oblique cylinder"][1]))
    assert code == 0, output
    assert f"products are multiplied by {1 / factor:g}" in output
    assert tensor_of(out) == pytest.approx(full_tensors(OBLIQUE), rel=1e-7, abs=1e-9)


def test_a_slip_does_not_change_what_agrees_with_the_shape(tmp_path: Path) -> None:
    """Ixx alone is wrong: the products are those of the shape, so that no slip of theirs is named."""
    rod = cylinder(10, 0.05, 0.3, (1, 1, 1))
    text = HEAD + row("A", np.zeros(3), rod * [1.8, 1, 1, 1, 1, 1], 'cylinder,r=0.05; L=0.3,"1,1,1"', mass=10)
    code, output, _ = fix(tmp_path, text)
    assert code == 1
    assert "products" not in output
    (tmp_path / "c.csv").write_text(text)
    named = [one for one in mp.read_bom(tmp_path / "c.csv").findings if one.rule in ("MP403", "MP404")]
    assert named
    assert not [one for one in named if "products" in one.message]


def test_what_is_listed_for_a_removed_body_is_what_its_row_needs(tmp_path: Path) -> None:
    text = HEAD + row("A", np.zeros(3), np.array([-0.5, -0.45, -4, 0, 0, 0]), mass=-10)
    code, output, _ = fix(tmp_path, text, "--allow-negative-mass")
    assert code == 1
    assert "Izz is multiplied by 0.1: -0.5, -0.45, -0.4, 0, 0, 0" in output
    assert "-0," not in output.replace("-0.", "")


@pytest.mark.parametrize("six", ["0.5,0.45,0.4,0.25,0,0.25", "0.5,-0.45,0.4,0.1,0.1,0", "-1e-30,1e-30,1e-30,0,0,0"])
def test_only_one_place_counts_slips(tmp_path: Path, six: str) -> None:
    """The tensors that are listed are possible, as many as stated, and the error states no other number."""
    code, output, out = fix(tmp_path, f"{HEAD}A,T,10,0,0,0,{six},-,,,\n")
    assert "other slip would" not in output
    if code == 0:
        assert is_valid(tensor_of(out)[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        return
    listed = output.split("explain it", 1)[1].split("; ", 1)[1].split(" hint:")[0].split("; ")
    tensors = [[float(x) for x in one.split(": ", 1)[1].split(",")] for one in listed if ": " in one]
    count = int(output.split(" slips explain it")[0].split()[-1])
    assert count == len([one for one in listed if "nearest" not in one])
    for one in tensors:
        low, middle, high = np.linalg.eigvalsh(full_tensors(np.array(one)))
        assert min(low, low + middle - high) > -1e-5 * high


def test_hint_of_another_mass_is_true_of_each_kind_of_file(tmp_path: Path) -> None:
    """A tensor of ten times the mass: the unit of a mass in a table may be wrong, that of a robot is kg."""
    six = box(20, 0.2, 0.3, 0.4)
    inertia = f'<inertia ixx="{six[0]}" iyy="{six[1]}" izz="{six[2]}" ixy="0" ixz="0" iyz="0"/>'
    link = f'<inertial><mass value="2"/>{inertia}</inertial>'
    link += '<collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision>'
    robot = f'<robot name="r"><link name="A">{link}</link></robot>'
    for suffix, text, does in (
        ("urdf", robot, True),
        ("csv", HEAD + row("A", C, six, "box,a=0.2; b=0.3; c=0.4,", mass=2), False),
    ):
        (tmp_path / f"c.{suffix}").write_text(text)
        (one,) = [one for one in mp.validate(str(tmp_path / f"c.{suffix}")) if one.rule == "MP718"]
        assert ("unless the factor is a power of ten" in one.remedy) is not does
        code, _, out = fix(tmp_path, text, suffix=suffix)
        assert code == (0 if does else 1)
        assert (out.read_text() != text) is does


CHANCE = np.array([0.03, -0.01, 0.01, 0, 0, 0])
"""Impossible, and possible with m d² = (0, 1, 1) of 1 kg at (1, 0, 0), which is what almost any tensor is there."""
X = np.array([1.0, 0, 0])
OTHERS = {
    "a small part": (box(1, 0.2, 0.3, 0.4), 1.0),
    "a part of 0.8 % more mass": (box(1, 0.2, 0.3, 0.4), 1.008),
    "a part half as large": ((CHANCE + steiner(1, X)) / 2, 1.0),
    "a part that differs by 6 %": ((CHANCE + steiner(1, X)) * 1.06 + [0.04, 0, 0, 0, 0, 0], 1.0),
    "a point": (np.zeros(6), 1.0),
    "a long rod": (cylinder(1, 0.01, 60.0), 1.0),
}


@pytest.mark.spread(3)
@pytest.mark.parametrize("place", [(3.0, 1, 2), (1.0, 0, 0), (-1.0, 0, 0)])
@pytest.mark.parametrize("name", OTHERS)
def test_a_part_of_the_same_mass_that_disagrees_is_no_evidence(tmp_path: Path, name: str, place: tuple[float]) -> None:
    six, mass = OTHERS[name]
    text = HEAD + row("A", X, CHANCE, mass=1) + row("B", np.array(place), six, mass=mass)
    code, output, out = fix(tmp_path, text)
    assert code == 1, output
    assert "m d² is of the size of that" in output
    assert out.read_text() == text


@pytest.mark.parametrize("share", [0.0, 0.04])
def test_a_part_of_the_same_mass_that_agrees_is_evidence(tmp_path: Path, share: float) -> None:
    truth = CHANCE + steiner(1, X)
    text = HEAD + row("A", X, CHANCE, mass=1) + row("B", 3 * X, truth * (1 - share), mass=1)
    assert is_valid(truth)
    code, output, out = fix(tmp_path, text)
    assert code == 0, output
    assert np.diag(tensor_of(out)) == pytest.approx(truth[:3], rel=1e-8)


@pytest.mark.parametrize("factor", [4, 0.2])
def test_a_part_of_the_same_mass_does_not_remove_what_an_exact_shape_shows(tmp_path: Path, factor: float) -> None:
    truth, d = box(5, 0.2, 0.3, 0.4), np.array([0.3, 0.3, 0.3])
    a, b, c = np.sqrt(factor) * np.array([0.2, 0.3, 0.4])
    wrong = row("A", d, truth - steiner(5, d), f"box,a={a}; b={b}; c={c},")
    for other in ("", row("B", -2 * C, sphere(5, 2))):
        code, output, out = fix(tmp_path, HEAD + wrong + other)
        assert code == 1, output
        assert out.read_text().splitlines()[2] == wrong.strip()


@pytest.mark.parametrize("digits", [3, 8])
def test_no_visual_restores_lost_digits(tmp_path: Path, digits: int) -> None:
    """What is left of m d² = 4000 in three digits is not a tensor of 13, although the box is within a factor of 3."""
    true, far = box(5, 3.9, 3.6, 4.1), np.array([28.3, 0, 0])
    wrong = np.array([float(f"{x:.{digits}g}") for x in true - steiner(5, far)])
    visual = '<visual><origin xyz="28.3 0 0"/><geometry><box size="3.5 3.5 3.5"/></geometry></visual>'
    code, output, _ = fix(tmp_path, robot(link("A", wrong, visual, tuple(far))), suffix="urdf")
    assert code == (1 if digits == 3 else 0), output
    assert ("few of its digits are left" in output) is (digits == 3)


def test_a_visual_that_fits_none_of_several_slips_excludes_none(tmp_path: Path) -> None:
    """A plate of moments 10, 10.5, 20: 5 times those of one slip, 50 times Izz of the other; neither is shown."""
    sides = " ".join(f"{x:.6g}" for x in np.sqrt(12 / 5 * np.array([10.25, 9.75, 0.25])))
    wrong = BAR * [1, 1, 100, 1, 1, 1]
    code, output, out = fix(tmp_path, robot(link("A", wrong, shape_of("visual", sides, "urdf"))), suffix="urdf")
    assert code == 1, output
    assert "Izz is multiplied by 0.1: 2, 2, 4" in output
    assert "Izz is multiplied by 0.01: 2, 2, 0.4" in output
    assert np.diag(tensor_of(out)) == pytest.approx(wrong[:3], rel=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_of_several_parts_at_mirrored_places_only_those_that_agree_count(tmp_path: Path, count: int) -> None:
    """W1 is W0 with m d², W2 is another part: either of the first two may be wrong. With two like W1, W0 is."""
    rows = [row("W0", C, bracket(5))]
    for k, (x, y, z) in enumerate(PLACES[1 : 1 + count], 1):
        rows.append(row(f"W{k}", C * [x, y, z], (bracket(5) + steiner(5, C)) * [1, 1, 1, x * y, x * z, y * z]))
    text = HEAD + "".join(rows) + row("other", C * PLACES[3], sphere(5, 3))
    code, output, out = fix(tmp_path, text)
    assert code == (1 if count == 1 else 0), output
    assert (out.read_text() == text) is (count == 1)
    if count == 1:
        assert "that of W1 is wrong" in output
        assert "that of other is wrong" not in output


ORDERS = {
    "cells": lambda xx, xy, xz, yy, yz: (xx, xy, xz, xy, yy, yz),
    "rows": lambda xx, xy, xz, yy, yz: (xx, xy, yz, xy, xz, yy),
}
"""The first six of nine as they stand under Ixx, Iyy, Izz, Ixy, Ixz, Iyz in this order, and in row order."""


def some_moment(xx: float, xy: float, xz: float, yy: float, yz: float) -> float:
    """Return the greatest least second moment over Izz, by a scan; negative: no Izz makes the tensor possible."""
    full = np.tile(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, 0.0]]), (2001, 1, 1))
    full[:, 2, 2] = np.linspace(abs(xx - yy) - 1, xx + yy + 1, 2001)
    halves = np.trace(full, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3)
    return float(np.linalg.eigvalsh(halves - full)[:, 0].max())


@pytest.mark.spread(3)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "five",
    [
        (9, -1.4, 0.1, 0.9, 0.3), (9, -1.4, 0.1, 1.5, 0.3), (9, -1.4, 0.1, 0.7, 0.3), (9, -1.4, 0.1, 0.7, 0.0),
        (9, -1, 0.1, 0.7, 0.1), (9.291, -1.41283, 0.0774882, 0.661996, 0.275824), (9, 1.4, 0.1, 0.9, 0.3),
        (9, -1.4, 0.1, 0.1, 0.3), (9, -1.4, 0.6, 0.9, 0.3), (9, -4, 0.1, 0.9, 0.3), (9, -1.4, 0.1, -0.9, 0.3),
    ],
)  # fmt: skip
def test_first_six_of_nine_are_those_that_some_moment_completes(
    tmp_path: Path, five: tuple[float, ...], order: str
) -> None:
    xx, xy, xz, yy, yz = five
    text = HEAD + row("A", np.zeros(3), np.array(ORDERS[order](*five)), mass=24)
    code, output, out = fix(tmp_path, text)
    reading = ", ".join(["unknown" if one is None else f"{one:.6g}" for one in (xx, yy, None, xy, xz, yz)])
    assert (reading in output) is (some_moment(*five) > 0)
    if some_moment(*five) > 0:
        assert code == 1
        assert out.read_text() == text
        assert "replaced by the nearest" not in output


@pytest.mark.parametrize("count", first([60, 400], 1))
def test_completion_by_some_moment_is_exact(count: int) -> None:
    g, both = np.random.default_rng(7), set()
    for _ in range(count):
        xx, yy = g.uniform(0.5, 3, 2)
        five = (xx, g.normal(scale=0.5), g.normal(scale=0.3), yy, g.normal(scale=0.3))
        if abs(least := some_moment(*five)) > 0.005:
            six = np.array([five[0], five[3], np.nan, five[1], five[2], five[4]])
            assert _is_valid_but_for_Izz(six, 1e-9) is (least > 0), five
            both.add(least > 0)
    assert both == {True, False}


def test_first_six_of_nine_next_to_a_part(tmp_path: Path) -> None:
    """What agrees with the five known numbers does not state the sixth; the cells stay, and the reading is listed."""
    xx, yy, _, xy, xz, yz = truth = np.array([9, 0.9, 9.2, -1.4, 0.1, 0.3])
    assert is_valid(truth)
    wrong = row("A", C, np.array([xx, xy, xz, xy, yy, yz]))
    for other in (row("B", 3 * C, truth), row("B", C * 0, sphere(5, 1))):
        code, output, out = fix(tmp_path, HEAD + wrong + other)
        assert code == 1, output
        assert "9, 0.9, unknown, -1.4, 0.1, 0.3" in output
        assert out.read_text() == HEAD + wrong + other
