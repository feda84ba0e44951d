"""URDF: a chain whose sums are done by hand, published cases, and files with faults."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import massprops_cli as mp
from massprops_cli.files.options import FileOptions
from massprops_cli.files.parts_report import ReportTable
from massprops_cli.findings.finding import Finding, Findings, TableError
from massprops_cli.robots.urdf import read_urdf

ARM = Path(__file__).parents[1] / "importers" / "urdf_two_link_arm.urdf"
TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
Matrix = Sequence[Sequence[float]]


def read(text: str) -> tuple[ReportTable, list[Finding]]:
    findings = Findings()
    return read_urdf("arm.urdf", text.encode(), FileOptions(), False, findings), findings


def faults(text: str) -> list[tuple[str, int | None]]:
    """The errors of a file, whether or not it is read."""
    try:
        _, found = read(text)
    except TableError as error:
        found = list(error.findings)
    return [(finding.rule, finding.place.line) for finding in found if finding.severity is mp.Severity.ERROR]


def robot(*lines: str) -> str:
    """A robot whose first element is in line 2."""
    return "\n".join(["<robot name='arm'>", *lines, "</robot>"])


def link(name: str, mass: float | str = 1.0, com: Sequence[float] = (0, 0, 0), more: str = "") -> str:
    origin = f"<origin xyz='{' '.join(map(str, com))}'/>"
    return f"<link name='{name}'><inertial>{origin}<mass value='{mass}'/>{more}</inertial></link>"


def joint(name: str, parent: str, child: str, kind: str = "revolute") -> str:
    return f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/></joint>"


def inertia(matrix: Matrix) -> str:
    values = [matrix[i][j] for i in range(3) for j in range(i, 3)]
    return f"<inertia {' '.join(f'{a}={chr(34)}{v!r}{chr(34)}' for a, v in zip(TENSOR, values, strict=True))}/>"


def body(name: str, mass: float, com: Sequence[float], matrix: Matrix, rpy: Sequence[float] = (0, 0, 0)) -> str:
    origin = f"<origin xyz='{' '.join(map(str, com))}' rpy='{' '.join(map(repr, rpy))}'/>"
    return f"<link name='{name}'><inertial>{origin}<mass value='{mass}'/>{inertia(matrix)}</inertial></link>"


def rollup_of(text: str, folder: Path) -> mp.Rollup:
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return mp.rollup(mp.read_bom(path))


def findings_of(path: Path) -> list[Finding]:
    """The findings of a file, whether or not it has a result."""
    try:
        return list(mp.rollup(mp.read_bom(path)).findings)
    except mp.FindingsError as error:
        return list(error.findings)


def test_chain_equals_the_sum_by_hand() -> None:
    result = mp.rollup(mp.read_bom(ARM))
    # in the frame of the base the upper arm is along +y at z = 0.1, the forearm along +z at y = 1
    y, z = (3 * 0.5 + 1.2 * 1) / 8.2, (4 * 0.05 + 3 * 0.1 + 1.2 * 0.35) / 8.2
    assert result.root.mass == pytest.approx(8.2, rel=1e-15)
    np.testing.assert_allclose(result.root.center, [0, y, z], rtol=1e-15, atol=1e-15)
    # about the origin: 0.04 + 4·0.05² + 0.25 + 3·(0.5² + 0.1²) + 0.025 + 1.2·(1² + 0.35²) and so on
    xx = 0.05 + 1.03 + 0.025 + 1.2 * 1.1225 - 8.2 * (y * y + z * z)
    yy = 0.05 + 0.03 + 0.025 + 1.2 * 0.1225 - 8.2 * z * z
    zz = 0.06 + 1.0 + 1.2 - 8.2 * y * y
    yz = -(3 * 0.5 * 0.1 + 1.2 * 1 * 0.35) + 8.2 * y * z
    np.testing.assert_allclose(result.root.inertia, [[xx, 0, 0], [0, yy, yz], [0, yz, zz]], rtol=1e-14, atol=1e-15)
    # a result of an assembly is in the frame of the root as well: the forearm is 1.2 kg at (0, 1, 0.35)
    np.testing.assert_allclose(result["forearm"].center, [0, 1, 0.35], rtol=1e-15, atol=1e-15)


def test_numbers_keep_the_text_of_the_file() -> None:
    table, _ = read(ARM.read_text())
    rows = {row[0]: dict(zip(table.row(0), row, strict=True)) for row in map(table.row, range(1, table.n_rows))}
    assert list(rows) == [
        "base", "base/body", "upper_arm", "upper_arm/body", "forearm", "forearm/body", "tool0",
    ]  # fmt: skip
    assert (rows["upper_arm/body"]["mass [kg]"], rows["upper_arm"]["yaw [rad]"]) == ("3.0", "1.5707963267948966")
    assert (rows["upper_arm/body"]["Cx [m]"], rows["upper_arm/body"]["tx [m]"]) == ("0.5", "")
    # axes of the inertial that are turned: a frame of its own, at the centre of mass
    assert (rows["forearm/body"]["Cx [m]"], rows["forearm/body"]["tx [m]"]) == ("0", "0.25")
    assert (rows["tool0"]["qty"], rows["tool0"]["parent"], rows["tool0"]["tx [m]"]) == ("0", "forearm", "0.5")
    assert {row["frame"] for row in rows.values()} == {"own"}
    assert [table.place(i).line for i in (1, 2, 3)] == [4, 5, 18]


HALF = [[1.0, 0, 0], [0, 0.625, 0], [0, 0, 0.625]]
CUBE = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
GENERAL = [[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]


@pytest.mark.parametrize(
    ("bodies", "com", "expected"),
    [
        ([(6, (-0.25, 0, 0), HALF, 0), (6, (0.25, 0, 0), HALF, 0)], (0, 0, 0), [2, 2, 2, 0, 0, 0]),
        ([(6, (-0.25, 0, 0), HALF, math.pi / 4), (6, (0.25, 0, 0), HALF, math.pi / 4)], (0, 0, 0), [2, 2, 2, 0, 0, 0]),
        ([(6, (-0.5,) * 3, CUBE, 0), (6, (0.5,) * 3, CUBE, 0)], (0, 0, 0), [8, 8, 8, -3, -3, -3]),
        ([(12, (-1, 0, 0), GENERAL, 0), (0, (1, 0, 0), [[0] * 3] * 3, 0)], (-1, 0, 0), [2, 3, 4, 0.1, 0.2, 0.3]),
    ],
    ids=["two half cubes", "two half cubes turned", "two diagonal cubes", "a body without mass"],
)  # fmt: skip
def test_sums_published_by_gz_math(bodies: list, com: tuple, expected: list[float], tmp_path: Path) -> None:
    """Inertial_TEST.cc of gz-math: AdditionSubtraction and AdditionInvalid."""
    links = [body(f"b{k}", m, at, matrix, (roll, 0, 0)) for k, (m, at, matrix, roll) in enumerate(bodies)]
    result = rollup_of(robot(*links, joint("j", "b0", "b1", "fixed")), tmp_path).root
    assert result.mass == 12
    np.testing.assert_allclose(result.center, com, atol=1e-15)
    xx, yy, zz, xy, xz, yz = expected
    np.testing.assert_allclose(result.inertia, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], atol=1e-14)


@pytest.mark.parametrize(
    ("diagonal", "rpy", "expected"),
    [
        ((2, 3, 4), (math.pi / 2, 0, 0), [[2, 0, 0], [0, 4, 0], [0, 0, 3]]),
        ((2, 3, 4), (0, math.pi / 2, 0), [[4, 0, 0], [0, 3, 0], [0, 0, 2]]),
        ((2, 3, 4), (0, 0, math.pi / 4), [[2.5, -0.5, 0], [-0.5, 2.5, 0], [0, 0, 4]]),
        ((1 / 12, 1 / 12, 0.005), (math.pi / 2, 0, 0), [[1 / 12, 0, 0], [0, 0.005, 0], [0, 0, 1 / 12]]),
    ],
    ids=["x 90", "y 90", "z 45", "rod of Drake"],
)  # fmt: skip
def test_rotations_published_by_gz_math_and_drake(
    diagonal: tuple, rpy: tuple, expected: Matrix, tmp_path: Path
) -> None:
    """gz-math, Inertial_TEST.cc, MOI_Diagonal; Drake, unit_inertia_test.cc, ReExpressInAnotherFrame."""
    text = robot(body("a", 12, (0, 0, 0), np.diag(diagonal).tolist(), rpy))
    np.testing.assert_allclose(rollup_of(text, tmp_path).root.inertia, expected, atol=1e-15)


TENSOR_RULES = ("MP403", "MP404", "MP405")
GRIPPER = [[0.000115, 5.2e-05, 2.5e-05], [5.2e-05, 0.000153, 3.4e-05], [2.5e-05, 3.4e-05, 0.00019]]
REALMAN = [
    [0.0026619, -3.1029e-05, 9.34e-06],
    [-3.1029e-05, 0.0023025, 0.000151466],
    [9.34e-06, 0.000151466, 0.001676359],
]
GALBOT = [
    [7.798716588e-05, 5.1716641e-06, 2.425498752e-05],
    [5.1716641e-06, 8.701457658e-05, 1.249373671e-05],
    [2.425498752e-05, 1.249373671e-05, 2.604813454e-05],
]
STRETCH = [
    [4.56633e-09, 3.54305e-12, -9.59847e-10],
    [3.54305e-12, -1.79939e-09, -2.49019e-13],
    [-9.59847e-10, -2.49019e-13, -4.40846e-09],
]


PUBLISHED = {
    "talos": (0.1, GRIPPER, "MP404"),
    "realman": (1.559, REALMAN, ""),
    "galbot": (0.07548248, GALBOT, "MP404"),
    "drake 11094": (1, [[0.01, 0, 0], [0, 0, 0], [0, 0, 0]], "MP404"),
    "drake 21666": (2.1647959683444456e-05, STRETCH, "MP403"),
    "gz": (5, [[2, 0.2, 0.3], [0.2, 3, 0.4], [0.3, 0.4, 4]], ""),
    "gz products": (5, [[2, 1000, 0.3], [1000, 3, 0.4], [0.3, 0.4, 4]], "MP403"),
    "strang": (1, [[2, -1, 0], [-1, 2, -1], [0, -1, 2]], "MP404"),
    "gz-sim": (55, [[7, 0, 0], [0, 15, 0], [0, 0, 23]], "MP404"),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tensors_are_possible_or_reported(name: str, tmp_path: Path) -> None:
    """Issues example-robot-data 130, rm_models 6, galbot_s1_description 5, drake 11094, 21666; gz-math, gz-sim."""
    mass, matrix, rule = PUBLISHED[name]
    path = tmp_path / "robot.urdf"
    links = body("base", 1, (0, 0, 0), CUBE), body("a", mass, (0, 0, 0), matrix)
    # written with 10 digits, so that rounding explains no defect
    digits = inertia([[f"{value:.9e}" for value in row] for row in matrix]).replace("'", "")
    path.write_text(robot(links[0], links[1].replace(inertia(matrix), digits), joint("j", "base", "a")))
    found = [(finding.rule, finding.place.line) for finding in findings_of(path) if finding.rule in TENSOR_RULES]
    assert found == [(rule, 3)] * bool(rule)


@pytest.mark.parametrize(("name", "zero", "rule"), [
    ("talos", "0", "MP404"), ("drake 11094", "0", "MP404"), ("drake 11094", "0.0", "MP404"),
])  # fmt: skip
def test_defect_beyond_the_digits_written_is_an_error(name: str, zero: str, rule: str, tmp_path: Path) -> None:
    """Two moments that are exactly 0 exclude the third; no digits after those of talos make ∫z² dm positive."""
    mass, matrix, _ = PUBLISHED[name]
    path = tmp_path / "robot.urdf"
    path.write_text(robot(body("a", mass, (0, 0, 0), matrix).replace('"0"', f'"{zero}"')))
    assert [finding.rule for finding in findings_of(path) if finding.rule in TENSOR_RULES] == [rule]


def test_link_without_mass_and_tensor_has_one_finding(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    nothing = [[0.0] * 3] * 3
    links = body("a", 1, (0, 0, 0), REALMAN), body("b", 0, (0, 0, 0), nothing), body("c", 1, (0, 0, 0), nothing)
    path.write_text(robot(*links, joint("j", "a", "b", "fixed"), joint("k", "a", "c", "fixed")))
    found = [(finding.rule, finding.item) for finding in findings_of(path) if finding.rule in ("MP402", "MP406")]
    assert found == [("MP402", "b/body"), ("MP406", "c/body")]


def test_default_tensor_of_programs_is_a_warning(tmp_path: Path) -> None:
    """The default of SDFormat: 1 kg and the identity matrix."""
    path = tmp_path / "robot.urdf"
    path.write_text(robot(body("a", 1, (0, 0, 0), CUBE)))
    assert ("MP713", 2) in [(finding.rule, finding.place.line) for finding in findings_of(path)]


def test_negative_mass_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(robot(body("base", 1, (0, 0, 0), CUBE), body("a", -0.5, (0, 0, 0), CUBE), joint("j", "base", "a")))
    assert ("MP401", 3) in [(finding.rule, finding.place.line) for finding in findings_of(path)]


def test_all_faults_are_reported_in_one_run() -> None:
    text = robot(
        link("base"),
        link("base"),
        "<link/>",
        link("hand", mass="1,5"),
        link("tool", com=(0, "nan", 0)),
        joint("j", "base", "hnad"),
        joint("j", "base", "tool", "hinge"),
        "<joint name='k' type='fixed'><parent link='base'/></joint>",
        "<link name='twice'><inertial/><inertial/></link>",
        link("far", com=(0, 1e999, 0)),
    )
    assert sorted(faults(text)) == [
        ("MP205", 5), ("MP205", 6), ("MP205", 11), ("MP861", 7), ("MP861", 9), ("MP862", 3), ("MP862", 4),
        ("MP862", 8), ("MP866", 10), ("MP867", 8),
    ]  # fmt: skip


def test_links_that_are_no_tree_name_the_links() -> None:
    assert faults(robot(link("a"), link("b"))) == [("MP860", 3)]
    two = robot(link("a"), link("b"), link("c"), joint("i", "a", "b"), joint("j", "a", "c"), joint("k", "b", "c"))
    assert faults(two) == [("MP860", 7)]
    loop = robot(link("r"), link("a"), link("b"), joint("i", "a", "b"), joint("j", "b", "a"))
    assert [one.message for one in read(loop)[1] if one.rule == "MP860"] == ["links form a loop: a → b → a"]
    assert faults(robot(link("a"), joint("i", "a", "a"))) == [("MP860", 3)]


def test_an_unknown_link_is_shown_with_the_nearest() -> None:
    _, found = read(robot(link("base"), link("hand"), joint("j", "base", "hnad")))
    assert found[0].message == "child of joint j is not a link of the file: 'hnad'; the nearest is hand"


def test_links_without_an_inertial_have_no_mass(tmp_path: Path) -> None:
    links = "<link name='world'/>", link("base", 2), "<link name='a'/>", "<link name='b'/>"
    pairs = ("world", "base"), ("base", "a"), ("a", "b")
    text = robot(*links, *(joint(f"to_{child}", parent, child, "fixed") for parent, child in pairs))
    table, findings = read(text)
    quantities = {table.row(i)[0]: table.row(i)[2] for i in range(1, table.n_rows)}
    assert quantities == {"world": "1", "base": "1", "base/body": "1", "a": "0", "b": "0"}
    assert [(finding.rule, finding.count, finding.place.line) for finding in findings] == [("MP863", 3, 2)]
    assert rollup_of(text, tmp_path).root.mass == 2
    with pytest.raises(TableError, match="no link with an inertial"):
        read(robot("<link name='a'/>"))


def test_missing_mass_is_an_error_and_not_zero(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(robot(link("base", 2), "<link name='a'><inertial/></link>", joint("j", "base", "a")))
    rules = {finding.rule for finding in findings_of(path) if finding.severity.value == "error"}
    assert rules == {"MP206"}


@pytest.mark.parametrize(
    ("hand", "tip", "kind", "reported"),
    [
        ("<link name='hand'/>", "<link name='tip'/>", "fixed", ["MP864"]),
        (link("hand", 0), "<link name='tip'/>", "fixed", ["MP864"]),
        ("<link name='hand'/>", link("tip"), "fixed", []),
        ("<link name='hand'/>", link("tip"), "revolute", ["MP864"]),
        (link("hand"), "<link name='tip'/>", "fixed", []),
    ],
)
def test_moving_joint_without_mass(hand: str, tip: str, kind: str, reported: list[str]) -> None:
    """What is fixed to the link that moves counts with it."""
    _, findings = read(robot(link("base"), hand, tip, joint("j", "base", "hand"), joint("k", "hand", "tip", kind)))
    assert [finding.rule for finding in findings if finding.rule != "MP863"] == reported


@pytest.mark.parametrize(
    "text",
    [
        "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:property name='m' value='1'/></robot>",
        robot(link("a", "${m}")),
    ],
)
def test_xacro_is_named_with_its_command(text: str) -> None:
    with pytest.raises(TableError) as raised:
        read_urdf("arm.urdf.xacro", text.encode(), FileOptions(), False, Findings())
    finding = raised.value.findings[0]
    assert (finding.rule, finding.place.line) == ("MP865", 2)
    assert "xacro arm.urdf.xacro > arm.urdf" in finding.remedy


def test_namespace_of_the_root_is_that_of_its_links() -> None:
    text = robot(link("a", 3)).replace("<robot ", "<robot xmlns='http://example.org/robot' ")
    assert read(text)[0].row(2)[3] == "3"


def test_id_of_a_body_is_not_that_of_a_link() -> None:
    table, _ = read(robot(link("a"), link("a/body"), joint("j", "a", "a/body")))
    assert [table.row(i)[0] for i in range(1, 5)] == ["a", "a/body (2)", "a/body", "a/body/body"]


def test_document_types_entities_and_deep_nesting_are_rejected() -> None:
    lol = "<!DOCTYPE robot [<!ENTITY a 'aaaa'>]>\n<robot><link name='&a;'/></robot>"
    assert faults(lol) == [("MP115", None)]
    assert faults("<robot>\n<link name='&a;'/></robot>") == [("MP104", 2)]
    with pytest.raises(TableError, match="nested deeper than 200 levels"):
        read("<robot>" + "<gazebo>" * 5000 + "</gazebo>" * 5000 + "</robot>")


def test_long_chain_is_read_without_recursion(tmp_path: Path) -> None:
    n = 1500
    links = [link(f"l{k}", 1, (0.5, 0, 0)) for k in range(n)]
    joints = [
        joint(f"j{k}", f"l{k - 1}", f"l{k}").replace("<parent", "<origin xyz='1 0 0'/><parent") for k in range(1, n)
    ]
    root = rollup_of(robot(*links, *joints), tmp_path).root
    assert root.mass == n
    np.testing.assert_allclose(root.center, [n / 2, 0, 0], rtol=1e-13)


def test_changed_bytes_give_findings_only() -> None:
    """Each file has one piece deleted, repeated or replaced; anything but a TableError is a fault."""
    data, draw = ARM.read_bytes(), random.Random(17)
    read_files = 0
    for _ in range(400):
        start, length = draw.randrange(len(data)), draw.randrange(1, 30)
        piece = draw.choice(
            [b"", data[start : start + length] * 2, b"<link/>", b"\xff", b"nan", b"'", b"0x1", b"1e999"]
        )
        try:
            table = read_urdf("a.urdf", data[:start] + piece + data[start + length :], FileOptions(), False, Findings())
        except TableError:
            continue
        read_files += table.n_rows > 1
    assert 0 < read_files < 400


def test_prefixes_need_no_declaration() -> None:
    """Custom elements and attributes are left out, as robots' own parsers do; those of xacro are not expanded."""
    inner = '<inertial><mass value="2"/></inertial><gz:plugin a="1"/>'
    text = f'<robot name="r"><drake:x y:z="1"/>\n<link name="a" drake:k="2">{inner}</link></robot>'
    assert [read(text)[0].text(i, 0) for i in (1, 2)] == ["a", "a/body"]
    assert faults('<robot name="r">\n<xacro:include/></robot>') == [("MP865", 2)]
    with pytest.raises(TableError, match=r"arm\.urdf:2: error: XML is not well-formed: mismatched tag"):
        read('<robot name="r"><gz:x/>\n<link name="a"></robot>')


@pytest.mark.filterwarnings("error")
def test_large_numbers_give_findings_and_no_warnings_of_numpy(tmp_path: Path) -> None:
    """Masses, tensors and distances beyond double precision are an error; 1e200 m squared is."""
    huge = '<inertial><mass value="1e308"/><inertia ixx="1e308" iyy="1e308" izz="1e308"/></inertial>'
    far = '<joint name="j" type="fixed"><origin xyz="1e200 0 0"/><parent link="a"/><child link="b"/></joint>'
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r"><link name="a">{huge}</link><link name="b">{huge}</link>{far}</robot>')
    result = mp.rollup(path, keep_going=True)
    assert "MP407" in [one.rule for one in result.findings]


def test_links_without_an_inertial_are_errors_on_request(tmp_path: Path) -> None:
    """The default of the format is no mass, so that ``zero`` changes nothing."""
    path = tmp_path / "robot.urdf"
    joint = '<joint name="j{0}" type="fixed"><parent link="a"/><child link="{0}"/></joint>'
    links = '<link name="a"><inertial><mass value="2"/></inertial></link>\n<link name="b"/>\n<link name="c"/>'
    path.write_text(f'<robot name="r">{links}{joint.format("b")}{joint.format("c")}</robot>')
    for word in ("spec", "zero"):
        bom = mp.read_bom(path, default_inertial=word)
        assert [(one.severity.value, one.count) for one in bom.findings if one.rule == "MP863"] == [("note", 2)]
        assert mp.rollup(bom).root.mass == 2
    bom = mp.read_bom(path, default_inertial="error")
    found = [(one.severity.value, one.item, one.place.line) for one in bom.findings if one.rule == "MP863"]
    assert found == [("error", "b", 2), ("error", "c", 3)]
    with pytest.raises(mp.FindingsError):
        mp.rollup(bom)
